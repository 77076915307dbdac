"""Every recording, repaired with no option, is within all bars of the table; what is known to miss one is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import recordings
from poise.experiments.physical.table import Bars, measure
from poise.motion.load import load_clip

# hip and foot flip by 100 degrees, and taking that out is more than is allowed; it leans further than its feet reach
KNOWN = {"90_02_f0240-0600": {"posture", "root"}}
BUSY = {"cpu"}  # other work on the machine counts


@pytest.mark.slow
@pytest.mark.parametrize("path", recordings(), ids=lambda p: p.stem)
def test_a_recording_is_within_all_bars(path: Path) -> None:
    row = measure(load_clip(path))
    assert set(row.missed) - BUSY <= KNOWN.get(path.stem, set()), row.text()


def test_a_run_is_told_by_its_motion(mocap: Path) -> None:
    run, walk, jump = (Bars.of(load_clip(mocap / "cmu" / f"{name}.bvh")) for name in ("09_01", "02_01", "16_05"))
    assert (run.fine, run.posture, run.peak) == (12.0, 4.0, 4.0)
    assert walk == Bars() and jump == Bars(peak=4.0)

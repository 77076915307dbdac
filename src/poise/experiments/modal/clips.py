"""Whole clips undisturbed, by both ways to advance: the built-in gaits, and recordings on their own characters."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from poise.errors import PoiseError
from poise.experiments.modal.trial import WAYS, performed
from poise.experiments.reproduce import Options, Table
from poise.judge import audit
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.take import Take

GAITS = ("walk", "march", "sneak", "backward", "turn", "jump", "hop", "run")
RECORDED = ("cmu/02_01", "cmu/12_01", "cmu/16_17", "cmu/09_12", "cmu/136_20", "cmu/136_25", "cmu/16_33", "cmu/08_07",
            "cmu/91_19", "cmu/91_16", "cmu/120_08", "cmu/113_19", "cmu/16_05", "cmu/16_03", "cmu/02_03", "cmu/09_01",
            "cmu/127_04", "deepmimic/humanoid3d_walk", "deepmimic/humanoid3d_jump", "deepmimic/humanoid3d_run",
            "deepmimic/humanoid3d_stealthy")  # fmt: skip
LOOPED = 12.0  # [s] for which a loop is performed


def run(options: Options) -> Table:
    """One row a clip, default settings; recordings where a folder of them is given."""
    names: list[str | Path] = [*GAITS]
    if options.folder is not None:
        names += [next(options.folder.glob(f"{name}*")) for name in RECORDED]
    rows = []
    for name in names:
        clip = load_clip(name)
        row = (clip.name, clip.character.name, f"{_length(clip):.1f}", *_both(clip))
        print(*row, sep="  ", file=sys.stderr, flush=True)  # a row takes some seconds
        rows.append(row)
    columns = [f"{what}, {way}" for way in ("modal update", "MuJoCo")
               for what in ("ends [s]", "joints [deg]", "root [cm]", "penetration [mm]")]  # fmt: skip
    return Table("Whole clips, default settings, once from the beginning",
                 ("clip", "character", "length [s]", *columns), tuple(rows),
                 ("Ends: - for the whole clip on its feet, else when it fell or was lost.",))  # fmt: skip


def _length(clip: Clip) -> float:
    return LOOPED if clip.cycle is not None else clip.duration


def _both(clip: Clip) -> tuple[Any, ...]:
    out: list[Any] = []
    for way in WAYS:
        try:
            take: Take | None = performed(clip, way, _length(clip))
        except PoiseError as error:
            take = getattr(error, "take", None)
        out += ["at once", "", "", ""] if take is None else _cells(take)
    return tuple(out)


def _cells(take: Take) -> list[Any]:
    """When it ended, and errors up to there."""
    off, report = take.tracking_error(), audit(take)
    return ["-" if take.ended.whole else f"{take.ended.time:.2f}", float(np.degrees(off.joints)),
            100.0 * off.root_position, 1000.0 * report.penetration]  # fmt: skip


def main() -> None:
    """Print the table."""
    print(run(Options()).text())


if __name__ == "__main__":
    main()

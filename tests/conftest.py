"""Fixtures that many tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def mocap_folder() -> Path | None:
    """The folder of real recordings: $POISE_MOCAP, or ../shared/mocap beside the repository; None where missing."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "mocap"
    folder = Path(os.environ.get("POISE_MOCAP", beside))
    return folder if (folder / "cmu").is_dir() else None


def recordings() -> list[Path]:
    """All full-body recordings, empty where the folder is missing; for parametrised tests."""
    folder = mocap_folder()
    if folder is None:
        return []
    motions = [p for p in folder.glob("deepmimic/humanoid3d_*.txt") if "character" not in p.name]
    return sorted(folder.glob("cmu/*.bvh")) + sorted(motions)


@pytest.fixture(scope="session")
def mocap() -> Path:
    """The folder of real recordings; skips where it is not there."""
    folder = mocap_folder()
    if folder is None:
        pytest.skip("no real recordings here: set POISE_MOCAP to a folder with cmu/ and deepmimic/")
    return folder

"""Hands from a recording of a real hand, and on a body that handles several things in turn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise.errors import BadFile
from poise.experiments.hands.cooking import reaching
from poise.experiments.hands.recording import BOTTLE, FILE
from poise.methods.hands.on_body import wrist_track
from poise.methods.hands.problem import prepare
from poise.methods.hands.recorded import load_recorded
from poise.methods.hands.scenes.kitchen import TABLE, kitchen
from poise.methods.hands.search import Search
from poise.methods.hands.settings import Hands


def test_a_recording_becomes_a_scene(mocap: Path) -> None:
    path = mocap / "hands" / FILE
    if not path.is_file():
        pytest.skip(f"no {FILE} among the recordings")
    recorded = load_recorded(path, BOTTLE)
    scene = recorded.scene
    assert scene.sides == ("left",)  # as the mirrored one of a right hand
    assert recorded.apart < 6e-3 and recorded.tips.shape == (len(scene), 5, 3)
    assert scene.motion.place[0, 2] == pytest.approx(0.095, abs=1e-3)  # it stands on the table
    assert scene.motion.place[:, 2].max() > 0.18 and recorded.carried.sum() > 25
    assert Search(prepare(scene), Hands(round_solutions=1), 0).round(0)


def test_what_is_no_recording_of_a_hand_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "walk.npz"
    np.savez(path, q=np.zeros(3))
    with pytest.raises(BadFile, match="joints"):
        load_recorded(path, BOTTLE)
    still = np.tile(np.eye(4)[:3], (60, 1, 1))
    np.savez(path, joints=np.random.default_rng(0).normal(size=(60, 21, 3)), object_pose=still)
    with pytest.raises(BadFile, match="never lifted"):
        load_recorded(path, BOTTLE)


def test_a_cook_reaches_everything_on_the_table() -> None:
    scene = kitchen()
    wrist = wrist_track(reaching(scene), "right")
    assert np.linalg.norm(wrist.place - scene.wrist.place, axis=1).max() < 1e-3
    for k in range(len(scene.things)):
        piece = prepare(scene.piece(k, wrist))
        assert len(piece.table[0]) and len(piece.table[-1])  # it stands before and after
        assert scene.piece(k).motion.place[:, 2].max() > TABLE + 0.15

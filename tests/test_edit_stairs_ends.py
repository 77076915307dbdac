"""Stairs for clips that begin or end in mid-swing: no foot jumps, and feet come down level on the way down."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import edit


def worst_step(clip: poise.Clip) -> float:
    """Most that a contact point moves from one frame to the next [m]."""
    return float(np.linalg.norm(np.diff(clip.character.points(clip.q), axis=0), axis=2).max())


@pytest.fixture(scope="module")
def walk() -> poise.Clip:
    return poise.load_clip("walk").repeat(3)


@pytest.mark.parametrize("rise", [0.15, -0.15])
@pytest.mark.parametrize("start", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
def test_no_foot_jumps_where_a_clip_is_cut_in_mid_swing(walk, rise, start):
    clip = walk.cut(start, start + 1.8)
    climbed = clip.edit(edit.Stairs(rise, 0.3))
    assert worst_step(climbed) < 1.3 * worst_step(clip), worst_step(climbed)


def test_a_foot_comes_down_level_onto_a_lower_tread(walk):
    down, up = (walk.cut(0.3, 2.3).edit(edit.Stairs(rise, 0.3)) for rise in (-0.15, 0.15))
    own = down.character.contact_points
    pitch = {}
    for name, clip in (("down", down), ("up", up)):
        points, worst = clip.character.points(clip.q), []
        for side in ("left", "right"):
            mine = own.of(side)
            x = clip.character.points(clip.character.zero_pose())[0, mine, 0]
            along = points[:, mine[np.argmax(x)]] - points[:, mine[np.argmin(x)]]
            touch = clip.contacts.labels[:, mine].any(axis=1)
            landing = np.flatnonzero(np.diff(touch.astype(int)) == 1) + 1
            worst += [float(np.degrees(np.arcsin(along[k, 2] / np.linalg.norm(along[k])))) for k in landing]
        pitch[name] = max(worst)
    assert pitch["down"] < 3.0 < 10.0 < pitch["up"]  # degrees, toes up; climbing it lands on the heel as in the clip


@pytest.mark.parametrize("start", [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
def test_thighs_going_down_lean_as_peoples_do(walk, start):
    """People's hips flex by about 40 degrees at most on the way down (Protopapadaki and others, 2007)."""
    down = (walk if start == 0.0 else walk.cut(start, start + 2.0)).edit(edit.Stairs(-0.15, 0.3))
    places, _ = down.character.forward(down.q)
    for side in ("left", "right"):
        thigh = places[:, down.character.body(f"{side}_shin")] - places[:, down.character.body(f"{side}_thigh")]
        lean = np.degrees(np.arctan2(np.linalg.norm(thigh[:, :2], axis=1), -thigh[:, 2]))
        assert lean.max() < 45.0  # 37 to 43.5; 49 to 61 where heels are thrown up and the body sinks at the end

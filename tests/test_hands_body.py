"""Hands on whole bodies: the same motion with fingers, at ease, or around an object."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.methods.hands import Piece, Scene, Thing
from poise.methods.hands.on_body import held_track, with_fingers, wrist_track
from poise.methods.hands.scenes.authoring import SIDE


def test_parts_can_be_loaded() -> None:
    assert poise.load_character("hand").model.nv == 36
    assert poise.load_character("left_hand").roles == {"left_hand": "left_wrist"}


@pytest.mark.parametrize("name", ["human42", "human57"])
def test_a_body_with_fingers_moves_as_before(name: str) -> None:
    body = poise.load_character(name)
    clip = poise.load_clip("punch", character=body).cut(0.0, 0.4)
    out = poise.with_hands(clip)
    assert out.character.model.nv == body.model.nv + 60
    before, after = body.forward(clip.q)[0], out.character.forward(out.q)[0]
    for part in body.body_names[1:]:
        assert after[:, out.character.body(part)] == pytest.approx(before[:, body.body(part)], abs=2e-6)
    assert with_fingers(out.character) is out.character
    limits = out.character.model.jnt_range[out.character.model.jnt_limited > 0]
    assert np.all(np.isfinite(limits))


def test_a_clip_with_a_prop_comes_back_with_fingers_on_it() -> None:
    clip = poise.load_clip("stand").cut(0.0, 1.2)
    from poise.motion.resample import resample

    clip = resample(clip, 30.0)
    wrist = wrist_track(clip, "right")
    thing = Thing("bottle", (Piece("cylinder", (0.028, 0.075)),), 0.2)
    scene = Scene("held", thing, held_track(wrist, SIDE, (0.080, -0.012, -0.048)), {"right": wrist}, table=None)
    out = poise.with_hands(clip, scene)
    model = out.character.model
    a = int(model.joint("right_index_mcp_flex").qposadr[0])
    assert np.degrees(out.q[-1, a : a + 2]).sum() > 40  # the index finger is around the bottle
    assert len(out) == len(clip)

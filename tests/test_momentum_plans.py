"""Plans of momentum: saved, loaded, and remembered on disk by what they were made from."""

from __future__ import annotations

import numpy as np
import pytest

from poise import remembered
from poise.methods.momentum import Momentum, kept_plans
from poise.motion.load import load_clip


@pytest.fixture
def empty(tmp_path, monkeypatch):
    monkeypatch.setattr(remembered, "folder", lambda: tmp_path)
    monkeypatch.setattr(kept_plans, "_KEPT", {})
    return tmp_path


def test_a_plan_is_found_on_disk_with_the_same_bits(empty, monkeypatch):
    clip = load_clip("walk")
    made = kept_plans.plan_of(clip, Momentum(), 1.0)
    assert len(list(empty.glob("momentum-*.npz"))) == 1
    monkeypatch.setattr(kept_plans, "_KEPT", {})
    monkeypatch.setattr(kept_plans, "make_plan", None)  # it must not be made again
    again = kept_plans.plan_of(clip, Momentum(), 1.0)
    assert again is not made
    for one, other in zip(made.segments, again.segments, strict=True):
        assert np.array_equal(one.gain, other.gain)
        assert (one.first, one.status) == (other.first, other.status)
    assert np.array_equal(made.course.states, again.course.states)


def test_other_settings_and_a_broken_file_are_planned_anew(empty):
    clip = load_clip("walk")
    kept_plans.plan_of(clip, Momentum(), 1.0)
    kept_plans.plan_of(clip, Momentum(track=400.0), 1.0)
    files = sorted(empty.glob("momentum-*.npz"))
    assert len(files) == 2
    kept_plans._KEPT.clear()
    for file in files:
        file.write_bytes(b"nothing")
    assert kept_plans.plan_of(clip, Momentum(), 1.0).solved

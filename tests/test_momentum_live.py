"""momentum under way: another ground, ice, another stride and another method, all while it runs."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.ground.stairs import Stairs
from poise.methods.momentum import Momentum
from poise.motion.load import load_clip


@pytest.fixture
def show():
    return poise.begin(load_clip("walk"), "momentum")


def test_stairs_that_come_while_it_walks_are_climbed(show):
    show.run(1.0)
    show.ground(Stairs(rise=0.1, run=0.72, start=4.0, count=2))
    take = show.run(4.5).finish()
    assert take.ended.whole
    assert take.q[-1, 2] > take.q[0, 2] + 0.15


def test_longer_steps_are_asked_for_while_it_walks(show):
    show.run(2.0)
    show.switch(Momentum(stride=(0.08, 0.0, 0.0)))
    take = show.run(4.0).finish()
    assert take.ended.whole
    x, frames = take.q[:-1, 0], take.traces["td"][:-1]  # how far it gets in a frame of the reference
    assert (x[-2] - x[300]) / (frames[-2] - frames[300]) > 1.07 * (x[235] - x[5]) / (frames[235] - frames[5])


def test_it_takes_over_from_another_method_where_the_feet_are():
    show = poise.begin(load_clip("walk"), "modal")
    show.run(1.0)
    show.switch("momentum")
    take = show.run(2.0).finish()
    assert take.ended.whole
    assert np.abs(np.diff(take.q[:, :3], axis=0)).max() < 0.03

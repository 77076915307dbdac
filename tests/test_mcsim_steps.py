"""Steps of mcsim: blocks in the way, feet set down flat, clips that break off, landings after a flight, seesaws."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.experiments.mcsim.runs import HELD_OUT, phase, run_seeds
from poise.maths import rotations as rot
from poise.methods.mcsim import McSim, obstacles, terrain
from poise.methods.mcsim.schedule import Schedule
from poise.motion.reference import Reference
from poise.stage import Blocks, Seesaw, Stage

BLOCKS = obstacles.blocks_of(
    Stage(ground=Blocks([(1.0, 0.0, 0.0, 0.2, 0.1, 0.05, 0.5), (3.0, 0.0, 30.0, 0.2, 0.1, 0.08, None)]))
)


def test_blocks_are_as_high_as_they_are_where_they_are():
    places = np.array([[1.0, 0.0], [1.3, 0.0], [3.0, 0.0], [1.0, 0.2]])
    assert obstacles.height(BLOCKS, places).tolist() == [0.05, 0.0, 0.08, 0.0]
    assert len(obstacles.blocks_of(Stage())) == 0


@pytest.mark.parametrize("heading", [0.0, 0.7, np.pi / 2])
def test_a_foothold_on_a_block_is_moved_to_where_none_is_and_no_other(heading):
    foot = np.array([[-0.07, -0.045], [-0.07, 0.045], [0.2, -0.045], [0.2, 0.045]])
    c, s = np.cos(heading), np.sin(heading)
    on = obstacles.footprint(foot @ np.array([[c, s], [-s, c]]) + [1.0, 0.0], heading)
    move = obstacles.aside(BLOCKS, on, heading, np.zeros(2))
    assert 0.02 < np.linalg.norm(move) < 0.3 and not obstacles.height(BLOCKS, on + move).any()
    assert not obstacles.aside(BLOCKS, on + np.array([0.0, 1.0]), heading, np.zeros(2)).any()


def test_a_foot_is_raised_before_it_meets_a_block():
    foot = obstacles.footprint(np.array([[0.5, 0.0], [0.65, 0.0]]), 0.0)
    assert obstacles.over(BLOCKS, foot, 0.0) > 0.08 and obstacles.over(BLOCKS, foot, np.pi) == 0.0


def test_a_foot_on_tiptoe_is_turned_flat_by_a_share():
    up = rot.rotate(rot.from_axis_angle([0.0, 1.0, 0.0], 0.6), [0.0, 0.0, 1.0])
    assert np.allclose(terrain.least_turn(up, 1.0) @ up, [0.0, 0.0, 1.0])
    half = terrain.least_turn(up, 0.5) @ up
    assert np.isclose(np.arccos(half[2]), 0.3) and half[0] > 0.0
    assert np.allclose(terrain.least_turn(np.array([0.0, 0.0, 1.0]), 1.0), np.eye(3))


def test_feet_in_the_air_where_a_clip_breaks_off_should_land_by_then():
    loop = poise.load_clip("walk")
    labels = loop.contacts.labels
    points = loop.character.contact_points
    swinging = [k for k in range(20, len(loop) - 1) if not labels[k, points.of("left")].any()]
    broken = loop.cut(0.0, swinging[len(swinging) // 2] * loop.dt)
    step = Schedule(Reference(broken)).foot(0, broken.duration - 0.02)
    assert broken.cycle is None and not step.down and 0.0 < step.left < 0.05


def test_reported_starts_lie_between_those_that_were_tuned_on():
    tuned, told = {phase(k, 8, 0) for k in range(8)}, {phase(k, 8, HELD_OUT) for k in range(8)}
    assert not tuned & told and max(told) < 1.0


def test_who_goes_down_with_a_seesaw_has_not_fallen():
    stage = Stage(ground=Seesaw(length=12.0, width=4.0, above=0.6, limit=4.0, damping=4000.0, mass=80.0))
    take = poise.perform(poise.load_clip("walk"), "mcsim", stage=stage, seconds=4.0)
    low = take.q[-1, 2] - take.q[0, 2]
    assert take.fell is None and low < -0.2


def test_a_run_of_a_body_with_toes_goes_on():
    take = poise.perform(poise.load_clip("run", character="human57"), McSim(), seconds=3.0, noise=0.1, seed=HELD_OUT)
    assert take.fell is None and take.tracking_error().joints < 0.15


@pytest.mark.slow
@pytest.mark.parametrize("name", ["human42", "human57"])
def test_runs_of_ten_seconds_from_eight_starts(name):
    outcomes = run_seeds(poise.load_clip("run", character=name), McSim(), 8, 10.0)
    assert sum(o.ok for o in outcomes) >= 7

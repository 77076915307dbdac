"""mcsim's feet: legs that keep apart and bend their own way, corners that push, ground that tilts; tuned gains."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from poise import load_character, load_clip
from poise.dynamics.compiled import Compiled
from poise.maths import configuration as conf
from poise.methods.mcsim import McSim, contacts, legs, terrain
from poise.methods.mcsim.memory import beside_of, feet_of, legs_of, reach_of
from poise.methods.mcsim.schedule import Schedule
from poise.methods.mcsim.settings import Tasks
from poise.methods.mcsim.tuned import kept, told, with_factors
from poise.motion.feet.leg_clearance import _MARGIN, _shapes, spread
from poise.motion.reference import Reference


@pytest.fixture(scope="module")
def crossing():
    """The walk with its left leg turned inwards so far that it passes through the right one."""
    clip = load_clip("walk")
    body = clip.character
    v = np.zeros(body.model.nv)
    v[body.dofs("left_thigh")[0]] = -0.2
    q = np.stack([conf.integrate(body.layout, row, v) for row in clip.q])
    return clip.with_q(q, labels=clip.contacts.labels)


def _nearest(clip, frame, outwards):
    """The least distance of the two lower legs with their feet moved outwards (2,)."""
    model, data, line = clip.character.model, mujoco.MjData(clip.character.model), np.zeros(6)
    data.qpos[:] = clip.q[frame]
    mujoco.mj_kinematics(model, data)
    legs = [_shapes(clip.character, side) for side in ("left", "right")]
    for leg, sign, far in zip(legs, (1.0, -1.0), outwards, strict=True):
        for g, share in leg:
            data.geom_xpos[g, 1] += sign * share * far
    return min(mujoco.mj_geomDistance(model, data, a, b, 0.2, line) for a, _ in legs[0] for b, _ in legs[1])


def test_feet_keep_aside_where_the_legs_of_a_clip_overlap(crossing):
    outwards = spread(crossing)
    assert outwards.min() >= 0.0 and 0.02 < outwards.max() <= 0.1
    worst = min(range(0, len(crossing), 2), key=lambda k: _nearest(crossing, k, (0.0, 0.0)))
    assert _nearest(crossing, worst, (0.0, 0.0)) < 0.0
    swinging = outwards[worst] > 0.0
    assert swinging.any() and _nearest(crossing, worst, outwards[worst]) > 0.5 * _MARGIN


def test_keeping_aside_is_smooth_and_closes_with_the_loop(crossing):
    outwards = spread(crossing)
    assert np.abs(np.diff(outwards, axis=0)).max() < 0.012
    np.testing.assert_allclose(outwards[0], outwards[-1])


def _bent(character, q, goal_q, side, place, stands=False):
    """The foot of a side, and where it and its leg are after the leg was bent for `place` (relative to the foot)."""
    still, own, other = np.zeros(character.model.nv), Compiled(character), Compiled(character)
    now, goal = own.at(q, still), other.at(goal_q, still)
    feet = feet_of(character)
    foot = feet[side]
    start = (now if stands else goal).positions[foot]
    step = legs.bend(now, goal, start + place, stands, foot, legs_of(character, feet)[side])
    after = own.at(conf.integrate(character.layout, goal_q, step), still).positions[foot]
    return step, after - goal.positions[foot]


@pytest.mark.parametrize("side", [0, 1])
def test_a_leg_bends_towards_where_its_foot_should_be(side):
    character = load_character("human57")
    q = load_clip("walk", character="human57").q[10]
    step, _ = _bent(character, q, q, side, np.zeros(3))
    assert np.abs(step).max() < 1e-9
    off = np.array([0.02, 0.03, 0.0])
    _, moved = _bent(character, q, q, side, off)
    assert np.linalg.norm(moved - off) < 0.5 * np.linalg.norm(off)


def test_a_standing_leg_brings_the_root_to_its_place():
    character = load_character("human42")
    goal = load_clip("walk").q[10]
    q = goal + 0.03 * (np.arange(len(goal)) == 1)  # the body is 3 cm further left, feet and all
    _, moved = _bent(character, q, goal, 0, np.zeros(3), stands=True)
    assert moved[1] > 0.02  # the leg reaches for the foot that is further left


def _scheduled(due, touching, bodies, height, beside):
    points, goal = np.zeros((len(due), 3)), np.zeros((len(due), 3))
    points[:, 2] = height
    normal = np.tile([0.0, 0.0, 1.0], (len(due), 1))
    use, gap = np.zeros(len(due), bool), np.zeros(len(due))
    sole = np.arange(len(due))
    soles = contacts.Soles(bodies=np.array(bodies), sides=0 * sole, beside=np.array(beside), left=sole, right=sole[:0])
    contacts.scheduled(sole, soles, np.array(due), np.array(touching), points, goal, 0.012, normal, use, gap)
    return use.tolist(), gap


def test_loose_toes_in_the_air_do_not_push_but_a_rigid_corner_nearly_down_does():
    none = np.zeros((4, 4), bool)
    use, gap = _scheduled([1, 1, 1, 1], [1, 0, 0, 0], [1, 1, 2, 2], [0.0, 0.01, 0.01, 0.01], none)
    assert use == [True, True, False, False]
    np.testing.assert_allclose(gap, [0.0, 0.01, 0.01, 0.01])


def test_a_corner_beside_one_that_is_stood_on_helps_where_it_touches():
    pair = np.array([[False, True], [True, False]])
    assert _scheduled([1, 0], [1, 1], [1, 1], [0.0, 0.0], pair)[0] == [True, True]
    assert _scheduled([1, 0], [1, 1], [1, 1], [0.0, 0.0], np.zeros((2, 2), bool))[0] == [True, False]


def test_corners_of_a_heel_are_beside_each_other():
    character = load_character("human42")
    names = character.contact_points.names
    beside = beside_of(character)
    heels = [k for k, n in enumerate(names) if "heel" in n and "hand" not in n and n.startswith("left")]
    toes = [k for k, n in enumerate(names) if ("toe" in n or "ball" in n) and n.startswith("left")]
    assert len(heels) == 2 and beside[heels[0], heels[1]] and not beside[heels[0], toes[0]]


@pytest.mark.parametrize("name", ["human42", "human57"])
def test_the_reach_of_a_leg_is_its_length(name):
    character = load_character(name)
    thigh, length = reach_of(character, feet_of(character)[0])
    assert thigh == character.body("left_thigh")
    place = character.forward(character.standing_pose())[0][0]
    standing = np.linalg.norm(place[character.body("left_foot")] - place[thigh])
    assert standing <= length + 1e-9 < 1.1 * standing


def test_a_foot_turns_with_the_ground():
    tilt = np.array([0.1, -0.05])  # rises along x
    turn = terrain.tilted(tilt, np.eye(3))
    np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-12)
    normal = np.array([-0.1, 0.05, 1.0])
    np.testing.assert_allclose(turn[:, 2], normal / np.linalg.norm(normal), atol=1e-12)


def test_the_schedule_says_how_long_a_foot_stays():
    reference = Reference(load_clip("walk"))
    schedule = Schedule(reference)
    t = next(t for t in np.arange(0.0, 1.0, 0.01) if schedule.foot(0, t).down and schedule.stays(0, t) > 0.1)
    left = schedule.stays(0, t)
    assert schedule.foot(0, t + left - 0.02).down and not schedule.foot(0, t + left + 0.01).down


def test_tuned_gains_travel_with_the_clip(tmp_path):
    clip = kept(load_clip("walk"), {"kos": 1.5, "mass_gain": 0.5})
    clip = kept(clip, {"kos": 1.2, "swing_gain": 4.0})  # takes the place of the first
    clip.save(tmp_path / "tuned.npz")
    again = load_clip(tmp_path / "tuned.npz")
    assert told(again) == {"kos": 1.2, "swing_gain": 4.0}
    reference = Reference(again)
    used = McSim().start(again.character, reference, again.stage()).way
    assert used.kos == pytest.approx(480.0) and used.tasks.swing_damping == pytest.approx(2.0 * Tasks().swing_damping)
    own = McSim(kos=300.0).start(again.character, reference, again.stage()).way
    assert own.kos == 300.0 and own.tasks == Tasks()  # what is asked for outright is what is used
    assert with_factors(McSim(), {}) == McSim()
    assert told(replace(again, source=replace(again.source, notes=()))) == {}

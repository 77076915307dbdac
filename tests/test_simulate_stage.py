"""What happens on stages: platforms carry, seesaws tip, bars hold, balls hit, pictures show it."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character.load import load_character
from poise.experiments import stage_tour
from poise.experiments.stage_actors import Servo, crate, hanging_pose, perform
from poise.export import staging
from poise.maths import rotations as rot
from poise.motion.clip import Clip
from poise.motion.reference import Reference
from poise.simulate.loop import run
from poise.simulate.mujoco import MujocoSimulator
from poise.stage import Ball, Bar, Grip, HeightField, Platform, PlatformMotion, Push, Stage


@pytest.fixture(scope="module")
def human():
    return load_character("human42")


@pytest.mark.parametrize("direction", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0.3)])
def test_a_platform_carries_what_stands_on_it(direction):
    motion = PlatformMotion(0.1, 1.0, direction)
    _, take = perform(crate(), Stage(Platform(motion=motion)), np.array([0.2, 0, 0.15, 1, 0, 0, 0.0]), 2.0)
    told = np.array([motion(t) for t in take.time])
    assert np.abs(take.props["platform"][:, :3] - told).max() < 1e-6
    assert np.abs(take.q[:, :3] - take.q[0, :3] - told).max() < 1e-3
    assert np.ptp(told @ np.asarray(direction)) > 0.15


def test_a_platform_faster_than_friction_slides_away():
    motion = PlatformMotion(0.1, 2.0)  # 16 m/s²
    _, take = perform(crate(), Stage(Platform(motion=motion), friction=0.3), np.array([0, 0, 0.15, 1, 0, 0, 0.0]), 2.0)
    told = np.array([motion(t) for t in take.time])
    assert np.abs(take.q[:, 0] - told[:, 0]).max() > 0.05


def test_the_sights_of_the_tour_are_as_they_should_be():
    below, above = stage_tour.slope()
    assert below.numbers["slid [mm]"] < 0.1 and above.numbers["slid [mm]"] > 150
    seesaw = stage_tour.seesaw()[0].numbers
    assert seesaw["tilt at the end [degrees]"] == pytest.approx(seesaw["limit [degrees]"], abs=0.1)
    assert stage_tour.stairs()[0].numbers["at rest over its tread [m]"] == pytest.approx(0.12, abs=1e-3)
    assert stage_tour.blocks()[0].numbers["free block moved by [m]"] > 0.2
    for sight in stage_tour.thrown():
        assert sight.numbers["missed its aim by [cm]"] < 3.0
    heights = stage_tour.heights()[0]
    assert heights.numbers["greatest depth [mm]"] < 25


def test_hanging_from_a_bar_swings_in_both_planes():
    numbers = stage_tour.bar()[0].numbers
    assert numbers["swing forwards and back [m]"] > 0.3
    assert numbers["swing sideways [m]"] > 0.3
    assert numbers["hands off the bar's axis [mm]"] < 2.0


def test_a_hanging_body_swings_like_a_pendulum(human):
    """A stiff body on a frictionless grip: the period of a physical pendulum."""
    q = hanging_pose(human, 2.4, 180.0)
    grips = [Grip(f"{s}_hand", turn_friction=0.0) for s in ("left", "right")]
    stage = Stage(props=[Bar()], grips=grips, events=[Push("pelvis", (60, 0, 0), 0.0, 0.2)])
    _, take = perform(human, stage, q, 5.0, Servo(q, 6000.0, 300.0, 1 / 480, free=("left_hand", "right_hand")))
    x = human.centre_of_mass(take.q)[:, 0]
    x = x - x.mean()
    crossings = take.time[1:][(x[1:] > 0) & (x[:-1] <= 0)]
    period = float(np.diff(crossings).mean())
    arm = 2.4 - float(human.centre_of_mass(q)[0, 2])
    pos, quat = human.forward(q)
    inertia = 0.0
    for b in range(1, human.model.nbody):
        centre = pos[0, b] + rot.rotate(quat[0, b], human.model.body_ipos[b])
        inertia += human.model.body_mass[b] * (centre[0] ** 2 + (centre[2] - 2.4) ** 2)
        axes = rot.to_matrix(rot.multiply(quat[0, b], human.model.body_iquat[b]))
        inertia += float(axes[1] ** 2 @ human.model.body_inertia[b])
    ideal = 2 * np.pi * np.sqrt(inertia / (human.mass * 9.81 * arm))
    assert period == pytest.approx(ideal, rel=0.06)


def test_grips_slide_under_load_and_hold_within_their_friction(human):
    q = hanging_pose(human, 2.4)
    moved = []
    for friction in (20.0, 400.0):
        grips = [Grip(f"{s}_hand", slide_friction=friction) for s in ("left", "right")]
        stage = Stage(props=[Bar()], grips=grips, events=[Push("pelvis", (0, 150, 0), 0.1, 0.4)])
        _, take = perform(human, stage, q, 0.8, Servo(q))
        held = take.contacts.bilateral
        moved.append(float(np.ptp(take.contacts.point[held & (take.contacts.body == human.body("left_hand")), 1])))
    assert moved[0] > 0.03 and moved[1] < 0.002


def test_grips_open_and_wait(human):
    q = hanging_pose(human, 4.0)
    low = Bar("low", height=0.6, place=(5.0, 0.0))
    grips = [Grip("left_hand", end=0.1), Grip("right_hand", end=0.1), Grip("left_hand", "low", start=0.1, end=0.3)]
    stage = Stage(props=[Bar(height=4.0), low], grips=grips)
    _, take = perform(human, stage, q, 0.5)
    texts = [e.text for e in take.events]
    assert "left_hand lets go of bar" in texts and any("never came near" in t for t in texts)
    fall = human.centre_of_mass(take.q)[:, 2]
    free = (take.time > 0.12) & (take.time < 0.4)
    assert np.polyfit(take.time[free], fall[free], 2)[0] == pytest.approx(-0.5 * 9.81, rel=0.02)
    held = take.contacts.bilateral
    assert np.all(take.contacts.frame[held] <= 12)


@pytest.mark.parametrize("direction", [(1, 0, 0), (0, 1, 0), (-1, 0.3, 0.2)])
def test_a_ball_hits_a_moving_target(human, direction):
    q, v = human.standing_pose(), np.zeros(human.model.nv)
    q[2] += 1.0
    v[0] = 1.5  # in flight: an accelerated target is missed by what its fall adds
    stage = Stage(events=[Ball(1.0, 0.0, 20.0, "chest", direction, distance=1.5)])
    _, take = perform(human, stage, q, 0.3, v=v)
    hits = [e for e in take.events if "hits" in e.text]
    assert hits, [e.text for e in take.events]
    assert float(hits[0].text.split(", ")[1].split(" cm")[0]) < 4.0


def test_a_pushed_crate_gets_exactly_its_impulse():
    box = crate()
    stage = Stage(events=[Push("crate", (20.0, 0.0, 0.0), 0.10037, 0.0501)])
    _, take = perform(box, stage, np.array([0, 0, 5.0, 1, 0, 0, 0]), 0.3)
    assert take.v[-1, 0] * box.mass == pytest.approx(20.0 * 0.0501, rel=1e-9)
    impulse = take.external.force[:, 0].sum() / 120
    assert impulse == pytest.approx(20.0 * 0.0501, rel=1e-9)
    assert take.external.labels[int(take.external.label[0])].startswith("push on crate")


def test_the_reference_may_change_under_way(human):
    q = human.standing_pose()
    reference, other = (Reference(Clip(human, q[None].copy(), 1 / 120)) for _ in range(2))
    simulator = MujocoSimulator(human)
    simulator.reset(q)
    seen = []

    class Watch(Servo):
        def act(self, state, touches, reference, memory):
            seen.append(reference)
            return super().act(state, touches, reference, memory)

    take = run(
        simulator,
        Watch(q, period=1 / 120),
        reference,
        seconds=0.1,
        decimation=8,
        each=lambda t: other if t > 0.05 else None,
    )
    assert seen[0] is reference and seen[-1] is other
    assert [e.kind for e in take.events] == ["reference"]


def test_pictures_show_the_stage(human, tmp_path):
    x = np.linspace(-1, 1, 11)
    ground = HeightField(0.1 * np.sin(4 * x)[:, None] * np.ones(11), 0.2, (-1, -1))
    stage = Stage(ground, [Bar()], events=[Ball(2.0, 0.0, 10.0, "chest")])
    q = human.standing_pose()
    q[2] += 0.1
    world, take = perform(human, stage, q, 0.1, Servo(q))
    picture = staging.stills(world, take, [0.0, 0.1], target=(0, 0, 1.2), span=2.6, width=80, height=100, title="seen")
    assert picture.size == (160, 164)
    colours = np.asarray(picture).reshape(-1, 3)
    assert len(np.unique(colours, axis=0)) > 200
    shapes = staging.things(world, {name: rows[0] for name, rows in take.props.items()})
    assert len(shapes.kind) > 200  # the height field is there

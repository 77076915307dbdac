"""What the simulator reports is what acted: forces against MuJoCo's own, impulses against the change of momentum."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from poise.character.load import load_character
from poise.dynamics import Dynamics, Wrench
from poise.experiments.stage_actors import Limp, Servo, crate, hanging_pose, perform
from poise.motion.clip import Clip
from poise.motion.reference import Reference
from poise.simulate.loop import Action, run
from poise.simulate.mujoco import MujocoSimulator
from poise.stage import (
    Ball,
    Bar,
    Barbell,
    Box,
    Grip,
    Patches,
    Platform,
    PlatformMotion,
    Push,
    Seesaw,
    Slope,
    Stage,
    Stairs,
)
from poise.take import WrenchRecord


@pytest.fixture(scope="module")
def human():
    return load_character("human42")


def unexplained(character, take):
    """Rms over frames of momentum change that recorded impulses do not explain: force [N] and moment [N m]."""
    dynamics, dt, frames = Dynamics(character), np.diff(take.time)[:, None], len(take.time)
    rows = []
    for q, v in zip(take.q, take.v, strict=True):
        now = dynamics.at(q, v)
        p = now.momentum
        rows.append([*p[:3], *(p[3:] + np.cross(now.centre_of_mass, p[:3]))])
    change = np.diff(np.array(rows), axis=0) / dt
    force, moment = (
        sum(x) for x in zip(*(r.total(frames) for r in (take.contacts, take.external, take.assist)), strict=True)
    )
    com = character.centre_of_mass(take.q)
    weight = character.mass * np.array([0.0, 0.0, -9.81])
    change[:, :3] -= force[:-1] + weight
    change[:, 3:] -= moment[:-1] + np.cross(0.5 * (com[1:] + com[:-1]), weight)
    return np.sqrt((change[:, :3] ** 2).sum(1).mean()), np.sqrt((change[:, 3:] ** 2).sum(1).mean())


def bell_pose(human):
    q = hanging_pose(human, 1.0, reach=25.0)
    q[2] -= human.points(q)[0, :, 2].min()
    pos, _ = human.forward(q)
    return q, pos[0, human.body("left_hand")]


def stages(human):
    stand, hang = human.standing_pose(), hanging_pose(human, 2.4)
    bell, hand = bell_pose(human)
    up = stand + 0.0
    up[2] += 0.02
    hands = [Grip("left_hand"), Grip("right_hand", end=0.5)]
    moving = Platform(motion=PlatformMotion(0.1, 1.0))
    return {
        "flat": (stand, Stage()),
        "slope": (up, Stage(Slope(-5.0))),
        "stairs": (up, Stage(Stairs(start=0.25), events=[Push("chest", (60, 0, 0), 0.0, 0.3)])),
        "seesaw": (up, Stage(Seesaw())),
        "ice": (stand, Stage(Patches([(0, 0, 0.1, 5, 0.05)]), events=[Push("chest", (80, 0, 0), 0.05)])),
        "platform": (stand, Stage(moving, events=[PlatformMotion(0.02, 2.0, (0, 0, 1))])),
        "push": (stand, Stage(events=[Push("chest", (0, 150, 0), 0.1003, 0.0771),
                                      Push("head", (40, 0, 0), 0.2, 0.1, (0, 0.1, 0.1))])),
        "ball": (stand, Stage(events=[Ball(2.0, 0.05, 10.0, "head")])),
        "box": (stand, Stage(props=[Box("box", (0.2, 0.4, 1.0), 4.0, (0.3, 0, 0.5))],
                             events=[Push("chest", (300, 0, 0), 0.05)])),
        "bar": (hang, Stage(props=[Bar()], grips=hands, events=[Push("pelvis", (200, 60, 0), 0.1, 0.2)])),
        "barbell": (bell, Stage(props=[Barbell(position=(hand[0], 0, hand[2] - 0.06))],
                                grips=[Grip("left_hand", "barbell"), Grip("right_hand", "barbell")])),
    }  # fmt: skip


NAMES = ["flat", "slope", "stairs", "seesaw", "ice", "platform", "push", "ball", "box", "bar", "barbell"]


@pytest.mark.parametrize("contact", ["soft", "springs"])
@pytest.mark.parametrize("name", NAMES)
def test_recorded_impulses_explain_the_momentum(human, name, contact):
    q, stage = stages(human)[name]
    _, take = perform(human, stage, q, 0.8, Servo(q, stiffness=400.0, damping=40.0), contact=contact)
    force, moment = unexplained(human, take)
    weight = human.mass * 9.81
    limit = 4e-3 if name == "ball" else 1e-3  # a blow bends the integrator's own momentum a little
    assert force < limit * weight
    assert moment < 2 * limit * weight
    assert len(take.contacts) > 0


def test_a_hidden_force_is_seen_by_that_measure(human):
    q = human.standing_pose()
    stage = Stage(events=[Push("chest", (20.0, 0, 0), 0.1, 0.6)])
    _, take = perform(human, stage, q, 0.8, Servo(q))
    assert unexplained(human, take)[0] < 0.2
    hidden = replace(take, external=WrenchRecord.from_rows(np.zeros(0), np.zeros((0, 11))))
    assert unexplained(human, hidden)[0] > 10.0


def test_touches_are_mujocos_contact_forces(human):
    q = human.standing_pose()
    q[2] += 0.02
    simulator = MujocoSimulator(
        human, Stage(Stairs(start=0.25), friction=0.7, events=[Push("chest", (60, 0, 0), 0.0, 0.3)])
    )
    simulator.reset(q)
    checked = 0
    for k in range(1200):
        simulator.step(np.zeros(human.model.nv))
        if k % 40 or not len(simulator.touches()):
            continue
        model, data, touches = simulator._model, simulator._data, simulator.touches()
        expected, raw = np.zeros((human.model.nbody, 6)), np.zeros(6)
        for i in range(data.ncon):
            mujoco.mj_contactForce(model, data, i, raw)
            c = data.contact[i]
            force = c.frame.reshape(3, 3).T @ raw[:3]
            for geom, sign in zip(c.geom, (-1, 1), strict=True):
                body = model.geom_bodyid[geom]
                if body < human.model.nbody:
                    expected[body] += [*(sign * force), *(sign * np.cross(c.pos, force))]
        found = np.zeros_like(expected)
        for body, point, force in zip(touches.body, touches.point, touches.force, strict=True):
            found[body] += [*force, *np.cross(point, force)]
        assert np.allclose(found, expected, atol=1e-9)
        pushing = np.einsum("ki,ki->k", touches.normal, touches.force)
        sideways = np.linalg.norm(touches.force - pushing[:, None] * touches.normal, axis=1)
        assert np.all(pushing >= 0) and np.all(sideways <= touches.friction * pushing + 1e-6)
        checked += 1
    assert checked > 10


@pytest.mark.parametrize("name", ["bar", "barbell"])
def test_grip_forces_are_the_constraint_forces_on_the_character(human, name):
    q, stage = stages(human)[name]
    simulator = MujocoSimulator(human, stage)
    simulator.reset(q)
    rng, dynamics = np.random.default_rng(0), Dynamics(human)
    for k in range(200):
        before = simulator.state()
        torque = np.r_[np.zeros(6), 5 * rng.standard_normal(human.model.nv - 6)]
        simulator.step(torque)
        if k % 20 == 19:
            t = simulator.touches()
            wrenches = [Wrench(int(b), p, f, m) for b, p, f, m in zip(t.body, t.point, t.force, t.moment, strict=True)]
            generalised = dynamics.at(before.q, before.v).generalised(wrenches)
            constrained = simulator._data.qfrc_constraint[: human.model.nv].copy()
            root = slice(0, 6)  # joint limits act inside the body, not on the root
            assert np.allclose(generalised[root], constrained[root], atol=1e-6 * max(1.0, np.abs(constrained).max()))
            assert t.bilateral.sum() >= 1


def test_self_contacts_cancel(human):
    q = human.standing_pose()
    _, take = perform(human, Stage(), q, 1.2)
    mine = np.array([take.contacts.others[o] in human.body_names for o in take.contacts.other])
    assert mine.any()
    assert np.allclose(take.contacts.force[mine].sum(0), 0, atol=1e-6)


def test_assistance_is_recorded_as_such(human):
    q = human.standing_pose()

    class Helped(Servo):
        def act(self, state, touches, reference, memory):
            torque = super().act(state, touches, reference, memory)
            point = human.forward(state.q)[0][0, human.body("chest")]
            help_ = Wrench(human.body("chest"), point, np.array([0.0, 0, 900.0]), np.array([0.0, 3.0, 0.0]))
            return Action(torque, (help_,), {"lift": 900.0})

    _, take = perform(human, Stage(), q, 0.3, Helped(q))
    assert len(take.external) == 0 and np.allclose(take.assist.force[:, 2], 900.0)
    assert take.assist.labels[int(take.assist.label[0])] == "assist"
    assert np.all(take.traces["lift"][:-1] == 900.0)
    assert unexplained(human, take)[0] < 1e-3 * human.mass * 9.81


def test_mean_torque_is_the_mean(human):
    simulator = MujocoSimulator(human)
    q = human.standing_pose()
    simulator.reset(q)

    class Ramp(Limp):
        def act(self, state, touches, reference, memory):
            return np.r_[np.zeros(6), np.full(len(state.v) - 6, state.time)]

    take = run(simulator, Ramp(), Reference(Clip(human, q[None].copy(), 1 / 120)), seconds=0.05, decimation=4)
    steps = np.floor(np.arange(48) / 4) * 4 / 960
    assert np.allclose(take.torque[:-1, 7], steps.reshape(-1, 8).mean(1))
    assert np.all(take.torque[-1] == 0) and len(take.time) == 7


def test_a_crate_at_rest_weighs_what_it_weighs():
    box = crate()
    _, take = perform(box, Stage(), np.array([0, 0, 0.15, 1, 0, 0, 0.0]), 1.0)
    force, _ = take.contacts.total(len(take.time))
    assert force[100] == pytest.approx([0, 0, box.mass * 9.81], abs=1e-6)
    assert np.allclose(take.contacts.normal[take.contacts.at(100)], [0, 0, 1])
    assert take.contacts.depth[take.contacts.at(100)].max() < 1e-3

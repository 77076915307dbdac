"""The audit accepts what poise's own simulator does on every kind of stage, and still finds what is hidden there."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.judge import audit
from poise.maths import rotations as rot
from poise.motion.reference import Reference
from poise.simulate.loop import run
from poise.simulate.mujoco import MujocoSimulator
from poise.stage import (
    Ball,
    Bar,
    Blocks,
    Box,
    Flat,
    Grip,
    HeightField,
    Patches,
    Platform,
    PlatformMotion,
    Push,
    Seesaw,
    Slope,
    Stage,
    Stairs,
)  # fmt: skip
from poise.take import Recorder, Take

HILLS = 0.03 * np.sin(np.arange(60)[:, None] * 0.4) * np.cos(np.arange(60)[None] * 0.3)
STAGES = {
    "slope": Stage(ground=Slope(6.0)),
    "stairs": Stage(ground=Stairs(rise=0.12, start=-0.2)),
    "platform": Stage(ground=Platform(motion=PlatformMotion(0.1, 1.0, (0.6, 0.8, 0.0)))),
    "seesaw": Stage(ground=Seesaw()),
    "blocks": Stage(ground=Blocks(((0.4, 0.0, 20.0, 0.3, 0.4, 0.12, 6.0), (-0.5, 0, 0, 0.3, 0.4, 0.1, None)))),
    "patches": Stage(ground=Patches(((0.0, 0.0, 0.3, 2.0, 0.05),), Flat())),
    "hills": Stage(ground=HeightField(HILLS - 0.03, 0.1, (-3.0, -3.0))),
    "box": Stage(props=[Box(position=(0.5, 0.0, 0.15), mass=3.0)]),
    "ball": Stage(events=[Ball(mass=4.0, at=0.1, speed=8.0, toward="chest", direction=(-1, 0, 0))]),
    "push": Stage(events=[Push("head", (0, 120, 0), at=0.1, duration=0.15)]),
}


class Limp:
    """Weak springs in every joint: the character sinks down and tumbles about."""

    def __init__(self, gain: float = 0.3):
        self.gain = gain

    def start(self, character, reference, stage):
        self.character, self.aim = character, reference.sample(0.0).q
        return self

    def act(self, state, touches, reference, memory):
        from poise.maths import configuration as conf

        c = self.character
        pull = self.gain * c.stiffness * (conf.difference(c.layout, state.q, self.aim) - 0.02 * state.v)
        pull[:6] = 0.0
        return np.clip(pull, -c.torque_limit, c.torque_limit)


def tumble(stage: Stage, q: np.ndarray, v: np.ndarray, seconds: float, gain: float = 0.3, contact="soft") -> Take:
    clip = poise.load_clip("stand")
    clip = clip.with_q(np.tile(q, (2, 1)), labels=None, cycle=None)
    simulator = MujocoSimulator(clip.character, stage, contact=contact)
    simulator.reset(q, v)
    reference = Reference(clip)
    recorder = Recorder(reference, stage=stage, method="limp")
    return run(simulator, Limp(gain), reference, seconds=seconds, recorder=recorder, stage=stage)


def start_on(stage: Stage) -> np.ndarray:
    """The standing pose above the highest ground below its feet."""
    character = poise.load_character("human42")
    q = character.standing_pose()
    feet = character.points(q)[0]
    q[2] += float(np.max(stage.ground.height(feet[:, 0], feet[:, 1]))) + 0.002
    return q


@pytest.mark.parametrize("name", STAGES)
def test_a_fall_on_any_stage_is_explained(name):
    stage = STAGES[name]
    q = start_on(stage)
    take = tumble(stage, q, np.zeros(42), 1.2)
    report = audit(take)
    assert report.unexplained_force_share < 1e-3, report.text()
    assert report.passed, report.text()
    if name == "ball":
        assert "ball_0" in {take.contacts.others[k] for k in take.contacts.other}


def test_springs_are_explained_too():
    report = audit(tumble(Stage(), start_on(Stage()), np.zeros(42), 1.0, contact="springs"))
    assert report.unexplained_force_share < 1e-3 and report.passed, report.text()


@pytest.fixture(scope="module")
def hanging() -> Take:
    """Both hands round a bar, swinging in both planes."""
    character = poise.load_character("human42")
    q = character.standing_pose()
    for side in ("left", "right"):
        a = int(character.model.jnt_qposadr[character.model.dof_jntid[int(character.dofs(f"{side}_upper_arm")[0])]])
        q[a : a + 4] = rot.exp(np.array([0.0, -3.05, 0.0]))
    q[2] += 0.4
    hand = character.body("left_hand")
    pos, quat = character.forward(q)
    place = character.place(pos, quat, np.array([hand]), character.model.body_ipos[[hand]])[0, 0]
    stage = Stage(props=[Bar(height=float(place[2]), place=(float(place[0]), 0.0))],
                  grips=[Grip("left_hand"), Grip("right_hand")])  # fmt: skip
    v = np.zeros(42)
    v[0], v[1] = 1.2, 0.4
    return tumble(stage, q, v, 1.5)


def test_hanging_from_a_bar_is_explained(hanging):
    report = audit(hanging)
    assert report.unexplained_force_share < 1e-3 and report.passed, report.text()
    assert hanging.contacts.bilateral.any() and hanging.fell is None
    carried = hanging.contacts.total(len(hanging))[0][60:-1, 2].mean()
    assert abs(carried / report.weight - 1) < 0.3  # the bar carries the body


def test_a_grip_that_was_not_recorded_is_missed(hanging):
    from dataclasses import fields, replace

    rows = hanging.contacts
    kept = ~(rows.bilateral & (rows.body == hanging.character.body("left_hand")))
    less = {f.name: getattr(rows, f.name)[kept] for f in fields(rows) if f.name != "others"}
    report = audit(replace(hanging, contacts=replace(rows, **less)))
    assert not report.passed and report.unexplained_force_share > 0.3


def test_a_push_that_was_not_declared_is_missed():
    from dataclasses import replace

    from poise.take import WrenchRecord

    take = tumble(STAGES["push"], start_on(STAGES["push"]), np.zeros(42), 0.5)
    assert audit(take).passed
    silent = replace(take, external=WrenchRecord.from_rows(np.zeros(0), np.zeros((0, 11))))
    report = audit(silent)
    assert not report.passed and abs(report.unexplained_force_max.value - 120) < 2
    when = report.series["time"][np.linalg.norm(report.series["force"], axis=1) > 60]
    assert abs(when[0] - 0.1) < 0.01 and abs(when[-1] - 0.25) < 0.02


def test_assistance_is_recorded_and_refused():
    from poise.dynamics import Wrench
    from poise.simulate.loop import Action

    class Helped(Limp):
        def act(self, state, touches, reference, memory):
            torque = super().act(state, touches, reference, memory)
            return Action(torque, [Wrench(1, state.q[:3].copy(), np.zeros(3), np.array([0.0, 8.0, 0.0]))])

    clip = poise.load_clip("stand")
    simulator = MujocoSimulator(clip.character, Stage())
    simulator.reset(clip.q[0])
    take = run(simulator, Helped(3.0), Reference(clip), seconds=0.3, recorder=Recorder(clip, stage=Stage()))
    report = audit(take)
    assert abs(report.assist_torque_rms - 8.0) < 0.1 and abs(report.unexplained_torque_rms - 8.0) < 0.2
    assert not report.passed and any("helped" in p for p in report.problems)

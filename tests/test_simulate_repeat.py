"""The same bits: in two processes, after save and load, and after a reset."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from poise.character.load import load_character
from poise.errors import BadValue
from poise.experiments.stage_actors import Servo, hanging_pose
from poise.motion.clip import Clip
from poise.motion.reference import Reference
from poise.simulate.loop import run
from poise.simulate.mujoco import MujocoSimulator
from poise.stage import Ball, Bar, Barbell, Blocks, Box, Grip, Patches, Platform, PlatformMotion, Push, Seesaw, Stage

HUMAN = load_character("human42")
STAND, HANG = HUMAN.standing_pose(), hanging_pose(HUMAN, 2.4)
PUSHES = [Push("chest", (0, 120, 0), 0.1, 0.1037), Push("box", (30, 0, 0), 0.15, 0.1)]
SCENES = {
    "platform, balls, box": (STAND, Stage(Platform(motion=PlatformMotion(0.1, 1.5)), [Box(position=(0.6, 0, 0.15))],
                                          events=[*PUSHES, Ball(2.0, 0.05, 9.0, "chest"),
                                                  Ball(1.0, 0.22, 9.0, "head")])),
    "bar": (HANG, Stage(props=[Bar()], grips=[Grip("left_hand", end=0.3), Grip("right_hand")],
                        events=[Push("pelvis", (200, 80, 0), 0.05, 0.2)])),
    "late grip": (HANG, Stage(props=[Bar()], grips=[Grip("left_hand"), Grip("right_hand", start=0.21)])),
    "ice and barbell": (STAND, Stage(Patches([(0, 0, 1, 1, 0.1)]), [Barbell(position=(0.4, 0, 0.225))],
                                     events=[Push("chest", (90, 0, 0), 0.1)])),
    "seesaw": (STAND, Stage(Seesaw(), [Box(position=(0.9, 0, 0.16))])),
    "blocks": (STAND, Stage(Blocks([(0.5, 0, 10, 0.3, 0.3, 0.2, 2.0), (-0.6, 0, 0, 0.3, 0.3, 0.2, None)]))),
}  # fmt: skip


def torques(simulator, count):
    """Repeatable torques that depend on the state and on what is touched."""
    for _ in range(count):
        state, touches = simulator.state(), simulator.touches()
        torque = -2.0 * state.v + 1e-3 * touches.force.sum() + np.sin(np.arange(len(state.v)) + 5 * state.time)
        torque[:6] = 0.0
        simulator.step(torque)


def fingerprint(simulator):
    means = simulator.collect()
    parts = [*simulator.state()[1:], means.torque, means.contacts, means.external, *simulator.props().values()]
    return hashlib.sha256(b"".join(np.ascontiguousarray(p).tobytes() for p in parts)).hexdigest()


@pytest.mark.parametrize("name", SCENES)
def test_going_on_after_a_load_is_never_having_stopped(name):
    q, stage = SCENES[name]
    straight = MujocoSimulator(HUMAN, stage)
    straight.reset(q)
    for stop in (7, 200, 96):  # in the middle of frames, with things under way
        torques(straight, stop)
        saved = straight.save()
        other = MujocoSimulator(HUMAN, stage)
        other.load(saved.copy())
        assert np.array_equal(other.touches().table, straight.touches().table)
        torques(straight, 60)
        torques(other, 60)
        assert np.array_equal(other.save(), straight.save())
        assert fingerprint(other) == fingerprint(straight)
        other.load(saved)  # and back in time on the same simulator
        torques(other, 60)
        other.collect()
        assert np.array_equal(other.save()[:5], straight.save()[:5])
        assert np.array_equal(other.state().q, straight.state().q)


def test_a_reset_forgets_everything():
    q, stage = SCENES["platform, balls, box"]
    simulator = MujocoSimulator(HUMAN, stage)
    prints = []
    for _ in range(2):
        simulator.reset(q)
        torques(simulator, 300)
        prints.append(fingerprint(simulator))
    assert prints[0] == prints[1]


def test_a_state_of_another_world_is_refused():
    q, stage = SCENES["bar"]
    simulator = MujocoSimulator(HUMAN, stage)
    simulator.reset(q)
    with pytest.raises(BadValue, match="another character, stage"):
        MujocoSimulator(HUMAN).load(simulator.save())
    with pytest.raises(BadValue, match="another character, stage"):
        simulator.load(np.zeros(3))


def test_a_stopped_run_goes_on_frame_by_frame():
    q, stage = SCENES["bar"]
    reference = Reference(Clip(HUMAN, q[None].copy(), 1 / 120))
    servo = Servo(q)
    whole = MujocoSimulator(HUMAN, stage)
    whole.reset(q)
    take = run(whole, servo, reference, seconds=0.4, decimation=2)
    first = MujocoSimulator(HUMAN, stage)
    first.reset(q)
    memory = servo.start(HUMAN, reference, stage)
    a = run(first, servo, reference, seconds=0.2, decimation=2, memory=memory)
    second = MujocoSimulator(HUMAN, stage)
    second.load(first.save())
    b = run(second, servo, reference, seconds=0.2, decimation=2, memory=memory)
    for name in ("time", "q", "v", "torque"):
        joined = np.concatenate([getattr(a, name)[:-1], getattr(b, name)])
        assert np.array_equal(joined, getattr(take, name)), name
    assert np.array_equal(np.concatenate([a.contacts.force, b.contacts.force]), take.contacts.force)


def digest() -> str:
    """Fingerprints of all scenes, for another process."""
    out = []
    for q, stage in SCENES.values():
        simulator = MujocoSimulator(HUMAN, stage)
        simulator.reset(q)
        torques(simulator, 250)
        out.append(fingerprint(simulator))
    return " ".join(out)


def test_two_processes_give_the_same_bits():
    code = "import test_simulate_repeat as t; print(t.digest())"
    other = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parent, capture_output=True, text=True, check=True
    )
    assert other.stdout.strip() == digest()

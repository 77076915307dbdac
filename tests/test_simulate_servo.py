"""Servos that a simulator carries out by itself: the same as torques asked for at every step."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.dynamics import engine
from poise.methods.mcsim.servo import blocks
from poise.simulate.guard import BlowUp
from poise.simulate.mujoco import MujocoSimulator
from poise.simulate.servo import Servo
from poise.stage import Push, Stage


@pytest.fixture(scope="module")
def standing():
    """A character, its pose and a servo that holds it."""
    character = poise.load_character("human42")
    q, model = character.standing_pose(), character.model
    data = engine.data_of(model)
    engine.place(model, data, q, np.zeros(model.nv))
    mass, layout = engine.mass_matrix(model, data), character.layout
    k = np.where(np.arange(model.nv) >= 6, 200.0, 0.0)
    limit = np.where(np.isfinite(character.torque_limit), character.torque_limit, 1e6)[6:]
    still = np.zeros(model.nv)
    servo = Servo(0.0, q, still, still, still, mass, k, np.ones(model.nv), limit, blocks(character), layout.kind,
                  layout.qadr, layout.vadr)  # fmt: skip
    return character, q, servo


def _moved(character, stage, q, servo, by_itself):
    """State and means after 40 steps, the servo left to the simulator or asked for at every step."""
    simulator = MujocoSimulator(character, stage)
    simulator.reset(q, 0.1 * np.sin(np.arange(character.model.nv)))
    if by_itself:
        simulator.step(servo, steps=25)
        simulator.step(servo, steps=15)
    else:
        for _ in range(40):
            state = simulator.state()
            simulator.step(servo.torque(state.q, state.v, state.time))
    return simulator.state(), simulator.collect(), simulator.touches().table


@pytest.mark.parametrize("events", [(), (Push("chest", (0.0, 80.0, 0.0), 0.01, 0.02),)])
def test_a_servo_left_to_the_simulator_is_one_asked_for_at_every_step(standing, events):
    character, q, servo = standing
    ours, means, touches = _moved(character, Stage(events=list(events)), q, servo, True)
    his, same, others = _moved(character, Stage(events=list(events)), q, servo, False)
    np.testing.assert_array_equal(ours.q, his.q)
    np.testing.assert_array_equal(ours.v, his.v)
    assert ours.time == his.time
    np.testing.assert_allclose(means.torque, same.torque, atol=1e-12)
    np.testing.assert_array_equal(means.contacts, same.contacts)
    np.testing.assert_array_equal(touches, others)
    assert len(means.contacts) and np.abs(means.torque[6:]).max() > 1.0


def test_torques_stay_within_their_limits(standing):
    character, q, servo = standing
    weak = servo._replace(limit=np.full(len(servo.limit), 0.5))
    _, means, _ = _moved(character, Stage(), q, weak, True)
    assert np.abs(means.torque).max() <= 0.5 and not means.torque[:6].any()


def test_what_is_followed_moves_on_by_itself(standing):
    _, q, servo = standing
    v = np.zeros(len(servo.v))
    v[6:] = 0.3
    moving = servo._replace(v=v, k=np.where(np.arange(len(v)) >= 6, 100.0, 0.0), limit=np.full(len(v) - 6, 1e9))
    later = moving.torque(q, v, 0.1)  # 0.1 s on, it should be 0.03 rad further
    expected = np.zeros(len(v))
    for first, count in moving.joints:
        rows = slice(first, first + count)
        expected[rows] = moving.inertia[rows, rows] @ np.full(count, 100.0 * 0.03)
    np.testing.assert_allclose(later, expected, atol=1e-9)


def test_a_servo_that_is_no_number_stops_the_run_with_a_sentence(standing, tmp_path):
    character, q, servo = standing
    simulator = MujocoSimulator(character, dump=tmp_path)
    simulator.reset(q)
    with pytest.raises(BlowUp, match="torque"):
        simulator.step(servo._replace(planned=np.full(len(servo.v), np.nan)), steps=4)


def test_a_body_torn_apart_by_its_servos_stops_the_run(standing, tmp_path):
    character, q, servo = standing
    simulator = MujocoSimulator(character, dump=tmp_path)
    simulator.reset(q)
    mad = servo._replace(planned=np.where(np.arange(len(servo.v)) >= 6, 1e9, 0.0), limit=np.full(len(servo.limit), 1e9))
    with pytest.raises(BlowUp):
        simulator.step(mad, steps=50)
    assert simulator.time < 0.05

"""Blow-ups and bad torques: one clear sentence, the state saved, what was recorded kept."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from poise.character.load import load_character
from poise.errors import BadValue
from poise.experiments.stage_actors import Limp, hanging_pose
from poise.motion.clip import Clip
from poise.motion.reference import Reference
from poise.simulate.guard import BlowUp, load_state
from poise.simulate.loop import run
from poise.simulate.mujoco import MujocoSimulator
from poise.stage import Bar, Grip, Platform, Stage
from poise.take import Recorder, Take


@pytest.fixture(scope="module")
def human():
    return load_character("human42")


def reference_of(human):
    return Reference(Clip(human, human.standing_pose()[None].copy(), 1 / 120))


class Mad(Limp):
    """Limp until 0.1 s, then one torque of this value."""

    def __init__(self, dof, value):
        self.dof, self.value = dof, value

    def act(self, state, touches, reference, memory):
        torque = np.zeros(len(state.v))
        if state.time > 0.1:
            torque[self.dof] = self.value
        return torque


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e13])
def test_a_blow_up_stops_with_a_sentence_a_state_and_the_take(human, tmp_path, value):
    simulator = MujocoSimulator(human, dump=tmp_path)
    simulator.reset(human.standing_pose())
    recorder = Recorder(reference_of(human), path=tmp_path / "take.npz")
    with pytest.raises(BlowUp) as caught:
        run(simulator, Mad(30, value), reference_of(human), seconds=1.0, recorder=recorder)
    error = caught.value
    words = str(error)
    assert "\n" not in words and "0.10" in words and str(error.saved) in words
    assert (human.body_names[human.model.dof_bodyid[30]] in words) or not np.isnan(value)
    assert 0.09 < error.time < 0.2
    assert len(error.take.time) >= 12 and np.all(np.isfinite(error.take.q))
    assert error.take.events[-1].kind == "blow-up"
    assert np.array_equal(Take.load(tmp_path / "take.npz").q, error.take.q)
    state = load_state(error.saved)
    fresh = MujocoSimulator(human)
    fresh.load(state["state"])
    assert np.all(np.isfinite(fresh.state().q)) and state["character"] == "human42"
    fresh.step(np.zeros(human.model.nv))


def test_the_root_has_no_motor(human):
    simulator = MujocoSimulator(human)
    simulator.reset(human.standing_pose())
    torque = np.zeros(human.model.nv)
    torque[2] = 1.0
    with pytest.raises(BlowUp, match="root has no motor"):
        simulator.step(torque)
    with pytest.raises(BadValue, match="needs torques"):
        simulator.step(np.zeros(3))


def test_a_start_under_ground_says_how_deep(human):
    simulator = MujocoSimulator(human)
    q = human.standing_pose()
    q[2] -= 0.085
    with pytest.raises(BadValue, match=r"foot starts 8\.5 cm inside the ground.*lift"):
        simulator.reset(q)
    q[2] += 0.075
    simulator.reset(q)  # a centimetre is pressed out gently
    for _ in range(200):
        simulator.step(np.zeros(human.model.nv))
    assert np.abs(simulator.state().v).max() < 30
    with pytest.raises(BadValue, match="not finite"):
        simulator.reset(np.full(human.model.nq, np.nan))
    with pytest.raises(BadValue, match=r"needs q \(49,\)"):
        simulator.reset(np.zeros(5))


def test_a_hand_too_far_from_its_bar_is_refused(human):
    q = hanging_pose(human, 2.3)
    stage = Stage(props=[Bar(height=2.4)], grips=[Grip("left_hand")])
    with pytest.raises(BadValue, match=r"left_hand should hold 'bar'.*10\.0 cm away"):
        MujocoSimulator(human, stage).reset(q)


def test_other_mistakes_have_words_of_their_own(human):
    simulator = MujocoSimulator(human)
    simulator.reset(human.standing_pose())
    with pytest.raises(BadValue, match="whole number of steps"):
        run(simulator, Limp(), reference_of(human), seconds=1.0, frame=0.01)
    with pytest.raises(BadValue, match="at least one frame"):
        run(simulator, Limp(), reference_of(human), seconds=0.0)
    with pytest.raises(BadValue, match="time step must be"):
        MujocoSimulator(human, dt=0.0)
    late = simulator.touches()
    simulator.step(np.zeros(human.model.nv))
    with pytest.raises(BadValue, match="earlier step"):
        _ = late.force
    platform = MujocoSimulator(human, Stage(Platform(motion=lambda t: np.zeros(3) if t < 0.01 else np.zeros(2))))
    platform.reset(human.standing_pose())
    with pytest.raises(BadValue, match="motion of the platform gave"):
        for _ in range(20):
            platform.step(np.zeros(human.model.nv))


@pytest.mark.parametrize("kind", ["CONTACTFULL", "CNSTRFULL", "BADQACC"])
def test_mujocos_own_warnings_stop_a_run(human, tmp_path, kind):
    simulator = MujocoSimulator(human, dump=tmp_path)
    simulator.reset(human.standing_pose())
    simulator.step(np.zeros(human.model.nv))
    simulator._data.warning.number[int(getattr(mujoco.mjtWarning, f"mjWARN_{kind}"))] = 1
    with pytest.raises(BlowUp, match=kind):
        simulator.step(np.zeros(human.model.nv))
    simulator.reset(human.standing_pose())  # a reset forgets them
    simulator.step(np.zeros(human.model.nv))

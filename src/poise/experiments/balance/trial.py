"""One trial: a character set up in any pose follows a clip by balance, and is judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.judge.metrics import feet_of
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.methods.balance import Balance
from poise.motion.clip import Clip
from poise.motion.reference import Reference
from poise.simulate.guard import BlowUp
from poise.simulate.loop import run
from poise.simulate.mujoco import MujocoSimulator
from poise.stage import Stage
from poise.stage.events import Event
from poise.take import Recorder, Take

UP = np.array([0.0, 0.0, 1.0])
TILT, SPEED, HEIGHT = 0.3, 0.25, 0.1  # [rad], [m/s], [m] of the root within which somebody stands again


def trial(clip: Clip, method: Balance, seconds: float, *, q: Array | None = None, v: Array | None = None,
          events: Sequence[Event] = (), stage: Stage | None = None, seed: int = 0) -> Take:  # fmt: skip
    """The take of a performance that begins at q (nq,), v (nv,): the clip's own start where they are not given."""
    stage = Stage(ground=clip.ground, events=tuple(events)) if stage is None else stage
    reference = Reference(clip)
    first = reference.sample(0.0)
    simulator = MujocoSimulator(clip.character, stage, dt=method.step_size)
    simulator.reset(first.q if q is None else q, first.v if v is None else v)
    recorder = Recorder(reference, start=0.0, method=method.name, settings=method, stage=stage, seed=seed)
    every = max(1, round(method.period / simulator.dt))
    return run(simulator, method, reference, seconds=seconds, decimation=every, recorder=recorder, stage=stage)


def outlasts(clip: Clip, method: Balance, seconds: float, *, q: Array | None = None, v: Array | None = None,
             events: Sequence[Event] = ()) -> float | None:  # fmt: skip
    """None if somebody stands upright and at rest at the end, else when he went down [s]; nothing is recorded.

    Down is what touches the ground with more than feet, or sinks below 60 % of the wished height; who does not stand
    again within the time went down at its end.
    """
    reference = Reference(clip)
    first, character = reference.sample(0.0), clip.character
    simulator = MujocoSimulator(character, Stage(ground=clip.ground, events=tuple(events)), dt=method.step_size)
    simulator.reset(first.q if q is None else q, first.v if v is None else v)
    memory = method.start(character, reference, simulator.stage)
    every, feet = max(1, round(method.period / simulator.dt)), set(feet_of(character).tolist())
    restless = 0.0
    while simulator.time < seconds - 1e-9:
        for _ in range(max(1, round(1 / 60 / method.period))):
            act = method.act(simulator.state(), simulator.touches(), reference, memory)
            try:
                simulator.step(act.torque, act.assist, every, act.slippery)
            except BlowUp:
                return simulator.time
        state, touches, wished = simulator.state(), simulator.touches(), reference.sample(simulator.time).q
        down = any(b not in feet for b in touches.body[touches.on_ground()].tolist())
        if down or not state.q[2] >= 0.6 * wished[2]:  # NaN too
            return simulator.time
        tilt = np.arccos(min(1.0, float(rot.rotate(state.q[3:7], UP) @ rot.rotate(wished[3:7], UP))))
        upright = tilt <= TILT and abs(state.q[2] - wished[2]) <= HEIGHT
        if not (upright and np.linalg.norm(state.v[:3]) <= SPEED):
            restless = simulator.time
    return simulator.time if restless > seconds - 0.5 else None

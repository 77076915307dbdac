"""One trial: a character set up in any pose follows a clip by balance, and is judged."""

from __future__ import annotations

from collections.abc import Sequence

from poise.maths.rotations import Array
from poise.methods.balance import Balance
from poise.motion.clip import Clip
from poise.motion.reference import Reference
from poise.simulate.loop import run
from poise.simulate.mujoco import MujocoSimulator
from poise.stage import Stage
from poise.stage.events import Event
from poise.take import Recorder, Take


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

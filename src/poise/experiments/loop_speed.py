"""What the loop costs beside bare `mj_step` calls: the same torques, the same motion, the same bits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import mujoco
import numpy as np

from poise.character.load import load_character
from poise.dynamics import engine
from poise.experiments.speed import Measure
from poise.experiments.stage_actors import Servo
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.reference import Reference
from poise.simulate.loop import run
from poise.simulate.mujoco import MujocoSimulator
from poise.simulate.simulator import State, Touches
from poise.take import Ended, Recorder

_SECONDS = 0.5


class _Played:
    """Gives recorded torques again, every `decimation`-th."""

    def __init__(self, tape: list[Array], decimation: int):
        self.tape, self.decimation = tape, decimation

    def start(self, character: object, reference: object, stage: object) -> list[int]:
        return [0]

    def act(self, state: State, touches: Touches, reference: Reference, memory: list[int]) -> Array:
        memory[0] += self.decimation
        return self.tape[memory[0] - self.decimation]


class _Deaf:
    """A recorder that records nothing."""

    def begin(self, **_: object) -> None: ...
    def frame(self, *_: object) -> None: ...
    def log(self, *_: object) -> None: ...
    def follow(self, reference: Reference) -> None: ...
    def finish(self, timings: Mapping[str, float] | None = None, ended: Ended | None = None) -> Any: ...


class _Quick(Recorder):
    """A recorder whose take is not put together: that is done once, after the loop."""

    def finish(self, timings: Mapping[str, float] | None = None, ended: Ended | None = None) -> Any: ...


def measures(repeat: int = 15) -> Iterator[Measure]:
    """Somebody stands for half a second: medians of `repeat` runs, taken in turns, in CPU time."""
    character = load_character("human42")
    q = character.standing_pose()
    simulator = MujocoSimulator(character)
    reference = Reference(Clip(character, q[None].copy(), 1 / 120))
    for decimation in (8, 2, 1):
        tape = _tape(simulator, q, decimation)
        player = _Played(tape, decimation)
        ways: dict[str, Callable[[], object]] = {
            "bare": lambda t=tape: _bare(simulator, q, t),
            "loop": lambda p=player, d=decimation: _looped(simulator, q, p, d, reference, _Deaf()),
            "recorded": lambda p=player, d=decimation: _looped(simulator, q, p, d, reference, _Quick(reference)),
        }
        took = {name: [] for name in ways}
        for _ in range(repeat):
            for name, way in ways.items():
                took[name].append(way())
        bare, loop, recorded = (float(np.median(took[k])) for k in ("bare", "loop", "recorded"))
        how = f"a decision every {decimation} steps; mj_step takes {1e6 * bare / len(tape):.0f} us"
        yield Measure("bare loop against mj_step", loop / bare, "x", "<= 1.15", loop <= 1.15 * bare, how)
        yield Measure("recorder, in loops", recorded / loop, "x", "<= 1.05", recorded <= 1.05 * loop, how)


def _tape(simulator: MujocoSimulator, q: Array, decimation: int) -> list[Array]:
    """Torques that keep somebody standing, step by step."""
    servo = Servo(q, stiffness=400.0, damping=40.0, period=decimation * simulator.dt)
    reference = Reference(Clip(simulator.character, q[None].copy(), 1 / 120))
    memory = servo.start(simulator.character, reference, simulator.stage)
    simulator.reset(q)
    tape: list[Array] = []
    for k in range(round(_SECONDS / simulator.dt)):
        torque = tape[-1] if k % decimation else servo.act(simulator.state(), simulator.touches(), reference, memory)
        assert isinstance(torque, np.ndarray)
        simulator.step(torque)
        tape.append(torque)
    return tape


def _bare(simulator: MujocoSimulator, q: Array, tape: list[Array]) -> float:
    """CPU seconds of MuJoCo alone with these torques."""
    simulator.reset(q)
    model, data = simulator.world.model, engine.data_of(simulator.world.model)
    state = simulator.save()[5 : 5 + engine.state_size(model)]
    engine.set_state(model, data, state)
    target = data.qfrc_applied[: len(tape[0])]
    begun = time.process_time()
    for torque in tape:
        target[:] = torque
        mujoco.mj_step(model, data)
    return time.process_time() - begun


def _looped(simulator: MujocoSimulator, q: Array, player: _Played, decimation: int, reference: Reference,
            recorder: Any) -> float:  # fmt: skip
    simulator.reset(q)
    begun = time.process_time()
    run(simulator, player, reference, seconds=_SECONDS, decimation=decimation, recorder=recorder)
    return time.process_time() - begun

"""perform: the one verb. A character performs a clip by a method on a stage, and a take is what happened."""

from __future__ import annotations

import time as clock
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from poise import methods
from poise.errors import BadValue, UnknownName
from poise.extras import need
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.reference import Reference
from poise.progress import Bar
from poise.simulate.guard import BlowUp, MethodLost, all_finite
from poise.simulate.loop import run
from poise.simulate.mujoco import MujocoSimulator
from poise.simulate.simulator import Lost, State
from poise.stage import Stage
from poise.stage.events import Push
from poise.stage.pushes import pushes_at
from poise.take import Ended, Recorder, Take
from poise.take.record import wrench_rows
from poise.take.stream import check_target
from poise.threads import on_one_thread

FRAME = 1 / 120  # [s] between recorded frames
SIMULATORS = ("mujoco", "dart")
STEP = 1 / 960  # [s] of the simulator, where a method does not ask for another


@on_one_thread
def perform(clip: Clip | Reference, method: str | Any = "pd", *, stage: Stage | None = None,
            seconds: float | None = None, start: float = 0.0, noise: float = 0.0, seed: int = 0, contact: str = "soft",
            simulator: str = "mujoco", save: str | PathLike[str] | None = None, overwrite: bool | None = None,
            progress: bool = False, strict: bool = False) -> Take:  # fmt: skip
    """The take of a performance; `take.ended` says how it ended, `take.followed()` whether it did what the clip does.

    `method` is a name or a configured method. `stage` defaults to the clip's own: its ground, and the bars and loads
    in its hands. `seconds` defaults to the rest of an open clip, or to 10 s of a loop. `start` [s] is the time in the
    clip at which it begins; `noise` the standard deviation of Gaussian noise on all starting velocities [rad/s, m/s],
    from the generator `seed`. `contact` chooses the contact model of MuJoCo, "soft" or "springs"; `simulator` may
    be "dart" for methods that give torques. With `save` (an .npz) the take is streamed to disk; `overwrite` as in
    `clip.save`: a file of this name is replaced, but not the one that the clip was read from.

    A simulation that blows up or a method that is lost ends the take there; with `strict` it raises `BlowUp` or
    `MethodLost`. Whoever interrupts it (Ctrl-C) finds the take so far in the `take` of the `KeyboardInterrupt`, and in
    the file of `save`.
    """
    if isinstance(clip, Reference) and start:
        raise BadValue("A Reference begins where it says itself; give its own `start`, not that of perform.")
    _check(start, noise, seed)
    _check_simulator(simulator)
    reference = clip if isinstance(clip, Reference) else Reference(clip, start=start)
    way = methods.method(method) if isinstance(method, str) else method
    length = _seconds(reference, seconds)
    stage = reference.baked.stage(reference.start, length) if stage is None else stage
    stage.check(reference.character)
    if save is not None:  # before the clip is prepared, which may take long
        check_target(Path(save), (reference.clip.source.file, reference.clip.source.path), overwrite)
    own = reference
    notes: list[tuple[str, str]] = []
    if hasattr(way, "prepare") and not isinstance(clip, Reference):
        reference, told = way.prepare(reference, stage)
        notes = [("reference", note) if isinstance(note, str) else note for note in told]
    sample = reference.sample(0.0)
    shake = noise * np.random.default_rng(seed).standard_normal(len(sample.v)) if noise else 0.0
    recorder = Recorder(reference, start=reference.start, method=way.name, settings=way, stage=stage, seed=seed,
                        path=save, own=own, asked=length, overwrite=overwrite)  # fmt: skip
    for kind, note in notes:
        recorder.log(0.0, kind, note)
    bar = Bar(f"{reference.clip.name or 'clip'} by {way.name}", round(length / FRAME)) if progress else None
    try:
        if hasattr(way, "act"):
            return _controlled(way, reference, stage, sample.q, sample.v + shake, length, recorder, contact,
                               simulator, bar)  # fmt: skip
        return _moved(way, reference, stage, State(0.0, sample.q, sample.v + shake), length, recorder, bar, strict)
    except BlowUp as error:
        if strict or error.take is None:
            raise
        return error.take
    except (KeyboardInterrupt, SystemError) as error:
        stop = _interrupt(error)
        if stop is None:
            raise
        if recorder.frames:
            stop.take = recorder.finish(ended=recorder.stopped("it was interrupted"))  # type: ignore[attr-defined]
        raise stop from None
    finally:
        if bar is not None:
            bar.close()


def _check(start: float, noise: float, seed: int) -> None:
    if not (np.isfinite(start) and start >= 0):
        raise BadValue(f"A performance starts at a time of its clip, 0 s or later, not at {start} s.")
    if not (np.isfinite(noise) and noise >= 0):
        raise BadValue(f"The noise of the starting velocities must be 0 or more, not {noise}.")
    if seed < 0:
        raise BadValue(f"A seed is a whole number, 0 or more, not {seed}.")


def _seconds(reference: Reference, asked: float | None) -> float:
    if asked is None:
        loops = reference.baked.cycle is not None
        asked = 10.0 if loops else reference.duration - reference.start
    if not asked >= FRAME or not np.isfinite(asked):
        raise BadValue(f"A performance needs at least one frame of {FRAME:.4f} s, not {asked:.4g} s.")
    return asked


def _controlled(way: Any, reference: Reference, stage: Stage, q: Array, v: Array, seconds: float, recorder: Recorder,
                contact: str, engine: str, bar: Bar | None) -> Take:  # fmt: skip
    """A method that gives torques, in the simulator."""
    q = _lifted(reference, q, recorder)
    simulator = _simulator(engine, reference, stage, getattr(way, "step_size", STEP), contact)
    simulator.reset(q, v)
    decimation = max(1, round(getattr(way, "period", simulator.dt) / simulator.dt))

    def each(_: float) -> None:
        if bar is not None:
            bar.step()

    return run(simulator, way, reference, seconds=seconds, frame=FRAME, decimation=decimation, recorder=recorder,
               stage=stage, each=each)  # fmt: skip


def _interrupt(error: BaseException | None) -> KeyboardInterrupt | None:
    """The interrupt behind an error: one that comes inside a compiled kernel shows as a SystemError."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__
    return error


def _check_simulator(name: str) -> None:
    """Refuse, before any work is done, a simulator that does not exist or is not installed."""
    if name not in SIMULATORS:
        raise UnknownName("simulator", name, SIMULATORS)
    if name == "dart":
        need("dartpy", "DART")


def _simulator(name: str, reference: Reference, stage: Stage, dt: float, contact: str) -> Any:
    """The simulator of this name with the character on the stage."""
    if name == "dart":
        from poise.simulate.dart import DartSimulator

        return DartSimulator(reference.character, stage, dt=dt)
    return MujocoSimulator(reference.character, stage, dt=dt, contact=contact)


def _lifted(reference: Reference, q: Array, recorder: Recorder) -> Array:
    """The starting pose raised out of the clip's own ground: recorded feet often sink in by some centimetres."""
    points = reference.character.points(q)[0]
    ground = reference.baked.ground.height(points[:, 0], points[:, 1])
    deep = float(np.max(ground - points[:, 2], initial=0.0))
    if not 0.005 < deep < 0.2:
        return q
    recorder.log(
        0.0, "start", f"the clip begins {100 * deep:.1f} cm inside its own ground; the start was raised by that"
    )
    return q + deep * (np.arange(len(q)) == 2)


def _moved(way: Any, reference: Reference, stage: Stage, state: State, seconds: float, recorder: Recorder,
           bar: Bar | None, strict: bool) -> Take:  # fmt: skip
    """A method that moves the character itself."""
    memory = way.start(reference.character, reference, stage)
    pushes = [e for e in stage.events if isinstance(e, Push)]
    recorder.begin(
        others=("ground", *reference.character.body_names[1:]),
        labels=[f"push on {p.body} at {p.at:g} s" for p in pushes],
    )
    begun, ended = clock.process_time(), None
    for _ in range(round(seconds / FRAME)):
        stepped = way.step(state, reference, FRAME, memory)
        ended = _broken(stepped, state.time)
        if ended is not None:
            recorder.log(ended.time, "lost" if ended == "lost" else "blow-up", ended.reason)
            break
        after, torque, touches = stepped
        external = _external(stage, pushes, reference, state) if pushes else None
        recorder.frame(state.time, state.q, state.v, torque, touches.table, external,
                       props=getattr(memory, "props", None), traces=getattr(memory, "traces", None))  # fmt: skip
        state = after
        if bar is not None:
            bar.step()
    recorder.frame(state.time, state.q, state.v, np.zeros(len(state.v)), props=getattr(memory, "props", None))
    take = recorder.finish({"loop": clock.process_time() - begun}, ended)
    if strict and ended is not None:
        raise MethodLost(ended.reason, ended.time, take)
    return take


def _broken(stepped: Any, time: float) -> Ended | None:
    """How a performance ends with what a method gave for a step from a time [s]; None where it goes on."""
    if isinstance(stepped, Lost):
        return Ended("lost", time, stepped.reason)
    state, torque, touches = stepped
    if all_finite(state.q) and all_finite(state.v) and all_finite(torque) and all_finite(touches.table):
        return None
    return Ended("blew up", time, "the next state is not a number")


def _external(stage: Stage, pushes: list[Push], reference: Reference, state: State) -> Array:
    """Rows (K, 11) of the pushes that acted in the frame that begins with this state."""
    rows = [wrench_rows(pushes_at(replace(stage, events=(p,)), reference.character, state.q, state.time, FRAME), k)
            for k, p in enumerate(pushes) if p.share(state.time, FRAME) > 0.0]  # fmt: skip
    return np.concatenate(rows) if rows else np.zeros((0, 11))

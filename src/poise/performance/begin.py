"""begin: a performance that is under way, live."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from poise.errors import BadValue
from poise.maths.rotations import Array
from poise.methods import contract
from poise.methods.find import find
from poise.methods.rehearse import Plan, Rehearsed
from poise.motion.clip import Clip
from poise.motion.reference import Reference
from poise.performance import encoding
from poise.performance.course import Course
from poise.performance.driving import FRAME, check_simulator, drive
from poise.performance.show import Show
from poise.simulate.simulator import State
from poise.stage import Stage
from poise.stage.events import Slippery
from poise.stage.from_clip import check_start
from poise.take import Recorder
from poise.take.stream import check_target
from poise.threads import on_one_thread

DEFAULT = "mcsim"  # a method that stays up on most clips it was tried on: docs/which_method.md


@on_one_thread
def begin(source: Clip | Reference | Plan, method: str | Any = DEFAULT, *, stage: Stage | None = None,
          start: float = 0.0, noise: float = 0.0, seed: int = 0, contact: str = "soft", simulator: str = "mujoco",
          limp: bool = True, repair: bool = True, save: str | PathLike[str] | None = None,
          overwrite: bool | None = None) -> Show:  # fmt: skip
    """A performance of a clip, a reference or a plan that is under way: `step`, `push`, `edit` it, `take` a look.

    The arguments are those of `poise.perform`. With `limp` a body that has fallen lets go of its joints; with `repair`
    what is edited under way is made physical half a second ahead, again and again.
    """
    return made(source, method, stage, None, start, noise, seed, contact, simulator, limp, repair, save, overwrite,
                logs=True)  # fmt: skip


def made(source: Clip | Reference | Plan, method: str | Any, stage: Stage | None, seconds: float | None, start: float,
         noise: float, seed: int, contact: str, simulator: str, limp: bool, repair: bool,
         save: str | PathLike[str] | None, overwrite: bool | None, logs: bool) -> Show:  # fmt: skip
    """The show of `begin`; `seconds` that are asked for, where they are known; `logs`: are calls noted?"""
    plan = source if isinstance(source, Plan) else None
    if isinstance(source, Plan):
        source, method, stage, start, contact = planned(source, method, stage, start, contact)
    if not isinstance(source, Clip | Reference):
        raise BadValue(f"What is performed is a clip (poise.load_clip), a reference or a plan, not {source!r}.")
    if isinstance(source, Reference) and start:
        raise BadValue("A Reference begins where it says itself; give its own `start`, not that of perform.")
    _check(start, noise, seed)
    check_simulator(simulator)
    own = source if isinstance(source, Reference) else Reference(source, start=start)
    way = contract.checked(find(method) if isinstance(method, str) else method)
    length = length_of(own, seconds)
    stage = own.baked.stage(own.start, length) if stage is None else stage
    stage.check(own.character)
    if any(isinstance(e, Slippery) for e in stage.events) and not getattr(way, "slippery", False):
        raise BadValue(f"Ground that becomes slippery for a time is known to the method momentum, not to {way.name}; "
                       "patches of other friction (poise.stage.Patches) are known to all.")  # fmt: skip
    if save is not None:  # before the clip is prepared, which may take long
        check_target(Path(save), (own.clip.source.file, own.clip.source.path), overwrite)
    course = Course(own, prepares=not isinstance(source, Reference), repairs=repair)
    notes = course.prepare_for(way, stage, 0.0)
    reference = course.followed
    sample = reference.sample(0.0)
    shake = noise * np.random.default_rng(seed).standard_normal(len(sample.v)) if noise else 0.0
    recorder = Recorder(reference, start=reference.start, method=way.name, settings=way, stage=stage, seed=seed,
                        path=save, own=own, asked=0.0 if seconds is None and logs else length,
                        overwrite=overwrite)  # fmt: skip
    for kind, note in notes:
        recorder.log(0.0, kind, note)
    if plan is None:
        q, v = sample.q, contract.first_velocity(way, reference, sample.v)
    else:
        q, v = plan.q[0], plan.v[0]
    if plan is None and not contract.moves_itself(way):
        q, deep = lifted(reference, sample.q)
        if deep:
            recorder.log(0.0, "start", f"the clip begins {100 * deep:.1f} cm inside its own ground; the start was "
                         "raised by that")  # fmt: skip
    driver = drive(way, reference, stage, State(0.0, q, v + shake), simulator, contact)
    driver.announce(recorder)
    if logs:
        values = {"source": source, "method": way, "stage": stage, "start": start, "noise": noise, "seed": seed,
                  "contact": contact, "simulator": simulator, "limp": limp, "repair": repair}  # fmt: skip
        recorder.call(0, 0.0, "begin", {k: encoding.plain(v) for k, v in values.items()})
    return Show(driver, course, recorder, engine=simulator, contact=contact, limp=limp, logs=logs)


def planned(plan: Plan, method: str | Any, stage: Stage | None, start: float,
            contact: str) -> tuple[Clip, Rehearsed, Stage, float, str]:  # fmt: skip
    """What a rehearsal is performed with: its clip, the method that knows it, its stage, start and contact model."""
    if isinstance(method, str):
        if method not in (DEFAULT, "rehearsed"):
            raise BadValue(f"A rehearsal is performed by the method rehearsed, not by {method}; its clip is plan.clip.")
        method = Rehearsed()
    if not isinstance(method, Rehearsed):
        raise BadValue("A rehearsal is performed by the method rehearsed; its clip is plan.clip.")
    if start not in (0.0, plan.start):
        raise BadValue(f"This was rehearsed from {plan.start:g} s of the clip on, not from {start:g} s.")
    return (plan.clip, replace(method, plan=plan), plan.stage if stage is None else stage, plan.start,
            plan.contact if contact == "soft" else contact)  # fmt: skip


def _check(start: float, noise: float, seed: int) -> None:
    check_start(start)
    if not (np.isfinite(noise) and noise >= 0):
        raise BadValue(f"The noise of the starting velocities must be 0 or more, not {noise}.")
    if seed < 0:
        raise BadValue(f"A seed is a whole number, 0 or more, not {seed}.")


def length_of(reference: Reference, asked: float | None) -> float:
    """How long [s] a performance is: as asked for, the rest of an open clip, or 10 s of a loop."""
    if asked is None:
        loops = reference.baked.cycle is not None
        asked = 10.0 if loops else reference.duration - reference.start
    if not asked >= FRAME or not np.isfinite(asked):
        raise BadValue(f"A performance needs at least one frame of {FRAME:.4f} s, not {asked:.4g} s.")
    return asked


def lifted(reference: Reference, q: Array) -> tuple[Array, float]:
    """The starting pose raised out of the clip's own ground, and by how much [m]: recorded feet often sink in by some
    centimetres."""
    points = reference.character.points(q)[0]
    ground = reference.baked.ground.height(points[:, 0], points[:, 1])
    deep = float(np.max(ground - points[:, 2], initial=0.0))
    if not 0.005 < deep < 0.2:
        return q, 0.0
    return q + deep * (np.arange(len(q)) == 2), deep

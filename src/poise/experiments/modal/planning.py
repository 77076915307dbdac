"""Section 7.1 and issue of speed: the contact-force plan against Clarabel, and where a step's time goes."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from poise.experiments.modal.trial import push
from poise.experiments.reproduce import Options, Table
from poise.maths.rotations import Array
from poise.methods.modal import Modal, mind
from poise.methods.modal.assemble import assemble
from poise.methods.modal.problem import ForcePlan, force_plan
from poise.methods.modal.spectrum import find_modes
from poise.methods.modal.step import decide
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.performance import perform
from poise.solve.socp import cone_program
from poise.stage import Stage
from poise.take import Take

WINDOWS, FORCE = (1, 12, 24, 36, 60), 150.0  # [steps], [N]


class Known(NamedTuple):
    """What the method knew when it decided on a step."""

    rig: Any
    q: Array  # (nq,)
    v: Array  # (nv,)
    frames: Any  # the reference ahead, from row `first` on
    first: int
    weights: Any
    dual: Array
    known: Array
    made: Any  # `Body`, `Ahead`, `Contact`, points, `Pose`


def overhear(clip: Clip, way: Modal, seconds: float, keep: Callable[[Known], None], stage: Stage | None = None) -> Take:
    """The take of a performance; `keep` is told what is known before each decision."""
    real = mind.advise

    def advise(rig: Any, views: Any, q: Array, v: Array, M: Array, around: Any, frames: Any, first: int, aims: Any,
               weights: Any, dual: Array, known: Array, *out: Array) -> int:  # fmt: skip
        made = assemble(rig, views, q, v, M, around, frames, first, aims, weights.window, weights.dt)
        keep(Known(rig, q, v, frames, first, weights, dual, known, made))
        return real(rig, views, q, v, M, around, frames, first, aims, weights, dual, known, *out)

    mind.advise = advise  # type: ignore[assignment]
    try:
        return perform(clip, way, seconds=seconds, stage=stage)
    finally:
        mind.advise = real


def collect(clip: Clip, window: int, seconds: float = 1.0, stage: Stage | None = None) -> list[tuple[Any, ...]]:
    """Body, what is ahead, contacts, weights and the dual at the beginning of every decision of a performance."""
    seen: list[tuple[Any, ...]] = []
    overhear(clip, Modal(window=window, footholds=False), seconds,
             lambda k: seen.append((*k.made[:3], k.weights, k.dual.copy(), k.known.copy())), stage)  # fmt: skip
    return seen


def mean_time(work: Any, over: list[Any], least: float = 0.2) -> float:
    """Mean CPU time [s] of one call, repeated for at least `least` seconds."""
    work(over[0])
    begun, count = clock.process_time(), 0
    while clock.process_time() - begun < least:
        for x in over:
            work(x)
        count += len(over)
    return (clock.process_time() - begun) / count


def compare(plan: ForcePlan) -> tuple[float, float]:
    """How much the objective is above Clarabel's, relatively (negative: better), and the time [s] of Clarabel."""
    A, b, friction, weight = plan.as_cone_problem()
    begun = clock.process_time()
    other = cone_program(A, b, friction, weight=weight)
    spent = clock.process_time() - begun
    own, its = plan.objective(plan.solve()), plan.objective(other.forces.reshape(-1, 3))
    return (own - its) / max(abs(its), 1e-12), spent


def run(options: Options) -> Table:
    """One row a window length and a state: the plan, Clarabel, modes, the whole decision."""
    clip, rows = load_clip("walk"), []
    hit = Stage(events=(push(FORCE, 90.0, 0.2, 10 / 120),))
    for window in WINDOWS:
        for state, stage, first in (("undisturbed", None, 0), ("pushed", hit, 30)):
            seen = collect(clip, window, 1.0, stage)[first :: max(1, (120 - first) // (3 * options.seeds))]
            plans = [force_plan(*s[:4], feedforward=False) for s in seen]
            apart, spent = zip(*(compare(p) for p in plans[: 2 * options.seeds]), strict=True)
            own = mean_time(lambda p: p.solve(), plans)
            given = [s[0] for s in seen]
            modes = mean_time(lambda b: find_modes(b.M, b.stiffness, b.R, b.place, b.centre, b.mass), given)
            whole = mean_time(lambda s: decide(s[0], s[1], s[2], s[3], s[4].copy(), s[5].copy()), seen)
            steps = float(np.mean([p.solved()[1] for p in plans]))
            rows.append((window, state, float(np.mean([p.count for p in plans])), steps, 1e6 * own,
                         1e6 * float(np.mean(spent)), float(np.mean(spent)) / own, float(np.max(apart)),
                         float(np.min(apart)), 1e6 * modes, 1e6 * whole))  # fmt: skip
    return Table("The contact-force plan of walking, cold start, and the compiled decision",
                 ("window", "state", "forces", "Newton steps", "plan [us]", "Clarabel [us]", "times faster",
                  "objective above Clarabel's", "or below it", "modes [us]", "whole decision [us]"), tuple(rows),
                 ("Clarabel gets the sparse form with an auxiliary residual, its best.",
                  f"Pushed: the 0.7 s that follow 0.05 s after the beginning of a push of {FORCE:g} N to the left.")
                 )  # fmt: skip

"""A search for gains by an evolution strategy (CMA-ES), with checkpoints; pushes and starts that no table reports.

Of the default controller, and of the honest one along a homotopy: the paper's future work (section 8). The slider goes
down in stages; the gains found at one begin the next, where the objective is still well behaved.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from poise.character.load import load_character
from poise.experiments.balance.trial import careless, one_foot, outlasts, push, two_feet
from poise.experiments.reproduce import Options, Table, told
from poise.maths.rotations import Array
from poise.methods.balance import Balance
from poise.motion.clip import Clip

GAINS = ("kfs", "kfd", "kP", "kts", "ktd", "kL", "stiffness", "damping")
SOLE = (*GAINS, "sole", "give")
STAGES = (0.1, 0.0)  # positions of the slider
WAYS = (20.0, 70.0, 110.0, 160.0)  # [degrees], none of those that are reported
STARTS = (201,)  # seeds of careless starts, none of those that are reported
WATCHED = 1.5  # [s] of every trial


@dataclass(frozen=True)
class Task:
    """What a controller is asked to do, and what it may change."""

    names: tuple[str, ...]
    sizes: tuple[float, ...]  # [N s], rising
    base: Balance
    stages: tuple[float | None, ...]


TASKS = {
    "default": Task(GAINS, (40.0, 70.0, 100.0), Balance(), (None,)),
    "honest": Task(SOLE, (15.0, 25.0, 35.0), Balance(sole=0.9, give=0.5), STAGES),
}


def settings(base: Balance, names: Sequence[str], x: Array) -> Balance:
    """A controller whose named numbers are those of `base` times exp(x)."""
    new = {n: float(getattr(base, n) * np.exp(v)) for n, v in zip(names, x, strict=True)}
    for name, most in (("give", 1.0), ("sole", 2.0)):
        if name in new:
            new[name] = min(new[name], most)
    return replace(base, **new)


def cost(clips: Sequence[Clip], method: Balance, sizes: Sequence[float]) -> float:
    """How badly pushes and careless starts are survived, 0 (all) to 1 (none); who falls later costs less.

    The first of the clips is pushed; in every direction the ladder of sizes ends with the first fall. All of it is
    watched for WATCHED seconds only, so that one cost takes a few seconds.
    """
    total, count = 0.0, 0
    for way in WAYS:
        for k, size in enumerate(sizes):
            fell = outlasts(clips[0], method, WATCHED, events=[push(size, way)])
            if fell is not None:
                total += len(sizes) - k - 0.8 * fell / WATCHED
                break
        count += len(sizes)
    for clip in clips:
        for seed in STARTS:
            fell = outlasts(clip, method, WATCHED, q=careless(clip, seed))
            total += 0.0 if fell is None else 1.0 - 0.8 * fell / WATCHED
            count += 1
    return total / count


def evolve(value: Callable[[Array], float], start: Array, generations: int, seed: int,
           heard: Callable[[int, Array, float], None] | None = None) -> tuple[Array, float]:  # fmt: skip
    """The best point of CMA-ES and its value; `heard` is told of every generation."""
    import cma

    strategy: Any = cma.CMAEvolutionStrategy(list(start), 0.3, {"seed": seed + 1, "verbose": -9, "popsize": 8})
    best, least = np.array(start, float), value(start)
    for k in range(generations):
        points = strategy.ask()
        values = [value(np.asarray(x)) for x in points]
        strategy.tell(points, values)
        i = int(np.argmin(values))
        if values[i] < least:
            best, least = np.asarray(points[i], float), values[i]
        if heard is not None:
            heard(k, best, least)
    return best, least


def run(options: Options) -> Table:
    """The gains that are found for the default controller, in as many generations as there are seeds."""
    return _table("default", options)


def honest(options: Options) -> Table:
    """The same for the controller without artificial torque."""
    return _table("honest", options)


def _table(name: str, options: Options) -> Table:
    checkpoint = None if options.out is None else options.out / f"balance-search-{name}.json"
    method = search(name, options.seeds, checkpoint=checkpoint)
    rows = tuple((n, getattr(TASKS[name].base, n), float(f"{getattr(method, n):.4g}")) for n in TASKS[name].names)
    notes = () if checkpoint is None else (f"The best of each generation is in {checkpoint}.",)
    return Table(f"Gains found by CMA-ES, {name} controller", ("gain", "begun at", "found"), rows, notes)


def search(name: str, generations: int, checkpoint: Path | None = None) -> Balance:
    """The controller that is found; the best so far is kept in `checkpoint` after every generation."""
    task, character = TASKS[name], load_character("human45")
    clips = (two_feet(character), one_foot(character, "left"))
    x = np.zeros(len(task.names))
    for slider in task.stages:
        base = task.base if slider is None else replace(task.base, slider=slider)

        def value(point: Array, base: Balance = base) -> float:
            return cost(clips, settings(base, task.names, point), task.sizes)

        def heard(k: int, best: Array, least: float, base: Balance = base) -> None:
            method = settings(base, task.names, best)
            found = {n: float(f"{getattr(method, n):.4g}") for n in task.names}
            told((base.slider, k, f"{least:.4f}", found))
            if checkpoint is not None:
                checkpoint.write_text(json.dumps({"slider": base.slider, "cost": least, "gains": found}))

        x, _ = evolve(value, x, generations, 0, heard=heard)
    return settings(task.base if task.stages[-1] is None else replace(task.base, slider=0.0), task.names, x)

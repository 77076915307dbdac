"""Rehearsals on other stages: stairs, slopes, loose boxes that are kicked and walked into, a bar and a barbell."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from poise.experiments.kept import KeptRows
from poise.experiments.reproduce import Options, Table
from poise.judge.audit import audit
from poise.motion import edit
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.rehearsal.judged import performed
from poise.rehearsal.passes import rehearse
from poise.stage import Stage
from poise.stage.props import Box

SECONDS = 3.0
SEEDS = 3
COLUMNS = ("stage", "seed", "ended", "at s", "followed", "audit", "same bits", "moved cm", "CPU s/s", "why not")


def run(options: Options) -> Table:
    """Whole, followed and true on each stage; at most three seeds."""
    rows, kept = [], KeptRows(options, "rehearse/stages")
    for label, scene in SCENES.items():
        if options.wants(label):
            rows += [kept.row((label, seed), partial(_rehearsed, options, label, scene, seed))
                     for seed in range(min(options.seeds, SEEDS))]  # fmt: skip
    good = sum(bool(r[4] and r[5]) for r in rows)
    return Table("Rehearsed on other stages", COLUMNS, tuple(rows), (f"{good} of {len(rows)} whole, followed and true",
                 "moved: how far a loose box went"))  # fmt: skip


def _stairs(rise: float) -> tuple[Clip, Stage]:
    clip = load_clip("walk").edit(edit.Stairs(rise=rise, run=0.45))
    return clip, clip.stage(0.0, SECONDS)


def _slope() -> tuple[Clip, Stage]:
    clip = load_clip("walk").edit(edit.Slope(degrees=6))
    return clip, clip.stage(0.0, SECONDS)


def _kicked() -> tuple[Clip, Stage]:
    """A box of 2 kg stands on the ground where the foot comes farthest forward."""
    clip = load_clip("kick")
    foot = clip.character.forward(clip.q)[0][:, clip.character.body("right_foot")]
    front = foot[int(np.argmax(foot[:, 0]))]
    box = Box("box", size=(0.3, 0.6, 0.3), mass=2.0, position=(float(front[0]) + 0.2, float(front[1]), 0.15))
    return clip, replace(clip.stage(), props=(box,))


def _walked_into() -> tuple[Clip, Stage]:
    clip = load_clip("walk")
    box = Box("box", size=(0.25, 0.8, 0.15), mass=1.0, position=(float(clip.q[0, 0]) + 1.3, float(clip.q[0, 1]), 0.075))
    return clip, replace(clip.stage(0.0, SECONDS), props=(box,))


def _own(name: str) -> tuple[Clip, Stage]:
    clip = load_clip(name)
    return clip, clip.stage(0.0, min(SECONDS, clip.duration) if clip.cycle is None else SECONDS)


SCENES: dict[str, Callable[[], tuple[Clip, Stage]]] = {
    "stairs up": partial(_stairs, 0.12),
    "stairs down": partial(_stairs, -0.12),
    "slope": _slope,
    "box walked into": _walked_into,
    "box before a kick": _kicked,
    "bar": partial(_own, "swing"),
    "barbell": partial(_own, "lift"),
}


def _rehearsed(options: Options, label: str, scene: Callable[[], tuple[Clip, Stage]], seed: int) -> tuple[Any, ...]:
    clip, stage = scene()
    seconds = SECONDS if clip.cycle is not None else min(SECONDS, clip.duration)
    begun = time.process_time()
    plan = rehearse(clip, seed=seed, stage=stage, seconds=seconds, threads=1)
    cpu = (time.process_time() - begun) / seconds
    take = performed(plan)
    judged, report = take.followed(), audit(take)
    if options.out is not None:
        take.save(options.out / f"stage-{label.replace(' ', '-')}-{seed}.png", overwrite=True)
    moved = take.props["box"][:, :3] if "box" in take.props else np.zeros((1, 3))
    far = 100.0 * float(np.linalg.norm(moved - moved[0], axis=1).max())
    return (label, seed, str(take.ended), round(plan.reached, 2), bool(judged), report.passed,
            bool(np.array_equal(take.q[-1], plan.q[-1])), round(far, 1), round(cpu, 1),
            "; ".join([*judged.reasons, *report.problems]))  # fmt: skip

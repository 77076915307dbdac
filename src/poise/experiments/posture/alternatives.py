"""Both alternative formulations of section 3.7 beside the method: mean actuation, and the space of the motion."""

from __future__ import annotations

import numpy as np

from poise.experiments.posture.pushes import POINTS, answers
from poise.experiments.posture.trial import FORMS, RECORDED, clip_of, count, moments
from poise.experiments.reproduce import Options, Table, told
from poise.methods.posture import response_space
from poise.methods.posture.body import Parts
from poise.methods.posture.space import sampled, upper_torques

KINDS = {"torques": "(5), the method", "mean": "3.7.1, torques less their mean", "motion": "3.7.2, joint angles"}


def run(options: Options) -> Table:
    """Torque in the kept space, angle between the spaces, softness and recovery."""
    rows = []
    for name in RECORDED:
        if name == "kata" and options.recordings is None:
            continue
        clip = clip_of(name, options)
        torques = upper_torques(clip.character, Parts.of(clip.character), sampled(clip, 1 / 60), 1 / 60)
        base, times = response_space(clip), moments(clip, options.seeds)
        for kind, text in KINDS.items():
            space = response_space(clip, kind)
            left = float(np.sqrt(((space.unactuated(10).T @ torques) ** 2).sum(axis=0).mean()))
            cells: list[object] = []
            for form in FORMS:
                zero = form == "printed"
                found = [
                    r for b, f in POINTS.items() for r in answers(clip, form, b, f, 180.0, times, kind=kind, zero=zero)
                ]
                sound = [r for r in found if r.whole]
                cells += [count([r.back for r in found]), float(np.mean([r.rms for r in sound])) if sound else "-"]
            rows.append(told((name, text, left, base.angle(space, 10), *cells)))
    return Table("Section 3.7: both alternatives, k = 10, backward pushes on hand, shoulder, head and chest",
                 ("clip", "space", "torque left in it [N m]", "angle to (5) [deg]", "printed: back",
                  "printed: softness [deg]", "ours: back", "ours: softness [deg]"), tuple(rows),
                 ("Torque: rms of Êᵀ ū over the clip. Printed: (6) and (13) to the letter. Thesis: no qualitative "
                  "difference for the mean; the space of the motion may be less compliant.",))  # fmt: skip

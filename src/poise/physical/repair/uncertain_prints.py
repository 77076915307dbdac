"""Prints of feet that were recorded to stray under load: nobody knows where they stood, the body's centre tells.

Such a foot is put where it fits its recorded places best, which stray by 10 cm and more. Where that is wrong, the body
is moved over it, and its centre of pressure is as wrong. So its print is moved by as much the other way: on a drop
jump, the centre of pressure came nearer to the plates' by 0.6 cm, and the centre of mass to where it was by 0.5 cm.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.ground.ground import Ground
from poise.maths.intervals import runs
from poise.maths.rotations import Array
from poise.physical.repair.footprints import soles
from poise.physical.repair.setup import Plan

UNSURE = 0.06  # [m] a foot that was recorded further from its print under load has one of which nobody is sure
WORTH = 0.015  # [m] a print that would be moved by less stays
LEVEL = 1e-3  # [m] by which the ground may differ where a print is moved to


def moved_prints(plan: Plan, q: Array, loaded: np.ndarray) -> Plan | None:
    """The plan with unsure prints moved by as much as they moved the centre of mass of q (N, nq); None if none is.

    `loaded` (N, feet) tells which feet carry a good part of the body.
    """
    clip, goals, moved = plan.recorded, plan.goals.copy(), False
    off = clip.character.centre_of_mass(q)[:, :2] - clip.character.centre_of_mass(clip.q)[:, :2]
    away = np.linalg.norm((goals - clip.character.points(clip.q))[..., :2], axis=-1)
    for k, sole in enumerate(soles(clip.character)):
        for a, e in runs(np.any(plan.labels[:, sole.points], axis=1)):
            own, carries = np.ix_(np.arange(a, e), sole.points), loaded[a:e, k]
            if not np.any(away[own][carries] > UNSURE, where=plan.labels[own][carries]):
                continue
            shift = -off[a:e][carries].mean(axis=0)
            if np.linalg.norm(shift) > WORTH and _level(clip.ground, goals[own], shift):
                goals[own] += np.append(shift, 0.0)
                moved = True
    return replace(plan, goals=goals) if moved else None


def _level(ground: Ground, places: Array, shift: Array) -> bool:
    """Is a ground as high at places (..., 3) as it is where they are shifted to?"""
    x, y = places[..., 0], places[..., 1]
    return bool(np.all(np.abs(ground.height(x + shift[0], y + shift[1]) - ground.height(x, y)) < LEVEL))

"""Joint ranges and torque limits: how far a motion and its torques pass them."""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.judge.report import Worst, worst
from poise.maths.configuration import BALL, FREE, HINGE, SLIDE
from poise.maths.rotations import Array


def beyond_range(character: Character, q: Array, time: Array) -> Worst:
    """The worst angle [rad] beyond a joint's range in configurations q (F, nq); slides are left out."""
    model, over, names = character.model, [], []
    for j in range(model.njnt):
        kind, a, (low, high) = int(model.jnt_type[j]), int(model.jnt_qposadr[j]), model.jnt_range[j]
        if not model.jnt_limited[j] or kind in (FREE, SLIDE):
            continue
        if kind == HINGE:
            over.append(np.maximum(q[:, a] - high, low - q[:, a]))
        elif kind == BALL:
            turn = 2.0 * np.arctan2(np.linalg.norm(q[:, a + 1 : a + 4], axis=1), np.abs(q[:, a]))
            over.append(turn - high)
        names.append(character.joint_names[j])
    return worst(np.stack(over, axis=1), time, names) if over else Worst(0.0)


def beyond_torque(character: Character, torque: Array, time: Array) -> tuple[Worst, float]:
    """The worst torque [N m] beyond a limit in torques (F, nv), and the largest share of a limit that was passed.

    A degree of freedom whose limit is zero or infinite has none, but for the root's, where no torque is allowed at all.
    """
    limit = np.where(np.isfinite(character.torque_limit), character.torque_limit, 0.0)
    known = limit > 0.0
    root = int(character.model.jnt_type[0]) == FREE
    known[:6] |= root
    over = np.where(known, np.abs(torque) - limit, 0.0)
    names = [character.joint_names[j] for j in character.model.dof_jntid]
    share = np.max(over / np.maximum(limit, 1.0), initial=0.0)
    return worst(over, time, names), float(share)

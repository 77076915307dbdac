"""Servos of a character: gains by the strength of its joints, and how widely their targets are sampled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.maths.configuration import BALL
from poise.maths.rotations import Array
from poise.methods.rehearse.feedforward import finite_limit
from poise.methods.rehearse.rows import STEP, Rows
from poise.simulate.damped import DampedServo

BLEND = 4  # steps in which a new offset is blended in
# [rad] standard deviation of sampled offsets; trunk and legs carry the balance, small limbs follow
_SPREAD = {"thigh": 0.12, "shin": 0.12, "foot": 0.15, "toes": 0.1, "abdomen": 0.08, "chest": 0.08, "upper_arm": 0.1,
           "forearm": 0.08, "clavicle": 0.03, "neck": 0.03, "head": 0.03, "hand": 0.03}  # fmt: skip
_OTHER = 0.05  # [rad] of joints without a role


class Servos(NamedTuple):
    """What all servos of a performance share."""

    stiffness: Array  # (nv,) [N m/rad]
    damping: Array  # (nv,) [N m s/rad]
    limit: Array  # (nv,) [N m]
    spread: Array  # (nv,) [rad]
    weight: Array  # (nv,) how much a joint's error counts; sums up to one
    kind: np.ndarray
    qadr: np.ndarray
    vadr: np.ndarray

    @classmethod
    def of(cls, character: Character, full: float, lag: float) -> Servos:
        """Stiffness: the mean strength of a joint over `full` [rad]; damping: `lag` [s] times that."""
        limit, layout = finite_limit(character.torque_limit), character.layout
        stiffness = np.zeros(layout.nv)
        for kind, first in list(zip(layout.kind, layout.vadr, strict=True))[1:]:
            wide = 3 if kind == BALL else 1
            soft = full if kind == BALL else 1.5 * full
            stiffness[first : first + wide] = limit[first : first + wide].mean() / soft
        return cls(stiffness, lag * stiffness, limit, _spread(character), _weight(character), layout.kind, layout.qadr,
                   layout.vadr)  # fmt: skip

    def servo(self, rows: Rows, step: int, count: int, before: Array, offset: Array, since: int = 0) -> DampedServo:
        """The servo that follows `count` rows from a step on; `since` steps of the blend are over."""
        rows.upto(step + count)
        part = slice(step - rows.first, step - rows.first + count)
        return DampedServo(step * STEP, rows.q[part], rows.v[part], rows.planned[part], before, offset, since, BLEND,
                           self.stiffness, self.damping, self.limit, self.kind, self.qadr, self.vadr)  # fmt: skip


def _spread(character: Character) -> Array:
    out = np.full(character.model.nv, _OTHER)
    for role in character.roles:
        size = next((s for part, s in _SPREAD.items() if role.removeprefix("left_").removeprefix("right_") == part), 0)
        out[character.dofs(role)] = size or _OTHER
    out[:6] = 0.0
    return out


def _weight(character: Character) -> Array:
    """By the mass that a joint moves, but never nothing."""
    model = character.model
    mass = model.body_subtreemass[model.dof_bodyid]
    out = 0.3 + np.minimum(1.0, mass / character.mass / 0.15)
    out[:6] = 0.0
    return out / max(float(out.sum()), 1e-12)

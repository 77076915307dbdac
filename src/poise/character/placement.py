"""Placement and Binding: how a file's space and skeleton lie in poise's world and character."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from poise.character.skeleton import Skeleton
from poise.maths import rotations as rot
from poise.maths.rotations import Array


@dataclass(frozen=True, eq=False)
class Placement:
    """From file space to the world (metres, Z up, X forward): x_world = R_wf unit x_file + shift."""

    unit: float = 1.0  # metres per file unit
    turn: Array = field(default_factory=lambda: rot.IDENTITY.copy())  # quaternion of R_wf
    shift: Array = field(default_factory=lambda: np.zeros(3))  # [m]

    def points(self, x: Array) -> Array:
        """World positions [m] of file positions (..., 3)."""
        return rot.rotate(self.turn, self.unit * np.asarray(x, float)) + self.shift

    def points_back(self, x: Array) -> Array:
        """File positions of world positions (..., 3) [m]."""
        return rot.rotate(rot.conjugate(self.turn), np.asarray(x, float) - self.shift) / self.unit

    def then(self, turn: Array, shift: Array) -> Placement:
        """This placement followed by the rigid motion x -> turn x + shift of the world."""
        return replace(self, turn=rot.multiply(turn, self.turn), shift=rot.rotate(turn, self.shift) + shift)


@dataclass(frozen=True, eq=False)
class Binding:
    """Ties a character to the skeleton of the file it was made from.

    In the character's zero pose (upright, limbs straight down, all body frames along the world's axes) joint j of the
    file has the global rotation `rest[j]`, in file axes. So a body that follows joint j has, in the world,
    R_body = R_wf G_j rest_jᵀ R_wfᵀ, where G_j is the joint's global rotation in the file.
    """

    skeleton: Skeleton
    joints: np.ndarray  # (B,) joint that each body of the model follows, -1 for the world
    rest: Array  # (J, 4)
    placement: Placement  # unit and axes; without any levelling of a particular clip

    def body_rotations(self, turns: Array, placement: Placement) -> Array:
        """World orientations (..., B, 4) of all bodies from global joint rotations (..., J, 4) in file axes."""
        follow = np.maximum(self.joints, 0)
        local = rot.multiply(turns[..., follow, :], rot.conjugate(self.rest[follow]))
        # the zero pose is defined with the binding's axes; a levelled placement turns the whole world after that
        out = rot.multiply(rot.multiply(placement.turn, local), rot.conjugate(self.placement.turn))
        out[..., self.joints < 0, :] = rot.IDENTITY
        return out

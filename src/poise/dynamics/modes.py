"""Natural modes of a character: the shapes in which its masses swing on the springs of its joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh, null_space

from poise.errors import BadValue
from poise.maths.rotations import Array


@dataclass(frozen=True, eq=False)
class Modes:
    """Shapes (nv, k) with shapesᵀ M shapes = 1 and shapesᵀ K shapes = diag(squares), squares ascending."""

    shapes: Array
    squares: Array  # (k,) squared angular frequencies [rad²/s²], zero for rigid modes

    @property
    def frequencies(self) -> Array:
        """Frequencies [Hz]."""
        return np.sqrt(np.maximum(self.squares, 0.0)) / (2 * np.pi)

    @property
    def rigid(self) -> int:
        """How many modes meet no spring."""
        return int(np.sum(self.squares < 1e-8 * max(float(self.squares[-1]), 1e-300)))


def modes(mass: Array, stiffness: Array, pins: Sequence[Array] = ()) -> Modes:
    """Modes of the mass matrix M (nv, nv) on joint springs K (nv,) or (nv, nv) [N m/rad], with points held fixed.

    K φ = ω² M φ, and J φ = 0 for every pin.
    Each pin is the Jacobian (3, nv) of a point that cannot move. The motion is confined to their common null space
    (Kry et al. 2009), so a body with n internal degrees of freedom has n + 6 modes free and n + 3 with one pin.
    """
    k = np.diag(stiffness) if np.ndim(stiffness) == 1 else np.asarray(stiffness, float)
    if mass.shape != k.shape:
        raise BadValue(f"The mass matrix {mass.shape} and the stiffness {k.shape} must be of one size.")
    if not len(pins):
        squares, shapes = eigh(k, mass)
        return Modes(shapes, squares)
    free = null_space(np.vstack(list(pins)))
    squares, shapes = eigh(free.T @ k @ free, free.T @ mass @ free)
    return Modes(free @ shapes, squares)

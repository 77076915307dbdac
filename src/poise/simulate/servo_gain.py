"""How much of a joint's inertia a servo may use without throwing it about.

Composite inertias take all other joints as locked. A joint between free ones (a clavicle that carries a loose arm)
yields up to 500 times more easily than that.
"""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.dynamics import engine
from poise.maths.configuration import BALL, FREE
from poise.maths.rotations import Array


def blocks(character: Character) -> np.ndarray:
    """Rows (J, 2) of all joints but the root: first degree of freedom and how many."""
    tree = character.tree
    width = {FREE: 6, BALL: 3}
    rows = [(int(a), width.get(int(k), 1)) for k, a in zip(tree.kind, tree.vadr, strict=True)]
    return np.array([r for r in rows if r[0] >= 6], np.int64).reshape(-1, 2)


def shares(character: Character, k: Array, dt: float) -> Array:
    """The share (nv,) of each joint's composite inertia that its servo may use at a time step dt [s].

    In the standing pose: the joint's own motion, with all others free, may be damped by a third in one step.
    """
    model = character.model
    data = engine.data_of(model)
    engine.place(model, data, character.standing_pose(), np.zeros(model.nv))
    mass = engine.mass_matrix(model, data)
    yielding = np.linalg.inv(mass)
    out = np.ones(model.nv)
    for first, count in blocks(character):
        rows = slice(first, first + count)
        stubborn = float(np.linalg.eigvals(yielding[rows, rows] @ mass[rows, rows]).real.max())
        root = float(np.sqrt(k[rows].max()))
        out[rows] = min(1.0, 1.0 / (6.0 * root * dt * stubborn)) if root > 0 else 1.0
    return out

"""How alike two frames are: body positions and velocities seen from the root, contacts aside."""

from __future__ import annotations

import numpy as np

from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip

TIME = 0.12  # [s] by which velocities are weighed against positions


def features(clip: Clip) -> Array:
    """Rows (N, D) whose root mean square differences are distances between poses [m], blind to place and heading."""
    pos, _ = clip.character.forward(clip.q)
    base = np.column_stack([clip.q[:, :2], clip.ground.height(clip.q[:, 0], clip.q[:, 1])])
    away = rot.about_z(-rot.heading(clip.q[:, 3:7]))
    own = pos[:, 1:] - base[:, None]
    rows = rot.rotate(away[:, None], own)
    rate = np.gradient(pos[:, 1:], clip.dt, axis=0) if len(clip) > 1 else np.zeros_like(rows)
    speed = TIME * rot.rotate(away[:, None], rate)
    both = np.concatenate([rows, speed], axis=-1).reshape(len(clip), -1)
    return both / np.sqrt(pos.shape[1] - 1)


def distances(a: Array, b: Array) -> Array:
    """Distances (N, M) [m] between all rows of a (N, D) and b (M, D)."""
    square = np.sum(a * a, 1)[:, None] + np.sum(b * b, 1)[None] - 2.0 * (a @ b.T)
    return np.sqrt(np.maximum(square, 0.0))

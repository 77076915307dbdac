"""Pivots: where one joint must stand to do the work of several that a file has and a character has not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.maths import rotations as rot
from poise.maths.rotations import Array

_NOISE = 0.005  # [m] misfit of a frame that is worth as much as ...
_FREEDOM = 0.3  # [m] ... moving a pivot this far from the file's own joint


def fit_arms(turns: Sequence[Array], reach: Array, nominal: Sequence[Array], firm: Sequence[bool]) -> list[Array]:
    """Constant arms v_i (3,) [m], each fixed in a body, that best add up to `reach`: sum_i R_i(t) v_i = reach(t).

    `turns` are orientations (N, 4) of the bodies along the way, `reach` (N, 3) goes from the joint of the first to a
    point on the last. Arms stay near their `nominal` values where the motion does not tell; `firm` ones are kept
    exactly, but never all of them.
    """
    matrices = [rot.to_matrix(q) for q in turns]
    loose = [i for i, fixed in enumerate(firm) if not fixed]
    target = np.array(reach, float)
    for i, fixed in enumerate(firm):
        if fixed:
            target -= matrices[i] @ nominal[i]
    design = np.concatenate([matrices[i] for i in loose], axis=2)
    scale = 1.0 / (_NOISE**2 * len(target))
    normal = scale * np.einsum("nki,nkj->ij", design, design)
    right = scale * np.einsum("nki,nk->i", design, target)
    normal += np.eye(len(normal)) / _FREEDOM**2
    right += np.concatenate([nominal[i] for i in loose]) / _FREEDOM**2
    found = np.linalg.solve(normal, right).reshape(-1, 3)
    arms = [np.array(v, float) for v in nominal]
    for i, v in zip(loose, found, strict=True):
        arms[i] = v
    return arms

"""What a controller does to the world beside its torques: wrenches of assistance, feet without friction. Compiled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from poise.dynamics import Wrench
from poise.errors import BadValue
from poise.kernels import njit
from poise.maths.rotations import Array
from poise.simulate.contacts import ADDRESS, GEOM, opened, scale_friction

LEAST_FRICTION = 1e-3  # a factor below this is one: MuJoCo's cones need some friction


def assist_rows(assist: Iterable[Wrench] | Array) -> Array:
    """Wrenches as rows (K, 10): body, world point, force, moment; rows are given back as they are."""
    if isinstance(assist, np.ndarray):
        return assist
    rows = [(w.body, *w.point, *w.force, *((0.0, 0.0, 0.0) if w.moment is None else w.moment)) for w in assist]
    return np.array(rows, float).reshape(-1, 10)


def slippery_factors(slippery: Mapping[int, float], bodies: int) -> Array:
    """Factor (bodies,) of the friction of each body, 1 where none is given."""
    out = np.ones(bodies)
    for body, factor in slippery.items():
        if not 0 < body < bodies or not 0.0 <= factor <= 10.0:
            raise BadValue(f"Friction can be scaled by 0 to 10 on bodies 1 to {bodies - 1}, not by {factor} on {body}.")
        out[body] = max(factor, LEAST_FRICTION)
    return out


@njit(cache=True)
def lend(rows, dt, wipe, centres, forces, sums):
    """Add wrenches (K, 10) to the forces (bodies, 6) at the centres of mass, their impulses to the sums (bodies, 10).

    With `wipe` all forces are cleared first.
    """
    if wipe:
        forces[:] = 0.0
    for k in range(rows.shape[0]):
        body = int(rows[k, 0])
        p, f, m = rows[k, 1:4], rows[k, 4:7], rows[k, 7:10]
        weight = dt * (np.sqrt(f[0] ** 2 + f[1] ** 2 + f[2] ** 2) + 1e-9)
        sums[body, 0] += weight
        for i in range(3):
            a, b = (i + 1) % 3, (i + 2) % 3
            forces[body, i] += f[i]
            forces[body, 3 + i] += m[i] + (p[a] - centres[body, a]) * f[b] - (p[b] - centres[body, b]) * f[a]
            sums[body, 1 + i] += weight * p[i]
            sums[body, 4 + i] += dt * f[i]
            sums[body, 7 + i] += dt * (m[i] + p[a] * f[b] - p[b] * f[a])


@njit(cache=True)
def soap(where, ncon, factors):
    """Scale the friction of every contact of the bodies whose factor (bodies,) is not 1.

    Between MuJoCo's collision and its solver; see `contacts.repaint`.
    """
    numbers, whole, geoms = opened(where, ncon)
    for c in range(ncon):
        g0, g1 = whole[c, where[GEOM]], whole[c, where[GEOM] + 1]
        if g0 < 0 or g1 < 0 or whole[c, where[ADDRESS]] < 0:
            continue
        for g in (g0, g1):
            body = geoms[g, 0]
            if body < factors.shape[0] and factors[body] != 1.0:
                scale_friction(numbers, c, where, factors[body])

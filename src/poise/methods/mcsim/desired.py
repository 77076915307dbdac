"""The desired acceleration: equation (4) of da Silva, Abe & Popović 2008.

a_d = a_r + k_os d(q_r, q) + k_od (v_r - v), with k_od = 2 √k_os for every degree of freedom, and no position gain on
the root's translation. d is a difference in the tangent space. Corrected against print: with a = q_r, d(a, b) =
vec(a⁻¹ b) for a ball joint is the rotation from the reference to the character, opposite in sign to a - b of a pin
joint; ball joints would be driven away. It is vec(b⁻¹ a) here.
"""

from __future__ import annotations

import numpy as np

from poise.maths.configuration import Layout, difference_rows, quat_difference
from poise.maths.rotations import Array
from poise.motion.reference import Sample


def turned(wanted: Array, now: Array) -> Array:
    """The part (3,) of `difference` that is the root's orientation."""
    out = np.empty(3)
    quat_difference(now[3:7], wanted[3:7], out)
    return out


def difference(layout: Layout, wanted: Array, now: Array) -> Array:
    """d(q_r, q) (nv,): the turn that takes the configuration `now` to `wanted`, zero for the root's place."""
    out = np.empty((1, layout.nv))
    difference_rows(layout.kind, layout.qadr, layout.vadr, now[None], wanted[None], out)
    out[0, :3] = 0.0
    return out[0]


def acceleration(layout: Layout, wanted: Sample, q: Array, v: Array, gain: float) -> Array:
    """q̈_d (nv,) for k_os = gain [1/s²]."""
    return wanted.a + gain * difference(layout, wanted.q, q) + 2.0 * np.sqrt(gain) * (wanted.v - v)

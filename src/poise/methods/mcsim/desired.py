"""The desired acceleration: equation (4) of da Silva, Abe & Popović 2008.

a_d = a_r + k_os d(q_r, q) + k_od (v_r - v), with k_od = 2 √k_os for every degree of freedom, and no position gain on
the root's translation. d is a difference in the tangent space. Corrected against print: with a = q_r, d(a, b) =
vec(a⁻¹ b) for a ball joint is the rotation from the reference to the character, opposite in sign to a - b of a pin
joint; ball joints would be driven away. It is vec(b⁻¹ a) here.
"""

from __future__ import annotations

import numpy as np

from poise.kernels import njit
from poise.maths.configuration import Layout, difference_rows
from poise.maths.rotations import Array
from poise.motion.reference import Sample


def difference(layout: Layout, wanted: Array, now: Array) -> Array:
    """d(q_r, q) (nv,): the turn that takes the configuration `now` to `wanted`, zero for the root's place."""
    out = np.empty(layout.nv)
    _difference(layout.kind, layout.qadr, layout.vadr, wanted, now, out)
    return out


@njit(cache=True)
def _difference(kind, qadr, vadr, wanted, now, out):
    difference_rows(kind, qadr, vadr, now.reshape(1, -1), wanted.reshape(1, -1), out.reshape(1, -1))
    out[:3] = 0.0


@njit(cache=True)
def acceleration_into(kind, qadr, vadr, wanted_q, wanted_v, wanted_a, q, v, gain, out):
    """Equation (4) into out (nv,)."""
    _difference(kind, qadr, vadr, wanted_q, q, out)
    damping = 2.0 * np.sqrt(gain)
    for d in range(v.shape[0]):
        out[d] = wanted_a[d] + gain * out[d] + damping * (wanted_v[d] - v[d])


def acceleration(layout: Layout, wanted: Sample, q: Array, v: Array, gain: float) -> Array:
    """q̈_d (nv,) for k_os = gain [1/s²]."""
    out = np.empty(layout.nv)
    acceleration_into(layout.kind, layout.qadr, layout.vadr, wanted.q, wanted.v, wanted.a, q, v, gain, out)
    return out

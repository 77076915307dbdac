"""From corrections of frames to the wrenches between them: the three-frame stencil and its chain rule, compiled.

Frame n has the steps r± to its neighbours in its own tangent space, the velocity (r+ - r-) / 2 dt and the acceleration
(r+ + r-) / dt². The unknown of a frame is its correction δ in the tangent space of a given configuration, as in
`poise.motion.ik.terms`: a small change of δ turns a joint by J_r(δ) dδ.
"""

from __future__ import annotations

import numpy as np

from poise.kernels import njit
from poise.maths import configuration as conf
from poise.maths.configuration import BALL, FREE, Layout
from poise.maths.rotations import Array
from poise.motion.ik.terms import right_jacobian


@njit(cache=True)
def inverse_right_jacobian(r, out):
    """J_r⁻¹ of the rotation vector r: log(exp(r) exp(e)) = r + J_r⁻¹ e, to first order."""
    t2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2]
    t = np.sqrt(t2)
    c = 1.0 / t2 - (1.0 + np.cos(t)) / (2.0 * t * np.sin(t)) if t > 1e-3 else 1.0 / 12.0 + t2 / 720.0
    x, y, z = r[0], r[1], r[2]
    out[0, 0], out[1, 1], out[2, 2] = 1.0 - c * (y * y + z * z), 1.0 - c * (x * x + z * z), 1.0 - c * (x * x + y * y)
    out[0, 1], out[1, 0] = -0.5 * z + c * x * y, 0.5 * z + c * x * y
    out[0, 2], out[2, 0] = 0.5 * y + c * x * z, -0.5 * y + c * x * z
    out[1, 2], out[2, 1] = -0.5 * x + c * y * z, 0.5 * x + c * y * z


@njit(cache=True)
def _add_turned(block, matrix, out):
    """out (3, 6) += matrixᵀ block (3, 6)."""
    for i in range(3):
        for c in range(6):
            out[i, c] += matrix[0, i] * block[0, c] + matrix[1, i] * block[1, c] + matrix[2, i] * block[2, c]


@njit(cache=True)
def _plain(dt, first, count, by_q, by_v, by_a, out):
    """The stencil's blocks for degrees of freedom that simply add."""
    for d in range(first, first + count):
        for c in range(6):
            p, m = 0.5 * by_v[d, c] / dt, by_a[d, c] / dt**2
            out[0, d, c], out[1, d, c], out[2, d, c] = m - p, by_q[d, c] - 2.0 * m, m + p


@njit(cache=True)
def _turning(dt, d, ahead, back, by_q, by_v, by_a, out):
    """The stencil's blocks for the three turns from d on."""
    jac, forward, backward = np.empty((3, 3)), np.empty((3, 6)), np.empty((3, 6))
    for i in range(3):
        for c in range(6):
            p, m = 0.5 * by_v[d + i, c] / dt, by_a[d + i, c] / dt**2
            forward[i, c], backward[i, c] = m + p, m - p
            out[0, d + i, c], out[2, d + i, c] = 0.0, 0.0
            out[1, d + i, c] = by_q[d + i, c]
    inverse_right_jacobian(ahead, jac)
    _add_turned(forward, jac, out[2, d : d + 3])
    inverse_right_jacobian(-ahead, jac)
    _add_turned(-forward, jac, out[1, d : d + 3])
    inverse_right_jacobian(back, jac)
    _add_turned(backward, jac, out[0, d : d + 3])
    inverse_right_jacobian(-back, jac)
    _add_turned(-backward, jac, out[1, d : d + 3])


@njit(cache=True)
def _charted(kind, vadr, delta, spin, block):
    """Turn a block (nv, 6) by the tangent of a frame into one by its correction δ (nv,), in place."""
    jac, old = np.empty((3, 3)), np.empty((3, 6))
    for j in range(kind.shape[0]):
        d = vadr[j]
        if kind[j] == FREE:
            if spin != 0.0:
                co, si = np.cos(spin), np.sin(spin)
                for c in range(6):
                    x, y = block[d, c], block[d + 1, c]
                    block[d, c], block[d + 1, c] = co * x + si * y, -si * x + co * y
            d += 3
        if kind[j] == FREE or kind[j] == BALL:
            right_jacobian(delta[d : d + 3], jac)
            old[:] = block[d : d + 3]
            block[d : d + 3] = 0.0
            _add_turned(old, jac, block[d : d + 3])


@njit(cache=True)
def chain(kind, vadr, dt, ahead, back, delta, turn, by_q, by_v, by_a, out):
    """out (N, 3, nv, 6): derivatives of N values by the corrections of the frame before, the frame and the one after.

    by_q, by_v, by_a (N, nv, 6) are derivatives by the tangent of q, by v and by a; ahead and back (N, nv) the steps to
    the neighbours; delta (N, nv) the corrections. `turn` is that of a cycle of N frames, 0 without; the first frame's
    frame before is then the last of the period before.
    """
    N = delta.shape[0]
    for n in range(N):
        for j in range(kind.shape[0]):
            d = vadr[j]
            if kind[j] == FREE:
                _plain(dt, d, 3, by_q[n], by_v[n], by_a[n], out[n])
                d += 3
            if kind[j] == FREE or kind[j] == BALL:
                _turning(dt, d, ahead[n, d : d + 3], back[n, d : d + 3], by_q[n], by_v[n], by_a[n], out[n])
            else:
                _plain(dt, d, 1, by_q[n], by_v[n], by_a[n], out[n])
        for k in range(3):
            m = n + k - 1
            _charted(kind, vadr, delta[m % N], turn * m / N, out[n, k])


@njit(cache=True)
def charted(kind, vadr, delta, turn, blocks):
    """Turn blocks (N, nv, 6) by the tangent of each frame into those by its correction delta (N, nv), in place."""
    for n in range(delta.shape[0]):
        _charted(kind, vadr, delta[n], turn * n / delta.shape[0], blocks[n])


def steps(layout: Layout, before: Array, q: Array, after: Array) -> tuple[Array, Array]:
    """Tangent steps (N, nv) from q (N, nq) to the frame after and to the frame before each, both (N, nq)."""
    return conf.difference(layout, q, after), conf.difference(layout, q, before)


def rates(ahead: Array, back: Array, dt: float, ring: bool) -> tuple[Array, Array]:
    """Velocity and acceleration (N, nv) from the steps to both neighbours.

    The ends of an open chain take the acceleration of their neighbour, as in `poise.maths.configuration.rates`.
    """
    v, a = (ahead - back) / (2.0 * dt), (ahead + back) / dt**2
    if not ring:
        a[0], a[-1] = a[1], a[-2]
        v[0], v[-1] = ahead[0] / dt - 0.5 * dt * a[0], -back[-1] / dt + 0.5 * dt * a[-1]
    return v, a


def derivatives(layout: Layout, dt: float, ahead: Array, back: Array, delta: Array, turn: float | None, by_q: Array,
                by_v: Array, by_a: Array) -> Array:  # fmt: skip
    """`chain` over a ring with this turn, or (None) over an open chain; (N, 3, nv, 6).

    At the ends of an open chain, whose stencils are those of `rates`, the three frames are the first and the last ones.
    """
    out = np.empty((len(delta), 3, layout.nv, 6))
    if turn is not None:
        chain(layout.kind, layout.vadr, dt, ahead, back, delta, turn, by_q, by_v, by_a, out)
        return out
    # v = step / dt -+ dt a / 2 at an end: its own step counts as one of a stencil with no other, its neighbour's
    # acceleration is that neighbour's stencil
    half, one_sided = 0.5 * dt, by_a.copy()
    one_sided[0], one_sided[-1] = half * by_v[0], -half * by_v[-1]
    chain(layout.kind, layout.vadr, dt, ahead, back, delta, 0.0, by_q, by_v, one_sided, out)
    none = np.zeros((3, layout.nv, 6))
    for end, sign, rows in ((0, -1.0, slice(0, 3)), (-1, 1.0, slice(-3, None))):
        borrowed, blocks = none.copy(), np.empty((3, 3, layout.nv, 6))
        borrowed[1] = by_a[end] + sign * half * by_v[end]
        chain(layout.kind, layout.vadr, dt, ahead[rows], back[rows], delta[rows], 0.0, none, none, borrowed, blocks)
        own = out[end].copy()
        out[end] = blocks[1]
        if end == 0:
            out[end, :2] += own[1:]
        else:
            out[end, 1:] += own[:2]
    return out

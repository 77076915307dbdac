"""The tangent space of a configuration: q plus v, q minus q, mirrored over whole clips, compiled.

A configuration q (nq,) strings the coordinates of joints together as MuJoCo does: a free joint is a position and a
quaternion, a ball joint a quaternion, a hinge or slide a number. Its tangent v (nv,) has a world velocity and a
body-frame angular velocity for a free joint, a body-frame angular velocity for a ball, a rate for the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.kernels import njit
from poise.maths.rotations import Array

FREE, BALL, SLIDE, HINGE = 0, 1, 2, 3  # MuJoCo's numbers (mjtJoint)


class Layout(NamedTuple):
    """Where each joint's coordinates lie: its type and its first index in q and in v."""

    kind: np.ndarray  # (J,) int
    qadr: np.ndarray  # (J,) int
    vadr: np.ndarray  # (J,) int
    nq: int
    nv: int


@njit(cache=True, inline="always")
def quat_mul(a, b, out):
    """out = a b; out may not be a or b."""
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]


@njit(cache=True, inline="always")
def quat_rotate(q, v, out):
    """out = v turned by q; out may not be v."""
    tx = 2.0 * (q[2] * v[2] - q[3] * v[1])
    ty = 2.0 * (q[3] * v[0] - q[1] * v[2])
    tz = 2.0 * (q[1] * v[1] - q[2] * v[0])
    out[0] = v[0] + q[0] * tx + q[2] * tz - q[3] * ty
    out[1] = v[1] + q[0] * ty + q[3] * tx - q[1] * tz
    out[2] = v[2] + q[0] * tz + q[1] * ty - q[2] * tx


@njit(cache=True, inline="always")
def quat_exp(r, out):
    """out = quaternion of the rotation vector r."""
    angle = np.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    s = np.sin(0.5 * angle) / angle if angle > 1e-8 else 0.5
    out[0] = np.cos(0.5 * angle)
    out[1], out[2], out[3] = s * r[0], s * r[1], s * r[2]


@njit(cache=True, inline="always")
def quat_difference(a, b, out):
    """out = rotation vector r with b = a exp(r), of angle at most pi."""
    w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    x = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2]
    y = a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1]
    z = a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0]
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    s = np.sqrt(x * x + y * y + z * z)
    k = 2.0 * np.arctan2(s, w) / s if s > 1e-8 else 2.0
    out[0], out[1], out[2] = k * x, k * y, k * z


@njit(cache=True)
def integrate_rows(kind, qadr, vadr, q, v, out):
    """Fill out (N, nq) with q (N, nq) plus the tangent steps v (N, nv); for compiled code, see `integrate`."""
    step, new = np.empty(4), np.empty(4)
    for n in range(q.shape[0]):
        for j in range(kind.shape[0]):
            a, d = qadr[j], vadr[j]
            if kind[j] == FREE:
                for i in range(3):
                    out[n, a + i] = q[n, a + i] + v[n, d + i]
                a += 3
                d += 3
            if kind[j] == FREE or kind[j] == BALL:
                quat_exp(v[n, d : d + 3], step)
                quat_mul(q[n, a : a + 4], step, new)
                size = np.sqrt(new[0] ** 2 + new[1] ** 2 + new[2] ** 2 + new[3] ** 2)
                for i in range(4):
                    out[n, a + i] = new[i] / size
            else:
                out[n, a] = q[n, a] + v[n, d]


@njit(cache=True)
def difference_rows(kind, qadr, vadr, q0, q1, out):
    """Fill out (N, nv) with the tangent steps from q0 (N, nq) to q1 (N, nq); for compiled code, see `difference`."""
    for n in range(q0.shape[0]):
        for j in range(kind.shape[0]):
            a, d = qadr[j], vadr[j]
            if kind[j] == FREE:
                for i in range(3):
                    out[n, d + i] = q1[n, a + i] - q0[n, a + i]
                a += 3
                d += 3
            if kind[j] == FREE or kind[j] == BALL:
                quat_difference(q0[n, a : a + 4], q1[n, a : a + 4], out[n, d : d + 3])
            else:
                out[n, d] = q1[n, a] - q0[n, a]


def integrate(layout: Layout, q: Array, v: Array) -> Array:
    """q plus the tangent step v, row by row; q (..., nq) and v (..., nv) broadcast over their rows."""
    q, v = np.asarray(q, float), np.asarray(v, float)
    rows = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
    qs = np.ascontiguousarray(np.broadcast_to(q, (*rows, layout.nq))).reshape(-1, layout.nq)
    vs = np.ascontiguousarray(np.broadcast_to(v, (*rows, layout.nv))).reshape(-1, layout.nv)
    out = np.empty_like(qs)
    integrate_rows(layout.kind, layout.qadr, layout.vadr, qs, vs, out)
    return out.reshape(*rows, layout.nq)


def difference(layout: Layout, q0: Array, q1: Array) -> Array:
    """The tangent step v with q1 = q0 plus v, row by row; (..., nq) in, (..., nv) out."""
    q0, q1 = np.asarray(q0, float), np.asarray(q1, float)
    rows = np.broadcast_shapes(q0.shape[:-1], q1.shape[:-1])
    a = np.ascontiguousarray(np.broadcast_to(q0, (*rows, layout.nq))).reshape(-1, layout.nq)
    b = np.ascontiguousarray(np.broadcast_to(q1, (*rows, layout.nq))).reshape(-1, layout.nq)
    out = np.empty((len(a), layout.nv))
    difference_rows(layout.kind, layout.qadr, layout.vadr, a, b, out)
    return out.reshape(*rows, layout.nv)


def interpolate(layout: Layout, q0: Array, q1: Array, share: Array | float) -> Array:
    """The configuration a share of the shortest way from q0 to q1; share (...) broadcasts over the rows."""
    return integrate(layout, q0, np.asarray(share, float)[..., None] * difference(layout, q0, q1))


def rates(layout: Layout, q: Array, dt: float) -> tuple[Array, Array]:
    """Velocity and acceleration (N, nv) of configurations q (N, nq) a time dt apart.

    Three-frame stencil in the tangent of each frame: with r+ and r- the steps to its neighbours, v = (r+ - r-) / 2 dt
    and a = (r+ + r-) / dt². The first and last frame take the acceleration of their neighbour.
    """
    n = len(q)
    v, a = np.zeros((n, layout.nv)), np.zeros((n, layout.nv))
    if n < 2:
        return v, a
    ahead = difference(layout, q[:-1], q[1:])
    if n == 2:
        v[:] = ahead / dt
        return v, a
    back = difference(layout, q[1:], q[:-1])
    v[1:-1] = (ahead[1:] - back[:-1]) / (2 * dt)
    a[1:-1] = (ahead[1:] + back[:-1]) / dt**2
    a[0], a[-1] = a[1], a[-2]
    v[0] = ahead[0] / dt - 0.5 * dt * a[0]
    v[-1] = -back[-1] / dt + 0.5 * dt * a[-1]
    return v, a

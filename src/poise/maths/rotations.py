"""Rotations: unit quaternions (w, x, y, z), rotation vectors and matrices, over any leading batch axes.

`R_ab` maps coordinates of frame b to frame a; `multiply(q_ab, q_bc)` is `q_ac`. A rotation vector is axis times
angle [rad]. Every function takes arrays of shape (..., 4), (..., 3) or (..., 3, 3) and broadcasts like numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]
ArrayLike = Any  # whatever numpy turns into an array of floats; its own ArrayLike is too wide for its own functions

IDENTITY: Array = np.array([1.0, 0.0, 0.0, 0.0])
_SMALL = 1e-8  # below this angle [rad] a first-order series is exact to double precision


def multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """Quaternion product a b: the rotation b followed by a."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def conjugate(q: ArrayLike) -> Array:
    """The inverse of a unit quaternion."""
    return np.asarray(q, float) * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(q: ArrayLike, v: ArrayLike) -> Array:
    """The vector v (..., 3) turned by q (..., 4)."""
    q, v = np.asarray(q, float), np.asarray(v, float)
    u = q[..., 1:]
    t = 2.0 * np.cross(u, v)
    return v + q[..., :1] * t + np.cross(u, t)


def normalise(q: ArrayLike) -> Array:
    """q scaled to unit length; a zero quaternion becomes the identity."""
    q = np.asarray(q, float)
    n = np.linalg.norm(q, axis=-1, keepdims=True)
    return np.where(n > 0, q / np.where(n > 0, n, 1.0), IDENTITY)


def exp(r: ArrayLike) -> Array:
    """Quaternion of the rotation vector r (..., 3)."""
    r = np.asarray(r, float)
    angle = np.linalg.norm(r, axis=-1, keepdims=True)
    half = 0.5 * angle
    scale = np.where(angle > _SMALL, np.sin(half) / np.where(angle > _SMALL, angle, 1.0), 0.5)
    return np.concatenate([np.cos(half), scale * r], axis=-1)


def log(q: ArrayLike) -> Array:
    """Rotation vector of q, of angle at most pi."""
    q = np.asarray(q, float)
    q = np.where(q[..., :1] < 0, -q, q)
    s = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(s, q[..., :1])
    scale = np.where(s > _SMALL, angle / np.where(s > _SMALL, s, 1.0), 2.0)
    return scale * q[..., 1:]


def difference(a: ArrayLike, b: ArrayLike) -> Array:
    """Rotation vector r in the frame of a with b = a exp(r)."""
    return log(multiply(conjugate(a), b))


def angle_between(a: ArrayLike, b: ArrayLike) -> Array:
    """Geodesic angle [rad] between two rotations."""
    return np.linalg.norm(difference(a, b), axis=-1)


def slerp(a: ArrayLike, b: ArrayLike, s: ArrayLike) -> Array:
    """The rotation a share s of the shortest way from a to b; s broadcasts over the batch axes."""
    return multiply(a, exp(np.asarray(s, float)[..., None] * difference(a, b)))


def to_matrix(q: ArrayLike) -> Array:
    """Rotation matrix (..., 3, 3) of q."""
    w, x, y, z = np.moveaxis(np.asarray(q, float), -1, 0)
    m = np.empty((*w.shape, 3, 3))
    m[..., 0, 0] = 1 - 2 * (y * y + z * z)
    m[..., 0, 1] = 2 * (x * y - w * z)
    m[..., 0, 2] = 2 * (x * z + w * y)
    m[..., 1, 0] = 2 * (x * y + w * z)
    m[..., 1, 1] = 1 - 2 * (x * x + z * z)
    m[..., 1, 2] = 2 * (y * z - w * x)
    m[..., 2, 0] = 2 * (x * z - w * y)
    m[..., 2, 1] = 2 * (y * z + w * x)
    m[..., 2, 2] = 1 - 2 * (x * x + y * y)
    return m


def from_matrix(m: ArrayLike) -> Array:
    """Quaternion with w >= 0 of a rotation matrix (..., 3, 3), accurate for every angle."""
    m = np.asarray(m, float)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    # Four candidates, each 4 q_i q; the one with the largest diagonal entry is the most accurate.
    k = np.stack(
        [
            np.stack([1 + xx + yy + zz, m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0],
                      m[..., 1, 0] - m[..., 0, 1]], -1),
            np.stack([m[..., 2, 1] - m[..., 1, 2], 1 + xx - yy - zz, m[..., 0, 1] + m[..., 1, 0],
                      m[..., 0, 2] + m[..., 2, 0]], -1),
            np.stack([m[..., 0, 2] - m[..., 2, 0], m[..., 0, 1] + m[..., 1, 0], 1 - xx + yy - zz,
                      m[..., 1, 2] + m[..., 2, 1]], -1),
            np.stack([m[..., 1, 0] - m[..., 0, 1], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1],
                      1 - xx - yy + zz], -1),
        ],
        -2,
    )  # fmt: skip
    best = np.argmax(np.diagonal(k, axis1=-2, axis2=-1), axis=-1)
    q = normalise(np.take_along_axis(k, best[..., None, None], axis=-2)[..., 0, :])
    return np.where(q[..., :1] < 0, -q, q)


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Array:
    """Quaternion of a turn by angle [rad] about a unit axis; both broadcast."""
    return exp(np.asarray(axis, float) * np.asarray(angle, float)[..., None])


def from_euler(order: str, angles: ArrayLike) -> Array:
    """Quaternion of intrinsic turns by angles (..., n) [rad] about the axes of `order`, as in R = R_o0 R_o1 ... ."""
    angles = np.asarray(angles, float)
    q = np.broadcast_to(IDENTITY, (*angles.shape[:-1], 4))
    for k, axis in enumerate(order.lower()):
        half = 0.5 * angles[..., k]
        turn = np.zeros((*angles.shape[:-1], 4))
        turn[..., 0] = np.cos(half)
        turn[..., 1 + "xyz".index(axis)] = np.sin(half)
        q = multiply(q, turn)
    return q


def to_euler(order: str, q: ArrayLike) -> Array:
    """Angles (..., 3) [rad] with `from_euler(order, angles) = q`, for any three axes no two neighbours of which agree.

    At gimbal lock the last angle is zero.
    """
    o = ["xyz".index(c) for c in order.lower()]
    i, j, k = o
    m = to_matrix(q)
    if i != k:  # Tait-Bryan
        sign = 1.0 if (j - i) % 3 == 1 else -1.0
        s = np.clip(sign * m[..., i, k], -1.0, 1.0)
        lock = np.abs(s) > 1.0 - 1e-12
        a = np.where(lock, np.arctan2(sign * m[..., k, j], m[..., j, j]),
                     np.arctan2(-sign * m[..., j, k], m[..., k, k]))  # fmt: skip
        b = np.arctan2(s, np.hypot(m[..., i, i], m[..., i, j]))
        c = np.where(lock, 0.0, np.arctan2(-sign * m[..., i, j], m[..., i, i]))
        return np.stack([a, b, c], axis=-1)
    third = 3 - i - j
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    s = np.hypot(m[..., i, j], m[..., i, third])
    lock = s < 1e-12
    a = np.where(lock, np.arctan2(sign * m[..., third, j], m[..., j, j]),
                 np.arctan2(m[..., j, i], -sign * m[..., third, i]))  # fmt: skip
    b = np.arctan2(s, m[..., i, i])
    c = np.where(lock, 0.0, np.arctan2(m[..., i, j], sign * m[..., i, third]))
    return np.stack([a, b, c], axis=-1)


def between(a: ArrayLike, b: ArrayLike) -> Array:
    """The smallest rotation that turns direction a into direction b (..., 3); opposite vectors turn about any axis."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    a = a / np.linalg.norm(a, axis=-1, keepdims=True)
    b = b / np.linalg.norm(b, axis=-1, keepdims=True)
    w = 0.5 * np.sum((a + b) ** 2, axis=-1, keepdims=True)  # 1 + a·b, exact for nearly opposite directions too
    side = np.where(np.abs(a[..., :1]) < 0.9, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    opposite = w < 1e-20
    v = np.where(opposite, np.cross(a, side), np.cross(a, b))
    return normalise(np.concatenate([np.where(opposite, 0.0, w), v], axis=-1))


def twist_angle(q: ArrayLike, axis: ArrayLike) -> Array:
    """Angle [rad] in (-pi, pi] of the part of q that turns about the unit axis (swing-twist decomposition)."""
    q = np.asarray(q, float)
    s = np.sum(q[..., 1:] * np.asarray(axis, float), axis=-1)
    return (2.0 * np.arctan2(s, q[..., 0]) + np.pi) % (2.0 * np.pi) - np.pi


def continuous(q: ArrayLike) -> Array:
    """The same rotations along axis 0 with signs chosen so that neighbours lie on the same half sphere."""
    q = np.array(q, float)
    flip = np.where(np.sum(q[1:] * q[:-1], axis=-1) < 0, -1.0, 1.0)
    q[1:] *= np.cumprod(flip, axis=0)[..., None]
    return q


def heading(q: ArrayLike) -> Array:
    """Angle [rad] about Z of the direction into which the X axis of q points."""
    x = rotate(q, np.array([1.0, 0.0, 0.0]))
    return np.arctan2(x[..., 1], x[..., 0])


def about_z(angle: ArrayLike) -> Array:
    """Quaternion of a turn by angle [rad] about the vertical."""
    return from_axis_angle(np.array([0.0, 0.0, 1.0]), angle)


def mean(q: ArrayLike) -> Array:
    """Mean rotation (4,) of q (N, 4): the principal axis of the outer products, blind to signs."""
    q = np.asarray(q, float)
    _, vectors = np.linalg.eigh(q.T @ q)
    best = vectors[:, -1]
    return best if best[0] >= 0 else -best

"""Residuals of inverse kinematics over whole clips and their normal equations, compiled.

The unknown of frame n is the correction δ_n: the configuration is q_n ⊕ δ_n, the given one moved by δ_n in its tangent.
Rotational rows of the free root and of ball joints are body-frame rotation vectors, so a small change of δ turns the
body by J_r(δ) dδ, with J_r the right Jacobian of the exponential map. The root's translation is counted in axes that
turn by `spin[n]` about Z, so that a cycle that turns still closes to a ring.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.kernels import njit
from poise.maths.configuration import BALL, FREE, Layout, quat_difference, quat_rotate
from poise.maths.rotations import Array


class Terms(NamedTuple):
    """All targets as flat arrays; weights are costs per square unit (m², rad²)."""

    point_body: np.ndarray  # (T,)
    point_local: Array  # (T, 3)
    point_goal: Array  # (T, N, 3)
    point_weight: Array  # (T, N)
    turn_body: np.ndarray  # (U,)
    turn_goal: Array  # (U, N, 4)
    turn_weight: Array  # (U, N)
    floor_body: np.ndarray  # (F,)
    floor_local: Array  # (F, 3)
    floor_normal: Array  # (F, N, 3)
    floor_height: Array  # (F, N): normal · p must be at least this
    floor_weight: Array  # (F, N)
    limit_joint: np.ndarray  # (L,) joints held to their range
    limit_range: Array  # (L, 2)
    limit_weight: float


@njit(cache=True)
def right_jacobian(r, out):
    """J_r of the rotation vector r: exp(r + dr) = exp(r) exp(J_r dr), to first order."""
    t2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2]
    t = np.sqrt(t2)
    if t > 1e-4:
        a, b = (1.0 - np.cos(t)) / t2, (t - np.sin(t)) / (t2 * t)
    else:
        a, b = 0.5 - t2 / 24.0, 1.0 / 6.0 - t2 / 120.0
    x, y, z = r[0], r[1], r[2]
    out[0, 0], out[1, 1], out[2, 2] = 1.0 - b * (y * y + z * z), 1.0 - b * (x * x + z * z), 1.0 - b * (x * x + y * y)
    out[0, 1], out[1, 0] = a * z + b * x * y, -a * z + b * x * y
    out[0, 2], out[2, 0] = -a * y + b * x * z, a * y + b * x * z
    out[1, 2], out[2, 1] = a * x + b * y * z, -a * x + b * y * z


@njit(cache=True)
def chart_axes(kind, vadr, delta, spin, axis):
    """Turn the axes (N, nv, 3) of the degrees of freedom into those of the correction δ (N, nv), in place."""
    jac, old = np.empty((3, 3)), np.empty((3, 3))
    for n in range(delta.shape[0]):
        c, s = np.cos(spin[n]), np.sin(spin[n])
        for j in range(kind.shape[0]):
            d = vadr[j]
            if kind[j] == FREE:
                axis[n, d, 0], axis[n, d, 1] = c, s
                axis[n, d + 1, 0], axis[n, d + 1, 1] = -s, c
                d += 3
            if kind[j] == FREE or kind[j] == BALL:
                right_jacobian(delta[n, d : d + 3], jac)
                old[:] = axis[n, d : d + 3]
                for i in range(3):
                    for k in range(3):
                        axis[n, d + i, k] = jac[0, i] * old[0, k] + jac[1, i] * old[1, k] + jac[2, i] * old[2, k]


@njit(cache=True)
def _columns(point, moves, axis, anchor, index, jac):
    """Columns (m, 3) of a point's Jacobian for the active degrees that move it; gives their number."""
    count = 0
    for a in range(moves.shape[0]):
        if moves[a]:
            index[count] = a
            if np.isnan(anchor[a, 0]):
                jac[count] = axis[a]
            else:
                x, y, z = point[0] - anchor[a, 0], point[1] - anchor[a, 1], point[2] - anchor[a, 2]
                jac[count, 0] = axis[a, 1] * z - axis[a, 2] * y
                jac[count, 1] = axis[a, 2] * x - axis[a, 0] * z
                jac[count, 2] = axis[a, 0] * y - axis[a, 1] * x
            count += 1
    return count


@njit(cache=True)
def _add(index, jac, count, error, weight, gradient, hessian):
    """gradient += w Jᵀ e and the lower half of hessian += w Jᵀ J."""
    for a in range(count):
        i = index[a]
        u, v, s = weight * jac[a, 0], weight * jac[a, 1], weight * jac[a, 2]
        gradient[i] += u * error[0] + v * error[1] + s * error[2]
        for b in range(a + 1):
            hessian[i, index[b]] += u * jac[b, 0] + v * jac[b, 1] + s * jac[b, 2]


@njit(cache=True)
def _limit_error(ball, q, lo, hi, unit):
    """How far a joint is past its range [rad or m], signed; of a ball, `unit` becomes the axis of its turn."""
    if not ball:
        return min(0.0, q[0] - lo) + max(0.0, q[0] - hi)
    sign = 1.0 if q[0] >= 0.0 else -1.0
    s = np.sqrt(q[1] ** 2 + q[2] ** 2 + q[3] ** 2)
    for i in range(3):
        unit[i] = sign * q[1 + i] / s if s > 1e-9 else 0.0
    return max(0.0, 2.0 * np.arctan2(s, abs(q[0])) - hi)


@njit(cache=True)
def _points(terms, xpos, xquat, axis, anchor, moves, gradient, hessian, derive):
    index, jac = np.empty(moves.shape[1], np.int64), np.empty((moves.shape[1], 3))
    place, error, total = np.empty(3), np.empty(3), 0.0
    for t in range(terms.point_body.shape[0]):
        b = terms.point_body[t]
        for n in range(xpos.shape[0]):
            weight = terms.point_weight[t, n]
            if weight == 0.0:
                continue
            quat_rotate(xquat[n, b], terms.point_local[t], place)
            for i in range(3):
                place[i] += xpos[n, b, i]
                error[i] = place[i] - terms.point_goal[t, n, i]
                total += 0.5 * weight * error[i] * error[i]
            if derive:
                count = _columns(place, moves[b], axis[n], anchor[n], index, jac)
                _add(index, jac, count, error, weight, gradient[n], hessian[n])
    return total


@njit(cache=True)
def _floors(terms, xpos, xquat, axis, anchor, moves, gradient, hessian, derive):
    index, jac = np.empty(moves.shape[1], np.int64), np.empty((moves.shape[1], 3))
    place, error, total = np.empty(3), np.zeros(3), 0.0
    for t in range(terms.floor_body.shape[0]):
        b = terms.floor_body[t]
        for n in range(xpos.shape[0]):
            weight, normal = terms.floor_weight[t, n], terms.floor_normal[t, n]
            if weight == 0.0:
                continue
            quat_rotate(xquat[n, b], terms.floor_local[t], place)
            depth = -terms.floor_height[t, n]
            for i in range(3):
                place[i] += xpos[n, b, i]
                depth += normal[i] * place[i]
            if depth >= 0.0:
                continue
            total += 0.5 * weight * depth * depth
            if derive:
                count = _columns(place, moves[b], axis[n], anchor[n], index, jac)
                for a in range(count):
                    jac[a, 0] = normal[0] * jac[a, 0] + normal[1] * jac[a, 1] + normal[2] * jac[a, 2]
                    jac[a, 1], jac[a, 2] = 0.0, 0.0
                error[0] = depth
                _add(index, jac, count, error, weight, gradient[n], hessian[n])
    return total


@njit(cache=True)
def _turns(terms, xquat, axis, anchor, moves, gradient, hessian, derive):
    index, jac = np.empty(moves.shape[1], np.int64), np.empty((moves.shape[1], 3))
    turn, error, total = np.empty(3), np.empty(3), 0.0
    for t in range(terms.turn_body.shape[0]):
        b = terms.turn_body[t]
        for n in range(xquat.shape[0]):
            weight = terms.turn_weight[t, n]
            if weight == 0.0:
                continue
            quat_difference(terms.turn_goal[t, n], xquat[n, b], turn)
            total += 0.5 * weight * (turn[0] ** 2 + turn[1] ** 2 + turn[2] ** 2)
            if derive:
                # e = log(R Rₜᵀ) in world axes. As eᵀ J_l⁻¹(e) = eᵀ, the axes alone give the exact gradient
                quat_rotate(terms.turn_goal[t, n], turn, error)
                count = 0
                for a in range(moves.shape[1]):
                    if moves[b, a] and not np.isnan(anchor[n, a, 0]):
                        index[count] = a
                        jac[count] = axis[n, a]
                        count += 1
                _add(index, jac, count, error, weight, gradient[n], hessian[n])
    return total


@njit(cache=True)
def _limits(terms, layout, q, delta, active, gradient, hessian, derive):
    index, jac, where = np.empty(3, np.int64), np.zeros((3, 3)), np.full(delta.shape[1], -1)
    unit, error, right, total = np.empty(3), np.zeros(3), np.empty((3, 3)), 0.0
    for a in range(active.shape[0]):
        where[active[a]] = a
    for t in range(terms.limit_joint.shape[0]):
        j = terms.limit_joint[t]
        a, d, ball = layout.qadr[j], layout.vadr[j], layout.kind[j] == BALL
        for n in range(q.shape[0]):
            past = _limit_error(ball, q[n, a:], terms.limit_range[t, 0], terms.limit_range[t, 1], unit)
            if past == 0.0:
                continue
            total += 0.5 * terms.limit_weight * past * past
            if derive:
                if ball:
                    right_jacobian(delta[n, d : d + 3], right)
                for i in range(3 if ball else 1):
                    index[i] = where[d + i]
                    jac[i, 0] = right[0, i] * unit[0] + right[1, i] * unit[1] + right[2, i] * unit[2] if ball else 1.0
                error[0] = past
                _add(index, jac, 3 if ball else 1, error, terms.limit_weight, gradient[n], hessian[n])
    return total


@njit(cache=True)
def accumulate(terms, layout, q, delta, xpos, xquat, axis, anchor, moves, active, gradient, hessian, derive):
    """Value of all targets; with `derive`, adds their gradient (N, A) and the lower Gauss-Newton blocks (N, A, A).

    axis and anchor (N, A, 3), moves (B, A) and active (A,) speak of the active degrees of freedom alone.
    """
    total = _points(terms, xpos, xquat, axis, anchor, moves, gradient, hessian, derive)
    total += _floors(terms, xpos, xquat, axis, anchor, moves, gradient, hessian, derive)
    total += _turns(terms, xquat, axis, anchor, moves, gradient, hessian, derive)
    return total + _limits(terms, layout, q, delta, active, gradient, hessian, derive)


def at_frames(terms: Terms, kept: np.ndarray) -> Terms:
    """The same targets at some of the frames."""
    series = ("point_goal", "point_weight", "turn_goal", "turn_weight", "floor_normal", "floor_height", "floor_weight")
    return terms._replace(**{name: np.ascontiguousarray(getattr(terms, name)[:, kept]) for name in series})


def spun(layout: Layout, delta: Array, spin: Array) -> Array:
    """The tangent step (N, nv) of the correction δ (N, nv): its root translation turned into world axes."""
    if not np.any(spin) or not len(layout.kind) or layout.kind[0] != FREE:
        return delta
    out, d = delta.copy(), int(layout.vadr[0])
    c, s = np.cos(spin), np.sin(spin)
    out[:, d] = c * delta[:, d] - s * delta[:, d + 1]
    out[:, d + 1] = s * delta[:, d] + c * delta[:, d + 1]
    return out

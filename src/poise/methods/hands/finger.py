"""One finger, as kernels: where its links are, and the pose that puts its contact pairs together, (34)-(36).

All in the object's frame: R (3, 3) and p (3,) place the wrist there. A pair is a row of `PAIR` columns: the link, the
point p.h on it in the link's own axes, the point p.o on the object and the outward normal there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.kernels import njit
from poise.maths.distance import between_segments, to_segment
from poise.solve.dense import curved_step, normal_equations

LINK, HAND_POINT, OBJECT_POINT, NORMAL, PAIR = 0, 1, 4, 7, 10  # columns of a pair, and how many
ROWS = 104  # residuals of a finger at most


class Weights(NamedTuple):
    """What a pose is weighed by; lengths are weighed per metre, angles per radian."""

    position: float  # pairs together (34)
    facing: float  # the back of the phalanx looks away from the object (35)
    facing_least: float  # its cosine at least
    penetration: float
    gap: float  # the guided link at the surface
    apart: float  # fingers apart from one another
    keep: float  # the pose before
    rest: float  # a hand at ease
    couple: float  # the last joint bends with the one before it
    margin: float  # [m] kept from the object
    apart_margin: float  # [m] kept between fingers, and from the table


@njit(cache=True)
def place_links(F, f, q, R, p, turn, place, axes, points):
    """Axes (4, 3, 3) and origins (4, 3) of the links of finger f, axes (6, 3) and places (6, 3) of its joints."""
    r, x = np.empty((3, 3)), np.empty(3)
    for i in range(3):
        x[i] = p[i] + R[i, 0] * F.base[f, 0] + R[i, 1] * F.base[f, 1] + R[i, 2] * F.base[f, 2]
        for k in range(3):
            r[i, k] = R[i, 0] * F.turn[f, 0, k] + R[i, 1] * F.turn[f, 1, k] + R[i, 2] * F.turn[f, 2, k]
    link = 0
    for j in range(6):
        a, s = F.axis[f, j], F.sign[f, j]
        cos, sin = np.cos(q[j]), s * np.sin(q[j])
        u, v = (a + 1) % 3, (a + 2) % 3
        for i in range(3):
            axes[j, i], points[j, i] = s * r[i, a], x[i]
            ru, rv = r[i, u], r[i, v]
            r[i, u], r[i, v] = cos * ru + sin * rv, cos * rv - sin * ru
        if F.last[f, link] == j:
            for i in range(3):
                place[link, i] = x[i]
                x[i] += r[i, 0] * F.step[f, j]
                for k in range(3):
                    turn[link, i, k] = r[i, k]
            link += 1


@njit(cache=True)
def _lever(axes, points, j, x, nx, ny, nz):
    """How the point x moves along (nx, ny, nz) with joint j."""
    rx, ry, rz = x[0] - points[j, 0], x[1] - points[j, 1], x[2] - points[j, 2]
    return (
        (axes[j, 1] * rz - axes[j, 2] * ry) * nx
        + (axes[j, 2] * rx - axes[j, 0] * rz) * ny
        + (axes[j, 0] * ry - axes[j, 1] * rx) * nz
    )


@njit(cache=True)
def _pair_rows(F, f, pairs, count, W, turn, place, axes, points, x, res, J):
    """Pairs together (34), and backs of phalanges away from the object (35); gives how many rows there are."""
    n = 0
    for m in range(count):
        link = int(pairs[m, LINK])
        for i in range(3):
            x[i] = place[link, i]
            for k in range(3):
                x[i] += turn[link, i, k] * pairs[m, HAND_POINT + k]
        for i in range(3):
            res[n + i] = W.position * (x[i] - pairs[m, OBJECT_POINT + i])
        for j in range(F.last[f, link] + 1):
            J[n, j] = W.position * _lever(axes, points, j, x, 1.0, 0.0, 0.0)
            J[n + 1, j] = W.position * _lever(axes, points, j, x, 0.0, 1.0, 0.0)
            J[n + 2, j] = W.position * _lever(axes, points, j, x, 0.0, 0.0, 1.0)
        n += 3
        n0, n1, n2 = pairs[m, NORMAL], pairs[m, NORMAL + 1], pairs[m, NORMAL + 2]
        bx, by, bz = turn[link, 0, 2], turn[link, 1, 2], turn[link, 2, 2]
        cosine = bx * n0 + by * n1 + bz * n2
        if cosine < W.facing_least and W.facing > 0:
            res[n] = W.facing * (W.facing_least - cosine)
            for j in range(F.last[f, link] + 1):
                ux, uy, uz = axes[j, 0], axes[j, 1], axes[j, 2]
                J[n, j] = -W.facing * ((uy * bz - uz * by) * n0 + (uz * bx - ux * bz) * n1 + (ux * by - uy * bx) * n2)
            n += 1
    return n


@njit(cache=True)
def _object_rows(F, solid, f, link, guided, W, axes, points, a, b, g, x, res, J, n):
    """A link (its axis from a to b) out of the object, and the guided one at it; gives rows and the nearest gap [m]."""
    radius, nearest = F.radius[f, link], 1e3
    for k in range(solid.kind.shape[0]):
        if n > ROWS - 20:
            break
        d, s = to_segment(solid, k, a, b, radius + 0.004, g)
        d -= radius
        nearest = min(nearest, d)
        weight = 0.0
        if d < W.margin:
            weight = W.penetration
        elif link == guided and W.gap > 0 and solid.kind.shape[0] == 1 and d < 0.0039:
            weight = W.gap
        if weight > 0.0:
            res[n] = weight * (W.margin - d)
            for i in range(3):
                x[i] = a[i] + s * (b[i] - a[i])
            for j in range(F.last[f, link] + 1):
                J[n, j] = -weight * _lever(axes, points, j, x, g[0], g[1], g[2])
            n += 1
    return n, nearest


@njit(cache=True)
def _table_rows(F, plane, f, link, W, axes, points, a, b, x, res, J, n):
    """Both ends of a link above the table; gives rows and the deepest penetration [m]."""
    radius, deepest = F.radius[f, link], 0.0
    for e in range(2):
        x[:] = a if e == 0 else b
        d = x[0] * plane[0] + x[1] * plane[1] + x[2] * plane[2] - plane[3] - radius
        if d < W.apart_margin and n < ROWS - 20:
            res[n] = W.penetration * (W.apart_margin - d)
            for j in range(F.last[f, link] + 1):
                J[n, j] = -W.penetration * _lever(axes, points, j, x, plane[0], plane[1], plane[2])
            n += 1
            deepest = max(deepest, -d)
    return n, deepest


@njit(cache=True)
def _beside_rows(F, f, link, others, known, W, axes, points, a, b, c1, c2, res, J, n):
    """A link apart from the capsules (known, 7) of other fingers and stands; gives how many rows there are."""
    radius = F.radius[f, link]
    for o in range(known):
        if n > ROWS - 20:
            break
        both, away = radius + others[o, 6], 0.0
        for i in range(3):
            away += (0.5 * (a[i] + b[i]) - 0.5 * (others[o, i] + others[o, 3 + i])) ** 2
        if away > (both + 0.055) ** 2:
            continue
        d = between_segments(a, b, others[o, :3], others[o, 3:6], c1, c2)
        if d - both < W.apart_margin:
            res[n] = W.apart * (W.apart_margin - d + both)
            nx, ny, nz = (c1[0] - c2[0]) / (d + 1e-9), (c1[1] - c2[1]) / (d + 1e-9), (c1[2] - c2[2]) / (d + 1e-9)
            for j in range(F.last[f, link] + 1):
                J[n, j] = -W.apart * _lever(axes, points, j, c1, nx, ny, nz)
            n += 1
    return n


@njit(cache=True)
def _ease_rows(f, q, before, rest, count, W, res, J, n):
    """Near the pose before and the hand at ease, the last joint bent with the one before; gives how many rows."""
    ease = W.rest if count > 0 else 4.0 * W.rest
    for j in range(6):
        res[n], J[n, j] = W.keep * (q[j] - before[j]), W.keep
        res[n + 1], J[n + 1, j] = ease * (q[j] - rest[j]), ease
        n += 2
    if f > 0:
        res[n], J[n, 5], J[n, 4] = W.couple * (q[5] - 0.67 * q[4]), W.couple, -0.67 * W.couple
        n += 1
    return n


@njit(cache=True)
def residuals(
    F, solid, plane, f, q, R, p, pairs, count, before, rest, others, known, W, turn, place, axes, points, res, J
):
    """Fill res and J (ROWS, 6) at the pose q (6,); gives how many, the deepest penetration [m] and the guide's gap [m].

    plane (4,): unit normal and height of the table in the object's frame; others (known, 7): capsules of other fingers.
    """
    place_links(F, f, q, R, p, turn, place, axes, points)
    deepest, gap = 0.0, 1e3
    g, a, b, x, c1, c2 = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    J[:, :] = 0.0
    n = _pair_rows(F, f, pairs, count, W, turn, place, axes, points, x, res, J)
    guided = int(pairs[0, LINK]) if count > 0 else -1
    for link in range(F.links[f]):
        for i in range(3):
            a[i] = place[link, i] + turn[link, i, 0] * F.begin[f, link]
            b[i] = place[link, i] + turn[link, i, 0] * F.end[f, link]
        n, nearest = _object_rows(F, solid, f, link, guided, W, axes, points, a, b, g, x, res, J, n)
        deepest = max(deepest, -nearest)
        if link == guided:
            gap = nearest
        n, under = _table_rows(F, plane, f, link, W, axes, points, a, b, x, res, J, n)
        deepest = max(deepest, under)
        if link > 0:  # bases of fingers lie in one another
            n = _beside_rows(F, f, link, others, known, W, axes, points, a, b, c1, c2, res, J, n)
    n = _ease_rows(f, q, before, rest, count, W, res, J, n)
    return n, deepest, gap


@njit(cache=True)
def _squares(res, n):
    """Sum of the squares of the first n residuals."""
    cost = 0.0
    for i in range(n):
        cost += res[i] * res[i]
    return cost


@njit(cache=True)
def _free_joints(q, low, high, grad, free):
    """Joints that are not pressed against a bound, into free; gives how many."""
    m = 0
    for j in range(6):
        if not ((q[j] <= low[j] + 1e-10 and grad[j] > 0) or (q[j] >= high[j] - 1e-10 and grad[j] < 0)):
            free[m] = j
            m += 1
    return m


@njit(cache=True)
def _moved(q, low, high, free, m, dq, trial):
    """The pose after a step dq of the free joints, within bounds, into trial; gives the longest move [rad]."""
    moved = 0.0
    trial[:] = q
    for i in range(m):
        j = free[i]
        trial[j] = min(max(q[j] + dq[i], low[j]), high[j])
        moved = max(moved, abs(trial[j] - q[j]))
    return moved


@njit(cache=True)
def reach(F, solid, plane, f, q, low, high, R, p, pairs, count, before, rest, others, known, W, most):
    """Move q (6,) to the pose of (34)-(36): the least squares of `residuals` within [low, high], by Levenberg-
    Marquardt.

        min |f(q, p.h) - p.o|²   subject to   g(q, p.h)·n(p.o) >= 0,   |q - q^(t-1)| <= δq

    Departures: the bound on the back of the phalanx, penetration and other fingers are penalties of the same problem,
    where the thesis solves for the pair first and then for the deepest penetration, again and again.
    Gives the cost, how far the first pair is apart along the surface [m], the deepest penetration and the guide's gap.
    """
    turn, place, axes, points = np.empty((4, 3, 3)), np.empty((4, 3)), np.empty((6, 3)), np.empty((6, 3))
    res, J, res2, J2 = np.empty(ROWS), np.empty((ROWS, 6)), np.empty(ROWS), np.empty((ROWS, 6))
    H, A, grad, rhs, dq, trial = np.empty((6, 6)), np.empty((6, 6)), np.empty(6), np.empty(6), np.empty(6), np.empty(6)
    free = np.empty(6, np.int64)
    for j in range(6):
        q[j] = min(max(q[j], low[j]), high[j])
    n, deep, gap = residuals(
        F, solid, plane, f, q, R, p, pairs, count, before, rest, others, known, W, turn, place, axes, points, res, J
    )
    cost, lift = _squares(res, n), 1e-2
    for _ in range(most):
        normal_equations(J, res, n, H, grad)
        m = _free_joints(q, low, high, grad, free)
        better, moved, gained = False, 0.0, 0.0
        for _ in range(6):
            if m == 0:
                break
            if not curved_step(H, grad, free, m, lift, A, rhs, dq):
                lift *= 10.0
                continue
            moved = _moved(q, low, high, free, m, dq, trial)
            n2, deep2, gap2 = residuals(
                F, solid, plane, f, trial, R, p, pairs, count, before, rest, others, known, W, turn, place, axes,
                points, res2, J2,
            )  # fmt: skip
            cost2 = _squares(res2, n2)
            if cost2 < cost:
                better = True
                gained, cost, n, deep, gap = cost - cost2, cost2, n2, deep2, gap2
                break
            lift = max(5.0 * lift, 1e-4)
            if lift > 1e6:
                break
        if not better:
            break
        q[:] = trial
        res, res2 = res2, res
        J, J2 = J2, J
        lift = max(0.2 * lift, 1e-7)
        if moved < 3e-5 or gained < 1e-5 * (cost + 1e-3):
            break
    return cost, deep, gap


@njit(cache=True)
def pair_slip(F, f, q, R, p, pairs, count, slip):
    """How far each pair is apart along the surface [m], into slip (count,)."""
    turn, place, axes, points = np.empty((4, 3, 3)), np.empty((4, 3)), np.empty((6, 3)), np.empty((6, 3))
    place_links(F, f, q, R, p, turn, place, axes, points)
    for m in range(count):
        link, off, along = int(pairs[m, LINK]), 0.0, 0.0
        for i in range(3):
            x = place[link, i] - pairs[m, OBJECT_POINT + i]
            for k in range(3):
                x += turn[link, i, k] * pairs[m, HAND_POINT + k]
            off += x * x
            along += x * pairs[m, NORMAL + i]
        slip[m] = np.sqrt(max(off - along * along, 0.0))

"""Touching points and their friction cones (section 4.3): f = V λ with λ >= 0, four facets a point.

The points are those of the character (the corners of its feet) that the simulator reports as touching; a reported
contact belongs to the nearest point of its body.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.kernels import njit
from poise.maths.rotations import Array
from poise.take.record import BILATERAL, BODY, NORMAL, OTHER, POINT

FACETS = 4
_LOW = 0.015  # [m] up to which a point counts as hardly lifted
_UPRIGHT = 0.5  # a contact whose normal rises less is a wall, a ball or a kerb: nothing to stand on


class Cones(NamedTuple):
    """K points to stand on."""

    which: np.ndarray  # (K,) which contact points of the character
    place: Array  # (K, 3) world [m]
    normal: Array  # (K, 3)
    basis: Array  # (K, 3, 4) unit vectors along the edges of the pyramid
    gap: Array  # (K,) [m] above the ground, 0 for points that touch


class Soles(NamedTuple):
    """Whose each of the P contact points is."""

    bodies: np.ndarray  # (P,)
    sides: np.ndarray  # (P,) 0: of the left foot, 1: of the right, -1: of neither
    beside: np.ndarray  # (P, P) bool: points of one body beside each other, as the two corners of a heel
    left: np.ndarray  # points of the left foot
    right: np.ndarray  # and of the right one


class Known(NamedTuple):
    """What is remembered of each of the P contact points."""

    last: Array  # (P,) [s] when it last touched
    normal: Array  # (P, 3) of the ground where it last touched
    bumped: np.ndarray  # (P,) bool: it touches what cannot be stood on
    level: Array  # (P,) [m] along its normal where it last touched, -inf before that
    high: Array  # (P,) [m] along its normal where it was at the last plan


def nothing_known(count: int) -> Known:
    """Memory of points before the first plan."""
    return Known(last=np.full(count, -np.inf), normal=np.tile([0.0, 0.0, 1.0], (count, 1)),
                 bumped=np.zeros(count, bool), level=np.full(count, -np.inf), high=np.full(count, np.inf))  # fmt: skip


@njit(cache=True)
def touched(table, ground, bodies, points, normal, bumped, on):
    """Mark in `on` (P,) the points that touch something to stand on; `normal` (P, 3) gets their normals.

    Points that touch what cannot be stood on (the side of a block) are marked in `bumped` (P,).

    `table` (K, 18) are the simulator's touches, with the columns of `poise.take.CONTACT_COLUMNS`; `ground` (labels,)
    says which labels may be stood on.
    """
    on[:] = False
    bumped[:] = False
    for k in range(table.shape[0]):
        row = table[k]
        if not ground[int(row[OTHER])] or row[BILATERAL] != 0.0:
            continue
        nearest, least = -1, 1e9
        for p in range(bodies.shape[0]):
            if bodies[p] == int(row[BODY]):
                far = 0.0
                for i in range(3):
                    far += (points[p, i] - row[POINT + i]) ** 2
                if far < least:
                    nearest, least = p, far
        if nearest >= 0 and row[NORMAL + 2] < _UPRIGHT:
            bumped[nearest] = True
        elif nearest >= 0:
            if not on[nearest]:
                normal[nearest] = 0.0
            on[nearest] = True
            for i in range(3):
                normal[nearest, i] += row[NORMAL + i]
    for p in range(on.shape[0]):
        if on[p]:
            size = np.sqrt(normal[p, 0] ** 2 + normal[p, 1] ** 2 + normal[p, 2] ** 2)
            for i in range(3):
                normal[p, i] /= max(size, 1e-12)


@njit(cache=True)
def within(points, bodies, skin, risen, known, on):
    """Mark in `on` (P,) also the points that are less than `skin` [m] above the ground that is known under them.

    That is what another point of the same body touches, or else what the point itself touched last, unless it has
    risen by more than `risen` [m] since it was asked before: then it leaves. `known` keeps how high along its normal
    each point last touched, and was when asked.
    """
    normal, level, high, was = known.normal, known.level, known.high, on.copy()
    for p in range(on.shape[0]):
        stands = False
        for o in range(on.shape[0]):
            if was[o] and bodies[o] == bodies[p]:
                stands = True
                if o == p or not was[p]:
                    normal[p] = normal[o]
                    level[p] = normal[o, 0] * points[o, 0] + normal[o, 1] * points[o, 1] + normal[o, 2] * points[o, 2]
        height = normal[p, 0] * points[p, 0] + normal[p, 1] * points[p, 1] + normal[p, 2] * points[p, 2]
        on[p] |= height - level[p] < skin and (stands or height - high[p] < risen)
        high[p] = height


@njit(cache=True)
def gaps(use, points, known, skin, out):
    """How high (P,) [m] the points in use are above where they last touched, from 0 to `skin`, into `out`."""
    normal, level = known.normal, known.level
    for p in range(use.shape[0]):
        if use[p]:
            height = normal[p, 0] * points[p, 0] + normal[p, 1] * points[p, 1] + normal[p, 2] * points[p, 2]
            out[p] = min(max(height - level[p], 0.0), skin)


@njit(cache=True)
def feet(marks, sides):
    """Which feet (2,) have a point that is marked (P,); `sides` (P,) says whose each point is, -1 for nobody's."""
    out = np.zeros(2, np.bool_)
    for p in range(marks.shape[0]):
        if marks[p] and sides[p] >= 0:
            out[sides[p]] = True
    return out


@njit(cache=True)
def lowest(points, sides):
    """The height [m] of the lowest point (P, 3) of a foot, 0 where there is none."""
    low = np.inf
    for p in range(sides.shape[0]):
        if sides[p] >= 0:
            low = min(low, points[p, 2])
    return low if low < np.inf else 0.0


@njit(cache=True)
def misplaced(points, goal, touching, due, sides, left, right, out):
    """How far (3,) the points that touch and should are from where the reference has them, into `out`.

    The means over the feet count by their weights `left` and `right`; other points are used where no foot is. False
    for no point.
    """
    away, count = np.zeros((3, 3)), np.zeros(3)  # of both feet and of all else
    for p in range(sides.shape[0]):
        if touching[p] and due[p]:
            count[sides[p]] += 1.0
            for i in range(3):
                away[sides[p], i] += points[p, i] - goal[p, i]
    if count.sum() == 0.0:
        return False
    whole = 0.0
    out[:] = 0.0
    for s in range(3):
        if count[s] > 0.0 and (s < 2 or whole == 0.0):
            share = left if s == 0 else right if s == 1 else 1.0
            whole += share
            for i in range(3):
                out[i] += share * away[s, i] / count[s]
    for i in range(3):
        out[i] /= whole
    return True


@njit(cache=True)
def scheduled(sole, soles, due, touching, points, goal, reach, normal, use, gap):
    """Mark in `use` (P,) the points of one foot that push, and put into `gap` (P,) how far [m] they are from touching.

    `sole` are the points of the foot; `points` and `goal` (P, 3) [m] where all are and where the reference has them.

    Of a foot that should stand and touches: the points that the reference stands on (`due`) and that are down, or
    nearly and on a body that is; and those beside them that touch and that the reference has hardly lifted. Where there
    are none, those that touch. All take the normal of the first that touches.
    """
    first, low, some = -1, 1e9, False
    for p in sole:
        if touching[p] and first < 0:
            first = p
        if due[p]:
            low = min(low, goal[p, 2])
    if first < 0 or low > 1e8:
        return
    n = normal[first].copy()
    for p in sole:
        above, grounded, mine = 0.0, False, due[p]
        for i in range(3):
            above += n[i] * (points[p, i] - points[first, i])
        for o in sole:
            grounded |= touching[o] and soles.bodies[o] == soles.bodies[p]  # loose toes in the air cannot push
            mine |= touching[p] and due[o] and soles.beside[p, o] and goal[p, 2] - low < _LOW
        use[p] = mine and (touching[p] or (grounded and above < reach))
        some |= use[p]
        gap[p] = 0.0 if touching[p] else max(above, 0.0)
        normal[p] = n
    if not some:
        for p in sole:
            use[p] = touching[p]


@njit(cache=True)
def stamp(on, time, last):
    """Note the time [s] in `last` (P,) for the points that are marked in `on` (P,)."""
    for p in range(on.shape[0]):
        if on[p]:
            last[p] = time


@njit(cache=True)
def tilt(normal, sides, standing, out):
    """The sum (3,) of the normals under the standing feet, each by its first point, into `out`."""
    out[:] = 0.0
    for side in range(2):
        for p in range(sides.shape[0]):
            if standing[side] and sides[p] == side:
                out += normal[p]
                break


@njit(cache=True)
def lately(last, since, use):
    """Mark in `use` (P,) the points that touched after `since` [s]; `last` (P,) [s] is when each did."""
    for p in range(last.shape[0]):
        use[p] = last[p] >= since


@njit(cache=True)
def scheduled_of_both(soles, flat, due, points, goal, reach, normal, use, gap):
    """`scheduled` for both soles; `use` (P,) are the points that touch before and those that push after.

    A sole that is set down flat (`flat` (2,) above 0.5) stands on all its points.
    """
    touching = use.copy()
    use[:] = False
    gap[:] = 0.0
    for side in range(2):
        sole = soles.left if side == 0 else soles.right
        if flat[side] > 0.5:
            some = False
            for p in sole:
                some |= due[p]
            for p in sole:
                due[p] = some
        scheduled(sole, soles, due, touching, points, goal, reach, normal, use, gap)


@njit(cache=True)
def cones(use, gap, points, bodies, normal, friction, shrink):
    """The `Cones` of the points (P, 3) marked in `use` (P,), `gap` (P,) [m] above the ground: f = V λ, λ >= 0.

    The columns of V are (n ± μ t) / √(1 + μ²), with one tangent t along x, the other one across.

    With three or more points on a body the places are drawn towards their middle by the share `shrink`: a foot loaded
    on its very edge is about to tip.
    """
    count = 0
    for p in range(use.shape[0]):
        count += use[p]
    index, place, up = np.empty(count, np.int64), np.empty((count, 3)), np.empty((count, 3))
    basis, above = np.empty((count, 3, FACETS)), np.empty(count)
    k = 0
    for p in range(use.shape[0]):
        if not use[p]:
            continue
        middle, mates = np.zeros(3), 0
        for o in range(use.shape[0]):
            if use[o] and bodies[o] == bodies[p]:
                mates += 1
                middle += points[o]
        share = shrink if mates >= 3 else 0.0
        index[k], above[k] = p, gap[p]
        place[k] = points[p] + share * (middle / mates - points[p])
        n = normal[p]
        up[k] = n
        # one tangent along x, the other one across
        a = np.array([1.0 - n[0] * n[0], -n[0] * n[1], -n[0] * n[2]])
        a /= np.sqrt(a[0] ** 2 + a[1] ** 2 + a[2] ** 2)
        b = np.array([n[1] * a[2] - n[2] * a[1], n[2] * a[0] - n[0] * a[2], n[0] * a[1] - n[1] * a[0]])
        size = np.sqrt(1.0 + friction * friction)
        for i in range(3):
            basis[k, i, 0] = (n[i] + friction * a[i]) / size
            basis[k, i, 1] = (n[i] - friction * a[i]) / size
            basis[k, i, 2] = (n[i] + friction * b[i]) / size
            basis[k, i, 3] = (n[i] - friction * b[i]) / size
        k += 1
    return Cones(which=index, place=place, normal=up, basis=basis, gap=above)

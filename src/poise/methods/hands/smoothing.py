"""From a path of nodes to a smooth motion: the spacetime problem (41), and the approach before the first contact.

    min Σ_t E₁ + w E₂   subject to   f(q^(t), p.h^(t)) = p.o^(t)

E₁ are the joints' accelerations and speeds, E₂ the hand at ease and the last joints bending together.

Departures: the pairs are weighed heavily instead of being constraints, and those of the frame before are kept as
well, so that
a contact that stays does not slip. Penetration of the object, the table and other fingers is in the same problem,
where the thesis repairs it afterwards (5.5.2). One finger after the other, twice. The approach is made by going back
in time from the first contact to an open hand: straight interpolation would go through the object.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from poise.character.library.hand import Fingers
from poise.kernels import njit
from poise.maths.distance import onto_surface
from poise.maths.rotations import Array
from poise.methods.hands.finger import (
    HAND_POINT,
    NORMAL,
    OBJECT_POINT,
    PAIR,
    ROWS,
    Weights,
    place_links,
    reach,
    residuals,
)
from poise.methods.hands.node import FREE, Node, as_pair, sliding
from poise.methods.hands.pose_test import FINGER, HAND, LINK, capsules
from poise.methods.hands.problem import Problem
from poise.methods.hands.windows import open_pose
from poise.solve.gauss_newton import Normal, Settings, minimise

KEPT = 8  # pairs of a finger in a frame at most
CLEAR = 2.5e-3  # [m] that a finger keeps from the object on its way, since it moves between frames too
ARRIVING = 4  # frames before its first contact in which it comes closer
ALIKE = 4  # frames to either side over which a finger without a load comes to bend as those with one
FASTEST = 5.5  # [rad/s] above which a joint's speed costs
_LIMIT, _SPEED = 300.0, 60.0  # weights of limits and of speed beyond the fastest [1/rad]


@njit(cache=True)
def _linearise(
    F, solid, plane, f, Q, R, p, pairs, count, rest, others, known, W, clear, coming, jerk, drift, fastest, grad, bands
):
    """Cost of one finger's motion Q (T, 6), with gradient (T, 6) and bands (3, T, 6, 6) of (41).

    Weights are W, and `clear` in the first `coming` frames, in which the finger is on its way.
    """
    turn, place, axes, points = np.empty((4, 3, 3)), np.empty((4, 3)), np.empty((6, 3)), np.empty((6, 3))
    res, J = np.empty(ROWS), np.empty((ROWS, 6))
    cost = 0.0
    grad[:], bands[:] = 0.0, 0.0
    for t in range(Q.shape[0]):
        weights = clear if t < coming else W
        n, _, _ = residuals(
            F, solid, plane[t], f, Q[t], R[t], p[t], pairs[t], count[t], Q[t], rest[t], others[t], known, weights,
            turn, place, axes, points, res, J,
        )  # fmt: skip
        cost = _add_frame(F, f, Q[t], res, J, n, grad[t], bands[0, t], cost)
    return 0.5 * _add_motion(Q, jerk * jerk, drift * drift, fastest, grad, bands, cost)


@njit(cache=True)
def _add_frame(F, f, q, res, J, n, grad, block, cost):
    """Add the residuals of a frame, and what joints are beyond their limits; gives the cost so far."""
    for k in range(n):
        cost += res[k] * res[k]
        for i in range(6):
            grad[i] += J[k, i] * res[k]
            for j in range(6):
                block[i, j] += J[k, i] * J[k, j]
    for j in range(6):
        over = min(q[j] - F.low[f, j], 0.0) + max(q[j] - F.high[f, j], 0.0)
        if over != 0.0:
            cost += (_LIMIT * over) ** 2
            grad[j] += _LIMIT**2 * over
            block[j, j] += _LIMIT**2
    return cost


@njit(cache=True)
def _add_motion(Q, a, b, fastest, grad, bands, cost):
    """Add E₁: accelerations weighed by a, speeds by b, and speeds beyond the fastest; gives the cost so far."""
    for t in range(Q.shape[0] - 1):
        for j in range(6):
            d = Q[t + 1, j] - Q[t, j]
            w, off = b, d * b
            cost += b * d * d
            over = min(d + fastest, 0.0) + max(d - fastest, 0.0)
            if over != 0.0:
                cost += (_SPEED * over) ** 2
                w, off = w + _SPEED**2, off + _SPEED**2 * over
            grad[t, j] -= off
            grad[t + 1, j] += off
            bands[0, t, j, j] += w
            bands[0, t + 1, j, j] += w
            bands[1, t, j, j] -= w
            if t > 0:
                c = Q[t + 1, j] - 2 * Q[t, j] + Q[t - 1, j]
                cost += a * c * c
                grad[t - 1, j] += a * c
                grad[t, j] -= 2 * a * c
                grad[t + 1, j] += a * c
                bands[0, t - 1, j, j] += a
                bands[0, t, j, j] += 4 * a
                bands[0, t + 1, j, j] += a
                bands[1, t - 1, j, j] -= 2 * a
                bands[1, t, j, j] -= 2 * a
                bands[2, t - 1, j, j] += a
    return cost


class _Finger:
    """The spacetime problem of one finger, for `minimise`."""

    def __init__(self, fixed: tuple, shape: tuple[int, int]):
        self.fixed, self.grad, self.bands = fixed, np.empty(shape), np.empty((3, *shape, 6))
        self.at, self.value = np.full(shape, np.nan), 0.0

    def _fill(self, x: Array) -> float:
        if np.array_equal(x, self.at):
            return self.value
        first, rest = self.fixed[:4], self.fixed[4:]
        self.value = _linearise(*first, x, *rest, self.grad, self.bands)
        self.at = x.copy()
        return self.value

    def cost(self, x: Array) -> float:
        return self._fill(x)

    def normal(self, x: Array) -> Normal:
        cost = self._fill(x)
        return Normal(cost, self.grad.copy(), self.bands.copy())


def kept_pairs(problem: Problem, path: list[Node], h: int, f: int, follow: bool = False) -> tuple[Array, np.ndarray]:
    """Pairs (T, KEPT, PAIR) of loaded contacts of a finger, and how many; those that stay are kept a frame longer.

    With `follow` those that slide when they let go slide on for a frame, as in the search: else they may leave the
    other way, against their friction. The little that a contact slipped from frame to frame in the search is taken back
    as long as it stays, so that it rolls and does not creep.
    """
    T, mu = problem.frames, problem.scene.friction
    pairs, count = np.zeros((T, KEPT, PAIR)), np.zeros(T, np.int64)
    crept: dict[int, tuple[int, Array, Array]] = {}  # of each link: frame, last pair, what is taken back so far

    def add(t: int, pair: Array) -> None:
        if 0 <= t < T and count[t] < KEPT:
            pairs[t, count[t]] = pair
            count[t] += 1

    slid = [sliding(a, b.intent, mu) for a, b in pairwise(path)]  # into the frames after the first
    for node, after, came, goes in zip(path, [*path[1:], None], [{}, *slid], [*slid, {}], strict=True):
        kinds = node.kinds(mu)
        for k in np.flatnonzero((node.contacts[:, HAND] == h) & (node.contacts[:, FINGER] == f) & (kinds != FREE)):
            pair, link = as_pair(node.contacts[k]), int(node.contacts[k, LINK])
            before, last, back = crept.get(link, (-2, pair, np.zeros(3)))
            if before != node.t - 1:
                back = np.zeros(3)
            elif (h, f, link) not in came:
                back = back - _slipped(problem, h, f, node, last)
            crept[link] = node.t, pair, back
            taken = pair.copy()
            taken[OBJECT_POINT : OBJECT_POINT + 3] += back - (back @ pair[NORMAL:]) * pair[NORMAL:]
            onto_surface(problem.solid, taken[OBJECT_POINT : OBJECT_POINT + 3], taken[NORMAL:])
            add(node.t, taken)
            if before != node.t - 1:
                add(node.t - 1, taken)  # it is there and at rest when it begins to carry
            if (h, f, link) not in goes:
                add(node.t + 1, taken)
            elif follow and after is not None:
                for row in _let_go(after, h, f, link, mu):
                    add(node.t + 1, as_pair(row))
    return pairs, count


def _let_go(node: Node, h: int, f: int, link: int, mu: float) -> Array:
    """Contacts (n, CONTACT) of a link in a node that carry nothing there."""
    own = (node.contacts[:, HAND] == h) & (node.contacts[:, FINGER] == f) & (node.contacts[:, LINK] == link)
    return node.contacts[own & (node.kinds(mu) == FREE)]


def _slipped(problem: Problem, h: int, f: int, node: Node, pair: Array) -> Array:
    """(3,) [m] by which a pair of the frame before has come apart along the surface."""
    F, t = problem.hands[h], node.t
    turn, place, axes, points = np.empty((4, 3, 3)), np.empty((4, 3)), np.empty((6, 3)), np.empty((6, 3))
    place_links(F, f, node.q[h, f], problem.turn[h, t], problem.place[h, t], turn, place, axes, points)
    link, n = int(pair[0]), pair[NORMAL:]
    off = place[link] + turn[link] @ pair[HAND_POINT : HAND_POINT + 3] - pair[OBJECT_POINT : OBJECT_POINT + 3]
    return off - (off @ n) * n


def first_motion(problem: Problem, path: list[Node], window: np.ndarray, W: Weights) -> Array:
    """(H, T, 5, 6) the poses of the path, with the approach of each finger before its first contact."""
    T, H = problem.frames, len(problem.hands)
    Q = np.zeros((H, T, 5, 6))
    for node in path:
        Q[:, node.t] = node.q
    calm = W._replace(keep=0.2, rest=0.25, margin=1e-3, apart_margin=4e-4)
    caps, step = np.zeros((5, 4, 7)), FASTEST / problem.scene.fps * 0.8
    nothing = np.zeros((1, PAIR))
    for h, F in enumerate(problem.hands):
        begin = np.where(window[h, :, 0] < T, window[h, :, 0], -1)
        for f in np.flatnonzero(begin < 0):
            first = path[0].t
            Q[h, :first, f] = Q[h, first, f]
        for t in range(int(begin.max(initial=0)) - 1, -1, -1):
            coming = [f for f in range(5) if begin[f] > t or (begin[f] < 0 and t < path[0].t)]
            capsules(F, Q[h, t + 1], problem.turn[h, t], problem.place[h, t], caps)
            for f in coming:
                before = Q[h, t + 1, f]
                q = before.copy()
                beside = np.concatenate([*(caps[g, 1 : F.links[g]] for g in range(5) if g != f), problem.stands[t]])
                reach(
                    F,
                    problem.solid,
                    problem.plane[t],
                    f,
                    q,
                    np.maximum(F.low[f], before - step),
                    np.minimum(F.high[f], before + step),
                    problem.turn[h, t],
                    problem.place[h, t],
                    nothing,
                    0,
                    before,
                    open_pose(F)[f],
                    np.ascontiguousarray(beside),
                    len(beside),
                    calm,
                    30,
                )
                Q[h, t, f] = q
    return Q


def smooth(
    problem: Problem, path: list[Node], window: np.ndarray, Q: Array, W: Weights, jerk: float = 25.0, rounds: int = 2,
    follow: bool = False,
) -> Array:  # fmt: skip
    """(H, T, 5, 6) the motion of (41) from a first one; `jerk` weighs E₁, window (H, 5, 2) the contact windows.

    `follow` as in `kept_pairs`.
    """
    T, H = problem.frames, len(problem.hands)
    Q = Q.copy()
    held = W._replace(
        position=6e3,
        facing=0.0,
        gap=0.0,
        keep=0.0,
        rest=0.05,
        couple=0.2,
        margin=1e-4,
        apart_margin=1.5e-4,
        penetration=1.2e4,
        apart=6e3,
    )
    clear = held._replace(margin=CLEAR)
    kept = [[kept_pairs(problem, path, h, f, follow) for f in range(5)] for h in range(H)]
    caps = np.zeros((H, T, 5, 4, 7))
    for h in range(H):
        _all_capsules(problem.hands[h], Q[h], problem.turn[h], problem.place[h], caps[h])
    settings = Settings(iterations=9, gain=1e-4, step=1e-4, damping=1e-3, longest=0.3)
    for _ in range(rounds):
        for h, F in enumerate(problem.hands):
            loaded = np.array([count for _, count in kept[h]])
            for f in range(5):
                beside = _beside(problem, caps, h, f)
                coming = min(int(window[h, f, 0]), path[0].t) - ARRIVING
                motion = _Finger(
                    (
                        F, problem.solid, problem.plane, f, problem.turn[h], problem.place[h], *kept[h][f],
                        _at_ease(F, f, Q[h], loaded), beside, beside.shape[1], held, clear, coming, jerk, 3.0,
                        FASTEST / problem.scene.fps,
                    ),
                    (T, 6),
                )  # fmt: skip
                Q[h, :, f] = np.clip(minimise(motion, Q[h, :, f], settings=settings).x, F.low[f], F.high[f])
            _all_capsules(F, Q[h], problem.turn[h], problem.place[h], caps[h])
    return Q


def _beside(problem: Problem, caps: Array, h: int, f: int) -> Array:
    """(T, K, 7) capsules that a finger keeps apart from: other fingers of its hand, the other hand, stands."""
    own = [caps[h, :, g, 1 : problem.hands[h].links[g]] for g in range(5) if g != f]
    other = [caps[o, :, g, : hand.links[g]] for o, hand in enumerate(problem.hands) if o != h for g in range(5)]
    return np.ascontiguousarray(np.concatenate([*own, *other, problem.stands], axis=1))


def _at_ease(F: Fingers, f: int, Q: Array, loaded: np.ndarray) -> Array:
    """(T, 6) [rad] what a finger would like: the hand at ease, and bent as the fingers that carry where it does not.

    Fingers are not bent one by one: muscles and tendons are shared (E₂ of (41)). Q (T, 5, 6) is the motion so far,
    loaded (5, T) how many contacts of each finger carry.
    """
    T = len(Q)
    out, others = np.tile(F.rest[f], (T, 1)), [g for g in range(1, 5) if g != f]
    if f == 0:
        return out
    weight = np.stack([(loaded[g] > 0) / (g - f) ** 2 for g in others], 1)
    total = weight.sum(1)
    bent = np.einsum("tg,tgj->tj", weight, Q[:, others, 3:]) / np.maximum(total, 1e-9)[:, None]
    share = np.convolve(np.pad((total > 0).astype(float), ALIKE, mode="edge"), np.ones(2 * ALIKE + 1), "valid")
    share = share[:, None] / (2 * ALIKE + 1) * (total > 0)[:, None]
    out[:, 3:] = np.clip((1 - share) * out[:, 3:] + share * bent, F.low[f, 3:], F.high[f, 3:])
    return out


@njit(cache=True)
def _all_capsules(F, Q, R, p, out):
    for t in range(Q.shape[0]):
        capsules(F, Q[t], R[t], p[t], out[t])

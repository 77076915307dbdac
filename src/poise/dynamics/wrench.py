"""The wrench that the world must exert on a moving body, and its exact derivatives, compiled. Knows no contacts.

A spatial vector is (angular, linear), taken about a reference point that is fixed in the world; S_j is that of degree
of freedom j. With λ what lies before the joint of j, J what lies after it, ^C a sum over all bodies that j moves,
I inertia, f = I (a - g) + v ×* I v and B x = v ×* I x - I (v × x) + x ×* I v, the wrench w = Σ f has the derivatives

    ∂w/∂q_j  = S_j ×* f^C + I^C ((a_λ - g) × S_j + v_λ × ψ_j) + B^C ψ_j        with ψ_j = v_λ × S_j
    ∂w/∂q'_j = B^C S_j + I^C ((v_λ + v_J) × S_j)
    ∂w/∂q''_j = I^C S_j

the first six rows of the derivatives of inverse dynamics (Featherstone, Rigid Body Dynamics Algorithms, chapter 5;
Singh, Russell & Wensing 2022). q is varied in its tangent space: to the right, as `poise.maths.configuration` does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.kernels import njit
from poise.maths import tree as kin
from poise.maths.configuration import BALL, FREE
from poise.maths.rotations import Array


class Masses(NamedTuple):
    """What each body weighs, and which degrees of freedom move together."""

    parent: np.ndarray  # (B,)
    mass: Array  # (B,) [kg]
    centre: Array  # (B, 3) centre of mass in the body's frame [m]
    inertia: Array  # (B, 3, 3) about it, in the body's frame [kg m²]
    first: np.ndarray  # (G,) first degree of freedom of each group of a joint that acts at once
    width: np.ndarray  # (G,) how many
    body: np.ndarray  # (G,) the body that it moves, never falling
    gravity: Array  # (3,) [m/s²]
    carrier: np.ndarray  # (L,) bodies that carry loads
    point: Array  # (L, 3) where, in their frames [m]
    load: Array  # (N, L) in each frame [kg]


class Loads(NamedTuple):
    """Point masses that bodies carry, frame by frame; see the last fields of `Masses`."""

    carrier: np.ndarray
    point: Array
    load: Array


NOTHING = Loads(np.zeros(0, np.int64), np.zeros((0, 3)), np.zeros((0, 0)))


def masses(character: Character, loads: Loads = NOTHING) -> Masses:
    """The masses of a character; its free root is a group of three translations, then one of three turns."""
    m, tree = character.model, character.tree
    frames = np.array([_turn(q) for q in m.body_iquat])
    inertia = np.einsum("bij,bj,bkj->bik", frames, m.body_inertia, frames)
    groups = []
    for b in range(1, m.nbody):
        for j in range(tree.jntadr[b], tree.jntadr[b] + tree.jntnum[b]):
            d, kind = int(tree.vadr[j]), int(tree.kind[j])
            if kind == FREE:
                groups += [(d, 3, b), (d + 3, 3, b)]
            else:
                groups.append((d, 3 if kind == BALL else 1, b))
    first, width, body = np.array(groups, np.int64).reshape(-1, 3).T
    return Masses(tree.parent, m.body_mass.copy(), m.body_ipos.copy(), np.ascontiguousarray(inertia),
                  first.copy(), width.copy(), body.copy(), m.opt.gravity.copy(), *loads)  # fmt: skip


def _turn(q: Array) -> Array:
    from poise.maths.rotations import to_matrix

    return to_matrix(q)


@njit(cache=True, inline="always")
def _cross_motion(v, x, out):
    """out = v × x for motion vectors; out may not be v or x."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] = v[j] * x[k] - v[k] * x[j]
        out[3 + i] = v[j] * x[3 + k] - v[k] * x[3 + j] + v[3 + j] * x[k] - v[3 + k] * x[j]


@njit(cache=True, inline="always")
def _cross_force(v, f, out):
    """out = v ×* f for a motion and a force vector; out may not be v or f."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] = v[j] * f[k] - v[k] * f[j] + v[3 + j] * f[3 + k] - v[3 + k] * f[3 + j]
        out[3 + i] = v[j] * f[3 + k] - v[k] * f[3 + j]


@njit(cache=True)
def _times(m, x, out):
    """out = m x, 6 x 6."""
    for i in range(6):
        s = 0.0
        for j in range(6):
            s += m[i, j] * x[j]
        out[i] = s


@njit(cache=True)
def _place_inertia(mass, local, own, pos, quat, about, out):
    """Spatial inertia (6, 6) of a body about a reference point, world axes."""
    R, T, c = np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    w, x, y, z = quat[0], quat[1], quat[2], quat[3]
    R[0, 0], R[0, 1], R[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    R[1, 0], R[1, 1], R[1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    R[2, 0], R[2, 1], R[2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    for i in range(3):
        c[i] = pos[i] - about[i] + R[i, 0] * local[0] + R[i, 1] * local[1] + R[i, 2] * local[2]
        for j in range(3):
            T[i, j] = R[i, 0] * own[0, j] + R[i, 1] * own[1, j] + R[i, 2] * own[2, j]
    square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2]
    out[:] = 0.0
    for i in range(3):
        for j in range(3):
            turned = T[i, 0] * R[j, 0] + T[i, 1] * R[j, 1] + T[i, 2] * R[j, 2]
            out[i, j] = turned - mass * c[i] * c[j] + (mass * square if i == j else 0.0)
        j, k = (i + 1) % 3, (i + 2) % 3
        out[3 + i, 3 + i] = mass
        out[j, 3 + k], out[3 + k, j] = -mass * c[i], -mass * c[i]
        out[k, 3 + j], out[3 + j, k] = mass * c[i], mass * c[i]


@njit(cache=True)
def _momentum_rates(inertia, v, h, out):
    """out = the matrix B of the module's first lines, with h = I v."""
    column, x, t = np.empty(6), np.zeros(6), np.empty(6)
    for k in range(6):
        x[:] = 0.0
        x[k] = 1.0
        _cross_motion(v, x, column)
        _times(inertia, column, t)
        for i in range(6):
            out[i, k] = -t[i]
        _cross_force(v, inertia[:, k], column)
        for i in range(6):
            out[i, k] += column[i]
        _cross_force(x, h, column)
        for i in range(6):
            out[i, k] += column[i]


@njit(cache=True)
def _add_loads(body, n, b, pos, quat, about, inertia):
    """Add to the spatial inertia (6, 6) of body b what it carries in frame n."""
    none, extra = np.zeros((3, 3)), np.empty((6, 6))
    for k in range(body.carrier.shape[0]):
        if body.carrier[k] == b and body.load[n, k] > 0.0:
            _place_inertia(body.load[n, k], body.point[k], none, pos, quat, about, extra)
            inertia += extra


@njit(cache=True)
def _frame(body, n, axis, anchor, pos, quat, v, a, about, S, before, after, total, inertia, rates, derive):
    """Frame n: `total` (B, 6) becomes f^C of every body, with v and a of the joints; the sum is in total[0]."""
    B = body.parent.shape[0]
    vel, acc, joint, t, h = np.zeros((B, 6)), np.zeros((B, 6)), np.empty(6), np.empty(6), np.empty(6)
    for d in range(axis.shape[0]):
        if np.isnan(anchor[d, 0]):
            S[d, :3], S[d, 3:] = 0.0, axis[d]
        else:
            S[d, :3] = axis[d]
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                S[d, 3 + i] = (anchor[d, j] - about[j]) * axis[d, k] - (anchor[d, k] - about[k]) * axis[d, j]
    for i in range(3):
        acc[0, 3 + i] = -body.gravity[i]  # as if the world were accelerated upwards
    g = 0
    total[0] = 0.0
    for b in range(1, B):
        vel[b], acc[b] = vel[body.parent[b]], acc[body.parent[b]]
        while g < body.body.shape[0] and body.body[g] == b:
            before[g, 0], before[g, 1] = vel[b], acc[b]
            joint[:] = 0.0
            for d in range(body.first[g], body.first[g] + body.width[g]):
                for i in range(6):
                    joint[i] += S[d, i] * v[d]
                    acc[b, i] += S[d, i] * a[d]
            _cross_motion(vel[b], joint, t)
            for i in range(6):
                acc[b, i] += t[i]
                vel[b, i] += joint[i]
            after[g] = vel[b]
            g += 1
        _place_inertia(body.mass[b], body.centre[b], body.inertia[b], pos[b], quat[b], about, inertia[b])
        _add_loads(body, n, b, pos[b], quat[b], about, inertia[b])
        _times(inertia[b], vel[b], h)
        _cross_force(vel[b], h, total[b])
        _times(inertia[b], acc[b], t)
        for i in range(6):
            total[b, i] += t[i]
        if derive:
            _momentum_rates(inertia[b], vel[b], h, rates[b])
    for b in range(B - 1, 0, -1):
        p = body.parent[b]
        for i in range(6):
            total[p, i] += total[b, i]
            if derive and p > 0:
                for j in range(6):
                    inertia[p, i, j] += inertia[b, i, j]
                    rates[p, i, j] += rates[b, i, j]


@njit(cache=True)
def _wrenches(body, axis, anchor, pos, quat, v, a, about, w, by_q, by_v, by_a, derive):
    N, nv, B, G = axis.shape[0], axis.shape[1], body.parent.shape[0], body.first.shape[0]
    S, before, after = np.empty((nv, 6)), np.empty((G, 2, 6)), np.empty((G, 6))
    total, inertia, rates = np.empty((B, 6)), np.empty((B, 6, 6)), np.empty((B, 6, 6))
    x, y, z, sum_ = np.empty(6), np.empty(6), np.empty(6), np.empty(6)
    for n in range(N):
        _frame(body, n, axis[n], anchor[n], pos[n], quat[n], v[n], a[n], about[n], S, before, after, total, inertia,
               rates, derive)  # fmt: skip
        w[n] = total[0]
        if not derive:
            continue
        for g in range(G):
            b = body.body[g]
            for d in range(body.first[g], body.first[g] + body.width[g]):
                _cross_motion(before[g, 0], S[d], x)  # ψ
                _cross_motion(before[g, 1], S[d], y)
                _cross_motion(before[g, 0], x, z)
                for i in range(6):
                    y[i] += z[i]
                _times(inertia[b], y, by_q[n, d])
                _times(rates[b], x, y)
                _cross_force(S[d], total[b], z)
                for i in range(6):
                    by_q[n, d, i] += y[i] + z[i]
                    sum_[i] = before[g, 0, i] + after[g, i]
                _cross_motion(sum_, S[d], x)
                _times(inertia[b], x, by_v[n, d])
                _times(rates[b], S[d], y)
                for i in range(6):
                    by_v[n, d, i] += y[i]
                _times(inertia[b], S[d], by_a[n, d])


def root_wrench(character: Character, body: Masses, q: Array, v: Array, a: Array, about: Array) -> Array:
    """Wrenches (N, 6), moment [N m] about points (N, 3) and then force [N], for q (N, nq), v and a (N, nv)."""
    pos, quat, axis, anchor = kin.forward_with_axes(character.tree, q)
    w, none = np.empty((len(q), 6)), np.empty((0, 0, 6))
    _wrenches(body, axis, anchor, pos, quat, v, a, about, w, none, none, none, False)
    return w


def root_wrench_derivatives(character: Character, body: Masses, q: Array, v: Array, a: Array,
                            about: Array) -> tuple[Array, Array, Array, Array]:  # fmt: skip
    """`root_wrench`, and its derivatives (N, nv, 6) by the tangent of q, by v and by a."""
    pos, quat, axis, anchor = kin.forward_with_axes(character.tree, q)
    w = np.empty((len(q), 6))
    by_q, by_v, by_a = (np.empty((len(q), v.shape[1], 6)) for _ in range(3))
    _wrenches(body, axis, anchor, pos, quat, v, a, about, w, by_q, by_v, by_a, True)
    return w, by_q, by_v, by_a

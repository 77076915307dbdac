"""A spacetime optimisation of one window: what section 8 of Jain & Liu 2011 compares with, solved as it stands.

The unknowns are the poses q_1..q_n and the contact forces of a window. The equations of motion are the full ones, step
by step (semi-implicit, as in the method): six rows of each must hold without a motor, the others give joint torques.
The objective is the method's own: the rigid modes' end (16) with momenta taken from the poses, the effort of contact
forces, the low modes' ends and impulses (21), measured from the reference's. High modes are held to the reference, and
feet that stand to their places, by stiff weights.

It is solved by sequential quadratic programming (Gauss-Newton with exact linear constraints and friction cones, each
step by Clarabel). Rates of the dynamics are finite differences of MuJoCo's inverse dynamics.
"""

from __future__ import annotations

import time as clock
from dataclasses import dataclass, field

import mujoco
import numpy as np
from scipy import sparse

from poise.character import Character
from poise.dynamics.compiled import point_jacobian
from poise.errors import MissingExtra
from poise.kernels import njit
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.modal.linearise import Watched
from poise.methods.modal.step import Weights

STANDS, HIGH = 1e7, 1e3  # [1/m²], [1/(kg rad²)] of feet that stand and of high modes
_TINY = 1e-6  # of finite differences


@dataclass(frozen=True, eq=False)
class Horizon:
    """One decision: the body now, and n steps of the reference ahead. World axes; K points may touch."""

    character: Character
    weights: Weights
    q: Array  # (nq,)
    v: Array  # (nv,)
    shapes: Array  # (nv, nv) modes now
    squares: Array  # (nv,)
    low: np.ndarray  # (nv,) bool: planned
    spin: Array  # (3, 3)
    turned: Array  # (3,) how far the body is turned from the reference, in the rigid modes
    ref: Array  # (n + 1, nq)
    ref_v: Array  # (n + 1, nv) with which it came there
    ref_centre: Array  # (3,) of mass at the end
    ref_momentum: Array  # (n + 1, 6)
    touching: np.ndarray  # (n, K) bool
    frames: Array  # (n, K, 3, 3) rows normal, tangent, tangent
    usual: Array  # (n, K, 3) [N]
    anchor: Array  # (n, K, 3) [m] where a point stands
    friction: Array  # (K,)
    bodies: np.ndarray  # (K,)
    local: Array  # (K, 3)


@dataclass(frozen=True, eq=False)
class Moment:
    """What the poses of a window come to at one of them."""

    inverse: Array  # (nv,) M a + bias
    centre: Array  # (3,) of mass
    speed: Array  # (3,) of it
    spin: Array  # (3,) angular momentum about it
    places: Array  # (K, 3)
    pulled: Array  # (nv,) Jᵀ f

    def row(self) -> Array:
        """All in one."""
        return np.concatenate([self.inverse - self.pulled, self.centre, self.speed, self.spin, self.places.ravel()])


@njit(cache=True)
def _pull(views, bodies, places, force):
    """Jᵀ f (nv,) of world forces (K, 3) at points of bodies."""
    out, J = np.zeros(len(views.v)), np.empty((3, len(views.v)))
    for i in range(len(bodies)):
        if force[i, 0] != 0.0 or force[i, 1] != 0.0 or force[i, 2] != 0.0:
            point_jacobian(views, bodies[i], places[i], np.eye(3), J)
            out += J[0] * force[i, 0] + J[1] * force[i, 1] + J[2] * force[i, 2]
    return out


@dataclass
class Spacetime:
    """The problem of one horizon; `solve` gives poses (n + 1, nq) and forces (n, K, 3) in their frames."""

    given: Horizon
    steps: int = field(init=False)
    programming: float = 0.0  # [s] of CPU time in Clarabel so far

    def __post_init__(self) -> None:
        g = self.given
        self.steps = n = g.weights.window
        self._watched = Watched(g.character, g.bodies, g.local)
        self._armature = np.asarray(g.character.model.dof_armature)
        self._index = np.argwhere(g.touching)  # (F, 2) of the forces: step, point
        self._to_modes = g.shapes.T @ self._mass(g.q)
        e = conf.difference(g.character.layout, g.q, g.ref)
        self._ref_p = e @ self._to_modes.T  # (n + 1, nv)
        v = np.vstack([g.ref_v, g.ref_v[-1:]])
        own = [self._moment(g.ref[k], g.ref_v[k], (v[k + 1] - v[k]) / g.weights.dt, k, g.usual) for k in range(n)]
        self._ref_torque = np.stack([m.inverse - m.pulled for m in own])
        self._ref_torque[:, :6] = 0.0

    @property
    def unknowns(self) -> tuple[int, int]:
        """How many numbers are sought, and how many equations of motion they must obey."""
        return self.steps * len(self.given.v) + 3 * len(self._index), 6 * self.steps

    def _mass(self, q: Array) -> Array:
        return self._watched.place(q)

    def _moment(self, q: Array, v: Array, a: Array, k: int, f: Array) -> Moment:
        """What holds in pose q moving with v and accelerated by a, under the forces f (n, K, 3) of step k."""
        w, g = self._watched, self.given
        model, data = w.model, w.data
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_subtreeVel(model, data)
        inverse = np.zeros(len(v))
        mujoco.mj_rne(model, data, 1, inverse)
        places, last = w.places(), min(k, self.steps - 1)
        force = np.einsum("kcr,kc->kr", g.frames[last], f[last])
        pulled = _pull(w.views, g.bodies, places, force) if k < self.steps else np.zeros(len(v))
        views = w.views
        return Moment(inverse + self._armature * a, views.centre_of_mass.copy(), views.centre_velocity.copy(),
                      views.angular_momentum.copy(), places, pulled)  # fmt: skip

    def rates(self, q: Array) -> tuple[Array, Array]:
        """Velocities (n + 1, nv) with which poses q (n + 1, nq) are come to, and accelerations from there on."""
        g = self.given
        v = np.vstack([g.v, conf.difference(g.character.layout, q[:-1], q[1:]) / g.weights.dt])
        return v, np.vstack([np.diff(v, axis=0) / g.weights.dt, np.zeros(len(g.v))])

    def moments(self, q: Array, f: Array) -> Array:
        """Rows (n + 1, nv + 9 + 3K) of `Moment`: the first nv are what motors must give."""
        v, a = self.rates(q)
        return np.stack([self._moment(q[k], v[k], a[k], k, f).row() for k in range(self.steps + 1)])

    def residuals(self, q: Array, f: Array, rows: Array) -> tuple[Array, Array, Array]:
        """Rigid (12,), the other terms of the objective, and the stiff ones; all weighted."""
        g, w, n = self.given, self.given.weights, self.steps
        nv = len(g.v)
        p = conf.difference(g.character.layout, g.q, q) @ self._to_modes.T - self._ref_p
        centre, speed, spin = rows[:, nv : nv + 3], rows[:, nv + 3 : nv + 6], rows[:, nv + 6 : nv + 9]
        root, more = np.sqrt(g.character.mass), np.sqrt([1.0, 1.0, w.height])
        turn = w.dt * (spin[1:] - g.ref_momentum[1:, 3:]).sum(axis=0)
        rigid = np.concatenate([
            np.sqrt(w.place) * more * root * (centre[n] - g.ref_centre),
            np.sqrt(w.turn) * (g.turned + g.spin @ turn),
            np.sqrt(w.velocity) * more * root * (speed[n] - g.ref_momentum[n, :3]),
            np.sqrt(w.velocity) * g.spin @ (spin[n] - g.ref_momentum[n, 3:]),
        ])  # fmt: skip
        k, i = self._index.T
        effort = np.sqrt(w.force * w.dt**2 / g.character.mass) * (f[k, i] - g.usual[k, i])
        low, high = g.low, ~g.low & (np.arange(nv) >= 6)
        torque = (rows[:n, :nv] - self._ref_torque) @ g.shapes + g.squares * p[:n]
        free = np.concatenate([
            effort.ravel(), np.sqrt(w.low_place) * p[n, low], np.sqrt(w.low_velocity) / w.dt * (p[n] - p[n - 1])[low],
            np.sqrt(w.low_effort) * w.dt * torque[:, low].ravel(),
        ])  # fmt: skip
        places = rows[:, nv + 9 :].reshape(n + 1, -1, 3)
        there = np.vstack([g.touching[1:], g.touching[-1:]])[..., None]
        anchor = np.concatenate([g.anchor[1:], g.anchor[-1:]])
        stiff = np.concatenate([
            np.sqrt(HIGH) * p[1:, high].ravel(), np.sqrt(STANDS) * (there * (places[1:] - anchor)).ravel(),
        ])  # fmt: skip
        return rigid, free, stiff

    def objective(self, q: Array, f: Array) -> tuple[float, float, float]:
        """The method's objective, the stiff terms, and the largest force [N, N m] that nothing gives."""
        rows = self.moments(q, f)
        rigid, free, stiff = self.residuals(q, f, rows)
        lack = float(np.abs(rows[: self.steps, :6]).max())
        return 0.5 * float(rigid @ rigid + free @ free), 0.5 * float(stiff @ stiff), lack

    def _local(self, q: Array, f: Array) -> tuple[Array, Array]:
        """Rates (n + 1, rows, nv) of the moments with the pose, at the same velocity and acceleration, and with v."""
        layout, nv = self.given.character.layout, len(self.given.v)
        v, a = self.rates(q)
        base = self.moments(q, f)
        by_q, by_v = np.zeros((self.steps + 1, base.shape[1], nv)), np.zeros((self.steps + 1, base.shape[1], nv))
        for k in range(1, self.steps + 1):
            moved = conf.integrate(layout, q[k], _TINY * np.eye(nv))
            for j in range(nv):
                by_q[k, :, j] = (self._moment(moved[j], v[k], a[k], k, f).row() - base[k]) / _TINY
                fast = v[k] + _TINY * (np.arange(nv) == j)
                by_v[k, :, j] = (self._moment(q[k], fast, a[k], k, f).row() - base[k]) / _TINY
        return by_q, by_v

    def _differences(self, q: Array) -> tuple[Array, Array]:
        """Rates (n + 1, nv, nv) of v_k with the pose before it and with its own."""
        layout, nv, dt = self.given.character.layout, len(self.given.v), self.given.weights.dt
        before, own = np.zeros((self.steps + 1, nv, nv)), np.zeros((self.steps + 1, nv, nv))
        tiny = _TINY * np.eye(nv)
        for k in range(1, self.steps + 1):
            base = conf.difference(layout, q[k - 1], q[k])
            before[k] = (conf.difference(layout, conf.integrate(layout, q[k - 1], tiny), q[k]) - base).T
            own[k] = (conf.difference(layout, q[k - 1], conf.integrate(layout, q[k], tiny)) - base).T
        return before / (_TINY * dt), own / (_TINY * dt)

    def linearised(self, q: Array, f: Array) -> Array:
        """Rates (n + 1, rows, unknowns) of all moments with all poses and forces."""
        g, n, nv, dt = self.given, self.steps, len(self.given.v), self.given.weights.dt
        by_q, by_v = self._local(q, f)
        before, own = self._differences(q)
        v = np.zeros((n + 2, nv, n * nv))
        for k in range(1, n + 1):
            v[k][:, (k - 1) * nv : k * nv] = own[k]
            if k > 1:
                v[k][:, (k - 2) * nv : (k - 1) * nv] = before[k]
        out = np.zeros((n + 1, by_q.shape[1], self.unknowns[0]))
        for k in range(n + 1):
            out[k][:, : n * nv] = by_v[k] @ v[k]
            if k:
                out[k][:, (k - 1) * nv : k * nv] += by_q[k]
            if k < n:
                out[k][:nv, : n * nv] += self._mass(q[k]) @ (v[k + 1] - v[k]) / dt
        J = np.empty((3, nv))
        for c, (k, i) in enumerate(self._index):
            self._mass(q[k])
            place = self._watched.places()[i]
            point_jacobian(self._watched.views, g.bodies[i], place, g.frames[k, i], J)
            at = n * nv + 3 * c
            out[k][:nv, at : at + 3] = -J.T
        return out

    def solve(self, most: int = 25, close: float = 1e-5) -> tuple[Array, Array, int]:
        """Poses, forces and the number of programs solved, from the reference displaced by the present deviation."""
        g, layout = self.given, self.given.character.layout
        off = conf.difference(layout, g.ref[0], g.q)
        q = np.vstack([g.q, conf.integrate(layout, g.ref[1:], off)])
        f = np.where(g.touching[..., None], g.usual, 0.0)
        worth = self._merit(q, f)
        for count in range(1, most + 1):
            x, df = self._program(q, f)
            length = 1.0
            while True:
                new_q = np.vstack([g.q, conf.integrate(layout, q[1:], length * x)])
                new_f = f + length * df
                new = self._merit(new_q, new_f)
                if new < worth + 1e-9 * abs(worth) or length < 0.05:
                    break
                length *= 0.5
            q, f, gained, worth = new_q, new_f, worth - new, new
            if np.abs(length * x).max() < close or abs(gained) < 1e-6 * abs(worth):
                return q, f, count
        return q, f, most

    def _merit(self, q: Array, f: Array) -> float:
        rows = self.moments(q, f)
        terms = np.concatenate(self.residuals(q, f, rows))
        return 0.5 * float(terms @ terms) + 0.1 * float(np.abs(rows[: self.steps, :6]).sum())

    def _program(self, q: Array, f: Array) -> tuple[Array, Array]:
        """Steps (n, nv) of the poses and (n, K, 3) of the forces that the linearised problem asks for."""
        n, nv = self.steps, len(self.given.v)
        rows, D = self.moments(q, f), self.linearised(q, f)
        rigid, free, stiff = self.residuals(q, f, rows)
        A_rigid, A = self._slopes(q, f, rows, D, (rigid, free, stiff))
        lack, lacks = rows[:n, :6].ravel(), D[:n, :6].reshape(6 * n, -1)
        step, spent = _clarabel(A_rigid, rigid, A, np.concatenate([free, stiff]), lacks / 100.0, lack / 100.0,
                         f[tuple(self._index.T)], self.given.friction[self._index[:, 1]])  # fmt: skip
        self.programming += spent
        df = np.zeros_like(f)
        df[tuple(self._index.T)] = step[n * nv :].reshape(-1, 3)
        return step[: n * nv].reshape(n, nv), df

    def _slopes(self, q: Array, f: Array, rows: Array, D: Array, now: tuple[Array, Array, Array]
                ) -> tuple[Array, Array]:  # fmt: skip
        """Rates of the rigid residuals (12, unknowns) and of all the others: `residuals` is affine in what it is given.

        Its poses, its forces and its moments are moved one at a time, all else kept.
        """
        g, n, nv = self.given, self.steps, len(self.given.v)
        layout, total = g.character.layout, self.unknowns[0]
        out = np.zeros((sum(len(x) for x in now), total))
        moved = np.concatenate(now)
        for c in range(total):
            other_q, other_f = q, f
            if c < n * nv:
                k, j = divmod(c, nv)
                other_q = q.copy()
                other_q[k + 1] = conf.integrate(layout, q[k + 1], _TINY * (np.arange(nv) == j))
            else:
                (k, i), r = self._index[(c - n * nv) // 3], (c - n * nv) % 3
                other_f = f.copy()
                other_f[k, i, r] += _TINY
            out[:, c] = (np.concatenate(self.residuals(other_q, other_f, rows + _TINY * D[:, :, c])) - moved) / _TINY
        return out[:12], out[12:]


def _clarabel(A_rigid: Array, rigid: Array, A: Array, rest: Array, C: Array, d: Array, f: Array, friction: Array
              ) -> tuple[Array, float]:  # fmt: skip
    """min ½|A_rigid x + rigid|² + ½|A x + rest|² with C x = -d and the last 3F of x, added to f (F, 3), in their cones.

    Gives x and the CPU time [s] of the solver. The twelve rigid rows touch all unknowns; their residuals are unknowns
    of their own, and the rest stays sparse.
    """
    try:
        import clarabel
    except ImportError:
        raise MissingExtra("A spacetime optimisation", "cones") from None
    total, twelve, forces = A.shape[1], len(rigid), f.size
    sparse_A = sparse.csc_matrix(A)
    P = sparse.block_diag([sparse_A.T @ sparse_A + 1e-9 * sparse.eye(total), sparse.eye(twelve)]).tocsc()
    linear = np.concatenate([sparse_A.T @ rest, np.zeros(twelve)])
    equal = sparse.bmat([[sparse.csc_matrix(A_rigid), -sparse.eye(twelve)], [sparse.csc_matrix(C), None]])
    scale = np.stack([friction, np.ones_like(friction), np.ones_like(friction)], axis=1).ravel()
    cone = sparse.hstack(
        [sparse.csc_matrix((forces, total - forces)), -sparse.diags(scale), sparse.csc_matrix((forces, twelve))]
    )
    right = np.concatenate([-rigid, -d, scale * f.ravel()])
    kinds = [clarabel.ZeroConeT(twelve + len(d)), *[clarabel.SecondOrderConeT(3)] * len(f)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    rows = sparse.vstack([equal, cone]).tocsc()
    begun = clock.process_time()
    solution = clarabel.DefaultSolver(sparse.triu(P).tocsc(), linear, rows, right, kinds, settings).solve()
    return np.asarray(solution.x)[:total], clock.process_time() - begun

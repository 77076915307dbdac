"""The repair as one least-squares problem over all frames: a motion near the recording that the ground can explain.

    ½ Σ_n [ posture and its acceleration, held points, the ground as a barrier        (`poise.motion.ik.problem`)
          + w_F² · 2 c_n(b_n)                       what no ground force explains     (`explain`)
          + w_R² |b_{n+1} - b_n|²                   wrenches that jump
          + |W_n (b_n - b̂_n)|²                      wrenches that are not those of the recording
          + w_C² |c_n - ĉ_n|² ]                     a centre of mass that is not where it was recorded

b_n is the wrench of frame n (`wrench`, `stencil`), its moment taken about a fixed point and divided by a length, scaled
to a body of 70 kg. The contacts that may push are scheduled and held in place, so their columns are constants.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from poise.dynamics.contact_cones import ContactCones
from poise.dynamics.wrench import Masses, root_wrench, root_wrench_derivatives
from poise.kernels import njit
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.motion.ik.problem import IkProblem
from poise.motion.ik.terms import spun
from poise.physical.repair.stencil import charted, derivatives, rates, steps
from poise.solve import gauss_newton
from poise.solve.explain import Explained, explain
from poise.solve.gauss_newton import Normal, Result, Settings


@dataclass(frozen=True, eq=False)
class PhysicalProblem:
    """Least squares over the corrections x (N, nv) of a motion; every degree of freedom is an unknown."""

    motion: IkProblem
    body: Masses
    ground: ContactCones
    dt: float  # [s]
    scale: float  # from newtons to those of a body of 70 kg
    unexplained: float  # w_F [1/N]
    jump: float  # w_R [1/N]
    fixed: int = 0  # this many frames at the start are not unknowns
    wanted: Array | None = None  # (N, 6) b̂, the recorded wrenches; None: not known
    follow: Array | None = None  # (N, 6) W [1/N]
    centre: float = 0.0  # w_C² [1/m²]
    memory: dict[str, Array] = field(default_factory=dict)  # what was left over last, to start from

    @property
    def ring(self) -> bool:
        """Does the chain of frames close?"""
        return self.motion.ring

    @property
    def _turn(self) -> float:
        """Turn of the cycle [rad], 0 without one."""
        return 0.0 if self.motion.cycle is None else self.motion.cycle.turn

    def configurations(self, x: Array) -> Array:
        """Configurations (N, nq) of the unknown frames."""
        layout, own = self.motion.character.layout, self.motion
        return conf.integrate(
            layout, own.q[: own.frames], spun(layout, x, self._turn * np.arange(own.frames) / own.frames)
        )

    def _neighbours(self, q: Array) -> tuple[Array, Array]:
        before, after = np.roll(q, 1, axis=0), np.roll(q, -1, axis=0)
        if self.ring and self.motion.cycle is not None:
            before[0], after[-1] = self.motion.cycle.carry(q[-1], -1), self.motion.cycle.carry(q[0], 1)
        else:
            before[0], after[-1] = q[0], q[-1]
        return before, after

    def _units(self) -> Array:
        return self.scale * np.array([1.0 / self.ground.length] * 3 + [1.0] * 3)

    def wrenches(self, x: Array) -> Array:
        """Scaled wrenches b (N, 6): moment / length, force."""
        character, q = self.motion.character, self.configurations(x)
        ahead, back = steps(character.layout, *_three(self._neighbours(q), q))
        v, a = rates(ahead, back, self.dt, self.ring)
        return root_wrench(character, self.body, q, v, a, self.ground.about) * self._units()

    def wrench_derivatives(self, x: Array) -> tuple[Array, Array, Array]:
        """`wrenches`, their derivatives (N, 3, nv, 6) by the corrections of each frame and its neighbours, and M J.

        For an end of an open chain, by those of the three frames there. M J (N, nv, 3) is the mass times the
        derivative of the centre of mass by the frame's own correction: force per acceleration.
        """
        character, q = self.motion.character, self.configurations(x)
        ahead, back = steps(character.layout, *_three(self._neighbours(q), q))
        v, a = rates(ahead, back, self.dt, self.ring)
        w, *by = root_wrench_derivatives(character, self.body, q, v, a, self.ground.about)
        turn = self._turn if self.ring else None
        blocks = derivatives(character.layout, self.dt, ahead, back, x, turn, by[0], by[1], by[2])
        moves = by[2].copy()
        charted(character.layout.kind, character.layout.vadr, x, turn or 0.0, moves)
        return w * self._units(), blocks * self._units(), moves[..., 3:]

    def explained(self, b: Array) -> Explained:
        """What the ground explains of wrenches b."""
        start = self.memory.get("left")
        found = explain(b, self.ground.columns, self.ground.contact, self.ground.friction, start)
        self.memory["left"] = found.left
        return found

    def _jumps(self, b: Array) -> Array:
        """Steps (N, 6) from each wrench to the next; zero at the ends of an open chain."""
        out = np.roll(b, -1, axis=0) - b
        if not self.ring:
            out[0] = out[-2:] = 0.0
        return out

    def _away(self, b: Array) -> tuple[Array, Array]:
        """W² and b - b̂ (N, 6) of wrenches b; zero where no recorded wrench is known."""
        if self.wanted is None or self.follow is None:
            return np.zeros_like(b), np.zeros_like(b)
        return self.follow**2, b - self.wanted

    @cached_property
    def _recorded_centre(self) -> Array:
        return self.motion.character.centre_of_mass(self.motion.q[: self.motion.frames])

    def _strayed(self, x: Array) -> Array:
        """How far (N, 3) [m] the centre of mass is from the recorded one; of a body that carries loads not told."""
        if self.centre == 0.0 or len(self.body.carrier):
            return np.zeros((self.motion.frames, 3))
        return self.motion.character.centre_of_mass(self.configurations(x)) - self._recorded_centre

    def cost(self, x: Array) -> float:
        """Value at corrections x."""
        b = self.wrenches(x)
        total = self.unexplained**2 * float(self.explained(b).cost.sum())
        square, away = self._away(b)
        total += 0.5 * self.jump**2 * float(np.sum(self._jumps(b) ** 2)) + 0.5 * float(np.sum(square * away**2))
        return self.motion.cost(x) + total + 0.5 * self.centre * float(np.sum(self._strayed(x) ** 2))

    def normal(self, x: Array) -> Normal:
        """The problem linearised at corrections x."""
        own = self.motion.normal(x)
        b, blocks, moves = self.wrench_derivatives(x)
        found, jumps, (square, away) = self.explained(b), self._jumps(b), self._away(b)
        share = self.unexplained**2
        total = own.cost + share * float(found.cost.sum()) + 0.5 * self.jump**2 * float(np.sum(jumps**2))
        total += 0.5 * float(np.sum(square * away**2))
        bands = np.zeros((4, *own.bands.shape[1:]))
        bands[: len(own.bands)] = own.bands
        if self.centre > 0.0 and not len(self.body.carrier):
            strayed, jac = self._strayed(x), moves / self.motion.character.mass
            total += 0.5 * self.centre * float(np.sum(strayed**2))
            bands[0] += self.centre * (jac @ jac.transpose(0, 2, 1))
            own.gradient[:] += self.centre * np.einsum("ndi,ni->nd", jac, strayed)
        _add(bands, own.gradient, blocks, found.left, found.hessian, share, jumps, self.jump**2, self.ring)
        if self.wanted is not None:
            follow = square[:, :, None] * np.eye(6)
            _add(bands, own.gradient, blocks, square * away, follow, 1.0, jumps, 0.0, self.ring)
        if self.fixed:
            _hold(bands, own.gradient, self.fixed)
        return Normal(total, own.gradient, bands)

    def solve(self, x: Array, settings: Settings) -> Result:
        """Minimise from corrections x (N, nv)."""
        return gauss_newton.minimise(self, x, ring=self.ring, settings=settings)


def _three(around: tuple[Array, Array], q: Array) -> tuple[Array, Array, Array]:
    return around[0], q, around[1]


@njit(cache=True)
def _rows(bands, gradient, first, J, weighted, y):
    """Add JᵀWJ and Jᵀy of rows whose Jacobian Jᵀ is J (k d, 6) over k frames from `first` on; weighted is J W."""
    d, count = bands.shape[2], bands.shape[1]
    frames = J.shape[0] // d
    H = np.dot(weighted, J.T)
    g = np.dot(J, y)
    for j in range(frames):
        n = (first + j) % count
        gradient[n] += g[j * d : (j + 1) * d]
        for i in range(j, frames):
            bands[i - j, n] += H[i * d : (i + 1) * d, j * d : (j + 1) * d]


@njit(cache=True)
def _add(bands, gradient, blocks, slope, hessian, w_force, jumps, w_jump, ring):
    """Add wrench terms, w_force times slope (N, 6) and Hessian (N, 6, 6) by b, to bands (4, N, d, d) and gradient."""
    N, d = gradient.shape
    pair = np.zeros((4 * d, 6))
    for n in range(N):
        J = blocks[n].reshape(3 * d, 6)
        first = n - 1 if ring else min(max(n - 1, 0), N - 3)
        _rows(bands, gradient, first, J, w_force * np.dot(J, hessian[n]), w_force * slope[n])
        if w_jump > 0.0 and (ring or 0 < n < N - 2):
            pair[:] = 0.0
            pair[: 3 * d] -= blocks[n].reshape(3 * d, 6)
            pair[d:] += blocks[(n + 1) % N].reshape(3 * d, 6)
            _rows(bands, gradient, n - 1, pair, w_jump * pair, w_jump * jumps[n])


@njit(cache=True)
def _hold(bands, gradient, fixed):
    """Make the first frames of an open chain known: their step is zero."""
    d = bands.shape[2]
    for n in range(min(fixed, bands.shape[1])):
        gradient[n] = 0.0
        for k in range(bands.shape[0]):
            bands[k, n] = 0.0
        for i in range(d):
            bands[0, n, i, i] = 1.0

"""The least-squares problem of inverse kinematics over a whole clip, ready to be taken apart or solved."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy.interpolate import CubicSpline

from poise.character import Character
from poise.maths import configuration as conf
from poise.maths import tree as kin
from poise.maths.configuration import BALL, FREE
from poise.maths.rotations import Array
from poise.motion.clip import Cycle
from poise.motion.ik.terms import Terms, accumulate, at_frames, chart_axes, spun
from poise.solve import gauss_newton
from poise.solve.gauss_newton import Normal, Result, Settings

SETTINGS = Settings(iterations=25, step=2e-5, gain=1e-4)  # 0.02 mm and 0.001 degrees; a ten-thousandth of the cost


@dataclass(frozen=True, eq=False)
class Solution:
    """The corrected configurations (N, nq) and how the solver came to them."""

    q: Array
    result: Result


@dataclass(frozen=True, eq=False)
class IkProblem:
    """Least squares over the corrections of a clip; unknowns are the active degrees of freedom of its free frames."""

    character: Character
    q: Array  # (N, nq)
    terms: Terms
    posture: Array  # (M, nv) for the M free frames
    smooth: float
    cycle: Cycle | None = field(default=None)

    @property
    def frames(self) -> int:
        """Number of free frames: in a cycle the last frame follows from the first."""
        return len(self.posture)

    @cached_property
    def ring(self) -> bool:
        """Does the chain of frames close?"""
        return self.cycle is not None and self.frames >= 5

    @cached_property
    def active(self) -> np.ndarray:
        """Degrees of freedom that some target moves."""
        tree, layout, t = self.character.tree, self.character.layout, self.terms
        bodies = np.concatenate([t.point_body, t.floor_body, t.turn_body])
        used = np.concatenate([t.point_weight, t.floor_weight, t.turn_weight]).any(axis=1)
        mask = np.zeros(layout.nv, bool)
        for b in bodies[used]:
            mask |= kin.moved_by(tree)[b]
        for j in t.limit_joint:
            mask[layout.vadr[j] : layout.vadr[j] + (3 if layout.kind[j] == BALL else 1)] = True
        return np.flatnonzero(mask)

    @cached_property
    def _moves(self) -> np.ndarray:
        """Boolean (B, A): does this active degree of freedom move this body?"""
        return np.ascontiguousarray(kin.moved_by(self.character.tree)[:, self.active])

    @cached_property
    def _spin(self) -> Array:
        turn = 0.0 if self.cycle is None else self.cycle.turn
        return turn * np.arange(self.frames) / self.frames

    @cached_property
    def _stencil(self) -> Array:
        """Bands (3, M) of the matrix of squared second differences, without weights."""
        count = self.frames
        bands = np.zeros((3, count))
        if self.smooth == 0.0 or count < 3:
            return bands
        middle = np.arange(count) if self.ring else np.arange(1, count - 1)
        rows = [(middle - 1) % count, middle, (middle + 1) % count]
        for i, a in enumerate((1.0, -2.0, 1.0)):
            for j, b in enumerate((1.0, -2.0, 1.0)[: i + 1]):
                np.add.at(bands[i - j], rows[j], a * b)
        return bands * self.smooth**4

    def _full(self, x: Array) -> tuple[Array, Array]:
        """The correction over all degrees (M, nv) and the configurations (M, nq)."""
        delta = np.zeros((self.frames, self.character.model.nv))
        delta[:, self.active] = x
        layout = self.character.layout
        return delta, conf.integrate(layout, self.q[: self.frames], spun(layout, delta, self._spin))

    def _bends(self, x: Array) -> Array:
        """Second differences (M, A) times s², zero where there is no neighbour."""
        out = np.zeros_like(x)
        if self.smooth > 0.0 and len(x) >= 3:
            if self.ring:
                out = np.roll(x, 1, 0) - 2 * x + np.roll(x, -1, 0)
            else:
                out[1:-1] = x[:-2] - 2 * x[1:-1] + x[2:]
        return out * self.smooth**2

    def cost(self, x: Array) -> float:
        """Value at corrections x (M, A)."""
        delta, q = self._full(x)
        pos, quat = kin.forward(self.character.tree, q)
        none = np.empty((0, 0, 3))
        total = self._accumulate(q, delta, pos, quat, none, none, np.empty((0, 0)), none, False)
        weight = self._smoothing_weight
        return total + 0.5 * float(np.sum(self.posture[:, self.active] * x**2 + weight * self._bends(x) ** 2))

    @cached_property
    def _smoothing_weight(self) -> Array:
        """One weight (A,) a degree of freedom, the mean over the frames."""
        return self.posture[:, self.active].mean(axis=0)

    def normal(self, x: Array) -> Normal:
        """The problem linearised at corrections x (M, A)."""
        layout, active, count = self.character.layout, self.active, len(x)
        delta, q = self._full(x)
        pos, quat, axis, anchor = kin.forward_with_axes(self.character.tree, q)
        chart_axes(layout.kind, layout.vadr, delta, self._spin, axis)
        reach = 2 if self._stencil.any() else 0
        bands, gradient = np.zeros((reach + 1, count, len(active), len(active))), np.zeros(x.shape)
        axis, anchor = np.ascontiguousarray(axis[:, active]), np.ascontiguousarray(anchor[:, active])
        total = self._accumulate(q, delta, pos, quat, axis, anchor, gradient, bands[0], True)
        weight, own, every = self._smoothing_weight, self.posture[:, active], range(len(active))
        bends = self._bends(x)
        total += 0.5 * float(np.sum(own * x**2 + weight * bends**2))
        bands[0][:, every, every] += own
        gradient += own * x
        for k in range(reach + 1):
            bands[k][:, every, every] += weight * self._stencil[k][:, None]
        if reach:
            smooth = np.zeros_like(x)
            for shift, factor in ((-1, 1.0), (0, -2.0), (1, 1.0)):
                smooth += factor * np.roll(bends, shift, axis=0)  # bends are zero at open ends: nothing wraps
            gradient += weight * smooth * self.smooth**2
        return Normal(total, gradient, bands)

    def _accumulate(self, q: Array, delta: Array, pos: Array, quat: Array, axis: Array, anchor: Array,
                    gradient: Array, blocks: Array, derive: bool) -> float:  # fmt: skip
        return float(accumulate(self.terms, self.character.layout, q, delta, pos, quat, axis, anchor, self._moves,
                                self.active, gradient, blocks, derive))  # fmt: skip

    def solve(self, settings: Settings = SETTINGS, start: Array | None = None) -> Solution:
        """Minimise from corrections `start` (M, A), or from the solution of every k-th frame of a smooth problem."""
        x = self._start(settings) if start is None else start
        result = gauss_newton.minimise(self, x, ring=self.ring, settings=settings)
        return Solution(self.configurations(result.x), result)

    def _start(self, settings: Settings) -> Array:
        """A first guess (M, A): the same problem on fewer frames, interpolated; most of the way at little cost."""
        stride = int(self.smooth // 1.25)
        while stride > 1 and self.ring and self.frames % stride:
            stride -= 1
        kept = np.arange(0, self.frames, max(stride, 1))
        if stride < 2 or len(kept) < 8:
            return np.zeros((self.frames, len(self.active)))
        rows = np.append(kept, len(self.q) - 1) if self.cycle is not None else kept
        coarse = replace(
            self,
            q=self.q[rows],
            terms=at_frames(self.terms, kept),
            posture=self.posture[kept],
            smooth=self.smooth / stride,
        )
        vars(coarse)["active"] = self.active
        x = gauss_newton.minimise(coarse, coarse._start(settings), ring=coarse.ring, settings=settings).x
        if self.ring:
            spline = CubicSpline(np.append(kept, self.frames), np.concatenate([x, x[:1]]), bc_type="periodic")
        else:
            spline = CubicSpline(kept, x)
        return spline(np.minimum(np.arange(self.frames), self.frames if self.ring else kept[-1]))

    def configurations(self, x: Array) -> Array:
        """All configurations (N, nq) at corrections x (M, A); untouched joints keep their bits."""
        q = self.q.copy()
        q[: self.frames] = np.where(self._touched, self._full(x)[1], q[: self.frames])
        if self.cycle is not None:
            q[-1] = self.cycle.carry(q[0], 1)
        return q

    @cached_property
    def _touched(self) -> np.ndarray:
        """Boolean (nq,): coordinates that belong to active degrees of freedom."""
        layout, active = self.character.layout, set(self.active.tolist())
        mask = np.zeros(layout.nq, bool)
        for kind, a, d in zip(layout.kind, layout.qadr, layout.vadr, strict=True):
            if int(d) in active:
                mask[a : a + {FREE: 7, BALL: 4}.get(int(kind), 1)] = True
        return mask

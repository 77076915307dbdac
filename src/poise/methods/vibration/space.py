"""The search space: from a vector of numbers about zero to controls (section 6.1 of Nunes et al. 2012)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.methods.vibration.palette import Palette
from poise.methods.vibration.sketch import DEGREES, LENGTHS, MODES, NEWTON_METRES, PERIODS, Phase, Sketch
from poise.methods.vibration.unit_simulator import HOP, ONE, RUN, Controls, UnitSimulator

STEPS = {NEWTON_METRES: 60.0, DEGREES: 15.0}  # of an amplitude for a unit in the vector
SHARES = {RUN: (0.5, 0.72), HOP: (0.35, 0.75), ONE: (0.35, 0.75)}  # of T
SHARE = 0.6  # α where the search begins
TIMES = ("flight_length", "ground_length", "period", "share")  # of a gait [s], and how much of the period is flight
ROUNDED = 0.005  # share of an amplitude that may be lost to the digits of a file
SUNK = 0.004  # [m] that feet may be in the ground at the start; a performance raises from 0.005 on
TURN, RATE = 0.1, 1.0  # [rad, m], [rad/s, m/s] of a unit of the initial state


@dataclass(frozen=True, eq=False)
class Space:
    """Amplitudes ψ^f and ψ^g, lengths δ^f and δ^g, T and α, and one number for how far the body leans at the start.

    Priority amplitudes are the sketch's and more: ψ = sign (|sketched| + step |x|); others go step x
    from where the sketch lets them begin. `state`: the initial state is searched too, as the paper does; `canonical`:
    every joint by itself in the place of modes; `asked`: how much of the sketch is asked for already; below 1 nothing
    is a bound (`lacking`).
    """

    sketch: Sketch
    palette: Palette
    state: bool = False
    canonical: bool = False
    asked: float = 1.0

    @cached_property
    def bases(self) -> tuple[Array, Array]:
        """Torques (nv, modes) of unit amplitudes in flight and on the ground."""
        if self.canonical:
            each = np.eye(len(self.palette.stiffness))[:, 6:]
            return each, each
        out = []
        for phase in ("flight", "ground"):
            names = [m.name for m in getattr(self.palette, phase)]
            out.append(self._columns(phase)[:, [names.index(m) for m in getattr(self.sketch, phase).names]])
        return out[0], out[1]

    def _columns(self, phase: str) -> Array:
        """Torques (nv, modes) of a unit amplitude of every mode of a phase, in the sketch's unit."""
        plain = self.sketch.torques == MODES
        columns = self.palette.plain_torques(phase) if plain else self.palette.torques(phase)
        return columns / np.degrees(self.palette.swing(columns)) if self.sketch.unit == DEGREES else columns

    @property
    def step(self) -> float:
        """What a unit in the vector adds to an amplitude, in the unit of amplitudes."""
        return STEPS[NEWTON_METRES if self.canonical else self.sketch.unit]

    @property
    def sizes(self) -> tuple[int, int]:
        """How many amplitudes in flight and on the ground."""
        return self.bases[0].shape[1], self.bases[1].shape[1]

    @property
    def dimension(self) -> int:
        """Length of the vector."""
        return sum(self.sizes) + (4 + 2 * len(self.palette.stiffness) - 2 if self.state else 5)

    def amplitudes(self, x: Array) -> tuple[Array, Array]:
        """ψ^f and ψ^g, in the sketch's unit."""
        first, second = self.sizes
        return (self._bounded(x[:first], self.sketch.flight),
                self._bounded(x[first : first + second], self.sketch.ground))  # fmt: skip

    def _bounded(self, x: Array, phase: Phase) -> Array:
        psi = self.step * np.asarray(x, float)
        if not self.canonical:
            for k, least in enumerate(phase.priority.values() if self.asked == 1.0 else ()):
                psi[k] = np.sign(least or 1.0) * (abs(least) + abs(psi[k]))
            psi[len(phase.priority) :] += list(phase.others.values())
        return psi

    def controls(self, x: Array) -> Controls:
        """The controls of a vector."""
        flight, ground = self.amplitudes(x)
        d = x[sum(self.sizes) :]
        start = self.sketch.start
        first, second = (_within(d[k], start[name], *LENGTHS)
                         for k, name in enumerate(("flight_length", "ground_length")))  # fmt: skip
        period = _within(d[2], start["period"], *PERIODS[self.sketch.gait])
        share = _within(d[3], *self._share)
        return Controls(self.bases[0] @ flight, self.bases[1] @ ground, first, second, period, share)

    @property
    def _share(self) -> tuple[float, float, float]:
        """α where the search begins, and within what it stays: as printed, 0.5 and 0 to 1."""
        return (0.5, 0.0, 1.0) if self.state else (SHARE, *SHARES[self.sketch.gait])

    def vector(self, flight: Array, ground: Array, times: Mapping[str, float]) -> Array:
        """The vector whose amplitudes and times [s] these are: where `controls` leads back to them."""
        x = np.zeros(self.dimension)
        first, second = self.sizes
        for psi, phase, at in ((flight, self.sketch.flight, 0), (ground, self.sketch.ground, first)):
            least, begun = (np.array(list(m.values())) for m in (phase.priority, phase.others))
            more = psi[: len(least)]
            if self.asked == 1.0:
                more = np.maximum(np.where(least < 0.0, -1.0, 1.0) * more - np.abs(least), 0.0)
            x[at : at + len(psi)] = np.concatenate([more, psi[len(least) :] - begun]) / self.step
        start = self.sketch.start
        for k, (name, zero, limits) in enumerate((("flight_length", start["flight_length"], LENGTHS),
                                                  ("ground_length", start["ground_length"], LENGTHS),
                                                  ("period", start["period"], PERIODS[self.sketch.gait]),
                                                  ("share", self._share[0], self._share[1:]))):  # fmt: skip
            x[first + second + k] = _logit(times[name], *limits, edge=1e-4) - _logit(zero, *limits)
        return x

    def lean(self, x: Array) -> Array:
        """Attitude (4,) of the root that the search's assist holds: so far forward."""
        return rot.exp(np.array([0.0, 0.25 * np.tanh(x[sum(self.sizes) + 4]), 0.0]))

    def begin(self, simulator: UnitSimulator, x: Array) -> Array:
        """The initial state (nq + nv,) of a vector that has one; one with feet in the ground is raised out of it.

        The ground would throw the body up, as no cycle does.
        """
        start = self.sketch.start
        state = simulator.start(start["height"], start["speed"])
        if not self.state:
            return state
        nq, nv = len(simulator.rest), len(self.palette.stiffness)
        d = x[sum(self.sizes) + 4 :]
        move = np.concatenate([np.zeros(2), TURN * d[: nv - 2]])
        state[:nq] = conf.integrate(simulator.character.layout, state[:nq], move)
        state[nq:] += RATE * d[nv - 2 :]
        low = float(simulator.character.points(state[:nq])[0][:, 2].min())
        state[2] += max(0.0, -SUNK - low)
        return state

    @cached_property
    def _limit(self) -> Array:
        """Torque (nv,) [N m] that each joint bears; infinite where the sketch sets no limits."""
        limit = self.sketch.body().torque_limit
        return np.where(np.isfinite(limit) & self.sketch.limits, limit, np.inf)

    @cached_property
    def _modes_of(self) -> tuple[Array, Array]:
        """What gives the amplitudes (modes, nv) of all modes of a phase from a torque: the sketch's modes first."""
        out = []
        for phase, columns in zip(("flight", "ground"), self.bases, strict=True):
            mine = getattr(self.sketch, phase).names
            rest = [k for k, m in enumerate(getattr(self.palette, phase)) if m.name not in mine]
            every = np.hstack([columns, self._columns(phase)[:, rest]])
            out.append(np.linalg.pinv(every[6:]) @ np.eye(len(every))[6:])
        return out[0], out[1]

    def applied(self, x: Array) -> tuple[Array, Array]:
        """ψ^f and ψ^g of the bursts as far as the joints bear them: the sketch's modes, then all others of the phase.

        A burst that asks a joint for more than its strength is cut there, and what is left is not of the sketch's modes
        alone. Bounds and (12) are asked of these.
        """
        out = []
        for psi, columns, modes_of in zip(self.amplitudes(x), self.bases, self._modes_of, strict=True):
            torque = columns @ psi
            cut = np.clip(torque, -self._limit, self._limit)
            whole = np.concatenate([psi, np.zeros(len(modes_of) - len(psi))])
            out.append(whole if np.array_equal(cut, torque) else modes_of @ cut)
        return out[0], out[1]

    def dominance(self, x: Array, feedback: float = 0.0) -> tuple[float, float]:
        """Σ|ψ_p| - Σ|ψ_o| of (12) in flight and on the ground, of the bursts as `applied`.

        feedback: its torque over that of the bursts (rms); it counts among the others, with this share of the phase's
        amplitudes. The canonical basis has no priority modes.
        """
        if self.canonical:
            return 0.0, 0.0
        out = []
        for psi, phase in zip(self.applied(x), (self.sketch.flight, self.sketch.ground), strict=True):
            mine, others = self._sums(psi, phase)
            out.append(mine - others - feedback * (mine + others))
        return out[0], out[1]

    @staticmethod
    def _sums(psi: Array, phase: Phase) -> tuple[float, float]:
        """Σ|ψ| of the modes with priority and of all others."""
        n = len(phase.priority)
        return float(np.abs(psi[:n]).sum()), float(np.abs(psi[n:]).sum())

    def lacking(self, x: Array, feedback: float = 0.0) -> float:
        """What lacks of sketched amplitudes and of the dominance of (12), as far as they are asked for, in steps."""
        if self.canonical:
            return 0.0
        out = 0.0
        for psi, phase in zip(self.applied(x), (self.sketch.flight, self.sketch.ground), strict=True):
            least, (mine, others) = np.array(list(phase.priority.values())), self._sums(psi, phase)
            signed = np.where(least < 0.0, -1.0, 1.0) * psi[: len(least)]
            out += float(np.maximum(self.asked * np.abs(least) - signed, 0.0).sum())
            out += max(0.0, self.step / 30.0 + self.asked * (others + feedback * (mine + others)) - mine)
        return out / self.step

    def short_of_sketch(self, x: Array) -> dict[str, float]:
        """Modes whose amplitude as `applied` is below what the sketch asks for, and what share of it they reach."""
        out: dict[str, float] = {}
        if self.canonical:
            return out
        for psi, phase in zip(self.applied(x), (self.sketch.flight, self.sketch.ground), strict=True):
            for a, (mode, least) in zip(psi, phase.priority.items(), strict=False):
                share = 1.0 if least == 0.0 else float(np.sign(least) * a / abs(least))
                if share < 1.0 - ROUNDED:
                    out[mode] = round(share, 3)
        return out


def _within(x: float, at_zero: float, low: float, high: float) -> float:
    """A number between low and high that is `at_zero` for x = 0 and changes by about a quarter of the range with 1."""
    return low + (high - low) / (1.0 + float(np.exp(-(x + _logit(at_zero, low, high)))))


def _logit(value: float, low: float, high: float, edge: float = 0.02) -> float:
    share = np.clip((value - low) / (high - low), edge, 1.0 - edge)
    return float(np.log(share / (1.0 - share)))

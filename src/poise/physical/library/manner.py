"""Descriptions of gaits: what a leg does over its cycle, what the rest of the body does meanwhile, and where it goes.

Angles are in degrees, phases in per cent of one leg's cycle from its touch-down on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poise.maths import GRAVITY
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Cycle
from poise.physical.library.authoring import ramp

Keys = tuple[tuple[float, float], ...]  # (per cent of the cycle, value)
Span = tuple[float, float]  # [%] from, to
STIFF = 0.62  # a heel rises as high on a lever that ends at the tips, not at the ball, by so much of the angle


@dataclass(frozen=True)
class Legs:
    """One leg over its cycle."""

    thigh: Keys  # against the vertical, flexion positive
    knee: Keys  # flexion
    foot: Keys  # against the floor, toes up positive
    toes: Keys  # against the foot, bent up positive
    heel: Span  # when it is down
    ball: Span
    tip: Span
    clearance: float = 0.012  # [m] of the foot in the middle of its swing

    @property
    def lift_off(self) -> float:
        """[%] End of stance."""
        return max(self.heel[1], self.ball[1], self.tip[1])

    @property
    def middle(self) -> float:
        """[%] Middle of the time in which heel and ball are both down."""
        return 0.5 * (max(self.heel[0], self.ball[0]) + min(self.heel[1], self.ball[1]))

    def retimed(self, lift_off: float) -> Legs:
        """The same leg with another end of stance [%]: stance and swing are stretched."""
        old = self.lift_off

        def moved(p: float) -> float:
            return p * lift_off / old if p <= old else lift_off + (p - old) * (100.0 - lift_off) / (100.0 - old)

        return self._with_phases(moved)

    def backwards(self) -> Legs:
        """The same leg with time running back: it touches down where it left the ground."""
        end = self.lift_off
        out = self._with_phases(lambda p: (end - p) % 100.0)
        spans = {part: (end - b, end - a) for part, (a, b) in self._spans().items()}
        return replace(out, **spans)  # type: ignore[arg-type]

    def stiff(self) -> Legs:
        """The same leg on a foot without toes: the heel rises less on the longer lever, and the ankle bends less."""
        off, late = self.lift_off, self.heel[1] + 0.7 * (self.lift_off - self.heel[1])
        foot = tuple((p, STIFF * v if v < 0.0 and p < off + 2.0 else v) for p, v in self.foot)
        knee = tuple((p, 0.85 * v if p < late else v) for p, v in self.knee)
        return replace(self, foot=foot, knee=knee)

    def lifted(self, factor: float) -> Legs:
        """The same leg lifted more or less in its swing: thigh and knee are scaled there."""
        off = self.lift_off

        def more(p: float) -> float:
            return 1.0 + (factor - 1.0) * float(np.sin(np.pi * max(p - off, 0.0) / (100.0 - off)))

        def scaled(keys: Keys) -> Keys:
            return tuple((p, more(p) * v) for p, v in keys)

        return replace(self, thigh=scaled(self.thigh), knee=scaled(self.knee))

    def scaled(self, **factors: float) -> Legs:
        """The same leg with some curves multiplied."""
        changed = {name: tuple((p, k * v) for p, v in getattr(self, name)) for name, k in factors.items()}
        return replace(self, **changed)  # type: ignore[arg-type]

    def _spans(self) -> dict[str, Span]:
        return {"heel": self.heel, "ball": self.ball, "tip": self.tip}

    def _with_phases(self, moved: Callable[[float], float]) -> Legs:
        curves = {name: tuple(sorted((moved(p), v) for p, v in getattr(self, name)))
                  for name in ("thigh", "knee", "foot", "toes")}  # fmt: skip
        spans = {part: (moved(a), moved(b)) for part, (a, b) in self._spans().items()}
        return replace(self, **curves, **spans)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Manner:
    """What the rest of the body does; angles in degrees, lengths as shares of leg length, phases in cycles.

    The defaults are those of walking. Pelvis: Saunders, Inman & Eberhart, Journal of Bone and Joint Surgery 35-A,
    543-558, 1953 (it turns by 4 degrees to either side, drops by up to 5 on the swinging side at mid-stance, moves by 5
    cm up and down and by 4 to 5 from side to side at about this speed; ours bobs by 4). Arms: Murray, Sepic & Barnard,
    Physical Therapy 47, 272-284, 1967 (upper arms swing by about 30 degrees, further back than forward, elbows less).
    Surge, nod, the chest's turn and what says how far limbs are turned out are our own judgement.
    """

    sway: float = 0.024  # of the pelvis towards the standing leg
    sway_phase: float = 0.31  # when it is furthest over the leg that stands
    bob: float = 0.022  # of the pelvis, half of its rise and fall
    low: float = 0.06  # when the pelvis is lowest, twice a cycle
    surge: float = 0.011  # of the pelvis along the path
    drop: float = 3.5  # of the pelvis on the swinging side
    drop_phase: float = 0.3  # when it is deepest
    lead: float = 0.0  # when the leg is ahead: pelvis, chest and arms turn and swing by it
    turn: float = 4.5  # of the pelvis with the forward leg
    tilt: float = 0.0  # of the pelvis, forward
    nod: float = 1.0  # of pelvis and chest, twice a cycle
    trunk: float = 4.5  # turn of the chest against the pelvis
    lean: float = 2.5  # of the trunk, forward
    gaze: float = 0.0  # pitch of the head, down positive
    arm_mean: float = -6.0  # upper arm, flexion positive
    arm_swing: float = 15.0
    arm_lag: float = 0.02  # of the arm behind the other leg
    arm_out: float = 8.5  # abduction
    arm_in: float = 8.0  # turn of the upper arm about the vertical, inwards
    elbow_mean: float = 26.0
    elbow_swing: float = 12.0
    elbow_lag: float = 0.05  # of the elbow behind the upper arm
    forearm_in: float = 16.0  # turn of the forearm about the vertical, inwards
    toe_out: float = 6.0
    width: float = 0.068  # between each ankle and the line of travel


@dataclass(frozen=True)
class Gait:
    """A way of going."""

    name: str
    legs: Legs
    manner: Manner = Manner()
    bounce: bool = False  # the pelvis rises and falls as that of a runner (`figure.bounce`)
    spread: float = 0.045  # [s] over which corrections for the sake of physics spread


def leg_phase(phase: Array, side: str) -> Array:
    """Phase [cycles] of a leg: the right one touches down at 0, the left one half a cycle later."""
    return phase if side == "right" else phase + 0.5


_GRID = 1000  # points a stride by which a bend is integrated


@dataclass(frozen=True)
class Path:
    """A line on the floor that starts at the origin along X; its parameter counts strides and may run on for ever."""

    stride: float  # [m] of one stride, two steps; negative: backwards
    strides: int = 1  # of one period
    angle: float = 0.0  # [rad] by which one period turns, to the left
    bend: tuple[float, float] = (0.0, 1.0)  # strides between which it turns
    slow: float = 0.0  # share of its speed that is lost in the middle of the bend

    @cached_property
    def cycle(self) -> Cycle:
        """From one period to the next."""
        return Cycle(self.angle, np.array([*self._within(np.array([float(self.strides)]))[0], 0.0]))

    def heading(self, at: Array) -> Array:
        """Direction [rad] at strides."""
        at = np.asarray(at, float)
        periods = np.floor(at / self.strides)
        return self.angle * (periods + ramp(at - periods * self.strides, *self.bend))

    def turning(self, at: Array) -> Array:
        """Change of the direction [rad] a stride."""
        step = 1e-4
        return (self.heading(np.asarray(at) + step) - self.heading(np.asarray(at) - step)) / (2 * step)

    def pace(self, at: Array) -> Array:
        """Length [m] of a stride at strides."""
        at, (start, end) = np.asarray(at, float) % self.strides, self.bend
        middle = 0.5 * (start + end)
        return self.stride * (1.0 - self.slow * ramp(at, start, middle) * (1.0 - ramp(at, middle, end)))

    def lean(self, at: Array, period: float) -> Array:
        """Lean [rad] into the bend, to the left, that brings gravity and the ground's push in line."""
        return np.arctan(self.pace(at) * self.turning(at) / period**2 / GRAVITY)

    def place(self, at: Array) -> Array:
        """Places (..., 2) [m] at strides."""
        at = np.asarray(at, float)
        periods = np.floor(at / self.strides)
        inside = self._within((at - periods * self.strides).ravel()).reshape(*at.shape, 2)
        out = np.empty_like(inside)
        for count in np.unique(periods):
            far, those = self.cycle.times(int(count)), periods == count
            flat = np.append(inside[those], np.zeros((int(those.sum()), 1)), axis=-1)
            out[those] = (rot.rotate(rot.about_z(far.turn), flat) + far.shift)[:, :2]
        return out

    def _within(self, at: Array) -> Array:
        """Places (N, 2) at strides (N,) of the first period."""
        if self.angle == 0.0:
            return np.stack([self.stride * at, np.zeros_like(at)], axis=-1)
        s, xy = self._line
        return np.stack([np.interp(at, s, xy[:, k]) for k in range(2)], axis=-1)

    @cached_property
    def _line(self) -> tuple[Array, Array]:
        s = np.linspace(0.0, self.strides, self.strides * _GRID + 1)
        turned = self.angle * ramp(s, *self.bend)
        v = self.pace(s)[:, None] * np.stack([np.cos(turned), np.sin(turned)], axis=-1)
        step = 0.5 * (v[1:] + v[:-1]) * (s[1] - s[0])
        return s, np.concatenate([np.zeros((1, 2)), np.cumsum(step, axis=0)])

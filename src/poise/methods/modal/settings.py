"""Settings of the method, with units and the paper's numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.errors import BadValue
from poise.methods.modal.apart import led_apart, raised
from poise.methods.modal.step import Weights
from poise.motion.reference import Reference
from poise.physical.prepare import prepared
from poise.stage import Stage


@dataclass(frozen=True)
class Settings:
    """Weights are those of a mass-normalised problem in SI units; where they differ the paper's are in brackets.

    Positions in the rigid modes are in √kg m, velocities in √kg m/s, impulses in √kg m/s.
    """

    window: int | str = 12  # [steps of 1/120 s] to plan ahead [12 to walk]; "auto": chosen from the clip
    group: int = 1  # [steps] that share one planned contact force
    # W1, position of the centre of mass at the end of the window [0.1]; not given: 1, of a body that only stands 5
    place: float | None = None
    turn: float = 5.0  # W1, orientation [0.5]
    velocity: float = 1.0  # W2, velocities
    height: float = 10.0  # factor on both for the vertical: or a body that must turn jumps to do so [1]
    force: float = 0.03  # W3, per dt² / mass [0.1 per N², which in SI units yields no force]
    low_place: float = 0.5  # w4, position of a low mode at the end of the window
    low_velocity: float = 2.0  # w5, its velocity
    low_effort: float = 1e-3  # w6, on its impulses [5e-3]
    threshold: float = 100.0  # [rad²/s²] below which a mode is planned
    high_decay: float = 0.0  # factor by which a high mode's deviation dies out in a step [0: gone after one]
    cancel_low: float = 0.0  # share of a corrective contact force that the joints cancel in low modes (27)
    cancel_high: float = 0.0  # the same in high modes [1]
    damping_mass: float = 0.0  # [1/s] alpha of D = alpha M + beta K, on the internal modes
    damping_stiffness: float = 0.0  # [s] beta
    friction: float | None = None  # of the ground; that of the stage where not given [1]
    latency: float = 0.0  # [s] after the beginning of a push in which the plan does not know of it [0.2]
    feedforward: bool = True  # measure effort from the reference's own forces and torques [False: from nothing]
    limits: bool = True  # keep joint torques within the character's limits
    loads: bool | None = None  # plan for what the hands carry; not given: in the modal update, which must know of it
    footholds: bool = True  # move the next foothold where a push asks for it
    modes: tuple[int, int] | frozenset[int] | None = None  # plan these modes (first, one past the last; or a set of
    # their numbers, from 6 on) instead of those below the threshold
    repair: bool = True  # make a clip physical first, where it is not, and fit it to a slope [False]
    margin: float = 0.06  # [m] above the ground within which a point is looked after
    tolerance: float = 1e-6  # [N] of the complementarity of contacts

    def __post_init__(self) -> None:
        if self.window != "auto" and not _whole(self.window):
            raise BadValue(
                f'The window is a whole number of steps of 1/120 s, 1 or more, or "auto", not {self.window!r}.'
            )
        if not _whole(self.group):
            raise BadValue(f"A planned force lasts a whole number of steps, 1 or more, not {self.group!r}.")
        for name in (
            "turn",
            "velocity",
            "height",
            "force",
            "low_place",
            "low_velocity",
            "low_effort",
            "threshold",
        ):
            value = getattr(self, name)
            if not (_finite(value) and value > 0.0):
                raise BadValue(f"The setting {name} of modal must be positive, not {value!r}.")
        if self.place is not None and not (_finite(self.place) and self.place > 0.0):
            raise BadValue(f"The setting place of modal must be positive, not {self.place!r}.")
        for name in (
            "high_decay",
            "cancel_low",
            "cancel_high",
            "damping_mass",
            "damping_stiffness",
            "latency",
            "margin",
            "tolerance",
        ):
            value = getattr(self, name)
            if not (_finite(value) and value >= 0.0):
                raise BadValue(f"The setting {name} of modal must be a number from 0 on, not {value!r}.")
        if not self.high_decay < 1.0:
            raise BadValue(
                f"The deviation of a high mode must shrink in a step: high_decay < 1, not {self.high_decay}."
            )
        if self.friction is not None and not (_finite(self.friction) and self.friction > 0.0):
            raise BadValue(f"The friction of the ground must be positive, not {self.friction!r}.")
        _check_modes(self.modes)

    def prepare(self, reference: Reference, stage: Stage) -> tuple[Reference, list[str]]:
        """The reference fitted to the stage and made physical, and what was done; before the performance begins."""
        if not self.repair:
            return reference, []
        reference, notes = prepared(reference, stage.ground)
        clip, apart = reference.baked, led_apart(reference.baked)
        if apart is not clip:
            notes.append("legs that were in each other were led apart")
        free = raised(apart)
        if free is not apart:
            notes.append("feet that dragged were raised")
        return (reference if free is clip else Reference(free, start=reference.start)), notes

    def weights(self, dt: float, window: int) -> Weights:
        """The numbers for compiled code, for steps of dt [s] and this window."""
        if isinstance(self.modes, frozenset):
            first, last = sum(1 << (m - 6) for m in self.modes), -1
        else:
            first, last = (0, 0) if self.modes is None else self.modes
        place = 1.0 if self.place is None else self.place
        return Weights(dt, window, int(self.group), place, self.turn, self.velocity, self.height, self.force,
                       self.low_place, self.low_velocity, self.low_effort, self.threshold, self.high_decay, first, last,
                       self.cancel_low,
                       self.cancel_high, self.damping_mass, self.damping_stiffness, bool(self.limits),
                       bool(self.feedforward), self.tolerance)  # fmt: skip


def _check_modes(modes: tuple[int, int] | frozenset[int] | None) -> None:
    if isinstance(modes, frozenset):
        if not modes or not all(isinstance(m, int) and 6 <= m < 68 for m in modes):
            raise BadValue(f"The planned modes {sorted(modes)} must be internal ones, numbered from 6 to 67.")
    elif modes is not None and not (len(modes) == 2 and 6 <= modes[0] < modes[1]):
        raise BadValue(f"The planned modes {modes} must be internal ones, numbered from 6 on.")


def _whole(steps: object) -> bool:
    return _finite(steps) and steps >= 1 and steps == int(steps)  # type: ignore[operator, call-overload]


def _finite(value: object) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and bool(np.isfinite(value))

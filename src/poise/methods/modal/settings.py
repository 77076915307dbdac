"""Settings of the method, with units, ranges and the paper's numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from poise.methods.modal.departures import DEPARTURES, FLAGS
from poise.methods.modal.step import Weights
from poise.motion.feet.leg_separation import APART, led_apart, raised
from poise.motion.reference import Reference
from poise.physical.prepare import prepared
from poise.settings import Setting, check, flag, names, number, printed, special, whole
from poise.stage import Stage


def _modes(given: object) -> tuple[int, int] | frozenset[int] | None:
    """Modes to plan as they are kept: (first, one past the last), or a frozen set of numbers."""
    if given is None:
        return None
    found = [_MODE.checked(m, "modal") for m in given]  # type: ignore[attr-defined]
    if isinstance(given, set | frozenset):
        if not found or max(found) > 67:
            raise ValueError
        return frozenset(found)
    if isinstance(given, str) or len(found) != 2 or not found[0] < found[1]:
        raise ValueError
    return found[0], found[1]


def _modes_of(word: str) -> tuple[int, int] | frozenset[int] | None:
    """6:30 are the modes from 6 to 29; 7,9,12 are these."""
    if word == "none":
        return None
    if ":" in word:
        first, end = word.split(":")
        return int(first), int(end)
    return frozenset(int(w) for w in word.split(","))


CANCEL_LOW = 5e-6  # the paper's share (27) at 120 steps a second, see `correction.preference_share`
_MODE = Setting("modes", "whole", None, "", low=6, high=10000, range_words="internal ones, numbered from 6")


@dataclass(frozen=True)
class Settings:
    """Weights are those of a mass-normalised problem in SI units.

    Positions in the rigid modes are in √kg m, velocities in √kg m/s, impulses in √kg m/s.
    """

    window: int | str = whole(12, "how far to plan ahead; auto: the time in which the clip's joints turn by 0.115 rad, "
                              "8 to 24 steps", 1, 240, "steps of 1/120 s", words=("auto",), printed=12,
                              said="12 walk, 16 squat, 24 swing")  # fmt: skip
    group: int = whole(1, "how many share one planned contact force", 1, 240, "steps of 1/120 s", said="a few")
    place: float | None = number(None, "W1, rigid modes: position of the centre of mass at the end of the window; "
                                 "none: 1, of a body that only stands 5", 1e-6, 1e6, none=True,
                                 printed=0.1)  # fmt: skip
    turn: float = number(5.0, "W1, orientation", 1e-6, 1e6, printed=0.5)
    velocity: float = number(1.0, "W2, velocities", 1e-6, 1e6, printed=1.0)
    height: float = number(10.0, "factor on both for the vertical: or a body that must turn jumps to do so", 1e-3, 1e4,
                           printed=1.0)  # fmt: skip
    force: float = number(0.03, "W3, on planned contact forces, per dt²/mass", 1e-6, 1e6, printed=0.1,
                          said="0.1; per N² it yields no force in SI units")  # fmt: skip
    low_place: float = number(0.5, "w4, slow modes: position at the end of the window", 1e-6, 1e6, printed=0.5)
    low_velocity: float = number(2.0, "w5, their velocity", 1e-6, 1e6, printed=2.0)
    low_effort: float = number(1e-3, "w6, on their impulses", 1e-9, 1e6, printed=5e-3)
    threshold: float = number(
        100.0, "squared frequency below which a mode is planned", 1e-6, 1e9, "rad²/s²", printed=100.0
    )
    high_decay: float = number(0.0, "factor by which a fast mode's deviation dies out in a step", 0, 0.999, printed=0.0)
    cancel_low: float | None = number(None, "share of a corrective contact force that the joints cancel in slow modes "
                                      "(27); none: 0, without the departure comply 5e-6", 0, 1, none=True,
                                      said="5e-6")  # fmt: skip
    cancel_high: float | None = number(None, "the same in fast modes; none: 0, without the departure comply 1", 0, 1,
                                       none=True, said="1")  # fmt: skip
    damping_mass: float = number(0.0, "alpha of D = alpha M + beta K, on the internal modes; overdamped ones too", 0,
                                 1e3, "1/s", printed=0.0)  # fmt: skip
    damping_stiffness: float = number(0.0, "beta of it", 0, 1, "s", printed=0.0)
    friction: float | None = number(
        None, "friction of the ground; none: that of the stage", 0.001, 10, none=True, printed=1.0
    )
    latency: float = number(0.0, "time after the beginning of a push in which the plan does not know of it", 0, 10, "s",
                            printed=0.2)  # fmt: skip
    departures: tuple[str, ...] | str = names(
        tuple(DEPARTURES), "departures from the paper that are on; a setting that belongs to one has no effect without "
        "it", DEPARTURES, "departure of modal", printed=())  # fmt: skip
    feedforward: bool = flag(True, "measure effort from the reference's own forces and torques, not from nothing "
                             "(departure effort)", said="off")  # fmt: skip
    limits: bool = flag(True, "keep joint torques within the character's limits (departure limits)", said="off")
    loads: bool | None = flag(None, "plan for what the hands carry; none: on in modal, off in modal-torques",
                              printed=True)  # fmt: skip
    footholds: bool = flag(True, "move the next foothold where a push asks for it (departure footholds)",
                           said="off")  # fmt: skip
    modes: tuple[int, int] | frozenset[int] | None = special(
        None, "plan these modes (6:30, those from 6 to 29; or 7,9,12) instead of those below the threshold; in Python "
        "(first, one past the last) or a frozenset", "internal ones, numbered from 6 to 67, in order, or none",
        _modes, _modes_of, said="figure 5")  # fmt: skip
    repair: bool = flag(True, "fit a clip to a slope, make it physical, raise dragging feet and move legs apart, where "
                        "needed (departures slope, repair, raised, apart)", said="off")  # fmt: skip
    margin: float = number(0.06, "height above the ground within which a point is looked after", 0, 1, "m")
    tolerance: float = number(1e-6, "to which contacts obey their law (complementarity)", 0, 1, "N")

    name = "modal"

    def __post_init__(self) -> None:
        check(self, self.name)

    def has(self, departure: str) -> bool:
        """Is this departure from the paper on, and the setting that belongs to it, if there is one?"""
        own = FLAGS.get(departure)
        return departure in self.departures and (own is None or bool(getattr(self, own)))

    @classmethod
    def printed(cls, **changes: Any) -> Self:
        """The paper's own form, its printed errors corrected: no departure, its weights, its latency of 0.2 s.

        Its weight W3 = 0.1 on forces is taken on what a force does to a mass-normalised mode in a step, per dt²/mass:
        per N² it yields no force at all in SI units. Its windows are 12 steps for walks, 16 for squats and 24 for
        swings; 12 is given here.
        """
        return cls(**{**printed(cls), **changes})

    def prepare(self, reference: Reference, stage: Stage) -> tuple[Reference, list[tuple[str, str]]]:
        """The reference fitted to the stage and made physical, and what was done; before the performance begins."""
        reference, notes = prepared(reference, stage.ground, fit=self.has("slope"), repair=self.has("repair"))
        clip = reference.baked
        apart = led_apart(clip) if self.has("apart") else clip
        if apart is not clip:
            notes.append(APART)
        free = raised(apart) if self.has("raised") else apart
        if free is not apart:
            notes.append(("feet raised", "feet that dragged were raised"))
        return (reference if free is clip else Reference(free, start=reference.start)), notes

    def weights(self, dt: float, window: int) -> Weights:
        """The numbers for compiled code, for steps of dt [s] and this window."""
        if isinstance(self.modes, frozenset):
            first, last = sum(1 << (m - 6) for m in self.modes), -1
        else:
            first, last = (0, 0) if self.modes is None else self.modes
        place = 1.0 if self.place is None else self.place
        low, high = (0.0, 0.0) if self.has("comply") else (CANCEL_LOW, 1.0)
        low = low if self.cancel_low is None else self.cancel_low
        high = high if self.cancel_high is None else self.cancel_high
        return Weights(dt, window, int(self.group), place, self.turn, self.velocity, self.height, self.force,
                       self.low_place, self.low_velocity, self.low_effort, self.threshold, self.high_decay, first, last,
                       low, high, self.damping_mass, self.damping_stiffness, self.has("limits"),
                       self.has("effort"), self.tolerance, self.has("targets"), not self.has("bear"),
                       self.has("velocities"), self.has("blend"), self.has("tracked"))  # fmt: skip

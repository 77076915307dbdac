"""Settings of mcsim that only its departures use, weights and gains of its tasks, and how compiled code sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from poise.maths.rotations import Array
from poise.settings import check, number, numbers

if TYPE_CHECKING:
    from poise.methods.mcsim.method import McSim


@dataclass(frozen=True)
class Tasks:
    """Weights are per square of an acceleration (1/(m/s²)² or 1/(rad/s²)²) beside 1 for a tracked joint."""

    mass_centre: tuple[float, float, float] = numbers((100.0, 100.0, 144.0), "weight of the centre of mass, along x, "
                                                      "y, z", 0, 1e6)  # fmt: skip
    mass_gain: tuple[float, float, float] = numbers((20.0, 20.0, 100.0), "gain on its position", 0, 1e4, "1/s²")
    mass_damping: tuple[float, float, float] = numbers((9.0, 9.0, 20.0), "gain on its velocity", 0, 1e3, "1/s")
    mass_most: tuple[float, float, float] = numbers((5.0, 4.0, 8.0), "correction at most", 0, 1e3, "m/s²")
    spin: float = number(1e-4, "weight of the rate of angular momentum", 0, 1e3, "1/(N m)²")
    spin_gain: float = number(5.0, "gain on angular momentum", 0, 1e3, "1/s")
    spin_most: float = number(60.0, "correction of it at most", 0, 1e4, "N m")
    upright: float = number(4.0, "weight of the root's orientation", 0, 1e6)
    upright_gain: float = number(300.0, "gain on it", 0, 1e4, "1/s²")
    upright_flying: float = number(0.25, "weight of it in flight", 0, 1e6)
    swing: float = number(22.5, "weight of the place of a swinging foot", 0, 1e6)
    swing_turn: float = number(2.25, "weight of its orientation", 0, 1e6)
    stand_turn: float = number(1.0, "weight of the orientation of a standing foot", 0, 1e6)
    swing_gain: float = number(600.0, "gain on the place of a swinging foot", 0, 1e4, "1/s²")
    swing_damping: float = number(50.0, "gain on its velocity", 0, 1e3, "1/s")
    leg_swinging: float = number(0.5, "weight of the joints of a swinging leg", 0, 1e6)
    leg_standing: float = number(0.09, "weight of the joints of a standing leg", 0, 1e6)
    press: float = number(0.6, "speed at which a foot that is late goes down", 0, 10, "m/s")

    def __post_init__(self) -> None:
        check(self, "the tasks of mcsim")


class Numbers(NamedTuple):
    """The settings that the compiled program needs; see `McSim` and `Tasks`."""

    kos: float
    grip: float
    grip_damping: float
    damped: bool
    momentum: bool
    mass_most: Array  # (3,)
    mass_gain: Array  # (3,)
    mass_damping: Array  # (3,)
    push_weight: Array  # (6,) of the centre of mass and of the spin
    spin_gain: float
    spin_most: float
    upright: float
    upright_gain: float
    upright_flying: float
    swing: float
    swing_turn: float
    stand_turn: float
    swing_gain: float
    swing_damping: float
    leg_swinging: float
    leg_standing: float

    @classmethod
    def of(cls, way: McSim) -> Numbers:
        """The settings of a method."""
        t = way.tasks
        own = {name: float(getattr(t, name)) for name in cls._fields if isinstance(getattr(t, name, None), float)}
        spin = np.full(3, t.spin)
        return cls(kos=float(way.kos), grip=float(way.grip), grip_damping=float(way.grip_damping),
                   damped=way.has("damped"), momentum=way.has("momentum"), mass_most=np.array(t.mass_most),
                   mass_gain=np.array(t.mass_gain), mass_damping=np.array(t.mass_damping),
                   push_weight=np.concatenate([t.mass_centre, spin]), **own)  # fmt: skip

"""Settings of mcsim that only its departures use, weights and gains of its tasks, and how compiled code sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from poise.maths.rotations import Array

if TYPE_CHECKING:
    from poise.methods.mcsim.method import McSim


@dataclass(frozen=True)
class Tasks:
    """Weights are per square of an acceleration (1/(m/s²)² or 1/(rad/s²)²) beside 1 for a tracked joint."""

    mass_centre: tuple[float, float, float] = (100.0, 100.0, 144.0)  # weight
    mass_gain: tuple[float, float, float] = (20.0, 20.0, 100.0)  # [1/s²] position
    mass_damping: tuple[float, float, float] = (9.0, 9.0, 20.0)  # [1/s] velocity
    mass_most: tuple[float, float, float] = (5.0, 4.0, 8.0)  # [m/s²] of correction at most
    spin: float = 1e-4  # weight of the rate of angular momentum [1/(N m)²]
    spin_gain: float = 5.0  # [1/s]
    spin_most: float = 60.0  # [N m] of correction at most
    upright: float = 4.0  # weight of the root's orientation
    upright_gain: float = 300.0  # [1/s²]
    upright_flying: float = 0.25  # weight of it in flight
    swing: float = 22.5  # weight of the place of a swinging foot
    swing_turn: float = 2.25  # of its orientation
    stand_turn: float = 1.0  # weight of the orientation of a standing one
    swing_gain: float = 600.0  # [1/s²]
    swing_damping: float = 50.0  # [1/s]
    leg_swinging: float = 0.5  # weight of the joints of a swinging leg
    leg_standing: float = 0.09  # of a standing one
    press: float = 0.6  # [m/s] at which a foot that is late goes down


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

"""Settings of mcsim that only its departures use: weights of the program and gains of its tasks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.maths.rotations import Array


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

    def arrays(self) -> tuple[Array, Array, Array, Array]:
        """Bounds, gains and damping (3,) of the centre of mass, and the weights (6,) of it and of the spin."""
        weight = np.array([*self.mass_centre, self.spin, self.spin, self.spin])
        return np.array(self.mass_most), np.array(self.mass_gain), np.array(self.mass_damping), weight

"""The simplified contact: section 6, equations (20)-(22). A torque on the foot that no real ground force gives.

An imagined cylinder under the foot bears at most the torque of a force GRF_max of length m at its rim, on the edge of
the friction cone. Up to that much of the torque that balance puts on the foot is taken off it, artificially.

Corrected against print: equation (20) writes the force as m (cos θ, sin θ), which measures θ from the ground; with θ
the half angle of the friction cone, as the text says, it is m (sin θ, cos θ), equal at 45 degrees only.

Departures: `bounded`: the vertical part of the torque, which the paper always takes off wholly, is taken off up to the
same largest torque, so that the slider reaches honest physics without a jump. `answered`: the paper takes off all of
the torque, which lets the ground press under the ankle; here the part that a ground force in the middle of what touches
answers is left, without which a foot on its toes is turned down onto its heel and cannot push off. `ankle`: nothing
beyond the ankle's strength is taken off, and the slider ends there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.errors import BadValue
from poise.kernels import njit
from poise.maths import GRAVITY
from poise.settings import check, number


@dataclass(frozen=True)
class Cylinder:
    """The imagined foot: radius r, height h of the foot's centre of mass, largest force m, friction angle."""

    radius: float = number(0.12, "radius r of the imagined foot", 0, 10, "m")
    height: float = number(0.04, "height h of the foot's centre of mass", 0, 10, "m")
    force: float = number(720.0, "largest force m that it bears", 0, np.inf, "N", infinite=True)
    angle: float = number(45.0, "θ: half angle of the friction cone", 0, 89.9, "degrees")

    def __post_init__(self) -> None:
        check(self, "the cylinder of balance")

    @property
    def torque(self) -> float:
        """Largest torque [N m] that is taken off: |h m sin θ + r m cos θ|, from equation (20)."""
        if self.force == 0.0:
            return 0.0
        angle = np.radians(self.angle)
        return float(abs(self.height * np.sin(angle) + self.radius * np.cos(angle)) * self.force)

    @classmethod
    def at(cls, slider: float, mass: float = 72.0, strongest: float = np.inf) -> Cylinder:
        """The bar of figure 3 as one number: 0 is exact physics, 0.5 about a real foot, 1 a foot buried in the ground.

        The force m is the character's weight times `heaviness`; radius, height and angle stay. An ankle that puts at
        most `strongest` [N m] on a foot is answered wholly at 1, so that no part of the slider is without effect.
        """
        if not 0.0 <= slider <= 1.0:
            raise BadValue(f"The slider goes from 0 (exact) to 1 (superhuman), not to {slider}.")
        weight = float(mass * GRAVITY)
        most = strongest / cls(force=weight).torque  # the torque of a force is proportional to it
        return cls(force=weight * heaviness(slider, most))


def heaviness(slider: float, most: float = np.inf) -> float:
    """The force on the imagined foot in body weights: 0 at a slider s of 0, 1 at 0.5, `most` at 1, rising all the way.

    s / (1 - s) without a bound. With a bound M the curve of this kind through the three points, which for a large M is
    the same: M s / (M - 1 - (M - 2) s). Where M is less than 2 that would rise in a leap: it is M s there.
    """
    if np.isinf(most):
        return np.inf if slider == 1.0 else slider / (1.0 - slider)
    if most <= 2.0:
        return most * slider
    return most * slider / (most - 1.0 - (most - 2.0) * slider)


@njit(cache=True)
def unanswered(torque, patch, force):
    """Add to the torque (3,) of the ankle on a foot that of the ground's force (3,) at `patch` (3,) from the ankle.

    What is left would turn a foot on which the ground presses there. It is a share of the ankle's torque, from nothing
    to all of it: artificial torque takes off what balance puts on a foot, and turns no foot by itself.
    """
    x, y, z = torque[0], torque[1], torque[2]
    gx, gy = patch[1] * force[2] - patch[2] * force[1], patch[2] * force[0] - patch[0] * force[2]
    gz = patch[0] * force[1] - patch[1] * force[0]
    size = x * x + y * y
    share = 1.0 + (gx * x + gy * y) / size if size > 1e-9 else 0.0
    share = min(1.0, max(0.0, share))
    torque[0], torque[1] = share * x, share * y
    torque[2] = min(1.0, max(0.0, 1.0 + gz / z)) * z if abs(z) > 1e-9 else 0.0


@njit(cache=True)
def compensation(torque, most, out, bounded=True):
    """out (3,) = moment to be put on a foot that balance turns with `torque` (3,), world axes; gives the ratio (21).

    The horizontal part is taken off as far as `most` [N m] goes, equation (22); the vertical one too if it is
    `bounded`, else wholly, as in the paper.
    """
    size = np.sqrt(torque[0] ** 2 + torque[1] ** 2)
    ratio = 1.0 if size <= most else most / size
    upright = 1.0 if not bounded or abs(torque[2]) <= most else most / abs(torque[2])
    out[0], out[1], out[2] = -ratio * torque[0], -ratio * torque[1], -upright * torque[2]
    return ratio

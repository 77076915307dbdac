"""The way of the centre of mass over given footprints: an inverted pendulum.

A centre of mass at constant height z over a centre of pressure p accelerates by ω² (x - p), with ω² = g / z. The one
motion that stays with its feet for ever is the mean of p over past and future times, weighted by e^(-ω |t|). With the
prints of a gait it gives sway, surge, and in a bend the way on the inside of the prints.
"""

from __future__ import annotations

import numpy as np

from poise.maths.rotations import Array
from poise.physical.library.manner import Gait, leg_phase
from poise.physical.library.path import GRAVITY, Path

HEIGHT = 1.07  # of the centre of mass, as a share of leg length
ROLL = (-0.04, 0.15)  # [leg lengths] of the centre of pressure from the ankle, at the beginning and end of stance
_GRID = 200  # samples a stride
_AROUND = 3  # strides before and after


def print_of(gait: Gait, path: Path, phase: Array, side: str, leg: float) -> tuple[Array, Array]:
    """The ankle's place (N, 2) over the print on which a foot stands now or next, and the print's direction (N,)."""
    sign, back = (1.0, 0.5) if side == "left" else (-1.0, 0.0)
    # from the middle of its swing on, the foot nears its next print
    at = np.floor(leg_phase(phase, side) + 0.5 - gait.legs.lift_off / 200.0) - back + gait.legs.middle / 100.0
    heading = path.heading(at)
    beside = sign * gait.manner.width * leg
    return path.place(at) + beside * np.stack([-np.sin(heading), np.cos(heading)], axis=-1), heading


def pressure(gait: Gait, path: Path, phase: Array, leg: float) -> Array:
    """Centre of pressure (N, 2): it rolls over each foot, and moves to the next while both are down."""
    total, weight = np.zeros((len(phase), 2)), np.zeros((len(phase), 1))
    off = gait.legs.lift_off / 100.0
    both = max(off - 0.5, 0.02)
    for side in ("left", "right"):
        place, heading = print_of(gait, path, phase, side, leg)
        mine = leg_phase(phase, side) % 1.0
        roll = leg * np.interp(mine, [0.0, off], ROLL if path.stride > 0 else ROLL[::-1])
        share = np.interp(mine, [0.0, both, 0.5, off, 1.0], [0.0, 1.0, 1.0, 0.0, 0.0])[:, None]
        total += share * (place + roll[:, None] * np.stack([np.cos(heading), np.sin(heading)], axis=-1))
        weight += share
    return total / weight


def centre(gait: Gait, path: Path, phase: Array, period: float, leg: float) -> Array:
    """Centre of mass (N, 2) [m] at phases [strides] of one period of the path."""
    reach = _AROUND * _GRID
    fine = np.arange(-reach, path.strides * _GRID + reach + 1) / _GRID
    ago = np.arange(-reach, reach + 1) / _GRID * period
    kernel = np.exp(-np.sqrt(GRAVITY / (HEIGHT * leg)) * np.abs(ago))
    under = pressure(gait, path, fine, leg)
    mean = np.stack([np.convolve(under[:, k], kernel / kernel.sum(), mode="valid") for k in range(2)], axis=-1)
    at = np.arange(path.strides * _GRID + 1) / _GRID
    return np.stack([np.interp(phase, at, mean[:, k]) for k in range(2)], axis=-1)


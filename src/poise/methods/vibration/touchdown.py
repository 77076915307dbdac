"""Ground bursts by touch-down and a delay, in the place of the clock (section 9 of Nunes et al. 2012).

The paper's bursts come by the clock, and it says that a touch-down plus a delay may be preferred in an interactive
simulation. The delay is the one that the gait's own cycle has between the two.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.maths.rotations import Array
from poise.methods.vibration.control import Bursts, Corrections, burst
from poise.methods.vibration.spectrum import TOUCHES, foot
from poise.methods.vibration.unit_simulator import Controls, UnitSimulator

WINDOW = 1 / 3  # of a unit before and after the usual touch-down in which one counts


class Trigger(NamedTuple):
    """What is needed to strike the ground burst when the foot comes down."""

    flight: Array  # (2, steps, nv) [N m] of the flight burst alone, as it is and mirrored
    ground: Array  # (2, length, nv) of the ground burst from its first step on
    usual: int  # step of a unit in which the foot comes down in the cycle
    delay: int  # steps from there to the burst
    feet: tuple[tuple[int, ...], tuple[int, ...]]  # bodies of the foot that stands in even and in odd units


def trigger(simulator: UnitSimulator, controls: Controls, given: Bursts, start: Array, fix: Corrections) -> Trigger:
    """The bursts of a gait apart, and when its foot comes down in the unit that begins with `start` (nq + nv,)."""
    steps, nq = given.table.shape[1], len(simulator.rest)
    alone = simulator.bursts(controls._replace(ground=np.zeros_like(controls.ground)))
    length = max(1, int(np.ceil(controls.ground_length / simulator.dt)))
    shape = (
        burst(0.0, controls.ground_length, length, simulator.dt, length * simulator.dt, simulator.form)[:, None]
        * controls.ground
    )
    sides = (("right", "left"), ("left", "right"))[given.foot] if simulator.swaps else ("right", "right")
    feet = tuple(tuple(foot(simulator, side)) for side in sides)
    both = simulator.run(start, given, 2, fix, traced=True).trace[:, :nq]
    low = simulator.character.points(both)[:, np.isin(simulator.character.contact_points.bodies, feet[0]), 2].min(
        axis=1
    )
    down = np.flatnonzero((low[1:] < TOUCHES) & (low[:-1] >= TOUCHES)) + 1
    first = given.thrust[0]
    usual = int(down[np.argmin(np.abs(down - first))]) if len(down) else first
    if usual > steps:  # it comes down late in the unit before
        usual -= 2 * steps if simulator.swaps else steps
    struck = (shape, shape @ simulator.mirror.T)[:: -1 if given.foot else 1]
    return Trigger(alone.table, np.stack(struck), usual, first - usual, (feet[0], feet[1]))


def expected(given: Trigger, now: int, steps: int) -> tuple[int, bool]:
    """Which unit's touch-down is due at a step since the beginning, and whether it would count now."""
    unit = round((now - given.usual) / steps)
    return unit, abs(now - unit * steps - given.usual) <= WINDOW * steps


def torque(given: Trigger, now: int, steps: int, swaps: bool, struck: int, struck_unit: int) -> Array:
    """Flight burst by the clock, ground burst since the step `struck` of a unit (nv,) [N m]."""
    unit, i = divmod(now, steps)
    out = given.flight[unit % 2 if swaps else 0, i].copy()
    since = now - struck
    if struck_unit >= 0 and 0 <= since < given.ground.shape[1]:
        out += given.ground[struck_unit % 2 if swaps else 0, since]
    return out

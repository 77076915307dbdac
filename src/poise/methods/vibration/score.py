"""How good a unit is: the objective (2), (3) and the nine easy constraints of appendix A of Nunes et al. 2012.

Printed errors: Q_b as printed fires for almost every d; it is Q_u(-d, -ε) + Q_u(d, -ε) here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from poise.maths.rotations import Array
from poise.methods.vibration import unit_loop
from poise.methods.vibration.space import Space
from poise.methods.vibration.unit_simulator import Run, UnitSimulator

CONSTRAINTS = {
    "E1": "at times it goes forward at less than 0.5 m/s",
    "E2": "it goes forward at less than 2 m/s, or aside or up at more than 0.25 m/s",
    "E3": "a joint turns faster than 20 rad/s",
    "E4": "its bursts take more than 500 000 N² m²",
    "E5": "modes with priority do not outweigh all else",
    "E6": "the chest sinks below the centre of mass",
    "E7": "the standing foot leaves the ground during its thrust",
    "E8": "the toe does not lift off by 20 mm, heel first",
    "E9": "the swinging leg is longer than the one that stands",
}
"""What it means that an easy constraint is violated."""

W0, WS = 1e-5, 1e6  # w_0 of (5), and w_s, which is to be above 1e10 · w_0
MOST_FEEDBACK = 0.1  # of the bursts' torque (rms) that feedback may be
MARGIN = 0.07  # what the search strives for
DEPTH_SOUGHT, MOST_DEPTH = 0.0045, 0.005  # [m] that feet are to sink in at most, and may
_SHARE = np.array([5.0, 4.0, 20.0, 100.0, 150.0])  # of what is missed of E1, E3, E6, E7, E9
_TOUCHING = 1.0  # of a unit in which limbs strike each other all the time: what is struck in every step never settles
BARRIER = 0.3  # for each easy constraint that is violated, however little: the step h of (7)
_LIFT = 200.0  # [1/m] of the height that the higher foot lacks


class Score(NamedTuple):
    """One candidate, judged."""

    cost: float
    easy: Array  # (9,) E_1 to E_9 as printed
    drift: float  # max |φ|
    objective: float  # E_v E_e
    speed: float  # [m/s]
    energy: float  # E_e [N² m²]
    feedback: float  # rms of feedback torque over that of bursts
    assist: float  # rms of the assist [N], torques at a metre
    deepest: float = 0.0  # [m] that feet sink in
    touching: float = 0.0  # share of the last unit in which the body touches itself


def easy(space: Space, x: Array, run: Run) -> Array:
    """E_1 to E_9 (9,) of the last unit of a run; infinite where it fell before."""
    if not run.whole:
        return np.full(9, np.inf)
    out = run.measured[:9].copy()
    margins = space.dominance(x, feedback_share(run.measured))
    out[unit_loop.E5] = sum((0.0 - d) ** 2 + 1.0 for d in margins if d < 0.0)
    return out


def violated(constraints: Sequence[float] | Array) -> str:
    """Which of E_1 to E_9 (9,) are not zero, such as "E2 E9"; "none"."""
    return " ".join(f"E{k + 1}" for k, e in enumerate(constraints) if e != 0.0) or "none"


def feedback_share(measured: Array) -> float:
    """Torque of the feedback over that of the bursts (rms) of what was measured in a unit."""
    return float(np.sqrt(measured[unit_loop.FEEDBACK] / max(measured[unit_loop.ACTIVE], 1.0)))


def missed(space: Space, x: Array, measured: Array) -> float:
    """How far the easy constraints are missed, without their steps: zero only some margin inside them."""
    m = measured
    out = float(_SHARE @ m[unit_loop.M_SPEED : unit_loop.M_STUB + 1])
    out += 5.0 * max(0.0, 2.06 - m[unit_loop.VX]) + 5.0 * max(0.0, abs(m[unit_loop.VY]) - 0.22)
    out += 75.0 * max(0.0, 0.025 - m[unit_loop.AIR]) + 150.0 * max(0.0, 0.03 - m[unit_loop.NEAR_AIR])
    return out + 3.0 * space.lacking(x, feedback_share(m))


def judged(simulator: UnitSimulator, space: Space, x: Array, run: Run, units: int, strict: float = 2.0) -> Score:
    """The score of a vector after so many units; one that fell is worse the sooner it did.

    strict: how much weighs what is missed of the constraints, of a cycle, of the feedback's share and of firm ground.
    """
    m = run.measured
    if run.finished < units:
        short = units - run.steps / simulator.steps(space.controls(x))
        return Score(2e3 + 1e3 * short, np.full(9, np.inf), np.inf, np.inf, 0.0, np.inf, np.inf, np.inf)
    phi = simulator.drift(run.states[-2], run.states[-1])
    energy = float(m[unit_loop.ACTIVE] + m[unit_loop.FEEDBACK])
    objective = energy / max(float(m[unit_loop.VX]), 0.05) ** 2
    share = feedback_share(m)
    assist = m[unit_loop.ASSIST_FORCE] / 30.0**2 + m[unit_loop.ASSIST_TORQUE] / 20.0**2
    wrong = missed(space, x, m) + 2.0 * float(np.sqrt(np.mean(phi**2))) + 10.0 * max(0.0, share - MARGIN)
    touching = simulator.touching(run.trace[-simulator.steps(space.controls(x)) :])
    wrong += 100.0 * max(0.0, float(m[unit_loop.DEEPEST]) - DEPTH_SOUGHT) + _TOUCHING * touching
    kept = easy(space, x, run)
    wrong += BARRIER * np.count_nonzero(kept)
    cost = 3.0 * assist + strict * wrong + _LIFT * float(m[unit_loop.M_LIFT]) + W0 * objective
    if not np.isfinite(cost):
        cost = 1e4
    force = float(np.sqrt(m[unit_loop.ASSIST_FORCE] + m[unit_loop.ASSIST_TORQUE]))
    return Score(float(cost), kept, float(np.abs(phi).max()), objective, float(m[unit_loop.VX]), energy,
                 share, force, float(m[unit_loop.DEEPEST]), touching)  # fmt: skip


def printed_terms(simulator: UnitSimulator, space: Space, x: Array, run: Run) -> tuple[float, Array]:
    """f of (5) and φ of (6) of one unit, for the method of multipliers; a fall counts as all that it missed."""
    if run.finished < 1:
        left = simulator.steps(space.controls(x)) - run.steps
        return WS * 1e3 * (1.0 + left), np.ones(2 * len(space.palette.stiffness) - 2)
    m = run.measured
    objective = float(m[unit_loop.ACTIVE]) / max(float(m[unit_loop.VX]), 0.05) ** 2
    return W0 * objective + WS * float(easy(space, x, run).sum()), simulator.drift(run.states[0], run.states[-1])

"""What the feedback asks of the ground: the wrench of F̄ = F* + δF, equation (22), and its bounds.

The gains of a segment belong to small errors. A push that no foot can answer asks them for forces far beyond the
friction cones, and (30) then trades moments for forces: the body is turned over. The departure `separate` lets errors
of C and P ask for forces and those of Φ and L for moments,

    Ṗ = Ṗ* + Σ (G δx_CP + G^Ψ ΔΨ_CP),      L̇ = L̇* - k²/4 (Φ - Φ*) - k (L - L*),

bounds both, and (30) meets the moments first: what is left of the force is what a pendulum on this foot can have.
"""

from __future__ import annotations

import numpy as np

from poise.maths import GRAVITY
from poise.maths.rotations import Array
from poise.methods.momentum.forces import moment_of
from poise.methods.momentum.plan import Segment

_FORCE = np.array([1.0, 1.0, 0.7])  # of the body's weight: the largest change of the force
_LEVER = 0.15  # [m] of the body's weight: the largest change of the moment, where one gain answers all
TAKE_OFF = (0.6, 2.0)  # times both, where a clip leaves the ground: of a calm body, and of one that was pushed


def along(states: Array, way: Array) -> Array:
    """States (K, 12) without what goes on across a way (3,): sideways motion, and turning about other axes than its."""
    side = np.array([-way[1], way[0], 0.0])
    out = states.reshape(-1, 4, 3).copy()
    out[:, :2] -= (out[:, :2] @ side)[..., None] * side
    out[:, 2:] = (out[:, 2:] @ side)[..., None] * side
    return out.reshape(-1, 12)


def lift(s: Segment, k: int, g: int, off: Array, aim: Array, way: Array) -> float:
    """The vertical force [N] at frame k of a segment, by gains of frame g: what goes on across the way lifts nobody."""
    off, aim = along(np.stack([off, aim]), way)
    return float(s.forces[k, :, 2].sum() + (s.gain[g] @ off + s.goal_gain[g] @ aim)[2::3].sum())


def bounded(s: Segment, k: int, force: Array, moment: Array, mass: float, times: float = 1.0) -> tuple[Array, Array]:
    """A force (3,) and moment (3,) whose change against the plan's is not beyond what a body can do with its legs."""
    (plain, usual), most = wrench(s, k), times * mass * GRAVITY
    return (plain + np.clip(force - plain, -_FORCE * most, _FORCE * most),
            usual + np.clip(moment - usual, -_LEVER * most, _LEVER * most))  # fmt: skip


def wrench(s: Segment, k: int) -> tuple[Array, Array]:
    """Force (3,) [N] and moment about C* (3,) [N m] of F* at frame k of a segment."""
    return s.forces[k].sum(axis=0), moment_of(s.corners[k], s.forces[k], s.states[k, :3])


def separate(s: Segment, k: int, g: int, off: Array, aim: Array, way: Array, mass: float, upright: float,
             lever: float) -> tuple[Array, Array]:  # fmt: skip
    """Force (3,) [N] and moment (3,) [N m] at frame k of a segment by gains of frame g (departure `separate`).

    `off` (12,) δx, `aim` (12,) ΔΨ, `way` (3,) of the walk, all in the plan's axes; `upright` k [1/s]; `lever` [m] of
    the body's weight: the largest change of the moment.
    """
    place, goal = off.copy(), aim.copy()
    place[6:] = goal[6:] = 0.0
    (plain, usual), most = wrench(s, k), mass * GRAVITY
    change = (s.gain[g] @ place + s.goal_gain[g] @ goal).reshape(-1, 3).sum(axis=0)
    change[2] = lift(s, k, g, place, goal, way) - plain[2]
    turn = np.clip(-0.25 * upright**2 * off[6:9] - upright * off[9:], -lever * most, lever * most)
    return plain + np.clip(change, -_FORCE * most, _FORCE * most), usual + turn

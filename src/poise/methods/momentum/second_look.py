"""A second look at the pose: what its straight first step misses, and joints that it asks too much of.

(31) is linear. Limbs move on arcs: J_c q̇ h is not the way of a corner, nor J q̇ the angular momentum half-way (departure
`arcs`). And it knows no muscles: torques of the first solution

    τ = M (q̇ + Δ - v) / h + bias - J_cᵀ F - J_eᵀ F^e

that are beyond the character's limits become rows |τ_j - limit_j|² of the second (departure `strength`); so do hinges
that would leave their range (departure `limits`). Δ is what the step adds to the root's velocity from its middle on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poise.character import Character
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.momentum.pose import Reduced, Tracking, momenta, put, reduce, speeds_of, velocity, with_momenta
from poise.methods.momentum.reach import calm

if TYPE_CHECKING:
    from poise.methods.momentum.memory import Memory
    from poise.methods.momentum.performer import Seen

_RANGE = 100.0  # weight of a joint at the end of its range, beside w1
_NEARING = 3.0  # the same of one that would get there in this step
_MUSCLE = 0.001  # weight of a torque at its limit [1/(N m)²], beside w1
_SPARE = 0.8  # share of a limit from which on a torque is held back
_BACK = 0.3  # share of what a joint is beyond its range that one frame takes back
_ROUNDS = 2  # looks at the arcs where the limits have changed the step
_BALL, _HINGE = 1, 3  # MuJoCo's numbers of kinds of joints

Rows = tuple[Array, Array, Array]  # rows (R, nv), goals (R,), weights (R,)


def second_look(memory: Memory, seen: Seen, tracking: Tracking, middle: Array, u: Array, acting: Array, change: Array,
                dt: float) -> tuple[Reduced, Array] | None:  # fmt: skip
    """(31) once more after its solution u (nv,), and the new one; None where there is nothing to mend.

    `middle` (6,): the momenta half-way; `acting` (nv,): J_cᵀF + J_eᵀF^e; `change` (6,) of the momenta over the step.
    """
    has, before = memory.settings.has, len(tracking.goals)
    quiet = 1.0 if memory.flies else calm(memory.strayed)
    if has("limits"):
        after = conf.integrate(memory.character.layout, seen.q[None], dt * u[None])[0]
        tracking = added(tracking, joint_rows(memory, seen.q, after, dt))
    if has("strength"):
        tracking = added(tracking, _torque_rows(memory, seen, u, acting, change, dt))
    terms, mended, has_momenta = memory.compiled.terms, None, middle
    if len(tracking.goals) > before:
        mended = reduce(terms, tracking)
        u = velocity(mended, middle)
    for _ in range(0 if not has("arcs") or quiet <= 0.0 else 1 if mended is None else _ROUNDS):
        led, has_momenta = _on_arcs(memory, seen, tracking, middle, u, has_momenta, dt, quiet)
        mended = reduce(terms, led)
        u = velocity(mended, has_momenta)
    return None if mended is None else (mended, u)


def added(tracking: Tracking, rows: Rows) -> Tracking:
    """What (31) follows with more rows."""
    if not len(rows[1]):
        return tracking
    return tracking._replace(rows=np.ascontiguousarray(np.vstack([tracking.rows, rows[0]])),
                             goals=np.concatenate([tracking.goals, rows[1]]),
                             prices=np.concatenate([tracking.prices, rows[2]]))  # fmt: skip


def no_rows(nv: int) -> Rows:
    """None at all."""
    return np.zeros((0, nv)), np.zeros(0), np.zeros(0)


def joint_rows(memory: Memory, q: Array, after: Array | None, dt: float) -> Rows:
    """Rows of hinges and balls that are beyond their range in q (nq,); or, with the pose `after`, that will be.

    Those that are beyond it come back little by little, the others stop at its end.
    """
    ranges, layout = memory.ranges, memory.character.layout
    angle = ranges.angles(q)
    beyond = (angle < ranges.low) | (angle > ranges.high)
    ends, share = angle, _BACK
    if after is not None:
        ends, share = ranges.angles(after), 1.0
        beyond = ~beyond & ((ends < ranges.low) | (ends > ranges.high))
    if not beyond.any():
        return no_rows(layout.nv)
    rows, goals = [], share * (np.clip(ends, ranges.low, ranges.high) - angle)[beyond] / dt
    for j in np.flatnonzero(beyond):
        row, at = np.zeros(layout.nv), layout.vadr[ranges.joints[j]]
        if j < ranges.hinges:
            row[at] = 1.0
        else:
            turn = q[ranges.places[j] + 1 : ranges.places[j] + 4] * (1.0 if q[ranges.places[j]] >= 0.0 else -1.0)
            row[at : at + 3] = turn / max(float(np.linalg.norm(turn)), 1e-12)
        rows.append(row)
    return np.stack(rows), goals, np.full(len(goals), _RANGE if after is None else _NEARING)


class Ranges:
    """Ranges of a character's hinges and, after them, of its balls."""

    def __init__(self, character: Character):
        model, layout = character.model, character.layout
        limited = np.asarray(model.jnt_limited, bool)
        hinges, balls = (np.flatnonzero(limited & (model.jnt_type == kind)) for kind in (_HINGE, _BALL))
        self.joints, self.hinges = np.concatenate([hinges, balls]), len(hinges)
        self.places = np.asarray(layout.qadr)[self.joints]
        self.low = np.concatenate([model.jnt_range[hinges, 0], np.full(len(balls), -np.inf)])
        self.high = model.jnt_range[self.joints, 1].copy()
        self._turns = self.places[self.hinges :, None] + np.arange(4)

    def angles(self, q: Array) -> Array:
        """How far [rad] each of them is turned in q (nq,)."""
        turns = q[self._turns]
        tilt = 2.0 * np.arctan2(np.sqrt(np.sum(turns[:, 1:] ** 2, axis=1)), np.abs(turns[:, 0]))
        return np.concatenate([q[self.places[: self.hinges]], tilt])


def kick(memory: Memory, change: Array) -> Array:
    """Δ (nv,): what the root's velocity gains from the middle of a step, which changes the momenta by `change` (6,)."""
    return with_momenta(memory.compiled.terms, np.zeros(memory.character.layout.nv), 0.5 * change)


def _torque_rows(memory: Memory, seen: Seen, u: Array, acting: Array, change: Array, dt: float) -> Rows:
    """Rows that hold torques at their limits where those of u (nv,) are beyond."""
    terms = memory.compiled.terms
    borne = terms.bias - acting
    rest = terms.mass_matrix @ ((kick(memory, change) - seen.v) / dt) + borne
    most = np.maximum(_SPARE * memory.strength, np.abs(borne))
    torque = terms.mass_matrix @ (u / dt) + rest
    over = np.flatnonzero(np.abs(torque) > most)
    over = over[over >= 6]
    if not len(over):
        return no_rows(len(u))
    goals = np.sign(torque[over]) * most[over] - rest[over]
    return terms.mass_matrix[over] / dt, goals, np.full(len(over), _MUSCLE)


def _on_arcs(memory: Memory, seen: Seen, tracking: Tracking, middle: Array, u: Array, straight: Array, dt: float,
             quiet: float) -> tuple[Tracking, Array]:  # fmt: skip
    """g2 and the momenta (6,) without what the way of u (nv,) has beside its straight one.

    `straight` (6,): J u, the momenta of u in the present pose; `quiet`: how much of it is heeded.
    """
    terms, mass = memory.compiled.terms, memory.plan.course.mass
    corners = tracking.points + dt * speeds_of(terms, tracking.bodies, tracking.points, u)
    centre = seen.x[:3] + dt * straight[:3] / mass
    halfway, end = conf.integrate(memory.character.layout, np.stack([seen.q, seen.q]), dt * np.stack([0.5 * u, u]))
    put(terms, end)
    beside, wanted = quiet * (terms.points[memory.plan.course.points] - corners), middle.copy()
    wanted[:3] -= quiet * mass * (terms.centre_of_mass - centre) / dt
    put(terms, halfway)
    wanted[3:] -= quiet * (momenta(terms, u, np.empty((6, len(u))))[3:] - straight[3:])
    put(terms, seen.q)
    return tracking._replace(speeds=tracking.speeds - beside / dt), wanted

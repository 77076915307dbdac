"""Feedback about the cycle that a gait settles into, built again and again until the gait stays there.

The first feedback is about what the body does with the assist or with the feedback of the round before. Where it then
settles is another cycle, so feedback is built about that one, up to a few times.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.errors import NoSolution
from poise.maths.rotations import Array
from poise.methods.vibration import feedback
from poise.methods.vibration.control import Bursts, Corrections
from poise.methods.vibration.unit_loop import Assist
from poise.methods.vibration.unit_simulator import Run, UnitSimulator

CENTRED = 3  # times that feedback is built again about what it leads to
# shares of the feedback's steady torques that are left to the bursts within a search: large ones, since the rounds that
# come make the bursts carry them
LEFT_IN_SEARCH = (0.3, 0.6)
MEAN = 9  # units whose mean is the cycle that feedback is about; every other one counts, the rest are mirrored
LASTING, SETTLED = 25, 0.01  # units that feedback is tried for, and max |φ| from which it is good enough


class OpenLoop(NamedTuple):
    """A body with the bursts of a gait, and what its feedback acts with."""

    simulator: UnitSimulator
    bursts: Bursts
    basis: Array  # (nv, inputs)
    stages: int  # decisions in a unit

    @property
    def starts(self) -> np.ndarray:
        """First step of each stage (stages + 1,)."""
        return feedback.cuts(self.bursts.table.shape[1], self.stages)


class CycleFeedback(NamedTuple):
    """Feedback about a cycle, and the state from which the cycle begins."""

    state: Array  # (nq + nv,)
    cycle: Array  # (K, nq + nv)
    steady: Array  # (K, inputs) [N m]
    gains: Array  # (K, inputs, 2 nv)


def corrections_of(body: OpenLoop, made: CycleFeedback) -> Corrections:
    """The feedback for the simulator."""
    starts = feedback.cuts(body.bursts.table.shape[1], len(made.cycle))
    return feedback.corrections(body.simulator, made.cycle, starts, body.basis, made.gains, made.steady)


def candidates(body: OpenLoop, kept: CycleFeedback | None, state: Array, corrections: Corrections | None,
               assist: Assist | None, units: int) -> list[CycleFeedback]:  # fmt: skip
    """Feedbacks to choose from: the old one, if it is kept, and those about what the body settles into from a state.

    corrections, assist: what steers it there at first. units: that a candidate of the round lasts; these and some more
    are simulated. Where the assist stays, three are enough.
    """
    made = [] if kept is None else [kept]
    for _ in range(CENTRED):
        count = 3 if assist is not None else 2 * (units // 2) + MEAN
        try:
            found, *lighter = about_cycle(body, state, corrections, assist, count)
        except NoSolution:
            if not made:
                raise
            break
        made += [found, *lighter]
        state, corrections, assist = found.state, corrections_of(body, found), None
        if lasts(body, found) >= (LASTING, -SETTLED):
            break
    return made


def about_cycle(body: OpenLoop, state: Array, corrections: Corrections | None, assist: Assist | None, units: int
                ) -> list[CycleFeedback]:  # fmt: skip
    """Feedback about what a body does in the last of some units from a state, steered by `corrections` and the assist.

    Without the assist that is the mean of `MEAN` units: a gait may waver. Then the same with less and less of what the
    feedback asks for on the cycle itself, which the bursts have to carry.
    """
    simulator, starts = body.simulator, body.starts
    if corrections is None:
        corrections = feedback.held(simulator, starts, body.basis, np.zeros((body.stages, body.basis.shape[1])))
    corrections = corrections._replace(starts=starts)
    run = settled(simulator, state, body.bursts, corrections, assist, units)
    last = range(max(0, run.finished - MEAN), run.finished, 2) if assist is None else (run.finished - 1,)
    cycle = feedback.mean_cycle(simulator, run.trace, corrections, last)
    A, B = feedback.linearised(simulator, body.bursts, cycle.states, starts, body.basis, cycle.steady, feedback.WIDER)
    gains = np.stack(feedback.gains(simulator, A, B).gains)
    shares = LEFT_IN_SEARCH if assist is None else ()
    cycles = [cycle, *(feedback.cycle_with_less_steady(simulator, cycle, A, B, share) for share in shares)]
    return [CycleFeedback(c.states[0], c.states, c.steady, gains) for c in cycles]


def settled(simulator: UnitSimulator, state: Array, bursts: Bursts, corrections: Corrections, assist: Assist | None,
            units: int) -> Run:  # fmt: skip
    """The longest odd number of units that is not fallen in, whose last one is not mirrored."""
    for count in range(units, 0, -2):
        run = simulator.run(state, bursts, count, corrections, assist, traced=True)
        if run.whole:
            return run
    raise NoSolution("The gait falls in its first unit; there is no cycle to build feedback on.")


def lasts(body: OpenLoop, made: CycleFeedback) -> tuple[int, float]:
    """Units of `LASTING` that a gait lasts with its feedback, and less how far it is from a cycle then."""
    run = body.simulator.run(made.state, body.bursts, LASTING, corrections_of(body, made))
    if not run.whole:
        return run.finished, -np.inf
    return run.finished, -float(np.abs(body.simulator.drift(run.states[-2], run.states[-1])).max())

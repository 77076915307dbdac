"""mcsim/programs: table 4 again: the time of the program against its number of unknowns, printed and reduced."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from poise.character.load import load_character
from poise.experiments.reproduce import Options, Table
from poise.maths.rotations import Array
from poise.methods.mcsim import contacts, desired, program, reduced, tasks
from poise.methods.mcsim.terms import Rig
from poise.motion.reference import Sample
from poise.solve.qp import solve_qp

PRINTED = {36: 1.3, 44: 1.5, 52: 2.3, 68: 3.0, 150: 7.0, 154: 7.5, 158: 9.7}  # [ms] on a Pentium 4 of 2.8 GHz


def run(options: Options) -> Table:
    """Each row of table 4, with the contacts that its number of unknowns means."""
    counts = {"biped18": (0, 2, 4, 8), "human57": (9, 10, 11)}
    rows = [_row(name, count, 20 * options.seeds) for name, some in counts.items() for count in some]
    notes = (
        "Times in ms of CPU, medians over random states near standing; DAQP for all. Reduced: assembly of nothing, "
        "elimination and solution. Residual: the largest of primal, stationarity and complementarity.",
    )
    columns = ("character", "unknowns", "printed [ms]", "same form [ms]", "residual", "reduced [ms]",
               "times faster", "than printed", "same accelerations")  # fmt: skip
    return Table("Table 4: the quadratic program", columns, tuple(rows), notes)


def _row(name: str, count: int, repeats: int) -> tuple[Any, ...]:
    character = load_character(name)
    rig, rng = Rig.of(character), np.random.default_rng(count)
    limit = np.where(np.isfinite(character.torque_limit), character.torque_limit, 1e6)[6:]
    same, small, worst, apart = [], [], 0.0, 0.0
    for _ in range(repeats):
        q, v = character.standing_pose(), 0.1 * rng.standard_normal(character.model.nv)
        now = rig.at(q, v)
        wanted = Sample(q, v, 3.0 * rng.standard_normal(len(v)), np.zeros(len(rig.bodies), bool))
        wish = desired.acceleration(character.layout, wanted, q, v, 600.0)
        use = np.zeros(len(rig.bodies), bool)
        use[_feet(character.contact_points.names)[:count]] = True
        up = np.tile([0.0, 0.0, 1.0], (len(use), 1))
        cones = contacts.Cones(*contacts.cones(use, now.points, rig.bodies, up, 1.0, 0.0), np.zeros(count))
        whole = program.printed(rig, now, wish, cones, limit)
        begun = time.process_time()
        solution = solve_qp(whole)
        same.append(time.process_time() - begun)
        short = _reduced(rig, now, wish, cones)
        begun = time.process_time()
        plan = reduced.solve(short, limit)
        small.append(time.process_time() - begun)
        worst = max(worst, *solution.residuals().values()) if solution.solved else worst
        if solution.solved:  # a state in which hard no-slip has a solution
            ours, his = plan.acceleration, program.parts(solution, len(v)).acceleration
            apart = max(apart, float(np.abs(ours - his).max() / (1.0 + np.abs(his).max())))
    unknowns = 2 * character.model.nv + 4 * count
    a, b = 1e3 * float(np.median(same)), 1e3 * float(np.median(small))
    return (name, unknowns, PRINTED[unknowns], round(a, 3), f"{worst:.0e}", round(b, 3), round(a / b, 1),
            round(PRINTED[unknowns] / b), f"{apart:.0e}")  # fmt: skip


def _feet(names: tuple[str, ...]) -> np.ndarray:
    """Indices of the points of the feet."""
    return np.array([k for k, n in enumerate(names) if "hand" not in n])


def _reduced(rig: Rig, now: Any, wish: Array, cones: contacts.Cones) -> reduced.Reduced:
    """The reduced program of the same problem: the paper's objective and no-slip alone."""
    generalised, grip, grip_wish = tasks.grip_rows(now.axes, now.rates, rig.chain, now.centre, now.spin, now.v,
                                                   rig.bodies, cones.which, cones.place, cones.basis, cones.normal,
                                                   cones.gap, 0.0)  # fmt: skip
    none, nl = np.zeros(0), generalised.shape[1]
    out = reduced.assemble(now.M, now.h, np.arange(6), np.zeros(6), generalised, wish, np.ones(len(wish)), grip,
                           grip_wish, np.full(len(grip_wish), 1e6), np.zeros((0, nl)), none, none, 1e-8)  # fmt: skip
    return reduced.Reduced(*out, now.M, now.h, generalised, len(wish) - 6)

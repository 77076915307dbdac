"""mcsim/speed: CPU time of the whole loop beside that of the same simulation without a controller that decides.

mcsim/programs: table 4 again: the time of the program against its number of unknowns, printed and reduced.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from poise.character.load import load_character
from poise.dynamics.compiled import Compiled, jacobian
from poise.experiments.reproduce import Options, Table
from poise.maths.rotations import Array
from poise.methods.mcsim import McSim, contacts, program, reduced, tasks
from poise.motion.load import load_clip
from poise.motion.reference import Reference, Sample
from poise.performance import perform
from poise.simulate.loop import Action
from poise.solve.qp import solve_qp
from poise.take import Take

_REPEATS = 3  # of which the median is told
PRINTED = {36: 1.3, 44: 1.5, 52: 2.3, 68: 3.0, 150: 7.0, 154: 7.5, 158: 9.7}  # [ms] on a Pentium 4 of 2.8 GHz


class Watched:
    """A method whose actions are kept."""

    name = "mcsim"

    def __init__(self, way: McSim):
        self.way, self.period, self.actions = way, way.period, []

    def start(self, *given: Any) -> Any:
        """As the method itself."""
        return self.way.start(*given)

    def act(self, *given: Any) -> Action:
        """As the method itself."""
        self.actions.append(self.way.act(*given))
        return self.actions[-1]


class Replay:
    """Gives actions that were kept: the same motion to the last bit, without a thought."""

    name = "replay"

    def __init__(self, watched: Watched):
        self.period, self.actions = watched.period, iter(watched.actions)

    def start(self, *given: Any) -> None:
        """Nothing to remember."""

    def act(self, *given: Any) -> Action:
        """The next action."""
        return next(self.actions)


def run(options: Options) -> Table:
    """Both characters, with departures and as printed."""
    rows = []
    for name in ("human42", "human57"):
        ready = Reference(load_clip("walk", character=name))
        for words, way, seconds in (("with departures", McSim(), 6.0), ("as printed", McSim.printed(), 1.0)):
            perform(ready, way, seconds=0.2)  # compiled now
            pairs = sorted(_pair(ready, way, seconds) for _ in range(_REPEATS))
            own, bare = pairs[_REPEATS // 2]
            rate = f"{1 / way.plan:.0f} Hz"
            rows.append((name, words, rate, round(own, 1), round(bare, 1), round(bare / own, 2)))
    columns = ("character", "method", "programs", "x real time", "bare loop, x real time", "times its CPU")
    notes = ("Bare loop: the same motion to the last bit, simulated and recorded under the servos that mcsim gave. "
             f"Medians of {_REPEATS} runs, each beside its own bare loop.",)  # fmt: skip
    return Table("Speed, CPU time of one core", columns, tuple(rows), notes)


def _pair(reference: Reference, way: McSim, seconds: float) -> tuple[float, float]:
    """Real-time factors of the method and of the bare loop."""
    watched = Watched(way)
    take = perform(reference, watched, seconds=seconds)
    again: Take = perform(reference, Replay(watched), seconds=seconds)
    if not (take.q == again.q).all():
        raise AssertionError("The bare loop did not repeat the motion.")
    return take.realtime_factor, again.realtime_factor


def programs(options: Options) -> Table:
    """Each row of table 4, with the contacts that its number of unknowns means."""
    counts = {"biped18": (0, 2, 4, 8), "human57": (9, 10, 11)}
    rows = [_row(name, count, 20 * options.seeds) for name, some in counts.items() for count in some]
    notes = (
        "Times in ms of CPU, medians over random states near standing, the feet at rest; the same form by DAQP. Both "
        "without assembly. Residual: the largest of primal, stationarity and complementarity.",
    )
    columns = ("character", "unknowns", "printed [ms]", "same form [ms]", "residual", "reduced [ms]",
               "times faster", "than printed", "same accelerations")  # fmt: skip
    return Table("Table 4: the quadratic program", columns, tuple(rows), notes)


def _row(name: str, count: int, repeats: int) -> tuple[Any, ...]:
    character = load_character(name)
    dynamics, rng = Compiled(character), np.random.default_rng(count)
    limit = np.where(np.isfinite(character.torque_limit), character.torque_limit, 1e6)[6:]
    moves = np.ones(character.model.nv)
    if name == "biped18":
        moves[[1, 3, 5]] = 0.0  # the paper's 2D body stays in its plane
    used = _feet(character.contact_points.names)[:count]
    same, small, worst, apart = [], [], 0.0, 0.0
    for _ in range(repeats):
        q = character.standing_pose()
        v = _unslipping(dynamics, q, 0.1 * moves * rng.standard_normal(character.model.nv), used)
        now = dynamics.at(q, v)
        wanted = Sample(q, v, 3.0 * moves * rng.standard_normal(len(v)), np.zeros(len(dynamics.bodies), bool))
        wish = tasks.acceleration(character.layout, wanted, q, v, 600.0)
        use = np.zeros(len(dynamics.bodies), bool)
        use[used] = True
        up = np.tile([0.0, 0.0, 1.0], (len(use), 1))
        cones = contacts.cones(use, np.zeros(len(use)), now.points, dynamics.bodies, up, 1.0, 0.0)
        whole = program.printed(now, wish, cones, limit)
        begun = time.process_time()
        solution = solve_qp(whole)
        same.append(time.process_time() - begun)
        short = tasks.tracking(now, wish, cones, 1e6, 1e-8)
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
    """Indices of the points of the feet, heels and balls of both before what is beside them."""
    rank = {"ball_inner": 0, "heel_inner": 1, "ball_outer": 2, "heel_outer": 3}
    mine = [k for k, n in enumerate(names) if "hand" not in n]
    return np.array(sorted(mine, key=lambda k: rank.get(names[k].partition("_")[2], 4)))


def _unslipping(dynamics: Compiled, q: Array, v: Array, used: np.ndarray) -> Array:
    """The velocity (nv,) next to v at which the points used are at rest: no-slip means nothing for others."""
    now = dynamics.at(q, v)
    linear, angular = np.empty((3, len(v))), np.empty((3, len(v)))
    rows = []
    for k in used:
        jacobian(now, now.point_bodies[k], now.points[k], linear, angular)
        rows.append(linear.copy())
    return v - np.linalg.pinv(np.concatenate(rows)) @ (np.concatenate(rows) @ v) if rows else v

"""The paper's own search: CMA-ES inside the method of multipliers, open loop (section 6.2 of Nunes et al. 2012).

All of q_0, q̇_0, ψ, δ, T and α is searched; W = f + λᵀφ + k φᵀφ with λ = k = 0 in the first run, then k = 0.1 and λ
grows by 2 k φ; at most 20 runs, each from the best of the one before. Torques are Φ ψ as printed, without limits.

Departures: amplitudes of a sketch that is told for K Φ ψ are led over to Φ ψ (`in_modes`). The paper prints no number
of generations, spread or tolerance: `Plan`. The first run ends when no easy constraint is violated, which is what it
is for; a further one when W falls no more. A run keeps the shape and size of the cloud that the one before has learned,
and the best of that one stays the best until a better one is found. λ stays as it is after a run whose best falls,
for which there is no φ. Bursts last 0.04 to 0.24 s and T is within the sketch's range.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from poise.errors import NoSolution, UnknownName
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.vibration import unit_loop
from poise.methods.vibration.design import resampled
from poise.methods.vibration.gait import Gait
from poise.methods.vibration.score import easy, printed_terms
from poise.methods.vibration.sketch import MODES, Phase, Sketch
from poise.methods.vibration.space import TIMES, Space
from poise.methods.vibration.unit_simulator import Run, UnitSimulator
from poise.solve import cma
from poise.solve.multipliers import Multipliers, first_run, met
from poise.threads import on_one_thread

PENALTY = 0.1  # k
RUNS = 20  # at most
LONGEST = 40  # units that are tried in open loop
FASTEST = 16.0  # [rad/s] to which a led-over sketch holds its joints' dampers: E3 forbids 20 of all that moves them
GAIN = 0.02  # of W
LEAST = 0.03  # spread of a run at least
SKETCH, RANDOM = "sketch", "random"  # where the search begins
STARTS = (SKETCH, RANDOM)


class Plan(NamedTuple):
    """What the paper leaves open."""

    first: int = 1500  # generations at most of the run without the cyclic constraint; it ends when nothing is violated
    each: int = 1500  # of each further run
    total: int = 4500  # of all together
    runs: int = RUNS
    spread: float = 0.5  # of the first generation, in units of the search space
    later: float = 0.2  # at most, of runs after the first
    idle: int = 200  # generations in which a run's W must fall by a share of `GAIN`, or it ends
    tolerance: float = 0.01  # of φ [rad, m, rad/s, m/s]
    population: int | None = None  # candidates of a generation; none: 4 + 3 ln n


class Tried(NamedTuple):
    """A candidate and the one unit that it leads to."""

    x: Array
    objective: float  # f of (5)
    constraint: Array  # φ of (6)
    stood: bool  # did it last to the end?
    kept: bool  # and violate no easy constraint?

    @property
    def drift(self) -> float:
        """max |φ|; infinite where it fell."""
        return float(np.abs(self.constraint).max()) if self.stood else np.inf


class Standing(NamedTuple):
    """How far a search is."""

    run: int
    generation: int  # of all runs
    evaluations: int
    best: Tried  # in W as it is now
    nearest: Tried | None  # least max |φ| among all that violated nothing
    given: Multipliers


Watch = Callable[[Standing], None]


@on_one_thread
def printed_design(sketch: Sketch, seed: int = 0, start: str = SKETCH, plan: Plan | None = None,
                   watch: Watch | None = None) -> Gait:  # fmt: skip
    """The gait, without feedback, that the paper's own search leads to; its facts say how near a cycle it is.

    start: "sketch" begins with the sketch's amplitudes at rest, "random" with a vector drawn by the seed. The same
    sketch and seed give the same gait. `watch` is called after every generation.
    """
    if start not in STARTS:
        raise UnknownName("start of the printed search", start, STARTS)
    begun, sketch = time.process_time(), in_modes(sketch)
    simulator, space = sketch.simulator(), Space(sketch, sketch.palette(), state=True)
    x = np.zeros(space.dimension)
    if start == RANDOM:
        x = np.random.default_rng(seed).standard_normal(space.dimension)
    found = searched(simulator, space, x, seed, plan or Plan(), watch)
    made = _gait(simulator, space, found, seed)
    return replace(made, facts={**made.facts, "cpu_seconds": round(time.process_time() - begun, 1)})


def in_modes(sketch: Sketch) -> Sketch:
    """A sketch of torques K Φ ψ led over to the paper's Φ ψ, without limits.

    Amplitudes of a phase: those whose torques come nearest, min ‖Φ ψ' - K Φ ψ‖, which is also what strikes each
    permissible mode alike, Φᵀ Φ ψ' = Φᵀ K Φ ψ. Φ ψ' strikes light limbs too, which K Φ ψ spares: all amplitudes of a
    phase are made smaller alike until no joint's damper would let it go faster than `FASTEST`, for a lower bound of
    amplitudes beyond that is one of E3. Those of priority modes are lower bounds, with the sign that comes out.
    """
    if sketch.torques == MODES:
        return replace(sketch, limits=False)
    made, palette = replace(sketch, torques=MODES, limits=False), sketch.palette()
    damper = float(sketch.springs.get("damping", 0.1)) * palette.stiffness[6:]
    phases, spaces = [], (Space(sketch, palette), Space(made, palette))
    for phase, old, new in zip((sketch.flight, sketch.ground), spaces[0].bases, spaces[1].bases, strict=True):
        psi = np.linalg.lstsq(new, old @ np.array([*phase.priority.values(), *phase.others.values()]))[0]
        torque = np.abs((new @ psi)[6:])
        share = float(np.min(FASTEST * damper / np.maximum(torque, 1e-9))) if damper.any() else 1.0
        found = np.round(psi * min(1.0, share), 3).tolist()
        count = len(phase.priority)
        phases.append(Phase(dict(zip(phase.priority, found[:count], strict=True)),
                            dict(zip(phase.others, found[count:], strict=True))))  # fmt: skip
    return replace(made, flight=phases[0], ground=phases[1])


def searched(simulator: UnitSimulator, space: Space, x: Array, seed: int, plan: Plan, watch: Watch | None = None
             ) -> Standing:  # fmt: skip
    """The search from a vector: at most `plan.runs` runs, fewer where φ is met by one that violates nothing."""
    begun = tried(simulator, space, x)
    now = Standing(0, 0, 1, begun, begun if begun.kept else None, first_run(len(begun.constraint)))
    search = cma.begin(x, plan.spread, seed=1000 * seed, population=plan.population)
    for run in range(plan.runs):
        now, least = now._replace(run=run), [_least(now)]
        for _ in range(min(plan.each if run else plan.first, plan.total - now.generation)):
            members = cma.ask(search)
            results = [tried(simulator, space, m) for m in members]
            search = cma.tell(search, members, costs(now.given, results))
            now = bettered(now, results)._replace(generation=now.generation + 1)
            least.append(_least(now))
            if watch is not None:
                watch(now)
            if now.best.kept if run == 0 else _idles(least, plan.idle):
                break
        if now.generation == plan.total or (run and now.best.kept and met(now.best.constraint, plan.tolerance)):
            break
        now = now._replace(given=updated(now.given, now.best))
        spread = float(np.clip(np.sqrt(np.mean(search.spread**2)), LEAST, plan.later))
        search = cma.begin(now.best.x, spread, seed=1000 * seed + run + 1, population=plan.population,
                           shape=search.covariance)  # fmt: skip
    return now


def _least(now: Standing) -> float:
    """W of the best."""
    return float(costs(now.given, [now.best])[0])


def _idles(least: list[float], generations: int) -> bool:
    """Has W fallen by less than a share of `GAIN` in the last so many generations?"""
    return len(least) > generations and least[-1 - generations] - least[-1] < GAIN * abs(least[-1])


def tried(simulator: UnitSimulator, space: Space, x: Array) -> Tried:
    """The one unit of a vector."""
    run = simulator.run(space.begin(simulator, x), simulator.bursts(space.controls(x)), 1)
    objective, constraint = printed_terms(simulator, space, x, run)
    return Tried(x, objective, constraint, run.whole, not easy(space, x, run).any())


def costs(given: Multipliers, results: list[Tried]) -> Array:
    """W of (4) of some candidates (m,)."""
    return given.augmented(np.array([r.objective for r in results]), np.stack([r.constraint for r in results]))


def bettered(now: Standing, results: list[Tried]) -> Standing:
    """The same after a generation: what is better in W, or nearer to a cycle without violating anything, is kept."""
    every = [now.best, *results]
    best = every[int(np.argmin(costs(now.given, every)))]
    near = min([r for r in (now.nearest, *results) if r is not None and r.kept], key=lambda r: r.drift, default=None)
    return now._replace(best=best, nearest=near, evaluations=now.evaluations + len(results))


def updated(given: Multipliers, best: Tried) -> Multipliers:
    """For the next run: λ + 2 k φ, or λ as it is where the best fell and has no φ."""
    return given.updated(best.constraint if best.stood else np.zeros_like(best.constraint), PENALTY)


def _gait(simulator: UnitSimulator, space: Space, found: Standing, seed: int) -> Gait:
    """The best as a gait; its cycle is the one unit, and for a run its mirror image after it."""
    x, sketch = found.best.x, space.sketch
    controls = space.controls(x)
    given, state = simulator.bursts(controls), space.begin(simulator, x)
    once = simulator.run(state, given, 1, traced=True)
    if not once.whole:
        raise NoSolution(f"The printed search found no gait for {sketch.name!r}: after {found.evaluations} evaluations "
                         "every candidate falls in its first step; give another --seed.")  # fmt: skip
    dt, track = resampled(simulator, _cycle(simulator, once))
    names = (sketch.flight.names, sketch.ground.names)
    flight, ground = [dict(zip(n, np.round(a, 4).tolist(), strict=True)) for n, a in
                      zip(names, space.amplitudes(x), strict=True)]  # fmt: skip
    times = {k: round(float(getattr(controls, k)), 6) for k in TIMES}
    times["period"] = (2.0 if simulator.swaps else 1.0) * given.table.shape[1] * simulator.dt
    nq, nv = len(simulator.rest), len(simulator.stiffness)
    shift = np.zeros(3)
    aside = 1 if simulator.swaps else 2
    shift[:aside] = track[-1, :aside] - track[0, :aside]
    track = _begun_with(simulator, track, dt, shift, state[nq:])
    made = Gait(sketch, flight, ground, times, np.zeros((0, nq + nv)), np.zeros((0, 0)), np.zeros((0, 0, 2 * nv)),
                track, dt, shift, state[nq:], {}).as_written()  # fmt: skip
    facts = {"seed": seed, "runs": found.run + 1, "evaluations": found.evaluations,
             "least_cyclic_error": np.inf if found.nearest is None else round(found.nearest.drift, 6)}  # fmt: skip
    return replace(made, facts={**facts, **_measured(made)})


def _cycle(simulator: UnitSimulator, once: Run) -> Array:
    """States (N, nq + nv) of a cycle, its end included, of one unit that does not quite close: closed, for its track.

    A cubic in time leads the poses of the unit to the pose and velocity that its beginning has for the next unit, so
    that the cycle begins as the unit does. A run's goes on with the mirror image.
    """
    layout, nq, nv = simulator.character.layout, len(simulator.rest), len(simulator.stiffness)
    states = np.vstack([once.trace[:, : nq + nv], once.states[-1]])
    first, last = states[0], states[-1]
    goal = simulator.mirrored(first[None, :nq])[0]
    goal[:2] = last[:2]
    s, length = np.linspace(0.0, 1.0, len(states))[:, None], (len(states) - 1) * simulator.dt
    pose, speed = conf.difference(layout, last[:nq], goal), simulator.mirror @ first[nq:] - last[nq:]
    states[:, :nq] = conf.integrate(layout, states[:, :nq], s**2 * ((3 - 2 * s) * pose + length * (s - 1) * speed))
    if not simulator.swaps:
        return states
    other = np.hstack([simulator.mirrored(states[:, :nq]), states[:, nq:] @ simulator.mirror.T])
    other[:, :2] += states[-1, :2] - other[0, :2]
    return np.vstack([states[:-1], other])


def _begun_with(simulator: UnitSimulator, track: Array, dt: float, shift: Array, speed: Array) -> Array:
    """The track (N, nq), its last pose but one so moved that the clip begins with a velocity (nv,) exactly."""
    layout, q = simulator.character.layout, track.copy()
    q[-2] = conf.integrate(layout, q[0], conf.difference(layout, q[0], q[1]) - 2.0 * dt * speed)
    q[-2, :3] += shift
    return q


def _measured(gait: Gait) -> dict[str, object]:
    """What the first unit of a gait does, as its file has it, and how long it lasts in open loop."""
    ready, space = gait.driven(), gait.space()
    once = ready.run(1)
    m = once.measured
    flight, ground = (np.array([psi[name] for name in phase.names]) for psi, phase in (
        (gait.flight, gait.sketch.flight), (gait.ground, gait.sketch.ground)))  # fmt: skip
    x = space.vector(flight, ground, gait.times)
    phi = ready.simulator.drift(once.states[0], once.states[-1]) if once.whole else np.array([np.inf])
    stood = ready.run(LONGEST).finished
    return {"speed": round(float(m[unit_loop.VX]), 4), "energy": round(float(m[unit_loop.ACTIVE]), 1),
            "easy": [round(float(e), 4) for e in easy(space, x, once)],
            "cyclic_error": round(float(np.abs(phi).max()), 6), "feedback_share": 0.0,
            "deepest": round(float(m[unit_loop.DEEPEST]), 5), "units": stood, "units_asked": LONGEST,
            "open_loop_units": stood}  # fmt: skip

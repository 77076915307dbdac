"""Section 8: the method's plan against a spacetime optimisation of the same window, with the full dynamics."""

from __future__ import annotations

import time as clock
from typing import Any

import numpy as np

from poise.experiments.modal.planning import Known, overhear
from poise.experiments.modal.spacetime import Horizon, Spacetime
from poise.experiments.modal.trial import push
from poise.experiments.reproduce import Options, Table
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.modal import Modal
from poise.methods.modal.spectrum import find_modes, tracked_share
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.performance import perform
from poise.stage import Stage
from poise.take import Take

WINDOW, FORCE, LASTS = 12, 100.0, 10 / 120  # [steps], [N], [s]
AFTER = 12  # frames after the end of a push
COLUMNS = ("state", "unknowns", "equations", "programs", "spacetime [s]", "in Clarabel [s]", "x a step of modal",
           "objective: spacetime", "modal", "first step apart: joints [deg]", "root [mm]", "of a step of [deg]",
           "unexplained [N]")  # fmt: skip


def horizons(clip: Clip, stage: Stage, seconds: float, at: set[int]) -> tuple[Take, dict[int, Horizon]]:
    """A walk without footholds, and what the method knew at some of its frames."""
    seen: dict[int, Horizon | None] = {}

    def keep(known: Known) -> None:
        seen[len(seen)] = _horizon(clip, known) if len(seen) in at else None

    take = overhear(clip, Modal(window=WINDOW, footholds=False), seconds, keep, stage)
    return take, {frame: horizon for frame, horizon in seen.items() if horizon is not None}


def _horizon(clip: Clip, known: Known) -> Horizon:
    body, ahead, contact, index, pose = known.made
    weights, frames, first = known.weights, known.frames, known.first
    shapes, squares, spin = find_modes(body.M, body.stiffness, body.R, body.place, body.centre, body.mass)
    share, n = np.empty(len(squares)), weights.window
    tracked_share(squares, weights.threshold, 0, 0, share)
    low = (share < 0.5) & (np.arange(len(squares)) >= 6)
    rows = slice(first, first + n + 1)
    own = len(index)
    anchor = np.where(contact.standing[:, :own, None], pose.places[index], frames.places[first : first + n, index])
    return Horizon(clip.character, weights, known.q.copy(), known.v.copy(), shapes, squares, low, spin,
                   (shapes.T @ body.M)[3:6] @ (ahead.plan_step - ahead.turned), frames.q[rows].copy(),
                   frames.v[rows].copy(), frames.centre[first + n].copy(), frames.momentum[rows].copy(),
                   contact.touching[:, :own].copy(), contact.frames[:, :own].copy(), contact.usual[:, :own].copy(),
                   anchor, contact.friction[:own].copy(), known.rig.bodies[index].copy(),
                   known.rig.local[index].copy())  # fmt: skip


def performed_forces(take: Take, first: int, problem: Spacetime) -> Array:
    """The forces (n, K, 3), in their frames, with which the method itself went through the window."""
    given, rows = problem.given, take.contacts
    out = np.zeros(given.usual.shape)
    for k in range(problem.steps):
        places = take.character.points(take.q[first + k])[0]
        for r in range(*rows.at(first + k).indices(len(rows.frame))):
            point = int(np.argmin(np.linalg.norm(places - rows.point[r], axis=1)))
            mine = _same(take, given, point)
            if mine is not None:
                out[k, mine] += given.frames[k, mine] @ rows.force[r]
    return out


def _same(take: Take, given: Horizon, point: int) -> int | None:
    """Which of the horizon's points a contact point of the character is."""
    points = take.character.contact_points
    there = (given.bodies == points.bodies[point]) & np.all(np.isclose(given.local, points.positions[point]), axis=1)
    return int(np.flatnonzero(there)[0]) if there.any() else None


def run(options: Options) -> Table:
    """One row a state: as many undisturbed ones as half the seeds, and as many shortly after a push."""
    clip, rows, ratios = load_clip("walk"), [], []
    half = max(1, options.seeds // 2)
    frames = {24 + round(k / half * clip.duration * 120): "undisturbed" for k in range(half)}
    take, seen = horizons(clip, Stage(), 1.0 + clip.duration, set(frames))
    cases = [(f"undisturbed, {f / 120:.2f} s", take, f, seen[f]) for f in frames]
    for k in range(half):
        at, way = 0.5 + k / half * clip.duration, 360.0 * k / half + 45.0
        frame = round((at + LASTS) * 120) + AFTER
        stage = Stage(events=(push(FORCE, way, at, LASTS),))
        pushed, known = horizons(clip, stage, (frame + WINDOW + 2) / 120, {frame})
        cases.append((f"0.1 s after 100 N at {way:.0f} degrees", pushed, frame, known[frame]))
    step = 1.0 / (120.0 * perform(clip, Modal(window=WINDOW, footholds=False), seconds=4.0).realtime_factor)
    for name, take, frame, horizon in cases:
        row, ratio = compare(name, take, frame, horizon, step)
        rows.append(row)
        ratios.append(ratio)
    note = f"A step of the method takes 1 / {np.median(ratios):.0f} of the time (median)."
    return Table(f"The same window of {WINDOW} steps by spacetime optimisation, walking", COLUMNS, tuple(rows),
                 (note, "Objective: (16) and (21) with the true dynamics; for modal, of what came of its replanning.",
                  "In Clarabel: the quadratic programs alone; the rest are derivatives."))  # fmt: skip


def compare(name: str, take: Take, frame: int, horizon: Horizon, step: float) -> tuple[tuple[Any, ...], float]:
    """A row of `COLUMNS`, and how many times longer the optimisation takes than a step [s] of the method."""
    problem = Spacetime(horizon)
    begun = clock.process_time()
    q, f, programs = problem.solve()
    spent = clock.process_time() - begun
    ours = take.q[frame : frame + WINDOW + 1]
    best, _, lack = problem.objective(q, f)
    mine, _, _ = problem.objective(ours, performed_forces(take, frame, problem))
    apart = conf.difference(take.character.layout, ours[1], q[1])
    moved = conf.difference(take.character.layout, ours[0], ours[1])
    ratio = spent / step
    return (name, *problem.unknowns, programs, spent, problem.programming, ratio, best, mine, _rms(apart[6:]),
            1000.0 * float(np.linalg.norm(apart[:3])), _rms(moved[6:]), lack), ratio  # fmt: skip


def _rms(x: Array) -> float:
    return float(np.degrees(np.sqrt(np.mean(x**2))))

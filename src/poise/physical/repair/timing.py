"""Contacts moved in time by a few frames where that explains the motion better.

Detection tells the frame at which a foot lands or leaves to two or three frames. Where a solved repair had to bend the
motion most around such a moment, the moment is tried a little earlier and a little later, each on a short window
around it, and moved if the window then costs clearly less. Only the worst moments are tried, so that time stays
linear; nothing is random.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from poise.character.roles import SIDES
from poise.maths import configuration as conf
from poise.maths.intervals import frames, runs
from poise.maths.rotations import Array
from poise.motion.contact.foot_motion import foot_motion
from poise.physical.repair.setup import Plan
from poise.physical.repair.standing import enduring, standing
from poise.solve import gauss_newton
from poise.solve.gauss_newton import Settings

STEP, TRIES = 0.025, 2  # [s] by which a moment is moved at once, and how often
WINDOW = 0.2  # [s] on either side of it that are solved again
BESIDE = 0.5  # [s] on either side in which contacts may change with it
AROUND = 0.07  # [s] on either side in which its cost is counted
OFTEN = 0.7  # moments a second that are tried at most
WORSE = 2.0  # times as much as the usual moment must one cost to be tried
GAIN = 0.12  # of the cost of its window that a move must save
SHORTEST = 0.06  # [s] of stance that stay
FALL = 5.0  # [m/s²] slower than which a body is held by something
SETTINGS = Settings(iterations=6, step=1e-4, gain=1e-2)


class Switch(NamedTuple):
    """A foot lands (or leaves) at `frame`: the first that touches (or no longer does)."""

    frame: int
    side: str
    lands: bool


def retimed(plan: Plan, q: Array) -> Plan:
    """The plan with moments of contact moved where that makes its solution q (N, nq) cheaper, if there are any."""
    clip = plan.recorded
    reach, found = frames(WINDOW, clip.dt), _worst(plan, q)
    if not found:
        return plan
    falls, moved = _falls(plan), False
    out = replace(plan, labels=plan.labels.copy(), goals=plan.goals.copy(), pushed=plan.pushed.copy())
    for switch in found:
        rows = slice(max(0, switch.frame - reach), min(len(clip), switch.frame + reach + 1))
        if rows.start > 0 and rows.stop < len(clip):  # ends and seams have neighbours that are not in a window
            moved |= _improve(out, switch, q, rows, falls)
    return out if moved else plan


def _improve(plan: Plan, switch: Switch, q: Array, rows: slice, falls: np.ndarray) -> bool:
    """Move one moment, in place, as long as the best motion over some frames gets cheaper; was it?"""
    now, at, dt = _cost(plan, q, rows), switch, plan.recorded.dt
    for way in (-1, 1):
        for _ in range(TRIES):
            kept = _move(plan, at, way * frames(STEP, dt), falls)
            if kept is None:
                break
            cost = _cost(plan, q, rows)
            if cost > (1.0 - GAIN) * now:
                kept.back(plan)
                break
            now, at = cost, at._replace(frame=at.frame + way * frames(STEP, dt))
        if at is not switch:
            return True
    return False


class _Kept(NamedTuple):
    """Frames of a plan as they were before a moment was moved."""

    rows: slice
    labels: np.ndarray
    goals: Array
    pushed: np.ndarray

    @classmethod
    def of(cls, plan: Plan, rows: slice) -> _Kept:
        return cls(rows, plan.labels[rows].copy(), plan.goals[rows].copy(), plan.pushed[rows].copy())

    def back(self, plan: Plan) -> None:
        """Put them back, in place."""
        plan.labels[self.rows], plan.goals[self.rows], plan.pushed[self.rows] = self.labels, self.goals, self.pushed


def _falls(plan: Plan) -> np.ndarray:
    """Boolean (N,): does the recorded body fall as if nothing held it?"""
    seen = foot_motion(plan.recorded)
    return seen.trimmed(seen.lift) < -FALL


def switches(labels: np.ndarray, plan: Plan) -> list[Switch]:
    """All moments at which a foot lands or leaves."""
    out = []
    for side in SIDES:
        own = plan.recorded.character.contact_points.of(side)
        for a, e in runs(np.any(labels[:, own], axis=1)):
            both = (Switch(int(a), side, True), Switch(int(e), side, False))
            out += [s for s in both if 0 < s.frame < len(labels)]
    return out


def _worst(plan: Plan, q: Array) -> list[Switch]:
    """The moments around which the motion had to be changed most, the worst first."""
    clip = plan.recorded
    found = switches(plan.labels, plan)
    if not found:
        return []
    change = conf.difference(clip.character.layout, clip.q, q)
    change[:, :3] *= np.sqrt(plan.weights.root)
    spread = plan.weights.spread / clip.dt
    bend = np.zeros_like(change)
    bend[1:-1] = (change[2:] - 2.0 * change[1:-1] + change[:-2]) * spread**2
    cost = np.sum(change**2 + bend**2, axis=1)
    reach = frames(AROUND, clip.dt)
    near = np.array([cost[max(0, s.frame - reach) : s.frame + reach + 1].mean() for s in found])
    order = np.argsort(-near, kind="stable")[: int(np.ceil(OFTEN * clip.duration))]
    return [found[k] for k in order if near[k] > WORSE * np.median(near)]


def _cost(plan: Plan, q: Array, rows: slice) -> float:
    """Cost of the best motion over some frames, looked for from q."""
    problem = plan.problem(rows)
    clip = plan.recorded
    x = conf.difference(clip.character.layout, clip.q[rows], q[rows])[: problem.motion.frames]
    return gauss_newton.minimise(problem, x, settings=SETTINGS).cost


def _move(plan: Plan, switch: Switch, by: int, falls: np.ndarray) -> _Kept | None:
    """Let, in place, one moment be later by some frames (earlier where negative); None where that cannot be."""
    around = frames(BESIDE, plan.recorded.dt)
    rows = slice(max(0, switch.frame - around), min(len(plan.labels), switch.frame + around))
    own = plan.recorded.character.contact_points.of(switch.side)
    labels, goals = plan.labels[rows].copy(), plan.goals[rows].copy()
    was, to = switch.frame - rows.start, switch.frame - rows.start + by
    contact, first, last = np.any(labels[:, own], axis=1), min(was, to), max(was, to)
    least = frames(SHORTEST, plan.recorded.dt)
    if first < 1 or last >= len(labels) - 1:
        return None
    if (by > 0) == switch.lands:  # contact is taken away
        rest = slice(to, to + least) if switch.lands else slice(max(0, to - least), to)
        if not contact[first:last].all() or not contact[rest].all():
            return None  # nothing that deserves the name of a stance would be left
        labels[first:last, own] = False
        if np.any(~labels[first:last].any(axis=1) & ~falls[rows][first:last]):
            return None  # a body that does not fall is held
    else:
        if contact[first:last].any():
            return None
        edge = was if switch.lands else was - 1
        labels[first:last, own] = labels[edge, own]
        goals[first:last, own] = goals[edge, own]
    goals, labels = enduring(plan.recorded, goals, labels)
    kept = _Kept.of(plan, rows)
    _Kept(rows, labels, goals, standing(goals, labels, plan.recorded.dt)).back(plan)
    return kept

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
from poise.maths.rotations import Array
from poise.motion.footing import footing
from poise.motion.runs import frames, runs
from poise.physical.setup import Plan
from poise.physical.stances import enduring, standing
from poise.solve import gauss_newton
from poise.solve.gauss_newton import Settings

STEP, TRIES = 0.025, 2  # [s] by which a moment is moved at once, and how often
WINDOW = 0.2  # [s] on either side of it that are solved again
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
    clip, out = plan.recorded, plan
    reach = frames(WINDOW, clip.dt)
    falls = _falls(plan)
    for switch in _worst(plan, q):
        rows = slice(max(0, switch.frame - reach), min(len(clip), switch.frame + reach + 1))
        if rows.start == 0 or rows.stop == len(clip):
            continue  # ends and seams have neighbours that are not in a window
        now, at = _cost(out, q, rows), switch
        for way in (-1, 1):
            for _ in range(TRIES):
                moved = _moved(out, at, way * frames(STEP, clip.dt), falls)
                if moved is None:
                    break
                cost = _cost(moved[0], q, rows)
                if cost > (1.0 - GAIN) * now:
                    break
                out, now, at = moved[0], cost, moved[1]
            if at is not switch:
                break
    return out


def _falls(plan: Plan) -> np.ndarray:
    """Boolean (N,): does the recorded body fall as if nothing held it?"""
    seen = footing(plan.recorded)
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


def _moved(plan: Plan, switch: Switch, by: int, falls: np.ndarray) -> tuple[Plan, Switch] | None:
    """The plan with one moment later by some frames (earlier where negative); None where that cannot be."""
    own = plan.recorded.character.contact_points.of(switch.side)
    labels, goals = plan.labels.copy(), plan.goals.copy()
    to, touching = switch.frame + by, np.any(labels[:, own], axis=1)
    first, last = min(switch.frame, to), max(switch.frame, to)
    least = frames(SHORTEST, plan.recorded.dt)
    if first < 1 or last >= len(labels) - 1:
        return None
    if (by > 0) == switch.lands:  # contact is taken away
        rest = slice(to, to + least) if switch.lands else slice(max(0, to - least), to)
        if not touching[first:last].all() or not touching[rest].all():
            return None  # nothing that deserves the name of a stance would be left
        labels[first:last, own] = False
        if np.any(~labels[first:last].any(axis=1) & ~falls[first:last]):
            return None  # a body that does not fall is held
    else:
        if touching[first:last].any():
            return None
        edge = switch.frame if switch.lands else switch.frame - 1
        labels[first:last, own] = labels[edge, own]
        goals[first:last, own] = goals[edge, own]
    goals, labels = enduring(plan.recorded, goals, labels)
    pushed = standing(goals, labels, plan.recorded.dt)
    return replace(plan, labels=labels, goals=goals, pushed=pushed), switch._replace(frame=to)

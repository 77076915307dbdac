"""The force that a recording itself needs, as far as it is to be believed: what a repair keeps of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.maths.intervals import frames, runs
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.contact.evidence import Evidence
from poise.motion.contact.grip_forces import held
from poise.physical.repair.setup import Plan

DOUBTED = 100.0  # [N at 70 kg] left over of the recorded wrench: it is kept half as closely
NOISY = 2.2e-4  # [m] of tremble of the centre of mass, likewise: acceleration is the first to drown in noise
AROUND = 0.2  # [s] on either side over which tremble is told
HANGS = 0.2  # of that, of a body that hangs on a bar, whose place is a guess
HANDS = 0.1  # of a clip in which hands carry the body: recorded hands hover, and have to be brought down by 5 to 13 cm
JUMP = 0.6  # of the usual cost of wrenches that jump, which is less needed where the recorded one is kept


def keeping_force(plan: Plan, seen: Evidence, clip: Clip) -> Plan:
    """The plan that keeps the wrench of a clip where its contacts can give it, as closely as it is told.

    `seen` is the evidence on the clip; a plan that shall not keep it at all (`Weights.following`) stays as it is.
    """
    if plan.weights.force == 0.0:
        return plan
    left = np.linalg.norm(seen.left_by(plan.pushed), axis=1)
    hangs, points = held(plan.recorded), plan.recorded.character.contact_points
    hands = np.setdiff1d(np.arange(len(points)), points.feet)
    carried = bool(plan.pushed[:, hands].any())
    trusted = np.where(hangs, HANGS, HANDS if carried else 1.0) / (1.0 + (left / DOUBTED) ** 2)
    trusted /= 1.0 + (tremble(clip, seen.track) / NOISY) ** 2
    weights = replace(plan.weights, jump=JUMP * plan.weights.jump,
                      centre=0.0 if hangs.any() or carried else plan.weights.centre)  # fmt: skip
    return replace(plan, weights=weights, trusted=trusted, wanted=wanted_wrench(seen, plan.pushed.any(axis=1) | hangs))


def tremble(clip: Clip, track: Clip) -> Array:
    """How far (N,) [m] cleaning a clip moved its centre of mass, rms around each frame: what is noise in it."""
    away = clip.character.centre_of_mass(clip.q) - track.character.centre_of_mass(track.q)
    square, reach = np.sum(away**2, axis=1), frames(AROUND, clip.dt)
    total = np.concatenate([[0.0], np.cumsum(square)])
    first = np.maximum(np.arange(len(clip)) - reach, 0)
    last = np.minimum(np.arange(len(clip)) + reach + 1, len(clip))
    return np.sqrt((total[last] - total[first]) / (last - first))


def wanted_wrench(seen: Evidence, on: np.ndarray, spread: float = 0.05) -> Array:
    """The recorded wrench (N, 6) to keep: none where nothing touches by `on` (N,).

    What low-passing leaked into a flight goes back to the stances beside it, over `spread` seconds, the most to the
    nearest frame: so the impulse of a landing stays.
    """
    want, dt = seen.wrench, seen.track.dt
    out, count = want.copy(), frames(spread, dt)
    for a, e in runs(~on):
        middle = a if e == len(on) and a > 0 else e if a == 0 else (a + e) // 2
        for rows, edge, step in ((slice(a, middle), a - 1, -1), (slice(middle, e), e, 1)):
            at = np.arange(edge, edge + step * count, step)
            at = at[(at >= 0) & (at < len(on))]
            at = at[np.logical_and.accumulate(on[at])] if len(at) else at
            if len(at) and rows.stop > rows.start:
                share = np.arange(len(at), 0, -1.0)
                leak = want[rows][: 2 * count] if step < 0 else want[rows][-2 * count :]
                out[at] += (share / share.sum())[:, None] * leak.sum(axis=0)
        out[a:e] = 0.0
    return out

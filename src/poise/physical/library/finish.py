"""From an acted figure to a clip: feet exactly on their prints, then physics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.signal import butter, sosfiltfilt

from poise.character import Character
from poise.errors import NoSolution
from poise.maths.intervals import frames
from poise.maths.rotations import Array
from poise.motion.cleaning import cleaned
from poise.motion.clip import Clip, Cycle
from poise.motion.hold import Hold
from poise.motion.ik import ik
from poise.motion.recording import Source
from poise.physical.library.actor import Acted
from poise.physical.repair.repair import solve
from poise.physical.repair.report import residual
from poise.physical.repair.setup import REFERENCE, Plan, Weights

FPS = 120.0
QUICK = {"hand": 18.0}  # [Hz] to which hands are smoothed; all else is to 10 Hz
PAUSE = 16  # frames
PASSES, SOLVED = 3, 1.0  # solutions at most, until no frame has more [N] unexplained at 70 kg
REFUSED = 5.0  # [N] rms unexplained at 70 kg
FRICTION, MARGIN = 0.8, 0.2  # of the ground, and of each foot's support that is left to controllers
WEIGHTS = Weights(sideways=40.0, limits=3.0)  # knees do not bend sideways, though some bodies have balls there


def timeline(duration: float, fps: float = FPS) -> tuple[Array, float]:
    """Times (N,) [s] from 0 to the duration, both included, at about so many frames a second; and the step."""
    frames = round(fps * duration)
    return np.arange(frames + 1) * (duration / frames), duration / frames


def acted_clip(name: str, character: Character, acted: Acted, dt: float, cycle: Cycle | None = None,
               holds: tuple[Hold, ...] = ()) -> Clip:  # fmt: skip
    """The clip of an acted motion, not yet physical: its feet on their prints, its hands on what they hold."""
    points = character.contact_points
    targets: list[ik.PointTarget | ik.FloorTarget] = []
    for i in range(len(points)):
        body, on = int(points.bodies[i]), acted.labels[:, i]
        goal = acted.prints[:, i].copy()
        goal[on, 2] = 0.0
        targets.append(ik.PointTarget(body, points.positions[i], goal, 30.0 * on))
        targets.append(ik.FloorTarget(body, points.positions[i], 0.0))
    targets += [ik.PointTarget(character.body(h.hand), h.local(character), place, share)
                for h, place, share in acted.hands]  # fmt: skip
    _, quat = character.forward(acted.q)
    turns = [ik.TurnTarget(b, quat[:, b], 0.3) for b in (character.body("left_foot"), character.body("right_foot"))]
    q = ik.solve(character, acted.q, targets, turns, smooth=6.0, limits=1.0, cycle=cycle)
    if cycle is not None:
        q[-1] = cycle.carry(q[0], 1)
    source = Source(name, format="built-in", licence="Apache-2.0", notes=("authored from key poses",))
    return Clip(character, q, dt, source, cycle=cycle, labels=acted.labels, holds=holds)


def finished(name: str, character: Character, acted: Acted, dt: float, cycle: Cycle | None = None,
             holds: tuple[Hold, ...] = ()) -> Clip:  # fmt: skip
    """The physical clip of an acted motion, with the contacts that were acted.

    An open one begins and ends at rest. It is continued so while it is made physical: what happens at the ends stays
    outside the clip.
    """
    clip = acted_clip(name, character, acted, dt, cycle, holds)
    if cycle is not None:
        return must_be_physical(_physical(clip, acted.prints))
    clip, prints = _with_pauses(clip), _held(acted.prints)
    return must_be_physical(_physical(clip, prints).cut(PAUSE * dt, clip.duration - PAUSE * dt))


def must_be_physical(clip: Clip) -> Clip:
    """The clip; one that the optimisation could not make physical is refused, never given."""
    left = residual(clip, FRICTION)
    force = REFERENCE / left.weight * left.force_rms
    if not force < REFUSED:
        raise NoSolution(f"No {clip.name} with these parameters was found that {clip.character.name} could do: "
                         "choose a smaller, slower or lower one.", clip)  # fmt: skip
    return clip


def _physical(clip: Clip, prints: Array) -> Clip:
    """The nearest motion that the ground and what the hands hold can explain, its feet on their prints (N, P, 3)."""
    labels = clip.contacts.labels
    carrying = tuple(clip.character.body(h.hand) for h in clip.grips if h.carries)  # both are on one load: as acted
    plan = Plan.of(
        clip, cleaned(clip, low_passed, QUICK), clip, friction=FRICTION, margin=MARGIN, keep=carrying, weights=WEIGHTS
    )
    flat = prints * [1.0, 1.0, 0.0]
    return solved(replace(plan, goals=np.where(labels[..., None], flat, plan.goals), pushed=labels))


def solved(plan: Plan) -> Clip:
    """The clip of a plan whose first guess is settled, solved again from where it ended until it obeys physics."""
    assert plan.planted is not None
    clip = plan.planted
    for _ in range(PASSES):
        q, _ = solve(replace(plan, planted=clip))
        clip = clip.with_q(q)
        left = residual(clip, FRICTION)
        if REFERENCE / left.weight * float(left.force.max()) < SOLVED:
            break
    return clip


def _held(rows: np.ndarray) -> np.ndarray:
    """Rows (N, ...) with the first and the last one repeated."""
    return np.concatenate([np.repeat(rows[:1], PAUSE, 0), rows, np.repeat(rows[-1:], PAUSE, 0)])


def _with_pauses(clip: Clip) -> Clip:
    """The clip with its first and its last pose held."""
    later = tuple(h if h.start == 0.0 else h.moved(later=PAUSE * clip.dt) for h in clip.holds or ())
    return clip.with_q(_held(clip.q), labels=_held(clip.contacts.labels), holds=later)


def low_passed(x: Array, cutoff: float, dt: float) -> Array:
    """x (N, ...) through a Butterworth filter of second order, forwards and back; as it is where it is too short.

    Key values of authored clips were chosen with it. A recording, whose ends must keep their force, wants `smoothing`.
    """
    if cutoff * dt >= 0.4 or len(x) < 12:
        return x
    pad = min(len(x) - 1, frames(1.0 / cutoff, dt) * 3)
    return sosfiltfilt(butter(2, 2.0 * cutoff * dt, output="sos"), x, axis=0, padlen=pad)

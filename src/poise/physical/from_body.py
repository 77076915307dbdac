"""The repair of the motion ahead that begins where the body is, and chooses its next foothold.

A body that was edited onto a slope, or was pushed, is not where its reference is. To lead the reference half a second
ahead then says nothing about what the body can still do. So this window begins with the body's own pose and velocity,
sees its feet where they really stand, sets the next foot down where the capture point of the body asks for it
(`feet.capture_point`), goes over that foot, and ends in the edited motion, moved along with its foothold. What comes
out obeys the laws of motion as that of `live` does: the problem is the same one.
"""

from __future__ import annotations

import math

import numpy as np

from poise.character import Character
from poise.ground.ground import Ground
from poise.maths import GRAVITY
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.feet.step_preview import StepPreview
from poise.motion.reference import Reference, Sample
from poise.physical.live import Course, LiveRepair, places_ahead, repairable
from poise.physical.swinging import Feet, landing_labels, swinging
from poise.solve.gauss_newton import Settings

KNOWN = 2  # frames that are not unknowns: one before the body's, for its velocity, and its own
SOONEST, LATEST = 0.15, 0.45  # [s] in which the body comes to the edited motion: when its foot lands, within these
STEP = LiveRepair(window=0.8, iterations=6)  # far enough to see the next foot land and the body go over it
PREVIEW = StepPreview()


def repair_from(reference: Reference, at: float, q: Array, v: Array, how: LiveRepair = STEP) -> Reference:
    """The reference from `at` [s] on for a body that is in the pose q (nq,) with the velocity v (nv,) then.

    Up to `at` it stays as it is; then it begins with exactly that pose and velocity.
    """
    character, layout = reference.character, reference.character.layout
    dt, count = repairable(reference, at, how)
    if not count:
        return reference
    more = max(2, round(how.fade / dt))
    plain = reference.taken_up(at).unspliced
    samples = [plain.sample(at + k * dt) for k in range(count + more + 1)]
    labels = landing_labels(character, plain.ground, q, samples, dt)
    shift, left = foothold(character, plain.ground, (q, v), samples, labels, dt, count * dt)
    target = reference.taken_up(at, place=samples[0].q[:2] + shift, spliced=True)
    moved = target.unspliced
    samples = [moved.sample(at + k * dt) for k in range(count + more + 1)]
    edited = np.stack([s.q for s in samples])
    behind = conf.integrate(layout, edited[0], -dt * samples[0].v)
    edited, labels = np.concatenate([behind[None], edited]), np.concatenate([labels[:1], labels])
    wanted = _from(character, edited, (q, v), samples[0], float(np.clip(left, SOONEST, LATEST)), dt)
    mixed = np.zeros(len(edited), bool)
    goals = places_ahead(character, target.ground, edited, q, labels, mixed, dt)[: count + 2]
    end = samples[-1]
    fences = swinging(character, target.ground, edited[: count + 2], goals, labels[: count + 2], q, dt)
    course = Course(character, target.ground, wanted, np.zeros((count + 2, layout.nv)), labels, goals,
                    target.grips(at - dt, dt, len(edited)), ((q, v, None), (end.q, end.v, end.a)), dt,
                    known=KNOWN, fences=fences)  # fmt: skip
    problem = course.problem(how)
    x = problem.solve(course.start, Settings(how.iterations, step=2e-5, gain=1e-3, attempts=3)).x
    return target.spliced(at, dt, *course.curve(problem.configurations(x)), course.labels[1:], met=True)


def foothold(character: Character, ground: Ground, body: tuple[Array, Array], samples: list[Sample],
             labels: np.ndarray, dt: float, until: float) -> tuple[Array, float]:  # fmt: skip
    """How far (2,) [m] the next foothold of `samples` is to be moved for a body (q, v), and how soon [s] it is reached.

    Without a step in sight the motion is moved to where the feet stand; in flight, to where the body will be.
    """
    (q, v), first = body, samples[0]
    feet = Feet.of(character, labels)
    here, there = (character.points(x[None])[0][:, :2] for x in (q, first.q))
    on = [own[labels[0, own]] for own in feet.points]  # what of each foot should touch now
    off = np.stack([(here - there)[mine].mean(axis=0) if len(mine) else np.zeros(2) for mine in on])
    stands = feet.down[0]
    centre, rate = _centre(character, q, v)
    goal, goal_rate = _centre(character, first.q, first.v)
    landings = [feet.landing(side) for side in (0, 1)]
    coming = [s for s in (0, 1) if landings[s] > 0]
    if not coming:
        return (off[stands].mean(axis=0) if stands.any() else centre[:2] - goal[:2]), LATEST
    side = min(coming, key=lambda s: landings[s])
    left = landings[side] * dt
    if not stands.any():
        return (centre - goal + left * (rate - goal_rate))[:2], left
    height = goal[2] - float(ground.height(goal[:1], goal[1:2])[0])
    single = np.flatnonzero(~feet.down.all(axis=1))
    shift = PREVIEW.shift((centre - goal)[:2], (rate - goal_rate)[:2], off[stands].mean(axis=0),
                          math.sqrt(GRAVITY / max(height, 0.3)), left, float(single[0]) * dt if len(single) else until,
                          until, float(rot.heading(first.q[3:7])))  # fmt: skip
    return shift, left


def _centre(character: Character, q: Array, v: Array) -> tuple[Array, Array]:
    """Centre of mass (3,) [m] of a body and its velocity (3,) [m/s]."""
    tiny = 1e-5  # [s]
    two = conf.integrate(character.layout, np.stack([q, q]), np.stack([-tiny * v, tiny * v]))
    back, ahead = character.centre_of_mass(two)
    return 0.5 * (back + ahead), (ahead - back) / (2.0 * tiny)


def _from(character: Character, edited: Array, body: tuple[Array, Array], first: Sample, over: float, dt: float
          ) -> Array:  # fmt: skip
    """The edited motion (M, nq), frame 1 now, with what the body is off it now, taken back over so many seconds."""
    layout, (q, v) = character.layout, body
    off = conf.difference(layout, edited[1:2], q[None])[0]
    rate = conf.difference(layout, conf.integrate(layout, edited[1:2], dt * first.v[None]),
                           conf.integrate(layout, q[None], dt * v[None]))[0] - off  # fmt: skip
    t = dt * (np.arange(len(edited)) - 1.0)
    s = np.clip(t / over, 0.0, 1.0)[:, None]
    left = (1 - 10 * s**3 + 15 * s**4 - 6 * s**5) * off
    left += over / dt * (s - 6 * s**3 + 8 * s**4 - 3 * s**5) * rate
    out = conf.integrate(layout, edited, left)
    out[0], out[1] = conf.integrate(layout, q[None], -dt * v[None])[0], q
    return out

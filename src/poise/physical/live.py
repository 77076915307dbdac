"""The repair of a reference while it is followed: the same problem on a short window ahead, redone again and again.

An edit (slope, stride, warp, blend, pin) of what is being followed leaves a motion that no ground force explains. Every
tenth of a second or so, the half second ahead is made physical: it continues what was followed in place, velocity and
acceleration, stays near the edited motion, and passes into it where the window ends. There is no other memory than the
reference itself: what the last window left ahead of `at` is where the next one starts from, so that two iterations a
window are enough.

A window that is shorter than a fall does not see that the body falls. So its end is held to the edited motion, in place
and in rate; without that, small changes grow from window to window.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from poise.character import Character
from poise.dynamics.wrench import Masses, masses
from poise.errors import BadValue, ClipMismatch
from poise.ground.ground import Ground
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.configuration import FREE
from poise.maths.intervals import runs
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.contact.grip_forces import gripped, loads
from poise.motion.fades import fade
from poise.motion.hold import Hold
from poise.motion.ik import ik
from poise.motion.ik.hands import hold_targets
from poise.motion.ik.ik import Barrier
from poise.motion.reference import Reference
from poise.physical.repair.problem import PhysicalProblem
from poise.physical.repair.setup import REFERENCE, Weights, posture
from poise.physical.repair.standing import pushing, standing
from poise.physical.swinging import landing_labels, swinging
from poise.solve.gauss_newton import Settings

KNOWN = 3  # frames that are not unknowns: one before the beginning, one at it, and the next, for the acceleration there
PIVOT = 0.03  # [m] a foot whose points stray further while they touch turns, and is led over the ground, not held
SLID = 0.15  # [m] so is one that is pushed over the ground further than badly joined motions push it
LOWERED = 0.15  # [s] in which a foot that stands comes onto ground that is not where it stands
UNDER = 0.05  # [m] ground that is further than this from a point that touches is not what it stands on
ALIKE, DROPPED = 0.03, 0.12  # [m] unless it is as far from the whole foot, to so much, and no further than this


def places_ahead(character: Character, ground: Ground, wanted: Array, now: Array, labels: np.ndarray,
                 mixed: np.ndarray, dt: float) -> Array:  # fmt: skip
    """Where contact points (M, P, 3) shall be while they touch: at one place for each stretch of contact.

    That is where the edited motion `wanted` (M, nq) puts them, at the end if it slides them; frames that are `mixed`
    (M,) of two motions may slide them any way. A foot that stands in the configuration `now` (nq,), that of frame 1,
    stays where it is, all of it; where that is not on the ground, which may have changed under it, it is led there.
    """
    goals, points = character.points(wanted), character.contact_points
    here = character.points(now[None])[0]
    for limb in points.limbs:
        own = points.of(limb)
        for first, last in runs(np.asarray(labels[:, own].any(axis=1))):
            rows, stands = slice(first, last), labels[1, own]
            places, still = _planted(goals[rows, own], labels[rows, own], bool(mixed[rows].any()))
            if first < KNOWN and stands.any():
                old = places[1 - first, stands].mean(axis=0)
                turn = _turned(character, limb, wanted[1], now) if still else 0.0
                places = here[own][stands].mean(axis=0) + rot.rotate(rot.about_z(turn), places - old)
                if still:
                    places[:, stands] = here[own][stands]
            goals[rows, own] = places
    level = ground.height(goals[..., 0], goals[..., 1])
    near = labels & _under(character, level - goals[..., 2], labels)
    left = 1.0 - fade((np.arange(len(goals)) - 1) * dt / LOWERED)
    off = np.where(np.logical_and.accumulate(labels, axis=0), here[:, 2] - level[1], 0.0)
    goals[..., 2] = np.where(near, level + left[:, None] * off, goals[..., 2])
    return goals


def _under(character: Character, off: Array, labels: np.ndarray) -> np.ndarray:
    """Which points (M, P) stand on the ground that is `off` (M, P) [m] above them, and are led onto it.

    A corner over the edge of a step does not, and stays as high as its foot; a foot whose ground has gone from under
    all of it does.
    """
    near = np.abs(off) < UNDER
    for limb in character.contact_points.limbs:
        own = character.contact_points.of(limb)
        nearest = np.argmin(np.where(labels[:, own], np.abs(off[:, own]), np.inf), axis=1)
        least = np.take_along_axis(off[:, own], nearest[:, None], axis=1)
        near[:, own] |= (np.abs(off[:, own] - least) < ALIKE) & (np.abs(least) < DROPPED)
    return near


def _planted(places: Array, labels: np.ndarray, mixed: bool) -> tuple[Array, bool]:
    """The points (M, K, 3) of one stance, each at one place while it touches; as they are where they do not rest."""
    where, slid = _without_slide(places, labels)
    out = where.copy()
    for k in range(labels.shape[1]):
        for a, e in runs(labels[:, k]):
            out[a:e, k] = np.median(where[a:e, k], axis=0)
    still = mixed or bool(slid < SLID and np.linalg.norm(out - where, axis=-1).max() < PIVOT)
    return (out, True) if still else (places, False)


def _without_slide(places: Array, labels: np.ndarray) -> tuple[Array, float]:
    """The points (M, K, 3) of a foot without what it is moved over the ground while it stands, and how far that is.

    The last frame stays as it is.
    """
    both, moved = labels[1:] & labels[:-1], np.diff(places, axis=0) * np.array([1.0, 1.0, 0.0])
    least = np.argmin(np.where(both, np.linalg.norm(moved, axis=-1), np.inf), axis=1)  # a foot that turns rests there
    slide = np.where(np.any(both, axis=1)[:, None], moved[np.arange(len(moved)), least], 0.0)
    left = np.concatenate([np.cumsum(slide[::-1], axis=0)[::-1], np.zeros((1, 3))])
    return places + left[:, None], float(np.linalg.norm(left, axis=1).max())


def _turned(character: Character, limb: str, wanted: Array, now: Array) -> float:
    """Angle [rad] about Z from the foot of one configuration (nq,) to that of another; none for hands."""
    if not character.has(f"{limb}_foot"):
        return 0.0
    old, new = character.forward(np.stack([wanted, now]))[1][:, character.body(f"{limb}_foot")]
    return float(rot.heading(new) - rot.heading(old))


LAST, HELD = 3, 100.0  # frames at the end of the window, and how much more they cost than the others
WEAK = 1e-6  # too weak to be felt
SHORTEST = 8  # frames
QUICK, FEW = 120.0, 45  # frames per second of bodies with so many degrees of freedom or fewer; the others get fewer
RUNNING = 0.3  # [m/s, rad/s] a clip that ends with its body moving faster stops too suddenly for any repair


@dataclass(frozen=True)
class LiveRepair:
    """How the motion ahead is repaired; `ahead` does it."""

    window: float = 0.5  # [s] made physical at once
    fade: float = 0.25  # [s] after the window in which what is left of its changes is taken back
    fps: float | None = None  # frames per second of the window; the clip's, up to what is quick, where not given
    iterations: int = 2
    change: float = 1.0  # how willingly postures change
    friction: float = 0.8  # of the ground
    margin: float = 0.2  # share of each foot's support that is left unused
    swings: bool = False  # do feet land only when they can, and do swinging legs keep apart and off the ground?

    def __post_init__(self) -> None:
        fps = QUICK if self.fps is None else self.fps
        values = (self.window, self.fade, fps, self.change, self.friction)
        if not all(math.isfinite(x) and x > 0.0 for x in values) or not 0.0 <= self.margin < 1.0:
            raise BadValue("A live repair needs a window, a fade, frames per second, a change and a friction above 0 "
                           f"and a margin from 0 to below 1, not {self}.")  # fmt: skip
        if self.window * fps < SHORTEST or self.iterations < 1:
            raise BadValue(f"A live repair needs {SHORTEST} frames or more and an iteration, not {self}.")

    def ahead(self, reference: Reference, at: float) -> Reference:
        """The reference with `window` seconds from time `at` [s] on made physical; before `at` it is not touched.

        Where an open clip ends in the midst of a motion, what follows is not repaired.
        """
        dt, count = repairable(reference, at, self)
        if not count:
            return reference
        course = Course.of(reference, at, dt, count, max(2, round(self.fade / dt)), self.swings)
        if count * dt < self.window - dt:  # nothing follows that it would have to pass into
            course = replace(course, held=WEAK)
        problem = course.problem(self)
        x = problem.solve(course.start, Settings(self.iterations, step=2e-5, gain=1e-3, attempts=3)).x
        return reference.spliced(at, dt, *course.curve(problem.configurations(x)), course.labels[1:])


def repairable(reference: Reference, at: float, how: LiveRepair) -> tuple[float, int]:
    """Time [s] between the frames of a window that begins at `at` [s], and how many there are; 0 where too few."""
    character = reference.character
    if not len(character.tree.kind) or character.tree.kind[0] != FREE:
        raise ClipMismatch(f"{character.name} has no free root: nothing about its balance can be repaired.")
    if not math.isfinite(at):
        raise BadValue(f"A repair cannot begin at {at} s.")
    quick = QUICK * min(1.0, FEW / character.model.nv) if how.fps is None else how.fps
    dt = max(reference.baked.dt, 1.0 / quick)
    count = math.floor((min(at + how.window, _stops(reference)) - at) / dt + 1e-6)
    return dt, count if count >= SHORTEST else 0


def repair_ahead(reference: Reference, at: float, window: float = 0.5, **options: float) -> Reference:
    """`LiveRepair(window, ...).ahead(reference, at)`."""
    return LiveRepair(window, **options).ahead(reference, at)  # type: ignore[arg-type]


def follow(reference: Reference, seconds: float, repair: LiveRepair | None = None, every: float = 0.1) -> Reference:
    """The reference as a method sees it that follows it from time 0 while the motion ahead is repaired at intervals."""
    repair = repair or LiveRepair()
    for k in range(math.ceil(seconds / every - 1e-9)):
        reference = repair.ahead(reference, k * every)
    return reference


def _stops(reference: Reference) -> float:
    """When an open clip stops suddenly [s]; never, if it ends at rest or goes on for ever."""
    last = reference.baked.velocity[-1]
    return reference.ends if np.abs(last).max(initial=0.0) > RUNNING else math.inf


@dataclass(frozen=True, eq=False)
class Course:
    """What is known of the motion from one frame before `at` (frame 0) to the end of the fade; frame 1 is at `at`."""

    character: Character
    ground: Ground
    wanted: Array  # (M, nq) the edited motion
    start: Array  # (N, nv) corrections of the window's frames to begin with: what is followed at the moment
    labels: np.ndarray  # (M, P)
    goals: Array  # (N, P, 3) where contact points shall be while they touch [m]
    holds: tuple[Hold, ...]  # told from frame 0 on
    ends: tuple[tuple[Array, Array, Array | None], tuple[Array, Array, Array]]  # q, v, a at `at` and after the fade
    dt: float  # [s]
    held: float = HELD  # cost of changes in the last frames of the window
    known: int = KNOWN  # frames that are not unknowns
    fences: tuple[ik.FloorTarget, ...] = ()  # what else points shall not pass in the window

    @classmethod
    def of(cls, reference: Reference, at: float, dt: float, count: int, more: int, swings: bool = False) -> Course:
        """Sample the reference with and without what was spliced into it, `count` frames and `more` for the fade."""
        character, layout, base = reference.character, reference.character.layout, reference.unspliced
        now, plain = reference.sample(at), [base.sample(at + k * dt) for k in range(count + more + 1)]
        # frames around `at` that have exactly its velocity and acceleration by the three-frame stencil
        first = plain[0]
        behind = conf.integrate(layout, first.q, -dt * first.v + 0.5 * dt * dt * first.a)
        before, after = (conf.integrate(layout, now.q, s * dt * now.v + 0.5 * dt * dt * now.a) for s in (-1.0, 1.0))
        wanted = np.stack([behind, *(s.q for s in plain)])
        followed = np.stack([before, now.q, after, *(reference.sample(at + k * dt).q for k in range(2, count + 1))])
        labels = np.stack([now.contacts, now.contacts, *(s.contacts for s in plain[1:])])
        if swings:
            there = reference.taken_up(at).unspliced.sample(at)._replace(contacts=now.contacts)  # blended in at once
            labels[1:] = landing_labels(character, reference.ground, now.q, [there, *plain[1:]], dt)
            labels[0] = labels[1]
        span, times = reference.blending, at + dt * np.arange(-1, count + more + 1)
        mixed = np.zeros(len(times), bool) if span is None else (times > span[0]) & (times < span[1])
        goals = places_ahead(character, reference.ground, wanted, now.q, labels, mixed, dt)[: count + 2]
        end, window = plain[-1], slice(count + 2)
        fences = ()
        if swings:
            fences = swinging(character, reference.ground, wanted[window], goals, labels[window], now.q, dt)
        return cls(character, reference.ground, wanted, conf.difference(layout, wanted[: count + 2], followed),
                   labels, goals, reference.grips(at - dt, dt, len(times)),
                   ((now.q, now.v, now.a), (end.q, end.v, end.a)), dt, fences=fences)  # fmt: skip

    def problem(self, how: LiveRepair) -> PhysicalProblem:
        """The least squares of the window, its first frames known."""
        character, weights = self.character, Weights().allowing(how.change)
        count = len(self.start)
        q, on, times = self.wanted[:count], self.labels[:count], self.dt * np.arange(count)
        motion = ik.build(character, q, self._points(q, on, times, weights), self._end(q),
                          posture=posture(character, weights), smooth=weights.spread / self.dt,
                          limits=weights.limits)  # fmt: skip
        clip = Clip(character, q.copy(), self.dt, ground=self.ground, labels=on, holds=())
        pushed = standing(self.goals, on, self.dt)
        ground = gripped(pushing(clip, self.goals, pushed, how.friction, how.margin), self.holds, times)
        carried = any(h.carries for h in self.holds)
        body = masses(character, loads(character, self.holds, times)) if carried else _masses(character)
        scale = REFERENCE / (character.mass * float(np.linalg.norm(character.model.opt.gravity)))
        return PhysicalProblem(motion, body, ground, self.dt, scale, weights.unexplained,
                               weights.jump / (120.0 * self.dt), self.known)  # fmt: skip

    def _points(self, q: Array, on: np.ndarray, times: Array, weights: Weights
                ) -> list[ik.PointTarget | ik.FloorTarget]:  # fmt: skip
        """What touches and what is held kept in place, everything kept out of the ground, the root's last places."""
        character, points = self.character, self.character.contact_points
        held = [ik.PointTarget(int(points.bodies[i]), points.positions[i], self.goals[:, i], weights.held * on[:, i])
                for i in range(len(points)) if on[:, i].any()]  # fmt: skip
        barrier = Barrier.around(self.ground, np.where(on[..., None], self.goals, character.points(q)))
        root = int(character.model.jnt_bodyid[0])
        last = ik.PointTarget(root, np.zeros(3), q[:, :3], weights.root * self._at_end(len(q)) / ik.POINT_COST)
        return [*held, *hold_targets(character, self.holds, times, weights.held), last,
                *barrier.targets(points, weights.floor), *self.fences]  # fmt: skip

    def _end(self, q: Array) -> list[ik.TurnTarget]:
        """The bodies' last orientations; they also make every degree of freedom an unknown."""
        _, quat = self.character.forward(q)
        weight = self._at_end(len(q)) / ik.TURN_COST
        return [ik.TurnTarget(b, quat[:, b], weight) for b in range(1, self.character.model.nbody)]

    def _at_end(self, count: int) -> Array:
        """What the change of a posture costs more (count,) in the last frames of the window."""
        return np.where(np.arange(count) >= count - LAST, self.held, 0.0)

    def curve(self, q: Array) -> tuple[Array, Array, Array]:
        """Knots and rates from `at` on: the repaired frames q (N, nq), then the change at their end taken back."""
        layout, dt = self.character.layout, self.dt
        change = conf.difference(layout, self.wanted[len(q) - 2 : len(q)], q[-2:])
        rest = self.wanted[len(q) :]
        s = np.arange(1, len(rest) + 1)[:, None] / len(rest)
        # fifth degree: begins with this change and its rate, ends with neither, without curvature at both ends
        left = (1 - 10 * s**3 + 15 * s**4 - 6 * s**5) * change[1]
        left += len(rest) * (s - 6 * s**3 + 8 * s**4 - 3 * s**5) * (change[1] - change[0])
        whole = np.concatenate([q, conf.integrate(layout, rest, left)])
        v, a = conf.rates(layout, whole, dt)
        whole, v, a = whole[1:], v[1:], a[1:]
        for k, (place, rate, bend) in zip((0, -1), self.ends, strict=True):
            whole[k], v[k], a[k] = place, rate, a[k] if bend is None else bend
        return whole, v, a


@lru_cache(maxsize=8)
def _masses(character: Character) -> Masses:
    return masses(character)

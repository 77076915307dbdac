"""The repair of a reference while it is followed: the same problem on a short window ahead, redone again and again.

An edit (slope, stride, warp, blend, pin) of what is being followed leaves a motion that no ground force explains. Every
tenth of a second or so, the half second ahead is made physical: it continues what was followed in place, velocity and
acceleration, stays near the edited motion, and passes into it where the window ends. There is no other memory than the
reference itself: what the last window left ahead of `at` is where the next one starts from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.dynamics import Dynamics
from poise.errors import BadValue, ClipMismatch
from poise.maths import configuration as conf
from poise.maths.configuration import FREE
from poise.maths.rotations import Array
from poise.motion import ik
from poise.motion.barrier import Barrier
from poise.motion.clip import Clip
from poise.motion.ground import Ground
from poise.motion.ik_problem import IkProblem
from poise.motion.reference import Reference
from poise.motion.runs import runs
from poise.physical.problem import PhysicalProblem
from poise.physical.setup import REFERENCE, Weights, posture
from poise.physical.stances import UNDER, pushing
from poise.physical.wrench import Masses, masses
from poise.solve import gauss_newton
from poise.solve.gauss_newton import Normal, Settings

KNOWN = 3  # frames that are not unknowns: the one before `at`, that at `at`, and the next, for the acceleration there
PIVOT = 0.03  # [m] a touching point that strays further in the edited motion is led over the ground, not held


@dataclass(frozen=True)
class LiveRepair:
    """How the motion ahead is repaired; `ahead` does it."""

    window: float = 0.5  # [s] made physical at once
    fade: float = 0.25  # [s] after the window in which what is left of its changes is taken back
    fps: float = 60.0  # frames per second of the window, or the clip's own where those are fewer
    iterations: int = 3
    change: float = 1.0  # how willingly postures change
    friction: float = 0.8  # of the ground
    margin: float = 0.2  # share of each foot's support that is left unused
    ending: float = 1000.0  # [1/m²]

    def __post_init__(self) -> None:
        values = (self.window, self.fade, self.fps, self.change, self.friction)
        if not all(math.isfinite(x) and x > 0.0 for x in values) or not 0.0 <= self.margin < 1.0:
            raise BadValue("A live repair needs a window, a fade, frames per second, a change and a friction above 0 "
                           f"and a margin from 0 to below 1, not {self}.")  # fmt: skip
        if self.window * self.fps < 6 or self.iterations < 1:
            raise BadValue(f"A live repair needs six frames or more and an iteration, not {self}.")

    def ahead(self, reference: Reference, at: float) -> Reference:
        """The reference with `window` seconds from time `at` [s] on made physical; before `at` it is not touched."""
        character = reference.character
        if not len(character.tree.kind) or character.tree.kind[0] != FREE:
            raise ClipMismatch(f"{character.name} has no free root: nothing about its balance can be repaired.")
        course = Course.of(reference, at, self)
        problem = course.problem(self)
        ended = course.ended(problem, self.ending)
        x = gauss_newton.minimise(ended, course.start, settings=Settings(self.iterations, step=2e-5, gain=1e-3)).x
        return reference.spliced(at, course.dt, *course.curve(problem.configurations(x), self.fade), course.tail)


def repair_ahead(reference: Reference, at: float, window: float = 0.5, **options: float) -> Reference:
    """`LiveRepair(window, ...).ahead(reference, at)`."""
    return LiveRepair(window, **options).ahead(reference, at)  # type: ignore[arg-type]


def follow(reference: Reference, seconds: float, repair: LiveRepair | None = None, every: float = 0.1) -> Reference:
    """The reference as one meets it who follows it from time 0 and repairs the motion ahead every so many seconds."""
    repair = repair or LiveRepair()
    for k in range(math.ceil(seconds / every)):
        reference = repair.ahead(reference, k * every)
    return reference


@dataclass(frozen=True, eq=False)
class Ended:
    """The problem of a window with a cost on how the body leaves it.

    A body that leaves its course by d, at the rate d', falls away from it as an upright pendulum does unless the
    diverging part d + d' / ω is nothing, ω² being gravity over height. A window that is shorter than a fall does not
    see that; so the diverging part of what the centre of mass is moved by at its end costs.
    """

    problem: PhysicalProblem
    jacobian: Array  # (2, nv) of the centre of mass over the ground, at the end of the edited motion
    step: float  # time between frames times ω
    weight: float  # [1/m²]

    def _rows(self) -> tuple[Array, Array]:
        """Derivatives (2, nv) of the diverging part by the last correction and by the one before."""
        return (1.0 + 1.0 / self.step) * self.jacobian, -self.jacobian / self.step

    def cost(self, x: Array) -> float:
        """Value at corrections x."""
        last, before = self._rows()
        return self.problem.cost(x) + 0.5 * self.weight * float(np.sum((last @ x[-1] + before @ x[-2]) ** 2))

    def normal(self, x: Array) -> Normal:
        """The problem linearised at corrections x."""
        own, (last, before) = self.problem.normal(x), self._rows()
        away = self.weight * (last @ x[-1] + before @ x[-2])
        own.gradient[-1] += away @ last
        own.gradient[-2] += away @ before
        own.bands[0, -1] += self.weight * last.T @ last
        own.bands[0, -2] += self.weight * before.T @ before
        own.bands[1, -2] += self.weight * last.T @ before
        return Normal(own.cost + 0.5 / self.weight * float(away @ away), own.gradient, own.bands)


@dataclass(frozen=True, eq=False)
class Course:
    """What is known of the motion around the window, frame 1 being at `at`."""

    character: Character
    ground: Ground
    wanted: Array  # (N, nq) the edited motion
    start: Array  # (N, nv) corrections to begin with: what is followed at the moment
    labels: np.ndarray  # (N, P)
    goals: Array  # (N, P, 3) where contact points shall be while they touch [m]
    after: tuple[Array, Array, Array]  # q, v, a of the edited motion from the last frame of the window on
    tail: np.ndarray  # labels from `at` to the end of the fade
    here: tuple[Array, Array, Array]  # q, v, a at `at`
    dt: float  # [s]

    @classmethod
    def of(cls, reference: Reference, at: float, how: LiveRepair) -> Course:
        """Sample the reference, with and without what was spliced into it."""
        character, layout = reference.character, reference.character.layout
        dt = max(reference.baked.dt, 1.0 / how.fps)
        count, more = round(how.window / dt), max(2, round(how.fade / dt))
        base, now = reference.unspliced, reference.sample(at)
        plain = [base.sample(at + k * dt) for k in range(count + more + 1)]
        # frames around `at` with exactly its velocity and acceleration by the three-frame stencil
        before, after = (conf.integrate(layout, now.q, s * dt * now.v + 0.5 * dt * dt * now.a) for s in (-1.0, 1.0))
        first = base.sample(at)
        behind = conf.integrate(layout, first.q, -dt * first.v + 0.5 * dt * dt * first.a)
        wanted = np.stack([behind, *(s.q for s in plain[: count + 1])])
        followed = np.stack([before, now.q, after, *(reference.sample(at + k * dt).q for k in range(2, count + 1))])
        labels = np.stack([s.contacts for s in plain])
        labels[0] = now.contacts
        own = np.concatenate([labels[:1], labels[: count + 1]])
        goals = _places(character, reference.baked.ground, wanted, followed, own)
        rest = tuple(np.stack(x) for x in zip(*((s.q, s.v, s.a) for s in plain[count:]), strict=True))
        return cls(character, reference.baked.ground, wanted, conf.difference(layout, wanted, followed), own, goals,
                   (rest[0], rest[1], rest[2]), labels, (now.q, now.v, now.a), dt)  # fmt: skip

    def problem(self, how: LiveRepair) -> PhysicalProblem:
        """The least squares of the window, its first frames known."""
        character, weights = self.character, Weights().allowing(how.change)
        points, on = character.contact_points, self.labels
        held = [ik.PointTarget(int(points.bodies[i]), points.positions[i], self.goals[:, i], weights.held * on[:, i])
                for i in range(len(points)) if on[:, i].any()]  # fmt: skip
        places = character.points(self.wanted)
        floor = Barrier.around(self.ground, np.where(on[..., None], self.goals, places)).targets(points, weights.floor)
        motion = ik.build(character, self.wanted, [*held, *floor], posture=posture(character, weights),
                          smooth=weights.spread / self.dt, limits=weights.limits)  # fmt: skip
        _every_degree(motion)
        clip = Clip(character, self.wanted.copy(), self.dt, ground=self.ground)
        ground = pushing(clip, self.goals, on, how.friction, how.margin)
        scale = REFERENCE / (character.mass * float(np.linalg.norm(character.model.opt.gravity)))
        return PhysicalProblem(motion, _masses(character), ground, self.dt, scale, weights.unexplained,
                               weights.jump / (120.0 * self.dt), KNOWN)  # fmt: skip

    def ended(self, problem: PhysicalProblem, weight: float) -> Ended:
        """The problem with its end."""
        now = _dynamics(self.character).at(self.wanted[-1])
        high = now.centre_of_mass[2] - float(self.ground.height(*now.centre_of_mass[:2]))
        omega = math.sqrt(float(np.linalg.norm(self.character.model.opt.gravity)) / max(high, 0.2))
        return Ended(problem, np.array(now.centre_of_mass_jacobian[:2]), self.dt * omega, weight)

    def curve(self, q: Array, fade: float) -> tuple[Array, Array, Array]:
        """Knots from `at` on: the repaired frames q (N, nq), then the change at their end taken back; with rates."""
        layout, dt = self.character.layout, self.dt
        rest = self.after[0]
        change = conf.difference(layout, self.wanted, q)
        last, speed = change[-1], (change[-1] - change[-2]) / dt
        s = np.arange(1, len(rest))[:, None] / (len(rest) - 1)
        length = (len(rest) - 1) * dt
        # fifth degree: begins with this change and speed, ends with neither, nor any curvature at both ends
        down = 1 - 10 * s**3 + 15 * s**4 - 6 * s**5
        along = s - 6 * s**3 + 8 * s**4 - 3 * s**5
        back = conf.integrate(layout, rest[1:], down * last + length * along * speed)
        whole = np.concatenate([q, back])
        v, a = conf.rates(layout, whole, dt)
        whole, v, a = whole[1:], v[1:], a[1:]
        for k, exact in ((0, self.here), (-1, (rest[-1], self.after[1][-1], self.after[2][-1]))):
            whole[k], v[k], a[k] = exact
        return whole, v, a


def _places(character: Character, ground: Ground, wanted: Array, followed: Array, labels: np.ndarray) -> Array:
    """Where contact points (N, P, 3) shall be while they touch: at one place for each stretch of contact.

    What touches at `at` stays where it is; what touches later, where the edited motion puts it.
    """
    goals, now = character.points(wanted), character.points(followed[:KNOWN])
    for side in SIDES:
        for i in character.contact_points.of(side):
            for a, e in runs(labels[:, i]):
                own = goals[a:e, i]
                middle = own.mean(axis=0)
                still = np.linalg.norm(own - middle, axis=1).max() < PIVOT
                if a < KNOWN:
                    goals[a:e, i] = now[1, i] + (0.0 if still else own - own[0])
                elif still:
                    goals[a:e, i] = middle
    level = ground.height(goals[..., 0], goals[..., 1])
    near = labels & (np.abs(level - goals[..., 2]) < UNDER)
    goals[..., 2] = np.where(near, level, goals[..., 2])
    return goals


def _every_degree(motion: IkProblem) -> None:
    """Make every degree of freedom an unknown, also those that no target moves."""
    vars(motion)["active"] = np.arange(motion.character.model.nv)


@lru_cache(maxsize=8)
def _dynamics(character: Character) -> Dynamics:
    return Dynamics(character)


@lru_cache(maxsize=8)
def _masses(character: Character) -> Masses:
    return masses(character)

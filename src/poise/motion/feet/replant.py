"""Replanting: every footprint of a clip is moved rigidly, the root follows, and the legs are bent to fit.

One mechanism for every edit that changes where feet stand: path, stride, slope, stairs, footholds. A foot's pose is
the recorded one, moved by the rigid motion of its print while it stands, and by a smooth mixture of the last and the
next print's while it swings; so what rested on the old ground rests on the new one, and times and labels stay.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.character.roles import SIDES
from poise.errors import BadValue
from poise.maths import rotations as rot
from poise.maths.intervals import frames
from poise.maths.rotations import Array
from poise.motion.clip import Clip, Cycle
from poise.motion.edit.fades import smooth
from poise.motion.feet.foot_path import Feet, carried
from poise.motion.feet.footsteps import Footsteps
from poise.motion.ground import Flat, Ground
from poise.motion.hold import brought_along
from poise.motion.ik.legs import lowering, must_be_possible, plant

_UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Moves:
    """Rigid motions of the plane, one a row: a point x goes to R(turn) (x - origin) + target."""

    turn: Array  # (K,) [rad]
    origin: Array  # (K, 2) [m]
    target: Array  # (K, 2) [m]

    @classmethod
    def shifts(cls, by: Array) -> Moves:
        """Plain displacements (K, 2) [m]."""
        by = np.asarray(by, float)
        return cls(np.zeros(len(by)), np.zeros_like(by), by)

    def __getitem__(self, rows: np.ndarray) -> Moves:
        return Moves(self.turn[rows], self.origin[rows], self.target[rows])

    def points(self, x: Array) -> Array:
        """Row k of x (K, 2) moved by motion k."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        d = x - self.origin
        return np.stack([c * d[:, 0] - s * d[:, 1], s * d[:, 0] + c * d[:, 1]], axis=-1) + self.target


@dataclass(frozen=True, eq=False)
class Plan:
    """What is to become of each footprint and of the root over time, and on which ground."""

    prints: Moves  # one for each of `Footsteps.stances`
    root: Moves  # one for each frame of `Footsteps`
    ground: Ground
    steps: Array | None = None  # (2,) direction in which stairs rise: swinging feet then go up first and over edges


def along_time(steps: Footsteps, moves: Moves, ground: Ground) -> Plan:
    """The plan in which each print takes the motion that the root has as it passes over it."""
    rows = np.clip(np.array([p.moment for p in steps.stances], int), 0, len(steps) - 1)
    return Plan(moves[rows], moves, ground)


def following(steps: Footsteps, shifts: Array) -> Moves:
    """Displacements of the root (M,) that follow those of the prints (K, 2), smoothly over the time of a step."""
    if not steps.stances:
        return Moves.shifts(np.zeros((len(steps), 2)))
    moments = np.array([p.moment for p in steps.stances], float)
    knots, index = np.unique(moments, return_inverse=True)
    mean = np.zeros((len(knots), 2))
    np.add.at(mean, index, shifts)
    mean /= np.bincount(index)[:, None]
    rows = np.arange(len(steps), dtype=float)
    line = np.stack([_through(rows, knots, mean[:, i]) for i in range(2)], axis=1)
    return Moves.shifts(smooth(line, frames(0.5 * steps.period, steps.clip.dt)))


def _through(x: Array, knots: Array, values: Array) -> Array:
    """Straight pieces through the knots; a loop's goes on beyond its outer knots with its mean slope."""
    out = np.interp(x, knots, values)
    if len(knots) > 2:
        for outside, end, other in ((x < knots[0], 0, 2), (x > knots[-1], -1, -3)):
            slope = (values[other] - values[end]) / (knots[other] - knots[end])
            out = np.where(outside, values[end] + slope * (x - knots[end]), out)
    return out


def replant(steps: Footsteps, plan: Plan) -> Clip:
    """The clip that a plan makes of its footsteps: same times, same contacts, new places."""
    clip, character = steps.clip, steps.clip.character
    root = _root(steps, plan)
    rigid = _rigid(steps, plan)
    feet: dict[str, Feet] = {}
    for side in SIDES:
        if character.has(f"{side}_foot"):
            feet[side] = carried(steps, side, rigid, root, plan)
    q = np.array(steps.q)
    q[:, :7] = root
    down = lowering(steps, q, feet)
    q[:, 2] -= down
    rows = slice(steps.first, steps.first + len(clip))
    must_be_possible(character, down[rows])
    cycle = _cycle(steps, q[rows], plan.ground)
    q = plant(character, q[rows], {s: f.rows(rows) for s, f in feet.items()}, cycle)
    if cycle is not None:
        q[-1] = cycle.carry(q[0], 1)
    return clip.with_q(q, ground=plan.ground, labels=clip.contacts.labels, cycle=cycle, holds=brought_along(clip, q))


def _rigid(steps: Footsteps, plan: Plan) -> tuple[Array, Array, Array]:
    """For each print its turn (K, 4), its old centre (K, 3) and its new one (K, 3), on the new ground."""
    old = np.array([p.centre for p in steps.stances]).reshape(-1, 3)
    here = plan.prints.points(old[:, :2])
    # what stood off the old ground (soles never fit to the millimetre) stands off the new one as much
    new = np.column_stack([here, plan.ground.height(here[:, 0], here[:, 1])])
    level = rot.conjugate(rot.between(_UP, steps.clip.ground.normal(old[:, 0], old[:, 1])))
    tilt = rot.between(_UP, plan.ground.normal(here[:, 0], here[:, 1]))
    return rot.multiply(tilt, rot.multiply(rot.about_z(plan.prints.turn), level)), old, new


def _root(steps: Footsteps, plan: Plan) -> Array:
    """Places and orientations (M, 7) of the root: moved in the plane, upright, lifted with the ground."""
    root = np.array(steps.q[:, :7])
    here = plan.root.points(root[:, :2])
    way = plan.root.points(steps.path)
    before, after = steps.clip.ground.height(*steps.path.T), plan.ground.height(*way.T)
    # averaged over the time of one step, the treads of stairs become their line of pitch
    root[:, 2] += smooth(after - before, frames(0.5 * steps.period, steps.clip.dt))
    root[:, :2] = here
    root[:, 3:] = rot.multiply(rot.about_z(plan.root.turn), root[:, 3:])
    return root


def _cycle(steps: Footsteps, q: Array, ground: Ground) -> Cycle | None:
    """How the edited period leads to the next: read off its planned root, which has the same pose at both ends."""
    if not steps.looping:
        return None
    turn = float(rot.log(rot.multiply(q[-1, 3:7], rot.conjugate(q[0, 3:7])))[2])
    if abs(turn) > 1e-6 and not isinstance(ground, Flat):
        return None  # the next period would meet the ground from another side
    return Cycle(turn, q[-1, :3] - rot.rotate(rot.about_z(turn), q[0, :3]))


def require_travel(steps: Footsteps, least: float, what: str) -> None:
    """Refuse a clip whose root does not go at least `least` metres."""
    own = steps.keep(steps.path)
    gone = float(np.sum(np.linalg.norm(np.diff(own, axis=0), axis=1)))
    if gone < least or not steps.stances:
        raise BadValue(f"{what} needs a clip that travels; {steps.clip.name or 'this one'} goes {gone:.2f} m "
                       f"in {steps.clip.duration:.2f} s with {len(steps.stances)} footprints.")  # fmt: skip


def opened(clip: Clip) -> Clip:
    """The clip as an open one."""
    if clip.cycle is None:
        return clip
    return replace(clip, cycle=None, labels=clip.contacts.labels, holds=clip.grips)

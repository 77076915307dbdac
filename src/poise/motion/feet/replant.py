"""Replanting: every footprint of a clip is moved rigidly, the root follows, and the legs are bent to fit.

One mechanism for every edit that changes where feet stand: path, stride, slope, stairs, footholds. A foot's pose is
the recorded one, moved by the rigid motion of its print while it stands, and by a smooth mixture of the last and the
next print's while it swings, clear of the ground; so what rested on the old ground rests on the new one, and times and
labels stay.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.character.roles import SIDES
from poise.errors import BadValue
from poise.ground.ground import Ground, level_of
from poise.maths import rotations as rot
from poise.maths.intervals import frames
from poise.maths.rotations import Array
from poise.motion.clip import Clip, Cycle
from poise.motion.fades import envelope, fade, smooth
from poise.motion.feet.footsteps import Footsteps
from poise.motion.hold import brought_along
from poise.motion.ik.legs import Feet, lowering, must_be_possible, plant

_CLEAR = 0.02  # [m] by which a swinging foot clears an edge
_EARLY = 0.6  # share of a swing by which a foot is up on a higher tread
_SINK = 0.1  # share of a swing after which a foot goes down to a lower tread
_DOWN = 0.03  # [m] by which a print must lie lower than the one before for a step down
_FLAT = 0.7  # share of its pitch that a foot loses where it swings down
_HOLD = 0.2  # share of a swing for which a foot is held back before it goes up over an edge, or ahead to go down


@dataclass(frozen=True, eq=False)
class _Between:
    """For each frame the prints before and after (equal while the foot stands) and the share of the swing done."""

    last: np.ndarray  # (M,)
    next: np.ndarray  # (M,)
    share: Array  # (M,) 0 .. 1

    @classmethod
    def of(cls, steps: Footsteps, side: str) -> _Between:
        own = sorted((k for k, p in enumerate(steps.all) if p.side == side), key=lambda k: steps.all[k].first)
        firsts = np.array([steps.all[k].first for k in own])
        lasts = np.array([steps.all[k].last for k in own])
        rows, ids = np.arange(len(steps)), np.array(own)
        before = np.maximum(np.searchsorted(firsts, rows, side="right") - 1, 0)
        after = np.minimum(np.searchsorted(lasts, rows, side="left"), len(own) - 1)
        swing = np.maximum(firsts[after] - lasts[before], 1)
        share = np.where(after > before, (rows - lasts[before]) / swing, 0.0)
        return cls(ids[before], ids[after], share)

    def ends(self, steps: Footsteps) -> tuple[np.ndarray, np.ndarray]:
        """For each frame the last one of the print before and the first one of the print after (M,)."""
        first, last = (np.array([getattr(p, name) for p in steps.all]) for name in ("first", "last"))
        return last[self.last], first[self.next]


def carried(steps: Footsteps, side: str, rigid: tuple[Array, Array, Array], root: Array, plan: Plan) -> Feet:
    """The foot of a side along the moved prints `rigid` (turns, old centres, new centres); without prints, the root."""
    body = steps.clip.character.body(f"{side}_foot")
    place, turn = steps.places[0][:, body], steps.places[1][:, body]
    if not any(p.side == side for p in steps.all):
        spin = rot.multiply(root[:, 3:], rot.conjugate(steps.q[:, 3:7]))
        moved = root[:, :3] + rot.rotate(spin, place - steps.q[:, :3])
        return Feet(moved, rot.multiply(spin, turn), np.zeros(len(place), bool))
    between = _Between.of(steps, side)
    a, b, u = between.last, between.next, between.share
    turns, old, new = rigid
    from_a = rot.rotate(turns[a], place - old[a]) + new[a]
    from_b = rot.rotate(turns[b], place - old[b]) + new[b]
    out = from_a + fade(u)[:, None] * (from_b - from_a)
    if plan.steps is not None:
        up = new[b, 2] > new[a, 2]
        high = np.where(up, fade(u / _EARLY), fade((u - _SINK) / (1.0 - _SINK)))
        out[:, 2] = from_a[:, 2] + high * (from_b - from_a)[:, 2]
        pace = np.where(up, fade((u - _HOLD) / (1.0 - _HOLD)), fade(u / (1.0 - _HOLD)))
        shift = _over_edges(steps, side, between, (new - old)[:, :2] @ plan.steps, pace, plan.steps)
        out[:, :2] += (shift - (out - place)[:, :2] @ plan.steps)[:, None] * plan.steps
    spin = rot.slerp(turns[a], turns[b], fade(u))
    if plan.steps is not None:
        out, spin = _levelled(steps, side, between, new[:, 2], out, spin)
        out, spin = _drawn_in(steps, side, between, new[:, 2], out, spin)
    feet = Feet(out, rot.multiply(spin, turn), a == b)
    out[:, 2] += _clearance(steps, side, feet, spin, plan, u)
    return feet


def _over_edges(steps: Footsteps, side: str, between: _Between, shifts: Array, pace: Array, way: Array) -> Array:
    """Displacement (M,) of a foot along `way` by which its end nearest to an edge goes from print to print at `pace`.

    The front of a foot rests until it is lifted, its back from when it is put down: going by the one at first and by
    the other at last, the foot neither leaves the one print nor comes to the other at any speed.
    """
    a, b, u = between.last, between.next, between.share
    back, front = (steps.points[:, ends][..., :2].mean(axis=1) @ way for ends in steps.ends(side))
    ends = np.array([[f((p.centre + p.outline)[:, :2] @ way) for f in (np.min, np.max)] for p in steps.all])
    length = ends[:, 1] - ends[:, 0]
    share = fade(u)
    mark = (1.0 - share) * front + share * (back + length[b])
    rows, last = np.arange(len(steps)), len(steps) - 1
    leave, come = between.ends(steps)
    # a print that lies beyond an end of the clip was guessed: where the foot is then nobody has seen
    start = np.where(leave < 0, ends[a, 1], front[np.clip(leave, 0, last)]) + shifts[a]
    goal = np.where(come > last, ends[b, 0], back[np.clip(come, 0, last)]) + length[b] + shifts[b]
    moved = start + pace * (goal - start) - mark
    swings = (a != b) & (leave < rows) & (rows < come)
    return np.where(swings, moved, (1.0 - share) * shifts[a] + share * shifts[b])


def _levelled(steps: Footsteps, side: str, between: _Between, height: Array, place: Array, spin: Array
              ) -> tuple[Array, Array]:  # fmt: skip
    """Places (M, 3) and turns (M, 4) of a foot that comes down with a level sole where it steps down.

    Nobody puts a heel first onto a lower tread. The toes are lowered about the heel as the foot comes down, and stay
    down where the clip rolls off the heel; what is level or points down already is left alone. `height` (K,) are those
    of the prints.
    """
    own = sorted((k for k, p in enumerate(steps.all) if p.side == side), key=lambda k: steps.all[k].first)
    lower = np.zeros(len(steps.all), bool)
    lower[own[1:]] = np.diff(height[own]) < -_DOWN
    share = np.where(
        lower[between.next], np.where(between.last == between.next, 1.0, fade((between.share - 0.3) / 0.5)), 0.0
    )
    if not share.any():
        return place, spin
    body = steps.clip.character.body(f"{side}_foot")
    ends, arm = steps.ends(side), steps.points - steps.places[0][:, None, body]
    back = arm[:, ends[0]].mean(axis=1)
    ahead = np.setdiff1d(steps.clip.character.contact_points.of(side), ends[0])
    heel, along = place + rot.rotate(spin, back), rot.rotate(spin, arm[:, ends[1]].mean(axis=1) - back)
    sole = rot.rotate(spin[:, None], arm[:, ahead] - back[:, None])
    rise = np.arctan2(sole[..., 2], np.linalg.norm(sole[..., :2], axis=-1)).min(axis=1)  # until the first point is down
    axis = np.cross(along, _UP)
    axis /= np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-9)
    lowered = rot.exp(-(share * np.maximum(rise, 0.0))[:, None] * axis)
    return heel + rot.rotate(lowered, place - heel), rot.multiply(lowered, spin)


def _drawn_in(steps: Footsteps, side: str, between: _Between, height: Array, place: Array, spin: Array
              ) -> tuple[Array, Array]:  # fmt: skip
    """Places (M, 3) and turns (M, 4) of a foot whose heel is not thrown up where it swings down to a lower tread.

    On level ground the heel flies up behind a straight leg. On the way down the body is already lower: the same foot
    would fold the leg and lift the thigh. The heel is lowered about the toes after they have left the ground.
    """
    down = (height[between.next] < height[between.last] - _DOWN) & (between.last != between.next)
    share = np.where(down, _FLAT * fade(between.share / 0.25) * fade((1.0 - between.share) / 0.3), 0.0)
    if not share.any():
        return place, spin
    body = steps.clip.character.body(f"{side}_foot")
    arm = steps.points - steps.places[0][:, None, body]
    back, front = (rot.rotate(spin, arm[:, end].mean(axis=1)) for end in steps.ends(side))
    toes, along = place + front, front - back
    fall = np.arctan2(-along[:, 2], np.linalg.norm(along[:, :2], axis=1))  # toes below the heel
    axis = np.cross(along, _UP)
    axis /= np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-9)
    lifted = rot.exp((share * np.maximum(fall, 0.0))[:, None] * axis)
    return toes + rot.rotate(lifted, place - toes), rot.multiply(lifted, spin)


def _clearance(steps: Footsteps, side: str, feet: Feet, spin: Array, plan: Plan, u: Array) -> Array:
    """Lift (M,) [m] of a swinging foot that keeps its contact points above the new ground, zero where it stands."""
    own = steps.clip.character.contact_points.of(side)
    body = steps.clip.character.body(f"{side}_foot")
    arm = steps.points[:, own] - steps.places[0][:, None, body]
    points = feet.place[:, None] + rot.rotate(spin[:, None], arm)
    now = points[..., 2] - plan.ground.height(points[..., 0], points[..., 1])
    ground = steps.clip.ground.height(steps.points[:, own, 0], steps.points[:, own, 1])
    before = steps.points[:, own, 2] - ground
    want = np.minimum(
        before, _CLEAR * fade(4.0 * u)[:, None] * fade(4.0 * (1.0 - u))[:, None] if plan.steps is not None else 0.0
    )
    need = np.where(feet.stands, 0.0, np.maximum(want - now, 0.0).max(axis=1))
    if not np.any(need > 1e-4):
        return np.zeros(len(need))
    half = frames(0.08, steps.clip.dt)
    return envelope(need, half) * np.where(feet.stands, 0.0, fade(8.0 * u) * fade(8.0 * (1.0 - u)))


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

    prints: Moves  # one for each of `Footsteps.all`
    root: Moves  # one for each frame of `Footsteps`
    ground: Ground
    steps: Array | None = None  # (2,) direction in which stairs rise: swinging feet then go up first and over edges


def along_time(steps: Footsteps, moves: Moves, ground: Ground) -> Plan:
    """The plan in which each print takes the motion that the root has as it passes over it."""
    rows = np.clip(np.array([p.moment for p in steps.all], int), 0, len(steps) - 1)
    return Plan(moves[rows], moves, ground)


def following(steps: Footsteps, shifts: Array) -> Moves:
    """Displacements of the root (M,) that follow those of the prints (K, 2), smoothly over the time of a step."""
    if not steps.all:
        return Moves.shifts(np.zeros((len(steps), 2)))
    moments = np.array([p.moment for p in steps.all], float)
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
    old = np.array([p.centre for p in steps.all]).reshape(-1, 3)
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
    if abs(turn) > 1e-6 and level_of(ground) is None:
        return None  # the next period would meet the ground from another side
    return Cycle(turn, q[-1, :3] - rot.rotate(rot.about_z(turn), q[0, :3]))


def require_travel(steps: Footsteps, least: float, what: str) -> None:
    """Refuse a clip whose root does not go at least `least` metres."""
    own = steps.keep(steps.path)
    gone = float(np.sum(np.linalg.norm(np.diff(own, axis=0), axis=1)))
    if gone < least or not steps.all:
        raise BadValue(f"{what} needs a clip that travels; {steps.clip.name or 'this one'} goes {gone:.2f} m "
                       f"in {steps.clip.duration:.2f} s with {len(steps.all)} footprints.")  # fmt: skip


def opened(clip: Clip) -> Clip:
    """The clip as an open one."""
    if clip.cycle is None:
        return clip
    return replace(clip, cycle=None, labels=clip.contacts.labels, holds=clip.grips)

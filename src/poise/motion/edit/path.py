"""Where the motion goes: moved, turned, laid along a curve, or with longer strides; its footprints go with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d

from poise.errors import BadValue
from poise.ground.ground import level_of, plane_of
from poise.maths import rotations as rot
from poise.maths.intervals import frames
from poise.maths.rotations import Array
from poise.motion.clip import Clip, Cycle
from poise.motion.fades import check_interval, fade, smooth
from poise.motion.feet.footsteps import Footsteps
from poise.motion.feet.replant import Moves, along_time, opened, replant, require_travel
from poise.motion.feet.settle import settled

_SLOW = 0.15  # [m/s] below this speed a path has no direction of its own


@dataclass(frozen=True)
class Move:
    """The motion displaced over the ground: all of it, or gradually from `start` to `end` and fully from then on.

    A loop that is moved gradually does so in every period.
    """

    offset: tuple[float, float]  # [m] along the world's x and y
    start: float | None = None  # [s]
    end: float | None = None  # [s]

    def __post_init__(self) -> None:
        if len(self.offset) != 2 or not np.all(np.isfinite(self.offset)):
            raise BadValue(f"Move needs an offset of two numbers in metres (x, y), not {self.offset}.")
        check_interval(self.start, self.end)

    def apply(self, clip: Clip) -> Clip:
        """The moved clip."""
        if self.start is None and self.end is None and level_of(clip.ground) is not None:
            return rigidly(clip, 0.0, np.array([*self.offset, 0.0]))
        steps = Footsteps.of(settled(clip))
        share = _progress(steps, self.start, self.end)
        return replant(steps, along_time(steps, Moves.shifts(share[:, None] * np.array(self.offset)), clip.ground))


@dataclass(frozen=True)
class Turn:
    """The way bent to the left by `degrees`, evenly over the whole clip or smoothly from `start` to `end`.

    Body and footprints turn with the way. A loop turns by as much in every period. `around` turns the whole motion
    at once about its first place instead.
    """

    degrees: float  # to the left; negative: to the right
    start: float | None = None  # [s]
    end: float | None = None  # [s]
    around: bool = False

    def __post_init__(self) -> None:
        if not np.isfinite(self.degrees):
            raise BadValue(f"Turn needs an angle in degrees, not {self.degrees}.")
        check_interval(self.start, self.end)

    def apply(self, clip: Clip) -> Clip:
        """The clip along its bent way."""
        if self.around and level_of(clip.ground) is not None:
            angle, here = np.radians(self.degrees), np.array([*clip.q[0, :2], 0.0])
            return rigidly(clip, float(angle), here - rot.rotate(rot.about_z(angle), here))
        steps = Footsteps.of(settled(clip))
        share = np.ones(len(steps)) if self.around else _progress(steps, self.start, self.end, even=True)
        angle = np.radians(self.degrees) * share
        mean = 0.5 * (angle[1:] + angle[:-1])
        c, s = np.cos(mean), np.sin(mean)
        step = np.diff(steps.path, axis=0)
        way = np.zeros_like(steps.path)
        way[1:] = np.cumsum(np.stack([c * step[:, 0] - s * step[:, 1], s * step[:, 0] + c * step[:, 1]], 1), axis=0)
        way += steps.path[steps.first] - way[steps.first]
        return replant(steps, along_time(steps, Moves(angle, steps.path, way), clip.ground))


@dataclass(frozen=True)
class Path:
    """The motion laid along a smooth curve through points on the ground.

    The root's way, smoothed over a gait period, is mapped to the curve by the distance gone; sway, heading against
    the way, and footprints go along. With `fit` the motion goes from the first point to the last, its steps longer or
    shorter by the ratio of the lengths; without, it keeps its own length and goes straight on where the curve ends.
    """

    points: tuple[tuple[float, float], ...]  # [m] in the world's x and y, two or more
    fit: bool = True

    def __post_init__(self) -> None:
        points = np.asarray(self.points, float)
        if points.ndim != 2 or points.shape[0] < 2 or points.shape[1] != 2 or not np.all(np.isfinite(points)):
            raise BadValue("Path needs two or more points (x, y) in metres.")
        if np.any(np.linalg.norm(np.diff(points, axis=0), axis=1) < 1e-6):
            raise BadValue("Path has two equal points in a row.")

    def apply(self, clip: Clip) -> Clip:
        """The clip along the curve, as an open clip."""
        steps = Footsteps.of(settled(opened(clip)))
        require_travel(steps, 0.3, "Path")
        gone = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(steps.path, axis=0), axis=1))])
        length, place = _curve(np.asarray(self.points, float))
        scale = length / gone[-1] if self.fit else 1.0
        if not 0.4 < scale < 1.7:
            raise BadValue(f"The path is {length:.2f} m long and the motion goes {gone[-1]:.2f} m: steps {scale:.2f} "
                           "times as long are out of reach; change the points or give fit=False.")  # fmt: skip
        way, heading = place(scale * gone)
        turn = heading - _heading(steps)
        return replant(steps, along_time(steps, Moves(turn, steps.path, way), clip.ground))


@dataclass(frozen=True)
class InPlace:
    """The motion without its way, as on a treadmill: game engines move the character themselves.

    The mean way of a loop is taken off evenly, so that the loop closes at its place; of an open clip a smooth way, so
    that the sway of the body stays. Feet slide back under the body: this is for export, not for physics.
    """

    smoothing: float = 0.3  # [s] standard deviation of what counts as the way of an open clip

    def __post_init__(self) -> None:
        if not 0.0 < self.smoothing < 100.0:
            raise BadValue(f"InPlace smooths the way over a positive number of seconds, not {self.smoothing}.")

    def apply(self, clip: Clip) -> Clip:
        """The clip at its first place."""
        plane = plane_of(clip.ground)
        if plane is None:
            raise BadValue(f"{clip.name or 'This clip'} goes over {type(clip.ground).__name__.lower()}: only a motion "
                           "on level or sloping ground can be shown in place.")  # fmt: skip
        if clip.cycle is not None:
            if abs(clip.cycle.turn) > 1e-9:
                clip = Turn(-float(np.degrees(clip.cycle.turn))).apply(clip)
            end = clip.cycle.carry(clip.q[:1], 1)[0, :2] if clip.cycle is not None else clip.q[-1, :2]
            share = np.linspace(0.0, 1.0, len(clip))[:, None]
            way = share * (end - clip.q[0, :2])
        else:
            way = gaussian_filter1d(clip.q[:, :2], self.smoothing / clip.dt, axis=0, mode="nearest")
            way = way - way[0]
        q = clip.q.copy()
        q[:, :2] -= way
        normal = np.asarray(plane.normal, float)
        q[:, 2] += way @ normal[:2] / normal[2]  # on a slope it comes back down
        cycle = None if clip.cycle is None else Cycle()
        return clip.with_q(q, labels=clip.contacts.labels, cycle=cycle, holds=())


def rigidly(clip: Clip, turn: float, shift: Array) -> Clip:
    """The whole motion turned about Z [rad] and shifted [m]; a loop leads on as before, seen from its new place."""
    move, cycle = Cycle(turn, shift), clip.cycle
    if cycle is not None:
        back = rot.rotate(rot.about_z(turn), cycle.shift) + shift - rot.rotate(rot.about_z(cycle.turn), shift)
        cycle = Cycle(cycle.turn, back)
    holds = tuple(h.moved(move.turn, tuple(move.shift)) for h in clip.grips)
    return clip.with_q(move.carry(clip.q, 1), cycle=cycle, labels=clip.contacts.labels, holds=holds)


def _progress(steps: Footsteps, start: float | None, end: float | None, *, even: bool = False) -> Array:
    """0 before start, 1 after end, smooth in between; without both, 1, or with `even` the share of the clip gone.

    A loop goes through it in each period: 1 more in the next, 1 less in the one before.
    """
    period = steps.clip.duration
    if start is None and end is None:
        return steps.times / max(period, 1e-9) if even else np.ones(len(steps))
    start, end = 0.0 if start is None else start, period if end is None else end
    count, local = np.zeros(len(steps)), steps.times
    if steps.looping:
        start, end = max(start, 0.0), min(end, period)
        count = np.floor(local / period + 1e-9)
        local = local - count * period
    return fade((local - start) / max(end - start, 1e-9)) + count


def _curve(points: Array) -> tuple[float, Callable[[Array], tuple[Array, Array]]]:
    """Length [m] of the smooth curve through points, and its places (N, 2) and headings (N,) at distances (N,)."""
    from scipy.interpolate import CubicSpline

    knots = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    spline = CubicSpline(knots, points, bc_type="natural") if len(points) > 2 else None
    fine = np.linspace(0.0, knots[-1], 200 * len(points))
    line = spline(fine) if spline is not None else points[0] + fine[:, None] / knots[-1] * (points[1] - points[0])
    way = np.gradient(line, fine, axis=0)
    angle = np.unwrap(np.arctan2(way[:, 1], way[:, 0]))
    gone = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])

    def place(s: Array) -> tuple[Array, Array]:
        inside = np.clip(s, 0.0, gone[-1])
        at = np.stack([np.interp(inside, gone, line[:, i]) for i in range(2)], axis=1)
        heading = np.interp(inside, gone, angle)
        return at + (s - inside)[:, None] * np.stack([np.cos(heading), np.sin(heading)], axis=1), heading

    return float(gone[-1]), place


def _heading(steps: Footsteps) -> Array:
    """Direction (M,) [rad] of the path, carried over from the frames around where it hardly moves."""
    v = np.gradient(steps.path, steps.clip.dt, axis=0)
    quick = np.flatnonzero(np.linalg.norm(v, axis=1) > _SLOW)
    if not len(quick):
        return np.full(len(v), float(np.arctan2(steps.direction[1], steps.direction[0])))
    angle = np.unwrap(np.arctan2(v[quick, 1], v[quick, 0]))
    return smooth(np.interp(np.arange(len(v)), quick, angle), frames(0.5 * steps.period, steps.clip.dt))


@dataclass(frozen=True)
class Stride:
    """Footprints further apart or closer along the way, the root with them; timing and step width are kept.

    Give either `scale`, or the length of a stride (from one print to the next of the same foot) in metres.
    """

    scale: float | None = None
    metres: float | None = None

    def __post_init__(self) -> None:
        if (self.scale is None) == (self.metres is None):
            raise BadValue("Stride needs either scale or metres, one of them.")
        value = self.scale if self.scale is not None else self.metres
        if value is None or not np.isfinite(value) or value < 0:
            raise BadValue(f"A stride cannot be scaled by or made {value}.")

    def apply(self, clip: Clip) -> Clip:
        """The clip with its new stride."""
        steps = Footsteps.of(settled(clip))
        require_travel(steps, 0.1, "Stride")
        scale = self.scale
        if scale is None:
            now = steps.stride()
            if now < 0.05 or self.metres is None:
                raise BadValue(f"{clip.name or 'This clip'} has no strides to measure: "
                               f"{len(steps.all)} footprints; give scale instead.")  # fmt: skip
            scale = self.metres / now
        shift = (scale - 1.0) * (steps.path - steps.path[steps.first])
        return replant(steps, along_time(steps, Moves.shifts(shift), clip.ground))

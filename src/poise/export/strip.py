"""The plan of a filmstrip: which moments of which clips, seen from where, and where each pose stands in the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from poise.errors import BadValue
from poise.export import scene
from poise.export.camera import from_side
from poise.export.dress import fists_of
from poise.export.happened import PushSeen
from poise.export.intersect import Shapes
from poise.export.props import Props
from poise.ground.ground import Ground, level_of, parts_of, plane_of
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip

_GAP = 0.10  # [m] of air between neighbours
_NEAR = 1.5  # [m] from the root: a prop farther away belongs to no pose
_FAR = 2.5  # [m] from the root: a loose part of the ground farther away is not drawn
_LONG = 0.45  # [m] of an arrow that shows a push


class Arrow(NamedTuple):
    """A push on a pose."""

    tail: Array  # (3,) [m] world
    tip: Array  # (3,) [m] world
    words: str


@dataclass(frozen=True, eq=False)
class Pose:
    """One figure of a strip: its shapes in the world, where it stands and what touches the ground."""

    shapes: Shapes
    root: Array  # (3,) [m]
    touching: Array  # (T, 3) world positions of the contact points that touch
    around: Shapes = field(default_factory=Shapes.none)  # parts of the ground that move: drawn, but not made room for
    pushes: tuple[Arrow, ...] = ()


@dataclass(frozen=True, eq=False)
class Row:
    """The poses of one clip; None where the clip has ended."""

    clip: Clip
    heading: float  # [rad] about Z: what goes this way goes from left to right
    poses: tuple[Pose | None, ...]
    grounds: tuple[Ground, ...] = ()  # under each pose, where it was changed under way

    @property
    def plane(self) -> bool:
        """Is the ground a plane, so that poses may be moved about on it?"""
        return not self.grounds and plane_of(self.clip.ground) is not None

    def ground(self, k: int) -> Ground:
        """The ground under a pose, by its number."""
        return self.grounds[k] if self.grounds else self.clip.ground

    @property
    def there(self) -> np.ndarray:
        """Indices of the poses that the clip has."""
        return np.array([k for k, p in enumerate(self.poses) if p is not None], int)

    def under(self, place: Array, k: int = 0) -> Array:
        """The point (3,) of the ground at a horizontal place (2 or more numbers), at the time of pose k."""
        return np.array([place[0], place[1], float(self.ground(k).height(place[0], place[1]))])


@dataclass(frozen=True, eq=False)
class Plan:
    """Rows and the places of their columns."""

    rows: tuple[Row, ...]
    times: Array  # (K,) [s]
    columns: Array  # (K,) [m] along the picture
    edges: Array  # (K + 1,) [m] where one pose ends and the next begins
    low: float  # [m] of the lower edge, along the picture's upward axis, from the base of a pose
    high: float  # [m] of the upper edge
    figure: float  # [m] height of the tallest figure, with its margins
    bases: tuple[Array, ...]  # (K, 3) a row: points of each pose's world that lie on the ground line, at its column
    true: bool  # the distances between poses are those of the motion
    elevation: float  # [degrees]
    azimuth: float  # [degrees]

    @property
    def width(self) -> float:
        """Of the whole strip [m]."""
        return float(self.edges[-1] - self.edges[0])

    def axes(self, row: Row) -> Array:
        """Rows: right, up and forward unit vectors of a row's picture in the world."""
        return view(row.heading, self.elevation, self.azimuth)


def view(heading: float, elevation: float, azimuth: float) -> Array:
    """Axes (3, 3) of a picture in which motion along `heading` [rad] goes to the right; angles in degrees."""
    return from_side(np.zeros(3), heading, 1.0, 1, 1, elevation=elevation, azimuth=azimuth).axes


def moments(clips: Sequence[Clip], frames: int, times: Sequence[float] | Array | None) -> Array:
    """The times [s] to show: those given, or `frames` of them over the longest clip."""
    if times is not None:
        chosen = np.asarray(times, float).reshape(-1)
        if not len(chosen) or not np.all(np.isfinite(chosen)):
            raise BadValue("A filmstrip needs at least one time, in seconds.")
        return chosen
    if frames < 1:
        raise BadValue(f"A filmstrip needs at least one frame, not {frames}.")
    longest = max(clips, key=lambda c: c.duration)
    return np.linspace(0.0, longest.duration, min(frames, len(longest)))


def poses_at(clip: Clip, times: Array) -> tuple[Array, np.ndarray, np.ndarray]:
    """Configurations (K, nq) at times [s], the nearest frames (K,), and whether the clip reaches so far (K,).

    A clip with a cycle goes on for ever.
    """
    times, last = np.asarray(times, float), len(clip) - 1
    count = np.zeros(len(times), int)
    if clip.cycle is not None and last > 0:
        count = np.floor(times / clip.duration + 1e-9).astype(int)
        count[(count == 1) & (times <= clip.duration + 1e-9)] = 0  # the last frame itself, not the next period
    x = times / clip.dt - count * last
    inside = (x > -0.5) & (x < last + 0.5)
    x = np.clip(x, 0.0, last)
    k = np.minimum(x.astype(int), max(last - 1, 0))
    q = conf.interpolate(clip.character.layout, clip.q[k], clip.q[np.minimum(k + 1, last)], x - k)
    if clip.cycle is not None:
        for n in np.flatnonzero(count):
            q[n] = clip.cycle.carry(q[n], int(count[n]))
    return q, np.round(x).astype(int), inside


def heading_of(clip: Clip) -> float:
    """The direction [rad] that a strip shows from left to right: where the motion goes, or where the body faces."""
    body = clip.character.body("pelvis") if clip.character.has("pelvis") else min(1, clip.character.model.nbody - 1)
    pos, quat = clip.character.forward(clip.q)
    away = pos[:, body, :2] - pos[0, body, :2]
    far = np.linalg.norm(away, axis=1)
    # a motion that comes back is shown as it goes out
    way = away[-1] if far[-1] > 0.5 * far.max() else away[np.argmax(far)]
    if np.linalg.norm(way) > 0.4:
        return float(np.arctan2(way[1], way[0]))
    front = rot.rotate(quat[:, body], np.array([1.0, 0.0, 0.0]))[:, :2]
    mean = front.mean(0)
    front = mean if np.linalg.norm(mean) > 0.3 else front[0]
    return float(np.arctan2(front[1], front[0]))


def row_of(clip: Clip, times: Array, *, contacts: bool = True, palette: scene.Palette | None = None,
           props: Props | None = None, heading: float | None = None) -> Row:  # fmt: skip
    """The poses of a clip at times [s], each with the props that are near it, seen along a heading [rad].

    Where none is given it is seen along its own way.
    """
    q, frame, inside = poses_at(clip, times)
    shapes = scene.figures(clip.character, q, palette, fists_of(clip))
    pos, _ = clip.character.forward(q)
    root = pos[:, min(1, pos.shape[1] - 1)]
    around = [Shapes.none()] * len(q)
    if props is not None:
        earth = {p.name for p in parts_of(clip.ground)}
        around = [props.near(root[k], times[k], _FAR, earth) for k in range(len(q))]
        beside = set(props.bodies) - earth
        shapes = [Shapes.join([s, props.near(root[k], times[k], _NEAR, beside)]) for k, s in enumerate(shapes)]
    show = contacts and len(clip.character.contact_points) > 0
    labels = clip.contacts.labels[frame] if show else np.zeros((len(q), 0), bool)
    points = clip.character.points(q) if show else np.zeros((len(q), 0, 3))
    poses = [Pose(shapes[k], root[k], points[k, labels[k]], around[k]) if inside[k] else None for k in range(len(q))]
    return Row(clip, heading_of(clip) if heading is None else heading, tuple(poses))


def with_times(times: Array, wanted: Sequence[float]) -> Array:
    """The times (K,) with the nearest inner one of them moved to each that is wanted, so that it is seen."""
    out = np.array(times, float)
    for t in wanted:
        inner = np.flatnonzero((np.arange(len(out)) > 0) & (np.arange(len(out)) < len(out) - 1))
        if len(inner) and out[0] < t < out[-1]:
            out[inner[np.argmin(np.abs(out[inner] - t))]] = t
    return np.sort(out)


def with_grounds(row: Row, times: Array, grounds: Sequence[tuple[float, Ground]]) -> Row:
    """The row with the ground that was there at the time of each pose, of those given with the times of changes [s]."""
    if not grounds:
        return row
    since = np.array([t for t, _ in grounds])
    each = [grounds[max(0, int(np.searchsorted(since, t + 1e-9)) - 1)][1] for t in times]
    return replace(row, grounds=tuple(each))


def with_pushes(row: Row, times: Array, pushes: Sequence[PushSeen]) -> Row:
    """The row with an arrow for each push, on the pose nearest to its time."""
    poses = list(row.poses)
    for push in pushes:
        k = int(np.argmin(np.abs(times - 0.5 * (push.time + push.end))))
        pose = poses[k]
        if pose is None:
            continue
        way = push.force / max(float(np.linalg.norm(push.force)), 1e-9)
        tip = pose.root + (push.point - push.root) - 0.10 * way
        words = f"{np.linalg.norm(push.force):.0f} N"
        poses[k] = replace(pose, pushes=(*pose.pushes, Arrow(tip - _LONG * way, tip, words)))
    return replace(row, poses=tuple(poses))


def plan(rows: Sequence[Row], times: Array, *, spacing: float | str = "auto", elevation: float = 9.0,
         azimuth: float | None = None) -> Plan:  # fmt: skip
    """Places for all poses: at their true distances where that leaves them apart but not lost, else side by side."""
    if not any(len(row.there) for row in rows):
        length = max(row.clip.duration for row in rows)
        raise BadValue(
            f"None of the times of this filmstrip is within its clips, of which the longest lasts {length:.2f} s."
        )
    level = all(level_of(g) is not None for r in rows for g in r.grounds or (r.clip.ground,))
    turn = (18.0 if level else 0.0) if azimuth is None else float(azimuth)
    reach = np.zeros((len(rows), len(times), 2))  # how far each pose reaches to the left and right of its root
    travel = np.full(reach.shape[:2], np.nan)
    for i, row in enumerate(rows):
        right = view(row.heading, elevation, turn)[0]
        way = np.array([np.cos(row.heading), np.sin(row.heading), 0.0])
        for k, pose in enumerate(row.poses):
            if pose is not None:
                reach[i, k] = np.array(scene.spread(pose.shapes, right)) - pose.root @ right
                travel[i, k] = pose.root @ way
    gaps, true = _gaps(reach, travel, spacing)
    columns = np.concatenate([[0.0], np.cumsum(gaps)])
    begin, end = columns + reach[:, :, 0].min(0), columns + reach[:, :, 1].max(0)
    edges = np.concatenate([[begin.min() - 0.18], 0.5 * (end[:-1] + begin[1:]), [end.max() + 0.18]])
    bases = tuple(_bases(row, columns, view(row.heading, elevation, turn)[0], true) for row in rows)
    low, high, figure = _heights(rows, bases, elevation, turn)
    return Plan(
        tuple(rows), np.asarray(times, float), columns, edges, low, high, figure, bases, true, elevation, turn
    )  # fmt: skip


def _bases(row: Row, columns: Array, right: Array, true: bool) -> Array:
    """Points (K, 3) of each pose's world that lie on the ground line of the picture, at its column; NaN for no pose.

    On a plane that is the ground under the root, less what the plane has risen to its column. Elsewhere one height
    serves all, so that climbing is seen; but a motion that climbs far is followed, unless distances must be true.
    """
    under = np.array([row.under(p.root, k) if p is not None else np.full(3, np.nan) for k, p in enumerate(row.poses)])
    there = row.there
    if row.plane:
        under[:, 2] -= np.array([row.under(c * right)[2] for c in columns]) - row.under(np.zeros(3))[2]
    elif len(there) and (true or np.ptp(under[there, 2]) < 0.7):
        under[there, 2] = under[there, 2].min()
    return under


def _heights(rows: Sequence[Row], bases: Sequence[Array], elevation: float, turn: float
             ) -> tuple[float, float, float]:  # fmt: skip
    """Lower and upper edge [m] of what the rows show, from the ground line, and the height of the tallest figure."""
    low, high, figure = 0.0, 0.5, 0.5
    for row, base in zip(rows, bases, strict=True):
        up = view(row.heading, elevation, turn)[1]
        for pose, under in zip(row.poses, base, strict=True):
            if pose is not None:
                span = np.array(scene.spread(pose.shapes, up)) - under @ up
                low, high, figure = min(low, span[0]), max(high, span[1]), max(figure, span[1] - span[0])
    return low - 0.16, high + 0.06, figure + 0.22


def _gaps(reach: Array, travel: Array, spacing: float | str) -> tuple[Array, bool]:
    """Distances (K - 1,) [m] between neighbouring columns, and whether they are those of the motion."""
    if isinstance(spacing, (int, float)):
        if not spacing > 0:
            raise BadValue(f"Poses need a positive distance, not {spacing} m.")
        return np.full(reach.shape[1] - 1, float(spacing)), False
    if spacing not in ("auto", "true", "even"):
        raise BadValue(f"The spacing is 'auto', 'true', 'even' or a distance in metres, not {spacing!r}.")
    needed = (reach[:, :-1, 1] - reach[:, 1:, 0]).max(0) + _GAP
    even = np.maximum(needed, np.median(needed)) if len(needed) else needed
    steps = np.diff(travel, axis=1)
    gone = np.asarray(np.isfinite(steps).any(0))
    true = np.array([np.nanmax(s) if ok else 0.0 for s, ok in zip(steps.T, gone, strict=True)])
    true = np.where(gone, true, even)
    fits = bool(len(true)) and bool(np.all(true >= needed) and true.mean() < 1.5 * needed.mean())
    if spacing == "true" or (spacing == "auto" and fits):
        return true, True
    return even, False

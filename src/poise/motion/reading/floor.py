"""The floor of a recording: its height and tilt from the feet that stand on it, levelled to z = 0; treads of stairs.

Studios set their floor by eye: it lies some centimetres off and leans by up to a centimetre a metre. Only feet that
stand still and carry the body count, so flights, kicks and swings on a bar do not move the floor. A tilt is believed
only along directions in which the feet are spread far enough and tell it clearly against their own scatter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.character.roles import SIDES
from poise.ground.treads import Treads
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.contact.foot_motion import FootMotion, foot_motion, speeds
from poise.motion.reading.treads import Stance, stances, treads

STEP = 0.06  # [m] stances whose heights differ by more stand on different levels
SPREAD = 1.5  # [m] over which feet must be spread to tell a tilt
CERTAIN = 2.5  # standard errors by which a tilt must differ from none
STEEPEST = 0.03  # rise per metre: more is a ramp or a mistake, not a floor that leans
LEAST = 0.12  # [s] of standing that make a level a floor
UNDER = 0.05  # share of the time that a foot may be found under the floor
ROUNDS = 8  # of estimating and levelling, at most
RESTS = 0.01  # [m/s] feet that were put down are slower
EXACT, MOST = 4e-4, 0.8  # [m] by which they are off one plane, and the share of them that is
SMALL = 3e-4  # [m] a floor this close to level is level


@dataclass(frozen=True, eq=False)
class Floor:
    """The plane z = height + slope · (x, y) on which the feet stand, and what it rests on."""

    height: float  # [m] at `centre`
    slope: Array  # (2,) rise per metre along x and y
    centre: Array  # (2,) middle of the footprints [m]
    count: int  # stances on the floor; 0: nothing is known
    levels: tuple[float, ...] = ()  # [m] heights above the floor of other surfaces that carry feet
    scatter: float = 0.0  # [m] rms of the stances about the plane

    @property
    def tilt(self) -> float:
        """Angle of the floor against the horizontal [degrees]."""
        return float(np.degrees(np.arctan(np.linalg.norm(self.slope))))


def estimate(clip: Clip) -> Floor:
    """The floor of a clip, where its feet tell it."""
    exact = _put_down(clip)
    if exact is not None:
        return exact
    foot = foot_motion(clip)
    floor = _estimate(stances(foot))
    if floor.count and _below(foot, floor) > UNDER:
        return Floor(0.0, np.zeros(2), np.zeros(2), 0)  # feet at rest in the air, as at the ends of a swing on a bar
    return floor


def level(clip: Clip) -> Clip:
    """The clip moved and turned so that its floor is z = 0; on stairs its ground gets their treads.

    The placement moves along, so that exports go back to where the file was. A level clip comes back as it is.
    """
    first = estimate(clip)
    if first.count == 0:
        return _noted(clip, "No foot stands long enough to show where the floor is: the file's own level is used.")
    out, rest = clip, first
    for _ in range(ROUNDS):  # which corner is the lowest depends on the floor: go on until nothing changes
        if not _matters(rest):
            break
        out = carried(out, *_levelling(rest))
        rest = estimate(out)
    if out is not clip:
        out = _noted(out, _sentence(first))
    if not rest.levels:
        return out
    foot = foot_motion(out)
    made = treads(foot, stances(foot), rest.levels)
    return replace(out, ground=Treads(made, 0.0)) if made else out


def carried(clip: Clip, turn: Array, shift: Array) -> Clip:
    """The clip after the rigid motion x -> turn x + shift of the world, its placement moved along."""
    q = clip.q.copy()
    q[:, :3] = rot.rotate(turn, q[:, :3]) + shift
    q[:, 3:7] = rot.multiply(turn, q[:, 3:7])
    placement = None if clip.placement is None else clip.placement.then(turn, shift)
    return clip.with_q(q, placement=placement)


def _put_down(clip: Clip) -> Floor | None:
    """The floor of feet that were put on it by an animator or a repair: they lie on one plane, to the millimetre."""
    points = clip.character.contact_points
    own = np.concatenate([points.of(side) for side in SIDES])
    if len(own) < 3 or len(clip) < 3:
        return None
    place = clip.character.points(clip.q)[:, own]
    rest = place[speeds(place, clip.dt) < RESTS]
    if len(rest) * clip.dt < LEAST * len(own):
        return None
    centre = rest[:, :2].mean(axis=0)
    spread = np.ptp(rest[:, :2] - centre, axis=0).max() > SPREAD
    columns = np.column_stack([np.ones(len(rest)), rest[:, :2] - centre])[:, : 3 if spread else 1]
    fit = np.zeros(columns.shape[1])
    keep = np.ones(len(rest), bool)
    miss = np.zeros(len(rest))
    for _ in range(4):  # points at rest in the air do not lie on it
        fit = np.linalg.lstsq(columns[keep], rest[keep, 2], rcond=None)[0]
        miss = np.abs(rest[:, 2] - columns @ fit)
        keep = miss < max(EXACT, 1.5 * float(np.median(miss)))
    slope = np.array(fit[1:]) if spread else np.zeros(2)
    if np.mean(miss < EXACT) < MOST or np.linalg.norm(slope) > STEEPEST:
        return None
    return Floor(float(fit[0]), slope, centre, 1, scatter=EXACT)


def _below(foot: FootMotion, floor: Floor) -> float:
    """Share of the time in which a foot is well below a floor."""
    firm = [foot.firm(side) for side in SIDES]
    place = foot.place[:, np.concatenate(firm)]
    over = place[..., 2] - floor.height - (place[..., :2] - floor.centre) @ floor.slope
    return float(np.mean(over.min(axis=1) < -STEP))


def _estimate(found: list[Stance]) -> Floor:
    levels = _levels(found)
    if not levels:
        return Floor(0.0, np.zeros(2), np.zeros(2), 0)
    place, weight, left = levels[0]
    single = len(levels) == 1
    slope, centre = _slope(place, weight, left) if single else (np.zeros(2), np.average(place[:, :2], 0, weight))
    height = place[:, 2] - (place[:, :2] - centre) @ slope
    middle = _middle(height, weight, left)
    others = tuple(_middle(p[:, 2], w, s) - middle for p, w, s in levels[1:])
    scatter = float(np.sqrt(np.average((height - middle) ** 2, weights=weight)))
    return Floor(middle, slope, centre, len(place), others, scatter)


def _levels(found: list[Stance]) -> list[tuple[Array, Array, np.ndarray]]:
    """Stances by the level on which they stand, lowest first: places (S, 3), weights (S,), is-left (S,)."""
    if not found:
        return []
    place = np.array([s.place for s in found])
    weight, left = np.array([s.weight for s in found]), np.array([s.side == "left" for s in found])
    order = np.argsort(place[:, 2], kind="stable")
    cuts = np.flatnonzero(np.diff(place[order, 2]) > STEP) + 1
    groups = [g for g in np.split(order, cuts) if weight[g].sum() >= min(LEAST, 0.5 * weight.sum())]
    return [(place[g], weight[g], left[g]) for g in groups]


def _slope(place: Array, weight: Array, left: np.ndarray) -> tuple[Array, Array]:
    """Rise per metre (2,) that the stances tell, zero along directions they say nothing of, and their middle (2,)."""
    centre = np.average(place[:, :2], axis=0, weights=weight)
    away = place[:, :2] - centre
    _, axes = np.linalg.eigh((away * weight[:, None]).T @ away)
    told = [axis for axis in axes.T[::-1] if np.ptp(away @ axis) > SPREAD]
    slope = np.zeros(2)
    if not told or len(place) < 4:
        return slope, centre
    along = away @ np.array(told).T
    columns = [np.ones(len(place)), *along.T]
    if 2 <= left.sum() <= len(left) - 2:
        columns.append(left - left.mean())  # soles that do not fit alike must not look like a tilt
    rise, error = _robust(np.stack(columns, axis=1), place[:, 2], weight)
    for k, axis in enumerate(told, start=1):
        if abs(rise[k]) > CERTAIN * error[k] and abs(rise[k]) * np.ptp(away @ axis) > 0.005:
            slope += rise[k] * axis
    return (slope if np.linalg.norm(slope) < STEEPEST else np.zeros(2)), centre


def _robust(columns: Array, z: Array, weight: Array) -> tuple[Array, Array]:
    """Weighted least squares with Huber weights (15 mm), and standard errors of the coefficients."""
    w, size = weight / weight.mean(), columns.shape[1]
    pull, fit = np.ones(len(z)), np.zeros(size)
    for _ in range(20):
        root = np.sqrt(w * pull)
        fit = np.linalg.lstsq(columns * root[:, None], z * root, rcond=None)[0]
        miss = np.abs(z - columns @ fit)
        pull = np.minimum(1.0, 0.015 / np.maximum(miss, 1e-9))
    free = len(z) - size
    if free < 1:
        return fit, np.full(size, np.inf)
    variance = max(float(np.sum(w * pull * (z - columns @ fit) ** 2)) / free, 0.002**2)
    cover = np.linalg.pinv((columns * (w * pull)[:, None]).T @ columns)
    return fit, np.sqrt(variance * np.diag(cover))


def _middle(height: Array, weight: Array, left: np.ndarray) -> float:
    """The height between both feet, whose soles may not fit alike; of one foot where the other hardly stands."""
    sides = [weighted_median(height[s], weight[s]) for s in (left, ~left) if weight[s].sum() > 0.2 * weight.sum()]
    return float(np.mean(sides))


def weighted_median(x: Array, weight: Array) -> float:
    """Weighted median, the mean of the two middle values where they balance."""
    order = np.argsort(x)
    below = np.cumsum(weight[order]) / weight.sum()
    low, high = np.searchsorted(below, 0.5 - 1e-9), np.searchsorted(below, 0.5 + 1e-9)
    return float(0.5 * (x[order[low]] + x[order[min(high, len(x) - 1)]]))


def _levelling(floor: Floor) -> tuple[Array, Array]:
    """The rigid motion that lays the floor on z = 0: smallest turn, about the middle of the footprints."""
    turn = rot.between(np.array([-floor.slope[0], -floor.slope[1], 1.0]), np.array([0.0, 0.0, 1.0]))
    middle = np.array([*floor.centre, floor.height])
    return turn, np.array([*floor.centre, 0.0]) - rot.rotate(turn, middle)


def _matters(floor: Floor) -> bool:
    return abs(floor.height) > SMALL or float(np.linalg.norm(floor.slope)) > SMALL


def _sentence(floor: Floor) -> str:
    lean = f" and leaned by {100 * float(np.linalg.norm(floor.slope)):.1f} cm a metre" if np.any(floor.slope) else ""
    return f"The floor lay at {100 * floor.height:+.1f} cm{lean}; the clip was levelled to it."


def _noted(clip: Clip, note: str) -> Clip:
    if note in clip.source.notes:
        return clip
    return replace(clip, source=replace(clip.source, notes=(*clip.source.notes, note)))

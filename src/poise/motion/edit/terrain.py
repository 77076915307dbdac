"""The same motion on other ground: on a slope, up or down stairs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.errors import BadValue
from poise.ground.slope import Slope as SlopeGround
from poise.ground.stairs import Stairs as StairsGround
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.edit.path import Turn
from poise.motion.feet.footsteps import Footsteps
from poise.motion.feet.replant import Moves, Plan, along_time, following, opened, replant, require_travel
from poise.motion.feet.settle import settled

_STRAIGHT = 15.0  # [degrees] a loop that turns less in a period is made straight, one that turns more is opened


@dataclass(frozen=True)
class Slope:
    """The motion on a plane through the world's origin that rises by `degrees` along `heading`.

    Footprints keep their places on the map and tilt with the plane, the trunk stays upright, the root goes up with
    the ground. A loop stays one: each period leads further up. (Its own turn, if it is small, is straightened first:
    a body that walks in circles meets the slope from another side in each period.)
    """

    degrees: float  # rise, negative: down
    heading: float | None = None  # [degrees] about Z from the x axis; None: the way of the motion, to 5 degrees

    def __post_init__(self) -> None:
        if not abs(self.degrees) < 60.0:
            raise BadValue(f"A slope must be between -60 and 60 degrees, not {self.degrees}.")

    def apply(self, clip: Clip) -> Clip:
        """The clip on the slope."""
        if clip.cycle is not None and abs(clip.cycle.turn) > 1e-9:
            turn = float(np.degrees(clip.cycle.turn))
            clip = Turn(-turn).apply(clip) if abs(turn) <= _STRAIGHT else opened(clip)
        steps = Footsteps.of(settled(clip))
        ground = SlopeGround(self.degrees, way_of(steps) if self.heading is None else self.heading)
        return replant(steps, along_time(steps, Moves.shifts(np.zeros((len(steps), 2))), ground))


def way_of(steps: Footsteps) -> float:
    """Heading [degrees] into which a clip goes, to the nearest 5."""
    return float(5.0 * np.round(np.degrees(np.arctan2(steps.direction[1], steps.direction[0])) / 5.0)) + 0.0


_BESIDE = 0.35  # share of a usual step: a foot put down less far ahead stands beside the other, on the same tread
_MARGIN = 0.05  # [m] between a foot and the riser that it has to get past


@dataclass(frozen=True)
class Stairs:
    """Each step of the motion put onto the next tread.

    Footholds go to the middle of the treads in the order of the steps, one tread a step; a foot put beside the other
    shares its tread. Swinging feet are lifted over the edges, the root follows the line of pitch, timing is kept. The
    first footholds, up to the one that the body passes over first, stay on the level floor. A loop stays one.
    """

    rise: float = 0.15  # [m] a tread, negative: down
    run: float = 0.30  # [m]
    heading: float | None = None  # [degrees] about Z; None: the way of the motion, to 5 degrees

    def __post_init__(self) -> None:
        if not 0.15 <= self.run <= 1.5 or not abs(self.rise) <= 0.4:
            raise BadValue(f"Stairs of rise {self.rise} m and run {self.run} m cannot be climbed step by step: "
                           "expected a rise up to 0.4 m and a run of 0.15 to 1.5 m.")  # fmt: skip

    def apply(self, clip: Clip) -> Clip:
        """The clip on the stairs."""
        if clip.cycle is not None and abs(clip.cycle.turn) > 1e-9:
            turn = float(np.degrees(clip.cycle.turn))
            clip = Turn(-turn).apply(clip) if abs(turn) <= 15.0 else opened(clip)
        steps = Footsteps.of(settled(clip))
        require_travel(steps, 0.3, "Stairs")
        heading = way_of(steps) if self.heading is None else self.heading
        way = np.array([np.cos(np.radians(heading)), np.sin(np.radians(heading))])
        along = np.array([p.centre[:2] @ way for p in steps.all])
        tread = _treads(steps, along)
        if tread.max() <= 0:
            raise BadValue(f"{clip.name or 'This clip'} makes no steps along {heading:.0f} degrees; "
                           "give the heading into which it goes.")  # fmt: skip
        start = _first_riser(along, tread, self.run)
        goal = start + (tread - 0.5) * self.run + self._within(steps, way)
        shift = (goal - along)[:, None] * way
        ground = StairsGround(self.rise, self.run, start, heading=heading)
        under = _Endless(ground) if steps.looping else ground  # the periods before a loop's own are further down
        edited = replant(steps, Plan(Moves.shifts(shift), following(steps, shift), under, steps=way))
        return replace(edited, ground=ground)

    def _within(self, steps: Footsteps, way: Array) -> Array:
        """Where (K,) the centre of each print must be, from the middle of its tread, for the foot to be on it [m].

        Where a tread is hardly longer than the foot, the heel stands over on the way up, the toes on the way down.
        """
        back, front = (np.array([f(p.outline[:, :2] @ way) for p in steps.all]) for f in (np.min, np.max))
        middle = -0.5 * (back + front)
        short = np.maximum(0.0, 0.5 * (front - back - self.run) + _MARGIN)
        return middle - np.sign(self.rise) * short


@dataclass(frozen=True)
class _Endless:
    """A staircase without a foot and without a landing."""

    stairs: StairsGround

    def height(self, x: Array, y: Array) -> Array:
        """Height [m] of the tread at x, y."""
        way = np.radians(self.stairs.heading)
        along = np.cos(way) * np.asarray(x, float) + np.sin(way) * np.asarray(y, float) - self.stairs.start
        return self.stairs.rise * (np.floor(along / self.stairs.run) + 1.0)

    def normal(self, x: Array, y: Array) -> Array:
        """Straight up."""
        return self.stairs.normal(x, y)


def _treads(steps: Footsteps, along: Array) -> np.ndarray:
    """The tread (K,) of each print; 0, the floor, holds the lowest that the clip's own frames stand on or come from."""
    advance = np.diff(along)
    usual = np.median(advance[advance > 0.05]) if np.any(advance > 0.05) else 1.0
    tread = np.concatenate([[0], np.cumsum(np.where(advance > _BESIDE * usual, 1, np.where(advance < -usual, -1, 0)))])
    first, last = steps.first, steps.first + len(steps.clip) - 1
    first -= round(steps.period / steps.clip.dt) if steps.looping else 0
    own = np.array([p.last >= first and p.first <= last for p in steps.all])
    return tread - tread[own].min()


def _first_riser(along: Array, tread: np.ndarray, run: float) -> float:
    """Where along the heading the first riser stands: half a run past the prints on the floor, so that these stay."""
    floor = along[tread == 0]
    return float(np.mean(floor) + 0.5 * run)

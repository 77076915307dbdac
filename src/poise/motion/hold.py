"""Hold: a hand closed round a fixed bar, or round something that it carries.

A closed hand can be pulled as well as pushed, so a hold gives a force in any direction at the hand, and no moment: a
fist turns on its bar. A hold with a mass moves with the hand; its weight is taken up, and put down again, over `EASE`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from poise.character import Character
from poise.character.roles import mirrored
from poise.errors import BadValue
from poise.maths import rotations as rot
from poise.maths.intervals import runs
from poise.maths.rotations import Array

if TYPE_CHECKING:
    from poise.motion.clip import Clip, Cycle

EASE = 0.12  # [s] in which the weight of a load goes from the ground to the hand, and back
_NEAR = 2e-4  # [s] two times this near are one: files round the time between frames


@dataclass(frozen=True)
class Hold:
    """One hand, from `start` to `end` [s], both included; to the end of the clip where `end` is not given.

    Without a mass it holds a fixed bar: `place` is where on the bar's axis the hand's `point` is held, and where it is
    in the first frame if not given. With a mass it carries its share of a load, whose weight acts at `point`.
    """

    hand: str  # role or name of a body
    start: float = 0.0  # [s]
    end: float | None = None  # [s]
    place: Sequence[float] | None = None  # (3,) [m] world
    axis: Sequence[float] = (0.0, 1.0, 0.0)  # (3,) along the bar, world
    point: Sequence[float] | None = None  # (3,) [m] in the hand's frame; the middle of its palm where not given
    mass: float = 0.0  # [kg] of the load

    def __post_init__(self) -> None:
        if not (np.isfinite(self.start) and (self.end is None or self.end >= self.start)):
            raise BadValue(f"The hold of {self.hand} cannot last from {self.start} s to {self.end} s.")
        if not (np.isfinite(self.mass) and self.mass >= 0.0):
            raise BadValue(f"{self.hand} cannot carry {self.mass} kg.")
        for name in ("place", "axis", "point"):
            given = getattr(self, name)
            if given is None and name != "axis":
                continue
            row = tuple(float(x) for x in np.asarray(given, float).reshape(-1))
            if len(row) != 3 or not np.all(np.isfinite(row)):
                raise BadValue(f"The {name} of the hold of {self.hand} needs three numbers, not {given!r}.")
            object.__setattr__(self, name, row)
        size = float(np.linalg.norm(self.axis))
        if size < 1e-9:
            raise BadValue(f"The bar that {self.hand} holds needs a direction.")
        object.__setattr__(self, "axis", tuple(a / size for a in self.axis))

    @property
    def carries(self) -> bool:
        """Is it a load, and not a fixed bar?"""
        return self.mass > 0.0

    def words(self) -> str:
        """One sentence: "The left hand holds a bar at (0.16, -0.42, 1.95) m from 0.00 s to the end." """
        hand, until = self.hand.replace("_", " "), "the end" if self.end is None else f"{self.end:.2f} s"
        what = f"carries {self.mass:.3g} kg" if self.carries else "holds a bar"
        if not self.carries and self.place is not None:
            x, y, z = (f"{c:.2f}" for c in self.place)
            what += f" at ({x}, {y}, {z}) m"
        far = 0.0 if self.point is None or self.carries else float(np.linalg.norm(self.point))
        handle = f", by a handle {100 * far:.0f} cm long" if far > 0.2 else ""
        return f"The {hand} {what}{handle} from {self.start:.2f} s to {until}."

    def covers(self, times: Array) -> np.ndarray:
        """Boolean (N,): is the hand closed at these times [s]?"""
        times = np.asarray(times, float)
        return (times >= self.start - _NEAR) & (times <= (np.inf if self.end is None else self.end) + _NEAR)

    def share(self, times: Array) -> Array:
        """How much (N,) of a load the hand bears at these times, 0 to 1; what is held from the first frame on, all."""
        t, inside = np.asarray(times, float), self.covers(times)
        up = np.ones(len(t)) if self.start <= _NEAR else np.clip((t - self.start) / EASE, 0.0, 1.0)
        down = np.ones(len(t)) if self.end is None else np.clip((self.end - t) / EASE, 0.0, 1.0)
        x = np.minimum(up, down)
        return np.where(inside, x**3 * (10.0 - 15.0 * x + 6.0 * x * x), 0.0)

    def local(self, character: Character) -> Array:
        """The held point (3,) [m] in the hand's frame: as given, or the middle of the palm."""
        if self.point is not None:
            return np.array(self.point)
        return np.array(character.model.body_ipos[character.body(self.hand)])

    def path(self, clip: Clip) -> Array:
        """Where the hand's point is (N, 3) [m] in each frame of a clip."""
        character = clip.character
        body = character.body(self.hand)
        pos, quat = character.forward(clip.q)
        return pos[:, body] + rot.rotate(quat[:, body], self.local(character))

    def placed(self, clip: Clip) -> Hold:
        """The same hold with a known place: where the hand's point is in its first frame, if none was given."""
        rows = np.flatnonzero(self.covers(clip.times))
        if self.carries or self.place is not None or not len(rows):
            return self
        return replace(self, place=tuple(self.path(clip)[rows[0]]))

    def moved(self, turn: float = 0.0, shift: Sequence[float] = (0.0, 0.0, 0.0), later: float = 0.0) -> Hold:
        """The same hold turned about Z [rad], then shifted [m], and `later` in time [s]."""
        about = rot.about_z(turn)
        place = None if self.place is None else tuple(rot.rotate(about, np.array(self.place)) + np.asarray(shift))
        axis = tuple(rot.rotate(about, np.array(self.axis)))
        end = None if self.end is None else self.end + later
        return replace(self, place=place, axis=axis, start=self.start + later, end=end)

    def within(self, start: float, end: float) -> Hold | None:
        """What is left of it between two times [s], told from the first of them; None where nothing is."""
        last = end if self.end is None else self.end
        if self.start > end + _NEAR or last < start - _NEAR:
            return None
        stays = self.end is None or self.end >= end + _NEAR  # a hold that outlasts the cut does not end in it
        return replace(self, start=max(0.0, self.start - start), end=None if stays else max(0.0, last - start))

    def mirrored(self, character: Character) -> Hold:
        """The hold of the other hand of a character, reflected in the plane y = 0."""
        flip, own = np.array([1.0, -1.0, 1.0]), character.body(self.hand)
        other = int(character.mirror_bodies[own])
        hand = mirrored(self.hand) if self.hand in character.roles else character.body_names[other]
        place, point = (None if p is None else flip * p for p in (self.place, self.point))
        if point is not None:  # frames may differ from the world's axes in the zero pose
            zero = character.forward(character.zero_pose())[1][0]
            seen = flip * rot.rotate(zero[own], np.asarray(self.point))
            point = tuple(rot.rotate(rot.conjugate(zero[other]), seen))
        place = None if place is None else tuple(place)
        return replace(self, hand=hand, place=place, axis=tuple(flip * self.axis), point=point)


def cut(holds: Iterable[Hold], start: float, end: float) -> tuple[Hold, ...]:
    """The holds between two times [s], told from the first."""
    return tuple(h for h in (hold.within(start, end) for hold in holds) if h is not None)


def repeated(holds: Iterable[Hold], cycle: Cycle, period: float, count: int) -> tuple[Hold, ...]:
    """The holds of a loop over `count` periods, the places of bars carried along; what never lets go stays one hold."""
    out: list[Hold] = []
    for hold in holds:
        whole = hold.start <= _NEAR and (hold.end is None or hold.end >= period - _NEAR)
        still = hold.carries or (abs(cycle.turn) < 1e-9 and float(np.linalg.norm(cycle.shift)) < 1e-9)
        if whole and still:
            out.append(replace(hold, end=None))
            continue
        last = replace(hold, end=period) if hold.end is None and count > 1 else hold
        out += [_carried(last, cycle, k).moved(later=k * period) for k in range(count)]
    return tuple(out)


def _carried(hold: Hold, cycle: Cycle, count: int) -> Hold:
    """The hold `count` periods further on."""
    far = cycle.times(count)
    return hold.moved(far.turn, tuple(float(s) for s in far.shift))


def retimed(holds: Iterable[Hold], cycle: Cycle | None, local: Array, count: np.ndarray, dt: float) -> tuple[Hold, ...]:
    """The holds of a clip whose new frames, `dt` apart, show its times `local` (M,) [s] in its periods `count` (M,)."""
    out: list[Hold] = []
    for hold in holds:
        on, pieces = hold.covers(local), []
        for k in np.unique(count[on]):
            far = hold if cycle is None or k == 0 else _carried(hold, cycle, int(k))
            for a, e in runs(on & (count == k)):
                lasts = e == len(local) and (hold.end is None or hold.end > local[-1] + _NEAR)
                pieces.append(replace(far, start=float(a * dt), end=None if lasts else float((e - 1) * dt)))
        out += _joined(sorted(pieces, key=lambda h: h.start), dt)
    return tuple(out)


def _joined(pieces: list[Hold], dt: float) -> list[Hold]:
    """Pieces of one hold, one frame apart and at one place, made one again."""
    out: list[Hold] = []
    for h in pieces:
        last = out[-1] if out else None
        if last is not None and last.end is not None and h.start - last.end < 1.5 * dt and _same_bar(last, h):
            out[-1] = replace(last, end=h.end)
        else:
            out.append(h)
    return out


def _same_bar(a: Hold, b: Hold) -> bool:
    if a.carries or a.place is None or b.place is None:
        return True
    return bool(np.allclose(a.place, b.place, atol=1e-6))


def at_pace(holds: Iterable[Hold], factor: float) -> tuple[Hold, ...]:
    """The holds of a clip whose frames are `factor` times as far apart."""
    return tuple(replace(h, start=factor * h.start, end=None if h.end is None else factor * h.end) for h in holds)


def brought_along(clip: Clip, q: Array) -> tuple[Hold, ...]:
    """The clip's holds for other configurations q (N, nq) of it: bars are moved as the root is where they are held."""
    out = []
    for hold in clip.grips:
        rows = np.flatnonzero(hold.covers(clip.times))
        if hold.place is None or not len(rows):
            out.append(hold)
            continue
        old, new = clip.q[rows[0]], q[rows[0]]
        turn = float(rot.heading(new[3:7]) - rot.heading(old[3:7]))
        out.append(hold.moved(turn, tuple(new[:3] - rot.rotate(rot.about_z(turn), old[:3]))))
    return tuple(out)

"""A scene: the motion of one or two wrists and of an object, the object itself, and what it stands on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from poise.character.library.hand import FINGERS, SIDES, joint_names
from poise.checks import number
from poise.errors import BadValue, ClipMismatch, UnknownName
from poise.maths.rotations import Array, rotate, to_matrix
from poise.methods.hands.thing import Thing


@dataclass(frozen=True, eq=False)
class Track:
    """The motion of a rigid body: places (T, 3) [m] and unit quaternions (T, 4), world axes, Z up."""

    place: Array
    turn: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", np.ascontiguousarray(self.place, float))
        turn = np.ascontiguousarray(self.turn, float)
        if self.place.ndim != 2 or self.place.shape[1] != 3 or turn.shape != (len(self.place), 4):
            raise BadValue(
                f"A track has places (T, 3) and quaternions (T, 4), not {self.place.shape} and {turn.shape}."
            )
        if not (np.all(np.isfinite(self.place)) and np.all(np.isfinite(turn))):
            raise BadValue("A track has numbers that are not finite.")
        length = np.linalg.norm(turn, axis=1, keepdims=True)
        if np.any(np.abs(length - 1) > 0.1):
            raise BadValue("The quaternions of a track are not of length one.")
        turn = turn / length
        flips = np.cumprod(np.r_[1.0, np.where(np.sum(turn[1:] * turn[:-1], axis=1) < 0, -1.0, 1.0)])
        object.__setattr__(self, "turn", turn * flips[:, None])

    def __len__(self) -> int:
        return len(self.place)

    @cached_property
    def matrix(self) -> Array:
        """(T, 3, 3)."""
        return to_matrix(self.turn)


@dataclass(frozen=True)
class Stand:
    """A fixed box on which the object may stand: whole lengths [m] and its centre [m]."""

    size: tuple[float, float, float]
    place: tuple[float, float, float]

    @property
    def top(self) -> float:
        """Height [m] of its upper face."""
        return self.place[2] + self.size[2] / 2

    def under(self, p: Array) -> np.ndarray:
        """Which of the points (N, 3) are above it?"""
        return np.all(np.abs(p[:, :2] - np.array(self.place[:2])) <= np.array(self.size[:2]) / 2 + 1e-9, axis=1)


@dataclass(frozen=True, eq=False)
class Scene:
    """What the search is given. The object's track is that of the frame in which its pieces are given."""

    name: str
    thing: Thing
    motion: Track
    wrists: Mapping[str, Track]  # "right", "left" or both
    fps: float = 30.0  # frames a second; the thesis does not print its own
    friction: float = 1.0  # µ between hand and object
    table_friction: float = 0.4  # between object and table
    table: float | None = 0.0  # [m] height of the table, None without one
    stands: tuple[Stand, ...] = ()
    slide: float = 1e-4  # l₁ [m] a frame, (33)
    move: float = 5e-4  # l₂ [m] a frame, (33)
    windows: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # [s] given contact times, "right_index"
    fixed: Mapping[str, float] = field(default_factory=dict)  # [rad] joints that are held, by name
    styles: tuple[tuple[float, str], ...] = ()  # [s] and the style from then on
    licence: str = ""

    def __post_init__(self) -> None:
        number("The frame rate", self.fps, "frames a second", above=0.0)
        number("The friction", self.friction, "", above=0.0)
        number("The table's friction", self.table_friction, "", least=0.0)
        if not self.wrists:
            raise BadValue(f"{self.name} has no wrist: give the motion of the right hand, the left one or both.")
        for side, track in self.wrists.items():
            if side not in SIDES:
                raise UnknownName("wrist", side, SIDES)
            if len(track) != len(self.motion):
                raise ClipMismatch(
                    f"The object's track has {len(self.motion)} frames, that of the {side} wrist "
                    f"{len(track)}; cut or resample them to one length."
                )
        if len(self.motion) < 5:
            raise BadValue(f"{self.name} has {len(self.motion)} frames; at least 5 are needed.")
        joints = [name for side in self.wrists for name in joint_names(side)]
        for name in self.fixed:
            if name not in joints:
                raise UnknownName("joint", name, joints)
        known = [f"{side}_{finger}" for side in self.wrists for finger in FINGERS]
        for name in self.windows:
            if name not in known:
                raise UnknownName("finger", name, known)

    def __len__(self) -> int:
        return len(self.motion)

    @property
    def sides(self) -> tuple[str, ...]:
        """The hands, right before left."""
        return tuple(s for s in SIDES if s in self.wrists)

    @cached_property
    def centre(self) -> Track:
        """Motion of the object's centre of mass."""
        return Track(self.motion.place + rotate(self.motion.turn, self.thing.centre), self.motion.turn)

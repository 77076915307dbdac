"""Skeleton: the joints of a motion file exactly as the file tells them, and where they lie in the world."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from poise import budgets
from poise.errors import BadValue
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.printable import printable


@dataclass(frozen=True, eq=False)
class EndSite:
    """The free end of a bone: its joint's index and the offset from that joint [file units]."""

    joint: int
    offset: Array  # (3,)
    name: str = "End Site"


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Joints, parents before children, in the file's own units and axes.

    At rest a joint stands at `offsets[j]` in its parent's frame, turned by `rest[j]`. A BVH has identity rest turns;
    an FBX has any. `channels` is what a BVH declares for each joint and is kept so that a written file is laid out
    like the one that was read. Control signs in names are written as escapes.
    """

    names: tuple[str, ...]
    parents: np.ndarray  # (J,) int, -1 for the root
    offsets: Array  # (J, 3) file units
    ends: tuple[EndSite, ...] = ()
    rest: Array = field(default=None)  # type: ignore[assignment]  # (J, 4), identity where not given
    channels: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        count = len(self.names)
        parents = np.asarray(self.parents, int)
        if parents.shape != (count,) or np.any(parents >= np.arange(count)) or np.any(parents < -1):
            raise BadValue("A skeleton needs one parent per joint, each before its children.")
        if self.rest is None:
            object.__setattr__(self, "rest", np.tile(rot.IDENTITY, (count, 1)))
        object.__setattr__(self, "parents", parents)
        budgets.check_names("A joint", self.names)
        if not "".join(self.names).isprintable():
            object.__setattr__(self, "names", tuple(printable(re.sub(r"[\t\r\n ]+", " ", n)) for n in self.names))

    def __repr__(self) -> str:
        return f"<Skeleton of {len(self)} joints: {', '.join(self.names[:4])}{', ...' if len(self) > 4 else ''}>"

    def __len__(self) -> int:
        return len(self.names)

    def index(self, name: str) -> int:
        """Index of the joint with this name (the first one, where names repeat)."""
        return self.names.index(name)

    def children(self, joint: int) -> list[int]:
        """Indices of the joints whose parent is `joint`."""
        return list(self._children[joint])

    @cached_property
    def _children(self) -> tuple[list[int], ...]:
        """For each joint those that hang on it."""
        below: tuple[list[int], ...] = tuple([] for _ in self.names)
        for j, p in enumerate(self.parents):
            if p >= 0:
                below[p].append(j)
        return below

    def ends_of(self, joint: int) -> list[EndSite]:
        """End sites that hang on `joint`."""
        return [e for e in self.ends if e.joint == joint]

    def forward(self, local: Array, positions: Array | None = None) -> tuple[Array, Array]:
        """Global positions (..., J, 3) and rotations (..., J, 4) from local rotations (..., J, 4).

        `positions` (..., J, 3) replaces the rest offsets where a file moves its joints; the root's row is its place.
        """
        local = np.asarray(local, float)
        where = np.broadcast_to(self.offsets, (*local.shape[:-1], 3)) if positions is None else positions
        point, turn = np.empty((*local.shape[:-1], 3)), np.empty(local.shape)
        for j, p in enumerate(self.parents):
            if p < 0:
                point[..., j, :], turn[..., j, :] = where[..., j, :], local[..., j, :]
            else:
                turn[..., j, :] = rot.multiply(turn[..., p, :], local[..., j, :])
                point[..., j, :] = point[..., p, :] + rot.rotate(turn[..., p, :], where[..., j, :])
        return point, turn

    def rest_pose(self) -> tuple[Array, Array]:
        """Global positions (J, 3) and rotations (J, 4) at rest."""
        return self.forward(self.rest)


def subtree(parents: Sequence[int] | np.ndarray, joint: int) -> list[int]:
    """`joint` and everything below it, in order."""
    inside = {joint}
    for j, p in enumerate(parents):
        if int(p) in inside:
            inside.add(j)
    return sorted(inside)


@dataclass(frozen=True, eq=False)
class Placement:
    """From file space to the world (metres, Z up, X forward): x_world = R_wf unit x_file + shift."""

    unit: float = 1.0  # metres per file unit
    turn: Array = field(default_factory=lambda: rot.IDENTITY.copy())  # quaternion of R_wf
    shift: Array = field(default_factory=lambda: np.zeros(3))  # [m]

    def points(self, x: Array) -> Array:
        """World positions [m] of file positions (..., 3)."""
        return rot.rotate(self.turn, self.unit * np.asarray(x, float)) + self.shift

    def points_back(self, x: Array) -> Array:
        """File positions of world positions (..., 3) [m]."""
        return rot.rotate(rot.conjugate(self.turn), np.asarray(x, float) - self.shift) / self.unit

    def then(self, turn: Array, shift: Array) -> Placement:
        """This placement followed by the rigid motion x -> turn x + shift of the world."""
        return replace(self, turn=rot.multiply(turn, self.turn), shift=rot.rotate(turn, self.shift) + shift)


@dataclass(frozen=True, eq=False)
class Binding:
    """Ties a character to the skeleton of the file it was made from.

    In the character's zero pose (upright, limbs straight down, all body frames along the world's axes) joint j of the
    file has the global rotation `rest[j]`, in file axes. So a body that follows joint j has, in the world,
    R_body = R_wf G_j rest_jᵀ R_wfᵀ, where G_j is the joint's global rotation in the file.
    """

    skeleton: Skeleton
    joints: np.ndarray  # (B,) joint that each body of the model follows, -1 for the world
    rest: Array  # (J, 4)
    placement: Placement  # unit and axes; without any levelling of a particular clip

    def body_rotations(self, turns: Array, placement: Placement) -> Array:
        """World orientations (..., B, 4) of all bodies from global joint rotations (..., J, 4) in file axes."""
        follow = np.maximum(self.joints, 0)
        local = rot.multiply(turns[..., follow, :], rot.conjugate(self.rest[follow]))
        # the zero pose is defined with the binding's axes; a levelled placement turns the whole world after that
        out = rot.multiply(rot.multiply(placement.turn, local), rot.conjugate(self.placement.turn))
        out[..., self.joints < 0, :] = rot.IDENTITY
        return out

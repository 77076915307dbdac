"""Recording: a motion file as it was read, on its own skeleton, before any of it is interpreted."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from poise import budgets
from poise.character.skeleton import Skeleton
from poise.errors import BadValue
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.printable import printable


@dataclass(frozen=True)
class Source:
    """Where a motion came from, and on what terms it may be used."""

    name: str = ""
    path: str = ""
    format: str = ""  # "bvh", "amc", "deepmimic", "fbx", "npz" or "built-in"
    licence: str = ""  # empty: unknown
    notes: tuple[str, ...] = ()  # what was done on the way in, one sentence each
    licence_text: str = ""  # the whole text of the licence file beside the recording; it goes with every export
    file: str = field(default="", compare=False)  # what was opened in this session; never saved, never overwritten

    def __post_init__(self) -> None:
        # names of files need not be text; what travels into exports must be
        for text in ("name", "path", "licence", "licence_text"):
            object.__setattr__(self, text, getattr(self, text).encode("utf-8", "replace").decode("utf-8"))
        for text in ("name", "format", "licence"):
            object.__setattr__(self, text, printable(getattr(self, text)))
        object.__setattr__(self, "notes", tuple(printable(note) for note in self.notes))


@dataclass(frozen=True, eq=False)
class Recording:
    """Local rotations and positions of every joint of a file, one row a frame, in the file's units and axes.

    `unit` [m] and `up` are what the format itself declares (FBX, DeepMimic); None where it declares nothing.
    """

    skeleton: Skeleton
    rotations: Array  # (N, J, 4) local, w x y z
    positions: Array  # (N, J, 3) local; rest offsets where the file does not move the joint
    dt: float  # [s]
    source: Source = Source()
    unit: float | None = None  # metres per file unit
    up: str | None = None  # "x", "y" or "z"
    wraps: bool = False  # the file says that the motion is one cycle

    def __post_init__(self) -> None:
        shape = (len(self.rotations), len(self.skeleton))
        if self.rotations.shape != (*shape, 4) or self.positions.shape != (*shape, 3):
            raise BadValue(f"A recording of {shape[1]} joints needs rotations (N, J, 4) and positions (N, J, 3).")
        budgets.check_step(self.dt, len(self.rotations))

    def __repr__(self) -> str:
        what = f"{len(self)} frames at {1.0 / self.dt:.4g} fps of {len(self.skeleton)} joints"
        return f"<Recording {self.source.name!r} ({self.source.format}): {what}>"

    def __len__(self) -> int:
        return len(self.rotations)

    @property
    def duration(self) -> float:
        """Time from the first to the last frame [s]."""
        return (len(self) - 1) * self.dt

    def forward(self) -> tuple[Array, Array]:
        """Global positions (N, J, 3) and rotations (N, J, 4), in file units and axes."""
        return self.skeleton.forward(self.rotations, self.positions)

    def cut(self, first: int, last: int | None = None) -> Recording:
        """The frames first .. last-1."""
        return replace(self, rotations=self.rotations[first:last], positions=self.positions[first:last])

    def at(self, times: Array) -> tuple[Array, Array]:
        """Local rotations (M, J, 4) and positions (M, J, 3) at times [s] from the first frame, held at both ends."""
        x = np.clip(np.asarray(times, float) / self.dt, 0.0, len(self) - 1.0)
        near = np.round(x)
        x = np.where(np.abs(x - near) < 1e-6, near, x)  # frames of the file itself come back bit for bit
        k = np.minimum(x.astype(int), max(len(self) - 2, 0))
        k1 = np.minimum(k + 1, len(self) - 1)
        s = x - k
        turn = rot.slerp(
            self.rotations[k], self.rotations[k1], np.broadcast_to(s[:, None], (len(x), len(self.skeleton)))
        )
        turn[s == 0], turn[s == 1] = self.rotations[k[s == 0]], self.rotations[k1[s == 1]]
        place = self.positions[k] + s[:, None, None] * (self.positions[k1] - self.positions[k])
        return turn, place

"""What touched and pushed the character, as flat tables: one row a contact or a wrench, each with its frame."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poise.dynamics import Wrench
from poise.errors import BadValue
from poise.maths.rotations import Array

CONTACT_COLUMNS = {
    "body": 1,  # id of the character's body
    "other": 1,  # what it touches: index in the record's `others`
    "point": 3,  # world place [m]
    "normal": 3,  # unit, towards the character
    "force": 3,  # on the character, world axes, mean over the frame [N]
    "moment": 3,  # about the point, on the character, mean over the frame [N m]
    "friction": 1,  # coefficient
    "depth": 1,  # penetration [m], positive where the shapes overlap
    "slip": 1,  # tangential speed of the body against what it touches [m/s]
    "bilateral": 1,  # 1: a grip, which may pull; 0: a contact, which may only push
}
"""Columns and their widths of the rows (K, 18) that a recorder takes for contacts, in this order."""

WRENCH_COLUMNS = {"body": 1, "label": 1, "point": 3, "force": 3, "moment": 3}
"""Columns and their widths of the rows (K, 11) that a recorder takes for external and assisting wrenches."""

CONTACT_WIDTH, WRENCH_WIDTH = sum(CONTACT_COLUMNS.values()), sum(WRENCH_COLUMNS.values())
# the first column of each fact of a contact's row, for compiled code
BODY, OTHER, POINT, NORMAL, FORCE, MOMENT, FRICTION, DEPTH, SLIP, BILATERAL = (
    sum(list(CONTACT_COLUMNS.values())[:k]) for k in range(len(CONTACT_COLUMNS))
)
_WHOLE = {"body", "other", "label"}


class LogEntry(NamedTuple):
    """Something that happened once: an event of the stage, a swapped reference, a solver that gave up."""

    time: float  # [s]
    kind: str  # "push", "ball", "reference", "solver", ...
    text: str


def wrench_rows(wrenches: Iterable[Wrench], label: int = 0) -> Array:
    """Rows (K, 11) for a recorder from wrenches on bodies, all with one label."""
    rows = [[w.body, label, *w.point, *w.force, *(np.zeros(3) if w.moment is None else w.moment)] for w in wrenches]
    return np.array(rows, float).reshape(-1, WRENCH_WIDTH)


@dataclass(frozen=True, eq=False)
class WrenchRecord:
    """Wrenches on bodies, K rows in the order of time; row values are means over the frame's interval."""

    frame: np.ndarray  # (K,) the wrench acted from this frame to the next
    body: np.ndarray  # (K,) ids of the character's bodies
    label: np.ndarray  # (K,) index in `labels`
    point: Array  # (K, 3) world [m]
    force: Array  # (K, 3) on the character, world axes [N]
    moment: Array  # (K, 3) about the point, on the character [N m]
    labels: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.frame)

    @classmethod
    def from_rows(cls, frame: np.ndarray, rows: Array, labels: Iterable[str] = ()) -> WrenchRecord:
        """From the frames (K,) and the rows (K, 11) that a recorder took."""
        return cls(np.asarray(frame, np.int64), **_split(rows, WRENCH_COLUMNS), labels=tuple(labels))

    def rows(self) -> Array:
        """The columns side by side (K, 11)."""
        return _join(self, WRENCH_COLUMNS)

    def at(self, frame: int) -> slice:
        """Where the rows of one frame lie."""
        return _at(self.frame, frame)

    def total(self, frames: int) -> tuple[Array, Array]:
        """Sum of the forces (frames, 3) and of their moments about the world's origin (frames, 3)."""
        return _total(self, frames)


@dataclass(frozen=True, eq=False)
class ContactRecord:
    """Contacts of the character with ground, props and grips, K rows in the order of time; means over the interval."""

    frame: np.ndarray  # (K,) touched from this frame to the next
    body: np.ndarray  # (K,) ids of the character's bodies
    other: np.ndarray  # (K,) index in `others`
    point: Array  # (K, 3) world [m]
    normal: Array  # (K, 3) unit, towards the character
    force: Array  # (K, 3) on the character, world axes [N]
    moment: Array  # (K, 3) about the point, on the character [N m]
    friction: Array  # (K,)
    depth: Array  # (K,) [m], positive: overlap
    slip: Array  # (K,) [m/s]
    bilateral: np.ndarray  # (K,) bool: a grip
    others: tuple[str, ...] = ("ground",)

    def __len__(self) -> int:
        return len(self.frame)

    @classmethod
    def from_rows(cls, frame: np.ndarray, rows: Array, others: Iterable[str] = ("ground",)) -> ContactRecord:
        """From the frames (K,) and the rows (K, 18) that a recorder took."""
        columns = _split(rows, CONTACT_COLUMNS)
        columns["bilateral"] = columns["bilateral"] != 0.0
        columns["bilateral"].flags.writeable = False
        return cls(np.asarray(frame, np.int64), **columns, others=tuple(others))

    def rows(self) -> Array:
        """The columns side by side (K, 18)."""
        return _join(self, CONTACT_COLUMNS)

    def at(self, frame: int) -> slice:
        """Where the rows of one frame lie."""
        return _at(self.frame, frame)

    def total(self, frames: int) -> tuple[Array, Array]:
        """Sum of the forces (frames, 3) and of their moments about the world's origin (frames, 3)."""
        return _total(self, frames)

    def on_ground(self) -> np.ndarray:
        """Boolean (K,): is it the ground that is touched ("ground"), or a part of it that moves ("ground platform")?"""
        ground = np.array([n == "ground" or n.startswith("ground ") for n in self.others], bool)
        return ground[self.other] if len(self) else np.zeros(0, bool)


def _split(rows: Array, columns: dict[str, int]) -> dict[str, np.ndarray]:
    rows = np.asarray(rows, float)
    if rows.ndim != 2 or rows.shape[1] != sum(columns.values()):
        raise BadValue(f"Rows need the {sum(columns.values())} columns {', '.join(columns)}, not {rows.shape}.")
    out, first = {}, 0
    for name, width in columns.items():
        part = rows[:, first] if width == 1 else rows[:, first : first + width]
        out[name] = np.ascontiguousarray(part, np.int64 if name in _WHOLE else np.float64)
        out[name].flags.writeable = False
        first += width
    return out


def _join(record: WrenchRecord | ContactRecord, columns: dict[str, int]) -> Array:
    return np.concatenate([np.reshape(getattr(record, n), (len(record), w)) for n, w in columns.items()], axis=1)


def _at(frames: np.ndarray, frame: int) -> slice:
    first, last = np.searchsorted(frames, [frame, frame + 1])
    return slice(int(first), int(last))


def _total(record: WrenchRecord | ContactRecord, frames: int) -> tuple[Array, Array]:
    force, moment = np.zeros((frames, 3)), np.zeros((frames, 3))
    np.add.at(force, record.frame, record.force)
    np.add.at(moment, record.frame, record.moment + np.cross(record.point, record.force))
    return force, moment

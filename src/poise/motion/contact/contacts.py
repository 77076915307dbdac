"""Contacts: which points of the feet and hands touch the ground, and when."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from poise.character.character import ContactPoints
from poise.character.roles import SIDES
from poise.errors import BadValue, UnknownName
from poise.maths.intervals import runs

if TYPE_CHECKING:
    from poise.motion.clip import Clip


@dataclass(frozen=True, eq=False)
class Contacts:
    """Labels of a clip's contact points, one row a frame.

    A name may be that of a point ("left_heel_inner"), of a pair ("left_heel"), of a foot ("left", "right") or of a hand
    ("left_hand", "right_hand"); a pair, a foot or a hand touches when any of its points does.
    """

    points: ContactPoints
    labels: np.ndarray  # (N, P) bool
    dt: float  # [s]

    def __post_init__(self) -> None:
        labels = np.asarray(self.labels, bool)
        if labels.ndim != 2 or labels.shape[1] != len(self.points):
            raise BadValue(f"Contact labels need one column for each of {len(self.points)} points, not {labels.shape}.")
        labels.flags.writeable = False
        object.__setattr__(self, "labels", labels)

    def __repr__(self) -> str:
        left, right = 100.0 * self.feet().mean(axis=0) if len(self) else (0.0, 0.0)
        return f"<Contacts of {len(self.points)} points in {len(self)} frames: left {left:.0f} %, right {right:.0f} %>"

    def __len__(self) -> int:
        return len(self.labels)

    def indices(self, name: str) -> np.ndarray:
        """Indices of the points that a name stands for: a point, a pair, a foot or a hand."""
        if name in self.points.limbs:
            return self.points.of(name)
        found = [i for i, own in enumerate(self.points.names) if own == name or own.startswith(name + "_")]
        if not found and not (name in SIDES and len(self.points) == 0):
            pairs = {n.removesuffix("_inner").removesuffix("_outer") for n in self.points.names}
            raise UnknownName("contact point", name, {*self.points.names, *pairs, *SIDES, *self.points.limbs})
        return np.array(found, int)

    def touching(self, name: str) -> np.ndarray:
        """Boolean (N,): does a point, a pair, a foot or a hand touch the ground?"""
        return np.any(self.labels[:, self.indices(name)], axis=1)

    def feet(self) -> np.ndarray:
        """Boolean (N, 2): does any point of the left, of the right foot touch the ground?"""
        return np.stack([np.any(self.labels[:, self.points.of(side)], axis=1) for side in SIDES], axis=1)

    def airborne(self) -> np.ndarray:
        """Boolean (N,): no point touches."""
        return ~np.any(self.labels, axis=1)

    def spans(self, name: str) -> np.ndarray:
        """Stretches of contact as rows (first, one past the last) of frame numbers (R, 2)."""
        return runs(self.touching(name))

    def intervals(self, name: str) -> list[tuple[float, float]]:
        """Stretches of contact as (start, end) [s]: the times of the first and of the last frame that touches."""
        return [(float(a * self.dt), float((b - 1) * self.dt)) for a, b in self.spans(name)]

    def override(self, name: str, start: float, end: float, touching: bool) -> Contacts:
        """The same contacts with a point, pair, foot or hand touching (or not) from start to end [s], both included."""
        if not end >= start:
            raise BadValue(f"A contact cannot end at {end} s before it starts at {start} s.")
        first, last = max(0, round(start / self.dt)), min(len(self), round(end / self.dt) + 1)
        if first >= len(self) or last <= 0:
            raise BadValue(f"{start} .. {end} s lies outside a clip of {(len(self) - 1) * self.dt:.2f} s.")
        labels = self.labels.copy()
        labels[first:last, self.indices(name)] = touching
        return replace(self, labels=labels)

    def to_dict(self) -> dict[str, list[tuple[float, float]]]:
        """Intervals [s] of each foot and pair of its points, and of hands that touch, rounded to the millisecond."""
        limbs = [n for n in self.points.limbs if n in SIDES or np.any(self.labels[:, self.points.of(n)])]
        own = [n for n in self.points.names if "_hand_" not in n or n.partition("_hand_")[0] + "_hand" in limbs]
        names = [*limbs, *dict.fromkeys(n.removesuffix("_inner").removesuffix("_outer") for n in own)]
        return {n: [(round(a, 3), round(b, 3)) for a, b in self.intervals(n)] for n in names}


def detect(clip: Clip) -> Contacts:
    """The contacts of a clip by height above its ground and speed; see `poise.motion.contact.detect_feet`."""
    from poise.motion.contact.detect_feet import contact_labels

    return Contacts(clip.character.contact_points, contact_labels(clip), clip.dt)

"""What an animator asks of single links: external positional controllers (24), and upright links (the cup)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.errors import BadValue
from poise.maths.rotations import Array
from poise.methods.balance.momentum import Links


def _vector(name: str, given: Sequence[float]) -> tuple[float, float, float]:
    values = np.asarray(given, float)
    if values.shape != (3,) or not np.all(np.isfinite(values)):
        raise BadValue(f"{name} needs three finite numbers, not {given!r}.")
    return float(values[0]), float(values[1]), float(values[2])


@dataclass(frozen=True)
class Pull:
    """A force that draws the centre of mass of a link to a virtual point: equation (24). It counts as assistance.

    The point stays where it is, or glides from where the link is at `start` to `to` within `over` seconds.

    Departures: the damping term names ω_link and means the linear velocity, as the text says.
    """

    body: str  # role or name
    to: Sequence[float]  # (3,) [m], world; with `relative`, from where the link is at `start`
    stiffness: float = 3000.0  # pks [N/m]
    damping: float = 300.0  # pkd [N s/m]
    start: float = 0.0  # [s]
    end: float = float("inf")  # [s]
    over: float = 0.5  # [s] in which the point glides to its place
    relative: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "to", _vector("The virtual point of a pull", self.to))
        if not (self.stiffness >= 0 and self.damping >= 0 and self.over >= 0 and self.end > self.start >= 0):
            raise BadValue(
                f"A pull needs stiffness, damping and glide of 0 or more, and an end after its start: {self}."
            )


class Puller:
    """A pull under way."""

    def __init__(self, pull: Pull, body: int):
        self.pull, self.body = pull, body
        self._from: Array | None = None

    def added(self, links: Links, time: float, rows: Array) -> Array:
        """Rows (K, 10) of assistance with the force of this pull after them, while it acts."""
        pull = self.pull
        if not pull.start <= time < pull.end:
            return rows
        place = np.array(links.centres[self.body])
        begin = place if self._from is None else self._from
        self._from = begin
        goal = np.asarray(pull.to, float) + (begin if pull.relative else 0.0)
        share = 1.0 if pull.over == 0.0 else min(1.0, (time - pull.start) / pull.over)
        share = share * share * (3.0 - 2.0 * share)
        point = begin + share * (goal - begin)
        x = links.velocity[self.body]
        velocity = x[3:] + np.cross(x[:3], place - links.centre[1])
        force = pull.stiffness * (point - place) - pull.damping * velocity
        return np.vstack([rows, [self.body, *place, *force, 0.0, 0.0, 0.0]])


@dataclass(frozen=True)
class Upright:
    """A link whose axis stays vertical in the world while it may turn about it: a hand that holds a cup.

    An internal servo at the link's own joint, in global coordinates.
    """

    body: str  # role or name
    axis: Sequence[float] = (1.0, 0.0, 0.0)  # (3,) in the link's frame; x of a hand is its thumb's side
    stiffness: float = 400.0  # [N m/rad] for 72 kg
    damping: float = 20.0  # [N m s/rad]

    def __post_init__(self) -> None:
        axis = np.array(_vector("The axis of an upright link", self.axis))
        if not np.linalg.norm(axis) > 1e-6 or not (self.stiffness >= 0 and self.damping >= 0):
            raise BadValue(f"An upright link needs an axis that is not zero and gains of 0 or more: {self}.")
        axis = axis / np.linalg.norm(axis)
        object.__setattr__(self, "axis", (float(axis[0]), float(axis[1]), float(axis[2])))

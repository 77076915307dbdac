"""What an animator asks of single links: external positional controllers (24), and upright links (the cup)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.errors import BadValue
from poise.maths.rotations import Array
from poise.methods.balance.momentum import Links
from poise.settings import ABSENT, check, flag, number, numbers, text


@dataclass(frozen=True)
class Pull:
    """A force that draws the centre of mass of a link to a virtual point: equation (24). It counts as assistance.

    The point stays where it is, or glides from where the link is at `start` to `to` within `over` seconds.

    Corrected against print: the damping term names ω_link and means the linear velocity, as the text says.
    """

    body: str = text(ABSENT, "role or name")
    to: Sequence[float] = numbers(ABSENT, "the virtual point, world axes; with `relative`, from where the link is at "
                                  "`start`", -1e4, 1e4, "m", size=3)  # fmt: skip
    stiffness: float = number(3000.0, "pks", 0, 1e6, "N/m")
    damping: float = number(300.0, "pkd", 0, 1e5, "N s/m")
    start: float = number(0.0, "when it begins", 0, 1e6, "s")
    end: float = number(float("inf"), "when it ends", 0, np.inf, "s", infinite=True)
    over: float = number(0.5, "in which the point glides to its place", 0, 1e3, "s")
    relative: bool = flag(False, "is the point counted from where the link is?")

    def __post_init__(self) -> None:
        check(self, "a pull")
        if not self.end > self.start:
            raise BadValue(f"A pull must end after its start at {self.start:g} s, not at {self.end:g} s.")


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
        place = np.array(links.terms.link_centres[self.body])
        begin = place if self._from is None else self._from
        self._from = begin
        goal = np.asarray(pull.to, float) + (begin if pull.relative else 0.0)
        share = 1.0 if pull.over == 0.0 else min(1.0, (time - pull.start) / pull.over)
        share = share * share * (3.0 - 2.0 * share)
        point = begin + share * (goal - begin)
        force = pull.stiffness * (point - place) - pull.damping * links.velocity_of(self.body)
        return np.vstack([rows, [self.body, *place, *force, 0.0, 0.0, 0.0]])

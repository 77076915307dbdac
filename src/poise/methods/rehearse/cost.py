"""Cost: how far a state at the end of a window is from what the reference wants there.

Every term is a squared error in units of the `Scales`, as in equation (1) of Liu et al. 2010 with a term for the pose,
the root, the ends of the limbs and the balance; here the balance is told by the centre of mass, its velocity, the
angular momentum, and the capture point c + c' √(h/g) against the feet that should stand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.maths.configuration import difference_rows
from poise.maths.rotations import Array
from poise.methods.rehearse.rows import STEP, Rows
from poise.methods.rehearse.servos import Servos
from poise.settings import check, number
from poise.simulate.rollouts import BODY, Ends, Rollouts

WATCHED = ("left_foot", "right_foot", "left_hand", "right_hand", "head")  # feet first; those that a body has
_SHARE = {"left_foot": 1.5, "right_foot": 1.5}  # others count 0.5
HOPELESS = 1e9  # cost of a body that blew up


@dataclass(frozen=True)
class Scales:
    """Errors that cost one each."""

    joint: float = number(0.15, "weighted rms angle of the joints", 1e-3, 10, "rad")
    rate: float = number(2.5, "weighted rms rate of the joints", 1e-3, 100, "rad/s")
    turn: float = number(0.1, "turn of the root", 1e-3, 10, "rad")
    spin: float = number(1.0, "angular velocity of the root", 1e-3, 100, "rad/s")
    place: float = number(0.12, "centre of mass along the ground", 1e-3, 10, "m")
    height: float = number(0.03, "height of the centre of mass", 1e-3, 10, "m")
    speed: float = number(0.25, "velocity of the centre of mass", 1e-3, 100, "m/s")
    momentum: float = number(4.0, "angular momentum", 1e-3, 1e3, "kg m²/s")
    lift: float = number(0.03, "height of a foot, hand or head", 1e-3, 10, "m")
    reach: float = number(0.05, "a foot, hand or head against the centre of mass, along the ground", 1e-3, 10, "m")
    capture: float = number(0.025, "capture point against a foot that stands", 1e-3, 10, "m")
    work: float = number(0.7, "rms torque in shares of the limits", 1e-3, 10)
    touch: float = number(0.2, "share of a window in which a foot or hand does not touch as in the clip", 1e-3, 100)
    slide: float = number(
        0.1, "speed of a standing foot against that of the clip's, along the ground", 1e-3, 100, "m/s"
    )
    over: float = number(0.05, "share by which a torque passes its limit", 1e-3, 10)

    def __post_init__(self) -> None:
        check(self, "the scales of rehearsed")


class Cost:
    """The cost of states of a character against rows of a reference."""

    def __init__(self, scales: Scales, rollouts: Rollouts, servos: Servos, rows: Rows):
        self.scales, self.rollouts, self.servos, self.rows = scales, rollouts, servos, rows
        character = rollouts.character
        roles = watched_roles(character)
        share = np.array([_SHARE.get(r, 0.5) for r in roles])
        self._share = 2.0 * share / max(float(share.sum()), 1e-9)
        self._feet = [k for k, r in enumerate(roles) if r.endswith("foot")]
        points = character.contact_points
        self._soles = [points.of(roles[k].removesuffix("_foot")) for k in self._feet]
        self._wanted: dict[int, tuple[Array, np.ndarray]] = {}

    def wanted(self, step: int) -> tuple[Array, np.ndarray]:
        """Features (F,) of the reference at the end of a step, and which feet stand there."""
        if step not in self._wanted:
            rows = self.rows.upto(step + 1)
            k = step - rows.first
            looks = self.rollouts.look(rows.q[k : k + 1], rows.v[k : k + 1])[0]
            on = self.rows.reference.contacts((step + 1) * STEP)
            self._wanted[step] = looks, np.array([bool(on[s].any()) for s in self._soles], bool)
        return self._wanted[step]

    def of(self, ends: Ends, step: int) -> Array:
        """The costs (N,) of states at the end of a step."""
        s, weight = self.scales, self.servos.weight
        features, standing = self.wanted(step)
        k = step - self.rows.first
        err = np.empty(ends.v.shape)
        target = np.repeat(self.rows.q[k : k + 1], len(err), axis=0)
        difference_rows(self.servos.kind, self.servos.qadr, self.servos.vadr, ends.q, target, err)
        rate, off = ends.v - self.rows.v[k], ends.features - features
        out = (err**2) @ weight / s.joint**2 + (rate**2) @ weight / s.rate**2
        out += _square(err[:, 3:6]) / s.turn**2 + _square(rate[:, 3:6]) / s.spin**2
        out += _square(off[:, :2]) / s.place**2 + off[:, 2] ** 2 / s.height**2
        out += _square(off[:, 3:6]) / s.speed**2 + _square(off[:, 6:9]) / s.momentum**2
        limb = off[:, BODY:].reshape(len(off), -1, 3)
        if limb.shape[1]:
            reach = limb[:, :, :2] - off[:, None, :2]
            out += _square(reach) @ self._share / s.reach**2 + limb[:, :, 2] ** 2 @ self._share / s.lift**2
        if standing.any():
            fall = np.sqrt(max(float(features[2]), 0.05) / 9.81)
            ahead = (off[:, :2] + fall * off[:, 3:5])[:, None] - limb[:, self._feet, :2]
            out += _square(ahead[:, standing]).mean(axis=1) / s.capture**2
        out += (
            ends.work / s.work**2
            + (np.maximum(ends.over, 0.0) / s.over) ** 2
            + ends.wrong[:, 0] / s.touch
            + (ends.wrong[:, 1] / s.slide) ** 2
        )
        return np.where(np.isfinite(out), out, HOPELESS)


def watched_roles(character) -> list[str]:
    """The feet, hands and head that a character has."""
    return [r for r in WATCHED if character.has(r)]


def _square(a: Array) -> Array:
    return (a**2).sum(axis=-1)

"""Measures of a take: tracking error, skating, penetration, effort."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from poise.character import Character
from poise.character.skin import skin
from poise.errors import UnknownName
from poise.ground.ground import moves
from poise.judge.fall import feet_of
from poise.judge.report import weight_of
from poise.judge.surface import clearance
from poise.judge.touches import sliding
from poise.maths import rotations as rot
from poise.maths.configuration import BALL, HINGE
from poise.maths.rotations import Array
from poise.take import Take
from poise.take.own import own_of

CLOCKS = ("reference", "own")


@dataclass(frozen=True, eq=False)
class TrackingError:
    """Root mean squares over all frames, and the series they are made of."""

    joints: float  # [rad] geodesic angle over all joints but the root, equally weighted
    root_position: float  # [m]
    root_orientation: float  # [rad]
    points: float  # [m] distance of the bodies' origins from their places in the reference
    series: dict[str, Array]  # the same by frame (F,), and "root_tilt" [rad], "root_height" [m]

    def __float__(self) -> float:
        return self.joints

    def to_dict(self) -> dict[str, float]:
        """The four numbers by name."""
        return {n: getattr(self, n) for n in ("joints", "root_position", "root_orientation", "points")}

    def text(self) -> str:
        """One line for a terminal."""
        return (f"joints {np.degrees(self.joints):.1f} degrees, root {100 * self.root_position:.1f} cm and "
                f"{np.degrees(self.root_orientation):.1f} degrees, points {100 * self.points:.1f} cm")  # fmt: skip


@dataclass(frozen=True)
class Effort:
    """What the joints did."""

    work: float  # [J] integral of |torque · joint velocity|
    mean_square_torque: float  # [(N m)²] mean over time of the sum over joints
    mean_power: float  # [W]
    cost_of_transport: float  # work / (weight · distance); NaN where it went less than 10 cm

    def to_dict(self) -> dict[str, float | None]:
        """The numbers by name; None for what cannot be said."""
        return {n: None if np.isnan(x) else x for n, x in self.__dict__.items()}


def tracking_error(take: Take, clock: str = "reference", until: float | None = None) -> TrackingError:
    """How far the performance was from what was followed; with clock="own" from the user's own clip, at its time.

    `until` [s]: later frames do not count; the first always does.
    """
    if clock not in CLOCKS:
        raise UnknownName("clock", clock, CLOCKS)
    rows = len(take) if until is None else max(1, int(np.searchsorted(take.time, until + 1e-9, side="right")))
    wanted = take.q_ref if clock == "reference" else own_of(take).q
    series = deviations(take.character, take.q[:rows], wanted[:rows])
    rms = {
        n: float(np.sqrt(np.mean(series[n] ** 2))) for n in ("joints", "root_position", "root_orientation", "points")
    }
    return TrackingError(**rms, series=series)


def deviations(character: Character, q: Array, q_ref: Array) -> dict[str, Array]:
    """By frame (F,): rms joint angle, distance, angle, tilt and height of the root, rms distance of the bodies."""
    pos, quat = character.forward(q)
    pos_ref, quat_ref = character.forward(q_ref)
    tree, root = character.tree, int(character.model.jnt_bodyid[0])
    turning = [b for b in range(1, len(tree.parent)) if b != root and _turns(character, b)]
    parents = tree.parent[turning]
    joint = rot.angle_between(
        rot.multiply(rot.conjugate(quat[:, parents]), quat[:, turning]),
        rot.multiply(rot.conjugate(quat_ref[:, parents]), quat_ref[:, turning]),
    )
    up = np.array([0.0, 0.0, 1.0])
    axes, axes_ref = (rot.rotate(rot.conjugate(o[:, root]), up) for o in (quat, quat_ref))
    away = np.linalg.norm(pos - pos_ref, axis=-1)
    return {
        "joints": np.sqrt(np.mean(joint**2, axis=1)) if turning else np.zeros(len(q)),
        "root_position": away[:, root],
        "root_orientation": rot.angle_between(quat[:, root], quat_ref[:, root]),
        "points": np.sqrt(np.mean(away[:, 1:] ** 2, axis=1)),
        "root_tilt": np.arccos(np.clip(np.einsum("ni,ni->n", axes, axes_ref), -1.0, 1.0)),
        "root_height": pos[:, root, 2] - pos_ref[:, root, 2],
    }


def _turns(character: Character, body: int) -> bool:
    tree = character.tree
    first = tree.jntadr[body]
    return first >= 0 and any(tree.kind[j] in (BALL, HINGE) for j in range(first, first + tree.jntnum[body]))


def skating(take: Take) -> float:
    """Mean speed [m/s] at which contact points of the feet slide over what they stand on, while they keep touching."""
    velocity, lasting = sliding(take)
    feet = lasting & np.isin(take.contacts.body, feet_of(take.character))
    return float(np.linalg.norm(velocity[feet], axis=1).mean()) if feet.any() else 0.0


def penetration(take: Take) -> float:
    """Greatest depth [m]: as recorded, and of contact points and shapes in a ground that does not move."""
    rows = take.contacts
    recorded = float(rows.depth[~rows.bilateral].max(initial=0.0))
    return max(0.0, recorded, float(np.max(-lowest(take), initial=0.0)))


def lowest(take: Take) -> Array:
    """Height (F,) of the lowest shape above the ground at rest [m]; 0 where the ground can move."""
    if moves(take.ground):
        return np.zeros(len(take))
    balls = skin(take.character)
    return clearance(balls.centres(take.character, take.q), take.ground, balls.radius).min(axis=1, initial=np.inf)


def effort(take: Take) -> Effort:
    """Work and torque of all joints but the root."""
    if len(take) < 2:
        return Effort(0.0, 0.0, 0.0, float("nan"))
    spans = np.diff(take.time)
    torque, speed = take.torque[:-1, 6:], 0.5 * (take.v[1:, 6:] + take.v[:-1, 6:])
    work = float(spans @ np.abs(torque * speed).sum(axis=1))
    way = float(np.linalg.norm(take.q[-1, :2] - take.q[0, :2]))
    weight = weight_of(take.character)
    cost = work / (weight * way) if way > 0.1 else float("nan")
    square = float(spans @ (torque**2).sum(axis=1)) / take.duration
    return Effort(work, square, work / take.duration, cost)


def summary(take: Take) -> dict[str, Any]:
    """All measures by name, as plain numbers."""
    factor = take.realtime_factor
    return {
        "ended": take.ended.to_dict(), "fell": take.fell, "tracking_error": tracking_error(take).to_dict(),
        "skating": skating(take),
        "penetration": penetration(take), "effort": effort(take).to_dict(),
        "realtime_factor": None if np.isnan(factor) else factor,
    }  # fmt: skip

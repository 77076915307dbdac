"""Mass, centre and inertia of the segments of a human body.

The table is table 4 of P. de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters", Journal of
Biomechanics 29(9), 1223-1230, 1996: for 100 men (mean 73.0 kg, 1.741 m) and 15 women (61.9 kg, 1.735 m), the mass of
a segment as a share of body mass, its centre as a share of the segment's length from its first end, and its radii of
gyration about the centre as shares of that length, about the sagittal (front to back), transverse (left to right) and
longitudinal axis of the segment.

Departures: toes, clavicles and neck are no segments of the table; `TOES_SHARE`, `CLAVICLE_SHARE` and `NECK_SHARE`
split them off. The lower leg ends at the ankle joint centre and the head at the 7th cervical vertebra, which are
alternative ends of the same table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poise.errors import UnknownName
from poise.maths.rotations import Array


class Row(NamedTuple):
    """One segment of the table; all but the length are percent."""

    length: float  # [mm] of the mean subject
    mass: float
    centre: float
    sagittal: float
    transverse: float
    longitudinal: float


# fmt: off
TABLE: dict[str, dict[str, Row]] = {  # ends of each segment: first -> second
    "female": {
        "head": Row(243.7, 6.68, 48.41, 27.1, 29.5, 26.1),         # vertex -> cervicale (C7); with the neck
        "upper_trunk": Row(142.5, 15.45, 20.77, 74.6, 50.2, 71.8),  # suprasternale -> xiphion
        "middle_trunk": Row(205.3, 14.65, 45.12, 43.3, 35.4, 41.5),  # xiphion -> omphalion
        "lower_trunk": Row(181.5, 12.47, 49.20, 43.3, 40.2, 44.4),  # omphalion -> middle of the hip joints
        "upper_arm": Row(275.1, 2.55, 57.54, 27.8, 26.0, 14.8),    # shoulder -> elbow joint centre
        "forearm": Row(264.3, 1.38, 45.59, 26.1, 25.7, 9.4),       # elbow -> wrist joint centre
        "hand": Row(170.1, 0.56, 34.27, 24.4, 20.8, 15.4),         # wrist -> tip of the third finger
        "thigh": Row(368.5, 14.78, 36.12, 36.9, 36.4, 16.2),       # hip -> knee joint centre
        "shin": Row(438.6, 4.81, 43.52, 26.7, 26.3, 9.2),          # knee -> ankle joint centre
        "foot": Row(228.3, 1.29, 40.14, 29.9, 27.9, 13.9),         # heel -> tip of the longest toe
    },
    "male": {
        "head": Row(242.9, 6.94, 50.02, 30.3, 31.5, 26.1),
        "upper_trunk": Row(170.7, 15.96, 29.99, 71.6, 45.4, 65.9),
        "middle_trunk": Row(215.5, 16.33, 45.02, 48.2, 38.3, 46.8),
        "lower_trunk": Row(145.7, 11.17, 61.15, 61.5, 55.1, 58.7),
        "upper_arm": Row(281.7, 2.71, 57.72, 28.5, 26.9, 15.8),
        "forearm": Row(268.9, 1.62, 45.74, 27.6, 26.5, 12.1),
        "hand": Row(189.9, 0.61, 36.24, 28.8, 23.5, 18.4),
        "thigh": Row(422.2, 14.16, 40.95, 32.9, 32.9, 14.9),
        "shin": Row(440.3, 4.33, 43.95, 25.1, 24.6, 10.2),
        "foot": Row(258.1, 1.37, 44.15, 25.7, 24.5, 12.4),
    },
}
# fmt: on
TABLE["mean"] = {
    name: Row(*(0.5 * (a + b) for a, b in zip(row, TABLE["male"][name], strict=True)))
    for name, row in TABLE["female"].items()
}

HEIGHT = {"female": 1.735, "male": 1.741, "mean": 1.738}  # [m] of the mean subject
SHOULDERS_TO_HIPS = {"female": 497.9, "male": 515.5, "mean": 506.7}  # [mm] between the middles of the joint centres

TOES_SHARE = 0.18  # of the foot's mass: our choice, about the volume of the wedge in front of the ball
CLAVICLE_SHARE = 0.114  # of the upper trunk's mass, each: 2.535 of 22.225 kg in table 3 of da Silva et al. 2008
NECK_SHARE = 0.20  # of the mass of head and neck: our choice, a cylinder of 11 cm diameter and 10 cm length

_PAIRED = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot")


def table(sex: str = "mean") -> dict[str, Row]:
    """The rows for "female", "male" or the "mean" of both."""
    if sex not in TABLE:
        raise UnknownName("table of body segments", sex, TABLE)
    return TABLE[sex]


def mass_share(name: str, sex: str = "mean") -> float:
    """Share of body mass of a segment; the shares of a whole body, limbs counted twice, sum to exactly one."""
    rows = table(sex)
    total = sum(row.mass * (2 if key in _PAIRED else 1) for key, row in rows.items())
    return rows[name].mass / total


@dataclass(frozen=True, eq=False)
class Inertial:
    """A rigid mass: kilograms, centre [m] in the world, inertia [kg m²] about the centre along the world's axes."""

    mass: float
    centre: Array  # (3,)
    inertia: Array  # (3, 3)

    def scaled(self, mass: float) -> Inertial:
        """The same shape with another mass [kg]."""
        return Inertial(mass, self.centre, self.inertia * (mass / self.mass))

    def about(self, point: Array) -> Array:
        """Inertia (3, 3) about another point [m] (parallel axes)."""
        d = np.asarray(point, float) - self.centre
        return self.inertia + self.mass * (d @ d * np.eye(3) - np.outer(d, d))


def combine(parts: Iterable[Inertial]) -> Inertial:
    """Several masses welded into one."""
    parts = list(parts)
    mass = sum(p.mass for p in parts)
    centre = sum((p.mass * p.centre for p in parts), np.zeros(3)) / mass
    return Inertial(mass, centre, sum((p.about(centre) for p in parts), np.zeros((3, 3))))


def box(mass: float, centre: Array, half: Array) -> Inertial:
    """A solid box with half sizes [m] along the world's axes."""
    x, y, z = np.asarray(half, float) ** 2
    return Inertial(mass, np.asarray(centre, float), mass / 3.0 * np.diag([y + z, x + z, x + y]))


def ellipsoid(mass: float, centre: Array, half: Array) -> Inertial:
    """A solid ellipsoid with half axes [m] along the world's axes."""
    x, y, z = np.asarray(half, float) ** 2
    return Inertial(mass, np.asarray(centre, float), mass / 5.0 * np.diag([y + z, x + z, x + y]))


def along(mass: float, first: Array, second: Array, radius: float) -> Inertial:
    """A solid cylinder of a mass [kg] and a radius [m] between two points [m]."""
    first, second = np.asarray(first, float), np.asarray(second, float)
    length = float(np.linalg.norm(second - first))
    u = (second - first) / length
    across, about = mass * (radius**2 / 4 + length**2 / 12), mass * radius**2 / 2
    return Inertial(mass, 0.5 * (first + second), across * np.eye(3) + (about - across) * np.outer(u, u))


def segment(
    name: str, first: Array, second: Array, weight: float, sex: str = "mean", lateral: Array | None = None
) -> Inertial:
    """A segment of the table between its two ends [m] in the world, for a body of the given weight [kg].

    `lateral` is the direction of the segment's transverse axis, the world's Y unless given. A hand and a forearm
    whose palm faces the thigh have theirs along X.
    """
    row = table(sex)[name]
    first, second = np.asarray(first, float), np.asarray(second, float)
    length = float(np.linalg.norm(second - first))
    along = (second - first) / length
    side = np.array([0.0, 1.0, 0.0]) if lateral is None else np.asarray(lateral, float)
    side = side - (side @ along) * along
    if np.linalg.norm(side) < 1e-6:  # a bone across the body: any direction across the bone will do
        side = np.array([0.0, 0.0, 1.0]) - along[2] * along
    side /= np.linalg.norm(side)
    axes = np.column_stack([np.cross(along, side), side, along])
    radii = np.array([row.sagittal, row.transverse, row.longitudinal]) * 0.01 * length
    mass = weight * mass_share(name, sex)
    inertia = mass * axes @ np.diag(radii**2) @ axes.T
    return Inertial(mass, first + 0.01 * row.centre * (second - first), 0.5 * (inertia + inertia.T))

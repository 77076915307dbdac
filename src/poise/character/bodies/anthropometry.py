"""Human bodies in numbers: mass, centre and inertia of segments, ranges and strengths of joints.

Segments: table 4 of P. de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters", Journal of
Biomechanics 29(9), 1223-1230, 1996: for 100 men (mean 73.0 kg, 1.741 m) and 15 women (61.9 kg, 1.735 m), the mass of
a segment as a share of body mass, its centre as a share of the segment's length from its first end, and its radii of
gyration about the centre as shares of that length, about the sagittal (front to back), transverse (left to right) and
longitudinal axis of the segment.

Departures: toes, clavicles and neck are no segments of the table; `TOES_SHARE`, `CLAVICLE_SHARE` and `NECK_SHARE`
split them off. The lower leg ends at the ankle joint centre and the head at the 7th cervical vertebra, which are
alternative ends of the same table.

Ranges: American Academy of Orthopaedic Surgeons, Joint Motion, 1965, and C. Norkin & D. White, Measurement of Joint
Motion; the thoracolumbar range is shared between abdomen and chest, the cervical one between neck and head where both
exist. Strengths: the peak isometric torques of hip, knee and ankle of D. Anderson, M. Madigan & M. Nussbaum, Journal
of Biomechanics 40, 3105-3113, 2007 (hip 0.161, knee 0.163 of weight times height), times 1.5 for lengthening muscle;
the ankle as much as running needs (T. Novacheck, Gait and Posture 7, 77-95, 1998: about 3 N m per kg); arms rounded
from K. Holzbaur et al., Journal of Biomechanics 40, 742-749, 2007; neck from A. Vasavada et al., Spine 26, 1904-1909,
2001; trunk from T. McNeill et al., Spine 5, 529-538, 1980. Axes without a published figure are ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poise.errors import UnknownName
from poise.maths import GRAVITY
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


# Degrees about X, Y, Z in the zero pose, for the left side; the right side mirrors X and Z. A leg that swings
# forward, an elbow that bends and toes that lift turn about -Y; knees and a forward bow turn about +Y.
# fmt: off
RANGES: dict[str, dict[str, tuple[float, float]]] = {
    "abdomen": {"x": (-20, 20), "y": (-15, 50), "z": (-15, 15)},
    "chest": {"x": (-20, 20), "y": (-15, 40), "z": (-35, 35)},
    "neck": {"x": (-25, 25), "y": (-30, 25), "z": (-35, 35)},
    "head": {"x": (-45, 45), "y": (-55, 50), "z": (-75, 75)},
    "clavicle": {"x": (-10, 40), "y": (-30, 30), "z": (-30, 25)},
    "upper_arm": {"x": (-40, 180), "y": (-180, 60), "z": (-70, 90)},
    "forearm": {"x": (-10, 10), "y": (-150, 0), "z": (-80, 80)},
    "hand": {"x": (-80, 70), "y": (-20, 30), "z": (-10, 10)},
    "thigh": {"x": (-30, 45), "y": (-125, 30), "z": (-45, 45)},
    "shin": {"x": (-10, 10), "y": (0, 150), "z": (-30, 30)},
    "foot": {"x": (-35, 20), "y": (-25, 50), "z": (-20, 20)},
    "toes": {"x": (-10, 10), "y": (-70, 45), "z": (-10, 10)},
}

# Torque about X, Y, Z as a share of weight [N] times height [m].
STRENGTH: dict[str, dict[str, float]] = {
    "abdomen": {"x": 0.150, "y": 0.200, "z": 0.080},
    "chest": {"x": 0.150, "y": 0.200, "z": 0.080},
    "neck": {"x": 0.030, "y": 0.045, "z": 0.015},
    "head": {"x": 0.030, "y": 0.045, "z": 0.015},
    "clavicle": {"x": 0.080, "y": 0.050, "z": 0.080},
    "upper_arm": {"x": 0.070, "y": 0.080, "z": 0.050},
    "forearm": {"x": 0.030, "y": 0.070, "z": 0.015},
    "hand": {"x": 0.015, "y": 0.015, "z": 0.010},
    "thigh": {"x": 0.150, "y": 0.240, "z": 0.075},
    "shin": {"x": 0.100, "y": 0.245, "z": 0.050},
    "foot": {"x": 0.045, "y": 0.175, "z": 0.045},
    "toes": {"x": 0.020, "y": 0.040, "z": 0.020},
}
# fmt: on

_FULL_TURN = 175.0  # a joint that goes this far [degrees] about one axis has no limit as a ball
_MOST = 170.0


def part(role: str) -> str:
    """A role without its side."""
    return role.removeprefix("left_").removeprefix("right_")


def hinge_range(role: str, axis: str) -> tuple[float, float]:
    """Least and greatest angle [rad] of a hinge about an axis of the world."""
    low, high = RANGES[part(role)][axis]
    if role.startswith("right_") and axis != "y":
        low, high = -high, -low
    return float(np.radians(low)), float(np.radians(high))


def ball_range(role: str) -> float | None:
    """Greatest total angle [rad] of a ball joint, None where it is free: the corner of the ranges of its axes."""
    most = [max(abs(low), abs(high)) for low, high in RANGES[part(role)].values()]
    if max(most) >= _FULL_TURN:
        return None
    return float(np.radians(min(np.linalg.norm(most), _MOST)))


def torque(role: str, axis: str, mass: float, height: float) -> float:
    """Greatest torque [N m] about an axis for a body of this mass [kg] and height [m]."""
    return STRENGTH[part(role)][axis] * mass * GRAVITY * height

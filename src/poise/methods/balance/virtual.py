"""The virtual force and torque at the centre of mass: sections 5.2 and 5.3, equations (11)-(19); each term by itself.

Corrected against print: equation (16) subtracts quaternions; here the rotation vector of q_d q_a⁻¹ in world axes
stands for the difference, as in equation (1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.errors import UnknownName
from poise.kernels import njit
from poise.maths.rotations import Array
from poise.methods.balance.sensor import towards_other_foot

TERMS = ("control_force", "gravity", "linear_momentum", "control_torque", "angular_momentum")
"""The five terms by name, in the order of equations (11), (13), (14), (16), (17)."""


class Gains(NamedTuple):
    """Gains of the five terms, for the mass of the character."""

    kfs: float  # [N/m] control force, position of the centre of mass (11)
    kfd: float  # [N s/m] its velocity
    kP: float  # [1/s] linear momentum (14)
    kts: float  # [N m/rad] control torque, orientation of the link (16)
    ktd: float  # [N m s/rad] its angular velocity
    kL: float  # [1/s] angular momentum (17)


class Acting(NamedTuple):
    """Which of the five terms act; the fields are `TERMS`."""

    control_force: bool
    gravity: bool
    linear_momentum: bool
    control_torque: bool
    angular_momentum: bool


class Compared(NamedTuple):
    """The body and what is wanted of it, as the five terms compare them."""

    mass: float  # [kg]
    weight: float  # [N]
    momentum: Array  # (6,) angular [kg m²/s], then linear [kg m/s], about the centre of mass
    momentum_wanted: Array  # (6,)
    place: Array  # (2,) [m] of the centre of mass against the support point, on the ground plane
    place_wanted: Array  # (2,)
    turn: Array  # (3,) [rad] by which the controlled link is short of its orientation, world axes
    spin: Array  # (3,) [rad/s] by which it is short of its angular velocity
    airborne: bool  # a foot is in the air that should support: the control force is changed by equation (23)
    stance: Array  # (2,) [m] the foot that supports, on the ground plane
    other: Array  # (2,) [m] the other one


def acting(terms: str | tuple[str, ...]) -> Acting:
    """Which terms act; names in a tuple, or in one string with commas."""
    named = tuple(t.strip() for t in terms.split(",") if t.strip()) if isinstance(terms, str) else tuple(terms)
    for name in named:
        if name not in TERMS:
            raise UnknownName("term of the virtual force and torque", name, TERMS)
    return Acting(**{t: t in named for t in TERMS})


@njit(cache=True)
def control_force(gains, wanted, place, speed_wanted, speed, out):
    """out (2,) [N]: equation (11) or (12), horizontal; places [m] and speeds [m/s] (2,) of the centre of mass.

    F = k_fs (c_d - c) + k_fd (ċ_d - ċ). Places are relative to the support points of the recording and of the
    simulation.
    """
    for i in range(2):
        out[i] = gains.kfs * (wanted[i] - place[i]) + gains.kfd * (speed_wanted[i] - speed[i])


@njit(cache=True)
def world_turn(a, b, out):
    """out (3,) = rotation vector in world axes that takes the orientation a (4,) to b."""
    w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    x = a[0] * b[1] - b[0] * a[1] - b[2] * a[3] + b[3] * a[2]
    y = a[0] * b[2] - b[0] * a[2] - b[3] * a[1] + b[1] * a[3]
    z = a[0] * b[3] - b[0] * a[3] - b[1] * a[2] + b[2] * a[1]
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    s = np.sqrt(x * x + y * y + z * z)
    k = 2.0 * np.arctan2(s, w) / s if s > 1e-8 else 2.0
    out[0], out[1], out[2] = k * x, k * y, k * z


@njit(cache=True)
def wrench(gains, acting, x):
    """Virtual wrench (6,) at the centre of mass, torque [N m] then force [N]: equations (15) and (19).

    F = F_control (11) + m g (13) + k_P (P_d - P) (14)
    T = k_ts log(q_d q⁻¹) + k_td (ω_d - ω) (16) + k_L (L_d - L) (17)

    `gains`, `acting` and `x` are `Gains`, `Acting` and `Compared`.
    """
    out = np.zeros(6)
    if acting.control_force:
        pull = np.empty(2)
        control_force(gains, x.place_wanted, x.place, x.momentum_wanted[3:5] / x.mass, x.momentum[3:5] / x.mass, pull)
        if x.airborne:
            towards_other_foot(pull, x.stance, x.other)
        out[3], out[4] = pull[0], pull[1]
    if acting.gravity:
        out[5] += x.weight
    for i in range(3):
        if acting.linear_momentum:
            out[3 + i] += gains.kP * (x.momentum_wanted[3 + i] - x.momentum[3 + i])
        if acting.control_torque:
            out[i] += gains.kts * x.turn[i] + gains.ktd * x.spin[i]
        if acting.angular_momentum:
            out[i] += gains.kL * (x.momentum_wanted[i] - x.momentum[i])
    return out

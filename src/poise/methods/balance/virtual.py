"""The virtual force and torque at the centre of mass: sections 5.2 and 5.3, equations (11)-(19); each term by itself.

Corrected against print: equation (16) subtracts quaternions; here the rotation vector of q_d q_a⁻¹ in world axes
stands for the difference, as in equation (1).
"""

from __future__ import annotations

import numpy as np

from poise.errors import UnknownName
from poise.kernels import njit
from poise.methods.balance.sensor import towards_other_foot

TERMS = ("control_force", "gravity", "linear_momentum", "control_torque", "angular_momentum")
"""The five terms by name, in the order of equations (11), (13), (14), (16), (17)."""

FORCE, GRAVITY, LINEAR, TORQUE, ANGULAR = range(5)
KFS, KFD, KP, KTS, KTD, KL = range(6)


def switches(terms: str | tuple[str, ...]) -> np.ndarray:
    """Boolean (5,): which terms act; names in a tuple, or in one string with commas."""
    named = tuple(t.strip() for t in terms.split(",") if t.strip()) if isinstance(terms, str) else tuple(terms)
    for name in named:
        if name not in TERMS:
            raise UnknownName("term of the virtual force and torque", name, TERMS)
    return np.array([t in named for t in TERMS])


@njit(cache=True)
def control_force(gains, wanted, place, speed_wanted, speed, out):
    """out (2,): equation (11) or (12), horizontal; places and speeds (2,) of the centre of mass.

    Places are relative to the support points of the recording and of the simulation.
    """
    for i in range(2):
        out[i] = gains[KFS] * (wanted[i] - place[i]) + gains[KFD] * (speed_wanted[i] - speed[i])


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
def wrench(
    gains, on, mass, weight, momentum, momentum_wanted, place, place_wanted, turn, spin, airborne, stance, other
):
    """Virtual wrench (6,), torque then force: equations (15) and (19).

    `momentum` (6,) angular then linear; `place` (2,) of the centre of mass against the support point; `turn` and `spin`
    (3,) by which orientation and angular velocity of the controlled link are short of their wishes; with `airborne` the
    control force is changed by equation (23) for the feet `stance` and `other` (2,).
    """
    out = np.zeros(6)
    if on[FORCE]:
        pull = np.empty(2)
        control_force(gains, place_wanted, place, momentum_wanted[3:5] / mass, momentum[3:5] / mass, pull)
        if airborne:
            towards_other_foot(pull, stance, other)
        out[3], out[4] = pull[0], pull[1]
    if on[GRAVITY]:
        out[5] += weight
    for i in range(3):
        if on[LINEAR]:
            out[3 + i] += gains[KP] * (momentum_wanted[3 + i] - momentum[3 + i])
        if on[TORQUE]:
            out[i] += gains[KTS] * turn[i] + gains[KTD] * spin[i]
        if on[ANGULAR]:
            out[i] += gains[KL] * (momentum_wanted[i] - momentum[i])
    return out

"""Contact sensors: which feet are the root of the hierarchy. Section 6.1 (in Portuguese), equation (23).

Without a recording: a foot that presses on the ground supports if the centre of mass, projected on the ground, lies in
the foot's zone of influence (a circle round its middle), or in the zone of neither foot. With a recording: a foot
supports if the recording says so and the ground presses on it; one that should be in the air has no friction.
"""

from __future__ import annotations

import numpy as np

from poise.kernels import njit
from poise.take.record import BODY, FORCE, OTHER, POINT

PRESSING = 1e-6  # [N] from which the ground presses on a foot


@njit(cache=True)
def pressing(table, ground, foot_of):
    """Ground force [N] on each foot (2, 3), world axes, from the touches (K, 18).

    Their columns are those of `poise.take.CONTACT_COLUMNS`; `ground` tells of each thing that may be touched whether it
    is ground, `foot_of` (bodies,) whose foot a body is of, -1 for nobody's.
    """
    out = np.zeros((2, 3))
    for k in range(table.shape[0]):
        side = foot_of[int(table[k, BODY])]
        if side >= 0 and ground[int(table[k, OTHER])]:
            for i in range(3):
                out[side, i] += table[k, FORCE + i]
    return out


@njit(cache=True)
def patches(table, ground, foot_of, feet, places, keep, out):
    """out (2, 3): the middle of the points of each foot that touch the ground, from its ankle [m], world axes.

    `places` (bodies, 3) of the links' origins; what was there before counts with the share `keep`. A foot in the air
    keeps its last one.
    """
    for s in range(2):
        least, most = np.full(3, np.inf), np.full(3, -np.inf)
        for k in range(table.shape[0]):
            if foot_of[int(table[k, BODY])] == s and ground[int(table[k, OTHER])]:
                for i in range(3):
                    least[i], most[i] = min(least[i], table[k, POINT + i]), max(most[i], table[k, POINT + i])
        if least[0] <= most[0]:
            for i in range(3):
                out[s, i] = keep * out[s, i] + (1.0 - keep) * (0.5 * (least[i] + most[i]) - places[feet[s], i])


@njit(cache=True)
def linger(force, since, period, patience):
    """Let a foot that was just unloaded count as pressing for a while: `since` (2,) [s] is how long it has been.

    Departures (`linger`): the paper has no such patience; without it a foot that is light for a few milliseconds,
    as in every sideways push, turns the hierarchy over and back.
    """
    for i in range(2):
        since[i] = 0.0 if force[i] > PRESSING else since[i] + period
        if force[i] <= PRESSING and since[i] < patience:
            force[i] = 2.0 * PRESSING


@njit(cache=True)
def by_zones(force, centre, feet, zone):
    """Boolean (2,): the feet that support, by ground force (2,), centre of mass (3,), feet (2, 3), radius [m]."""
    near = np.empty(2, np.bool_)
    for i in range(2):
        near[i] = (feet[i, 0] - centre[0]) ** 2 + (feet[i, 1] - centre[1]) ** 2 <= zone * zone
    neither = not (near[0] or near[1])
    out = np.empty(2, np.bool_)
    for i in range(2):
        out[i] = force[i] > PRESSING and (near[i] or neither)
    if not (out[0] or out[1]):  # in the zone of a foot that is in the air: the other one is all there is
        for i in range(2):
            out[i] = force[i] > PRESSING
    return out


@njit(cache=True)
def by_reference(force, scheduled):
    """Boolean (2,): the feet that support, by ground force (2,) and by what the recording says (2,)."""
    out = np.empty(2, np.bool_)
    for i in range(2):
        out[i] = force[i] > PRESSING and scheduled[i]
    return out


@njit(cache=True)
def towards_other_foot(force, stance, other):
    """Equation (23): a control force (2,) that pulls away from the foot that does not support loses that part.

    `stance` and `other` (2,) are the feet on the ground plane. Figure 5's caption says that the part along d is kept;
    the equation removes it, and the stated aim, the centre of mass towards the foot in the air, agrees with the latter.
    """
    dx, dy = other[0] - stance[0], other[1] - stance[1]
    size = np.sqrt(dx * dx + dy * dy)
    if size > 1e-9:
        along = (force[0] * dx + force[1] * dy) / size
        if along < 0.0:
            force[0] -= along * dx / size
            force[1] -= along * dy / size

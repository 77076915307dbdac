"""What acted on a character between the frames of a take: gravity, contacts and declared events; never assistance."""

from __future__ import annotations

import numpy as np

from poise.judge import touches
from poise.judge.tolerances import DEFAULT, Tolerances
from poise.maths.rotations import Array
from poise.take import Take


def acting(take: Take, centre: Array, limits: Tolerances = DEFAULT) -> Array:
    """Mean wrench of each interval (F - 1, 6): force [N], and moment about the world's origin [N m].

    Gravity acts at `centre` (F - 1, 3) [m], the centre of mass in the interval. Moments that a contact of its force and
    size cannot make are left out.
    """
    gravity = take.character.mass * take.character.model.opt.gravity
    wrench = np.zeros((len(take) - 1, 6))
    wrench[:, :3], wrench[:, 3:] = gravity, np.cross(centre, gravity)
    for record in (take.contacts, take.external):
        force, moment = record.total(len(take))
        wrench += np.concatenate([force, moment], axis=1)[:-1]
    excess = np.zeros((len(take), 3))
    np.add.at(excess, take.contacts.frame, touches.excess_moment(take, limits))
    wrench[:, 3:] -= excess[:-1]
    return wrench

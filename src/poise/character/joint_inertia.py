"""A character with more inertia on its joints, such as geared motors have."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np

from poise.character.character import Character
from poise.errors import BadValue
from poise.maths.configuration import BALL, FREE
from poise.maths.rotations import Array


def with_joint_inertia(character: Character, inertia: Array) -> Character:
    """The character with inertia (nv,) [kg m²] added to its joints' own; a ball joint takes the mean of its three.

    It acts on its joint alone: the momentum of the body stays what it is.
    """
    model = character.model
    extra = np.asarray(inertia, float)
    if extra.shape != (model.nv,) or not np.all(np.isfinite(extra)) or np.any(extra < 0.0):
        raise BadValue(f"{character.name} needs an inertia of 0 or more for each of {model.nv} degrees of freedom.")
    spec = mujoco.MjSpec.from_string(character.xml)
    for j in range(model.njnt):
        kind, first = int(model.jnt_type[j]), int(model.jnt_dofadr[j])
        if kind != FREE:
            more = float(extra[first : first + (3 if kind == BALL else 1)].mean())
            spec.joint(model.joint(j).name).armature = round(float(model.dof_armature[first]) + more, 9)
    spec.compile()
    return replace(character, xml=spec.to_xml())

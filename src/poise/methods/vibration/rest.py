"""The rest pose: how a body hangs on its springs when nothing pulls at it (sections 4.3 and 8.2 of Nunes et al. 2012).

Angles are told by role: `shin = 37` bends both knees by 37 degrees about the sideways axis; three numbers are a
rotation vector (forward, left, up) of the left one, mirrored on the right. A role with its side, or a body's own
name, turns that one alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from poise.character import Character
from poise.character.joint_inertia import with_joint_inertia
from poise.character.leg_length import leg_length
from poise.character.posing import turn_joints
from poise.character.roles import LIMBS
from poise.errors import BadValue, UnknownBody
from poise.maths import rotations as rot
from poise.maths.rotations import Array

Angles = Mapping[str, float | Sequence[float]]

UPRIGHT: Angles = {"thigh": -20.0, "shin": 37.0, "foot": -17.0, "upper_arm": (6.0, 10.0, 0.0), "forearm": -70.0}
"""Rest of a body whose zero pose has straight legs [degrees]: knees and elbows bent, as a runner holds them."""

_STRAIGHT = 0.97  # of the leg's length between hip and ankle, from which a leg counts as straight
_MIRRORED = np.array([-1.0, 1.0, -1.0])  # of a rotation vector


def rest_pose(character: Character, angles: Angles | None = None) -> Array:
    """The configuration (nq,) with its lowest contact point on the ground; `angles` [degrees], or those that suit."""
    given = _usual(character) if angles is None else angles
    q = character.zero_pose()[None].copy()
    for name, value in given.items():
        for body, turn in _turns(character, name, value):
            turn_joints(character, q, body, rot.exp(np.radians(turn))[None], limited=True)
    q[0, 2] -= float(character.points(q)[0, :, 2].min()) if len(character.contact_points) else 0.0
    return q[0]


def _usual(character: Character) -> Angles:
    """`UPRIGHT`, as far as the body has these parts, where its legs are straight; nothing where they are bent."""
    pos, _ = character.forward(character.zero_pose())
    hip, ankle = (pos[0, character.body(f"left_{part}")] for part in ("thigh", "foot"))
    if np.linalg.norm(ankle - hip) < _STRAIGHT * leg_length(character, "left"):
        return {}
    return {part: value for part, value in UPRIGHT.items() if character.has(f"left_{part}")}


def _turns(character: Character, name: str, value: float | Sequence[float]) -> list[tuple[int, Array]]:
    """Bodies and the rotation vectors (3,) [degrees] that a line of the rest pose asks for."""
    try:
        turn = np.array([0.0, value, 0.0] if np.ndim(value) == 0 else value, float)
    except (TypeError, ValueError):
        turn = np.empty(0)
    if turn.shape != (3,) or not np.all(np.isfinite(turn)) or np.linalg.norm(turn) > 180.0:
        raise BadValue(f"The rest of {name!r} must be an angle, or a rotation vector of three, of at most 180 degrees, "
                       f"not {value!r}.")  # fmt: skip
    if name in LIMBS and not character.has(name):
        sides = [f"{side}_{name}" for side in ("left", "right") if character.has(f"{side}_{name}")]
        if sides:
            return [(character.body(s), turn * (_MIRRORED if s.startswith("right") else 1.0)) for s in sides]
    try:
        return [(character.body(name), turn)]
    except UnknownBody:
        parts = [p for p in LIMBS if character.has(f"left_{p}")]
        raise UnknownBody("body or part", name, {*parts, *character.roles, *character.body_names[1:]}) from None


def stiffness_of(character: Character, changes: Mapping[str, float | Sequence[float]] | None = None,
                 scale: float = 1.0) -> Array:  # fmt: skip
    """Springs k_s (nv,) [N m/rad]: the character's own times `scale`, where `changes` by role or part say nothing.

    A change is one number, or one for each axis of the joint.
    """
    out = scale * character.stiffness
    for name, value in (changes or {}).items():
        for body, _ in _turns(character, name, 0.0):
            if body == 1:
                raise BadValue(f"{name!r} is the root of {character.name}, which no joint holds; it has no spring.")
            dofs = character.dofs(character.body_names[body])
            given = np.array(value, float) if not isinstance(value, bool | str) else np.empty((0, 0))
            fits = given.ndim == 0 or given.shape == out[dofs].shape
            if not fits or not np.all((given > 0.0) & (given < 1e6)):
                raise BadValue(f"The stiffness of {name!r} must be a number above 0 N m/rad, or one for each of its "
                               f"{len(out[dofs])} axes, not {value!r}.")  # fmt: skip
            out[dofs] = given
    loose = np.flatnonzero(out[6:] <= 0.0) + 6
    if len(loose):
        joint = character.joint_names[character.model.dof_jntid[loose[0]]]
        raise BadValue(f"The joint {joint!r} of {character.name} has no spring; give it a stiffness in N m/rad.")
    return out


def strength_of(character: Character, changes: Mapping[str, float]) -> Array:
    """Torque (nv,) [N m] that each joint bears: the character's own where `changes` by role or part say nothing.

    A change is that of a joint's strongest axis; its other axes change in proportion.
    """
    out = character.torque_limit.copy()
    for name, value in changes.items():
        if not 0.0 < value < 1e6:
            raise BadValue(f"The strength of {name!r} must be a number above 0 N m, not {value!r}.")
        for body, _ in _turns(character, name, 0.0):
            dofs = character.dofs(character.body_names[body])
            if not len(dofs) or body == 1 or not np.isfinite(out[dofs]).all() or not out[dofs].max() > 0.0:
                raise BadValue(f"{name!r} of {character.name} has no joint whose strength is known.")
            out[dofs] *= value / out[dofs].max()
    return out


def geared(character: Character, stiffness: Array, damping: float = 0.1, dt: float = 1 / 480) -> Character:
    """The character with an inertia of dt · k_d [kg m²] on each joint, for dampers k_d = `damping` · k_s, k_s (nv,).

    (M + dt D) a = f - D v is a step of dt [s] with dampers that are taken at its end: it stays stable where k_d is
    large for a light foot, 30 N m s/rad on 0.01 kg m², which would need steps of a third of a millisecond otherwise.
    The inertia acts on its joint alone, so the body's momentum stays what it is. Contacts are solved with it. (MuJoCo's
    own dampers at the end of a step come after the contacts, and let toes sink by centimetres.)

    Departures: the paper's simulator does not say how it takes dampers. A ball joint has one for its axes, the mean.
    """
    return replace(with_joint_inertia(character, dt * damping * stiffness), stiffness=stiffness.copy())

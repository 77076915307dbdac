"""From the orientation of a body in its parent to its joints: balls exactly, hinges as near as they can."""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.errors import ClipMismatch
from poise.maths import rotations as rot
from poise.maths.configuration import BALL, FREE, HINGE
from poise.maths.rotations import Array

_STEPS = 8  # Gauss-Newton steps for a chain of hinges; it starts near and converges quadratically


def joints_of(character: Character, body: int) -> range:
    """Ids of the joints by which a body moves against its parent."""
    first = int(character.tree.jntadr[body])
    return range(first, first + int(character.tree.jntnum[body])) if first >= 0 else range(0)


def turns_fully(character: Character, body: int) -> bool:
    """Can this body take any orientation in its parent?"""
    kinds = [int(character.tree.kind[j]) for j in joints_of(character, body)]
    return BALL in kinds or FREE in kinds or kinds.count(HINGE) >= 3


def centred(character: Character, body: int) -> bool:
    """Does the origin of this body stay where it is when its joints turn?"""
    joints = joints_of(character, body)
    kinds = character.tree.kind[list(joints)]
    return bool(
        np.all(np.abs(character.tree.anchor[list(joints)]) < 1e-9) and np.all((kinds == BALL) | (kinds == HINGE))
    )


def set_turn(character: Character, q: Array, body: int, turn: Array) -> None:
    """Change, in place, the joints of `body` in q (N, nq) to give it the orientation `turn` (N, 4) in its parent."""
    tree = character.tree
    joints = [j for j in joints_of(character, body) if tree.kind[j] in (BALL, HINGE)]
    if not joints:
        return
    within = rot.multiply(rot.conjugate(tree.quat[body]), turn)
    if len(joints) == 1 and tree.kind[joints[0]] == BALL:
        a = int(tree.qadr[joints[0]])
        q[:, a : a + 4] = _near(within, q[:, a : a + 4])
    elif all(tree.kind[j] == HINGE for j in joints):
        _set_hinges(character, q, joints, within)
    else:
        raise ClipMismatch(f"Body {character.body_names[body]!r} mixes ball joints and hinges; that cannot be edited.")


def _near(turn: Array, before: Array) -> Array:
    """The quaternions with the sign that lies nearer to those before."""
    return np.where(np.sum(turn * before, axis=-1, keepdims=True) < 0, -turn, turn)


def _set_hinges(character: Character, q: Array, joints: list[int], goal: Array) -> None:
    tree = character.tree
    where = tree.qadr[joints]
    axes, zero = tree.axis[joints], tree.qpos0[where]
    angles = q[:, where] - zero
    if len(joints) == 1:
        near = rot.twist_angle(goal, axes[0])
        angles[:, 0] += _wrapped(near - angles[:, 0])
        q[:, where] = angles + zero
        return
    for _ in range(_STEPS):
        turn = np.broadcast_to(rot.IDENTITY, goal.shape)
        columns = []
        for k, axis in enumerate(axes):
            columns.append(rot.rotate(turn, axis))  # in the parent, before the hinge's own turn leaves it unchanged
            turn = rot.multiply(turn, rot.from_axis_angle(axis, angles[:, k]))
        error = rot.log(rot.multiply(goal, rot.conjugate(turn)))
        jac = np.stack(columns, axis=-1)
        normal = np.swapaxes(jac, 1, 2) @ jac + 1e-9 * np.eye(len(joints))  # the share keeps gimbal lock solvable
        angles += np.linalg.solve(normal, np.swapaxes(jac, 1, 2) @ error[..., None])[..., 0]
    q[:, where] = angles + zero


def _wrapped(angle: Array) -> Array:
    return (angle + np.pi) % (2.0 * np.pi) - np.pi

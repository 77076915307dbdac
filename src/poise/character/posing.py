"""From orientations of bodies to joint coordinates: the configuration that comes closest, joint by joint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poise.maths import rotations as rot
from poise.maths.configuration import BALL, FREE, HINGE
from poise.maths.rotations import Array

if TYPE_CHECKING:
    from poise.character.character import Character

_STEPS = 12  # Gauss-Newton steps for a stack of hinges; it converges linearly where the joints cannot follow
_STRIDE = 0.5  # [rad] the longest of them
_DONE = 1e-10  # [rad] a step after which nothing is left to gain
_DAMPING = 1e-9  # share of the identity that keeps gimbal lock solvable


def configurations(character: Character, root: Array, turns: Array, given: np.ndarray | None = None) -> Array:
    """Configurations q (N, nq) whose bodies have world orientations `turns` (N, B, 4), with the root at `root` (N, 3).

    Ball joints take the orientation exactly, hinges its part about their axes (best fit for two or more in a stack);
    what a joint cannot do is left to the joints below it. Bodies that are not `given` (B,) keep their zero pose.
    Slides stay at zero. Quaternions are continuous in time.
    """
    tree, model = character.tree, character.model
    n = len(root)
    q = np.tile(character.zero_pose(), (n, 1))
    world = np.tile(rot.IDENTITY, (n, model.nbody, 1))
    for b in range(1, model.nbody):
        rest = rot.multiply(world[:, tree.parent[b]], tree.quat[b])
        wanted = turns[:, b] if given is None or given[b] else rest
        if tree.jntnum[b] == 1 and tree.kind[tree.jntadr[b]] == FREE:
            a = tree.qadr[tree.jntadr[b]]
            q[:, a : a + 3], q[:, a + 3 : a + 7] = root, rot.continuous(rot.normalise(wanted))
            world[:, b] = q[:, a + 3 : a + 7]
        else:
            world[:, b] = rot.multiply(rest, turn_joints(character, q, b, rot.multiply(rot.conjugate(rest), wanted)))
    return q


def turn_joints(character: Character, q: Array, body: int, turn: Array, *, nearby: bool = False,
                limited: bool = False) -> Array:  # fmt: skip
    """Set, in q (N, nq), the joints of one body so that together they come closest to `turn`; gives what they make.

    Both rotations (N, 4) are told from the frame in which the body stands in its parent while its joints are zero. A
    ball takes what the hinges of its body, left as they are, leave over. `nearby`: of several solutions the one near
    to q as it is, else one that is continuous in time. `limited`: hinges stay within their ranges.
    """
    tree, model = character.tree, character.model
    joints = [j for j in tree.joints(body) if tree.kind[j] in (BALL, HINGE)]
    ball = next((k for k, j in enumerate(joints) if tree.kind[j] == BALL), None)
    if ball is not None:
        before, after = _product(character, q, joints[:ball]), _product(character, q, joints[ball + 1 :])
        left = rot.normalise(rot.multiply(rot.multiply(rot.conjugate(before), turn), rot.conjugate(after)))
        place = slice(int(tree.qadr[joints[ball]]), int(tree.qadr[joints[ball]]) + 4)
        away = np.sum(left * q[:, place], axis=-1, keepdims=True) < 0
        q[:, place] = np.where(away, -left, left) if nearby else rot.continuous(left)
    elif joints:
        places = tree.qadr[joints]
        zero = tree.qpos0[places]
        ranges = model.jnt_range[joints] - zero[:, None]
        ranges[~(model.jnt_limited[joints].astype(bool) & limited)] = -np.inf, np.inf
        q[:, places] = zero + hinge_angles(turn, tree.axis[joints], q[:, places] - zero if nearby else None, ranges)
    return _product(character, q, joints)


def hinge_angles(turn: Array, axes: Array, start: Array | None = None, ranges: Array | None = None) -> Array:
    """Angles (N, K) [rad] about K successive unit axes (K, 3) whose product comes closest to `turn` (N, 4).

    Gauss-Newton on the rotation vector between the two: from `start` (N, K) to a solution nearby, or without it from
    Euler angles to one that is continuous in time. `ranges` (K, 2) [rad], infinite where there are none, are kept.
    """
    count = len(axes)
    low, high = np.broadcast_to([-np.inf, np.inf], (count, 2)).T if ranges is None else ranges.T
    bounded = np.isfinite(low) & np.isfinite(high)
    middle = 0.5 * (np.where(bounded, low, 0.0) + np.where(bounded, high, 0.0))
    if count == 1:
        about = middle if start is None or bounded[0] else start
        angles = about + _wrapped(rot.twist_angle(turn, axes[0])[:, None] - about)
    else:
        angles = middle + _wrapped(_euler_guess(turn, axes) - middle) if start is None else start
    angles = np.clip(angles, low, high)
    for _ in range(_STEPS if count > 1 else 0):
        made, columns = _stack(angles, axes)
        error = rot.difference(made, turn)
        pull = np.einsum("nik,ni->nk", columns, error)
        free = ~((angles <= low) & (pull < 0) | (angles >= high) & (pull > 0))
        columns *= free[:, None]
        normal = np.einsum("nij,nik->njk", columns, columns) + _DAMPING * np.eye(count)
        step = np.linalg.solve(normal, (free * pull)[..., None])[..., 0]
        angles = np.clip(angles + np.clip(step, -_STRIDE, _STRIDE), low, high)
        if np.abs(step).max(initial=0.0) < _DONE:
            break
    if start is None:
        angles[:, ~bounded] = np.unwrap(angles[:, ~bounded], axis=0)
    return angles


def _euler_guess(turn: Array, axes: Array) -> Array:
    """Angles about a right-handed triad that begins with the first two axes; exact for perpendicular hinges."""
    first = axes[0] / np.linalg.norm(axes[0])
    second = axes[1] - first * (first @ axes[1])
    size = np.linalg.norm(second)
    if size < 1e-6:
        return np.zeros((len(turn), len(axes)))
    second /= size
    third = np.cross(first, second)
    basis = rot.from_matrix(np.stack([first, second, third], axis=1))
    euler = rot.to_euler("xyz", rot.multiply(rot.multiply(rot.conjugate(basis), turn), basis))
    guess = np.zeros((len(turn), len(axes)))
    guess[:, : min(3, len(axes))] = euler[:, : len(axes)]
    if len(axes) >= 3 and third @ axes[2] < 0:
        guess[:, 2] *= -1
    return guess


def _stack(angles: Array, axes: Array) -> tuple[Array, Array]:
    """Product (N, 4) of the turns about successive axes, and each axis (N, 3, K) as seen from the last frame."""
    out, columns = np.tile(rot.IDENTITY, (len(angles), 1)), np.empty((len(angles), 3, len(axes)))
    for i in reversed(range(len(axes))):
        columns[:, :, i] = rot.rotate(rot.conjugate(out), axes[i])
        out = rot.multiply(rot.from_axis_angle(axes[i], angles[:, i]), out)
    return out, columns


def _product(character: Character, q: Array, joints: list[int]) -> Array:
    """The rotation (N, 4) that balls and hinges of one body make together."""
    tree, out = character.tree, np.tile(rot.IDENTITY, (len(q), 1))
    for j in joints:
        a = int(tree.qadr[j])
        ball = tree.kind[j] == BALL
        out = rot.multiply(out, q[:, a : a + 4] if ball else rot.from_axis_angle(tree.axis[j], q[:, a] - tree.qpos0[a]))
    return out


def _wrapped(angle: Array) -> Array:
    """Angles [rad] in [-pi, pi)."""
    return (angle + np.pi) % (2.0 * np.pi) - np.pi

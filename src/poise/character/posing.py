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


def configurations(character: Character, root: Array, turns: Array, given: np.ndarray | None = None) -> Array:
    """Configurations q (N, nq) whose bodies have world orientations `turns` (N, B, 4) and whose root is at `root` (N, 3).

    Ball joints take the orientation exactly, hinges its part about their axes (best fit for two or more in a stack);
    what a joint cannot do is left to the joints below it. Bodies that are not `given` (B,) keep their zero pose.
    Slides stay at zero. Quaternions are continuous in time.
    """
    tree, model = character.tree, character.model
    n = len(root)
    q = np.tile(character.zero_pose(), (n, 1))
    world = np.tile(rot.IDENTITY, (n, model.nbody, 1))
    for b in range(1, model.nbody):
        frame = rot.multiply(world[:, tree.parent[b]], tree.quat[b])
        joints = range(tree.jntadr[b], tree.jntadr[b] + tree.jntnum[b])
        wanted = turns[:, b] if given is None or given[b] else frame
        relative = rot.multiply(rot.conjugate(frame), wanted)
        kinds = [int(tree.kind[j]) for j in joints]
        if kinds == [FREE]:
            a = tree.qadr[joints[0]]
            q[:, a : a + 3], q[:, a + 3 : a + 7] = root, rot.continuous(rot.normalise(wanted))
            world[:, b] = q[:, a + 3 : a + 7]
            continue
        if BALL in kinds:
            a = tree.qadr[joints[kinds.index(BALL)]]
            q[:, a : a + 4] = rot.continuous(rot.normalise(relative))
            world[:, b] = rot.multiply(frame, q[:, a : a + 4])
            continue
        hinges = [j for j in joints if tree.kind[j] == HINGE]
        angles = hinge_angles(relative, tree.axis[hinges])
        for i, j in enumerate(hinges):
            q[:, tree.qadr[j]] = angles[:, i] + tree.qpos0[tree.qadr[j]]
        world[:, b] = rot.multiply(frame, _stack(angles, tree.axis[hinges]))
    return q


def hinge_angles(relative: Array, axes: Array) -> Array:
    """Angles (N, K) [rad] about K successive axes (K, 3) whose product comes closest to `relative` (N, 4)."""
    count = len(axes)
    if count == 0:
        return np.zeros((len(relative), 0))
    if count == 1:
        return np.unwrap(rot.twist_angle(relative, axes[0]), axis=0)[:, None]
    angles = _euler_guess(relative, axes)
    for _ in range(_STEPS):
        error = rot.log(rot.multiply(rot.conjugate(_stack(angles, axes)), relative))
        columns, after = np.empty((len(relative), 3, count)), np.tile(rot.IDENTITY, (len(relative), 1))
        for i in reversed(range(count)):  # each axis as seen from the last frame
            columns[:, :, i] = rot.rotate(rot.conjugate(after), axes[i])
            after = rot.multiply(rot.from_axis_angle(axes[i], angles[:, i]), after)
        normal = np.einsum("nki,nkj->nij", columns, columns) + 1e-9 * np.eye(count)
        step = np.linalg.solve(normal, np.einsum("nki,nk->ni", columns, error)[..., None])[..., 0]
        angles = angles + np.clip(step, -0.5, 0.5)
    return np.unwrap(angles, axis=0)


def _euler_guess(relative: Array, axes: Array) -> Array:
    """Angles about a right-handed triad that begins with the first two axes; exact for perpendicular hinges."""
    first = axes[0] / np.linalg.norm(axes[0])
    second = axes[1] - first * (first @ axes[1])
    size = np.linalg.norm(second)
    if size < 1e-6:
        return np.zeros((len(relative), len(axes)))
    second /= size
    third = np.cross(first, second)
    basis = rot.from_matrix(np.stack([first, second, third], axis=1))
    euler = rot.to_euler("xyz", rot.multiply(rot.multiply(rot.conjugate(basis), relative), basis))
    guess = np.zeros((len(relative), len(axes)))
    guess[:, : min(3, len(axes))] = euler[:, : len(axes)]
    if len(axes) >= 3 and third @ axes[2] < 0:
        guess[:, 2] *= -1
    return guess


def _stack(angles: Array, axes: Array) -> Array:
    """Product (N, 4) of the turns about successive axes."""
    out = np.tile(rot.IDENTITY, (len(angles), 1))
    for i, axis in enumerate(axes):
        out = rot.multiply(out, rot.from_axis_angle(axis, angles[:, i]))
    return out

"""Forward kinematics of a tree of joints over whole clips, compiled. Knows joints and bodies, no characters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.kernels import njit
from poise.maths.configuration import BALL, FREE, HINGE, quat_mul, quat_rotate
from poise.maths.rotations import Array


class Tree(NamedTuple):
    """The arrays of a MuJoCo model that place its bodies; body 0 is the world."""

    parent: np.ndarray  # (B,)
    pos: Array  # (B, 3) place in the parent
    quat: Array  # (B, 4) orientation in the parent
    jntadr: np.ndarray  # (B,) first joint, -1 without
    jntnum: np.ndarray  # (B,)
    kind: np.ndarray  # (J,)
    qadr: np.ndarray  # (J,)
    vadr: np.ndarray  # (J,)
    axis: Array  # (J, 3) in the body
    anchor: Array  # (J, 3) in the body
    qpos0: Array  # (nq,)
    nv: int

    def joints(self, body: int) -> range:
        """Ids of the joints by which a body moves against its parent."""
        return range(int(self.jntadr[body]), int(self.jntadr[body] + self.jntnum[body]))


@njit(cache=True)
def _forward(tree, q, xpos, xquat, dof_axis, dof_anchor, want_dofs):
    """Body places; and, if wanted, each degree of freedom's world axis and anchor (anchor NaN: a translation)."""
    pos, quat, tmp, half, arm = np.empty(3), np.empty(4), np.empty(4), np.empty(4), np.empty(3)
    anchor = np.empty(3)
    for n in range(q.shape[0]):
        xpos[n, 0] = 0.0
        xquat[n, 0, 0] = 1.0
        xquat[n, 0, 1:] = 0.0
        for b in range(1, tree.parent.shape[0]):
            p = tree.parent[b]
            first, count = tree.jntadr[b], tree.jntnum[b]
            if count == 1 and tree.kind[first] == FREE:
                a, d = tree.qadr[first], tree.vadr[first]
                xpos[n, b] = q[n, a : a + 3]
                xquat[n, b] = q[n, a + 3 : a + 7]
                if want_dofs:
                    for i in range(3):
                        dof_axis[n, d + i] = 0.0
                        dof_axis[n, d + i, i] = 1.0
                        dof_anchor[n, d + i] = np.nan
                        arm[:] = 0.0
                        arm[i] = 1.0
                        quat_rotate(xquat[n, b], arm, dof_axis[n, d + 3 + i])
                        dof_anchor[n, d + 3 + i] = xpos[n, b]
                continue
            quat_rotate(xquat[n, p], tree.pos[b], pos)
            for i in range(3):
                pos[i] += xpos[n, p, i]
            quat_mul(xquat[n, p], tree.quat[b], quat)
            for j in range(first, first + count):
                a, d = tree.qadr[j], tree.vadr[j]
                quat_rotate(quat, tree.anchor[j], anchor)
                for i in range(3):
                    anchor[i] += pos[i]
                if tree.kind[j] == BALL:
                    quat_mul(quat, q[n, a : a + 4], tmp)
                    quat[:] = tmp
                elif tree.kind[j] == HINGE:
                    if want_dofs:
                        quat_rotate(quat, tree.axis[j], dof_axis[n, d])
                        dof_anchor[n, d] = anchor
                    angle = 0.5 * (q[n, a] - tree.qpos0[a])
                    half[0] = np.cos(angle)
                    half[1:] = np.sin(angle) * tree.axis[j]
                    quat_mul(quat, half, tmp)
                    quat[:] = tmp
                else:
                    quat_rotate(quat, tree.axis[j], arm)
                    if want_dofs:
                        dof_axis[n, d] = arm
                        dof_anchor[n, d] = np.nan
                    for i in range(3):
                        pos[i] += (q[n, a] - tree.qpos0[a]) * arm[i]
                    continue
                if tree.kind[j] == BALL and want_dofs:
                    for i in range(3):
                        arm[:] = 0.0
                        arm[i] = 1.0
                        quat_rotate(quat, arm, dof_axis[n, d + i])
                        dof_anchor[n, d + i] = anchor
                quat_rotate(quat, tree.anchor[j], arm)
                for i in range(3):
                    pos[i] = anchor[i] - arm[i]
            xpos[n, b] = pos
            size = np.sqrt(quat[0] ** 2 + quat[1] ** 2 + quat[2] ** 2 + quat[3] ** 2)
            for i in range(4):
                xquat[n, b, i] = quat[i] / size


def forward(tree: Tree, q: Array) -> tuple[Array, Array]:
    """World positions (N, B, 3) and orientations (N, B, 4) of all bodies for configurations q (N, nq)."""
    q = np.ascontiguousarray(np.atleast_2d(np.asarray(q, float)))
    n, b = len(q), len(tree.parent)
    xpos, xquat = np.empty((n, b, 3)), np.empty((n, b, 4))
    none = np.empty((0, 0, 3))
    _forward(tree, q, xpos, xquat, none, none, False)
    return xpos, xquat


def forward_with_axes(tree: Tree, q: Array) -> tuple[Array, Array, Array, Array]:
    """`forward`, and for every degree of freedom its world axis and anchor (N, nv, 3); a NaN anchor: a translation.

    The velocity of a point p that degree d carries is axis_d × (p - anchor_d), or axis_d for a translation.
    """
    q = np.ascontiguousarray(np.atleast_2d(np.asarray(q, float)))
    n, b = len(q), len(tree.parent)
    xpos, xquat = np.empty((n, b, 3)), np.empty((n, b, 4))
    axis, anchor = np.empty((n, tree.nv, 3)), np.empty((n, tree.nv, 3))
    _forward(tree, q, xpos, xquat, axis, anchor, True)
    return xpos, xquat, axis, anchor


def moved_by(tree: Tree) -> np.ndarray:
    """Boolean (B, nv): does this degree of freedom move this body?"""
    mask = np.zeros((len(tree.parent), tree.nv), bool)
    width = {FREE: 6, BALL: 3}
    for b in range(1, len(tree.parent)):
        mask[b] = mask[tree.parent[b]]
        for j in tree.joints(b):
            mask[b, tree.vadr[j] : tree.vadr[j] + width.get(int(tree.kind[j]), 1)] = True
    return mask

"""What the finger servos are told when a solution is performed: where to go, and the torques of the wanted forces."""

from __future__ import annotations

import mujoco
import numpy as np

from poise.character.library.hand import link_name
from poise.judge.hands.pressing import Press, pressing
from poise.maths.rotations import Array
from poise.methods.hands.pose_test import FINGER, GAP, HAND, LINK, NORMAL, OBJECT_POINT
from poise.methods.hands.scene import Scene
from poise.methods.hands.solution import Solution

OFF = 1.0e-3  # [m] that links keep off the object until the hand grips it
STEADY = 2  # frames to either side over which commands are averaged
_SOFT = 1e-7  # [m²/rad²] of the joints' moves that close gaps


def commands(model: mujoco.MjModel, scene: Scene, solution: Solution) -> tuple[Array, Array]:
    """Joint targets (T, 30 H) [rad] and torques (T, 30 H) [N m] of all fingers.

    The targets are the solution's poses, links that press moved on to the surface and links that do not yet press kept
    off it; the torques are Jᵀf of `pressing`.
    """
    data, c = mujoco.MjData(model), scene.centre
    T, H = len(scene), len(scene.sides)
    target = solution.q.transpose(1, 0, 2, 3).reshape(T, 30 * H).copy()
    move, torque = np.zeros((T, 30 * H)), np.zeros((T, 30 * H))
    for t, press in enumerate(pressing(scene, solution)):
        place(data, scene, t, target[t])
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        move[t], torque[t] = _frame(model, data, scene, press, c.place[t], c.matrix[t])
    return target + _steady(move), _steady(torque)


def place(data: mujoco.MjData, scene: Scene, t: int, q: Array) -> None:
    """Put object, wrists and fingers (30 H,) where they are at frame t."""
    data.qpos[:7] = np.r_[scene.centre.place[t], scene.centre.turn[t]]
    for h, side in enumerate(scene.sides):
        a = 7 + 37 * h
        data.qpos[a : a + 7] = np.r_[scene.wrists[side].place[t], scene.wrists[side].turn[t]]
        data.qpos[a + 7 : a + 37] = q[30 * h : 30 * h + 30]


def _frame(
    model: mujoco.MjModel, data: mujoco.MjData, scene: Scene, press: Press, p: Array, R: Array
) -> tuple[Array, Array]:
    """Moves [rad] of the joints that bring links to the surface or off it, and torques [N m]."""
    H, jac = len(scene.sides), np.zeros((3, model.nv))
    move, torque = np.zeros(30 * H), np.zeros(30 * H)

    def lever(row: Array, x: Array) -> Array:
        """(3, 30 H) how the point x of a link moves with the fingers' joints."""
        body = model.body(link_name(scene.sides[int(row[HAND])], int(row[FINGER]), int(row[LINK]))).id
        mujoco.mj_jac(model, data, jac, None, p + R @ x, body)
        return np.concatenate([jac[:, 12 + 36 * h : 42 + 36 * h] for h in range(H)], axis=1)

    for k, x, f in zip(press.owner, press.points, press.forces, strict=True):
        torque += lever(press.contacts[k], x).T @ (R @ f)
    fingers = press.contacts[:, HAND] * 5 + press.contacts[:, FINGER]
    for finger in np.unique(fingers).astype(int):
        rows = press.contacts[fingers == finger]
        mine = slice(6 * finger, 6 * finger + 6)
        out = rows[:, NORMAL : NORMAL + 3] @ R.T
        A = np.array(
            [n @ lever(r, r[OBJECT_POINT : OBJECT_POINT + 3])[:, mine] for n, r in zip(out, rows, strict=True)]
        )
        wanted = (1 - press.grip) * np.maximum(rows[:, GAP], OFF)
        move[mine] = A.T @ np.linalg.solve(A @ A.T + _SOFT * np.eye(len(A)), wanted - rows[:, GAP])
    return move, torque


def _steady(x: Array) -> Array:
    """(T, n) averaged over some frames: contacts that come and go would make commands jump."""
    w = np.hanning(2 * STEADY + 3)[1:-1]
    padded = np.pad(x, ((STEADY, STEADY), (0, 0)), mode="edge")
    return np.array([w @ padded[t : t + 2 * STEADY + 1] for t in range(len(x))]) / w.sum()

"""Were the recorded joint torques enough? Inverse dynamics of the joints, averaged over stretches of a take.

Between two frames a joint needs M Δv / Δt + bias - Jᵀ f. A step acts with what M, bias and J are when it begins, so
they are taken on average half a step before the middle of the interval: a mean of both ends, with more of the first.
(Of a run at 240 steps a second the plain mean of both ends leaves 3 N m at a hip, this one 0.2.) At an impact f changes
faster than frames are recorded, so a single interval proves nothing; its errors cancel over a longer stretch, and a
hidden motor's do not. Joints at their limits are left out, since stops make torques that a take does not record, and
so are frames in which the body touches itself without a record of it.
"""

from __future__ import annotations

import mujoco
import numpy as np

from poise.character import Character
from poise.dynamics import Dynamics, Wrench
from poise.judge.report import Worst, moving_mean, worst
from poise.judge.tolerances import DEFAULT, Tolerances
from poise.maths.configuration import BALL, HINGE, SLIDE
from poise.maths.rotations import Array
from poise.take import Take


def unexplained_joint_torque(take: Take, limits: Tolerances = DEFAULT) -> Worst:
    """The largest mean over some windows of what a joint needed beyond its recorded torque [N m]."""
    if len(take) < 3 or not take.torque.any():  # a take without torques was moved, not driven
        return Worst(0.0)
    left, free = residuals(take, limits.joint_stop)
    count = max(2, round(limits.joint_windows * limits.window / take.dt))
    if len(left) < count:
        return Worst(0.0)
    whole = moving_mean(free.astype(float), count) > 1.0 - 1e-9
    left = np.where(free, left, 0.0)
    mean = np.abs(moving_mean(left, count))
    spread = np.sqrt(np.maximum(moving_mean(left**2, count) - mean**2, 0.0))
    names = [take.character.joint_names[j] for j in take.character.model.dof_jntid]
    return worst(np.where(whole & ~(mean <= limits.joint_steady * spread), mean, 0.0), take.time, names)


def residuals(take: Take, stop: float = DEFAULT.joint_stop) -> tuple[Array, np.ndarray]:
    """For each interval (F - 1, nv): needed less recorded torque [N m], and where that can be said at all."""
    character, spans = take.character, np.diff(take.time)
    dynamics, passive = Dynamics(character), _Passive(character)
    change = np.diff(take.v, axis=0) / spans[:, None]
    early = 0.5 * np.minimum(take.step / spans, 1.0)  # of the interval
    needed = np.zeros((len(take) - 1, character.model.nv))
    free, recorded = _within_limits(character, take.q, stop), _self_contacts(take)
    for k in range(len(take)):
        now = dynamics.at(take.q[k], take.v[k])
        own, touching = passive.at(take.q[k], take.v[k])
        base = now.bias - own
        for interval, side in ((k - 1, -1.0), (k, 1.0)):
            if 0 <= interval < len(needed):
                pull = now.generalised(_wrenches(take, interval))
                share = 0.5 + side * early[interval]
                needed[interval] += share * (now.mass_matrix @ change[interval] + base - pull)
        free[k] &= not (touching and not recorded[k])
    free[:, :6] = False
    return needed - take.torque[:-1], free[:-1] & free[1:]


def _wrenches(take: Take, frame: int) -> list[Wrench]:
    """Contacts and external wrenches of one interval."""
    out = []
    for record in (take.contacts, take.external, take.assist):
        rows = record.at(frame)
        out += [Wrench(int(b), p, f, m) for b, p, f, m in zip(record.body[rows], record.point[rows], record.force[rows],
                                                              record.moment[rows], strict=True)]  # fmt: skip
    return out


def _self_contacts(take: Take) -> np.ndarray:
    """Boolean (F,): are contacts between bodies of the character recorded next to this frame?"""
    rows, own = take.contacts, set(take.character.body_names[1:])
    inner = np.array([name in own for name in rows.others], bool)
    out = np.zeros(len(take) + 1, bool)
    if len(rows):
        frames = rows.frame[inner[rows.other]]
        out[frames], out[frames + 1] = True, True
    return out[:-1]


def _within_limits(character: Character, q: Array, stop: float) -> np.ndarray:
    """Boolean (F, nv): is the joint of this degree of freedom away from its stops?"""
    model, free = character.model, np.ones((len(q), character.model.nv), bool)
    for j in range(model.njnt):
        kind, a, d = int(model.jnt_type[j]), int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
        low, high = model.jnt_range[j]
        if not model.jnt_limited[j]:
            continue
        if kind in (HINGE, SLIDE):
            free[:, d] = (q[:, a] > low + stop) & (q[:, a] < high - stop)
        elif kind == BALL:
            turn = 2.0 * np.arctan2(np.linalg.norm(q[:, a + 1 : a + 4], axis=1), np.abs(q[:, a]))
            free[:, d : d + 3] = (turn < high - stop)[:, None]
    return free


class _Passive:
    """Springs and dampers of the model's own joints, and whether the body touches itself."""

    def __init__(self, character: Character):
        self.model = character.model
        self.data = mujoco.MjData(self.model)

    def at(self, q: Array, v: Array) -> tuple[Array, bool]:
        """Passive joint forces (nv,) and self-contact."""
        self.data.qpos[:], self.data.qvel[:] = q, v
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_collision(self.model, self.data)
        mujoco.mj_comVel(self.model, self.data)
        mujoco.mj_passive(self.model, self.data)
        return self.data.qfrc_passive.copy(), bool(self.data.ncon)

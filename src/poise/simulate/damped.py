"""Damped servo: springs along rows of a motion, with damping that is implicit in time, so that long steps stay stable.

    u = limited(planned + k (d(q, q_row) + offset) + c (v_row - v)),    applied: u - c (v' - v)

v' is the velocity after the step of length h, so that M a = u - c h a: the damping is lent to the joints as an inertia
c h for the time of a step. As damping of MuJoCo's own joints it would be implicit too, but unknown to the solver of
contacts, and feet would slide by centimetres a second. The torque that acts, and that is recorded, is u - c (v' - v):
the damper feels a landing when it happens, not a step later. A step after which that is beyond a joint's limit is
taken once more, at most three times, with the limit itself as a constant torque there. A search and a performance use
the same compiled step, so that what was rehearsed is performed to the last bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import carray  # pyright: ignore[reportPrivateImportUsage]

from poise.dynamics import native
from poise.kernels import njit
from poise.maths.configuration import difference_rows
from poise.maths.rotations import Array
from poise.simulate import contacts


class DampedServo(NamedTuple):
    """Rows of a motion that joints are pulled along, one row a step; an offset of their targets is blended in.

    Past its last row the last one is held.
    """

    time: float  # [s] at which the first step begins
    q: Array  # (R, nq) wanted at the end of each step
    v: Array  # (R, nv)
    planned: Array  # (R, nv) [N m], zero on the root
    before: Array  # (nv,) [rad] offset of the targets that was held before
    offset: Array  # (nv,) [rad] offset that is blended in
    since: int  # steps of the blend that are over
    blend: int  # steps that it takes
    stiffness: Array  # (nv,) [N m/rad], zero on the root
    damping: Array  # (nv,) [N m s/rad], zero on the root
    limit: Array  # (nv,) [N m]
    kind: np.ndarray  # (J,) of all joints, and where they begin in q and v
    qadr: np.ndarray
    vadr: np.ndarray


class Joints(NamedTuple):
    """Where the joints of the character are in MuJoCo's memory, for compiled steps; good as long as that lives."""

    q: Array  # views of qpos, qvel, qfrc_applied and the model's dof_armature
    v: Array
    force: Array
    inertia: Array
    own: Array  # (nv,) inertia of the joints that the model has by itself
    world_q: Array  # views of all of qpos, qvel and qacc_warmstart, also of props
    world_v: Array
    warm: Array
    dt: Array  # (1,) [s]


_OVER = 1.005  # times its limit up to which a torque is let pass
AGAIN = 3  # times that a step is taken once more: a limit at one joint may bring the next one to its own


@njit(cache=True)
def put(servo, row, joints, err, u):
    """Write what a step needs: the forces, also into u (nv,), and the inertia that is lent."""
    _, qs, vs, planned, before, offset, since, blend, stiffness, damping, limit, kind, qadr, vadr = servo
    q, v, force, lent, own = joints[:5]
    k = min(row, qs.shape[0] - 1)
    difference_rows(kind, qadr, vadr, q.reshape(1, -1), qs[k : k + 1], err)
    share = min(1.0, (since + row + 1.0) / blend)
    for d in range(v.shape[0]):
        o = before[d] + share * (offset[d] - before[d])
        x = planned[k, d] + stiffness[d] * (err[0, d] + o) + damping[d] * (vs[k, d] - v[d])
        u[d] = force[d] = min(max(x, -limit[d]), limit[d])
        lent[d] = own[d] + damping[d] * joints[8][0]


@njit(cache=True)
def room(joints):
    """Room (3, size) for what `hold` keeps."""
    return np.empty((3, joints[5].shape[0]))


@njit(cache=True)
def hold(joints, kept):
    """Keep the state before a step in kept (3, size), so that it can be taken once more."""
    for r in range(3):
        a = joints[5 + r]
        for i in range(a.shape[0]):
            kept[r, i] = a[i]


@njit(cache=True)
def limited(servo, joints, kept, u):
    """After a step: is a torque beyond its limit? Then the state is put back, and the limits are written as forces."""
    damping, limit = servo[9], servo[10]
    _, v, force, lent, own = joints[:5]
    nv, over = v.shape[0], False
    for d in range(nv):
        if lent[d] != own[d] and abs(u[d] - damping[d] * (v[d] - kept[1, d])) > _OVER * limit[d]:
            over = True
    if not over:
        return False
    for d in range(nv):
        acted = u[d] - damping[d] * (v[d] - kept[1, d])
        if lent[d] != own[d] and abs(acted) > _OVER * limit[d]:
            force[d] = limit[d] if acted > 0.0 else -limit[d]
            lent[d] = own[d]
    for r in range(3):
        a = joints[5 + r]
        for i in range(a.shape[0]):
            a[i] = kept[r, i]
    return True


@njit(cache=True)
def settle(joints, kept, u):
    """Take the lent inertia back; u (nv,) becomes the torque that acted in the step just taken from `kept`."""
    _, v, force, lent, own = joints[:5]
    for d in range(v.shape[0]):
        u[d] = force[d] - (lent[d] - own[d]) / joints[8][0] * (v[d] - kept[1, d])
        lent[d] = own[d]


@njit(cache=True)
def undo(joints):
    """Take the lent inertia back, without a step."""
    for d in range(joints[1].shape[0]):
        joints[3][d] = joints[4][d]


@njit(cache=True)
def take_step(step, model, data, servo, row, joints, err, u, kept):
    """One step of MuJoCo under the servo; u (nv,) becomes the torque that acted. False where a force is not finite."""
    put(servo, row, joints, err, u)
    for d in range(u.shape[0]):
        if not np.isfinite(u[d]):
            undo(joints)
            return False
    hold(joints, kept)
    native.call_two(step, model, data)
    for _ in range(AGAIN):
        if not limited(servo, joints, kept, u):
            break
        native.call_two(step, model, data)
    settle(joints, kept, u)
    return True


@njit(cache=True, nogil=True)
def walk(step, model, data, servo, first, count, joints, err, u, most, touching, wrong):
    """So many steps from the row `first` on: what a search does with a sample.

    Gives the mean over joints and steps of the squared torque, each in shares of its limit, or inf where the body
    blew up; most (1,) becomes the largest share by which a torque passed its limit. touching: the table of contacts,
    where the data counts them, the limb of each body, the load [N] with which a contact should hold, and what limbs
    should touch (count, L); wrong (2,) becomes the share of steps in which limbs do not, summed, and the mean slip
    [m/s].
    """
    limit, v, q = servo[10], joints[1], joints[0]
    where, count_at, limb_of, least, wanted = touching
    nv, work, limbs = v.shape[0], 0.0, wanted.shape[1]
    on = np.zeros(limbs, np.bool_)
    wrong[:] = 0.0
    kept = room(joints)
    for k in range(count):
        if not take_step(step, model, data, servo, first + k, joints, err, u, kept):
            return np.inf
        for d in range(6, nv):
            share = abs(u[d]) / limit[d]
            work += share * share
            most[0] = max(most[0], share - 1.0)
        if not (abs(q[2]) < 1e3 and abs(v[5]) < 1e3):
            return np.inf
        if limbs:
            found = carray(contacts.pointer(count_at), (1,), np.int32)[0]
            wrong[1] += contacts.touched(where, found, limb_of, least, on) / count
            for i in range(limbs):
                wrong[0] += (1.0 if on[i] != wanted[k, i] else 0.0) / count
    return work / (count * max(nv - 6, 1))


@njit(cache=True)
def run(where, step, model, data, count_at, first, count, dt, servo, joints, total):
    """Steps from the row `first` on, as a performance takes them: contacts are read after each.

    Gives how many were taken, and what `contacts.read` found wrong after the last, or the first force that is not
    finite as `-3 - index`. total (nv,) sums the torques up.
    """
    nv = joints[1].shape[0]
    err, u, kept = np.empty((1, nv)), np.empty(nv), room(joints)
    for k in range(count):
        if not take_step(step, model, data, servo, first + k, joints, err, u, kept):
            bad = 0
            while np.isfinite(u[bad]):
                bad += 1
            return k, -3 - bad
        for d in range(nv):
            total[d] += u[d]
        bad = contacts.read(where, carray(contacts.pointer(count_at), (1,), np.int32)[0], dt)
        if bad != -1:
            return k + 1, bad
    return count, -1

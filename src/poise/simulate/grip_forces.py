"""Hands that close round bars and let go, and the forces with which bars hold them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poise.dynamics import engine
from poise.errors import BadValue
from poise.kernels import njit
from poise.maths import rotations as rot
from poise.maths.configuration import quat_mul
from poise.maths.rotations import Array
from poise.stage.world import GripSlot, World

WAITING, CLOSED, OVER = 0.0, 1.0, 2.0
Log = Callable[[str, str], None]


class Gripping:
    """The grips of a world under way; `phase` (G,) is all they remember."""

    def __init__(self, world: World, data: engine.Data):
        self.world, self.data = world, data
        self.phase = np.zeros(len(world.grips))
        self._rows = np.zeros((len(world.grips), 18))
        self._slots = np.array([[s.weld, s.hand, s.ring, s.holder, s.label] for s in world.grips], np.int64)
        self._slots = self._slots.reshape(-1, 5)
        self._points = np.array([s.point for s in world.grips]).reshape(-1, 3)
        self._roots = world.model.body_rootid.astype(np.int64)

    @property
    def closed(self) -> bool:
        """Is any hand closed?"""
        return bool(np.any(self.phase == CLOSED))

    def begin(self, time: float) -> None:
        """At a reset: hands whose grip has begun must be at their bar; needs the bodies' poses."""
        self.phase[:] = WAITING
        for k, slot in enumerate(self.world.grips):
            if slot.grip.end is not None and time >= slot.grip.end:
                self.phase[k] = OVER
            elif slot.grip.covers(time):
                off, place = self._distance(slot)
                if off > slot.grip.reach:
                    raise BadValue(
                        f"{slot.grip.hand} should hold {slot.grip.to!r} from the beginning but is {100 * off:.1f} cm "
                        f"away from it; a grip closes within {100 * slot.grip.reach:g} cm: move the bar or the hand, "
                        "or let the grip start later."
                    )
                self._close(k, slot, place)

    def update(self, time: float, log: Log) -> None:
        """Before a step: open hands that are done, close those that are due and near; needs fresh poses to close."""
        fresh = False
        for k, slot in enumerate(self.world.grips):
            over = slot.grip.end is not None and time >= slot.grip.end
            if self.phase[k] == CLOSED and over:
                self.data.eq_active[slot.weld] = 0
                log("grip", f"{slot.grip.hand} lets go of {slot.grip.to}")
            elif self.phase[k] == WAITING and over:
                log("grip", f"{slot.grip.hand} never came near enough to {slot.grip.to} to hold it")
            if over:
                self.phase[k] = OVER
            elif self.phase[k] == WAITING and slot.grip.covers(time):
                if not fresh:
                    engine.kinematics(self.world.model, self.data)
                    fresh = True
                off, place = self._distance(slot)
                if off <= slot.grip.reach:
                    self._close(k, slot, place)
                    log("grip", f"{slot.grip.hand} holds {slot.grip.to}, {1000 * off:.0f} mm from its hand")

    def _distance(self, slot: GripSlot) -> tuple[float, float]:
        """How far [m] the hand's point is from its place on the bar, and that place along the bar [m]."""
        d = self.data
        point = d.xpos[slot.hand] + d.xmat[slot.hand].reshape(3, 3) @ slot.point
        local = d.xmat[slot.holder].reshape(3, 3).T @ (point - d.xpos[slot.holder])
        along = float(local @ slot.axis) if slot.grip.at is None else float(slot.grip.at)
        along = min(max(along, -slot.half), slot.half)
        return float(np.linalg.norm(local - along * slot.axis)), along

    def _close(self, k: int, slot: GripSlot, place: float) -> None:
        """Put the ring where the hand is, turned as the hand is, and shut the weld."""
        d = self.data
        d.qpos[slot.q] = place
        turned = rot.multiply(rot.conjugate(d.xquat[slot.holder]), d.xquat[slot.hand])
        d.qpos[slot.q + 1 : slot.q + 5] = turned
        d.qvel[slot.v : slot.v + 4] = 0.0
        d.eq_active[slot.weld] = 1
        self.phase[k] = CLOSED

    def rows(self) -> Array:
        """Touches (K, 18) of the closed hands, from the step just taken."""
        d, model = self.data, self.world.model
        count = _grip_rows(d.efc_type, d.efc_id, d.efc_force, int(d.ne), self._slots, self._points, self._roots,
                           model.eq_data, d.xpos, d.xquat, d.xmat, d.cvel, d.subtree_com, self._rows)  # fmt: skip
        return self._rows[:count]


@njit(cache=True)
def _grip_rows(kind, owner, force, ne, slots, points, roots, eq_data, xpos, xquat, xmat, cvel, com, out):
    """Rows of the welds among the first `ne` constraints, which are MuJoCo's equalities (kind 0).

    A weld's first three forces act on the hand at its point, along the world's axes. The other three belong to
    the vector part of s conj(q_ring) q_hand r, whose rate is s/2 conj(q_ring) w q_hand r at an angular velocity w.
    """
    count, i = 0, 0
    a, b, left, right = np.empty(4), np.empty(4), np.empty(4), np.empty(4)
    while i < ne:
        k = -1
        for j in range(slots.shape[0]):
            if kind[i] == 0 and owner[i] == slots[j, 0]:
                k = j
        if k < 0:
            i += 1
            continue
        weld, hand, ring, holder = slots[k, 0], slots[k, 1], slots[k, 2], slots[k, 3]
        row = out[count]
        row[0], row[1] = hand, slots[k, 4]
        for m in range(3):
            row[2 + m] = xpos[hand, m]
            for j in range(3):
                row[2 + m] += xmat[hand, 3 * m + j] * points[k, j]
            row[8 + m] = force[i + m]
        a[0] = xquat[ring, 0]
        for m in range(1, 4):
            a[m] = -xquat[ring, m]
        quat_mul(xquat[hand], eq_data[weld, 6:10], b)
        for m in range(3):
            left[:] = 0.0
            left[1 + m] = 1.0
            quat_mul(a, left, right)
            quat_mul(right, b, left)
            row[11 + m] = 0.5 * eq_data[weld, 10] * (left[1] * force[i + 3] + left[2] * force[i + 4]
                                                     + left[3] * force[i + 5])  # fmt: skip
        size = np.sqrt(row[8] ** 2 + row[9] ** 2 + row[10] ** 2)
        slip = 0.0
        for m in range(3):
            row[5 + m] = row[8 + m] / size if size > 1e-12 else (1.0 if m == 2 else 0.0)
            p, q = (m + 1) % 3, (m + 2) % 3
            fast = 0.0
            for sign, body in ((1.0, hand), (-1.0, holder)):
                r = roots[body]
                fast += sign * (cvel[body, 3 + m] + cvel[body, p] * (row[2 + q] - com[r, q])
                                - cvel[body, q] * (row[2 + p] - com[r, p]))  # fmt: skip
            slip += fast * fast
        row[14], row[15], row[16], row[17] = 0.0, 0.0, np.sqrt(slip), 1.0
        count += 1
        i += 6
    return count

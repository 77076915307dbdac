"""Edits of single joints and limbs: an extra turn of a joint, and a point of the body held at a place for a while."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character.roles import SIDES
from poise.errors import BadValue, NoSolution
from poise.maths import rotations as rot
from poise.maths.configuration import FREE
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.fades import check_interval, window
from poise.motion.ik.limb import Limb, limb, reach, set_turn

FRAMES = ("parent", "own", "world")


@dataclass(frozen=True)
class Offset:
    """A body turned further at its joint, everything below it carried along.

    `frame` says along which axes the rotation vector is told: those of the parent body, of the body itself, or of the
    world; in the zero pose all three agree (x forward, y left, z up). Joints with fewer than three axes take the
    nearest turn they can. On the root the whole body turns about the pelvis. The offset holds from `start` to `end`
    and fades in before and out after; without them it holds throughout, and loops stay loops.
    """

    body: str  # role or name
    degrees: tuple[float, float, float]  # rotation vector [degrees]
    start: float | None = None  # [s]
    end: float | None = None  # [s]
    fade: float = 0.3  # [s]
    frame: str = "parent"

    def __post_init__(self) -> None:
        if len(self.degrees) != 3 or not np.all(np.isfinite(self.degrees)):
            raise BadValue(f"Offset needs a rotation vector of three angles in degrees, not {self.degrees}.")
        if self.frame not in FRAMES:
            raise BadValue(f"Offset knows the frames {', '.join(FRAMES)}, not {self.frame!r}.")
        check_interval(self.start, self.end, self.fade)

    @classmethod
    def radians(cls, body: str, vector: tuple[float, float, float], **options: object) -> Offset:
        """The same with the rotation vector [rad]."""
        x, y, z = (float(np.degrees(a)) for a in vector)
        return cls(body, (x, y, z), **options)  # type: ignore[arg-type]

    def apply(self, clip: Clip) -> Clip:
        """The clip with the offset."""
        character, body = clip.character, clip.character.body(self.body)
        joints = character.tree.joints(body)
        if not joints:
            raise BadValue(f"{self.body!r} is fixed to its parent: it has no joint to turn.")
        period = clip.duration if clip.cycle is not None else None
        weight = window(clip.times, self.start, self.end, self.fade, period)
        extra = rot.exp(weight[:, None] * np.radians(self.degrees))
        _, quat = character.forward(clip.q)
        above, own = quat[:, character.tree.parent[body]], quat[:, body]
        if self.frame == "own":
            new = rot.multiply(own, extra)
        elif self.frame == "world":
            new = rot.multiply(extra, own)
        else:
            new = rot.multiply(above, rot.multiply(extra, rot.multiply(rot.conjugate(above), own)))
        q = np.array(clip.q)
        if character.tree.kind[joints[0]] == FREE:
            a = int(character.tree.qadr[joints[0]]) + 3
            q[:, a : a + 4] = new
        else:
            set_turn(character, q, body, rot.multiply(rot.conjugate(above), new))
        changed = weight > 0
        q[~changed] = clip.q[~changed]
        if clip.cycle is not None:
            q[-1] = clip.cycle.carry(q[0], 1)
        return clip.with_q(q, labels=clip.contacts.labels)


_MISS = 0.02  # [m] by which a pinned point may miss its place before the edit is refused
_EXACT = 1e-4  # [m]


@dataclass(frozen=True)
class Pin:
    """A point of a body at a place in the world, or displaced from where it moves, from `start` to `end`.

    Hands and feet are reached by their own limb: a hand keeps the angle of its wrist, a foot its orientation in the
    world. Where the limb is too short, and for other bodies, the whole body helps by the smallest smooth correction,
    with standing feet kept in place. In loops the pin repeats in each period, carried along with it.
    """

    body: str  # role or name
    position: tuple[float, float, float] | None = None  # [m] in the world
    offset: tuple[float, float, float] | None = None  # [m] in the world, against the point's own motion
    local: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [m] the point, in the body's frame
    start: float | None = None  # [s]
    end: float | None = None  # [s]
    fade: float = 0.3  # [s]

    def __post_init__(self) -> None:
        if (self.position is None) == (self.offset is None):
            raise BadValue("Pin needs either a position or an offset, one of them.")
        for value in (self.position, self.offset, self.local):
            if value is not None and (len(value) != 3 or not np.all(np.isfinite(value))):
                raise BadValue(f"Pin needs three finite numbers in metres, not {value}.")
        check_interval(self.start, self.end, self.fade)

    def apply(self, clip: Clip) -> Clip:
        """The clip with the pin."""
        character, body = clip.character, clip.character.body(self.body)
        period = clip.duration if clip.cycle is not None else None
        weight = window(clip.times, self.start, self.end, self.fade, period)
        if not np.any(weight > 0):
            raise BadValue(f"The pin from {self.start} to {self.end} s lies outside a clip of {clip.duration:.2f} s.")
        pos, quat = character.forward(clip.q)
        local = np.array(self.local, float)
        now = pos[:, body] + rot.rotate(quat[:, body], local)
        way = np.array(self.position, float) - now if self.position is not None else np.array(self.offset, float)
        goal = now + weight[:, None] * way
        role = next((r for r, b in character.roles.items() if b == character.body_names[body]), self.body)
        chain = limb(character, role)
        q = np.array(clip.q)
        if chain is not None:
            q = _by_limb(clip, chain, role, goal, local, quat[:, body])
        missed = self._missed(clip, q, body, local, goal)
        if missed > _EXACT:
            q = _by_body(clip, q if chain is not None else clip.q, body, local, goal, weight)
            missed = self._missed(clip, q, body, local, goal)
        if missed > _MISS:
            raise NoSolution(f"{self.body!r} cannot be pinned there: it misses by {100 * missed:.0f} cm at the most "
                             "even with the whole body helping.", problem=goal)  # fmt: skip
        q[weight <= 0] = clip.q[weight <= 0]
        if clip.cycle is not None:
            q[-1] = clip.cycle.carry(q[0], 1)
        return clip.with_q(q, labels=clip.contacts.labels)

    @staticmethod
    def _missed(clip: Clip, q: Array, body: int, local: Array, goal: Array) -> float:
        pos, quat = clip.character.forward(q)
        return float(np.linalg.norm(pos[:, body] + rot.rotate(quat[:, body], local) - goal, axis=-1).max())


def _by_limb(clip: Clip, chain: Limb, role: str, goal: Array, local: Array, turn: Array) -> Array:
    if role.endswith("foot"):
        return reach(clip.character, clip.q, chain, goal - rot.rotate(turn, local), turn)
    return reach(clip.character, clip.q, chain, goal, local=local)


def _by_body(clip: Clip, q: Array, body: int, local: Array, goal: Array, weight: Array) -> Array:
    """The whole body helping: least squares with the pinned point first and standing feet kept."""
    from poise.motion.ik import ik

    character = clip.character
    points = [ik.PointTarget(body, local, goal, np.where(weight > 0, 30.0, 3.0))]
    turns = []
    pos, quat = character.forward(clip.q)
    for side in SIDES:
        foot = character.body(f"{side}_foot") if character.has(f"{side}_foot") else -1
        if foot < 0 or foot == body:
            continue
        stands = clip.contacts.labels[:, character.contact_points.of(side)].any(axis=1)
        hold = np.where(stands, 30.0, 1.0)
        points.append(ik.PointTarget(foot, np.zeros(3), pos[:, foot], hold))
        turns.append(ik.TurnTarget(foot, quat[:, foot], hold))
    return ik.solve(character, q, points, turns, cycle=clip.cycle)

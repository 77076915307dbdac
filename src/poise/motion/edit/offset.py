"""An extra turn of one joint on top of the motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.errors import BadValue
from poise.maths import rotations as rot
from poise.maths.configuration import FREE
from poise.motion.clip import Clip
from poise.motion.edit.fades import check_interval, window
from poise.motion.ik.orient import set_turn

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

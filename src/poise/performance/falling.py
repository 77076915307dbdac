"""Falls seen while they happen, and what a fallen body does: it goes limp instead of thrashing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from poise.character import Character
from poise.character.skin import skin
from poise.dynamics import Dynamics
from poise.errors import BadValue
from poise.ground.ground import Ground
from poise.judge.fall import FALL_HEIGHT, FALL_TIME, SCHEDULED_HEIGHT, SCHEDULED_TIME, feet_of, pelvis_of
from poise.judge.surface import clearance
from poise.kernels import njit
from poise.maths.rotations import Array
from poise.motion.reference import Reference
from poise.performance.course import Course
from poise.settings import check, number
from poise.simulate.simulator import State, Touches
from poise.stage import Stage
from poise.take.record import BILATERAL, BODY, FORCE, NORMAL, OTHER

_EVERY = 4  # frames between two looks at the height of the pelvis
_BURIED = 0.05  # [m] that feet may be inside a new ground


class Watch:
    """Looks at every frame whether the body went down, by the rules of `poise.judge.fall`."""

    def __init__(self, character: Character, stage: Stage):
        self.character, self.stage = character, stage
        self.down: float | None = None  # [s] when it fell
        self._feet = np.zeros(character.model.nbody, bool)
        self._feet[feet_of(character)] = True
        self._found = np.zeros(character.model.nbody, bool)  # bodies but the feet that press on the ground now
        self._pelvis = pelvis_of(character)
        self._root = self._pelvis == int(character.model.jnt_bodyid[0]) if character.model.njnt else False
        self._low = 0.0  # [s] for which the pelvis has been low
        self._count = 0

    def pack(self) -> dict[str, float | None]:
        """What it remembers."""
        return {"down": self.down, "low": self._low, "count": self._count}

    def unpack(self, packed: dict[str, Any]) -> None:
        """Go on from what `pack` gave."""
        self.down, self._low, self._count = packed["down"], packed["low"], packed["count"]

    def falls(self, state: State, contacts: Array, course: Course) -> bool:
        """Did it go down in the frame that began with this state, in which these contacts (K, 18) were?"""
        if self.down is not None:
            return False
        self._count += 1
        if self._touched(state, contacts, course) or self._sank(state, course):
            self.down = state.time
            return True
        return False

    def _touched(self, state: State, contacts: Array, course: Course) -> bool:
        """Does a body touch the ground that is no foot and not meant to? (Its number 0 is the ground, in any world.)"""
        if not len(contacts) or not _presses(contacts, self._feet, self._found):
            return False
        return any(not self._meant(int(b), state.time, course) for b in np.flatnonzero(self._found))

    def _meant(self, body: int, time: float, course: Course) -> bool:
        """Does the body's surface come near the ground in the clip about now?"""
        balls, times = skin(self.character), np.arange(time - SCHEDULED_TIME, time + SCHEDULED_TIME, 1 / 60)
        chosen = balls.body == body
        for reference in {id(r): r for r in (course.own, course.followed)}.values():
            q = np.stack([reference.sample(max(0.0, float(t))).q for t in times])
            high = clearance(balls.centres(self.character, q), reference.ground, balls.radius)
            if high[:, chosen].min(initial=np.inf) <= SCHEDULED_HEIGHT:
                return True
        return False

    def _sank(self, state: State, course: Course) -> bool:
        if self._count % _EVERY:
            return False
        high = self._height(state.q, self.stage.ground)
        wanted = self._height(course.followed.sample(state.time).q, course.followed.ground)
        self._low = self._low + _EVERY / 120 if high < FALL_HEIGHT * wanted else 0.0
        return self._low >= FALL_TIME + 1e-9

    def _height(self, q: Array, ground: Ground) -> float:
        """Of the pelvis above the ground [m]."""
        place = q[:3] if self._root else self.character.forward(q)[0][0, self._pelvis]
        return float(place[2] - ground.height(place[:1], place[1:2])[0])

    def check_ground(self, state: State, ground: Ground) -> None:
        """Refuse a ground in which the feet would be buried."""
        points = self.character.points(state.q)[0]
        if not len(points):
            return
        deep = float(np.max(ground.height(points[:, 0], points[:, 1]) - points[:, 2]))
        if deep > _BURIED:
            raise BadValue(f"This ground would be {100 * deep:.0f} cm above the lowest point of the feet; let it pass "
                           "where the body stands, as Slope(degrees, start=...) does.")  # fmt: skip


@njit(cache=True)
def _presses(contacts, feet, found):
    """Does any body but the feet (nbody,) press on the ground in these contacts (K, 18)? `found` (nbody,) tells which.

    Grips do not count.
    """
    found[:] = False
    for row in contacts:
        body = int(row[BODY])
        if row[OTHER] != 0.0 or row[BILATERAL] != 0.0 or feet[body]:
            continue
        pressing = 0.0
        for i in range(3):
            pressing += row[FORCE + i] * row[NORMAL + i]
        found[body] |= pressing > 0.0
    return found.any()


@dataclass(frozen=True)
class Limp:
    """No torques but what slows joints down, as loose muscles and skin do."""

    rate: float = number(60.0, "rate at which joints lose their speed", 0, 100, "1/s")
    period: float = number(1 / 960, "time between two torques", 0.0005, 1 / 120, "s")

    name = "limp"

    def __post_init__(self) -> None:
        check(self, self.name)

    def start(self, character: Character, reference: Reference, stage: Stage) -> Dynamics:
        """The equations of motion."""
        return Dynamics(character)

    def surround(self, memory: Dynamics, reference: Reference, stage: Stage) -> Dynamics:
        """It knows nothing of the stage."""
        return memory

    def act(self, state: State, touches: Touches, reference: Reference, memory: Dynamics) -> Array:
        """-c I v for every joint (nv,) [N m], where I is its inertia with all other joints free, within its limits."""
        x = memory.at(state.q, state.v)
        free = 1.0 / np.maximum(np.diag(np.linalg.inv(x.mass_matrix)), 1e-9)
        torque = -self.rate * free * state.v
        torque[:6] = 0.0
        most = memory.character.torque_limit
        return np.clip(torque, -most, most)

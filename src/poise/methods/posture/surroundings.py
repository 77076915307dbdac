"""What stands about, what moves the ground, and links that stay upright: sections 3.6.2 and 3.6.4.

Objectives are rows of least squares in the joint velocities x of the upper body: weight (row·x - goal)². A link whose
axis c = R a shall be vertical wants the level part of c to vanish at the end of the step, c' = ω × c. A body nearer to
a thing than the clearance is led away from it along the normal n, n · J x. What is hit all the same pushes with a force
at the point of contact, "an external force is applied at the site of collision".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.dynamics import Wrench, engine
from poise.dynamics.compiled import Compiled
from poise.errors import BadValue
from poise.ground.ground import parts_of
from poise.maths.rotations import Array
from poise.methods.posture.body import Parts
from poise.methods.posture.settings import Settings
from poise.simulate.simulator import State, Touches, no_touches
from poise.stage import PlatformMotion, Stage
from poise.stage.nearness import Close, Nearness
from poise.take.record import CONTACT_WIDTH

_DAMPING = 0.02  # [s] times the hardness: damper of what is hit
_AWAY = 8.0  # [1/s] at which a body that is too near is led away
_INSIDE = 0.01  # [m] by which a body may be inside a thing at the beginning


class Near(NamedTuple):
    """What is close to the body or touches it."""

    close: tuple[Close, ...]
    wrenches: tuple[Wrench, ...]  # of what is hit
    touches: Touches


NOTHING = Near((), (), no_touches())


class Surroundings:
    """A stage as the method sees it."""

    def __init__(self, character: Character, stage: Stage, settings: Settings, parts: Parts):
        self.settings, self.character = settings, character
        own = [p.motion for p in parts_of(stage.ground) if p.motion is not None]
        self.motions = [*own, *(e for e in stage.events if isinstance(e, PlatformMotion))]
        self.uprights = [(character.body(u.body), np.array(u.axis, float)) for u in settings.uprights]
        bodies = np.unique(character.model.dof_bodyid[parts.upper])
        self.nearness = Nearness(character, stage, bodies) if stage.props else None
        self.names = ("ground", *character.body_names[1:], *(p.name for p in stage.props))
        self.props: Mapping[str, Array] = dict(self.nearness.poses) if self.nearness is not None else {}
        self.friction = float(stage.friction)

    def check(self, q: Array) -> None:
        """Refuse things that stand inside the body in its first pose q (nq,)."""
        found = [] if self.nearness is None else self.nearness.at(q, 0.0)
        deepest = min(found, key=lambda c: c.distance, default=None)
        if deepest is not None and deepest.distance < -_INSIDE:
            body = self.character.body_names[deepest.body].replace("_", " ")
            raise BadValue(f"{deepest.thing} stands {-100 * deepest.distance:.0f} cm inside the {body} when the "
                           "performance begins; put it elsewhere.")  # fmt: skip

    def carried(self, time: float) -> Array:
        """How far (3,) [m] the ground has moved at a time [s]."""
        out = np.zeros(3)
        for motion in self.motions:
            out += np.asarray(motion(time), float)
        return out

    def near(self, state: State, compiled: Compiled) -> Near:
        """What is close to the body in a state, which the terms hold."""
        if self.nearness is None:
            return NOTHING
        close = tuple(self.nearness.at(state.q, self.settings.clearance))
        hit, table = [], []
        for c in close:
            if c.distance < 0.0:
                speed = float(c.normal @ engine.jacobian(compiled.model, compiled.data, c.body, c.point)[0] @ state.v)
                force = max(self.settings.hardness * (-c.distance - _DAMPING * speed), 0.0) * c.normal
                hit.append(Wrench(c.body, c.point, force))
                row = np.zeros(CONTACT_WIDTH)
                row[0], row[1], row[2:5], row[5:8] = c.body, self.names.index(c.thing), c.point, c.normal
                row[8:11], row[14], row[15] = force, self.friction, -c.distance
                table.append(row)
        return Near(close, tuple(hit), Touches(np.array(table), self.names) if table else no_touches())

    def rows(self, compiled: Compiled, near: Near, upper: np.ndarray, root: Array, h: float
             ) -> tuple[Array, Array, Array]:  # fmt: skip
        """Rows (R, n), goals and prices (R,) of the additional objectives; root (6,): its velocity in this step."""
        n, found = len(upper), []
        for body, axis in self.uprights:
            c = compiled.terms.rotations[body] @ axis
            turning = engine.jacobian(compiled.model, compiled.data, body, compiled.terms.positions[body])[1]
            for i, j in ((0, 1), (1, 0)):  # (ω × c) of x and y
                sign = 1.0 if i == 0 else -1.0
                row = h * sign * (turning[j] * c[2] - turning[2] * c[j])
                found.append((row, -c[i], self.settings.upright))
        wide, weight = self.settings.clearance, self.settings.repulsion
        for close in near.close if weight > 0.0 and wide > 0.0 else ():
            row = h * close.normal @ engine.jacobian(compiled.model, compiled.data, close.body, close.point)[0]
            share = min((wide - close.distance) / wide, 1.0)
            found.append((row, h * _AWAY * (wide - close.distance), weight * share * share))
        if not found:
            return np.zeros((0, n)), np.zeros(0), np.zeros(0)
        rows = np.array([r for r, _, _ in found])
        goals = np.array([g for _, g, _ in found]) - rows[:, :6] @ root
        return np.ascontiguousarray(rows[:, upper]), goals, np.array([p for _, _, p in found])

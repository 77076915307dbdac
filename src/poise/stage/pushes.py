"""Which pushes act on a character at a time, for whatever moves it."""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.dynamics import Wrench
from poise.maths.rotations import Array, rotate
from poise.stage.events import Push
from poise.stage.stage import Stage


def pushes_at(stage: Stage, character: Character, q: Array, time: float, dt: float) -> list[Wrench]:
    """The pushes on a character in configuration q (nq,), as means over the step from `time` to `time + dt` [s]."""
    props = {p.name for p in stage.props}
    acting = [e for e in stage.events if isinstance(e, Push) and e.body not in props and e.share(time, dt) > 0.0]
    if not acting:
        return []
    pos, quat = character.forward(q)
    out = []
    for push in acting:
        body = character.body(push.body)
        point = pos[0, body] + rotate(quat[0, body], push_point(character, push))
        out.append(Wrench(body, point, push.share(time, dt) * np.asarray(push.force, float)))
    return out


def push_point(character: Character, push: Push) -> Array:
    """Where a push acts (3,), in the body's frame [m]."""
    if push.point is not None:
        return np.asarray(push.point, float)
    return character.model.body_ipos[character.body(push.body)].copy()

"""How near a character's bodies are to things that stand about: distance, direction and the nearest points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.dynamics import engine
from poise.maths.rotations import Array
from poise.stage.stage import Stage
from poise.stage.world import build


class Close(NamedTuple):
    """A body that is near a thing."""

    body: int
    thing: str
    distance: float  # [m], below 0: inside it
    point: Array  # (3,) [m] of the body, nearest to the thing
    normal: Array  # (3,) from the thing to the body


class Nearness:
    """A character among props at rest. Bodies are looked at in the order of their numbers, props in that of the stage.

    Distances are those between shapes, by MuJoCo; shapes that are further away than asked for are passed over by their
    bounding spheres.
    """

    def __init__(self, character: Character, stage: Stage, bodies: np.ndarray):
        """`bodies` (B,): those of the character that are looked at."""
        world = build(character, Stage(props=stage.props))
        self.model, self.data, self.nq = world.model, engine.data_of(world.model), world.nq
        owner, radius = world.model.geom_bodyid, world.model.geom_rbound
        self.shapes = [g for g in range(world.model.ngeom) if owner[g] in bodies and radius[g] > 0.0]
        self.things = [(p.name, g) for p in stage.props for g in range(world.model.ngeom)
                       if owner[g] == world.things[p.name] and world.model.geom_contype[g]]  # fmt: skip
        self.poses = {p.name: _pose(world, p.name) for p in stage.props}

    def at(self, q: Array, within: float) -> list[Close]:
        """All that is nearer than a distance [m] at configuration q (nq,)."""
        model, data, out = self.model, self.data, []
        data.qpos[: self.nq] = q
        engine.kinematics(model, data)
        places = data.geom_xpos
        for name, thing in self.things:
            for shape in self.shapes:
                reach = model.geom_rbound[shape] + model.geom_rbound[thing] + within
                if float(np.sum((places[shape] - places[thing]) ** 2)) > reach * reach:
                    continue
                distance, ends = engine.shape_distance(model, data, shape, thing, within)
                away = ends[:3] - ends[3:]
                if distance < within and abs(distance) > 1e-9:
                    out.append(Close(int(model.geom_bodyid[shape]), name, distance, ends[:3].copy(), away / distance))
        return out


def _pose(world: object, name: str) -> Array:
    """Where a prop stands (7,): place and quaternion."""
    model = world.model  # type: ignore[attr-defined]
    body = world.things[name]  # type: ignore[attr-defined]
    return np.concatenate([model.body_pos[body], model.body_quat[body]])

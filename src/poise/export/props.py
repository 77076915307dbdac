"""The props of a take in pictures: what each looks like, and where it is at a time."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from poise.errors import PoiseError
from poise.export import scene
from poise.export.intersect import SOLID, Shapes
from poise.export.skin import Part, model_parts
from poise.ground.ground import parts_of
from poise.ground.pieces import Part as GroundPart
from poise.maths.rotations import Array
from poise.stage import Ball, Bar, Barbell, Box, Sphere
from poise.stage.building import Builder, contact_of
from poise.stage.earth import lay
from poise.stage.fittings import PARKED, place_ball, place_prop
from poise.take import Take

_KINDS = {kind.__name__: kind for kind in (Box, Sphere, Barbell, Bar, Ball)}


@dataclass(frozen=True, eq=False)
class Props:
    """Things beside the character and parts of the ground that move: a body each in a model, and recorded poses."""

    model: mujoco.MjModel
    bodies: Mapping[str, int]
    time: Array  # (F,) [s] from the first frame
    poses: Mapping[str, Array]  # (F, 7) each: place [m], quaternion

    @classmethod
    def of(cls, take: Take) -> Props | None:
        """Those of a take; None where it has none. What its stage does not describe (any more) is left out."""
        builder = Builder(mujoco.MjSpec(), contact_of("soft"), 1.0)
        facts = take.stage if isinstance(take.stage, Mapping) else {}
        made = [_made(f) for f in (*(facts.get("props") or ()), *(facts.get("events") or ()))]
        for prop in (p for p in made if p is not None and not isinstance(p, Ball)):
            place_prop(builder, prop, 0)
        for k, ball in enumerate(b for b in made if isinstance(b, Ball)):
            place_ball(builder, ball, k)
        parts = parts_of(take.ground)
        if parts:
            lay(builder, _Loose(parts))  # type: ignore[arg-type]
        model = builder.spec.compile()
        known = {model.body(b).name.removeprefix("stage/"): b for b in range(1, model.nbody)}
        bodies = {name: body for name, body in known.items() if name in take.props}
        return cls(model, bodies, take.time - take.time[0], take.props) if bodies else None

    def parts(self, name: str) -> list[Part]:
        """The solids of one prop in its own frame [m], with their colours."""
        return [p for p in model_parts(self.model) if p.owner == self.bodies[name]]

    def at(self, name: str, times: Array) -> tuple[Array, np.ndarray]:
        """Poses (M, 7) of one prop in the frames nearest to times (M,) [s], and whether (M,) it is there.

        A ball that has not been thrown is not.
        """
        frames = np.abs(self.time[None] - np.asarray(times, float)[:, None]).argmin(axis=1)
        poses = self.poses[name][frames]
        return poses, poses[:, 2] < 0.5 * PARKED

    def near(self, root: Array, time: float, reach: float, names: Collection[str] | None = None) -> Shapes:
        """Shapes of what is within `reach` [m] of a root (3,) at a time [s]; only those of these `names`."""
        out = [Shapes.none()]
        for name, body in self.bodies.items():
            if names is not None and name not in names:
                continue
            pose = self.at(name, np.array([time]))[0][0]
            large = float(self.model.geom_rbound[self.model.geom_bodyid == body].max(initial=0.0))
            if np.linalg.norm(pose[:3] - root) - large <= reach:
                out.append(self._shapes(body, pose))
        return Shapes.join(out)

    def all(self, time: float) -> Shapes:
        """Shapes of everything that is there at a time [s]."""
        there = {body: self.at(name, np.array([time])) for name, body in self.bodies.items()}
        return Shapes.join([Shapes.none(), *(self._shapes(b, p[0]) for b, (p, on) in there.items() if on[0])])

    def _shapes(self, body: int, pose: Array) -> Shapes:
        geoms = np.flatnonzero(self.model.geom_bodyid == body)
        return Shapes.join([Shapes.none(), *(scene.geom(self.model, int(g), pose, SOLID) for g in geoms)])


class _Loose:
    """The parts of a ground that move, as a ground of their own."""

    def __init__(self, parts: tuple[GroundPart, ...]) -> None:
        self._parts = parts

    def pieces(self) -> tuple[GroundPart, ...]:
        return self._parts


def _made(facts: Any) -> Any:
    """The prop or ball that a description tells of; None for other events, and for what does not fit any more."""
    if not isinstance(facts, Mapping) or facts.get("kind") not in _KINDS:
        return None
    try:
        return _KINDS[str(facts["kind"])](**{k: v for k, v in facts.items() if k != "kind"})
    except (PoiseError, TypeError):
        return None

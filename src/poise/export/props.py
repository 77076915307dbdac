"""The props of a take in pictures: what each looks like, and where it is at a time."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from poise.export import scene
from poise.export.intersect import SOLID, Shapes
from poise.export.skin import Part, model_parts
from poise.maths.rotations import Array
from poise.stage.described import described
from poise.stage.fittings import PARKED
from poise.take import Take


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
        found = described(take.stage, take.ground)
        bodies = {name: body for name, body in found.bodies.items() if name in take.props}
        model = found.model
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

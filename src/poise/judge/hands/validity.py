"""Is a solution physically valid? Every number from MuJoCo's own kinematics, distances and inverse dynamics.

Nothing of the search is used: its motion is put into a MuJoCo model, and its contact forces are compared with it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import mujoco
import numpy as np

from poise.character.library.hand import fingers, link_name
from poise.dynamics.engine import shape_distance
from poise.judge.hands.world import build, set_frame
from poise.maths.rotations import Array
from poise.methods.hands.scene import Scene
from poise.methods.hands.solution import Load, Solution

BARS = {
    "penetration": 5e-4,
    "fingers": 5e-4,
    "table": 5e-4,
    "cone": 1e-9,
    "force": 0.01,
    "torque": 0.01,
    "slip": 3e-4,
    "creep": 2e-3,
    "gap": 1e-3,
    "limits": 1e-6,
    "speed": 6.0,
    "backward": 1e-4,
}
"""What is allowed, in the units of `Validity`."""


@dataclass(frozen=True)
class Validity:
    """The worst of every frame."""

    penetration: float  # [m] of a hand into the object
    fingers: float  # [m] of fingers into one another
    table: float  # [m] of a hand into table or stands
    cone: float  # [N] of friction beyond its cone
    force: float  # residual of Newton's law, share of the weight
    torque: float  # residual of Euler's law, share of weight x half the object's length
    slip: float  # [m] a frame, of contacts that do not slide
    creep: float  # [m] of such a contact as long as it carries a force
    gap: float  # [m] between the surfaces of a loaded contact, and of its point from either
    limits: float  # [rad] beyond joint limits
    speed: float  # [rad/s]
    backward: float  # [m] a frame of sliding against the friction's direction

    @property
    def faults(self) -> tuple[str, ...]:
        """What is beyond its bar; what is not a number is."""
        return tuple(k for k, v in asdict(self).items() if not v <= BARS[k])

    @property
    def valid(self) -> bool:
        """Is all within its bar?"""
        return not self.faults


class Checker:
    """The check of solutions of one scene."""

    def __init__(self, scene: Scene):
        self.scene, self.model = scene, build(scene)
        self.data = mujoco.MjData(self.model)
        m, self.hand = self.model, []
        for h, side in enumerate(scene.sides):
            F = fingers(side)
            self.hand += [
                (h, f, b, m.geom(link_name(side, f, b)).id, m.body(link_name(side, f, b)).id)
                for f in range(5)
                for b in range(F.links[f])
            ]
        self.rigid = [m.geom(f"{s}_{n}").id for s in scene.sides for n in ("carpus_0", "carpus_1")]
        thing = m.body("thing").id
        self.thing = [g for g in range(m.ngeom) if m.geom_bodyid[g] == thing]
        self.around = [g for g in range(m.ngeom) if m.geom(g).name.startswith(("table", "stand"))]
        self.limits = np.stack([np.stack([fingers(s).low, fingers(s).high]) for s in scene.sides])

    def __call__(self, solution: Solution) -> Validity:
        """The worst of every frame of a solution."""
        frames = [self._frame(solution, t) for t in range(len(self.scene))]
        deep, meet, table, gap, bodies = zip(*frames, strict=True)
        cone, force, torque = self._newton(solution)
        slip, creep, back = self._slip(solution, bodies)
        low, high = self.limits[:, 0][:, None], self.limits[:, 1][:, None]
        over = np.maximum(low - solution.q, solution.q - high).max()
        speed = np.abs(np.diff(solution.q, axis=1)).max() * self.scene.fps
        return Validity(
            max(deep),
            max(meet),
            max(table),
            cone,
            force,
            torque,
            slip,
            creep,
            max(gap),
            max(float(over), 0.0),
            float(speed),
            back,
        )

    def _between(self, a: int, b: int) -> float:
        """Distance [m] of two geoms by MuJoCo, 2 cm where they are farther."""
        return shape_distance(self.model, self.data, a, b, 0.02)[0]

    def _frame(self, solution: Solution, t: int) -> tuple[float, float, float, float, dict]:
        set_frame(self.model, self.data, self.scene, solution.q[:, t], t)
        links = [g for *_, g, _ in self.hand]
        near = {g: [self._between(g, o) for o in self.thing] for g in (*links, *self.rigid)}
        deep = max(-min(d) for d in near.values())
        table = max((-self._between(g, o) for g in (*links, *self.rigid) for o in self.around), default=0.0)
        meet = 0.0
        for i, (h, f, b, g, _) in enumerate(self.hand):
            for h2, f2, b2, g2, _ in self.hand[i + 1 :]:
                same = h == h2
                if same and (f == f2 or b == 0 or b2 == 0 or (b == 1 and b2 == 1 and abs(f - f2) == 1)):
                    continue  # bases of fingers lie in one another
                if np.linalg.norm(self.data.geom_xpos[g] - self.data.geom_xpos[g2]) < 0.09:
                    meet = max(meet, -self._between(g, g2))
        index = {(h, f, b): g for h, f, b, g, _ in self.hand}
        gap = 0.0
        for c in solution.loads[t].contacts:
            g = index[int(c[0]), int(c[1]), int(c[2])]
            gap = max(gap, min(near[g]), self._off_surface(g, c[6:9], t))
        bodies = {
            (h, f, b): (self.data.xpos[k].copy(), self.data.xmat[k].reshape(3, 3).copy()) for h, f, b, _, k in self.hand
        }
        return max(deep, 0.0), meet, max(table, 0.0), gap, bodies

    def _off_surface(self, g: int, point: Array, t: int) -> float:
        """How far a point of the object (3,), in its frame, is from the surface of a link [m]."""
        c, m = self.scene.centre, self.model
        x = c.place[t] + c.matrix[t] @ point - self.data.geom_xpos[g]
        axis = self.data.geom_xmat[g].reshape(3, 3)[:, 2]
        along = float(np.clip(x @ axis, -m.geom_size[g, 1], m.geom_size[g, 1]))
        return abs(float(np.linalg.norm(x - along * axis)) - m.geom_size[g, 0])

    def _newton(self, solution: Solution) -> tuple[float, float, float]:
        """Friction beyond cones [N], and what Newton and Euler miss, against MuJoCo's inverse dynamics of the
        object.
        """
        scene, m = self.scene, self.model
        d, dt, c = mujoco.MjData(m), 1 / scene.fps, scene.centre
        m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
        weight, half = scene.thing.mass * 9.81, float(np.diff(scene.thing.extent, axis=0).max()) / 2
        cone, force, torque = 0.0, 0.0, 0.0
        for t in range(1, len(scene) - 1):
            ends = [np.r_[c.place[k], c.turn[k]] for k in (t - 1, t, t + 1)]
            halves = []
            for a, b in ((0, 1), (1, 2)):
                v, qa, qb = np.zeros(m.nv), d.qpos.copy(), d.qpos.copy()
                qa[:7], qb[:7] = ends[a], ends[b]
                mujoco.mj_differentiatePos(m, v, dt, qa, qb)
                halves.append(v[:6])
            d.qpos[:7] = ends[1]
            d.qvel[:6], d.qacc[:6] = (halves[0] + halves[1]) / 2, (halves[1] - halves[0]) / dt
            mujoco.mj_inverse(m, d)
            R, load = c.matrix[t], solution.loads[t]
            points = np.concatenate([load.points, load.table_points])
            f = np.concatenate([load.forces, load.table_forces])
            missing = d.qfrc_inverse[:3] - R @ f.sum(0)
            turning = d.qfrc_inverse[3:6] - np.cross(points, f).sum(0)
            force = max(force, float(np.linalg.norm(missing)) / weight)
            torque = max(torque, float(np.linalg.norm(turning)) / (weight * half))
            cone = max(cone, self._beyond_cones(load, R))
        return cone, force, torque

    def _beyond_cones(self, load: Load, R: Array) -> float:
        """[N] the greatest |f̂| - µ f^n of a frame, with normals of MuJoCo's own where the table pushes."""
        worst = 0.0
        for n, f, mu in (
            (load.normals, load.forces, self.scene.friction),
            (np.broadcast_to(R[2], load.table_forces.shape), load.table_forces, self.scene.table_friction),
        ):
            fn = np.einsum("ni,ni->n", n, f)
            ft = np.linalg.norm(f - fn[:, None] * n, axis=1)
            worst = max(worst, float((ft - mu * fn).max(initial=0.0)), float((-fn).max(initial=0.0)))
        return worst

    def _slip(self, solution: Solution, bodies: tuple[dict, ...]) -> tuple[float, float, float]:
        """Slip a frame and over a contact's life [m] of contacts that do not slide, and how far others slide
        backwards.
        """
        c, T = self.scene.centre, len(self.scene)
        slip, longest, back, life = 0.0, 0.0, 0.0, {}
        for t, load in enumerate(solution.loads):
            now = {}
            for k, row in enumerate(load.contacts):
                key, local, n = tuple(int(v) for v in row[:3]), row[3:6], row[9:12]
                a, b = max(t - 1, 0), min(t + 1, T - 1)
                ends = [c.matrix[u].T @ (bodies[u][key][0] + bodies[u][key][1] @ local - c.place[u]) for u in (a, b)]
                way = (ends[1] - ends[0]) / (b - a)
                way -= (way @ n) * n
                if load.sliding[k]:
                    f = load.forces[load.owner == k].sum(0)
                    f -= (f @ n) * n
                    back = max(back, float(-(way @ f) / (np.linalg.norm(f) + 1e-12)))
                    continue
                size = float(np.linalg.norm(way))
                now[key] = life.get(key, 0.0) + size
                slip, longest = max(slip, size), max(longest, now[key])
            life = now
        return slip, longest, back

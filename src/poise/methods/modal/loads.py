"""Loads in the hands: weights that the body carries at the points of its closed hands.

The body with what it carries is planned for and moved as one: its inertia, its centre of mass, its momentum. A barbell
in two hands is a weight in each, half of it, at the point that the hand holds. While the plates are down the ground
bears it; they roll, so they are pushed up and nowhere else. A load that is seized was at rest, and is set in motion at
once.

Departures: the paper lifts a barbell of 30 kg and does not say how it is modelled. What a long barbell has of inertia
beyond that of two weights in the hands is left out; in a simulator it is there.
"""

from __future__ import annotations

import copy

import mujoco
import numpy as np

from poise.dynamics import engine
from poise.maths import GRAVITY
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.methods.modal.touch import Points
from poise.stage import Stage
from poise.stage.props import Barbell


def carrying(model: engine.Model, bodies: np.ndarray, local: Array, masses: Array) -> engine.Model:
    """A copy of a model with masses (G,) [kg] fixed at points local (G, 3) of bodies (G,)."""
    out = copy.copy(model)
    for b, point, mass in zip(bodies, local, masses, strict=True):
        if mass <= 0.0:
            continue
        turn = rot.to_matrix(out.body_iquat[b])
        own, before = float(out.body_mass[b]), out.body_ipos[b].copy()
        total = own + mass
        centre = (own * before + mass * point) / total
        inertia = turn @ np.diag(out.body_inertia[b]) @ turn.T
        for m, x in ((own, before - centre), (mass, point - centre)):
            inertia = inertia + m * (x @ x * np.eye(3) - np.outer(x, x))
        size, axes = np.linalg.eigh(inertia)
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        out.body_mass[b], out.body_ipos[b], out.body_inertia[b] = total, centre, size
        out.body_iquat[b] = rot.from_matrix(axes)
        out.body_sameframe[b], out.body_simple[b] = 0, 0
    mujoco.mj_setConst(out, engine.data_of(out))
    return out


class Loads:
    """What the hands carry now, and where it is."""

    def __init__(self, stage: Stage, points: Points):
        self.points = points
        self.bells = {p.name: p for p in stage.props if isinstance(p, Barbell)}
        self.borne = np.zeros(len(points.grips), bool)
        self.rate: Array = np.zeros((len(points.grips), 3))  # [m/s] of each load when the step began
        self.poses = {name: _pose_of(bell) for name, bell in self.bells.items()}
        self._fall = {name: 0.0 for name in self.bells}

    @property
    def masses(self) -> Array:
        """[kg] that each hand (G,) bears now."""
        return np.where(self.borne, self.points.loads, 0.0)

    def changed(self, holds: np.ndarray) -> bool:
        """Have hands closed round a load or let go of one, now that these (G,) hold?"""
        now = holds & (self.points.loads > 0.0)
        if np.array_equal(now, self.borne):
            return False
        self.borne = now
        return True

    def rows(self, rows: Array, before: Array, after: Array, rate: Array, gravity: Array, dt: float) -> Array:
        """Contacts (K, 18) of a step with the forces that the loads had on the hands.

        before, after (G, 3) [m]: the hands' points at the ends of the step; rate (G, 3) [m/s] at its end. Rows of
        loads hold what the ground pushed up.
        """
        out = [rows]
        points = self.points
        for k in np.flatnonzero(self.borne):
            mass, x, y = points.loads[k], before[k], after[k]
            force = mass * (gravity - (rate[k] - self.rate[k]) / dt)
            moment = mass * (np.cross(0.5 * (x + y), gravity) - (np.cross(y, rate[k]) - np.cross(x, self.rate[k])) / dt)
            moment -= np.cross(x, force)
            body = points.bodies[points.feet + k]
            mine = np.flatnonzero((rows[:, 0] == body) & (rows[:, 17] == 1.0))
            if len(mine):
                force = force + rows[mine[0], 8:11]
                row = rows[mine[0]]
            else:
                row = np.zeros(18)
                out.append(row[None])
            size = max(float(np.linalg.norm(force)), 1e-12)
            row[0], row[2:5], row[5:8], row[8:11], row[11:14], row[17] = body, x, force / size, force, moment, 1.0
        return np.concatenate(out) if len(out) > 1 else rows

    def carry(self, places: Array, dt: float) -> None:
        """Move the barbells to where the hands' points (G, 3) are; those that nobody holds fall to the ground."""
        points = self.points
        for name, bell in self.bells.items():
            mine = [k for k, g in enumerate(points.grips) if g.to == name and self.borne[k]]
            pose = self.poses[name]
            if not mine:
                if any(g.to == name and not np.isnan(points.stands[k]) for k, g in enumerate(points.grips)):
                    self._fall[name] += GRAVITY * dt
                    pose[2] = max(pose[2] - self._fall[name] * dt, min(pose[2], bell.plate_radius))
                continue
            self._fall[name] = 0.0
            pose[:3] = places[mine].mean(axis=0)
            if len(mine) == 2:
                way = places[mine[0]] - places[mine[1]]
                if way @ rot.rotate(pose[3:7], np.array([0.0, 1.0, 0.0])) < 0.0:
                    way = -way
                along = rot.rotate(pose[3:7], np.array([0.0, 1.0, 0.0]))
                pose[3:7] = rot.multiply(rot.between(along, way), pose[3:7])


def _pose_of(bell: Barbell) -> Array:
    return np.concatenate([np.asarray(bell.position, float), rot.about_z(np.radians(bell.yaw))])

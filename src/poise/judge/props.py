"""Audit of props: does what touched a loose thing explain how its own momentum changed?

A take has the poses of its props, the character's contacts with them, whose reactions act on the prop, and what props
touch beside (`take.prop_contacts`: the ground, one another, pushes). The law is that of `poise.judge.positions`, for
one rigid body: from frame to frame its centre of mass c and its spin L = R I w change by the impulses of gravity and
of these forces,

    P_k = m (c_{k+1} - c_k) / dt,        P_k - P_{k-1} = (1 - s) J_{k-1} + s J_k + what nothing explains.

Shares are of the prop's own weight, and for torques of weight times half its length. A take that does not tell what its
props touch (they are drawn along by a method) is not measured, and neither are props that are fixed or led.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from poise.judge import touches
from poise.judge.positions import acts_at, held_over, left_over, uncertain
from poise.judge.report import Worst, worst
from poise.judge.surface import distance_in
from poise.judge.tolerances import Tolerances
from poise.maths import rotations as rot
from poise.maths.intervals import runs
from poise.maths.rotations import Array
from poise.stage.described import Described, described
from poise.stage.events import PropMotion
from poise.stage.fittings import PARKED
from poise.stage.props import stays
from poise.take import Take
from poise.take.record import ContactRecord


class PropsFound(NamedTuple):
    """The worst of all props."""

    force: Worst  # share of the prop's weight that nothing explains, mean over a window
    torque: Worst  # share of its weight x half its length
    cone: Worst  # share of its weight by which a contact leaves its friction cone, beyond a share of its own force
    misplaced: Worst  # [m] between a contact of it and its surface


class Rigid(NamedTuple):
    """What a prop weighs, in its own frame."""

    mass: float  # [kg]
    centre: Array  # (3,) [m]
    inertia: Array  # (3, 3) [kg m²] about it
    half: float  # [m] half of its greatest length


NOTHING = PropsFound(Worst(0.0), Worst(0.0), Worst(0.0), Worst(0.0))


def audit_props(take: Take, limits: Tolerances) -> PropsFound:
    """What is wrong with the loose props of a take; nothing where it does not tell what they touch."""
    if take.prop_contacts is None or len(take) < 3:
        return NOTHING
    stage = described(take.stage, take.ground)
    out = [_one(take, name, stage, limits) for name in loose(take, stage)]
    return PropsFound(*(_worst_of(found) for found in zip(*out, strict=True))) if out else NOTHING


def loose(take: Take, stage: Described) -> list[str]:
    """Names of the props that only forces move."""
    led = {e.prop for e in stage.events if isinstance(e, PropMotion)}
    return [n for n in take.props if n in stage.values and not stays(stage.values[n]) and n not in led]


def rigid(model: mujoco.MjModel, body: int) -> Rigid:
    """Mass, centre, inertia and size of a body of the model of props."""
    axes = rot.to_matrix(model.body_iquat[body])
    ends = []
    for g in np.flatnonzero(model.geom_bodyid == body):
        signs = np.array(np.meshgrid((-1, 1), (-1, 1), (-1, 1))).reshape(3, -1).T
        corners = model.geom_aabb[g, :3] + signs * model.geom_aabb[g, 3:]
        ends.append(model.geom_pos[g] + rot.rotate(model.geom_quat[g], corners))
    half = 0.5 * float(np.ptp(np.concatenate(ends), axis=0).max())
    inertia = axes @ np.diag(model.body_inertia[body]) @ axes.T
    return Rigid(float(model.body_mass[body]), np.array(model.body_ipos[body]), inertia, half)


def _worst_of(found: tuple[Worst, ...]) -> Worst:
    return max(found, key=lambda w: np.inf if np.isnan(w.value) else w.value)


def _one(take: Take, name: str, stage: Described, limits: Tolerances) -> PropsFound:
    """One prop: its law in every stretch of frames in which it is there, and its contacts."""
    assert take.prop_contacts is not None
    body, pose = rigid(stage.model, stage.bodies[name]), take.props[name]
    forces, points, moments, frames, cone = _acting(take, name, limits.cone_share)
    there = np.isfinite(pose).all(axis=1) & (pose[:, 2] < 0.5 * PARKED)
    acts, weight = (forces, points, moments, frames), max(body.mass * _gravity(take), 1e-9)
    held = [_law(take, body, pose, a, b, acts, limits) for a, b in runs(there) if b - a > 2]
    force, torque = (_worst_of(tuple(pair[k] for pair in held) or (Worst(0.0),)) for k in (0, 1))
    away = _misplaced(take, stage, name, pose, points, frames)
    return PropsFound(
        force._replace(what=name),
        torque._replace(what=name),
        worst(cone[:, None] / weight, take.time[frames], [name]),
        worst(away[:, None], take.time[frames], [name]),
    )


def _gravity(take: Take) -> float:
    return float(np.linalg.norm(take.character.model.opt.gravity))


def _acting(take: Take, name: str, share: float) -> tuple[Array, Array, Array, np.ndarray, Array]:
    """Forces (K, 3) on a prop, reactions included; points, moments, frames, and how far each leaves its cone [N].

    A share of its own force does not count: normals turn a little within a frame.
    """
    assert take.prop_contacts is not None
    parts = []
    for rows, sign in ((take.contacts, -1.0), (take.prop_contacts, 1.0)):
        chosen = _rows_of(rows, name, sign < 0)
        force = sign * rows.force[chosen]
        cone = np.maximum(touches.outside_cones(rows)[chosen] - share * np.linalg.norm(force, axis=1), 0.0)
        parts.append((force, rows.point[chosen], sign * rows.moment[chosen], rows.frame[chosen], cone))
    first, second = parts
    return tuple(np.concatenate([a, b]) for a, b in zip(first, second, strict=True))  # type: ignore[return-value]


def _rows_of(rows: ContactRecord, name: str, touched: bool) -> np.ndarray:
    """Rows in which something touches the prop, or in which the prop touches something."""
    if name not in rows.others:
        return np.zeros(0, int)
    return np.flatnonzero((rows.other if touched else rows.body) == rows.others.index(name))


def _law(take: Take, body: Rigid, pose: Array, a: int, b: int, acts: tuple[Array, Array, Array, np.ndarray],
         limits: Tolerances) -> tuple[Worst, Worst]:  # fmt: skip
    """What Newton's and Euler's law leave in frames a .. b - 1: shares, the worst means over a window."""
    time, place, turn = take.time[a:b], pose[a:b, :3], rot.continuous(pose[a:b, 3:7])
    spans = np.diff(time)[:, None]
    centre = place + rot.rotate(turn, body.centre)
    rate = rot.log(rot.multiply(rot.conjugate(turn[:-1]), turn[1:])) / spans
    middle = rot.multiply(turn[:-1], rot.exp(0.5 * spans * rate))
    moved, spin = body.mass * np.diff(centre, axis=0) / spans, rot.rotate(middle, rate @ body.inertia)
    origin, between = centre[0], 0.5 * (centre[:-1] + centre[1:])
    spin = spin + np.cross(between - origin, moved)  # about a fixed point: recorded moments are exact there
    early = 0.5 * np.minimum(take.step / spans, 1.0)  # as in `audit_take.unexplained`
    at = (0.5 + early) * centre[:-1] + (0.5 - early) * centre[1:]
    force, torque = _wrench(take, body, acts, at, origin, a, b)
    share = acts_at(take, np.diff(moved, axis=0) - force[:-1] * spans[:-1], np.diff(force * spans, axis=0))
    count = max(1, min(round(limits.window / take.dt), len(spans) - 1))
    weight, long = max(body.mass * _gravity(take), 1e-9), 1.0 - np.minimum(take.step / spans[:, 0], 1.0)
    missing = left_over(moved, force, spans, share)
    turning = left_over(spin, torque, spans, share) - np.cross(centre[1:-1] - origin, missing)
    about = torque - np.cross(at - origin, force)
    held = held_over(missing, uncertain(force) * long, spans, count, time)  # a frame of one step has one moment
    turned = held_over(turning, uncertain(about) * long, spans, count, time)
    return held._replace(value=held.value / weight), turned._replace(value=turned.value / (weight * body.half))


def _wrench(take: Take, body: Rigid, acts: tuple[Array, Array, Array, np.ndarray], at: Array, origin: Array,
            a: int, b: int) -> tuple[Array, Array]:  # fmt: skip
    """Mean force and torque about `origin` on a prop, its weight `at`, in the intervals of frames a .. b - 1."""
    forces, points, moments, frames = acts
    force = np.tile(body.mass * take.character.model.opt.gravity, (b - a - 1, 1))
    torque = np.cross(at - origin, force)
    chosen = np.flatnonzero((frames >= a) & (frames < b - 1))
    k = frames[chosen] - a
    np.add.at(force, k, forces[chosen])
    np.add.at(torque, k, moments[chosen] + np.cross(points[chosen] - origin, forces[chosen]))
    return force, torque


def _misplaced(take: Take, stage: Described, name: str, pose: Array, points: Array, frames: np.ndarray) -> Array:
    """How far (K,) [m] contacts lie from the prop, at the frame or at the next one, whichever is nearer."""
    bodies, out = np.full(len(points), stage.bodies[name]), np.full(len(points), np.inf)
    for frame in (frames, np.minimum(frames + 1, len(take) - 1)):
        own = rot.rotate(rot.conjugate(pose[frame, 3:7]), points - pose[frame, :3])
        out = np.minimum(out, distance_in(stage.model, bodies, own, held=True))
    way = np.linalg.norm(np.diff(pose[:, :3], axis=0, append=pose[-1:, :3]), axis=1)
    return np.where(np.isfinite(out), np.maximum(out - way[frames], 0.0), 0.0)

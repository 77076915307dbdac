"""Clearance between the legs: how far swinging feet must keep to their sides so that the legs do not collide.

For a recorded clip `spread` measures what is lacking; while a gait is authored, `between_legs` bounds the inverse
kinematics. In most papers legs pass through each other. Bodies made from recordings are a little wider than those that
were recorded, whose feet pass within millimetres of each other: their legs overlap by up to 4 cm, and a simulated
foot that meets the other shin is flung aside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import mujoco
import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.ik import ik
from poise.motion.reference import Reference

_MARGIN = 0.015  # [m] between the legs
_STEP, _MOST = 0.005, 0.10  # [m] steps in which a foot is moved aside, and how far at most
_BROAD = 0.05  # [s] before and after for which a foot keeps aside
FENCED = ("thigh", "shin", "foot", "toes")  # parts that half-spaces keep apart
_GAP = 0.004  # [m] from the plane between the legs to either of them
_WEIGHT = 0.5  # of the half-spaces, in units of `ik.POINT_COST`
_PASSES, _BESIDE = 0.45, 10.0  # [m] between two feet along the way from which on they pass, and what that weighs
_PARTS = (("shin", 0.5), ("foot", 1.0), ("toes", 1.0))  # of a leg, and the share of the foot's way that they move by


@dataclass(frozen=True, eq=False)
class Passing:
    """How far each foot keeps outwards, by the time of a reference."""

    outwards: Array  # (N, 2) [m] by frame of the clip
    dt: float  # [s] between frames
    start: float  # [s] in the clip at the reference's time zero
    period: float  # [s], 0 for an open clip

    @classmethod
    def of(cls, reference: Reference) -> Passing:
        """For the legs of a reference."""
        clip = reference.baked
        return cls(spread(clip), clip.dt, reference.start, clip.duration if clip.cycle is not None else 0.0)

    def at(self, side: int, t: float) -> tuple[float, float]:
        """How far [m] a foot keeps outwards at time t [s] of the reference, and at what rate [m/s] it changes."""
        t += self.start
        if self.period > 0.0:
            t -= self.period * math.floor(t / self.period)
        k = min(max(int(t / self.dt), 0), len(self.outwards) - 2)
        a, b = float(self.outwards[k, side]), float(self.outwards[k + 1, side])
        share = min(1.0, t / self.dt - k)
        return a + share * (b - a), (b - a) / self.dt


@lru_cache(maxsize=32)
def spread(clip: Clip) -> Array:
    """How far outwards (N, 2) [m] the feet of a clip must be moved for its legs to keep apart, smooth in time."""
    out = np.zeros((len(clip), 2))
    legs = [_shapes(clip.character, side) for side in SIDES]
    if not all(legs) or len(clip) < 4:
        return out
    model, data = clip.character.model, mujoco.MjData(clip.character.model)
    labels, points = clip.contacts.labels, clip.character.contact_points
    swinging = np.stack([~labels[:, points.of(side)].any(axis=1) for side in SIDES], axis=1)
    for k in np.flatnonzero(swinging.any(axis=1)):
        data.qpos[:] = clip.q[k]
        mujoco.mj_kinematics(model, data)
        way = float(rot.heading(clip.q[k, 3:7]))
        share = swinging[k] / swinging[k].sum()
        out[k] = _least(model, data, legs, share, np.array([-np.sin(way), np.cos(way), 0.0])) * share
    return _smooth(out, clip) if out.any() else out


def _shapes(character: Character, side: str) -> list[tuple[int, float]]:
    """The shapes of a lower leg and the share of its foot's shift by which each moves."""
    share = {character.body(f"{side}_{part}"): s for part, s in _PARTS if character.has(f"{side}_{part}")}
    model = character.model
    return [(g, share[int(b)]) for g, b in enumerate(model.geom_bodyid) if int(b) in share and model.geom_contype[g]]


def _least(model: mujoco.MjModel, data: mujoco.MjData, legs: list[list[tuple[int, float]]], share: Array, across: Array
           ) -> float:  # fmt: skip
    """The least way [m] by which the two legs, each by its share, must go outwards."""
    places, line, moved = data.geom_xpos.copy(), np.zeros(6), 0.0
    pairs = [(a, b) for a, _ in legs[0] for b, _ in legs[1]]
    pairs = [p for p in pairs if mujoco.mj_geomDistance(model, data, *p, _MOST, line) < _MARGIN]
    while pairs and moved < _MOST:
        moved += _STEP
        for leg, sign, part in zip(legs, (1.0, -1.0), share, strict=True):
            for g, s in leg:
                data.geom_xpos[g] = places[g] + sign * part * s * moved * across
        pairs = [p for p in pairs if mujoco.mj_geomDistance(model, data, *p, _MOST, line) < _MARGIN]
    return moved


def _smooth(out: Array, clip: Clip) -> Array:
    """The greatest of the frames around, then their weighted mean; round the seam of a loop."""
    reach = max(1, round(_BROAD / clip.dt))
    mode = "wrap" if clip.cycle is not None else "edge"
    body = out[:-1] if clip.cycle is not None else out
    padded = np.pad(body, ((2 * reach, 2 * reach), (0, 0)), mode=mode)
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1, axis=0).max(axis=-1)
    bell = np.hanning(2 * reach + 3)[1:-1]
    windows = np.lib.stride_tricks.sliding_window_view(windows, 2 * reach + 1, axis=0) @ (bell / bell.sum())
    return np.concatenate([windows, windows[:1]]) if clip.cycle is not None else windows


def between_legs(character: Character, heading: Array, place: Array, lean: Array, parts: Sequence[str] = FENCED
                 ) -> tuple[ik.FloorTarget, ...]:  # fmt: skip
    """Half-spaces, one for each frame, that keep the inner surface of each leg on its side of a path.

    The path is told by its heading (N,) [rad], its places (N, 2) [m] and the lean (N,) [rad] of the body to the left.
    What lies across the line already while the body stands upright may stay there.
    """
    left = np.stack([-np.sin(heading) * np.cos(lean), np.cos(heading) * np.cos(lean), -np.sin(lean)], axis=-1)
    middle = np.sum(place * left[:, :2], axis=1)
    standing, _ = character.forward(character.standing_pose())
    out = []
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for part in parts:
            if not character.has(f"{side}_{part}"):
                continue
            body = character.body(f"{side}_{part}")
            for point in inner_points(character, body, sign):
                level = min(_GAP, sign * float(standing[0, body, 1] + point[1]))
                out.append(ik.FloorTarget(body, point, sign * middle + level, sign * left, _WEIGHT))
    return tuple(out)


def beside_standing(character: Character, wanted: Array, places: Array, labels: np.ndarray, now: Array,
                    left: Array) -> list[ik.FloorTarget]:  # fmt: skip
    """Half-spaces that keep a swinging leg as far from the one that stands as in a motion `wanted` (N, nq).

    There the legs pass each other. In what is followed instead the standing foot may be elsewhere, at `places`
    (N, P, 3) of its contact points that touch by `labels` (N, P): a swinging foot has to keep away from it there.
    A foot that is too near in the pose `now` (nq,) of frame 1 may be so by a share `left` (N,) of that.
    """
    (pos, quat), (here, turned) = character.forward(wanted), character.forward(now[None])
    known, heading = character.contact_points, rot.heading(wanted[:, 3:7])
    aside = np.stack([-np.sin(heading), np.cos(heading), np.zeros(len(wanted))], axis=-1)
    along = np.stack([np.cos(heading), np.sin(heading), np.zeros(len(wanted))], axis=-1)
    there = character.place(pos, quat, known.bodies, known.positions)
    down = [labels[:, known.of(side)].any(axis=1) for side in SIDES]
    out: list[ik.FloorTarget] = []
    for side, other, sign in ((0, 1, 1.0), (1, 0, -1.0)):
        own, its = known.of(SIDES[side]), known.of(SIDES[other])
        alone = ~down[side] & down[other]
        if not len(own) or not alone.any():
            continue
        on = labels[:, its, None] / np.maximum(labels[:, its].sum(axis=1), 1)[:, None, None]
        off = np.sum(on * (places - there)[:, its], axis=1)  # (N, 3) of the standing foot
        ahead = np.sum(along * (there[:, own].mean(axis=1) - there[:, its].mean(axis=1)), axis=1)
        weight = _BESIDE * alone * np.cos(0.5 * np.pi * np.clip(ahead / _PASSES, -1.0, 1.0)) ** 2
        for part in ("shin", "foot", "toes"):
            if character.has(f"{SIDES[side]}_{part}"):
                body = character.body(f"{SIDES[side]}_{part}")
                for point in inner_points(character, body, sign):
                    at = pos[:, body] + rot.rotate(quat[:, body], point) + off
                    level = sign * np.sum(aside * at, axis=1)
                    lacks = level[1] - sign * aside[1] @ (here[0, body] + rot.rotate(turned[0, body], point))
                    level -= max(float(lacks), 0.0) * left
                    out.append(ik.FloorTarget(body, point, level, sign * aside, weight))
    return out


def inner_points(character: Character, body: int, sign: float) -> Array:
    """The points (K, 3) of a limb's body, in its frame, that are nearest to the middle (`sign` 1: a left limb)."""
    model, found = character.model, []
    for g in np.flatnonzero(model.geom_bodyid == body):
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, model.geom_quat[g])
        R, size, centre = R.reshape(3, 3), model.geom_size[g], model.geom_pos[g]
        inward = np.array([0.0, -sign, 0.0])
        kind = model.geom_type[g]
        if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
            found += [centre + end * size[1] * R[:, 2] + size[0] * inward for end in (-1.0, 1.0)]
        elif kind == mujoco.mjtGeom.mjGEOM_BOX:
            corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size @ R.T
            nearest = corners @ inward
            found += [centre + c for c in corners[nearest > nearest.max() - 1e-3]]
        elif kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
            reach = size * (R.T @ inward)
            found.append(centre + R @ (size * reach) / max(float(np.linalg.norm(reach)), 1e-9))
        elif kind == mujoco.mjtGeom.mjGEOM_SPHERE:
            found.append(centre + size[0] * inward)
    return np.array(found).reshape(-1, 3)

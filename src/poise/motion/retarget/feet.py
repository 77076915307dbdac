"""Feet and toes that touch the ground: what of their recorded orientations is believed there."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import distance_transform_edt, gaussian_filter1d

from poise.character import Character
from poise.character.roles import SIDES
from poise.ground.ground import Ground
from poise.maths import rotations as rot
from poise.maths.intervals import runs
from poise.maths.rotations import Array
from poise.motion.retarget.footprints import names
from poise.motion.retarget.pose import upright_zero

LIFT = 0.06  # [m] height of the ball of a foot from which on it and its toes turn as recorded
ROLL = np.radians(15.0)  # by which a foot that touches may stand on its edge
LEAVE = 0.15  # [s] before and after a contact in which a foot comes to the heading it has there
FADE = 0.03  # [s] over which one leads to the other


def level_feet(turns: dict[str, Array], target: Character, source: Character, pos: Array, quat: Array, ground: Ground,
               labels: np.ndarray, dt: float) -> None:  # fmt: skip
    """Lay, in `turns` (world orientations by role), feet and toes level where the source's feet touch the ground.

    Toes are the noisiest joints of a recording, and some bodies have none: near the ground its contact is a better
    guide, and from a toe that points straight into the ground no small correction leads out. Feet keep their pitch and
    heading; only a foot on its edge is set down.
    """
    _, zero, _ = upright_zero(target)
    for side in SIDES:
        free = _free(source, pos, quat, ground, labels, side, dt)
        foot = target.body(f"{side}_foot")
        moved = rot.multiply(turns[f"{side}_foot"], rot.conjugate(zero[foot]))
        moved = rot.multiply(moved, rot.from_axis_angle(np.array([1.0, 0.0, 0.0]), -(1.0 - free) * _edge(moved)))
        turns[f"{side}_foot"] = rot.multiply(moved, zero[foot])
        if target.has(f"{side}_toes"):
            toes = target.body(f"{side}_toes")
            level = rot.multiply(rot.about_z(rot.heading(moved)), zero[toes])
            turns[f"{side}_toes"] = rot.slerp(level, turns[f"{side}_toes"], free)


def foot_turn(target: Character, q: Array, turns: dict[str, Array], side: str, touching: np.ndarray,
              dt: float) -> Array:  # fmt: skip
    """Displacement (N, 4) of a foot from its zero pose: as wanted in `turns`, but about as the ankle in q can head.

    Many ankles cannot turn about the vertical; such a foot shall not twist the whole leg to point as it was recorded.
    While it is `touching` (N,) the difference in heading is constant, so that a foot that stands does not turn.
    """
    _, zero, _ = upright_zero(target)
    foot = target.body(f"{side}_foot")
    wanted = rot.multiply(turns[f"{side}_foot"], rot.conjugate(zero[foot]))
    found = rot.multiply(target.forward(q)[1][:, foot], rot.conjugate(zero[foot]))
    ahead = [rot.rotate(m, np.array([1.0, 0.0, 0.0]))[:, :2] for m in (wanted, found)]
    angle = (rot.heading(found) - rot.heading(wanted) + np.pi) % (2 * np.pi) - np.pi
    angle *= np.sum(ahead[0] ** 2, axis=1) * np.sum(ahead[1] ** 2, axis=1)  # a foot on its tip has no heading
    spans = runs(touching)
    if len(spans):
        ends = np.stack([spans[:, 0], spans[:, 1] - 1], axis=1).ravel()
        steady = np.interp(np.arange(len(q)), ends, np.repeat([float(np.median(angle[a:e])) for a, e in spans], 2))
        near = np.clip(1.0 - np.asarray(distance_transform_edt(~touching)) * dt / LEAVE, 0.0, 1.0)
        angle += near * near * (3.0 - 2.0 * near) * (steady - angle)
    return rot.multiply(rot.about_z(angle), wanted)


def _free(
    source: Character, pos: Array, quat: Array, ground: Ground, labels: np.ndarray, side: str, dt: float
) -> Array:
    """How free (N,) a foot is from the ground: 0 where it touches, 1 where its ball is `LIFT` above, smooth between."""
    own, front = source.contact_points, [*names(source, side, "ball"), *names(source, side, "tip")]
    if not front:
        return np.ones(len(pos))
    ball = names(source, side, "ball") or front
    places = source.place(pos, quat, own.bodies[ball], own.positions[ball])
    high = (places[..., 2] - ground.height(places[..., 0], places[..., 1])).min(axis=1)
    s = np.clip(high / LIFT, 0.0, 1.0)
    s[labels[:, front].any(axis=1)] = 0.0
    s = gaussian_filter1d(s, FADE / dt, mode="nearest")
    return s * s * (3.0 - 2.0 * s)


def _edge(moved: Array) -> Array:
    """Angle (N,) about its long axis by which a foot, displaced from the zero pose by `moved`, is rolled past `ROLL`.

    A foot that stands on its tip has no roll.
    """
    across = rot.rotate(moved, np.array([0.0, 1.0, 0.0]))[:, 2]
    up = rot.rotate(moved, np.array([0.0, 0.0, 1.0]))[:, 2]
    roll = np.arctan2(across, up)
    return (roll - np.clip(roll, -ROLL, ROLL)) * np.minimum(1.0, 2.0 * np.hypot(across, up))

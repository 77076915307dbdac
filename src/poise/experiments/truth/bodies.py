"""What a clip needs of the ground, from nothing but the masses, places and turns of its bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.experiments.truth.measured import TOUCHES, low_passed
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip

FALLS = 9.81  # [m/s²]


@dataclass(frozen=True, eq=False)
class Needed:
    """One row a frame, body weights and metres."""

    times: Array  # (N,) [s]
    mass_centre: Array  # (N, 3), not low-passed
    force: Array  # (N, 3) that moves the centre of mass: a / g + (0, 0, 1)
    pressure: Array  # (N, 2) where on the plane z = 0 it would have to act; NaN where hardly anything pushes


def needed(clip: Clip, cutoff: float) -> Needed:
    """The force (N, 3) and its centre of pressure from places low-passed at a frequency [Hz].

    With r_i, m_i, I_i and ω_i of the bodies, F = Σ m_i (r_i'' - g) and the moment about the origin
    M = Σ m_i r_i × (r_i'' - g) + d/dt Σ I_i ω_i; the centre of pressure on z = 0 is (-M_y, M_x) / F_z.
    """
    character, model, dt = clip.character, clip.character.model, clip.dt
    pos, quat = character.forward(clip.q)
    mass = model.body_mass
    raw = pos + rot.rotate(quat, model.body_ipos[None])
    places = low_passed(raw, dt, cutoff)
    pull = _slope(_slope(places, dt), dt) + np.array([0.0, 0.0, FALLS])
    frame = rot.multiply(quat, model.body_iquat[None])
    turn = rot.log(rot.multiply(frame[1:], rot.conjugate(frame[:-1]))) / dt  # world axes, between frames
    spin = low_passed(np.concatenate([turn[:1], 0.5 * (turn[1:] + turn[:-1]), turn[-1:]]), dt, cutoff)
    own = rot.rotate(frame, model.body_inertia[None] * rot.rotate(rot.conjugate(frame), spin)).sum(axis=1)
    force = np.einsum("b,nbi->ni", mass, pull)
    moment = np.einsum("b,nbi->ni", mass, np.cross(places, pull)) + _slope(own, dt)
    weight = float(mass.sum()) * FALLS
    push = force[:, 2:3] / weight
    at = np.stack([-moment[:, 1], moment[:, 0]], axis=1) / np.where(push > 4.0 * TOUCHES, force[:, 2:3], np.nan)
    return Needed(clip.times, np.einsum("b,nbi->ni", mass, raw) / mass.sum(), force / weight, at)


def mass_centre(clip: Clip) -> Array:
    """The centre of mass (N, 3) [m] of all bodies of a clip: Σ m_i r_i / Σ m_i."""
    pos, quat = clip.character.forward(clip.q)
    model = clip.character.model
    places = pos + rot.rotate(quat, model.body_ipos[None])
    return np.einsum("b,nbi->ni", model.body_mass, places) / model.body_mass.sum()


def _slope(x: Array, dt: float) -> Array:
    return np.gradient(x, dt, axis=0)

"""Poses to stand in: on both feet, on one, carelessly set up; each a clip of one frame."""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.character.posing import turn_joints
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.recording import Source

_CLEAR = 0.001  # [m] between the soles and the ground at the start


def pose_clip(character: Character, q: Array, down: tuple[bool, bool] = (True, True), name: str = "pose") -> Clip:
    """A clip of one frame with the lower foot set down, and both feet, or one, meant to stand."""
    points = character.contact_points
    q = np.array(q, float)
    feet = np.concatenate([points.of(s) for s, on in zip(("left", "right"), down, strict=True) if on]).astype(int)
    q[2] -= character.points(q)[0][feet, 2].min() - _CLEAR
    labels = np.zeros((1, len(points)), bool)
    labels[0, feet] = True
    source = Source(name, format="built-in", licence="Apache-2.0", notes=("authored",))
    return Clip(character, q[None], 1 / 120, source, labels=labels)


def two_feet(character: Character, width: float = 4.0, bend: float = 5.0) -> Clip:
    """Standing on both feet, legs spread by `width` degrees each and knees bent by twice `bend` degrees."""
    q = _turned(character, character.zero_pose(), {
        f"{side}_{part}": angles
        for side, sign in (("left", 1.0), ("right", -1.0))
        for part, angles in (("thigh", (sign * width, -bend, 0.0)), ("shin", (0.0, 2 * bend, 0.0)),
                             ("foot", (-sign * width, -bend, 0.0)), ("upper_arm", (sign * 10.0, 5.0, 0.0)),
                             ("forearm", (0.0, -25.0, 0.0)))
    })  # fmt: skip
    return pose_clip(character, q, name="two feet")


def one_foot(character: Character, side: str = "left") -> Clip:
    """Standing on one foot, the other one lifted; the leg leans so that the centre of mass is over its foot."""
    low, high = -5.0, 20.0
    while high - low > 0.05:
        lean = 0.5 * (low + high)
        q = _one_foot_pose(character, side, lean)
        foot = character.contact_points.of(side)
        inside = character.centre_of_mass(q)[0, 1] - character.points(q)[0][foot, 1].mean()
        low, high = (low, lean) if inside * (1.0 if side == "left" else -1.0) > 0 else (lean, high)
    return pose_clip(
        character, _one_foot_pose(character, side, high), (side == "left", side == "right"), f"{side} foot"
    )


def _one_foot_pose(character: Character, side: str, lean: float) -> Array:
    other, sign = ("right", 1.0) if side == "left" else ("left", -1.0)
    return _turned(character, character.zero_pose(), {
        f"{side}_thigh": (-sign * lean, -7.0, 0.0), f"{side}_shin": (0.0, 10.0, 0.0),
        f"{side}_foot": (sign * lean, -3.0, 0.0), f"{other}_thigh": (-sign * 4.0, -50.0, 0.0),
        f"{other}_shin": (0.0, 85.0, 0.0), f"{other}_foot": (0.0, 10.0, 0.0),
        f"{side}_upper_arm": (sign * 20.0, 0.0, 0.0), f"{other}_upper_arm": (-sign * 35.0, 0.0, 0.0),
    })  # fmt: skip


def careless(clip: Clip, seed: int, degrees: float = 6.0, height: float = 0.03, beside: float = 0.04) -> Array:
    """A start (nq,) nobody took care with: every joint off by some degrees (standard deviation), dropped from above.

    The lower of the feet that should stand is up to `height` [m] above the ground. On one foot such a body has its
    centre of mass up to 25 cm beside it, which nobody could save; it is leaned at the ankle until that is `beside` [m].
    """
    rng, character = np.random.default_rng(seed), clip.character
    turn = np.radians(degrees) * rng.standard_normal(character.model.nv)
    turn[:3], turn[3:6] = 0.0, 0.5 * turn[3:6]
    q = conf.integrate(character.layout, clip.q[0], turn)
    left, right = clip.contacts.feet()[0]
    if left != right:
        q = _leaned(character, q, "left" if left else "right", beside)
    q = pose_clip(character, q, (bool(left), bool(right))).q[0].copy()
    q[2] += height * rng.uniform()
    return q


def _leaned(character: Character, q: Array, side: str, beside: float) -> Array:
    """The pose leaned at the ankle, the foot as it is, until the centre of mass is `beside` [m] its middle at most."""
    foot = character.body(f"{side}_foot")
    shin = int(character.model.body_parentid[foot])
    for _ in range(4):
        places, turns = character.forward(q)
        ankle, sole = places[0, foot], character.points(q)[0][character.contact_points.of(side)]
        off = character.centre_of_mass(q)[0] - sole.mean(axis=0)
        level = float(np.hypot(off[0], off[1]))
        if level <= beside:
            break
        angle = np.arctan2(level - beside, off[2])
        lean = rot.exp(angle * np.array([-off[1], off[0], 0.0]) / level * -1.0)
        q = q.copy()
        q[:3] = ankle + rot.rotate(lean, q[:3] - ankle)
        q[3:7] = rot.multiply(lean, q[3:7])
        relative = rot.multiply(rot.conjugate(rot.multiply(lean, turns[0, shin])), turns[0, foot])
        rest = character.model.body_quat[foot]
        out = q[None].copy()
        turn_joints(character, out, foot, rot.multiply(rot.conjugate(rest), relative)[None])
        q = out[0]
    return q


def _turned(character: Character, q: Array, angles: dict[str, tuple[float, float, float]]) -> Array:
    """A configuration with joints turned: role -> angles about x, y, z [degrees], applied in this order."""
    out = q[None].copy()
    for role, turns in angles.items():
        if character.has(role):
            want = rot.from_euler("zyx", np.radians(turns[::-1]))
            turn_joints(character, out, character.body(role), want[None])
    return out[0]

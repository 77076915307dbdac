"""Planting: how the feet of a clip stand flat on its floor.

A foot is planted while heel and ball are both at rest under a body that it carries. It is flat where it lies lowest:
on tiptoe, on the heel or on an edge some of it is raised. Recordings disagree with their own rest poses by degrees and
centimetres, so medians over the stances decide, small corrections alone are believed, and where feet hardly stand
nothing is said.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.character.roles import SIDES
from poise.character.skeletons.from_skeleton import Planted
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.contact.foot_motion import FootMotion, foot_motion
from poise.motion.reading.floor import weighted_median
from poise.motion.reading.treads import stances

SPEEDS = (0.15, 0.30, 0.60)  # [m/s] below which heel and ball are at rest; the first that tells enough
ENOUGH = 0.15  # [s] of standing flat that tells how a foot stands
LONGEST = 0.5  # [s] a longer stance says no more
LOW = 0.012  # [m] above the lowest: still flat
ALIKE = np.radians(6.0)  # flat feet differ by no more
TIPTOE, TOES_UP, EDGE = np.radians([10.0, 12.0, 15.0])  # heel, toes or an edge higher than that are raised
FAR = np.radians(25.0)  # feet that are tilted more do not stand
BENT = np.radians(30.0)  # greatest bend of flat toes that is believed
THIN, THICK = 0.024, 0.07  # ankle above the sole, in shares of standing height
APART = 0.04  # [m] by which the two ankles may differ
HEEL_STRIKE = np.radians(10.0)  # toes up by which a foot rolls over its heel
HEEL_TIME = 0.1  # [s] of rolling that tells where the sole ends
PAD = 0.005  # [m] by which a heel is pressed flat
EXACT = 0.001  # [m] within which a third of all strikes agree where feet were put down by a repair
SHORTEST = 0.55  # of the way from the ankle to the back of the heel: where the sole ends at least


@dataclass(frozen=True, eq=False)
class _Foot:
    """One foot over the frames of a clip in which it may be planted."""

    frames: np.ndarray  # (F,)
    stance: np.ndarray  # (F,) to which stance each frame belongs
    up: Array  # (F, 3) the upward direction in the foot's frame
    ankle: Array  # (F,) its height above the ground [m]
    middle: Array  # (F,) mean height of heel and ball above the ground [m]
    bend: Array  # (F,) of the toes [rad]


def planted(clip: Clip) -> dict[str, Planted]:
    """How each foot stands, by side; empty unless both feet tell it.

    The clip's floor must be level (see `poise.motion.reading.floor.level`).
    """
    seen = foot_motion(clip)
    found: dict[str, Planted] = {}
    for side in SIDES:
        if len(seen.of(side)) and clip.character.has(f"{side}_foot"):
            for speed in SPEEDS:
                foot = _flat(_standing(clip, seen, side, speed), clip.dt)
                if foot is not None:
                    found[side] = _told(foot, clip.dt)
                    break
    if len(found) < len(SIDES):
        return {}
    both = _paired(found, clip.character.height)
    heel = _heel(clip, both)
    return {side: replace(foot, heel=heel) for side, foot in both.items()}


def _standing(clip: Clip, seen: FootMotion, side: str, speed: float) -> _Foot:
    """The frames in which heel and ball of a foot are slower than `speed` [m/s] and the foot carries the body."""
    character, firm = clip.character, seen.firm(side)
    still = np.all(seen.speed[:, firm] < speed, axis=1)
    which = np.full(len(seen), -1)
    for k, s in enumerate(stances(seen)):
        if s.side == side:
            which[s.first : s.last] = k
    which = seen.trimmed(np.where(still, which, -1))
    frames = np.flatnonzero(which >= 0)
    place = seen.trimmed(seen.place)[frames][:, firm]
    ground = clip.ground.height(place[..., 0], place[..., 1]).max(axis=1)  # a heel may reach over the edge of a tread
    pos, quat = character.forward(clip.q[frames])
    body = character.body(f"{side}_foot")
    up = rot.rotate(rot.conjugate(quat[:, body]), np.array([0.0, 0.0, 1.0]))
    bend = np.zeros(len(frames))
    if character.has(f"{side}_toes"):
        between = rot.multiply(rot.conjugate(quat[:, body]), quat[:, character.body(f"{side}_toes")])
        bend = rot.twist_angle(between, np.array([0.0, 1.0, 0.0]))
    return _Foot(frames, which[frames], up, pos[:, body, 2] - ground, place[..., 2].mean(axis=1) - ground, bend)


def _flat(foot: _Foot, dt: float) -> _Foot | None:
    """The part of it in which the foot is flat; None if that is too little to tell, or too far from flat to believe."""
    pitch, roll = _tilt(foot.up)
    near = np.maximum(np.abs(pitch), np.abs(roll)) < FAR
    if near.sum() * dt < ENOUGH:
        return None
    low = near & (foot.middle < np.percentile(foot.middle[near], 20) + LOW)
    usual = np.median(foot.up[low], axis=0)
    alike = near & (foot.up @ usual > np.cos(ALIKE) * np.linalg.norm(usual))
    pitch, roll = _tilt(usual)
    if alike.sum() * dt < ENOUGH or not -TOES_UP < pitch < TIPTOE or abs(roll) > EDGE:
        return None
    return _Foot(*(getattr(foot, f)[alike] for f in _Foot.__dataclass_fields__))


def _tilt(up: Array) -> tuple[Array, Array]:
    """Pitch, toes down, and roll, left edge up, [rad] of feet in whose frame `up` (..., 3) is upward."""
    return np.arctan2(-up[..., 0], up[..., 2]), np.arctan2(up[..., 1], up[..., 2])


def _told(foot: _Foot, dt: float) -> Planted:
    """What a flat foot tells: medians over its stances, kept within what is believed."""
    stance, count = np.unique(foot.stance, return_counts=True)
    weight = np.minimum(count * dt, LONGEST)
    rows = np.column_stack([foot.up, foot.bend, foot.ankle])
    each = np.array([np.median(rows[foot.stance == k], axis=0) for k in stance])
    *up, bend, ankle = (weighted_median(column, weight) for column in each.T)
    return Planted(np.array(up) / np.linalg.norm(up), float(np.clip(bend, -BENT, BENT)), ankle)


def _paired(found: dict[str, Planted], height: float) -> dict[str, Planted]:
    """Both feet, each ankle at a plausible height, the two not too far apart."""
    thin, thick = THIN * height, THICK * height
    usual = float(np.mean([foot.ankle for foot in found.values()]))
    middle = float(np.clip(usual, thin, thick))
    out = {}
    for side, foot in found.items():
        off = float(np.clip(foot.ankle - usual, -0.5 * APART, 0.5 * APART))
        out[side] = replace(foot, ankle=float(np.clip(middle + off, thin, thick)))
    return out


def _heel(clip: Clip, feet: dict[str, Planted]) -> float | None:
    """Where the flat of the sole ends behind the ankle [m]: heels are round, and a sharp one would sink as it strikes.

    None where the feet hardly roll over their heels. Both feet together tell one number.
    """
    character = clip.character
    pos, quat = character.forward(clip.q)
    points, told, exact, back = character.contact_points, [], [], 0.0
    for side, foot in feet.items():
        body = character.body(f"{side}_foot")
        back = -float(points.positions[[n.startswith(f"{side}_heel") for n in points.names], 0].min(initial=0.0))
        flat = rot.between(foot.up, np.array([0.0, 0.0, 1.0]))
        up = rot.rotate(flat, rot.rotate(rot.conjugate(quat[:, body]), np.array([0.0, 0.0, 1.0])))
        ankle = pos[:, body, 2] - clip.ground.height(pos[:, body, 0], pos[:, body, 1])
        depth = back * up[:, 0] + foot.ankle * up[:, 2] - ankle
        strikes = (up[:, 0] > np.sin(HEEL_STRIKE)) & (depth > 0.0) & (depth < foot.ankle)
        exact.append(((ankle - foot.ankle * up[:, 2]) / np.where(strikes, up[:, 0], 1.0))[strikes])
        told.append(((PAD + ankle - foot.ankle * up[:, 2]) / np.where(strikes, up[:, 0], 1.0))[strikes])
    reach, sure = np.concatenate(told), np.sort(np.concatenate(exact))
    if len(reach) * clip.dt < HEEL_TIME:
        return None
    if len(sure) > 4:  # a heel that was put down rolls over one line
        share = len(sure) // 3
        spans = sure[share:] - sure[:-share]
        if spans.min() < EXACT:
            return float(np.clip(np.median(sure[spans.argmin() :][: share + 1]), SHORTEST * back, back))
    return float(np.clip(np.percentile(reach, 20), SHORTEST * back, back))

"""Rising: key poses that lead a body from the ground to its feet, phase by phase: guides for the search of `get_up`.

On the back it hooks a foot, pushes with it and rolls over a side; on a side it rolls on; on the front, after a roll
aside where the arms lie below it, it draws its hands to its shoulders, pushes itself up to hands and knees, sets a foot
between its hands, and stands up over that foot as a sprinter does from the blocks. Every phase begins where the body is
then. The angles are ours, told in the channels of the authored clips (`physical/library/acting.py`), so that any body
with the usual roles can be led by them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.character.leg_length import hip_height
from poise.character.roles import SIDES
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.physical.library.acting import AT_EASE, KeyPose, mirrored
from poise.physical.library.actor import act, told
from poise.physical.library.authoring import pose, ramp
from poise.rehearsal.lying import attitude, lowest, prone, within

FPS = 120.0
SUPINE, SIDEWAYS = 1.9, 0.6  # [rad] of roll from which on a body lies on its back, and on its side
_OTHER = {"left": "right", "right": "left"}

_FLAT = {"free": 1.0, "tilt": 90.0, "look_down": 60.0}
AHEAD = {**_FLAT, "hip": 5.0, "hip_out": 8.0, "knee": 10.0, "raise": 140.0, "out": 25.0, "elbow": 25.0}
READY = {**_FLAT, "hip": 5.0, "hip_out": 8.0, "knee": 10.0, "raise": 35.0, "out": 45.0, "elbow": 120.0, "spin": -20.0}
FOURS = {**_FLAT, "tilt": 80.0, "bend": 5.0, "hip": 84.0, "hip_out": 14.0, "knee": 110.0, "raise": 88.0, "out": 16.0,
         "elbow": 8.0}  # fmt: skip
# the left foot ahead
LIFTED = {**_FLAT, "tilt": 56.0, "list": 15.0, "bend": 22.0, "look_down": 50.0, "hip_out": 12.0, "right_hip": 60.0,
          "right_knee": 110.0, "left_hip": 138.0, "left_hip_out": 14.0, "left_knee": 145.0, "left_ankle": -25.0,
          "raise": 90.0, "out": 18.0, "elbow": 5.0}  # fmt: skip
BLOCKS = {**_FLAT, "tilt": 42.0, "bend": 40.0, "look_down": 40.0, "hip_out": 10.0, "right_hip": 46.0,
          "right_knee": 110.0, "left_hip": 134.0, "left_knee": 112.0, "left_ankle": -20.0, "raise": 85.0, "out": 18.0,
          "elbow": 5.0}  # fmt: skip


def _over_foot(hips: float, centre: float, tilt: float, bend: float, heel: float, arms: float) -> dict[str, float]:
    return {**AT_EASE, "hips": hips, "centre_x": centre, "tilt": tilt, "bend": bend, "look_down": 0.5 * tilt,
            "right_pitch": heel, "raise": arms, "out": 14.0, "elbow": 30.0, "left_x": 0.0}  # fmt: skip


# standing up over the left foot: the pose, the share of the way back at which the right foot is, its lift [leg
# lengths], where the middle is between the feet, and how long it takes [s]
STANDING_UP = (
    (_over_foot(0.64, 0.0, 58.0, 28.0, 55.0, 75.0), 1.0, 0.0, 0.3, 0.5),
    (_over_foot(0.74, 0.0, 38.0, 20.0, 60.0, 40.0), 1.0, 0.0, 0.15, 0.4),
    (_over_foot(0.86, 0.04, 16.0, 10.0, 65.0, 20.0), 0.95, 0.0, 0.03, 0.4),
    (_over_foot(0.95, 0.05, 5.0, 5.0, 20.0, 5.0), 0.4, 0.06, -0.02, 0.4),
    (_over_foot(0.97, 0.05, 2.0, 0.0, 0.0, 2.0), 0.0, 0.0, 0.5, 0.35),
    (_over_foot(0.97, 0.05, 2.0, 0.0, 0.0, 2.0), 0.0, 0.0, 0.5, 0.3),
)
_APART = 0.2  # [leg lengths] of the feet at the end


class Phase(NamedTuple):
    """A guide of some tenths of a second, from where a body is."""

    name: str
    q: Array  # (N, nq) at 120 frames a second
    loose: float  # factor of the errors that are let pass
    wide: float  # factor of the spread of samples
    feedforward: bool = False
    effort: float = 1.0  # factor of the samples


def roll(character: Character, q: Array, to: float) -> Phase:
    """From the back over a side: the right one for `to` = 1, the left one for -1."""
    (yaw, now), (over, under) = attitude(q), ("left", "right") if to > 0 else ("right", "left")
    base = {**_FLAT, "look_down": 70.0, f"{under}_hip": 8.0, f"{under}_hip_out": -5.0, f"{under}_knee": 10.0,
            f"{under}_raise": 150.0, f"{under}_out": 10.0, f"{under}_elbow": 10.0}  # fmt: skip
    hook = {f"{over}_hip": 55.0, f"{over}_knee": 110.0, f"{over}_ankle": 10.0, f"{over}_raise": 75.0,
            f"{over}_out": 10.0, f"{over}_elbow": 20.0}  # fmt: skip
    push = {"twist": -20.0 * to, f"{over}_hip": 5.0, f"{over}_hip_out": -12.0, f"{over}_knee": 85.0,
            f"{over}_ankle": 30.0, f"{over}_raise": 85.0, f"{over}_out": -40.0, f"{over}_elbow": 10.0}  # fmt: skip
    begun = min(0.97 * np.pi, max(1.6, (to * now) % (2.0 * np.pi)))
    rolled = ((base | hook, begun, 0.0), (base | push, 1.9, 0.1), (_sideways(to), 0.9, 0.25))
    keys = [_flat(character, values, q, yaw, to * angle, far * to) for values, angle, far in rolled]
    return _phase("rolls over", character, [q, *keys], (0.35, 0.4, 0.35), 1.3, 3.0)


def _sideways(to: float) -> dict[str, float]:
    """On a side: the arm below stretched out ahead, the limbs above on their way over it."""
    over, under = ("left", "right") if to > 0 else ("right", "left")
    return {**_FLAT, "look_down": 70.0, "twist": -10.0 * to, f"{under}_hip": 8.0, f"{under}_hip_out": -5.0,
            f"{under}_knee": 10.0, f"{under}_raise": 150.0, f"{under}_out": 10.0, f"{under}_elbow": 10.0,
            f"{over}_hip": 50.0, f"{over}_hip_out": -20.0, f"{over}_knee": 60.0, f"{over}_raise": 85.0,
            f"{over}_out": -30.0, f"{over}_elbow": 30.0}  # fmt: skip


def roll_on(character: Character, q: Array, arms: Mapping[str, float]) -> Phase:
    """From a side to the front, the arms as told there."""
    yaw, now = attitude(q)
    to = float(np.sign(now))
    keys = [_flat(character, arms, q, yaw, 0.0, 0.1 * to)]
    times = [0.5]
    if abs(now) > 1.2:
        keys.insert(0, _flat(character, _sideways(to), q, yaw, 0.6 * now, 0.05 * to))
        times = [0.25, 0.35]
    return _phase("rolls on its front", character, [q, *keys], times, 1.3, 2.0)


def roll_aside(character: Character, q: Array, to: float) -> Phase:
    """From the front on a side, so that arms which lie below the chest come free: the right one for `to` = 1."""
    yaw, _ = attitude(q)
    key = _flat(character, _sideways(to), q, yaw, 1.1 * to, -0.15 * to)
    return _phase("rolls aside", character, [q, key], (0.6,), 1.3, 3.0)


def draw_hands(character: Character, q: Array, arms: Mapping[str, float] = READY) -> Phase:
    """On the front: the hands to the shoulders, or where else they are told."""
    yaw, _ = attitude(q)
    return _phase("draws its hands up", character, [q, _flat(character, arms, q, yaw, 0.0, 0.0)], (0.45,), 1.3, 2.0)


def push_up(character: Character, q: Array) -> Phase:
    """From the front to hands and knees."""
    yaw, _ = attitude(q)
    key = _upright(character, FOURS, q[:2], yaw)
    return _phase("pushes itself up", character, [q, key, key], (0.75, 0.25), 1.0, 1.5)


def set_foot(character: Character, q: Array, side: str) -> Phase:
    """From hands and knees: a foot between the hands, the other knee stays on the ground."""
    (yaw, _), knee = attitude(q), f"{_OTHER[side]}_shin"
    keys = []
    for values in (LIFTED, BLOCKS):
        key = _upright(character, values if side == "left" else mirrored(values), q[:2], yaw)
        key[:2] += _at(character, q, knee) - _at(character, key, knee)
        keys.append(key)
    return _phase(f"sets its {side} foot", character, [q, *keys], (0.5, 0.5), 1.0, 1.5)


def stand_up(character: Character, q: Array, side: str, back: float = 0.0) -> Phase:
    """From there to the feet, over the foot that is set; with the middle `back` [leg lengths] as it rises."""
    (yaw, _), leg = attitude(q), hip_height(character)
    foot, sign = _at(character, q, f"{side}_foot"), 1.0 if side == "left" else -1.0
    other = _at(character, q, f"{_OTHER[side]}_foot") - foot
    apart = rot.rotate(rot.about_z(-yaw), np.append(other, 0.0))[:2] / leg
    keys = []
    for values, share, lift, middle, _ in STANDING_UP:
        y = apart[1] * sign if share > 0.9 else -_APART
        told_of = {**values, "right_x": share * apart[0], "right_y": y, "left_y": 0.0, "right_z": lift,
                   "centre_x": values["centre_x"] - back * share, "centre_y": middle * y}  # fmt: skip
        key = _upright(character, told_of if side == "left" else mirrored(_sided(told_of)), q[:2], yaw, acted=True)
        key[:2] += foot - _at(character, key, f"{side}_foot")
        keys.append(key)
    return _phase("stands up", character, [q, *keys], [k[-1] for k in STANDING_UP], 0.8, 1.5, True, 2.0)


def _sided(values: Mapping[str, float]) -> dict[str, float]:
    return KeyPose(0.0, values).channels()


def _phase(name: str, character: Character, keys: Sequence[Array], lasts: Sequence[float], loose: float, wide: float,
           feedforward: bool = False, effort: float = 1.0) -> Phase:  # fmt: skip
    """Through key poses (nq,), each a time [s] after the one before; a whole number of windows of 0.05 s."""
    times = np.concatenate([[0.0], np.cumsum(lasts)])
    grid = np.arange(round(times[-1] * 20) * 6 + 1) / FPS
    times *= grid[-1] / times[-1]
    out = np.empty((len(grid), len(keys[0])))
    for a in range(len(keys) - 1):
        rows = (grid >= times[a] - 1e-9) & (grid <= times[a + 1] + 1e-9)
        count = (int(rows.sum()), 1)
        out[rows] = conf.interpolate(character.layout, np.tile(keys[a], count), np.tile(keys[a + 1], count),
                                     ramp(grid[rows], times[a], times[a + 1]))  # fmt: skip
    out[:, 2] -= np.minimum(lowest(character, out, _arms(character)), 0.0)
    return Phase(name, out, loose, wide, feedforward, effort)


def _flat(
    character: Character, values: Mapping[str, float], q: Array, yaw: float, turned: float, aside: float
) -> Array:
    """A lying pose (nq,): rolled by `turned` [rad] from the front, `aside` [m] to the left of where the body is."""
    out = _posed(character, values)
    out[3:7] = rot.multiply(rot.about_z(yaw), prone(turned))
    out[:2] = q[:2] + aside * np.array([-np.sin(yaw), np.cos(yaw)])
    out[2] -= lowest(character, out[None], _arms(character))[0]  # hands that are led into the ground push
    return out


def _upright(character: Character, values: Mapping[str, float], place: Array, yaw: float, acted: bool = False) -> Array:
    """A pose (nq,) on the ground; `acted`: feet and centre of mass where the values say."""
    channels = KeyPose(0.0, values).channels()
    out = act(character, {k: np.array([v]) for k, v in channels.items()}).q[0].copy() if acted \
        else _posed(character, values)  # fmt: skip
    out[3:7] = rot.multiply(rot.about_z(yaw), out[3:7])
    out[:2] = place
    out[2] -= lowest(character, out[None], _arms(character))[0]
    return out


def _posed(character: Character, values: Mapping[str, float]) -> Array:
    """The configuration (nq,) of told angles, within the ranges of the joints."""
    channels = KeyPose(0.0, {"raise": 2.0, "out": 8.0, "elbow": 14.0, **values}).channels()
    turns = told(lambda name: np.array([channels.get(name, 0.0)]))
    return within(character, pose(character, np.zeros((1, 3)), turns)[0])


def arms_away(character: Character, q: Array, values: Mapping[str, float] = READY) -> float:
    """How far [rad] the worse upper arm is from a told pose."""
    off = conf.difference(character.layout, q, _posed(character, values))
    return max(float(np.linalg.norm(off[character.dofs(f"{s}_upper_arm")])) for s in SIDES)


def _arms(character: Character) -> np.ndarray:
    """The bodies of arms and hands."""
    parts = [f"{s}_{p}" for s in SIDES for p in ("upper_arm", "forearm", "hand")]
    return np.array([character.body(p) for p in parts if character.has(p)])


def _at(character: Character, q: Array, role: str) -> Array:
    """Where a part is (2,) along the ground."""
    return character.forward(q[None])[0][0, character.body(role), :2]

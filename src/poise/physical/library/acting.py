"""Acting: key poses in time, and the smooth channels that pass through them.

A clip is told by a few key poses. Each names the channels that it sets; a channel passes through its own keys alone,
so parts of the body need not be keyed together. Between two keys at rest a channel moves along the minimum-jerk curve
of T. Flash & N. Hogan, Journal of Neuroscience 5, 1688-1703, 1985; through keys in between it passes without a stop.
Channels further out follow those nearer to the pelvis by a few hundredths of a second: the proximal-to-distal order of
C. Putnam, Journal of Biomechanics 26 (supplement 1), 125-135, 1993.

Channels; angles [degrees], lengths as shares of leg length, world axes unless said otherwise:

    hips                        height of the hip joints, 1 with straight legs
    centre_x, centre_y          centre of mass over the ground
    centre_z                    its height; where it is told, `hips` is not read
    tilt, list, turn            of the pelvis: forward, to the right, to the left
    bend, side, twist           of the chest against the pelvis: forward, to the right, to the left
    look_down, look_turn        of the head
    <side>_raise, _out, _spin   of the upper arm against the chest: forward and up, sideways, about itself inwards
    <side>_elbow, _wrist        bent; _pronate: of the forearm, thumb inwards
    <side>_shrug, _fore         of the shoulder: up, forward
    <side>_x, _y, _z            of the foot's ankle over the ground and its lift off the floor
    <side>_yaw                  of the foot: outwards
    <side>_pitch                of the foot: the heel up (about the ball), or with a minus the toes up (about the heel)
    <side>_toes                 bent up against the foot
    <side>_knee_out             of the plane in which the leg bends, beyond the foot's own turn
    <side>_free                 0: the foot is where x, y, z say; 1: where the angles of hip and knee lead it
    <side>_hip, _hip_out, _knee, _ankle     angles of a free leg: flexed, outwards, flexed, toes down
    <side>_reach                0: the hand is where the arm's angles lead it; 1: at <side>_hand_x, _hand_y, _hand_z
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from poise.character.roles import SIDES
from poise.maths.rotations import Array

_SIDED = ("raise", "out", "spin", "elbow", "wrist", "pronate", "shrug", "fore", "x", "y", "z", "yaw", "pitch", "toes",
          "knee_out", "free", "hip", "hip_out", "knee", "ankle", "reach", "hand_x", "hand_y", "hand_z")  # fmt: skip
_WHOLE = ("hips", "centre_x", "centre_y", "centre_z", "tilt", "list", "turn", "bend", "side", "twist", "look_down",
          "look_turn")  # fmt: skip
CHANNELS = (*_WHOLE, *(f"{side}_{part}" for side in SIDES for part in _SIDED))

# [s] by which a channel follows the pelvis; ours, a third of what Putnam reports between neighbours in throws
LAG = {"bend": 0.02, "side": 0.02, "twist": 0.02, "raise": 0.04, "out": 0.04, "spin": 0.04, "fore": 0.03, "shrug": 0.03,
       "elbow": 0.06, "pronate": 0.06, "wrist": 0.08, "look_down": -0.04, "look_turn": -0.04}  # fmt: skip

# A person who stands at ease. Ours, but for the arms, which hang slightly bent and turned in.
AT_EASE: Mapping[str, float] = {
    "hips": 0.985, "tilt": 2.0, "bend": 0.0, "look_down": 2.0, "raise": 2.0, "out": 8.0, "spin": 12.0, "elbow": 14.0,
    "pronate": 8.0, "wrist": 3.0, "yaw": 8.0,
}  # fmt: skip

# The stance from which one punches and kicks: left side ahead, weight between the feet, fists before the chin. An
# orthodox boxing guard as coaching books describe it; its angles are ours.
GUARD: dict[str, float] = {
    **AT_EASE, "hips": 0.935, "centre_x": 0.02, "centre_y": 0.0, "tilt": 8.0, "bend": 8.0, "turn": -28.0, "twist": -8.0,
    "look_down": 5.0, "look_turn": 0.0,
    "left_x": 0.17, "left_y": 0.13, "left_yaw": -8.0, "left_knee_out": 4.0,
    "right_x": -0.21, "right_y": -0.13, "right_yaw": 38.0, "right_knee_out": -4.0,
    "left_raise": 50.0, "left_out": 20.0, "left_spin": 24.0, "left_elbow": 112.0, "left_pronate": 30.0,
    "left_wrist": 0.0,
    "right_raise": 34.0, "right_out": 12.0, "right_spin": 30.0, "right_elbow": 136.0, "right_pronate": 30.0,
    "right_wrist": 0.0, "left_shrug": 5.0, "right_shrug": 5.0, "left_fore": 6.0, "right_fore": 6.0,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class KeyPose:
    """Values of some channels at a time [s].

    A name without a side that limbs have ("elbow") sets both sides; a later one in the mapping counts.
    """

    time: float
    values: Mapping[str, float]

    def channels(self) -> dict[str, float]:
        """The values by full channel names."""
        out: dict[str, float] = {}
        for name, value in self.values.items():
            for full in (name,) if name in _WHOLE or name.split("_")[0] in SIDES else [f"{s}_{name}" for s in SIDES]:
                if full not in CHANNELS:
                    raise KeyError(f"There is no channel {full!r}.")
                out[full] = float(value)
        return out


def mirrored(values: Mapping[str, float]) -> dict[str, float]:
    """The values of a pose with left and right exchanged."""
    swap = {"left": "right", "right": "left"}
    out = {}
    for name, value in values.items():
        side, _, rest = name.partition("_")
        lateral = rest in ("y", "hand_y") or name in ("centre_y", "list", "turn", "side", "twist", "look_turn")
        out[f"{swap[side]}_{rest}" if side in swap else name] = -value if lateral else value
    return out


def played(keys: Sequence[KeyPose], times: Array, period: float | None = None,
           lag: Mapping[str, float] = LAG) -> dict[str, Array]:  # fmt: skip
    """Channels (N,) over times [s] through key poses; of a loop with its `period` [s]."""
    sets: dict[str, list[tuple[float, float]]] = {}
    for key in sorted(keys, key=lambda k: k.time):
        for name, value in key.channels().items():
            late = lag.get(name, lag.get(name.split("_", 1)[-1], 0.0))
            sets.setdefault(name, []).append((key.time + late, value))
    return {name: curve(points, times, period) for name, points in sets.items()}


def curve(points: Sequence[tuple[float, float]], times: Array, period: float | None = None) -> Array:
    """A smooth curve through (time [s], value) points: at rest at ends, at turning points and at the edges of holds.

    In between it passes with the slope of the shape-preserving cubic of F. Fritsch & J. Butland, SIAM Journal on
    Scientific and Statistical Computing 5, 300-304, 1984, so it never swings beyond its keys.
    """
    t, y = np.array(points, float).T
    if period is not None and len(t) > 1:
        order = np.argsort(t % period)
        t, y = t[order] % period, y[order]
        t = np.concatenate([t - period, t, t + period])
        y = np.tile(y, 3)
        times = np.asarray(times) % period
    if len(t) == 1:
        return np.full(len(times), y[0])
    v, a = _rates(t, y)
    return hermite(times, t, y, v, a)


def _rates(t: Array, y: Array) -> tuple[Array, Array]:
    """Slopes and curvatures (K,) at the points: zero at ends and holds, no curvature where the curve passes."""
    h, d = np.diff(t), np.diff(y) / np.diff(t)
    v, a = np.zeros(len(t)), np.zeros(len(t))
    for k in range(1, len(t) - 1):
        left, right = d[k - 1], d[k]
        if left * right > 0.0:
            w1, w2 = 2 * h[k] + h[k - 1], h[k] + 2 * h[k - 1]
            v[k] = (w1 + w2) / (w1 / left + w2 / right)
    for k in range(1, len(t) - 1):
        if d[k - 1] != 0.0 and d[k] != 0.0:  # the mean of what cubics on both sides have there
            before = (2 * v[k - 1] + 4 * v[k] - 6 * d[k - 1]) / h[k - 1]
            after = (6 * d[k] - 4 * v[k] - 2 * v[k + 1]) / h[k]
            a[k] = 0.5 * (before + after) if before * after > 0.0 else 0.0
    return v, a


def hermite(times: Array, t: Array, y: Array, v: Array, a: Array) -> Array:
    """Quintic pieces (N,) with values y, velocities v and accelerations a (K,) at the points t; constant outside."""
    times = np.clip(np.asarray(times, float), t[0], t[-1])
    k = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
    h = t[k + 1] - t[k]
    s = (times - t[k]) / h
    rise, v0, v1, a0, a1 = y[k + 1] - y[k], v[k] * h, v[k + 1] * h, a[k] * h * h, a[k + 1] * h * h
    c3 = 10 * rise - 6 * v0 - 4 * v1 - 1.5 * a0 + 0.5 * a1
    c4 = -15 * rise + 8 * v0 + 7 * v1 + 1.5 * a0 - a1
    c5 = 6 * rise - 3 * v0 - 3 * v1 - 0.5 * a0 + 0.5 * a1
    return y[k] + s * (v0 + s * (0.5 * a0 + s * (c3 + s * (c4 + s * c5))))

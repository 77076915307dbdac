"""The figure of a gait: world orientations of all body parts over the phase, along a path."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.character import Character
from poise.maths import GRAVITY
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.physical.library.authoring import periodic, pose, ramp, turn
from poise.physical.library.fences import arm_room
from poise.physical.library.manner import Gait, Legs, Manner, leg_phase
from poise.physical.library.path import Path

SKEW = 0.8  # exponent of the time in stance
_AHEAD = {"pelvis": 0.0, "abdomen": 0.02, "chest": 0.04, "neck": 0.1, "head": 0.18}  # strides by which a bend is met


def pose_of(character: Character, gait: Gait, path: Path, phase: Array, period: float, leg: float,
            reach: float) -> Array:  # fmt: skip
    """Configurations (N, nq) at phases [strides]; the height of the pelvis is corrected when the feet are put down."""
    inward = np.degrees(path.lean(phase, period))
    root = _pelvis(gait, path, phase, period, leg, reach, inward)
    turns = _trunk(gait.manner, path, phase, reach, inward)
    for side in ("left", "right"):
        turns |= _leg(gait, path, phase, side, reach, inward)
        manner = replace(gait.manner, arm_out=gait.manner.arm_out + arm_room(character, side))
        turns |= _arm(manner, path, phase, side, reach, inward)
    return pose(character, root, turns)


def foot_heading(path: Path, legs: Legs, phase: Array, side: str) -> Array:
    """Direction (N,) [rad] of a foot: that of its print while it stands, then that of its next one."""
    mine = leg_phase(phase, side)
    now = np.floor(mine + 1e-9)
    back = 0.5 if side == "left" else 0.0
    here, there = (path.heading(now + k + legs.middle / 100.0 - back) for k in (0, 1))
    return here + (there - here) * ramp(100.0 * (mine - now), legs.lift_off, 97.0)


def _facing(path: Path, phase: Array, part: str) -> Array:
    return rot.about_z(path.heading(phase + _AHEAD[part]))


def _wave(phase: Array, crest: float) -> Array:
    return np.cos(2 * np.pi * (phase - crest))


def bounce(phase: Array, legs: Legs, period: float) -> Array:
    """Height (N,) [m] about its mean of a mass under vertical forces that rise and fall once in each stance.

    They are half a sine that is drawn towards the touch-down: runners' forces peak at 40 to 45 % of the stance (Munro,
    Miller & Fuglevand, Journal of Biomechanics 20, 147-155, 1987).
    """
    count = 1024
    t = np.arange(count) / count
    push = np.zeros(count)
    share = legs.lift_off / 100.0
    for shift in (0.0, 0.5):
        mine = (t + shift) % 1.0
        push += np.where(mine < share, np.sin(np.pi * (mine / share) ** SKEW), 0.0)
    spectrum = np.fft.rfft(push / push.mean())
    k = np.arange(1, 41)  # the fortieth harmonic adds less than a hundredth of a millimetre
    size = 2.0 * spectrum[k] / count / -((2 * np.pi * k / period) ** 2) * GRAVITY
    return np.real(np.exp(2j * np.pi * np.outer(phase, k)) @ size)


def _pelvis(gait: Gait, path: Path, phase: Array, period: float, leg: float, reach: float,
            inward: Array) -> Array:  # fmt: skip
    """Places (N, 3) of the pelvis; like a pendulum it falls with the square of the step's length."""
    m, heading = gait.manner, path.heading(phase)
    ahead = m.surge * leg * np.sin(4 * np.pi * (phase - m.low))
    left = -m.sway * leg * _wave(phase, m.sway_phase) + leg * np.tan(np.radians(inward))
    fall = -m.bob * leg * reach**2 * np.cos(4 * np.pi * (phase - m.low))
    up = bounce(phase, gait.legs, period) if gait.bounce else fall
    c, s, xy = np.cos(heading), np.sin(heading), path.place(phase)
    return np.stack([xy[:, 0] + ahead * c - left * s, xy[:, 1] + ahead * s + left * c, leg + up], axis=-1)


def _trunk(m: Manner, path: Path, phase: Array, reach: float, inward: Array) -> dict[str, Array]:
    nod = m.nod * np.cos(4 * np.pi * (phase - m.low + 0.06))
    yaw, roll = m.turn * reach * _wave(phase, m.lead), -m.drop * _wave(phase, m.drop_phase)
    own = {
        "pelvis": turn(roll - inward, m.tilt + nod, yaw),
        "abdomen": turn(0.4 * roll - inward, 0.6 * m.lean + 0.4 * m.tilt, 0.3 * yaw),
        "chest": turn(-0.3 * roll - inward, m.lean - 0.8 * nod, -m.trunk * reach * _wave(phase, m.lead + 0.02)),
        "neck": turn(-0.5 * inward, 0.5 * (m.lean + m.gaze), 0.0),
        "head": turn(-0.3 * inward, m.gaze + nod, 0.0),
    }
    return {part: rot.multiply(_facing(path, phase, part), value) for part, value in own.items()}


def _leg(gait: Gait, path: Path, phase: Array, side: str, reach: float, inward: Array) -> dict[str, Array]:
    """A flexed limb points forward, which is a negative pitch."""
    legs, mine, sign = gait.legs, leg_phase(phase, side), 1.0 if side == "left" else -1.0
    out = sign * gait.manner.toe_out
    thigh, knee = reach * periodic(legs.thigh, mine), periodic(legs.knee, mine)
    foot, toes = periodic(legs.foot, mine), periodic(legs.toes, mine)
    body, sole = path.heading(phase), foot_heading(path, legs, phase, side)
    own = {
        "thigh": (0.3, turn(-inward, -thigh, 0.5 * out)),
        "shin": (0.6, turn(-inward, knee - thigh, 0.8 * out)),
        "foot": (1.0, turn(0.0, -foot, out)),
        "toes": (1.0, turn(0.0, -foot - toes, out)),
    }
    return {f"{side}_{part}": rot.multiply(rot.about_z(body + share * (sole - body)), value)
            for part, (share, value) in own.items()}  # fmt: skip


def _arm(m: Manner, path: Path, phase: Array, side: str, reach: float, inward: Array) -> dict[str, Array]:
    mine, sign = leg_phase(phase, side), 1.0 if side == "left" else -1.0
    # the arm is behind when the leg of its side is ahead
    upper = m.arm_mean - m.arm_swing * reach * _wave(mine, m.lead + m.arm_lag)
    elbow = m.elbow_mean - m.elbow_swing * reach * _wave(mine, m.lead + m.arm_lag + m.elbow_lag)
    out, roll = sign * m.arm_out, -inward
    own = {
        "upper_arm": turn(out + roll, -upper, -m.arm_in * sign),
        "forearm": turn(0.5 * out + roll, -upper - elbow, -m.forearm_in * sign),
        "hand": turn(0.3 * out + roll, -upper - elbow - 4.0, -m.forearm_in * sign),
    }
    return {f"{side}_{part}": rot.multiply(_facing(path, phase, "chest"), value) for part, value in own.items()}

"""walk: level human walking, one cycle, authored from normative curves.

The joint curves are read off the normal ranges of Perry & Burnfield, Gait Analysis (2nd ed. 2010), chapters 3-7 and
Winter, The Biomechanics and Motor Control of Human Gait (2nd ed. 1991), natural cadence; the motion of pelvis and
trunk follows Saunders, Inman & Eberhart (1953) and Perry's chapters 6 and 7; the arms follow Murray et al. (1967). The
per cent scale is that of one leg's cycle, from its heel strike on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion import ik
from poise.motion.clip import Clip, Cycle
from poise.motion.recording import Source
from poise.physical.library.authoring import periodic, pose, ramp, turn
from poise.physical.repair import make_physical

FPS = 120.0
TOE_OFF = 62.0  # [% of cycle] end of stance
FLAT = (8.0, 40.0)  # [%] the whole foot is down
# thigh against the vertical, flexion positive [degrees]
THIGH = ((0, 24), (8, 21), (20, 10), (30, 1), (40, -8), (50, -13), (56, -11), (62, -3), (70, 11), (78, 21), (86, 26),
         (94, 26))  # fmt: skip
# knee flexion [degrees]
KNEE = ((0, 5), (6, 11), (14, 18), (24, 14), (34, 7), (41, 5), (50, 12), (57, 26), (62, 40), (71, 61), (79, 53),
        (88, 24), (95, 5))  # fmt: skip
# foot against the floor, toes up positive [degrees]
FOOT = ((0, 19), (4, 10), (8, 0.5), (16, 0), (30, 0), (38, -1.5), (46, -11), (54, -31), (62, -56), (67, -62), (76, -38),
        (85, -3), (93, 15))  # fmt: skip
# toes against the foot, bent up positive [degrees]
TOES = ((0, 14), (8, 2), (18, 0), (34, 0), (46, 9), (54, 25), (60, 33), (66, 16), (76, 5), (90, 12))


@dataclass(frozen=True)
class Manner:
    """What a walker does with the rest of the body; angles in degrees, lengths as shares of leg length."""

    sway: float = 0.024  # of the pelvis towards the standing leg
    bob: float = 0.022  # of the pelvis, up over the standing leg
    drop: float = 4.0  # of the pelvis on the swinging side
    turn: float = 4.5  # of the pelvis with the forward leg
    trunk: float = 4.5  # of the chest against the pelvis' turn
    lean: float = 2.5  # of the trunk forward
    arm_mean: float = -6.0  # upper arm, flexion positive
    arm_swing: float = 17.0
    elbow_mean: float = 26.0
    elbow_swing: float = 12.0
    arm_out: float = 7.0
    toe_out: float = 6.0
    width: float = 0.068  # between each ankle and the line of travel: the feet pass each other without touching


def make(character: Character, speed: float = 1.3, stride: float | None = None) -> Clip:
    """One cycle of a walk at `speed` [m/s]; `stride` [m] is two steps, by default what people choose at that speed."""
    if not 0.4 <= speed <= 2.2:
        raise BadValue(f"A walk has a speed between 0.4 and 2.2 m/s, not {speed}.")
    leg = _leg_length(character)
    # Stride grows with the square root of the speed (Grieve & Gear 1966): 1.4 m at 1.3 m/s for a leg of 0.9 m.
    stride = float(1.4 * leg / 0.9 * np.sqrt(speed / 1.3)) if stride is None else float(stride)
    if not 0.3 <= stride / leg <= 2.3:
        raise BadValue(f"A stride of {stride} m is out of reach for legs of {leg:.2f} m.")
    frames = round(FPS * stride / speed)
    phase = np.arange(frames + 1) / frames
    reach = stride / (1.4 * leg / 0.9)  # against the stride of the curves
    manner = Manner()
    root = _pelvis_path(phase, stride, leg, manner)
    turns = {**_trunk(phase, manner, reach), **_limbs(phase, manner, reach)}
    q = pose(character, root, turns)
    cycle = Cycle(0.0, np.array([stride, 0.0, 0.0]))
    labels = _labels(character, phase)
    q = _feet_down(character, q, labels, phase, stride, leg, manner, cycle)
    source = Source("walk", format="built-in", licence="Apache-2.0", notes=("authored from normative gait curves",))
    return make_physical(Clip(character, q, stride / speed / frames, source, cycle=cycle, labels=labels))


def _leg_length(character: Character) -> float:
    """From hip to sole in the zero pose [m]."""
    pos, _ = character.forward(character.standing_pose())
    return float(pos[0, character.body("left_thigh"), 2])


def _leg_phase(phase: Array, side: str) -> Array:
    """Phase of a leg: the right heel strikes at 0, the left one half a cycle later."""
    return phase if side == "right" else phase + 0.5


def _pelvis_path(phase: Array, stride: float, leg: float, m: Manner) -> Array:
    """Pelvis over one cycle (N, 3); its mean height is corrected when the feet are put down."""
    x = stride * phase + 0.011 * leg * np.sin(4 * np.pi * (phase - 0.03))
    y = -m.sway * leg * np.cos(2 * np.pi * (phase - 0.31))
    z = leg - m.bob * leg * np.cos(4 * np.pi * (phase - 0.06))
    return np.stack([x, y, z], axis=-1)


def _trunk(phase: Array, m: Manner, reach: float) -> dict[str, Array]:
    wave = lambda shift: np.cos(2 * np.pi * (phase - shift))  # noqa: E731
    nod = np.cos(4 * np.pi * (phase - 0.08))
    yaw, roll = m.turn * reach * wave(0.0), -m.drop * wave(0.17)
    return {
        "pelvis": turn(roll, 1.0 * nod, yaw),
        "abdomen": turn(0.4 * roll, 0.6 * m.lean, 0.3 * yaw),
        "chest": turn(-0.3 * roll, m.lean - 0.8 * nod, -m.trunk * reach * wave(0.02)),
        "neck": turn(0.0, m.lean, 0.0),
        "head": turn(0.0, 1.0 * nod, 0.0),
    }


def _limbs(phase: Array, m: Manner, reach: float) -> dict[str, Array]:
    """World orientations of legs and arms; a flexed limb points forward, which is a negative pitch."""
    out: dict[str, Array] = {}
    for side in ("left", "right"):
        mine, sign = _leg_phase(phase, side), 1.0 if side == "left" else -1.0
        thigh, knee = reach * periodic(THIGH, mine), periodic(KNEE, mine)
        foot, toes = periodic(FOOT, mine), periodic(TOES, mine)
        out[f"{side}_thigh"] = turn(0.0, -thigh, 0.5 * sign * m.toe_out)
        out[f"{side}_shin"] = turn(0.0, knee - thigh, 0.8 * sign * m.toe_out)
        out[f"{side}_foot"] = turn(0.0, -foot, sign * m.toe_out)
        out[f"{side}_toes"] = turn(0.0, -foot - toes, sign * m.toe_out)
        swing = -np.cos(2 * np.pi * (mine - 0.02))  # the arm is behind when the leg of its side is ahead
        upper = m.arm_mean + m.arm_swing * reach * swing
        elbow = m.elbow_mean + m.elbow_swing * reach * -np.cos(2 * np.pi * (mine - 0.07))
        out[f"{side}_upper_arm"] = turn(sign * m.arm_out, -upper, -8.0 * sign)
        out[f"{side}_forearm"] = turn(0.5 * sign * m.arm_out, -upper - elbow, -16.0 * sign)
        out[f"{side}_hand"] = turn(0.3 * sign * m.arm_out, -upper - elbow - 4.0, -16.0 * sign)
    return out


def _labels(character: Character, phase: Array) -> np.ndarray:
    """Which contact points touch at each frame (N, P): heel, then the whole foot, then ball and toes."""
    spans = {"heel": (0.0, FLAT[1]), "ball": (FLAT[0], TOE_OFF - 3.0), "tip": (FLAT[0] + 2.0, TOE_OFF)}
    if not character.has("left_toes"):
        spans["ball"] = (FLAT[0], TOE_OFF)
    out = np.zeros((len(phase), len(character.contact_points)), bool)
    for i, name in enumerate(character.contact_points.names):
        side, part = name.split("_")[:2]
        percent = 100.0 * (_leg_phase(phase, side) % 1.0)
        start, end = spans[part]
        out[:, i] = (percent >= start) & (percent < end)
    return out


def _feet_down(character: Character, q: Array, labels: np.ndarray, phase: Array, stride: float, leg: float, m: Manner,
               cycle: Cycle) -> Array:  # fmt: skip
    """The motion with its feet on their prints: in contact held in place, elsewhere above the floor."""
    points = character.contact_points
    flat = character.points(character.standing_pose())[0]
    flat[:, 2] = 0.0  # legs of different lengths: both soles are on the floor all the same
    zero = character.standing_pose()
    hips, _ = character.forward(zero)
    targets: list[ik.PointTarget | ik.FloorTarget] = []
    prints = np.empty((len(phase), len(points), 3))
    for i, name in enumerate(points.names):
        side = name.split("_")[0]
        sign = 1.0 if side == "left" else -1.0
        ankle = hips[0, character.body(f"{side}_foot")]
        local = rot.rotate(turn(yaw=sign * m.toe_out), flat[i] - [ankle[0], ankle[1], 0.0])
        mine = _leg_phase(phase, side)
        strides = np.floor(mine + 1e-9) - (0.5 if side == "left" else 0.0)  # the print of the stance now, or next
        middle = (FLAT[0] + FLAT[1]) / 200.0  # the ankle is under the hip in the middle of the flat foot
        x = stride * (strides + middle) - 0.02 * leg
        prints[:, i] = local + np.stack([x, np.full(len(phase), sign * m.width * leg), np.zeros(len(phase))], axis=-1)
        targets.append(ik.PointTarget(int(points.bodies[i]), points.positions[i], prints[:, i], 30.0 * labels[:, i]))
        targets.append(ik.FloorTarget(int(points.bodies[i]), points.positions[i], _clearance(mine)))
    # the pelvis at the height at which the prints are reached on average
    miss = (prints - character.points(q))[labels]
    q = q.copy()
    q[:, 2] += float(np.median(miss[:, 2]))
    _, quat = character.forward(q)
    feet = [character.body(f"{s}_foot") for s in ("left", "right")]
    turns = [ik.TurnTarget(b, quat[:, b], 0.3) for b in feet]
    return ik.solve(character, q, targets, turns, smooth=6.0, cycle=cycle)


def _clearance(mine: Array) -> Array:
    """Lowest height [m] of a foot point over the leg's cycle: 12 mm in mid-swing, where Winter found the toe lowest."""
    percent = 100.0 * (mine % 1.0)
    return 0.012 * ramp(percent, TOE_OFF + 4, 78.0) * (1.0 - ramp(percent, 90.0, 98.0))

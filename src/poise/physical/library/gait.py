"""Gait: a manner of going told by key values, and its author: the clip of any humanoid character that goes like that.

A description holds what the eye sees and what laboratories have measured: curves of thigh, knee, foot and toes over the
cycle of one leg, the parts of it in which heel, ball and toe tips are down, and what pelvis, trunk and arms do. The
author poses the character by these curves, sets its feet on their prints along a `Path`, and makes the result
physical (`poise.physical.repair.repair`). Published curves agree neither with each other nor with a body of other
proportions, so all angles are wishes; the prints, the contacts and the ground's forces are not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.character import Character
from poise.character.leg_length import hip_height
from poise.errors import BadValue
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.feet.leg_clearance import FENCED, between_legs
from poise.motion.ik import ik
from poise.motion.recording import Source
from poise.physical.library.authoring import arm_room, periodic, pose, ramp, turn
from poise.physical.library.finish import FRICTION, MARGIN, WEIGHTS, must_be_physical, solved
from poise.physical.library.manner import GRAVITY, Gait, Legs, Manner, Path, leg_phase
from poise.physical.repair.setup import Plan

HELD = 30.0  # weight of points that are down
ROOT = 3e3  # weight of the pelvis, which goes its own smooth way: legs meet their prints
SPREAD = 0.15  # strides over which the correction of the curves spreads


def stance_labels(character: Character, legs: Legs, phase: Array) -> np.ndarray:
    """Which contact points touch at phases [strides], (N, P)."""
    spans = {"heel": legs.heel, "ball": legs.ball, "tip": legs.tip}
    if not character.has("left_toes"):  # the front edge of a stiff foot is ball and tip in one
        spans["ball"] = (legs.ball[0], max(legs.ball[1], legs.tip[1])) if legs.ball[0] <= legs.tip[0] else legs.tip
    out = np.zeros((len(phase), len(character.contact_points)), bool)
    for side in ("left", "right"):
        percent = 100.0 * ((leg_phase(phase, side) + 1e-9) % 1.0)
        for i in character.contact_points.of(side):
            start, end = spans[character.contact_points.names[i].split("_")[1]]
            out[:, i] = (percent >= start) & (percent < end)
    return out


def put_down(character: Character, q: Array, contact: np.ndarray, gait: Gait, path: Path, phase: Array,
             fences: tuple[ik.FloorTarget, ...]) -> tuple[Array, Array]:  # fmt: skip
    """The motion q (N, nq) with its feet on their prints, and the prints (N, P, 3).

    Points that touch are held there; elsewhere they are above the floor, and the legs on their side of the fences.
    """
    points, q = character.contact_points, q.copy()
    prints, along = _prints(character, gait, path, phase)
    # the prints where the curves reach them on average, and the pelvis as high
    miss = (character.points(q) - prints)[contact]
    prints += float(np.median(np.sum(miss * along[contact], axis=-1))) * along
    q[:, 2] -= float(np.median(miss[:, 2]))
    targets: list[ik.PointTarget | ik.FloorTarget] = list(fences)
    for side in ("left", "right"):
        low = _clearance(gait.legs, leg_phase(phase, side))
        for i in points.of(side):
            body, place = int(points.bodies[i]), points.positions[i]
            targets.append(ik.PointTarget(body, place, prints[:, i], HELD * contact[:, i]))
            targets.append(ik.FloorTarget(body, place, low))
    _, quat = character.forward(q)
    feet = [character.body(f"{s}_foot") for s in ("left", "right")]
    turns = [ik.TurnTarget(b, quat[:, b], 0.3) for b in feet]
    posture = ik.default_posture(character)
    posture[:6] = ROOT
    spread = SPREAD * (len(phase) - 1) / path.strides
    return ik.solve(character, q, targets, turns, posture=posture, smooth=spread, limits=1.0, cycle=path.cycle), prints


def _prints(character: Character, gait: Gait, path: Path, phase: Array) -> tuple[Array, Array]:
    """Where each foot point stands now or next (N, P, 3), its ankle beside the path, and the print's direction."""
    points, zero = character.contact_points, character.standing_pose()
    flat, (hips, _) = character.points(zero)[0], character.forward(zero)
    flat[:, 2] = 0.0  # legs of different lengths: both soles are on the floor all the same
    prints, along = np.zeros((2, len(phase), len(points), 3))
    leg = hip_height(character, ("left",))
    for side, sign, back in (("left", 1.0, 0.5), ("right", -1.0, 0.0)):
        ankle = hips[0, character.body(f"{side}_foot")] * [1.0, 1.0, 0.0]
        # from the middle of its swing on, the foot nears its next print
        at = np.floor(leg_phase(phase, side) + 0.5 - gait.legs.lift_off / 200.0) - back + gait.legs.middle / 100.0
        facing = rot.about_z(path.heading(at))
        beside = np.array([0.0, sign * gait.manner.width * leg, 0.0])
        for i in points.of(side):
            local = rot.rotate(turn(yaw=sign * gait.manner.toe_out), flat[i] - ankle)
            prints[:, i] = rot.rotate(facing, local + beside)
            prints[:, i, :2] += path.place(at)
            along[:, i] = rot.rotate(facing, np.array([1.0, 0.0, 0.0]))
    return prints, along


def _clearance(legs: Legs, mine: Array) -> Array:
    """Lowest height (N,) [m] of a foot's points over the leg's cycle."""
    percent, off = 100.0 * (mine % 1.0), legs.lift_off
    up, down = off + 0.1 * (100.0 - off), 100.0 - 0.25 * (100.0 - off)
    return legs.clearance * ramp(percent, up, 0.5 * (up + down)) * (1.0 - ramp(percent, down, 98.0))


FPS = 120.0
QUICKEST, SLOWEST = 0.5, 6.0  # [s] of a stride
NOTE = "authored from published gait curves"


def walker_hips(character: Character) -> float:
    """Height [m] of the left hip of the standing character; one that cannot walk is refused."""
    _must_walk(character)
    return hip_height(character, ("left",))


@dataclass(frozen=True, eq=False)
class Sketch:
    """A gait before it obeys physics: its curves, with the feet on their prints."""

    clip: Clip
    prints: Array  # (N, P, 3) where points stand now or next [m]
    fences: tuple[ik.FloorTarget, ...]  # that keep the legs apart
    spread: float  # [s]

    @classmethod
    def of(cls, character: Character, gait: Gait, path: Path, period: float, reach: float) -> Sketch:
        """The sketch of a character that goes along a path; see `author`."""
        frames = path.strides * 4 * max(2, round(FPS * period / 4.0))
        phase = np.arange(frames + 1) * (path.strides / frames)
        if not character.has("left_toes"):
            gait = replace(gait, legs=gait.legs.stiff())
        # in a bend the prints decide where the feet are
        fences = between_legs(character, path.heading(phase), path.place(phase), path.lean(phase, period),
                              FENCED if path.angle == 0.0 else FENCED[:2])  # fmt: skip
        q = pose_of(character, gait, path, phase, period, walker_hips(character), reach)
        labels = stance_labels(character, gait.legs, phase)
        q, prints = put_down(character, q, labels, gait, path, phase, fences)
        source = Source(gait.name, format="built-in", licence="Apache-2.0", notes=(NOTE,))
        clip = Clip(character, q, path.strides * period / frames, source, cycle=path.cycle, labels=labels)
        return cls(clip, prints, fences, gait.spread)

    def plan(self) -> Plan:
        """The optimisation that makes it physical."""
        clip, labels = self.clip, self.clip.contacts.labels
        weights = replace(WEIGHTS, spread=self.spread)
        plan = Plan.of(clip, clip, clip, friction=FRICTION, margin=MARGIN, keep=(), weights=weights)
        goals = np.where(labels[..., None], self.prints, plan.goals)
        return replace(plan, goals=goals, pushed=labels, fences=self.fences)


def author(character: Character, gait: Gait, path: Path, period: float, reach: float = 1.0) -> Clip:
    """The clip of a character that goes along a path, a stride every `period` [s].

    `reach` is the stride against that which the curves of thighs, pelvis and arms were measured at.
    """
    if not QUICKEST <= period <= SLOWEST:
        raise BadValue(f"People take {QUICKEST:g} to {SLOWEST:g} s for a stride, two steps, not {period:.3g} s: "
                       "choose another speed or stride.")  # fmt: skip
    sketch = Sketch.of(character, gait, path, period, reach)
    return must_be_physical(solved(sketch.plan()))


def _must_walk(character: Character) -> None:
    roles = [f"{side}_{part}" for side in ("left", "right") for part in ("thigh", "shin", "foot")]
    missing = [role for role in roles if not character.has(role)]
    if missing or not len(character.contact_points):
        raise BadValue(f"{character.name} cannot walk: it has no {', '.join(missing) or 'contact points'}.")
    if len(character.dofs("left_thigh")) < 2:
        raise BadValue(f"The hips of {character.name} bend in one plane only, so it cannot keep its balance sideways: "
                       "make the clip for another body and retarget it.")  # fmt: skip


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

"""Gait: a manner of going told by key values, and its author: the clip of any humanoid character that goes like that.

A description holds what the eye sees and what laboratories have measured: curves of thigh, knee, foot and toes over the
cycle of one leg, the parts of it in which heel, ball and toe tips are down, and what pelvis, trunk and arms do. The
author poses the character by these curves, sets its feet on their prints along a `Path` (`steps`), and makes the result
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
from poise.physical.library import figure
from poise.physical.library.authoring import ramp, turn
from poise.physical.library.finish import FRICTION, MARGIN, WEIGHTS, must_be_physical, solved
from poise.physical.library.manner import Gait, Legs, leg_phase
from poise.physical.library.path import Path
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


def put_down(character: Character, q: Array, touching: np.ndarray, gait: Gait, path: Path, phase: Array,
             fences: tuple[ik.FloorTarget, ...]) -> tuple[Array, Array]:  # fmt: skip
    """The motion q (N, nq) with its feet on their prints, and the prints (N, P, 3).

    Points that touch are held there; elsewhere they are above the floor, and the legs on their side of the fences.
    """
    points, q = character.contact_points, q.copy()
    prints, along = _prints(character, gait, path, phase)
    # the prints where the curves reach them on average, and the pelvis as high
    miss = (character.points(q) - prints)[touching]
    prints += float(np.median(np.sum(miss * along[touching], axis=-1))) * along
    q[:, 2] -= float(np.median(miss[:, 2]))
    targets: list[ik.PointTarget | ik.FloorTarget] = list(fences)
    for side in ("left", "right"):
        low = _clearance(gait.legs, leg_phase(phase, side))
        for i in points.of(side):
            body, place = int(points.bodies[i]), points.positions[i]
            targets.append(ik.PointTarget(body, place, prints[:, i], HELD * touching[:, i]))
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
        q = figure.pose_of(character, gait, path, phase, period, walker_hips(character), reach)
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

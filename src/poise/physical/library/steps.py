"""The steps of a gait: which parts of the feet are down, where their prints lie, and the feet set on them."""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.ik import ik
from poise.physical.library.authoring import ramp, turn
from poise.physical.library.manner import Gait, Legs, leg_phase
from poise.physical.library.path import Path

HELD = 30.0  # weight of points that are down
ROOT = 3e3  # weight of the pelvis, which goes its own smooth way: legs meet their prints
SPREAD = 0.15  # strides over which the correction of the curves spreads


def labels(character: Character, legs: Legs, phase: Array) -> np.ndarray:
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
    leg = float(hips[0, character.body("left_thigh"), 2])
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

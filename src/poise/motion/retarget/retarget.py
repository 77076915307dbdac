"""Retargeting: the same motion on another character, feet kept on the ground and contacts kept.

1. Postures: world orientations by role (`retarget_pose`).
2. The way of the hips, scaled by the ratio of leg lengths, and the ground with it; lower where legs would overstretch.
3. Footprints: constant places for every stretch of contact, the source's way in between (`footprints`).
4. Inverse kinematics over the whole clip (`ik`): the smallest smooth correction of legs and root that keeps the feet
   on their prints, hands that touch or hold where they do, and every contact point out of the ground.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from poise.character import Character
from poise.character.leg_length import hip_to_sole
from poise.character.roles import REQUIRED, SIDES
from poise.errors import BadValue, ClipMismatch
from poise.ground.ground import Ground, level_of, scaled
from poise.maths import rotations as rot
from poise.maths.configuration import FREE
from poise.maths.rotations import Array
from poise.motion.clip import Clip, Cycle
from poise.motion.ik import ik
from poise.motion.ik.hands import hand_targets, kept_labels, laid, retargeted_holds
from poise.motion.ik.ik import Barrier
from poise.motion.resample import unrolled
from poise.motion.retarget.feet import Foot, FootPath, foot_path, foot_turn, level_feet, mapped_labels, names
from poise.motion.retarget.pose import fit, orientations, upright_zero
from poise.solve.gauss_newton import Settings

HELD, LED, FLOOR = 100.0, 0.1, 300.0  # weights of points that touch, of points on their way, of staying above ground
SETTINGS = Settings(iterations=15, step=2e-5, gain=1e-3)
# more joints to solve for, hands need no tenths of mm, and steps beyond 0.3 rad lead wrists round the wrong way
WITH_HANDS = Settings(iterations=20, step=2e-5, gain=3e-2, longest=0.3)
ROOT = 1000.0  # weight of the root's way [1/m², 1/rad²]; a joint that bends has 1
PASSES, SUNK = 5, 1.5e-3  # solutions with the ground of the last one, until no point is deeper than this [m]
STRETCH = 0.985  # share of a leg's length to which it may always stretch; further only as far as the source's
LOWEST = 0.10  # share of a leg's length by which the hips may be lowered


def retarget(clip: Clip, character: Character, *, scale: float | None = None, smooth: float = 0.05,
             limits: float = 1.0) -> Clip:  # fmt: skip
    """The motion of `clip` on `character`, with contact labels on its own contact points.

    `scale` multiplies the way over the ground and the ground itself, by default with the ratio of the leg lengths (so
    steps fit the legs); 1.0 keeps the places. Heights above the ground always follow the legs. `smooth` [s] is the time
    over which corrections spread, `limits` weighs going past joint limits. The result has no recording: it plays on
    the new character's own bodies.
    """
    source = clip.character
    _must_walk(source)
    _must_walk(character)
    ratio = hip_to_sole(character) / hip_to_sole(source)
    factor = ratio if scale is None else float(scale)
    if not 0.01 < factor < 100.0:
        raise BadValue(f"A path can be scaled by 0.01 .. 100, not {scale}.")
    ground, cycle = scaled(clip.ground, factor), _scaled_cycle(clip.cycle, factor)
    whole = unrolled(clip, len(clip) - 1)  # so that a stance that runs through the seam of a loop is one stance
    labels = clip.contacts.labels[whole.frame]
    pos, quat = source.forward(whole.q)
    turns = orientations(source, quat, character)
    level_feet(turns, character, source, pos, quat, clip.ground, labels, clip.dt)
    q = fit(character, turns)
    own, labels = labels, mapped_labels(source, labels, character)
    feet = []
    for side in SIDES:
        contact = np.any(labels[:, character.contact_points.of(side)], axis=1)
        turn = foot_turn(character, q, turns, side, np.asarray(contact), clip.dt)
        feet.append(_foot(source, pos, quat, character, turn, (own, labels), side, factor, ground))
    q[:, :3] += _hips(source, pos, clip, ratio, factor) - hip_middle(character, q)
    q[:, 2] -= _overstretch(source, pos, character, q, [f for f in feet if f is not None], clip.dt)
    paths = [_cut(f, whole.own) for f in feet if f is not None]
    labels = kept_labels(character, labels[whole.own])
    q = laid(character, q[whole.own], labels, ground, clip.dt)
    holds = retargeted_holds(clip, character, q, ratio)
    hands = hand_targets(character, q, labels, ground, holds, clip.times, HELD)
    q = _corrected(character, q, paths, hands, ground, cycle, smooth / clip.dt, limits)
    note = f"Retargeted from {source.name} to {character.name}, path scaled by {factor:.3f}."
    return Clip(character, q, clip.dt, replace(clip.source, notes=(*clip.source.notes, note)), ground, cycle, labels,
                holds=holds)  # fmt: skip


def _must_walk(character: Character) -> None:
    missing = [r for r in REQUIRED if not character.has(r)]
    if missing:
        raise ClipMismatch(f"{character.name} cannot be retargeted: it has no {', '.join(missing)}.")
    if character.tree.kind[0] != FREE or character.tree.parent[character.body("pelvis")] != 0:
        raise ClipMismatch(f"{character.name} cannot be retargeted: its pelvis has no free joint.")


def _scaled_cycle(cycle: Cycle | None, factor: float) -> Cycle | None:
    return None if cycle is None else Cycle(cycle.turn, factor * np.asarray(cycle.shift, float))


def hip_middle(character: Character, q: Array) -> Array:
    """World position (N, 3) of the middle between the hip joints [m]."""
    pos, _ = character.forward(q)
    return 0.5 * (pos[:, character.body("left_thigh")] + pos[:, character.body("right_thigh")])


def _hips(source: Character, pos: Array, clip: Clip, ratio: float, factor: float) -> Array:
    """The way (N, 3) of the middle of the target's hips: scaled, its height above what it stands on by leg length."""
    middle = 0.5 * (pos[:, source.body("left_thigh")] + pos[:, source.body("right_thigh")])
    out = factor * middle
    if abs(ratio - factor) > 1e-9:
        under = clip.ground.height(middle[:, 0], middle[:, 1])
        under = gaussian_filter1d(np.asarray(under, float), 0.2 / clip.dt, mode="nearest")
        out[:, 2] = factor * under + ratio * (middle[:, 2] - under)
    return out


def _foot(source: Character, pos: Array, quat: Array, target: Character, turn: Array,
          labels: tuple[np.ndarray, np.ndarray], side: str, factor: float,
          ground: Ground) -> FootPath | None:  # fmt: skip
    """The path of one foot from `labels` of the source's and the target's points; None where a foot has no points.

    The target's foot, displaced from its zero pose by `turn` (N, 4), hangs on the source's ankle (scaled), so that legs
    keep their posture whatever the length of the feet.
    """
    known, own = target.contact_points, source.contact_points
    points, columns = known.of(side), own.of(side)
    heel, ball = names(target, side, "heel"), names(target, side, "ball")
    if not len(columns) or not heel or not ball:
        return None
    t_pos, t_quat, _ = upright_zero(target)
    places = t_pos[known.bodies] + rot.rotate(t_quat[known.bodies], known.positions)
    middle, ankle = places[ball].mean(axis=0), t_pos[target.body(f"{side}_foot")]
    at = factor * pos[:, source.body(f"{side}_foot")]
    spots = factor * source.place(pos, quat, own.bodies[columns], own.positions[columns])
    tops = np.where(labels[0][:, columns], ground.height(spots[..., 0], spots[..., 1]), np.nan)
    foot = Foot(labels[1][:, points], places[points] - middle, ankle - middle, np.isin(points, heel),
                at + rot.rotate(turn, middle - ankle), at + rot.rotate(turn, places[heel].mean(axis=0) - ankle),
                turn, tops)  # fmt: skip
    return foot_path(foot, points, ground)


def _cut(path: FootPath, frames: slice) -> FootPath:
    return FootPath(path.points, path.places[frames], path.contact[frames], path.ankle[frames])


def _overstretch(source: Character, pos: Array, target: Character, q: Array, feet: list[FootPath], dt: float) -> Array:
    """How far (N,) the hips must be lowered, smoothly, for every touching foot to be within the reach of its leg [m].

    A leg may stretch as far as the source's does in that frame, or to `STRETCH` of its length.
    """
    own, _ = target.forward(q)
    need = np.zeros(len(q))
    total = 0.0
    for path in feet:
        side = target.contact_points.names[path.points[0]].split("_")[0]
        hip, knee, ankle = (own[:, target.body(f"{side}_{p}")] for p in ("thigh", "shin", "foot"))
        length = float(np.linalg.norm(knee[0] - hip[0]) + np.linalg.norm(ankle[0] - knee[0]))
        s_hip, s_knee, s_ankle = (pos[:, source.body(f"{side}_{p}")] for p in ("thigh", "shin", "foot"))
        s_length = np.linalg.norm(s_knee - s_hip, axis=1) + np.linalg.norm(s_ankle - s_knee, axis=1)
        share = np.clip(np.linalg.norm(s_ankle - s_hip, axis=1) / s_length, STRETCH, 0.999)
        away = hip - path.ankle
        flat2 = np.sum(away[:, :2] ** 2, axis=1)
        drop = away[:, 2] - np.sqrt(np.maximum((share * length) ** 2 - flat2, 0.0))
        need = np.maximum(need, np.where(path.contact.any(axis=1), drop, 0.0))
        total += 0.5 * length
    need = np.clip(need, 0.0, LOWEST * total)
    width = max(1, round(0.08 / dt))
    return gaussian_filter1d(maximum_filter1d(need, 2 * width + 1), 0.5 * width, mode="nearest")


def _corrected(character: Character, q: Array, feet: list[FootPath], hands: list[ik.PointTarget], ground: Ground,
               cycle: Cycle | None, smooth: float, limits: float) -> Array:  # fmt: skip
    """q (N, nq) with the feet on their paths, the hands on their targets and all contact points above the ground.

    The ground under a point is taken as a plane; on steps it depends on where the point is, so that it is solved again
    until no point is in the ground.
    """
    known = character.contact_points
    led: list[ik.PointTarget | ik.FloorTarget] = [*hands]
    places = character.points(q)
    for path in feet:
        for k, i in enumerate(path.points):
            toes = "_tip" in known.names[i]  # led by their joint alone
            weight = np.where(path.contact[:, k], HELD, 0.0 if toes else LED)
            led.append(ik.PointTarget(int(known.bodies[i]), known.positions[i], path.places[:, k], weight))
            places[:, i] = path.places[:, k]
    barrier, start, out = Barrier.around(ground, places), None, q
    for _ in range(PASSES):
        floors = barrier.targets(known, FLOOR)
        problem = ik.build(character, q, [*led, *floors], posture=_posture(character), smooth=smooth, limits=limits,
                           cycle=cycle)  # fmt: skip
        # points that came near the ground may have brought more joints into play
        solution = problem.solve(WITH_HANDS if hands else SETTINGS, None if start is None else start[:, problem.active])
        start = np.zeros((len(solution.result.x), character.model.nv))
        start[:, problem.active] = solution.result.x
        out = solution.q
        places = character.points(out)
        if level_of(ground) is not None or barrier.depth(places) < SUNK:  # flat ground is one plane wherever a point is
            break
        barrier = barrier.seen_from(places)
    return out


def _posture(character: Character) -> Array:
    """Weights (nv,) of the posture: the root keeps its way more strictly than when a clip is edited."""
    weight = ik.default_posture(character)
    weight[:6] = ROOT
    return weight

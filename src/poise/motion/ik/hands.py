"""Hands on the ground and on bars: targets that keep them there, on the body of a clip or on another one.

What is labelled as touching of a hand gets one place on the ground, and wrists are bent so that palms lie flat.

A hand that touches with heel and fingertips lies flat on the ground, palm down, its fingers where they point, or where
they would once the wrist is bent backwards; files that do not tell wrists have it stuck straight into the ground. A
hand of which the fingertips alone touch stands on them and may roll any way. Bars go to where another body's hands are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.ground.ground import Ground
from poise.maths import rotations as rot
from poise.maths.intervals import runs
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.fades import fade
from poise.motion.hold import Hold
from poise.motion.ik import ik
from poise.motion.ik.limb import set_turn

BEND = 0.15  # [s] in which a wrist bends before the hand comes down, and straightens again


class Handprint(NamedTuple):
    """A hand on one spot from frame `first` to `last` - 1."""

    hand: str  # "left_hand" or "right_hand"
    first: int
    last: int
    points: np.ndarray  # (K,) indices of the contact points that touch
    flat: bool  # does it lie on the ground with its whole palm?


def handprints(character: Character, labels: np.ndarray) -> list[Handprint]:
    """The stretches in which hands touch, from the labels (N, P) of all contact points."""
    points, out = character.contact_points, []
    for hand in (limb for limb in points.limbs if limb.endswith("_hand")):
        own = points.of(hand)
        for a, e in runs(np.any(labels[:, own], axis=1)):
            on = own[labels[a:e, own].mean(axis=0) > 0.5]
            heel = any("_heel" in points.names[i] for i in on)
            can = character.has(hand) and len(character.dofs(hand)) > 0  # a wrist that can bend
            tips = np.array([i for i in own if "_tip" in points.names[i]], int)
            out.append(Handprint(hand, int(a), int(e), own if heel and can else tips, heel and can))
    return out


def laid(character: Character, q: Array, labels: np.ndarray, ground: Ground, dt: float) -> Array:
    """q (N, nq) with the wrists bent of hands that lie flat on the ground, and less and less before and after."""
    prints = [p for p in handprints(character, labels) if p.flat]
    if not prints:
        return q
    out, frames = np.array(q), np.arange(len(q))
    for p in prints:
        body = character.body(p.hand)
        pos, quat = character.forward(out)
        turn = _flat_turn(character, pos[p.first : p.last, body], quat[p.first : p.last, body], p, ground)
        away = np.maximum(np.maximum(p.first - frames, frames - (p.last - 1)), 0)
        w = 1.0 - fade(away * dt / BEND)
        rows = w > 0.0
        new = rot.slerp(quat[rows, body], np.broadcast_to(turn, (int(rows.sum()), 4)), w[rows])
        part = out[rows]
        set_turn(character, part, body, rot.multiply(rot.conjugate(quat[rows, character.tree.parent[body]]), new))
        out[rows] = part
    return out


def _flat_turn(character: Character, wrist: Array, quat: Array, p: Handprint, ground: Ground) -> Array:
    """The orientation (4,) of a hand that lies on the ground, its fingers where the wrist, bent backwards, has them.

    `wrist` (n, 3) and `quat` (n, 4) are where the hand is while it touches.
    """
    fingers, palm = _hand_axes(character, p.hand)
    ahead = (rot.rotate(quat, fingers) - rot.rotate(quat, palm)).mean(axis=0)
    spot = wrist.mean(axis=0)
    up = np.asarray(ground.normal(spot[0], spot[1]), float)
    ahead = ahead - (ahead @ up) * up
    size = float(np.linalg.norm(ahead))
    ahead = ahead / size if size > 1e-6 else np.cross(up, np.array([0.0, 1.0, 0.0]))
    own = np.stack([fingers, palm, np.cross(fingers, palm)], axis=1)
    return rot.from_matrix(np.stack([ahead, -up, np.cross(ahead, -up)], axis=1) @ own.T)


def _hand_axes(character: Character, hand: str) -> tuple[Array, Array]:
    """Unit vectors in a hand's frame: along its palm to the fingers, and out of the palm."""
    points, body = character.contact_points, character.body(hand)
    own = points.of(hand)
    heel, tip = (points.positions[[i for i in own if f"_{part}_" in points.names[i]]].mean(axis=0)
                 for part in ("heel", "tip"))  # fmt: skip
    fingers = (tip - heel) / np.linalg.norm(tip - heel)
    # palms look at the thighs in the zero pose
    zero = character.forward(character.zero_pose())[1][0, body]
    inward = rot.rotate(rot.conjugate(zero), np.array([0.0, -1.0 if hand.startswith("left") else 1.0, 0.0]))
    palm = inward - (inward @ fingers) * fingers
    return fingers, palm / np.linalg.norm(palm)


def goals(character: Character, q: Array, labels: np.ndarray, ground: Ground) -> list[tuple[int, Array, np.ndarray]]:
    """For points of hands that touch: index, place (3,) [m] on the ground, and when (N,) bool.

    q (N, nq) has its hands laid; see `laid`.
    """
    prints = handprints(character, labels)
    if not prints:
        return []
    points, places, out = character.contact_points, character.points(q), []
    pos, quat = character.forward(q)
    for p in prints:
        rows = slice(p.first, p.last)
        middle = np.median(places[rows, p.points], axis=0)  # (K, 3)
        if p.flat:
            body = character.body(p.hand)
            turn = _flat_turn(character, pos[rows, body], quat[rows, body], p, ground)
            middle = np.median(pos[rows, body], axis=0) + rot.rotate(turn, points.positions[p.points])
        middle[:, 2] = ground.height(middle[:, 0], middle[:, 1])
        on = np.zeros(len(q), bool)
        on[p.first : p.last] = True
        out += [(int(i), middle[k], on) for k, i in enumerate(p.points)]
    return out


def targets(character: Character, q: Array, labels: np.ndarray, ground: Ground, weight: float) -> list[ik.PointTarget]:
    """Points of hands that touch, kept on their places, for inverse kinematics."""
    points = character.contact_points
    return [ik.PointTarget(int(points.bodies[i]), points.positions[i], place, weight * on)
            for i, place, on in goals(character, q, labels, ground)]  # fmt: skip


def kept_labels(character: Character, labels: np.ndarray) -> np.ndarray:
    """Labels (N, P) in which every hand that touches does so with the same points as long as it stays."""
    prints = handprints(character, labels)
    if not prints:
        return labels
    out, points = labels.copy(), character.contact_points
    for p in prints:
        out[p.first : p.last, points.of(p.hand)] = False
        out[p.first : p.last, p.points] = True
    return out


def retargeted_holds(clip: Clip, character: Character, q: Array, ratio: float) -> tuple[Hold, ...]:
    """The clip's holds for another body in configurations q (N, nq), whose legs are `ratio` times as long.

    Bars go to where that body's hands are on average, both hands' together, so that one bar stays one bar. A body whose
    forearms end in hands holds with these.
    """
    source, moved, out = clip.character, [], []
    for hold in clip.grips:
        fitting = _on(hold, source, character, ratio)
        if fitting is None:
            continue
        rows = hold.covers(clip.times)
        if hold.place is not None and rows.any():
            there = fitting.path(replace(clip, character=character, q=q.copy(), cycle=None, labels=None, holds=(),
                                         recording=None, placement=None, source_times=None))  # fmt: skip
            here = hold.path(clip)
            moved.append((there[rows] - here[rows]).mean(axis=0))
        out.append(fitting)
    shift = np.mean(moved, axis=0) if moved else np.zeros(3)
    same = character.xml == source.xml and float(np.linalg.norm(shift)) < 0.05
    return tuple(h if same or h.place is None else h.moved(shift=tuple(shift)) for h in out)


def _on(hold: Hold, source: Character, target: Character, ratio: float) -> Hold | None:
    """The hold by the target's hand, or by the forearm that ends in it; None where there is neither."""
    hand = next((role for role, body in source.roles.items() if body == source.body_names[source.body(hold.hand)]), "")
    if target.has(hand):
        point = None if hold.point is None else tuple(ratio * np.asarray(hold.point))
        return replace(hold, hand=hand, point=point)
    arm = hand.replace("_hand", "_forearm")
    tips = target.contact_points.of(hand)
    if not target.has(arm) or not len(tips):
        return None
    palm = target.contact_points.positions[tips].mean(axis=0)  # between heel and tips of the hand
    extra = np.zeros(3) if hold.point is None else ratio * (np.asarray(hold.point) - Hold(hold.hand).local(source))
    return replace(hold, hand=arm, point=tuple(palm + extra))


def hold_targets(character: Character, holds: Sequence[Hold], times: Array, weight: float) -> list[ik.PointTarget]:
    """Hands kept on the fixed bars that they hold at these times (N,) [s], for inverse kinematics."""
    out = []
    for h in holds:
        on = h.covers(times)
        if not h.carries and h.place is not None and on.any():
            place = np.broadcast_to(np.asarray(h.place, float), (len(times), 3))
            out.append(ik.PointTarget(character.body(h.hand), h.local(character), place, weight * on))
    return out


def hand_targets(character: Character, q: Array, labels: np.ndarray, ground: Ground, holds: Sequence[Hold],
                 times: Array, weight: float) -> list[ik.PointTarget]:  # fmt: skip
    """Hands kept where they touch and on what they hold."""
    return [
        *targets(character, q, labels, ground, weight),
        *hold_targets(character, holds, times, weight),
    ]

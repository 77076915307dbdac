"""Hands of another body: bars moved to where its hands are, and hands kept on bars and on the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from poise.character import Character
from poise.ground.ground import Ground
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.hold import Hold
from poise.motion.ik import hands_on_ground, ik


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
        *hands_on_ground.targets(character, q, labels, ground, weight),
        *hold_targets(character, holds, times, weight),
    ]

"""The stage that a clip needs: its ground, the bars that its hands hold, and the loads that they carry."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.errors import BadValue
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.hold import Hold, repeated
from poise.stage.grips import Grip
from poise.stage.props import Bar, Barbell, Prop
from poise.stage.stage import Stage

SAME = 0.03  # [m] bars this near are one
BEYOND = 0.5  # [m] by which a bar reaches beyond the hands
REACH = 0.15  # [m] within which hands of a recording may close: they seldom are exactly at their bar
PLATES = (0.08, 0.225)  # [m] radius of the plates of a load in one hand, and of one in both
SHORT = 0.36  # [m] length of a load in one hand
FEW = 64  # periods of a loop for which hands that let go are told when to hold again


def check_start(start: float) -> None:
    """Refuse a time [s] at which no performance can start."""
    if not (np.isfinite(start) and start >= 0.0):
        raise BadValue(f"A performance starts at a time of its clip, 0 s or later, not at {start} s.")


def stage_of(clip: Clip, start: float = 0.0, seconds: float | None = None, friction: float = 1.0) -> Stage:
    """Ground, bars, loads and grips for a performance that begins at `start` [s] of the clip.

    Hands hold when they do in the clip; of a loop over `seconds`, where they let go of what they hold.
    """
    check_start(start)
    holds = _performed(clip, start, seconds)
    bars, grips = _bars([h for h in holds if not h.carries and h.place is not None])
    loads, carried = _loads(clip, [h for h in holds if h.carries], start)
    return Stage(ground=clip.ground, props=(*bars, *loads), grips=(*grips, *carried), friction=friction)


def _performed(clip: Clip, start: float, seconds: float | None) -> list[Hold]:
    """The holds in the time of the performance; those over before it begins are left out."""
    holds: Sequence[Hold] = clip.grips
    if clip.cycle is not None and clip.duration > 0.0:
        last = start + (10.0 if seconds is None else seconds)
        holds = repeated(holds, clip.cycle, clip.duration, int(np.clip(np.ceil(last / clip.duration), 1, FEW)))
    moved = [h.within(start, np.inf) for h in holds]
    return [h for h in moved if h is not None and (h.end is None or h.end > h.start)]


def _bars(holds: Sequence[Hold]) -> tuple[list[Prop], list[Grip]]:
    """One bar for all holds on one line, and the grips round it."""
    lines: list[list[Hold]] = []
    for hold in holds:
        line = next((known for known in lines if _on_line(known[0], hold)), None)
        if line is None:
            lines.append([hold])
        else:
            line.append(hold)
    props: list[Prop] = []
    grips: list[Grip] = []
    for k, line in enumerate(lines):
        name = "bar" if k == 0 else f"bar_{k + 1}"
        axis = _level(np.asarray(line[0].axis, float))
        places = np.array([h.place for h in line], float)
        along = (places - places[0]) @ axis
        middle = places.mean(axis=0) + (0.5 * (along.min() + along.max()) - along.mean()) * axis
        length = float(np.ptp(along)) + 2.0 * BEYOND
        props.append(Bar(name, float(middle[2]), tuple(axis), length, place=(float(middle[0]), float(middle[1]))))
        grips += [_grip(h, name) for h in line]
    return props, grips


def _grip(hold: Hold, to: str) -> Grip:
    return Grip(hold.hand, to, None, hold.start, hold.end, hold.point, reach=REACH)


def _level(axis: Array) -> Array:
    """A bar is level: its axis without what rises."""
    flat = np.array([axis[0], axis[1], 0.0])
    size = float(np.linalg.norm(flat))
    return flat / size if size > 1e-6 else np.array([0.0, 1.0, 0.0])


def _on_line(a: Hold, b: Hold) -> bool:
    """Do two hands hold one bar?"""
    axis = _level(np.asarray(a.axis, float))
    away = np.asarray(b.place, float) - np.asarray(a.place, float)
    across = away - (away @ axis) * axis
    parallel = abs(float(axis @ _level(np.asarray(b.axis, float)))) > 0.9
    return parallel and float(np.linalg.norm(across)) < SAME


def _loads(clip: Clip, holds: Sequence[Hold], start: float) -> tuple[list[Prop], list[Grip]]:
    """A barbell for two hands that carry at the same time, a short one for a hand alone, where they are taken up."""
    props: list[Prop] = []
    grips: list[Grip] = []
    waiting = list(holds)
    while waiting:
        own = [waiting.pop(0)]
        mate = next((h for h in waiting if h.hand != own[0].hand and abs(h.start - own[0].start) < 0.25), None)
        if mate is not None:
            waiting.remove(mate)
            own.append(mate)
        name = "barbell" if not props else f"barbell_{len(props) + 1}"
        props.append(_barbell(clip, own, name, start))
        grips += [_grip(h, name) for h in own]
    return props, grips


def _barbell(clip: Clip, holds: Sequence[Hold], name: str, start: float) -> Barbell:
    """The load of one hand or of both, where the hands are when they take it; on the ground if it is taken from it."""
    frame = int(np.clip(round((holds[0].start + start) / clip.dt), 0, len(clip) - 1))
    if clip.cycle is not None:
        frame %= max(len(clip) - 1, 1)
    hands = np.array([h.path(clip)[frame] for h in holds])
    middle = hands.mean(axis=0)
    way = hands[0] - hands[-1] if len(holds) > 1 else np.array([0.0, 1.0, 0.0])
    yaw = float(np.degrees(np.arctan2(-way[0], way[1]))) if np.linalg.norm(way[:2]) > 0.05 else 0.0
    yaw = (yaw + 90.0) % 180.0 - 90.0  # a barbell has no front
    high = float(middle[2] - clip.ground.height(middle[0], middle[1]))
    small, large = PLATES
    usual = large if len(holds) > 1 else small
    stands = holds[0].start > 0.0 and 0.5 * usual < high < 1.6 * usual
    length = SHORT if len(holds) == 1 else max(1.2, float(np.linalg.norm(way)) + 0.6)
    return Barbell(name, sum(h.mass for h in holds), (float(middle[0]), float(middle[1]), float(middle[2])), length,
                   plate_radius=high if stands else min(usual, max(high, small)), yaw=yaw,
                   solid=False)  # fmt: skip

"""What the experiments share: the clips on the document's body, both forms of the method, and what a response is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from poise.character import Character
from poise.character.load import load_character
from poise.errors import BadValue
from poise.experiments.reproduce import Options
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.methods.posture import Posture
from poise.methods.posture.body import Parts
from poise.motion.clip import Clip
from poise.motion.load import built_in, load_clip
from poise.performance import perform
from poise.stage import Push, Stage
from poise.take import Take

FORMS = ("printed", "ours")
WEIGHT, HEIGHT = 80.0, 1.7  # [kg, m] of the document's man
RECORDED = {"walk": "02_01", "backward": "136_25", "sneak": "120_08", "kata": "135_06"}
OTHERS = {"march": "91_19", "turn": "16_17", "about-turn": "09_12", "second walk": "12_01"}
OPEN = ("135_06", "16_17", "09_12")  # not cut to a loop
"""Recordings that stand for the document's clips; the kata stands for its tai-chi."""
K = {"kata": 5}  # near-unactuated coordinates, where not 10
LATER = 1.5  # [s] after a push in which it shall be over
EARLIEST = 0.4  # [s]
BACK, SMALL = 0.1, np.radians(2.0)  # what is left of a deviation when it is over: this share of the peak, or [rad]


@lru_cache(maxsize=4)
def man(weight: float = WEIGHT, height: float = HEIGHT) -> Character:
    """The document's body of 24, 12 and 6 degrees of freedom."""
    return load_character("human42", weight=weight, height=height)


@lru_cache(maxsize=32)
def _recorded(path: str, character: Character | None, clavicles: bool) -> Clip:
    if character is not None:
        clip = load_clip(path, character=character)
    else:
        clip = load_clip(path, weight=WEIGHT, clavicles=clavicles)
    if not path.split("/")[-1].startswith(OPEN):
        clip = clip.loop()
    return clip.make_physical()


def clip_of(name: str, options: Options, character: Character | None = None, own: bool = False) -> Clip:
    """A clip on the document's body, repaired: from the recordings where there are any, else the built-in one.

    own: on the skeleton of the recording itself, with clavicles and wrists.
    """
    body = None if own else man() if character is None else character
    found = options.recording((RECORDED | OTHERS).get(name, name))
    if found is not None:
        return _recorded(str(found), body, own)
    if name not in built_in():
        raise BadValue(f"{name} is a recording: give the folder of recordings with --recordings.")
    return load_clip(name, character=man() if body is None else body)


def method(form: str, settings: Mapping[str, Any] | None = None) -> Posture:
    """The document's form or ours, with other settings on top."""
    options = {"repair": False, **(settings or {})}
    return Posture.printed(**options) if form == "printed" else Posture(**options)


def performed(clip: Clip, form: str, seconds: float, events: Sequence[Any] = (), start: float = 0.0,
              stage: Stage | None = None, **settings: Any) -> Take:  # fmt: skip
    """The take of a clip by one of the two forms."""
    stage = replace(clip.stage(start, seconds) if stage is None else stage, events=tuple(events))
    return perform(clip, method(form, settings), stage=stage, seconds=seconds, start=start)


def heading(clip: Clip, time: float) -> float:
    """Which way [rad] the body faces at a time [s] of the clip."""
    k = round(time / clip.dt) % max(len(clip) - 1, 1) if clip.cycle is not None else round(time / clip.dt)
    return float(rot.heading(clip.q[min(k, len(clip) - 1), 3:7]))


def moments(clip: Clip, phases: int) -> list[float]:
    """Times [s] of as many phases, over a period of a loop or over an open clip while there is time to recover."""
    last = clip.duration if clip.cycle is not None else clip.duration - LATER - 0.15 - EARLIEST
    return [EARLIEST + (k + 0.13) / phases * max(last, 0.1) for k in range(phases)]


def push(clip: Clip, body: str, force: float, way: float, at: float, duration: float = 0.1) -> Push:
    """A push of `force` [N] in a direction `way` [degrees from where the body faces, to its left]."""
    angle = heading(clip, at) + np.radians(way)
    point = (0.0, 0.0, 0.0) if body.endswith("upper_arm") else None  # the shoulder itself
    return Push(body, (force * np.cos(angle), force * np.sin(angle), 0.0), at, duration, point)


@dataclass(frozen=True, eq=False)
class Response:
    """How a body answered a push."""

    whole: bool
    peak: float  # [degrees] largest deviation of a joint of the upper body
    rms: float  # [degrees] rms deviation over the joints at its greatest
    along: float  # [m] by which the pushed point goes along with the force first
    recovered: float  # [s] after the push until deviations stay below a tenth of the peak or 2 degrees; inf: never
    slide: float  # [m] largest move of a standing foot beside the undisturbed one
    shape: Array  # (T, n) deviations [rad] of the upper body from the beginning of the push on

    @property
    def back(self) -> bool:
        """Did it recover in time?"""
        return self.whole and self.recovered <= LATER

    @property
    def goes_along(self) -> bool:
        """Does the pushed point first move at least 2 cm along the force?"""
        return self.along >= 0.02


LOST = Response(False, np.inf, np.inf, 0.0, np.inf, np.inf, np.zeros((0, 1)))


def response(take: Take, calm: Take, event: Push, watched: float = LATER) -> Response:
    """What a push did, against the same performance without it."""
    character, n = take.character, min(len(take), len(calm))
    first, last = round(event.at * 120), min(round((event.end + watched + 0.1) * 120), n)
    if not take.ended.whole or last - first < 30:
        return LOST
    parts, span = Parts.of(character), slice(first, last)
    off = conf.difference(character.layout, calm.q[span], take.q[span])[:, parts.upper]
    size = np.abs(off).max(axis=1)
    ends = round((event.end - event.at) * 120)
    late = np.flatnonzero(size[ends:] > max(BACK * size.max(), SMALL))
    over = 0.0 if not len(late) else (late[-1] + 1) / 120 if late[-1] + 1 < len(size) - ends else np.inf
    return Response(True, float(np.degrees(size.max())), float(np.degrees(np.sqrt((off**2).mean(axis=1)).max())),
                    _along(take, calm, event, span), over, _slide(take, calm, n), off)  # fmt: skip


def _along(take: Take, calm: Take, event: Push, span: slice) -> float:
    """How far [m] the pushed point goes along with the force before it first comes back."""
    character = take.character
    body, force = character.body(event.body), np.asarray(event.force, float)
    local = character.model.body_ipos[body] if event.point is None else np.asarray(event.point, float)
    places = []
    for t in (take, calm):
        pos, quat = character.forward(t.q[span])
        places.append(pos[:, body] + rot.rotate(quat[:, body], local))
    way = (places[0] - places[1]) @ force / np.linalg.norm(force)
    against = np.flatnonzero(way < -0.005)
    return float(way[: against[0] if len(against) else len(way)].max(initial=0.0))


def _slide(take: Take, calm: Take, n: int) -> float:
    """How far [m] a foot that stands moves beside the undisturbed one, at most, in one stance."""
    points = take.character.contact_points
    a, b = take.character.points(take.q[:n]), take.character.points(calm.q[:n])
    labels = take.scheduled[:n]
    worst = 0.0
    for side in ("left", "right"):
        own = points.of(side)
        stands = labels[:, own].any(axis=1)
        move = (a[:, own] - b[:, own]).mean(axis=1)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], stands.astype(int), [0]])))
        for k, e in zip(edges[::2], edges[1::2], strict=True):
            worst = max(worst, float(np.linalg.norm(move[k:e] - move[k], axis=1).max(initial=0.0)))
    return worst


def count(found: Sequence[bool]) -> str:
    """How many of them, in words."""
    return f"{sum(map(bool, found))}/{len(found)}"

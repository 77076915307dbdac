"""Spikes: joints that turn further in one frame than a body can."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.maths import rotations as rot
from poise.maths.configuration import BALL, FREE, HINGE
from poise.maths.intervals import close_gaps, runs
from poise.maths.rotations import Array
from poise.motion.clip import Clip

FASTEST = 2400.0  # [degrees/s], 20 degrees a frame at 120 frames a second; a fast kick turns the knee at about 1700
LARGEST = 100.0  # [degrees] a step that is too large at any frame rate
TOGETHER = 3  # frames between steps that belong to one spike


@dataclass(frozen=True)
class Spike:
    """One joint that flips or jitters."""

    joint: str
    frame: int  # of the file (or clip), counted from 0: the worst step is from this frame to the next
    degrees: float  # the worst step
    count: int  # steps that are too large


def spikes(clip: Clip) -> tuple[Spike, ...]:
    """Spikes in the file's own joints (toes and fingers too), or in the character's without a file; worst first."""
    names, steps = _file_steps(clip) if clip.recording is not None else _body_steps(clip)
    if len(steps) == 0:
        return ()
    dt = clip.dt if clip.recording is None else clip.recording.dt
    large = steps > min(FASTEST * dt, LARGEST)
    found = []
    for j in np.flatnonzero(large.any(axis=0)):
        for a, e in runs(close_gaps(large[:, j], TOGETHER)):
            worst = a + int(np.argmax(steps[a:e, j]))
            found.append(Spike(names[j], worst, round(float(steps[worst, j]), 1), int(large[a:e, j].sum())))
    return tuple(sorted(found, key=lambda s: -s.degrees))


def _file_steps(clip: Clip) -> tuple[tuple[str, ...], Array]:
    """Angle [degrees] (N-1, J) by which each joint of the file turns from frame to frame."""
    recording = clip.recording
    assert recording is not None
    first, last = 0, len(recording) - 1
    if clip.source_times is not None:  # a T-pose in front of the motion is no spike
        first, last = (round(float(t) / recording.dt) for t in (clip.source_times.min(), clip.source_times.max()))
    turns = recording.rotations
    steps = np.zeros((len(recording) - 1, len(recording.skeleton)))
    inside = slice(max(first, 0), min(last, len(recording) - 1))
    steps[inside] = np.degrees(rot.angle_between(turns[:-1], turns[1:]))[inside]
    return recording.skeleton.names, steps


def _body_steps(clip: Clip) -> tuple[tuple[str, ...], Array]:
    """The same for the joints of the character."""
    layout, out = clip.character.layout, []
    for kind, at in zip(layout.kind, layout.qadr, strict=True):
        if kind in (FREE, BALL):
            turn = clip.q[:, at + 3 : at + 7] if kind == FREE else clip.q[:, at : at + 4]
            out.append(rot.angle_between(turn[:-1], turn[1:]))
        else:
            out.append(np.abs(np.diff(clip.q[:, at])) * (kind == HINGE))  # slides do not turn
    return clip.character.joint_names, np.degrees(np.stack(out, axis=1))

"""Flaws of a recording: joints that turn further in one frame than a body can, and a frame rate that is wrong.

A body in the air falls with 9.81 m/s²; where it seems to fall faster or slower, the file tells a wrong frame rate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.maths import GRAVITY
from poise.maths import rotations as rot
from poise.maths.configuration import BALL, FREE, HINGE
from poise.maths.intervals import close_gaps, frames, runs
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.contact.detect_feet import above_ground
from poise.motion.contact.foot_motion import FootMotion, foot_motion

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


CLEAR = 0.02  # [m] feet this high do not touch
HIGH = 0.08  # [m] feet that get this high are in the air, whatever they are labelled
SHORTEST = 0.10  # [s] shorter flights say too little
TRIM = 0.015  # [s] left out at both ends of a flight, where a toe may still push
TOLERANCE = 0.18  # share by which a measured fall may differ from gravity
SIDEWAYS = 0.25  # share of the fall by which a body in free flight may seem to speed up sideways
USUAL = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 90.0, 100.0, 120.0, 150.0, 200.0, 240.0)  # frame rates in use


@dataclass(frozen=True)
class Flight:
    """A stretch in which nothing touches and the centre of mass moves on a parabola."""

    start: float  # [s]
    end: float  # [s]
    fall: float  # [m/s²]


@dataclass(frozen=True)
class FreeFall:
    """What the flights of a clip say about its frame rate."""

    flights: tuple[Flight, ...]
    g: float | None  # [m/s²] measured; None without a flight
    fps: float | None  # frame rate at which it would be 9.81
    verdict: str  # "agrees", "disagrees" or "unknown"
    sentence: str


def free_fall(clip: Clip) -> FreeFall:
    """The flights of a clip, the fall measured in them, and what it says about the frame rate."""
    flights = find_flights(clip)
    if not flights:
        return FreeFall((), None, None, "unknown", _without_flight(clip))
    length = np.array([f.end - f.start for f in flights])
    g = float(np.average([f.fall for f in flights], weights=length**5))  # as the precision of a fitted parabola grows
    fps = clip.fps * float(np.sqrt(GRAVITY / g))
    if abs(g / GRAVITY - 1.0) < TOLERANCE:
        text = f"Falls with {g:.1f} m/s² in flight, as it should: {clip.fps:.0f} frames a second is right."
        return FreeFall(flights, g, fps, "agrees", text)
    near = min(USUAL, key=lambda usual: abs(np.log(usual / fps)))
    text = (
        f"Falls with {g:.1f} m/s² in flight instead of {GRAVITY:g}; that would be right at {fps:.0f} frames a second."
    )
    if length.max() < 2 * SHORTEST and abs(g / GRAVITY - 1.0) < 2.5 * TOLERANCE:
        return FreeFall(flights, g, fps, "unknown", f"{text} The flight is too short to be sure.")
    if abs(np.log(near / fps)) < 0.12 and abs(np.log(near / clip.fps)) > 0.2:
        text += f" The file says {clip.fps:.0f} but was probably recorded at {near:.0f}: load it with fps={near:.0f}."
    return FreeFall(flights, g, fps, "disagrees", text)


def find_flights(clip: Clip) -> tuple[Flight, ...]:
    """Stretches with all feet off the ground in which the centre of mass moves like a thrown stone."""
    foot = foot_motion(clip)
    if not foot.pairs:
        return ()
    high, com = foot.trimmed(above_ground(clip, foot).min(axis=1)), foot.trimmed(foot.com)
    free = clip.contacts.airborne()
    out = []
    for a, e in runs(high > CLEAR):
        # feet recorded a little too high are not in the air, unless nothing else touches either
        up = high[a:e].max() > HIGH or free[a:e].mean() > 0.5
        if up and (e - a) * clip.dt >= SHORTEST and e - a >= 5:
            out.append(_fit(com, int(a), int(e), clip.dt))
    return tuple(f for f in out if f is not None)


def _fit(com: Array, a: int, e: int, dt: float) -> Flight | None:
    """The parabola through the centre of mass from a to e, where it is one."""
    cut = frames(TRIM, dt) if e - a > 8 else 0
    rows = np.arange(a + cut, e - cut)
    if len(rows) < 4:
        return None
    t = (rows - rows.mean()) * dt
    basis = np.stack([np.ones(len(t)), t, 0.5 * t**2], axis=1)
    fit, *_ = np.linalg.lstsq(basis, com[rows], rcond=None)
    miss = float(np.sqrt(np.mean((com[rows, 2] - basis @ fit[:, 2]) ** 2)))
    fall, sideways = -float(fit[2, 2]), float(np.linalg.norm(fit[2, :2]))
    sagitta = fall * (t[-1] - t[0]) ** 2 / 8
    if fall < 1.5 or sideways > SIDEWAYS * fall or miss > 0.05 * sagitta + 0.0005:
        return None  # hands, a bar or a rope hold the body
    return Flight(a * dt, (e - 1) * dt, fall)


def _without_flight(clip: Clip) -> str:
    """What can be said of the frame rate of a clip that never leaves the ground."""
    text = "No flight in it, so free fall cannot tell whether the frame rate is right."
    feet = clip.contacts.feet()
    steps = sum(max(0, len(runs(feet[:, k])) - 1) for k in (0, 1))
    travel = float(np.linalg.norm(np.diff(clip.q[:, :2], axis=0), axis=1).sum())
    if steps < 3 or travel < 1.0:
        return text
    cadence, speed = steps / clip.duration, travel / clip.duration
    leg = float(np.median(clip.q[:, 2]))
    text += f" It walks at {speed:.2f} m/s with about {cadence:.1f} steps a second"
    likely = cadence < 3.3 and speed**2 < GRAVITY * max(leg, 0.3)
    return text + (", which is plausible." if likely else ", too fast for a walk: the frame rate may be too high.")


def unheld(foot: FootMotion, contact: np.ndarray) -> float:
    """Time [s] in which no foot touches and the body does not fall either: something else holds it."""
    free = ~np.any(contact, axis=1) & (foot.trimmed(foot.lift) > -5.0)
    return float(free.sum() * foot.dt)

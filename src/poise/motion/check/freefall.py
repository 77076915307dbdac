"""Free fall: does a body in the air fall with 9.81 m/s², or does the file tell a wrong frame rate?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.maths import GRAVITY
from poise.maths.intervals import frames, runs
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.contacts.detect import above_ground
from poise.motion.contacts.foot_motion import Footing, footing

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
    foot = footing(clip)
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


def unheld(foot: Footing, touching: np.ndarray) -> float:
    """Time [s] in which no foot touches and the body does not fall either: something else holds it."""
    free = ~np.any(touching, axis=1) & (foot.trimmed(foot.lift) > -5.0)
    return float(free.sum() * foot.dt)

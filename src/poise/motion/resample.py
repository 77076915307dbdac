"""A clip at other times: between its frames on a twice differentiable curve, and beyond the ends of a loop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.errors import BadValue
from poise.maths.rotations import Array
from poise.maths.splines import Spline
from poise.motion.clip import Clip, Cycle
from poise.motion.hold import at_pace, retimed


def sample(clip: Clip, times: Array) -> Clip:
    """An open clip of the same frame rate with the configurations of `clip` at `times` (M,) [s].

    Times beyond the ends of a looping clip go on into its next and last periods; those of an open clip hold its end
    poses. Contacts are those of the nearest frame.
    """
    times = np.asarray(times, float)
    if times.ndim != 1 or len(times) < 1 or not np.all(np.isfinite(times)):
        raise BadValue("Sampling a clip needs at least one finite time.")
    period = clip.duration
    count = np.floor(times / period + 1e-9).astype(int) if clip.cycle is not None and period > 0 else np.zeros(1, int)
    if clip.cycle is not None and period > 0:
        count = np.where((count == 1) & (times <= period * (1 + 1e-9)), 0, count)  # the last frame is this period's own
    local = times - count * period
    x = np.clip(local / clip.dt, 0.0, len(clip) - 1.0)
    near = np.round(x).astype(int)
    spline = Spline.through(clip.character.layout, clip.q, clip.dt, smooth_rate(clip), clip.acceleration)
    q = spline.many(np.clip(local, 0.0, period))
    exact = np.abs(x - near) < 1e-6
    q[exact] = clip.q[near[exact]]  # frames of the clip itself come back bit for bit
    if clip.cycle is not None:
        q = carried_rows(clip.cycle, q, count)
    moments = None
    if clip.source_times is not None:
        moments = np.interp(x, np.arange(len(clip)), clip.source_times)
        moments[exact] = clip.source_times[near[exact]]
    labels = clip.contacts.labels[near]
    holds = retimed(clip.grips, clip.cycle, local, np.broadcast_to(count, local.shape), clip.dt)
    return clip.with_q(q, cycle=None, labels=labels, source_times=moments, holds=holds)


class Unrolled(NamedTuple):
    """The frames of a clip, those of a loop with frames of its neighbouring periods on both sides."""

    q: Array  # (M, nq)
    frame: np.ndarray  # (M,) the clip's own frame that each row repeats
    own: slice  # the rows that are the clip's own


def unrolled(clip: Clip, lead: int) -> Unrolled:
    """A loop with `lead` frames before its first and after its last one, so that its seam is like any other moment.

    An open clip is left as it is.
    """
    period = len(clip) - 1
    if clip.cycle is None or period < 1:
        return Unrolled(clip.q, np.arange(len(clip)), slice(0, len(clip)))
    count, frame = np.divmod(np.arange(-lead, len(clip) + lead), period)
    if frame[-1] == 0:  # the last row ends a period: as the last frame of that one, not the first of the next
        count[-1], frame[-1] = count[-1] - 1, period
    return Unrolled(carried_rows(clip.cycle, clip.q[frame], count), frame, slice(lead, lead + len(clip)))


def carried_rows(cycle: Cycle, q: Array, count: np.ndarray) -> Array:
    """Configurations (M, nq), each moved on by its own count (M,) of periods."""
    out = np.array(q, float)
    for k in np.unique(count[count != 0]):
        out[count == k] = cycle.carry(q[count == k], int(k))
    return out


def smooth_rate(clip: Clip) -> Array:
    """Velocities (N, nv) that fit the clip's frames and accelerations to fourth order in the time between frames.

    Those of three frames are off by dt²/6 times the jerk, and a curve with such velocities would sway between frames.
    """
    v, a = np.array(clip.velocity), clip.acceleration
    if len(v) > 2:
        v[1:-1] -= clip.dt / 12.0 * (a[2:] - a[:-2])
    if clip.cycle is not None and len(v) > 3:
        v[0] = v[-1] = clip.velocity[0] - clip.dt / 12.0 * (a[1] - a[-2])
    return v


def resample(clip: Clip, fps: float) -> Clip:
    """The same motion with `fps` frames per second; a loop keeps its period exactly and comes close to `fps`."""
    if not (np.isfinite(fps) and 0 < fps <= 10000):
        raise BadValue(f"Frames per second must be a positive number up to 10000, not {fps}.")
    if len(clip) == 1:
        return clip.with_q(clip.q, dt=1.0 / fps, holds=at_pace(clip.grips, 1.0 / (fps * clip.dt)))
    if clip.cycle is None:
        dt = 1.0 / fps
        count = int(np.floor(clip.duration / dt + 1e-6))
    else:
        count = max(1, round(clip.duration * fps))
        dt = clip.duration / count
    out = sample(clip, np.arange(count + 1) * dt)
    q = np.array(out.q)
    if clip.cycle is not None:
        q[-1] = clip.cycle.carry(q[0], 1)
    return out.with_q(q, dt=dt, cycle=clip.cycle, holds=at_pace(out.grips, dt / clip.dt))

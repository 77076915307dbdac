"""Loops: the best whole cycle of a motion, with its seam closed and the root's displacement kept."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.errors import BadValue, NoSolution
from poise.ground.ground import tops_of
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip, Cycle
from poise.motion.fades import fade
from poise.motion.feet.settle import settled
from poise.motion.hold import cut

TIME = 0.12  # [s] by which velocities are weighed against positions


def features(clip: Clip) -> Array:
    """Rows (N, D) whose root mean square differences are distances between poses [m], blind to place and heading."""
    pos, _ = clip.character.forward(clip.q)
    base = np.column_stack([clip.q[:, :2], clip.ground.height(clip.q[:, 0], clip.q[:, 1])])
    away = rot.about_z(-rot.heading(clip.q[:, 3:7]))
    own = pos[:, 1:] - base[:, None]
    rows = rot.rotate(away[:, None], own)
    rate = np.gradient(pos[:, 1:], clip.dt, axis=0) if len(clip) > 1 else np.zeros_like(rows)
    speed = TIME * rot.rotate(away[:, None], rate)
    both = np.concatenate([rows, speed], axis=-1).reshape(len(clip), -1)
    return both / np.sqrt(pos.shape[1] - 1)


def distances(a: Array, b: Array) -> Array:
    """Distances (N, M) [m] between all rows of a (N, D) and b (M, D)."""
    square = np.sum(a * a, 1)[:, None] + np.sum(b * b, 1)[None] - 2.0 * (a @ b.T)
    return np.sqrt(np.maximum(square, 0.0))


_RATE = 60.0  # [1/s] at which cycles are searched for; the ends are then set to the frame
_SHORTEST = 0.25  # [s]
_STILL = 0.025  # [m] rms by which the poses of a clip may differ that counts as standing
_ALIKE = 0.6  # share of its own spread by which a motion may miss itself one period later
_ALIKE_WHILE = 0.45  # the same for a motion that repeats itself only for a while
_AWAY = 0.2  # by how much more it must have been away from itself in between
_MOVES = 0.7  # share of the liveliest stretch's spread that a cycle must have
_CONTACT = 0.1  # [m] that a wholly different contact state counts for
_TYPICAL = 0.1  # [m] that a cycle of twice the usual length counts for
_STRAIGHT = 0.05  # [m] that a turn of 1 rad in a period counts for: straight cycles before bent ones
_EASE = 0.2  # [s] within which a jump of velocity at the seam is taken up
_BEND = np.radians(5.0)  # a way that turns less in a period is straight
_PLACE = 0.2  # [m] a motion that goes less far in a period stays in place
_OVER = 0.5  # [s] of cross-fade for a clip that stands


@dataclass(frozen=True)
class Found:
    """A cycle found in a clip: its frames, the period and how well the motion repeats itself."""

    first: int
    last: int
    period: float  # [s] of the motion as a whole
    repeats: float  # distance of the motion from itself one period later, as a share of its own spread
    jump: float  # [m] between the poses at both ends


def loop(clip: Clip) -> Clip:
    """The best whole cycle of a clip, closed; a clip that already loops comes back as it is.

    A file that says it is one cycle is taken whole. A clip that stands still is closed by a cross-fade. Else the
    period is where the motion is most like itself a while later, and the cut is where pose, velocity and contacts
    agree best. Raises NoSolution, with what was measured, where nothing repeats.
    """
    if clip.cycle is not None:
        return clip if _seam(clip) < 1e-9 else _closed(clip, 0, len(clip) - 1, clip.cycle)
    if tops_of(clip.ground) is not None:
        raise NoSolution("A motion on treads of its own cannot loop: there is no ground for its next period.", clip)
    if len(clip) < 4 or clip.duration < _SHORTEST:
        raise BadValue(f"A clip of {clip.duration:.2f} s is too short to hold a cycle.")
    if _whole_cycle(clip):
        return close(clip, 0, len(clip) - 1)
    rows = features(clip)
    if np.sqrt(np.mean(np.sum((rows - rows.mean(axis=0)) ** 2, axis=1))) < _STILL:
        return _crossfade(clip)
    found = find(clip)
    return close(clip, found.first, found.last)


def _whole_cycle(clip: Clip) -> bool:
    """Does the recording say that it wraps, and is this all of it?"""
    rec, times = clip.recording, clip.source_times
    if rec is None or not rec.wraps:
        return False
    return times is None or bool(times[0] < 1.5 * rec.dt and times[-1] > rec.duration - 1.5 * rec.dt)


def find(clip: Clip) -> Found:
    """The best cycle of a clip."""
    skip = max(1, round(1.0 / (_RATE * clip.dt)))
    rows = features(clip)
    thin = rows[::skip]
    far = distances(thin, thin)
    sums = _Sums.of(thin)
    lag, repeats, span = _period(far, sums, skip * clip.dt)
    touch, facing = clip.contacts.labels[::skip], np.unwrap(rot.heading(clip.q[::skip, 3:7]))
    low, high = max(2, int(0.85 * lag)), min(int(1.15 * lag) + 1, span.stop - span.start - 2)
    best, pick = np.inf, (span.start, span.start + lag)
    for k in range(low, max(high, low) + 1):
        i = np.arange(span.start, span.stop - k)
        differ = (touch[i + k] != touch[i]).mean(axis=1) if touch.shape[1] else 0.0
        score = far[i, i + k] + _CONTACT * differ + _TYPICAL * abs(np.log(k / lag))
        score = score + _STRAIGHT * np.abs(facing[i + k] - facing[i])
        spread = sums.spread(i[None], i[None] + k)
        score = np.where(spread >= _MOVES * spread.max(initial=0.0), score, np.inf)
        if len(i) and score.min() < best:
            best, at = float(score.min()), int(i[np.argmin(score)])
            pick = (at, at + k)
    first, last = _refine(rows, pick[0] * skip, pick[1] * skip, skip)
    jump = float(np.linalg.norm(rows[first] - rows[last]))
    return Found(first, last, lag * skip * clip.dt, repeats, jump)


def _period(far: Array, sums: _Sums, dt: float) -> tuple[int, float, range]:
    """The period [rows], how far the motion is from itself after it, and the rows in which it repeats."""
    count = len(far)
    lags = np.arange(max(2, round(_SHORTEST / dt)), count - max(3, round(0.1 / dt)))
    ratio = np.full(count, np.inf)
    for k in lags:  # what the motion does in the two stretches compared is the measure of how alike they are
        gap = np.sqrt(np.mean(np.diagonal(far, k) ** 2))
        ratio[k] = gap / sums.spread(np.array([0, k]), np.array([count - k, count]))
    valley = [int(k) for k in lags[1:-1] if ratio[k] <= ratio[k - 1] and ratio[k] <= ratio[k + 1]]
    # before it comes back to where it was, the motion must have been away: else it only stands, or moves slowly
    good = [k for k in valley if ratio[k] < _ALIKE and ratio[lags[0] : k].max() > ratio[k] + _AWAY]
    if good:
        finest = min(ratio[k] for k in good)
        lag = min(k for k in good if ratio[k] < 1.35 * finest + 0.05)  # its multiples are just as good: the first
        return lag, float(ratio[lag]), range(count)
    found = _passing(far, sums, lags)
    if found is not None:
        return found
    least = min(valley, key=lambda k: ratio[k], default=0)
    told = f"most alike after {least * dt:.2f} s, but {100 * ratio[least]:.0f} %" if least else "at no time alike"
    raise NoSolution(f"No cycle repeats in this motion of {count * dt:.2f} s: it is {told} of its own spread away "
                     f"from itself (up to {100 * _ALIKE:.0f} % is a repetition).", problem=ratio)  # fmt: skip


def _passing(far: Array, sums: _Sums, lags: np.ndarray) -> tuple[int, float, range] | None:
    """A cycle that the motion goes through for a while: one and a half periods that repeat well, and half do not."""
    count, best = len(far), (_ALIKE_WHILE, 0, 0)
    lively = 0.7 * sums.spread(np.array([0]), np.array([count]))
    for k in lags[lags < 0.66 * count]:
        half = k // 2
        gap, between = _gaps(far, int(k), half + 1), _gaps(far, half, half + 1)
        first = np.arange(len(gap))
        spread = sums.spread(np.stack([first, first + k]), np.stack([first + half + 1, first + k + half + 1]))
        near = np.where((spread > lively) & (between[: len(gap)] > gap + _AWAY * spread), gap / spread, np.inf)
        i = int(np.argmin(near))
        if near[i] < best[0]:
            best = (float(near[i]), int(k), i)
    ratio, lag, start = best
    return None if lag == 0 else (lag, ratio, range(start, min(start + int(1.5 * lag) + 1, count)))


def _gaps(far: Array, lag: int, width: int) -> Array:
    """Root mean square distance between a stretch of `width` rows from each row on and the one `lag` rows later."""
    square = np.concatenate([[0.0], np.cumsum(np.diagonal(far, lag) ** 2)])
    return np.sqrt((square[width:] - square[:-width]) / width)


@dataclass(frozen=True, eq=False)
class _Sums:
    """Running sums of rows (N, D) and of their squares, for the spread over any stretch at once."""

    rows: Array  # (N + 1, D)
    squares: Array  # (N + 1,)

    @classmethod
    def of(cls, rows: Array) -> _Sums:
        square = np.sum(rows * rows, axis=1)
        return cls(np.concatenate([np.zeros((1, rows.shape[1])), np.cumsum(rows, axis=0)]),
                   np.concatenate([[0.0], np.cumsum(square)]))  # fmt: skip

    def spread(self, first: np.ndarray, last: np.ndarray) -> Array:
        """Root mean square distance between two rows out of the stretches first .. last - 1 (S, ...) taken together."""
        count = np.sum(last - first, axis=0)
        total = np.sum(self.rows[last] - self.rows[first], axis=0)
        square = np.sum(self.squares[last] - self.squares[first], axis=0) / count
        variance = square - np.sum((total / np.expand_dims(count, -1)) ** 2, axis=-1)
        return np.sqrt(2.0 * np.maximum(variance, 1e-12))


def _refine(rows: Array, first: int, last: int, skip: int) -> tuple[int, int]:
    """The best pair of frames near a pair found on every `skip`-th."""
    a = np.arange(max(0, first - skip), min(len(rows), first + skip + 1))
    b = np.arange(max(0, last - skip), min(len(rows), last + skip + 1))
    i, j = np.unravel_index(np.argmin(distances(rows[a], rows[b])), (len(a), len(b)))
    return int(a[i]), int(b[j])


def close(clip: Clip, first: int, last: int) -> Clip:
    """The frames first .. last as a cycle: the residuals of pose, velocity and acceleration at the seam spread out."""
    return _closed(clip, first, last, _cycle(clip, first, last))


def _seam(clip: Clip) -> float:
    """Largest difference between the last frame of a loop and the first of its next period [rad, m]."""
    assert clip.cycle is not None
    return float(np.abs(conf.difference(clip.character.layout, clip.cycle.carry(clip.q[0], 1), clip.q[-1])).max())


def _closed(clip: Clip, first: int, last: int, cycle: Cycle) -> Clip:
    q = np.array(clip.q[first : last + 1])
    layout, dt, count = clip.character.layout, clip.dt, last - first
    back = lambda v: np.concatenate([rot.rotate(rot.about_z(-cycle.turn), v[:3]), v[3:]])  # noqa: E731
    gap = conf.difference(layout, q[0], cycle.carry(q[-1], -1))
    speed = back(clip.velocity[last]) - clip.velocity[first]
    force = back(clip.acceleration[last]) - clip.acceleration[first]
    t = np.arange(count + 1) * dt
    ease = min(_EASE, 0.4 * count * dt)
    start, end = t / ease, (t[-1] - t) / ease
    delta = 0.5 * ((1.0 - 2.0 * fade(t / t[-1]))[:, None] * gap + (_rate(start) + _rate(end))[:, None] * ease * speed
                   + (_bend(start) - _bend(end))[:, None] * ease**2 * force)  # fmt: skip
    delta[:, :3] = rot.rotate(rot.about_z(cycle.turn * t / t[-1]), delta[:, :3])
    q = conf.integrate(layout, q, delta)
    q[-1] = cycle.carry(q[0], 1)
    labels = np.array(clip.contacts.labels[first : last + 1])
    labels[-1] = labels[0]
    times = None if clip.source_times is None else clip.source_times[first : last + 1].copy()
    holds = cut(clip.grips, first * dt, last * dt)
    closed = replace(clip, q=q, cycle=cycle, labels=labels, source_times=times, holds=holds)
    return settled(closed)


def _rate(x: Array) -> Array:
    """A bump that starts at x = 0 with slope 1 and no curvature, and has died away smoothly at x = 1."""
    x = np.clip(x, 0.0, 1.0)
    return x * (1 - x) ** 3 * (1 + 3 * x)


def _bend(x: Array) -> Array:
    """A bump that starts at x = 0 with curvature 1 and no slope, and has died away smoothly at x = 1."""
    x = np.clip(x, 0.0, 1.0)
    return 0.5 * x * x * (1 - x) ** 3 * (1 + 3 * x)


def _cycle(clip: Clip, first: int, last: int) -> Cycle:
    """Turn and shift from one period to the next: the turn that lays the way one period later onto the way best.

    A turn of a few degrees is the difference of two steps, not of a way that bends: it counts as none.
    """
    away = float(np.linalg.norm(clip.q[last, :2] - clip.q[first, :2]))
    both = rot.heading(clip.q[[first, last], 3:7])
    turned = float((both[1] - both[0] + np.pi) % (2 * np.pi) - np.pi)
    if away < _PLACE and abs(turned) < 4.0 * _BEND:
        return Cycle(0.0, np.zeros(3))
    count = last - first
    before, after = min(first, count // 2), min(len(clip) - 1 - last, count // 2)
    a, b = clip.q[first - before : first + after + 1], clip.q[last - before : last + after + 1]
    if before + after >= 0.3 * count and away > 2.0 * _PLACE:
        x, y = (p[:, :2] - p[:, :2].mean(axis=0) for p in (a, b))
        turn, least = float(np.arctan2(np.sum(x[:, 0] * y[:, 1] - x[:, 1] * y[:, 0]), np.sum(x * y))), _BEND
    else:
        turn, least = turned, 2.0 * _BEND
    turn = 0.0 if abs(turn) < least else turn
    shift = clip.q[last, :3] - rot.rotate(rot.about_z(turn), clip.q[first, :3])
    shift[2] = float(np.diff(clip.ground.height(*clip.q[[first, last], :2].T))[0])
    return Cycle(turn, shift)


def _crossfade(clip: Clip) -> Clip:
    """A standing clip closed by fading its end into its beginning, in place."""
    over = min(round(_OVER / clip.dt), (len(clip) - 1) // 2)
    q = np.array(clip.q[over:])
    head = clip.q[: over + 1]
    w = fade(np.arange(over + 1) / max(over, 1))
    q[-over - 1 :] = conf.interpolate(clip.character.layout, q[-over - 1 :], head, w)
    cycle = Cycle(0.0, np.zeros(3))
    q[-1] = q[0]
    labels = np.array(clip.contacts.labels[over:])
    labels[-1] = labels[0]
    times = None if clip.source_times is None else clip.source_times[over:].copy()
    holds = cut(clip.grips, over * clip.dt, clip.duration)
    return settled(replace(clip, q=q, cycle=cycle, labels=labels, source_times=times, holds=holds))

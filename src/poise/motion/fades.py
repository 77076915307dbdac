"""Smooth functions of time: fades, windows, averages and upper envelopes, all twice differentiable."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from poise.errors import BadValue
from poise.maths.rotations import Array, ArrayLike


def fade(x: ArrayLike) -> Array:
    """0 for x <= 0, 1 for x >= 1, a quintic in between with no rate and no curvature at both ends."""
    x = np.clip(np.asarray(x, float), 0.0, 1.0)
    return x**3 * (10.0 - 15.0 * x + 6.0 * x * x)


def window(times: Array, start: float | None, end: float | None, over: float, period: float | None = None) -> Array:
    """1 from start to end [s], fading in over `over` seconds before start and out after end; None: no such side.

    In a loop of a period [s] the window comes again in each, its fades running on through the seam; a side that is not
    given is then the end of the period, with the fade inside.
    """
    if start is None and end is None:
        return np.ones(len(times))
    if period is None:
        return _once(times, start, end, over)
    over = min(over, 0.5 * period)
    start, end = over if start is None else start, period - over if end is None else end
    count = int(np.ceil((over + abs(start) + abs(end)) / period)) + 1
    return np.max([_once(times + k * period, start, end, over) for k in range(-count, count + 1)], axis=0)


def _once(times: Array, start: float | None, end: float | None, over: float) -> Array:
    w = np.ones(len(times))
    if start is not None:
        w *= fade((times - start) / over + 1.0) if over > 0 else times >= start - 1e-9
    if end is not None:
        w *= fade((end - times) / over + 1.0) if over > 0 else times <= end + 1e-9
    return w


def check_interval(start: float | None, end: float | None, over: float = 0.0) -> None:
    """Refuse an interval [s] that runs backwards and a fade that is negative."""
    for value in (start, end, over):
        if value is not None and not np.isfinite(value):
            raise BadValue(f"A time must be a finite number of seconds, not {value}.")
    if start is not None and end is not None and not end >= start:
        raise BadValue(f"An edit cannot end at {end} s before it starts at {start} s.")
    if over < 0:
        raise BadValue(f"A fade cannot last {over} s.")


def extended(x: Array, count: int) -> Array:
    """x (N, ...) with `count` more rows at both ends, continued by point reflection: position and slope go on."""
    if len(x) == 1 or count == 0:
        return np.concatenate([np.repeat(x[:1], count, 0), x, np.repeat(x[-1:], count, 0)])
    last = len(x) - 1
    period = 2 * last
    k = np.arange(-count, len(x) + count)
    # reflected about both ends again and again, each turn of 2 (N-1) rows advances by twice the whole difference
    turns, phase = np.divmod(k, period)
    inner = np.where(phase <= last, phase, period - phase)
    mirrored = (phase > last).reshape(-1, *[1] * (x.ndim - 1))
    advance = 2.0 * turns.reshape(mirrored.shape) * (x[-1] - x[0])
    return np.where(mirrored, 2.0 * x[-1] - x[inner], x[inner]) + advance


def smooth(x: Array, half: int) -> Array:
    """x (N, ...) averaged over `half` frames to either side with weights (1 - u²)³; straight lines stay as they are."""
    if half < 1:
        return np.array(x, float)
    u = np.arange(-half, half + 1) / (half + 1.0)
    kernel = (1.0 - u * u) ** 3
    kernel /= kernel.sum()
    flat = extended(np.asarray(x, float), half).reshape(len(x) + 2 * half, -1)
    columns = [np.convolve(flat[:, c], kernel, mode="valid") for c in range(flat.shape[1])]
    return np.stack(columns, axis=-1).reshape(np.shape(x))


def envelope(need: Array, half: int) -> Array:
    """A smooth signal (N,) nowhere below `need` (N,): the largest value nearby, averaged over as many frames."""
    if half < 1 or not np.any(need > 0):
        return np.array(need, float)
    padded = np.pad(need, 2 * half, mode="edge")
    largest = sliding_window_view(padded, 2 * half + 1).max(axis=1)
    u = np.arange(-half, half + 1) / (half + 1.0)
    kernel = (1.0 - u * u) ** 3
    return np.convolve(largest, kernel / kernel.sum(), mode="valid")

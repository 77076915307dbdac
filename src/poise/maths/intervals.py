"""Runs of a yes-or-no signal in time: hysteresis, closing of gaps, dropping of flickers, intervals."""

from __future__ import annotations

import numpy as np

Flags = np.ndarray  # (N,) bool


def runs(flags: Flags) -> np.ndarray:
    """The stretches of True as rows (first, one past the last) of an (R, 2) array of frame numbers."""
    padded = np.zeros(len(flags) + 2, np.int8)
    padded[1:-1] = flags
    step = np.diff(padded)
    return np.stack([np.flatnonzero(step == 1), np.flatnonzero(step == -1)], axis=1)


def filled(length: int, spans: np.ndarray) -> Flags:
    """The signal (length,) that is True exactly in the given spans (R, 2), which may not overlap."""
    step = np.zeros(length + 1, int)
    np.add.at(step, spans[:, 0], 1)
    np.add.at(step, spans[:, 1], -1)
    return np.cumsum(step[:-1]) > 0


def hysteresis(on: Flags, stay: Flags) -> Flags:
    """True from where `on` begins for as long as `stay` holds, in both directions of time."""
    loose = runs(stay | on)
    count = np.concatenate([[0], np.cumsum(on)])
    return filled(len(on), loose[count[loose[:, 1]] > count[loose[:, 0]]])


def close_gaps(flags: Flags, longest: int) -> Flags:
    """`flags` with inner gaps of at most `longest` frames filled."""
    gaps = runs(~flags)
    inner = (gaps[:, 0] > 0) & (gaps[:, 1] < len(flags)) & (gaps[:, 1] - gaps[:, 0] <= longest)
    return flags | filled(len(flags), gaps[inner])


def widened(flags: Flags, by: int) -> Flags:
    """`flags`, each stretch of True longer by `by` frames at both ends."""
    spans = runs(flags)
    step = np.zeros(len(flags) + 1, int)
    np.add.at(step, np.maximum(spans[:, 0] - by, 0), 1)
    np.add.at(step, np.minimum(spans[:, 1] + by, len(flags)), -1)
    return np.cumsum(step[:-1]) > 0


def drop_short(flags: Flags, shortest: int) -> Flags:
    """`flags` without inner stretches of fewer than `shortest` frames; one cut off by an end of the clip is kept."""
    spans = runs(flags)
    inner = (spans[:, 0] > 0) & (spans[:, 1] < len(flags))
    return filled(len(flags), spans[~inner | (spans[:, 1] - spans[:, 0] >= shortest)])


def frames(seconds: float, dt: float) -> int:
    """A length of time in whole frames, at least one."""
    return max(1, round(seconds / dt))

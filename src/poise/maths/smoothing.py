"""Smoothing of series by a penalty on third differences: no delay, and ends keep their curvature."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solveh_banded

from poise.maths.rotations import Array

STIFFEST = 1e10  # of the penalty: above it (frames 1/290 of the shortest period) the bands lose their last digits


def smooth(x: Array, cutoff: float, dt: float) -> Array:
    """x (N, ...) without what is faster than a frequency [Hz], at which half the power is left.

    The y of min Σ |y_n - x_n|² + λ Σ |y_{n+3} - 3 y_{n+2} + 3 y_{n+1} - y_n|² with λ = (2 sin π f dt)⁻⁶: its answer to
    a wave of frequency f is ½. A parabola costs nothing, so the acceleration at the ends is that of the frames beside
    them; a filter that pads its ends makes it zero. Series too short or too coarse to smooth come back as they are.
    """
    n = len(x)
    if cutoff * dt >= 0.4 or n < 12:
        return x
    penalty = min((2.0 * np.sin(np.pi * cutoff * dt)) ** -6, STIFFEST)
    bands = np.zeros((4, n))  # upper diagonals of 1 + λ DᵀD, the main one last
    bands[3] = 1.0
    row = (-1.0, 3.0, -3.0, 1.0)
    for i, a in enumerate(row):
        for j, b in enumerate(row[: i + 1]):
            bands[3 - (i - j), i : n - 3 + i] += penalty * a * b
    flat = np.asarray(x, float).reshape(n, -1)
    return solveh_banded(bands, flat).reshape(x.shape)

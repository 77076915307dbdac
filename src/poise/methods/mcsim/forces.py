"""Forces of contacts that together give the best net force: non-negative least squares with six rows."""

from __future__ import annotations

import numpy as np

from poise.kernels import njit
from poise.solve.dense import solve_one, solve_small

_STEPS = 60  # of Newton at most; a dozen is usual
_EXACT = 1e-10  # of the optimality, beside the size of its terms
_ROUNDING = 1e-13  # of the value


@njit(cache=True)
def forces(K, k, G, least):
    """The λ >= 0 (nl,) that minimise ½ wᵀ K w + kᵀ w + ½ least λᵀ λ with w = G λ (6,), and whether they do.

    By Newton's method on the dual: with y the price of w, λ is the positive part of Gᵀ y / least, and y minimises
    ½ |λ|² least + ½ (y + k)ᵀ K⁻¹ (y + k), which is convex and piecewise quadratic: full steps find the pieces.
    """
    n, nl = K.shape[0], G.shape[1]
    soft = np.eye(n)
    whole = K.copy()
    for i in range(n):
        whole[i, i] += 1e-12 * (K[i, i] + least)  # a direction that nothing weighs
    solve_small(whole, soft)  # K⁻¹
    y, force, slope, step = -k, np.zeros(nl), np.zeros(n), np.zeros(n)
    value = _price(y, k, soft, G, least, force, slope)
    for _ in range(_STEPS):
        size = 0.0
        for i in range(n):
            size = max(size, abs(slope[i]))
        if size <= _EXACT * (1.0 + _largest(soft, y, k)):
            return force, True
        curve = soft.copy()
        for l in range(nl):
            if force[l] > 0.0:
                for i in range(n):
                    for j in range(n):
                        curve[i, j] += G[i, l] * G[j, l] / least
        step[:] = slope
        solve_one(curve, step)
        share, fresh = 1.0, value
        while share > 1e-6:
            fresh = _price(y - share * step, k, soft, G, least, force, slope)
            if fresh <= value + _ROUNDING * abs(value):  # close to the end steps are too small for the value to show
                break
            share *= 0.5
        if not fresh <= value + _ROUNDING * abs(value):
            return force, False
        y, value = y - share * step, fresh
    return force, False


@njit(cache=True)
def _price(y, k, soft, G, least, force, slope):
    """The dual of `forces` at y; its λ into `force` and its gradient into `slope`."""
    n, nl = G.shape
    value = 0.0
    for i in range(n):
        slope[i] = 0.0
        for j in range(n):
            slope[i] += soft[i, j] * (y[j] + k[j])
        value += 0.5 * slope[i] * (y[i] + k[i])
    for l in range(nl):
        x = 0.0
        for i in range(n):
            x += G[i, l] * y[i]
        force[l] = max(0.0, x / least)
        value += 0.5 * least * force[l] ** 2
        if force[l] > 0.0:
            for i in range(n):
                slope[i] += G[i, l] * force[l]
    return value


@njit(cache=True)
def _largest(soft, y, k):
    """The largest part of w = -K⁻¹ (y + k), for the scale of what must vanish."""
    most = 0.0
    for i in range(y.shape[0]):
        x = 0.0
        for j in range(y.shape[0]):
            x += soft[i, j] * (y[j] + k[j])
        most = max(most, abs(x))
    return most

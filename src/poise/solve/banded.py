"""Symmetric systems over a chain of frames, block-banded and optionally closed to a ring, in time linear in length.

A chain has N frames of d unknowns. Frame n meets only its B next neighbours: B = 1 for terms of velocity, B = 2 for
terms of acceleration. `bands` (B+1, N, d, d) holds the lower half, bands[k, n] = H[n+k, n]. In an open chain the
blocks that would reach past the last frame are not read; in a ring they reach round to the first, H[(n+k) mod N, n].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.errors import BadValue
from poise.kernels import njit
from poise.maths.rotations import Array
from poise.solve.dense import cholesky, divide


class Solution(NamedTuple):
    """The unknowns x (N, d), and whether the matrix was positive definite (if not, x is meaningless)."""

    x: Array
    definite: bool


@njit(cache=True)
def _factor(bands, arrow, corner, inside):
    """Cholesky factor in place: the first `inside` frames as a band, the rest as a dense corner met through `arrow`.

    arrow (inside, d, w) holds, transposed, the rows of the corner's w unknowns under each frame's columns; w is 0
    without a corner. The factor's blocks below the diagonal are left transposed as well.
    """
    reach, d, w = bands.shape[0] - 1, bands.shape[2], arrow.shape[2]
    panel = np.empty((d, reach * d + w))
    product = np.empty((reach * d + w, reach * d + w))
    for n in range(inside):
        if not cholesky(bands[0, n]):
            return False
        last = min(reach, inside - 1 - n)
        panel[:] = 0.0
        for k in range(1, last + 1):
            panel[:, (k - 1) * d : k * d] = bands[k, n].T
        panel[:, reach * d :] = arrow[n]
        divide(bands[0, n], panel)
        if panel.shape[1]:
            np.dot(panel.T, panel, product)
        for k in range(1, last + 1):
            bands[k, n] = panel[:, (k - 1) * d : k * d]
            for m in range(1, k + 1):
                bands[k - m, n + m] -= product[(k - 1) * d : k * d, (m - 1) * d : m * d]
            arrow[n + k] -= product[(k - 1) * d : k * d, reach * d :]
        arrow[n] = panel[:, reach * d :]
        corner -= product[reach * d :, reach * d :]
    return cholesky(corner)


@njit(cache=True)
def _forward_row(a, x):
    for i in range(a.shape[0]):
        s = x[i]
        for k in range(i):
            s -= a[i, k] * x[k]
        x[i] = s / a[i, i]


@njit(cache=True)
def _backward_row(a, x):
    for i in range(a.shape[0] - 1, -1, -1):
        x[i] /= a[i, i]
        for k in range(i):
            x[k] -= a[i, k] * x[i]


@njit(cache=True)
def _substitute(bands, arrow, corner, inside, x, tail):
    """x (N, d) and tail (w,): right-hand side in, unknowns out."""
    reach = bands.shape[0] - 1
    for n in range(inside):
        _forward_row(bands[0, n], x[n])
        for k in range(1, min(reach, inside - 1 - n) + 1):
            x[n + k] -= np.dot(x[n], bands[k, n])
        if arrow.shape[2]:
            tail -= np.dot(x[n], arrow[n])
    _forward_row(corner, tail)
    _backward_row(corner, tail)
    for n in range(inside - 1, -1, -1):
        for k in range(1, min(reach, inside - 1 - n) + 1):
            x[n] -= np.dot(bands[k, n], x[n + k])
        if arrow.shape[2]:
            x[n] -= np.dot(arrow[n], tail)
        _backward_row(bands[0, n], x[n])


def _ring_parts(bands: Array) -> tuple[Array, Array]:
    """The arrow and the corner of a ring whose last B frames are set apart, so that the rest is an open chain."""
    reach, count, d = bands.shape[0] - 1, bands.shape[1], bands.shape[2]
    if count < 2 * reach + 1:
        raise BadValue(f"A ring whose frames reach {reach} neighbours needs {2 * reach + 1} frames, not {count}.")
    inside = count - reach
    arrow, corner = np.zeros((inside, d, reach * d)), np.zeros((reach * d, reach * d))
    for apart in range(reach):
        rows, column = slice(apart * d, (apart + 1) * d), inside + apart
        corner[rows, rows] = bands[0, column]
        for k in range(1, reach + 1):
            if column - k < inside:
                arrow[column - k][:, rows] += bands[k, column - k].T
            else:
                corner[rows, (apart - k) * d : (apart - k + 1) * d] = bands[k, column - k]
            if column + k >= count:  # round the seam: this block is H[first frames, column]
                arrow[column + k - count][:, rows] += bands[k, column]
    return arrow, corner


def solve(bands: Array, right: Array, *, ring: bool = False) -> Solution:
    """The solution x (N, d) of H x = right for a positive definite H, by a block Cholesky factor H = L Lᵀ.

    `bands` (B+1, N, d, d) holds bands[k, n] = H[n+k, n] and is overwritten by its factor; `right` (N, d). With `ring`
    the last B frames are set apart, so that the rest is an open chain (an arrow).
    """
    reach, count, d = bands.shape[0] - 1, bands.shape[1], bands.shape[2]
    x = np.array(right, float)
    if bands.shape != (reach + 1, count, d, d) or x.shape != (count, d):
        raise BadValue(f"Bands {bands.shape} and right-hand side {x.shape} do not belong to one chain.")
    if ring and reach:
        arrow, corner = _ring_parts(bands)
        inside = count - reach
    else:
        arrow, corner, inside = np.zeros((count, d, 0)), np.zeros((0, 0)), count
    if not _factor(bands, arrow, corner, inside):
        return Solution(x, False)
    tail = x[inside:].reshape(-1).copy()
    _substitute(bands, arrow, corner, inside, x, tail)
    x[inside:] = tail.reshape(count - inside, d)
    return Solution(x, bool(np.all(np.isfinite(x))))


def multiply(bands: Array, x: Array, *, ring: bool = False) -> Array:
    """H x (N, d) for x (N, d), from untouched `bands` (B+1, N, d, d)."""
    count = len(x)
    lower = np.tril(bands[0])
    own = lower + np.swapaxes(np.tril(lower, -1), 1, 2)
    out = np.einsum("nij,nj->ni", own, x)
    for k in range(1, len(bands)):
        n = np.arange(count if ring else max(count - k, 0))
        ahead = (n + k) % count
        out[ahead] += np.einsum("nij,nj->ni", bands[k, n], x[n])
        out[n] += np.einsum("nji,nj->ni", bands[k, n], x[ahead])
    return out


def dense(bands: Array, *, ring: bool = False) -> Array:
    """The whole matrix (N d, N d), to look at small problems."""
    size = bands.shape[1] * bands.shape[2]
    columns = [multiply(bands, e.reshape(bands.shape[1], -1), ring=ring).ravel() for e in np.eye(size)]
    return np.array(columns).T

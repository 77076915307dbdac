"""Adapt: from what a pass kept, about what the next one draws its samples (Liu et al. 2015, covariance adaptation).

    m' = Σ w_i x_i,    C' = (1 - c) C + c Σ w_i (x_i - m)(x_i - m)ᵀ

with the offsets x_i that had living descendants, best first, and weights w_i that fall with the logarithm of the rank,
as in CMA-ES. Where the take of a pass is whole but does not follow the clip, what is wrong with it counts more in the
next pass. Departures: the best path itself is the next mean, since a mean of different paths is no path; where a
pass was lost the spread is not narrowed.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.judge.finding import Finding
from poise.maths.rotations import Array
from poise.methods.rehearse.cost import Scales
from poise.rehearsal.course import LOST, Course, Guess, Path

_RATE = 0.5  # share of a covariance that a pass learns anew
_NARROW = 0.7  # share of the spread that is left after a pass, before what was learnt
_NEAR = 16  # windows before the place where it was lost in which the spread stays
_LEAST = 0.25  # share of the first spread that always stays
_TIGHTER = 0.5  # factor of a scale, each time that a take was wrong in what it measures
_MEASURES = {"joints off": "joint", "root off": "place", "heading off": "turn", "lean off": "turn",
             "touching off": "touch"}  # fmt: skip


def first_guess(spread: Array, windows: int) -> Guess:
    """Nothing is known: offsets about zero."""
    return Guess(np.zeros((windows, len(spread))), np.repeat(spread[None], windows, axis=0))


def next_guess(course: Course, path: Path, guess: Guess, spread: Array) -> Guess:
    """About the best path, as wide as what survived, and wide where it was lost."""
    windows, nv = guess.mean.shape
    mean, factor = guess.mean.copy(), np.zeros((windows, nv, nv))
    mean[: len(path.offsets)] = path.offsets
    bad = np.flatnonzero(path.cost > 0.5 * LOST)
    stuck = int(bad[0]) if len(bad) else (len(path.offsets) if len(path.offsets) < windows else windows + _NEAR)
    alive = course.survivors() if len(course.layers) - 1 >= len(path.offsets) else []
    for w in range(windows):
        base = np.diag(spread**2)
        if w >= len(alive) or stuck - _NEAR <= w:
            factor[w] = np.diag(spread)
            continue
        factor[w] = _factor(_learnt(course.layers[w + 1].offsets[alive[w]], guess.mean[w], _NARROW**2 * base), base)
    return Guess(mean, factor)


def heavier(heavy: list[str], findings: tuple[Finding, ...]) -> list[str]:
    """Scales that the next pass tightens: those of the last one, and what was wrong with its take, if it was whole."""
    whole = all(f.kind != "not whole" for f in findings)
    return heavy + [_MEASURES[f.kind] for f in findings if whole and f.kind in _MEASURES]


def tightened(scales: Scales, heavy: list[str]) -> Scales:
    """The scales, each tightened as often as it is named."""
    return replace(scales, **{n: getattr(scales, n) * _TIGHTER ** heavy.count(n) for n in set(heavy)})


def _learnt(x: Array, mean: Array, covariance: Array) -> Array:
    """The covariance (nv, nv) after offsets x (K, nv), best first."""
    if len(x) < 4:
        return covariance
    weight = np.log(len(x) + 0.5) - np.log(np.arange(1, len(x) + 1))
    weight /= weight.sum()
    off = x - mean
    return (1.0 - _RATE) * covariance + _RATE * np.einsum("k,ki,kj->ij", weight, off, off)


def _factor(covariance: Array, base: Array) -> Array:
    """A factor L (nv, nv) of a covariance that is nowhere narrower than the least; zero on the root."""
    out = np.zeros_like(covariance)
    joints = slice(6, None)
    out[joints, joints] = np.linalg.cholesky(covariance[joints, joints] + _LEAST**2 * base[joints, joints])
    return out

"""Fades, windows, averages and envelopes."""

from __future__ import annotations

import numpy as np
import pytest

from poise.errors import BadValue
from poise.motion.fades import check_interval, envelope, extended, fade, smooth, window


def test_fade_has_no_rate_and_no_curvature_at_both_ends() -> None:
    h = 1e-4
    for x in (0.0, 1.0):
        first = (fade(x + h) - fade(x - h)) / (2 * h)
        second = (fade(x + h) - 2 * fade(x) + fade(x - h)) / h**2
        assert abs(first) < 1e-6 and abs(second) < 1e-2
    assert fade(-1.0) == 0.0 and fade(2.0) == 1.0 and fade(0.5) == pytest.approx(0.5)


def test_window_is_one_inside_and_zero_beyond_its_fades() -> None:
    t = np.linspace(0, 4, 401)
    w = window(t, 1.0, 2.0, 0.5)
    assert np.all(w[(t >= 1) & (t <= 2)] == 1) and np.all(w[(t < 0.5) | (t > 2.5)] == 0)
    assert np.abs(np.diff(w, 2)).max() < 5e-3  # no kink at a step of 1/50 of the fade


def test_window_of_a_loop_runs_on_through_the_seam() -> None:
    t = np.linspace(0, 1, 101)
    w = window(t, 0.05, 0.2, 0.3, period=1.0)
    assert w[0] == pytest.approx(w[-1]) and 0 < w[-1] < 1
    assert np.all(window(t, None, None, 0.3, period=1.0) == 1)


def test_smooth_keeps_straight_lines_to_the_ends() -> None:
    line = np.outer(np.arange(50.0), [1.0, -2.0]) + 3.0
    assert np.allclose(smooth(line, 20), line, atol=1e-12)
    assert np.allclose(smooth(line, 200), line, atol=1e-9)  # a window much longer than the signal


def test_extended_goes_on_with_the_slope_at_the_ends() -> None:
    x = np.sin(np.linspace(0, 3, 40))
    y = extended(x, 5)
    assert np.allclose(y[5:-5], x)
    assert np.allclose(y[5] - y[4], x[1] - x[0]) and np.allclose(y[-5] - y[-6], x[-1] - x[-2])


def test_envelope_is_nowhere_below_what_is_needed() -> None:
    rng = np.random.default_rng(0)
    need = np.maximum(rng.normal(size=300), 0) * (rng.random(300) > 0.8)
    high = envelope(need, 12)
    assert np.all(high >= need - 1e-12)
    assert np.abs(np.diff(high)).max() < 0.3 * need.max()


def test_bad_intervals_are_refused() -> None:
    for start, end, over in ((2.0, 1.0, 0.1), (0.0, 1.0, -0.1), (np.nan, None, 0.0)):
        with pytest.raises(BadValue):
            check_interval(start, end, over)

"""The penalty on third differences: parabolas are free, a wave at the cutoff is halved, the minimum is one."""

from __future__ import annotations

import numpy as np

from poise.maths.smoothing import smooth


def test_parabolas_are_kept_and_a_wave_at_the_cutoff_is_halved():
    t = np.arange(400) * 0.01
    parabola = np.stack([1.0 + 2.0 * t - 4.9 * t**2, t], axis=1)
    np.testing.assert_allclose(smooth(parabola, 10.0, 0.01), parabola, atol=1e-9)
    for cutoff in (5.0, 10.0):
        wave = np.sin(2.0 * np.pi * cutoff * t)
        np.testing.assert_allclose(smooth(wave, cutoff, 0.01)[100:-100], 0.5 * wave[100:-100], atol=1e-3)


def test_it_is_the_minimum_of_its_cost():
    rng = np.random.default_rng(3)
    x, cutoff, dt = rng.normal(size=60), 6.0, 0.01
    y, weight = smooth(x, cutoff, dt), (2.0 * np.sin(np.pi * cutoff * dt)) ** -6

    def cost(z: np.ndarray) -> float:
        return float(np.sum((z - x) ** 2) + weight * np.sum(np.diff(z, 3) ** 2))

    for _ in range(20):
        step = rng.normal(size=60)
        slope = (cost(y + 1e-4 * step) - cost(y - 1e-4 * step)) / 2e-4
        assert abs(slope) < 1e-5 * cost(y + step)


def test_ends_keep_the_acceleration():
    t = np.arange(200) * 0.01
    fall = np.where(t < 1.0, 0.0, -4.905 * (t - 1.0) ** 2)
    end = np.diff(smooth(fall, 10.0, 0.01), 2)[-3:] / 0.01**2
    np.testing.assert_allclose(end, -9.81, atol=0.01)

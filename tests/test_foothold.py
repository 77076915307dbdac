"""Footholds by capture point: what is left of an error after the step that the law asks for."""

from __future__ import annotations

import numpy as np
import pytest

from poise.errors import BadValue
from poise.motion.feet.capture_point import Foothold, divergent


def test_a_pendulum_that_steps_by_the_law_has_no_error_left():
    """The linear inverted pendulum: x'' = ω² (x - foot); its divergent component runs away as exp(ω t)."""
    w, left, error = 3.1, 0.3, np.array([0.04, -0.03])
    law = Foothold(band=0.0, ahead=1.0, aside=1.0)
    shift = law.wanted(error, w, left)
    grown = error * np.exp(w * left)  # of the divergent component at touch-down, seen from the old foot
    assert np.allclose(grown - shift, 0.0, atol=1e-12)


def test_the_divergent_component_grows_as_the_pendulum_says():
    w, dt = 3.0, 1e-5
    x, v = np.array([0.02, 0.0, 1.0]), np.array([0.1, -0.05, 0.0])
    before = divergent(x, v, w)
    for _ in range(20000):
        v = v + dt * w * w * x * [1, 1, 0]
        x = x + dt * v
    assert np.allclose(divergent(x, v, w), before * np.exp(w * 0.2), rtol=1e-3)


def test_small_errors_and_far_reaches_are_left_alone():
    law = Foothold()
    assert np.all(law.wanted(np.array([0.005, 0.0]), 3.0, 0.3) == 0.0)
    far = law.wanted(np.array([3.0, 3.0]), 3.0, 0.4)
    assert far[0] == pytest.approx(law.ahead) and far[1] == pytest.approx(law.aside)


def test_turning_the_world_turns_the_shift():
    law, turn = Foothold(), 0.7
    c, s = np.cos(turn), np.sin(turn)
    R = np.array([[c, -s], [s, c]])
    error = np.array([0.06, 0.05])
    assert np.allclose(R @ law.wanted(error, 3.0, 0.3), law.wanted(R @ error, 3.0, 0.3, turn))


def test_feet_do_not_cross():
    law = Foothold(apart=0.1)
    landing, other = np.array([0.5, 0.07]), np.array([0.0, -0.07])
    shift = law.uncrossed(np.array([0.0, -0.2]), landing, other, 1.0)
    assert (landing + shift)[1] - other[1] == pytest.approx(0.1)
    free = np.array([0.1, 0.05])
    assert np.all(law.uncrossed(free, landing, other, 1.0) == free)


def test_shifts_move_at_a_limited_rate_and_bad_laws_are_refused():
    law = Foothold(rate=4.0)
    assert np.allclose(law.towards(np.zeros(2), np.array([1.0, 0.001]), 0.01), [0.04, 0.001])
    with pytest.raises(BadValue, match="foothold law"):
        Foothold(rate=0.0)

"""The wrench on a moving body and its derivatives: against MuJoCo's inverse dynamics and central differences."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character.load import load_character
from poise.dynamics import Dynamics
from poise.dynamics.wrench import masses, root_wrench, root_wrench_derivatives
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.physical.repair.stencil import inverse_right_jacobian

STEP = 1e-6


def states(name: str, count: int = 6):
    character, rng = load_character(name), np.random.default_rng(0)
    nv = character.model.nv
    q = conf.integrate(character.layout, np.tile(character.zero_pose(), (count, 1)), rng.normal(size=(count, nv)))
    v, a = 2.0 * rng.normal(size=(count, nv)), 10.0 * rng.normal(size=(count, nv))
    return character, q, v, a, rng.normal(size=(count, 3))


@pytest.mark.parametrize("name", ["human57", "human42", "biped18"])  # balls; hinges in a row; few bodies
def test_wrench_is_that_of_inverse_dynamics(name: str):
    character, q, v, a, about = states(name)
    w = root_wrench(character, masses(character), q, v, a, about)
    dynamics = Dynamics(character)
    for k in range(len(q)):
        now = dynamics.at(q[k], v[k])
        force, moment = now.inverse_dynamics(a[k])[:3], now.rotations[1] @ now.inverse_dynamics(a[k])[3:6]
        np.testing.assert_allclose(w[k, 3:], force, atol=1e-8)
        np.testing.assert_allclose(w[k, :3], moment + np.cross(now.positions[1] - about[k], force), atol=1e-8)


@pytest.mark.parametrize("name", ["human57", "human42"])
@pytest.mark.parametrize("by", ["q", "v", "a"])
def test_derivatives_are_those_of_central_differences(name: str, by: str):
    character, q, v, a, about = states(name)
    body = masses(character)
    w, *derivatives = root_wrench_derivatives(character, body, q, v, a, about)
    np.testing.assert_allclose(w, root_wrench(character, body, q, v, a, about), rtol=1e-12)

    def value(d: np.ndarray) -> np.ndarray:
        moved = {"q": conf.integrate(character.layout, q, d), "v": v + d, "a": a + d}[by]
        given = {"q": q, "v": v, "a": a, by: moved}
        return root_wrench(character, body, given["q"], given["v"], given["a"], about)

    exact = derivatives["qva".index(by)]
    for j in range(character.model.nv):
        d = np.zeros(v.shape)
        d[:, j] = STEP
        difference = (value(d) - value(-d)) / (2 * STEP)
        np.testing.assert_allclose(exact[:, j], difference, atol=1e-7 * max(1.0, np.abs(exact).max()))


@pytest.mark.parametrize("angle", [0.0, 1e-7, 1e-3, 1.0, 3.0])
def test_inverse_right_jacobian(angle: float):
    r = angle * np.array([0.48, -0.6, 0.64])
    out = np.empty((3, 3))
    inverse_right_jacobian(r, out)
    for i in range(3):
        e = np.zeros(3)
        e[i] = STEP
        ahead, back = (rot.log(rot.multiply(rot.exp(r), rot.exp(s * e))) for s in (1, -1))
        np.testing.assert_allclose(out[:, i], (ahead - back) / (2 * STEP), atol=1e-7)

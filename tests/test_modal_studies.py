"""What the studies of the modal method rest on: pressure under the feet, modes by number, spacetime, live edits."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import edit
from poise.experiments.modal.baseline import horizons, performed_forces
from poise.experiments.modal.spacetime import Spacetime
from poise.experiments.modal.spectra import at_random, components, frequencies
from poise.judge.support import beyond_support
from poise.methods.modal import Modal
from poise.methods.modal.spectrum import tracked_share
from poise.physical.live import follow
from poise.stage import Stage


@pytest.fixture(scope="module")
def walk() -> poise.Clip:
    return poise.load_clip("walk")


@pytest.fixture(scope="module")
def known(walk):
    """A short walk, and what was known at one of its decisions."""
    return horizons(walk, Stage(), 0.5, {24})


def test_the_centre_of_pressure_lies_in_the_hull_of_each_foot(known) -> None:
    take = known[0]
    points, rows = take.character.contact_points, take.contacts
    seen = 0
    for frame in range(0, 60, 3):
        places = take.character.points(take.q[frame])[0]
        at = rows.at(frame)
        for body in np.unique(rows.body[at]):
            mine = rows.body[at] == body
            push = rows.force[at][mine, 2]
            if push.sum() < 1.0:
                continue
            centre = push @ rows.point[at][mine, :2] / push.sum()
            assert beyond_support(places[points.bodies == body, :2], centre)[0] < 1e-5  # corners are told to 1e-6
            seen += 1
    assert seen > 20


def test_modes_may_be_named_one_by_one() -> None:
    squares, share = np.arange(42.0) ** 2, np.empty(42)
    chosen = at_random(13, 36, 1)
    weights = Modal(modes=chosen).weights(1 / 120, 12)
    tracked_share(squares, 100.0, weights.first, weights.last, share)
    assert set(np.flatnonzero(share == 0.0)) == {*range(6), *chosen} and np.all((share == 0.0) | (share == 1.0))


def test_figure_1_principal_components(walk) -> None:
    """The strongest components are slow, the weakest are not; the planned modes are slower than the tracked ones."""
    hertz, power = components(walk)
    assert np.allclose(power.sum(axis=1), 1.0)
    middle = power @ hertz
    assert middle[:3].mean() < 2.0 < middle[-3:].mean()
    assert np.all(np.diff(frequencies(walk)) >= 0.0)


def test_spacetime_obeys_the_full_dynamics_and_is_the_better_plan(known) -> None:
    pytest.importorskip("clarabel")
    take, seen = known
    problem = Spacetime(seen[24])
    assert problem.unknowns[0] > 500 and problem.unknowns[1] == 72
    q, f, programs = problem.solve()
    best, stiff, lack = problem.objective(q, f)
    assert programs < 10 and lack < 1e-3 and stiff < 1e-2
    assert np.all(np.hypot(f[..., 1], f[..., 2]) <= seen[24].friction * f[..., 0] + 1e-6)
    assert best < problem.objective(take.q[24:37], performed_forces(take, 24, problem))[0]


def test_a_walk_is_edited_while_it_is_followed(walk) -> None:
    assert walk.cycle is not None
    shorter = edit.Stride(metres=float(np.linalg.norm(walk.cycle.shift[:2])) - 0.30)
    reference = follow(poise.Reference(walk).edit(shorter, at=0.6), 2.8)
    take = poise.perform(reference, Modal(), stage=Stage(), seconds=2.6)
    off = take.tracking_error()
    assert take.fell is None and np.degrees(off.joints) < 2.0 and off.root_position < 0.03
    assert take.q[-1, 0] < poise.Reference(walk).sample(2.6).q[0] - 0.2

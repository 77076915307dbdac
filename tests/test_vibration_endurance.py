"""What gaits endure, and the search for what their feedback weighs."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from poise.experiments.vibration.disturbed import stays_up
from poise.methods.vibration import endurance, tuning
from poise.methods.vibration.design import without_feedback
from poise.methods.vibration.endurance import NOTHING, Verdict, disturbances, endured, good, spared
from poise.methods.vibration.feedback import WIDER
from poise.methods.vibration.gait import find_gait
from poise.methods.vibration.search import Designer
from poise.methods.vibration.tuning import WEIGHTS, tried, tuned, weigh, weighing
from poise.simulate.batch import Batch


@pytest.fixture
def few(monkeypatch):
    """Two pushes, one seed of noise and one slope, all short: what is tried of each candidate takes a tenth."""
    for name, value in {"DIRECTIONS": 2, "PHASES": 1, "NOISES": 1, "LONG": 21, "SLOPES": (4.0,)}.items():
        monkeypatch.setattr(endurance, name, value)
    for name, value in {"GENERATIONS": 2, "POPULATION": 4, "WIDTHS": (WIDER,), "WEIGHTS": WEIGHTS[:2]}.items():
        monkeypatch.setattr(tuning, name, value)


def searched(share: float = 1.0) -> Designer:
    """A search that is over and came to the runner's gait, with a share of its gains."""
    gait = find_gait("runner")
    work = Designer(gait.sketch)
    names = zip((gait.flight, gait.ground), (gait.sketch.flight.names, gait.sketch.ground.names), strict=True)
    x = work.space.vector(*(np.array([psi[m] for m in listed]) for psi, listed in names), gait.times)
    work.progress = replace(work.progress, round=len(work.plan), best=x, state=gait.driven().state, cycle=gait.cycle,
                            steady=gait.steady, gains=share * gait.gains)  # fmt: skip
    return work


def test_what_a_gait_endures_is_what_its_file_says():
    gait = find_gait("runner")
    ready = gait.driven()
    count = endured(ready)
    assert count == gait.facts["endured"] >= disturbances() - 1 == gait.facts["disturbances"] - 1
    assert 0 < spared(ready) <= 16


def test_a_gait_without_feedback_endures_nothing_and_is_not_tried_to_the_end(monkeypatch):
    ready = without_feedback(find_gait("runner")).driven()
    assert endured(ready) == 0 == spared(ready)
    pushed, tries = endurance._pushed, []
    monkeypatch.setattr(endurance, "_pushed", lambda *a: tries.append(a) or pushed(*a))
    assert endured(ready, disturbances() - 2) < disturbances() - 2 and len(tries) == 3


def test_pushes_of_the_tables_in_the_compiled_search():
    gait = find_gait("runner")
    assert stays_up(gait) == 32 and stays_up(without_feedback(gait)) == 0


def test_gravity_is_as_before_after_slopes():
    ready = find_gait("runner").driven()
    before = ready.simulator.model.opt.gravity.copy()
    assert endurance._climbed(ready, 4.0) and not endurance._climbed(ready, 30.0)
    assert np.array_equal(before, ready.simulator.model.opt.gravity)


def test_the_cost_of_a_verdict_grows_as_the_verdict_falls():
    falling = [Verdict(81, 0, True, 22, 16, -1e-6), Verdict(81, 0, True, 22, 12, -1e-6),
               Verdict(81, 0, True, 17, 12, -1e-6), Verdict(81, 0, False, 17, 12, -0.02),
               Verdict(81, -2, False, 17, 12, -0.02), Verdict(30, -99, False, 0, 0, -np.inf)]  # fmt: skip
    assert falling == sorted(falling, reverse=True)
    assert all(a.cost < b.cost for a, b in pairwise(falling)) and np.isfinite(NOTHING.cost)


def test_weights_are_judged_alike_in_any_share_and_bad_ones_come_to_nothing(few):
    work = searched()
    job = weighing(work, work.progress, WIDER)
    assert job is not None
    members = np.log(WEIGHTS)
    members[2] = 60.0  # no feedback is found, or one that throws the body down
    whole, parts = weigh(job, members), [*weigh(job, members[3:]), *weigh(job, members[:3])]
    assert [w.verdict for w in whole] == [w.verdict for w in (*parts[2:], *parts[:2])]
    assert whole[2].verdict < whole[0].verdict and whole[0].verdict.units == 81


def test_a_found_gait_of_poor_feedback_is_given_a_better_one(few):
    """Half of the gains let the runner fall; the last step finds feedback that endures what is tried."""
    work = searched(0.5)
    before = tried(work, work.progress)
    with Batch(1) as batch:
        found, verdict, _ = tuned(work, batch)
    assert verdict > before and verdict == tried(work, found) and work.finishing is None
    assert np.array_equal(found.best, work.progress.best) and verdict.units == 81


def test_what_is_good_stays_as_it_is(few):
    work = searched()
    with Batch(1) as batch:
        found, verdict, _ = tuned(work, batch)
    assert verdict >= good() and found is work.progress

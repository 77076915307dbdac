"""What gaits endure, and the search for what their feedback weighs."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from poise.experiments.vibration.disturbed import stays_up as stays_up_in_the_tables
from poise.methods.vibration import endurance, tuning
from poise.methods.vibration.design import measured, without_feedback
from poise.methods.vibration.endurance import GOOD, NOTHING, PUSHES, Verdict, noise_and_slopes, stays_up, verdict
from poise.methods.vibration.feedback import WIDER
from poise.methods.vibration.gait import find_gait, load_gait, shipped
from poise.methods.vibration.search import Designer
from poise.methods.vibration.tuning import WEIGHTS, judge_weights, tune, verdict_of, weight_job
from poise.simulate.batch import Batch


@pytest.fixture
def few(monkeypatch):
    """Two pushes, one seed of noise and one slope, all short: what is tried of each candidate takes a tenth."""
    for name, value in {"DIRECTIONS": 2, "PHASES": 1, "NOISES": 1, "LONG": 21, "SLOPES": (4.0,)}.items():
        monkeypatch.setattr(endurance, name, value)
    good = replace(GOOD, pushes=2, noise_and_slopes=2)
    for name, value in {"GENERATIONS": 2, "POPULATION": 4, "WIDTHS": (WIDER,), "WEIGHTS": WEIGHTS[:2],
                        "GOOD": good}.items():  # fmt: skip
        monkeypatch.setattr(tuning, name, value)
    return good


def searched(share: float = 1.0) -> Designer:
    """A search that is over and came to the runner's gait, with a share of its gains."""
    gait = find_gait("runner")
    work = Designer(gait.sketch)
    work.resume(replace(work.progress, round=len(work.plan), best=gait.vector(work.space), state=gait.driven().state,
                        cycle=gait.cycle, steady=gait.steady, gains=share * gait.gains))  # fmt: skip
    return work


def test_what_a_gait_endures_is_what_its_file_says():
    gait = find_gait("runner")
    told = measured(gait)
    assert told == {k: gait.facts[k] for k in told} and not gait.missed
    assert told["stays_up"] >= PUSHES - 2 and told["noise_and_slopes_kept"] == 5


def test_a_gait_without_feedback_endures_nothing_and_is_not_tried_to_the_end(monkeypatch):
    ready = without_feedback(find_gait("runner")).driven()
    assert stays_up(ready) == 0 == noise_and_slopes(ready)
    survives, tries = endurance._survives_push, []
    monkeypatch.setattr(endurance, "_survives_push", lambda *a: tries.append(a) or survives(*a))
    assert stays_up(ready, PUSHES - 2) == PUSHES - 3 and len(tries) == 3


def test_a_count_that_broke_off_never_wins(monkeypatch):
    """A gait that mends a bar of the best so far is tried to the end: what was not tried does not count as survived."""
    work = searched()
    ready, least = tuning.driven(work, work.progress), replace(GOOD, missed=1, pushes=30)
    monkeypatch.setattr(endurance, "_survives_push", lambda *_: False)
    monkeypatch.setattr(endurance, "noise_and_slopes", lambda _: 5)
    assert verdict(work.space, work.progress.best, ready, least).pushes == 0


def test_pushes_of_the_tables_in_the_compiled_search():
    gait = find_gait("runner")
    assert stays_up_in_the_tables(gait) == 32 and stays_up_in_the_tables(without_feedback(gait)) == 0


def test_gravity_is_as_before_after_slopes():
    ready = find_gait("runner").driven()
    before = ready.simulator.model.opt.gravity.copy()
    assert endurance._survives_slope(ready, 4.0) and not endurance._survives_slope(ready, 30.0)
    assert np.array_equal(before, ready.simulator.model.opt.gravity)


def test_the_cost_of_a_verdict_has_its_order():
    rng, found = np.random.default_rng(0), []
    for _ in range(300):
        units, missed, is_cycle = int(rng.choice([30, 80, 81])), int(rng.integers(3)), bool(rng.integers(2))
        drift = 1e-6 if is_cycle else float(rng.choice([0.01, 5.0]))
        counts = (int(rng.choice([0, 4, 5])), int(rng.choice([0, 31, 32])), int(rng.choice([0, 16])))
        found.append(Verdict(units, missed, is_cycle, *counts, drift))
    for a, b in combinations(found, 2):
        better, worse = (a, b) if a.rank[:6] > b.rank[:6] else (b, a)
        apart = better.is_cycle or better.undisturbed != worse.undisturbed
        if better.rank[:6] != worse.rank[:6] and apart:
            assert better.cost < worse.cost
    assert np.isfinite(NOTHING.cost) and NOTHING.cost > max(v.cost for v in found)


def test_the_best_attempt_is_as_good_while_the_next_one_begins():
    """A vector is of its own round's space: with a gait to begin with, early rounds ask for less of the sketch."""
    origin = find_gait("runner")
    work = Designer(origin.sketch, origin=origin)
    best = replace(searched().progress, round=len(work.plan))
    work.resume(best)
    before = tuning.driven(work, best)
    work.another(best)
    after = tuning.driven(work, best)
    assert work.space is not work.space_in(best.round)
    assert np.array_equal(before.bursts.table, after.bursts.table)
    assert np.array_equal(before.corrections.starts, after.corrections.starts)


@pytest.mark.parametrize("path", shipped(), ids=lambda p: p.stem)
def test_the_vector_of_a_gait_leads_back_to_its_times(path):
    gait = load_gait(path)
    space = gait.space()
    again = space.controls(gait.vector(space))
    assert all(getattr(again, k) == pytest.approx(t, abs=1e-4) for k, t in gait.times.items())
    assert gait.sketch.simulator().steps(again) == gait.sketch.simulator().steps(gait.controls(space))


def test_weights_are_judged_alike_in_any_share_and_bad_ones_come_to_nothing(few):
    work = searched()
    job = weight_job(work, work.progress, WIDER)
    assert job is not None
    members = np.log(WEIGHTS)
    members[2] = 60.0  # no feedback is found, or one that throws the body down
    whole, parts = judge_weights(job, members), [*judge_weights(job, members[3:]), *judge_weights(job, members[:3])]
    parts = [*parts[2:], *parts[:2]]
    assert [w.verdict for w in whole] == [w.verdict for w in parts]
    assert all(np.array_equal(a.gains, b.gains) for a, b in zip(whole, parts, strict=True))
    assert whole[2].verdict.rank < whole[0].verdict.rank and whole[0].verdict.units == 81


def test_a_found_gait_of_poor_feedback_is_given_a_better_one(few):
    """Half of the gains let the runner fall; the last step finds feedback that endures what is tried."""
    work = searched(0.5)
    before = verdict_of(work, work.progress)
    with Batch(1) as batch:
        found, now, _ = tune(work, batch)
    assert now.rank > before.rank and now == verdict_of(work, found) and work.finishing is None
    assert np.array_equal(found.best, work.progress.best) and now.units == 81


def test_what_is_good_stays_as_it_is(few):
    work = searched()
    with Batch(1) as batch:
        found, now, _ = tune(work, batch)
    assert now.rank >= few.rank and found is work.progress

"""The paper's own form: bursts at any share of a cycle, the search with multipliers, gaits in open loop."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import poise
from cli_files import done
from poise.cli.main import main
from poise.errors import BadFile, PoiseError
from poise.methods.vibration import printed as form
from poise.methods.vibration import unit_loop
from poise.methods.vibration.gait import Gait, load_gait
from poise.methods.vibration.printed import Plan, Standing, Tried, bettered, costs, in_modes, printed_design, updated
from poise.methods.vibration.search import Designer, Round
from poise.methods.vibration.sketch import MODES, Sketch, find_sketch, load_sketch, read
from poise.methods.vibration.space import Space
from poise.methods.vibration.unit_simulator import Controls, UnitSimulator
from poise.solve.multipliers import first_run

SHORT = Plan(first=3, each=2, runs=2, population=8)


@pytest.fixture(scope="module")
def simulator() -> UnitSimulator:
    """The runner's."""
    return find_sketch("runner").simulator()


@pytest.fixture(scope="module")
def gait() -> Gait:
    """What a short search came to."""
    return printed_design(find_sketch("runner"), 3, plan=SHORT)


def controls(share: float, nv: int = 36) -> Controls:
    ground = np.random.default_rng(0).normal(size=nv)
    return Controls(np.zeros(nv), ground, 0.1, 0.06, 0.7, share)


# figure 2


def test_a_ground_burst_comes_a_share_of_the_cycle_after_the_flight_burst_of_its_foot(simulator: UnitSimulator):
    """Over two units: the left foot's cycle begins with the first, the right foot's with the second."""
    for share in (0.0, 0.13, 0.3, 0.49, 0.5, 0.62, 0.9):
        c = controls(share)
        given = simulator.bursts(c)
        steps = given.table.shape[1]
        cycle = np.vstack([given.table[0], given.table[1]])  # (2 steps, nv)
        left, right = simulator.mirror @ c.ground, c.ground
        at = round(share * 2 * steps)
        middle = [(at + shift + round(0.03 / simulator.dt)) % (2 * steps) for shift in (0, steps)]
        assert np.allclose(cycle[middle[0]], left), share
        assert np.allclose(cycle[middle[1]], right), share
        impulse = cycle.sum(axis=0) * simulator.dt
        assert np.allclose(impulse, 0.06 * (left + right)), share


def test_both_views_of_a_burst_join_at_half_a_cycle_and_at_its_ends(simulator: UnitSimulator):
    def table(share: float) -> np.ndarray:
        return simulator.bursts(controls(share)).table

    assert np.allclose(table(0.5), table(0.5 - 1e-9), atol=1e-5)
    assert np.allclose(table(0.0), table(1.0), atol=1e-12)
    assert [simulator.bursts(controls(s)).foot for s in (0.0, 0.49, 0.5, 1.0)] == [1, 1, 0, 0]


def test_the_foot_that_must_stand_is_the_one_that_thrusts(simulator: UnitSimulator):
    """The left foot is lifted: E7 is missed by more where the left foot is the one that thrusts (α below 0.5)."""
    state = simulator.start(0.0, 2.0)
    state[2] -= 0.003
    q = state[: len(simulator.rest)]
    qadr = {n: int(simulator.character.model.jnt_qposadr[k]) for k, n in enumerate(simulator.character.joint_names)}
    q[qadr["left_shin_y"]] += 0.9
    nothing = np.zeros(36)
    missed = {}
    for share in (0.05, 0.55):
        c = Controls(nothing, nothing, 0.1, 0.06, 0.7, share)
        missed[share] = simulator.run(state, simulator.bursts(c), 1).measured[unit_loop.E7]
    assert missed[0.05] > 5.0 and missed[0.55] < missed[0.05]


# the sketch


def test_a_sketch_is_led_over_to_the_modes_with_what_strikes_each_of_them_alike():
    sketch = find_sketch("runner")
    led, palette = in_modes(sketch), sketch.palette()
    assert (led.torques, led.limits) == (MODES, False)
    old, new = Space(sketch, palette), Space(led, palette)
    for phase, was, a, b in zip((led.flight, led.ground), (sketch.flight, sketch.ground), old.bases, new.bases,
                                strict=True):  # fmt: skip
        assert phase.names == was.names and tuple(phase.priority) == tuple(was.priority)
        before = a @ np.array([*was.priority.values(), *was.others.values()])
        after = b @ np.array([*phase.priority.values(), *phase.others.values()])
        share = (b.T @ after) / (b.T @ before + 1e-12)
        struck = np.abs(b.T @ before) > 1.0
        assert np.ptp(share[struck]) < 1e-3 and 0.05 < share[struck].mean() <= 1.0
        assert np.abs(after[6:] / (0.1 * palette.stiffness[6:])).max() < form.FASTEST + 0.01
    assert in_modes(led).plain() == led.plain()


def test_torques_of_a_sketch_are_the_papers_columns_and_only_then_are_they_written():
    plain = find_sketch("runner").plain()
    assert "torques" not in plain
    other = read({**plain, "torques": MODES})
    assert other.plain()["torques"] == MODES and read(other.plain()).plain() == other.plain()
    assert read({**plain, "torques": "springs"}).digest == find_sketch("runner").digest
    base = Space(other, other.palette()).bases[0]
    columns = other.palette().plain_torques("flight")
    assert np.allclose(base[:, 0], columns[:, 1])  # f2
    assert np.abs(base - Space(find_sketch("runner"), other.palette()).bases[0]).max() > 0.1


def test_a_wrong_kind_of_torques_is_refused_in_a_sentence(tmp_path: Path):
    file = tmp_path / "wrong.toml"
    file.write_text('character = "runner"\ntorques = "muscles"\n[flight]\npriority = { f2 = -40 }\n')
    with pytest.raises(BadFile, match=r"muscles.*springs.*modes|muscles.*modes.*springs"):
        load_sketch(file)


# the search


def member(objective: float, constraint: float, stood: bool = True, kept: bool = True) -> Tried:
    return Tried(np.array([objective]), objective, np.array([constraint]), stood, kept)


def test_multipliers_stay_as_they_are_after_a_fall():
    begun = first_run(1).updated(np.array([0.5]), form.PENALTY).updated(np.array([0.5]), form.PENALTY)
    assert np.isclose(begun.multiplier[0], 2 * form.PENALTY * 0.5)
    after = updated(begun, member(1e9, 1.0, stood=False, kept=False))
    assert np.array_equal(after.multiplier, begun.multiplier)
    assert updated(begun, member(1.0, 1.0)).multiplier[0] > begun.multiplier[0]


def test_the_best_so_far_is_kept_until_a_better_one_is_found():
    first = member(1.0, 0.3)
    now = Standing(0, 0, 1, first, first, first_run(1))
    worse = [member(2.0, 0.1, kept=False), member(3.0, 0.2), member(1e9, 1.0, stood=False, kept=False)]
    now = bettered(now, worse)
    assert now.best is first and now.evaluations == 4
    assert now.nearest is worse[1]  # nearer to a cycle, and it violates nothing
    now = bettered(now._replace(given=updated(updated(now.given, first), first)), [member(0.9, 0.31)])
    assert costs(now.given, [now.best])[0] <= costs(now.given, [first])[0]


def test_the_least_of_each_run_is_no_worse_than_its_beginning(monkeypatch: pytest.MonkeyPatch):
    seen: list[Standing] = []
    printed_design(find_sketch("runner"), 4, plan=SHORT, watch=seen.append)
    for before, now in pairwise(seen):
        assert costs(now.given, [now.best])[0] <= costs(now.given, [before.best])[0]


def test_the_same_seed_gives_the_same_printed_gait_and_a_random_start_another(gait: Gait):
    again = printed_design(find_sketch("runner"), 3, plan=SHORT)
    assert np.array_equal(again.track, gait.track) and again.flight == gait.flight
    x = Space(in_modes(find_sketch("runner")), find_sketch("runner").palette(), state=True).dimension
    assert x == 12 + 4 + 70
    with pytest.raises(PoiseError, match="sketch"):
        printed_design(find_sketch("runner"), 3, "anywhere", SHORT)


# the gait


def test_a_printed_gait_is_read_back_and_performed_in_open_loop(gait: Gait, tmp_path: Path):
    path = tmp_path / "printed.toml"
    gait.save(path)
    back = load_gait(path)
    assert back.sketch.torques == MODES and not back.sketch.limits and not len(back.cycle)
    ready = back.driven()
    once = ready.run(1, traced=True)
    assert once.whole and back.facts["open_loop_units"] >= 1
    clip = poise.load_clip(path)
    assert np.abs(clip.velocity[0] - back.start).max() < 1e-3
    take = poise.perform(clip, "vibration", seconds=1.0)
    assert np.isclose(take.duration, 1.0, atol=0.01)
    sim, nq, at = ready.simulator, len(ready.simulator.rest), 24  # frames: 0.2 s
    there = once.trace[round(at * take.dt / sim.dt), :nq]
    assert np.abs(take.q[at] - there).max() < 1e-2


def test_the_clip_of_a_printed_gait_closes(gait: Gait):
    simulator, once = gait.sketch.simulator(), gait.driven().run(1, traced=True)
    assert np.abs(simulator.drift(once.states[0], once.states[-1])).max() > 0.5  # what was found is no cycle
    states = form._cycle(simulator, once)
    half, nq = len(states) // 2, len(simulator.rest)
    assert np.allclose(states[0, :nq], once.states[0, :nq])
    for end in (simulator.mirrored(states[half : half + 1, :nq])[0], states[-1, :nq]):
        assert np.allclose(end[2:], states[0, 2:nq], atol=1e-6)
    assert np.allclose(gait.track[-1, 3:], gait.track[0, 3:], atol=1e-5)


def test_design_prints_what_the_papers_search_came_to(gait: Gait, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                      capsys: pytest.CaptureFixture[str]):  # fmt: skip
    asked: list[str] = []

    def short(sketch: Sketch, seed: int, start: str, **_: object) -> Gait:
        asked.append(f"{sketch.name} {seed} {start}")
        return gait

    monkeypatch.setattr(form, "printed_design", short)
    out = tmp_path / "g.toml"
    text = done(capsys, "design", "runner", "--printed", "--random-start", "--seed", 2, "-o", out)
    assert asked == ["runner 2 random"] and "cyclic error" in text and load_gait(out).facts["seed"] == 3
    told = json.loads(done(capsys, "design", "runner", "--printed", "-o", out, "--force", "--json"))
    assert told["open_loop_units"] == gait.facts["open_loop_units"] and asked[1] == "runner 0 sketch"
    for words, named in ((["--printed", "--attempts", "2"], "--attempts"), (["--from", "runner", "--random-start"],
                         "--random-start")):  # fmt: skip
        assert main(["design", "runner", *words, "-o", str(out), "--force"]) != 0
        assert named in capsys.readouterr().err


# a random start of our own search


def test_a_random_start_is_drawn_by_seed_and_beginning_and_is_off_by_default():
    sketch, plan = find_sketch("runner"), (Round(1.0, 2, 1, 0.1),)
    usual = Designer(sketch, 5, plan, population=8)
    drawn, same, other = (Designer(sketch, s, plan, population=8, random_start=True) for s in (5, 5, 6))
    assert not usual.progress.best.any()
    assert np.array_equal(drawn.progress.best, same.progress.best)
    assert np.abs(drawn.progress.best - other.progress.best).max() > 0.1
    first = drawn.progress.best
    drawn.another(None)
    assert np.abs(drawn.progress.best - first).max() > 0.1
    assert np.array_equal(drawn.progress.search.mean, drawn.progress.best)


def test_limits_are_left_out_of_what_is_led_over():
    led = in_modes(replace(find_sketch("runner"), limits=True))
    assert not led.simulator().limited


def test_a_search_never_begins_with_its_feet_in_the_ground(simulator: UnitSimulator):
    space = Space(in_modes(find_sketch("runner")), find_sketch("runner").palette(), state=True)
    for seed in range(5):
        state = space.begin(simulator, 2.0 * np.random.default_rng(seed).standard_normal(space.dimension))
        low = simulator.character.points(state[: len(simulator.rest)])[0][:, 2].min()
        assert low > -0.005

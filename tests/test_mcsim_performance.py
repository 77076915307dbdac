"""mcsim performs: it walks, is pushed, climbs, follows a changed reference, and bears bad input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poise
from poise.errors import BadValue, UnknownName
from poise.experiments.mcsim.planar import sagittal
from poise.experiments.mcsim.runs import run_seeds
from poise.methods.mcsim import McSim
from poise.methods.mcsim.schedule import Clock, Schedule
from poise.motion import edit
from poise.motion.reference import Reference


@pytest.fixture(scope="module")
def walk():
    return poise.load_clip("walk")


def test_it_walks_where_servos_alone_fall(walk):
    take = poise.perform(walk, "mcsim", seconds=4.0, start=0.3, noise=0.1, seed=1)
    assert take.fell is None
    assert take.tracking_error().joints < 0.05
    assert np.all(np.abs(take.torque) <= walk.character.torque_limit + 1e-6) and not take.torque[:, :6].any()
    assert poise.audit(take).unexplained_force_share < 5e-3


def test_the_same_seed_gives_the_same_bits(walk):
    a, b = (poise.perform(walk, "mcsim", seconds=0.4, noise=0.1, seed=2) for _ in range(2))
    assert np.array_equal(a.q, b.q)


def test_it_recovers_from_a_push(walk):
    stage = poise.Stage(events=[poise.Push("chest", force=(0, 100, 0), at=0.6, duration=0.1)])
    take = poise.perform(walk, "mcsim", seconds=4.7, stage=stage)
    assert take.recovered(0.7)


def test_the_papers_own_form_walks_in_the_plane():
    outcomes = run_seeds(sagittal(poise.load_clip("walk")), McSim.printed(planar=True), 2, 3.0)
    assert all(o.ok and o.joints < 0.06 for o in outcomes)
    take = outcomes[0].take
    assert np.abs(take.q[:, 1]).max() < 5e-3 and len(take.assist)


def test_a_slope_changes_the_reference_and_says_so(walk):
    take = poise.perform(walk, "mcsim", seconds=2.0, stage=poise.Stage(ground=poise.Slope(-5)))
    assert take.fell is None and any("slope" in e.text for e in take.events)
    assert take.q[-1, 2] < take.q[0, 2] - 0.1


def test_springs_instead_of_soft_contacts(walk):
    assert poise.perform(walk, "mcsim", seconds=1.5, contact="springs").fell is None


def test_a_reference_may_change_while_it_is_followed(walk):
    from poise.simulate.loop import run
    from poise.simulate.mujoco import MujocoSimulator

    reference, simulator = poise.Reference(walk), MujocoSimulator(walk.character)
    sample = reference.sample(0.0)
    simulator.reset(sample.q, sample.v)
    other = reference.edit(edit.Stride(0.9), at=0.8, over=0.5)
    take = run(simulator, McSim(), reference, seconds=2.5, each=lambda t: other if t > 0.5 else None)
    assert take.fell is None and any(e.kind == "reference" for e in take.events)


def test_the_schedule_knows_the_next_touch_down(walk):
    schedule = Schedule(poise.Reference(walk))
    feet = walk.contacts.feet()
    for k in range(0, len(walk) - 1, 7):
        for side in (0, 1):
            step = schedule.foot(side, k * walk.dt + 1e-6)
            assert step.down == feet[k, side]
            if not step.down:
                land = k + int(np.argmax(np.concatenate([feet[k:, side], feet[1:, side]])))
                assert step.left == pytest.approx((land - k) * walk.dt, abs=0.017)
                assert 0.0 <= step.done <= 1.0


def test_the_clock_jumps_to_an_early_landing_and_waits_for_a_late_one(walk):
    schedule = Schedule(poise.Reference(walk))
    t = next(t for t in np.arange(0.0, 1.2, 0.005) if 0.02 < schedule.foot(0, t).left < 0.03)
    clock = Clock(early=0.1, late=0.05)
    clock.time = t
    clock.advance(schedule, (True, True), 0.005, t)
    assert schedule.foot(0, clock.time).down
    clock.time = t
    rates = [clock.advance(schedule, (False, True), 0.005, t + 0.005 * k) for k in range(40)]
    assert 0.04 < 0.005 * rates.count(0.0) < 0.061  # it waits, but not for ever


def test_weak_joints_give_a_fall_and_never_a_blow_up(walk):
    weak = replace(walk.character, torque_limit=0.02 * walk.character.torque_limit)
    take = poise.perform(replace(walk, character=weak), McSim(departures="schedule,momentum"), seconds=1.5)
    assert take.fell is not None and np.all(np.isfinite(take.q)) and np.all(np.isfinite(take.torque))
    assert any("too weak" in e.text for e in take.events)


def test_a_program_without_solution_leaves_the_servos_and_a_line_in_the_take(walk, monkeypatch):
    from poise.methods.mcsim import reduced

    real = reduced.solve
    monkeypatch.setattr(reduced, "solve", lambda p, limit: real(p, limit)._replace(solved=False))
    take = poise.perform(walk, "mcsim", seconds=0.3)
    assert any(e.kind == "program" for e in take.events) and np.all(np.isfinite(take.torque))
    assert np.nanmax(take.traces["solved"]) == 0.0


def test_a_character_without_feet_is_performed_without_them():
    hand = poise.load_character("human42")
    bare = replace(hand, roles={r: b for r, b in hand.roles.items() if not r.endswith("_foot")})
    clip = poise.load_clip("stand")
    take = poise.perform(replace(clip, character=bare), McSim(departures="none"), seconds=0.3)
    assert np.all(np.isfinite(take.q)) and any("no left_foot" in e.text for e in take.events)
    every = poise.perform(replace(clip, character=bare), "mcsim", seconds=0.3)
    assert np.all(np.isfinite(every.q))


@pytest.mark.parametrize("name", ["relative", "flight"])
def test_balance_feedback_departs_from_print_by_name(name):
    """The run begins in stance and takes off: both departures of (11) have something to do within 0.4 s."""
    clip = poise.load_clip("run")
    ours = McSim(departures=("relative", "flight"), cd=0.3, cv=0.3)
    bare = replace(ours, departures=tuple(d for d in ours.departures if d != name))
    takes = [poise.perform(clip, way, seconds=0.4) for way in (ours, bare)]
    assert np.abs(takes[0].q - takes[1].q).max() > 1e-6
    assert not McSim.printed().has(name) and McSim().has(name)


def test_departures_have_names_and_bad_settings_are_refused():
    assert McSim(departures="none").departures == () and McSim(departures="clock,foothold").has("clock")
    with pytest.raises(UnknownName, match="departure"):
        McSim(departures=("magic",))
    with pytest.raises(BadValue, match=r"kos \[1/s²\] of mcsim must be a number from 0.001"):
        McSim(kos=-1.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["human42", "human57"])
def test_twenty_seconds_from_eight_starts(name):
    outcomes = run_seeds(poise.load_clip("walk", character=name), McSim(), 8, 20.0, first=100)
    assert all(o.ok for o in outcomes)
    assert max(o.joints for o in outcomes) < 0.05
    assert all(abs(o.distance - 1.0) < 0.03 for o in outcomes)


def test_the_clock_comes_back_to_real_time():
    schedule, clock = Schedule(Reference(poise.load_clip("stand"))), Clock(0.1, 0.15)
    clock.time = 0.06
    for k in range(960):
        clock.advance(schedule, (True, True), 1 / 192, k / 192)
    assert abs(clock.time - 960 / 192) < 0.01


def test_points_whose_ground_has_gone_touch_no_longer(walk):
    show = poise.begin(walk, "mcsim").run(0.4)
    last = show.driver.memory.known.last
    assert np.isfinite(last).any()
    points = walk.character.points(show.state.q)[0]
    ground = poise.Slope(-3.0, start=float(points[:, 0].min()) - 0.1)
    show.ground(ground)
    gone = points[:, 2] - ground.height(points[:, 0], points[:, 1]) > 0.01
    assert gone.sum() > 4 and not np.isfinite(last[gone]).any()

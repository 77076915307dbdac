"""Every method, one's own too, does in a live show what the contract says."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import poise
from poise import edit, methods
from poise.errors import BadValue, PoiseError
from poise.methods import contract
from poise.methods.find import find
from poise.methods.vibration.gait import shipped

OWN = Path(__file__).resolve().parents[1] / "examples" / "05_your_own_method.py"
EDIT = edit.Offset("head", (0.0, 15.0, 0.0))
FEW = 12  # frames between two calls


sys.path.append(str(OWN.parent))
NAME = f"{OWN.stem}:Springs"
METHODS = {name: name for name in methods.names()} | {"own": find(NAME)}
every_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)


@pytest.fixture(scope="module")
def stand():
    return poise.load_clip("stand")


@pytest.fixture
def clip(method, stand):
    """What a method is tried on: vibration performs gaits alone."""
    return poise.load_clip(next(p for p in shipped() if p.stem == "runner")) if method == "vibration" else stand


def follows(show) -> bool:
    return getattr(show.driver.way, "follows", True)


def played(show, run) -> poise.Show:
    """A push, an edit and a ground, with some frames between them; a method that goes its own way refuses the edit."""
    run(show, FEW)
    show.push("chest", (0.0, 30.0, 0.0), duration=0.05)
    run(show, FEW)
    if follows(show):
        show.edit(EDIT)
    else:
        for call in (lambda: show.edit(EDIT), lambda: show.play(show.own.clip), lambda: show.steer(2.5)):
            with pytest.raises(BadValue, match="as it was designed"):
                call()
    run(show, FEW)
    show.ground(poise.Slope(1.0))
    run(show, FEW)
    return show


def stepwise(show, frames):
    for _ in range(frames):
        show.step()


def at_once(show, frames):
    show.run(frames / 120)


def same(a: poise.Take, b: poise.Take) -> bool:
    """Bit for bit."""
    pairs = [(a.q, b.q), (a.v, b.v), (a.torque, b.torque), (a.contacts.force, b.contacts.force),
             (a.external.force, b.external.force), (a.q_ref, b.q_ref)]  # fmt: skip
    return all(np.array_equal(x, y) for x, y in pairs)


def finite(take: poise.Take) -> bool:
    return all(np.isfinite(x).all() for x in (take.q, take.v, take.torque, take.contacts.force))


@every_method
def test_the_contract_is_kept(method):
    way = methods.method(method) if isinstance(method, str) else method
    assert contract.checked(way) is way
    assert contract.moves_itself(way) == (not hasattr(way, "act"))
    assert contract.step_size(way) > 0 and contract.period(way, 1 / 960) > 0


@every_method
def test_the_same_calls_give_the_same_bits_however_steps_are_grouped(clip, method):
    show = poise.begin(clip, method, noise=0.01, seed=4)
    a = played(show, stepwise).take()
    b = played(poise.begin(clip, method, noise=0.01, seed=4), at_once).take()
    assert same(a, b) and finite(a) and len(a) == 4 * FEW + 1
    called = [("begin", 0), ("push", FEW), ("edit", 2 * FEW), ("ground", 3 * FEW)]
    assert [(c.name, c.frame) for c in a.calls] == [c for c in called if c[0] != "edit" or follows(show)]


@every_method
def test_perform_is_begin_and_run(clip, method):
    take = poise.perform(clip, method, seconds=0.2, noise=0.01, seed=4)
    assert same(take, poise.begin(clip, method, noise=0.01, seed=4).run(0.2).finish())


@every_method
def test_two_shows_share_nothing(clip, method):
    alone = poise.begin(clip, method, noise=0.01, seed=1).run(0.2).take()
    one, other = (poise.begin(clip, method, noise=0.01, seed=s) for s in (1, 2))
    for _ in range(24):
        one.step()
        other.step()
    assert same(alone, one.take())


@every_method
def test_replay_and_resume_give_the_same_bits(clip, method, tmp_path):
    kind = {NAME: METHODS["own"]}
    show = played(poise.begin(clip, method, noise=0.01, seed=4), stepwise)
    take = show.take()
    assert same(poise.replay(take, own=kind).take(), take)
    show.save_state(tmp_path / "state.npz")
    np.load(tmp_path / "state.npz", allow_pickle=False).close()
    again = poise.resume(tmp_path / "state.npz", own=kind)
    later, resumed = show.run(0.2).take(), again.run(0.2).take()
    assert np.array_equal(later.q[-25:], resumed.q) and np.array_equal(later.v[-25:], resumed.v)
    assert later.calls == resumed.calls


@every_method
def test_a_push_is_recorded_where_it_acts(clip, method):
    show = poise.begin(clip, method).run(0.1)
    show.push("chest", (0.0, 24.0, 0.0), duration=0.05)
    take = show.run(0.1).take()
    acts = np.linalg.norm(take.external.force, axis=1) > 1e-6
    assert np.array_equal(np.unique(take.external.frame[acts]), np.arange(12, 18))
    assert np.allclose(take.external.force.sum(axis=0) / 120, [0.0, 24.0 * 0.05, 0.0])


@every_method
def test_what_cannot_be_done_is_one_sentence_and_the_show_goes_on(clip, stand, method):
    calm = poise.begin(clip, method, noise=0.01).run(0.2).take()
    show = poise.begin(clip, method, noise=0.01).run(0.1)
    bad = [lambda: show.push("tail", (0, 1, 0)), lambda: show.push("chest", (0, np.nan, 0)),
           lambda: show.edit(edit.Pin("tail")), lambda: show.edit("faster"), lambda: show.switch("flying"),
           lambda: show.switch(object()), lambda: show.steer(1.0 if clip is stand else -1.0),
           lambda: show.throw("tail"), lambda: show.ground(poise.Flat(0.5)), lambda: show.run(-1.0),
           lambda: show.play(clip, over=99.0), lambda: show.play("run"), lambda: show.play(clip, start=-1.0),
           lambda: show.steer("fast"), lambda: show.edit(EDIT, over=np.nan)]  # fmt: skip
    for call in bad:
        with pytest.raises(PoiseError) as caught:
            call()
        assert str(caught.value).endswith(".") and "\n" not in str(caught.value)
    assert same(show.run(0.1).take(), calm)


@every_method
def test_any_method_takes_over_from_any_other(clip, method):
    show = poise.begin(clip, "modal").run(0.1)
    for next_ in (method, "mcsim", method, "kinematic", method):
        show.switch(next_)
        show.run(0.1)
    take = show.take()
    assert finite(take) and take.ended == "under way"
    assert len({s.frame for s in take.segments}) == len(take.segments) >= 2
    assert same(poise.replay(take, own={NAME: METHODS["own"]}).take(), take)


@pytest.mark.parametrize("force", [600.0, 1500.0])  # N
@pytest.mark.parametrize("method", ["pd", "mcsim", "modal", "modal-torques", "balance"])
def test_a_fallen_body_goes_limp(stand, method, force):
    show = poise.begin(stand, method)
    show.push("chest", (force, 0.0, 0.0), duration=0.2)
    show.run(3.0)
    take = show.finish()
    assert take.ended in ("fell", "lost") and show.method == "limp" and finite(take)
    down = next(e.time for e in take.events if e.kind == "limp")
    speed = np.abs(take.v[take.time >= down + 0.5, 6:]).max(axis=1)
    assert speed[0] < 10.0 and np.mean(speed > 10.0) < 0.025  # later, feet that come free may snap for a moment


@every_method
def test_never_a_number_that_is_none(clip, method):
    show = poise.begin(clip, method, noise=30.0, seed=3)
    show.run(0.5)
    assert finite(show.take())


def test_limp_can_be_switched_off(stand):
    show = poise.begin(stand, "pd", limp=False)
    show.push("chest", (1500.0, 0.0, 0.0), duration=0.2)
    assert show.run(1.5).method == "pd" and show.take().ended == "fell"


def test_a_ball_is_thrown_into_a_world_that_is_built_anew(stand):
    show = poise.begin(stand, "mcsim").run(0.1)
    before = show.state
    show.throw("chest", mass=1.0, speed=8.0)
    assert np.array_equal(before.q, show.state.q) and np.array_equal(before.v, show.state.v)
    take = show.run(1.0).take()
    assert "ball_0" in take.props and "ball_0" in take.contacts.others
    hit = take.contacts.other == take.contacts.others.index("ball_0")
    assert hit.any() and same(poise.replay(take).take(), take)


@pytest.mark.parametrize("method", ["pd", "modal"])
def test_a_call_that_was_refused_leaves_nothing_behind(stand, method):
    takes = []
    for bad in (False, True):
        show = poise.begin(stand, method).run(0.05)
        if bad:
            with pytest.raises(PoiseError, match="no body 'tail'"):
                show.push("tail", (0.0, 10.0, 0.0))
        show.push("chest", (0.0, 40.0, 0.0), duration=0.05)
        takes.append(show.run(0.1).finish())
    assert same(*takes) and takes[0].calls == takes[1].calls


def test_what_is_no_clip_and_no_take_is_refused():
    with pytest.raises(PoiseError, match="not 'walk'"):
        poise.begin("walk")
    with pytest.raises(PoiseError, match="begun live"):
        poise.replay(3)


def test_modal_refuses_a_ball_and_goes_on(stand):
    show = poise.begin(stand, "modal").run(0.1)
    with pytest.raises(PoiseError, match="modal-torques"):
        show.throw("chest")
    assert show.run(0.1).take().ended == "under way"


def test_calls_come_from_any_thread(stand):
    show = poise.begin(stand, "pd")
    threads = [threading.Thread(target=show.push, args=("chest", (0.0, float(k), 0.0))) for k in range(1, 5)]
    runner = threading.Thread(target=show.run, args=(0.4,))
    for thread in (runner, *threads):
        thread.start()
    for thread in (runner, *threads):
        thread.join()
    take = show.take()
    assert sorted(c.name for c in take.calls) == ["begin", *["push"] * 4] and same(poise.replay(take).take(), take)


def test_modal_takes_over_without_a_jolt():
    """It is led from the body's own pose and velocity; without that, limbs would jump to where the clip is."""
    walk = poise.load_clip("walk")
    show = poise.begin(walk, "mcsim", start=0.75 * walk.duration, noise=0.01, seed=9).run(1.0)
    show.switch("modal")
    take = show.run(0.1).finish()
    assert np.abs(take.traces["root_correction"][120:-1, :3]).max() < 0.05 * walk.character.mass * 9.81
    assert np.abs(take.v[120:, 6:]).max() < 10.0


def test_a_take_with_segments_is_audited_by_segment_and_saved(stand, tmp_path):
    show = poise.begin(stand, "mcsim").run(0.4)
    show.switch("modal")
    take = show.run(0.4).finish()
    report = poise.audit(take)
    assert report.passed and len(report.segments) == 2 and [s.step for s in take.segments] == [1 / 960, 0.0]
    take.save(tmp_path / "take.npz")
    again = poise.Take.load(tmp_path / "take.npz")
    assert again.segments == take.segments and again.calls == take.calls and same(again, take)


def test_one_of_your_own_lacks_something_and_is_told_so():
    class Half:
        name = "half"

    with pytest.raises(PoiseError, match="lacks `start` and `act"):
        poise.perform(poise.load_clip("stand"), Half(), seconds=0.1)


def test_clips_pass_into_each_other_in_step():
    stand, walk = poise.load_clip("stand"), poise.load_clip("walk")
    show = poise.begin(stand, "kinematic").run(0.2)
    show.play(walk)
    take = show.run(9.0).take()
    assert take.ended == "under way" and show.own.baked.name == "walk"
    speed = np.linalg.norm(take.v[:, :2], axis=1)
    jump = np.abs(np.diff(take.v[:, :3], axis=0)).max() * 120
    assert speed[0] < 0.05 and 1.0 < speed[-120:].mean() < 1.6 and jump < 30.0  # m/s²: a foot that is set down
    assert same(poise.replay(take).take(), take)


def test_a_transition_under_way_is_saved_and_can_be_edited(tmp_path):
    show = poise.begin(poise.load_clip("walk"), "kinematic").run(0.2)
    show.edit(edit.Stride(1.1))
    show.edit(edit.Warp(speed=1.05))
    with pytest.raises(PoiseError, match="speaks of a place"):
        show.edit(edit.Slope(3.0))
    show.run(0.3)
    show.save_state(tmp_path / "state.npz")
    later, resumed = show.run(4.0).take(), poise.resume(tmp_path / "state.npz").run(4.0).take()
    assert np.array_equal(later.q[-481:], resumed.q)
    assert len(show.own.edits) == 2 and later.ended == "under way"


def test_a_method_takes_over_where_the_body_is():
    show = poise.begin(poise.load_clip("walk"), "modal-torques").run(1.0)
    show.push("chest", (0.0, 120.0, 0.0), duration=0.1)
    show.run(1.5)
    off = show.state.q[:2] - show.course.followed.sample(show.time).q[:2]
    show.switch("mcsim")
    now = show.state.q[:2] - show.course.followed.sample(show.time).q[:2]
    assert np.linalg.norm(off) > 0.03 and np.linalg.norm(now) < 1e-9
    assert np.allclose(show.own.sample(show.time).q[:2], show.state.q[:2] - off, atol=0.02)


@pytest.mark.parametrize("degrees", [3.0, -5.0])
def test_feet_that_stand_are_led_onto_ground_that_changes(degrees):
    show = poise.begin(poise.load_clip("walk"), "kinematic", start=0.42).run(1.0)
    points = show.own.character.points(show.state.q)[0]
    low = points[points[:, 2] < points[:, 2].min() + 0.02, 0]
    start = float(low.max() if degrees > 0.0 else low.min())
    show.edit(edit.Slope(degrees, 0.0, start))
    show.ground(poise.Slope(degrees, start=start))
    fast = [np.abs(show.state.v[3:6]).max() for _ in range(40) if show.step()]
    assert max(fast) < 2.5  # rad/s: the trunk does not jerk

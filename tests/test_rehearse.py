"""Rehearsals: what was searched is performed to the last bit, however it was searched; what cannot be is said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poise
from cli_files import refused
from poise.cli.main import main
from poise.errors import BadFile, BadValue
from poise.judge.finding import Finding
from poise.judge.joint_torque import residuals, unexplained_joint_torque
from poise.maths import rotations as rot
from poise.methods.rehearse import Rehearsed
from poise.methods.rehearse.beam import Beam, chosen
from poise.methods.rehearse.cost import Scales
from poise.methods.rehearse.feedback import features
from poise.methods.rehearse.feedforward import FeedForward
from poise.methods.rehearse.known import known
from poise.methods.rehearse.rows import STEP, Rows
from poise.methods.rehearse.servos import Servos
from poise.motion.reference import Reference
from poise.rehearsal import rising
from poise.rehearsal.adapt import heavier, tightened
from poise.rehearsal.climb import Climb
from poise.rehearsal.course import Course, Effort
from poise.rehearsal.distil import distilled
from poise.rehearsal.get_up import stands_at, ways
from poise.rehearsal.judged import performed
from poise.rehearsal.lying import attitude, lowest, lying, prone
from poise.rehearsal.many import rehearse_all
from poise.rehearsal.passage import passage
from poise.rehearsal.passes import Progress, _once, rehearse
from poise.rehearsal.settings import Settings
from poise.simulate.batch import Batch
from poise.simulate.mujoco import MujocoSimulator

FEW = Settings(samples=24, keep=8, passes=2, retries=1)


@pytest.fixture(scope="module")
def clip():
    return poise.load_clip("kick").cut(0.0, 1.2)


@pytest.fixture(scope="module")
def plan(clip):
    return rehearse(clip, settings=FEW, threads=1)


def test_what_was_rehearsed_is_performed_to_the_last_bit(plan):
    take = performed(plan)
    assert np.array_equal(take.q[::6][: len(plan.q) - 1], plan.q[:-1]) and np.array_equal(take.q[-1], plan.q[-1])
    assert np.array_equal(take.v[-1], plan.v[-1])
    assert take.method == "rehearsed" and take.ended.whole and plan.whole
    assert poise.audit(take).passed


def test_threads_change_no_bit(clip, plan):
    other = rehearse(clip, settings=FEW, threads=2)
    assert np.array_equal(other.offsets, plan.offsets) and np.array_equal(other.q, plan.q)


def test_another_seed_is_another_plan_and_no_seed_is_negative(clip, plan):
    other = rehearse(clip, settings=replace(FEW, passes=1), seed=1, threads=1)
    assert not np.array_equal(other.offsets, plan.offsets)
    with pytest.raises(BadValue, match="seed"):
        rehearse(clip, seed=-1)


def test_stopped_and_resumed_is_the_same(clip, plan, tmp_path, monkeypatch):
    monkeypatch.setattr("poise.rehearsal.passes._OFTEN", 4)
    seen: list[Progress] = []

    def stop(now: Progress) -> None:
        seen.append(now)
        if len(seen) == 11:
            raise KeyboardInterrupt

    under_way = tmp_path / "x.part"
    with pytest.raises(KeyboardInterrupt):
        rehearse(clip, settings=FEW, threads=1, checkpoint=under_way, progress=stop)
    assert under_way.is_file() and len(seen[-1].picture()) == 40
    windows: list[int] = []
    again = rehearse(clip, settings=FEW, threads=1, checkpoint=under_way, progress=lambda p: windows.append(p.window))
    assert windows[0] > 1  # it went on, and did not begin anew
    assert np.array_equal(again.offsets, plan.offsets) and again.passes == plan.passes
    assert not under_way.exists()


def test_a_saved_plan_is_the_same_plan(plan, tmp_path):
    plan.save(tmp_path / "x.npz")
    read = poise.load_plan(tmp_path / "x.npz")
    assert np.array_equal(performed(read).q, performed(plan).q)
    assert read.passes == plan.passes and read.reached == plan.reached
    plan.clip.save(tmp_path / "clip.npz")
    with pytest.raises(BadFile, match="no rehearsal"):
        poise.load_plan(tmp_path / "clip.npz")


def test_a_plan_is_a_source_like_any_other(plan):
    show = poise.begin(plan).run(0.3)
    assert show.take().traces["searched"][-2] == 0
    show.push("chest", (0.0, 40.0, 0.0), duration=0.1)
    take = show.run(0.4).take()
    assert take.traces["searched"][-2] > 0 and show.fallen is None
    assert np.array_equal(poise.replay(take).take().q, take.q)


def test_a_plan_for_another_stage_body_or_clip_is_refused_in_words(plan):
    with pytest.raises(BadValue, match=r"rehearsed \(other ground\)"):
        poise.perform(plan, stage=replace(plan.stage, ground=poise.Slope(3.0)))
    with pytest.raises(BadValue, match="performed by the method rehearsed"):
        poise.perform(plan, "modal")
    with pytest.raises(BadValue, match="another clip"):
        poise.perform(poise.load_clip("stand"), Rehearsed(plan=plan))
    with pytest.raises(BadValue, match=r"from 0 s of the clip"):
        poise.begin(plan, start=0.5)


def test_the_recorded_torque_is_the_true_one_and_within_limits():
    character = poise.load_character("human42")
    q = character.standing_pose()
    clip = poise.load_clip("stand").cut(0.0, 0.5)
    rows, servos = Rows(Reference(clip), 1.0), Servos.of(character, 0.35, 0.06)
    simulator = MujocoSimulator(character, dt=STEP)
    q[2] += 1.0  # in the air: joint torques are all that acts beside gravity
    simulator.reset(q, np.zeros(character.model.nv))
    jolt = np.zeros(character.model.nv)
    jolt[6:] = 0.8
    servo = servos.servo(rows, 0, 12, np.zeros(character.model.nv), jolt)
    before = simulator.state()
    simulator.step(servo)
    torque, after = simulator.collect().torque, simulator.state()
    assert np.all(np.abs(torque) <= 1.006 * servos.limit + 1e-9)
    assert np.any(np.abs(torque) > 0.99 * servos.limit[6:].min())
    from poise.dynamics import Dynamics

    needed = Dynamics(character).at(before.q, before.v).inverse_dynamics((after.v - before.v) / STEP)
    free = np.isclose(needed, torque, atol=1e-6 * np.abs(torque).max())
    assert free[:6].all() and free.mean() > 0.9  # the others are at a joint's stop
    assert np.array_equal(simulator.joints.inertia, simulator.joints.own)  # given back


def test_a_push_far_away_in_time_changes_no_bit():
    clip = poise.load_clip("stand")
    plain = poise.perform(clip, Rehearsed(search="never"), seconds=0.3)
    late = poise.Stage(events=[poise.Push("chest", force=(0, 50, 0), at=5.0, duration=0.1)])
    assert np.array_equal(plain.q, poise.perform(clip, Rehearsed(search="never"), seconds=0.3, stage=late).q)


def test_feed_forward_holds_a_stance():
    clip = poise.load_clip("stand")
    torque = FeedForward(Reference(clip), 1.0).at(0.5)
    limit = clip.character.torque_limit
    assert not torque[:6].any() and np.all(np.abs(torque[6:]) <= limit[6:])
    knees = np.concatenate([clip.character.dofs("left_shin"), clip.character.dofs("right_shin")])
    assert np.abs(torque[knees]).max() > 1.0  # they carry the body


def test_a_body_too_weak_is_told_which_joint_and_by_how_much():
    clip = poise.load_clip("squat").cut(0.5, 1.5)
    weak = replace(clip.character, torque_limit=0.05 * clip.character.torque_limit)
    plan = rehearse(replace(clip, character=weak), settings=replace(FEW, passes=1, retries=0), threads=1)
    assert not plan.whole
    assert "% of the strength of" in plan.passes[-1] and "too weak" in plan.passes[-1]


def test_the_best_are_kept_and_some_others():
    total = np.arange(100.0)[::-1]
    kept = chosen(total, 20)
    assert kept[0] == 99 and len(np.unique(kept)) == 20
    assert total[kept].max() > 40 and np.median(total[kept]) < 20


def test_a_course_goes_back_farther_each_time(monkeypatch):
    here = Beam.begin(np.zeros((1, 4)), np.zeros(7), np.zeros(6))
    course = Course(0, 0, [here] * 41)
    monkeypatch.setattr(Course, "_remember", lambda self: None)
    course._go_back(40)
    assert course.window == 34 and course.until == 40
    course.layers += [here] * 6
    course._go_back(41)
    assert course.window == 29 and course.attempt == 2
    course.layers += [here] * 40
    course._go_back(69)
    assert course.window == 63 and course.attempt == 1


def test_the_audit_finds_the_torque_that_acted_and_a_hidden_one():
    take = poise.perform(poise.load_clip("run"), Rehearsed(search="never"), seconds=0.7)
    left, free = residuals(take)
    assert np.abs(np.where(free, left, 0.0).mean(axis=0)).max() < 0.5  # [N m], at 240 steps a second
    torque = take.torque.copy()
    elbow = int(take.character.dofs("left_forearm")[0])
    torque[:, elbow] -= 4.0
    found = unexplained_joint_torque(replace(take, torque=torque))
    assert found.value == pytest.approx(4.0, abs=0.5) and found.what.startswith("left_forearm")


@pytest.mark.parametrize("way", ["front", "back", "left", "right"])
def test_limp_bodies_come_to_lie_on_the_ground(way):
    character = poise.load_character("human42")
    q = lying(character, way, 3)
    assert np.array_equal(q, lying(character, way, 3)) and q[2] < 0.25
    assert -0.03 < lowest(character, q[None])[0] < 0.01
    with pytest.raises(BadValue, match="front, back, left or right"):
        lying(character, "head")


def test_attitudes_are_told_from_the_front_about_the_spine():
    q = poise.load_character("human42").standing_pose()
    for roll in (-2.0, 0.0, 1.0, 3.0):
        q[3:7] = rot.multiply(rot.about_z(0.7), prone(roll))
        assert attitude(q) == pytest.approx((0.7, roll), abs=1e-9)


def test_a_phase_of_getting_up_is_searched_and_goes_on_to_the_last_bit():
    character = poise.load_character("human42")
    q = lying(character, "left", 0)
    climb = Climb(character, poise.Stage(), q, 0, Effort(16, 4, 0, 3.0, 0.0), 1)
    at = climb.begun
    for _ in range(2):
        phase = ways(climb, at)[0].phase
        assert phase.name.startswith(("rolls", "draws")) and np.allclose(phase.q[0], at.q, atol=5e-3)
        at = at.after(climb.phase(at, phase))
    frames, window_q, _ = climb.frames(at.parts)
    assert np.array_equal(frames[-1], at.q) and np.array_equal(frames[::6], window_q)
    assert at.seconds == pytest.approx((len(frames) - 1) / 120.0)


def test_key_poses_of_getting_up_lead_to_the_feet():
    character = poise.load_character("human42")
    tall = character.standing_pose()[2]
    q = rising.push_up(character, lying(character, "front", 1)).q[-1]
    for side in ("left", "right"):
        foot = rising.set_foot(character, q, side).q[-1]
        stands = rising.stand_up(character, foot, side).q
        assert stands[0, 2] < 0.7 * tall and stands[-1, 2] > 0.95 * tall
        assert np.abs(lowest(character, stands[-1:])) < 0.01


def test_getting_up_refuses_what_it_does_not_know():
    walk = poise.load_clip("walk")
    with pytest.raises(BadValue, match="front, back, left or right, or from a pose"):
        poise.get_up(walk, "head")
    with pytest.raises(BadValue, match="finite numbers"):
        poise.get_up(walk, np.zeros(3))
    with pytest.raises(BadValue, match="level ground"):
        poise.get_up(walk.edit(poise.edit.Slope(degrees=4)))


def test_the_command_says_from_where_it_gets_up(capsys, tmp_path):
    told = refused(capsys, "rehearse", "walk", "--get-up", "head", "-o", str(tmp_path / "x.npz"))
    assert "front, back, left or right, or the file of a take that fell, not head" in told


def test_a_place_that_is_lost_again_and_again_is_told_once():
    back = "lost at 0.10 s, back to 0.00 s"
    assert _once([back, back, "lost at 0.50 s, back to 0.20 s", back]) == [
        f"{back}, 2 times", "lost at 0.50 s, back to 0.20 s", back]  # fmt: skip


@pytest.mark.slow
def test_a_body_gets_up_and_walks_on():
    plan = poise.get_up(poise.load_clip("walk"), "right", seed=1, seconds=3.0)
    assert plan.whole and (stands_at(plan) or 9.0) < 6.0
    take = performed(plan)
    assert take.ended.whole and poise.audit(take).passed and np.array_equal(take.q[-1], plan.q[-1])


def test_a_passage_begins_with_one_clip_and_ends_with_the_other():
    stand, squat = poise.load_clip("stand"), poise.load_clip("squat")
    both = passage(stand, squat, 3.5)
    assert both.duration == pytest.approx(3.5) and both.cycle is None
    assert np.allclose(both.q[0, 7:], stand.q[0, 7:], atol=0.2)
    assert both.q[:, 2].min() < 0.8 * stand.q[:, 2].min()  # it squats


def test_windows_of_another_length_are_performed_to_the_last_bit_too():
    clip = poise.load_clip("kick").cut(0.0, 0.5)
    plan = rehearse(clip, settings=replace(FEW, passes=1, window=24), threads=1)
    take = performed(plan)
    assert plan.window == 24 and len(plan.offsets) == 5 and np.array_equal(take.q[-1], plan.q[-1])
    with pytest.raises(BadValue, match="even number of steps"):
        Settings(window=7)


def test_clips_and_seeds_side_by_side_are_the_same_as_alone(tmp_path):
    clips = [poise.load_clip(n).cut(0.0, 0.2) for n in ("kick", "squat")]
    few = replace(FEW, passes=1)
    with Batch(1) as batch:
        done = list(rehearse_all(clips, [(0, 0), (1, 3)], batch, settings=few))
    assert [(d.clip, d.seed, d.problem) for d in done] == [(0, 0, ""), (1, 3, "")]
    alone = rehearse(clips[1], seed=3, settings=few, threads=1)
    assert np.array_equal(done[1].plan().offsets, alone.offsets)
    assert np.array_equal(performed(done[1].plan()).q, performed(alone).q)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_cluster_gives_the_same_plans(tmp_path, capsys, workers):
    distributed = pytest.importorskip("distributed", reason="poise[cluster] is not installed")
    words = ["rehearse", "stand", "kick", "--seconds", "0.1", "--set", "samples=8", "--set", "keep=4", "--set",
             "passes=1"]  # fmt: skip
    with distributed.LocalCluster(n_workers=workers, threads_per_worker=1, processes=False,
                                  dashboard_address=None) as made:  # fmt: skip
        assert main([*words, "-o", str(tmp_path / "there"), "--cluster", made.scheduler_address]) == 0
    assert "stand-0.rehearsed.npz" in capsys.readouterr().out
    clip = poise.load_clip("kick")
    alone = rehearse(clip, seconds=0.1, settings=Settings(samples=8, keep=4, passes=1), threads=1)
    there = poise.load_plan(tmp_path / "there" / "kick-0.rehearsed.npz")
    assert np.array_equal(there.offsets, alone.offsets) and np.array_equal(there.q, alone.q)


def test_many_rehearsals_are_written_to_a_folder_and_gone_on_with(tmp_path, capsys):
    words = ["rehearse", "stand", "--seeds", "2", "--seconds", "0.1", "--workers", "1", "--set", "samples=8", "--set",
             "keep=4", "--set", "passes=1"]  # fmt: skip
    assert main([*words, "-o", str(tmp_path / "plans")]) == 0
    capsys.readouterr()
    assert sorted(p.name for p in (tmp_path / "plans").iterdir()) == ["stand-0.rehearsed.npz", "stand-1.rehearsed.npz"]
    (tmp_path / "plans" / "stand-1.rehearsed.npz").unlink()
    assert main([*words, "-o", str(tmp_path / "plans")]) == 0
    assert "1 were there already" in capsys.readouterr().out
    assert "written to a folder" in refused(capsys, *words, "-o", str(tmp_path / "x.npz"))
    assert "for one clip and one seed" in refused(capsys, *words, "--then", "walk", "-o", str(tmp_path / "y"))


def test_a_feedback_is_distilled_from_disturbed_runs_and_does_nothing_on_the_path(tmp_path):
    plan = rehearse(poise.load_clip("stand").cut(0.0, 0.4), settings=replace(FEW, passes=1), threads=1)
    fed = distilled(plan, runs=2)
    assert fed.gain.shape == (8, 12, plan.offsets.shape[1]) and np.abs(fed.gain[:, :, 6:]).max() > 1e-4
    assert not fed.gain[:, :, :6].any()
    assert np.array_equal(performed(fed).q, performed(plan).q)
    shaken, alone = (performed(p, noise=0.1, seed=3) for p in (fed, plan))
    assert not np.array_equal(shaken.q, alone.q) and np.nanmax(shaken.traces["searched"]) == 0
    fed.save(tmp_path / "fed.npz")
    assert np.array_equal(poise.load_plan(tmp_path / "fed.npz").gain, fed.gain)
    assert np.array_equal(distilled(plan, runs=2).gain, fed.gain)


def test_a_body_whose_arms_lie_below_it_rolls_aside_first():
    character = poise.load_character("human42")
    q = lying(character, "front", 0)
    climb = Climb(character, poise.Stage(), q, 0, Effort(16, 4, 0, 3.0, 0.0), 1)
    names = [way.phase.name for way in ways(climb, climb.begun)]
    assert names[-2:] == ["rolls aside", "rolls aside"]
    assert attitude(rising.roll_aside(character, q, 1.0).q[-1])[1] == pytest.approx(1.1, abs=0.05)


def test_past_the_end_of_a_loop_a_plan_goes_on_with_the_cycle_before():
    clip = poise.load_clip("turn")  # each cycle is turned and shifted
    assert clip.cycle is not None
    seconds = round(clip.duration + 0.2, 2)
    plan = rehearse(clip, seconds=seconds, settings=Settings(samples=8, keep=4, passes=1, retries=0), threads=1)
    plan = replace(plan, gain=np.ones((len(plan.offsets), 12, plan.offsets.shape[1])))
    count = len(plan.offsets)
    inside, after = known(plan, count - 1), known(plan, count + 2)
    assert inside is not None and (inside.k, inside.share, inside.turns) == (count - 1, 0.0, 0)
    assert after is not None and after.turns == 1 and 0.0 <= after.share < 1.0
    assert after.k + after.share == pytest.approx(count + 2 - clip.duration / 0.05)
    low, high = plan.offsets[after.k], plan.offsets[after.k + 1]
    assert np.allclose(after.offset, (1.0 - after.share) * low + after.share * high) and after.gain is not None
    cycle = plan.followed.cycle
    assert cycle is not None
    exact = after._replace(share=0.0)
    q, turn = cycle.carry(plan.q[exact.k], 1), rot.about_z(cycle.turn)
    v = plan.v[exact.k].copy()
    v[:3] = rot.rotate(turn, v[:3])
    off, rate = exact.away(q, v)
    assert np.abs(off).max() < 1e-9 and np.abs(rate).max() < 1e-9
    worlds = Rehearsed(plan=plan)
    memory = worlds.start(clip.character, Reference(plan.followed), plan.stage)
    assert np.abs(features(exact, q[None], v[None], worlds.worlds(memory))).max() < 1e-6
    assert known(replace(plan, followed=replace(plan.followed, cycle=None)), count) is None and known(None, 0) is None


def test_a_search_under_way_that_was_put_away_goes_on_with_the_same_bits(plan, tmp_path):
    show = poise.begin(plan).run(0.3)
    show.push("chest", (0.0, 60.0, 0.0), duration=0.1)
    show.run(0.3)
    show.save_state(tmp_path / "state.npz")
    again, later = poise.resume(tmp_path / "state.npz").run(0.2).take(), show.run(0.2).take()
    assert later.traces["searched"][-2] > 4  # it searched on
    assert np.array_equal(again.q[-1], later.q[-1]) and np.array_equal(again.v[-1], later.v[-1])


def test_what_is_wrong_with_a_whole_take_counts_more_in_the_next_pass():
    heavy = heavier([], (Finding("root off", 0.3, 0.25), Finding("touching off", 0.8, 0.85)))
    assert heavy == ["place", "touch"] and heavier(heavy, (Finding("not whole"), Finding("root off", 0.3))) == heavy
    scales = tightened(Scales(), heavier(heavy, (Finding("root off", 0.3, 0.25),)))
    assert scales.place == pytest.approx(0.25 * Scales().place) and scales.touch == pytest.approx(0.5 * Scales().touch)
    assert tightened(Scales(), []) == Scales()


def test_hands_on_the_shaft_of_a_barbell_that_meets_nothing_else_pass_the_audit():
    take = poise.perform(poise.load_clip("lift"), Rehearsed(search="never"), seconds=1.4)
    assert take.stage["props"] and poise.audit(take).prop_misplaced.value < 0.02

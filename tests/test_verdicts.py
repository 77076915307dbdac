"""Verdicts: how a performance ended, whether it followed the user's own clip; nothing broken is called good."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

import poise
from played_takes import bend, played, with_touch
from poise.cli.main import main
from poise.errors import BadValue, UnknownName
from poise.judge.fall import fall
from poise.judge.finding import Finding
from poise.judge.going_down import going_down
from poise.judge.performance_findings import causes
from poise.judge.recovery import WIDEST, Bands
from poise.judge.verdict import verdict
from poise.judge.wording.verdict import words
from poise.maths import rotations as rot
from poise.methods.kinematic import Kinematic
from poise.simulate.guard import BlowUp, MethodLost
from poise.simulate.simulator import State
from poise.take import Ended, Recorder, Take
from poise.take.own import own_of


@pytest.fixture(scope="module")
def walk():
    return poise.load_clip("walk")


@pytest.fixture(scope="module")
def stand():
    return poise.load_clip("stand")


class Gives(Kinematic):
    """The clip itself up to half a second; then what `then(state)` makes of a step."""

    def __init__(self, then):
        object.__setattr__(self, "then", then)

    def step(self, state, reference, around, dt, memory):
        stepped = super().step(state, reference, around, dt, memory)
        return self.then(stepped) if state.time > 0.5 else stepped


def not_a_number(stepped):
    state = stepped.state
    return stepped._replace(state=State(state.time, state.q * np.nan, state.v))


LOST = Gives(lambda stepped: stepped._replace(status="its feet are too far apart"))
NUMBERLESS = Gives(not_a_number)


class TestEnded:
    def test_a_whole_performance(self, walk):
        take = poise.perform(walk, "kinematic", seconds=1.0)
        assert take.ended == "whole" and take.ended.whole and take.ended.time == take.time[-1] and take.fell is None
        assert "whole" in repr(take)

    def test_a_method_that_is_lost_ends_the_take_and_says_why(self, walk, tmp_path):
        take = poise.perform(walk, LOST, seconds=2.0, save=tmp_path / "lost.npz")
        again = Take.load(tmp_path / "lost.npz")
        for seen in (take, again):
            assert seen.ended == "lost" and 0.5 < seen.ended.time < 0.52
            assert seen.ended.reason == "its feet are too far apart" and not seen.followed()
            assert "lost at 0.5" in repr(seen) and "whole" not in repr(seen)
        with pytest.raises(MethodLost, match="too far apart") as caught:
            poise.perform(walk, LOST, seconds=2.0, strict=True)
        assert caught.value.take.ended == "lost"

    def test_a_state_that_is_none_blows_up(self, walk):
        take = poise.perform(walk, NUMBERLESS, seconds=2.0)
        assert take.ended == "blew up" and np.all(np.isfinite(take.q)) and not take.followed()

    def test_a_simulation_that_blows_up_gives_its_take_unless_strict(self, walk):
        take = poise.perform(walk, "pd", seconds=1.0, noise=1e6)
        assert take.ended == "blew up" and len(take) >= 1 and "velocity of" in take.ended.reason
        assert ".npz" not in take.ended.reason and any(e.kind == "saved state" for e in take.events)
        assert not take.followed() and verdict(take).text() and "nan" not in verdict(take).text()
        assert causes(take)[0].kind == "shaken start"
        with pytest.raises(BlowUp) as caught:
            poise.perform(walk, "pd", seconds=1.0, noise=1e6, strict=True)
        assert caught.value.take.ended == "blew up"

    def test_a_fall_comes_before_how_the_run_ended(self, walk):
        take = with_touch(played(walk, 1.0), "left_hand", 30)
        for end in ("whole", "lost", "blew up", "stopped"):
            ended = take.with_(run_ended=Ended(end, 1.0, "")).ended
            assert (
                ended == "fell" and ended.time == take.time[30] and ended.reason == "its left hand touched the ground"
            )

    @pytest.mark.parametrize("name", ["q", "v", "torque"])
    def test_a_number_that_is_none_anywhere_is_a_blow_up(self, walk, name):
        take = played(walk, 1.0)
        rows = np.array(getattr(take, name))
        rows[60:, 8] = np.nan
        broken = take.with_(**{name: rows})
        assert broken.ended == "blew up" and broken.ended.time == take.time[60]
        assert not broken.followed() and not broken.recovered(0.1) and "nan" not in verdict(broken).text()
        json.dumps(verdict(broken).to_dict(), allow_nan=False)

    def test_a_recording_under_way_and_one_that_was_never_finished(self, stand, tmp_path):
        recorder = Recorder(stand, path=tmp_path / "take.npz", chunk=20)
        for k in range(61):
            recorder.frame(k / 120, stand.q[0], np.zeros(stand.character.model.nv), np.zeros(stand.character.model.nv))
        assert recorder.take().ended == "under way" and not recorder.take().followed()
        recovered = Take.recover(tmp_path / "take.npz")
        assert recovered.ended == "stopped" and not recovered.followed()
        assert recorder.finish(ended=recorder.stopped("enough")).ended.reason == "enough"

    def test_less_than_was_asked_for_is_not_whole(self, walk):
        take = played(walk, 1.0)
        assert take.with_(asked=1.0).ended.whole and take.with_(asked=2.0).ended == "stopped"

    def test_files_of_older_versions_tell_by_their_log(self, walk, tmp_path):
        take = played(walk, 1.0).with_(run_ended=None)
        take.save(tmp_path / "old.npz")
        assert Take.load(tmp_path / "old.npz").ended.whole
        from poise.take import LogEntry

        blown = take.with_(events=(LogEntry(1.0, "blow-up", "the next state is not a number"),))
        blown.save(tmp_path / "old.npz")
        assert Take.load(tmp_path / "old.npz").ended == "blew up"

    def test_a_cut_take_forgets_neither_a_fall_nor_that_it_was_cut(self, walk):
        take = with_touch(played(walk, 1.0), "left_hand", 30)
        assert take.cut(0.5).fell == take.time[30] and take.cut(0.5).ended == "fell"
        assert take.cut(0.0, 0.2).ended == "stopped" and played(walk, 1.0).cut(0.5).ended.whole

    def test_one_frame_is_judged_too(self, stand):
        recorder = Recorder(stand)
        zero = np.zeros(stand.character.model.nv)
        recorder.frame(0.0, stand.q[0], zero, zero)
        take = recorder.finish(ended=Ended("blew up", 0.0, "at once"))
        told = verdict(take)
        assert take.ended == "blew up" and not told.good and "blew up at 0.00 s" in told.text()
        json.dumps(told.to_dict(), allow_nan=False)

    def test_ended_goes_through_pickle(self):
        import pickle

        end = pickle.loads(pickle.dumps(Ended("lost", 1.5, "why")))
        assert end == "lost" and end.time == 1.5 and end.reason == "why"


def sinking(t0: float, speed: float):
    """A change that lets the root sink from a time [s] on, at a speed [m/s]."""
    return lambda t, q: q - np.r_[0, 0, speed * max(0.0, t - t0), np.zeros(len(q) - 3)]


def tipping(t0: float, speed: float):
    """A change that tips a body forward about its feet from a time [s] on, at a speed [rad/s]."""

    def change(t, q):
        turn = rot.exp(np.array([0.0, speed * max(0.0, t - t0), 0.0]))
        return np.r_[rot.rotate(turn, q[:3]), rot.multiply(turn, q[3:7]), q[7:]]

    return change


class TestGoingDown:
    """A body that goes down in its last frame is not whole, although it does not lie yet."""

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (sinking(0.84, 2.5), "it was going down when the take ended, its pelvis at 58 % of its height in the clip"),
            (sinking(0.87, 2.5), "it was going down when the take ended, its pelvis at 66 % of its height in the clip"),
            (tipping(0.6, 1.5), "it was toppling when the take ended"),
        ],
    )
    def test_who_collapses_in_the_last_frames_fell(self, stand, change, words, tmp_path):
        take = played(stand, 1.0, change)
        assert fall(take) is None  # it does not lie yet
        take.save(tmp_path / "take.npz")
        for seen in (take, Take.load(tmp_path / "take.npz")):
            assert seen.ended == "fell" and seen.fell == seen.time[-1] and words in seen.ended.reason
            assert not seen.followed() and not seen.recovered(0.1) and not verdict(seen).good
            assert "fell at 1.00 s" in verdict(seen).text() and "whole" not in verdict(seen).text()

    @pytest.mark.parametrize(
        "change",
        [
            sinking(0.95, 2.5),  # a soft landing: at 88 %
            sinking(0.6, 0.5),  # slowly into a squat: at 80 %
            tipping(0.8, 0.5),  # 6 degrees
            lambda t, q: tipping(0.0, 0.4)(min(t, 0.9), q),  # leans, but stays so
            lambda t, q: q - np.r_[0, 0, 0.45 * max(0.0, np.sin(np.pi * (t - 0.75) / 0.27)), np.zeros(len(q) - 3)],
        ],
    )
    def test_who_may_come_up_again_did_not(self, stand, change):
        assert played(stand, 1.0, change).ended.whole

    @pytest.mark.parametrize("name", ["walk", "run", "squat", "jump", "hop", "kick"])
    def test_a_clip_that_breaks_off_anywhere_is_no_fall(self, name):
        clip = poise.load_clip(name)
        take = played(clip, 2.0)
        assert not any(going_down(take, k) for k in range(1, len(take), 5))

    def test_a_run_that_was_stopped_or_lost_stays_that(self, stand):
        take = played(stand, 1.0, sinking(0.87, 2.5))
        for end in ("stopped", "lost", "under way"):
            assert take.with_(run_ended=Ended(end, 1.0, "")).ended == end

    def test_who_hangs_from_a_bar_does_not_topple_but_who_carries_a_load_does(self, stand):
        take = with_touch(played(stand, 1.0, tipping(0.6, 1.5)), "left_hand", 119, other=1)
        assert take.ended == "fell"
        held = np.array(take.contacts.bilateral)
        held[(take.contacts.frame == 119) & (take.contacts.other == 1)] = True
        assert take.with_(contacts=replace(take.contacts, bilateral=held)).ended.whole
        load = np.where(held[:, None], -1.0, 1.0) * take.contacts.force
        assert take.with_(contacts=replace(take.contacts, bilateral=held, force=load)).ended == "fell"

    def test_the_edge_of_a_step_is_no_fall(self, stand):
        """Whose pelvis comes over a step is nearer to the ground from one frame to the next, but does not sink."""
        take = played(stand, 1.0)
        q = np.array(take.q)
        q[-1, 0] += 2.0
        assert take.with_(q=q, stage=poise.Stage(poise.Stairs(0.25, 4.0))).ended.whole


class TestScheduledTouch:
    """A hand or knee may touch where the clip's own comes within 5 cm of the ground, 0.25 s before to after."""

    @staticmethod
    def low_hand(take: Take, height: float, first: int, last: int) -> Take:
        """The take whose clip has the left hand's surface at a height in some frames."""
        from poise.character.skin import skin
        from poise.judge.surface import clearance

        q, balls = np.array(take.q_ref), skin(take.character)
        mine = balls.body == take.character.body("left_hand")
        high = clearance(balls.centres(take.character, q), take.clip.ground, balls.radius)[:, mine].min(axis=1)
        q[first:last, 2] -= high[first:last] - height
        return take.with_(q_ref=q, q=q.copy())

    @pytest.mark.parametrize(
        ("height", "late", "ok"),
        [(0.045, 0, True), (0.055, 0, False), (0.045, 29, True), (0.045, 32, False), (0.045, -29, True),
         (0.045, -32, False)],
    )  # fmt: skip
    def test_within_five_centimetres_and_a_quarter_second(self, walk, height, late, ok):
        take = self.low_hand(played(walk, 1.0), height, 60, 61)
        found = fall(with_touch(take, "left_hand", 60 + late))
        assert (found is None) == ok

    def test_the_users_own_clip_counts_too(self, walk):
        from poise.take.own import Own

        take = played(walk, 1.0)
        low = self.low_hand(take, 0.03, 50, 70)
        own = Own(np.array(low.q_ref), np.array(take.scheduled), take.clip.ground)
        touched = with_touch(take, "left_hand", 60)
        assert touched.fell is not None and touched.with_(own=own).fell is None


class TestRecovered:
    def test_a_run_that_broke_off_is_not_recovered(self, walk):
        take = played(walk, 4.0)
        assert take.recovered(1.0)
        for end in ("lost", "blew up", "stopped", "under way"):
            broken = take.with_(run_ended=Ended(end, 4.0, ""))
            assert not broken.recovered(1.0) and not broken.recovered(5.0), end
            assert any("at 4.00 s" in r for r in broken.recovered(1.0).reasons)

    def test_an_undisturbed_run_that_fell_is_refused(self, walk):
        def sink(t, q):
            return q - np.r_[0, 0, 0.6 * q[2] * (t > 1.5), np.zeros(len(q) - 3)]

        fallen, fine = played(walk, 4.0, sink), played(walk, 4.0)
        report = fine.recovered(1.0, undisturbed=fallen)
        assert not report and any("undisturbed run itself fell" in r for r in report.reasons)
        assert report.bands == Bands()

    def test_bands_are_never_wider_than_sane(self, walk):
        wild = played(walk, 4.0, lambda t, q: bend(walk.character, q, "chest", 2.9))
        bands = Bands.around(wild, 1.0)
        assert bands.joints <= WIDEST.joints < 0.4 and bands.tilt <= 0.35 and bands.height <= 0.12
        assert not wild.recovered(1.0, undisturbed=wild)
        nothing = Bands(np.nan, np.nan, np.nan, np.nan).within(WIDEST)
        assert nothing == WIDEST


class TestFollowed:
    def test_the_clip_itself_is_followed(self, walk):
        told = played(walk, 3.0).followed()
        assert told and told.reasons == () and told.measures["joints"] < 1e-6 and told.measures["touching"] > 0.97

    @pytest.mark.parametrize(
        ("change", "kind"),
        [
            (lambda t, q: bend(poise.load_character("human42"), q, "chest", 1.0), "joints off"),
            (lambda t, q: q + np.r_[0, 0.3, np.zeros(len(q) - 2)], "root off"),
            (lambda t, q: np.r_[q[:3], rot.multiply(rot.about_z(0.4), q[3:7]), q[7:]], "heading off"),
            (lambda t, q: np.r_[q[:3], rot.multiply(rot.exp(np.array([0, 0.4, 0])), q[3:7]), q[7:]], "lean off"),
        ],
    )
    def test_what_is_off_is_told_with_its_measure(self, walk, change, kind):
        told = played(walk, 2.0, change).followed()
        assert not told and kind in [f.kind for f in told.findings]
        found = next(f for f in told.findings if f.kind == kind)
        assert found.value > found.limit and words(found) in told.text()

    def test_feet_that_touch_otherwise(self, walk):
        told = played(walk, 4.0, late=round(walk.duration * 40)).followed()
        assert [f.kind for f in told.findings] == ["touching off"] and "foot" in told.reasons[0]

    def test_limits_can_be_given_and_a_long_way_allows_more(self, walk):
        aside = played(walk, 2.0, lambda t, q: q + np.r_[0, 0.3, np.zeros(len(q) - 2)])
        assert not aside.followed() and aside.followed(root=0.4)
        far = played(walk, 8.0, lambda t, q: q + np.r_[0, 0.3, np.zeros(len(q) - 2)])
        assert far.followed() and far.followed().measures["root_allowed"] > 0.3  # 5 % of the path
        with pytest.raises(UnknownName, match=r"no limit 'joint'.*'joints'"):
            aside.followed(joint=3)
        with pytest.raises(BadValue, match="limit root"):
            aside.followed(root=float("nan"))

    def test_a_cartwheelers_heading_is_that_about_the_vertical(self, walk):
        upside = rot.exp(np.array([np.pi, 0.0, 0.0]))
        take = played(walk, 0.5)
        q = np.array(take.q)
        q[:, 3:7] = rot.multiply(rot.multiply(rot.about_z(0.3), upside), q[:, 3:7])
        own = np.array(take.q_ref)
        own[:, 3:7] = rot.multiply(upside, own[:, 3:7])
        from poise.judge.followed import heading_error
        from poise.take.own import Own

        turned = heading_error(take.with_(q=q), Own(own, np.array(take.scheduled), take.clip.ground))
        assert np.allclose(turned, np.degrees(0.3), atol=1e-6)

    def test_the_users_own_clip_counts_not_its_repair(self, walk, tmp_path):
        class Repairing(Kinematic):
            """Follows something else than was given."""

            def prepare(self, reference, stage):
                other = reference.baked.with_q(reference.baked.q + 0.5 * (np.arange(reference.baked.q.shape[1]) == 1))
                return poise.Reference(other, start=reference.start), [("repaired", "the clip was made physical")]

        take = poise.perform(walk, Repairing(), seconds=1.0, start=0.3, save=tmp_path / "take.npz")
        own = poise.Reference(walk, start=0.3)
        for seen in (take, Take.load(tmp_path / "take.npz")):
            assert seen.tracking_error().root_position < 1e-9
            assert np.isclose(seen.tracking_error(clock="own").root_position, 0.5)
            assert [f.kind for f in seen.followed().findings] == ["root off"]
            assert np.allclose(own_of(seen).q[100], own.sample(seen.time[100]).q)
            assert verdict(seen).clocks_differ and "moved by up to 50 cm" in verdict(seen).text()
        with pytest.raises(UnknownName, match="clock"):
            take.tracking_error(clock="wall")

    def test_a_clock_that_waits_is_seen_on_the_clips_own(self, walk):
        late = 0.25
        recorder, reference = Recorder(walk), poise.Reference(walk)
        for k in range(241):
            sample = reference.sample(max(0.0, k / 120 - late))
            recorder.frame(k / 120, sample.q, sample.v, np.zeros(len(sample.v)),
                           traces={"reference_lag": -min(late, k / 120)})  # fmt: skip
        take = recorder.finish()
        assert take.tracking_error().joints < 1e-6 < 0.05 < take.tracking_error(clock="own").joints
        assert not take.followed() and verdict(take).clocks_differ

    def test_a_stream_that_was_recovered_knows_the_users_own_clip(self, walk, tmp_path):
        other = walk.with_q(walk.q + 0.5 * (np.arange(walk.q.shape[1]) == 1))
        recorder = Recorder(other, path=tmp_path / "take.npz", chunk=10, own=poise.Reference(walk))
        zero = np.zeros(walk.character.model.nv)
        for k in range(12):
            recorder.frame(k / 120, other.q[k], zero, zero)
        assert np.allclose(own_of(Take.recover(tmp_path / "take.npz")).q[5], poise.Reference(walk).sample(5 / 120).q)


class TestWhy:
    def test_a_push_a_broken_off_stride_and_hands(self, walk):
        stage = poise.Stage(events=[poise.Push("chest", force=(0, 900, 0), at=0.2, duration=0.2)])
        take = poise.perform(poise.load_clip("stand"), "pd", seconds=2.0, stage=stage)
        assert take.ended == "fell"
        push = next(f for f in causes(take) if f.kind == "push")
        assert abs(push.value - 900) < 1 and abs(push.time - 0.2) < 0.01 and push.body == "chest"
        assert "a push of 450 N" in verdict(take).text()
        open_walk = walk.repeat(1)
        fallen = poise.perform(open_walk.cut(0.0, 0.4), "pd", seconds=3.0)
        kinds = [f.kind for f in causes(fallen)]
        assert fallen.ended == "fell" and "breaks off" in kinds and "--loop" in verdict(fallen).text()

    def test_a_joint_at_its_limit_is_named(self, stand):
        take = played(stand, 1.0, lambda t, q: q - np.r_[0, 0, 0.6 * q[2] * (t > 0.6), np.zeros(len(q) - 3)])
        torque, knee = np.zeros(take.torque.shape), int(take.character.dofs("left_shin")[0])
        torque[30:90, knee] = take.character.torque_limit[knee]
        found = next(f for f in causes(take.with_(torque=torque)) if f.kind == "torque limit")
        assert found.body == "left shin" and "torque limit" in words(found)

    def test_a_clip_that_begins_with_a_jump_is_named(self, stand):
        take = played(stand, 1.0, lambda t, q: q - np.r_[0, 0, 0.6 * q[2] * (t > 0.6), np.zeros(len(q) - 3)])
        v_ref = np.array(take.v_ref)
        v_ref[0, 4] = 9.0
        assert [f.kind for f in causes(take.with_(v_ref=v_ref, v=v_ref.copy()))] == ["jumpy start"]
        assert "jumpy start" not in [f.kind for f in causes(take)]

    def test_a_cause_does_not_come_after_the_fall(self, walk, stand):
        """Neither the pose that is held after a clip's end, nor hands that touch later."""
        fallen = with_touch(played(walk.repeat(1).cut(0.0, 0.9), 0.9), "head", 103)
        assert fallen.ended == "fell" and not causes(fallen)
        take = with_touch(played(stand, 1.0), "head", 60)
        hands = take.character.contact_points.of("left_hand")
        for first, kinds in ((66, ["hands carry"]), (80, [])):
            scheduled = np.array(take.scheduled)
            scheduled[first:, hands] = True
            assert [f.kind for f in causes(take.with_(scheduled=scheduled))] == kinds

    def test_a_value_beside_its_limit_is_told_apart_from_it(self):
        assert "84.6 % of the time, 85.0 % are" in words(Finding("touching off", 0.846, 0.85, None, "left foot"))
        assert "10.2 degrees off (rms), 10.0 are" in words(Finding("joints off", 10.2, 10.0))
        assert "48 cm from its place at 1.23 s, 25 cm are" in words(Finding("root off", 0.48, 0.25, 1.225))

    def test_joints_are_called_as_one_calls_them(self):
        strained = Finding("torque limit", 78.0, 78.0, 2.05, "left shin")
        assert words(strained) == "its left knee was at its torque limit of 78 N m from 2.05 s on"
        assert "a stronger right elbow" in words(Finding("try slower", body="right forearm"))
        assert "a stronger right toe joint" in words(Finding("try slower", body="right toes"))

    def test_times_that_differ_by_rounding_read_the_same(self, walk):
        take = played(walk, 1.225)
        ends = [take.with_(run_ended=Ended("whole", t)) for t in (1.225, 1.2249999999999999, 1.2250000000000001)]
        assert {verdict(t).text().splitlines()[0] for t in ends} == {verdict(take).text().splitlines()[0]}
        assert "whole, 1.23 s" in verdict(take).text()

    def test_every_finding_has_words(self):
        from poise.judge.wording.verdict import _WORDS

        for kind in _WORDS:
            assert words(Finding(kind, 1.0, 2.0, 3.0, "left hand", text="text"))


@pytest.mark.usefixtures("tmp_path")
class TestCommand:
    def perform(self, capsys, *rest: str) -> tuple[int, str]:
        code = main(["perform", *rest])
        return code, capsys.readouterr().out

    def test_exit_codes_and_files(self, capsys, tmp_path):
        code, out = self.perform(capsys, "stand", "--method", "pd", "--seconds", "0.3")
        assert code == 0 and "whole, 0.30 s" in out and "followed the clip" in out and "degrees" in out and "cm" in out
        saved = tmp_path / "fall.npz"
        code, out = self.perform(capsys, "walk", "--method", "pd", "--seconds", "2", "--save", str(saved))
        assert code == 1 and "fell at" in out and "frame" in out and "--method mcsim" in out
        assert Take.load(saved).ended == "fell"
        code, _ = self.perform(capsys, "walk", "--method", "pd", "--seconds", "-1")
        assert code == 2

    def test_noise_beyond_all_measure_is_no_success(self, capsys, tmp_path):
        saved = tmp_path / "take.npz"
        code, out = self.perform(capsys, "walk", "--method", "pd", "--noise", "1e6", "--seconds", "1", "--json",
                                 "--save", str(saved))  # fmt: skip
        told = json.loads(out)
        assert code == 1 and told["ended"]["how"] == "blew up" and told["whole"] is False
        assert told["followed"]["followed"] is False and saved.exists() and "NaN" not in out
        assert Take.load(saved).ended == "blew up"

    def test_the_page_and_the_strip_tell_the_same(self, tmp_path):
        take = poise.perform(poise.load_clip("walk"), "pd", seconds=1.5)
        take.save(tmp_path / "strip.png", frames=2, width=400)
        take.save(tmp_path / "page.html", fps=10)
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert f"fell at {take.fell:.2f} s" in page and "did not follow" in page


@pytest.mark.slow
def test_an_interrupted_performance_is_stopped(tmp_path):
    script = (
        "import poise, sys\n"
        "try:\n"
        "    poise.perform(poise.load_clip('stand'), 'pd', seconds=600, save=sys.argv[1])\n"
        "except KeyboardInterrupt as stop:\n"
        "    print(stop.take.ended, flush=True)\n"
    )
    saved = tmp_path / "take.npz"
    process = subprocess.Popen([sys.executable, "-c", script, str(saved)], stdout=subprocess.PIPE, text=True,
                               env=dict(os.environ))  # fmt: skip
    for _ in range(600):
        if list(tmp_path.glob("*.frames")):
            break
        time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=120)
    assert "stopped" in out and Take.load(saved).ended == "stopped"


@pytest.mark.slow
def test_a_push_of_1000_n_on_modal_is_no_success(capsys):
    code = main(["perform", "stand", "--method", "modal", "--push", "chest:1000,0,0@0.5+0.1", "--seconds", "3"])
    out = capsys.readouterr().out
    assert code == 1 and "whole" not in out and "1000 N" in out
    code = main(["perform", "walk", "--method", "modal", "--noise", "1e3", "--seconds", "1"])
    out = capsys.readouterr().out
    assert code == 1 and "whole" not in out and "nan" not in out

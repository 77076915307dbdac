"""A take goes back onto the skeleton of the file that its reference came from, with the contacts it really had."""

from __future__ import annotations

import numpy as np
import pytest

import export_samples
import poise
from poise.export.props import Props
from poise.maths import rotations as rot
from poise.motion.clip import Cycle
from poise.motion.formats import read
from poise.take import ContactRecord, Recorder, Take


def played(clip, *, contacts=None, start: float = 0.0, frames: int | None = None) -> Take:
    """A take in which the clip's own frames were performed."""
    recorder = Recorder(clip, method="kinematic", start=start)
    for k in range(frames or len(clip)):
        rows = contacts(k) if contacts else None
        recorder.frame(
            k * clip.dt, clip.q[k % len(clip)], clip.velocity[k % len(clip)], np.zeros(clip.velocity.shape[1]), rows
        )
    return recorder.finish()


def test_a_performed_clip_comes_back_on_its_own_skeleton(tmp_path):
    clip = export_samples.clip_of_file()
    played(clip).save(tmp_path / "take.bvh")
    played(clip).save(tmp_path / "take.npz")
    Take.load(tmp_path / "take.npz").save(tmp_path / "again.bvh")
    assert (tmp_path / "take.bvh").read_bytes() == (tmp_path / "again.bvh").read_bytes()
    assert clip.recording is not None
    written, original = read(tmp_path / "take.bvh"), clip.recording
    names = [n for n in original.skeleton.names if n in written.skeleton.names]
    assert len(names) == len(original.skeleton)  # fingers and helpers too
    a, b = written.forward()[0], original.forward()[0]
    rows = [written.skeleton.index(n) for n in names]
    other = [original.skeleton.index(n) for n in names]
    assert np.abs(a[:, rows] - b[:, other]).max() * 0.02 < 1e-4  # metres: 0.1 mm


def test_source_times_follow_the_start_and_wrap_in_a_loop():
    clip = export_samples.clip_of_file()
    shown = played(clip, start=0.25).as_clip()
    assert shown.source_times is not None and clip.source_times is not None
    assert np.allclose(shown.source_times, np.minimum(0.25 + shown.times, clip.duration))
    loop = clip.with_q(clip.q, cycle=Cycle())
    times = played(loop, frames=100).as_clip().source_times
    assert times is not None and times.max() <= loop.duration and np.isclose(times[60], 60 / 60 - loop.duration)


@pytest.mark.parametrize("pitch", [0.0, 0.1])
def test_labels_are_the_recorded_contacts(pitch):
    """One contact in the middle of the left sole; then one under the right ball, of a foot that is pitched or flat."""
    clip = poise.load_clip("stand").cut(0.0, 0.1)
    q = np.array(clip.q)
    q[:, 3:7] = rot.multiply(rot.exp(np.array([0.0, pitch, 0.0])), q[:, 3:7])  # toes down
    clip = clip.with_q(q)
    points, where = clip.character.contact_points, clip.character.points(q)
    left, right = points.of("left"), points.of("right")
    balls = [k for k in right if "ball" in points.names[k]]

    def contacts(k: int) -> np.ndarray:
        rows = np.zeros((2, 18))
        rows[:, 0] = points.bodies[(left if k < 6 else right)[0]]
        rows[:, 2:5] = where[k, left].mean(axis=0) - [0, 0, 0.02] if k < 6 else where[k, balls].mean(axis=0)
        rows[:, 7] = rows[:, 10] = 1.0
        rows[1, 1], rows[1, 2:5] = 1, where[k, right[0]]  # and the foot touches the other shin: no footing
        return rows

    take = played(clip, contacts=contacts)
    shin = ContactRecord.from_rows(take.contacts.frame, take.contacts.rows(), ("ground", "left_shin"))
    labels = take.with_(contacts=shin).as_clip().contacts.labels
    assert not labels[:6, right].any() and not labels[6:, left].any()
    if pitch:
        assert np.array_equal(np.flatnonzero(labels[8]), np.sort(balls)) and labels[:6, left].any(axis=1).all()
    else:
        assert labels[6:, right].all()


def test_pictures_of_a_take(tmp_path):
    take = played(poise.load_clip("walk").cut(0.0, 0.5))
    take.save(tmp_path / "take.png", frames=3)
    assert (tmp_path / "take.png").stat().st_size > 5000


def test_pictures_show_props_that_are_near_and_balls_once_they_are_thrown(tmp_path):
    walk = poise.load_clip("walk").cut(0.0, 0.5)
    stage = poise.Stage(props=[poise.Box("crate"), poise.Bar()], events=[poise.Ball(2.0, 0.2, 8.0, "chest")])
    recorder = Recorder(walk, method="kinematic", stage=stage)
    for k in range(len(walk)):
        ball = [-1.0, 0.0, 1.2 if k * walk.dt > 0.2 else 500.0, 1.0, 0.0, 0.0, 0.0]
        props = {"crate": np.array([0.3 + 0.01 * k, 0, 0.15, 1.0, 0, 0, 0]), "ball_0": np.array(ball)}
        recorder.frame(k * walk.dt, walk.q[k], walk.velocity[k], np.zeros(walk.velocity.shape[1]), props=props)
    take = recorder.finish()
    props = Props.of(take)
    assert props is not None and set(props.bodies) == {"crate", "ball_0"}  # of the bar nothing was recorded
    assert [bool(props.at("ball_0", np.array([t]))[1][0]) for t in (0.1, 0.4)] == [False, True]
    assert len(props.near(walk.q[0, :3], 0.1, 1.5).kind) == 1 and len(props.near(walk.q[0, :3], 0.1, 0.1).kind) == 0
    take.save(tmp_path / "with.png", frames=2)
    take.with_(props={}).save(tmp_path / "without.png", frames=2)
    assert (tmp_path / "with.png").read_bytes() != (tmp_path / "without.png").read_bytes()
    from html_page import recording

    take.save(tmp_path / "take.html")
    shown = recording((tmp_path / "take.html").read_text())
    props = [p["track"] for p in shown.about["parts"] if p["group"] == "prop"]
    crate, ball = min(props), max(props)
    assert shown.tables["places"][0, crate, 0] == pytest.approx(0.3, abs=1e-4)
    assert shown.tables["places"][-1, crate, 0] > 0.4
    assert not shown.tables["shown"][0, ball] and shown.tables["shown"][-1, ball]


def test_a_take_without_props_has_none_to_show():
    assert Props.of(played(poise.load_clip("stand").cut(0.0, 0.1))) is None

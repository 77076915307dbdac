"""A take goes back onto the skeleton of the file that its reference came from, with the contacts it really had."""

from __future__ import annotations

import export_samples
import numpy as np

import poise
from poise.motion.clip import Cycle
from poise.motion.formats import read
from poise.take import Recorder, Take


def played(clip, *, contacts=None, start: float = 0.0, frames: int | None = None) -> Take:
    """A take in which the clip's own frames were performed."""
    recorder = Recorder(clip, method="kinematic", start=start)
    for k in range(frames or len(clip)):
        rows = contacts(k) if contacts else None
        recorder.frame(k * clip.dt, clip.q[k % len(clip)], clip.velocity[k % len(clip)], np.zeros(clip.velocity.shape[1]), rows)
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


def test_labels_are_the_recorded_contacts():
    clip = poise.load_clip("stand").cut(0.0, 0.1)
    points, where = clip.character.contact_points, clip.character.points(clip.q)

    def contacts(k: int) -> np.ndarray:
        touching = [0, 3] if k < 6 else [5]
        rows = np.zeros((len(touching), 18))
        rows[:, 0] = points.bodies[touching]
        rows[:, 2:5] = where[k, touching] + [0.004, -0.003, 0.0]
        rows[:, 7] = rows[:, 10] = 1.0
        return rows

    labels = played(clip, contacts=contacts).as_clip().contacts.labels
    assert labels[:6, [0, 3]].all() and labels[:6].sum() == 12
    assert labels[6:, 5].all() and labels[6:].sum() == len(clip) - 6


def test_pictures_of_a_take(tmp_path):
    take = played(poise.load_clip("walk").cut(0.0, 0.5))
    take.save(tmp_path / "take.png", frames=3)
    assert (tmp_path / "take.png").stat().st_size > 5000

"""Takes: what is recorded comes back bit for bit, from memory, from a file, and after a crash or a full disk."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

import poise
from poise.dynamics import Wrench
from poise.errors import BadFile, BadValue, ClipMismatch
from poise.ground.slope import Slope
from poise.stage import Push, Stage
from poise.take import CONTACT_COLUMNS, ContactRecord, Recorder, Take, TakeInterrupted, WrenchRecord, columns, is_take
from poise.take import stream as take_stream
from poise.take.record import wrench_rows

ARRAYS = ("time", "q", "v", "torque", "q_ref", "v_ref", "scheduled")
RECORDS = ("contacts", "external", "assist")


@pytest.fixture(scope="module")
def clip():
    return poise.load_clip("walk")


def rows_of(rng, bodies: int, count: int) -> np.ndarray:
    rows = rng.normal(size=(count, sum(CONTACT_COLUMNS.values())))
    rows[:, 0], rows[:, 1] = rng.integers(1, bodies, count), rng.integers(0, 2, count)
    rows[:, 17] = rng.integers(0, 2, count)
    return rows


def fill(recorder: Recorder, frames: int, seed: int = 0) -> None:
    """Random but repeatable frames: contacts that come and go, a push, props, traces that begin late."""
    rng, model = np.random.default_rng(seed), recorder.character.model
    recorder.begin(others=("ground", "box"), labels=("push", "assist"), step=1 / 960)
    for k in range(frames):
        q, v = recorder.reference.clip.q[k % 50] + 0.0, rng.normal(size=model.nv)
        push = wrench_rows([Wrench(3, rng.normal(size=3), rng.normal(size=3))]) if 20 <= k < 30 else None
        traces = {"cost/total": float(k), "plan": rng.normal(size=(2, 3))} if k >= 5 and k % 3 else {"solved": 1.0}
        recorder.frame(k / 120, q, v, rng.normal(size=model.nv), rows_of(rng, model.nbody, k % 5), push, None,
                       {"box": rng.normal(size=7)}, traces)  # fmt: skip
        if k == 21:
            recorder.log(k / 120, "push", "the chest is pushed")


def same(a: Take, b: Take) -> None:
    for name in ARRAYS:
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    for kind in RECORDS:
        x, y = getattr(a, kind), getattr(b, kind)
        assert np.array_equal(x.frame, y.frame) and np.array_equal(x.rows(), y.rows()), kind
    for kind in ("props", "traces"):
        x, y = getattr(a, kind), getattr(b, kind)
        assert x.keys() == y.keys()
        assert all(np.array_equal(x[n], y[n], equal_nan=True) for n in x), kind
    assert a.contacts.others == b.contacts.others and a.external.labels == b.external.labels
    for name in ("method", "start", "step", "stage", "settings", "events", "seed", "versions"):
        assert getattr(a, name) == getattr(b, name), name


def test_tables_are_split_into_columns_and_joined_again():
    rows = rows_of(np.random.default_rng(1), 9, 40)
    record = ContactRecord.from_rows(np.repeat(np.arange(10), 4), rows, ("ground", "ground platform"))
    assert np.array_equal(record.rows(), rows)
    assert record.at(3) == slice(12, 16) and record.at(99) == slice(40, 40)
    assert record.on_ground().all() and record.bilateral.dtype == bool
    force, moment = record.total(10)
    k = record.at(7)
    assert np.allclose(force[7], record.force[k].sum(axis=0))
    assert np.allclose(moment[7], (record.moment[k] + np.cross(record.point[k], record.force[k])).sum(axis=0))
    with pytest.raises(BadValue, match="18 columns"):
        ContactRecord.from_rows(np.zeros(1), np.zeros((1, 17)))


def test_a_recorder_gives_back_what_it_was_told(clip):
    recorder = Recorder(clip, method="pd", stage=Stage(ground=Slope(5.0)), seed=7)
    fill(recorder, 700)  # more than every first capacity
    take = recorder.finish({"loop": 2.0})
    assert len(take) == 700 and take.method == "pd" and take.seed == 7
    assert len(take.contacts) == sum(k % 5 for k in range(700)) and len(take.external) == 10
    rng = np.random.default_rng(0)
    nv, nbody = clip.character.model.nv, clip.character.model.nbody
    v, torque = rng.normal(size=nv), rng.normal(size=nv)
    assert np.array_equal(take.v[0], v) and np.array_equal(take.torque[0], torque) and nbody
    cost = take.traces["cost/total"]
    assert np.isnan(cost[:5]).all() and cost[10] == 10.0 and np.isnan(cost[9])
    assert take.traces["plan"].shape == (700, 2, 3) and take.props["box"].shape == (700, 7)
    assert take.events[0].text == "the chest is pushed" and take.versions["poise"] == poise.__version__
    assert abs(take.realtime_factor - take.duration / 2.0) < 1e-12
    reference = poise.Reference(clip)
    for k in (0, 333, 699):
        sample = reference.sample(float(take.time[k]))
        assert np.array_equal(take.q_ref[k], sample.q) and np.array_equal(take.scheduled[k], sample.contacts)
    assert take.ground == Slope(5.0)


def test_arrays_cannot_be_changed_and_shapes_must_fit(clip):
    recorder = Recorder(clip)
    fill(recorder, 5)
    take = recorder.finish()
    for array in (take.q, take.torque, take.contacts.force, take.contacts.bilateral, take.traces["solved"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(ClipMismatch, match="needs v of shape"):
        take.with_(v=np.zeros((5, 3)))
    with pytest.raises(BadValue, match="at least one frame"):
        Recorder(clip).finish()
    with pytest.raises(BadValue, match="began with"):
        recorder.frame(1.0, take.q[0], take.v[0], take.v[0], traces={"plan": np.zeros(2), "solved": np.zeros(3)})


def test_a_saved_take_is_the_same_take(clip, tmp_path):
    stage = Stage(ground=Slope(5.0), events=[Push("chest", (0, 150, 0), at=0.2)])
    recorder = Recorder(clip, method="pd", stage=stage, settings={"gain": 3.0}, start=0.3, seed=3)
    fill(recorder, 60)
    take = recorder.finish({"loop": 0.5})
    take.save(tmp_path / "a.npz")
    again = Take.load(tmp_path / "a.npz")
    same(take, again)
    assert again.timings == take.timings and again.ground == take.ground
    assert again.character.xml == take.character.xml and np.array_equal(again.clip.q, clip.q)
    assert again.stage["events"][0]["kind"] == "Push" and again.stage["events"][0]["force"] == [0.0, 150.0, 0.0]
    assert is_take(tmp_path / "a.npz") and not is_take(tmp_path / "missing.npz")
    with zipfile.ZipFile(tmp_path / "a.npz") as archive, np.load(tmp_path / "a.npz", allow_pickle=False) as plain:
        members = [m.removesuffix(".npy") for m in archive.namelist() if m.endswith(".npy")]
        assert {plain[m].dtype for m in members} <= {np.dtype(t) for t in ("f8", "i8", "?")}
        assert {"contacts.force", "external.point", "torque", "clip.q"} <= set(members)


def test_a_file_that_is_not_a_take_gets_one_sentence(clip, tmp_path):
    recorder = Recorder(clip)
    fill(recorder, 8)
    path = tmp_path / "a.npz"
    recorder.finish().save(path)
    data = path.read_bytes()
    clip.save(tmp_path / "clip.npz")
    with pytest.raises(BadFile, match="load_clip"):
        Take.load(tmp_path / "clip.npz")
    assert not is_take(tmp_path / "clip.npz")
    for cut in (0, 10, len(data) // 2, len(data) - 5):
        path.write_bytes(data[:cut])
        with pytest.raises(BadFile):
            Take.load(path)
    with pytest.raises(BadFile, match="no such file"):
        Take.load(tmp_path / "b.npz")


def test_streamed_to_disk_it_is_the_same_take(clip, tmp_path):
    plain, streamed = Recorder(clip, seed=1), Recorder(clip, seed=1, path=tmp_path / "t.npz", chunk=40)
    for recorder in (plain, streamed):
        fill(recorder, 130)
    assert [p.name for p in tmp_path.iterdir()] == ["t.npz.frames"]
    take = streamed.finish({"loop": 1.0})
    same(plain.finish(), take)
    same(take, Take.load(tmp_path / "t.npz"))
    assert [p.name for p in tmp_path.iterdir()] == ["t.npz"]  # nothing is left over
    with pytest.raises(BadValue, match=r"ending in \.npz"):
        Recorder(clip, path=tmp_path / "t.bvh")
    with pytest.raises(BadFile, match="exist"):
        Recorder(clip, path=tmp_path / "no" / "t.npz")
    short = Recorder(clip, path=tmp_path / "short.npz")  # a run shorter than a chunk, and one that never begins
    fill(short, 8)
    Recorder(clip, path=tmp_path / "never.npz")
    same(short.finish(), Take.load(tmp_path / "short.npz"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["short.npz", "t.npz"]


def test_a_killed_recording_keeps_what_was_flushed(clip, tmp_path):
    """A process is killed while it records; all but the last chunk can be loaded, bit for bit."""
    here = Path(__file__).parent
    code = (
        f"import sys, time; sys.path.insert(0, {str(here)!r})\n"
        "import poise; from poise.take import Recorder; from test_take_record import fill\n"
        f"r = Recorder(poise.load_clip('walk'), method='pd', path={str(tmp_path / 't.npz')!r}, chunk=40)\n"
        "fill(r, 139); print('flushed', flush=True); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline().strip() == b"flushed"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    take = Take.recover(tmp_path / "t.npz")
    assert len(take) == 120 and take.method == "pd"
    whole = Recorder(clip, method="pd")
    fill(whole, 139)
    same(whole.finish().cut(0.0, 119 / 120), take)
    take.save(tmp_path / "t.npz")
    same(take, Take.load(tmp_path / "t.npz"))
    with pytest.raises(BadFile, match="no unfinished recording"):
        Take.recover(tmp_path / "other.npz")


@pytest.mark.parametrize("call", range(0, 18, 3))
def test_a_full_disk_loses_nothing(clip, tmp_path, monkeypatch, call):
    """Whichever write of the second flush fails, and however late in it, the frames before are safe and whole."""
    recorder = Recorder(clip, path=tmp_path / "t.npz", chunk=40)
    real, count = os.write, [0]

    def limited(descriptor, data):
        if recorder.frames > 41:
            count[0] += 1
            if count[0] > call // 2:
                if call % 2 and count[0] == call // 2 + 1:
                    return real(descriptor, data[: len(data) // 2 - 3])  # the last bytes that fit
                raise OSError(errno.ENOSPC, "No space left on device")
        return real(descriptor, data)

    monkeypatch.setattr(columns.os, "write", limited)
    with pytest.raises(TakeInterrupted, match="the disk is full; the 40 frames before are safe") as caught:
        fill(recorder, 100)
    monkeypatch.undo()
    plain = Recorder(clip)
    fill(plain, 80)
    same(caught.value.take.with_(start=0.0), plain.finish())  # the error itself holds everything, also the last chunk
    recovered = Take.recover(tmp_path / "t.npz")
    assert len(recovered) == 40
    assert np.array_equal(recovered.q, caught.value.take.q[:40])
    assert np.array_equal(recovered.contacts.rows(), caught.value.take.cut(0.0, 39 / 120).contacts.rows())


@pytest.mark.parametrize("kept", [0, 1])
def test_a_disk_that_is_full_from_the_first_frame_on(clip, tmp_path, monkeypatch, kept):
    """What is said to be safe can be recovered; where nothing is, that is said, and no empty folder is left."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(take_stream, "reserve" if kept else "write_index", full)
    told = "the disk is full; the 1 frame before is safe there and loads" if kept else "full; nothing was recorded"
    recorder = Recorder(clip, path=tmp_path / "t.npz", chunk=40)
    with pytest.raises(TakeInterrupted, match=told) as caught:
        fill(recorder, 100)
    monkeypatch.undo()
    assert len(caught.value.take) == 1
    if kept:
        assert len(Take.recover(tmp_path / "t.npz")) == 1
    else:
        assert not list(tmp_path.iterdir())
    recorder.finish()  # there is room again
    assert len(Take.load(tmp_path / "t.npz")) == 1


@pytest.mark.skipif(not sys.platform.startswith("linux") or os.getuid() != 0, reason="mounts a tiny disk: needs root")
def test_a_really_full_disk(clip, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=700k", "tmpfs", disk], capture_output=True)
    if mounted.returncode:
        pytest.skip("a tiny disk cannot be mounted here")
    try:
        recorder = Recorder(clip, path=disk / "t.npz", chunk=40)
        with pytest.raises(TakeInterrupted, match="the disk is full"):
            fill(recorder, 2000)
        recovered = Take.recover(disk / "t.npz")
        plain = Recorder(clip)
        fill(plain, len(recovered))
        assert 100 < len(recovered) < 2000
        assert np.array_equal(plain.finish().contacts.rows(), recovered.contacts.rows())
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_frame_costs_microseconds(clip):
    recorder = Recorder(clip)
    model, q = clip.character.model, clip.q[0].copy()
    v, rows = np.zeros(model.nv), rows_of(np.random.default_rng(0), model.nbody, 8)
    best = np.inf
    for _ in range(10):
        begun = time.process_time()
        for k in range(300):
            recorder.frame(k / 120, q, v, v, rows, None, None, {"box": q[:7]}, {"cost": 1.0})
        best = min(best, (time.process_time() - begun) / 300)
    assert best < 25e-6  # 5 % of eight steps of a humanoid on the ground, on a slow machine


def test_wrench_rows_carry_labels():
    rows = wrench_rows([Wrench(2, np.ones(3), np.arange(3.0), np.full(3, 2.0)), Wrench(1, np.zeros(3), np.ones(3))], 1)
    record = WrenchRecord.from_rows(np.array([0, 0]), rows, ("push", "wind"))
    assert record.body.tolist() == [2, 1] and [record.labels[k] for k in record.label] == ["wind", "wind"]
    assert record.moment[0].tolist() == [2.0, 2.0, 2.0] and record.moment[1].tolist() == [0.0, 0.0, 0.0]

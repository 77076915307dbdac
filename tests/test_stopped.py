"""A performance that is stopped, killed or has no room any more keeps every frame that it has."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import poise
from cli_files import done, names, refused
from poise.cli import saving
from poise.performance.perform import _interrupt
from poise.take import Recorder, Take, TakeInterrupted, columns, stream

posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
CLIP = poise.load_clip("stand")
NV = CLIP.character.model.nv


def fill(recorder: Recorder, frames: int) -> None:
    for k in range(frames):
        contacts = np.zeros((2, 18))
        contacts[:, 0], contacts[:, 2] = 1, k
        recorder.frame(k / 120, CLIP.q[0], np.full(NV, k), np.zeros(NV), contacts, traces={"cost": float(k)})


def begun(folder: Path, *words: str) -> subprocess.Popen[str]:
    """`poise perform` of a stand for an hour, once some frames are on the disk."""
    command = [sys.executable, "-m", "poise", "perform", "stand", "--method", "kinematic", "--seconds", "3600", *words]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    raw, end = folder / "x.npz.frames" / "time.raw", time.monotonic() + 120
    while process.poll() is None and time.monotonic() < end:
        if raw.exists() and raw.stat().st_size >= 8 * 1200:
            return process
        time.sleep(0.02)
    process.kill()
    pytest.fail(f"nothing was recorded: {process.communicate()}")


def answered(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What it printed by its end; it is killed where that does not come."""
    try:
        return process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        process.kill()
        raise


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_performance_that_is_stopped_is_written_whole(tmp_path, number):
    process = begun(tmp_path, "--save", "x.npz", "--save", "x.bvh", "--save", "x.mp4")
    process.send_signal(number)
    out, said = answered(process)
    assert process.returncode == 130 and out == "" and "Traceback" not in said
    take = Take.load(tmp_path / "x.npz")
    assert take.ended == "stopped" and len(take) >= 1200
    span = f"{take.time[-1]:.2f} s ({len(take)} frames)"
    assert said == f"poise: Stopped after {span}, which x.npz and x.bvh hold; not written: x.mp4.\n"
    assert len(poise.load_clip(tmp_path / "x.bvh")) == len(take)
    assert names(tmp_path) == ["x.bvh", "x.licence.txt", "x.npz"]


@posix
def test_a_killed_performance_is_recovered_and_not_run_over(tmp_path, capsys, monkeypatch):
    process = begun(tmp_path, "--save", "x.npz")
    monkeypatch.chdir(tmp_path)
    again = ["perform", "stand", "--method", "kinematic", "--seconds", "0.1", "--save", "x.npz"]
    assert "is being recorded to it just now (x.npz.frames)" in refused(capsys, *again, "--force")
    assert "still being recorded" in refused(capsys, "recover", "x.npz")
    process.kill()
    process.communicate()
    assert names(tmp_path) == ["x.npz.frames"]
    said = refused(capsys, *again)
    assert "x.npz.frames" in said and "poise recover x.npz" in said and "--force" in said
    shutil.copytree(tmp_path / "x.npz.frames", tmp_path / "kept")
    done(capsys, *again, "--force")  # goes on beside them
    assert Take.recover(tmp_path / "x.npz.frames").time[-1] > 9.0
    assert "exists already" in refused(capsys, "recover", "x.npz")
    told = json.loads(done(capsys, "recover", "x.npz", "--save", "y.npz", "--json"))
    take = Take.load("y.npz")
    assert told["frames"] == len(take) >= 1200 and take.ended == "stopped"
    same = Take.recover(tmp_path / "kept")
    assert np.array_equal(take.q, same.q) and np.array_equal(take.v, same.v)
    assert names(tmp_path) == ["kept", "x.npz", "y.npz"]
    assert "no unfinished recording" in refused(capsys, "recover", "x.npz", "--force")


@pytest.mark.parametrize("at", range(0, 60, 7))
def test_an_interrupt_in_the_midst_of_a_frame_leaves_whole_frames(tmp_path, monkeypatch, at):
    recorder, real, count = Recorder(CLIP, path=tmp_path / "x.npz", chunk=10), columns.Column.row, [0]

    def interrupted(self, values):
        count[0] += 1
        if count[0] == 100 + at:
            raise KeyboardInterrupt
        real(self, values)

    monkeypatch.setattr(columns.Column, "row", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fill(recorder, 100)
    monkeypatch.undo()
    take = recorder.finish(ended=recorder.stopped("it was interrupted"))
    assert np.array_equal(take.v[:, 0], np.arange(len(take))) and take.ended.time == take.time[-1]
    assert np.array_equal(take.contacts.frame, np.repeat(np.arange(len(take)), 2))
    assert np.array_equal(take.traces["cost"], np.arange(len(take)))
    assert np.array_equal(Take.load(tmp_path / "x.npz").v, take.v) and names(tmp_path) == ["x.npz"]


def test_an_interrupt_while_rows_are_written_does_not_write_them_twice(tmp_path, monkeypatch):
    recorder, real, count = Recorder(CLIP, path=tmp_path / "x.npz", chunk=10), os.write, [0]

    def interrupted(descriptor, data):
        done = real(descriptor, data)
        count[0] += 1
        if count[0] == 12:
            raise KeyboardInterrupt  # the bytes are in the file, and nobody knows
        return done

    monkeypatch.setattr(columns.os, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fill(recorder, 100)
    monkeypatch.undo()
    take = recorder.finish()
    assert np.array_equal(take.v[:, 0], np.arange(len(take))) and len(take) >= 10
    assert np.array_equal(take.contacts.frame, np.repeat(np.arange(len(take)), 2))


def test_an_interrupt_inside_a_kernel_is_one():
    try:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as stop:
            raise SystemError("returned a result with an exception set") from stop
    except SystemError as error:
        assert isinstance(_interrupt(error), KeyboardInterrupt)
    assert _interrupt(SystemError("another")) is None


def test_who_stops_the_writing_of_a_whole_performance_gets_a_whole_one(tmp_path, monkeypatch):
    recorder, real = Recorder(CLIP, path=tmp_path / "x.npz", chunk=10), os.replace

    def interrupted(source, target):
        if str(target).endswith("x.npz"):
            raise KeyboardInterrupt
        real(source, target)

    fill(recorder, 35)
    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        recorder.finish()
    assert len(Take.recover(tmp_path / "x.npz")) == 35  # a second interrupt would leave these
    assert "poise recover" in saving.save_stopped(None, [], str(tmp_path / "x.npz"), False)
    monkeypatch.undo()
    assert recorder.finish(ended=recorder.stopped("it was interrupted")).ended == "whole"
    assert names(tmp_path) == ["x.npz"]


def test_a_disk_that_is_full_at_the_very_end_loses_no_frame(tmp_path, monkeypatch):
    recorder = Recorder(CLIP, path=tmp_path / "x.npz", chunk=40)
    fill(recorder, 130)

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(TakeInterrupted, match=r"disk is full; all 130 frames are safe in x\.npz\.frames") as caught:
        recorder.finish()
    monkeypatch.undo()
    assert len(caught.value.take) == 130
    take = Take.recover(tmp_path / "x.npz")
    assert np.array_equal(take.v[:, 0], np.arange(130)) and names(tmp_path) == ["x.npz.frames"]
    assert not stream.under_way(tmp_path / "x.npz.frames")


@pytest.mark.skipif(not sys.platform.startswith("linux") or os.getuid() != 0, reason="mounts a tiny disk: needs root")
def test_a_disk_that_others_fill_loses_no_frame(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("a tiny disk cannot be mounted here")
    try:
        recorder = Recorder(CLIP, path=disk / "x.npz", chunk=100)
        fill(recorder, 150)
        with (disk / "of someone else").open("wb", buffering=0) as other, pytest.raises(OSError, match="space"):
            while True:
                other.write(bytes(4096))
        with pytest.raises(TakeInterrupted, match="150 frames"):
            recorder.finish()  # the last 50 go into the room that was kept for them
        assert np.array_equal(Take.recover(disk / "x.npz").v[:, 0], np.arange(150))
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_file_that_came_meanwhile_is_left_alone(tmp_path):
    recorder = Recorder(CLIP, path=tmp_path / "x.npz", chunk=10, overwrite=False)
    fill(recorder, 12)
    (tmp_path / "x.npz").write_text("of someone else")
    with pytest.raises(TakeInterrupted, match=r"exists already.*12 frames are safe"):
        recorder.finish()
    assert (tmp_path / "x.npz").read_text() == "of someone else" and len(Take.recover(tmp_path / "x.npz.frames")) == 12


def test_names_with_signs_of_patterns(tmp_path):
    recorder = Recorder(CLIP, path=tmp_path / "a[1]*.npz", chunk=10)
    fill(recorder, 12)
    assert [f.name for f in stream.unfinished(tmp_path / "a[1]*.npz")] == ["a[1]*.npz.frames"]
    assert stream.unfinished(tmp_path / "a1.npz") == []
    assert stream.meant_for(tmp_path / "a[1]*.npz.frames-12") == tmp_path / "a[1]*.npz"

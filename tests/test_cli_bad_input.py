"""Whatever is given to the command, it answers with one sentence and exit code 2, and leaves nothing half-written."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

import cli_files
from cli_files import done, names, refused
from poise.cli.main import main

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("what", cli_files.BROKEN)
def test_a_broken_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str) -> None:
    (tmp_path / "a.bvh").write_bytes(cli_files.broken(what))
    for words in (["check", tmp_path / "a.bvh"], ["convert", tmp_path / "a.bvh", tmp_path / "b.glb"]):
        said = refused(capsys, *words)
        assert "a.bvh" in said
    assert names(tmp_path) == ["a.bvh"]


@pytest.mark.parametrize(
    ("what", "words"),
    {
        "cut in a number": "cut short in frame",
        "cut between numbers": "cut short in frame",
        "a channel too few": "frames have .* numbers, but its joints declare",
        "nan": "frame 4 .*'nan' is not a number",
        "zero frames": "holds no frames",
        "unknown joints": "No body was recognised.*left_thigh.*--role",
        "empty": "empty",
    }.items(),
)
def test_the_sentence_says_what_is_wrong(tmp_path, capsys, what: str, words: str) -> None:
    import re

    (tmp_path / "a.bvh").write_bytes(cli_files.broken(what))
    assert re.search(words, refused(capsys, "check", tmp_path / "a.bvh"))


@pytest.mark.parametrize("ending", ["bvh", "fbx", "npz", "txt", "json", "amc", "asf", "docx", ""])
@pytest.mark.parametrize("content", ["binary", "empty", "prose"])
def test_no_motion_under_any_ending(tmp_path, capsys, ending: str, content: str) -> None:
    path = tmp_path / ("a." + ending).rstrip(".")
    path.write_bytes(cli_files.broken(content))
    assert path.name in refused(capsys, "check", path)


def test_places_that_hold_no_file(tmp_path, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    cli_files.walk(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert "Did you mean walk.bvh?" in refused(capsys, "check", "wlak.bvh")
    assert "folder" in refused(capsys, "check", tmp_path)
    assert "Did you mean 'walk'?" in refused(capsys, "check", "wlak")
    (tmp_path / "dance.bvh").write_bytes((tmp_path / "walk.bvh").read_bytes())
    assert "Did you mean dance.bvh?" in refused(capsys, "check", "dance")
    assert "folder" in refused(capsys, "check", "nowhere/walk.bvh")
    assert "too long" in refused(capsys, "check", "a" * 300 + ".bvh")
    assert "empty" in refused(capsys, "check", "")
    refused(capsys, "check", "a\0b.bvh")
    refused(capsys, "check", os.devnull)
    refused(capsys, "check", "walk.bvh/inside.bvh")


def test_one_bad_file_among_many(tmp_path, capsys) -> None:
    cli_files.walk(tmp_path)
    code = main(["check", str(tmp_path / "walk.bvh"), "stand", str(tmp_path / "none.bvh")])
    out, err = capsys.readouterr()
    assert code == 2 and "none.bvh: there is no such file" in err
    assert len([line for line in out.splitlines() if line.startswith(("walk.bvh", "stand"))]) == 2


READING = ["--unit banana", "--unit 0", "--unit -1", "--unit nan", "--unit 1e9", "--unit 0.000001", "--up w", "--fps 0",
           "--fps -1", "--fps nan", "--fps inf", "--fps x", "--weight -5", "--weight 0", "--weight nan",
           "--role nonsense", "--role nonsense=pelvis", "--role left_thigh=Nobody", "--role =x", "--role left_thigh=",
           "--role left_thigh=pelvis", "--nonsense", "--fps"]  # fmt: skip
EDITS = ["--cut 5:1", "--cut 1", "--cut a:b", "--cut nan:1", "--cut 0:inf", "--cut 90:99", "--speed 0", "--speed -1",
         "--speed nan", "--speed 1e9", "--stairs 0x0", "--stairs 0.15", "--stairs axb", "--stairs 1x1",
         "--stairs nanx1", "--slope 90", "--slope nan", "--slope 59", "--slope x", "--repeat 0", "--repeat 2",
         "--loop --repeat 0", "--loop --repeat -3", "--loop --repeat 1.5", "--loop --repeat 1000000000", "--stride -1",
         "--stride nan", "--stride 100", "--resample 0", "--resample -1", "--resample nan", "--resample 1e9",
         "--cut 0:0 --loop", "--cut 0:0.01 --stairs 0.15x0.3", "--cut 0:0.01 --stride 1.1"]  # fmt: skip


@pytest.mark.parametrize("options", READING)
def test_options_of_reading(tmp_path, capsys, options: str) -> None:
    refused(capsys, "check", cli_files.walk(tmp_path), *options.split())


@pytest.mark.parametrize("options", EDITS)
def test_options_of_editing(tmp_path, capsys, options: str) -> None:
    refused(capsys, "convert", cli_files.walk(tmp_path), tmp_path / "out.bvh", *options.split())
    assert names(tmp_path) == ["walk.bvh"]


@pytest.mark.parametrize("option", ["--unit cm", "--up y", "--fps 60", "--weight 80", "--role left_thigh=x"])
def test_what_is_built_in_cannot_be_read_otherwise(capsys, option: str) -> None:
    assert "is for recordings" in refused(capsys, "check", "walk", *option.split())


@pytest.mark.parametrize(
    "words",
    ["chek walk", "check", "convert walk", "convert walk a.bvh b.bvh", "retarget walk human43 out.bvh",
     "retarget walk nobody.xml out.bvh", "retarget walk nobody.bvh out.bvh", "completion tcsh", "cite modl",
     "check walk --json=yes", "--nonsense", "bench --clip nothing.bvh", "audit nothing.npz",
     "perform walk --method none", "perform walk --push nose", "perform walk --push nose:0,1,0@1+1",
     "perform walk --ground moon", "perform walk --seconds 0", "perform walk --start nan", "perform walk --noise -1",
     "perform walk --seed -1 --noise 1", "perform walk --set nothing=1", "perform walk --ball head:2kg",
     "perform walk --save out.xyz"],
)  # fmt: skip
def test_words_without_a_meaning(tmp_path, capsys, monkeypatch, words: str) -> None:
    monkeypatch.chdir(tmp_path)
    refused(capsys, *words.split())
    assert names(tmp_path) == []


def test_a_character_file_that_is_none(tmp_path, capsys) -> None:
    for name, text in (("a.xml", "<mujoco>"), ("b.urdf", "no xml"), ("c.xml", "<html/>"), ("d.mjcf", "")):
        (tmp_path / name).write_text(text)
        assert name in refused(capsys, "retarget", "walk", tmp_path / name, tmp_path / "out.bvh")


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_a_few_frames_are_a_motion(tmp_path, capsys, count: int) -> None:
    path = tmp_path / "short.bvh"
    path.write_bytes(cli_files.motion(cli_files.rows()[:count]))
    done(capsys, "check", path)
    for ending in ("bvh", "glb", "usda", "npz"):
        done(capsys, "convert", path, tmp_path / f"out.{ending}", "--mirror")


@pytest.mark.parametrize(("step", "time"), [(12, b"0.1"), (1, b"0.001")])
def test_odd_frame_rates(tmp_path, capsys, step: int, time: bytes) -> None:
    path = tmp_path / "odd.bvh"
    path.write_bytes(cli_files.motion(cli_files.rows()[::step], time=time))
    done(capsys, "check", path)
    done(capsys, "convert", path, tmp_path / "out.bvh", "--slope", "4", "--resample", "30")


def test_a_gigabyte_of_noise(tmp_path, capsys) -> None:
    """Answered at once: only the beginning of a file is read before it is known what it is."""
    piece = os.urandom(1 << 20)
    starts = {"a.bvh": b"", "b.bvh": cli_files.header(), "c.bvh": b"HIERARCHY\n", "d.npz": b"PK\x03\x04", "g": b"",
              "e.txt": b'{"Frames": [', "f.fbx": b"Kaydara FBX Binary  \0\x1a\0"}  # fmt: skip
    for name, start in starts.items():
        with (tmp_path / name).open("wb") as stream:
            stream.write(start + piece)
            stream.truncate(1_000_000_000)  # the rest is zeros, which take no space
        begun = time.monotonic()
        assert name in refused(capsys, "check", tmp_path / name)
        assert time.monotonic() - begun < 8.0
        (tmp_path / name).unlink()

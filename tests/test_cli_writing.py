"""What the command writes: every ending, every edit, every place; whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import character_files
import cli_files
import poise
from cli_files import done, names, refused
from poise.export import WRITERS

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("ending", sorted(WRITERS))
def test_every_ending(tmp_path, capsys, ending: str) -> None:
    walk = cli_files.walk(tmp_path)
    told = json.loads(done(capsys, "convert", walk, tmp_path / f"out{ending}", "--cut", "0:0.1", "--json"))
    assert told["written"].endswith(ending) and told["frames"] == 13
    assert (tmp_path / f"out{ending}").stat().st_size > 1000
    assert set(names(tmp_path)) <= {"walk.bvh", f"out{ending}", "out.licence.txt"}


EDITS = {
    "--loop": lambda a, b: b.duration < 0.7 * a.duration,
    "--loop --repeat 3": lambda a, b: b.duration > 1.2 * a.duration,
    "--mirror": lambda a, b: np.allclose(b.q[:, 1], -a.q[:, 1], atol=0.02),
    "--speed 2": lambda a, b: abs(b.duration - 0.5 * a.duration) < 0.02,
    "--stride 0.8": lambda a, b: np.ptp(b.q[:, 0]) < 0.85 * np.ptp(a.q[:, 0]),
    "--slope 6": lambda a, b: b.q[-1, 2] > a.q[-1, 2] + 0.1,
    "--slope -6": lambda a, b: b.q[-1, 2] < a.q[-1, 2] - 0.1,
    "--stairs 0.15x0.3": lambda a, b: b.q[-1, 2] > a.q[-1, 2] + 0.3,
    "--stairs -0.15x0.3": lambda a, b: b.q[-1, 2] < a.q[-1, 2] - 0.3,
    "--cut 0.5:1.0": lambda a, b: abs(b.duration - 0.5) < 0.01,
    "--cut 0.5:": lambda a, b: abs(b.duration - a.duration + 0.5) < 0.01,
    "--cut :0.5": lambda a, b: abs(b.duration - 0.5) < 0.01,
    "--resample 30": lambda a, b: abs(b.fps - 30) < 0.1,
    "--level": lambda a, b: len(b) == len(a),
    "--cut 0.2:2 --loop --repeat 2 --mirror --speed 1.2 --stride 0.9 --slope 4 --resample 60 --level": (
        lambda a, b: abs(b.fps - 60) < 0.1
    ),
}


@pytest.mark.parametrize("options", EDITS)
def test_every_edit(tmp_path, capsys, options: str) -> None:
    walk = cli_files.walk(tmp_path)
    done(capsys, "convert", walk, tmp_path / "out.npz", *options.split())
    assert EDITS[options](poise.load_clip(walk), poise.load_clip(tmp_path / "out.npz"))


def test_retargeting_onto_whatever_holds_a_body(tmp_path, capsys) -> None:
    walk = cli_files.walk(tmp_path)
    (tmp_path / "figure.xml").write_text(poise.load_character("human45").xml.replace('"left_', '"izq_'))
    (tmp_path / "robot.urdf").write_text(character_files.urdf())
    poise.load_clip("stand").retarget(poise.load_character("human57")).save(tmp_path / "other.bvh")
    for body in ("human57", tmp_path / "figure.xml", tmp_path / "robot.urdf", tmp_path / "other.bvh"):
        told = json.loads(done(capsys, "retarget", walk, body, tmp_path / "out.bvh", "--json", "--force"))
        assert told["penetration"] < 0.01
        assert told["character"] == Path(body).stem
        assert len(poise.load_clip(tmp_path / "out.bvh")) == told["frames"]
    given = [f"--body-role=left_{part}=izq_{part}" for part in ("thigh", "shin", "foot")]
    done(capsys, "retarget", walk, tmp_path / "figure.xml", tmp_path / "out.bvh", "--force", *given)
    assert "izq_hoof" in refused(capsys, "retarget", walk, tmp_path / "figure.xml", tmp_path / "new.bvh",
                                 "--body-role=left_foot=izq_hoof")  # fmt: skip


def test_a_saved_take_is_a_motion_too(tmp_path, capsys) -> None:
    done(capsys, "perform", "stand", "--method", "kinematic", "--seconds", "0.2", "--save", tmp_path / "take.npz")
    told = json.loads(done(capsys, "convert", tmp_path / "take.npz", tmp_path / "out.bvh", "--json"))
    assert told["frames"] == 25 and told["character"] == "human42"
    assert json.loads(done(capsys, "check", tmp_path / "take.npz", "--json"))["frames"] == 25


PLACES = ["folder", "folder.bvh", "folder/", "none/out.bvh", "out.xyz", "out", "out.", ".bvh", "", "walk.bvh/out.bvh",
          "a" * 300 + ".bvh", "a" * 250 + ".bvh", "a\0.bvh", "out.fbx", os.devnull]  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_places_that_cannot_be_written(tmp_path, capsys, monkeypatch, place: str) -> None:
    monkeypatch.chdir(tmp_path)
    cli_files.walk(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder.bvh").mkdir()
    said = refused(capsys, "convert", "stand", place)
    assert ("folder" in said) == place.startswith(("folder", "none", "walk.bvh"))
    refused(capsys, "retarget", "stand", "human57", place)
    assert names(tmp_path) == ["folder", "folder.bvh", "walk.bvh"]
    assert not names(tmp_path / "folder") and not names(tmp_path / "folder.bvh")


@contextmanager
def mounted(folder: Path, options: str) -> Iterator[Path]:
    """A small file system of its own, or a skip where that is not allowed."""
    import subprocess

    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None or subprocess.run([mount, "-t", "tmpfs", "-o", options, "tmpfs", str(folder)],
                                       capture_output=True).returncode:  # fmt: skip
        pytest.skip("file systems cannot be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_read_only_mount(tmp_path, capsys) -> None:
    with mounted(tmp_path / "disk", "ro") as disk:
        for ending in WRITERS:
            assert "read-only" in refused(capsys, "convert", "stand", disk / f"out{ending}")


@pytest.mark.parametrize("ending", sorted(WRITERS))
def test_a_full_disk(tmp_path, capsys, ending: str) -> None:
    with mounted(tmp_path / "disk", "size=16k") as disk:
        assert "disk is full" in refused(capsys, "convert", cli_files.walk(tmp_path), disk / f"out{ending}",
                                         "--cut", "0:0.3")  # fmt: skip
        assert names(disk) == []


def test_a_write_that_fails_leaves_the_old_file(tmp_path, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for ending in (".bvh", ".glb", ".npz", ".usda", ".png"):
        (tmp_path / f"out{ending}").write_text("old")
        assert "disk is full" in refused(capsys, "convert", "walk", tmp_path / f"out{ending}", "--force")
        assert (tmp_path / f"out{ending}").read_text() == "old"
        (tmp_path / f"out{ending}").unlink()
    assert names(tmp_path) == []


def test_a_file_may_be_written_over_itself_by_force(tmp_path, capsys) -> None:
    walk = cli_files.walk(tmp_path)
    before = poise.load_clip(walk)
    done(capsys, "convert", walk, walk, "--mirror", "--force")
    done(capsys, "convert", walk, walk, "--mirror", "--force")
    after = poise.load_clip(walk)
    assert np.allclose(before.character.forward(before.q)[0], after.character.forward(after.q)[0], atol=0.01)
    bad = tmp_path / "bad.bvh"
    bad.write_bytes(cli_files.broken("nan"))
    refused(capsys, "convert", bad, bad, "--force")
    assert bad.read_bytes() == cli_files.broken("nan")


def test_links_and_devices(tmp_path, capsys) -> None:
    (tmp_path / "link.bvh").symlink_to("real.bvh")
    done(capsys, "convert", "stand", tmp_path / "link.bvh")
    assert (tmp_path / "link.bvh").is_symlink() and (tmp_path / "real.bvh").stat().st_size > 1000
    (tmp_path / "nowhere.bvh").symlink_to(tmp_path / "none" / "a.bvh")
    assert "none does not exist" in refused(capsys, "convert", "stand", tmp_path / "nowhere.bvh")
    (tmp_path / "a.bvh").symlink_to("b.bvh")
    (tmp_path / "b.bvh").symlink_to("a.bvh")
    assert "circle" in refused(capsys, "convert", "stand", tmp_path / "a.bvh")
    assert "circle" in refused(capsys, "check", tmp_path / "a.bvh")
    if os.path.exists("/dev/null"):
        (tmp_path / "null.glb").symlink_to("/dev/null")
        done(capsys, "convert", "stand", tmp_path / "null.glb")
        assert (tmp_path / "null.glb").is_symlink()


@pytest.mark.parametrize("name", ["日本 ünï", "a b'c\"d", "<b>&amp;", "%s{0}$HOME", os.fsdecode(b"caf\xe9\xff")])
@pytest.mark.parametrize("ending", [".bvh", ".glb", ".usda", ".npz", ".html", ".png", ".mp4"])
def test_names_of_any_kind(tmp_path, capsys, name: str, ending: str) -> None:
    try:
        walk = cli_files.walk(tmp_path, name + ".bvh")
    except (OSError, UnicodeEncodeError):
        pytest.skip("this file system does not take such a name")
    done(capsys, "check", walk, "--json")
    done(capsys, "convert", walk, tmp_path / f"{name} 2{ending}", "--cut", "0:0.05")
    assert (tmp_path / f"{name} 2{ending}").stat().st_size > 1000

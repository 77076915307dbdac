"""Files are whole or not there, and every refusal is one sentence."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from poise import files
from poise.errors import BadFile


def names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def test_writing_leaves_the_file_and_nothing_else(tmp_path: Path) -> None:
    with files.writing(tmp_path / "a.bvh") as temporary:
        assert temporary.parent == tmp_path and temporary.suffix == ".bvh"
        temporary.write_text("hello")
        assert not (tmp_path / "a.bvh").exists()
    assert (tmp_path / "a.bvh").read_text() == "hello" and names(tmp_path) == ["a.bvh"]


def test_a_failure_leaves_the_old_file_as_it_was(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    with pytest.raises(RuntimeError), files.writing(target) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    with pytest.raises(KeyboardInterrupt), files.writing(target) as temporary:
        raise KeyboardInterrupt
    assert target.read_text() == "old" and names(tmp_path) == ["a.txt"]


def test_a_library_may_replace_the_temporary_file(tmp_path: Path) -> None:
    with files.writing(tmp_path / "a.txt") as temporary:
        temporary.unlink()
        temporary.write_bytes(b"new")
    assert (tmp_path / "a.txt").read_bytes() == b"new"


def test_permissions_and_links_survive(tmp_path: Path) -> None:
    real = tmp_path / "real.txt"
    real.write_text("old")
    real.chmod(0o640)
    link = tmp_path / "link.txt"
    link.symlink_to(real)
    with files.writing(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink() and real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    with files.writing(tmp_path / "fresh.txt") as temporary:
        temporary.write_text("x")
    (tmp_path / "plain.txt").write_text("x")
    assert (tmp_path / "fresh.txt").stat().st_mode == (tmp_path / "plain.txt").stat().st_mode


@pytest.mark.parametrize(
    ("name", "words"),
    [("", "folder"), ("new/", "folder"), ("no/such/a.txt", "does not exist"), ("n" * 300, "too long"),
     ("a.txt/b.txt", "not a folder"), ("a\0b", "not the name of a file")],
)  # fmt: skip
def test_places_that_cannot_be_written(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(BadFile, match=words) as caught, files.writing(f"{tmp_path}/{name}"):
        pytest.fail("the block must not run")
    assert "\n" not in str(caught.value) and names(tmp_path) == ["a.txt"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_full_disk_is_one_sentence() -> None:
    with pytest.raises(BadFile, match="the disk is full"), files.writing("/dev/full") as temporary:
        temporary.write_text("x")
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no /proc on this system")
def test_a_place_that_refuses_even_root() -> None:
    with pytest.raises(BadFile, match="cannot be written"), files.writing("/proc/poise.txt"):
        pytest.fail("the block must not run")


def test_errors_of_the_system_inside_the_block_become_sentences(tmp_path: Path) -> None:
    for number, words in ((28, "disk is full"), (30, "read-only"), (13, "permission")):
        with pytest.raises(BadFile, match=words), files.writing(tmp_path / "a.txt"):
            raise OSError(number, os.strerror(number))
    assert names(tmp_path) == []


def test_must_exist(tmp_path: Path) -> None:
    (tmp_path / "walking.bvh").write_text("x")
    assert files.must_exist(tmp_path / "walking.bvh").name == "walking.bvh"
    refused = {"walkin.bvh": "Did you mean walking.bvh", "": "folder", "zzz": "no such file", "a\0": "not the name",
               "no/a": "does not exist either", "n" * 300: "too long"}  # fmt: skip
    for name, words in refused.items():
        with pytest.raises(BadFile, match=words):
            files.must_exist(f"{tmp_path}/{name}")


def test_a_file_larger_than_the_limit_is_not_read(tmp_path: Path) -> None:
    big = tmp_path / "big"
    with big.open("wb") as stream:
        stream.truncate(10_000_000)
    with pytest.raises(BadFile, match="10 MB; at most 1 MB"):
        files.read_bytes(big, 1_000_000)

"""Nothing of the user's is overwritten unasked, and licences go whole with every export and are never touched."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import cli_files
import gltf_reader
import poise
from cli_files import done, names, refused
from poise.cli import saving
from poise.errors import AlreadyThere
from poise.export import WRITERS
from poise.motion.formats import licence
from poise.take import Recorder, Take

LEGAL = "Copyright the dancer.\n\nNobody may sell this dance,\nnor claim to have invented it.\n"
CLIP = poise.load_clip("stand").cut(0.0, 0.05)


def nothing(*_: object, **__: object) -> None:
    pytest.fail("work was done")


@pytest.mark.parametrize("words", [["convert", "walk", "OUT"], ["retarget", "walk", "human57", "OUT"],
                                   ["perform", "walk", "--save", "new.npz", "--save", "OUT"]])  # fmt: skip
@pytest.mark.parametrize("ending", sorted(WRITERS))
def test_an_output_that_exists_is_refused_before_any_work(tmp_path, capsys, monkeypatch, words, ending):
    monkeypatch.chdir(tmp_path)
    for verb in ("convert", "perform", "retarget"):
        monkeypatch.setattr(f"poise.cli.{verb}.load", nothing)
    monkeypatch.setattr("poise.motion.load.load_any_character", nothing)
    out = f"out{ending}"
    Path(out).write_text("the work of a week")
    said = refused(capsys, *[out if w == "OUT" else w for w in words])
    assert said == f"poise: {out}: it exists already; give another name, or --force to replace it.\n"
    assert Path(out).read_text() == "the work of a week" and names(tmp_path) == [out]


def test_force_replaces_and_no_two_results_go_to_one_file(tmp_path, capsys):
    walk = cli_files.walk(tmp_path)
    before = walk.read_bytes()
    refused(capsys, "convert", walk, walk, "--mirror")
    assert walk.read_bytes() == before  # a recording was lost that way
    (tmp_path / "out.bvh").write_text("old")
    done(capsys, "convert", walk, tmp_path / "out.bvh", "--cut", "0:0.1", "--force")
    assert (tmp_path / "out.bvh").read_text() != "old"
    a = tmp_path / "a.bvh"
    assert "one file" in refused(capsys, "perform", "walk", "--save", a, "--save", f"{tmp_path}/./a.bvh")


def test_a_picture_of_a_repair_and_figures_are_outputs_too(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("poise.cli.convert.load", nothing)
    (tmp_path / "a.png").write_text("old")
    assert "exists already" in refused(capsys, "convert", "walk", tmp_path / "a.bvh", "--physical", "--report",
                                       tmp_path / "a.png")  # fmt: skip
    monkeypatch.setattr("poise.experiments.reproduce.experiment", nothing)
    said = refused(capsys, "reproduce", "modal/clips", "--out", tmp_path)
    assert "it holds files already (a.png)" in said and "--force" in said
    saving.check_folder(tmp_path / "new")
    saving.check_folder(tmp_path, force=True)


def test_a_file_that_comes_into_being_meanwhile_is_left_alone(tmp_path, capsys):
    out = tmp_path / "out.bvh"
    saving.check(str(out))
    out.write_text("of someone else")
    assert saving.save(CLIP, str(out)) == str(tmp_path / "out-2.bvh")
    assert out.read_text() == "of someone else" and (tmp_path / "out-2.bvh").stat().st_size > 1000
    assert "was left alone" in capsys.readouterr().err


def test_python_replaces_other_files_but_not_the_one_that_was_read(tmp_path, monkeypatch):
    walk = cli_files.walk(tmp_path)
    other = tmp_path / "other.bvh"
    other.write_text("old")
    clip = poise.load_clip(walk).cut(0.0, 0.1)
    clip.save(other)
    assert other.read_text() != "old"
    with pytest.raises(AlreadyThere, match="exists already"):
        clip.save(other, overwrite=False)
    (tmp_path / "link.bvh").symlink_to(walk)
    os.link(walk, tmp_path / "same.bvh")
    before = walk.read_bytes()
    monkeypatch.chdir(tmp_path)
    for name in (walk, "walk.bvh", tmp_path / "link.bvh", tmp_path / "same.bvh"):
        with pytest.raises(AlreadyThere, match="read from this very file"):
            clip.mirror().save(name)
    assert walk.read_bytes() == before
    clip.save(walk, overwrite=True)
    assert len(poise.load_clip(walk)) == len(clip)


def test_saved_clips_and_takes_know_their_own_file_too(tmp_path):
    CLIP.save(tmp_path / "clip.npz")
    clip = poise.load_clip(tmp_path / "clip.npz")
    assert clip.source == CLIP.source  # where it was opened is no part of what it is
    with pytest.raises(AlreadyThere, match="very file"):
        clip.save(tmp_path / "clip.npz")
    with pytest.raises(AlreadyThere, match="very file"):
        poise.perform(clip, "kinematic", save=tmp_path / "clip.npz")
    recorder = Recorder(CLIP, path=tmp_path / "take.npz")
    for k in range(3):
        recorder.frame(k / 120, CLIP.q[k], np.zeros(recorder.character.model.nv), np.zeros(recorder.character.model.nv))
    recorder.finish()
    take = Take.load(tmp_path / "take.npz")
    for motion in (take, take.cut(0.0, 0.01), take.as_clip()):
        with pytest.raises(AlreadyThere, match="very file"):
            motion.save(tmp_path / "take.npz")
    take.save(tmp_path / "take.npz", overwrite=True)
    assert b"take.npz" not in (tmp_path / "take.npz").read_bytes()  # the place of a file says nothing elsewhere


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name on this system")
def test_pipes_are_still_written(tmp_path, capsys):
    os.mkfifo(tmp_path / "out.bvh")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "out.bvh").read_bytes()), daemon=True)
    reader.start()
    done(capsys, "convert", "stand", tmp_path / "out.bvh", "--cut", "0:0.05")
    reader.join(20)
    assert read and read[0].startswith(b"HIERARCHY")


def test_nothing_is_left_in_the_temporary_folder(tmp_path, capsys, monkeypatch):
    scratch, out = tmp_path / "scratch", tmp_path / "out"
    scratch.mkdir(), out.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    monkeypatch.setenv("TMPDIR", str(scratch))
    for ending in WRITERS:
        done(capsys, "convert", "stand", out / f"a{ending}", "--cut", "0:0.05")
    (out / "null.glb").symlink_to(os.devnull)  # written by way of the temporary folder
    done(capsys, "convert", "stand", out / "null.glb", "--cut", "0:0.05")
    assert names(scratch) == []


# Licences


def recording(folder: Path, name: str = "a.bvh") -> Path:
    """A recording that no licence is known of."""
    folder.mkdir(exist_ok=True)
    replace(CLIP, source=replace(CLIP.source, licence="")).save(folder / name)
    assert names(folder) == [name]
    return folder / name


def test_a_licence_of_somebody_else_is_never_touched(tmp_path, capsys):
    a = recording(tmp_path / "one")
    own = a.with_name("a.licence.txt")
    own.write_text(LEGAL)
    done(capsys, "convert", a, a, "--force")  # it was replaced by a pointer to itself
    assert own.read_text() == LEGAL and names(a.parent) == ["a.bvh", "a.licence.txt"]
    b = a.with_name("b.bvh")
    foreign = b.with_name("b.licence.txt")
    foreign.write_text("The terms of another thing.")
    done(capsys, "convert", a, b)
    assert foreign.read_text() == "The terms of another thing."
    assert LEGAL.strip() in b.with_name("b.licence-2.txt").read_text()
    both = poise.load_clip(b).source.licence_text
    assert LEGAL.strip() in both and "another thing" in both
    folder = a.with_name("c.licence.txt")
    folder.mkdir()
    done(capsys, "convert", a, a.with_name("c.bvh"))
    assert names(folder) == [] and LEGAL.strip() in a.with_name("c.licence-2.txt").read_text()


def test_the_whole_text_goes_from_folder_to_folder(tmp_path, capsys):
    a = recording(tmp_path / "one")
    (a.parent / "LICENSE.txt").write_text(LEGAL)
    places = [a]
    for number in ("two", "three", "four"):
        (tmp_path / number).mkdir()
        places.append(tmp_path / number / "out.bvh")
        done(capsys, "convert", places[-2], places[-1])
    shutil.rmtree(a.parent)
    texts = [p.with_suffix(".licence.txt").read_text() for p in places[1:]]
    for text in texts:
        assert text.count(LEGAL.strip()) == 1 and "beside the recording" not in text and "out.licence" not in text
    assert texts[1] == texts[2]  # a chain of conversions adds nothing
    source = poise.load_clip(places[-1]).source
    assert source.licence_text == LEGAL.strip() and source.licence == "see LICENSE.txt, whose text goes with the motion"


@pytest.mark.parametrize("ending", [".glb", ".usda", ".npz", ".html", ".png", ".mp4"])
def test_the_whole_text_is_in_every_format(tmp_path, ending):
    from PIL import Image

    a = recording(tmp_path)
    (tmp_path / "LICENSE").write_text(LEGAL)
    out = tmp_path / f"out{ending}"
    poise.load_clip(a).save(out)
    if ending == ".glb":
        assert LEGAL.strip() == gltf_reader.Gltf(out).json["asset"]["extras"]["licence_text"]
    elif ending == ".npz":
        assert poise.load_clip(out).source.licence_text == LEGAL.strip()
    elif ending == ".png":
        assert Image.open(out).text["Licence"] == LEGAL.strip()  # type: ignore[attr-defined]
    else:
        assert b"nor claim to have invented it." in out.read_bytes()


def test_converting_twice_replaces_what_poise_wrote_and_not_what_was_edited(tmp_path, capsys):
    a = recording(tmp_path)
    (tmp_path / "LICENSE").write_text(LEGAL)
    out, note = tmp_path / "out.bvh", tmp_path / "out.licence.txt"
    done(capsys, "convert", a, out)
    first = note.read_text()
    done(capsys, "convert", a, out, "--force")
    assert note.read_text() == first and "out.licence-2.txt" not in names(tmp_path)
    (tmp_path / "LICENSE").write_text("Other terms.")
    done(capsys, "convert", a, out, "--force")
    assert "Other terms." in note.read_text() and LEGAL.strip() not in note.read_text()
    note.write_text(note.read_text() + "My own remark.\n")
    edited = note.read_text()
    (tmp_path / "LICENSE").write_text(LEGAL)
    done(capsys, "convert", a, out, "--force")
    assert note.read_text() == edited and LEGAL.strip() in (tmp_path / "out.licence-2.txt").read_text()


def test_notes_of_older_versions_are_read_without_their_pointers(tmp_path):
    (tmp_path / "a.licence.txt").write_text("Source of the motion: a (bvh).\nLicence of the source: likely DeepMimic; "
                                            "see a.licence.txt beside the recording\n")  # fmt: skip
    assert licence.beside(tmp_path / "a.bvh") == licence.Terms("likely DeepMimic")


def test_what_is_no_licence_is_not_copied(tmp_path):
    (tmp_path / "copying machine.bvh").write_text("HIERARCHY")
    assert licence.beside(tmp_path / "a.bvh") == licence.Terms()
    (tmp_path / "LICENSE.pdf").write_bytes(b"%PDF-1.4\0\1")
    assert licence.beside(tmp_path / "a.bvh") == licence.Terms("see LICENSE.pdf beside the recording")


def test_a_licence_that_cannot_be_written_leaves_no_motion_without_it(tmp_path, monkeypatch):
    a = recording(tmp_path / "one")
    (a.parent / "LICENSE").write_text(LEGAL)
    clip, real = poise.load_clip(a), os.replace

    def full(source, target):
        if str(target).endswith(".bvh"):
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(os, "replace", full)
    (tmp_path / "two").mkdir()
    with pytest.raises(poise.PoiseError, match="disk is full"):
        clip.save(tmp_path / "two" / "a.bvh")
    assert names(tmp_path / "two") == []

"""A new motion file format and a new edit are one module and one line each, as CONTRIBUTING.md says."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import poise
import test_layers
from cli_files import done, refused
from poise.cli import convert
from poise.cli.convert import Asked
from poise.cli.main import main
from poise.motion import edit, formats
from poise.motion.clip import Clip
from poise.motion.formats import Format

WIGGLE = """
import json

from poise.motion.formats import bvh


def looks_like(start):
    return start.startswith(b"WIGGLE")


def read(path):
    inner = path.with_suffix(".inner")
    inner.write_text(path.read_text().removeprefix("WIGGLE"))
    return bvh.read(inner)
"""


@dataclass(frozen=True)
class Raise:
    """The motion higher above the ground."""

    height: float  # [m]

    def apply(self, clip: Clip) -> Clip:
        q = np.array(clip.q)
        q[:, 2] += self.height
        return clip.with_q(q, labels=clip.contacts.labels)


@pytest.fixture
def wiggle(tmp_path, monkeypatch):
    """A module of a made-up format, and a file of it: a BVH behind a word."""
    (tmp_path / "wiggle_format.py").write_text(WIGGLE)
    monkeypatch.syspath_prepend(tmp_path)
    poise.load_clip("walk").save(tmp_path / "walk.bvh")
    path = tmp_path / "walk.wig"
    path.write_text("WIGGLE" + (tmp_path / "walk.bvh").read_text())
    yield path
    sys.modules.pop("wiggle_format", None)


def test_a_format_is_one_module_and_one_line(wiggle, tmp_path, capsys, monkeypatch):
    assert "not a motion file" in refused(capsys, "convert", wiggle, tmp_path / "a.npz")
    monkeypatch.setitem(formats.FORMATS, "wiggle", Format("wiggle_format", (".wig",)))
    assert formats.kind_of(wiggle) == "wiggle" and ".wig" in formats.endings()
    same = poise.load_clip(tmp_path / "walk.bvh")
    assert np.array_equal(poise.load_clip(wiggle).q, same.q)
    assert json.loads(done(capsys, "convert", wiggle, tmp_path / "a.npz", "--json"))["frames"] == len(same)
    hidden = wiggle.rename(tmp_path / "walk.bin")  # told by its content where the ending says nothing
    assert np.array_equal(poise.load_clip(hidden).q, same.q)
    assert poise.motion.load.load_any_character(hidden).height == same.character.height


def test_each_format_knows_its_own_files_alone(tmp_path):
    starts = {"bvh": b"HIERARCHY\nROOT", "amc": b"#!OML\n:FULLY-SPECIFIED\n:DEGREES\n1", "fbx": b"Kaydara FBX Binary  ",
              "asf": b":version 1.10\n:name VICON\n:units\n", "deepmimic": b'{"Loop": "wrap", "Frames": [[',
              "npz": b"PK\x03\x04....", "gait": b'kind = "gait"\nname = "run"\n'}  # fmt: skip
    assert set(starts) == set(formats.FORMATS), "put the first bytes of each format into starts"
    for kind, start in starts.items():
        assert [k for k, f in formats.FORMATS.items() if f.load().looks_like(start)] == [kind]
        (tmp_path / "any.txt").write_bytes(start)
        assert formats.kind_of(tmp_path / "any.txt") == kind  # whatever its ending promises


def test_help_names_every_format(capsys):
    for verb in ("check", "convert"):
        with pytest.raises(SystemExit):
            main([verb, "--help"])
        told = " ".join(capsys.readouterr().out.split())
        lacks = [k for k, f in formats.FORMATS.items() if k != "asf" and f.endings[0] not in told]
        assert not lacks, f"cli/{verb}.py does not tell of {lacks}"


def test_an_edit_is_one_module_and_on_the_command_line_one_line(tmp_path, capsys, monkeypatch):
    walk = poise.load_clip("walk")
    assert np.allclose(walk.edit(Raise(0.1)).q[:, 2], walk.q[:, 2] + 0.1)
    live = poise.Reference(walk).edit(Raise(0.1))
    assert live.sample(0.3).q[2] == pytest.approx(poise.Reference(walk).sample(0.3).q[2] + 0.1)
    monkeypatch.setattr(edit, "Raise", Raise, raising=False)  # the line in motion/edit/__init__.py
    asked = Asked("higher above the ground", lambda edit, x: edit.Raise(x), "METRES")
    monkeypatch.setitem(convert.EDITS, "raise", asked)
    done(capsys, "convert", "walk", tmp_path / "a.npz", "--raise", "0.1")
    assert np.allclose(poise.load_clip(tmp_path / "a.npz").q[:, 2], walk.q[:, 2] + 0.1)


def test_all_edits_are_named():
    assert edit.NAMES == ("Blend", "InPlace", "Loop", "Mirror", "Move", "Offset", "Path", "Pin", "Settle", "Slope",
                          "Stairs", "Stride", "Turn", "Warp"), "put the new name in here"  # fmt: skip


PAGE = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text()
SOURCE = test_layers.SOURCE
LATER = {"ground", "studio"}  # rooms that the design has and that may not be there yet


def test_the_page_shows_every_room_with_its_sub_rooms():
    rows = {row[0]: row[1] for row in re.findall(r"^\| `(\w+)` \|[^|]*\|([^|]*)\|$", PAGE, re.MULTILINE)}
    assert list(rows) == [room for room in test_layers.ORDER if room in rows or room not in LATER]
    for room, told in rows.items():
        sub_rooms = {p.parent.name for p in (SOURCE / room).glob("*/__init__.py")}
        assert set(re.findall(r"`(\w+)`", told)) == sub_rooms, room


def test_recipes_name_files_and_names_that_exist():
    recipes = PAGE[PAGE.index("## Recipes") : PAGE.index("## How it is written")]
    for name in re.findall(r"`((?:\w+/)*_?\w+\.py)`", recipes):
        found = [p for top in (SOURCE, SOURCE.parents[1]) for p in (*top.glob(name), *top.glob(f"*/{name}"),
                 *top.glob(f"*/*/{name}"))]  # fmt: skip
        assert found or name.split("/")[0] in LATER, name
    for table, file in re.findall(r"`([A-Z_]+)`\s+of\s+`([\w/]+\.py)`", recipes):
        path = (SOURCE.parents[1] if file.startswith("tests/") else SOURCE) / file
        assert f"\n{table}" in path.read_text(), (table, file)

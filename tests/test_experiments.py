"""There is one way to run an experiment, `poise reproduce NAME`; what it could not be run with is refused first."""

from __future__ import annotations

import ast
import inspect
import json
import re
from pathlib import Path

import pytest

import poise
from cli_files import refused
from poise.cli.main import main
from poise.errors import AlreadyThere, BadValue
from poise.experiments import reproduce as register
from poise.experiments.kept import KeptRows, goes_on
from poise.experiments.reproduce import EXPERIMENTS, Options, Table, experiment, motion_files, reproduce

ROOM = Path(register.__file__).parent
ROOT = ROOM.parents[2]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_takes_options_and_gives_a_table(name):
    run = experiment(name)
    assert list(inspect.signature(run).parameters) == ["options"]
    assert inspect.get_annotations(run) == {"options": "Options", "return": "Table"}
    assert run.__doc__


def test_no_experiment_has_a_command_line_of_its_own_and_none_is_forgotten():
    listed = {e.place.partition(":")[0] + ":" + (e.place.partition(":")[2] or "run") for e in EXPERIMENTS.values()}
    for path in ROOM.rglob("*.py"):
        module = ".".join(path.relative_to(ROOM).with_suffix("").parts)
        for node in ast.parse(path.read_text()).body:
            assert not isinstance(node, ast.If) or "__main__" not in ast.unparse(node.test), path
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and module != "reproduce":
                gives = ast.unparse(node.returns) if node.returns is not None else ""
                assert gives != "Table" or f"{module}:{node.name}" in listed, f"{module}:{node.name}"


def test_what_an_experiment_would_not_heed_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(register, "experiment", lambda name: pytest.fail("work was done"))
    with pytest.raises(BadValue, match="give their folder with --recordings"):
        reproduce("physical/table")
    with pytest.raises(BadValue, match="has no recordings that are asked for"):
        reproduce("physical/table", Options(recordings=tmp_path))
    with pytest.raises(BadValue, match="There is no folder of recordings"):
        reproduce("modal/clips", Options(recordings=tmp_path / "none"))
    with pytest.raises(BadValue, match="nothing to choose with --only"):
        reproduce("modal/squats", Options(only=("deep",)))
    with pytest.raises(BadValue, match="at least one seed"):
        reproduce("modal/squats", Options(seeds=0))


def test_recordings_are_found_by_how_their_names_begin(tmp_path):
    for name in ("cmu/02_01.bvh", "cmu/16_17_f0000-0460.bvh", "deepmimic/humanoid3d_walk.txt",
                 "deepmimic/humanoid3d_character.txt", "README.txt"):  # fmt: skip
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [p.name for p in motion_files(tmp_path)] == ["02_01.bvh", "16_17_f0000-0460.bvh", "humanoid3d_walk.txt"]
    options = Options(recordings=tmp_path, only=("16", "human"))
    assert [p.name for p in options.files()] == ["16_17_f0000-0460.bvh", "humanoid3d_walk.txt"]
    found = options.recording("02_01")
    assert found is not None and found.name == "02_01.bvh"
    assert options.recording("43") is None and Options().recording("02_01") is None


def test_a_table_is_told_on_the_command_line(capsys, tmp_path):
    out = tmp_path / "figures"
    assert main(["reproduce", "stage/tour", "--only", "seesaw", "--out", str(out), "--json"]) == 0
    told = capsys.readouterr()
    said = json.loads(told.out)
    assert len(told.err.splitlines()) >= len(said["rows"])  # each as it is done
    assert said["rows"][0] == {"sight": "seesaw", "measured": "tilt at the end [degrees]",
                               "value": pytest.approx(said["rows"][1]["value"], abs=0.5)}  # fmt: skip
    assert said["figures"] == [str(out / "seesaw_0.png")] and (out / "seesaw_0.png").stat().st_size > 1000
    assert "nothing to choose" in refused(capsys, "reproduce", "modal/squats", "--only", "a")


@pytest.mark.parametrize("path", [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"], ids=lambda p: p.stem)
def test_commands_that_the_pages_name_exist(path):
    text = path.read_text()
    assert "python -m poise.experiments" not in text
    for room, names in re.findall(r"poise reproduce (\w+)/([\w-]+(?: \| [\w-]+)*)", text):
        for name in names.split(" | "):
            assert name == "NAME" or f"{room}/{name}" in EXPERIMENTS, f"{room}/{name}"


def test_a_filmstrip_is_drawn_where_there_is_a_folder_for_it(tmp_path):
    take = poise.perform(poise.load_clip("stand"), "kinematic", seconds=0.2)
    assert Options().film(take, "a") == ()
    assert Options(out=tmp_path).film(take, "Of a stand, 3 kg") == (str(tmp_path / "of-a-stand-3-kg.png"),)
    assert (tmp_path / "of-a-stand-3-kg.png").exists()


def test_a_table_reads_as_text():
    text = Table("Title", ("what", "value"), (("a", 1.23456), ("long name", 7)), ("A note.",), ("f.png",)).text()
    assert text.splitlines() == ["Title", "", "what       value", "a          1.23", "long name  7", "", "A note.",
                                 "drawn: f.png"]  # fmt: skip


def test_rows_of_a_long_table_are_kept_and_not_made_again(tmp_path, capsys):
    made = []

    def row(key: int) -> tuple[int, float]:
        made.append(key)
        return key, 0.5 * key

    options = Options(out=tmp_path)
    assert KeptRows(options, "rehearse/clips").row(("a", 1), lambda: row(1)) == (1, 0.5)
    again = KeptRows(options, "rehearse/clips")
    assert again.row(("a", 1), lambda: row(1)) == (1, 0.5) and again.row(("a", 2), lambda: row(2)) == (2, 1.0)
    assert made == [1, 2] and goes_on(tmp_path, "rehearse/clips") and not goes_on(tmp_path, "rehearse/getup")
    with pytest.raises(AlreadyThere, match="another experiment"):
        KeptRows(options, "rehearse/getup")
    assert KeptRows(Options(), "rehearse/clips").row(("a", 1), lambda: row(3)) == (3, 1.5)

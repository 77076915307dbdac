"""What is imported is declared, what is declared is used, and a missing extra is told before the work."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

import cli_files
from cli_files import names, refused
from poise import performance
from poise.errors import MissingExtra
from poise.experiments.reproduce import EXPERIMENTS, Options, reproduce
from poise.extras import EXTRAS

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
MODULES = {"mujoco-core": "mujoco", "pillow": "PIL", "usd-core": "pxr"}  # where a package is not named as its module
BROUGHT = {"llvmlite"}  # numba is made on it and pins its version
OF_TESTS = {"bvhio"}  # the yardstick of `poise bench`, which does without it


def modules_of(requirements: list[str]) -> set[str]:
    """Modules that requirements bring, without extras of poise itself."""
    found = (re.split(r"[<>=!~;\[ ]", r)[0] for r in requirements if not r.startswith("poise["))
    return {MODULES.get(name, name) for name in found}


def imported(folder: Path) -> dict[str, set[str]]:
    """Outside modules that the files of a folder import, each with the files that do."""
    out: dict[str, set[str]] = {}
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            found = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            found += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in {f.split(".")[0] for f in found} - set(sys.stdlib_module_names) - {"poise"}:
                out.setdefault(name, set()).add(str(path.relative_to(folder)))
    return out


def test_what_is_imported_is_declared_and_what_is_declared_is_imported():
    core, extras = modules_of(PROJECT["dependencies"]), PROJECT["optional-dependencies"]
    optional = {m for extra, needed in extras.items() if extra not in ("dev", "all") for m in modules_of(needed)}
    used = imported(ROOT / "src" / "poise")
    assert set(used) - core - optional - OF_TESTS - BROUGHT == set(), "imported and not declared"
    assert core | optional <= set(used), "declared and not used"


def test_the_extra_that_is_named_brings_the_module():
    extras = PROJECT["optional-dependencies"]
    for module, extra in EXTRAS.items():
        assert module in modules_of(extras[extra]), module
    optional = {m for extra, needed in extras.items() if extra not in ("dev", "all") for m in modules_of(needed)}
    assert optional == set(EXTRAS)


def test_constraints_name_every_declared_package_and_no_dropped_one():
    pinned = {line.partition("==")[0].lower() for line in (ROOT / "constraints.txt").read_text().splitlines()}
    assert {"rich", "distributed"} <= pinned and "pygltflib" not in pinned


def test_experiments_say_which_packages_they_need():
    """Found by reading their modules, so that a new one cannot forget it."""
    wanted = {"clarabel": r"import clarabel|cone_program|Spacetime", "cma": r"(?m)^ *import cma\b|\btune\(|\bsearch\(",
              "distributed": r"import distributed|from distributed", "dartpy": r'simulator="dart"'}  # fmt: skip
    for place in {e.place.partition(":")[0] for e in EXPERIMENTS.values()}:
        text = (ROOT / "src" / "poise" / "experiments" / Path(*place.split("."))).with_suffix(".py").read_text()
        own = [e for e in EXPERIMENTS.values() if e.place.partition(":")[0] == place]
        assert {e.package for e in own} - {""} == {name for name, words in wanted.items() if re.search(words, text)}, (
            place
        )
        assert any(e.plots for e in own) == ("options.plot(" in text), place
        assert {t for e in own for t in e.takes} >= set(re.findall(r"options\.(characters)", text)), place


@pytest.fixture
def without(monkeypatch):
    """Makes modules look as if they were not installed."""

    def block(*modules: str) -> None:
        for module in modules:
            monkeypatch.setitem(sys.modules, module, None)

    return block


ENDINGS = {".mp4": ("av", "video"), ".usda": ("pxr", "formats"), ".usd": ("pxr", "formats")}  # fmt: skip


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_missing_writer_is_told_before_anything_is_read(tmp_path, capsys, monkeypatch, without, ending):
    module, extra = ENDINGS[ending]
    without(module)
    monkeypatch.setattr("poise.cli.perform.load", lambda *_: pytest.fail("work was done"))
    monkeypatch.setattr("poise.cli.convert.load", lambda *_: pytest.fail("work was done"))
    for words in (["convert", "walk", tmp_path / f"a{ending}"], ["perform", "walk", "--save", tmp_path / f"a{ending}"],
                  ["retarget", "walk", "human57", tmp_path / f"a{ending}"]):  # fmt: skip
        assert f"pip install 'poise[{extra}]'" in refused(capsys, *words)
    assert names(tmp_path) == []


def test_a_missing_reader_is_told(tmp_path, capsys, without):
    without("ufbx")
    (tmp_path / "a.fbx").write_text("; FBX 7.3.0 project file")
    assert "pip install 'poise[formats]'" in refused(capsys, "convert", tmp_path / "a.fbx", tmp_path / "b.bvh")


def test_a_missing_simulator_is_told_before_the_clip_is_prepared(monkeypatch, without):
    without("dartpy")
    monkeypatch.setattr(sys.modules["poise.performance.begin"], "find", lambda *_, **__: pytest.fail("work was done"))
    with pytest.raises(MissingExtra, match=r"poise\[dart\]"):
        performance.perform(cli_files.clip(), "mcsim", simulator="dart")


@pytest.mark.parametrize(("name", "module", "extra"), [("modal/planning", "clarabel", "cones"),
                         ("mcsim/tuning", "cma", "design"), ("mcsim/dart", "dartpy", "dart"),
                         ("mcsim/pushes", "matplotlib", "plots"), ("modal/costs", "matplotlib", "plots")])  # fmt: skip
def test_what_a_reproduction_needs_is_told_before_it_runs(tmp_path, monkeypatch, without, name, module, extra):
    without(module)
    monkeypatch.setattr("poise.experiments.reproduce.experiment", lambda name: pytest.fail("work was done"))
    with pytest.raises(MissingExtra, match=rf"pip install 'poise\[{extra}\]'"):
        reproduce(name, Options(out=tmp_path / "figures"))
    assert names(tmp_path) == []


def test_the_picture_of_a_repair_needs_plots(tmp_path, capsys, monkeypatch, without):
    without("matplotlib")
    monkeypatch.setattr("poise.cli.convert.load", lambda *_: pytest.fail("work was done"))
    assert "poise[plots]" in refused(capsys, "convert", "walk", tmp_path / "a.bvh", "--physical", "--report",
                                     tmp_path / "a.png")  # fmt: skip

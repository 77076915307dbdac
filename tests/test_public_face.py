"""The public face: every name of it resolves, imports are light, and what the documentation says runs as written."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

import character_files
import cli_files
import poise
from poise.cli.main import main

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("name", poise.__all__)
def test_every_name_resolves(name: str) -> None:
    assert getattr(poise, name) is not None
    assert name in dir(poise)


def test_a_name_that_does_not_exist() -> None:
    with pytest.raises(AttributeError, match="load_clop"):
        poise.load_clop  # noqa: B018


def loaded_by(code: str) -> set[str]:
    """Top-level modules that are there after this code, in a fresh process."""
    script = f"import sys; {code}; print(' '.join({{m.partition('.')[0] for m in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split()[-1000:])


@pytest.mark.parametrize(
    "code",
    ["import poise", "from poise.cli.main import main; main([])", "from poise.cli import completion, convert, check"],
)
def test_imports_are_light(code: str) -> None:
    assert not loaded_by(code) & {"numpy", "mujoco", "numba", "scipy", "PIL", "viser", "av", "matplotlib"}


def test_import_takes_no_time() -> None:
    took = []
    for _ in range(3):
        begun = time.monotonic()
        subprocess.run([sys.executable, "-c", "import poise"], check=True)
        took.append(time.monotonic() - begun)
    assert min(took) < 0.3


def snippets(page: str) -> list[str]:
    """The Python blocks of a page of the documentation."""
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)


PAGES = ["README.md", "docs/editing.md", "docs/checking.md", "docs/holds.md", "docs/pictures.md", "docs/recipes.md"]


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_says_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str) -> None:
    """In a folder that holds the files that the page speaks of, in the order of the page."""
    monkeypatch.chdir(tmp_path)
    for name in ("my_walk.bvh", "walk.bvh"):
        cli_files.walk(tmp_path, name)
    clip = poise.load_clip("walk")
    scope: dict[str, object] = {"poise": poise, "result": clip.mirror(), "character": clip.character}
    blocks = snippets(page)
    assert blocks
    for block in blocks:
        exec(compile(block.replace("width=1280, height=720", "width=320, height=180"), page, "exec"), scope)


@pytest.mark.parametrize("page", ["README.md", "docs/command.md"])
def test_what_a_page_says_of_the_command_runs(tmp_path, monkeypatch, capsys, page: str) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("my_walk.bvh", "other.bvh"):
        cli_files.walk(tmp_path, name)
    (tmp_path / "robot.urdf").write_text(character_files.urdf())
    (tmp_path / "recordings").mkdir()
    cli_files.walk(tmp_path / "recordings", "a.bvh")
    text = (ROOT / page).read_text(encoding="utf-8")
    lines = [line.partition("#")[0].split() for line in text.splitlines() if line.startswith("poise ")]
    assert len(lines) >= 4
    for line in lines:
        code = main(line[1:])
        err = capsys.readouterr().err
        assert code == 0 or (code == 1 and line[1] in ("perform", "audit")), err  # 1: it fell, or is not explained


def test_names_of_the_contract() -> None:
    clip = poise.load_clip("walk")
    character = clip.character
    assert (character.name, round(character.mass, 6)) == ("human42", 70.0)
    assert 1.5 < character.height < 2.0 and character.model.nv == 42
    assert clip.times.shape == (len(clip),) and clip.q.shape == (len(clip), character.model.nq)
    assert abs(clip.times[-1] - clip.duration) < 1e-9 and clip.contacts.labels.any()
    assert clip.loop().cycle is not None
    assert clip.posture_change(clip) < 1e-9 and clip.mirror().posture_change(clip) > 1.0
    assert clip.edit(poise.edit.Slope(5)).q[-1, 2] > clip.q[-1, 2]
    for name in ("Blend", "Loop", "Mirror", "Move", "Offset", "Path", "Pin", "Settle", "Slope", "Stairs", "Stride",
                 "Turn", "Warp"):  # fmt: skip
        assert name in poise.edit.NAMES and hasattr(poise.edit, name)


def test_a_loop_that_was_recorded_climbs_for_ever(mocap: Path) -> None:
    """docs/editing.md: an endless climb, one tread a step."""
    climb = poise.load_clip(mocap / "cmu" / "02_01.bvh").loop().edit(poise.edit.Stairs(rise=0.16, run=0.30))
    assert climb.cycle is not None
    assert abs(climb.cycle.shift[2] - 0.32) < 1e-9 and abs(climb.cycle.shift[0] - 0.6) < 1e-9
    assert np.allclose(climb.q[-1], climb.cycle.carry(climb.q[0], 1))


def test_many_periods_are_one_motion_after_the_other() -> None:
    """The closed form for many periods agrees with one period after the other."""
    from poise.motion.clip import Cycle

    q = np.random.default_rng(0).normal(size=(3, 9))
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    for turn in (0.0, 1e-9, 0.3, -2.0, np.pi, 2 * np.pi):
        cycle = Cycle(turn, np.array([1.0, -0.5, 0.2]))
        after = q
        for count in range(1, 9):
            after = cycle.carry(after, 1)
            assert np.allclose(cycle.carry(q, count), after, atol=1e-12)
            assert np.allclose(cycle.carry(cycle.carry(q, count), -count), q, atol=1e-12)


def test_values_show_themselves_in_a_line() -> None:
    """What a notebook shows must not be pages of numbers."""
    clip = cli_files.clip()
    for value in (clip, clip.character, clip.contacts, clip.character.contact_points, poise.Reference(clip),
                  poise.check(clip)):  # fmt: skip
        assert len(repr(value)) < 400 and "\n" not in repr(value)
    assert "human42" in repr(clip) and "frames" in repr(clip)


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which the build backend can be imported; skips where it cannot be had."""
    place = tmp_path_factory.mktemp("backend")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(place), "hatchling"]
    if subprocess.run(pip, capture_output=True).returncode:
        pytest.skip("hatchling cannot be installed here")
    return {**os.environ, "PYTHONPATH": str(place)}


def built(kind: str, folder: Path, env: dict[str, str]) -> Path:
    """A wheel or an sdist, made by the backend that pyproject.toml names."""
    code = f"import os, sys, hatchling.build as b; os.chdir(sys.argv[1]); print(b.build_{kind}(sys.argv[2]))"
    run = subprocess.run([sys.executable, "-c", code, str(ROOT), str(folder)], capture_output=True, text=True, env=env)
    assert run.returncode == 0, run.stderr
    return folder / run.stdout.split()[-1]


@pytest.mark.slow
def test_the_wheel_holds_everything(tmp_path: Path, backend: dict[str, str]) -> None:
    """Every module, the type marker and the licence; installed elsewhere, it works."""
    wheel = built("wheel", tmp_path, backend)
    inside = set(zipfile.ZipFile(wheel).namelist())
    source = ROOT / "src"
    wanted = {p.relative_to(source).as_posix() for p in source.rglob("*.py")}
    assert wanted | {"poise/py.typed"} <= inside
    assert any(name.endswith("licenses/LICENSE") for name in inside)
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}
    code = "import poise; print(poise.__file__, poise.check(poise.load_clip('stand')))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, cwd=tmp_path)
    assert run.returncode == 0 and "installed" in run.stdout, run.stderr


@pytest.mark.slow
def test_the_sdist_holds_everything(tmp_path: Path, backend: dict[str, str]) -> None:
    with tarfile.open(built("sdist", tmp_path, backend)) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {p.relative_to(ROOT).as_posix() for p in (ROOT / "src").rglob("*.py")}
    assert wanted | {"pyproject.toml", "README.md", "LICENSE"} <= inside

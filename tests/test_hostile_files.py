"""Hostile files: each is refused in one sentence or read, within 20 s and 2 GB, whatever it tries."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import poise
from character_files import mjcf, urdf
from guarded import Guard
from hostile_files import HOSTILE, LARGEST, UNUSUAL, bvh, changed, model, walk
from poise import budgets
from poise.character.model_files import scan
from poise.cli.main import main
from poise.errors import BadFile, PoiseError, UnknownName
from poise.printable import printable, shortened

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs pipes, devices and forks")

ESCAPE = "\x1b[2J\x1b]0;owned\x07"
ODD = f"Spi\u202ene{ESCAPE}<script>alert(1)</script>"


@pytest.fixture(scope="module")
def guard() -> Iterator[Guard]:
    made = Guard()
    yield made
    made.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


@pytest.mark.parametrize("name", HOSTILE)
def test_is_refused_soon(guard: Guard, folder: Path, name: str) -> None:
    do, make = HOSTILE[name]
    outcome = guard.use(make(folder), do)
    assert outcome.sound, f"{outcome}"
    assert name in ("memory of 100 GB",) or outcome.outcome == "refused", outcome
    assert len(outcome.text) < 600 and outcome.seconds < 10.0


@pytest.mark.parametrize("name", UNUSUAL)
def test_what_is_merely_odd_is_used(guard: Guard, folder: Path, name: str) -> None:
    do, make = UNUSUAL[name]
    outcome = guard.use(make(folder), do)
    assert outcome.sound and outcome.outcome == "read", f"{outcome}"


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGEST)
def test_the_largest_that_is_allowed_is_still_within_time_and_memory(guard: Guard, folder: Path, name: str) -> None:
    do, make = LARGEST[name]
    outcome = guard.use(make(folder), do)
    assert outcome.sound, f"{outcome}"


def test_a_missing_limit_would_be_noticed(guard: Guard, tmp_path: Path) -> None:
    """The guard itself: what raises anything else is a fault, what is sound is read."""
    path = tmp_path / "figure.xml"
    path.write_text(mjcf())
    assert guard.use(path, "character").outcome == "read"
    assert guard.use(path, "no such use").outcome == "refused"  # as a motion: told in a sentence


@pytest.mark.parametrize("text", [ODD, "a\nb", "a\rb", "\x9b31m", "\u2066x", "\ud800", "\x00", "\u2028"])
def test_names_are_escaped(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable() and printable(shown) == shown
    for error in (PoiseError(text), BadFile(text, text), UnknownName("joint", text, [text])):
        assert str(error).isprintable(), error


def test_plain_names_stay_as_they_are() -> None:
    for text in ("Hips", "mixamorig:LeftUpLeg", "Hüfte", "左足", "ना\u200dम", "a b"):
        assert printable(text) == text
    assert printable("a\n\tb\x1b", keep="\n\t") == "a\n\tb\\x1b"
    assert len(shortened("x" * 1000)) == 60


def test_a_long_list_of_names_is_cut() -> None:
    error = UnknownName("joint", "y" * 10_000, [f"joint{k}" for k in range(100_000)])
    assert len(str(error)) < 4010 and "99900 more" in str(error)


def odd_walk(folder: Path, name: str) -> Path:
    """The built-in stand as a BVH, one of whose joints has this name."""
    poise.load_clip("stand").cut(0.0, 0.5).save(folder / "odd.bvh")
    text = (folder / "odd.bvh").read_text(encoding="utf-8")
    assert "JOINT head" in text
    (folder / "odd.bvh").write_text(text.replace("JOINT head", f"JOINT {name}_head"), encoding="utf-8")
    return folder / "odd.bvh"


def test_a_terminal_sees_no_escapes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = odd_walk(tmp_path, ODD)
    assert main(["check", str(path)]) == 0
    hostile = tmp_path / f"x{ESCAPE}.bvh"
    hostile.write_text(bvh(f"Leg{ESCAPE}"))
    assert main(["check", str(hostile)]) == 2
    assert main(["check", str(path), str(hostile)]) == 2
    assert main(["check", f"nothing{ESCAPE}"]) == 2
    assert main([f"verb{ESCAPE}"]) == 2
    shown = capsys.readouterr()
    assert "Spi\\u202ene\\x1b" in shown.out
    for text in (shown.out, shown.err):
        assert text and all(line.isprintable() for line in text.replace("\r\033[K", "").splitlines()), repr(text)


def test_a_page_runs_no_script_of_a_name(tmp_path: Path) -> None:
    path = odd_walk(tmp_path, "</script><script>alert(1)</script>")
    renamed = path.rename(tmp_path / "<script>alert(2)<@script>.bvh")
    poise.load_clip(renamed).save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page


def test_a_newline_in_a_name_forges_no_line(tmp_path: Path) -> None:
    whole = walk(tmp_path, "take")

    def rename(facts: dict) -> None:
        facts["clip"]["source"]["name"] = facts["clip"]["character"]["name"] = facts["method"] = "a\nwarnings: none\x1b"
        facts["events"] = [[0.0, "a\nb", "c\nd\x1b"]]

    take = poise.Take.load(changed(whole, tmp_path / "odd.npz", rename))
    texts = [
        take.clip.name,
        take.method,
        repr(take),
        take.character.name,
        *take.events[0][1:],
        poise.audit(take).text(),
    ]
    assert all(line.isprintable() for text in texts[:-1] for line in [text]), texts
    assert not any(line.startswith("warnings: none") for line in texts[-1].splitlines())


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ('<geom name="a&#10;b" size="0.1"/>', "control signs"),
        ('<geom name="a&#x202e;b" size="0.1"/>', "control signs"),
        (f'<geom name="{"n" * 256}" size="0.1"/>', "256 letters"),
        ('<replicate count="1e6" offset="1 0 0"><geom size="0.1"/></replicate>', "more than 6000"),
        ('<site user="x"/>' * 6001, "more than 6000"),
    ],
)
def test_what_a_scan_refuses(tmp_path: Path, inside: str, words: str) -> None:
    path = tmp_path / "m.xml"
    path.write_text(model("", inside))
    with pytest.raises(BadFile, match=words):
        poise.load_character(path)


def test_parts_of_unlike_masses(tmp_path: Path) -> None:
    """The mass matrix of such a body has no inverse: that was a fault of the servos."""
    path = tmp_path / "m.xml"
    heavy = '<body pos="0 0 1"><joint/><geom size="0.1" mass="{}"/><body pos="0 0 1"><joint/>{}</body></body>'
    path.write_text(model("", heavy.format("900000", '<geom size="0.001" mass="1e-14"/>')))
    with pytest.raises(BadFile, match=r"MuJoCo cannot|unlike masses|without any inertia"):
        poise.load_character(path)
    path.write_text(model("", heavy.format("1e30", '<geom size="0.1"/>')))
    with pytest.raises(BadFile, match="weighs"):
        poise.load_character(path)
    path.write_text(model("", heavy.format("3", '<geom size="0.1"/>')))
    assert poise.load_character(path).model.nv == 8


def test_includes_and_replicates_within_limits_are_read(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "legs.xml").write_text('<mujocoinclude><geom size="0.1" pos="0 0 1"/></mujocoinclude>')
    text = model(
        "", '<include file="parts/legs.xml"/><replicate count="3" offset="0.2 0 0"><geom size="0.1"/></replicate>'
    )
    (tmp_path / "m.xml").write_text(text)
    assert poise.load_character(tmp_path / "m.xml").model.ngeom == 5
    assert scan.check(tmp_path / "m.xml", text.encode()) == "mujoco"
    assert "stands alone" in scan.problem(text)


def test_links_in_a_circle_or_with_two_parents(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    extra = '<joint name="again" type="fixed"><parent link="{}"/><child link="{}"/></joint></robot>'
    path.write_text(urdf().replace("</robot>", extra.format("pelvis", "head_link")))
    with pytest.raises(BadFile, match="child of two joints"):
        poise.load_character(path)
    circle = '<link name="a"/><link name="b"/><joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint>'
    path.write_text(urdf().replace("</robot>", circle + extra.format("b", "a")))
    with pytest.raises(BadFile, match="circle"):
        poise.load_character(path)


def test_the_usual_is_far_within_the_limits(tmp_path: Path) -> None:
    """Scanning costs next to nothing, and built-in bodies use a tenth of what is allowed."""
    xml = poise.load_character("human57").xml
    begun = time.perf_counter()
    assert scan.problem(xml) == ""
    assert time.perf_counter() - begun < 0.5
    assert 5 * poise.load_character("human57").model.nv < budgets.FREEDOMS


def test_an_unpacking_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import zipfile

    monkeypatch.setattr(budgets, "SMALL_MEMORY", 1_000_000)
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("facts.json", "{}")
        archive.writestr("q.npy", bytes(20_000 * k % 251 for k in range(1000)) * 1100)
    assert 200 * os.path.getsize(path) > 1_100_000
    with pytest.raises(BadFile, match="unpack"):
        poise.Take.load(path)

"""Reading ASF/AMC: bone ends agree with the format's own convention, worked out independently."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import asf_text
from poise.errors import BadFile
from poise.maths import rotations as rot
from poise.motion import formats


def pair(folder: Path, amc: str = "02_01.amc", asf: str = "02.asf", **options: str) -> Path:
    (folder / asf).write_text(asf_text.asf(**options))
    (folder / amc).write_text(asf_text.amc(asf_text.table()))
    return folder / amc


def check(recording: formats.Recording, rows: list[dict[str, np.ndarray]]) -> None:
    points, turns = recording.forward()
    skeleton = recording.skeleton
    for n, row in enumerate(rows):
        for name, (begin, end) in asf_text.ends(row).items():
            j = skeleton.index(name)
            assert np.allclose(points[n, j], begin, atol=1e-9)
            below = skeleton.children(j)
            sites = [points[n, j] + rot.rotate(turns[n, j], e.offset) for e in skeleton.ends_of(j)]
            assert len(below) + len(sites) >= 1
            for place in [*(points[n, c] for c in below), *sites]:
                assert np.allclose(place, end, atol=1e-9)


def test_bones_begin_and_end_where_the_format_says(tmp_path: Path) -> None:
    r = formats.read(pair(tmp_path))
    check(r, asf_text.table())
    assert r.skeleton.names == ("root", *(b[0] for b in asf_text.BONES)) and r.source.format == "amc"
    assert r.unit == pytest.approx(0.0254 / 0.45) and r.dt == pytest.approx(1 / 120)
    assert any("120" in n for n in r.source.notes) and any("02.asf" in n for n in r.source.notes)
    assert {e.name for e in r.skeleton.ends} == {"lfoot_end", "lhumerus_end"}


def test_radians_in_either_file_crlf_and_other_lengths(tmp_path: Path) -> None:
    rows = asf_text.table()
    (tmp_path / "a.asf").write_text(asf_text.asf("rad", 1.0).replace("\n", "\r\n"))
    (tmp_path / "a.amc").write_text(asf_text.amc(rows, ":RADIANS").replace("\n", "\r\n"))
    r = formats.read(tmp_path / "a.amc")
    check(r, rows)
    assert r.unit is None
    (tmp_path / "a.asf").write_text(asf_text.asf("deg"))
    check(formats.read(tmp_path / "a.amc"), rows)


@pytest.mark.parametrize("asf", ["02_01.asf", "02.asf", "rory.asf", "RORY.ASF", "whatever.asf"])
def test_the_skeleton_is_found(tmp_path: Path, asf: str) -> None:
    check(formats.read(pair(tmp_path, asf=asf)), asf_text.table())


def test_the_skeleton_may_be_given_or_is_asked_for(tmp_path: Path) -> None:
    path = pair(tmp_path, asf="x.asf")
    (tmp_path / "y.asf").write_text(asf_text.asf())
    with pytest.raises(BadFile, match=r"02_01.asf was expected beside it; .asf files there: x.asf, y.asf"):
        formats.read(path)
    check(formats.read(path, skeleton=tmp_path / "y.asf"), asf_text.table())
    with pytest.raises(BadFile, match=r"give the \.amc"):
        formats.read(tmp_path / "x.asf")
    (tmp_path / "x.asf").unlink()
    (tmp_path / "y.asf").unlink()
    with pytest.raises(BadFile, match="none"):
        formats.read(path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("ltibia ", "tail "), "'tail' is not a bone"),
        (("2\nroot", "2\nlfoot"), "frame 2: 'lfoot' stands where 'root' was expected"),
        (("3\nroot", "3\nroot nan"), "do not make frames"),
    ],
)
def test_broken_motions(tmp_path: Path, change: tuple[str, str], words: str) -> None:
    path = pair(tmp_path)
    path.write_text(path.read_text().replace(*change, 1))
    with pytest.raises(BadFile, match=words):
        formats.read(path)


def test_truncated_motions_and_words_that_are_no_numbers(tmp_path: Path) -> None:
    path = pair(tmp_path)
    text = path.read_text()
    path.write_text(text[: text.rindex("lfoot")])
    with pytest.raises(BadFile, match="cut short in frame 5"):
        formats.read(path)
    lines = text.splitlines()
    at = [i for i, line in enumerate(lines) if line.startswith("ltibia")][2]
    for word in ("nan", "inf", "1e12", "abc"):
        path.write_text("\n".join([*lines[:at], f"ltibia {word}", *lines[at + 1 :]]))
        with pytest.raises(BadFile, match=f"frame 3: '{word}'"):
            formats.read(path)
    path.write_text(":DEGREES\n")
    with pytest.raises(BadFile, match="no frames"):
        formats.read(path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ((":bonedata", ":bones"), "section :bonedata is missing"),
        (("name lfoot", "name ltibia"), "'ltibia' comes twice"),
        (("lfemur ltibia", "lfemur lknee"), "bone that does not exist"),
        (("ltibia lfoot", "ltibia lfoot lfemur"), "hangs a bone twice"),
        (("dof rx ry rz", "dof rx ry qq"), "rx ry rz tx ty tz l"),
        (("length 7.0", "length seven"), "length of 'ltibia' needs 1 number"),
        (("XYZ\n    dof", "XXZ\n    dof"), "'XXZ' is not an order"),
        (("length 7.0\n", "\n"), "'ltibia' has no length"),
    ],
)
def test_broken_skeletons(tmp_path: Path, change: tuple[str, str], words: str) -> None:
    path = pair(tmp_path)
    text = (tmp_path / "02.asf").read_text()
    assert change[0] in text
    (tmp_path / "02.asf").write_text(text.replace(*change, 1))
    with pytest.raises(BadFile, match=words):
        formats.read(path)


def test_a_cycle_in_the_hierarchy_does_not_hang(tmp_path: Path) -> None:
    path = pair(tmp_path)
    text = (tmp_path / "02.asf").read_text()
    (tmp_path / "02.asf").write_text(text.replace("root lhipjoint lowerback", "lfoot lhipjoint lowerback"))
    with pytest.raises(BadFile, match="no bone hangs on its root"):
        formats.read(path)

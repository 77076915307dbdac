"""Reading FBX, from small text files with known places."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import fbx_text
from poise.errors import BadFile, MissingExtra
from poise.motion import formats
from poise.motion.formats import bvh_write, fbx

pytest.importorskip("ufbx")

ANGLES = [0.0, 10.0, 25.0, 90.0, 30.0, -20.0]
PLACES = [0.0, 1.0, 2.0, 3.5, 4.0, 9.0]


def save(folder: Path, **options) -> Path:
    path = folder / "leg.fbx"
    path.write_text(fbx_text.leg(ANGLES, PLACES, **options))
    return path


def places(turn=(0, 0, 0), scale=1.0, pre=(0, 0, 0)) -> np.ndarray:
    """Pelvis, thigh and shin in every frame."""
    armature = Rotation.from_euler("xyz", turn, degrees=True)
    out = []
    for angle, x in zip(ANGLES, PLACES, strict=True):
        thigh = Rotation.from_euler("xyz", pre, degrees=True) * Rotation.from_euler("z", angle, degrees=True)
        points = np.array([[x, 100, 0], [x, 90, 0], np.array([x, 90, 0]) + thigh.apply([0, -40, 0])])
        out.append(scale * armature.apply(points))
    return np.array(out)


def test_places_units_axis_and_rate(tmp_path: Path) -> None:
    r = formats.read(save(tmp_path))
    assert r.skeleton.names == ("Pelvis", "Thigh", "Shin") and r.skeleton.parents.tolist() == [-1, 0, 1]
    assert (r.unit, r.up, len(r)) == (0.01, "y", 6) and r.dt == pytest.approx(1 / 30) and r.source.format == "fbx"
    assert np.allclose(r.forward()[0], places(), atol=1e-4)
    assert np.allclose(r.skeleton.rest_pose()[0], places()[0], atol=1e-6)


@pytest.mark.parametrize("bones", [True, False])
def test_a_scaled_and_turned_armature_and_turned_joints(tmp_path: Path, bones: bool) -> None:
    how = {"turn": (-90, 0, 20), "scale": 100.0, "pre": (15, -40, 90)}
    r = formats.read(save(tmp_path, bones=bones, up=2, centimetres=100.0, **how))
    which = [r.skeleton.index(n) for n in ("Pelvis", "Thigh", "Shin")]
    assert (r.unit, r.up) == (1.0, "z")
    assert np.allclose(r.forward()[0][:, which], places(**how), atol=1e-2)
    assert np.allclose(np.linalg.norm(r.rotations, axis=-1), 1.0)
    bvh_write.write(tmp_path / "leg.bvh", r.skeleton, r.rotations, r.positions, r.dt)
    s = formats.read(tmp_path / "leg.bvh")
    assert s.skeleton.names == r.skeleton.names and np.abs(s.forward()[0] - r.forward()[0]).max() < 0.02
    assert np.abs(s.skeleton.rest_pose()[0] - r.skeleton.rest_pose()[0]).max() < 1e-6


def test_keys_denser_than_the_stated_rate_are_all_read(tmp_path: Path) -> None:
    path = tmp_path / "leg.fbx"
    path.write_text(fbx_text.leg(list(np.linspace(0, 60, 31)), list(np.zeros(31)), fps=120.0))
    r = formats.read(path)
    assert len(r) == 31 and r.dt == pytest.approx(1 / 120, rel=1e-3) and "30 frames a second" in r.source.notes[0]


def test_bad_files(tmp_path: Path) -> None:
    path = save(tmp_path)
    text = path.read_text()
    for broken, words in (
        ("", "empty"),
        ("hello", "not an FBX"),
        (text.replace("AnimationCurve:", "Nothing:"), "no animation"),
        (text.replace('"LimbNode"', '"Camera"').replace('"Null"', '"Camera"'), "no skeleton"),
        (text[:900], "FBX|no skeleton|no animation"),
        ("Kaydara FBX Binary  \0\x1a\0" + "x" * 500, "cannot be read as FBX|failed"),
    ):
        path.write_text(broken)
        with pytest.raises(BadFile, match=words) as caught:
            formats.read(path)
        assert "\n" not in str(caught.value)


def test_a_crash_of_the_parser_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child = tmp_path / "child.py"
    child.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    monkeypatch.setattr(fbx.fbx_child, "__file__", str(child))
    with pytest.raises(BadFile, match="parser failed"):
        formats.read(save(tmp_path))


def test_without_ufbx_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fbx.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"poise\[formats\]"):
        formats.read(save(tmp_path))


def test_broken_bytes(tmp_path: Path) -> None:
    path, rng = save(tmp_path), np.random.default_rng(0)
    whole = path.read_bytes()
    for _ in range(12):
        data = bytearray(whole)
        for at in rng.integers(0, len(data), 8):
            data[at] = rng.integers(0, 256)
        path.write_bytes(bytes(data))
        try:
            formats.read(path)
        except BadFile as error:
            assert "\n" not in str(error)

"""Videos and plots: they decode again, carry the licence, and say which package is missing."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from PIL import Image

from poise.character.load import load_character
from poise.errors import BadFile, BadValue, MissingExtra
from poise.export import plots, video
from poise.maths import rotations as rot
from test_pictures_strips import LICENCE, sliding


@pytest.fixture(scope="module")
def human():
    return load_character("human42")


@pytest.fixture(scope="module")
def clip(human):
    return sliding(human, distance=1.0, seconds=1.0)


def test_a_video_decodes_to_the_right_frames(clip, tmp_path):
    av = pytest.importorskip("av")
    path, done = tmp_path / "clip.mp4", []
    video.save(clip, path, fps=10, width=160, height=96, ghost=clip, progress=lambda n, total: done.append((n, total)))
    with av.open(str(path)) as film:
        pictures = [f.to_ndarray(format="rgb24") for f in film.decode(video=0)]
        assert film.metadata["copyright"] == LICENCE and film.metadata["title"] == "slide"
        assert float(film.streams.video[0].average_rate) == pytest.approx(10.0)
    assert len(pictures) == 11 == len(done) and done[-1] == (11, 11)
    assert pictures[0].shape == (96, 160, 3)
    limbs = [(np.ptp(p.astype(int), axis=2) > 40).sum() for p in pictures]
    assert min(limbs) > 50  # the camera goes along: the figure is in every frame


def test_a_camera_that_follows_keeps_the_figure_in_the_middle(clip):
    shot = video.Shot(width=160, height=96, fps=10)
    for picture in video.frames([clip], shot):
        columns = np.nonzero((np.ptp(np.asarray(picture).astype(int), axis=2) > 40).any(axis=0))[0]
        assert 50 < columns.mean() < 110


def test_a_video_that_fails_leaves_nothing(clip, tmp_path):
    pytest.importorskip("av")
    with pytest.raises(BadFile):
        video.save(clip, tmp_path / "no" / "clip.mp4")
    with pytest.raises(BadValue, match="even width"):
        video.save(clip, tmp_path / "clip.mp4", width=161)
    assert list(tmp_path.iterdir()) == []


def test_missing_packages_are_named(clip, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "av", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"Writing MP4 .*poise\[video\]"):
        video.save(clip, tmp_path / "clip.mp4")
    with pytest.raises(MissingExtra, match=r"Plots .*poise\[plots\]"):
        plots.footprints(clip)


def test_flexion_reads_the_angle_that_was_set(human):
    clip = sliding(human, seconds=0.1)
    angles = {"left_shin": 50.0, "left_thigh": 30.0, "right_upper_arm": 20.0, "right_foot": 10.0}
    q = clip.q.copy()
    for role, degrees in angles.items():
        part = role.split("_", 1)[1]
        turn = plots.ANGLES[part][1] * np.radians(degrees)
        joint = int(human.model.body_jntadr[human.body(role)])
        at, kind = int(human.model.jnt_qposadr[joint]), int(human.model.jnt_type[joint])
        if kind == 1:
            q[:, at : at + 4] = rot.from_axis_angle(np.array([0.0, 1.0, 0.0]), turn)
        else:
            q[:, at] = turn / human.model.jnt_axis[joint][1]
    bent = clip.with_q(q)
    for role, degrees in angles.items():
        assert plots.flexion(bent, role) == pytest.approx(degrees, abs=1e-6)
    assert plots.flexion(bent, "right_shin") == pytest.approx(0.0, abs=1e-6)


def test_every_plot_has_units_and_ink(clip, tmp_path):
    pytest.importorskip("matplotlib")
    drawn = {
        "angles": plots.joint_angles(clip), "feet": plots.foot_heights(clip), "path": plots.footprints(clip),
        "both": plots.compare(clip, sliding(load_character("human57"), fps=30.0), parts=("thigh", "shin")),
    }  # fmt: skip
    for name, figure in drawn.items():
        labels = [ax.get_ylabel() for ax in figure.axes] + [figure.axes[-1].get_xlabel()]
        assert all("[" in label and "]" in label for label in labels), name
        assert all(ax.lines for ax in figure.axes)
        plots.save_plot(figure, tmp_path / f"{name}.png", [clip])
        with Image.open(tmp_path / f"{name}.png") as picture:
            assert picture.info["Copyright"] == LICENCE
    plots.save_plot(drawn["path"], tmp_path / "path.svg", [clip])
    assert LICENCE in (tmp_path / "path.svg").read_text()
    with pytest.raises(BadValue, match="png"):
        plots.save_plot(drawn["path"], tmp_path / "path.gif")


def test_a_part_that_does_not_exist_is_named(clip):
    with pytest.raises(BadValue, match="tail"):
        plots.joint_angles(clip, ["tail"])

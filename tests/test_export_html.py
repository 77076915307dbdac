"""HTML: one file, nothing fetched from elsewhere, with every frame of the motion in it."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from export_samples import clip_of_character
from html_page import recording
from poise.errors import BadValue
from poise.export import save
from poise.ground.slope import Slope
from poise.ground.stairs import Stairs
from poise.ground.treads import Tread, Treads


def labelled_clip(frames: int = 60):
    clip = clip_of_character(frames)
    labels = np.zeros((frames, len(clip.character.contact_points)), bool)
    labels[10:20, 0] = True
    return replace(clip, labels=labels)


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("html") / "out.html"
    save(labelled_clip(), path, fps=30)
    return path.read_text()


def test_page_stands_alone(page):
    fetched = re.findall(r'(?:src|href)\s*=\s*["\']?(?:https?:)?//[^"\'> ]+', page)
    assert fetched == [] and "http" not in re.sub(r"<meta[^>]*>", "", page) and "@import" not in page
    assert 'content="Apache-2.0"' in page and "<title>made up" in page
    assert len(page) < 3_000_000


def test_every_frame_is_there(page):
    shown, clip = recording(page), labelled_clip()
    pos, quat = clip.character.forward(clip.q)
    assert shown.about["frames"] == len(clip) and shown.about["seconds"] == pytest.approx((len(clip) - 1) / 30)
    bodies = clip.character.model.nbody - 1
    assert np.abs(shown.tables["places"][:, :bodies] - pos[:, 1:]).max() < 1e-4
    assert np.abs(shown.tables["turns"][:, :bodies] / 32767 - quat[:, 1:]).max() < 1e-4
    assert shown.tables["clip_frame"].tolist() == list(range(len(clip))) and shown.about["clip_frames"] == len(clip) - 1


def test_contacts_light_up_when_they_touch(page):
    shown = recording(page)
    k = [p["name"] for p in shown.about["points"]].index(labelled_clip().character.contact_points.names[0])
    assert np.flatnonzero(shown.tables["touching"][:, k]).tolist() == list(range(10, 20))


def test_the_camera_goes_along_and_frames_the_body(page):
    shown, clip = recording(page), labelled_clip()
    off = shown.tables["target"] - clip.character.forward(clip.q)[0][:, 1]
    assert np.abs(off[:, :2]).max() < 0.4 and np.all(off[:, 2] < 0.1)
    seen = 2 * shown.about["reach"] * np.tan(0.28)  # metres from top to bottom
    assert 0.6 < clip.character.height / seen < 0.75


@pytest.mark.parametrize("ground", [Slope(8.0), Stairs(0.1, 0.3), Treads((Tread(0.5, 0.0, 0.2, 0.4, 0.2),))])
def test_grounds_and_ghosts(ground, tmp_path):
    clip = replace(labelled_clip(10), ground=ground)
    save(clip, tmp_path / "out.html", beside=clip, apart=1.0)
    shown = recording((tmp_path / "out.html").read_text())
    groups = {p["group"] for p in shown.about["parts"]}
    assert "ghost" in groups and ("ground" in groups) == (not isinstance(ground, Slope))
    apart = shown.track("ghost") - shown.track("body")
    assert np.allclose(apart, [0.0, 1.0, 0.0], atol=2e-4)


def test_a_name_that_is_markup_stays_text(tmp_path):
    clip = labelled_clip(5)
    odd = "</script><!--DATA--><script>alert(1)</script>"
    save(replace(clip, source=replace(clip.source, name=odd)), tmp_path / "out.html")
    text = (tmp_path / "out.html").read_text()
    assert recording(text).about["title"] == odd and text.count("<script") == 3 and "alert(1)</script>" not in text


def test_silly_rate_is_refused(tmp_path):
    with pytest.raises(BadValue, match="Pictures a second"):
        save(labelled_clip(5), tmp_path / "out.html", fps=-3)
    assert list(tmp_path.iterdir()) == []

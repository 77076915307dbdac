"""HTML: one file, nothing fetched from elsewhere, with every frame of the motion in it."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from export_samples import clip_of_character
from poise.errors import BadValue
from poise.export import save
from poise.ground.slope import Slope
from poise.ground.stairs import Stairs
from poise.ground.treads import Tread, Treads

pytest.importorskip("viser", reason="needs the extra [studio]")
from html_page import recording


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
    shell = re.sub(r'__VISER_EMBED_DATA__="[^"]+"', "", page)
    fetched = re.findall(r'(?:src|href)\s*=\s*["\']?(?:https?:)?//[^"\'> ]+', shell)
    assert fetched == [] and "url(http" not in shell and "@import" not in shell
    assert 'content="Apache-2.0"' in page and "<title>made up" in page
    assert len(page) < 3_000_000


def test_every_frame_is_there(page):
    data, clip = recording(page), labelled_clip()
    pos, _ = clip.character.forward(clip.q)
    moves = [(t, m) for t, m in data["messages"] if m["type"] == "SetPositionMessage" and m["name"] == "/clip/pelvis"]
    assert data["durationSeconds"] == pytest.approx(len(clip) / 30)
    seen = {round(t * 30): m["position"] for t, m in moves}
    assert sorted(seen) == list(range(len(clip)))
    assert max(np.abs(np.array(seen[k]) - pos[k, 1]).max() for k in seen) < 1e-4


def test_contacts_light_up_when_they_touch(page):
    name = labelled_clip().character.contact_points.names[0]
    shown = [(round(t * 30), m["visible"]) for t, m in recording(page)["messages"]
             if m["type"] == "SetSceneNodeVisibilityMessage" and m["name"].endswith(name)]  # fmt: skip
    assert [s for s in shown if s[0] > 0] == [(10, True), (20, False)]


@pytest.mark.parametrize("ground", [Slope(8.0), Stairs(0.1, 0.3), Treads((Tread(0.5, 0.0, 0.2, 0.4, 0.2),))])
def test_grounds_and_ghosts(ground, tmp_path):
    clip = replace(labelled_clip(10), ground=ground)
    save(clip, tmp_path / "out.html", beside=clip, apart=1.0)
    names = {m.get("name") for _, m in recording((tmp_path / "out.html").read_text())["messages"]}
    assert "/beside_1/pelvis" in names
    assert ("/ground/shape" in names) == (not isinstance(ground, Slope))


def test_silly_rate_is_refused(tmp_path):
    with pytest.raises(BadValue, match="Pictures a second"):
        save(labelled_clip(5), tmp_path / "out.html", fps=-3)
    assert list(tmp_path.iterdir()) == []

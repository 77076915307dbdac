"""Outside judges: real Blender, the Khronos validator and a real browser open what poise writes."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from conftest import recordings
from export_samples import clip_of_character, clip_of_file
from poise.export import save
from poise.export.rig import rig_of

sys.path.insert(0, str(Path(__file__).parent / "oracles"))
import outside

pytestmark = pytest.mark.slow

_REAL = [p for p in recordings() if p.stem in ("02_01", "113_19_f0000-0700", "humanoid3d_cartwheel")]
_MADE = {"file": clip_of_file, "character": clip_of_character}


def clip_named(name: str | Path):
    if isinstance(name, Path):
        return pytest.importorskip("poise.motion.load").load_clip(name)
    return _MADE[name]() if name in _MADE else pytest.importorskip("poise.motion.load").load_clip(name)


def judged(judge, *arguments):
    """What an outside judge says; skips where it cannot be had."""
    try:
        return judge(*arguments)
    except outside.Unavailable as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("ending", ["bvh", "glb"])
@pytest.mark.parametrize("name", [*_MADE, *_REAL], ids=lambda n: n.stem if isinstance(n, Path) else n)
def test_blender_puts_every_joint_where_we_do(name, ending, tmp_path):
    clip = clip_named(name)
    path = tmp_path / f"out.{ending}"
    save(clip, path)
    rig = rig_of(clip)
    bones, heads, skinned = judged(outside.blender_positions, path, len(clip), clip.fps)
    if ending == "glb":
        rig = rig.converted(1.0, "y")
        assert skinned == 1
    points = rig.forward()[0]
    expected = np.stack([points[..., 0], -points[..., 2], points[..., 1]], -1)  # Blender turns Y up into Z up
    for j, joint in enumerate(rig.names):
        assert np.abs(heads[:, bones.index(joint)] - expected[:, j]).max() * rig.unit < 1e-3, joint


@pytest.mark.parametrize("name", [*_MADE, *_REAL], ids=lambda n: n.stem if isinstance(n, Path) else n)
def test_khronos_finds_no_fault(name, tmp_path):
    save(clip_named(name), tmp_path / "out.glb")
    issues = judged(outside.gltf_report, tmp_path / "out.glb")["issues"]
    assert issues["numErrors"] == 0 and issues["numWarnings"] == 0, issues["messages"]


def test_browser_shows_the_character(tmp_path):
    """Opened from disk in a browser without network, the page has the colours of both sides of the body in it."""
    from PIL import Image

    save(clip_of_character(90), tmp_path / "out.html")
    judged(outside.browser_picture, tmp_path / "out.html", tmp_path / "out.png")
    red, _, blue = np.moveaxis(np.asarray(Image.open(tmp_path / "out.png").convert("RGB"), float), -1, 0)
    assert np.mean((red > blue + 40) & (red > 120)) > 0.002  # the left side
    assert np.mean((blue > red + 40) & (blue > 120)) > 0.002  # the right side

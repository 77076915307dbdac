"""BVH and the verb `save`: what is written reads back the same, fingers included; bad requests get one sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from conftest import recordings
from export_samples import clip_of_character, clip_of_file
from poise.errors import BadFile, BadValue
from poise.export import WRITERS, save
from poise.export.rig import rig_of
from poise.motion import formats


@pytest.mark.parametrize("clip", [clip_of_file(), clip_of_character()], ids=["file", "character"])
def test_written_and_read_is_the_same(clip, tmp_path):
    save(clip, tmp_path / "out.bvh")
    back, rig = formats.read(tmp_path / "out.bvh"), rig_of(clip)
    points = {n: back.forward()[0][:, j] for j, n in enumerate(back.skeleton.names)}
    assert set(points) == set(rig.names) and back.dt == pytest.approx(clip.dt)
    for j, name in enumerate(rig.names):
        assert np.abs(points[name] - rig.forward()[0][:, j]).max() * rig.unit < 1e-4, name
    assert len(back.skeleton.ends) >= len(rig.skeleton.ends)


@pytest.mark.parametrize("path", [p for p in recordings() if p.suffix == ".bvh"][::5], ids=lambda p: p.stem)
def test_real_file_comes_back_like_it_was(path, tmp_path):
    clip = pytest.importorskip("poise.motion.load").load_clip(path)
    save(clip, tmp_path / "out.bvh")
    old, new = clip.recording, formats.read(tmp_path / "out.bvh")
    assert new.skeleton.names == old.skeleton.names and new.skeleton.channels == old.skeleton.channels
    assert np.array_equal(new.skeleton.parents, old.skeleton.parents)
    assert np.abs(new.skeleton.offsets - old.skeleton.offsets).max() < 1e-6
    points, _ = old.skeleton.forward(*old.at(clip.source_times))
    assert np.abs(new.forward()[0] - points).max() * clip.placement.unit < 1e-4


def test_unit_and_axes_as_asked(tmp_path):
    clip = clip_of_character()
    save(clip, tmp_path / "out.bvh", unit=1.0, up="z")
    back = formats.read(tmp_path / "out.bvh")
    pos, _ = clip.character.forward(clip.q)
    head = back.forward()[0][:, back.skeleton.names.index("head"), 2]
    assert np.abs(head - pos[:, clip.character.body("head"), 2]).max() < 1e-4


def test_several_trees_share_one_root(tmp_path):
    clip = clip_of_file()
    binding = clip.character.binding
    parents = binding.skeleton.parents.copy()
    parents[1] = -1  # the pelvis no longer hangs on the scene joint
    skeleton = replace(binding.skeleton, parents=parents)
    character = replace(clip.character, binding=replace(binding, skeleton=skeleton))
    clip = replace(clip, character=character, recording=replace(clip.recording, skeleton=skeleton))
    save(clip, tmp_path / "out.bvh")
    back, rig = formats.read(tmp_path / "out.bvh"), rig_of(clip)
    assert back.skeleton.names[0] == "scene" and len(back.skeleton) == len(rig.skeleton) + 1
    toe = len(back.skeleton.names) - 1 - back.skeleton.names[::-1].index("RToe")
    assert np.abs(back.forward()[0][:, toe] - rig.forward()[0][:, rig.names.index("RToe")]).max() * rig.unit < 1e-4


def test_licence_lies_beside_the_file(tmp_path):
    save(clip_of_file(), tmp_path / "walk.bvh")
    assert "CC0: made up" in (tmp_path / "walk.licence.txt").read_text()
    unknown = replace(clip_of_file(), source=replace(clip_of_file().source, licence=""))
    save(unknown, tmp_path / "other.bvh")
    assert not (tmp_path / "other.licence.txt").exists()


def test_npz_comes_back(tmp_path):
    clip = clip_of_file()
    save(clip, tmp_path / "out.npz")
    back = formats.npz.load(tmp_path / "out.npz")
    assert np.array_equal(back.q, clip.q) and back.source.licence == clip.source.licence
    assert np.array_equal(rig_of(back).rotations, rig_of(clip).rotations)


@pytest.mark.parametrize("name", ["out.xyz", "out"])
def test_unknown_ending_lists_the_known_ones(name, tmp_path):
    with pytest.raises(BadValue, match=r"\.bvh \.glb"):
        save(clip_of_character(3), tmp_path / name)


def test_unknown_option_and_object_are_refused(tmp_path):
    with pytest.raises(BadValue, match="no option 'colour'"):
        save(clip_of_character(3), tmp_path / "out.glb", colour="red")
    with pytest.raises(BadValue, match="Only a motion"):
        save("a string", tmp_path / "out.glb")  # type: ignore[arg-type]


@pytest.mark.parametrize("ending", [e for e in WRITERS if e not in (".mp4", ".png")])
def test_folder_or_missing_place_gets_one_sentence_and_no_file(ending, tmp_path):
    clip = clip_of_character(3)
    (tmp_path / f"folder{ending}").mkdir()
    with pytest.raises(BadFile):
        save(clip, tmp_path / f"folder{ending}")
    with pytest.raises(BadFile):
        save(clip, tmp_path / "nowhere" / f"out{ending}")
    assert [p.name for p in tmp_path.iterdir()] == [f"folder{ending}"]


def test_anything_that_gives_a_clip_can_be_saved(tmp_path):
    class Performance:
        def as_clip(self):
            return clip_of_character(3)

    save(Performance(), tmp_path / "out.glb")
    assert (tmp_path / "out.glb").stat().st_size > 1000

"""USD: read back by the USD library itself."""

from __future__ import annotations

import numpy as np
import pytest

from export_samples import clip_of_character, clip_of_file
from poise.export import save
from poise.export.rig import rig_of

pytest.importorskip("pxr", reason="needs the extra [formats]")
from pxr import Usd, UsdGeom, UsdSkel


@pytest.mark.parametrize("ending", ["usda", "usdc", "usd"])
@pytest.mark.parametrize("clip", [clip_of_file(), clip_of_character()], ids=["file", "character"])
def test_skeleton_moves_like_the_clip(clip, ending, tmp_path):
    path = tmp_path / f"out.{ending}"
    save(clip, path)
    stage = Usd.Stage.Open(str(path))
    rig = rig_of(clip)
    assert UsdGeom.GetStageMetersPerUnit(stage) == pytest.approx(rig.unit)
    assert UsdGeom.GetStageUpAxis(stage) == rig.up.upper()
    assert stage.GetTimeCodesPerSecond() == pytest.approx(clip.fps)
    assert stage.GetRootLayer().customLayerData["licence"] == clip.source.licence
    cache = UsdSkel.Cache()
    cache.Populate(UsdSkel.Root(stage.GetPrimAtPath("/Motion")), Usd.PrimDefaultPredicate)
    query = cache.GetSkelQuery(UsdSkel.Skeleton(stage.GetPrimAtPath("/Motion/Skeleton")))
    assert query.HasBindPose() and query.HasRestPose()
    names = list(UsdSkel.Skeleton(stage.GetPrimAtPath("/Motion/Skeleton")).GetJointNamesAttr().Get())
    assert names == list(rig.names)
    expected = rig.forward()[0]
    for k in range(0, len(clip), 7):
        seen = np.array(query.ComputeJointSkelTransforms(k))[:, 3, :3]
        assert np.abs(seen - expected[k]).max() * rig.unit < 1e-5


def test_skin_at_rest_is_the_mesh_itself(tmp_path):
    clip = clip_of_character()
    save(clip, tmp_path / "out.usda")
    stage = Usd.Stage.Open(str(tmp_path / "out.usda"))
    cache = UsdSkel.Cache()
    root = UsdSkel.Root(stage.GetPrimAtPath("/Motion"))
    cache.Populate(root, Usd.PrimDefaultPredicate)
    skinning = cache.GetSkinningQuery(stage.GetPrimAtPath("/Motion/Body"))
    query = cache.GetSkelQuery(UsdSkel.Skeleton(stage.GetPrimAtPath("/Motion/Skeleton")))
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/Motion/Body"))
    rest = np.array(mesh.GetPointsAttr().Get())
    points = mesh.GetPointsAttr().Get()
    assert skinning.ComputeSkinnedPoints(query.ComputeSkinningTransforms(0), points, 0)
    moved = np.array(points)
    heights = moved[:, 1] * 0.01  # Y up, centimetres
    assert 1.4 < np.ptp(heights) < 2.0 and np.abs(moved - rest).max() > 1.0


def test_odd_joint_names_become_valid_and_unique(tmp_path):
    from dataclasses import replace

    clip = clip_of_file()
    binding = clip.character.binding
    names = tuple(f"mixamorig:{'Same' if n[0] in 'LR' else n} 1" for n in binding.skeleton.names)
    skeleton = replace(binding.skeleton, names=names)
    character = replace(clip.character, binding=replace(binding, skeleton=skeleton))
    clip = replace(clip, character=character, recording=replace(clip.recording, skeleton=skeleton))
    save(clip, tmp_path / "out.usda")
    stage = Usd.Stage.Open(str(tmp_path / "out.usda"))
    joints = list(UsdSkel.Skeleton(stage.GetPrimAtPath("/Motion/Skeleton")).GetJointsAttr().Get())
    assert len(set(joints)) == len(names) and UsdSkel.Topology(joints).Validate()[0]

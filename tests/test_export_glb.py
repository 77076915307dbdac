"""GLB: parsed back by another reader, joints and skin stand where the character stands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from conftest import recordings
from export_samples import clip_of_character, clip_of_file
from gltf_reader import Gltf
from poise.export import save, shapes, skin
from poise.export.rig import rig_of


@pytest.mark.parametrize("clip", [clip_of_file(), clip_of_character()], ids=["file", "character"])
def test_joints_move_like_the_clip(clip, tmp_path):
    path = tmp_path / "out.glb"
    save(clip, path)
    gltf = Gltf(path)
    expected = rig_of(clip).converted(1.0, "y").forward()[0]
    assert np.abs(gltf.joint_matrices()[..., :3, 3] - expected).max() < 1e-5
    assert [gltf.json["nodes"][j]["name"] for j in gltf.json["skins"][0]["joints"]] == list(rig_of(clip).names)


def test_skinned_vertices_lie_on_the_bodies(tmp_path):
    """Skinning as the specification says: a vertex stays where its shape is on the moving body."""
    clip = clip_of_file()
    save(clip, tmp_path / "out.glb", level=True)
    gltf = Gltf(tmp_path / "out.glb")
    mesh = gltf.json["meshes"][0]["primitives"][0]["attributes"]
    bind = gltf.array(gltf.json["skins"][0]["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
    joints = gltf.array(mesh["JOINTS_0"])[:, 0].astype(int)
    assert np.allclose(gltf.array(mesh["WEIGHTS_0"]), [1, 0, 0, 0])
    frame = 17
    matrices = gltf.joint_matrices()[frame] @ bind
    vertices = np.c_[gltf.array(mesh["POSITION"]), np.ones(len(joints))]
    shown = np.einsum("vij,vj->vi", matrices[joints], vertices)[:, :3]
    pos, quat = clip.character.forward(clip.q[frame])
    names = rig_of(clip).names
    for body, joint in (("left_foot", "LFoot"), ("right_thigh", "RThigh"), ("chest", "Chest")):
        b = clip.character.body(body)
        part = next(p for p in skin.body_parts(clip.character) if p.owner == b)
        if body == "chest":  # stands on a spine joint that the character does not have: only its size must agree
            spread = np.linalg.norm(shown[joints == names.index(joint)].std(axis=0))
            assert spread == pytest.approx(np.linalg.norm(part.solid.vertices.std(axis=0)), rel=1e-4)
            continue
        world = part.solid.placed(quat[0, b], pos[0, b]).vertices
        assert np.abs(shown[joints == names.index(joint)] - world[:, [1, 2, 0]]).max() < 1e-4


def test_fingers_are_drawn_and_the_mitten_is_not():
    clip = clip_of_file()
    rig = rig_of(clip)
    owners = {rig.names[p.owner] for p in skin.rig_parts(clip.character, rig)}
    assert {"LHand", "LIndex1", "LIndex2", "RThumb2"} <= owners
    hand = [p for p in skin.rig_parts(clip.character, rig) if rig.names[p.owner] == "LHand"]
    assert len(hand) == 3  # a bone of the palm to each finger


@pytest.mark.parametrize("path", recordings()[:1] + recordings()[-1:], ids=lambda p: p.stem)
def test_real_body_is_drawn_where_the_character_stands(path):
    """In the zero pose of a real character every shape of the rig lies on the character's own, the head too."""
    clip = pytest.importorskip("poise.motion.load").load_clip(path)
    character = clip.character
    still = replace(clip, q=np.tile(character.zero_pose(), (1, 1)), recording=None, source_times=None, labels=None)
    rig = rig_of(still, level=True)
    point, turn = rig.forward()
    placement = character.binding.placement
    pos, quat = character.forward(character.zero_pose())
    for drawn, own in zip(skin.rig_parts(character, rig), skin.body_parts(character), strict=True):
        seen = drawn.solid.placed(turn[0, drawn.owner], point[0, drawn.owner] * rig.unit).vertices
        world = placement.points(seen / rig.unit)
        assert np.abs(world - own.solid.placed(quat[0, own.owner], pos[0, own.owner]).vertices).max() < 1e-4


def test_licence_and_size(tmp_path):
    clip = clip_of_file(frames=300)
    save(clip, tmp_path / "out.glb")
    gltf = Gltf(tmp_path / "out.glb")
    assert gltf.json["asset"]["copyright"] == clip.source.licence
    assert (tmp_path / "out.glb").stat().st_size < 1_000_000


@pytest.mark.parametrize("solid", [
    shapes.capsule(0.1, 0.3), shapes.capsule(0.1, 0.3, 0.05), shapes.rounded_box(np.array([0.1, 0.2, 0.05])),
    shapes.ellipsoid(np.array([0.1, 0.2, 0.3])), shapes.cylinder(0.1, 0.2),
])  # fmt: skip
def test_solids_are_closed_and_face_outward(solid):
    corner = solid.vertices[solid.faces]
    area = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    assert np.linalg.norm(area, axis=-1).min() > 1e-9
    assert np.abs(area.sum(axis=0)).max() < 1e-12  # a closed surface
    assert np.einsum("fi,fi->f", area, corner.mean(axis=1)).min() > 0
    assert np.einsum("fi,fi->f", area, solid.normals[solid.faces].mean(axis=1)).min() > 0
    assert np.allclose(np.linalg.norm(solid.normals, axis=-1), 1)

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
from poise.export.weights import bound


@pytest.mark.parametrize("clip", [clip_of_file(), clip_of_character()], ids=["file", "character"])
def test_joints_move_like_the_clip(clip, tmp_path):
    path = tmp_path / "out.glb"
    save(clip, path)
    gltf = Gltf(path)
    expected = rig_of(clip).converted(1.0, "y").forward()[0]
    assert np.abs(gltf.joint_matrices()[..., :3, 3] - expected).max() < 1e-5
    assert [gltf.json["nodes"][j]["name"] for j in gltf.json["skins"][0]["joints"]] == list(rig_of(clip).names)


def test_skinned_vertices_lie_on_the_bodies(tmp_path):
    """Skinning as the specification says: away from joints a vertex stays where its shape is on the moving body."""
    clip = clip_of_file()
    save(clip, tmp_path / "out.glb", level=True)
    gltf = Gltf(tmp_path / "out.glb")
    mesh = gltf.json["meshes"][0]["primitives"][0]["attributes"]
    bind = gltf.array(gltf.json["skins"][0]["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
    joints, weights = gltf.array(mesh["JOINTS_0"]).astype(int), gltf.array(mesh["WEIGHTS_0"])
    assert np.allclose(weights.sum(axis=1), 1.0, atol=1e-6) and (weights[:, 1] > 0.2).any()
    frame = 17
    matrices = gltf.joint_matrices()[frame] @ bind
    vertices = np.c_[gltf.array(mesh["POSITION"]), np.ones(len(joints))]
    shown = np.einsum("vk,vkij,vj->vi", weights, matrices[joints], vertices)[:, :3]
    pos, quat = clip.character.forward(clip.q[frame])
    names, first = rig_of(clip).names, 0
    bodies = {names.index(joint): body for body, joint in (("left_foot", "LFoot"), ("right_thigh", "RThigh"))}
    checked = 0
    for drawn in skin.rig_parts(clip.character, rig_of(clip, True).converted(1.0, "y")):
        here = slice(first, first + len(drawn.solid.vertices))
        first = here.stop
        if drawn.owner not in bodies:
            continue
        b = clip.character.body(bodies[drawn.owner])
        whole = (weights[here, 0] > 0.999) & (joints[here, 0] == drawn.owner)
        same = [p.solid for p in skin.body_parts(clip.character) if p.owner == b]
        nearest = [
            s.placed(quat[0, b], pos[0, b]).vertices[:, [1, 2, 0]] for s in same if len(s.vertices) == len(whole)
        ]
        assert min(np.abs(shown[here][whole] - world[whole]).max() for world in nearest) < 1e-4
        checked += int(whole.sum())
    assert first == len(vertices) and checked > 100


def test_the_flesh_of_both_bones_moves_alike_at_their_joint():
    rig = rig_of(clip_of_character())
    shin = rig.names.index("left_shin")
    thigh = int(rig.parents[shin])
    knee = rig.skeleton.rest_pose()[0][shin] * rig.unit
    places = knee + 0.03 * np.random.default_rng(1).normal(size=(50, 3))
    of_shin, of_thigh = (bound(places, np.full(50, owner), rig) for owner in (shin, thigh))
    dense = [np.zeros((50, len(rig.names))) for _ in range(2)]
    for table, (joints, weights) in zip(dense, (of_shin, of_thigh), strict=True):
        for k in range(4):
            np.add.at(table, (np.arange(50), joints[:, k]), weights[:, k])
    assert np.abs(dense[0] - dense[1]).max() < 1e-9
    assert dense[0][:, shin].min() + 0.06 > 0.05 and dense[0][:, shin].max() > 0.9
    far = bound(knee + np.array([[0.0, 0.2, 0.0]]), np.array([thigh]), rig)
    assert far[0][0, 0] == thigh and far[1][0, 0] == 1.0


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

"""The user's own characters: MJCF and URDF files, good and bad."""

from __future__ import annotations

import re

import mujoco
import numpy as np
import pytest

from character_files import mjcf, urdf
from poise.character.load import load_character
from poise.character.roles import REQUIRED
from poise.errors import BadFile, PoiseError, UnknownName


@pytest.fixture
def figure(tmp_path):
    path = tmp_path / "figure.xml"
    path.write_text(mjcf())
    return path


@pytest.fixture
def robot(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(urdf())
    return path


def test_mjcf_body_is_taken_out_of_its_scene(figure):
    c = load_character(figure)
    assert "table" not in c.body_names and c.model.nu == 0 and c.model.nsensor == 0 and c.model.nkey == 0
    assert not np.any(c.model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE)
    assert c.joint_names[0] == "root" and c.model.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE
    whole = mujoco.MjModel.from_xml_string(mjcf())
    inside = [whole.body(n).id for n in c.body_names[1:]]
    assert c.mass == pytest.approx(whole.body_mass[inside].sum(), rel=1e-5)


def test_mjcf_roles_by_name(figure):
    roles = load_character(figure).roles
    assert set(REQUIRED) <= set(roles)
    assert roles["pelvis"] == "pelvis" and roles["chest"] == "torso"
    assert roles["left_forearm"] == "left_lower_arm"


def test_mjcf_torque_and_stiffness_from_the_file(figure):
    c = load_character(figure)
    assert np.allclose(c.torque_limit[c.dofs("left_shin")], 100.0)  # gear 200, half a unit of control
    assert c.stiffness[c.dofs("left_thigh")][2] == pytest.approx(20.0)
    assert np.all(c.stiffness[6:] > 0) and np.all(c.torque_limit[6:] > 0)
    assert not c.stiffness[:6].any() and not c.torque_limit[:6].any()


def test_mjcf_feet(figure):
    c = load_character(figure)
    assert len(c.contact_points) == 8
    points = c.points(c.standing_pose())[0]
    assert np.allclose(points[:, 2], 0.0, atol=1e-9)
    index = c.contact_points.names.index
    assert points[index("left_ball_inner"), 0] - points[index("left_heel_inner"), 0] > 0.15
    assert points[index("left_heel_outer"), 1] > points[index("left_heel_inner"), 1]
    assert points[index("right_heel_outer"), 1] < points[index("right_heel_inner"), 1]


def test_urdf_floats_and_gives_roles_to_the_limbs(robot):
    c = load_character(robot)
    assert c.model.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE and c.body_names[1] == "pelvis"
    assert c.roles["left_thigh"] == "left_hip_yaw_link"
    assert c.roles["left_shin"] == "left_knee_link"
    assert c.roles["right_foot"] == "right_ankle_roll_link"
    assert c.roles["left_upper_arm"] == "left_shoulder_yaw_link"
    assert np.allclose(c.torque_limit[c.dofs("left_shin")], 80.0)
    assert len(c.contact_points) == 8
    assert any("meshes" in note for note in c.notes)


def test_meshes_travel_inside_the_text(tmp_path):
    (tmp_path / "brick.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
    path = tmp_path / "m.xml"
    path.write_text(
        '<mujoco><asset><mesh name="k" file="brick.obj" scale="0.1 0.2 0.3"/></asset><worldbody><body name="a">'
        '<freejoint/><geom type="mesh" mesh="k" pos="1 2 3" euler="10 20 30"/></body></worldbody></mujoco>'
    )
    c = load_character(path)
    before, after = mujoco.MjModel.from_xml_path(str(path)), c.model
    corners = []
    for m in (before, after):
        d = mujoco.MjData(m)
        mujoco.mj_kinematics(m, d)
        v = d.geom_xpos[0] + m.mesh_vert @ d.geom_xmat[0].reshape(3, 3).T
        corners.append(v[np.lexsort(v.round(4).T)])
    assert np.allclose(*corners, atol=2e-5)


def test_roles_can_be_given(figure):
    c = load_character(figure, roles={"abdomen": "lwaist", "left_hand": "left_lower_arm"})
    assert c.roles["left_hand"] == "left_lower_arm" and "left_forearm" not in c.roles
    with pytest.raises(UnknownName, match="left_arm_7"):
        load_character(figure, roles={"left_hand": "left_arm_7"})
    with pytest.raises(UnknownName, match="left_wing"):
        load_character(figure, roles={"left_wing": "left_shin"})


def test_roles_by_the_names_of_joints(tmp_path):
    text = mjcf()
    for k, word in enumerate(("thigh", "shin", "foot", "upper_arm", "lower_arm")):
        for side in ("left", "right"):
            text = text.replace(f'body name="{side}_{word}"', f'body name="{side[0]}{k}"')
    path = tmp_path / "odd.xml"
    path.write_text(text)
    roles = load_character(path).roles
    assert roles["left_thigh"] == "l0" and roles["right_shin"] == "r1"


def test_roles_by_shape_where_nothing_has_a_name(tmp_path):
    path = tmp_path / "nameless.xml"
    bare = re.sub("<(tendon|actuator|sensor).*</\\1>", "", mjcf(), flags=re.S)
    path.write_text(re.sub(r' name="(?!wedge|grid|floor)[^"]*"', "", bare))
    c = load_character(path)
    assert set(REQUIRED) <= set(c.roles)
    pos, _ = c.forward(c.zero_pose())
    left, right = (pos[0, c.body(f"{s}_foot")] for s in ("left", "right"))
    assert left[1] > right[1] and left[2] < pos[0, c.body("pelvis"), 2]


@pytest.mark.parametrize(
    "content",
    [
        b"", b"\x00\x01\x02\xff" * 50, b"noise noise", b"<mujoco>", b"<html></html>", b"<mujoco/>",
        b"<robot name='r'/>", b"<mujoco><worldbody><body name='a'><freejoint/></body></worldbody></mujoco>",
        b"<mujoco><worldbody><body name='a'><geom type='mesh' mesh='no'/></body></worldbody></mujoco>",
        b"<robot name='r'><link name='a'/><link name='b'/></robot>",
        b"<mujoco><include file='nowhere.xml'/></mujoco>",
    ],
)  # fmt: skip
@pytest.mark.parametrize("ending", [".xml", ".urdf"])
def test_bad_files_get_one_sentence(tmp_path, content, ending):
    path = tmp_path / f"bad{ending}"
    path.write_bytes(content)
    with pytest.raises(BadFile) as caught:
        load_character(path)
    assert "\n" not in str(caught.value) and str(path) in str(caught.value)


def test_missing_files_folders_and_names(tmp_path):
    (tmp_path / "folder.xml").mkdir()
    for path in (tmp_path / "none.xml", tmp_path / "folder.xml"):
        with pytest.raises(BadFile):
            load_character(path)
    with pytest.raises(UnknownName, match="human42"):
        load_character("human43")
    with pytest.raises(PoiseError):
        load_character("human42", roles={"pelvis": "pelvis"})


@pytest.mark.parametrize("name", ["a.mjcf", "B.XML"])
def test_endings(tmp_path, name):
    (tmp_path / name).write_text(mjcf())
    assert load_character(tmp_path / name).has("left_foot")


def test_a_built_in_character_comes_back_from_its_own_text(tmp_path):
    own = load_character("human57")
    path = tmp_path / "copy.xml"
    path.write_text(own.xml)
    c = load_character(str(path))
    assert c.roles == own.roles and c.mass == pytest.approx(own.mass, abs=1e-6)
    assert np.allclose(c.points(c.standing_pose()).min(1), own.points(own.standing_pose()).min(1), atol=1e-5)

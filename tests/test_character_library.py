"""The built-in characters against the tables and conventions that they promise."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
import scipy.linalg

from poise.character import load
from poise.character.library import biped18, human57
from poise.character.roles import mirrored
from poise.maths import rotations as rot

NAMES = load.names()
HUMANS = ("human42", "human45", "human57", "runner", "monster")
FACTS = {  # links, degrees of freedom, mass [kg]
    "human42": (18, 42, 70.0),
    "human45": (14, 45, 72.0),
    "human57": (19, 57, 68.8236 + human57.HEAD),
    "biped18": (13, 18, 51.0),
    "runner": (17, 36, 70.0),
    "monster": (23, 48, None),
    "kangaroo": (19, 42, 55.0),
}


@pytest.mark.parametrize("name", NAMES)
def test_counts_and_mass(name):
    c = load.load_character(name)
    links, dofs, mass = FACTS[name]
    assert c.name == name and c.model.nbody - 1 == links and c.model.nv == dofs
    assert mass is None or c.mass == pytest.approx(mass, abs=1e-9)
    assert c.joint_names[0] == "root" and c.roles["pelvis"] == "pelvis" == c.body_names[1]
    assert load.load_character(name) is c


@pytest.mark.parametrize("name", NAMES)
def test_frames_lie_along_the_world(name):
    c = load.load_character(name)
    pos, quat = c.forward(c.zero_pose())
    assert np.allclose(quat, rot.IDENTITY) and np.allclose(pos[0, 1], 0.0)


@pytest.mark.parametrize("name", NAMES)
def test_matter_is_possible(name):
    """Principal inertias are positive and none exceeds the sum of the other two."""
    inertia = load.load_character(name).model.body_inertia[1:]
    assert inertia.min() > 1e-6
    assert np.all(2 * inertia.max(1) <= inertia.sum(1) * (1 + 1e-9))


@pytest.mark.parametrize("name", NAMES)
def test_text_is_the_whole_model(name):
    c = load.load_character(name)
    spec = mujoco.MjSpec.from_string(c.xml)
    assert not spec.compiler.degree
    again = mujoco.MjModel.from_xml_string(spec.to_xml() if spec.compile() else "")
    for field in ("body_mass", "body_ipos", "body_pos", "jnt_range", "geom_size", "body_inertia", "geom_contype"):
        assert np.allclose(getattr(again, field), getattr(c.model, field), rtol=1e-5, atol=1e-6), field


@pytest.mark.parametrize("name", NAMES)
def test_soles_are_flat_and_made_of_the_lowest_corners(name):
    c = load.load_character(name)
    q = c.standing_pose()
    points = c.points(q)[0]
    feet = points[c.contact_points.feet]
    assert np.ptp(feet[:, 2]) < 1e-9 and abs(feet[:, 2]).max() < 1e-9
    assert len(feet) == (12 if c.has("left_toes") else 8)
    data = mujoco.MjData(c.model)
    data.qpos[:] = q
    mujoco.mj_kinematics(c.model, data)
    names = c.contact_points.names
    for side in ("left", "right"):
        mine = points[c.contact_points.of(side)]
        boxes = [g for g in range(c.model.ngeom) if c.model.geom_type[g] == mujoco.mjtGeom.mjGEOM_BOX
                 and c.body_names[c.model.geom_bodyid[g]] in (f"{side}_foot", f"{side}_toes")]  # fmt: skip
        corners = np.concatenate([_lower_corners(data.geom_xpos[g], c.model.geom_size[g]) for g in boxes])
        for p in mine:
            assert np.linalg.norm(corners - p, axis=1).min() < 1e-5
        inner, outer = (points[names.index(f"{side}_heel_{edge}")] for edge in ("inner", "outer"))
        assert abs(inner[1]) < abs(outer[1])
    assert _lowest_surface(c.model, data) > -1e-6


def _lower_corners(centre, size):
    return np.array([centre + size * np.array([x, y, -1.0]) for x in (-1, 1) for y in (-1, 1)])


def _lowest_surface(model, data) -> float:
    from poise.character.model_files.from_file import _surface

    return min(_surface(model, data, g)[:, 2].min() for g in range(model.ngeom))


@pytest.mark.parametrize("name", NAMES)
def test_left_and_right_are_mirror_images(name):
    c = load.load_character(name)
    flip = np.diag([1.0, -1.0, 1.0])
    for left in (b for b in c.body_names if b.startswith("left_")):
        a, b = c.model.body(left).id, c.model.body(mirrored(left)).id
        assert c.model.body_mass[a] == c.model.body_mass[b]
        assert np.allclose(flip @ c.model.body_ipos[a], c.model.body_ipos[b], atol=1e-9)
        tensors = []
        for k in (a, b):
            R = rot.to_matrix(c.model.body_iquat[k])
            tensors.append(R @ np.diag(c.model.body_inertia[k]) @ R.T)
        assert np.allclose(flip @ tensors[0] @ flip, tensors[1], rtol=1e-4, atol=1e-8)
        first, second = c.dofs(left), c.dofs(mirrored(left))
        assert np.array_equal(c.torque_limit[first], c.torque_limit[second])
        assert np.array_equal(c.stiffness[first], c.stiffness[second])
        for j in range(int(c.model.body_jntnum[a])):
            p, q = int(c.model.body_jntadr[a]) + j, int(c.model.body_jntadr[b]) + j
            low, high = c.model.jnt_range[p]
            lateral = c.model.jnt_type[p] == mujoco.mjtJoint.mjJNT_BALL or abs(c.model.jnt_axis[p, 1]) > 0.5
            assert np.allclose(c.model.jnt_range[q], (low, high) if lateral else (-high, -low))


@pytest.mark.parametrize("name", NAMES)
def test_nothing_touches_itself_as_it_stands(name):
    c = load.load_character(name)
    data = mujoco.MjData(c.model)
    mujoco.mj_forward(c.model, data)
    assert data.ncon == 0


@pytest.mark.parametrize("name", NAMES)
def test_legs_collide_with_each_other_and_with_a_default_ground(name):
    c = load.load_character(name)
    spec = mujoco.MjSpec.from_string(c.xml)
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 0.1])
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:] = c.standing_pose()
    data.qpos[2] -= 0.002
    mujoco.mj_forward(model, data)
    touching = {model.body(model.geom_bodyid[g]).name for con in data.contact for g in con.geom}
    assert {"left_foot", "right_foot"} <= touching
    shins = [g for g in range(model.ngeom) if model.body(model.geom_bodyid[g]).name.endswith("_shin")]
    left = next(g for g in shins if "left" in model.geom(g).name)
    right = next(g for g in shins if "right" in model.geom(g).name)
    assert model.geom_contype[left] & model.geom_conaffinity[right]
    assert not model.geom_contype[left] & model.geom_conaffinity[left]


@pytest.mark.parametrize("name", HUMANS)
def test_human_proportions(name):
    c = load.load_character(name)
    q = c.standing_pose()
    assert 0.55 < c.centre_of_mass(q)[0, 2] / c.height < 0.58
    pos, _ = c.forward(q)
    hip, shoulder = (pos[0, c.body(f"left_{part}"), 2] / c.height for part in ("thigh", "upper_arm"))
    assert 0.51 < hip < 0.55 and 0.79 < shoulder < 0.83
    com, points = c.centre_of_mass(q)[0], c.points(q)[0, c.contact_points.feet]
    assert points[:, 0].min() < com[0] < points[:, 0].max()


def test_feet_of_human42_are_26_cm():
    c = load.load_character("human42")
    points = c.points(c.standing_pose())[0, c.contact_points.feet]
    assert np.ptp(points[:, 0]) == pytest.approx(0.26, abs=1e-5)
    assert c.height == pytest.approx(1.75, abs=1e-3)


def test_human42_stiffness_is_the_mass_of_the_subtree():
    c = load.load_character("human42")
    for d in range(6, c.model.nv):
        assert c.stiffness[d] == pytest.approx(c.model.body_subtreemass[c.model.dof_bodyid[d]], rel=1e-6)


def free_vibrations(name: str) -> np.ndarray:
    """Squared frequencies [(rad/s)²] of the body in free space, springs of its stiffness at rest in the zero pose."""
    c = load.load_character(name)
    data = mujoco.MjData(c.model)
    mujoco.mj_forward(c.model, data)
    mass = np.zeros((c.model.nv, c.model.nv))
    mujoco.mj_fullM(c.model, data, mass)
    return scipy.linalg.eigh(np.diag(c.stiffness), mass, eigvals_only=True)


def test_human42_has_the_papers_count_of_slow_vibrations():
    """Jain & Liu 2011, results: threshold 100 (rad/s)² gives 14 low-frequency and 22 high-frequency modes."""
    squared = free_vibrations("human42")
    assert np.all(np.abs(squared[:6]) < 1e-6)
    assert np.sum(squared[6:] < 100.0) == 14 and np.sum(squared[6:] > 100.0) == 22


@pytest.mark.parametrize("name", ("runner", "monster", "kangaroo"))
def test_running_bodies_vibrate_at_running_pace(name):
    hertz = np.sqrt(free_vibrations(name)[6:]) / (2 * np.pi)
    assert 1.0 < hertz[0] < 2.0 and np.sum(hertz < 4.0) >= 6


def test_human57_is_table_3():
    c = load.load_character("human57")
    for role, mass in human57.MASSES.items():
        assert c.model.body(role).mass[0] == pytest.approx(mass, abs=1e-9)
    for role, k in human57.STIFFNESS.items():
        assert np.all(c.stiffness[c.dofs(role)] == k)
    balls = np.sum(c.model.jnt_type == mujoco.mjtJoint.mjJNT_BALL)
    assert balls == 17 and c.model.njnt == 18


def test_biped18_is_table_2():
    c = load.load_character("biped18")
    m = c.model
    assert np.all(m.jnt_type[1:] == mujoco.mjtJoint.mjJNT_HINGE) and np.allclose(m.jnt_axis[1:], [0, 1, 0])
    for part in ("upper_arm", "forearm", "thigh", "shin", "foot"):
        k, mass, inertia = biped18.TABLE[part]
        body = m.body(f"left_{part}")
        R = rot.to_matrix(m.body_iquat[body.id])
        assert body.mass[0] == mass and c.stiffness[c.dofs(f"left_{part}")][0] == k
        assert (R @ np.diag(body.inertia) @ R.T)[1, 1] == pytest.approx(inertia, rel=1e-5)
    pieces = [m.body(b) for b in ("pelvis", "chest")]
    pos, _ = c.forward(c.zero_pose())
    mass = np.array([b.mass[0] for b in pieces])
    z = np.array([pos[0, b.id, 2] + b.ipos[2] for b in pieces])
    lateral = [(rot.to_matrix(b.iquat) @ np.diag(b.inertia) @ rot.to_matrix(b.iquat).T)[1, 1] for b in pieces]
    middle = mass @ z / mass.sum()
    assert mass.sum() == pytest.approx(10.0) and sum(lateral) + mass @ (z - middle) ** 2 == pytest.approx(
        0.176, rel=1e-4
    )


def test_the_zero_pose_obeys_every_limit():
    for name in NAMES:
        m = load.load_character(name).model
        for j in np.flatnonzero(m.jnt_limited):
            assert m.jnt_range[j, 0] <= 0.0 <= m.jnt_range[j, 1]


@pytest.mark.parametrize("name", ("human42", "kangaroo"))
def test_knees_bend_the_right_way(name):
    """Positive about Y brings a foot back; a knee may do that and an elbow the opposite."""
    c = load.load_character(name)
    q = c.zero_pose()
    j = int(c.model.body("left_shin").jntadr[0])
    q[c.model.jnt_qposadr[j]] = 0.8
    pos, _ = c.forward(q)
    straight, _ = c.forward(c.zero_pose())
    foot = c.body("left_foot")
    assert pos[0, foot, 0] < straight[0, foot, 0] and c.model.jnt_range[j, 1] > 0.8
    elbow = int(c.model.body("left_forearm").jntadr[0])
    assert c.model.jnt_range[elbow, 0] < -0.8


@pytest.mark.parametrize("name", NAMES)
def test_a_limp_body_falls_and_comes_to_no_harm(name):
    """One second without muscles, with joint damping, on a ground: no warning, nothing deep in the ground."""
    c = load.load_character(name)
    spec = mujoco.MjSpec.from_string(c.xml)
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 0.1])
    model = spec.compile()
    model.opt.timestep, model.opt.integrator = 1 / 480, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    model.dof_damping[6:] = 0.02 * c.torque_limit[6:]
    data = mujoco.MjData(model)
    data.qpos[:] = c.standing_pose()
    data.qvel[0] = 0.5
    for _ in range(480):
        mujoco.mj_step(model, data)
    assert all(w.number == 0 for w in data.warning) and np.all(np.isfinite(data.qpos))
    assert data.time == pytest.approx(1.0) and np.abs(data.qvel).max() < 40
    assert data.qpos[2] < c.standing_pose()[2] and data.xipos[1:, 2].min() > -0.02


def test_the_documented_table_is_true():
    from pathlib import Path

    from poise.character.library import table

    page = Path(__file__).parents[1] / "docs" / "characters.md"
    assert table() in page.read_text(encoding="utf-8")

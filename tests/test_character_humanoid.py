"""Bodies made from any set of joints: masses that sum, shapes that fit, sense in every subset of roles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.character.bodies import anthropometry as body
from poise.character.bodies.humanoid import body_inertials, humanoid, link_order
from poise.character.bodies.landmarks import complete
from poise.character.library.humans import standing
from poise.character.roles import REQUIRED, ROLES
from poise.errors import BadValue, NoRoles, UnknownName

OPTIONAL = ("abdomen", "chest", "head", "toes", "clavicle", "upper_arm", "forearm", "hand", "neck")


def joints_of(height: float = 1.7, leave_out: tuple[str, ...] = ()):
    joints, tips = standing(height, 0.15 * height, leave_out)
    if "neck" not in leave_out:
        joints["neck"] = joints.get("head", np.array([0.0, 0.0, 0.86 * height]))
        if "head" in joints:
            joints["head"] = joints["neck"] + np.array([0.0, 0.0, 0.04 * height])
    return joints, tips


@pytest.mark.parametrize("sex", ["female", "male", "mean"])
def test_shares_sum_to_one(sex):
    paired = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot")
    total = sum(body.mass_share(n, sex) * (2 if n in paired else 1) for n in body.table(sex))
    assert total == pytest.approx(1.0, abs=1e-15)
    rows = body.table(sex)
    printed = sum(r.mass * (2 if n in paired else 1) for n, r in rows.items())
    assert printed == pytest.approx(100.0, abs=0.02)  # the table's own rounding


def test_trunk_parts_agree_with_the_whole_trunk_of_the_table():
    """de Leva prints the trunk as one segment too: mass 43.46 %, centre 44.86 % from suprasternale, for men."""
    rows = body.table("male")
    parts = ["upper_trunk", "middle_trunk", "lower_trunk"]
    top, moment, mass = 0.0, 0.0, 0.0
    for p in parts:
        moment += rows[p].mass * (top + 0.01 * rows[p].centre * rows[p].length)
        mass += rows[p].mass
        top += rows[p].length
    assert mass == pytest.approx(43.46, abs=0.01)
    assert moment / mass / top == pytest.approx(0.4486, abs=0.02)


@settings(max_examples=25, deadline=None)
@given(
    st.sets(st.sampled_from(OPTIONAL)),
    st.floats(1.0, 2.3),
    st.floats(20.0, 150.0),
)
def test_any_subset_of_roles_weighs_its_weight_and_stands(leave_out, height, weight):
    joints, tips = joints_of(height, tuple(leave_out))
    c = humanoid("x", joints, tips=tips, weight=weight, height=height)
    assert c.mass == pytest.approx(round(weight, 4), abs=1e-9)
    assert list(c.body_names[1:]) == link_order(joints)
    inertia = c.model.body_inertia[1:]
    assert inertia.min() > 0 and np.all(2 * inertia.max(1) <= inertia.sum(1) * (1 + 1e-9))
    q = c.standing_pose()
    assert np.ptp(c.points(q)[0, c.contact_points.feet, 2]) < 1e-9
    assert 0.9 * height < c.height < 1.1 * height
    com = c.centre_of_mass(q)[0]
    assert 0.54 < com[2] / height < 0.59 and abs(com[1]) < 1e-5


def test_merging_keeps_mass_centre_and_inertia():
    """A body whose spine is one piece is the welded body of one whose spine has joints."""
    full, tips = joints_of()
    bare = {r: p for r, p in full.items() if r in REQUIRED}
    whole = body.combine(body_inertials(complete(full, tips, 1.7), 70.0).values())
    c = humanoid("x", full, tips=tips, weight=70.0, height=1.7)
    d = humanoid("y", bare, tips=tips, weight=70.0, height=1.7)
    com = c.centre_of_mass(c.standing_pose())[0]
    assert com == pytest.approx(whole.centre, abs=2e-5)
    assert d.centre_of_mass(d.standing_pose())[0] == pytest.approx(com, abs=0.02)  # arms are estimated there


def test_parallel_axes_and_welding():
    a, b = (
        body.box(2.0, np.array([0.0, 0, 0.5]), np.array([0.1, 0.2, 0.5])),
        body.box(2.0, np.array([0.0, 0, -0.5]), np.array([0.1, 0.2, 0.5])),
    )
    both, whole = body.combine([a, b]), body.box(4.0, np.zeros(3), np.array([0.1, 0.2, 1.0]))
    assert np.allclose(both.inertia, whole.inertia) and np.allclose(both.centre, 0)


def test_segment_inertia_turns_with_the_segment():
    up = body.segment("thigh", np.array([0, 0, 1.0]), np.zeros(3), 70.0)
    flat = body.segment("thigh", np.zeros(3), np.array([1.0, 0, 0]), 70.0)
    assert up.inertia[0, 0] == pytest.approx(flat.inertia[2, 2]) and up.inertia[2, 2] == pytest.approx(
        flat.inertia[0, 0]
    )
    assert up.mass == flat.mass


def test_one_spine_joint_carries_what_is_above_it():
    low, tips = joints_of(1.7, ("abdomen", "neck"))
    low["chest"] = np.array([0.0, 0.0, 0.6 * 1.7])
    high = {**low, "chest": np.array([0.0, 0.0, 0.7 * 1.7])}
    masses = [humanoid("x", j, tips=tips, weight=70.0, height=1.7).model.body("chest").mass[0] for j in (low, high)]
    assert masses[0] - masses[1] == pytest.approx(70 * body.mass_share("middle_trunk"), abs=1e-3)


def test_a_given_mass_or_stiffness_is_kept():
    joints, tips = joints_of()
    c = humanoid("x", joints, tips=tips, weight=70.0, masses={"head": 3.0}, stiffness={"left_shin": 123.0})
    assert c.model.body("head").mass[0] == 3.0
    assert np.all(c.stiffness[c.dofs("left_shin")] == 123.0)


def test_defaults_come_from_the_legs():
    joints, _ = joints_of(1.8)
    c = humanoid("x", {r: joints[r] for r in REQUIRED})
    assert c.height == pytest.approx(1.8, abs=0.05)
    assert c.mass == pytest.approx(22.5 * 1.8**2, rel=0.03)


def test_sole_lies_below_everything_known_of_the_feet():
    joints, tips = joints_of()
    for side in ("left", "right"):
        joints[f"{side}_toes"] = joints[f"{side}_toes"] + np.array([0.0, 0.0, -0.01])
    c = humanoid("x", joints, tips=tips, weight=70.0)
    pos, _ = c.forward(c.standing_pose())
    assert pos[0, c.body("left_toes"), 2] >= -1e-9


@pytest.mark.parametrize("kind, count", [("ball", 3), ("hinge_y", 1), ("yx", 2), ("zyx", 3), ("fixed", 0)])
def test_kinds_of_joints(kind, count):
    joints, tips = joints_of()
    c = humanoid("x", joints, tips=tips, dofs={"left_foot": kind})
    assert len(c.dofs("left_foot")) == count


def test_wrong_input_gets_a_sentence():
    joints, tips = joints_of()
    with pytest.raises(NoRoles, match="left_shin"):
        humanoid("x", {r: p for r, p in joints.items() if r != "left_shin"})
    with pytest.raises(UnknownName, match="left_wing"):
        humanoid("x", {**joints, "left_wing": np.zeros(3)})
    with pytest.raises(UnknownName, match="tail"):
        humanoid("x", joints, tips={"tail": np.zeros(3)})
    with pytest.raises(UnknownName, match="slide"):
        humanoid("x", joints, dofs={"left_foot": "slide"})
    with pytest.raises(UnknownName):
        humanoid("x", joints, dofs={"left_tail": "ball"})
    for bad in (0.0, -3.0, float("nan")):
        with pytest.raises(BadValue):
            humanoid("x", joints, tips=tips, weight=bad)
        with pytest.raises(BadValue):
            humanoid("x", joints, tips=tips, height=bad)
    with pytest.raises(BadValue, match="head"):
        humanoid("x", {**joints, "head": np.array([0.0, np.nan, 1.0])})


def test_order_is_the_models():
    joints, tips = joints_of()
    assert set(joints) == set(ROLES)
    c = humanoid("x", joints, tips=tips)
    assert tuple(link_order(joints)) == c.body_names[1:]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(-0.06, 0.06), min_size=3 * 22, max_size=3 * 22))
def test_odd_skeletons_still_make_bodies(noise):
    """Joints moved by centimetres, tips too: still matter that can exist, soles flat, weight kept."""
    joints, tips = joints_of(1.7)
    shift = iter(np.array(noise).reshape(-1, 3))
    joints = {r: p + next(shift) for r, p in joints.items() if r in ROLES}
    c = humanoid("x", joints, tips=tips, weight=70.0)
    inertia = c.model.body_inertia[1:]
    assert inertia.min() > 0 and np.all(2 * inertia.max(1) <= inertia.sum(1) * (1 + 1e-9))
    assert np.ptp(c.points(c.standing_pose())[0, c.contact_points.feet, 2]) < 3e-6  # the model is text of six digits
    assert c.mass == pytest.approx(70.0, abs=1e-9)


def moved(joints, change):
    """The joints, each after change(role, place)."""
    return {role: np.asarray(change(role, place.copy()), float) for role, place in joints.items()}


ARMS = ("upper_arm", "forearm", "hand", "clavicle")
ODD = {
    "shoulders at the hips": lambda r, p: [*p[:2], 0.9] if r.endswith(ARMS) else p,
    "shoulders below the hips": lambda r, p: [*p[:2], 0.5] if r.endswith(ARMS) else p,
    "no trunk": lambda r, p: [*p[:2], 0.9] if r.endswith((*ARMS, "neck", "head", "chest", "abdomen")) else p,
    "hips in one place": lambda r, p: [p[0], 0.0, p[2]] if r.endswith("thigh") else p,
    "head below the pelvis": lambda r, p: [*p[:2], 0.4] if r == "head" else p,
    "arms across": lambda r, p: [0.0, 3.0 * p[1], 1.4] if r.endswith(ARMS) else p,
}


@pytest.mark.parametrize("ends", [True, False])
@pytest.mark.parametrize("odd", ODD)
def test_bodies_of_odd_proportions_are_built(odd, ends):
    joints, tips = joints_of(1.7)
    assert_sound(humanoid("x", moved(joints, ODD[odd]), tips=tips if ends else None, weight=70.0))


@pytest.mark.parametrize("upper, lower", [("thigh", "shin"), ("shin", "foot"), ("foot", "toes"),
                                          ("upper_arm", "forearm"), ("forearm", "hand"), ("neck", "head"),
                                          ("abdomen", "chest")])  # fmt: skip
def test_a_bone_without_length_is_built(upper, lower):
    joints, tips = joints_of(1.7)
    for side in ("left_", "right_", ""):
        if side + upper in joints:
            joints[side + lower] = joints[side + upper].copy()
    assert_sound(humanoid("x", joints, tips=tips, weight=70.0, height=1.7))


def test_hands_without_size_are_built():
    joints, tips = joints_of(1.7)
    for side in ("left", "right"):
        tips[f"{side}_hand"] = joints[f"{side}_hand"] + [0.0, 0.0, -1e-6]
    assert_sound(humanoid("x", joints, tips=tips, weight=70.0))


def assert_sound(c):
    """Weight kept, joints of matter that can exist, nothing flat."""
    inertia = c.model.body_inertia[1:]
    assert inertia.min() > 0 and np.all(2 * inertia.max(1) <= inertia.sum(1) * (1 + 1e-9))
    assert c.mass == pytest.approx(70.0, abs=1e-9)
    capsule = c.model.geom_type == 3
    assert c.model.geom_size[~capsule].min() > 1e-3 and c.model.geom_size[capsule, :2].min() > 1e-4
    assert np.all(np.isfinite(c.model.body_ipos)) and np.abs(c.model.geom_pos).max() < 1.7


def test_bodies_that_no_model_can_hold_get_a_sentence():
    joints, _ = joints_of(1.7)
    with pytest.raises(BadValue, match=r"0\.0017 m"):
        humanoid("x", moved(joints, lambda r, p: 1e-3 * p))
    with pytest.raises(BadValue, match="kg"):
        humanoid("x", joints, weight=1e-4)
    with pytest.raises(BadValue, match="legs"):
        humanoid("x", moved(joints, lambda r, p: 0.0 * p))


def test_each_sole_can_have_its_own_height():
    joints, tips = joints_of(1.7)
    drop = {"left": 0.07, "right": 0.085}
    for side, depth in drop.items():
        tips[f"{side}_sole"] = joints[f"{side}_foot"] - [0.0, 0.0, depth]
    c = humanoid("x", joints, tips=tips, weight=70.0)
    pos, _ = c.forward(c.zero_pose())
    points = c.points(c.zero_pose())[0]
    for side, depth in drop.items():
        below = pos[0, c.body(f"{side}_foot"), 2] - points[c.contact_points.of(side), 2]
        assert np.allclose(below, depth, atol=2e-6)
        foot = c.model.body(f"{side}_foot").id
        boxes = [g for g in range(c.model.ngeom) if c.model.geom_bodyid[g] == foot and c.model.geom_type[g] == 6]
        assert c.model.geom_size[boxes[0], 2] - c.model.geom_pos[boxes[0], 2] == pytest.approx(depth, abs=1e-5)

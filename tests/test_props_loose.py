"""Loose props: cans, rods, meshes and trays on the stage, what they touch, and the audit of their momentum."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import poise
from gltf_reader import Gltf
from poise import Ball, Box, Capsule, Compound, Cylinder, Mesh, Piece, PropMotion, Push, Sphere, Stage
from poise.errors import BadValue, UnknownName
from poise.judge.props import rigid
from poise.maths import rotations as rot
from poise.stage.described import described
from poise.take import Take
from poise.take.description import describe

BRICK = [[x, y, z] for x in (-0.1, 0.1) for y in (-0.08, 0.08) for z in (-0.05, 0.05)]
TRAY = 2.0 + 0.1 * (1 - np.cos(np.linspace(0, 2 * np.pi, 60)))
STAGE = Stage(
    props=[
        Box("crate", position=(1.2, 0.5, 0.6), pitch=20, size=(0.3, 0.2, 0.4)),
        Sphere("marble", position=(0.3, 0.05, 1.9)),
        Cylinder("can", position=(1.0, -0.6, 0.5), turn=(0.9238795, 0.3826834, 0, 0)),
        Capsule("rod", position=(-0.8, 0.3, 0.8), turn=(0.7071068, 0.7071068, 0, 0)),
        Mesh("brick", parts=[BRICK], position=(0, 1.2, 0.5), mass=2.0),
        Compound(
            "mug",
            pieces=[Piece("cylinder", (0.04, 0.05)), Piece("capsule", (0.01, 0.03), (0.06, 0, 0))],
            position=(-1, -1, 0.6),
        ),
        Box("shelf", size=(0.4, 0.4, 0.02), position=(2, -1, 0.3), fixed=True),
        Box("tray", size=(0.3, 0.3, 0.02), mass=1, position=(2, 1, 0.5)),
        Cylinder("cup", position=(2, 1, 0.565), length=0.1),
    ],
    events=[
        Push("crate", force=(30, 0, 10), at=0.3, duration=0.1),
        Ball(mass=1.0, at=0.1, speed=6, toward="chest"),
        PropMotion("tray", place=[(x, 1.0, 0.5) for x in TRAY], fps=60),
    ],
)


@pytest.fixture(scope="module")
def take() -> Take:
    return poise.perform(poise.load_clip("stand"), "pd", stage=STAGE, seconds=0.8)


def test_what_touches_props_explains_how_they_move(take: Take) -> None:
    report = poise.audit(take)
    assert report.props_audited and not any(f.kind.startswith("prop") for f in report.findings)
    assert report.prop_force.value < 0.05 and report.prop_torque.value < 0.1
    assert "unexplained of props" in report.text()
    rows = take.prop_contacts
    assert rows is not None
    touched = {rows.others[b] for b in np.unique(rows.body)}
    assert {"crate", "can", "brick", "cup"} <= touched and "shelf" not in touched


@pytest.mark.parametrize("name", ["crate", "can", "mug"])
def test_a_prop_that_something_hidden_lifts_is_found(take: Take, name: str) -> None:
    pose = np.array(take.props[name])
    pose[:, 2] += 0.5 * 0.2 * 9.81 * take.time**2  # a fifth of its weight
    report = poise.audit(take.with_(props={**take.props, name: pose}))
    found = next(f for f in report.findings if f.kind == "prop_force")
    assert found.body == name and found.value == pytest.approx(0.2, abs=0.05) and not report.passed


def test_forces_of_props_must_lie_in_their_cones_and_on_their_surfaces(take: Take) -> None:
    rows = take.prop_contacts
    assert rows is not None
    from dataclasses import replace

    slippery = replace(rows, friction=np.where(rows.bilateral, rows.friction, 1e-3))
    assert "prop_cone" in {f.kind for f in poise.audit(take.with_(prop_contacts=slippery)).findings}
    away = replace(rows, point=rows.point + np.array([0.0, 0.0, 0.2]))
    assert "prop_place" in {f.kind for f in poise.audit(take.with_(prop_contacts=away)).findings}


def test_a_take_that_does_not_tell_what_props_touch_is_not_measured(take: Take) -> None:
    report = poise.audit(take.with_(prop_contacts=None))
    assert not report.props_audited and report.prop_force.value == 0.0


def test_takes_keep_what_props_touch(take: Take, tmp_path: Path) -> None:
    take.save(tmp_path / "take.npz")
    again = Take.load(tmp_path / "take.npz")
    assert again.prop_contacts is not None and take.prop_contacts is not None
    assert np.array_equal(again.prop_contacts.rows(), take.prop_contacts.rows())
    assert again.prop_contacts.others == take.prop_contacts.others
    part = again.cut(0.2, 0.5)
    assert part.prop_contacts is not None and part.prop_contacts.frame.max() < len(part)
    assert described(again.stage, again.ground).values["mug"] == STAGE.prop("mug")


def test_a_led_prop_goes_its_way_and_carries_what_stands_on_it(take: Take) -> None:
    wanted = np.interp(take.time, np.arange(60) / 60, TRAY)
    assert take.props["tray"][:, 0] == pytest.approx(wanted, abs=2e-3)
    assert take.props["tray"][:, 2] == pytest.approx(0.5, abs=1e-3)
    carried = take.props["cup"][-1, 0] - take.props["cup"][0, 0]
    assert carried == pytest.approx(wanted[-1] - wanted[0], abs=0.03)
    assert np.ptp(take.props["shelf"], axis=0) == pytest.approx(0.0)


def test_mass_and_inertia_are_those_of_the_shapes() -> None:
    found = described(describe(STAGE), STAGE.ground)
    brick = rigid(found.model, found.bodies["brick"])
    assert brick.mass == 2.0 and brick.half == pytest.approx(0.1)
    assert np.diag(brick.inertia) == pytest.approx(
        2.0 / 12 * np.array([0.16**2 + 0.1**2, 0.2**2 + 0.1**2, 0.2**2 + 0.16**2])
    )
    mug = rigid(found.model, found.bodies["mug"])
    assert mug.centre[0] > 1e-3 and mug.centre[1:] == pytest.approx([0.0, 0.0], abs=1e-9)


def test_glb_shows_props_where_they_are(take: Take, tmp_path: Path) -> None:
    take.save(tmp_path / "take.glb")
    file = Gltf(tmp_path / "take.glb")
    nodes = [n.get("name") for n in file.json["nodes"]]
    animation = file.json["animations"][0]
    pelvis = nodes.index(take.character.body_names[1])
    moves = {c["target"]["node"]: animation["samplers"][c["sampler"]]["output"] for c in animation["channels"]
             if c["target"]["path"] == "translation"}  # fmt: skip
    crate, root = file.array(moves[nodes.index("crate")]), file.array(moves[pelvis])
    away = take.props["crate"][:, :3] - take.q[:, :3]
    assert np.linalg.norm(crate - root, axis=1) == pytest.approx(np.linalg.norm(away, axis=1), abs=2e-3)
    assert (crate - root)[:, 1] == pytest.approx(away[:, 2], abs=2e-3)  # Y is up
    seen = [c for c in animation["channels"] if c["target"]["path"] == "scale"]
    assert [c["target"]["node"] for c in seen] == [nodes.index("ball_0")]  # it is not there before it is thrown


def test_usd_shows_props_where_they_are(take: Take, tmp_path: Path) -> None:
    pytest.importorskip("pxr", reason="needs the extra [formats]")
    from pxr import Usd, UsdGeom

    take.save(tmp_path / "take.usda")
    stage = Usd.Stage.Open(str(tmp_path / "take.usda"))
    unit = UsdGeom.GetStageMetersPerUnit(stage)
    prim = stage.GetPrimAtPath("/Motion/Props/crate")
    for k in (0, 40, 96):
        matrix = np.array(UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(k))
        up = matrix[3, 1 if UsdGeom.GetStageUpAxis(stage) == "Y" else 2] * unit
        assert up == pytest.approx(take.props["crate"][k, 2], abs=2e-3)
        assert np.linalg.det(matrix[:3, :3]) == pytest.approx(1.0, abs=1e-5)


def test_props_without_a_meaning_are_refused() -> None:
    with pytest.raises(BadValue, match="mass"):
        Cylinder(mass=0.0)
    with pytest.raises(BadValue, match="length one"):
        Capsule(turn=(1, 1, 0, 0))
    with pytest.raises(BadValue, match="at least 4 points"):
        Mesh(parts=[[(0, 0, 0), (1, 0, 0)]])
    with pytest.raises(BadValue, match="flat"):
        _ = Mesh(parts=[[(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]]).hulls
    with pytest.raises(BadValue, match="no shape"):
        Compound()
    with pytest.raises(UnknownName, match="tray"):
        Stage(props=[Box("tray")], events=[PropMotion("cup", [(0, 0, 0)])])
    with pytest.raises(BadValue, match="fixed"):
        Stage(props=[Box("tray", fixed=True)], events=[PropMotion("tray", [(0, 0, 0)])])
    with pytest.raises(BadValue, match="quaternions"):
        PropMotion("tray", [(0, 0, 0)] * 3, [(1, 0, 0, 0)] * 2)


def test_a_track_is_gone_through_smoothly() -> None:
    turn = rot.about_z(np.radians([0.0, 30.0, 60.0]))
    motion = PropMotion("tray", [(0, 0, 0), (1, 0, 0), (2, 0, 0)], turn, fps=1.0, at=2.0)
    assert motion.pose(0.0) == pytest.approx([0, 0, 0, 1, 0, 0, 0])
    assert motion.pose(2.5)[0] == pytest.approx(0.5) and motion.pose(9.0)[0] == pytest.approx(2.0)
    assert np.degrees(rot.angle_between(motion.pose(3.5)[3:], turn[0])) == pytest.approx(45.0, abs=0.2)

"""Hands: distances, the cone program, the hand and its poses, each against MuJoCo, Clarabel or differences."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from poise.character.library.hand import fingers, joint_names, link_name, make
from poise.errors import BadFile, BadValue, ClipMismatch, NoSolution, PoiseError, UnknownName
from poise.maths import distance, meshes
from poise.methods.hands import Piece, Scene, Thing, Track, find, load_scene
from poise.methods.hands.finger import PAIR, ROWS, place_links, residuals
from poise.methods.hands.mesh_file import load_hulls
from poise.methods.hands.scene_file import save_scene
from poise.methods.hands.scenes import SCENES, scene, table2
from poise.methods.hands.settings import Hands
from poise.solve.cone_lp import cone_forces

PIECES = (
    Piece("box", (0.03, 0.04, 0.05), (0.1, 0, 0), (20, 30, 40)),
    Piece("cylinder", (0.03, 0.05), (-0.1, 0, 0), (50, 0, 10)),
    Piece("sphere", (0.03,), (0, 0.12, 0)),
    Piece("capsule", (0.02, 0.04), (0, -0.1, 0), (10, 70, 0)),
)


def mujoco_distance(thing: Thing, a: np.ndarray, b: np.ndarray, radius: float) -> float:
    assets, geoms = thing.geoms_xml()
    ends = " ".join(f"{v:.9g}" for v in (*a, *b))
    m = mujoco.MjModel.from_xml_string(
        f'<mujoco><asset>{assets}</asset><worldbody><body name="t">{geoms}</body>'
        f'<geom name="probe" type="capsule" fromto="{ends}" size="{radius}"/></worldbody></mujoco>'
    )
    d = mujoco.MjData(m)
    mujoco.mj_kinematics(m, d)
    probe = m.geom("probe").id
    return min(mujoco.mj_geomDistance(m, d, probe, g, 0.5, None) for g in range(m.ngeom) if g != probe)


def ours(thing: Thing, a: np.ndarray, b: np.ndarray, radius: float) -> float:
    g, solid = np.empty(3), thing.solid
    return min(distance.to_segment(solid, k, a, b, 0.5, g)[0] for k in range(len(solid.kind))) - radius


def test_distances_of_capsules_are_those_of_mujoco() -> None:
    thing, rng = Thing("things", PIECES, 1.0), np.random.default_rng(0)
    for _ in range(60):
        a = rng.uniform(-0.2, 0.2, 3)
        b = a + rng.normal(size=3) * 0.02
        assert (
            ours(thing, a, b, 0.008) == pytest.approx(max(mujoco_distance(thing, a, b, 0.008), -1), abs=2e-4)
            or ours(thing, a, b, 0.008) < 0
        )  # depth is defined in more than one way


def test_distance_of_a_mesh_is_that_of_its_hulls() -> None:
    rng = np.random.default_rng(1)
    hulls = tuple(meshes.hull(rng.normal(size=(30, 3)) * 0.02 + shift) for shift in ((0, 0, 0), (0.04, 0, 0.02)))
    thing, worst = Thing("mesh", (), 1.0, hulls), 0.0
    for _ in range(60):
        a = rng.normal(size=3) * 0.05
        b = a + rng.normal(size=3) * 0.015
        true = mujoco_distance(thing, a, b, 0.008)
        if -0.004 < true < 0.01:
            worst = max(worst, abs(ours(thing, a, b, 0.008) - true))
    assert 0 < worst < 3e-4


def test_normals_are_gradients() -> None:
    solid, g, rng = Thing("things", PIECES, 1.0).solid, np.empty(3), np.random.default_rng(2)
    for _ in range(50):
        x, h = rng.uniform(-0.2, 0.2, 3), 1e-6
        d = distance.to_point(solid, *x, g)
        n, trash = g.copy(), np.empty(3)
        if abs(d) < 1e-3:
            continue
        slope = [
            (distance.to_point(solid, *(x + h * e), trash) - distance.to_point(solid, *(x - h * e), trash)) / (2 * h)
            for e in np.eye(3)
        ]
        assert n == pytest.approx(slope, abs=1e-4)


def test_moments_of_pieces_are_those_of_mujoco() -> None:
    for piece in PIECES:
        thing = Thing("one", (piece,), 2.0)
        size = " ".join(map(str, piece.size))
        m = mujoco.MjModel.from_xml_string(
            f'<mujoco><worldbody><body><freejoint/><geom type="{piece.kind}" size="{size}" '
            f'mass="2"/></body></worldbody></mujoco>'
        )
        assert sorted(np.linalg.eigvalsh(thing.inertia)) == pytest.approx(sorted(m.body_inertia[1]), rel=1e-6)
        assert thing.centre == pytest.approx(piece.place)


def test_moments_of_a_mesh_are_those_of_its_box() -> None:
    corners = np.array(np.meshgrid((-1, 1), (-1, 1), (-1, 1))).reshape(3, -1).T * (0.03, 0.04, 0.05)
    thing, box = (
        Thing("mesh", (), 1.0, (meshes.hull(corners + 0.1),)),
        Thing("box", (Piece("box", (0.03, 0.04, 0.05)),), 1.0),
    )
    assert thing.inertia == pytest.approx(box.inertia, abs=1e-12)
    assert thing.centre == pytest.approx([0.1, 0.1, 0.1])


def test_cone_program_agrees_with_clarabel() -> None:
    pytest.importorskip("clarabel")
    from poise.experiments.hands.speed import by_clarabel, instances, program

    search, _, nodes = instances(12)
    assert len(nodes) >= 8
    for node in nodes:
        points, normals, mu, wrench = program(search, node)
        found, other = cone_forces(points, normals, mu, wrench), by_clarabel(search, node)
        assert found.solved == (other is not None)
        assert found.cost == pytest.approx(other, rel=1e-4, abs=1e-3)
        fn = np.einsum("ki,ki->k", found.forces, normals)
        assert np.all(np.linalg.norm(found.forces - fn[:, None] * normals, axis=1) <= mu * fn + 1e-9)
        assert found.forces.sum(0) == pytest.approx(wrench[:3], abs=1e-6)
        assert np.cross(points, found.forces).sum(0) == pytest.approx(wrench[3:], abs=1e-6)


def test_cone_program_knows_what_cannot_be() -> None:
    up = np.array([[0.0, 0.0, 1.0]] * 3)
    points = np.array([[0.1, 0, 0], [-0.1, 0.1, 0], [-0.1, -0.1, 0]])
    assert cone_forces(points, up, np.full(3, 0.5), np.array([0, 0, 5.0, 0, 0, 0])).solved
    assert not cone_forces(points, up, np.full(3, 0.5), np.array([0, 0, -5.0, 0, 0, 0])).solved
    assert not cone_forces(points, up, np.full(3, 0.5), np.array([5.0, 0, 5.0, 0, 0, 0])).solved
    only = cone_forces(
        points, up, np.full(3, 0.5), np.array([2.5, 0, 5.0, 0, 0, 0]), slide=np.tile([1.0, 1, 0, 0], (3, 1))
    )
    assert only.solved and only.forces[:, 0] == pytest.approx(0.5 * only.forces[:, 2])


@pytest.mark.parametrize("side", ["right", "left"])
def test_links_lie_where_mujoco_has_them(side: str) -> None:
    hand, F, rng = make(side), fingers(side), np.random.default_rng(3)
    assert hand.model.nv == 36 and hand.joint_names[1:] == joint_names(side)
    q = rng.uniform(F.low, F.high)
    d = mujoco.MjData(hand.model)
    d.qpos[7:] = q.ravel()
    mujoco.mj_kinematics(hand.model, d)
    turn, place, axes, points = np.empty((4, 3, 3)), np.empty((4, 3)), np.empty((6, 3)), np.empty((6, 3))
    for f in range(5):
        place_links(F, f, q[f], np.eye(3), np.zeros(3), turn, place, axes, points)
        for b in range(F.links[f]):
            body = hand.model.body(link_name(side, f, b)).id
            assert place[b] == pytest.approx(d.xpos[body], abs=1e-7)
            assert turn[b] == pytest.approx(d.xmat[body].reshape(3, 3), abs=1e-7)


def test_left_hand_is_the_mirror_image() -> None:
    right, left = fingers("right"), fingers("left")
    out = {}
    q = np.random.default_rng(4).uniform(right.low, right.high)
    for name, F in (("right", right), ("left", left)):
        turn, place, axes, points = np.empty((4, 3, 3)), np.empty((4, 3)), np.empty((6, 3)), np.empty((6, 3))
        out[name] = []
        for f in range(5):
            place_links(F, f, q[f], np.eye(3), np.zeros(3), turn, place, axes, points)
            out[name].append(place[F.links[f] - 1].copy())
    assert np.array(out["left"]) == pytest.approx(np.array(out["right"]) * (1, -1, 1), abs=1e-12)


def test_residuals_have_their_derivatives() -> None:
    F, rng = fingers("left"), np.random.default_rng(5)
    solid, W = Thing("things", (Piece("box", (0.03, 0.03, 0.03), (0.12, 0, -0.05)),), 1.0).solid, Hands().weights()
    plane, others = np.array([0.0, 0, 1, -0.06]), np.array([[0.1, 0.02, -0.02, 0.12, 0.0, -0.03, 0.02]])
    scratch = (np.empty((4, 3, 3)), np.empty((4, 3)), np.empty((6, 3)), np.empty((6, 3)))

    def at(f: int, q: np.ndarray, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        res, J = np.empty(ROWS), np.empty((ROWS, 6))
        n, _, _ = residuals(
            F,
            solid,
            plane,
            f,
            q,
            np.eye(3),
            np.zeros(3),
            pairs,
            1,
            np.zeros(6),
            np.zeros(6),
            others,
            1,
            W,
            *scratch,
            res,
            J,
        )
        return res[:n], J[:n]

    checked = 0
    for f in (0, 1, 3):
        for _ in range(5):
            q, pairs = rng.uniform(F.low[f], F.high[f]), np.zeros((1, PAIR))
            pairs[0] = np.r_[2, rng.normal(size=3) * 0.01, rng.normal(size=3) * 0.1, 0, 0, 1]
            res, J = at(f, q, pairs)
            for j in range(6):
                e = np.zeros(6)
                e[j] = 1e-7
                up, down = at(f, q + e, pairs)[0], at(f, q - e, pairs)[0]
                if len(up) == len(down) == len(res):
                    assert J[:, j] == pytest.approx((up - down) / 2e-7, rel=2e-2, abs=2.0)
                    checked += 1
    assert checked > 60


def test_every_scene_is_balanced_where_nothing_is_held() -> None:
    """Before hands touch, table and stands alone carry the object."""
    from poise.methods.hands.problem import prepare

    assert len(table2.ROWS) == 15
    for name in SCENES:
        problem = prepare(scene(name))
        if not len(problem.table[0]):
            continue
        table = problem.table[0]
        found = cone_forces(table[:, :3], table[:, 3:6], np.full(len(table), 0.4), problem.wrench[0])
        assert found.solved, name


def test_a_thing_fills_its_extent() -> None:
    """A cylinder that stands ends at its caps, one that lies at its side; a capsule has its round ends."""
    standing = Thing("bottle", (Piece("cylinder", (0.028, 0.075)),), 0.2)
    assert standing.extent == pytest.approx(np.array([[-0.028, -0.028, -0.075], [0.028, 0.028, 0.075]]))
    lying = Thing("bottle", (Piece("cylinder", (0.028, 0.075), turn=(90, 0, 0)),), 0.2)
    assert lying.extent[1] == pytest.approx([0.028, 0.075, 0.028])
    assert Thing("pill", (Piece("capsule", (0.01, 0.02)),), 0.1).extent[1] == pytest.approx([0.01, 0.01, 0.03])


def test_scene_files_are_read_as_they_were_written(tmp_path: Path) -> None:
    made = scene("plate-1")
    again = load_scene(save_scene(made, tmp_path))
    assert again.motion.place == pytest.approx(made.motion.place, abs=1e-8)
    assert again.thing.pieces == made.thing.pieces and again.stands == made.stands and again.friction == made.friction


def test_every_entry_of_a_scene_file_is_checked_and_documented(tmp_path: Path) -> None:
    from poise.methods.hands import scene_schema

    page = (Path(__file__).resolve().parents[1] / "docs" / "hands.md").read_text()
    assert scene_schema.markdown() in page, (
        "docs/hands.md: paste what poise.methods.hands.scene_schema.markdown() gives"
    )
    good = save_scene(scene("plate-1"), tmp_path).read_text()
    for old, new, words in (
        ("fps = 30", 'fps = "fast"', "fps must be a number"),
        ("friction = 1.732", "friction = 0", "more than 0"),
        ("friction = 1.732", "friction = nan", "must be a number"),
        ("mass = 0.5", "mass = true", "object.mass must be a number"),
        ('track = "object.csv"', "", "needs track"),
        ("size = [0.03, 0.03, 0.14]", "size = [0.03, 0.03]", "has 3 numbers, not 2"),
        ('kind = "cylinder"', 'shape = "cylinder"', "has no entry 'shape'"),
        ("[wrists]", "[windows]\nright_index = [0.4]\n[wrists]", "windows.right_index has 2 numbers"),
        ("[wrists]", "[fixed]\nright_index = [0.4]\n[wrists]", "fixed.right_index must be a number"),
        ("[wrists]", "[hands]", "no entry 'hands'"),
    ):
        assert old in good, old
        (tmp_path / "bad.toml").write_text(good.replace(old, new))
        with pytest.raises(BadFile, match=words):
            load_scene(tmp_path / "bad.toml")


def cube(path: Path, faces: int = 12) -> Path:
    v = [f"v {x} {y} {z}" for x in (0, 0.05) for y in (0, 0.05) for z in (0, 0.05)]
    f = ["1 2 4", "1 4 3", "5 7 8", "5 8 6", "1 5 6", "1 6 2", "3 4 8", "3 8 7", "1 3 7", "1 7 5", "2 6 8", "2 8 4"]
    path.write_text("\n".join(v + [f"f {x}" for x in f[:faces]]))
    return path


def test_meshes_are_closed_or_refused(tmp_path: Path) -> None:
    (hull,) = load_hulls(cube(tmp_path / "cube.obj"))
    assert abs(meshes.volume(*hull)) == pytest.approx(0.05**3)
    with pytest.raises(BadFile, match="open"):
        load_hulls(cube(tmp_path / "open.obj", 11))
    twice = (tmp_path / "cube.obj").read_text()
    lines = [line for line in twice.splitlines() if line[0] == "v"]
    inside = (
        twice
        + "\n"
        + "\n".join(lines)
        + "\n"
        + "\n".join(
            "f " + " ".join(str(int(i) + 8) for i in line.split()[1:]) for line in twice.splitlines() if line[0] == "f"
        )
    )
    (tmp_path / "twice.obj").write_text(inside)
    with pytest.raises(PoiseError):
        load_hulls(tmp_path / "twice.obj")
    (tmp_path / "broken.obj").write_text("v a b c")
    with pytest.raises(BadFile, match="not a mesh"):
        load_hulls(tmp_path / "broken.obj")


def test_bad_scenes_are_refused_in_words(tmp_path: Path) -> None:
    good = table2.pickup_1()
    with pytest.raises(BadValue, match="mass"):
        Thing("box", (Piece("box", (0.1, 0.1, 0.1)),), 0.0)
    with pytest.raises(ClipMismatch, match=r"101 frames.*50"):
        wrist = good.wrists["right"]
        Scene("x", good.thing, good.motion, {"right": Track(wrist.place[:50], wrist.turn[:50])})
    away = Track(good.wrists["right"].place + 2.0, good.wrists["right"].turn)
    with pytest.raises(NoSolution, match="no finger ever reaches"):
        next(find(Scene("far", good.thing, good.motion, {"right": away})))
    with pytest.raises(UnknownName, match="pickup-1"):
        scene("nothing")
    with pytest.raises(UnknownName, match="cylinder"):
        Piece("cone", (0.1,))
    file = tmp_path / "scene.toml"
    file.write_text("name = ")
    with pytest.raises(BadFile, match="not TOML"):
        load_scene(file)
    file.write_text('[object]\ntrack="a.csv"\n[wrists]\nright="b.csv"\n')
    with pytest.raises(BadFile, match="cannot be read"):
        load_scene(file)
    file.write_text("frictoin = 1\n[object]\n[wrists]\n")
    with pytest.raises(BadFile, match="frictoin"):
        load_scene(file)

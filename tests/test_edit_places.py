"""Edits that move footprints: path, stride, slope, stairs. Feet rest, nothing sinks, loops stay closed."""

from __future__ import annotations

import numpy as np
import pytest

from conftest import mocap_folder
from edit_clips import STRIDE, penetration, seam, skating, walk
from manikin import manikin
from poise.errors import BadValue
from poise.maths import rotations as rot
from poise.motion import edit, ground
from poise.motion.clip import Clip
from poise.motion.feet.footsteps import Footsteps

EDITS = [
    edit.Move((0.0, 0.25), start=0.3, end=0.9), edit.Turn(40.0), edit.Turn(-60.0, start=0.1, end=1.0),
    edit.Stride(scale=0.7), edit.Stride(metres=1.15), edit.Slope(8.0), edit.Slope(-8.0), edit.Slope(6.0, heading=90.0),
    edit.Stairs(0.15, 0.30), edit.Stairs(-0.15, 0.30), edit.Stairs(0.18, 0.25),
]  # fmt: skip
WALKS = {"open": walk(4), "loop": walk(1, loop=True), "balls": walk(2, character=manikin(without=("toes", "clavicle")))}


@pytest.mark.parametrize("kind", WALKS)
@pytest.mark.parametrize("change", EDITS, ids=repr)
def test_feet_rest_on_the_new_ground(change: edit.Move, kind: str) -> None:
    clip = WALKS[kind]
    out = change.apply(clip)
    assert skating(out) < 1e-6
    assert penetration(out) < 1e-3
    assert len(out) == len(clip) and out.dt == clip.dt
    assert np.array_equal(out.contacts.labels, clip.contacts.labels)
    assert np.abs(out.acceleration).max() < 3.0 * np.abs(clip.acceleration).max()
    if clip.cycle is not None:
        here, rate = seam(out)
        assert here < 1e-12
        assert rate < 0.01 * np.abs(out.acceleration).max()  # the change of velocity in one frame


def test_edits_that_change_nothing_change_nothing() -> None:
    clip = walk(2)
    for change in (edit.Turn(0.0), edit.Stride(scale=1.0), edit.Slope(0.0), edit.Move((0.0, 0.0))):
        out = change.apply(clip)
        assert np.abs(out.character.forward(out.q)[0] - clip.character.forward(clip.q)[0]).max() < 1e-6


def test_move_and_turn_around_are_rigid() -> None:
    clip = walk(1, loop=True)
    moved = edit.Turn(90.0, around=True).apply(edit.Move((1.0, -2.0)).apply(clip))
    a, b = clip.character.forward(clip.q)[0][:, 1:], moved.character.forward(moved.q)[0][:, 1:]
    assert np.abs(np.linalg.norm(a - a[:1, :1], axis=-1) - np.linalg.norm(b - b[:1, :1], axis=-1)).max() < 1e-9
    assert moved.cycle is not None and moved.cycle.shift == pytest.approx([0.0, STRIDE, 0.0], abs=1e-9)
    assert seam(moved)[0] < 1e-12


def test_turn_bends_the_way_and_the_body() -> None:
    clip = walk(4)
    out = edit.Turn(90.0).apply(clip)
    face = np.degrees(rot.heading(out.q[:, 3:7]) - rot.heading(clip.q[:, 3:7]))
    assert face[-1] == pytest.approx(90.0, abs=1e-6) and face[0] == pytest.approx(0.0, abs=1e-6)
    gone = np.diff(Footsteps.of(out).path[-20:], axis=0).mean(axis=0)
    assert np.degrees(np.arctan2(gone[1], gone[0])) == pytest.approx(88.0, abs=5.0)
    loop = edit.Turn(30.0).apply(walk(1, loop=True))
    assert loop.cycle is not None and np.degrees(loop.cycle.turn) == pytest.approx(30.0, abs=1e-9)


def test_turning_there_and_back_gives_the_same_motion() -> None:
    clip = walk(3)
    out = edit.Turn(-35.0).apply(edit.Turn(35.0).apply(clip))
    assert np.abs(out.character.forward(out.q)[0] - clip.character.forward(clip.q)[0]).max() < 0.02


def test_path_leads_to_its_last_point() -> None:
    clip = walk(4)
    points = ((1.0, 1.0), (2.0, 1.2), (3.2, 2.0), (3.8, 3.4))
    out = edit.Path(points).apply(clip)
    way = Footsteps.of(out).path
    assert np.linalg.norm(way[0] - points[0]) < 0.05 and np.linalg.norm(way[-1] - points[-1]) < 0.05
    assert min(np.linalg.norm(way - np.array(points[2]), axis=1)) < 0.05
    assert skating(out) < 1e-6 and penetration(out) < 1e-3
    kept = edit.Path(((0.0, 0.0), (0.5, 0.0)), fit=False).apply(clip)
    assert kept.q[-1, 0] - kept.q[0, 0] == pytest.approx(clip.q[-1, 0] - clip.q[0, 0], abs=0.05)


def test_stride_is_as_long_as_asked() -> None:
    clip = walk(1, loop=True)
    for metres in (0.7, 1.2):
        out = edit.Stride(metres=metres).apply(clip)
        assert Footsteps.of(out).stride() == pytest.approx(metres, abs=1e-3)
        assert out.cycle is not None and out.cycle.shift[0] == pytest.approx(metres, abs=1e-3)
    short, long = (np.mean(edit.Stride(scale=s).apply(clip).q[:, 2]) for s in (0.7, 1.2))
    assert short > np.mean(clip.q[:, 2]) > long  # shorter steps carry the body higher


def test_slope_tilts_feet_and_keeps_the_trunk_upright() -> None:
    clip = walk(1, loop=True)
    out = edit.Slope(10.0).apply(clip)
    assert out.ground == ground.Slope(10.0, 0.0)
    assert np.allclose(out.q[:, 3:7], clip.q[:, 3:7], atol=1e-12)
    _, quat = out.character.forward(out.q)
    stands = out.contacts.labels[:, out.character.contact_points.of("left")].all(axis=1)
    up = rot.rotate(quat[stands, out.character.body("left_foot")], np.array([0.0, 0.0, 1.0]))
    assert np.abs(up - out.ground.normal(0.0, 0.0)).max() < 1e-9
    points = out.character.points(out.q)
    above = points[..., 2] - out.ground.height(points[..., 0], points[..., 1])
    assert np.abs(above[out.contacts.labels]).max() < 1e-9
    assert out.cycle is not None
    assert out.cycle.shift[2] == pytest.approx(STRIDE * np.tan(np.radians(10.0)), abs=1e-9)
    again = edit.Slope(-4.0).apply(out)  # another slope takes the place of the first
    direct = edit.Slope(-4.0).apply(clip)
    assert np.abs(again.q[:, 2] - direct.q[:, 2]).max() < 0.08 and again.ground == direct.ground


def test_stairs_have_one_foothold_a_tread() -> None:
    clip = walk(4)
    for rise in (0.15, -0.15):
        out = edit.Stairs(rise, 0.32).apply(clip)
        stairs = out.ground
        assert isinstance(stairs, ground.Stairs)
        prints = [p for p in Footsteps.of(out).all if 0 <= p.first < len(out)]
        tread = np.round([p.centre[2] / rise for p in prints]).astype(int)
        assert np.all(np.diff(tread) >= 0) and np.all(np.diff(tread) <= 1) and tread.max() >= 6
        for p in prints:
            low, high = (p.centre + p.outline)[:, 0].min(), (p.centre + p.outline)[:, 0].max()
            assert np.ptp(stairs.height(np.array([low, high]), np.zeros(2))) < 1e-9 or high - low > 0.26
    loop = edit.Stairs(0.17, 0.3).apply(walk(1, loop=True))
    assert loop.cycle is not None and loop.cycle.shift == pytest.approx([0.6, 0.0, 0.34], abs=1e-9)
    more = loop.repeat(3)
    assert penetration(more) < 1e-3 and skating(more) < 1e-6


def test_knees_are_not_stretched_further_than_is_natural() -> None:
    clip = walk(1, loop=True)
    pos0, _ = clip.character.forward(clip.q)
    for change in (edit.Stride(scale=1.25), edit.Slope(12.0), edit.Slope(-12.0)):
        out = change.apply(clip)
        pos, _ = out.character.forward(out.q)
        for side in ("left", "right"):
            hip, knee, ankle = (out.character.body(f"{side}_{p}") for p in ("thigh", "shin", "foot"))
            full = np.linalg.norm(pos[0, knee] - pos[0, hip]) + np.linalg.norm(pos[0, ankle] - pos[0, knee])
            used, before = (np.linalg.norm(p[:, ankle] - p[:, hip], axis=1).max() for p in (pos, pos0))
            assert used <= max(0.985 * full, before) + 1e-6


def test_edits_come_in_any_order() -> None:
    clip = walk(1, loop=True)
    for change in (edit.Mirror(), edit.Slope(5.0), edit.Stride(scale=0.9), edit.Warp(speed=1.2),
                   edit.Turn(10, around=True), edit.Offset("chest", (0, 10, 0)), edit.Stairs(0.12, 0.35)):  # fmt: skip
        clip = change.apply(clip)
        assert clip.cycle is not None and seam(clip)[0] < 1e-12
        assert skating(clip) < 5e-3 and penetration(clip) < 2e-3


def test_what_cannot_be_done_is_refused() -> None:
    clip = walk(2)
    still = clip.with_q(np.tile(clip.character.standing_pose(), (60, 1)), labels=np.ones((60, 12), bool))
    for change in (edit.Stride(scale=3.0), edit.Path(((0, 0), (9, 0)))):
        with pytest.raises(BadValue):
            change.apply(clip)
    for change in (edit.Stride(scale=1.1), edit.Stairs(), edit.Path(((0, 0), (1, 0)))):
        with pytest.raises(BadValue, match="travel"):
            change.apply(still)
    for make in (lambda: edit.Stride(), lambda: edit.Stride(scale=1.0, metres=1.0), lambda: edit.Slope(70.0),
                 lambda: edit.Stairs(0.15, 0.05), lambda: edit.Path(((0, 0),)), lambda: edit.Turn(np.nan),
                 lambda: edit.Move((1.0, 2.0, 3.0)), lambda: edit.Move((1, 2), start=2.0, end=1.0)):  # fmt: skip
        with pytest.raises(BadValue):
            make()


def test_a_standing_body_stands_on_a_slope() -> None:
    clip = walk(1)
    still = clip.with_q(np.tile(clip.character.standing_pose(), (60, 1)), labels=np.ones((60, 12), bool))
    out = edit.Slope(10.0, heading=90.0).apply(still)
    assert skating(out) < 1e-9 and penetration(out) < 1e-9
    assert np.ptp(out.q, axis=0).max() < 1e-9


@pytest.mark.parametrize("name", ["human42", "human57"])
def test_built_in_characters_are_edited_too(name: str) -> None:
    from poise.character.load import load_character

    clip = walk(2).retarget(load_character(name))
    for change in (edit.Turn(40.0), edit.Slope(6.0), edit.Stairs(0.15, 0.3), edit.Stride(scale=0.8)):
        out = change.apply(clip)  # ankles of two axes: the leg swivels to give the foot its heading
        assert skating(out) < 0.02 and penetration(out) < 0.005


RECORDED = ["02_01", "12_01", "09_01", "16_17_f0000-0460", "91_19_f0240-0780"]


@pytest.fixture(scope="module", params=[*RECORDED, "walk"])
def recorded(request: pytest.FixtureRequest) -> Clip:
    folder = mocap_folder()
    if folder is None:
        pytest.skip("no real recordings here: set POISE_MOCAP to a folder with cmu/ and deepmimic/")
    from poise.motion.load import load_clip

    name = request.param
    return load_clip(folder / ("deepmimic/humanoid3d_walk.txt" if name == "walk" else f"cmu/{name}.bvh"))


@pytest.mark.parametrize(
    "change", [edit.Turn(40.0), edit.Stride(scale=0.8), edit.Slope(8.0), edit.Slope(-8.0)], ids=repr
)
def test_recordings_are_edited_without_sliding(recorded: Clip, change: edit.Turn) -> None:
    from poise.motion.check import check

    out = change.apply(recorded)
    assert check.skating(out) < 0.02 and check.penetration(out) < 0.005
    assert np.percentile(np.abs(out.acceleration), 99.9) < 1.5 * np.percentile(np.abs(recorded.acceleration), 99.9)
    assert out.recording is recorded.recording and np.array_equal(out.source_times, recorded.source_times)


@pytest.mark.parametrize("change", [edit.Stairs(0.15, 0.30), edit.Stairs(-0.15, 0.30)], ids=repr)
def test_recorded_walks_climb_stairs(recorded: Clip, change: edit.Stairs) -> None:
    from poise.motion.check import check

    if recorded.name == "09_01":
        pytest.skip("a run of 2.7 m a stride is no way to climb stairs of 0.3 m")
    out = change.apply(recorded)
    assert check.skating(out) < 0.02 and check.penetration(out) < 0.005

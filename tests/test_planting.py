"""Soles are where the feet of a recording stand: flat, each at its own height, whatever its rest pose says."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from conftest import recordings
from poise.character.skeletons.from_skeleton import blueprint
from poise.export.rig import rig_of
from poise.maths import rotations as rot
from poise.motion.clip import Clip
from poise.motion.formats import read
from poise.motion.load import load_clip
from poise.motion.reading.flat_soles import planted
from poise.motion.reading.floor import level
from poise.motion.reading.interpret import clip_from_recording
from poise.motion.recording import Recording

LATERAL, FORWARD = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])  # in the files that poise writes
CENTIMETRES = 100.0


@lru_cache
def walk() -> Recording:
    """A walk whose feet stand flat, as a file of its own."""
    import tempfile

    clip = load_clip("walk", character="human57").repeat(3)
    with tempfile.TemporaryDirectory() as folder:
        clip.save(Path(folder) / "walk.bvh")
        return read(Path(folder) / "walk.bvh")


def misdrawn(recording: Recording, pitch: dict[str, float], roll: float = 0.0, lift: dict[str, float] | None = None,
             toes: float = 0.0) -> Recording:  # fmt: skip
    """The recording as another rest pose would have it: feet that stand flat are turned against it by some degrees.

    `lift` [m] moves the ankle of a side up the shin, so that its flat foot has a higher ankle.
    """
    names, turns = list(recording.skeleton.names), recording.rotations.copy()
    offsets, places = recording.skeleton.offsets.copy(), recording.positions.copy()
    for side in ("left", "right"):
        foot, toe = names.index(f"{side}_foot"), names.index(f"{side}_toes")
        off = rot.multiply(rot.from_axis_angle(LATERAL, np.radians(pitch[side])),
                           rot.from_axis_angle(FORWARD, np.radians(roll)))  # fmt: skip
        turns[:, foot] = rot.multiply(turns[:, foot], off)
        turns[:, toe] = rot.multiply(rot.multiply(rot.conjugate(off), turns[:, toe]),
                                     rot.multiply(off, rot.from_axis_angle(LATERAL, np.radians(toes))))  # fmt: skip
        shin = offsets[foot] / np.linalg.norm(offsets[foot])
        offsets[foot] -= CENTIMETRES * (lift or {}).get(side, 0.0) * shin
        places[:, foot] = offsets[foot]
    return replace(recording, rotations=turns, positions=places, skeleton=replace(recording.skeleton, offsets=offsets))


def flat_corners(clip: Clip) -> dict[str, np.ndarray]:
    """Heights (F, P) [m] of the corners of each foot while heel and ball touch and the foot hardly turns."""
    points, out = clip.character.contact_points, {}
    heights = clip.character.points(clip.q)[..., 2]
    _, quat = clip.character.forward(clip.q)
    for side in ("left", "right"):
        body = clip.character.body(f"{side}_foot")
        spin = np.append(rot.angle_between(quat[1:, body], quat[:-1, body]) / clip.dt, np.inf)
        firm = [i for i in points.of(side) if "tip" not in points.names[i]]
        still = clip.contacts.labels[:, firm].all(axis=1) & (spin < 0.3)
        out[side] = heights[still][:, points.of(side)]
    return out


@pytest.mark.parametrize(
    "pitch", [{"left": 0.0, "right": 0.0}, {"left": 6.0, "right": 2.0}, {"left": -7.0, "right": 3.0}]
)
@pytest.mark.parametrize("roll", [0.0, 5.0])
def test_feet_that_stand_flat_are_flat(pitch: dict[str, float], roll: float) -> None:
    clip = clip_from_recording(misdrawn(walk(), pitch, roll, toes=10.0))
    for side, heights in flat_corners(clip).items():
        assert len(heights) * clip.dt > 0.2
        assert np.abs(np.median(heights, axis=0)).max() < 0.004, side
    rough = blueprint(walk().skeleton, motion=misdrawn(walk(), pitch, roll)).build()
    # without the motion's floor: as the rest pose
    assert np.ptp(rough.points(rough.standing_pose())[0, rough.contact_points.feet, 2]) < 1e-5
    for side in ("left", "right"):  # feet point forward in the zero pose
        pos, _ = clip.character.forward(clip.character.zero_pose())
        toe = pos[0, clip.character.body(f"{side}_toes")] - pos[0, clip.character.body(f"{side}_foot")]
        assert abs(toe[1]) < 1e-4 and toe[0] > 0.1


def test_each_sole_is_as_far_below_its_ankle_as_the_floor() -> None:
    clip = clip_from_recording(misdrawn(walk(), {"left": 2.0, "right": 2.0}, lift={"left": 0.015}))
    body = clip.character
    points, pos = body.points(body.zero_pose())[0], body.forward(body.zero_pose())[0][0]
    drop = {s: pos[body.body(f"{s}_foot"), 2] - points[body.contact_points.of(s), 2] for s in ("left", "right")}
    assert all(np.ptp(d) < 1e-5 for d in drop.values())  # a sole is flat
    assert drop["left"].mean() - drop["right"].mean() == pytest.approx(0.015, abs=0.004)
    for heights in flat_corners(clip).values():
        assert np.abs(np.median(heights, axis=0)).max() < 0.005


@pytest.mark.parametrize("pitch", [18.0, -20.0])
def test_a_foot_on_tiptoe_or_on_its_heel_is_left_as_it_is(pitch: float) -> None:
    odd = misdrawn(walk(), {"left": pitch, "right": pitch})
    plan = blueprint(odd.skeleton, motion=odd)
    binding = clip_from_recording(odd).character.binding
    assert binding is not None and np.allclose(binding.rest, plan.rest, atol=1e-6)


def test_too_little_standing_changes_nothing() -> None:
    for some in (walk().cut(20, 21), walk().cut(20, 24)):
        binding = clip_from_recording(some).character.binding
        assert binding is not None and np.array_equal(binding.rest, blueprint(some.skeleton, motion=some).rest)


def test_the_file_comes_back_exactly() -> None:
    odd = misdrawn(walk(), {"left": 6.0, "right": -4.0}, 4.0, {"left": 0.01}, 12.0)
    clip = clip_from_recording(odd)
    out = rig_of(clip)
    apart = rot.angle_between(out.rotations, odd.rotations)
    assert apart.max() < 1e-6 and np.abs(out.positions - odd.positions).max() < 1e-6


def test_a_fitted_clip_is_not_fitted_further() -> None:
    """Measured again on the fitted clip, feet are flat and ankles where they are."""
    clip = clip_from_recording(misdrawn(walk(), {"left": 6.0, "right": 2.0}, lift={"left": 0.015}))
    body = clip.character
    pos, points = body.forward(body.zero_pose())[0][0], body.points(body.zero_pose())[0]
    for side, foot in planted(level(clip)).items():
        assert np.degrees(np.arccos(foot.up[2])) < 0.5 and abs(np.degrees(foot.toes)) < 1.0
        deep = pos[body.body(f"{side}_foot"), 2] - points[body.contact_points.of(side), 2].min()
        assert foot.ankle == pytest.approx(deep, abs=0.003)


@lru_cache
def loaded(path: Path) -> Clip:
    return load_clip(path)


@pytest.mark.parametrize("path", recordings(), ids=lambda p: p.stem)
def test_soles_of_recordings_are_plausible(path: Path) -> None:
    """Each sole flat, 3 to 12 cm under its ankle, the two within what recorded legs differ in length."""
    body = loaded(path).character
    points, pos = body.points(body.zero_pose())[0], body.forward(body.zero_pose())[0][0]
    heights = {s: points[body.contact_points.of(s), 2] for s in ("left", "right")}
    for side, z in heights.items():
        assert np.ptp(z) < 1e-5
        assert 0.024 * body.height - 1e-5 < pos[body.body(f"{side}_foot"), 2] - z[0] < 0.075 * body.height
    assert abs(heights["left"][0] - heights["right"][0]) < 0.04


def test_recorded_feet_stand_on_the_floor_with_all_corners() -> None:
    """Over all recordings: the corners of standing feet are half a centimetre from the floor, not more than one."""
    if not recordings():
        pytest.skip("no real recordings here: set POISE_MOCAP to a folder with cmu/ and deepmimic/")
    known = [p for p in recordings() if p.stem.startswith(("02_0", "12", "16", "136", "22", "120", "144"))]
    off = [np.median(np.abs(h)) for p in known for h in flat_corners(loaded(p)).values() if len(h) > 20]
    assert len(off) > 15 and np.mean(off) < 0.006 and max(off) < 0.012


def test_clips_of_one_actor_agree(mocap: Path) -> None:
    """Subject 16 walks and jumps: the same feet are found, within a degree or two and a few millimetres."""
    found = []
    for name in ("16_03", "16_05", "16_33", "16_17_f0000-0460"):
        body = loaded(mocap / "cmu" / f"{name}.bvh").character
        assert body.binding is not None
        pos, points = body.forward(body.zero_pose())[0][0], body.points(body.zero_pose())[0]
        for side in ("left", "right"):
            toe = pos[body.body(f"{side}_toes")] - pos[body.body(f"{side}_foot")]
            deep = pos[body.body(f"{side}_foot"), 2] - points[body.contact_points.of(side), 2].min()
            found.append([np.degrees(np.arctan2(-toe[2], toe[0])), 100 * deep])
    left, right = np.array(found[::2]), np.array(found[1::2])
    assert max(np.ptp(left[:, 0]), np.ptp(right[:, 0])) < 2.5 and max(np.ptp(left[:, 1]), np.ptp(right[:, 1])) < 0.4

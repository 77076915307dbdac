"""Reading DeepMimic's motions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from poise.maths import rotations as rot
from poise.motion import formats
from poise.motion.formats import deepmimic, licence


def frame(dt: float = 1 / 30, x: float = 0.0, knee: float = 0.0) -> list[float]:
    one = [1.0, 0.0, 0.0, 0.0]
    return [dt, x, 0.9, 0.0, *one, *one, *one, *one, knee, *one, *one, 0.0, *one, 0.0, *one, *one, 0.0]


def save(folder: Path, frames: list, loop: str = "none") -> Path:
    path = folder / "motion.txt"
    path.write_text(json.dumps({"Loop": loop, "Frames": frames}))
    return path


def test_a_pose_by_hand(tmp_path: Path) -> None:
    r = formats.read(save(tmp_path, [frame(x=0.0), frame(x=0.1, knee=-np.pi / 2)], "wrap"))
    x, _ = r.forward()
    name = r.skeleton.index
    assert (r.unit, r.up, r.wraps, len(r.skeleton)) == (1.0, "y", True, 15) and r.dt == pytest.approx(1 / 30)
    assert np.allclose(x[0, name("right_ankle")], [0.0, 0.9 - 0.421546 - 0.409870, 0.084887])
    assert np.allclose(x[1, name("right_ankle")], [0.1 - 0.409870, 0.9 - 0.421546, 0.084887])  # the shin points back
    assert np.allclose(x[1, name("left_ankle")], [0.1, 0.9 - 0.421546 - 0.409870, -0.084887])
    assert "MIT" in licence.guess(r.source.path, r)


def test_joint_angles_reach_their_joints(mocap: Path) -> None:
    path = mocap / "deepmimic" / "humanoid3d_cartwheel.txt"
    table = np.array(json.loads(path.read_text())["Frames"])
    r, n = formats.read(path), 40
    _, turns = r.forward()
    q = lambda a: Rotation.from_quat(table[n, [a + 1, a + 2, a + 3, a]])  # noqa: E731
    z = lambda a: Rotation.from_rotvec([0, 0, table[n, a]])  # noqa: E731
    for joint, want in (("right_ankle", q(4) * q(16) * z(20) * q(21)), ("left_elbow", q(4) * q(8) * q(39) * z(43)),
                        ("neck", q(4) * q(8) * q(12)), ("left_knee", q(4) * q(30) * z(34)),
                        ("right_wrist", q(4) * q(8) * q(25) * z(29))):  # fmt: skip
        got = turns[n, r.skeleton.index(joint)]
        assert rot.angle_between(got, want.as_quat()[[3, 0, 1, 2]]) < 1e-4


def test_the_embedded_skeleton_is_that_of_the_character_file(mocap: Path) -> None:
    joints = json.loads((mocap / "deepmimic" / "humanoid3d_character.txt").read_text())["Skeleton"]["Joints"]
    skeleton = deepmimic.skeleton()
    assert [j["Name"] for j in joints] == list(skeleton.names) and [
        j["Parent"] for j in joints
    ] == skeleton.parents.tolist()
    assert np.allclose([[j[f"Attach{a}"] for a in "XYZ"] for j in joints], skeleton.offsets)


def test_uneven_frames_are_resampled(tmp_path: Path) -> None:
    steps = [0.02, 0.04, 0.02, 0.02, 0.06, 0.02, 0.02]
    times = np.concatenate([[0.0], np.cumsum(steps)[:-1]])
    r = formats.read(save(tmp_path, [frame(dt, 2.0 * t, -t) for dt, t in zip(steps, times, strict=True)]))
    at = np.arange(len(r)) * r.dt
    assert len(r) == 10 and at[-1] == pytest.approx(times[-1]) and "resampled" in r.source.notes[0]
    assert np.allclose(r.positions[:, 0, 0], 2.0 * at)
    assert np.allclose(rot.log(r.rotations[:, 4])[:, 2], -at)
    single = formats.read(save(tmp_path, [frame(0.05)]))
    assert len(single) == 1 and single.dt == 0.05


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"Frames": []}', "no frames"),
        ('{"Loop": "none", "Frames": [[1, 2]]}', "has 2 numbers; DeepMimic's humanoid has 44"),
        ('{"Loop": "none", "Frames": 3}', "no frames"),
        ('{"Loop": "none", "Frames": [', "cut short"),
        ('{"Loop": "none"}', "no 'Frames'"),
        ('{"Frames": ' + "[" * 100000, "not whole JSON"),
        (json.dumps({"Frames": [[*frame()[:-1], "x"]]}), "not a number"),
        (json.dumps({"Frames": [[*frame()[:-1], None]]}), "not a number"),
        (json.dumps({"Frames": [[*frame()[:-1], float("nan")]]}), "frame 1: its number 44"),
        (json.dumps({"Frames": [[*frame()[:-1], 10**400]]}), "not a number"),
        (
            json.dumps({"Frames": [frame(), [0.1, 0, 0, 0, 0, 0, 0, 0, *frame()[8:]]]}),
            "'root' is not a unit quaternion",
        ),
        (json.dumps({"Frames": [frame(0.0), frame()]}), "a duration must be positive"),
        (json.dumps({"Frames": [frame(1e-5), frame(1e-5), frame(1e6), frame()]}), "differ too much"),
        ("hello", "neither by its ending|not a motion"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "motion.txt"
    path.write_text(text)
    with pytest.raises(formats.BadFile, match=words) as caught:
        formats.read(path)
    assert len(str(caught.value)) < 400 and "\n" not in str(caught.value)

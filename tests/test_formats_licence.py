"""Where the skeleton or a file beside it tells the terms of use, they are told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import asf_text
import recordings_variants as variants
from conftest import recordings
from poise.character.skeleton import Skeleton
from poise.maths import rotations as rot
from poise.motion import formats
from poise.motion.formats import bvh_write, licence
from poise.motion.reading.interpret import clip_from_recording
from poise.motion.recording import Recording, Source


def recording(names: tuple[str, ...], lengths: dict[str, float] | None = None, kind: str = "bvh") -> Recording:
    offsets = np.zeros((len(names), 3))
    offsets[:, 0] = [(lengths or {}).get(n, 1.0) for n in names]
    skeleton = Skeleton(names, np.arange(len(names)) - 1, offsets)
    still = np.tile(rot.IDENTITY, (1, len(names), 1))
    return Recording(skeleton, still, offsets[None], 0.01, Source(format=kind))


LAFAN1 = ("Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToe", "RightUpLeg", "RightLeg", "RightFoot", "RightToe",
          "Spine", "Spine1", "Spine2", "Neck", "Head", "LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand",
          "RightShoulder", "RightArm", "RightForeArm", "RightHand")  # fmt: skip
BANDAI = ("joint_Root", "Hips", "Spine", "Chest", "Neck", "Head", "Shoulder_L", "UpperArm_L", "LowerArm_L", "Hand_L",
          "Shoulder_R", "UpperArm_R", "LowerArm_R", "Hand_R", "UpperLeg_L", "LowerLeg_L", "Foot_L", "Toes_L",
          "UpperLeg_R", "LowerLeg_R", "Foot_R", "Toes_R")  # fmt: skip


def test_known_skeletons(tmp_path: Path) -> None:
    path = tmp_path / "a.bvh"
    sizes = {"LeftLeg": 0.435, "LeftFoot": 0.42372, "LeftToe": 0.173, "LeftForeArm": 0.33}
    assert "CC BY-NC-ND 4.0" in licence.guess(path, recording(LAFAN1, sizes))
    assert licence.guess(path, recording(LAFAN1)) == ""  # the names alone are too common
    assert "Bandai" in licence.guess(path, recording(BANDAI))
    assert "Mixamo" in licence.guess(path, recording(("mixamorig:Hips", "mixamorig:Spine")))
    assert "Mixamo" in licence.guess(path, recording(("mixamorig1_Hips", "x")))
    assert "MIT" in licence.guess(path, recording(("root", "chest"), kind="deepmimic"))
    assert licence.guess(path, recording(("Hips", "Spine"))) == ""


def test_a_licence_file_beside_the_recording_is_named(tmp_path: Path) -> None:
    (tmp_path / "LICENSE.txt").write_text("terms of the folder")
    told = licence.terms(tmp_path / "a.bvh", recording(("Hips", "Spine")))
    assert told.sentence == "see LICENSE.txt, whose text goes with the motion" and told.text == "terms of the folder"
    (tmp_path / "a.licence.txt").write_text("its own terms")
    told = licence.terms(tmp_path / "a.bvh", recording(("mixamorig:Hips", "b")))
    assert told.sentence.startswith("likely Adobe Mixamo") and "see a.licence.txt, whose text" in told.sentence
    assert told.text == "its own terms"


@pytest.mark.parametrize("path", recordings()[::6], ids=lambda p: p.stem)
def test_real_recordings(path: Path) -> None:
    told = licence.guess(path, formats.read(path))
    assert told.startswith("likely") and ("NSF EIA-0196217" in told or "MIT" in told)


def test_cmu_asf(tmp_path: Path) -> None:
    rest = ("rhipjoint", "upperback", "thorax", "lowerneck", "upperneck", "lclavicle")
    names = ("root", *(b[0] for b in asf_text.BONES), *rest)
    assert "mocap.cs.cmu.edu" in licence.guess(tmp_path / "a.amc", recording(names, kind="amc"))


def test_a_clip_carries_the_licence_of_its_recording(tmp_path: Path) -> None:
    (tmp_path / "LICENSE.txt").write_text("terms")
    walker = variants.walker()
    bvh_write.write(tmp_path / "a.bvh", walker.skeleton, walker.rotations, walker.positions, walker.dt)
    read = formats.read(tmp_path / "a.bvh")
    source = clip_from_recording(read).source
    assert (
        source.licence.endswith("see LICENSE.txt, whose text goes with the motion") and source.licence_text == "terms"
    )
    named = replace(read, source=replace(read.source, licence="all rights reserved"))
    assert clip_from_recording(named).source.licence == "all rights reserved"
    assert "see" not in clip_from_recording(replace(read, source=Source())).source.licence  # of no file

"""The likely licence of a recording, told from its skeleton and from a licence file beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.motion.formats import licence_file
from poise.motion.formats.licence_file import Terms
from poise.motion.recording import Recording

CMU = (
    "likely CMU motion capture database: free for use in research and commercial projects worldwide; CMU would "
    'appreciate the acknowledgement "The data used in this project was obtained from mocap.cs.cmu.edu. The database '
    'was created with funding from NSF EIA-0196217."'
)
DEEPMIMIC = "likely DeepMimic (Xue Bin Peng): MIT licence"
MIXAMO = "likely Adobe Mixamo: royalty-free use in projects, no redistribution of the raw files"
LAFAN1 = "likely Ubisoft LaFAN1: CC BY-NC-ND 4.0 (with attribution, not commercial, no derivatives)"
BANDAI = (
    "likely Bandai-Namco Research Motion Dataset: CC BY-NC-ND 4.0 as first published (with attribution, not "
    "commercial, no derivatives), CC BY-NC 4.0 in later releases; see the licence in the data set"
)

_CMU_BVH = {"Hips", "LHipJoint", "RHipJoint", "LowerBack", "Neck1", "LeftFingerBase", "LThumb", "RThumb"}
_CMU_ASF = {
    "lhipjoint",
    "rhipjoint",
    "lowerback",
    "upperback",
    "thorax",
    "lowerneck",
    "upperneck",
    "lclavicle",
    "lfemur",
}
_LAFAN1 = {"Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToe", "RightUpLeg", "Spine", "Spine1", "Spine2", "Neck",
           "Head", "LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand", "RightToe", "RightHand"}  # fmt: skip
_LAFAN1_LENGTHS = {"LeftLeg": 43.5, "LeftFoot": 42.37, "LeftToe": 17.3, "LeftForeArm": 33.0}  # [cm]
_BANDAI = {"joint_Root", "Hips", "Spine", "Chest", "Neck", "Head", "Shoulder_L", "UpperArm_L", "LowerArm_L", "Hand_L",
           "UpperLeg_L", "LowerLeg_L", "Foot_L", "Toes_L"}  # fmt: skip


def guess(path: str | Path, recording: Recording) -> str:
    """A sentence on the terms of use, 'likely ...'; empty where nothing is known. `path` is empty without a file."""
    return terms(path, recording).sentence


def terms(path: str | Path, recording: Recording) -> Terms:
    """The sentence of `guess`, and the whole text of the licence where a file of it lies beside the recording."""
    likely = _by_skeleton(recording)
    told = licence_file.beside(Path(path)) if str(path) else Terms()
    sentences = [told.sentence] if likely in told.sentence else [likely, told.sentence]
    return Terms("; ".join(s for s in sentences if s), told.text)


def _by_skeleton(recording: Recording) -> str:
    names = set(recording.skeleton.names)
    plain = {n.split(":")[-1] for n in names}
    if recording.source.format == "deepmimic":
        return DEEPMIMIC
    if any(n.lower().startswith("mixamorig") for n in names):
        return MIXAMO
    if plain >= _CMU_BVH or plain >= _CMU_ASF:
        return CMU
    if names >= _BANDAI:
        return BANDAI
    if names >= _LAFAN1 and len(names) == 22 and _has_lengths(recording, _LAFAN1_LENGTHS):
        return LAFAN1
    return ""


def _has_lengths(recording: Recording, lengths: dict[str, float]) -> bool:
    """Are these bones about this long, in proportion to one another?"""
    own = [float(np.linalg.norm(recording.skeleton.offsets[recording.skeleton.index(n)])) for n in lengths]
    ratio = np.array(own) / np.array(list(lengths.values()))
    return bool(np.all(ratio > 0) and np.ptp(ratio) < 0.02 * ratio.mean())

"""Licences: the likely one of a recording, licence files beside it, and the text file with the terms of an export.

The licence of a recording is told by its skeleton or by a licence file beside it.

What poise writes begins with a line that carries a check sum of the rest. By that line poise knows its own files again:
only these are ever replaced, and their terms are read back as they were. A licence file of anybody else, also one of
ours that was edited, is copied whole and never touched.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from poise import files
from poise.errors import BadFile
from poise.motion.recording import Recording, Source

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
    told = beside(Path(path)) if str(path) else Terms()
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


ENDING = ".licence.txt"
LONGEST = 1_000_000  # bytes of a licence that is copied; the longest in use have some 100 kB
_WORDS = ("licence", "license", "copying", "terms of use")
_MOTIONS = {".bvh", ".amc", ".asf", ".fbx", ".c3d", ".npz", ".glb", ".gltf", ".usd", ".usda", ".usdc", ".mp4", ".png",
            ".jpg", ".json", ".py"}  # a dance may be called "copying machine"  # fmt: skip
_FIRST = "Terms of use of the motion beside this file, written by poise ({})."
_SOURCE, _LICENCE, _TEXT = "Source of the motion: ", "Licence of the source: ", "The licence in full:"
_OLD = re.compile(rf"(?:{_SOURCE}[^\n]*\n)?{_LICENCE}(.*)\n?", re.DOTALL)  # as versions before wrote it
_POINTER = re.compile(r"(?:^|; )see [^\n;]* beside the recording")


@dataclass(frozen=True)
class Terms:
    """A sentence on the terms of use, and the whole text of the licence; either may be empty."""

    sentence: str = ""
    text: str = ""


def beside(path: Path) -> Terms:
    """What the licence files in a recording's own folder say: those named after it, or else those of the folder."""
    found = _found(path)
    sentences, texts = [], []
    for name in found:
        read = _read(path.parent / name)
        if read is None:
            sentences.append(f"see {name} beside the recording")
            continue
        ours = parse(read)
        if ours is None:
            sentences.append(f"see {name}, whose text goes with the motion")
            texts.append(read if len(found) == 1 else f"{name}:\n\n{read}")
        else:
            sentences.append(ours.sentence)
            texts.append(ours.text)
    return Terms("; ".join(dict.fromkeys(s for s in sentences if s)), "\n\n".join(dict.fromkeys(t for t in texts if t)))


def _found(path: Path) -> list[str]:
    """Names of the licence files of a recording."""
    stem = path.stem.lower()
    own = tuple(f"{stem}{mark}{word}" for mark in "._-" for word in _WORDS[:2])  # as poise writes it beside an export
    try:
        with os.scandir(path.parent) as entries:  # folders of recordings can be long: look at names first
            found = sorted(e.name for e in entries if e.name.lower().startswith((*own, *_WORDS)) and e.is_file())
    except OSError:
        return []
    found = [n for n in found if Path(n).suffix.lower() not in _MOTIONS and n != path.name]
    return [n for n in found if n.lower().startswith(own)] or found[:1]


def _read(path: Path) -> str | None:
    """The text of a licence file; None where it is none (a picture, a hundred megabytes)."""
    try:
        data = files.read_bytes(path, LONGEST)
    except BadFile:
        return None
    text = data.decode("utf-16", "replace") if data[:2] in (b"\xff\xfe", b"\xfe\xff") else _decoded(data)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").strip("\n")
    return None if "\0" in text or text.startswith("%PDF") else text


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")  # old texts of Western Europe; never fails


def parse(text: str) -> Terms | None:
    """The terms in a file that poise wrote; None for a text of anybody else."""
    if _untouched(text):
        body = text.partition("\n")[2]
        head, _, whole = body.partition(f"\n{_TEXT}\n\n")
        line = next((x for x in head.splitlines() if x.startswith(_LICENCE)), "")
        return Terms(line.removeprefix(_LICENCE), whole.strip("\n"))
    old = _OLD.fullmatch(text)  # these pointed at files that need not be there any more, even at themselves
    return None if old is None else Terms(_POINTER.sub("", old[1].strip()).strip("; "))


def _untouched(text: str) -> bool:
    first, _, body = text.partition("\n")
    return first == _FIRST.format(_sum(body))


def _sum(body: str) -> str:
    return hashlib.sha256(body.strip("\n").encode()).hexdigest()[:12]


def note(source: Source) -> str:
    """The file for a motion of this source; empty where nothing is known of its terms."""
    if not source.licence and not source.licence_text:
        return ""
    lines = [f"{_SOURCE}{_line(source.name)} ({source.format})."] if source.name else []
    lines += [_LICENCE + _line(source.licence)] if source.licence else []
    text = source.licence_text.strip("\n")
    body = "\n".join(lines) + (f"\n\n{_TEXT}\n\n{text}" if text else "")
    return f"{_FIRST.format(_sum(body))}\n{body}\n"


def _line(text: str) -> str:
    return " ".join(text.split())


def place(path: str | PathLike[str], text: str, overwrite: bool | None = None) -> Path | None:
    """Where the terms of an export are to be written: beside it; None where they lie there already.

    A file that poise did not write, or that was edited since, is never replaced, and one of poise's own not where
    `overwrite` is False: then name.licence-2.txt is chosen.
    """
    wanted = Path(path).with_suffix(ENDING)
    for number in range(1, 10000):
        tried = wanted if number == 1 else wanted.with_name(f"{Path(path).stem}.licence-{number}.txt")
        if not os.path.lexists(tried):
            return tried
        there = _read(tried) if tried.is_file() else None
        if there is None:
            continue
        if there.strip() == text.strip() or (there and there == _whole(text)):
            return None
        if overwrite is not False and _untouched(there) and os.access(tried, os.W_OK):
            return tried
    raise BadFile(path, "there are too many licence files beside it.")


def _whole(text: str) -> str:
    """The licence in full that a note holds, where it holds no more than a pointer to it beside."""
    terms = parse(text.strip("\n"))
    return terms.text if terms is not None else ""

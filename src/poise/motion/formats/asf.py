"""Reads ASF/AMC, the Acclaim skeleton and motion files of the CMU database."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from poise import budgets, files
from poise.character.skeleton import EndSite, Skeleton
from poise.errors import BadFile
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.formats import asf_skeleton
from poise.motion.formats.asf_skeleton import Bone
from poise.motion.formats.numbers import LIMIT
from poise.motion.recording import Recording, Source

_LARGEST_ASF = 5_000_000  # bytes
_LONGEST_WORD = 48  # letters: a bone's name, or a number with all its digits
_RATE = 120.0  # frames per second of the CMU database; the format does not tell
_CMU_LENGTH = 0.45  # its files state lengths in inches times this


def looks_like(start: bytes) -> bool:
    """Do these first bytes of a file begin an AMC?"""
    words = asf_skeleton.first_words(start)
    return bool(words & {b":fully-specified", b":degrees", b":radians"}) and not asf_skeleton.looks_like(start)


def read(path: Path, skeleton: Path | None = None) -> Recording:
    """The recording in an AMC file on the skeleton of its ASF file (given, or found beside it).

    Joints are the root and one for each bone, where the bone begins, with frames along the file's axes at rest. A
    bone turned by M in its own axes C turns by C M C⁻¹ in those.
    """
    asf = skeleton or find_skeleton(path)
    parsed = asf_skeleton.parse(asf, _text(asf, _LARGEST_ASF))
    bones = parsed.bones
    _layout(path, _words(_decoded(files.head(path, 1_000_000)))[0], bones)  # refuses noise before it is all read
    table, columns, degrees = _frames(path, _text(path, budgets.AMC_BYTES), bones)
    joints = _skeleton(bones)
    budgets.check_memory(path, len(table), len(bones))
    rotations = np.tile(rot.IDENTITY, (len(table), len(bones), 1))
    positions = np.tile(joints.offsets, (len(table), 1, 1))
    for j, bone in enumerate(bones):
        if bone.name in columns:
            values = table[:, columns[bone.name] : columns[bone.name] + len(bone.dofs)]
            rotations[:, j] = _turns(bone, values, parsed.degrees if degrees is None else degrees)
            positions[:, j] += _shifts(bone, values)
    unit = 0.0254 / parsed.length if abs(parsed.length - _CMU_LENGTH) < 1e-6 else None
    note = f"An AMC file has no frame rate; {_RATE:g} frames a second were assumed, as in the CMU database."
    notes = (note, f"The skeleton is that of {asf.name}.")
    return Recording(joints, rotations, positions, 1.0 / _RATE, Source(path.stem, str(path), "amc", notes=notes), unit)


def find_skeleton(path: Path) -> Path:
    """The ASF file of an AMC: of its name, of its subject (02_01.amc: 02.asf), the one it names, or the only one."""
    try:
        here = {p.name.lower(): p for p in path.parent.iterdir() if p.suffix.lower() == ".asf"}
    except OSError as error:
        raise BadFile(path, f"the folder it is in cannot be read: {files.reason(error)}.") from None
    stem = path.stem.lower()
    tries = [stem, *(stem[: m.start()] for m in reversed(list(re.finditer(r"[_\-. ]", stem))))]
    named = re.search(rb"([^\s\\/:]{1,100})\.asf", files.head(path, 2000), re.IGNORECASE)
    if named:
        tries.append(named[1].decode("latin-1").lower())
    for name in tries:
        if f"{name}.asf" in here:
            return here[f"{name}.asf"]
    if len(here) == 1:
        return next(iter(here.values()))
    there = ", ".join(sorted(p.name for p in here.values())[:8]) or "none"
    raise BadFile(
        path, f"its skeleton was not found: {path.stem}.asf was expected beside it; .asf files there: {there}."
    )


def _turns(bone: Bone, values: Array, degrees: bool) -> Array:
    """Local rotations (N, 4) in the file's axes from the numbers (N, dofs) of a bone."""
    pick = [i for i, d in enumerate(bone.dofs) if d[0] == "r"]
    angles = np.radians(values[:, pick]) if degrees else values[:, pick]
    order = "".join(bone.dofs[i][1] for i in pick)
    # the first turn of the list is applied first, so it stands last in the product
    own = rot.from_euler(order[::-1], angles[:, ::-1])
    return rot.multiply(rot.multiply(bone.axis, own), rot.conjugate(bone.axis))


def _shifts(bone: Bone, values: Array) -> Array:
    """Local shifts (N, 3): along the file's axes for the root, along a bone's own axes for others."""
    shift = np.zeros((len(values), 3))
    for i, d in enumerate(bone.dofs):
        if d[0] == "t":
            shift[:, "xyz".index(d[1])] = values[:, i]
    return rot.rotate(bone.axis, shift) if bone.parent else shift


def _skeleton(bones: tuple[Bone, ...]) -> Skeleton:
    """Joints at the beginnings of the bones; leaves end in an end site."""
    place = {b.name: j for j, b in enumerate(bones)}
    parents = np.array([place[b.parent] if b.parent else -1 for b in bones], int)
    # a bone begins where its parent ends; bones of the root begin at the root
    offsets = np.stack([bones[p].offset if p > 0 else np.zeros(3) for p in parents])
    offsets[0] = bones[0].offset
    leaves = sorted(set(range(1, len(bones))) - {int(p) for p in parents})
    ends = tuple(EndSite(j, bones[j].offset, f"{bones[j].name}_end") for j in leaves)
    return Skeleton(tuple(b.name for b in bones), parents, offsets, ends)


def _text(path: Path, limit: int) -> str:
    """The whole text; what is not text is refused by its head, before it is all read."""
    start = files.head(path)
    if not start.strip():
        raise BadFile(path, "it is empty.")
    if b"\0" in start or sum(c < 32 and c not in b"\t\r\n\f" for c in start) > 0.01 * len(start):
        raise BadFile(
            path, f"it is not an {path.suffix[1:].upper() or 'AMC'} file: that is plain text, and this is not."
        )
    return _decoded(files.read_bytes(path, limit))


def _decoded(data: bytes) -> str:
    return data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")


def _words(text: str) -> tuple[list[str], bool | None]:
    """All words of the frames, and: does it say that angles are in degrees?"""
    plain = re.sub(r"#[^\r\n]*", "", text)
    modes = {m.lower() for m in re.findall(r"^\s*(:[^\s]+)", plain, re.MULTILINE)}
    degrees = True if ":degrees" in modes else False if ":radians" in modes else None
    return re.sub(r"^\s*:[^\r\n]*", "", plain, flags=re.MULTILINE).split(), degrees


def _frames(path: Path, text: str, bones: tuple[Bone, ...]) -> tuple[Array, dict[str, int], bool | None]:
    """The words of all frames as numbers (N, W), the first column of each bone, and: are angles in degrees?"""
    if sum(text.count(space) for space in " \t\r\n") > budgets.AMC_WORDS:
        raise BadFile(path, f"it has more than {budgets.AMC_WORDS} words; no motion is so long.")
    words, degrees = _words(text)
    width, columns = _layout(path, words, bones)
    count, rest = divmod(len(words), width)
    if rest or max(map(len, words)) > _LONGEST_WORD:
        problem = f"its {len(words)} words do not make frames of {width} words like its first"
        raise BadFile(path, f"{problem}: it is cut short in frame {count + 1}, or its frames differ.")
    table = np.array(words).reshape(count, width)
    numeric = np.ones(width, bool)
    for name, first in columns.items():
        numeric[first - 1] = False
        wrong = np.flatnonzero(np.char.lower(table[:, first - 1]) != name.lower())
        if len(wrong):
            word = str(table[wrong[0], first - 1])[:24]
            raise BadFile(path, f"frame {wrong[0] + 1}: {word!r} stands where {name!r} was expected.")
    values = np.zeros((count, width))
    values[:, numeric] = _floats(path, table[:, numeric])
    return values, columns, degrees


def _layout(path: Path, words: list[str], bones: tuple[Bone, ...]) -> tuple[int, dict[str, int]]:
    """How many words a frame has and where the numbers of each bone begin, told by the first frame."""
    by_name = {b.name.lower(): b for b in bones}
    columns: dict[str, int] = {}
    at = 1
    if not words or not words[0].isdigit():
        raise BadFile(path, "it holds no frames: the first must begin with its number.")
    while at < len(words) and not words[at].isdigit():
        bone = by_name.get(words[at].lower())
        if bone is None or bone.name in columns:
            known = ", ".join(b.name for b in bones[:40])
            raise BadFile(path, f"{words[at][:24]!r} is not a bone of its skeleton, or comes twice; known are {known}.")
        columns[bone.name] = at + 1
        at += 1 + len(bone.dofs)
    if not columns or at > len(words):
        raise BadFile(path, "its first frame is cut short.")
    return at, columns


def _floats(path: Path, words: np.ndarray) -> Array:
    try:
        values = words.astype(float)
    except ValueError:
        values = np.array([[_float(w) for w in row] for row in words])
    bad = ~(np.abs(values) < LIMIT)
    if bad.any():
        frame, column = (int(i) for i in np.argwhere(bad)[0])
        raise BadFile(path, f"frame {frame + 1}: {str(words[frame, column])[:24]!r} is not a number of a motion.")
    return values


def _float(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return float("nan")

"""The bones of an ASF file: their directions, lengths, own axes and degrees of freedom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from poise import budgets
from poise.errors import BadFile
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.formats.numbers import LIMIT
from poise.motion.recording import Recording

MOST_BONES = budgets.FILE_JOINTS


@dataclass(frozen=True, eq=False)
class Bone:
    """A bone, or the root as the first: `offset` leads from its beginning to its end (for the root: its own place)."""

    name: str
    parent: str  # empty for the root
    offset: Array  # (3,) file units, file axes at rest
    axis: Array  # (4,) orientation of its own axes
    dofs: tuple[str, ...]  # "rx" ... "tz", in the order of their numbers; "l" a length, which is not used


@dataclass(frozen=True)
class Bones:
    """All bones, parents first; `length` of the units section; are angles given in degrees?"""

    bones: tuple[Bone, ...]
    length: float
    degrees: bool


def looks_like(start: bytes) -> bool:
    """Do these first bytes of a file begin an ASF?"""
    words = first_words(start)
    return bool(words & {b":bonedata", b":hierarchy"}) or {b":version", b":units"} <= words


def first_words(start: bytes) -> set[bytes]:
    """The first word of each line, in small letters."""
    lines = [line.strip().lower() for line in start.removeprefix(b"\xef\xbb\xbf").splitlines()]
    return {line.split()[0] for line in lines if line}


def read(path: Path) -> Recording:
    """Refused: there is no motion in a skeleton."""
    raise BadFile(path, "an ASF file holds a skeleton without motion; give the .amc file that goes with it.")


def parse(path: Path, text: str) -> Bones:
    """The bones of an ASF text."""
    sections = dict(_sections(text))
    missing = [s for s in (":root", ":bonedata", ":hierarchy") if s not in sections]
    if missing:
        raise BadFile(path, f"it is not a whole ASF file: the section {missing[0]} is missing.")
    units = {w[0].lower(): w[1] for line in sections.get(":units", []) if len(w := line.split()) > 1}
    degrees = not units.get("angle", "deg").lower().startswith("rad")
    length = _numbers(path, "length", [units.get("length", "1")], 1)[0]
    root = _root(path, sections[":root"], degrees)
    bones = {"root": root}
    for lines in _blocks(path, sections[":bonedata"]):
        bone = _bone(path, lines, degrees)
        if bone.name in bones:
            raise BadFile(path, f"the bone {bone.name!r} comes twice.")
        bones[bone.name] = bone
        if len(bones) > MOST_BONES:
            raise BadFile(path, f"it declares more than {MOST_BONES} bones.")
    return Bones(_hang(path, sections[":hierarchy"], bones), length, degrees)


def _sections(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each section's name, with its colon, and its lines."""
    name, lines = "", []
    for raw in text.splitlines():
        line = raw.split("#")[0].strip()
        if line.startswith(":"):
            yield name, lines
            head, _, rest = line.partition(" ")
            name, lines = head.lower(), [rest] if rest.strip() else []
        elif line:
            lines.append(line)
    yield name, lines


def _blocks(path: Path, lines: list[str]) -> Iterator[list[str]]:
    """The lines between each begin and end."""
    block: list[str] | None = None
    for line in lines:
        if line.lower() == "begin":
            block = []
        elif line.lower() == "end":
            if block is None:
                raise BadFile(path, "an 'end' without 'begin' in its bones.")
            yield block
            block = None
        elif block is not None:
            block.append(line)
    if block is not None:
        raise BadFile(path, "its bones end with one still open: the file is cut short.")


def _fields(lines: list[str]) -> dict[str, list[str]]:
    """The words behind each keyword (limits, which nothing here uses, may run over several lines)."""
    return {words[0].lower(): words[1:] for line in lines if (words := line.split())}


def _root(path: Path, lines: list[str], degrees: bool) -> Bone:
    fields = _fields(lines)
    order = tuple(w.lower() for w in fields.get("order", ["TX", "TY", "TZ", "RX", "RY", "RZ"]))
    _known(path, "root", order)
    place = np.array(_numbers(path, "position of the root", fields.get("position", ["0"] * 3), 3))
    turn = _numbers(path, "orientation of the root", fields.get("orientation", ["0"] * 3), 3)
    return Bone("root", "", place, _axes(path, turn, (fields.get("axis") or ["XYZ"])[0], degrees), order)


def _bone(path: Path, lines: list[str], degrees: bool) -> Bone:
    fields = _fields(lines)
    name = " ".join(fields.get("name", []))
    if not name:
        raise BadFile(path, "a bone has no name.")
    for key in ("direction", "length"):
        if key not in fields:
            raise BadFile(path, f"the bone {name!r} has no {key}.")
    way = np.array(_numbers(path, f"direction of {name!r}", fields["direction"], 3))
    size = float(np.linalg.norm(way))
    way = way / size if size > 0 else way
    axis = fields.get("axis", ["0", "0", "0", "XYZ"])
    turn = _axes(path, _numbers(path, f"axis of {name!r}", axis[:3], 3), axis[3] if len(axis) > 3 else "XYZ", degrees)
    dofs = tuple(w.lower() for w in fields.get("dof", []))
    _known(path, name, dofs)
    return Bone(name, "", way * _numbers(path, f"length of {name!r}", fields["length"], 1)[0], turn, dofs)


def _known(path: Path, name: str, dofs: tuple[str, ...]) -> None:
    unknown = [d for d in dofs if d not in ("rx", "ry", "rz", "tx", "ty", "tz", "l")]
    if unknown or len(set(dofs)) != len(dofs):
        raise BadFile(
            path, f"{name!r} has degrees of freedom {' '.join(dofs)[:60]!r}; rx ry rz tx ty tz l, each once, are known."
        )


def _axes(path: Path, turn: list[float], order: str, degrees: bool) -> Array:
    """Quaternion of turns about fixed axes, the first of `order` applied first."""
    if sorted(order.upper()) != ["X", "Y", "Z"]:
        raise BadFile(path, f"{order[:24]!r} is not an order of the axes X, Y and Z.")
    angles = np.radians(turn) if degrees else np.array(turn)
    # the numbers stand as x, y, z, whatever the order in which they are applied
    picked = [float(angles["XYZ".index(a)]) for a in reversed(order.upper())]
    return rot.from_euler(order[::-1], picked)


def _hang(path: Path, lines: list[str], bones: dict[str, Bone]) -> tuple[Bone, ...]:
    """The bones that the hierarchy reaches from the root, each with its parent, parents first."""
    by_name = {n.lower(): n for n in bones}
    children: dict[str, list[str]] = {}
    seen = {"root"}
    for line in lines:
        words = [by_name.get(w.lower(), "") for w in line.split()]
        if line.lower() in ("begin", "end"):
            continue
        if "" in words:
            raise BadFile(path, f"its hierarchy names a bone that does not exist: {line[:60]!r}.")
        if seen & set(words[1:]) or len(set(words)) != len(words):
            raise BadFile(path, f"its hierarchy hangs a bone twice: {line[:60]!r}.")
        seen |= set(words[1:])
        children.setdefault(words[0], []).extend(words[1:])
    order, todo = [bones["root"]], [("root", c) for c in reversed(children.get("root", []))]
    while todo:
        parent, name = todo.pop()
        order.append(replace(bones[name], parent=parent))
        todo.extend((name, c) for c in reversed(children.get(name, [])))
    if len(order) < 2:
        raise BadFile(path, "no bone hangs on its root.")
    return tuple(order)


def _numbers(path: Path, what: str, words: list[str], count: int) -> list[float]:
    try:
        values = [float(w) for w in words[:count]]
    except ValueError:
        values = []
    if len(values) != count or not all(abs(v) < LIMIT for v in values):
        raise BadFile(path, f"the {what} needs {count} number(s), not {' '.join(words)[:40]!r}.")
    return values

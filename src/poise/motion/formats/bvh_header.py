"""The HIERARCHY of a BVH file: joints, offsets, channels and end sites, without recursion."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from poise.character.skeleton import EndSite, Skeleton
from poise.errors import BadFile
from poise.motion.formats.numbers import LIMIT

MOST_JOINTS = 5000  # more is no skeleton but a broken or hostile file

_CHANNELS = {f"{a.lower()}{kind}": f"{a}{kind}" for a in "XYZ" for kind in ("position", "rotation")}
_WORD = re.compile(r"[^\s{}]+|[{}]")
_REST_OF_LINE = re.compile(r"[^\r\n{}]*")


@dataclass(frozen=True)
class Header:
    """The skeleton, and for each number of a frame the joint (-1: of no interest), is it a turn, and its axis 0-2."""

    skeleton: Skeleton
    joint: np.ndarray  # (C,)
    turns: np.ndarray  # (C,) bool
    axis: np.ndarray  # (C,)
    notes: tuple[str, ...] = ()


@dataclass
class _Joint:
    name: str
    parent: int
    offset: list[float] | None = None
    channels: tuple[str, ...] | None = None
    ends: list[_End] = field(default_factory=list)


@dataclass
class _End:
    name: str
    offset: list[float] | None = None


class _Cursor:
    """A place in the text that moves on by words."""

    def __init__(self, path: Path, text: str):
        self.path, self.text, self.at = path, text, 0

    def word(self) -> str:
        """The next word or brace, empty at the end."""
        found = _WORD.search(self.text, self.at)
        if found is None:
            self.at = len(self.text)
            return ""
        self.at = found.end()
        return found[0]

    def name(self) -> str:
        """A name that may hold spaces: the rest of the line, or the next word where the line is at its end."""
        found = _REST_OF_LINE.match(self.text, self.at)
        line = found[0].strip() if found else ""
        if found and line:
            self.at = found.end()
            return line
        before, word = self.at, self.word()
        if word in ("{", "}", ""):
            self.at = before
            return ""
        return word

    def number(self, what: str) -> float:
        word = self.word()
        try:
            value = float(word)
        except ValueError:
            raise self.error(f"{what} needs a number, not {word[:24]!r}") from None
        if not abs(value) < LIMIT:
            raise self.error(f"{what} cannot be {word[:24]}")
        return value

    def error(self, problem: str) -> BadFile:
        line = len(re.findall(r"\r\n?|\n", self.text[: self.at])) + 1
        return BadFile(self.path, f"line {line}: {problem}.")


def parse(path: Path, text: str) -> Header:
    """The skeleton of the text from HIERARCHY up to MOTION."""
    cursor = _Cursor(path, text)
    if cursor.word().lower() != "hierarchy":
        raise BadFile(path, "a BVH file begins with the word HIERARCHY; this one does not.")
    joints, order = _joints(cursor)
    if not joints:
        raise BadFile(path, "its hierarchy has no joints.")
    keep, notes = _largest(joints)
    place = {j: k for k, j in enumerate(keep)}
    chosen = [joints[j] for j in keep]
    skeleton = Skeleton(
        names=tuple(j.name for j in chosen),
        parents=np.array([place.get(j.parent, -1) for j in chosen], int),
        offsets=np.array([j.offset for j in chosen], float).reshape(-1, 3),
        ends=tuple(EndSite(k, np.array(e.offset, float), e.name) for k, j in enumerate(chosen) for e in j.ends),
        channels=tuple(j.channels or () for j in chosen),
    )
    columns = [(place.get(j, -1), c.endswith("rotation"), "XYZ".index(c[0])) for j in order for c in joints[j].channels or ()]
    joint, turns, axis = zip(*columns, strict=True) if columns else ((), (), ())
    return Header(skeleton, np.array(joint, np.int64), np.array(turns, bool), np.array(axis, np.int64), notes)


def _joints(cursor: _Cursor) -> tuple[list[_Joint], list[int]]:
    """All joints in order, and the joints in the order in which they declare their channels."""
    joints: list[_Joint] = []
    order: list[int] = []
    blocks: list[int | _End] = []  # what each open brace belongs to
    pending: int | _End | None = None  # declared, its brace not yet seen
    while word := cursor.word():
        key = word.lower()
        if pending is not None and key != "{":
            raise cursor.error(f"'{{' was expected, not {word[:24]!r}")
        block = blocks[-1] if blocks else None
        if key == "{":
            if pending is None:
                raise cursor.error("a '{' that belongs to no joint")
            blocks.append(pending)
            pending = None
        elif key == "}":
            if block is None:
                raise cursor.error("a '}' too many")
            _close(cursor, joints[block] if isinstance(block, int) else block)
            blocks.pop()
        elif key in ("root", "joint"):
            pending = _declare(cursor, joints, key, block)
        elif isinstance(block, int) and key == "end":
            name = re.sub(r"(?i)^site\b\s*", "", cursor.name())
            pending = _End(name or "End Site")
            joints[block].ends.append(pending)
        elif block is not None and key == "offset":
            target = joints[block] if isinstance(block, int) else block
            target.offset = [cursor.number("OFFSET") for _ in range(3)]
        elif block is not None and key == "channels":
            channels = _channels(cursor)
            if isinstance(block, int) and joints[block].channels is None:
                joints[block].channels = channels
                order.append(block)
            elif channels:
                raise cursor.error("CHANNELS of an end site, or a second CHANNELS of a joint")
        else:
            raise cursor.error(f"{word[:24]!r} was not expected here")
    if blocks or pending is not None:
        raise BadFile(cursor.path, f"its hierarchy ends with {len(blocks) or 1} block(s) still open: the file is cut short.")
    return joints, order


def _declare(cursor: _Cursor, joints: list[_Joint], key: str, block: int | _End | None) -> int:
    if isinstance(block, _End):
        raise cursor.error("a joint inside an end site")
    if (key == "root") != (block is None):
        raise cursor.error("ROOT inside a joint" if key == "root" else "JOINT outside of a ROOT")
    name = cursor.name()
    if not name:
        raise cursor.error(f"a {key.upper()} without a name")
    if len(joints) >= MOST_JOINTS:
        raise BadFile(cursor.path, f"it declares more than {MOST_JOINTS} joints.")
    joints.append(_Joint(name, -1 if block is None else block))
    return len(joints) - 1


def _channels(cursor: _Cursor) -> tuple[str, ...]:
    count = cursor.number("CHANNELS")
    if count != int(count) or not 0 <= count <= 100:
        raise cursor.error(f"a joint cannot have {count:g} channels")
    channels: list[str] = []
    for _ in range(int(count)):
        word = cursor.word()
        if word.lower() not in _CHANNELS:
            known = ", ".join(_CHANNELS.values())
            raise cursor.error(f"{int(count)} channels are declared; number {len(channels) + 1} is {word[:24]!r}, not one of {known}")
        channels.append(_CHANNELS[word.lower()])
    return tuple(channels)


def _close(cursor: _Cursor, block: _Joint | _End) -> None:
    if block.offset is None:
        raise cursor.error(f"{block.name!r} has no OFFSET")


def _largest(joints: list[_Joint]) -> tuple[list[int], tuple[str, ...]]:
    """The joints of the skeleton with most joints, and a note where the file holds others."""
    root: list[int] = []
    for k, j in enumerate(joints):
        root.append(k if j.parent < 0 else root[j.parent])
    roots = sorted(set(root))
    best = max(roots, key=lambda r: (root.count(r), -r))
    if len(roots) == 1:
        return list(range(len(joints))), ()
    others = ", ".join(repr(joints[r].name) for r in roots if r != best)
    note = f"The file holds {len(roots)} skeletons; only the largest, {joints[best].name!r}, was read, not {others}."
    return [k for k, r in enumerate(root) if r == best], (note,)

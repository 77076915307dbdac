"""The HIERARCHY of a BVH file: joints, offsets, channels and end sites, without recursion."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from poise.character.skeleton import EndSite, Skeleton
from poise.errors import BadFile
from poise.motion.formats.numbers import LIMIT

MOST_JOINTS = 5000  # more is no skeleton but a broken or hostile file

_CHANNELS = {f"{a.lower()}{kind}": f"{a}{kind}" for a in "XYZ" for kind in ("position", "rotation")}
_STATEMENT = re.compile(
    r"""\s*(?: ([{}])                                                             # 1 a brace
    | (ROOT|JOINT|END)\b [^\S\r\n]* ( [^\r\n{}]* )                           # 2 what begins, 3 its name, spaces and all
    | (OFFSET)\b \s* ([^\s{}]*) \s* ([^\s{}]*) \s* ([^\s{}]*)                # 4, and 5 to 7 its numbers
    | (CHANNELS)\b \s* ([^\s{}]*) ( (?: \s+ [XYZ](?:position|rotation)\b )* ) # 8, 9 how many, 10 their names
    | ([^\s{}]+) )                                                            # 11 anything else""",
    re.IGNORECASE | re.VERBOSE,
)


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


class _Words:
    """The statements of a hierarchy one by one, and errors that know their line."""

    def __init__(self, path: Path, text: str):
        self.path, self.text, self.at = path, text, 0

    def statements(self) -> Iterator[re.Match[str]]:
        for found in _STATEMENT.finditer(self.text):
            self.at = found.start()
            yield found

    def number(self, what: str, word: str) -> float:
        try:
            value = float(word)
        except ValueError:
            raise self.error(f"{what} needs a number, not {word[:24]!r}") from None
        if not abs(value) < LIMIT:
            raise self.error(f"{what} cannot be {word[:24]}")
        return value

    def error(self, problem: str) -> BadFile:
        begin = len(self.text) - len(self.text[self.at :].lstrip())  # a statement is found with the space before it
        line = len(re.findall(r"\r\n?|\n", self.text[:begin])) + 1
        return BadFile(self.path, f"line {line}: {problem}.")


def parse(path: Path, text: str) -> Header:
    """The skeleton of the text from HIERARCHY up to MOTION."""
    begin = re.match(r"\s*HIERARCHY\b", text, re.IGNORECASE)
    if begin is None:
        raise BadFile(path, "a BVH file begins with the word HIERARCHY; this one does not.")
    joints, order = _joints(_Words(path, text.replace(begin[0], " " * len(begin[0]), 1)))
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
    columns = [
        (place.get(j, -1), c.endswith("rotation"), "XYZ".index(c[0])) for j in order for c in joints[j].channels or ()
    ]
    joint, turns, axis = zip(*columns, strict=True) if columns else ((), (), ())
    return Header(skeleton, np.array(joint, np.int64), np.array(turns, bool), np.array(axis, np.int64), notes)


def _joints(words: _Words) -> tuple[list[_Joint], list[int]]:
    """All joints in order, and the joints in the order in which they declare their channels."""
    joints: list[_Joint] = []
    order: list[int] = []
    blocks: list[int | _End] = []  # what each open brace belongs to
    pending: int | _End | None = None  # declared, its brace not yet seen
    for found in words.statements():
        brace, begins, name, offset, x, y, z, channels, count, listed, other = found.groups()
        if pending is not None and brace != "{":
            if isinstance(pending, int) and not joints[pending].name and other:  # a name on a line of its own
                joints[pending].name = other
                continue
            raise words.error(f"'{{' was expected, not {found[0].split()[0][:24]!r}")
        block = blocks[-1] if blocks else None
        if brace == "{":
            if pending is None:
                raise words.error("a '{' that belongs to no joint")
            if isinstance(pending, int) and not joints[pending].name:
                raise words.error("a joint without a name")
            blocks.append(pending)
            pending = None
        elif begins:
            pending = _declare(words, joints, block, begins.upper(), name.strip())
        elif block is None or other:
            raise words.error(f"{found[0].split()[0][:24]!r} was not expected here")
        elif brace:
            what = joints[block] if isinstance(block, int) else block
            if what.offset is None:
                raise words.error(f"{what.name!r} has no OFFSET")
            blocks.pop()
        elif offset:
            target = joints[block] if isinstance(block, int) else block
            target.offset = [words.number("OFFSET", x), words.number("OFFSET", y), words.number("OFFSET", z)]
        elif channels:
            names = _channels(words, count, listed)
            if isinstance(block, int) and joints[block].channels is None:
                joints[block].channels = names
                order.append(block)
            elif names:
                raise words.error("CHANNELS of an end site, or a second CHANNELS of a joint")
    if blocks or pending is not None:
        raise BadFile(
            words.path, f"its hierarchy ends with {len(blocks) or 1} block(s) still open: the file is cut short."
        )
    return joints, order


def _declare(words: _Words, joints: list[_Joint], block: int | _End | None, begins: str, name: str) -> int | _End:
    """A new joint or end site; gives what the next brace will open."""
    if isinstance(block, _End):
        raise words.error("a joint inside an end site")
    if (begins == "ROOT") != (block is None):
        raise words.error("ROOT inside a joint" if begins == "ROOT" else f"{begins} outside of a ROOT")
    if begins == "END" and block is not None:
        end = _End(re.sub(r"(?i)^site\b\s*", "", name) or "End Site")
        joints[block].ends.append(end)
        return end
    if len(joints) >= MOST_JOINTS:
        raise BadFile(words.path, f"it declares more than {MOST_JOINTS} joints.")
    joints.append(_Joint(name, -1 if block is None else block))
    return len(joints) - 1


def _channels(words: _Words, count: str, listed: str) -> tuple[str, ...]:
    number, names = words.number("CHANNELS", count), listed.lower().split()
    if number != len(names):
        known = ", ".join(_CHANNELS.values())
        raise words.error(f"CHANNELS {number:g} is followed by {len(names)} channel names (known are {known})")
    return tuple([_CHANNELS[n] for n in names])


def _largest(joints: list[_Joint]) -> tuple[list[int], tuple[str, ...]]:
    """The joints of the skeleton with most joints, and a note where the file holds others."""
    root: list[int] = []
    for k, j in enumerate(joints):
        root.append(k if j.parent < 0 else root[j.parent])
    size = Counter(root)
    roots = sorted(size)
    best = max(roots, key=lambda r: (size[r], -r))
    if len(roots) == 1:
        return list(range(len(joints))), ()
    others = ", ".join(repr(joints[r].name) for r in roots if r != best)
    note = f"The file holds {len(roots)} skeletons; only the largest, {joints[best].name!r}, was read, not {others}."
    return [k for k, r in enumerate(root) if r == best], (note,)

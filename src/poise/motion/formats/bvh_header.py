"""The HIERARCHY of a BVH file: joints, offsets, channels and end sites, without recursion."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from poise import budgets
from poise.character.skeleton import EndSite, Skeleton
from poise.errors import BadFile
from poise.motion.formats.numbers import LIMIT

MOST_JOINTS = budgets.FILE_JOINTS

_CHANNELS = {f"{a.lower()}{kind}": f"{a}{kind}" for a in "XYZ" for kind in ("position", "rotation")}
_TURNS = {c: c.endswith("rotation") for c in _CHANNELS.values()}
_AXIS = {c: "XYZ".index(c[0]) for c in _CHANNELS.values()}
_STATEMENT = re.compile(
    r"""\s*(?:
      (ROOT|JOINT|END)\b [^\S\r\n]* ( [^\r\n{}]* ) \s* ( {? )                   # 1 what begins, 2 its name, 3 its brace
    | (OFFSET)\b \s* ([^\s{}]*) \s* ([^\s{}]*) \s* ([^\s{}]*)                   # 4, and 5 to 7 its numbers
    | (CHANNELS)\b \s* ([^\s{}]*) ( (?: \s+ [XYZ](?:position|rotation)\b )* )   # 8, 9 how many, 10 their names
    | ( } )                                                                    # 11 an end
    | ( { | [^\s{}]+ ) )                                                       # 12 anything else""",
    re.IGNORECASE | re.VERBOSE,
)
_BEGIN, _OFFSET, _LISTED, _CLOSE, _OTHER = 3, 7, 10, 11, 12  # the last group of each, by which it is told
# a whole joint or end site as nearly all files write it, with the braces that close after it
_USUAL = re.compile(
    r"""( \s* (?: (ROOT|JOINT) [ \t]+ ( [^\s{}]+ (?: [ \t]+ [^\s{}]+ )* ) | End [ \t]+ Site ) \s* { \s*
    OFFSET \s+ (\S+) \s+ (\S+) \s+ (\S+)
    (?: \s+ CHANNELS \s+ (\d+) ( (?: \s+ [XYZ](?:position|rotation) )+ ) )? ( (?: \s* } )* ) )""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Header:
    """The skeleton, and for each number of a frame the joint (-1: of no interest), is it a turn, and its axis 0-2."""

    skeleton: Skeleton
    joint: np.ndarray  # (C,)
    turns: np.ndarray  # (C,) bool
    axis: np.ndarray  # (C,)
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Joint:
    index: int
    name: str
    parent: int
    offset: list[float] | None = None
    channels: tuple[str, ...] | None = None
    ends: list[_End] = field(default_factory=list)


@dataclass(slots=True)
class _End:
    name: str
    offset: list[float] | None = None


class _Text:
    """The text of a hierarchy and errors that know their line."""

    def __init__(self, path: Path, text: str):
        self.path, self.text = path, text

    def error(self, at: re.Match[str], problem: str) -> BadFile:
        begin = len(self.text) - len(self.text[at.start() :].lstrip())  # a statement is found with the space before it
        line = len(re.findall(r"\r\n?|\n", self.text[:begin])) + 1
        return BadFile(self.path, f"line {line}: {problem}.")


def parse(path: Path, text: str) -> Header:
    """The skeleton of the text from HIERARCHY up to MOTION."""
    begin = re.match(r"\s*HIERARCHY\b", text, re.IGNORECASE)
    if begin is None:
        raise BadFile(path, "a BVH file begins with the word HIERARCHY; this one does not.")
    found = _usual(text, begin.end())
    joints, order = found or _joints(_Text(path, text.replace(begin[0], " " * len(begin[0]), 1)))
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
    listed = [c for j in order for c in joints[j].channels or ()]
    owner = [k for j in order for k in [place.get(j, -1)] * len(joints[j].channels or ())]
    turns, axis = (
        np.array([meaning[c] for c in listed], kind) for meaning, kind in ((_TURNS, bool), (_AXIS, np.int64))
    )
    return Header(skeleton, np.array(owner, np.int64), turns, axis, notes)


def _usual(text: str, begin: int) -> tuple[list[_Joint], list[int]] | None:
    """What `_joints` gives, several times faster; None where the text has anything unusual or wrong in it."""
    found = _USUAL.findall(text, begin)
    if not found or len(found) > MOST_JOINTS or sum(len(m[0]) for m in found) != len(text.rstrip()) - begin:
        return None
    try:
        numbers = [float(word) for m in found for word in m[3:6]]
    except ValueError:
        return None
    if not np.all(np.abs(numbers) < LIMIT):
        return None
    joints: list[_Joint] = []
    open_blocks: list[_Joint | None] = []  # None: an end site
    known: dict[tuple[str, str], tuple[str, ...]] = {("", ""): ()}
    for k, (_, kind, name, _, _, _, count, listed, closed) in enumerate(found):
        block = open_blocks[-1] if open_blocks else None
        if (kind == "ROOT") == bool(open_blocks) or (open_blocks and block is None) or bool(kind) != bool(count):
            return None
        offset = numbers[3 * k : 3 * k + 3]
        if kind:
            names = known.get((count, listed))
            if names is None:
                names = known[count, listed] = tuple(listed.split())
                if len(count) > 9 or int(count) != len(names):
                    return None
            joints.append(_Joint(len(joints), name, -1 if block is None else block.index, offset, names))
            open_blocks.append(joints[-1])
        elif block is not None:
            block.ends.append(_End("End Site", offset))
            open_blocks.append(None)
        braces = closed.count("}")
        if braces > len(open_blocks):
            return None
        del open_blocks[len(open_blocks) - braces :]
    return None if open_blocks else (joints, list(range(len(joints))))


def _joints(text: _Text) -> tuple[list[_Joint], list[int]]:
    """All joints in order, and the joints in the order in which they declare their channels."""
    joints: list[_Joint] = []
    order: list[int] = []
    blocks: list[_Joint | _End] = []  # what each open brace belongs to
    pending: _Joint | _End | None = None  # declared, its brace not yet seen
    known: dict[tuple[str, str], tuple[str, ...]] = {}  # most joints list the same channels
    for found in _STATEMENT.finditer(text.text):
        kind, block = found.lastindex, blocks[-1] if blocks else None
        if pending is not None:
            pending = _opened(text, found, pending, blocks)
        elif kind == _BEGIN:
            pending = _declare(text, found, joints, block)
            if found[3] and pending.name:
                blocks.append(pending)
                pending = None
        elif block is None or kind == _OTHER:
            raise text.error(found, f"{found[0].split()[0][:24]!r} was not expected here")
        elif kind == _OFFSET:
            block.offset = _offset(text, found)
        elif kind == _CLOSE:
            if block.offset is None:
                raise text.error(found, f"{block.name!r} has no OFFSET")
            blocks.pop()
        elif kind == _LISTED:
            listed = found[9], found[10]
            names = known[listed] = known.get(listed) or _channels(text, found)
            if isinstance(block, _Joint) and block.channels is None:
                block.channels = names
                order.append(block.index)
            elif names:
                raise text.error(found, "CHANNELS of an end site, or a second CHANNELS of a joint")
    if blocks or pending is not None:
        raise BadFile(
            text.path, f"its hierarchy ends with {len(blocks) or 1} block(s) still open: the file is cut short."
        )
    return joints, order


def _declare(text: _Text, found: re.Match[str], joints: list[_Joint], block: _Joint | _End | None) -> _Joint | _End:
    """A new joint or end site, which the next brace will open."""
    begins, name = found[1].upper(), found[2].strip()
    if isinstance(block, _End):
        raise text.error(found, "a joint inside an end site")
    if (begins == "ROOT") != (block is None):
        raise text.error(found, "ROOT inside a joint" if begins == "ROOT" else f"{begins} outside of a ROOT")
    if begins == "END" and block is not None:
        block.ends.append(_End(re.sub(r"(?i)^site\b\s*", "", name) or "End Site"))
        return block.ends[-1]
    if len(joints) >= MOST_JOINTS:
        raise BadFile(text.path, f"it declares more than {MOST_JOINTS} joints.")
    joints.append(_Joint(len(joints), name, -1 if block is None else block.index))
    return joints[-1]


def _opened(text: _Text, found: re.Match[str], pending: _Joint | _End, blocks: list) -> _Joint | _End | None:
    """What still waits for its brace after this statement: a joint whose name has a line of its own, or nothing."""
    word = found[0].split()[0]
    if word == "{" and pending.name:
        blocks.append(pending)
        return None
    if not pending.name and word not in "{}" and found.lastindex == _OTHER:
        pending.name = word
        return pending
    problem = f"'{{' was expected, not {word[:24]!r}" if pending.name else "a joint without a name"
    raise text.error(found, problem)


def _offset(text: _Text, found: re.Match[str]) -> list[float]:
    words = found.group(5, 6, 7)
    try:
        offset = [float(words[0]), float(words[1]), float(words[2])]
    except ValueError:
        raise text.error(found, f"OFFSET needs three numbers, not {' '.join(words)[:40]!r}") from None
    if not (abs(offset[0]) < LIMIT and abs(offset[1]) < LIMIT and abs(offset[2]) < LIMIT):
        raise text.error(found, f"OFFSET cannot be {' '.join(words)[:40]}")
    return offset


def _channels(text: _Text, found: re.Match[str]) -> tuple[str, ...]:
    names = found[10].lower().split()
    if not found[9].isdigit() or int(found[9][:9]) != len(names):
        known = ", ".join(_CHANNELS.values())
        raise text.error(
            found, f"CHANNELS {found[9][:24]} is followed by {len(names)} channel names (known are {known})"
        )
    return tuple([_CHANNELS[n] for n in names])


def _largest(joints: list[_Joint]) -> tuple[list[int], tuple[str, ...]]:
    """The joints of the skeleton with most joints, and a note where the file holds others."""
    if sum(j.parent < 0 for j in joints) == 1:
        return list(range(len(joints))), ()
    root: list[int] = []
    for k, j in enumerate(joints):
        root.append(k if j.parent < 0 else root[j.parent])
    size = Counter(root)
    roots = sorted(size)
    best = max(roots, key=lambda r: (size[r], -r))
    others = ", ".join(repr(joints[r].name) for r in roots if r != best)
    note = f"The file holds {len(roots)} skeletons; only the largest, {joints[best].name!r}, was read, not {others}."
    return [k for k, r in enumerate(root) if r == best], (note,)

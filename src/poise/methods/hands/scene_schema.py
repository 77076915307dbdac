"""The schema of a scene file: every entry with its kind, unit, meaning and default, by which files are checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from poise.errors import BadFile

REQUIRED = "required"
_WORDS = {
    "text": "a text",
    "number": "a number",
    "vector": "a list of numbers",
    "list": "a list",
    "table": "a part of its own",
}


class Entry(NamedTuple):
    """One entry of a scene file."""

    part: str  # "" at the top, "object", "wrists", ...
    name: str  # "*" stands for names of the part's own: fingers, joints
    kind: str  # one of `_WORDS`
    unit: str
    about: str
    default: str = ""
    above: float | None = None  # numbers must be more than this
    least: float | None = None  # numbers must be at least this
    size: int | None = None  # how many numbers a vector has

    @property
    def shown(self) -> str:
        """Its name with that of its part."""
        return f"{self.part}.{self.name}" if self.part else self.name


ENTRIES = (
    Entry("", "name", "text", "", "what the scene is called", "the file's name"),
    Entry("", "fps", "number", "1/s", "frames a second of all tracks", "30", above=0.0),
    Entry("", "friction", "number", "", "µ between hand and object", "1", above=0.0),
    Entry("", "table_friction", "number", "", "µ between object and table", "0.4", least=0.0),
    Entry("", "table", "number", "m", "height of the table", "none"),
    Entry("", "slide", "number", "m a frame", "l₁ of (33), how far a contact slides", "1e-4", above=0.0),
    Entry("", "move", "number", "m a frame", "l₂ of (33), how far a free contact moves", "5e-4", above=0.0),
    Entry("", "licence", "text", "", "on what terms the motion may be used", ""),
    Entry("", "styles", "list", "s", "pairs of a time and the style from then on", "none"),
    Entry("", "stands", "list", "", "boxes on which the object lies", "none"),
    Entry("stands", "size", "vector", "m", "whole lengths", REQUIRED, above=0.0, size=3),
    Entry("stands", "place", "vector", "m", "its centre", REQUIRED, size=3),
    Entry("", "object", "table", "", "what is held", REQUIRED),
    Entry("object", "name", "text", "", "what it is called", "the file's name"),
    Entry("object", "mass", "number", "kg", "", "0.5", above=0.0),
    Entry("object", "track", "text", "", "file of its motion: x y z qw qx qy qz a row [m]", REQUIRED),
    Entry("object", "pieces", "list", "", "its shapes", "a mesh"),
    Entry("object", "mesh", "text", "", "an .obj or .stl file in place of pieces", "none"),
    Entry("object", "unit", "number", "m", "unit of the mesh", "1", above=0.0),
    Entry("pieces", "kind", "text", "", "box, cylinder, sphere or capsule", REQUIRED),
    Entry("pieces", "size", "vector", "m", "half lengths; radius and half length; radius", REQUIRED, above=0.0),
    Entry("pieces", "place", "vector", "m", "its centre in the object's frame", "0 0 0", size=3),
    Entry("pieces", "turn", "vector", "degrees", "about x, then the new y, then the new z", "0 0 0", size=3),
    Entry("", "wrists", "table", "", "one or both hands", REQUIRED),
    Entry("wrists", "right", "text", "", "file of the right wrist's motion", "none"),
    Entry("wrists", "left", "text", "", "file of the left wrist's motion", "none"),
    Entry("", "windows", "table", "", "when fingers may touch", "found from reach"),
    Entry("windows", "*", "vector", "s", "from and to, of a finger such as right_index", "none", least=0.0, size=2),
    Entry("", "fixed", "table", "", "joints that are held", "none"),
    Entry("fixed", "*", "number", "degrees", "of a joint such as right_index_pip_flex", "none"),
)


def check(path: Path, given: Mapping[str, Any]) -> None:
    """Refuse a file with an entry that is unknown, missing or of another kind, in one sentence."""
    _part(path, "", given)
    for part in ("object", "wrists", "windows", "fixed"):
        if part in given:
            _part(path, part, given[part])
    for part, rows in (("stands", given.get("stands", ())), ("pieces", given["object"].get("pieces", ()))):
        for row in rows:
            if not isinstance(row, dict):
                raise BadFile(path, f"each of {part} is a table {{ ... }}, not {row!r}.")
            _part(path, part, row)


def _part(path: Path, part: str, given: Mapping[str, Any]) -> None:
    known = {e.name: e for e in ENTRIES if e.part == part}
    where = f"[{part}]" if part else "a scene"
    for key, value in given.items():
        entry = known.get(key) or known.get("*")
        if entry is None:
            raise BadFile(path, f"{where} has no entry {key!r}; there are {', '.join(sorted(known))}.")
        _value(path, entry, key, value)
    for name, entry in known.items():
        if entry.default == REQUIRED and name not in given:
            need = f"a part [{name}]" if entry.kind == "table" else f"{name}: {entry.about}"
            raise BadFile(path, f"{where} needs {need}.")


def _value(path: Path, entry: Entry, key: str, value: Any) -> None:
    """Refuse a value that is not of its entry's kind and range."""
    shown = f"{entry.part}.{key}" if entry.part else key
    numbers = [value] if entry.kind == "number" else value if entry.kind == "vector" else []
    good = {"text": str, "number": (int, float), "vector": list, "list": list, "table": dict}[entry.kind]
    plain = isinstance(numbers, list) and all(isinstance(x, int | float) and not isinstance(x, bool) for x in numbers)
    if not isinstance(value, good) or not plain or not np.all(np.isfinite(numbers)):
        unit = f" [{entry.unit}]" if entry.unit else ""
        raise BadFile(path, f"{shown} must be {_WORDS[entry.kind]}{unit}, not {value!r}.")
    if entry.size is not None and len(value) != entry.size:
        raise BadFile(path, f"{shown} has {entry.size} numbers, not {len(value)}.")
    for bound, word, low in (
        (entry.above, "more than", lambda x, b: x <= b),
        (entry.least, "at least", lambda x, b: x < b),
    ):
        if bound is not None and any(low(x, bound) for x in numbers):
            raise BadFile(path, f"{shown} must be {word} {bound:g} {entry.unit}".rstrip() + f", not {value!r}.")


def rows() -> list[tuple[str, str, str, str, str]]:
    """The schema as a table: entry, kind, unit, meaning, default."""
    return [(e.shown, e.kind, e.unit, e.about, e.default) for e in ENTRIES]


def markdown() -> str:
    """The same for the documentation."""
    lines = ["| entry | kind | unit | meaning | default |", "|---|---|---|---|---|"]
    return "\n".join([*lines, *(f"| `{r[0]}` | {' | '.join(r[1:])} |" for r in rows())])

"""The settings of each method as a list, as words NAME=VALUE, and as tables for the terminal and the docs.

`python -m poise.methods.schema docs` writes the tables between their markers in the pages of a folder anew.
"""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from poise.errors import BadValue, UnknownName
from poise.methods import settings_of
from poise.settings import ABSENT, Setting, listed, shortened, shown

_ON, _OFF, _NONE = ("true", "yes", "on", "1"), ("false", "no", "off", "0"), ("none", "auto")
_COLUMNS = ("setting", "meaning", "unit", "allowed", "default", "document")
_MARKED = re.compile(r"(<!-- settings of (\S+): .*? -->\n).*?(<!-- end -->)", re.DOTALL)


def changed(method: Any, words: Iterable[str]) -> Any:
    """The method with settings given as words: kos=400, planar=off, tasks.spin=1e-4, tasks.mass_gain=20,20,100."""
    known = {s.name: s for s in listed(method)}
    own: dict[str, Any] = {}
    inside: dict[str, dict[str, Any]] = {}
    for given in words:
        name, equals, value = given.partition("=")
        name = name.strip()
        if not equals or not name:
            raise BadValue(f"--set wants NAME=VALUE, not {shortened(given)!r}.")
        if name not in known:
            raise UnknownName(f"setting of {method.name}", shortened(name), known)
        found = read(known[name], value, method.name)
        part, dot, rest = name.partition(".")
        if dot:
            inside.setdefault(part, {})[rest] = found
        else:
            own[name] = found
    made = {part: dataclasses.replace(getattr(method, part), **new) for part, new in inside.items()}
    return dataclasses.replace(method, **own, **made)


def read(setting: Setting, word: str, owner: str) -> Any:
    """The value of a word on the command line."""
    word = word.strip()
    if setting.type == "parts":
        raise BadValue(f"{setting.name} of {owner} is {setting.range}, which can be given in Python only.")
    if setting.none and word.lower() in _NONE:
        return None
    try:
        value = _value(setting, word)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise setting.refused(word, owner) from None
    return setting.checked(value, owner)


def _value(setting: Setting, word: str) -> Any:
    if setting.type == "flag":
        if word.lower() not in (*_ON, *_OFF):
            raise ValueError
        return word.lower() in _ON
    if setting.type in ("number", "whole") and word not in setting.words:
        return _number(word)
    if setting.type == "numbers":
        return tuple(_number(w) for w in word.strip("()[]").split(","))
    return setting.reads(word) if setting.reads is not None else word


def _number(word: str) -> float:
    """A number, or a fraction such as 1/960."""
    over, slash, under = word.partition("/")
    return float(over) / float(under) if slash else float(word)


def rows(name: str) -> list[tuple[str, ...]]:
    """The settings of a method in words: name, meaning, unit, what is allowed, default, the document's value."""
    return [(s.name, s.about, s.unit, s.range.removeprefix("a number from "), _default(s), _document(s))
            for s in settings_of(name)]  # fmt: skip


def _document(s: Setting) -> str:
    return s.said or ("" if s.printed is ABSENT else shown(s.printed))


def _default(s: Setting) -> str:
    return "all" if s.type == "names" and s.default == s.words else shown(s.default)


def table(name: str) -> str:
    """The settings of a method as a table in Markdown."""
    body = [tuple(f"`{cell}`" if k == 0 else cell.replace("|", "\\|") for k, cell in enumerate(row))
            for row in rows(name)]  # fmt: skip
    lines = [_COLUMNS, ("---",) * len(_COLUMNS), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def renewed(page: str) -> str:
    """A page of the docs with its tables of settings as they are now."""
    return _MARKED.sub(lambda m: f"{m[1]}{table(m[2])}\n{m[3]}", page)


if __name__ == "__main__":
    for path in sorted(Path(sys.argv[1]).glob("*.md")):
        old = path.read_text(encoding="utf-8")
        if renewed(old) != old:
            path.write_text(renewed(old), encoding="utf-8")

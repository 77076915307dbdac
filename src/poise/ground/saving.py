"""Grounds as plain facts in files, and back.

A field is a number, None, rows of them, another ground, or (rows of) the dataclass that `PARTS` of its class names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from poise.errors import BadValue
from poise.ground import KINDS, kind
from poise.ground.ground import Ground


def described(ground: Ground) -> dict[str, Any]:
    """The kind of a ground and its fields, as plain numbers, lists and dictionaries."""
    name = type(ground).__name__
    if name not in KINDS or type(ground) is not kind(name):
        raise BadValue(f"A clip on the ground {name!r} cannot be saved; known are {', '.join(KINDS)}.")
    return {"kind": name, **_fields(ground)}


def made(facts: Any, *, skip: bool = False) -> Ground:
    """The ground that was described so; fields that its kind does not have are refused, or left out with `skip`."""
    name = facts["kind"]
    if name not in list(KINDS):
        raise BadValue(f"its ground is of the unknown kind {str(name)[:40]!r}.")
    ground, here = _built(kind(name), facts, skip), np.zeros(1)
    if not np.all(np.isfinite(ground.height(here, here))) or not np.all(np.isfinite(ground.normal(here, here))):
        raise BadValue(f"its ground of the kind {name!r} has no finite height.")
    return ground


def finite(value: Any) -> float:
    """The value as a float; refuses what is no finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadValue(f"{str(value)[:40]!r} is not a finite number.")
    return float(value)


def _fields(value: Any) -> dict[str, Any]:
    return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list | np.ndarray):
        return [_plain(v) for v in value]
    if type(value).__name__ in KINDS:
        return described(value)
    if is_dataclass(value):
        return _fields(value)
    if callable(value):
        raise BadValue("A clip on a ground that a function moves cannot be saved; a PlatformMotion can.")
    return value.item() if isinstance(value, np.generic) else value


def _built(cls: type, facts: Mapping[str, Any], skip: bool) -> Any:
    known, parts = {f.name for f in fields(cls) if f.init}, getattr(cls, "PARTS", {})
    return cls(
        **{k: _read(v, parts.get(k), skip) for k, v in facts.items() if k != "kind" and (k in known or not skip)}
    )


def _read(value: Any, part: type | None, skip: bool) -> Any:
    """A value as a field holds it; `part` is the dataclass that it, or each row of it, must become."""
    if isinstance(value, list):
        return tuple(_read(v, part, skip) for v in value)
    if isinstance(value, Mapping):
        return made(value, skip=skip) if part is None else _built(part, value, skip)
    return value if value is None or type(value) is int else finite(value)

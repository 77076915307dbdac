"""TOML as gaits and sketches are written: values, tables and rows of numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from poise.maths.rotations import Array


def value(x: Any) -> str:
    """A value as TOML writes it; a mapping is written inline."""
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, str):
        return json.dumps(x, ensure_ascii=False)
    if isinstance(x, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {value(v)}" for k, v in x.items()) + " }" if x else "{}"
    if isinstance(x, np.ndarray):
        return value(x.tolist())
    if isinstance(x, Sequence):
        return "[" + ", ".join(value(v) for v in x) + "]"
    return repr(float(x)) if isinstance(x, float | np.floating) else str(int(x))


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else value(name)


def table(name: str, values: Mapping[str, Any]) -> list[str]:
    """The lines of a table, an empty one before it."""
    return ["", f"[{name}]", *(f"{_key(k)} = {value(v)}" for k, v in values.items())]


def nested(name: str, values: Mapping[str, Any]) -> list[str]:
    """The lines of a table whose own tables follow it."""
    plain = {k: v for k, v in values.items() if not isinstance(v, Mapping)}
    out = table(name, plain)
    for key, inner in values.items():
        if isinstance(inner, Mapping):
            out += table(f"{name}.{key}", inner)
    return out


def rows(numbers: Array, digits: int) -> str:
    """A table of numbers (N, n), a row a line."""
    return (
        "[\n"
        + "".join("  [" + ", ".join(f"{x:.{digits}g}" if x else "0.0" for x in row) + "],\n" for row in numbers)
        + "]"
    )

"""Plain descriptions of frozen values (stages, settings), so that a take can say what it was made with."""

from __future__ import annotations

import dataclasses
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from poise._version import __version__
from poise.errors import PoiseError
from poise.ground.ground import Ground
from poise.ground.saving import made

_LONGEST = 200  # letters of the text of a value that has no plain form
_PACKAGES = ("mujoco", "mujoco-core", "numpy", "scipy", "numba", "daqp")


def describe(value: Any) -> Any:
    """Plain numbers, strings, lists and dictionaries that say what a value is; a dataclass names its `kind`.

    What has no such form (a function) is described by its text.
    """
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float | np.floating | np.integer):
        number = value.item() if isinstance(value, np.generic) else value
        return number if np.isfinite(number) else str(number)
    if isinstance(value, np.ndarray):
        return describe(value.tolist())
    if isinstance(value, Mapping):
        return {str(k): describe(v) for k, v in value.items()}
    if isinstance(value, tuple | list | set | frozenset):
        return [describe(v) for v in value]
    if hasattr(value, "description") and not isinstance(value, type):
        return value.description()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: describe(getattr(value, f.name)) for f in dataclasses.fields(value) if f.init}
        return {"kind": type(value).__name__, **fields}
    return str(value)[:_LONGEST]


def ground_of(stage: Any, fallback: Ground) -> Ground:
    """The ground in the description of a stage; `fallback` where there is none or it cannot be made again."""
    try:
        return made(stage["ground"], skip=True)
    except (
        PoiseError,
        TypeError,
        ValueError,
        AttributeError,
        LookupError,
        ArithmeticError,
    ):  # another version's, or none
        return fallback


def versions() -> dict[str, str]:
    """Versions of poise, Python and the packages on which the numbers of a take depend."""
    out = {"poise": __version__, "python": platform.python_version(), "machine": platform.machine()}
    for package in _PACKAGES:
        try:
            out[package] = version(package)
        except PackageNotFoundError:
            continue
    return out

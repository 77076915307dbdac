"""Plain descriptions of frozen values (stages, settings), so that a take can say what it was made with."""

from __future__ import annotations

import dataclasses
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import Any

import numpy as np

from poise._version import __version__
from poise.errors import PoiseError
from poise.motion import ground as grounds
from poise.motion.ground import Ground

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
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: describe(getattr(value, f.name)) for f in dataclasses.fields(value) if f.init}
        return {"kind": type(value).__name__, **fields}
    return str(value)[:_LONGEST]


def ground_of(stage: Any, fallback: Ground) -> Ground:
    """The ground in the description of a stage; `fallback` where there is none or it cannot be made again."""
    facts = stage.get("ground") if isinstance(stage, Mapping) else None
    made = rebuild(facts)
    return made if _stands(made) else fallback


def _stands(ground: Any) -> bool:
    """Does this have a height and a normal that are numbers? What a file describes need not."""
    here = np.zeros(1)
    try:
        return bool(np.all(np.isfinite(ground.height(here, here))) and np.all(np.isfinite(ground.normal(here, here))))
    except (AttributeError, TypeError, ValueError, ArithmeticError, IndexError):
        return False


def rebuild(facts: Any) -> Any:
    """The frozen ground or part of one that `describe` described; other values are as they are, lists are tuples.

    Only the dataclasses of grounds are made; one that does not fit any more gives None.
    """
    if isinstance(facts, list):
        return tuple(rebuild(v) for v in facts)
    if not isinstance(facts, dict) or "kind" not in facts:
        return facts
    made = next(
        (getattr(m, str(facts["kind"]), None) for m in _ground_modules() if hasattr(m, str(facts["kind"]))), None
    )
    if not isinstance(made, type) or not dataclasses.is_dataclass(made):
        return None
    known = {f.name for f in dataclasses.fields(made) if f.init}
    try:
        return made(**{k: rebuild(v) for k, v in facts.items() if k in known})
    except (PoiseError, TypeError, ValueError, AttributeError, IndexError):  # described by another version
        return None


def _ground_modules() -> list[ModuleType]:
    try:
        from poise.stage import ground as staged
    except ImportError:
        return [grounds]
    return [grounds, staged]


def versions() -> dict[str, str]:
    """Versions of poise, Python and the packages on which the numbers of a take depend."""
    out = {"poise": __version__, "python": platform.python_version(), "machine": platform.machine()}
    for package in _PACKAGES:
        try:
            out[package] = version(package)
        except PackageNotFoundError:
            continue
    return out

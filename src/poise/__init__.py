"""poise gives motion capture a body: clips in, physically simulated characters out, and back to Blender.

Everything for everyday work is here; it is imported when it is first used, so that `import poise` is instant.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

from poise._version import __version__
from poise.errors import PoiseError

# The same seed must give the same bits, and small matrices are fastest on one thread. Set before numpy is imported;
# whoever has chosen otherwise keeps the choice.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

_WHERE = {
    "load_clip": "poise.motion.load",
    "load_character": "poise.character.load",
    "Character": "poise.character",
    "Clip": "poise.motion.clip",
    "Reference": "poise.motion.reference",
    "check": "poise.motion.check",
    "Flat": "poise.motion.ground",
    "Slope": "poise.motion.ground",
    "Stairs": "poise.motion.ground",
}
_MODULES = {"edit": "poise.motion.edit"}

__all__ = [
    "Character",
    "Clip",
    "Flat",
    "PoiseError",
    "Reference",
    "Slope",
    "Stairs",
    "__version__",
    "check",
    "edit",
    "load_character",
    "load_clip",
]

if TYPE_CHECKING:
    from poise.character import Character
    from poise.character.load import load_character
    from poise.motion import edit
    from poise.motion.check import check
    from poise.motion.clip import Clip
    from poise.motion.ground import Flat, Slope, Stairs
    from poise.motion.load import load_clip
    from poise.motion.reference import Reference


def __getattr__(name: str) -> object:
    if name in _WHERE:
        return getattr(import_module(_WHERE[name]), name)
    if name in _MODULES:
        return import_module(_MODULES[name])
    raise AttributeError(f"module 'poise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

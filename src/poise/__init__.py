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

_STAGE = ("Ball", "Bar", "Barbell", "Blocks", "Box", "Capsule", "Compound", "Cylinder", "Flat", "Grip", "HeightField",
          "Mesh", "Patches", "Piece", "Platform", "PlatformMotion", "PropMotion", "Push", "Seesaw", "Slope", "Sphere",
          "Stage", "Stairs")  # fmt: skip
_WHERE = {
    "load_clip": "poise.motion.load",
    "load_character": "poise.character.load",
    "Character": "poise.character",
    "Clip": "poise.motion.clip",
    "Hold": "poise.motion.hold",
    "Reference": "poise.motion.reference",
    "check": "poise.motion.check.check",
    **dict.fromkeys(("Show", "begin", "perform", "replay", "resume"), "poise.performance"),
    "Plan": "poise.methods.rehearse",
    "rehearse": "poise.rehearsal",
    "get_up": "poise.rehearsal",
    "load_plan": "poise.rehearsal",
    "audit": "poise.judge.audit",
    "with_hands": "poise.methods.hands.on_body",
    **dict.fromkeys(("design", "load_gait", "load_sketch", "modes"), "poise.methods.vibration.verbs"),
    "Take": "poise.take",
    **dict.fromkeys(_STAGE, "poise.stage"),
}
_MODULES = {"edit": "poise.motion.edit"}

__all__ = [
    "Ball", "Bar", "Barbell", "Blocks", "Box", "Capsule", "Character", "Clip", "Compound", "Cylinder", "Flat", "Grip",
    "HeightField", "Hold", "Mesh", "Patches", "Piece", "Plan", "Platform", "PlatformMotion", "PoiseError", "PropMotion",
    "Push", "Reference", "Seesaw", "Show", "Slope", "Sphere", "Stage", "Stairs", "Take", "__version__", "audit",
    "begin", "check", "design", "edit", "get_up", "load_character", "load_clip", "load_gait", "load_plan",
    "load_sketch", "modes", "perform", "rehearse", "replay", "resume", "with_hands",
]  # fmt: skip

if TYPE_CHECKING:
    from poise.character import Character
    from poise.character.load import load_character
    from poise.judge.audit import audit
    from poise.methods.hands.on_body import with_hands
    from poise.methods.rehearse import Plan
    from poise.methods.vibration.verbs import design, load_gait, load_sketch, modes
    from poise.motion import edit
    from poise.motion.check.check import check
    from poise.motion.clip import Clip
    from poise.motion.hold import Hold
    from poise.motion.load import load_clip
    from poise.motion.reference import Reference
    from poise.performance import Show, begin, perform, replay, resume
    from poise.rehearsal import get_up, load_plan, rehearse
    from poise.stage import (
        Ball,
        Bar,
        Barbell,
        Blocks,
        Box,
        Capsule,
        Compound,
        Cylinder,
        Flat,
        Grip,
        HeightField,
        Mesh,
        Patches,
        Piece,
        Platform,
        PlatformMotion,
        PropMotion,
        Push,
        Seesaw,
        Slope,
        Sphere,
        Stage,
        Stairs,
    )
    from poise.take import Take


def __getattr__(name: str) -> object:
    if name in _WHERE:
        return getattr(import_module(_WHERE[name]), name)
    if name in _MODULES:
        return import_module(_MODULES[name])
    raise AttributeError(f"module 'poise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

"""Edits: frozen values, each of which makes a clip out of a clip; `clip.edit(e)`, or live `reference.edit(e)`."""

from poise.motion.edit.blend import Blend
from poise.motion.edit.offset import Offset
from poise.motion.edit.path import Move, Path, Turn
from poise.motion.edit.pin import Pin
from poise.motion.edit.settle import Settle
from poise.motion.edit.slope import Slope
from poise.motion.edit.stairs import Stairs
from poise.motion.edit.stride import Stride
from poise.motion.edit.warp import Warp
from poise.motion.edit.whole import Loop, Mirror

__all__ = [
    "Blend", "Loop", "Mirror", "Move", "Offset", "Path", "Pin", "Settle", "Slope", "Stairs", "Stride", "Turn", "Warp",
]  # fmt: skip

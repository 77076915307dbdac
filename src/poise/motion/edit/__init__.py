"""Edits: frozen values, each of which makes a clip out of a clip; `clip.edit(e)`, or live `reference.edit(e)`."""

from poise.motion.edit.blend import Blend, Loop, Mirror
from poise.motion.edit.joints import Offset, Pin
from poise.motion.edit.path import Move, Path, Stride, Turn
from poise.motion.edit.terrain import Slope, Stairs
from poise.motion.edit.warp import Warp
from poise.motion.feet.settle import Settle

__all__ = [
    "Blend", "Loop", "Mirror", "Move", "Offset", "Path", "Pin", "Settle", "Slope", "Stairs", "Stride", "Turn", "Warp",
]  # fmt: skip

"""Edits: frozen values, each of which makes a clip out of a clip; `clip.edit(e)`, or live `reference.edit(e)`."""

from poise.motion.edit.blend import Blend as Blend
from poise.motion.edit.offset import Offset as Offset
from poise.motion.edit.path import Move as Move
from poise.motion.edit.path import Path as Path
from poise.motion.edit.path import Turn as Turn
from poise.motion.edit.pin import Pin as Pin
from poise.motion.edit.settle import Settle as Settle
from poise.motion.edit.slope import Slope as Slope
from poise.motion.edit.stairs import Stairs as Stairs
from poise.motion.edit.stride import Stride as Stride
from poise.motion.edit.warp import Warp as Warp
from poise.motion.edit.whole import Loop as Loop
from poise.motion.edit.whole import Mirror as Mirror

NAMES = tuple(sorted(name for name, value in globals().items() if hasattr(value, "apply")))
"""Names of all of them."""

"""Edits: frozen values, each of which makes a clip out of a clip; `clip.edit(e)`, or live `reference.edit(e)`."""

from poise.motion.edit.blend import Blend as Blend
from poise.motion.edit.blend import Loop as Loop
from poise.motion.edit.blend import Mirror as Mirror
from poise.motion.edit.joints import Offset as Offset
from poise.motion.edit.joints import Pin as Pin
from poise.motion.edit.path import InPlace as InPlace
from poise.motion.edit.path import Move as Move
from poise.motion.edit.path import Path as Path
from poise.motion.edit.path import Stride as Stride
from poise.motion.edit.path import Turn as Turn
from poise.motion.edit.terrain import Slope as Slope
from poise.motion.edit.terrain import Stairs as Stairs
from poise.motion.edit.warp import Warp as Warp
from poise.motion.feet.settle import Settle as Settle

NAMES = tuple(sorted(name for name, value in globals().items() if hasattr(value, "apply")))
"""Names of all of them."""

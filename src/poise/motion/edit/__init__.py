"""Edits: frozen values, each of which makes a clip out of a clip; `clip.edit(e)`, or live `reference.edit(e)`."""

from poise.motion.edit.path import Move, Path, Turn
from poise.motion.edit.slope import Slope
from poise.motion.edit.stairs import Stairs
from poise.motion.edit.stride import Stride

__all__ = ["Move", "Path", "Slope", "Stairs", "Stride", "Turn"]

"""Stage: ground, props, grips and timed events, and the world they make with a character."""

from poise.motion.ground import Flat, Ground, Slope, Stairs, Tread, Treads
from poise.stage.events import Ball, PlatformMotion, Push, Slippery
from poise.stage.grips import Grip
from poise.stage.ground import Blocks, HeightField, Patches, Platform, Seesaw
from poise.stage.props import Bar, Barbell, Box, Sphere
from poise.stage.stage import Stage

__all__ = [
    "Ball", "Bar", "Barbell", "Blocks", "Box", "Flat", "Grip", "Ground", "HeightField", "Patches", "Platform",
    "PlatformMotion", "Push", "Slippery", "Seesaw", "Slope", "Sphere", "Stage", "Stairs", "Tread", "Treads",
]  # fmt: skip

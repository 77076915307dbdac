"""Stage: ground, props, grips and timed events, and the world they make with a character."""

from poise.ground.blocks import Blocks
from poise.ground.flat import Flat
from poise.ground.ground import Ground
from poise.ground.height_field import HeightField
from poise.ground.patches import Patches
from poise.ground.platform import Platform
from poise.ground.seesaw import Seesaw
from poise.ground.slope import Slope
from poise.ground.stairs import Stairs
from poise.ground.treads import Tread, Treads
from poise.stage.events import Ball, PlatformMotion, PropMotion, Push, Slippery
from poise.stage.grips import Grip
from poise.stage.pieces import Piece
from poise.stage.props import Bar, Barbell, Box, Sphere
from poise.stage.stage import Stage
from poise.stage.things import Capsule, Compound, Cylinder, Mesh

__all__ = [
    "Ball", "Bar", "Barbell", "Blocks", "Box", "Capsule", "Compound", "Cylinder", "Flat", "Grip", "Ground",
    "HeightField", "Mesh", "Patches", "Piece", "Platform", "PlatformMotion", "PropMotion", "Push", "Seesaw", "Slippery",
    "Slope", "Sphere", "Stage", "Stairs", "Tread", "Treads",
]  # fmt: skip

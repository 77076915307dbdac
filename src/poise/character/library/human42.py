"""human42: the body of Jain & Liu 2011 and of Ye 2012: 18 links, 42 degrees of freedom.

The papers give links and degrees of freedom, no lengths and masses; ours are those of an adult of 70 kg and 1.75 m with
feet of 26 cm. The joints: spine two balls, head two hinges (it turns, then nods), clavicles two (forward and up),
shoulders and hips balls, elbows and knees one, wrists and ankles two: 36 and the root's 6. The stiffness of a degree of
freedom is the mass that hangs on its joint (section 7 of Jain & Liu 2011).
"""

from __future__ import annotations

from poise.character.bodies.humanoid import humanoid
from poise.character.character import Character
from poise.character.library.proportions import both, standing

HEIGHT, WEIGHT, FOOT = 1.75, 70.0, 0.26  # [m], [kg], [m]
DOFS = {
    "head": "zy",
    **both({"clavicle": "zx", "forearm": "hinge_y", "hand": "xy", "shin": "hinge_y", "foot": "yx"}),
}


def make(weight: float = WEIGHT, height: float = HEIGHT) -> Character:
    """The character; of another weight [kg] or height [m] it is named by them, and its feet grow with it."""
    plain = weight == WEIGHT and height == HEIGHT
    name = "human42" if plain else f"human42-{weight:g}kg-{height:g}m"
    joints, tips = standing(height, FOOT * height / HEIGHT, leave_out=("toes",))
    return humanoid(name, joints, tips=tips, weight=weight, height=height, dofs=DOFS)

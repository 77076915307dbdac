"""human45: the body of D. B. da Silva (balance): 13 ball joints, about 72 kg, all links boxes.

The 39 internal degrees of freedom: two balls in the spine, one in the neck, three in each leg, two in each arm; the
hands belong to the forearms. Lengths (1.75 m, feet of 26 cm) and stiffness (80 to 800 N m/rad by joint) are ours: the
paper prints none.
"""

from __future__ import annotations

from poise.character.bodies.humanoid import humanoid
from poise.character.character import Character
from poise.character.library.proportions import both, standing

HEIGHT, WEIGHT, FOOT = 1.75, 72.0, 0.26  # [m], [kg], [m]
STIFFNESS = {  # [N m/rad]
    "abdomen": 800.0,
    "chest": 800.0,
    "head": 120.0,
    **both({"upper_arm": 200.0, "forearm": 80.0, "thigh": 800.0, "shin": 600.0, "foot": 500.0}),
}


def make() -> Character:
    """The character."""
    joints, tips = standing(HEIGHT, FOOT, leave_out=("toes", "clavicle", "hand"))
    return humanoid(
        "human45", joints, tips=tips, weight=WEIGHT, height=HEIGHT, stiffness=STIFFNESS, boxes=True,
    )  # fmt: skip

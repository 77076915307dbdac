"""human57: the 3D body of da Silva, Abe & Popović 2008: root and 17 ball joints with toes and clavicles.

Masses and stiffness are those of their table 3. It prints no lengths, no inertias and no head: ours are those of an
adult of 1.78 m, with de Leva's radii of gyration scaled to the table's masses, and a head of 5.03 kg (de Leva's share)
fixed to the thorax, whose ball joint is the seventeenth.
"""

from __future__ import annotations

import numpy as np

from poise.character.bodies.anthropometry import mass_share
from poise.character.bodies.humanoid import humanoid
from poise.character.character import Character
from poise.character.library.humans import both, standing

HEIGHT, FOOT = 1.78, 0.265  # [m]
MASSES = {  # [kg]
    "pelvis": 12.92,  # "trunk"
    "chest": 17.155,  # "thorax"
    **both({"thigh": 9.0853, "shin": 3.944, "foot": 1.0, "toes": 0.3}),
    **both({"clavicle": 2.535, "upper_arm": 1.435, "forearm": 0.575, "hand": 0.5}),
}
HEAD = round(sum(MASSES.values()) * mass_share("head") / (1.0 - mass_share("head")), 2)  # [kg]
STIFFNESS = {  # [N m/rad]; the table says newtons per radian
    "chest": 3000.0,
    **both({"thigh": 4000.0, "shin": 4000.0, "foot": 1000.0, "toes": 4000.0}),
    **both({"clavicle": 4000.0, "upper_arm": 4000.0, "forearm": 3000.0, "hand": 3000.0}),
}


def make() -> Character:
    """The character."""
    joints, tips = standing(HEIGHT, FOOT, leave_out=("abdomen",))
    # the one joint of the spine is a waist: lower than the joint below the ribs that a second one would leave it
    joints["chest"] = joints["chest"] - np.array([0.0, 0.0, 0.04 * HEIGHT])
    masses = {**MASSES, "head": HEAD}
    return humanoid(
        "human57",
        joints,
        tips=tips,
        weight=sum(masses.values()),
        height=HEIGHT,
        dofs={"head": "fixed", **both({"toes": "ball"})},
        masses=masses,
        stiffness=STIFFNESS,
        notes=("Lengths, inertias and the head's mass are ours: the paper's table 3 has none.",),
    )

"""The proportional-derivative component: equations (8)-(10) of da Silva, Abe & Popović 2008, at every simulation step.

u_b = I_c (k d(q_r, q) + 2 √k (v_r - v)), where k is the joint's stiffness of tables 2 and 3 times the scale of table 1.
Corrected against print:

- (8) damps the absolute velocity and has no inertia, so its damping is critical for 1 kg m² alone;
- (9) sums the children's inertias without moving them to the joint (the parallel-axis terms are missing);
- (10) takes the root of every element of k_s I_c. Products of inertia are negative, so that is not a number; and the
  root of k_s I_c is critical damping for a unit inertia alone. For a spring k I_c critical damping is 2 √k I_c;
- I_c there is in world axes while d is in the joint's. Here both are in the joint's: I_c is the joint's own block of
  the mass matrix, which is the composite inertia of all it carries, about the joint.

The torque itself is that of `poise.simulate.servo.Servo`.

Departures: composite inertias take all other joints as locked. A joint between free ones (a clavicle that carries a
loose arm) yields up to 500 times more easily than that, and its damping, explicit in time, would throw it about at any
usual time step. The inertia of a joint is therefore bounded by a multiple of the one that it really feels.
"""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.maths.rotations import Array
from poise.simulate.servo_gain import blocks, shares

__all__ = ["TABLED", "blocks", "shares", "stiffness"]

TABLED = ("biped18", "human57")  # characters whose stiffness is that of the paper's tables


def stiffness(character: Character, scale: float) -> Array:
    """k (nv,) [1/s²]: the joint stiffness of tables 2 and 3 times the scale of table 1, zero on the root.

    The stiffness of other characters has other meanings; theirs is 4000 here, as that of most joints in the tables.
    """
    own = character.stiffness if character.name in TABLED else np.full(character.model.nv, 4000.0)
    return scale * own * (np.arange(character.model.nv) >= 6)

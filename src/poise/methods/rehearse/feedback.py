"""Feedback: a linear law from a few features of a state to offsets of servo targets, one for each window of a plan.

As in guided control graphs (Liu et al. 2016): Δoffset = Δfeatures · gain, with features that tell the balance.
"""

from __future__ import annotations

import numpy as np

from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.rehearse.plan import Plan
from poise.simulate.rollouts import BODY, Rollouts

FEATURES = 12  # centre of mass, its velocity, angular momentum and turn of the root, against the path
_UNIT = np.repeat([0.05, 0.3, 3.0, 0.1], 3)  # [m, m/s, kg m²/s, rad] what counts as one
_FAR = 3.0  # up to which a feature counts: a law that was learnt near a path says nothing far from it
MOST = 0.3  # [rad] of a correction


def features(plan: Plan, window: int, q: Array, v: Array, rollouts: Rollouts) -> Array:
    """Features (12,) of a state against the path at the beginning of a window."""
    here, there = rollouts.look(np.stack([q, plan.q[window]]), np.stack([v, plan.v[window]]))
    turn = conf.difference(plan.clip.character.layout, plan.q[window], q)[3:6]
    return np.concatenate([here[:BODY] - there[:BODY], turn]) / _UNIT


def corrections(plan: Plan, window: int, q: Array, v: Array, rollouts: Rollouts) -> Array:
    """What the feedback of a plan adds to the offset (nv,) of a window [rad]."""
    off = np.clip(features(plan, window, q, v, rollouts), -_FAR, _FAR)
    return np.clip(off @ plan.gain[window], -MOST, MOST)

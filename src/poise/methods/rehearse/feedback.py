"""Feedback: a linear law from a few features of a state to offsets of servo targets, one for each window of a plan.

As in guided control graphs (Liu et al. 2016): Δoffset = Δfeatures · gain, with features that tell the balance.
"""

from __future__ import annotations

import numpy as np

from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.rehearse.plan import Plan
from poise.simulate.simulator import State

FEATURES = 12  # place and turn of the root against the path, and both velocities
_UNIT = np.repeat([0.05, 0.05, 0.3, 0.5], 3)  # [m, rad, m/s, rad/s] what counts as one
MOST = 0.3  # [rad] of a correction


def features(plan: Plan, window: int, q: Array, v: Array) -> Array:
    """Features (12,) of a state against the path at the beginning of a window."""
    off = conf.difference(plan.clip.character.layout, plan.q[window], q)
    return np.concatenate([off[:6], v[:6] - plan.v[window, :6]]) / _UNIT


def corrections(plan: Plan, window: int, state: State) -> Array:
    """What the feedback of a plan adds to the offset (nv,) of a window [rad]."""
    if window >= len(plan.gain):
        return np.zeros(len(state.v))
    return np.clip(features(plan, window, state.q, state.v) @ plan.gain[window], -MOST, MOST)

"""Feedback: a linear law from a few features of a state to offsets of servo targets, one for each window of a plan.

As in guided control graphs (Liu et al. 2016): Δoffset = Δfeatures · gain, with features that tell the balance.
"""

from __future__ import annotations

import numpy as np

from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.rehearse.known import Known
from poise.simulate.rollouts import BODY, Rollouts

FEATURES = 12  # centre of mass, its velocity, angular momentum and turn of the root, against the path
_UNIT = np.repeat([0.05, 0.3, 3.0, 0.1], 3)  # [m, m/s, kg m²/s, rad] what counts as one
_FAR = 3.0  # up to which a feature counts: a law that was learnt near a path says nothing far from it
MOST = 0.3  # [rad] of a correction


def features(at: Known, q: Array, v: Array, rollouts: Rollouts) -> Array:
    """Features (N, 12) of states q (N, nq), v (N, nv) against the path at a place in a plan."""
    plan, (q, v) = at.plan, at.back(q, v)
    rows = [k for k, _ in at.pair]
    looks = rollouts.look(np.concatenate([plan.q[rows], q]), np.concatenate([plan.v[rows], v]))[:, :BODY]
    layout, out = plan.clip.character.layout, np.zeros((len(q), FEATURES))
    for look, (k, weight) in zip(looks, at.pair, strict=False):
        turn = [conf.difference(layout, plan.q[k], one)[3:6] for one in q]
        out += weight * np.hstack([looks[len(rows) :] - look, turn])
    return out / _UNIT


def corrections(at: Known, q: Array, v: Array, rollouts: Rollouts) -> Array:
    """Offsets (N, nv) [rad] at a place in a plan with what its feedback adds for states q (N, nq), v (N, nv)."""
    gain, mean = at.gain, np.repeat(at.offset[None], len(q), axis=0)
    if gain is None:
        return mean
    off = np.clip(features(at, q, v, rollouts), -_FAR, _FAR)
    return mean + np.clip(off @ gain, -MOST, MOST)

"""Torques of the upper body in a clip, and the response space that they span: section 3.3, and both of 3.7."""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.dynamics.compiled import Compiled
from poise.dynamics.response_space import ResponseSpace, space_of
from poise.errors import BadValue
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.posture.body import Parts
from poise.motion.clip import Clip
from poise.motion.reference import Reference

STEP = 1 / 60  # [s] Δt of the document
_STILL = 1e-3  # [N m] rms about the mean below which torques tell nothing of a motion


def response_space(clip: Clip, kind: str = "torques", step: float = STEP) -> ResponseSpace:
    """The response space of a clip's upper body, its style of response; a loop counts one period, else all of it.

    kind: "torques" as in (5), "mean" less their mean (3.7.1), "motion" of joint angles instead (3.7.2).
    """
    character, parts = clip.character, Parts.of(clip.character)
    n, name = len(parts.upper), clip.name or "the clip"
    if len(clip) < 3:
        raise BadValue(f"{name} is one pose: nothing in it tells which joints are driven; give `space`, the response "
                       "space of a clip that moves.")  # fmt: skip
    q = sampled(clip, step)
    if len(q) - 2 < n:  # fewer columns than rows: the rest would look unactuated
        step = clip.duration / (n + 2)
        q = sampled(clip, step)
    if min(len(clip), len(q)) - 2 < n:
        raise BadValue(f"{name} has {len(clip)} frames and the upper body {n} degrees of freedom: too few to tell "
                       "which joints are driven; give a longer clip or the `space` of another one.")  # fmt: skip
    torques = upper_torques(character, parts, q, step)
    if float(np.sqrt(np.mean((torques - torques.mean(axis=1, keepdims=True)) ** 2))) < _STILL:
        raise BadValue(f"{name} holds one pose: nothing in it tells which joints are driven; give `space`, the "
                       "response space of a clip that moves.")  # fmt: skip
    columns = torques if kind != "motion" else upper_angles(character, parts, q)
    return space_of(columns, parts.names, kind=kind, source=clip.name, mass=character.mass, height=character.height)


def sampled(clip: Clip, step: float) -> Array:
    """Configurations (T + 2, nq) a time `step` [s] apart, with one more before and after a period of a loop."""
    reference = Reference(clip)
    loops = clip.cycle is not None
    count = max(round(clip.duration / step), 1)
    times = np.arange(-1, count + 1) * step if loops else np.arange(count + 1) * step
    return np.stack([reference.sample(float(min(t, clip.duration) if not loops else t)).q for t in times])


def upper_torques(character: Character, parts: Parts, q: Array, step: float) -> Array:
    """U (n, T): u = M(q) q̈ + C(q, q̇) of the upper body, (1), with the differences (2) and (3); q (T + 2, nq).

    Only legs feel the ground, and the Jacobians of their contacts have no entries in q_u.
    """
    steps = conf.difference(character.layout, q[:-1], q[1:]) / step
    compiled, out = Compiled(character), np.empty((len(parts.upper), len(q) - 2))
    for t in range(len(q) - 2):
        terms = compiled.at(q[t + 1], steps[t])
        out[:, t] = (terms.mass_matrix[parts.upper] @ (steps[t + 1] - steps[t])) / step + terms.bias[parts.upper]
    return out


def upper_angles(character: Character, parts: Parts, q: Array) -> Array:
    """Joint angles (n, T) [rad] of the upper body, in the tangent of the middle configuration."""
    middle = q[len(q) // 2]
    return conf.difference(character.layout, np.broadcast_to(middle, q.shape), q)[1:-1, parts.upper].T

"""A clip without its fastest movements, so that noise is not taken for force."""

from __future__ import annotations

import numpy as np

from poise.errors import BadValue
from poise.maths.configuration import BALL, FREE
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.contact.foot_motion import low_pass


def without_noise(clip: Clip, cutoff: float) -> Clip:
    """The clip without movements above `cutoff` [Hz], without delay; a loop stays closed."""
    if not 0.0 < cutoff * clip.dt < 0.5:
        raise BadValue(f"The cutoff must lie between 0 and {0.5 / clip.dt:g} Hz for this clip, not at {cutoff} Hz.")
    if clip.cycle is None or len(clip) < 3:
        return clip.with_q(_filtered(clip, clip.q, cutoff))
    count, carry = len(clip) - 1, clip.cycle.carry
    q = np.concatenate([carry(clip.q[:-1], -1), clip.q, carry(clip.q[1:], 1)])
    return clip.with_q(_filtered(clip, q, cutoff)[count : count + len(clip)])


def _filtered(clip: Clip, q: Array, cutoff: float) -> Array:
    """Configurations (N, nq) filtered number by number, quaternions kept on one side and of length one."""
    out, layout = np.array(q, float), clip.character.layout
    turns = [int(a) + (3 if kind == FREE else 0) for kind, a in zip(layout.kind, layout.qadr, strict=True)
             if kind in (FREE, BALL)]  # fmt: skip
    for a in turns:
        part = out[:, a : a + 4]
        same = np.einsum("ni,ni->n", part[1:], part[:-1]) >= 0.0
        part[1:] *= np.cumprod(np.where(same, 1.0, -1.0))[:, None]
    out = np.array(low_pass(out, clip.dt, cutoff))
    for a in turns:
        out[:, a : a + 4] /= np.linalg.norm(out[:, a : a + 4], axis=1, keepdims=True)
    return out

"""How far to look ahead: given, or chosen from the reference (the future work of section 9).

Everything is linearised at the present pose, so a plan is worth something as long as the body stays near it. The
automatic window is the time in which the reference's joints turn by a fixed angle, root mean square over joints and
time: a slow squat is planned further ahead than a quick walk. It is never longer than an open clip.
"""

from __future__ import annotations

import numpy as np

from poise.errors import BadValue
from poise.motion.reference import Reference

_ANGLE = 0.115  # [rad] that joints turn within the automatic window
_LEAST, _MOST = 8, 24  # steps


def window_for(asked: int | str, reference: Reference, dt: float) -> int:
    """Steps of dt [s] to plan ahead: as asked, or "auto"."""
    clip = reference.baked
    steps = automatic(reference, dt) if asked == "auto" else int(asked)
    if clip.cycle is None and steps * dt > clip.duration + 1e-9:
        raise BadValue(f"The window of {steps} steps, {steps * dt:.2f} s, is longer than the clip {clip.name!r} of "
                       f"{clip.duration:.2f} s.")  # fmt: skip
    return steps


def automatic(reference: Reference, dt: float) -> int:
    """The window that suits a reference."""
    clip = reference.baked
    speed = float(np.sqrt(np.mean(clip.velocity[:, 6:] ** 2)))  # [rad/s]
    steps = int(np.clip(round(_ANGLE / max(speed, 1e-6) / dt), _LEAST, _MOST))
    return steps if clip.cycle is not None else max(1, min(steps, int(clip.duration / dt + 1e-6)))

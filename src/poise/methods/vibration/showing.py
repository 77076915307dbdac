"""A mode as an animation: the rest pose swinging in one shape, over and over, without gravity."""

from __future__ import annotations

import numpy as np

from poise.maths import configuration as conf
from poise.methods.vibration.palette import Mode, Palette
from poise.motion.clip import Clip, Cycle
from poise.motion.recording import Source

LARGEST = np.radians(28.0)  # [rad] angle of the joint that turns furthest
FURTHEST = 0.35  # [m] that the root goes at most
FRAMES = 32  # of one period


def mode_clip(palette: Palette, mode: Mode) -> Clip:
    """A looping clip of one period of a mode, q(t) = rest plus a sin(ω t) φ."""
    shape, layout = mode.shape, palette.character.layout
    size = min(LARGEST / np.abs(shape[6:]).max(), FURTHEST / max(float(np.abs(shape[:3]).max()), 1e-9))
    swing = np.sin(2.0 * np.pi * np.arange(FRAMES + 1) / FRAMES)
    q = conf.integrate(layout, palette.rest, size * swing[:, None] * shape)
    q[-1] = q[0]
    labels = np.zeros((len(q), len(palette.character.contact_points)), bool)
    source = Source(name=f"{palette.character.name} {mode.name}")
    return Clip(palette.character, q, 1.0 / (mode.frequency * FRAMES), source, cycle=Cycle(), labels=labels, holds=())

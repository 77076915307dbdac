"""What a sketch is made of, as animations without gravity: one mode that swings, and a whole sketch (section 5)."""

from __future__ import annotations

import numpy as np

from poise.errors import BadValue
from poise.maths import configuration as conf
from poise.methods.vibration.palette import Mode, Palette
from poise.methods.vibration.sketch import Sketch
from poise.methods.vibration.space import Space
from poise.motion.clip import Clip, Cycle
from poise.motion.recording import Source

LARGEST = np.radians(28.0)  # [rad] angle of the joint that turns furthest
FURTHEST = 0.35  # [m] that the root goes at most
FRAMES = 32  # of one period
CYCLES = 3  # of a sketch
_EVERY = 4  # steps of the simulator from frame to frame
_ABOVE = 1.0  # [m] over the ground


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


def sketch_clip(sketch: Sketch, cycles: int = CYCLES) -> Clip:
    """What the sketched amplitudes do by themselves: the body floats without gravity and is struck cycle after cycle.

    Bursts, springs and times are those with which the search begins; nothing is searched.
    """
    simulator, space = sketch.simulator(), Space(sketch, sketch.palette())
    units = cycles * (2 if simulator.swaps else 1)
    given = simulator.bursts(space.controls(np.zeros(space.dimension)))
    run = simulator.run(simulator.start(_ABOVE, 0.0), given, units, traced=True, gravity=np.zeros(3))
    if not run.whole:
        raise BadValue(f"Without gravity the sketch {sketch.name!r} flies apart or tumbles after "
                       f"{run.steps * simulator.dt:.2f} s; give its modes smaller amplitudes.")  # fmt: skip
    q = run.trace[::_EVERY, : len(simulator.rest)].copy()
    q[:, :2] -= q[0, :2]
    labels = np.zeros((len(q), len(simulator.character.contact_points)), bool)
    return Clip(
        simulator.character,
        q,
        _EVERY * simulator.dt,
        Source(name=f"{sketch.name} without gravity"),
        labels=labels,
        holds=(),
    )

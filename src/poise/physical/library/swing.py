"""swing: hanging from a bar and swinging to and fro, one swing as a loop.

The body swings as the pendulum that it is: its period comes from its own masses. Hips and knees flex a little in the
forward swing and stretch in the backward one, later than the body, as gymnasts do; by how much is ours.
"""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.maths.rotations import Array
from poise.motion.clip import Clip, Cycle
from poise.physical.library.finish import finished, timeline
from poise.physical.library.hanging import grips, hang

GRAVITY = 9.81  # [m/s²]
WIDTH = 0.2  # [leg lengths] of each hand from the middle


def make(character: Character, amplitude: float = 25.0) -> Clip:
    """One swing to and fro by `amplitude` [degrees] on either side."""
    if not 5.0 <= amplitude <= 50.0:
        raise BadValue(f"One swings on a bar by 5 to 50 degrees, not {amplitude}.")
    holds = grips(character, WIDTH)
    still = hang(character, _posture(np.zeros(2), np.zeros(2)), holds, np.zeros(2)).q[0]
    times, dt = timeline(period(character, still, np.asarray(holds[0].place, float)[2], np.radians(amplitude)))
    phase = 2 * np.pi * times / times[-1]
    channels = _posture(amplitude / 25.0 * np.sin(phase - 0.5), amplitude / 25.0 * np.sin(phase - 0.9))
    acted = hang(character, channels, holds, amplitude * np.sin(phase))
    return finished("swing", character, acted, dt, Cycle(), holds)


def period(character: Character, q: Array, bar: float, amplitude: float) -> float:
    """Time [s] of a swing of the stiff body about a bar at a height [m], to an amplitude [rad].

    2 π sqrt(I / m g d) with the moment of inertia about the bar, and the first terms of the series for the amplitude.
    """
    model = character.model
    pos, quat = character.forward(q[None])
    centre = character.place(pos, quat, np.arange(model.nbody), model.body_ipos)[0]
    arm = centre - [centre[1:, 0].mean(), 0.0, bar]
    inertia = float(model.body_mass @ (arm[:, 0] ** 2 + arm[:, 2] ** 2) + model.body_inertia[:, 1].sum())
    down = bar - float(character.centre_of_mass(q[None])[0, 2])
    return float(2 * np.pi * np.sqrt(inertia / (character.mass * GRAVITY * down))
                 * (1 + amplitude**2 / 16 + 11 * amplitude**4 / 3072))  # fmt: skip


def _posture(swung: Array, later: Array) -> dict[str, Array]:
    """Channels at a swing that lags behind the body, -1 (back) to 1 (forward) at 25 degrees."""
    same = np.ones(len(swung))
    arms = {"raise": 177.0 - 5.0 * swung, "out": 3.0 * same, "spin": 0.0 * same, "elbow": 8.0 * same, "shrug": 15.0 * same,
            "pronate": 0.0 * same, "wrist": 0.0 * same, "hip": 10.0 + 16.0 * swung, "knee": 18.0 + 8.0 * later,
            "ankle": 28.0 * same, "hip_out": 1.0 * same}  # fmt: skip
    out = {f"{side}_{name}": value for side in ("left", "right") for name, value in arms.items()}
    return out | {"bend": 2.0 + 5.0 * swung, "look_down": -4.0 * same - 12.0 * swung, "tilt": 0.0 * same}

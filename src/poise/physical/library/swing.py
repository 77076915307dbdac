"""swing: hanging from a bar and swinging to and fro, one swing as a loop.

The body swings as the pendulum that it is: its period comes from its own masses. Hips and knees flex a little in the
forward swing and stretch in the backward one, later than the body, as gymnasts do; by how much is ours.
"""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.maths import GRAVITY
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip, Cycle
from poise.physical.library.finish import FPS, finished
from poise.physical.library.hanging import grips, hang

USUAL = 2.3  # [s] about as long a swing lasts
WIDTH = 0.2  # [leg lengths] of each hand from the middle


def make(character: Character, amplitude: float = 25.0) -> Clip:
    """One swing to and fro by `amplitude` [degrees] on either side."""
    if not 5.0 <= amplitude <= 50.0:
        raise BadValue(f"One swings on a bar by 5 to 50 degrees, not {amplitude}.")
    holds = grips(character, WIDTH)
    phase = 2 * np.pi * np.linspace(0.0, 1.0, round(FPS * USUAL) + 1)
    size = amplitude / 25.0
    channels = _posture(size * np.sin(phase - 0.5), size * np.sin(phase - 0.9))
    acted = hang(character, channels, holds, amplitude * np.sin(phase))
    period = natural_period(character, acted.q, np.asarray(holds[0].place, float)[2])
    return finished("swing", character, acted, period / (len(phase) - 1), Cycle(), holds)


def natural_period(character: Character, q: Array, bar: float) -> float:
    """Time [s] in which gravity alone swings a body through the poses q (N, nq) of one cycle about a bar [m] high.

    Played in a time T, the poses have the angular momentum L / T about the bar; its change L' / T², taken over the
    share of the cycle, shall be the moment M of the weight. T comes from least squares over the cycle.
    """
    model, n = character.model, len(q) - 1
    pos, quat = character.forward(q[:-1])
    arm = character.place(pos, quat, np.arange(model.nbody), model.body_ipos) - [0.0, 0.0, bar]
    rate = lambda x: 0.5 * n * (np.roll(x, -1, axis=0) - np.roll(x, 1, axis=0))  # noqa: E731
    spin = 0.5 * n * rot.difference(np.roll(quat, 1, axis=0), np.roll(quat, -1, axis=0))[..., 1]
    frames = rot.to_matrix(rot.multiply(quat, model.body_iquat))
    inertia = np.einsum("nbi,bi->nb", frames[:, :, 1, :] ** 2, model.body_inertia)
    moved = rate(arm)
    carried = model.body_mass * (arm[..., 2] * moved[..., 0] - arm[..., 0] * moved[..., 2])
    momentum = np.sum(carried + inertia * spin, axis=1)
    weight = GRAVITY * arm[..., 0] @ model.body_mass
    change = rate(momentum)
    return float(np.sqrt((change @ change) / (change @ weight)))


def _posture(swung: Array, later: Array) -> dict[str, Array]:
    """Channels at a swing that lags behind the body, -1 (back) to 1 (forward) at 25 degrees."""
    same = np.ones(len(swung))
    arms = {"raise": 177.0 - 5.0 * swung, "out": 3.0 * same, "spin": 0.0 * same, "elbow": 8.0 * same,
            "shrug": 15.0 * same, "pronate": 0.0 * same, "wrist": 0.0 * same, "hip": 10.0 + 16.0 * swung,
            "knee": 18.0 + 8.0 * later, "ankle": 28.0 * same, "hip_out": 1.0 * same}  # fmt: skip
    out = {f"{side}_{name}": value for side in ("left", "right") for name, value in arms.items()}
    return out | {"bend": 2.0 + 5.0 * swung, "look_down": -4.0 * same - 12.0 * swung, "tilt": 0.0 * same}

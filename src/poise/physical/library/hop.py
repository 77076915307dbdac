"""hop: hopping in place, one hop as a loop.

People hop 2.2 times a second where they may choose (C. Farley, R. Blickhan, J. Saito & C. R. Taylor, Journal of Applied
Physiology 71, 2127-2132, 1991) and bounce like a mass on a spring: the ground's force is half a sine over the contact.
The time in the air follows from the height. Hops on both feet and on one; the postures are ours.
"""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.character.leg_length import hip_height
from poise.character.roles import SIDES
from poise.errors import BadValue
from poise.maths import GRAVITY
from poise.maths.rotations import Array
from poise.motion.clip import Clip, Cycle
from poise.physical.library.acting import hermite
from poise.physical.library.actor import act, ball_ahead, centre_height
from poise.physical.library.finish import finished, timeline

PERIOD = 1.0 / 2.2  # [s]
CONTACT = 0.22  # [s] at least: with less, forces pass four body weights


def make(character: Character, height: float = 0.06, feet: float = 2) -> Clip:
    """Hops in which the body rises by `height` [m] after take-off, on both `feet` or on one (the left)."""
    if not 0.02 <= height <= 0.14:
        raise BadValue(f"A hop in place rises by 0.02 to 0.14 m, not by {height} m.")
    if feet not in (1, 2):
        raise BadValue(f"One hops on 1 or 2 feet, not on {feet}.")
    leg, air = hip_height(character), float(2 * np.sqrt(2 * height / GRAVITY))
    period = max(PERIOD, air + CONTACT)
    times, dt = timeline(period)
    channels = _bounce(times, period, period - air, leg, centre_height(character), ball_ahead(character) / leg)
    if feet == 1:
        channels |= _one_leg(channels, character)
    return finished("hop", character, act(character, channels), dt, Cycle())


def _bounce(times: Array, period: float, contact: float, leg: float, standing: float,
            ball: float) -> dict[str, Array]:  # fmt: skip
    """Channels of a two-legged hop that begins at its lowest point; the ball is `ball` [leg lengths] ahead.

    There, far from landing and take-off, the loop closes.
    """
    count, times = 2880, (times + 0.5 * contact) % period
    t = np.arange(count + 1) / count * period
    push = np.where(t < contact, np.pi / 2 * period / contact * np.sin(np.pi * t / contact), 0.0)
    z = _integral(GRAVITY * _integral(push, period), period)
    high = np.interp(times, t, z) / leg
    phase = times / period
    share = contact / period
    down = 0.5 + 0.5 * np.cos(2 * np.pi * (phase - 0.5 * share))  # 1 in the middle of the contact
    # the foot lands on its ball, the heel comes near to the floor and rises again
    rolled = [(0.0, 26.0, -90.0), (0.5 * share, 9.0, 0.0), (share, 30.0, 140.0), (0.5 + 0.5 * share, 40.0, 0.0)]
    pitch, same = _ring(phase, rolled), np.ones(len(times))
    lift = np.zeros(len(times))
    flying = phase > share
    s = (phase[flying] - share) / (1.0 - share)
    lift[flying] = 0.75 * float(z.max()) / leg * (16 * s**2 * (1 - s) ** 2)
    out: dict[str, Array] = {
        "centre_z": standing - 0.012 + 0.4 * ball + high, "centre_x": (ball - 0.025) * same, "tilt": 3.0 + 4.0 * down,
        "bend": 1.0 + 3.0 * down, "look_down": 4.0 * same,
    }  # fmt: skip
    limbs: dict[str, Array] = {
        "pitch": pitch, "toes": np.minimum(pitch, 60.0), "z": lift, "yaw": 5.0 * same, "spin": 22.0 * same,
        "raise": -2.0 + 10.0 * down, "elbow": 48.0 + 16.0 * down, "out": 15.0 - 3.0 * down, "shrug": 2.0 - 2.0 * down,
    }  # fmt: skip
    return out | {f"{side}_{name}": value for side in SIDES for name, value in limbs.items()}


def _integral(x: Array, period: float) -> Array:
    """Integral over a period (K+1,) of what x has beyond its mean, from 0 on."""
    x = x - x[:-1].mean()
    return np.concatenate([[0.0], np.cumsum(0.5 * (x[1:] + x[:-1]))]) * period / (len(x) - 1)


def _ring(phase: Array, keys: list[tuple[float, float, float]]) -> Array:
    """A periodic curve through (phase, value, slope) keys."""
    t, y, v = np.array(keys, float).T
    t = np.concatenate([t - 1.0, t, t + 1.0])
    return hermite(phase, t, np.tile(y, 3), np.tile(v, 3), np.zeros(len(t)))


def _one_leg(channels: dict[str, Array], character: Character) -> dict[str, Array]:
    """The right leg held up behind, the body over the left foot."""
    pos, _ = character.forward(character.standing_pose())
    beside = 0.55 * float(pos[0, character.body("left_foot"), 1]) / hip_height(character)
    same = np.ones(len(channels["tilt"]))
    return {"left_y": beside * same, "centre_y": beside * same, "list": -3.0 * same, "side": 3.0 * same,
            "right_free": same, "right_hip": 16.0 + 0.8 * (channels["tilt"] - 5.0), "right_knee": 82.0 * same,
            "right_ankle": 18.0 * same, "right_hip_out": 4.0 * same, "right_toes": 0.0 * same}  # fmt: skip

"""hop: hopping in place, one hop as a loop.

People hop 2.2 times a second where they may choose (C. Farley, R. Blickhan, J. Saito & C. R. Taylor, Journal of Applied
Physiology 71, 2127-2132, 1991) and bounce like a mass on a spring: the ground's force is half a sine over the contact.
The time in the air follows from the height. Hops on both feet and on one; the postures are ours.
"""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.maths.rotations import Array
from poise.motion.clip import Clip, Cycle
from poise.physical.library.acting import hermite
from poise.physical.library.actor import act, centre_height, leg_length
from poise.physical.library.finish import finished, timeline

GRAVITY = 9.81  # [m/s²]
PERIOD = 1.0 / 2.2  # [s]
CONTACT = 0.22  # [s] at least: with less, forces pass four body weights


def make(character: Character, height: float = 0.06, feet: float = 2) -> Clip:
    """Hops in which the body rises by `height` [m] after take-off, on both `feet` or on one (the left)."""
    if not 0.02 <= height <= 0.14:
        raise BadValue(f"A hop in place rises by 0.02 to 0.14 m, not by {height} m.")
    if feet not in (1, 2):
        raise BadValue(f"One hops on 1 or 2 feet, not on {feet}.")
    leg, air = leg_length(character), float(2 * np.sqrt(2 * height / GRAVITY))
    period = max(PERIOD, air + CONTACT)
    times, dt = timeline(period)
    channels = _bounce(times, period, period - air, leg, centre_height(character))
    if feet == 1:
        channels |= _one_leg(channels, character)
    return finished("hop", character, act(character, channels), dt, Cycle())


def _bounce(times: Array, period: float, contact: float, leg: float, standing: float) -> dict[str, Array]:
    """Channels of a two-legged hop that begins with the landing."""
    t = np.arange(2881) / 2880.0 * period
    push = np.where(t < contact, np.pi / 2 * period / contact * np.sin(np.pi * t / contact), 0.0) - 1.0
    push -= push[:-1].mean()
    v = GRAVITY * np.concatenate([[0.0], np.cumsum(0.5 * (push[1:] + push[:-1]))]) * (period / 2880.0)
    v -= v[:-1].mean()
    z = np.concatenate([[0.0], np.cumsum(0.5 * (v[1:] + v[:-1]))]) * (period / 2880.0)
    z -= z[0]
    high = np.interp(times, t, z) / leg
    phase = times / period
    share = contact / period
    down = 0.5 + 0.5 * np.cos(2 * np.pi * (phase - 0.5 * share))  # 1 in the middle of the contact
    # the foot lands on its ball, the heel comes near to the floor and rises again
    pitch = _ring(
        phase, [(0.0, 26.0, -90.0), (0.5 * share, 9.0, 0.0), (share, 30.0, 140.0), (0.5 + 0.5 * share, 40.0, 0.0)]
    )
    lift = np.zeros(len(times))
    flying = phase > share
    s = (phase[flying] - share) / (1.0 - share)
    lift[flying] = 0.75 * float(z.max()) / leg * (16 * s**2 * (1 - s) ** 2)
    out = {"centre_z": standing + 0.065 + high, "centre_x": np.full(len(times), 0.168), "tilt": 3.0 + 4.0 * down,
           "bend": 1.0 + 3.0 * down, "look_down": np.full(len(times), 4.0)}  # fmt: skip
    for side in ("left", "right"):
        out |= {f"{side}_{k}": v for k, v in {
            "pitch": pitch, "toes": np.minimum(pitch, 60.0), "z": lift,
            "raise": -2.0 + 10.0 * down, "elbow": 48.0 + 16.0 * down, "out": 15.0 - 3.0 * down,
            "spin": np.full(len(times), 22.0), "yaw": np.full(len(times), 5.0), "shrug": 2.0 * (1 - down)}.items()}  # fmt: skip
    return out


def _ring(phase: Array, keys: list[tuple[float, float, float]]) -> Array:
    """A periodic curve through (phase, value, slope) keys."""
    t, y, v = np.array(keys, float).T
    t = np.concatenate([t - 1.0, t, t + 1.0])
    return hermite(phase, t, np.tile(y, 3), np.tile(v, 3), np.zeros(len(t)))


def _one_leg(channels: dict[str, Array], character: Character) -> dict[str, Array]:
    """The right leg held up behind, the body over the left foot."""
    pos, _ = character.forward(character.standing_pose())
    beside = 0.55 * float(pos[0, character.body("left_foot"), 1]) / leg_length(character)
    same = np.ones(len(channels["tilt"]))
    return {"left_y": beside * same, "centre_y": beside * same, "list": -3.0 * same, "side": 3.0 * same,
            "right_free": same, "right_hip": 16.0 + 0.8 * (channels["tilt"] - 5.0), "right_knee": 82.0 * same,
            "right_ankle": 18.0 * same, "right_hip_out": 4.0 * same, "right_toes": 0.0 * same}  # fmt: skip

"""A body of a pelvis and two feet that go exactly where a test puts them, and motions with known contacts."""

from __future__ import annotations

import numpy as np

from poise.character.character import Character, ContactPoints
from poise.motion.clip import Clip
from poise.motion.recording import Source

ANKLE = 0.08  # [m] height of the ankle above the sole
HIP = 0.95  # [m] height of the pelvis
CORNERS = {"heel": -0.05, "ball": 0.14}


def _foot(side: str, y: float) -> str:
    slides = "".join(f'<joint type="slide" axis="{a}" name="{side}_{n}"/>'
                     for n, a in zip("xyz", ("1 0 0", "0 1 0", "0 0 1"), strict=True))  # fmt: skip
    return (
        f'<body name="{side}_foot" pos="0 {y} {ANKLE - HIP}">{slides}<joint type="ball" name="{side}_turn"/>'
        f'<geom type="box" size="0.1 0.04 0.02" pos="0.05 0 -0.06" mass="0.5"/></body>'
    )


def puppet() -> Character:
    """The character: 62 kg, 17 degrees of freedom more than the root's six in slides and balls of the feet."""
    xml = (
        '<mujoco><worldbody><body name="pelvis"><freejoint name="root"/>'
        '<geom type="sphere" size="0.1" mass="61"/>'
        f"{_foot('left', 0.1)}{_foot('right', -0.1)}</body></worldbody></mujoco>"
    )
    names, bodies, places = [], [], []
    for body, (side, sign) in enumerate((("left", 1.0), ("right", -1.0)), start=2):
        for part, x in CORNERS.items():
            for edge, y in (("inner", -0.04 * sign), ("outer", 0.04 * sign)):
                names.append(f"{side}_{part}_{edge}")
                bodies.append(body)
                places.append((x, y, -ANKLE))
    points = ContactPoints(tuple(names), np.array(bodies), np.array(places))
    roles = {"pelvis": "pelvis", "left_foot": "left_foot", "right_foot": "right_foot"}
    return Character("puppet", xml, roles, points, np.zeros(18), np.zeros(18))


def pose(character: Character, root: np.ndarray, left: np.ndarray, right: np.ndarray, dt: float,
         pitch: tuple[np.ndarray | float, np.ndarray | float] = (0.0, 0.0)) -> Clip:  # fmt: skip
    """The clip with the root and the soles (below the ankles) at places (N, 3), feet pitched toe-down [rad]."""
    q = np.tile(character.zero_pose(), (len(root), 1))
    q[:, :3] = root
    for first, sole, y, angle in ((7, left, 0.1, pitch[0]), (14, right, -0.1, pitch[1])):
        q[:, first : first + 3] = sole - root + np.array([0.0, 0.0, ANKLE]) - np.array([0.0, y, ANKLE - HIP])
        q[:, first + 3], q[:, first + 5] = np.cos(0.5 * np.asarray(angle)), np.sin(0.5 * np.asarray(angle))
    return Clip(character, q, dt, Source(name="puppet"))


def smooth(s: np.ndarray) -> np.ndarray:
    """A smooth step from 0 to 1 with no speed and no acceleration at its ends."""
    s = np.clip(s, 0.0, 1.0)
    return s**3 * (10 - 15 * s + 6 * s**2)


def walk(fps: float = 120.0, *, steps: int = 10, stride: float = 1.4, period: float = 1.1, share: float = 0.62,
         heights: tuple[float, ...] = ()) -> tuple[Clip, dict[str, list[tuple[float, float]]]]:  # fmt: skip
    """A flat-footed walk along X and the stances of each foot [s]; `heights` [m] of successive footholds, else zero."""
    character = puppet()
    t = np.arange(0.0, steps * period / 2, 1 / fps)
    soles, stances = [], {}
    for number, side in enumerate(("left", "right")):
        sole = np.zeros((len(t), 3))
        sole[:, 1] = 0.1 if side == "left" else -0.1
        spans = []
        for k in range(-1, steps):
            start = (k + 0.5 * number) * period
            end = start + share * period
            x, hold = k * stride + 0.5 * number * stride, max(0, 2 * k + number)
            z = heights[min(hold, len(heights) - 1)] if heights else 0.0
            nxt = heights[min(max(0, 2 * k + 2 + number), len(heights) - 1)] if heights else 0.0
            stand, swing = (t >= start) & (t < end), (t >= end) & (t < (k + 1 + 0.5 * number) * period)
            sole[stand, 0], sole[stand, 2] = x, z
            s = (t[swing] - end) / ((1 - share) * period)
            sole[swing, 0] = x + stride * smooth(s)
            sole[swing, 2] = z + (nxt - z) * smooth(2 * s if nxt > z else 2 * s - 1) + 0.12 * np.sin(np.pi * s) ** 2
            if stand.any():
                spans.append((max(start, 0.0), min(end, t[-1])))
        soles.append(sole)
        stances[side] = spans
    root = np.stack([t * stride / period, 0 * t, HIP + 0.5 * (soles[0][:, 2] + soles[1][:, 2]).mean() + 0 * t], axis=1)
    if heights:
        root[:, 2] = HIP + np.interp(t, (np.arange(len(heights)) + 0.3) * period / 2, heights)
    return pose(character, root, soles[0], soles[1], 1 / fps), stances


def jump(fps: float = 120.0, *, flight: float = 0.5, stand: float = 0.8) -> tuple[Clip, tuple[float, float]]:
    """A jump on the spot in which the whole body is in free fall, and the times at which flight starts and ends [s]."""
    character = puppet()
    t = np.arange(0.0, 2 * stand + flight, 1 / fps)
    up, air = 0.5 * 9.81 * flight, (t > stand) & (t < stand + flight)
    s = t - stand
    lift = np.where(air, up * s - 0.5 * 9.81 * s**2, 0.0)
    crouch = 0.25
    rise = up * crouch / 2  # the push-off and the landing turn the speed round at constant acceleration
    before = np.clip((t - (stand - crouch)) / crouch, 0, 1)
    after = np.clip((stand + flight + crouch - t) / crouch, 0, 1)
    push = np.where(t <= stand, rise * (before**2 - 1), np.where(t >= stand + flight, rise * (after**2 - 1), 0.0))
    root = np.stack([0 * t, 0 * t, HIP + lift + push], axis=1)
    soles = [np.stack([0 * t, y + 0 * t, lift], axis=1) for y in (0.1, -0.1)]
    return pose(character, root, soles[0], soles[1], 1 / fps), (stand, stand + flight)

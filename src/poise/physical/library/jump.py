"""jump: a standing jump, up or forward, with a countermovement and a swing of the arms.

The centre of mass is led on a path that a pair of legs can push: down, up until the forces vanish at take-off, a
parabola, and down again until it rests. In the push-off hips, knees and ankles extend one after the other (M. Bobbert &
G. J. van Ingen Schenau, Journal of Biomechanics 21, 249-262, 1988); the deeper the countermovement, the higher the jump
(A. Sanchez-Sixto, A. Harrison & P. Floria, Sports 6, 131, 2018). The arms are swung back, and then forward and up with
the push (B. Ashby & J. Heegaard, Journal of Biomechanics 35, 1631-1637, 2002, on the standing long jump); at take-off
good jumpers have them high and their feet stretched (S. McErlain-Naylor, M. King & M. Pain, Journal of Sports Sciences
32, 1805-1812, 2014). Depths, leans, angles, times and the landing are ours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from poise.character import Character
from poise.character.leg_length import hip_height
from poise.character.roles import SIDES
from poise.errors import BadValue
from poise.maths import GRAVITY
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.physical.library.acting import AT_EASE, KeyPose, hermite, played
from poise.physical.library.actor import act, ball_ahead, centre_height, toe_length
from poise.physical.library.authoring import ramp
from poise.physical.library.finish import finished, timeline
from poise.physical.library.manner import STIFF

START = 0.25  # [s] of standing
CROUCH = 0.62  # [s] from standing to the lowest point of the countermovement
LANDED = 1.05  # [s] from the lowest point of the landing to standing
REST = 0.2  # [s] of standing at the end
FPS = 160.0  # the flight is swift: between fewer frames it would not be that of a falling body
STEP = 1.0 / 960.0  # [s] of the path


@dataclass(frozen=True, eq=False)
class Flight:
    """The path of the centre of mass and its moments; lengths [m] from the ankles' first place, times [s]."""

    low: float  # lowest point of the countermovement
    off: float  # take-off
    down: float  # touch-down
    landed: float  # lowest point of the landing
    end: float
    distance: float
    times: Array  # (N,)
    x: Array  # (N,)
    z: Array  # (N,)

    @property
    def middle(self) -> float:
        """Half-way through the flight [s]."""
        return 0.5 * (self.off + self.down)


def make(character: Character, distance: float = 0.6, height: float = 0.15) -> Clip:
    """A jump over `distance` [m] in which the centre of mass rises by `height` [m] after take-off."""
    leg = hip_height(character)
    if not 0.0 <= distance <= 2.0 * leg:
        raise BadValue(f"Legs of {leg:.2f} m jump 0 to {2.0 * leg:.2f} m far from a stand, not {distance} m.")
    if not 0.06 <= height <= 0.4 * leg:
        raise BadValue(f"With legs of {leg:.2f} m the centre of mass rises by 0.06 to {0.4 * leg:.2f} m in a jump from "
                       f"a stand, not by {height} m.")  # fmt: skip
    tip = ball_ahead(character) * (1.15 if character.has("left_toes") else 0.98)
    plan = flight(leg, centre_height(character) * leg, tip, distance, height)
    times, dt = timeline(plan.end + REST, FPS)
    channels = played(_poses(plan, distance / leg, height / leg), times)
    channels["centre_x"] = np.interp(times, plan.times, plan.x) / leg
    channels["centre_z"] = np.interp(times, plan.times, plan.z) / leg
    channels |= _feet(plan, times, leg, height, toe_length(character))
    return finished("jump", character, act(character, channels), dt)


def flight(leg: float, standing: float, tip: float, distance: float, height: float) -> Flight:
    """The path for legs of a length [m], a centre of mass that stands at a height [m] and pushes off at `tip` [m].

    On the ground the force passes through the centre of mass, so that the body is not spun: x'' = (x - p) (z'' + g) / z
    with the point p of the ground that pushes. It draws back to let the body fall forward, then runs to the tips of the
    feet; how far back is found such that the jump lands where it should.
    """
    far = distance / leg
    rest = 0.055 * leg  # of the centre ahead of the ankle
    behind = (0.26 * far - 0.10) * leg  # the centre at touch-down
    # as high as raised arms and a foot on its ball, its heel up by 56 degrees, bring it with knees not quite straight
    off_z = standing + min(0.15 * leg, 0.72 * tip + 0.022 * leg) - 0.035 * far * leg
    down_z = standing - (0.03 + 0.10 * far) * leg
    rise, fall = np.sqrt(2 * GRAVITY * height), np.sqrt(2 * GRAVITY * (height + off_z - down_z))
    air = (rise + fall) / GRAVITY
    dip = (0.185 + 0.28 * height) * leg
    push, lift = _push(rise, off_z - standing + dip)
    give = fall**2 / (2 * 1.25 * GRAVITY)
    low = START + CROUCH
    off, down = low + push, low + push + air
    landed = down + give / (0.46 * fall)
    end = landed + LANDED
    heights = np.array([(0.0, standing, 0, 0), (START, standing, 0, 0), (low, standing - dip, 0, lift),
                        (off, off_z, rise, -GRAVITY), (down, down_z, -fall, -GRAVITY),
                        (landed, down_z - give, 0, 0.6 * GRAVITY), (end, standing, 0, 0)]).T  # fmt: skip
    times = np.arange(0.0, end + REST + 0.1, STEP)
    z = hermite(times, *heights)
    ground = times <= off
    stiff = (np.gradient(np.gradient(z, STEP), STEP) + GRAVITY)[ground] / z[ground]
    path = lambda back: _pushed(times[ground], stiff, rest, tip, back, low, off)  # noqa: E731
    miss = lambda back: path(back)[0][-1] + path(back)[1] * air + behind - distance  # noqa: E731
    fall_x, speed = path(float(brentq(miss, -0.2 * leg, 0.4 * leg, full_output=False)))  # pyright: ignore
    after = np.array([(off, fall_x[-1], speed, 0), (down, distance - behind, speed, 0),
                      (landed + 0.6, distance + rest, 0, 0), (end, distance + rest, 0, 0)]).T  # fmt: skip
    x = np.concatenate([fall_x, hermite(times[~ground], *after)])
    return Flight(low, off, down, landed, end, distance, times, x, z)


def _pushed(
    t: Array, stiff: Array, rest: float, tip: float, back: float, low: float, off: float
) -> tuple[Array, float]:
    """The way x (K,) of the centre until take-off, and its speed there, if the ground's point draws back by `back`."""
    drawn = ramp(t, START, START + 0.25) - ramp(t, low - 0.15, low + 0.05)
    p = rest - back * drawn + (tip - rest) * ramp(t, low + 0.03, off - 0.06)
    x, v = np.full(len(t), rest), 0.0
    for k in range(1, len(t)):
        v += STEP * stiff[k] * (x[k - 1] - p[k])
        x[k] = x[k - 1] + STEP * v
    return x, v


def _push(speed: float, way: float) -> tuple[float, float]:
    """Duration [s] and first acceleration [m/s²] of a push from rest to a speed [m/s] over a way [m].

    The acceleration is a (1 - s³) - g s³ over the share s of the push: greatest at the turn, and free fall at take-off.
    """
    g = GRAVITY
    duration = (-0.6 * speed + np.sqrt((0.6 * speed) ** 2 + 0.4 * g * way)) / (0.2 * g)
    return float(duration), float((speed / duration + 0.25 * g) / 0.75)


def _poses(p: Flight, far: float, high: float) -> list[KeyPose]:
    """Trunk, head and arms; a longer jump leans further forward, a higher one swings the arms further up."""
    up = min(1.0, 0.62 + 1.4 * high)
    stand = {**AT_EASE, "tilt": 2.0, "bend": 0.0, "look_down": 2.0, "yaw": 7.0}
    return [
        KeyPose(0.0, stand), KeyPose(START + 0.04, {k: stand[k] for k in ("tilt", "bend", "look_down")}),
        KeyPose(START - 0.08, {"raise": 2.0, "elbow": 14.0, "out": 8.0, "spin": 12.0}),
        KeyPose(START + 0.14, {"raise": 16.0, "elbow": 24.0}),  # the arms swing forward a little before they go back
        KeyPose(p.low - 0.12, {"raise": -38.0, "elbow": 16.0, "out": 14.0, "spin": 5.0}),
        KeyPose(p.low - 0.06, {"tilt": 20.0 + 8.0 * far, "bend": 10.0, "look_down": 6.0, "fore": -4.0}),
        KeyPose(p.off - 0.02, {"tilt": 3.0 + 10.0 * far, "bend": 1.0, "look_down": -2.0, "fore": 4.0}),
        KeyPose(p.off + 0.10, {"raise": 150.0 * up, "elbow": 34.0, "out": 12.0, "spin": 4.0, "shrug": 6.0}),
        KeyPose(p.middle, {"tilt": 4.0 + 9.0 * far, "bend": 6.0 + 4.0 * far, "look_down": 10.0, "raise": 128.0 * up,
                           "elbow": 28.0}),
        KeyPose(p.down, {"tilt": 9.0 + 11.0 * far, "bend": 10.0 + 3.0 * far, "look_down": 18.0, "raise": 44.0,
                         "elbow": 32.0, "out": 14.0, "shrug": 0.0, "fore": 0.0}),
        KeyPose(p.landed + 0.22, {"tilt": 20.0 + 4.0 * far, "bend": 12.0, "look_down": 16.0, "raise": 22.0,
                                  "elbow": 36.0, "out": 15.0}),
        KeyPose(p.landed + 0.62, {"raise": -5.0, "elbow": 18.0}),
        KeyPose(p.end - 0.04, {"tilt": 2.0, "bend": 0.0, "look_down": 2.0, "raise": 2.0, "elbow": 14.0, "out": 8.0,
                               "spin": 12.0}),
    ]  # fmt: skip


def _feet(p: Flight, times: Array, leg: float, height: float, toe: float) -> dict[str, Array]:
    """Both feet: rolled up to their tips at take-off, drawn up and forward in flight, set down.

    Toes of a length [m] straighten as fast as the foot rises, so that they leave the ground and do not dig into it.
    """
    far = p.distance / leg
    land = 24.0 - 34.0 * float(ramp(np.array(far), 0.25, 0.9))  # on the ball, or from the heel after a long flight
    air = p.down - p.off
    tuck = (0.6 * height + 0.17 * p.distance) / leg
    k = 1.0 if toe > 0.0 else STIFF  # a heel rises as high by a smaller angle about the tips
    pitch = _keyed(times, (p.low + 0.04, 0, 0), (p.off - 0.07, 26 * k, 260 * k), (p.off, 56 * k, 330 * k),
                   (p.off + 0.12, 66 * k, 0),
                   (p.down, land, -90), (p.down + 0.09, 0, 0))  # fmt: skip
    lift = hermite(times, np.array([p.off, p.off + 0.6 * air, p.down]), np.array([0.0, tuck, 0.0]),
                   np.array([0.0, 0.0, -1.1 / leg]), np.array([30.0 / leg, -10.0 * tuck / air**2, 0.0]))  # fmt: skip
    along = p.distance / leg * ramp(times, p.off, p.down)
    toes = np.clip(pitch, 0.0, 60.0) * (1.0 - ramp(times, p.off, p.off + 0.1) + ramp(times, p.down - 0.05, p.down))
    lift = np.maximum(lift, 0.0)
    if toe > 0.0:
        steep = np.degrees(np.arcsin(np.clip(0.5 * leg * lift / toe, 0.0, 1.0)))  # of toes whose tips are half as high
        toes = np.maximum(toes, np.clip(pitch, 0.0, 60.0) - steep)
    channels = {"pitch": pitch, "z": lift, "x": along, "toes": toes}
    return {f"{side}_{name}": value for side in SIDES for name, value in channels.items()}


def _keyed(times: Array, *keys: tuple[float, float, float]) -> Array:
    """A curve through (time, value, slope) keys without curvature there."""
    t, y, v = np.array(keys, float).T
    return hermite(times, t, y, v, np.zeros(len(t)))

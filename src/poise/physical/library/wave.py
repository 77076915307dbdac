"""wave: standing, the right hand is raised beside the head, waved, and lowered.

The gesture and its figures are ours; about two movements to and fro a second is what people do at ease.
"""

from __future__ import annotations

from poise.character import Character
from poise.errors import BadValue
from poise.motion.clip import Clip
from poise.physical.library.acting import AT_EASE, KeyPose, played
from poise.physical.library.actor import act
from poise.physical.library.finish import finished, timeline

WAIT, RAISE, LOWER, REST = 0.25, 0.62, 0.75, 0.3  # [s]


def make(character: Character, times: float = 3, rate: float = 1.7) -> Clip:
    """Waving so many `times`, `rate` of them a second."""
    if int(times) != times or not 1 <= times <= 20:
        raise BadValue(f"One waves 1 to 20 times, not {times}.")
    if not 0.5 <= rate <= 3.0:
        raise BadValue(f"One waves 0.5 to 3 times a second, not {rate}.")
    up, period = WAIT + RAISE, 1.0 / rate
    keys = _poses(up, int(times), period)
    moments, dt = timeline(up + int(times) * period + LOWER + REST)
    return finished("wave", character, act(character, played(keys, moments)), dt)


def _poses(up: float, count: int, period: float) -> list[KeyPose]:
    """Standing, the arm raised, waved `count` times from time `up` on, and lowered."""
    stand = {**AT_EASE, "centre_x": 0.055, "centre_y": 0.0}
    lowered = {f"right_{k}": AT_EASE[k] for k in ("raise", "out", "spin", "elbow", "pronate", "wrist")}
    lowered |= {"right_shrug": 0.0, "side": 0.0, "twist": 0.0, "list": 0.0, "centre_y": 0.0, "look_down": 2.0,
                "look_turn": 0.0, "left_raise": 2.0, "left_out": 8.0, "left_elbow": 14.0}  # fmt: skip
    raised = {"right_raise": 30.0, "right_out": 56.0, "right_spin": -64.0, "right_elbow": 106.0, "right_pronate": -10.0,
              "right_shrug": 10.0, "side": -4.0, "twist": -4.0, "list": 1.2, "centre_y": 0.02, "look_down": -3.0,
              "look_turn": -8.0, "left_raise": 5.0, "left_out": 10.0, "left_elbow": 19.0}  # fmt: skip
    keys = [
        KeyPose(0.0, stand),
        KeyPose(WAIT, lowered),
        KeyPose(WAIT + 0.22, {"right_elbow": 72.0}),
        KeyPose(up, raised),
    ]
    for k in range(count):
        out, back = up + (k + 0.28) * period, up + (k + 0.78) * period
        keys += [
            KeyPose(out, {"right_elbow": 82.0, "right_wrist": -16.0, "right_out": 60.0, "right_spin": -67.0}),
            KeyPose(out + 0.05, {"side": -5.2, "twist": -4.8, "centre_y": 0.023}),
            KeyPose(back, {"right_elbow": 122.0, "right_wrist": 18.0, "right_out": 53.0, "right_spin": -61.0}),
            KeyPose(back + 0.05, {"side": -3.2, "twist": -3.4, "centre_y": 0.018}),
        ]
    down = up + count * period
    stay = ("right_raise", "right_shrug", "list", "look_down", "look_turn", "right_pronate", "left_raise", "left_out",
            "left_elbow")  # fmt: skip
    keys += [KeyPose(down, {k: raised[k] for k in stay}), KeyPose(down + LOWER, lowered)]
    return keys

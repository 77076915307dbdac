"""run: level running with a heel strike, one cycle, authored from normative curves.

Novacheck, The biomechanics of running, Gait and Posture 7, 77-95, 1998, has the curves of hip, knee, ankle and pelvis
over the cycle; his toe-off at 39 % is moved to 35 % (the curves below are drawn for 33 % and stretched), and values by
up to five degrees, until the curves agree with each other about where the foot stands. Times on the ground and
frequencies follow Nilsson & Thorstensson, Acta Physiologica Scandinavica 129, 107-114, 1987 and Cavanagh & Kram,
Medicine and Science in Sports and Exercise 21, 467-479, 1989. Arms and trunk follow Hinrichs, International Journal of
Sport Biomechanics 3, 222-241, 1987 in kind: elbows near a right angle, arms against the legs; sizes are our own
judgement.
"""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.motion.clip import Clip
from poise.physical.library.gait import author, walker_hips
from poise.physical.library.manner import Gait, Legs, Manner, Path

LEGS = Legs(
    # hip less the forward tilt of the pelvis: most extended just after toe-off, most flexed at 80 to 85 %
    thigh=((0, 23.5), (7, 21), (13, 14), (19, 2), (25, -9), (30, -17), (34, -21.5), (39, -21), (46, -13), (54, 0),
           (62, 15), (70, 28), (77, 36), (84, 39), (92, 34)),
    # 15 at contact, 35 to 40 in the middle of stance, 90 to 100 in swing
    knee=((0, 15), (5, 26.5), (10, 35), (15, 31), (20, 24), (25, 18), (29, 15), (33, 14.5), (39, 28), (48, 62),
          (56, 88), (63, 98), (70, 92), (78, 66), (86, 37), (94, 17)),
    # thigh less knee plus the ankle: 5 at contact, 25 in the middle of stance, -20 at toe-off
    foot=((0, 12), (3, 6), (6, 0), (16.5, 0), (19.5, -5), (23.5, -19), (28, -39), (33, -58), (39, -72), (47, -84),
          (55, -88), (63, -78), (71, -52), (79, -22), (87, 4), (94, 16)),
    # toes and the times of heel and ball: our own judgement
    toes=((0, 8), (7, 0), (16.5, 0), (19.5, 5), (24, 18), (29, 31), (33, 31), (40, 12), (55, 4), (90, 8)),
    heel=(0.0, 18.0), ball=(5.0, 32.0), tip=(7.0, 33.0),
    clearance=0.03,  # our own judgement
)  # fmt: skip
MANNER = Manner(
    lead=-0.08,  # a runner's foot is furthest ahead some time before it touches down
    sway=0.014, sway_phase=0.2, low=0.17, surge=-0.006, drop=4.5, drop_phase=0.25, turn=5.0, tilt=8.0, nod=2.0,
    trunk=10.0, lean=9.0, arm_mean=-12.0, arm_swing=26.0, arm_lag=0.0, arm_out=15.5, arm_in=18.0, elbow_mean=92.0,
    elbow_swing=12.0, elbow_lag=0.02, forearm_in=34.0, toe_out=5.0, width=0.052,
)  # fmt: skip
SPEED, LEG, DUTY = 3.0, 0.9, 35.0  # [m/s], [m], [% of the cycle on the ground]


def make(character: Character, speed: float = SPEED, stride: float | None = None) -> Clip:
    """One cycle of a run at `speed` [m/s]; `stride` [m] is two steps, by default what people choose at that speed."""
    if not 1.8 <= speed <= 5.5:
        raise BadValue(f"A run has a speed between 1.8 and 5.5 m/s, not {speed}.")
    leg = walker_hips(character)
    # 2.75 steps a second at 3 m/s, 2.9 at 4 (Cavanagh & Kram 1989); legs as pendulums: slower ones if longer
    natural = 2.0 * speed / (2.75 * (speed / SPEED) ** 0.2) * np.sqrt(leg / LEG)
    stride = float(natural if stride is None else stride)
    if not 0.4 <= stride / natural <= 1.5:
        raise BadValue(f"A runner with legs of {leg:.2f} m takes strides about {natural:.2f} m long at {speed} m/s, "
                       f"not {stride}.")  # fmt: skip
    # a quarter of a second on the ground at 3 m/s, shorter the faster (Nilsson & Thorstensson 1987)
    duty = DUTY * (SPEED / speed) ** 0.4
    reach = float((stride * duty / DUTY / leg) / (2.18 / LEG)) ** 0.7
    lift = float(np.clip((speed / SPEED) ** 0.35, 0.8, 1.2))  # heels come higher the faster
    legs = LEGS.retimed(duty).scaled(knee=lift)
    return author(character, Gait("run", legs, MANNER, bounce=True, spread=0.055), Path(stride), stride / speed, reach)

"""A method of your own: thirty lines, performed like any other.

From the command line, in the folder of this file:

    poise perform walk --method 05_your_own_method:Springs --seconds 2 --set stiffness=5

It pulls every joint to its reference by a spring, without balance, and so it falls: `poise.methods.contract` says what
else a method may do.
"""

from dataclasses import dataclass

import numpy as np

import poise
from poise.maths import configuration as conf
from poise.settings import number


@dataclass(frozen=True)
class Springs:
    """Torques = stiffness x error - damping x velocity, within the body's limits."""

    stiffness: float = number(3.0, "share of the torque limit for an error of 1 rad", 0, 100, "1/rad")
    damping: float = number(0.03, "share of the torque limit for an error of 1 rad/s", 0, 100, "s/rad")

    name = "springs"
    period = 1 / 960  # [s] between two decisions

    def start(self, character, reference, stage):
        """What it remembers: the character."""
        return character

    def act(self, state, touches, reference, memory):
        """Joint torques (nv,) [N m]; nothing acts on the root."""
        wanted = reference.sample(state.time)
        error = conf.difference(memory.layout, state.q, wanted.q)
        limit = np.where(np.isfinite(memory.torque_limit), memory.torque_limit, 0.0)
        torque = limit * (self.stiffness * error + self.damping * (wanted.v - state.v))
        torque[:6] = 0.0
        return np.clip(torque, -limit, limit)


def main(folder: str = ".", seconds: float = 1.0) -> None:
    """Perform it, and look at it."""
    take = poise.perform(poise.load_clip("walk"), Springs(), seconds=seconds)
    take.save(f"{folder}/your_own_method.png")
    print(take, f"written: {folder}/your_own_method.png")


if __name__ == "__main__":
    main()

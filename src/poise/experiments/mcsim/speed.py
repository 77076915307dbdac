"""mcsim/speed: CPU time of the whole loop beside that of the bare simulation."""

from __future__ import annotations

import numpy as np

from poise.experiments.reproduce import Options, Table
from poise.methods.mcsim import McSim
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.motion.reference import Reference
from poise.performance import STEP, perform
from poise.simulate.loop import run as loop
from poise.simulate.mujoco import MujocoSimulator


class Replay:
    """A controller that gives torques recorded before: what the simulation and the recording cost by themselves."""

    def __init__(self, torques: np.ndarray):
        self.torques, self.at = torques, 0

    def start(self, character: object, reference: object, stage: object) -> None:
        """Nothing to remember."""

    def act(self, state: object, touches: object, reference: object, memory: object) -> np.ndarray:
        """The next torques."""
        self.at = min(self.at + 1, len(self.torques))
        return self.torques[self.at - 1]


def run(options: Options) -> Table:
    """Both characters, with departures and as printed."""
    rows = []
    for name in ("human42", "human57"):
        clip = load_clip("walk", character=name)
        for words, way in (("with departures", McSim()), ("as printed, 96 Hz", McSim.printed())):
            perform(clip, way, seconds=0.2)  # compiled now
            take = perform(clip, way, seconds=2.0 if "printed" in words else 5.0)
            bare = _bare(clip, take.duration)
            rows.append((name, words, round(take.realtime_factor, 1), round(bare, 1),
                         round(bare / take.realtime_factor, 2)))  # fmt: skip
    columns = ("character", "method", "x real time", "bare loop, x real time", "times its CPU")
    notes = ("Bare loop: the same simulation driven by constant torques, asked for every step as mcsim is.",)
    return Table("Speed, CPU time of one core", columns, tuple(rows), notes)


def _bare(clip: Clip, seconds: float) -> float:
    """Real-time factor of the loop with a controller that does nothing but stand in the reference's pose."""
    simulator = MujocoSimulator(clip.character, dt=STEP)
    total, spent, reference = 0.0, 0.0, Reference(clip)
    while total < seconds:  # short stretches from the reference: a body without control soon lies down
        sample = reference.sample(total)
        simulator.reset(sample.q, sample.v)
        take = loop(simulator, Replay(np.zeros((1, clip.character.model.nv))), reference, seconds=0.1)
        total, spent = total + take.duration, spent + float(take.timings["loop"])
    return total / spent

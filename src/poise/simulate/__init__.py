"""Simulation: the simulator's protocol, MuJoCo behind it, the loop and the guard against blow-ups."""

from poise.simulate.guard import BlowUp
from poise.simulate.simulator import Means, Simulator, State, Touches

__all__ = ["BlowUp", "Means", "Simulator", "State", "Touches"]

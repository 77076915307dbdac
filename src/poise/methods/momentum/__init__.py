"""momentum: optimal feedback on the abstract model (Ye 2012, chapter 4, "Locomotion control with optimal feedback")."""

from poise.methods.momentum.departures import DEPARTURES
from poise.methods.momentum.performer import Momentum
from poise.methods.momentum.torques import MomentumTorques

__all__ = ["DEPARTURES", "Momentum", "MomentumTorques"]

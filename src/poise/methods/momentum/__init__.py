"""momentum: optimal feedback on the abstract model (Ye 2012, chapter 4, "Locomotion control with optimal feedback")."""

from poise.methods.momentum.departures import DEPARTURES
from poise.methods.momentum.performer import Momentum

__all__ = ["DEPARTURES", "Momentum"]

"""posture: responses in near-unactuated coordinates (Ye 2012, chapter 3, "Postural responses control in torque
actuation space")."""

from poise.dynamics.response_space import ResponseSpace
from poise.methods.posture.departures import DEPARTURES
from poise.methods.posture.performer import Posture
from poise.methods.posture.space import response_space

__all__ = ["DEPARTURES", "Posture", "ResponseSpace", "response_space"]

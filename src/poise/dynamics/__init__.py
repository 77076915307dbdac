"""Dynamics: one read-only view of an instant of a character."""

from poise.dynamics.instant import Dynamics, Instant, Wrench
from poise.dynamics.modes import Modes, modes

__all__ = ["Dynamics", "Instant", "Modes", "Wrench", "modes"]

"""vibration: gaits sketched from the body's own vibrations (Nunes et al. 2012)."""

from poise.methods.vibration.method import Vibration

__all__ = ["Vibration"]

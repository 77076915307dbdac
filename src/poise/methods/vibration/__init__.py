"""vibration: gaits sketched from the body's own vibrations (Nunes et al. 2012)."""

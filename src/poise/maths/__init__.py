"""Mathematics that knows no characters: rotations, the tangent space of a configuration, kinematic trees, splines."""

GRAVITY = 9.81  # [m/s²] standard acceleration of a falling body, of all clips, bodies and methods

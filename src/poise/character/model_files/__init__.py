"""Model files: the user's own character, from MJCF or URDF."""

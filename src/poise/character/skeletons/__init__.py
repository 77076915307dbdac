"""Skeletons: the character of a motion file, found from its joints: roles, units, axes, the pose in which it stands."""

"""Inverse kinematics: single limbs in closed form, whole clips by least squares."""

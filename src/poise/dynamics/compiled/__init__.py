"""The equations of motion for kernels, shared by all methods: terms, Jacobians, motion of points, momentum."""

from poise.dynamics.compiled.jacobians import Motion, jacobian, motion, no_motion, point_jacobian, turning_jacobian
from poise.dynamics.compiled.momentum import (
    WholeBody,
    apply_inertia,
    centre_jacobian,
    momentum,
    momentum_bias,
    momentum_matrix,
    no_whole_body,
    root_momentum,
    whole_body,
)
from poise.dynamics.compiled.terms import (
    Compiled,
    Pose,
    Terms,
    fill_bias,
    fill_mass_matrix,
    fill_points,
    place,
    place_inertias,
    place_momentum,
    place_pose,
    place_velocity,
)

__all__ = [
    "Compiled", "Motion", "Pose", "Terms", "WholeBody", "apply_inertia", "centre_jacobian", "fill_bias",
    "fill_mass_matrix", "fill_points", "jacobian", "momentum", "momentum_bias", "momentum_matrix", "motion",
    "no_motion", "no_whole_body", "place", "place_inertias", "place_momentum", "place_pose", "place_velocity",
    "point_jacobian", "root_momentum", "turning_jacobian", "whole_body",
]  # fmt: skip

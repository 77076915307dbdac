"""Every call into MuJoCo whose form depends on its version, in one place. Written for MuJoCo 4."""

from __future__ import annotations

import mujoco
import numpy as np

from poise.maths.rotations import Array

Model, Data = mujoco.MjModel, mujoco.MjData


def data_of(model: Model) -> Data:
    """Fresh working memory for a model."""
    return mujoco.MjData(model)


def place(model: Model, data: Data, q: Array, v: Array) -> None:
    """Put the state in and compute all that depends on positions and velocities, without contacts."""
    data.qpos[:] = q
    data.qvel[:] = v
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_comVel(model, data)


def mass_matrix(model: Model, data: Data) -> Array:
    """Joint-space inertia (nv, nv); needs `place`."""
    mujoco.mj_makeM(model, data)
    out = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, out)
    return out


def bias(model: Model, data: Data) -> Array:
    """Coriolis, centrifugal and gravity forces (nv,), on the side of the inertia: M a + bias = forces."""
    out = np.zeros(model.nv)
    mujoco.mj_rne(model, data, 0, out)
    return out


def jacobian(model: Model, data: Data, body: int, point: Array) -> tuple[Array, Array]:
    """Jacobians (3, nv) of the velocity of a world point fixed in a body and of the body's angular velocity (world)."""
    linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jac(model, data, linear, angular, np.asarray(point, float), body)
    return linear, angular


def jacobian_rate(model: Model, data: Data, body: int, point: Array) -> tuple[Array, Array]:
    """Time derivatives (3, nv) of what `jacobian` gives, at the current velocity."""
    linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jacDot(model, data, linear, angular, np.asarray(point, float), body)
    return linear, angular


def centre_of_mass_jacobian(model: Model, data: Data) -> Array:
    """Jacobian (3, nv) of the whole centre of mass."""
    out = np.zeros((3, model.nv))
    mujoco.mj_jacSubtreeCom(model, data, out, 0)
    return out


def angular_momentum_matrix(model: Model, data: Data) -> Array:
    """Matrix (3, nv) from velocities to the angular momentum about the centre of mass, world axes."""
    out = np.zeros((3, model.nv))
    mujoco.mj_angmomMat(model, data, out, 0)
    return out

"""Contact points of a model from a file: the lowest corners of its feet as it stands in its zero pose.

Where palms look is not told by shapes: hands touch with the sites that the file has for them, named as poise does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import mujoco
import numpy as np

from poise.character.character import ContactPoints
from poise.character.roles import SIDES
from poise.maths.rotations import Array

_LEVEL = 0.015  # [m]: what lies this little above the lowest point of a foot belongs to its sole
_NARROW = 0.02  # [m]: a sole narrower than this (one sphere or capsule) is widened by its shape
_HAND = re.compile("(left|right)_hand_(heel|tip)_(inner|outer)")
_CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)


def find(model: mujoco.MjModel, roles: Mapping[str, str]) -> ContactPoints:
    """Four corners a foot, two tips where there are toes; empty where the model has no feet with shapes."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    ahead = _facing(data, roles)
    side_of = np.cross([0.0, 0.0, 1.0], ahead)  # left
    names: list[str] = []
    bodies: list[int] = []
    places: list[Array] = []
    for s in SIDES:
        foot, toes = (model.body(roles[f"{s}_{p}"]).id if f"{s}_{p}" in roles else -1 for p in ("foot", "toes"))
        sole = _sole(model, data, foot, toes, ahead, side_of)
        if sole is None:
            continue
        (back, front, right, left), level = sole
        rows = [("heel", back, foot), ("ball", front, foot)]
        tip = _sole(model, data, toes, -1, ahead, side_of) if toes >= 0 else None
        if tip is not None and tip[0][1] > front:
            rows.append(("tip", tip[0][1], toes))
        inner, outer = (right, left) if s == "left" else (left, right)
        for label, x, body in rows:
            for edge, y in (("inner", inner), ("outer", outer)):
                names.append(f"{s}_{label}_{edge}")
                bodies.append(body)
                places.append(x * ahead + y * side_of + np.array([0.0, 0.0, level]))
    local = [data.xmat[b].reshape(3, 3).T @ (p - data.xpos[b]) for b, p in zip(bodies, places, strict=True)]
    for site in (model.site(k) for k in range(model.nsite)):
        if _HAND.fullmatch(site.name):
            names.append(site.name)
            bodies.append(int(model.site_bodyid[site.id]))
            local.append(np.array(site.pos))
    return ContactPoints(tuple(names), np.array(bodies, int), np.array(local, float).reshape(-1, 3))


def _facing(data: mujoco.MjData, roles: Mapping[str, str]) -> Array:
    """Horizontal unit vector into which the model faces: its left hip is to the left of its right hip."""
    for part in ("thigh", "upper_arm", "foot"):
        if f"left_{part}" in roles and f"right_{part}" in roles:
            across = data.body(roles[f"left_{part}"]).xpos - data.body(roles[f"right_{part}"]).xpos
            ahead = np.cross(across, [0.0, 0.0, 1.0])
            if np.linalg.norm(ahead) > 1e-6:
                return ahead / np.linalg.norm(ahead)
    return np.array([1.0, 0.0, 0.0])


def _sole(
    model: mujoco.MjModel, data: mujoco.MjData, body: int, stop: int, ahead: Array, left: Array
) -> tuple[tuple[float, float, float, float], float] | None:
    """(back, front, right, left) along the two directions and the height of the sole of a body and what hangs on it."""
    if body < 0:
        return None
    inside = {body}
    for b in range(body + 1, model.nbody):
        if int(model.body_parentid[b]) in inside and b != stop:
            inside.add(b)
    geoms = [g for g in range(model.ngeom) if int(model.geom_bodyid[g]) in inside]
    solid = [g for g in geoms if model.geom_contype[g] or model.geom_conaffinity[g]] or geoms
    if not solid:
        return None
    clouds = [_surface(model, data, g) for g in solid]
    points = np.concatenate(clouds)
    level = float(points[:, 2].min())
    low = points[points[:, 2] < level + _LEVEL]
    x, y = low @ ahead, low @ left
    back, front, right, outer = float(x.min()), float(x.max()), float(y.min()), float(y.max())
    size = max(float(np.median(np.ptp(cloud @ left))) for cloud in clouds)
    if front - back < _NARROW:
        back, front = back - 0.35 * size, front + 0.35 * size
    if outer - right < _NARROW:
        right, outer = right - 0.35 * size, outer + 0.35 * size
    return (back, front, right, outer), level


def _surface(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> Array:
    """Points (K, 3) [m] on a geom, in the world, among them its lowest one."""
    kind, size = model.geom_type[geom], model.geom_size[geom]
    R, centre = data.geom_xmat[geom].reshape(3, 3), data.geom_xpos[geom]
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return centre + (_CORNERS * size) @ R.T
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        k = int(model.geom_dataid[geom])
        first, count = int(model.mesh_vertadr[k]), int(model.mesh_vertnum[k])
        return centre + model.mesh_vert[first : first + count] @ R.T
    ways = np.concatenate([np.eye(3), -np.eye(3)])
    if kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
        own = (ways @ R) * size**2
        return centre + (own / np.linalg.norm((ways @ R) * size, axis=1, keepdims=True)) @ R.T
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        ends = centre + np.outer([-size[1], size[1]], R[:, 2])
        return (ends[:, None] + size[0] * ways).reshape(-1, 3)
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        return centre + (_CORNERS * np.array([size[0], size[0], size[1]])) @ R.T
    return centre + size[0] * ways

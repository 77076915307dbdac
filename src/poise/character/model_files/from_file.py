"""from_file: the user's own character, from MJCF or URDF.

poise does not turn the user's model: its zero pose and its frames are its own, and need not be the upright ones of
built-in characters. What carries motion over (retargeting) aligns them by the directions of the limbs. Contact
points are the lowest corners of its feet as it stands in its zero pose. Where palms look is not told by shapes: hands
touch with the sites that the file has for them, named as poise does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import mujoco
import numpy as np

from poise.character.bodies import anthropometry
from poise.character.character import Character, ContactPoints, _half_height
from poise.character.model_files import read
from poise.character.roles import REQUIRED, ROLES, SIDES
from poise.character.skeleton import Skeleton
from poise.character.skeletons.find_roles import roles_by_name
from poise.character.skeletons.roles_by_shape import roles_by_shape
from poise.errors import BadFile, UnknownBody
from poise.maths.rotations import Array

_OTHER_STRENGTH = 0.10  # of weight times height, for joints whose part of the body is unknown
_SLACK = 1e-9


def from_file(path: Path, roles: Mapping[str, str] | None = None) -> Character:
    """The character of an MJCF or URDF file; `roles` maps roles to its bodies, the rest is found by names or shape."""
    found = read.read(path)
    model, notes = found.model, list(found.notes)
    names = [model.body(b).name for b in range(model.nbody)]
    for role, body in (roles or {}).items():
        if role not in ROLES:
            raise UnknownBody("role", role, ROLES)
        if body not in names[1:]:
            raise UnknownBody("body", body, names[1:], f"It was given as {role} of {path}.")
    parts = {role: body for role, body in find_roles(model).items() if role not in (roles or {})}
    taken = set((roles or {}).values())
    parts = {role: body for role, body in parts.items() if body not in taken} | dict(roles or {})
    missing = [role for role in REQUIRED if role not in parts]
    if missing:
        notes.append(f"No body was found for {', '.join(missing)}; give them as roles.")
    points = find_contact_points(model, parts)
    if not len(points):
        notes.append("No contact points: the model has no feet with shapes.")
    if not float(model.body_mass.sum()) > 0:
        raise BadFile(path, "the bodies of this model weigh nothing.")
    stiffness = _stiffness(model)
    torque = _torque(model, parts, found.torque)
    ordered = {role: parts[role] for role in ROLES if role in parts}
    return Character(path.stem, found.xml, ordered, points, stiffness, torque, None, tuple(notes))


def find_roles(model: mujoco.MjModel) -> dict[str, str]:
    """Role -> name of the body, by names of bodies or of their joints, or else by the shape of the zero pose."""
    tree = _skeleton(model)
    by_joint = _skeleton(model, joint_names=True)
    guesses = [roles_by_name(tree), roles_by_name(by_joint)]
    if not any(set(REQUIRED) <= set(g) for g in guesses):
        data = mujoco.MjData(model)
        mujoco.mj_kinematics(model, data)
        guesses.append(roles_by_shape(tree, data.xpos[None, 1:].copy()))
    best = max(guesses, key=lambda g: (len(set(REQUIRED) & set(g)), len(g)))
    roles = _trunk_from_above(tree, _whole_joints(tree, dict(best)))
    return {role: tree.names[j] for role, j in roles.items()}


def _skeleton(model: mujoco.MjModel, joint_names: bool = False) -> Skeleton:
    """The bodies as joints of a skeleton, in the zero pose."""
    names = []
    for b in range(1, model.nbody):
        first = int(model.body_jntadr[b])
        use = joint_names and first >= 0 and b > 1
        names.append(model.joint(first).name if use else model.body(b).name)
    return Skeleton(
        tuple(names), model.body_parentid[1:] - 1, model.body_pos[1:].copy(), rest=model.body_quat[1:].copy()
    )


def _trunk_from_above(tree: Skeleton, roles: dict[str, int]) -> dict[str, int]:
    """Chest and abdomen of a model whose root is its chest, so that the pelvis hangs on them."""
    arms, pelvis = [roles.get(f"{s}_upper_arm") for s in ("left", "right")], roles.get("pelvis")
    if "chest" in roles or pelvis is None or None in arms:
        return roles
    paths = [_upward(tree, j) for j in arms if j is not None]
    chest = next(j for j in paths[0] if j in paths[1])
    above = _upward(tree, pelvis)
    if chest in above and chest != pelvis:
        roles["chest"] = chest
        between = [j for j in above[1 : above.index(chest)] if j not in roles.values()]
        if between:
            roles["abdomen"] = between[-1]
    return roles


def _upward(tree: Skeleton, joint: int) -> list[int]:
    """A joint and all above it."""
    path = [joint]
    while tree.parents[path[-1]] >= 0:
        path.append(int(tree.parents[path[-1]]))
    return path


def _whole_joints(tree: Skeleton, roles: dict[str, int]) -> dict[str, int]:
    """Where a joint is a chain of bodies (hip pitch, roll, yaw), the role goes to the last: the limb itself.

    A thigh is the body that carries the shin and an upper arm the one that carries the forearm, as long as the chain
    has no branches; a foot is the last body of the ankle.
    """
    taken = set(roles.values())
    for side in ("left", "right"):
        for upper, lower in (("thigh", "shin"), ("upper_arm", "forearm")):
            first, last = roles.get(f"{side}_{upper}"), roles.get(f"{side}_{lower}")
            if first is None or last is None:
                continue
            chain = [int(tree.parents[last])]
            while chain[-1] not in (first, -1):
                chain.append(int(tree.parents[chain[-1]]))
            if chain[-1] == first and not any(j in taken for j in chain[:-1]):
                roles[f"{side}_{upper}"] = chain[0]
        foot = roles.get(f"{side}_foot")
        if foot is None:
            continue
        below = tree.children(foot)
        while len(below) == 1 and below[0] not in taken and "ankle" in tree.names[foot].lower():
            foot = below[0]
            below = tree.children(foot)
        roles[f"{side}_foot"] = foot
    return roles


def _stiffness(model: mujoco.MjModel) -> Array:
    """The model's joint stiffness where it has any, else the kilograms that hang on the joint; zero on the root."""
    out = np.zeros(model.nv)
    for j in range(model.njnt):
        if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE:
            continue
        body = int(model.jnt_bodyid[j])
        own = float(np.max(model.jnt_stiffness[j]))
        out[_span(model, j)] = own if own > _SLACK else float(model.body_subtreemass[body])
    return out


def _torque(model: mujoco.MjModel, roles: Mapping[str, str], motors: Mapping[str, float]) -> Array:
    """The motors' torque where the file has motors, else a human's strength for the part of the body."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    tops = [data.geom_xpos[g, 2] + _half_height(model, data, g) for g in range(model.ngeom)]
    lows = [data.geom_xpos[g, 2] - _half_height(model, data, g) for g in range(model.ngeom)]
    z = data.xpos[1:, 2]
    height = max(tops) - min(lows) if tops else float(np.ptp(z))
    mass = float(model.body_mass.sum())
    owner = {body: role for role, body in roles.items()}
    out = np.zeros(model.nv)
    for j in range(model.njnt):
        if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE:
            continue
        name, body = model.joint(j).name, int(model.jnt_bodyid[j])
        share = _OTHER_STRENGTH
        role = owner.get(model.body(body).name)
        if role is not None and anthropometry.part(role) in anthropometry.STRENGTH:
            share = max(anthropometry.STRENGTH[anthropometry.part(role)].values())
        out[_span(model, j)] = motors.get(name, share * mass * anthropometry.GRAVITY * height)
    return out


def _span(model: mujoco.MjModel, joint: int) -> slice:
    first = int(model.jnt_dofadr[joint])
    return slice(first, first + (3 if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_BALL else 1))


_LEVEL = 0.015  # [m]: what lies this little above the lowest point of a foot belongs to its sole
_NARROW = 0.02  # [m]: a sole narrower than this (one sphere or capsule) is widened by its shape
_HAND = re.compile("(left|right)_hand_(heel|tip)_(inner|outer)")
_CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)


def find_contact_points(model: mujoco.MjModel, roles: Mapping[str, str]) -> ContactPoints:
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

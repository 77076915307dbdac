"""Finding the roles of a skeleton: by name, by shape where names fail, and as the user says."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from poise.character.roles import REQUIRED, ROLES, SIDES, TRUNK, mirrored
from poise.character.skeleton import Skeleton
from poise.character.skeletons.roles_by_name import labels, roles_by_name
from poise.character.skeletons.roles_by_shape import roles_by_shape
from poise.character.skeletons.trunk import trunk_roles
from poise.errors import NoRoles, UnknownName
from poise.maths.rotations import Array


def find_roles(
    skeleton: Skeleton,
    positions: Array,
    rotations: Array | None = None,
    given: Mapping[str, str | None] | None = None,
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Role -> joint index, and sentences about how they were found.

    `positions` (N, J, 3) are global over the motion (or the rest pose alone), `rotations` (N, J, 4) local. `given` maps
    roles to joint names (None: leave this role out) and wins over everything.
    """
    wanted = _checked(skeleton, given or {})
    notes: list[str] = []
    roles = roles_by_name(skeleton)
    roles.update({r: j for r, j in wanted.items() if j is not None})
    named = dict(roles)
    if any(r not in roles for r in REQUIRED) or not _legs(roles, positions):
        shaped = roles_by_shape(skeleton, positions, rotations)
        if shaped:
            notes.append("The joints' names do not tell the parts of the body; they were found by shape.")
            roles = {**shaped, **{r: j for r, j in wanted.items() if j is not None}}
    elif any(f"{s}_upper_arm" not in roles for s in SIDES) or "head" not in roles:
        shaped = roles_by_shape(skeleton, positions, rotations)
        free = {r: j for r, j in shaped.items() if r not in roles and j not in roles.values()}
        if free and all(shaped.get(r) == roles[r] for r in REQUIRED):
            notes.append(f"Found by shape: {', '.join(sorted(free))}.")
            roles.update(free)
    if wanted:  # a limb that was given moves the trunk with it
        limbs = {r: j for r, j in roles.items() if r not in TRUNK}
        said = labels(skeleton)
        roles = {**trunk_roles(skeleton, limbs, said), **limbs, **{r: j for r, j in wanted.items() if j is not None}}
    roles = {r: roles[r] for r in ROLES if r in roles and not (r in wanted and wanted[r] is None)}
    _complete(skeleton, roles, named)
    roles = _with_length(skeleton, roles, positions)
    if not wanted and _crossed(roles, positions):
        roles = {mirrored(r): j for r, j in roles.items()}
        notes.append("The toes point backwards when left and right are as named; the sides were exchanged.")
    return roles, tuple(notes)


def _legs(roles: Mapping[str, int], positions: Array) -> bool:
    """Do the roles make legs: two bones each, of like length on both sides?"""
    bones = [
        float(np.median(np.linalg.norm(positions[:, roles[f"{s}_{b}"]] - positions[:, roles[f"{s}_{a}"]], axis=-1)))
        for s in SIDES
        for a, b in (("thigh", "shin"), ("shin", "foot"))
    ]
    return min(bones) > 0.4 * max(bones) > 0.0


def _checked(skeleton: Skeleton, given: Mapping[str, str | None]) -> dict[str, int | None]:
    out: dict[str, int | None] = {}
    for role, name in given.items():
        if role not in ROLES:
            raise UnknownName("role", role, ROLES)
        if name is not None and name not in skeleton.names:
            raise UnknownName("joint", name, skeleton.names)
        out[role] = None if name is None else skeleton.index(name)
    return out


def _complete(skeleton: Skeleton, roles: Mapping[str, int], named: Mapping[str, int]) -> None:
    missing = [r for r in REQUIRED if r not in roles]
    if not missing:
        return
    known = {**named, **roles}
    found = ", ".join(f"{r} = {skeleton.names[j]}" for r, j in known.items()) or "nothing"
    raise NoRoles(
        f"No body was recognised in this skeleton: {', '.join(missing)} not found, neither by name nor by shape; "
        f"found {found}. Say which joint is which, as in roles={{{missing[0]!r}: {skeleton.names[0]!r}}}. "
        f"Its joints: {', '.join(skeleton.names)}."
    )


def _with_length(skeleton: Skeleton, roles: Mapping[str, int], positions: Array) -> dict[str, int]:
    """The roles without arms and toes whose bones have no length; legs without length are refused."""

    def size(upper: str, lower: str) -> float:
        return float(np.median(np.linalg.norm(positions[:, roles[lower]] - positions[:, roles[upper]], axis=-1)))

    kept = dict(roles)
    legs = {
        (f"{s}_{a}", f"{s}_{b}"): size(f"{s}_{a}", f"{s}_{b}")
        for s in SIDES
        for a, b in (("thigh", "shin"), ("shin", "foot"))
    }
    short = [pair for pair, length in legs.items() if not length > 0.1 * max(legs.values())]
    if short:
        upper, lower = short[0]
        raise NoRoles(
            f"The bone from {upper} ({skeleton.names[roles[upper]]}) to {lower} ({skeleton.names[roles[lower]]}) "
            f"has no length. Say which joints they are, as in roles={{{lower!r}: ...}}. "
            f"Its joints: {', '.join(skeleton.names)}."
        )
    for s in SIDES:
        for upper, lower, below in (("upper_arm", "forearm", "hand"), ("forearm", "hand", ""), ("foot", "toes", "")):
            a, b = f"{s}_{upper}", f"{s}_{lower}"
            if a in kept and b in kept and size(a, b) < 0.02 * max(legs.values()):
                kept.pop(b)
                kept.pop(f"{s}_{below}", None)
    return kept


def _crossed(roles: Mapping[str, int], positions: Array) -> bool:
    """Do toes and knees say clearly that what is named left is right?"""
    if any(f"{s}_toes" not in roles for s in SIDES) or not {"chest", "head", "neck"} & set(roles):
        return False
    at = {r: positions[:, j] for r, j in roles.items()}
    across = at["left_thigh"] - at["right_thigh"]
    hips = 0.5 * (at["left_thigh"] + at["right_thigh"])
    up = next(at[r] for r in ("neck", "head", "chest") if r in at) - hips
    front = _unit(np.cross(across, up))
    toes, knees = [], []
    for s in SIDES:
        toes.append(np.sum(front * _unit(at[f"{s}_toes"] - at[f"{s}_foot"]), axis=-1))
        line = at[f"{s}_foot"] - at[f"{s}_thigh"]
        bend = at[f"{s}_shin"] - at[f"{s}_thigh"]
        bend = bend - np.sum(bend * _unit(line), axis=-1, keepdims=True) * _unit(line)
        knees.append(np.sum(front * bend, axis=-1))
    return bool(np.mean(toes) < -0.4 and np.mean(knees) <= 0.0)


def _unit(v: Array) -> Array:
    return v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12)

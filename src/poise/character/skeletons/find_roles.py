"""Finding the roles of a skeleton: by name, by shape where names fail, and as the user says.

Names say the limbs; the trunk then follows from the tree (`trunk`): the pelvis carries both thighs, the chest both
arms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from poise.character.roles import REQUIRED, ROLES, SIDES, TRUNK, mirrored
from poise.character.skeleton import Skeleton
from poise.character.skeletons import name_words
from poise.character.skeletons.name_words import Label
from poise.character.skeletons.roles_by_shape import roles_by_shape
from poise.character.skeletons.trunk import ancestors, trunk_roles
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
            notes.append("The names of the joints do not identify parts of the body; roles were found by shape.")
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


_LEG_WORDS = {"thigh", "hip", "leg", "shin", "ankle", "foot", "toes"}
_ARM_WORDS = {"clavicle", "shoulder", "upper_arm", "arm", "forearm", "hand"}


def labels(skeleton: Skeleton) -> list[Label]:
    """What each joint's name says."""
    return [name_words.read(name) for name in skeleton.names]


def roles_by_name(skeleton: Skeleton) -> dict[str, int]:
    """Role -> joint index, for every role that the names tell; empty where they tell nothing.

    Ambiguous words are settled by their chain: "LeftLeg" is the shin below "LeftUpLeg"; "LeftShoulder" is the clavicle
    above "LeftArm", the upper arm above "LeftElbow"; "L_Foot" is the toes below "L_Ankle".
    """
    found = labels(skeleton)
    roles: dict[str, int] = {}
    for side in SIDES:
        for resolve, vocabulary in ((_leg, _LEG_WORDS), (_arm, _ARM_WORDS)):
            chains = _chains(skeleton, found, side, vocabulary)
            best: dict[str, int] = {}
            doubt = 0
            for chain in chains:
                parts = resolve([(j, found[j]) for j in chain])
                total = sum(found[j].doubt for j in parts.values())
                if (len(parts), -total) > (len(best), -doubt):
                    best, doubt = parts, total
            roles.update({f"{side}_{part}": joint for part, joint in best.items()})
    if not roles:
        return {}
    return {**trunk_roles(skeleton, roles, found), **roles}


def _chains(skeleton: Skeleton, found: Sequence[Label], side: str, vocabulary: set[str]) -> list[list[int]]:
    """Paths from the root down, each with only the joints of this side whose names are of this limb."""
    of_limb = {
        j for j, label in enumerate(found) if label.side == side and label.part in vocabulary and not label.dropped
    }
    paths = {j: [a for a in reversed([j, *ancestors(skeleton, j)]) if a in of_limb] for j in of_limb}
    inner = {j for path in paths.values() for j in path[:-1]}
    return [paths[j] for j in sorted(of_limb - inner)]


def _first(chain: Sequence[tuple[int, Label]], names: set[str], after: int = -1) -> int | None:
    """Position in the chain, behind `after`, of the first joint with one of these words; twist joints come last."""
    spots = [k for k, (_, label) in enumerate(chain) if label.part in names and k > after]
    return min(spots, key=lambda k: (chain[k][1].doubt >= 4, k), default=None)


def _leg(chain: Sequence[tuple[int, Label]]) -> dict[str, int]:
    """thigh, shin, foot and toes of one chain of joints with leg words."""
    spots: dict[str, int | None] = {}
    thigh = _first(chain, {"thigh"})
    shin = _first(chain, {"shin"})
    if thigh is None:
        hips = [k for k, (_, label) in enumerate(chain) if label.part == "hip" and (shin is None or k < shin)]
        thigh = hips[-1] if hips else None  # "LHipJoint" above "L_Hip": the lower one carries the thigh
        leg = _first(chain, {"leg"})
        if leg is not None and (thigh is None or shin is not None) and (shin is None or leg < shin):
            thigh = leg  # "Leg" above a "Knee", or alone at the top
    spots["thigh"] = thigh
    after = -1 if thigh is None else thigh
    spots["shin"] = shin if shin is not None and shin > after else _first(chain, {"leg"}, after)
    below = max(after, -1 if spots["shin"] is None else spots["shin"])
    ankle = _first(chain, {"ankle"}, below)
    foot = _first(chain, {"foot"}, below)
    spots["foot"] = ankle if ankle is not None and (foot is None or ankle < foot) else foot
    toes = _first(chain, {"toes"}, below if spots["foot"] is None else spots["foot"])
    if toes is None and ankle is not None and foot is not None and foot > ankle:
        toes = foot
    spots["toes"] = toes
    return {part: chain[k][0] for part, k in spots.items() if k is not None}


def _arm(chain: Sequence[tuple[int, Label]]) -> dict[str, int]:
    """clavicle, upper_arm, forearm and hand of one chain of joints with arm words."""
    spots: dict[str, int | None] = {}
    forearm = _first(chain, {"forearm"})
    upper = _first(chain, {"upper_arm"})
    if upper is None:
        upper = _first(chain, {"arm"})
        if upper is not None and forearm is not None and upper > forearm:
            upper = None
    if upper is None:
        upper = _first(chain, {"shoulder"})
    after = -1 if upper is None else upper
    if forearm is None or forearm < after:
        forearm = _first(chain, {"arm"}, after)  # "UpperArm" above "Arm"
    spots["upper_arm"], spots["forearm"] = upper, forearm
    spots["hand"] = _first(chain, {"hand"}, max(after, -1 if forearm is None else forearm))
    clavicle = _first(chain, {"clavicle"})
    if clavicle is None:
        clavicle = _first(chain, {"shoulder"})
    if clavicle is not None and (upper is None or clavicle < upper):
        spots["clavicle"] = clavicle
    return {part: chain[k][0] for part, k in spots.items() if k is not None}

"""The trunk of a skeleton, from its limbs: the pelvis carries both legs, the chest both arms, the head is between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from poise.character.roles import SIDES
from poise.character.skeleton import Skeleton, subtree
from poise.character.skeletons.name_words import Label


def ancestors(skeleton: Skeleton, joint: int) -> list[int]:
    """The joints above, nearest first."""
    above, j = [], int(skeleton.parents[joint])
    while j >= 0:
        above.append(j)
        j = int(skeleton.parents[j])
    return above


def common_ancestor(skeleton: Skeleton, a: int, b: int) -> int | None:
    """The lowest joint that carries both a and b (one of them, where it carries the other)."""
    up = [a, *ancestors(skeleton, a)]
    return next((j for j in [b, *ancestors(skeleton, b)] if j in up), None)


def trunk_roles(skeleton: Skeleton, limbs: Mapping[str, int], found: Sequence[Label] | None = None) -> dict[str, int]:
    """pelvis, abdomen, chest, neck and head, as far as there are joints for them.

    `limbs` holds the roles of arms and legs; `found` what the names say (by shape nothing is known of them).
    """
    said = list(found) if found is not None else [Label() for _ in skeleton.names]
    roles: dict[str, int] = {}
    pelvis = _pelvis(skeleton, limbs, said)
    if pelvis is None:
        return roles
    roles["pelvis"] = pelvis
    chest = _chest(skeleton, limbs, said, pelvis)
    if chest is not None:
        roles["chest"] = chest
        abdomen = _abdomen(skeleton, pelvis, chest)
        if abdomen is not None:
            roles["abdomen"] = abdomen
    roles.update(_neck_and_head(skeleton, limbs, said, pelvis, chest))
    return roles


def _pair(limbs: Mapping[str, int], *parts: str) -> list[int] | None:
    """The first of these parts that both sides have."""
    for part in parts:
        both = [limbs.get(f"{side}_{part}") for side in SIDES]
        if None not in both:
            return [j for j in both if j is not None]
    return None


def _pelvis(skeleton: Skeleton, limbs: Mapping[str, int], said: Sequence[Label]) -> int | None:
    thighs = _pair(limbs, "thigh", "shin", "foot")
    if thighs is None:
        return next((j for j, label in enumerate(said) if label.part == "pelvis" and not label.dropped), None)
    meet = common_ancestor(skeleton, *thighs)
    if meet is None or meet in thighs:
        return None
    # the legs may hang on the first spine joint (old Biped): then the joint above it that is called pelvis
    above = [j for j in [meet, *ancestors(skeleton, meet)] if said[j].part == "pelvis" and not said[j].dropped]
    return above[0] if above and said[meet].part != "pelvis" else meet


def _chest(skeleton: Skeleton, limbs: Mapping[str, int], said: Sequence[Label], pelvis: int) -> int | None:
    arms = _pair(limbs, "clavicle", "upper_arm", "forearm")
    if arms is None:
        spine = [j for j in subtree(skeleton.parents, pelvis) if said[j].part == "spine" and not said[j].dropped]
        return spine[-1] if spine else None
    meet = common_ancestor(skeleton, *arms)
    while meet is not None and said[meet].part in ("neck", "head"):  # clavicles that hang on the neck
        meet = int(skeleton.parents[meet]) if skeleton.parents[meet] >= 0 else None
    if meet is None or meet == pelvis or meet in ancestors(skeleton, pelvis):
        return None
    return meet


def _abdomen(skeleton: Skeleton, pelvis: int, chest: int) -> int | None:
    """The joint between pelvis and chest nearest to the middle of the way; the lower one of two."""
    low = {pelvis, *ancestors(skeleton, pelvis)}
    way = []
    for j in ancestors(skeleton, chest):
        if j in low:
            break
        way.append(j)
    if not way:
        return None
    way.reverse()
    length = np.linalg.norm(skeleton.offsets, axis=1)
    reach = np.cumsum([length[j] for j in way])
    total = reach[-1] + length[chest]
    if total <= 0:
        return way[0]
    return way[int(np.argmin(np.abs(reach / total - 0.45)))]


def _neck_and_head(skeleton: Skeleton, limbs: Mapping[str, int], said: Sequence[Label], pelvis: int,
                   chest: int | None) -> dict[str, int]:  # fmt: skip
    root = pelvis if chest is None else chest
    used = {j for joint in limbs.values() for j in subtree(skeleton.parents, joint)}
    free = [j for j in subtree(skeleton.parents, root) if j != root and j not in used and not said[j].dropped]
    heads = sorted((j for j in free if said[j].part == "head"), key=lambda j: (said[j].doubt, j))
    necks = sorted((j for j in free if said[j].part == "neck"), key=lambda j: (said[j].doubt >= 4, j))
    if heads:
        neck = [j for j in necks if j in ancestors(skeleton, heads[0])]
        return {"head": heads[0], **({"neck": neck[0]} if neck else {})}
    if necks:  # a neck that carries the head itself
        return {"head": necks[0]}
    chain = middle_chain(skeleton, root, set(free))
    if not chain:
        return {}
    return {"head": chain[-1], **({"neck": chain[0]} if len(chain) > 1 else {})}


def middle_chain(skeleton: Skeleton, root: int, free: set[int]) -> list[int]:
    """The longest run of single joints among `free` that starts at a child of `root`: a neck and a head.

    It ends where the tree branches (a face) or stops.
    """
    best: list[int] = []
    for start in skeleton.children(root):
        chain, j = [], start
        while j in free:
            chain.append(j)
            below = [c for c in skeleton.children(j) if c in free]
            if len(below) != 1:
                break
            j = below[0]
        if len(chain) > len(best):
            best = chain
    return best

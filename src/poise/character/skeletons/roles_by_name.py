"""Roles by name: which joint of a skeleton is the thigh, the shin, the hand, ..., told by what the joints are called.

Names say the limbs; the trunk then follows from the tree (`trunk`): the pelvis carries both thighs,
the chest both arms.
"""

from __future__ import annotations

from collections.abc import Sequence

from poise.character.roles import SIDES
from poise.character.skeleton import Skeleton
from poise.character.skeletons import name_words
from poise.character.skeletons.name_words import Label
from poise.character.skeletons.trunk import ancestors, trunk_roles

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

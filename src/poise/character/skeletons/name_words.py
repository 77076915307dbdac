"""Words: what the name of a joint says about the part of the body that it moves.

A name is split at separators, digits and capitals, words that are glued together (`leftupleg`, `lfemur`) are taken
apart by the vocabulary, and the words that remain are read as a side and a part. Words that mean nothing here
(`mixamorig`, `Bip01`, `bone`) are passed over, so no table per source is needed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LEFT, RIGHT = {"left", "l", "lft", "lt", "lf"}, {"right", "r", "rgt", "rt"}

# What a word says by itself. Some are ambiguous and are settled by what stands above and below in the tree:
# "leg" (shin below a thigh, else thigh), "arm" (upper arm), "shoulder" (clavicle above an upper arm, else upper arm),
# "hip" with a side (thigh, or a helper above one), "foot" (toes below an ankle), "wrist" (hand).
PARTS: dict[str, str] = {
    **dict.fromkeys(("thigh", "femur", "upleg", "upperleg"), "thigh"),
    **dict.fromkeys(("shin", "calf", "tibia", "knee", "lowleg", "lowerleg", "crus"), "shin"),
    "leg": "leg",
    "ankle": "ankle",
    **dict.fromkeys(("foot", "feet"), "foot"),
    **dict.fromkeys(("toe", "toes", "toebase", "ball", "metatarsal", "metatarsals", "forefoot"), "toes"),
    **dict.fromkeys(("clavicle", "clavicles", "clav", "collar", "collarbone"), "clavicle"),
    **dict.fromkeys(("shoulder", "shldr", "shoulders"), "shoulder"),
    **dict.fromkeys(("upperarm", "uparm", "humerus", "bicep", "biceps"), "upper_arm"),
    "arm": "arm",
    **dict.fromkeys(("forearm", "lowerarm", "lowarm", "elbow", "radius", "ulna"), "forearm"),
    **dict.fromkeys(("hand", "wrist", "palm"), "hand"),
    **dict.fromkeys(("head", "skull", "cranium"), "head"),
    **dict.fromkeys(("neck", "cervical"), "neck"),
    **dict.fromkeys(("spine", "back", "lowerback", "upperback", "chest", "thorax", "torso", "trunk", "abdomen", "waist",
                     "belly", "stomach", "lumbar", "ribs", "ribcage", "sternum", "upperchest", "ab", "body"), "spine"),
    **dict.fromkeys(("hip", "hips", "pelvis", "pelvic", "hipcenter", "hipcentre", "cog"), "pelvis"),
}  # fmt: skip

# Joints that are never a part of the body: fingers, faces, free ends, handles, cloth and things that are carried.
DROPPED = _words(
    "finger fingers fingerbase thumb index middle mid ring pinky pinkie little metacarpal carpal inhand fingertip "
    "prop props weapon gun sword attach socket eye eyes eyelid jaw teeth tongue brow eyebrow lip lips cheek ear nose "
    "mouth face facial forehead chin hair hat helmet ik pole target ctrl control effector goal mch nub end site tip "
    "top ee helper breast bust pectoral cloth skirt cape tail wing marker dummy buttock scapula camera locator"
)
SPREAD = _words("twist roll bend corrective muscle offset share")  # they share a turn with the joint above
CORE = frozenset({"bend"})  # of the above, the one that keeps the joint itself (`lThighBend` beside `lThighTwist`)
PLAIN = _words("up upper upr low lower lo fore base joint bone jnt def org mid center centre main bind c m rig")
SCENE = _words("root armature reference world scene skeleton master global origin trajectory")

_KNOWN = {*LEFT, *RIGHT, *PARTS, *DROPPED, *SPREAD, *PLAIN, *SCENE}
_GLUE = {w for w in _KNOWN if len(w) > 2} | {"up"}
_PIECES = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")
_VERTEBRA = re.compile(r"(?:.*[^a-z])?([ctl])_?(\d{1,2})$")


@dataclass(frozen=True)
class Label:
    """What a name says: side ("left", "right" or ""), part ("" where it says none) and how much to trust it."""

    side: str = ""
    part: str = ""
    dropped: bool = False  # a finger, an end, a handle: never a part of the body
    doubt: int = 0  # words that were not understood, and twist joints; the smallest wins among equals


@lru_cache(maxsize=4096)
def _unglue(token: str) -> tuple[str, ...]:
    """A lower-case token as known words, the fewest; itself where that is not possible."""
    if token in _KNOWN:
        return (token,)
    best: dict[int, tuple[str, ...]] = {0: ()}
    for end in range(1, len(token) + 1):
        for start in sorted(best):
            word = token[start:end]
            side = len(word) == 1 and word in "lr" and (start == 0 or end == len(token)) and len(token) > 3
            if (word in _GLUE or side) and (end not in best or len(best[start]) + 1 < len(best[end])):
                best[end] = (*best[start], word)
    return best.get(len(token), (token,))


def split(name: str) -> list[str]:
    """The lower-case words of a joint's name; a namespace (`mixamorig:`) is left out."""
    bare = re.split(r"[:|]", name)[-1]
    words: list[str] = []
    for piece in _PIECES.findall(bare):
        words.extend(_unglue(piece.lower()))
    return words


def _join(words: list[str]) -> list[str]:
    """Pairs such as ("up", "leg") or ("fore", "arm") as one word."""
    pairs = {
        ("leg", "upper"): "thigh",
        ("leg", "lower"): "shin",
        ("arm", "upper"): "upperarm",
        ("arm", "lower"): "forearm",
    }
    level = {
        "up": "upper",
        "upper": "upper",
        "upr": "upper",
        "low": "lower",
        "lower": "lower",
        "lo": "lower",
        "fore": "lower",
    }
    for limb in ("leg", "arm"):
        found = next((level[w] for w in words if w in level), None)
        if limb in words and found:
            return [pairs[limb, found] if w == limb else w for w in words]
    return words


def read(name: str) -> Label:
    """What the name of a joint says."""
    bare = re.split(r"[:|]", name)[-1]
    vertebra = _VERTEBRA.match(bare.lower())
    if vertebra and len(vertebra.group(2)) <= 2 and not any(w in PARTS for w in split(bare)):
        return Label(part="neck" if vertebra.group(1) == "c" else "spine")
    words = _join([w for w in split(bare) if not w.isdigit()])
    side = "left" if LEFT & set(words) else "right" if RIGHT & set(words) else ""
    unknown = sum(w not in _KNOWN for w in words)
    if DROPPED & set(words) - ({"mid", "middle"} if "spine" in words else set()):
        return Label(side, dropped=True)
    parts = [PARTS[w] for w in words if w in PARTS]
    if not parts:
        return Label(side, doubt=unknown)
    part = parts[-1]
    if "toes" in parts:  # "foot_toe", "ball of the foot"
        part = "toes"
    if part == "pelvis" and side:
        part = "hip"
    if part in ("head", "neck", "spine") and side:
        return Label(side, dropped=True)  # a muscle or a face bone
    spread = SPREAD & set(words)
    return Label(side, part, doubt=unknown + (4 if spread - CORE else 0))

"""What a mode moves, in words: "legs swing in turn, arms swing against them".

Each limb is looked at from the body it hangs on: how its end moves along its own line (it bends), forward (it swings),
sideways (it spreads or flaps), and how it turns about its line (it twists). Hands, feet, toes and the head are looked
at from what they hang on. What moves by less than a share of what moves most is not told.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.character.roles import TRUNK
from poise.dynamics import Dynamics
from poise.dynamics.instant import Instant
from poise.maths.rotations import Array
from poise.methods.vibration.palette import Mode, Palette

_TOLD = 0.45  # share of the largest movement from which a part is told of
_MOST = 3  # parts told of
_REACH = 0.15  # [m] at which a turn is compared with a shift
_VERBS = {
    "leg": ("swing", "spread", "bend", "twist"),
    "arm": ("swing", "flap", "bend", "twist"),
    "tail": ("swing", "wag", "bob", "twist"),
}
_ENDS = {"head": "nod", "hand": "wave", "foot": "flap", "toes": "curl"}
_MANY = {"foot": "feet", "toes": "toes"}
_TRUNK = ("lean sideways", "bow", "turn")
_WHOLE = ("rock to and fro", "sway", "bounce")


class Part(NamedTuple):
    """A part of a body, and the bodies between which its motion is seen."""

    kind: str  # leg, arm, second arm, tail, trunk, hand, foot, toes, head
    side: str  # left, right or "" for the middle
    root: int  # body that it begins with
    end: int  # body that it ends with
    limb: bool  # seen by where its end goes; else by how it turns


class Motion(NamedTuple):
    """How a part moves in a mode."""

    part: Part
    verb: str
    amount: float  # [m], signed
    even: float = 1.0  # sign of the other side's amount in a symmetric motion


def parts(character: Character) -> list[Part]:
    """Limbs, trunk and ends of a body, by its tree: what hangs on the trunk is a limb."""
    tree, names = character.tree, character.body_names
    role = {body: r for r, body in character.roles.items()}
    trunk = {b for b, n in enumerate(names) if role.get(n) in TRUNK}
    pos, _ = character.forward(character.zero_pose())
    out = [Part("trunk", "", character.body(r), character.body(r), False) for r in ("chest",) if character.has(r)]
    for b in range(1, len(names)):
        short = (role.get(names[b]) or names[b]).removeprefix("left_").removeprefix("right_")
        side = "left" if pos[0, b, 1] > 0.02 else "right" if pos[0, b, 1] < -0.02 else ""
        if b not in trunk and int(tree.parent[b]) in trunk:
            last = b
            while (below := [c for c in range(last + 1, len(names)) if tree.parent[c] == last]) and not any(
                word in names[below[0]] for word in ("hand", "toes")
            ):
                last = below[0]
            out.append(Part(_limb(short), side, b, last, True))
        kind = next((k for k in _ENDS if short.endswith(k)), None)
        if kind and len(tree.joints(b)):
            out.append(Part("second hand" if "second" in short else kind, side, b, b, False))
    return out


def _limb(name: str) -> str:
    if "thigh" in name or "leg" in name:
        return "leg"
    if "arm" in name or "clavicle" in name or "shoulder" in name:
        return "second arm" if "second" in name else "arm"
    return "tail" if "tail" in name else name.replace("_", " ")


def describe(palette: Palette) -> dict[str, str]:
    """One line of words for each mode by its name."""
    now = Dynamics(palette.character).at(palette.rest)
    found = parts(palette.character)
    return {mode.name: sentence(now, found, mode) for mode in (*palette.flight, *palette.ground)}


def sentence(now: Instant, found: list[Part], mode: Mode) -> str:
    """What a mode moves, the most first."""
    motions = [_motion(now, part, mode.shape) for part in found]
    if mode.name.startswith("g"):  # in flight the middle of the body stays where it is
        motions.append(_whole(now, mode.shape))
    most = max(abs(m.amount) for m in motions)
    told: list[str] = []
    legs = next((m for m in motions if m.part.kind == "leg" and m.part.side == "left"), None)
    for kind in dict.fromkeys(m.part.kind for m in sorted(motions, key=lambda m: -abs(m.amount))):
        mine = [m for m in motions if m.part.kind == kind and abs(m.amount) > _TOLD * most]
        if mine and len(told) < _MOST:
            told.append(_clause(kind, mine, legs if legs and abs(legs.amount) > _TOLD * most else None))
    return ", ".join(told)


def _whole(now: Instant, shape: Array) -> Motion:
    """How the centre of mass moves."""
    v = now.centre_of_mass_jacobian @ shape
    k = int(np.argmax(np.abs(v)))
    return Motion(Part("body", "", 1, 1, False), _WHOLE[k], float(v[k]))


def _motion(now: Instant, part: Part, shape: Array) -> Motion:
    """How a part moves against the body that it hangs on, by the part of its motion that is largest."""
    above = int(now.character.tree.parent[part.root])
    turn = now.turning_jacobian(part.end) @ shape
    frame = now.turning_jacobian(above) @ shape if above else np.zeros(3)
    own = part.kind.removeprefix("second ")
    if not part.limb:
        spin = turn - frame
        if part.kind == "trunk":
            k = int(np.argmax(np.abs(spin)))
            return Motion(part, _TRUNK[k], 2.0 * _REACH * float(spin[k]))
        k = int(np.argmax(np.abs(spin)))
        return Motion(part, _ENDS[own], 0.6 * _REACH * float(spin[k]), 1.0 if k == 1 else -1.0)
    root, end = now.positions[part.root], now.point(part.end, now.dynamics.model.body_ipos[part.end])
    line = (end - root) / max(float(np.linalg.norm(end - root)), 1e-9)
    v = now.jacobian(part.end, end) @ shape - now.jacobian(above or part.root, root) @ shape
    v = v - np.cross(frame, end - root)
    along = float(v @ line)
    across = v - along * line
    if own == "tail":
        along, across = float(v[2]), np.array([0.0, v[1], 0.0])
    spin = _REACH * float((turn - frame) @ line)
    kinds = np.array([across[0] if abs(line[0]) < 0.8 else across[2], across[1], along, spin])
    k = int(np.argmax(np.abs(kinds)))
    verbs = _VERBS.get(own, _VERBS["arm"])
    return Motion(part, verbs[k], float(kinds[k]), (1.0, -1.0, 1.0, -1.0)[k])


def _clause(kind: str, mine: list[Motion], legs: Motion | None) -> str:
    """Words for the parts of one kind: both together, in turn, or one alone."""
    verb = max(mine, key=lambda m: abs(m.amount)).verb
    same = [m for m in mine if m.verb == verb]
    sides = {m.part.side: m.amount for m in same}
    if len(sides) < 2:
        who = f"{same[0].part.side} {kind}".strip()
        return f"{who} {_third(verb)}" if kind != "toes" else f"{who} {verb}"
    together = same[0].even * sides.get("left", 0.0) * sides.get("right", 0.0) > 0.0
    noun = _MANY.get(kind, f"{kind}s")
    if kind.endswith("arm") and legs is not None and verb == legs.verb == "swing" and not together:
        return f"{noun} {verb} {'with' if sides['left'] * legs.amount > 0 else 'against'} the legs"
    return f"{noun} {verb} {'together' if together else 'in turn'}"


def _third(verb: str) -> str:
    first, *rest = verb.split(" ")
    return " ".join([f"{first}s", *rest])

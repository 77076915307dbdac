"""Which degrees of freedom are the root's, the legs' and the upper body's: q_r, q_l and q_u of section 3.3."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.character.leg_length import leg_above
from poise.character.roles import SIDES
from poise.errors import BadValue
from poise.maths.configuration import BALL, FREE
from poise.maths.tree import moved_by


@dataclass(frozen=True, eq=False)
class Parts:
    """The parts of a body that this method treats apart."""

    upper: np.ndarray  # (n,) degrees of freedom of the upper body
    spine: np.ndarray  # (n,) bool: the lowest joints of the trunk
    lower: np.ndarray  # (m,) of both legs
    legs: np.ndarray  # (2, nv) bool
    leg_q: np.ndarray  # their coordinates in q
    feet: np.ndarray  # (2,) bodies
    hips: np.ndarray  # (2,) bodies of the thighs
    lengths: np.ndarray  # (2,) [m] of the legs
    points: tuple[np.ndarray, np.ndarray]  # contact points of each foot
    names: tuple[str, ...]  # (n,) of the upper degrees of freedom

    @classmethod
    def of(cls, character: Character) -> Parts:
        """Split a character; one without two legs is refused."""
        if not all(character.has(f"{side}_foot") for side in SIDES):
            raise BadValue(f"The method posture needs a body with a left and a right foot; {character.name} has none.")
        nv, chain = character.layout.nv, moved_by(character.tree)
        feet = np.array([character.body(f"{side}_foot") for side in SIDES])
        above = [leg_above(character, int(foot)) for foot in feet]
        hips, lengths = np.array([h for h, _ in above]), np.array([x for _, x in above])
        bodies = character.model.dof_bodyid
        legs = np.array([[bool(_below(character, int(bodies[d]), int(hip))) for d in range(nv)] for hip in hips])
        legs[:, :6] = False
        free = np.arange(nv) < 6
        upper = np.flatnonzero(~free & ~legs.any(axis=0))
        if not len(upper):
            raise BadValue(f"The method posture moves the joints of the upper body; {character.name} has none.")
        if np.any(chain[feet][:, upper]):
            raise BadValue(f"Legs of {character.name} hang from its trunk; the method posture needs them at the root.")
        names = dof_names(character)
        points = character.contact_points
        first = [int(bodies[d]) for d in upper]
        trunk = {first[0]}  # the lowest joint
        every = np.asarray(legs.any(axis=0))
        return cls(
            upper=upper, spine=np.array([b in trunk for b in first]), lower=np.flatnonzero(every), legs=legs,
            leg_q=_coordinates(character, every), feet=feet, hips=hips, lengths=lengths,
            points=(points.of("left"), points.of("right")), names=tuple(names[d] for d in upper))  # fmt: skip


def _coordinates(character: Character, chosen: np.ndarray) -> np.ndarray:
    """Indices in q of the joints whose degrees of freedom are chosen (nv,)."""
    tree, width = character.tree, {FREE: 7, BALL: 4}
    return np.array([i for kind, a, d in zip(tree.kind, tree.qadr, tree.vadr, strict=True) if chosen[d]
                     for i in range(a, a + width.get(int(kind), 1))], int)  # fmt: skip


def _below(character: Character, body: int, top: int) -> bool:
    """Is a body the top one of a limb, or beyond it?"""
    parent = character.tree.parent
    while body > 0 and body != top:
        body = int(parent[body])
    return body == top


def dof_names(character: Character) -> list[str]:
    """Names (nv,) of all degrees of freedom: that of a hinge, or of a ball joint with its axis, "chest.x"."""
    out: list[str] = []
    for name, kind in zip(character.joint_names, character.tree.kind, strict=True):
        if kind == FREE:
            out += [f"{name}.{a}" for a in ("px", "py", "pz", "x", "y", "z")]
        elif kind == BALL:
            out += [f"{name}.{a}" for a in "xyz"]
        else:
            out.append(name)
    return out

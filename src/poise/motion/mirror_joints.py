"""Which joint of a file's skeleton is the counterpart of which: by the character's roles, by names, by place."""

from __future__ import annotations

import re

import numpy as np

from poise.character import Character
from poise.character.skeleton import Skeleton

_WORDS = (("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT"))
_LETTERS = (("l", "r"), ("L", "R"))


def partners(character: Character) -> np.ndarray:
    """For each joint of the skeleton that a character is bound to the index of its counterpart (J,), itself where none.

    The result is its own inverse.
    """
    binding = character.binding
    assert binding is not None
    skeleton, swap = binding.skeleton, character.mirror_bodies
    other = np.full(len(skeleton), -1)
    for body, joint in enumerate(binding.joints):
        theirs = int(binding.joints[swap[body]])
        if joint >= 0 and theirs >= 0 and swap[body] != body:
            other[joint], other[theirs] = theirs, joint
    names = {name: j for j, name in reversed(list(enumerate(skeleton.names)))}
    for j, name in enumerate(skeleton.names):
        if other[j] < 0:
            found = [names[n] for n in _renamed(name) if n in names and names[n] != j and other[names[n]] < 0]
            if found and _fits(skeleton, other, j, found[0]):
                other[j], other[found[0]] = found[0], j
    own = np.arange(len(skeleton))
    return np.where(other < 0, own, other)


def _fits(skeleton: Skeleton, other: np.ndarray, j: int, k: int) -> bool:
    """May j and k be counterparts? Their parents must be, or be one and the same."""
    p, q = int(skeleton.parents[j]), int(skeleton.parents[k])
    return p == q or (p >= 0 and q >= 0 and other[p] == q)


def _renamed(name: str) -> list[str]:
    """The names that the counterpart of a joint may have: left and right, or l and r as a word, exchanged."""
    out = []
    for a, b in _WORDS:
        out += [name.replace(x, y) for x, y in ((a, b), (b, a)) if x in name]
    for a, b in _LETTERS:
        for x, y in ((a, b), (b, a)):
            out += [name[: m.start()] + y + name[m.end() :] for m in re.finditer(_alone(x), name)]
    return out


def _alone(letter: str) -> str:
    """Pattern of a letter that stands for a side: a word of its own, at the end, or at the front of a name."""
    edge = r"(?:^|(?<=[\W_]))"
    front = rf"{edge}{letter}(?=[A-Z\W_]|$)"
    back = rf"(?<=[\W_\da-z]){letter}$" if letter.isupper() else rf"(?<=[\W_]){letter}$"
    plain = rf"^{letter}(?=[a-z])"  # lfemur, rfemur
    return f"{front}|{back}|{plain}"

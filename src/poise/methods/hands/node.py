"""A node of the search tree: one frame with its hand pose, contacts and forces, and what each finger is doing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from poise.maths.distance import onto_surface
from poise.maths.rotations import Array
from poise.methods.hands.finger import PAIR
from poise.methods.hands.pose_test import (
    FINGER,
    HAND,
    HAND_POINT,
    LINK,
    MOST_PAIRS,
    NORMAL,
    OBJECT_POINT,
)

FREE, STATIC, SLIDING = 0, 1, 2  # a contact without force, inside its cone, on its border (33)
CARRIES = 1e-3  # [N] above which a contact carries a force
BORDER = 0.98  # share of µ f^n above which a force is on the border of its cone


class Intent(NamedTuple):
    """What a finger does for a while: stay, or slide and move a share of what it may, in one direction."""

    moves: bool
    way: Array  # (3,) unit vector in the object's frame
    share: float


@dataclass(eq=False)
class Node:
    """The state s = {q, P, F} of a frame, (5.2), and the memory of the search."""

    t: int
    q: Array  # (H, 5, 6) [rad]
    contacts: Array  # (n, CONTACT)
    normal: Array  # (n,) [N] normal forces of all proxies of a contact together
    tangent: Array  # (n, 3) [N] their friction on the object
    proxies: Array  # (m, PROXY)
    proxy_forces: Array  # (m + table points, 3) [N]
    price: Array  # (H, 5, 4) weight of each link's force in (37)
    guide: Array  # (H, 5, PAIR) the guiding point of each finger
    guided: np.ndarray  # (H, 5) has it one?
    intent: list[Intent | None]  # of the 5 H fingers
    changed: np.ndarray  # (H, 5) fingers that took a new action here
    lost: np.ndarray  # (H, 5) frames since a guided finger touched
    carried: np.ndarray  # (H, 5) frames for which a finger has carried a force
    creep: Array  # (H, 5, 4) [m] by which the contact of each link has slipped since it began to carry
    tries: int = 0
    failed: list[tuple[int, int, int, int]] = field(default_factory=list)  # verdict, hand, finger, other

    def kinds(self, friction: float) -> np.ndarray:
        """(n,) FREE, STATIC or SLIDING: the three cases of (33), told by the forces of all proxies together."""
        border = np.linalg.norm(self.tangent, axis=1) > BORDER * friction * self.normal
        return np.where(self.normal < CARRIES, FREE, np.where(border, SLIDING, STATIC))


def sliding(node: Node, intents: list[Intent | None], friction: float) -> dict[tuple[int, int, int], Array]:
    """Contacts (hand, finger, link) that slide into the next frame with these intents, and their direction (3,).

    Those on the border of their cone whose finger moves; the finger drags the object, so it goes where its friction on
    the object points, (33).
    """
    out = {}
    for c, kind, tangent in zip(node.contacts, node.kinds(friction), node.tangent, strict=True):
        intent = intents[5 * int(c[HAND]) + int(c[FINGER])]
        if kind == SLIDING and intent is not None and intent.moves:
            out[int(c[HAND]), int(c[FINGER]), int(c[LINK])] = tangent / np.linalg.norm(tangent)
    return out


class Asked(NamedTuple):
    """A guiding configuration c for the next frame: what the kinematic test is given."""

    pairs: Array  # (H, 5, MOST_PAIRS, PAIR)
    number: np.ndarray  # (H, 5) of pairs
    held: np.ndarray  # (H, 5) pairs that carry a force
    before: Array  # (H, 5, 6)
    speed: Array  # (H, 5)
    intent: list[Intent | None]
    changed: np.ndarray  # (H, 5)


def root(t: int, rest: Array) -> Node:
    """The empty state before the first contact; rest (H, 5, 6)."""
    H = len(rest)
    none = np.zeros((0, 3))
    return Node(
        t,
        rest.copy(),
        np.zeros((0, 16)),
        np.zeros(0),
        none,
        np.zeros((0, 7)),
        none,
        np.ones((H, 5, 4)),
        np.zeros((H, 5, PAIR)),
        np.zeros((H, 5), bool),
        [None] * (5 * H),
        np.zeros((H, 5), bool),
        np.zeros((H, 5), int),
        np.zeros((H, 5), int),
        np.zeros((H, 5, 4)),
    )


def as_pair(contact: Array) -> Array:
    """The pair (PAIR,) of a contact."""
    return np.r_[
        contact[LINK],
        contact[HAND_POINT : HAND_POINT + 3],
        contact[OBJECT_POINT : OBJECT_POINT + 3],
        contact[NORMAL : NORMAL + 3],
    ]


def moved(solid, pair: Array, way: Array, length: float) -> Array:
    """The pair with p.o moved on the surface by `length` [m] along `way`, (33)."""
    out = pair.copy()
    n = pair[7:10]
    w = way - (way @ n) * n
    size = np.linalg.norm(w)
    if size < 1e-9:
        return out
    p, normal = pair[4:7] + w * (length / size), np.empty(3)
    onto_surface(solid, p, normal)
    out[4:7], out[7:10] = p, normal
    return out


def next_pairs(
    node: Node, h: int, f: int, intent: Intent | None, solid, friction: float, slide: float, move: float
) -> tuple[Array, bool]:
    """Pairs (k, PAIR) of a finger for the next frame by the three cases of (33), and whether they carry a force.

    Departures: every loaded contact of a finger is kept, where the thesis keeps the one furthest from the palm.
    """
    mine = np.flatnonzero((node.contacts[:, HAND] == h) & (node.contacts[:, FINGER] == f))
    kinds = node.kinds(friction)
    loaded = [k for k in mine if kinds[k] != FREE]
    if loaded:
        pairs = []
        for k in sorted(loaded, key=lambda k: -node.contacts[k, LINK])[:MOST_PAIRS]:
            pair = as_pair(node.contacts[k])
            if kinds[k] == SLIDING and intent is not None and intent.moves:
                pair = moved(solid, pair, node.tangent[k], slide * intent.share)
            pairs.append(pair)
        return np.array(pairs), True
    if len(mine):
        pair = as_pair(node.contacts[max(mine, key=lambda k: node.contacts[k, LINK])])
    elif node.guided[h, f]:
        pair = node.guide[h, f]
    else:
        return np.zeros((0, PAIR)), False
    if intent is not None and intent.moves:
        pair = moved(solid, pair, intent.way, move * intent.share)
    return pair[None], False

"""The reach horizon: fingers that will lose their contact some frames ahead carry less readily and are led
elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poise.maths.distance import onto_surface
from poise.maths.rotations import Array
from poise.methods.hands.finger import pair_slip, place_links, reach
from poise.methods.hands.node import Intent, Node, next_pairs
from poise.methods.hands.pose_test import MOST_PAIRS
from poise.methods.hands.windows import belly

if TYPE_CHECKING:
    from poise.methods.hands.search import Search

_ALONE = np.zeros((1, 7))


def look_at_reach(search: Search, node: Node) -> None:
    """Make fingers dear that cannot keep their contact some frames ahead, and lead free ones to where they can."""
    p, s = search.problem, search.settings
    ahead = min(node.t + s.horizon, search.T - 1)
    price = np.ones_like(node.price)
    for h, F in enumerate(p.hands):
        for f in range(5):
            k = 5 * h + f
            if not node.guided[h, f]:
                continue
            pairs, held = next_pairs(node, h, f, None, p.solid, p.scene.friction, 0.0, 0.0)
            q, room = node.q[h, f].copy(), s.speed * s.horizon
            low, high = np.maximum(F.low[f], q - room), np.minimum(F.high[f], q + room)
            reach(
                F,
                p.solid,
                p.plane[ahead],
                f,
                q,
                low,
                high,
                p.turn[h, ahead],
                p.place[h, ahead],
                pairs,
                len(pairs),
                node.q[h, f],
                F.rest[f],
                _ALONE,
                0,
                search.W,
                15,
            )
            off = offset(search, h, f, q, ahead, pairs)
            if off < 8e-4:
                continue
            price[h, f] = 30.0
            intent = node.intent[k]
            if not held and intent is not None:
                there = below(search, min(ahead + s.horizon, search.T - 1), h, f, 0.5 * (F.rest[f] + node.q[h, f]))
                way = there[4:7] - pairs[0, 4:7]
                node.intent[k] = Intent(True, way / (np.linalg.norm(way) + 1e-9), max(intent.share, 0.7))
    node.price = price


def offset(search: Search, h: int, f: int, q: Array, t: int, pairs: Array) -> float:
    out = np.zeros(MOST_PAIRS)
    p = search.problem
    pair_slip(p.hands[h], f, q, p.turn[h, t], p.place[h, t], pairs, len(pairs), out)
    return float(out[: len(pairs)].max(initial=0.0))


def below(search: Search, t: int, h: int, f: int, q: Array) -> Array:
    """A guiding pair (PAIR,) at the point of the surface nearest to the finger's belly."""
    F = search.problem.hands[h]
    turn, place, axes, points = np.empty((4, 3, 3)), np.empty((4, 3)), np.empty((6, 3)), np.empty((6, 3))
    place_links(F, f, q, search.problem.turn[h, t], search.problem.place[h, t], turn, place, axes, points)
    b, n = F.links[f] - 1, np.empty(3)
    p = place[b] + turn[b] @ belly(F, f)
    onto_surface(search.problem.solid, p, n)
    return np.r_[b, belly(F, f), p, n]

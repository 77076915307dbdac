"""New nodes (5.3.1): what every finger is asked to do in the next frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poise.methods.hands.finger import PAIR
from poise.methods.hands.node import Asked, Intent, Node, next_pairs
from poise.methods.hands.pose_test import CONTACT, FINGER, FINGERS_MEET, HAND, LINK, MOST_PAIRS

if TYPE_CHECKING:
    from poise.methods.hands.search import Search

UNBALANCED = 5  # verdict of a node without forces that give the object its motion
STUCK = 6  # of one that has none as long as a finger slides


def expand(search: Search, parent: Node, rng: np.random.Generator) -> Asked:
    """A guiding configuration for the frame after `parent`."""
    s, scene, t, H = search.settings, search.problem.scene, parent.t + 1, search.H
    pairs, count = np.zeros((H, 5, MOST_PAIRS, PAIR)), np.zeros((H, 5), np.int64)
    held, speed = np.zeros((H, 5), np.int64), np.full((H, 5), s.speed)
    before, intent, changed = parent.q.copy(), list(parent.intent), np.zeros((H, 5), bool)
    anew, first = new_actions(search, parent, rng), []
    for h in range(H):
        for f in range(5):
            a, b = search.window[h, f]
            k = 5 * h + f
            if search.pools[h][f] is not None and t == a:
                first.append((h, f))
                intent[k], changed[h, f], speed[h, f] = new_intent(search, t, rng), True, 10.0
                continue
            if intent[k] is None:
                speed[h, f] = 10.0  # not yet there: the approach is made afterwards
                continue
            if anew[h, f]:
                action = new_intent(search, t, rng)
                stuck = bool(parent.failed) and parent.failed[-1][:3] == (STUCK, h, f)
                intent[k], changed[h, f] = action._replace(moves=action.moves and not stuck), True
            found, held[h, f] = next_pairs(
                parent, h, f, intent[k], search.problem.solid, scene.friction, scene.slide, scene.move
            )
            if t >= b and not held[h, f]:
                continue  # out of reach from here on
            count[h, f] = len(found)
            pairs[h, f, : len(found)] = found
    for (h, f), pick in first_contacts(search, parent, first, t, rng).items():
        pool = search.pools[h][f]
        assert pool is not None
        pairs[h, f, 0], count[h, f], before[h, f] = pool.pair[pick], 1, pool.q[pick]
    return Asked(pairs, count, held, before, speed, intent, changed)


def new_actions(search: Search, parent: Node, rng: np.random.Generator) -> np.ndarray:
    """(H, 5) which fingers take a new action: by chance ε₃, or those that failed (5.4.3)."""
    s, shape = search.settings, (search.H, 5)
    if not s.improved:
        return np.full(shape, (parent.t + 1) % s.spacing == 0)
    if parent.failed:
        verdict, h, f, other = parent.failed[-1]
        out = np.full(shape, verdict == UNBALANCED)
        if verdict != UNBALANCED:
            out[h, f] = True
            if verdict == FINGERS_MEET:
                out[h, other] = True
        return out
    if rng.random() < s.decisions / search.T or parent.tries > 0:
        return rng.random(shape) < 0.5
    return np.zeros(shape, bool)


def new_intent(search: Search, t: int, rng: np.random.Generator) -> Intent:
    """A new action of a finger: stay, or move in some direction (5.4.2)."""
    style, way = search.style(t), rng.normal(size=3)
    chance = {"steady": 0.05, "sliding": 1.0, "busy": 1.0, "restless": 0.8}.get(style, 0.4)
    share = rng.random()
    if style in ("busy", "sliding"):
        share = 0.7 + 0.3 * share
    return Intent(bool(rng.random() < chance), way / np.linalg.norm(way), float(share))


def first_contacts(
    search: Search, parent: Node, fingers: list[tuple[int, int]], t: int, rng: np.random.Generator
) -> dict[tuple[int, int], int]:
    """Which of its pool each finger takes: the best of some choices by how often they could carry the object later."""
    best, most = {}, -1.0
    for _ in range(12 if search.settings.look_ahead and fingers else 1):
        picks = {}
        for h, f in fingers:
            pool = search.pools[h][f]
            assert pool is not None
            picks[h, f] = int(rng.integers(len(pool.q)))
        if not (search.settings.look_ahead and fingers):
            return picks
        share = could_carry(search, parent, picks, t)
        if share > most:
            best, most = picks, share
        if share >= 1:
            break
    return best


def could_carry(search: Search, parent: Node, picks: dict[tuple[int, int], int], t: int) -> float:
    """Share of some later frames at which the chosen points, held still, give the object its motion."""
    rows = []
    for h in range(search.H):
        for f in range(5):
            pool = search.pools[h][f]
            if (h, f) in picks and pool is not None:
                pair = pool.pair[picks[h, f]]
            elif parent.guided[h, f]:
                pair = parent.guide[h, f]
            else:
                continue
            row = np.zeros(CONTACT)
            row[HAND], row[FINGER], row[LINK], row[6:9], row[9:12] = h, f, pair[0], pair[4:7], pair[7:10]
            row[12:15] = search.problem.turn[h, t][:, 0]
            rows.append(row)
    if np.any((search.window[..., 0] > t) & (search.window[..., 0] < search.T)):
        return 1.0  # some fingers are still to come
    later = np.unique(np.linspace(t, search.T - 2, 6).astype(int))[1:]
    ones = np.ones(len(rows))
    good = [search.balance(int(k), np.array(rows).reshape(-1, CONTACT), ones)[0] for k in later]
    return float(np.mean(good)) if good else 1.0

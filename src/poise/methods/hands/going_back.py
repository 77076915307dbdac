"""Where the search goes on after a failure or a solution (5.4.1, 5.4.3), and forces taken from a finger that fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poise.methods.hands.expanding import UNBALANCED
from poise.methods.hands.finger import LINK as PAIR_LINK
from poise.methods.hands.node import Asked, Node
from poise.methods.hands.pose_test import FINGER, FINGERS_MEET, HAND, LINK

if TYPE_CHECKING:
    from poise.methods.hands.search import Search


def reallocate(search: Search, parent: Node, asked: Asked, h: int, f: int, k: int) -> bool:
    """Solve the forces of the frame before anew with the failing contact dear; True where it is free then."""
    link = int(asked.pairs[h, f, k, PAIR_LINK])
    if parent.t < search.begin or parent.price[h, f, link] > 40:
        return False
    price = parent.price.copy()
    price[h, f, link] *= 50
    c = parent.contacts
    cost = price[c[:, 0].astype(int), c[:, 1].astype(int), c[:, 2].astype(int)]
    good, fn, tangent, m = search.balance(parent.t, c, cost)
    if not good:
        return False
    mine = (c[:, HAND] == h) & (c[:, FINGER] == f) & (c[:, LINK] == link)
    if fn[mine].sum() > 1e-3 or fn.sum() > search.settings.most_force * search.H:
        return False
    parent.normal, parent.tangent, parent.price = fn, tangent, price
    parent.proxies = search.proxies[:m].copy()
    parent.proxy_forces = search.forces[: m + len(search.problem.table[parent.t])].copy()
    return True


def go_back(search: Search, path: list[Node], why: tuple[int, int, int, int], rng: np.random.Generator) -> list[Node]:
    """Drop nodes until one from which another action may help; the root, anew, where there is none."""
    s, t = search.settings, path[-1].t + 1
    verdict, h, f, other = why
    dropped = path.pop()
    while path:
        last = path[-1]
        if not s.improved:
            last.tries += 1
            if last.tries < limit(search, last):
                return path
        else:
            mine = dropped.changed.any()
            if mine and verdict != UNBALANCED:
                mine = dropped.changed[h, f] or (verdict == FINGERS_MEET and dropped.changed[h, other])
            if mine and rng.random() > (search.T - t) / (20 * search.T):
                last.tries += 1
                if last.tries < limit(search, last):
                    last.failed.append(why)
                    return path
        dropped = path.pop()
    return [search.root()]


def after_success(search: Search, path: list[Node], rng: np.random.Generator) -> list[Node]:
    """Where to go on after a solution: any decision, or by the thesis the last one, and with ε₁ the one before."""
    s = search.settings
    if not s.improved:
        path.pop()
        while path:
            path[-1].tries += 1
            if path[-1].tries < limit(search, path[-1]):
                return path
            path.pop()
        return [search.root()]
    decisions = [i for i in range(len(path) - 1) if path[i + 1].changed.any()]
    if s.spread:
        i = decisions[int(rng.integers(len(decisions)))]
    else:
        k = len(decisions) - 1
        while k > 0 and rng.random() < s.after_success:
            k -= 1
        i = decisions[k]
    path = path[: i + 1]
    path[-1].tries, path[-1].failed = 1, []
    return path


def limit(search: Search, node: Node) -> int:
    """How many tries a node has (5.4.3: more where a finger makes its first contact)."""
    s, t = search.settings, node.t + 1
    if not s.improved:
        return s.branches if t % s.spacing == 0 or t == search.begin else 1
    return s.branches * (8 if np.any(search.window[..., 0] == t) else 1)

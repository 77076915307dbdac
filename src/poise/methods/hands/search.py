"""The search for contact trajectories: algorithms 1 and 2 of Ye 2012, with the strategies of section 5.4.

The search goes in rounds. Each begins at the root with its own random numbers, made of the seed and its count, so that
the solutions of a round never depend on when a search before it was stopped: the first n solutions of a seed stay
equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from poise.maths.rotations import Array
from poise.methods.hands.expanding import STUCK, UNBALANCED, expand
from poise.methods.hands.finger import LINK as PAIR_LINK
from poise.methods.hands.finger import pair_slip
from poise.methods.hands.force_test import MOST_PROXIES, POINTS_ALONE, PROXY, THESIS, force_test
from poise.methods.hands.going_back import after_success, go_back, limit, reallocate
from poise.methods.hands.node import CARRIES, Asked, Node, sliding
from poise.methods.hands.node import root as empty
from poise.methods.hands.pose_test import (
    CONTACT,
    FINGER,
    HAND,
    LOST,
    MOST_CONTACTS,
    MOST_PAIRS,
    PASSED,
    SLIPS,
    capsules,
    pose_test,
)
from poise.methods.hands.problem import Problem
from poise.methods.hands.reach_ahead import below, look_at_reach
from poise.methods.hands.settings import Hands
from poise.methods.hands.windows import LATER, First, clear_pose, closed_pool, overlaps, surface_pool, windows

CREEP = 2e-3  # [m] that a contact may slip in all while it carries a force; smoothing takes it back
RHO = 0.05  # [m] by which torques are made forces
_TABLE_COST = 1e-3  # of a force of the table, which costs the hand nothing: it settles which of many is taken
_ALONE = np.zeros((1, 7))


@dataclass
class Counts:
    """What a search has done."""

    nodes: int = 0
    verdicts: np.ndarray = field(default_factory=lambda: np.zeros(7, int))
    rounds: int = 0
    deepest: int = 0
    trace: list[tuple[int, Array]] | None = None  # every feasible node, for figures 27 and 28


class Search:
    """Algorithm 2 on one problem, from one seed."""

    def __init__(self, problem: Problem, settings: Hands, seed: int = 0):
        self.problem, self.settings, self.seed = problem, settings, seed
        self.counts = Counts()
        self.T, self.H = problem.frames, len(problem.hands)
        rng = np.random.default_rng([seed, 0x4841])
        self.W = settings.weights()
        self.window = windows(problem, overlaps(problem, rng))
        self.pools: list[list[First | None]] = [[self._pool(h, f, rng) for f in range(5)] for h in range(self.H)]
        begins = [int(self.window[h, f, 0]) for h in range(self.H) for f in range(5) if self.pools[h][f] is not None]
        self.begin = min(begins, default=-1)
        last = min(max(begins, default=0) + 5, self.T - 1)
        times = (last, (last + max(self.begin, 0)) // 2, max(self.begin, 0))
        self._idle = np.array([[clear_pose(problem, h, f, times, rng) for f in range(5)] for h in range(self.H)])
        self.forces = np.empty((MOST_PROXIES + 64, 3))
        self.proxies = np.empty((MOST_PROXIES, PROXY))
        self._worst, self._slips = np.zeros(1), np.zeros(MOST_PAIRS)

    def _pool(self, h: int, f: int, rng: np.random.Generator) -> First | None:
        """First contacts of a finger; its window begins later where it cannot touch yet."""
        a, b = self.window[h, f]
        make = closed_pool if self.settings.closing else surface_pool
        for t in range(a, min(a + LATER, b)):
            found = make(self.problem, h, f, t, self.W, rng)
            if len(found.q) >= 5:
                self.window[h, f, 0] = t
                return found
        self.window[h, f] = (self.T, self.T)
        return None

    @property
    def reachable(self) -> bool:
        """Does any finger ever reach the object?"""
        return self.begin >= 0

    def rounds(self, first: int = 0) -> Iterator[tuple[int, list[list[Node]]]]:
        """Every round and the solutions found in it, without end; each solution is a path of nodes."""
        r = first
        while True:
            yield r, self.round(r)
            r += 1

    def round(self, r: int) -> list[list[Node]]:
        """The solutions of round r: a search from the root until there are enough, or too many nodes."""
        rng = np.random.default_rng([self.seed, r])
        s, found = self.settings, []
        path, nodes = [self.root()], 0
        self.counts.rounds += 1
        while nodes < s.round_nodes * max(1.0, self.T / 100) and len(found) < s.round_solutions and path:
            if path[-1].t == self.T - 1:
                found.append(path[1:])
                path = after_success(self, list(path), rng)
                continue
            nodes += 1
            parent = path[-1]
            asked = expand(self, parent, rng)
            verdict, h, f, other, node = self.test(parent, asked)
            self.counts.verdicts[verdict] += 1
            self.counts.nodes += 1
            if node is not None:
                if self.counts.trace is not None:
                    self.counts.trace.append((node.t, node.q.copy()))
                self.counts.deepest = max(self.counts.deepest, node.t)
                path.append(node)
                continue
            if s.reallocate and verdict in (SLIPS, LOST) and reallocate(self, parent, asked, h, f, other):
                continue
            parent.failed.append((verdict, h, f, other))
            parent.tries += 1
            if parent.tries >= limit(self, parent):
                path = go_back(self, path, (verdict, h, f, other), rng)
        return found

    def root(self) -> Node:
        return empty(self.begin - 1, self._idle)

    def style(self, t: int) -> str:
        """The style at a frame."""
        out = self.settings.style
        for time, style in self.problem.scene.styles:
            if t >= time * self.problem.scene.fps:
                out = style
        return out

    # Feasibility (5.3.2)

    def balance(
        self, t: int, contacts: Array, cost: Array, rail: Array | None = None
    ) -> tuple[bool, Array, Array, int]:
        """Do forces at the contacts (n, CONTACT) of these costs (n,) give the motion?

        rail (n, 4): 1 and the direction of friction where a contact slides. Gives normal forces (n,) and
        friction (n, 3) of each, and how many proxies there are.
        """
        p, scene, n = self.problem, self.problem.scene, len(contacts)
        mode = THESIS if self.settings.proxies else POINTS_ALONE
        status, _, m = force_test(
            p.solid,
            contacts,
            n,
            cost,
            scene.friction,
            np.zeros((n, 4)) if rail is None else rail,
            p.table[t],
            len(p.table[t]),
            scene.table_friction,
            _TABLE_COST,
            p.wrench[t],
            RHO,
            self.settings.offset,
            mode,
            self.proxies,
            self.forces,
        )
        owner, f, inward = self.proxies[:m, 0].astype(int), self.forces[:m], self.proxies[:m, 4:7]
        fn = np.einsum("mi,mi->m", f, inward)
        tangent = np.zeros((n, 3))
        np.add.at(tangent, owner, f - fn[:, None] * inward)
        return status == 0, np.asarray(np.bincount(owner, fn, n), float), tangent, m

    def _cost(self, parent: Node, contacts: Array, price: Array) -> Array:
        """(n,) weights of (37): what each link costs, and more for contacts that move or that carried nothing before.

        Departures: a force on a contact that moves over the object would be sliding friction; the thesis lets it carry.
        """
        c = contacts[:, :3].astype(int)
        cost = price[c[:, 0], c[:, 1], c[:, 2]]
        if not self.settings.settle or not len(parent.contacts):
            return cost
        keys = {tuple(k): i for i, k in enumerate(parent.contacts[:, :3].astype(int).tolist())}
        for k, key in enumerate(c.tolist()):
            i = keys.get(tuple(key), -1)
            if i < 0:
                cost[k] *= 6.0
            elif parent.normal[i] < CARRIES:
                moved = np.linalg.norm(contacts[k, 6:9] - parent.contacts[i, 6:9])
                cost[k] *= 2.0 + min(moved / 1e-4, 6.0)
        return cost

    def _rails(self, parent: Node, asked: Asked, contacts: Array) -> Array:
        """(n, 4) 1 and the direction of friction of contacts that slide into this frame, else 0.

        Departures: the thesis lets a contact that slides push anywhere in its cone.
        """
        rail = np.zeros((len(contacts), 4))
        if not self.settings.settle:
            return rail
        way = sliding(parent, asked.intent, self.problem.scene.friction)
        for k, (h, f, link) in enumerate(contacts[:, :3].astype(int).tolist()):
            if (h, f, link) in way:
                rail[k] = np.r_[1.0, way[h, f, link]]
        return rail

    def test(self, parent: Node, asked: Asked) -> tuple[int, int, int, int, Node | None]:
        """Both tests; gives the verdict, the hand and finger that failed, the other finger or pair, and the node."""
        p, s, t = self.problem, self.settings, parent.t + 1
        contacts, n = np.zeros((MOST_CONTACTS, CONTACT)), 0
        q, slips = np.empty((self.H, 5, 6)), np.zeros((self.H, 5, 4))
        other, known = (p.stands[t], p.stands.shape[1]) if p.stands.shape[1] else (_ALONE, 0)
        for h, F in enumerate(p.hands):
            verdict, f, o, n = pose_test(
                F,
                p.solid,
                p.plane[t],
                h,
                p.turn[h, t],
                p.place[h, t],
                asked.before[h],
                asked.speed[h],
                asked.pairs[h],
                asked.number[h],
                asked.held[h],
                self._rest(parent, h),
                other,
                known,
                self.W,
                s.steps,
                s.near,
                s.deep,
                5e-4,
                s.slip,
                q[h],
                contacts,
                n,
                self._worst,
            )
            if verdict != PASSED:
                return verdict, h, f, o, None
            for f in np.flatnonzero(asked.held[h]):
                n_pairs = asked.number[h, f]
                pair_slip(F, f, q[h, f], p.turn[h, t], p.place[h, t], asked.pairs[h, f], n_pairs, self._slips)
                for k in range(n_pairs):
                    link = int(asked.pairs[h, f, k, PAIR_LINK])
                    slips[h, f, link] = max(slips[h, f, link], self._slips[k])
                    if s.settle and parent.creep[h, f, link] + slips[h, f, link] > CREEP:
                        return SLIPS, h, int(f), k, None
            if h + 1 < self.H:
                caps = np.zeros((5, 4, 7))
                capsules(F, q[h], p.turn[h, t], p.place[h, t], caps)
                other = np.concatenate([caps[caps[:, :, 6] > 0], other[:known]])
                known = len(other)
        price = self._prices(parent, t)
        contacts = contacts[:n].copy()
        rail = self._rails(parent, asked, contacts)
        good, normal, tangent, m = self.balance(t, contacts, self._cost(parent, contacts, price), rail)
        if not good:
            for c in contacts[rail[:, 0] > 0, :2].astype(int):
                return STUCK, int(c[0]), int(c[1]), -1, None
            return UNBALANCED, -1, -1, -1, None
        node = self._node(parent, asked, q, contacts, (normal, tangent), m, price)
        carries = np.zeros_like(slips)
        c = contacts[normal >= CARRIES, :3].astype(int)
        carries[c[:, 0], c[:, 1], c[:, 2]] = 1.0
        node.creep = (parent.creep + slips) * carries
        if normal.sum() > s.most_force * self.H:
            return UNBALANCED, -1, -1, -1, None
        if s.horizon and t % 3 == 0:
            look_at_reach(self, node)
        return PASSED, -1, -1, -1, node

    def _rest(self, parent: Node, h: int) -> Array:
        """The pose at ease that each finger is drawn to: half its own, half what its neighbours do."""
        rest = self.problem.hands[h].rest.copy()
        if self.settings.natural == 0 or parent.t < self.begin:
            return rest
        for f in range(1, 5):
            beside = [g for g in (f - 1, f + 1) if 1 <= g <= 4]
            rest[f, 3:] = 0.4 * rest[f, 3:] + 0.6 * np.mean(parent.q[h][beside, 3:], axis=0)
        return rest

    def _prices(self, parent: Node, t: int) -> Array:
        """Weights of (37) by style (5.4.4), with what the reach horizon found."""
        style, out = self.style(t), parent.price.copy()
        if style == "reluctant":
            out *= np.where(parent.carried > 0, 1.0, 4.0)[:, :, None]
        elif style == "restless":
            out *= (1.0 + 0.15 * parent.carried)[:, :, None]
        return out

    def _node(
        self, parent: Node, asked: Asked, q: Array, contacts: Array, forces: tuple[Array, Array], m: int, price: Array
    ) -> Node:
        t = parent.t + 1
        keep = parent.price if self.style(t) in ("reluctant", "restless") else price
        node = Node(
            t,
            q,
            contacts,
            *forces,
            self.proxies[:m].copy(),
            self.forces[: m + len(self.problem.table[t])].copy(),
            keep,
            asked.pairs[:, :, 0].copy(),
            asked.number > 0,
            asked.intent,
            asked.changed,
            parent.lost.copy(),
            parent.carried.copy(),
            parent.creep,
        )
        touch, fn = np.zeros((self.H, 5), bool), np.zeros((self.H, 5))
        for c, force in zip(contacts, node.normal, strict=True):
            touch[int(c[HAND]), int(c[FINGER])] = True
            fn[int(c[HAND]), int(c[FINGER])] += force
        node.carried = np.where(fn > 1e-3, node.carried + 1, 0)
        node.lost = np.where(node.guided & ~touch, node.lost + 1, 0)
        for h, f in np.argwhere(node.lost > 4):
            node.guide[h, f], node.lost[h, f] = below(self, t, h, f, q[h, f]), 0
        return node

    # Going back (5.4.1, 5.4.3)

"""The search for contact trajectories: algorithms 1 and 2 of Ye 2012, with the strategies of section 5.4.

The search goes in rounds. Each begins at the root with its own random numbers, made of the seed and its count, so that
the solutions of a round never depend on when a search before it was stopped: the first n solutions of a seed stay equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from poise.maths.distance import onto_surface
from poise.maths.rotations import Array
from poise.methods.hands.finger import LINK as PAIR_LINK
from poise.methods.hands.finger import PAIR, pair_slip, place_links, reach
from poise.methods.hands.force_test import MOST_PROXIES, POINTS_ALONE, PROXY, THESIS, force_test
from poise.methods.hands.node import CARRIES, Asked, Intent, Node, next_pairs, root
from poise.methods.hands.pose_test import (
    CONTACT,
    FINGER,
    FINGERS_MEET,
    HAND,
    LINK,
    LOST,
    MOST_CONTACTS,
    MOST_PAIRS,
    PASSED,
    SLIPS,
    capsules,
    pose_test,
)
from poise.methods.hands.problem import Problem
from poise.methods.hands.settings import Hands
from poise.methods.hands.windows import LATER, First, belly, clear_pose, closed_pool, overlaps, surface_pool, windows

UNBALANCED = 5  # verdict of a node without forces that give the object its motion
CREEP = 1e-3  # [m] that a contact may slip in all while it carries a force
RHO = 0.05  # [m] by which torques are made forces
_TABLE_COST = 1e-3  # of a force of the table, which costs the hand nothing: it settles which of many is taken
_ALONE = np.zeros((1, 7))


@dataclass
class Counts:
    """What a search has done."""

    nodes: int = 0
    verdicts: np.ndarray = field(default_factory=lambda: np.zeros(6, int))
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
        self._forces = np.empty((MOST_PROXIES + 64, 3))
        self._proxies = np.empty((MOST_PROXIES, PROXY))
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
        path, nodes = [self._root()], 0
        self.counts.rounds += 1
        while nodes < s.round_nodes * max(1.0, self.T / 100) and len(found) < s.round_solutions and path:
            if path[-1].t == self.T - 1:
                found.append(path[1:])
                path = self._after_success(list(path), rng)
                continue
            nodes += 1
            parent = path[-1]
            asked = self._expand(parent, rng)
            verdict, h, f, other, node = self.test(parent, asked)
            self.counts.verdicts[verdict] += 1
            self.counts.nodes += 1
            if node is not None:
                if self.counts.trace is not None:
                    self.counts.trace.append((node.t, node.q.copy()))
                self.counts.deepest = max(self.counts.deepest, node.t)
                path.append(node)
                continue
            if s.reallocate and verdict in (SLIPS, LOST) and self._reallocate(parent, asked, h, f, other):
                continue
            parent.failed.append((verdict, h, f, other))
            parent.tries += 1
            if parent.tries >= self._limit(parent):
                path = self._go_back(path, (verdict, h, f, other), rng)
        return found

    def _root(self) -> Node:
        return root(self.begin - 1, self._idle)

    def _limit(self, node: Node) -> int:
        """How many tries a node has (5.4.3: more where a finger makes its first contact)."""
        s, t = self.settings, node.t + 1
        if not s.improved:
            return s.branches if t % s.spacing == 0 or t == self.begin else 1
        return s.branches * (8 if np.any(self.window[..., 0] == t) else 1)

    # New nodes (5.3.1)

    def _expand(self, parent: Node, rng: np.random.Generator) -> Asked:
        """A guiding configuration for the frame after `parent`."""
        s, scene, t, H = self.settings, self.problem.scene, parent.t + 1, self.H
        pairs, count = np.zeros((H, 5, MOST_PAIRS, PAIR)), np.zeros((H, 5), np.int64)
        held, speed = np.zeros((H, 5), np.int64), np.full((H, 5), s.speed)
        before, intent, changed = parent.q.copy(), list(parent.intent), np.zeros((H, 5), bool)
        anew, first = self._new_actions(parent, rng), []
        for h in range(H):
            for f in range(5):
                a, b = self.window[h, f]
                k = 5 * h + f
                if self.pools[h][f] is not None and t == a:
                    first.append((h, f))
                    intent[k], changed[h, f], speed[h, f] = self._intent(t, rng), True, 10.0
                    continue
                if intent[k] is None:
                    speed[h, f] = 10.0  # not yet there: the approach is made afterwards
                    continue
                if anew[h, f]:
                    intent[k], changed[h, f] = self._intent(t, rng), True
                found, held[h, f] = next_pairs(
                    parent, h, f, intent[k], self.problem.solid, scene.friction, scene.slide, scene.move
                )
                if t >= b and not held[h, f]:
                    continue  # out of reach from here on
                count[h, f] = len(found)
                pairs[h, f, : len(found)] = found
        for (h, f), pick in self._first_contacts(parent, first, t, rng).items():
            pool = self.pools[h][f]
            assert pool is not None
            pairs[h, f, 0], count[h, f], before[h, f] = pool.pair[pick], 1, pool.q[pick]
        return Asked(pairs, count, held, before, speed, intent, changed)

    def _new_actions(self, parent: Node, rng: np.random.Generator) -> np.ndarray:
        """(H, 5) which fingers take a new action: by chance ε₃, or those that failed (5.4.3)."""
        s, shape = self.settings, (self.H, 5)
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
        if rng.random() < s.decisions / self.T or parent.tries > 0:
            return rng.random(shape) < 0.5
        return np.zeros(shape, bool)

    def style(self, t: int) -> str:
        """The style at a frame."""
        out = self.settings.style
        for time, style in self.problem.scene.styles:
            if t >= time * self.problem.scene.fps:
                out = style
        return out

    def _intent(self, t: int, rng: np.random.Generator) -> Intent:
        """A new action of a finger: stay, or move in some direction (5.4.2)."""
        style, way = self.style(t), rng.normal(size=3)
        chance = {"steady": 0.05, "sliding": 1.0, "busy": 1.0, "restless": 0.8}.get(style, 0.4)
        share = rng.random()
        if style in ("busy", "sliding"):
            share = 0.7 + 0.3 * share
        return Intent(bool(rng.random() < chance), way / np.linalg.norm(way), float(share))

    def _first_contacts(
        self, parent: Node, fingers: list[tuple[int, int]], t: int, rng: np.random.Generator
    ) -> dict[tuple[int, int], int]:
        """Which of its pool each finger takes: the best of some choices by how often they could carry the object later."""
        best, most = {}, -1.0
        for _ in range(12 if self.settings.look_ahead and fingers else 1):
            picks = {}
            for h, f in fingers:
                pool = self.pools[h][f]
                assert pool is not None
                picks[h, f] = int(rng.integers(len(pool.q)))
            if not (self.settings.look_ahead and fingers):
                return picks
            share = self._could_carry(parent, picks, t)
            if share > most:
                best, most = picks, share
            if share >= 1:
                break
        return best

    def _could_carry(self, parent: Node, picks: dict[tuple[int, int], int], t: int) -> float:
        """Share of some later frames at which the chosen points, held still, give the object its motion."""
        rows = []
        for h in range(self.H):
            for f in range(5):
                pool = self.pools[h][f]
                if (h, f) in picks and pool is not None:
                    pair = pool.pair[picks[h, f]]
                elif parent.guided[h, f]:
                    pair = parent.guide[h, f]
                else:
                    continue
                row = np.zeros(CONTACT)
                row[HAND], row[FINGER], row[LINK], row[6:9], row[9:12] = h, f, pair[0], pair[4:7], pair[7:10]
                row[12:15] = self.problem.turn[h, t][:, 0]
                rows.append(row)
        if np.any((self.window[..., 0] > t) & (self.window[..., 0] < self.T)):
            return 1.0  # some fingers are still to come
        later = np.unique(np.linspace(t, self.T - 2, 6).astype(int))[1:]
        ones = np.ones(len(rows))
        good = [self._balance(int(k), np.array(rows).reshape(-1, CONTACT), ones)[0] for k in later]
        return float(np.mean(good)) if good else 1.0

    # Feasibility (5.3.2)

    def _balance(self, t: int, contacts: Array, cost: Array) -> tuple[bool, Array, Array, int]:
        """Do forces at the contacts (n, CONTACT) of these costs (n,) give the motion?

        Normal forces (n,) and friction (n, 3) of each, and how many proxies there are.
        """
        p, scene, n = self.problem, self.problem.scene, len(contacts)
        mode = THESIS if self.settings.proxies else POINTS_ALONE
        status, _, m = force_test(
            p.solid,
            contacts,
            n,
            cost,
            scene.friction,
            np.zeros((n, 4)),
            p.table[t],
            len(p.table[t]),
            scene.table_friction,
            _TABLE_COST,
            p.wrench[t],
            RHO,
            self.settings.offset,
            mode,
            self._proxies,
            self._forces,
        )
        owner, f, inward = self._proxies[:m, 0].astype(int), self._forces[:m], self._proxies[:m, 4:7]
        fn = np.einsum("mi,mi->m", f, inward)
        tangent = np.zeros((n, 3))
        np.add.at(tangent, owner, f - fn[:, None] * inward)
        return status == 0, np.bincount(owner, fn, n), tangent, m

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

    def test(self, parent: Node, asked: Asked) -> tuple[int, int, int, int, Node | None]:
        """Both tests; gives the verdict, the hand and finger that failed, the other finger or pair, and the node."""
        p, s, t = self.problem, self.settings, parent.t + 1
        contacts, n = np.zeros((MOST_CONTACTS, CONTACT)), 0
        q, slips = np.empty((self.H, 5, 6)), np.zeros((self.H, 5, 4))
        other = _ALONE
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
                asked.count[h],
                asked.held[h],
                self._rest(parent, h),
                other,
                0 if h == 0 else len(other),
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
                n_pairs = asked.count[h, f]
                pair_slip(F, f, q[h, f], p.turn[h, t], p.place[h, t], asked.pairs[h, f], n_pairs, self._slips)
                for k in range(n_pairs):
                    link = int(asked.pairs[h, f, k, PAIR_LINK])
                    slips[h, f, link] = max(slips[h, f, link], self._slips[k])
                    if s.settle and parent.creep[h, f, link] + slips[h, f, link] > CREEP:
                        return SLIPS, h, int(f), k, None
            if h + 1 < self.H:
                caps = np.zeros((5, 4, 7))
                capsules(F, q[h], p.turn[h, t], p.place[h, t], caps)
                other = caps.reshape(-1, 7)
                other = np.ascontiguousarray(other[other[:, 6] > 0])
        price = self._prices(parent, t)
        contacts = contacts[:n].copy()
        good, normal, tangent, m = self._balance(t, contacts, self._cost(parent, contacts, price))
        if not good:
            return UNBALANCED, -1, -1, -1, None
        node = self._node(parent, asked, q, contacts, (normal, tangent), m, price)
        carries = np.zeros_like(slips)
        c = contacts[normal >= CARRIES, :3].astype(int)
        carries[c[:, 0], c[:, 1], c[:, 2]] = 1.0
        node.creep = (parent.creep + slips) * carries
        if normal.sum() > s.most_force * self.H:
            return UNBALANCED, -1, -1, -1, None
        if s.horizon and t % 3 == 0:
            self._look_at_reach(node)
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
            self._proxies[:m].copy(),
            self._forces[: m + len(self.problem.table[t])].copy(),
            keep,
            asked.pairs[:, :, 0].copy(),
            asked.count > 0,
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
            node.guide[h, f], node.lost[h, f] = self._below(t, h, f, q[h, f]), 0
        return node

    def _below(self, t: int, h: int, f: int, q: Array) -> Array:
        """A guiding pair (PAIR,) at the point of the surface nearest to the finger's belly."""
        F = self.problem.hands[h]
        turn, place, axes, points = np.empty((4, 3, 3)), np.empty((4, 3)), np.empty((6, 3)), np.empty((6, 3))
        place_links(F, f, q, self.problem.turn[h, t], self.problem.place[h, t], turn, place, axes, points)
        b, n = F.links[f] - 1, np.empty(3)
        p = place[b] + turn[b] @ belly(F, f)
        onto_surface(self.problem.solid, p, n)
        return np.r_[b, belly(F, f), p, n]

    def _look_at_reach(self, node: Node) -> None:
        """Make fingers dear that cannot keep their contact some frames ahead, and lead free ones to where they can."""
        p, s = self.problem, self.settings
        ahead = min(node.t + s.horizon, self.T - 1)
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
                    self.W,
                    15,
                )
                off = self._offset(h, f, q, ahead, pairs)
                if off < 8e-4:
                    continue
                price[h, f] = 30.0
                intent = node.intent[k]
                if not held and intent is not None:
                    there = self._below(min(ahead + s.horizon, self.T - 1), h, f, 0.5 * (F.rest[f] + node.q[h, f]))
                    way = there[4:7] - pairs[0, 4:7]
                    node.intent[k] = Intent(True, way / (np.linalg.norm(way) + 1e-9), max(intent.share, 0.7))
        node.price = price

    def _offset(self, h: int, f: int, q: Array, t: int, pairs: Array) -> float:
        out = np.zeros(MOST_PAIRS)
        p = self.problem
        pair_slip(p.hands[h], f, q, p.turn[h, t], p.place[h, t], pairs, len(pairs), out)
        return float(out[: len(pairs)].max(initial=0.0))

    # Going back (5.4.1, 5.4.3)

    def _reallocate(self, parent: Node, asked: Asked, h: int, f: int, k: int) -> bool:
        """Solve the forces of the frame before anew with the failing contact dear; True where it is free then."""
        link = int(asked.pairs[h, f, k, PAIR_LINK])
        if parent.t < self.begin or parent.price[h, f, link] > 40:
            return False
        price = parent.price.copy()
        price[h, f, link] *= 50
        c = parent.contacts
        cost = price[c[:, 0].astype(int), c[:, 1].astype(int), c[:, 2].astype(int)]
        good, fn, tangent, m = self._balance(parent.t, c, cost)
        if not good:
            return False
        mine = (c[:, HAND] == h) & (c[:, FINGER] == f) & (c[:, LINK] == link)
        if fn[mine].sum() > 1e-3 or fn.sum() > self.settings.most_force * self.H:
            return False
        parent.normal, parent.tangent, parent.price = fn, tangent, price
        parent.proxies = self._proxies[:m].copy()
        parent.proxy_forces = self._forces[: m + len(self.problem.table[parent.t])].copy()
        return True

    def _go_back(self, path: list[Node], why: tuple[int, int, int, int], rng: np.random.Generator) -> list[Node]:
        """Drop nodes until one from which another action may help; the root, anew, where there is none."""
        s, t = self.settings, path[-1].t + 1
        verdict, h, f, other = why
        dropped = path.pop()
        while path:
            last = path[-1]
            if not s.improved:
                last.tries += 1
                if last.tries < self._limit(last):
                    return path
            else:
                mine = dropped.changed.any()
                if mine and verdict != UNBALANCED:
                    mine = dropped.changed[h, f] or (verdict == FINGERS_MEET and dropped.changed[h, other])
                if mine and rng.random() > (self.T - t) / (20 * self.T):
                    last.tries += 1
                    if last.tries < self._limit(last):
                        last.failed.append(why)
                        return path
            dropped = path.pop()
        return [self._root()]

    def _after_success(self, path: list[Node], rng: np.random.Generator) -> list[Node]:
        """Where to go on after a solution: any decision, or by the thesis the last one, and with ε₁ the one before."""
        s = self.settings
        if not s.improved:
            path.pop()
            while path:
                path[-1].tries += 1
                if path[-1].tries < self._limit(path[-1]):
                    return path
                path.pop()
            return [self._root()]
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

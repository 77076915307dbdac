"""How fast the two tests are, on instances of a real search, beside Clarabel and scipy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poise.experiments.reproduce import Options, Table
from poise.experiments.speed import Measure, cpu
from poise.maths.rotations import Array
from poise.methods.hands.force_test import MOST_PROXIES, PROXY, THESIS, force_test
from poise.methods.hands.node import Asked, Node
from poise.methods.hands.pose_test import CONTACT, MOST_CONTACTS, pose_test
from poise.methods.hands.problem import prepare
from poise.methods.hands.scenes import table2
from poise.methods.hands.search import RHO, Search
from poise.methods.hands.settings import Hands


def instances(count: int = 40) -> tuple[Search, list[tuple[Node, Asked]], list[Node]]:
    """A search with what it asked of the kinematic test, and nodes whose forces it found."""
    search = Search(prepare(table2.pickup_1()), Hands(round_nodes=400, round_solutions=1), 0)
    asked, ask = [], search.test

    def spy(parent: Node, what: Asked):
        asked.append((parent, what))
        return ask(parent, what)

    search.test = spy  # type: ignore[method-assign]
    paths = [p for r in range(3) for p in search.round(r)]
    nodes = [n for n in paths[0] if len(n.contacts) >= 4]
    pick = np.linspace(0, len(asked) - 1, count).astype(int)
    return search, [asked[k] for k in pick if np.all(asked[k][1].number > 0)], nodes[:: max(1, len(nodes) // count)]


def measures() -> Iterator[Measure]:
    """Of `poise bench`."""
    search, asked, nodes = instances()
    took = 1e3 * cpu(lambda: _poses(search, asked)) / len(asked)
    yield Measure("hands: kinematic test, 5 fingers", took, "ms", "< 1", took < 1, "thesis: 200 ms")
    took = 1e3 * cpu(lambda: _balances(search, nodes)) / len(nodes)
    other = 1e3 * cpu(lambda: [by_clarabel(search, n) for n in nodes], repeat=2) / len(nodes)
    linear = 1e3 * cpu(lambda: [by_scipy(search, n) for n in nodes], repeat=1) / len(nodes)
    beside = f"Clarabel {other:.2f} ms, scipy HiGHS with 8-sided cones {linear:.2f} ms, thesis 5-10 ms"
    yield Measure("hands: dynamic test", took, "ms", "< 0.1", took < 0.1, beside)


def _poses(search: Search, asked: list[tuple[Node, Asked]]) -> None:
    """The kinematic tests that a search asked for."""
    p, s = search.problem, search.settings
    q, contacts, worst = np.empty((5, 6)), np.zeros((MOST_CONTACTS, CONTACT)), np.zeros(1)
    for parent, what in asked:
        t = parent.t + 1
        pose_test(
            p.hands[0], p.solid, p.plane[t], 0, p.turn[0, t], p.place[0, t], what.before[0], what.speed[0],
            what.pairs[0], what.number[0], what.held[0], p.hands[0].rest, np.zeros((1, 7)), 0, search.W, s.steps,
            s.near, s.deep, 5e-4, s.slip, q, contacts, 0, worst,
        )  # fmt: skip


def _balances(search: Search, nodes: list[Node]) -> None:
    """The dynamic tests of nodes."""
    p = search.problem
    proxies, forces = np.empty((MOST_PROXIES, PROXY)), np.empty((MOST_PROXIES + 64, 3))
    for n in nodes:
        k = len(n.contacts)
        force_test(
            p.solid, n.contacts, k, np.ones(k), p.scene.friction, np.zeros((k, 4)), p.table[n.t], len(p.table[n.t]),
            0.4, 1e-3, p.wrench[n.t], RHO, search.settings.offset, THESIS, proxies, forces,
        )  # fmt: skip


def program(search: Search, node: Node) -> tuple[Array, Array, Array, Array]:
    """Points, inward normals (K, 3), friction (K,) and wrench (6,) of a node's dynamic test."""
    table = search.problem.table[node.t]
    scene = search.problem.scene
    points = np.concatenate([node.proxies[:, 1:4], table[:, :3]])
    normals = np.concatenate([node.proxies[:, 4:7], table[:, 3:6]])
    mu = np.r_[np.full(len(node.proxies), scene.friction), np.full(len(table), scene.table_friction)]
    return points, normals, mu, search.problem.wrench[node.t]


def _columns(points: Array, normals: Array) -> Array:
    """(K, 3, 6) wrenches of unit forces along the normal and two tangents."""
    a = np.eye(3)[np.argmin(np.abs(normals), axis=1)]
    t = np.cross(normals, a)
    t /= np.linalg.norm(t, axis=1, keepdims=True)
    f = np.stack([normals, t, np.cross(normals, t)], 1)
    return np.concatenate([f, np.cross(points[:, None], f) / RHO], axis=2)


def by_clarabel(search: Search, node: Node) -> float | None:
    """The least Σ f^n by a second-order cone program; None where there is none."""
    import clarabel
    from scipy import sparse

    points, normals, mu, wrench = program(search, node)
    K = len(points)
    W = _columns(points, normals).reshape(3 * K, 6).T
    cones = -np.eye(3 * K)
    cones[np.arange(0, 3 * K, 3), np.arange(0, 3 * K, 3)] = -mu
    A = sparse.csc_matrix(np.concatenate([W, cones]))
    b = np.r_[wrench / np.r_[np.ones(3), np.full(3, RHO)], np.zeros(3 * K)]
    cost = np.zeros(3 * K)
    cost[::3] = 1.0
    options = clarabel.DefaultSettings()
    options.verbose = False
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix((3 * K, 3 * K)),
        cost,
        A,
        b,
        [clarabel.ZeroConeT(6)] + [clarabel.SecondOrderConeT(3)] * K,
        options,
    )
    found = solver.solve()
    return float(cost @ np.array(found.x)) if "Solved" in str(found.status) else None


def by_scipy(search: Search, node: Node, sides: int = 8) -> float | None:
    """The same with pyramids in place of cones, by HiGHS."""
    from scipy.optimize import linprog

    points, normals, mu, wrench = program(search, node)
    C = _columns(points, normals)
    a = 2 * np.pi * np.arange(sides) / sides
    rays = C[:, None, 0] + mu[:, None, None] * (np.cos(a)[:, None] * C[:, None, 1] + np.sin(a)[:, None] * C[:, None, 2])
    A = rays.reshape(-1, 6).T
    found = linprog(np.ones(A.shape[1]), A_eq=A, b_eq=wrench / np.r_[np.ones(3), np.full(3, RHO)], method="highs-ds")
    return float(found.fun) if found.status == 0 else None


def run(options: Options) -> Table:
    """The two tests of a node."""
    rows = tuple((m.name, m.value, m.unit, m.bar, m.yardstick) for m in measures())
    return Table("The two tests of a node, CPU time", ("test", "time", "unit", "bar", "beside"), rows)

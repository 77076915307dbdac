"""The whole way from a scene to different, valid solutions: algorithm 1, one after the other, with what was found
so far.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from poise.errors import NoSolution
from poise.maths.rotations import Array
from poise.methods.hands.node import Node
from poise.methods.hands.problem import Problem, prepare
from poise.methods.hands.scene import Scene
from poise.methods.hands.search import Search
from poise.methods.hands.settings import Hands
from poise.methods.hands.solution import Solution, difference, finish

APART = 5e-3  # [m] mean distance of loaded fingertips by which solutions differ
_LIKELY = 4e-3  # [m] of paths that are not worth smoothing beside one another


@dataclass
class Found:
    """What a search has found so far; `next_round` is where it would go on."""

    solutions: list[Solution] = field(default_factory=list)
    next_round: int = 0
    nodes: int = 0
    paths: int = 0
    refused: int = 0  # paths whose smooth motion could not carry the object, or failed the check
    cpu: float = 0.0  # [s]


Check = Callable[[Solution], bool]


def find(
    scene: Scene,
    settings: Hands | None = None,
    *,
    count: int = 10,
    seed: int = 0,
    seconds: float = 60.0,
    check: Check | None = None,
    found: Found | None = None,
    rounds: int | None = None,
) -> Iterator[Found]:
    """Search until there are `count` different solutions, or so many CPU seconds or rounds are over.

    Gives what was found after each round; a search is resumed from what an earlier one gave. `check` refuses solutions
    (the outside check with MuJoCo, say). Seconds only stop the search: which solutions come first never depends on
    them.
    """
    found, begun = found or Found(), time.process_time()
    problem = prepare(scene)
    search = Search(problem, settings or Hands(), seed)
    if not search.reachable:
        raise NoSolution(_never_meet(problem), scene)
    raw: list[tuple[Array, np.ndarray]] = [_spots(s.tips(problem), s.loaded()) for s in found.solutions]
    yield found
    for r, paths in search.rounds(found.next_round):
        for path in paths:
            found.paths += 1
            likely = _path_spots(problem, path)
            if any(_away(likely, other) < _LIKELY for other in raw):
                continue
            solution = finish(search, path, r)
            if solution is None or (check is not None and not check(solution)):
                found.refused += 1
                continue
            if any(difference(solution, other, problem) < APART for other in found.solutions):
                continue
            found.solutions.append(solution)
            raw.append(_spots(solution.tips(problem), solution.loaded()))
        found.next_round, found.nodes = r + 1, search.counts.nodes
        found.cpu = time.process_time() - begun
        yield found
        if len(found.solutions) >= count or found.cpu > seconds or (rounds is not None and r + 1 >= rounds):
            return


def _never_meet(problem: Problem) -> str:
    near = min(float(np.linalg.norm(p, axis=-1).min()) for p in problem.place)
    return (
        f"In {problem.scene.name} no finger ever reaches the object: the nearest wrist stays {100 * near:.0f} cm from "
        f"its "
        "centre; a hand reaches some 18 cm. Check units, axes and the timing of both tracks."
    )


def _spots(tips: Array, loaded: np.ndarray) -> tuple[Array, np.ndarray]:
    return tips, loaded


def _path_spots(problem: Problem, path: list[Node]) -> tuple[Array, np.ndarray]:
    """Fingertips (H, T, 5, 3) and loads (H, T, 5) of a path, before it is smoothed."""
    T, H = problem.frames, len(problem.hands)
    q, loaded = np.zeros((H, T, 5, 6)), np.zeros((H, T, 5), bool)
    for node in path:
        q[:, node.t] = node.q
        c = node.contacts[node.normal > 1e-3, :2].astype(int)
        loaded[c[:, 0], node.t, c[:, 1]] = True
    return Solution(q, (), 0).tips(problem), loaded


def _away(a: tuple[Array, np.ndarray], b: tuple[Array, np.ndarray]) -> float:
    on = a[1] | b[1]
    return float(np.linalg.norm(a[0] - b[0], axis=-1)[on].mean()) if on.any() else 0.0

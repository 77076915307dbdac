"""How fast poise is, each number beside a yardstick measured in the same run, in CPU time."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from poise.maths.rotations import Array
from poise.motion.clip import Clip


@dataclass(frozen=True)
class Measure:
    """One line of the table: what was timed, against what, and the bar it has to reach."""

    name: str
    value: float
    unit: str
    bar: str
    good: bool
    yardstick: str

    def to_dict(self) -> dict[str, object]:
        """Plain data for JSON."""
        return asdict(self)


def cpu(work: Callable[[], object], repeat: int = 5, at_least: float = 0.02) -> float:
    """CPU seconds of one call: the best of `repeat` batches, each long enough to be measured."""
    count, best = 1, float("inf")
    while True:
        begun = time.process_time()
        for _ in range(count):
            work()
        took = time.process_time() - begun
        if took >= at_least:
            break
        count *= max(2, int(at_least / max(took, 1e-4)))
    for _ in range(repeat):
        begun = time.process_time()
        for _ in range(count):
            work()
        best = min(best, (time.process_time() - begun) / count)
    return best


def measures(clip: Clip) -> Iterator[Measure]:
    """Every measurement of `poise bench`, one by one: of motions on this clip, then of the physics underneath."""
    from poise.experiments import loop_speed
    from poise.experiments.hands import speed as hands_speed
    from poise.experiments.momentum import speed as momentum_speed
    from poise.experiments.physical import speed as repair_speed
    from poise.experiments.posture import speed as posture_speed

    yield from _parsing(clip)
    yield _sampling(clip)
    yield _retargeting(clip)
    yield _help()
    yield from loop_speed.measures()
    yield _cones()
    yield _qp()
    yield _lcp()
    yield from repair_speed.measures()
    yield from momentum_speed.measures()
    yield from hands_speed.measures()
    yield from posture_speed.measures()


def _parsing(clip: Clip) -> Iterator[Measure]:
    from poise.motion import formats

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip.bvh"
        clip.save(path)
        ours = cpu(lambda: formats.read(path))
        size = path.stat().st_size / 1e6
        yield Measure("BVH parse", size / ours, "MB/s", "-", True, f"{len(clip)} frames")
        try:
            import bvhio
        except ImportError:
            yield Measure("BVH parse against bvhio", float("nan"), "x", ">= 20", False, "bvhio is not installed")
            return
        theirs = cpu(lambda: bvhio.readAsBvh(str(path)), repeat=1, at_least=0.0)
        ratio = theirs / ours
        yield Measure("BVH parse against bvhio", ratio, "x", ">= 20", ratio >= 20, "bvhio.readAsBvh, same file")


def _sampling(clip: Clip) -> Measure:
    from poise.motion import edit
    from poise.motion.reference import Reference

    reference = Reference(clip).edit(edit.Slope(degrees=3.0))
    reference.sample(0.0)
    times = np.random.default_rng(0).uniform(0, reference.duration, 200)
    a, b = np.random.default_rng(1).normal(size=(2, 50))

    def samples() -> None:
        for t in times:
            reference.sample(t)

    def dots() -> None:
        for _ in times:
            np.dot(a, b)

    ratio = cpu(samples) / cpu(dots)
    return Measure("Reference.sample, edits baked in", ratio, "dots", "<= 30", ratio <= 30, "np.dot of 50-vectors")


def _retargeting(clip: Clip) -> Measure:
    from poise.character.load import load_character

    other = load_character("human57")
    clip.retarget(other)  # compiles
    took = cpu(lambda: clip.retarget(other), repeat=2, at_least=0.0)
    speed = clip.duration / took
    return Measure("retargeting to human57", speed, "x real time", ">= 5", speed >= 5, f"{clip.duration:.1f} s clip")


def _help() -> Measure:
    def run() -> float:
        begun = time.monotonic()
        subprocess.run([sys.executable, "-m", "poise", "--help"], capture_output=True, check=True)
        return time.monotonic() - begun

    took = min(run() for _ in range(5))
    return Measure("poise --help", took, "s", "< 0.3", took < 0.3, "wall clock, best of 5")


def _cones() -> Measure:
    from poise.solve.cones import cone_least_squares
    from poise.solve.socp import cone_program

    rng = np.random.default_rng(0)
    A, b, friction, weight = rng.normal(size=(12, 300)), 100 * rng.normal(size=12), np.full(100, 0.8), 1e-3
    ours, theirs = cone_least_squares(A, b, friction, weight), cone_program(A, b, friction, weight)
    cost = [0.5 * np.sum((A @ f - b) ** 2) + 0.5 * weight * f @ f for f in (ours.forces, theirs.forces)]
    ratio = cpu(lambda: cone_program(A, b, friction, weight)) / cpu(lambda: cone_least_squares(A, b, friction, weight))
    good = ratio >= 50 and bool(abs(cost[0] / cost[1] - 1) < 1e-6)
    return Measure("cone least squares, 12 x 300", ratio, "x", ">= 50", good, "Clarabel with an auxiliary residual")


def _qp() -> Measure:
    import daqp

    from poise.solve.qp import QP, solve_qp

    rng = np.random.default_rng(0)
    n, m = 60, 80
    root = rng.normal(size=(n, n))
    H, g, A = root @ root.T + np.eye(n), rng.normal(size=n), rng.normal(size=(m, n))
    low, high = np.full(m, -0.5), np.full(m, 0.5)
    sense = np.zeros(m, np.int32)
    problem = QP(H, g, A, low, high)
    ratio = cpu(lambda: solve_qp(problem)) / cpu(lambda: daqp.solve(H, g, A, high, low, sense))
    return Measure("QP, 60 unknowns", ratio, "x", "<= 1.2", ratio <= 1.2, "a bare DAQP call")


def _lcp() -> Measure:
    from poise.solve.lcp import solve_lcp

    rng = np.random.default_rng(0)
    root = rng.normal(size=(30, 30))
    M, q = root @ root.T + 0.1 * np.eye(30), rng.normal(size=30)
    assert np.allclose(lemke_in_numpy(M, q), solve_lcp(M, q).z, atol=1e-6)
    ratio = cpu(lambda: lemke_in_numpy(M, q)) / cpu(lambda: solve_lcp(M, q))
    return Measure("LCP, 30 unknowns", ratio, "x", ">= 10", ratio >= 10, "the same Lemke in numpy")


def lemke_in_numpy(M: Array, q: Array) -> Array:
    """Lemke's method with numpy's row operations, for problems without ties: the yardstick of `solve_lcp`."""
    n = len(q)
    T = np.hstack([np.eye(n), -M, -np.ones((n, 1)), q[:, None]])
    basis = list(range(n))
    row, entering = int(np.argmin(q)), 2 * n
    for _ in range(50 * n):
        leaving = basis[row]
        T[row] /= T[row, entering]
        others = np.arange(n) != row
        T[others] -= np.outer(T[others, entering], T[row])
        basis[row] = entering
        if leaving == 2 * n:
            break
        entering = leaving + n if leaving < n else leaving - n
        ratios = np.full(n, np.inf)
        up = T[:, entering] > 1e-11
        ratios[up] = T[up, -1] / T[up, entering]
        row = int(np.argmin(ratios))
    z = np.zeros(n)
    for i, b in enumerate(basis):
        if n <= b < 2 * n:
            z[b - n] = T[i, -1]
    return z

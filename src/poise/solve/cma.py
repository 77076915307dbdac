"""CMA-ES: a search without derivatives that learns the shape of its sampling cloud (Hansen, "a tutorial", 2016).

A generation is asked for, judged by whoever wants to, and told; the state between two generations is a frozen value
of plain arrays. The numbers drawn for a member depend on the seed, the generation and the member alone, so that it does
not matter who judges them, in which order, or whether the search was stopped in between.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from poise.maths.rotations import Array


class Weights(NamedTuple):
    """Strategy parameters of Hansen's tutorial for a dimension and a population."""

    recombine: Array  # (parents,) w_i, which sum to 1
    effective: float  # μ_eff
    step_rate: float  # c_σ
    step_damping: float  # d_σ
    path_rate: float  # c_c
    rank_one: float  # c_1
    rank_many: float  # c_μ
    length: float  # expected length of a normal vector


def weights(n: int, population: int) -> Weights:
    """The usual parameters for n numbers and a population."""
    parents = population // 2
    raw = np.log(0.5 * (population + 1)) - np.log(np.arange(1, parents + 1))
    w = raw / raw.sum()
    mu = 1.0 / float(np.sum(w**2))
    cs = (mu + 2.0) / (n + mu + 5.0)
    c1 = 2.0 / ((n + 1.3) ** 2 + mu)
    cm = min(1.0 - c1, 2.0 * (mu - 2.0 + 1.0 / mu) / ((n + 2.0) ** 2 + mu))
    damping = 1.0 + 2.0 * max(0.0, float(np.sqrt((mu - 1.0) / (n + 1.0))) - 1.0) + cs
    length = float(np.sqrt(n)) * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n**2))
    return Weights(w, mu, cs, damping, (4.0 + mu / n) / (n + 4.0 + 2.0 * mu / n), c1, cm, length)


@dataclass(frozen=True, eq=False)
class Search:
    """The state between two generations."""

    mean: Array  # (n,)
    sigma: float
    covariance: Array  # (n, n)
    path: Array  # (n,) p_c
    step_path: Array  # (n,) p_σ
    generation: int
    seed: int
    population: int

    @property
    def spread(self) -> Array:
        """Standard deviation (n,) of the next members."""
        return self.sigma * np.sqrt(np.diag(self.covariance))

    def arrays(self) -> dict[str, Array]:
        """Plain arrays for a checkpoint; `restored` takes them back."""
        counts = np.array([self.sigma, self.generation, self.seed, self.population], float)
        return {"mean": self.mean, "covariance": self.covariance, "path": self.path, "step_path": self.step_path,
                "counts": counts}  # fmt: skip


def restored(arrays: dict[str, Array]) -> Search:
    """The state that `Search.arrays` gave, bit for bit."""
    sigma, generation, seed, population = arrays["counts"]
    return Search(arrays["mean"], float(sigma), arrays["covariance"], arrays["path"], arrays["step_path"],
                  int(generation), int(seed), int(population))  # fmt: skip


def begin(mean: Array, sigma: float, *, seed: int = 0, population: int | None = None, shape: Array | None = None
          ) -> Search:  # fmt: skip
    """A search that starts about a mean (n,) with a spread sigma, of 4 + 3 ln n members if not told.

    `shape`: covariance (n, n) that a search of something alike has learned, of which the size does not count.
    """
    n = len(mean)
    size = 4 + int(3 * np.log(n)) if population is None else population
    covariance = np.eye(n) if shape is None else n * shape / np.trace(shape)
    zero = np.zeros(n)
    return Search(np.array(mean, float), float(sigma), covariance, zero, zero.copy(), 0, seed, size)


def _root(covariance: Array) -> tuple[Array, Array]:
    """Axes (n, n) and lengths (n,) of the cloud."""
    values, axes = np.linalg.eigh(covariance)
    return axes, np.sqrt(np.maximum(values, 1e-300))


def ask(search: Search) -> Array:
    """The members (population, n) of this generation, x_k = m + σ B D z_k."""
    axes, lengths = _root(search.covariance)
    z = np.stack([np.random.default_rng([search.seed, search.generation, k]).standard_normal(len(search.mean))
                  for k in range(search.population)])  # fmt: skip
    return search.mean + search.sigma * (z * lengths) @ axes.T


def tell(search: Search, members: Array, costs: Array) -> Search:
    """The state for the next generation; what is not a number counts as the worst. Equal costs keep their order."""
    n, w = len(search.mean), weights(len(search.mean), search.population)
    order = np.argsort(np.where(np.isfinite(costs), costs, np.inf), kind="stable")[: len(w.recombine)]
    steps = (members[order] - search.mean) / search.sigma
    step = w.recombine @ steps
    axes, lengths = _root(search.covariance)
    whitened = axes @ ((axes.T @ step) / lengths)
    ps = (1.0 - w.step_rate) * search.step_path + np.sqrt(w.step_rate * (2.0 - w.step_rate) * w.effective) * whitened
    size, age = float(np.linalg.norm(ps)), search.generation + 1
    fading = np.sqrt(1.0 - (1.0 - w.step_rate) ** (2 * age))
    moving = 1.0 if size / fading < (1.4 + 2.0 / (n + 1.0)) * w.length else 0.0
    pc = (1.0 - w.path_rate) * search.path + moving * np.sqrt(w.path_rate * (2.0 - w.path_rate) * w.effective) * step
    kept = 1.0 - w.rank_one - w.rank_many + (1.0 - moving) * w.rank_one * w.path_rate * (2.0 - w.path_rate)
    many = (steps * w.recombine[:, None]).T @ steps
    covariance = kept * search.covariance + w.rank_one * np.outer(pc, pc) + w.rank_many * many
    sigma = search.sigma * float(np.exp(min(1.0, (w.step_rate / w.step_damping) * (size / w.length - 1.0))))
    return replace(search, mean=search.mean + search.sigma * step, sigma=sigma, path=pc, step_path=ps, generation=age,
                   covariance=0.5 * (covariance + covariance.T))  # fmt: skip

"""The optimiser that lowers the artificial torque to zero along a homotopy: the paper's future work (section 8).

The slider goes down in stages. At each stage an evolution strategy moves the gains, in logarithms, so that the same
pushes are survived with less help; its best gains begin the next stage, where the objective is still well behaved. At
the end the slider is 0: what is left works in exact physics.

python -m poise.experiments.balance.honest [--seeds N]      # N: evaluations a stage / 8
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from poise.character.load import load_character
from poise.experiments.balance.poses import two_feet
from poise.experiments.balance.pushing import AT, DURATION, push
from poise.experiments.balance.table import Options, Table, main, say
from poise.experiments.balance.trial import outlasts
from poise.maths.rotations import Array
from poise.methods.balance import HONEST, Balance
from poise.motion.clip import Clip

GAINS = ("kfs", "kfd", "kP", "kts", "ktd", "kL", "stiffness", "damping")
STAGES = (0.3, 0.15, 0.0)
PUSHES = tuple(
    (size, way) for way in (0.0, 45.0, 90.0, 135.0, 180.0) for size in (15.0, 25.0, 35.0)
)  # [N s], [degrees]
WATCHED = 2.5  # [s] after a push


def settings(gains: Array, base: Balance) -> Balance:
    """A controller with these gains, logarithms (8,) of factors of those of `base`."""
    return replace(base, **{n: float(getattr(base, n) * np.exp(g)) for n, g in zip(GAINS, gains, strict=True)})


def cost(clip: Clip, method: Balance, pushes: Sequence[tuple[float, float]] = PUSHES) -> float:
    """How badly the pushes are survived, 0 to 1 a push: who stands at the end costs nothing, an early fall most."""
    seconds, total = AT + DURATION + WATCHED, 0.0
    for size, way in pushes:
        fell = outlasts(clip, method, seconds, events=[push(size, way)])
        total += 0.0 if fell is None else 1.0 - 0.8 * (fell - AT) / (seconds - AT)
    return total / len(pushes)


def evolve(value: Callable[[Array], float], start: Array, evaluations: int, seed: int, spread: float = 0.25) -> Array:
    """The best of a (1 + 1) evolution strategy whose step follows the one-fifth rule."""
    rng, best = np.random.default_rng(seed), np.array(start, float)
    least = value(best)
    for _ in range(evaluations - 1):
        tried = best + spread * rng.standard_normal(len(best))
        found = value(tried)
        if found <= least:
            best, least, spread = tried, found, 1.5 * spread
        else:
            spread *= 1.5**-0.25
    return best


def optimise(clip: Clip, base: Balance = HONEST, evaluations: int = 64, seed: int = 0) -> Balance:
    """The controller at the end of the homotopy."""
    gains = np.zeros(len(GAINS))
    for slider in STAGES:
        stage = replace(base, slider=slider)

        def value(g: Array, stage: Balance = stage) -> float:
            return cost(clip, settings(g, stage))

        gains = evolve(value, gains, evaluations, seed)
        say((f"slider {slider:g}: cost {value(gains):.3f},", _words(settings(gains, stage))))
    return settings(gains, replace(base, slider=0.0))


def _words(method: Balance) -> str:
    return ", ".join(f"{n}={getattr(method, n):.4g}" for n in GAINS)


def run(options: Options) -> Table:
    """Gains before and after, and their costs in exact physics, also for pushes that the search did not see."""
    clip = two_feet(load_character("human45"))
    unseen = tuple((size, way) for way in (20.0, 70.0, 110.0, 160.0) for size in (20.0, 30.0))
    rows = []
    for name, method in (("start", HONEST), ("optimised", optimise(clip, evaluations=8 * options.seeds))):
        values = (f"{getattr(method, n):.4g}" for n in GAINS)
        rows.append((name, *values, cost(clip, method), cost(clip, method, unseen)))
    return Table("Gains for exact physics; cost 0: all pushes survived, 1: none",
                 ("", *GAINS, "cost", "cost, unseen pushes"), tuple(rows))  # fmt: skip


if __name__ == "__main__":
    main(run)

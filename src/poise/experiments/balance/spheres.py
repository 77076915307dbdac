"""Spheres thrown at random parts of the body: who falls, by density, with and without the simplified contact.

python -m poise.experiments.balance.spheres [--seeds N] [--out FOLDER]
"""

from __future__ import annotations

import numpy as np

from poise.character.load import load_character
from poise.experiments.balance.poses import two_feet
from poise.experiments.balance.table import Options, Table, main, picture, say
from poise.experiments.balance.trial import outlasts, trial
from poise.methods.balance import HONEST, Balance
from poise.stage.events import Ball

DENSITIES = (100.0, 125.0, 150.0, 200.0, 300.0, 400.0)  # [kg/m³]
SPHERES = 50  # of the paper's density; of the others as many as `--seeds` says
PARTS = ("head", "chest", "abdomen", "pelvis", "left_upper_arm", "right_upper_arm", "left_forearm", "right_forearm",
         "left_thigh", "right_thigh", "left_shin", "right_shin")  # fmt: skip


def sphere(seed: int, density: float) -> Ball:
    """A sphere of 10 to 20 cm radius and 7 to 15 m/s at a random part, from a random side, at 0.5 s."""
    rng = np.random.default_rng(seed)
    radius, speed, way = rng.uniform(0.1, 0.2), rng.uniform(7.0, 15.0), rng.uniform(0.0, 2 * np.pi)
    mass = 4 / 3 * np.pi * radius**3 * density
    return Ball(mass, 0.5, speed, str(rng.choice(PARTS)), (np.cos(way), np.sin(way), 0.0), radius=radius)


def run(options: Options) -> Table:
    """How many spheres of each density are survived: 50 of the paper's density, `seeds` of the others."""
    clip, rows = two_feet(load_character("human45")), []
    ways = (("with", Balance(), DENSITIES), ("without", Balance(slider=0.0), DENSITIES[:1]),
            ("without, honest gains", HONEST, DENSITIES[:1]))  # fmt: skip
    for name, method, densities in ways:
        for density in densities:
            count = SPHERES if name == "with" and density == DENSITIES[0] else options.seeds
            fell = [outlasts(clip, method, 3.5, events=[sphere(seed, density)]) for seed in range(count)]
            bad = [k for k, t in enumerate(fell) if t is not None]
            rows.append((name, density, f"{fell.count(None)}/{len(fell)}", " ".join(map(str, bad))))
            say(rows[-1])
    picture(options, trial(clip, Balance(), 3.0, events=[sphere(1, 100.0)]), "sphere")
    return Table("Spheres of 10 to 20 cm radius at 7 to 15 m/s at random parts of human45",
                 ("simplified contact", "density", "stand", "seeds that fell"), tuple(rows))  # fmt: skip


if __name__ == "__main__":
    main(run)

"""Spheres thrown at random parts of the body: of who stands, by density, and of who follows a recording (section 7)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.character.load import load_character
from poise.experiments.balance.trial import FORMS, outlasts, trial, two_feet
from poise.experiments.reproduce import Options, Table, told
from poise.methods.balance import HONEST, Balance
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.performance import perform
from poise.simulate.guard import BlowUp
from poise.stage import Stage
from poise.stage.events import Ball

DENSITIES = (100.0, 125.0, 150.0, 200.0, 300.0, 400.0)  # [kg/m³]
SPHERES = 50  # of the paper's density; of the others as many as `--seeds` says
PARTS = ("head", "chest", "abdomen", "pelvis", "left_upper_arm", "right_upper_arm", "left_forearm", "right_forearm",
         "left_thigh", "right_thigh", "left_shin", "right_shin")  # fmt: skip
RECORDED = ("02_05", "02_01")  # punch, walk
BUILT_IN = ("punch",)
STRUCK = (None, 100.0, 125.0, 200.0)  # [kg/m³]; None: nothing is thrown
SECONDS = 4.0
UNSEEN = 500  # seed of the first sphere; those thrown at who stands are below


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
            rows.append(told((name, density, f"{fell.count(None)}/{len(fell)}", " ".join(map(str, bad)))))
    seen = None if options.out is None else trial(clip, Balance(), 3.0, events=[sphere(1, 100.0)])
    figures = () if seen is None else options.film(seen, "balance-sphere")
    return Table("Spheres of 10 to 20 cm radius at 7 to 15 m/s at random parts of human45",
                 ("simplified contact", "density", "stand", "seeds that fell"), tuple(rows), (), figures)  # fmt: skip


def stays_up(clip: Clip, method: Balance, seed: int, density: float | None) -> bool:
    """Is somebody up to the end of a clip who is struck once, between a fifth and three fifths of it?"""
    length = min(SECONDS, clip.duration)
    rng = np.random.default_rng(seed)
    at = length * rng.uniform(0.2, 0.6)
    events = [] if density is None else [replace(sphere(seed, density), at=at)]
    try:  # each start has noise of its own
        take = perform(clip, method, seconds=length, stage=Stage(ground=clip.ground, events=events), noise=0.05,
                       seed=seed)  # fmt: skip
    except BlowUp:
        return False
    return take.fell is None and bool(np.all(np.isfinite(take.q)))


def struck(options: Options) -> Table:
    """One row a clip and density: how many stay up to its end, by both forms."""
    rows = []
    for clip in _clips(options):
        for density in STRUCK:
            cells = []
            for _, method in FORMS:
                up = [stays_up(clip, method, UNSEEN + k, density) for k in range(options.seeds)]
                cells.append(f"{sum(up)}/{len(up)}")
            rows.append(told((clip.name, "nothing thrown" if density is None else f"{density:g}", *cells)))
    notes = ("human45; radius 10 to 20 cm, 7 to 15 m/s, at random parts from random sides, once between 0.2 and 0.6 "
             f"of the clip (at most {SECONDS:g} s); starts with noise of 0.05 rad/s and m/s. Stays up: to its end.",
             "The paper: stands 100 kg/m³ and falls at about 125; it prints no radius.")  # fmt: skip
    return Table("Spheres thrown while a recording is followed", ("clip", "density [kg/m³]", *(n for n, _ in FORMS)),
                 tuple(rows), notes)  # fmt: skip


def _clips(options: Options) -> list[Clip]:
    """Recordings on the body of the paper's size; without a folder a clip of our own."""
    if options.recordings is None:
        return [load_clip(name, character="human45") for name in BUILT_IN]
    paths, body = [options.recording(name) for name in RECORDED], load_character("human45")
    return [load_clip(path).retarget(body) for path in paths if path is not None]

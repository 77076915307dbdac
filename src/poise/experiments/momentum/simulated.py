"""The plan as torques in the simulator: walks, pushes, balls that are thrown, and a platform that sways."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from poise.experiments.momentum.clips import long_stride
from poise.experiments.momentum.trial import SIMULATED, Score, all_round, moment, performed, push
from poise.experiments.reproduce import Options, Table, told
from poise.ground.platform import Platform, PlatformMotion
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.stage import Ball

CLIPS = (("walk", 8.0), ("long stride", 8.0), ("squat", 6.0), ("turn", 8.0), ("run", 8.0), ("hop", 8.0),
         ("march", 8.0), ("sneak", 8.0), ("backward", 8.0))  # [s]  # fmt: skip
RECORDED = ("02_01", "12_01", "02_03", "16_33", "humanoid3d_walk", "humanoid3d_run", "16_17", "09_12", "08_07", "09_01",
            "16_03")  # fmt: skip
PUSHES = ((50.0, 0.1), (100.0, 0.1), (150.0, 0.1), (50.0, 0.3), (100.0, 0.2), (150.0, 0.2), (200.0, 0.2))  # [N], [s]
BALLS = ((0.5, 6.0), (1.0, 6.0), (2.0, 6.0), (5.0, 6.0))  # [kg], [m/s]
FLIGHT = 0.5  # [s] after which a ball has struck
SWAYS = ((0.02, 0.5), (0.05, 0.5), (0.1, 0.5))  # [m], [Hz]


def run(options: Options) -> Table:
    """How many of them went well, at as many phases as there are seeds."""
    rows = []
    for name, cell in _cells(options):
        rows.append(told((name, cell)))
    return Table("momentum-torques in MuJoCo", ("what", "went well"), tuple(rows),
                 ("Undisturbed and on the platform: whole, begun at 8 places of the clip, and how many followed it; "
                  "recordings from their beginning. Pushes and balls from two sides at each phase: recovered by the "
                  "strict rule.",))  # fmt: skip


def _cells(options: Options) -> Iterator[tuple[str, str]]:
    walk, phases = load_clip("walk"), options.seeds
    for name, seconds in CLIPS:
        if options.wants(f"{name}, undisturbed"):
            clip = long_stride() if name == "long stride" else load_clip(name)
            yield f"{name}, undisturbed, {seconds:g} s", _whole(clip, seconds, phases)
    for name in RECORDED:
        path = options.recording(name)
        if path is not None and options.wants(path.stem):
            clip = load_clip(path)
            yield path.name, _whole(clip, clip.duration, 1)
    for force, lasts in PUSHES:
        if options.wants(what := f"push of {force:g} N, {lasts:g} s"):
            cases = [((push(force, side, at := moment(walk, k, phases), lasts),), at + lasts)
                     for k, side in all_round(phases)]  # fmt: skip
            yield what, _struck(walk, cases)
    for mass, speed in BALLS:
        if options.wants(what := f"ball of {mass:g} kg, {speed:g} m/s"):
            cases = [((_ball(mass, speed, side, at := moment(walk, k, phases)),), at + FLIGHT)
                     for k, side in all_round(phases)]  # fmt: skip
            yield what, _struck(walk, cases)
    for amplitude, frequency in SWAYS:
        if options.wants(what := f"platform, {100 * amplitude:g} cm, {frequency:g} Hz"):
            motion = PlatformMotion(amplitude, frequency, (0.0, 1.0, 0.0), at=1.0)
            yield what, _whole(walk, 6.0, phases, Platform(size=(40.0, 12.0, 0.1), motion=motion))


def _whole(clip: Clip, seconds: float, phases: int, ground: Any = None) -> str:
    takes = [performed(clip, SIMULATED, seconds, ground=ground, start=k / phases * clip.duration)
             for k in range(phases)]  # fmt: skip
    good, kept = sum(take.ended.whole for take in takes), sum(bool(take.followed()) for take in takes)
    speed = np.mean([take.realtime_factor for take in takes])
    return f"{good}/{phases} whole, {kept}/{phases} followed, x{speed:.1f} real time"


def _ball(mass: float, speed: float, side: float, at: float) -> Ball:
    way = np.radians(side)
    return Ball(mass, at, speed, "chest", (float(np.cos(way)), float(np.sin(way)), 0.0))


def _struck(clip: Clip, cases: Sequence[tuple[tuple[Any, ...], float]]) -> str:
    score = Score(clip, SIMULATED)
    for events, end in cases:
        score.add(events, end)
    return score.cell

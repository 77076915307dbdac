"""Gaits that stay up: long runs, sensor noise, half the time step, slopes, and pushes at all phases."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.experiments.reproduce import Options, Table, told
from poise.ground.slope import Slope
from poise.maths import GRAVITY
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.methods.vibration import Vibration, unit_loop
from poise.methods.vibration.gait import Gait, load_gait, shipped
from poise.motion.load import load_clip
from poise.performance import perform
from poise.stage import Push, Stage
from poise.take import Take

CYCLES, FEW, DIRECTIONS, PHASES = 200, 8, 8, 4
SHARE, LENGTH = 0.15, 0.2  # of body weight, [s]
POSE, SPEED = 0.005, 0.05  # [rad], [rad/s]
UNITS = 10  # in which it must be back
JOINTS, TILT, HEIGHT = 0.1, 0.1, 0.03  # [rad] rms of all joints about the cycle, [rad] and [m] rms of the root
NOTE = "Sensor noise in the compiled search, whose steps are those of the performance; all else as performed."


def run(options: Options) -> Table:
    """Cycles until a fall of 200, heading at the end, with noise, at half the step and on slopes."""
    rows = []
    for path in shipped():
        if not options.wants(path.stem):
            continue
        period = load_gait(path).times["period"]
        cases = {"feedback": (Vibration(), None), "half step": (Vibration(step_size=1 / 960), None),
                 "open loop": (Vibration.printed(), None), "up 3 degrees": (Vibration(), Slope(3.0)),
                 "down 3 degrees": (Vibration(), Slope(-3.0))}  # fmt: skip
        for name, (way, ground) in cases.items():
            stage = Stage() if ground is None else Stage(ground=ground)
            take = _performed(path, way, stage, period)
            upright = take.fell is None and take.ended == "whole"
            end = float(take.time[-1]) if take.fell is None else take.fell
            turn = float(np.degrees(rot.heading(take.q[-1, 3:7]))) if upright else float("nan")
            rows.append(told((path.stem, name, end / period, turn)))
        rows += [told((path.stem, f"noise, seed {s}", *_noisy(path, s))) for s in range(options.seeds)]
    columns = ("gait", "case", "cycles of 200", "heading at the end [degrees]")
    return Table("How long gaits stay up", columns, tuple(rows), (NOTE,))


def _noisy(path: Path, seed: int) -> tuple[float, float]:
    """Cycles of 200 and heading [degrees] at the end with sensor noise of a seed, as `Vibration` would draw it."""
    gait = load_gait(path)
    ready = gait.driven()
    units, nv = CYCLES * (2 if ready.simulator.swaps else 1), len(ready.simulator.stiffness)
    draw = [np.random.default_rng([seed, k]).standard_normal(2 * nv) for k in range(units * len(gait.cycle))]
    noise = np.stack(draw) * np.repeat([POSE, SPEED], nv)
    run = ready.run(units, unit_loop.Disturbance.sensor_noise(noise))
    whole = run.finished == units
    turn = float(np.degrees(rot.heading(run.states[-1, 3:7]))) if whole else float("nan")
    return run.steps / (ready.bursts.table.shape[1] * units) * CYCLES, turn


def _performed(path: Path, way: Vibration, stage: Stage, period: float) -> Take:
    """All cycles, or the first few where it falls in these: what comes after a fall is long and tells nothing."""
    first = perform(load_clip(path), way, stage=stage, seconds=FEW * period)
    return first if first.fell is not None else perform(load_clip(path), way, stage=stage, seconds=CYCLES * period)


def pushes(options: Options) -> Table:
    """Pushes of 15 % of body weight for 0.2 s at the chest in 8 directions at 4 phases: who is back within 10 units."""
    rows = []
    for path in shipped():
        if options.wants(path.stem):
            up, back = _pushed(path)
            rows.append(told((path.stem, DIRECTIONS * PHASES, up, back)))
    note = (f"Band: joints within {JOINTS:g} rad (rms) of the cycle from {UNITS} units after the push on, the root's "
            f"tilt within {TILT:g} rad, its height within {HEIGHT:g} m; place and heading exempt.")  # fmt: skip
    return Table("Pushes", ("gait", "pushes", "stay up", "back in the cycle's band"), tuple(rows), (note,))


def _pushed(path: Path) -> tuple[int, int]:
    clip, gait = load_clip(path), load_gait(path)
    period = gait.times["period"]
    unit = period / 2 if gait.sketch.gait == "run" else period
    up = back = 0
    for force, at in _cases(gait, clip.character.mass):
        stage, over = Stage(events=(Push("chest", force, at, LENGTH),)), at + LENGTH + UNITS * unit
        take = perform(clip, Vibration(), stage=stage, seconds=over + 2 * period)
        if take.fell is None and take.ended == "whole":
            up += 1
            back += in_band(take, over)
    return up, back


def _cases(gait: Gait, mass: float) -> list[tuple[tuple[float, float, float], float]]:
    """Force [N] and time [s] of every push."""
    period, size = gait.times["period"], SHARE * mass * GRAVITY
    angles = 2 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
    return [((size * float(np.cos(a)), size * float(np.sin(a)), 0.0), 4 * period + phase * period / PHASES)
            for a in angles for phase in range(PHASES)]  # fmt: skip


def stays_up(gait: Gait) -> int:
    """How many of the pushes a gait stays up in, in the compiled search: in two seconds, not in two minutes."""
    ready = gait.driven()
    simulator, steps = ready.simulator, ready.bursts.table.shape[1]
    nv, up = len(simulator.stiffness), 0
    for force, at in _cases(gait, simulator.character.mass):
        since = round(at / simulator.dt)
        until = since + round(LENGTH / simulator.dt)
        units = -(-until // steps) + UNITS + (4 if simulator.swaps else 2)
        up += ready.run(units, unit_loop.Disturbance.push(np.array(force), since, until, nv)).finished == units
    return up


def in_band(take: Take, since: float) -> bool:
    """Is a take near the cycle that it follows from a time [s] on, in all joints, tilt and height of the root?

    Place and heading are exempt; the phase is not.
    """
    rows = take.time >= since
    q, cycle = take.q[rows], take.q_ref[rows]
    step = conf.difference(take.character.layout, cycle, q)
    up = [rot.rotate(rot.conjugate(x[:, 3:7]), np.array([0.0, 0.0, 1.0])) for x in (q, cycle)]
    tilt = np.arccos(np.clip(np.sum(up[0] * up[1], axis=1), -1.0, 1.0))
    off = [float(np.sqrt(np.mean(x**2))) for x in (step[:, 6:], tilt, step[:, 2])]
    return all(np.array(off) <= (JOINTS, TILT, HEIGHT))

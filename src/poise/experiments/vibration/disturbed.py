"""Gaits that stay up: long runs, sensor noise, half the time step, slopes, and pushes at all phases."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.experiments.reproduce import Options, Table, told
from poise.ground.slope import Slope
from poise.maths import GRAVITY
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.methods.vibration import Vibration, unit_loop
from poise.methods.vibration.gait import Gait, load_gait, shipped
from poise.methods.vibration.unit_simulator import RUN, Driven
from poise.motion.load import load_clip
from poise.performance import perform
from poise.stage import Push, Stage
from poise.take import Take

CYCLES, FEW = 200, 8
DIRECTIONS, PHASES, BEFORE = 8, 4, 4  # of pushes: ways, phases of a unit, cycles that it runs before them
SHARE, LENGTH = 0.15, 0.2  # of body weight, [s]
POSE, SPEED = 0.005, 0.05  # [rad], [rad/s]
UNITS = 10  # in which it must be back
STAY = 0.95  # of the cycles under sensor noise that stay within the band of a joint
NOTE = "Sensor noise in the compiled search, whose steps are those of the performance; all else as performed."


def run(options: Options) -> Table:
    """Cycles until a fall, of `CYCLES`, heading at the end, with noise, at half the step and on slopes."""
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
    columns = ("gait", "case", f"cycles of {CYCLES}", "heading at the end [degrees]")
    return Table("How long gaits stay up", columns, tuple(rows), (NOTE,))


def _noisy(path: Path, seed: int) -> tuple[float, float]:
    """Cycles of `CYCLES` and heading [degrees] at the end with sensor noise of a seed."""
    ready = load_gait(path).driven()
    units = CYCLES * _units(ready)
    run = ready.run(units, _noise(ready, units, seed))
    whole = run.finished == units
    turn = float(np.degrees(rot.heading(run.states[-1, 3:7]))) if whole else float("nan")
    return run.steps / (ready.bursts.table.shape[1] * units) * CYCLES, turn


def _noise(ready: Driven, units: int, seed: int) -> unit_loop.Disturbance:
    """The sensor noise of the tables for some units, as `Vibration` would draw it."""
    nv, stages = len(ready.simulator.stiffness), 0 if ready.corrections is None else len(ready.corrections.starts) - 1
    draw = [np.random.default_rng([seed, k]).standard_normal(2 * nv) for k in range(units * stages)]
    noise = np.stack(draw) * np.repeat([POSE, SPEED], nv)
    return unit_loop.Disturbance.sensor_noise(noise)


def _units(ready: Driven) -> int:
    """Units of a cycle."""
    return 2 if ready.simulator.swaps else 1


def _performed(path: Path, way: Vibration, stage: Stage, period: float) -> Take:
    """All cycles, or the first few where it falls in these: what comes after a fall is long and tells nothing."""
    first = perform(load_clip(path), way, stage=stage, seconds=FEW * period)
    return first if first.fell is not None else perform(load_clip(path), way, stage=stage, seconds=CYCLES * period)


def pushes(options: Options) -> Table:
    """Pushes of 15 % of body weight for 0.2 s at the chest, in 8 directions at 4 phases: who is back within 10 units.

    The phases are those of a unit: eighths of a cycle of a run, in whose other half a push is the mirrored one of the
    first, and quarters of a hop, whose unit is the cycle. "Back" is told by a `Band`.
    """
    rows = [told((p.stem, DIRECTIONS * PHASES, *_pushed(p))) for p in shipped() if options.wants(p.stem)]
    note = (f"Back: at each frame from {UNITS} units after the push on, for a cycle, each joint's angle and speed and "
            "the root's tilt and height are off the undisturbed gait's, at the same moment, by no more than its band: "
            f"within it stay {100 * STAY:.0f} % of {CYCLES} cycles under sensor noise, without a push. Worst: the "
            "largest of what is off over its band, in all pushes, and where. Place and heading are exempt, the phase "
            "is not.")  # fmt: skip
    columns = ("gait", "pushes", "stay up", "back in the cycle's band", "worst, of the band", "where",
               "bands of joints [degrees]", "of their speeds [rad/s]", "of tilt [degrees]",
               "of height [mm]")  # fmt: skip
    return Table("Pushes", columns, tuple(rows), (note,))


def _pushed(path: Path) -> tuple[int, int, float, str, str, str, float, float]:
    """How many pushes it stays up in, in how many it is back; the worst of these; its band."""
    clip, gait = load_clip(path), load_gait(path)
    cycle, unit, band = gait.times["period"], unit_of(gait), band_of(gait)
    cases = _cases(gait, clip.character.mass)
    last = max(at for _, at in cases) + LENGTH + UNITS * unit + 1.1 * cycle
    calm = perform(clip, Vibration(), seconds=last)
    up = back = 0
    worst, where = 0.0, ""
    for force, at in cases:
        stage, over = Stage(events=(Push("chest", force, at, LENGTH),)), at + LENGTH + UNITS * unit
        take = perform(clip, Vibration(), stage=stage, seconds=over + 1.05 * cycle)
        if take.fell is None and take.ended == "whole":
            up += 1
            ratio, what = beyond(take, calm, over, band)
            back += ratio <= 1.0
            worst, where = (worst, where) if ratio <= worst else (ratio, what)
    angles, speeds = (f"{x.min():.2g} to {x.max():.2g}" for x in (np.degrees(band.angles), band.speeds))
    return up, back, worst, where, angles, speeds, float(np.degrees(band.tilt)), 1000.0 * float(band.height)


def unit_of(gait: Gait) -> float:
    """[s] of a unit: half a cycle of a run."""
    return gait.times["period"] / (2.0 if gait.sketch.gait == RUN else 1.0)


def _cases(gait: Gait, mass: float) -> list[tuple[tuple[float, float, float], float]]:
    """Force [N] and time [s] of every push."""
    size = SHARE * mass * GRAVITY
    angles = 2 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
    return [((size * float(np.cos(a)), size * float(np.sin(a)), 0.0),
             BEFORE * gait.times["period"] + phase * unit_of(gait) / PHASES)
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


class Band(NamedTuple):
    """How far a gait is off its cycle, at some frames or at most; of joints J after the root, one value each."""

    angles: Array  # (..., J) [rad]; of a ball joint the length of its rotation vector
    speeds: Array  # (..., J) [rad/s]
    tilt: Array  # (...) [rad] of the root
    height: Array  # (...) [m] of the root


def band_of(gait: Gait, seed: int = 0) -> Band:
    """Within what each joint and the root stay of the cycle in `STAY` of `CYCLES` cycles of the tables' sensor noise.

    Of each cycle the most that a joint is off counts. A push is over when no more is left of it than what the sensors
    do all the time. The most of all cycles is not taken: it hangs on a single one, and differs between seeds by up to
    half. NaN of a gait that falls of the noise.
    """
    ready = gait.driven()
    cycle, nq, nv = _units(ready), len(ready.simulator.rest), len(ready.simulator.stiffness)
    rows = cycle * ready.bursts.table.shape[1]
    calm = ready.run(FEW * cycle, traced=True).trace[-rows:]
    noisy = ready.run(CYCLES * cycle, _noise(ready, CYCLES * cycle, seed), traced=True)
    if not noisy.whole:
        joints = len(ready.simulator.character.joint_names) - 1
        return Band(*(np.full(shape, np.nan) for shape in (joints, joints, (), ())))
    most = []
    for trace in np.split(noisy.trace, CYCLES):
        off = _off(ready.simulator.character, trace[:, :nq], trace[:, nq : nq + nv], calm[:, :nq],
                   calm[:, nq : nq + nv])  # fmt: skip
        most.append([x.max(axis=0) for x in off])
    return Band(*(np.quantile(np.stack(x), STAY, axis=0) for x in zip(*most, strict=True)))


def beyond(take: Take, calm: Take, since: float, band: Band) -> tuple[float, str]:
    """The largest of what a take is off an undisturbed one over the band, from a time [s] on, and what it is of.

    Both are compared at the same moments of their clock; place and heading are exempt.
    """
    rows = np.flatnonzero(take.time >= since)
    off = _off(take.character, take.q[rows], take.v[rows], calm.q[rows], calm.v[rows])
    ratios = [np.atleast_1d((x / most).max(axis=0)) for x, most in zip(off, band, strict=True)]
    names = take.character.joint_names[1:]
    labels = [*names, *(f"speed of {n}" for n in names), "tilt", "height"]
    every = np.concatenate(ratios)
    return float(every.max()), labels[int(np.argmax(every))]


def _off(character: Character, q: Array, v: Array, cycle_q: Array, cycle_v: Array) -> Band:
    """How far states (F, nq), (F, nv) are off those of the cycle at the same moments."""
    joints = np.unique(character.model.dof_jntid[6:], return_index=True)[1]
    sizes = lambda x: np.sqrt(np.add.reduceat(x[:, 6:] ** 2, joints, axis=1))  # noqa: E731
    step = conf.difference(character.layout, cycle_q, q)
    up = [rot.rotate(rot.conjugate(x[:, 3:7]), np.array([0.0, 0.0, 1.0])) for x in (q, cycle_q)]
    tilt = np.arccos(np.clip(np.sum(up[0] * up[1], axis=1), -1.0, 1.0))
    return Band(sizes(step), sizes(v - cycle_v), tilt, np.abs(step[:, 2]))

"""A gait: all that is needed to perform what a search has found, as a readable file (TOML)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from poise import files
from poise._version import __version__
from poise.errors import BadFile, PoiseError, UnknownName
from poise.maths.rotations import Array
from poise.methods.vibration import feedback, toml_text
from poise.methods.vibration.control import Corrections, no_corrections
from poise.methods.vibration.endurance import MOST_DRIFT, MOST_FALLS
from poise.methods.vibration.score import CONSTRAINTS, MOST_DEPTH, MOST_FEEDBACK, violated
from poise.methods.vibration.sketch import Sketch, read
from poise.methods.vibration.space import TIMES, Space
from poise.methods.vibration.unit_simulator import Controls, Driven, UnitSimulator
from poise.motion.formats import gait as gait_file

MOST_STAGES = 100  # of a unit


class Bar(NamedTuple):
    """What a fact of a gait may be at most."""

    fact: str
    scale: float  # from the fact's unit to that of `most`
    most: float
    unit: str
    words: str


BARS = (
    Bar("cyclic_error", 1.0, MOST_DRIFT, "", "does not repeat itself: cycles differ by"),
    Bar("feedback_share", 100.0, 100.0 * MOST_FEEDBACK, " %", "needs feedback of"),
    Bar("deepest", 1000.0, 1000.0 * MOST_DEPTH, " mm", "feet sink into the ground by"),
    Bar("turn", 1.0, 10.0, " degrees", "turns aside in 200 cycles by"),
)


@dataclass(frozen=True, eq=False)
class Gait:
    """Amplitudes, times and feedback of a gait, the cycle that they make, and facts about it."""

    sketch: Sketch
    flight: Mapping[str, float]  # mode -> ψ, in the sketch's unit
    ground: Mapping[str, float]
    times: Mapping[str, float]  # period, share, flight_length, ground_length
    cycle: Array  # (K, nq + nv) states about which the feedback is; K = 0: open loop
    steady: Array  # (K, inputs) [N m]
    gains: Array  # (K, inputs, 2 nv)
    track: Array  # (N, nq)
    dt: float  # [s] of the track
    shift: Array  # (3,) [m] of a cycle
    start: Array  # (nv,) velocity with which the track begins
    facts: Mapping[str, Any]

    def __repr__(self) -> str:
        words = f"misses {len(self.missed)} bars" if self.missed else "nothing missed"
        return (
            f"<Gait {self.sketch.name!r} on {self.sketch.character}: {self.facts.get('speed', 0.0):.2f} m/s, {words}>"
        )

    @property
    def missed(self) -> tuple[str, ...]:
        """What of the bars of a gait its facts say it misses, in words; a fact that is not told is missed."""
        f = self.facts
        names = violated(f.get("easy") or [np.inf] * 9).replace("none", "").split()
        out = [f"{name}: {CONSTRAINTS[name]}" for name in names]
        if "short_of_sketch" not in f:
            out.append("its file does not tell whether the sketched amplitudes are reached")
        for mode, share in f.get("short_of_sketch", {}).items():
            out.append(f"{mode} reaches {100 * share:.0f} % of what the sketch asks for, more its joints cannot bear")
        for bar in BARS:
            size = bar.scale * abs(f.get(bar.fact, np.inf))
            if not size <= bar.most:
                out.append(f"{bar.words} {size:.2g}{bar.unit} ({bar.most:g}{bar.unit} allowed)")
        out += [] if f.get("units", 0) >= f.get("units_asked", np.inf) else [f"falls after {f.get('units', 0)} steps"]
        kinds = (
            ("stays_up", "pushes", MOST_FALLS, "pushes"),
            ("noise_and_slopes_kept", "noise_and_slopes", 0, "runs with sensor noise or on a slope"),
        )
        for key, count, fewer, words in kinds:
            kept, asked = f.get(key, 0), f.get(count, np.inf)
            out += [] if kept >= asked - fewer else [f"stays up in {kept} of {asked} {words}"]
        return tuple(out)

    def controls(self, space: Space) -> Controls:
        """What the state machine needs."""
        flight = space.bases[0] @ np.array([self.flight.get(m, 0.0) for m in self.sketch.flight.names])
        ground = space.bases[1] @ np.array([self.ground.get(m, 0.0) for m in self.sketch.ground.names])
        t = self.times
        return Controls(flight, ground, t["flight_length"], t["ground_length"], t["period"], t["share"])

    def vector(self, space: Space) -> Array:
        """Its vector in a space, whose controls are those of the gait."""
        phases = ((self.flight, self.sketch.flight.names), (self.ground, self.sketch.ground.names))
        flight, ground = (np.array([psi[m] for m in names]) for psi, names in phases)
        return space.vector(flight, ground, self.times)

    def corrections(self, simulator: UnitSimulator, space: Space, steps: int) -> Corrections:
        """The feedback, or none."""
        if not len(self.cycle):
            return no_corrections(len(simulator.rest), len(simulator.stiffness), steps)
        basis = feedback.torque_basis(space.palette)
        return feedback.corrections(simulator, self.cycle, feedback.cuts(steps, len(self.cycle)), basis, self.gains,
                                    self.steady)  # fmt: skip

    def driven(self) -> Driven:
        """Its body with all that drives it, at the beginning of its track."""
        simulator, space = self.sketch.simulator(), self.space()
        given = simulator.bursts(self.controls(space))
        corrections = self.corrections(simulator, space, given.table.shape[1])
        return Driven(simulator, given, corrections, np.concatenate([self.track[0], self.start]))

    def space(self) -> Space:
        """Its modes."""
        return Space(self.sketch, self.sketch.palette())

    def text(self, folder: Path = Path()) -> str:
        """The file, as one of a folder."""
        simulator, character = self.sketch.simulator(), self.sketch.way_from(folder)
        body = [("kind", "gait"), ("name", self.sketch.name), ("character", character),
                ("poise", __version__)]  # fmt: skip
        body += [("even", True)] if self.sketch.even else []
        lines = [f"{k} = {toml_text.value(v)}" for k, v in body]
        lines.append(f"inertia = {toml_text.value(np.round(simulator.inertia, 6))}  # [kg m²] on the joints")
        if self.sketch.strength:
            lines.append(f"strength = {toml_text.value(np.round(simulator.character.torque_limit, 3))}  # [N m]")
        lines += toml_text.table("facts", self.facts)
        times = [f"{k} = {toml_text.value(v)}" for k, v in self.times.items()]
        lines += ["", f"[controls]  # [{self.sketch.unit}] and [s]", *times,
                  f"flight = {toml_text.value(self.flight)}", f"ground = {toml_text.value(self.ground)}"]  # fmt: skip
        lines += toml_text.nested("sketch", self.sketch.plain() | {"character": character})
        nq = len(simulator.rest)
        lines += ["", "[feedback]  # decided at the beginning of each stage of a unit",
                  f"stages = {len(self.cycle)}", f"q = {toml_text.rows(self.cycle[:, :nq], 7)}",
                  f"v = {toml_text.rows(self.cycle[:, nq:], 6)}", f"steady = {toml_text.rows(self.steady, 4)}",
                  f"gains = {toml_text.rows(self.gains.reshape(-1, self.gains.shape[-1]), 4)}"]  # fmt: skip
        start = toml_text.value(np.round(self.start, 6))
        lines += ["", "[track]  # one cycle", f"dt = {self.dt!r}", f"shift = {toml_text.value(self.shift)}",
                  f"start = {start}", f"q = {toml_text.rows(self.track, 6)}", ""]  # fmt: skip
        return "\n".join(lines)

    def as_written(self) -> Gait:
        """The same with the digits that its file has."""
        return read_gait(tomllib.loads(self.text()), Path(self.sketch.name))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the file; it is whole or not there. A body that is a file is told by its way from there."""
        text = self.text(Path(path).parent)
        with files.writing(path) as temporary:
            temporary.write_text(text, encoding="utf-8")


def shipped() -> tuple[Path, ...]:
    """The gait files that come with poise."""
    return tuple(sorted((Path(__file__).parent / "gaits").glob("*.toml")))


def find_gait(name_or_path: str) -> Gait:
    """A gait that comes with poise by its name, or the one in a file."""
    known = {p.stem: p for p in shipped()}
    if name_or_path not in known and not Path(name_or_path).exists() and not Path(name_or_path).suffix:
        raise UnknownName("gait or file", name_or_path, known)
    return load_gait(known.get(name_or_path, name_or_path))


def load_gait(path: str | PathLike[str]) -> Gait:
    """The gait in a file."""
    file = files.must_exist(path)
    return read_gait(gait_file.data_of(file), file)


def read_gait(data: Mapping[str, Any], file: Path) -> Gait:
    """The gait in what a file holds; the file is named where it is damaged."""
    try:
        sketch = read(data["sketch"], str(data.get("name", file.stem)), file.parent)
    except PoiseError as error:
        raise BadFile(file, f"it is a damaged gait: {error}") from None
    simulator = sketch.simulator()
    nq, nv = len(simulator.rest), len(simulator.stiffness)
    back, track = _tables(data, "feedback"), _tables(data, "track")
    count = back.get("stages", 0)
    if not isinstance(count, int) or not 0 <= count <= MOST_STAGES:
        raise BadFile(file, f"it is a damaged gait: feedback.stages must be a whole number up to {MOST_STAGES}.")
    take = lambda name, shape: gait_file.numbers(file, back.get(name), f"feedback.{name}", shape)  # noqa: E731
    inputs = feedback.torque_basis(sketch.palette()).shape[1]
    if count:
        cycle = np.hstack([take("q", (count, nq)), take("v", (count, nv))])
        steady, gains = take("steady", (count, inputs)), take("gains", (count * inputs, 2 * nv))
    else:
        cycle, steady, gains = np.zeros((0, nq + nv)), np.zeros((0, inputs)), np.zeros((0, 2 * nv))
    controls = _tables(data, "controls")
    try:
        times = {k: float(controls[k]) for k in TIMES}
        flight, ground = ({str(k): float(v) for k, v in controls[p].items()} for p in ("flight", "ground"))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise BadFile(file, "it is a damaged gait: [controls] lacks amplitudes or times.") from None
    whole = set(flight) == set(sketch.flight.names) and set(ground) == set(sketch.ground.names)
    if not whole or not np.all(np.isfinite([*times.values(), *flight.values(), *ground.values()])):
        raise BadFile(file, "it is a damaged gait: [controls] must have a number for each mode of its sketch, and none "
                      "beside.")  # fmt: skip
    if not 0.0 < times["period"] < 10.0 or min(times.values()) < 0.0:
        raise BadFile(file, "it is a damaged gait: its times must be above 0 s, and its period below 10 s.")
    numbers = lambda name, shape: gait_file.numbers(file, track.get(name), f"track.{name}", shape)  # noqa: E731
    return Gait(sketch, flight, ground, times, cycle, steady, gains.reshape(count, inputs, 2 * nv),
                numbers("q", (-1, nq)), float(numbers("dt", ())), numbers("shift", (3,)), numbers("start", (nv,)),
                data.get("facts", {}))  # fmt: skip


def _tables(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = data.get(name, {})
    return value if isinstance(value, Mapping) else {}

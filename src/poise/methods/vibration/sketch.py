"""A sketch: which vibrations a gait shall be made of, as a small file (section 5 of Nunes et al. 2012).

    character = "runner"
    gait = "run"                      # legs take turns; "hop": together; "one leg": the right one alone
    [flight]
    priority = { f2 = -30, f6 = -10 } # amplitudes [N m] that are lower bounds; the sign says which way the mode begins
    permit = ["f1", "f7", "f16"]      # what the search may use besides, or { f14 = 90 } with where it begins [N m]
    [ground]
    priority = { g7 = 20, g8 = -15 }
    exclude = ["g3", "g4"]            # or: all of the slowest `modes` but these
    modes = 12
    [rest]                            # degrees, see `rest`
    shin = 37

`even = true` makes left and right of a recording's body alike. `[springs]` has `scale`, `damping` [s] and stiffness by
part [N m/rad], one number or one for each axis; `[start]` where the search begins: `period`, `flight_length`,
`ground_length`, `height`, `speed`; `[bursts]` their `form`, square or eased. `limits = true` keeps all torques within
the joints' strength, of which the paper knows nothing; `[strength]` changes it by part [N m]. `amplitudes = "degrees"`:
amplitudes say how far each mode turns the joint that turns most, held against the springs, in the place of N m.
`torques = "modes"`: the paper's torques Φ ψ in the place of K Φ ψ ("springs"), which move their mode alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from poise.character import Character
from poise.character.load import names as load_names
from poise.errors import BadFile, BadValue, UnknownName
from poise.files import must_exist, read_bytes, writing
from poise.maths.rotations import Array
from poise.methods.vibration import toml_text
from poise.methods.vibration.control import EASED, SQUARE
from poise.methods.vibration.palette import Palette, palette
from poise.methods.vibration.rest import rest_pose, stiffness_of, strength_of
from poise.methods.vibration.unit_simulator import GAITS, HOP, ONE, RUN, UnitSimulator
from poise.methods.vibration.words import describe
from poise.motion.load import load_any_character

_NUMBERS = ("scale", "damping")  # of the springs, not a part's
LARGEST = 1_000_000  # bytes of a sketch
LARGEST_NUMBER = 1e9  # in it, whatever the unit
START = {"period": 0.7, "flight_length": 0.1, "ground_length": 0.1, "height": 0.03, "speed": 2.2}
LENGTHS = (0.04, 0.24)  # [s] of a burst, which the search may reach
NEWTON_METRES, DEGREES = "N m", "degrees"  # what amplitudes are told in
SPRINGS, MODES = "springs", "modes"  # torques of an amplitude: K Φ ψ, or the paper's Φ ψ
PERIODS = {RUN: (0.6, 1.1), HOP: (0.38, 0.9), ONE: (0.38, 0.9)}  # [s]
_KEYS = {"": {"name", "character", "even", "gait", "limits", "amplitudes", "torques", "rest", "springs", "strength",
              "bursts", "flight", "ground", "start"}, "bursts": {"form"}, "start": set(START),
         **{p: {"priority", "permit", "exclude", "modes"} for p in ("flight", "ground")}}  # fmt: skip


@dataclass(frozen=True)
class Phase:
    """The modes of one phase: those with priority first, then what else is permitted."""

    priority: Mapping[str, float]  # mode -> amplitude, signed; a lower bound of its size
    others: Mapping[str, float]  # mode -> amplitude where the search begins, no bound

    @property
    def names(self) -> tuple[str, ...]:
        """All permissible modes."""
        return (*self.priority, *self.others)


@dataclass(frozen=True, eq=False)
class Sketch:
    """What an animator wants, checked."""

    name: str
    character: str
    gait: str
    flight: Phase
    ground: Phase
    rest: Mapping[str, Any] | None = None
    springs: Mapping[str, Any] = field(default_factory=dict)
    start: Mapping[str, float] = field(default_factory=lambda: dict(START))
    form: str = SQUARE
    limits: bool = False  # are torques kept within the joints' strength?
    strength: Mapping[str, float] = field(default_factory=dict)  # part -> [N m], where it is not the character's
    unit: str = NEWTON_METRES  # of amplitudes
    even: bool = False  # are left and right of a recording's body made alike?
    torques: str = SPRINGS  # what an amplitude strikes the joints with

    def __repr__(self) -> str:
        return f"<Sketch {self.name!r} on {self.character}: {self.gait}, {' '.join(self.flight.priority)} in flight, " \
               f"{' '.join(self.ground.priority)} on the ground>"  # fmt: skip

    def plain(self) -> dict[str, Any]:
        """The same as plain data, from which `read` makes it again."""
        permit = lambda p: dict(p.others) if any(p.others.values()) else list(p.others)  # noqa: E731
        phase = lambda p: {"priority": dict(p.priority), "permit": permit(p)}  # noqa: E731
        out: dict[str, Any] = {"name": self.name, "character": self.character, "gait": self.gait}
        out |= {"even": True} if self.even else {}
        out |= {} if self.rest is None else {"rest": dict(self.rest)}
        out |= {"springs": dict(self.springs)} if self.springs else {}
        out |= {"limits": True} if self.limits else {}
        out |= {"strength": dict(self.strength)} if self.strength else {}
        out |= {"amplitudes": self.unit} if self.unit != NEWTON_METRES else {}
        out |= {"torques": self.torques} if self.torques != SPRINGS else {}
        return out | {"start": dict(self.start), "bursts": {"form": self.form}, "flight": phase(self.flight),
                      "ground": phase(self.ground)}  # fmt: skip

    def text(self, folder: Path = Path()) -> str:
        """The sketch as a file of a folder, with what each mode moves beside it."""
        found = self.palette()
        moves = describe(found)
        plain = {**self.plain(), "character": self.way_from(folder)}
        bursts = plain.pop("bursts")
        top = {k: v for k, v in plain.items() if not isinstance(v, Mapping)}
        lines = [f"{k} = {toml_text.value(v)}" for k, v in top.items()]
        for phase in ("flight", "ground"):
            lines += [*toml_text.table(phase, plain[phase]), *(
                f"# {m}: {found[m].frequency:.2f} Hz, {moves[m]}" for m in getattr(self, phase).names)]  # fmt: skip
        for name in ("rest", "springs", "strength", "start"):
            lines += toml_text.table(name, plain[name]) if name in plain else []
        lines += toml_text.table("bursts", bursts) if self.form != SQUARE else []
        return "\n".join([*lines, ""])

    def save(self, path: str | PathLike[str]) -> None:
        """Write the file; it is whole or not there. A body that is a file is told by its way from there."""
        text = self.text(Path(path).parent)
        with writing(path) as temporary:
            temporary.write_text(text, encoding="utf-8")

    def way_from(self, folder: Path) -> str:
        """What its body is called in a file of this folder: a file by the way to it from there."""
        path = Path(self.character)
        relative = self.character not in load_names() and path.is_file() and not path.is_absolute()
        return os.path.relpath(path, folder) if relative else self.character

    @property
    def digest(self) -> str:
        """What tells this sketch from any other."""
        return hashlib.sha256(json.dumps(self.plain()).encode()).hexdigest()[:16]

    def body(self) -> Character:
        """Its body, with the strength that the sketch gives it."""
        body = load_any_character(self.character, even=self.even)
        return replace(body, torque_limit=strength_of(body, self.strength)) if self.strength else body

    def palette(self) -> Palette:
        """The modes of its body."""
        return _palette(self.body(), self.rest, self.springs, self.gait)

    def simulator(self, contact: str = "soft") -> UnitSimulator:
        """Its body in the world."""
        body = self.body()
        stiffness, damping = _stiffness(body, self.springs), float(self.springs.get("damping", 0.1))
        return UnitSimulator.of(body, rest_pose(body, self.rest), stiffness, self.gait, damping, contact=contact,
                                form=self.form, limited=self.limits)  # fmt: skip


def _stiffness(body: Character, springs: Mapping[str, Any]) -> Array:
    changes = {k: v for k, v in springs.items() if k not in _NUMBERS}
    return stiffness_of(body, changes, float(springs.get("scale", 1.0)))


def _palette(body: Character, rest: Mapping[str, Any] | None, springs: Mapping[str, Any], gait: str) -> Palette:
    return palette(body, rest_pose(body, rest), _stiffness(body, springs), "both" if gait == HOP else "right")


def built_in() -> tuple[str, ...]:
    """Names of the sketches that come with poise."""
    return tuple(sorted(p.stem for p in (Path(__file__).parent / "sketches").glob("*.toml")))


def find_sketch(name_or_path: str) -> Sketch:
    """A built-in sketch by its name, or the one in a file."""
    if name_or_path in built_in():
        return load_sketch(Path(__file__).parent / "sketches" / f"{name_or_path}.toml")
    path = Path(name_or_path)
    if not path.exists() and not path.suffix:
        raise UnknownName("sketch or file", name_or_path, built_in())
    return load_sketch(path)


def load_sketch(path: str | PathLike[str]) -> Sketch:
    """The sketch in a file."""
    file = must_exist(path)
    try:
        data = tomllib.loads(read_bytes(file, LARGEST).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise BadFile(path, f"it is no sketch: {str(error).rstrip('.')}.") from None
    try:
        return read(data, Path(path).stem, Path(path).parent)
    except UnknownName as error:
        raise BadFile(path, str(error)) from None
    except BadValue as error:
        raise BadFile(path, str(error)) from None


def read(data: Mapping[str, Any], name: str = "sketch", folder: Path | None = None) -> Sketch:
    """A sketch from plain data; what cannot be meant is refused, with the names that exist.

    A body that is a file is looked for in `folder`, that of the sketch, then from where poise runs.
    """
    _known(data, "")
    for table in ("bursts", "start"):
        _known(_table(data, table), table)
    gait = data.get("gait", RUN)
    if gait not in GAITS:
        raise UnknownName("gait", gait, GAITS)
    if not isinstance(data.get("character"), str) or not data["character"]:
        raise BadValue('A sketch names its character, such as character = "runner".')
    rest = _table(data, "rest") if "rest" in data else None
    springs = {k: [_number(f"springs.{k}", x, 0.0) for x in v] if isinstance(v, list) and k not in _NUMBERS else
               _number(f"springs.{k}", v, 0.0) for k, v in _table(data, "springs").items()}  # fmt: skip
    strength = {k: _number(f"strength.{k}", v, 0.0) for k, v in _table(data, "strength").items()}
    even, character = _flag(data, "even"), data["character"]
    if folder is not None and character not in load_names() and (folder / character).is_file():
        character = os.path.normpath(folder / character)
    body = load_any_character(character, even=even)
    strength_of(body, strength)
    found = _palette(body, rest, springs, gait)
    if gait == RUN and not found.symmetric:
        way = (
            "even = true makes the bodies of recordings alike on both sides, not models and saved clips; mend the "
            "model, or take"
            if even
            else "even = true makes the body of a recording alike on both sides, or take"
        )
        raise BadValue(f"Left and right of {character} are not alike, so its legs cannot take turns by "
                       f"exchanging them; {way} gait = \"one leg\".")  # fmt: skip
    start = dict(START) | {k: _number(f"start.{k}", v, 0.0) for k, v in _table(data, "start").items()}
    for key, (low, high) in {"period": PERIODS[gait], "flight_length": LENGTHS, "ground_length": LENGTHS}.items():
        if key in _table(data, "start") and not low <= start[key] <= high:
            raise BadValue(f"start.{key} of a {gait} must be from {low:g} to {high:g} s, not {start[key]:g}.")
    form = _table(data, "bursts").get("form", SQUARE)
    if form not in (SQUARE, EASED):
        raise UnknownName("form of a burst", form, (SQUARE, EASED))
    unit = data.get("amplitudes", NEWTON_METRES)
    if unit not in (NEWTON_METRES, DEGREES):
        raise UnknownName("unit of amplitudes", unit, (NEWTON_METRES, DEGREES))
    torques = data.get("torques", SPRINGS)
    if torques not in (SPRINGS, MODES):
        raise UnknownName("kind of torques", torques, (SPRINGS, MODES))
    limits = _flag(data, "limits")
    flight, ground = (_phase(_table(data, p), p, found) for p in ("flight", "ground"))
    return Sketch(str(data.get("name", name)), character, gait, flight, ground, rest, springs, start, form,
                  limits, strength, unit, even, torques)  # fmt: skip


def _phase(data: Mapping[str, Any], phase: str, found: Palette) -> Phase:
    """The modes of a phase: priority and permitted, or all of the slowest but those excluded."""
    _known(data, phase)
    every = tuple(m.name for m in getattr(found, phase))
    priority = {m: _number(f"{phase}.priority.{m}", a) for m, a in _table(data, "priority").items()}
    permit, exclude = _permitted(data, phase), _names(data, "exclude", phase)
    for mode in (*priority, *permit, *exclude):
        if mode not in every:
            raise UnknownName(f"{phase} mode of {found.character.name}", mode, (),
                              f"There are {every[0]} to {every[-1]}; poise modes lists those of a sketch.")  # fmt: skip
    for others, words in ((priority, "has priority"), (permit, "is permitted")):
        both = set(exclude) & set(others)
        if both:
            raise BadValue(f"{min(both)} of {phase} {words} and is excluded; it can be one of them.")
    count = data.get("modes", 12 if "exclude" in data else 0)
    if not isinstance(count, int) or not 0 <= count <= len(every):
        raise BadValue(f"{phase}.modes must be a whole number up to {len(every)}, not {count!r}.")
    slow = [m for m in every[:count] if m not in exclude]
    others = {m: permit.get(m, 0.0) for m in (*permit, *slow) if m not in priority}
    if not priority and not others:
        raise BadValue(f"The sketch excludes all modes of {phase}: nothing would move the body; permit some of them.")
    return Phase(priority, others)


def _flag(data: Mapping[str, Any], name: str) -> bool:
    value = data.get(name, False)
    if not isinstance(value, bool):
        raise BadValue(f"{name} of a sketch is true or false, not {value!r}.")
    return value


def _table(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = data.get(name, {})
    if not isinstance(value, Mapping):
        raise BadValue(f"{name} of a sketch must be a table, [{name}], not {value!r}.")
    return value


def _permitted(data: Mapping[str, Any], phase: str) -> dict[str, float]:
    """Modes that are permitted, with the amplitudes where the search begins: zero where it is a mere list."""
    value = data.get("permit", [])
    if isinstance(value, Mapping):
        return {m: _number(f"{phase}.permit.{m}", a) for m, a in value.items()}
    return dict.fromkeys(_names(data, "permit", phase), 0.0)


def _names(data: Mapping[str, Any], key: str, phase: str) -> list[str]:
    value = data.get(key, [])
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise BadValue(f'{phase}.{key} must be a list of modes, such as ["{phase[0]}1"], not {value!r}.')
    return value


def _number(what: str, value: Any, least: float = -np.inf) -> float:
    known = not isinstance(value, bool) and isinstance(value, int | float) and abs(value) < LARGEST_NUMBER
    if not known or value < least:
        raise BadValue(f"{what} must be a number{' of at least 0' if least == 0.0 else ''}, not {value!r}.")
    return float(value)


def _known(data: Mapping[str, Any], table: str) -> None:
    for key in data:
        if key not in _KEYS[table]:
            raise UnknownName(f"entry of {table or 'a sketch'}", key, _KEYS[table])

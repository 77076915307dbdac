"""Settings of frozen values: the kind, unit, range, default, document's value and meaning of each, checked when made.

A dataclass declares its settings with `number`, `whole`, `flag` and their like where plain defaults would stand, and
calls `check(self, owner)` when it is made. Lists for the command line, the docs and sliders are read from there.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import Field, dataclass, field, fields, replace
from fractions import Fraction
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np

from poise.errors import BadValue, UnknownName

T = TypeVar("T")
ABSENT: Any = type("Absent", (), {"__repr__": lambda _: "ABSENT", "__doc__": "Stands where nothing is given."})()


PART = {"part": True}  # metadata of a field that is a frozen value with settings of its own


@dataclass(frozen=True)
class Setting:
    """What a setting may be."""

    name: str  # with a dot inside a part, such as tasks.spin
    type: str  # number, whole, flag, choice, names, text, numbers, parts or special
    default: Any
    about: str  # one line of meaning
    unit: str = ""
    low: float = -math.inf  # least and greatest value, both allowed
    high: float = math.inf
    printed: Any = ABSENT  # the value of the method's document, where it has one
    said: str = ""  # the document's value in words, where one number does not say it
    words: tuple[str, ...] = ()  # the choices or names; beside a number, words such as auto that may stand for it
    noun: str = ""  # what a choice or name is, for refusals
    none: bool = False  # may it be None: not given?
    infinite: bool = False  # may it be infinite?
    size: int = 0  # how many numbers
    kind: type = object  # class of parts
    range_words: str = ""  # what is allowed, where numbers do not say it
    takes: Callable[[Any], Any] | None = None  # special: the value as it is kept; ValueError refuses it
    reads: Callable[[str], Any] | None = None  # special: the value of a word on the command line

    @property
    def range(self) -> str:
        """What is allowed, in words: "a number from 0 to 10"."""
        out = self.range_words or _RANGES[self.type](self)
        if self.words and self.type in ("number", "whole"):
            out += f", or {' or '.join(self.words)}"
        return out + (", or none" if self.none else "")

    def checked(self, value: Any, owner: str) -> Any:
        """The value as plain Python data; one that is not allowed is refused in one sentence."""
        if (value is None and self.none) or (isinstance(value, str) and value in self.words and self.type != "names"):
            return value
        if self.type == "choice" and isinstance(value, str):
            raise UnknownName(self.noun or f"value of {self.name} of {owner}", shortened(value), self.words)
        try:
            return _TAKES[self.type](self, value)
        except (ValueError, TypeError, OverflowError):
            raise self.refused(value, owner) from None

    def refused(self, value: object, owner: str) -> BadValue:
        """The sentence that says what is allowed."""
        unit = f" [{self.unit}]" if self.unit else ""
        return BadValue(f"{self.name}{unit} of {owner} must be {self.range}, not {_short(value)}.")

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        plain = ("name", "type", "unit", "default", "about", "said")
        out: dict[str, Any] = {key: _plain(getattr(self, key)) for key in plain}
        out |= {"low": _plain(self.low), "high": _plain(self.high), "words": list(self.words), "range": self.range}
        return out | ({} if self.printed is ABSENT else {"printed": _plain(self.printed)})


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return [_plain(v) for v in value] if isinstance(value, tuple | frozenset) else value


def _short(value: object) -> str:
    try:
        return reprlib.repr(value)
    except Exception:  # a repr of someone else's, or an int of thousands of digits
        return f"a {type(value).__name__}"


def shortened(name: Any) -> Any:
    """A name that may be repeated in a sentence."""
    return name[:40] + "..." if isinstance(name, str) and len(name) > 60 else name


def _number(setting: Setting, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError
    x = float(value)
    if math.isnan(x) or (math.isinf(x) and not setting.infinite) or not setting.low <= x <= setting.high:
        raise ValueError
    return x


def _whole(setting: Setting, value: Any) -> int:
    x = _number(setting, value)
    if x != int(x):
        raise ValueError
    return int(value) if isinstance(value, Integral) else int(x)


def _flag(_: Setting, value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise TypeError
    return bool(value)


def _names(setting: Setting, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        every = {"all": setting.words, "none": (), "": ()}
        value = every.get(value.strip(), tuple(n.strip() for n in value.split(",") if n.strip()))
    named = tuple(value)
    for name in named:
        if name not in setting.words:
            raise UnknownName(setting.noun or f"name in {setting.name}", shortened(name), setting.words)
    return named


def _text(_: Setting, value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable() or len(value) > 200:
        raise ValueError
    return value


def _several(setting: Setting, value: Any) -> tuple[float, ...]:
    if isinstance(value, str):
        raise TypeError
    found = tuple(_number(setting, v) for v in value)
    if len(found) != setting.size:
        raise ValueError
    return found


def _parts(setting: Setting, value: Any) -> tuple[Any, ...]:
    found = tuple(value)
    if not all(isinstance(v, setting.kind) for v in found):
        raise TypeError
    return found


def _special(setting: Setting, value: Any) -> Any:
    assert setting.takes is not None
    return setting.takes(value)


_TAKES: dict[str, Callable[[Setting, Any], Any]] = {
    "number": _number, "whole": _whole, "flag": _flag, "names": _names, "text": _text, "numbers": _several,
    "parts": _parts, "special": _special, "choice": _text,
}  # fmt: skip


def _from_to(s: Setting) -> str:
    if math.isinf(s.high) and not s.infinite:
        return f"from {shown(s.low)} on"
    return f"from {shown(s.low)} to {shown(s.high)}"


_RANGES: dict[str, Callable[[Setting], str]] = {
    "number": lambda s: f"a number {_from_to(s)}",
    "whole": lambda s: f"a whole number {_from_to(s)}",
    "flag": lambda s: "on or off",
    "choice": lambda s: "one of " + ", ".join(s.words),
    "names": lambda s: "some of " + ", ".join(s.words),
    "text": lambda s: "a name",
    "numbers": lambda s: f"{s.size} numbers {_from_to(s)}",
    "parts": lambda s: f"a tuple of {s.kind.__name__}",
    "special": lambda s: "",
}


def shown(value: Any) -> str:
    """A value as a user writes it: on, none, 1/960, 1e-6."""
    if value is None or (isinstance(value, tuple | frozenset) and not value):
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple | frozenset):
        return ",".join(shown(v) for v in value)
    if not isinstance(value, Real) or isinstance(value, Integral):
        return str(value)
    x = float(value)
    if math.isfinite(x) and float(f"{x:g}") != x and Fraction(x).limit_denominator(10000).numerator == 1:
        return f"1/{round(1 / x)}"
    return f"{x:g}".replace("e+0", "e").replace("e-0", "e-")


def _declared(type: str, default: Any, about: str, **facts: Any) -> Any:
    """A dataclass field with a setting in its metadata."""
    meta = {"setting": Setting("", type, default, about, **facts)}
    return field(metadata=meta) if default is ABSENT else field(default=default, metadata=meta)


def number(default: float | str | None, about: str, low: float, high: float, unit: str = "", **facts: Any) -> Any:
    """A number within [low, high]; `none=True` allows None, `infinite=True` inf, `words` words in its place."""
    return _declared("number", default, about, low=low, high=high, unit=unit, **facts)


def whole(default: int | str, about: str, low: int, high: int, unit: str = "", **facts: Any) -> Any:
    """A whole number within [low, high]."""
    return _declared("whole", default, about, low=low, high=high, unit=unit, **facts)


def flag(default: bool | None, about: str, **facts: Any) -> Any:
    """On or off."""
    return _declared("flag", default, about, none=default is None, **facts)


def choice(default: str, about: str, words: Iterable[str], noun: str, **facts: Any) -> Any:
    """One word of several; `noun` says what they are."""
    return _declared("choice", default, about, words=tuple(words), noun=noun, **facts)


def names(default: tuple[str, ...], about: str, words: Iterable[str], noun: str, **facts: Any) -> Any:
    """Some of several names, in a tuple or in one string with commas, "all" or "none"."""
    return _declared("names", default, about, words=tuple(words), noun=noun, **facts)


def text(default: Any, about: str, **facts: Any) -> Any:
    """A name that is only known later, such as that of a body; without a default it must be given."""
    return _declared("text", default, about, **facts)


def numbers(default: Any, about: str, low: float, high: float, unit: str = "", **facts: Any) -> Any:
    """As many numbers as the default has, or `size`, each within [low, high]."""
    size = facts.pop("size", None) or len(default)
    return _declared("numbers", default, about, low=low, high=high, unit=unit, size=size, **facts)


def parts(kind: type, about: str, **facts: Any) -> Any:
    """A tuple of values of a class, made in Python."""
    return _declared("parts", (), about, kind=kind, **facts)


def special(default: Any, about: str, range_words: str, takes: Callable[[Any], Any], reads: Callable[[str], Any],
            **facts: Any) -> Any:  # fmt: skip
    """A setting with a check and words of its own."""
    return _declared("special", default, about, range_words=range_words, takes=takes, reads=reads, **facts)


def check(value: Any, owner: str) -> None:
    """Refuse a frozen value whose settings are not allowed; numbers that are, are kept as plain Python ones."""
    for f in fields(value):
        given = getattr(value, f.name)
        if f.metadata.get("part"):
            _check_part(value, f, given, owner)
        elif "setting" in f.metadata:
            kept = replace(f.metadata["setting"], name=f.name).checked(given, owner)
            if kept is not given:
                object.__setattr__(value, f.name, kept)


def _check_part(value: Any, f: Field[Any], given: Any, owner: str) -> None:
    kind = type(f.default_factory())  # type: ignore[misc]
    if not isinstance(given, kind):
        raise BadValue(f"{f.name} of {owner} must be a {kind.__name__}, not {_short(given)}.")


def listed(value: Any, before: str = "") -> Iterator[Setting]:
    """The settings of a frozen value, those of its parts after a dot; `default` is what the value itself has."""
    for f in fields(value):
        if f.metadata.get("part"):
            yield from listed(getattr(value, f.name), f"{before}{f.name}.")
        elif "setting" in f.metadata:
            yield replace(f.metadata["setting"], name=before + f.name, default=getattr(value, f.name))


def printed(kind: type) -> dict[str, Any]:
    """The document's values of the settings of a class, by name, without those that the document leaves open."""
    given = {f.name: f.metadata["setting"].printed for f in fields(kind) if "setting" in f.metadata}
    return {name: value for name, value in given.items() if value is not ABSENT}


def has_departure(value: Any, departure: str) -> bool:
    """Is this departure from the document on? A method has it as `has`; `repair` also has a setting of its own."""
    return departure in value.departures and (departure != "repair" or getattr(value, "repair", True))


def printed_form(kind: type[T], **changes: Any) -> T:
    """The document's own form, its printed errors corrected, with `changes`; a method has it as `printed`."""
    return kind(**{**printed(kind), **changes})

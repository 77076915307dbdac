"""Grounds, pushes and balls as words on the command line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from poise.errors import BadValue
from poise.ground import KINDS, kind

if TYPE_CHECKING:
    from poise.ground.ground import Ground
    from poise.stage import Ball, Push

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_PUSH = re.compile(
    rf"(?P<body>[^:]+):(?P<x>{_NUMBER}),(?P<y>{_NUMBER}),(?P<z>{_NUMBER})@(?P<at>{_NUMBER})\+(?P<long>{_NUMBER})"
)
_BALL = re.compile(
    rf"(?P<body>[^:]+):(?P<mass>{_NUMBER})kg,(?P<speed>{_NUMBER})m/s(?:,(?P<from>{_NUMBER})deg)?@(?P<at>{_NUMBER})"
)


def push(text: str) -> Push:
    """chest:0,150,0@1.0+0.1 is 150 N along Y on the chest, at 1 s, for 0.1 s."""
    from poise.stage import Push

    m = _PUSH.fullmatch(text.strip())
    if m is None:
        raise BadValue(f"--push wants BODY:FX,FY,FZ@AT+DURATION, such as chest:0,150,0@1.0+0.1, not {text!r}.")
    force = tuple(float(m[k]) for k in "xyz")
    return Push(m["body"], force=force, at=float(m["at"]), duration=float(m["long"]))


def ball(text: str) -> Ball:
    """head:2kg,10m/s@2.0 flies along X at the head at 2 s; head:2kg,10m/s,90deg@2.0 along Y."""
    import math

    from poise.stage import Ball

    m = _BALL.fullmatch(text.strip())
    if m is None:
        raise BadValue(f"--ball wants BODY:MASSkg,SPEEDm/s@AT, such as head:2kg,10m/s@2.0, not {text!r}.")
    way = math.radians(float(m["from"] or 0.0))
    return Ball(mass=float(m["mass"]), at=float(m["at"]), speed=float(m["speed"]), toward=m["body"],
                direction=(math.cos(way), math.sin(way), 0.0))  # fmt: skip


def forms() -> str:
    """How grounds are written, as part of a sentence."""
    known = [form for _, form in KINDS.values() if form]
    return f"{', '.join(known[:-1])} or {known[-1]}"


def ground(text: str) -> Ground:
    """A ground in one of the `forms`: its kind, and numbers in place of the capitals (slope:-5, stairs:0.15x0.3)."""
    word, _, rest = text.partition(":")
    for name, (_, form) in KINDS.items():
        begins, _, numbers = form.partition(":")
        given = re.fullmatch(re.sub("[A-Z]+", "(.+)", numbers), rest)
        if word != begins or not form or given is None:
            continue
        made: Any = kind(name)
        try:
            return getattr(made, "written", made)(*map(float, given.groups()))
        except ValueError:
            break  # not numbers
    raise BadValue(f"--ground wants {forms()}, not {text!r}.")

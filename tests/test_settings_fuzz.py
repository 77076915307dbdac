"""Odd settings the whole way: given in Python or as --set, then performed, with nothing but a PoiseError coming out.

Values are drawn for every setting of every method: inside and at the edges of its range, outside of it, no numbers,
huge, empty and strange words. What is accepted is performed for 0.1 s: the take holds no NaN and comes within 20 s and
2 GB. The short test runs always; the long one for POISE_FUZZ_SECONDS (180 by default) from POISE_FUZZ_SEED.
"""

from __future__ import annotations

import math
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import poise
from poise import methods
from poise.errors import PoiseError
from poise.methods.balance import Pull, Upright
from poise.methods.mcsim import McSim
from poise.methods.schema import changed
from poise.settings import Setting, shown

LONGEST = 20.0  # [s] of a performance of 0.1 s
MOST = 1500.0  # [MB] that one performance may add to what the process has held at most
SECONDS = 0.1
WORDS = ["", " ", "=", "nan", "inf", "-inf", "1e999", "-1", "0", "1/0", "0/0", "1/3", "1,2,3", "1,,3", "()", "none",
         "None", "auto", "all", "true", "False", "maybe", "9" * 5000, "1_0", "٣", "½", "é\u202e", "\x1b[2J", "\0",
         "a" * 10000, "chest", "left_foot", "tail", "{}", "6:9", "6:", "9:6", "7,9", "-0", "0x10", "1e-320", "\ud800",
         "%s", "../x"]  # fmt: skip
THINGS: list[Any] = [None, True, False, "", "x", b"x", math.nan, math.inf, -math.inf, -1, 0, 10**400, 1j, [], [1], (),
                     {}, (math.nan,) * 3, (1, 2, 3), np.float32(0.5), np.int64(3), np.array([1.0, 2.0, 3.0]),
                     np.bool_(True), object(), ("gravity",), frozenset({6, 7}), frozenset(), (6, 9), (6, 40000), "none",
                     "all", "a" * 10000, Pull("chest", (0, 0, 9)),
                     (Pull("pelvis", (0, 0, 1), end=0.05),), (Upright("left_hand"),), (Upright("tail"),)]  # fmt: skip


def drawn(s: Setting, pick: random.Random) -> Any:
    """A value for a setting: mostly one that is allowed."""
    if pick.random() < 0.15:
        return pick.choice(THINGS)
    if s.type in ("number", "whole", "numbers"):
        value = tuple(_number(s, pick) for _ in range(max(s.size, 1)))
        return value if s.type == "numbers" else round(value[0]) if s.type == "whole" else value[0]
    if s.type == "flag":
        return pick.random() < 0.5
    if s.type == "choice":
        return pick.choice(s.words)
    if s.type == "names":
        return tuple(w for w in s.words if pick.random() < 0.5)
    return pick.choice([s.default, *THINGS])


def _number(s: Setting, pick: random.Random) -> float:
    high = min(s.high, 1e9)
    how = pick.randrange(5)
    if how == 0:
        return pick.choice([s.low, s.high])
    if how == 1:
        return pick.uniform(s.low, high)
    if how == 2 and isinstance(s.default, float) and math.isfinite(s.default):
        return min(high, max(s.low, s.default * math.exp(pick.gauss(0.0, 2.0))))
    if how == 3:
        return math.nextafter(*pick.choice([(s.low, high), (high, s.low), (s.low, -math.inf), (high, math.inf)]))
    least = max(s.low, 1e-9)
    return math.exp(pick.uniform(math.log(least), math.log(max(high, least))))


def made(pick: random.Random, tried: list[Any]) -> Any:
    """A method with one to four of its settings changed, in Python or in words."""
    name = pick.choice([n for n in methods.names() if n != "kinematic"])
    way = McSim.printed() if name == "mcsim" and pick.random() < 0.2 else methods.method(name)
    known = methods.settings_of(name)
    chosen = pick.sample(known, pick.choice([1, 1, 2, 4]) if len(known) > 3 else 1)
    tried.append(name)
    if pick.random() < 0.5:
        words = [f"{s.name}={shown(drawn(s, pick)) if pick.random() < 0.7 else pick.choice(WORDS)}" for s in chosen]
        words += [pick.choice(WORDS)] if pick.random() < 0.03 else []
        tried.append(words)
        return changed(way, words)
    for s in chosen:
        value = drawn(s, pick)
        tried.append((s.name, value))
        part, dot, rest = s.name.partition(".")
        way = replace(way, **{part: replace(getattr(way, part), **{rest: value}) if dot else value})
    return way


@cache
def _clip(name: str) -> poise.Clip:
    return poise.load_clip(name)


def _late(*_: object) -> None:
    raise AssertionError(f"longer than {6 * LONGEST} s")


def megabytes() -> float:
    """Memory that this process has held at most; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def one(seed: int, again: bool = False) -> bool:
    """Draw, make and perform; was it accepted? What takes long is tried again: kernels may have been compiled."""
    pick, tried = random.Random(seed), []
    signal.signal(signal.SIGPROF, _late)
    signal.setitimer(signal.ITIMER_PROF, 6 * LONGEST)  # of the processor: others may use the machine too
    begun, held = time.process_time(), megabytes()
    try:
        way = made(pick, tried)
        take = poise.perform(_clip(pick.choice(["stand", "walk"])), way, seconds=SECONDS)
    except PoiseError as error:
        text = str(error)
        assert "\n" not in text and "\x1b" not in text and len(text) < 1500, (seed, tried, text)
        return False
    except BaseException as error:
        raise AssertionError(f"seed {seed}: {tried!r:.500}: {type(error).__name__}: {error!s:.300}") from error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        spent = time.process_time() - begun
    if spent > LONGEST and not again:
        return one(seed, again=True)
    assert spent < LONGEST, (seed, tried, spent)
    grown = megabytes() - held  # other tests of this process, and kernels that they compile, are not meant
    assert grown < MOST, (seed, tried, grown)
    for values in (take.q, take.v, take.torque, take.contacts.force, take.external.force, take.assist.moment):
        assert np.all(np.isfinite(values)), (seed, tried)
    return True


@pytest.fixture
def emptied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """States before a blow-up are saved where they are thrown away."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield


def test_odd_settings(emptied: None) -> None:
    accepted = sum(one(seed) for seed in range(40))
    assert 8 <= accepted <= 36


@pytest.mark.slow
def test_odd_settings_for_minutes(emptied: None) -> None:
    until = time.monotonic() + float(os.environ.get("POISE_FUZZ_SECONDS", "180"))
    first = seed = int(os.environ.get("POISE_FUZZ_SEED", "10000"))
    accepted = 0
    while time.monotonic() < until:
        accepted += one(seed)
        seed += 1
    print(f"{seed - first} settings from seed {first}, {accepted} accepted, {megabytes():.0f} MB at most")

"""Settings: one typed list for each method, from which refusals, --set, `poise methods` and the docs' tables come."""

from __future__ import annotations

import json
import math
import re
import time
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import poise
from cli_files import done, refused
from poise import methods
from poise.errors import BadValue, PoiseError, UnknownName
from poise.methods.balance import HONEST, Balance, Cylinder, Pull
from poise.methods.mcsim import McSim
from poise.methods.mcsim.settings import Numbers, Tasks
from poise.methods.modal import Modal, ModalTorques
from poise.methods.pd import PD
from poise.methods.schema import changed, renewed
from poise.motion.feet.capture_point import Foothold
from poise.settings import ABSENT, listed, printed, shown

DOCS = Path(__file__).resolve().parents[1] / "docs"
EVERY = [(name, setting) for name in methods.names() for setting in methods.settings_of(name)]
IDS = [f"{name}:{setting.name}" for name, setting in EVERY]


@pytest.mark.parametrize("name", methods.names())
def test_every_field_of_a_method_is_in_its_list(name: str) -> None:
    """Each has a meaning; numbers have a finite range that holds the default and the document's value."""
    own = methods.method(name)
    tops = {s.name.partition(".")[0] for s in methods.settings_of(name)}
    assert tops == {f.name for f in fields(own)}
    for s in methods.settings_of(name):
        assert s.about and s.range, s
        assert s.checked(s.default, name) == s.default
        if s.printed is not ABSENT:
            assert s.checked(s.printed, name) == s.printed
        if s.type in ("number", "whole", "numbers"):
            assert math.isfinite(s.low) and (math.isfinite(s.high) or s.infinite), s


def _make(name: str, setting: str, value: object) -> object:
    part, dot, rest = setting.partition(".")
    if not dot:
        return methods.method(name, **{part: value})
    base = getattr(methods.method(name), part)
    return methods.method(name, **{part: replace(base, **{rest: value})})


@pytest.mark.parametrize(("name", "s"), EVERY, ids=IDS)
def test_what_is_no_value_is_refused_in_one_sentence(name: str, s) -> None:
    bad: list[object] = [object(), [object()], b"x", 1j, float("nan"), "\x1b[31m", {"a": 1}]
    if s.type in ("number", "whole"):
        bad += [True, "12", "", 10**5000, np.array(1.0), s.low - 1, s.high + 1 if math.isfinite(s.high) else -math.inf]
        bad += [] if s.infinite else [math.inf, -math.inf]
        bad += [] if s.none else [None]
    if s.type == "whole":
        bad.append(2.5)
    if s.type == "numbers":
        bad += [(1.0,), "1,2,3", (1.0, 2.0, math.nan), (1.0, 2.0, True), (s.high * 2,) * s.size]
    if s.type == "flag":
        bad += ["yes", 1, 0.0]
    for value in bad:
        with pytest.raises(PoiseError) as told:
            _make(name, s.name, value)
        text = str(told.value)
        assert "\n" not in text and "\x1b" not in text and len(text) < 600
        if isinstance(told.value, BadValue) and s.type != "special":
            assert s.name.split(".")[-1] in text and s.unit in text


@pytest.mark.parametrize(("name", "s"), EVERY, ids=IDS)
def test_edges_are_allowed_and_kept_as_plain_numbers(name: str, s) -> None:
    if s.type in ("number", "whole"):
        for value in (s.low, s.high, np.float64(s.low), np.float32(1.0) if s.low <= 1 <= s.high else s.low):
            made = _make(name, s.name, value)
            for part in s.name.split("."):
                made = getattr(made, part)
            assert type(made) is (int if s.type == "whole" else float) and made == value


@pytest.mark.parametrize(("name", "s"), EVERY, ids=IDS)
def test_what_a_list_shows_can_be_set(name: str, s) -> None:
    """The default as it is printed, read again, changes nothing."""
    if s.type == "parts":
        with pytest.raises(BadValue, match="in Python only"):
            changed(methods.method(name), [f"{s.name}=x"])
        return
    assert changed(methods.method(name), [f"{s.name}={shown(s.default)}"]) == methods.method(name)


@pytest.mark.parametrize("word", ["False", "false", "0", "no", "off", "OFF", "No"])
def test_off_is_off(word: str) -> None:
    assert changed(McSim(), [f"planar={word}"]).planar is False
    assert changed(Modal(), [f"repair={word}"]).repair is False


@pytest.mark.parametrize("word", ["True", "true", "1", "yes", "on"])
def test_on_is_on(word: str) -> None:
    assert changed(McSim(), [f"planar={word}"]).planar is True


def test_words_of_every_kind() -> None:
    way = changed(McSim(), ["tasks.spin=1e-3", "tasks.mass_centre=1,2,3", "foothold.aside=0.3",
                            "departures=clock,sight", "step_size=1/1920", "kos=500"])  # fmt: skip
    assert way.tasks == Tasks(spin=1e-3, mass_centre=(1.0, 2.0, 3.0)) and way.departures == ("clock", "sight")
    assert way.foothold == Foothold(aside=0.3, apart=-0.15, band=0.04)  # mcsim's own, but for what was given
    assert way.step_size == 1 / 1920 and way.kos == 500.0 and way == replace(way)
    assert changed(McSim(), ["departures=none"]).departures == () and changed(McSim(), ["departures=all"]) == McSim()
    own = changed(Balance(), ["cylinder.radius=0.2", "slider=auto", "until=inf", "terms=gravity", "sensor=zones"])
    assert own.cylinder == Cylinder(radius=0.2) and own.slider is None and own.until == math.inf
    assert own.terms == ("gravity",) and own.sensor == "zones"
    assert changed(HONEST, ["kfs=900"]) == replace(HONEST, kfs=900.0)
    assert changed(Modal(), ["window=auto", "modes=6:30", "loads=on"]) == Modal(
        window="auto", modes=(6, 30), loads=True
    )
    assert changed(Modal(modes=(6, 9)), ["modes=7,9,12"]).modes == frozenset({7, 9, 12})
    assert changed(Modal(modes=(6, 9)), ["modes=none"]).modes is None
    assert methods.method("pd", lag=Fraction(1, 10)).lag == 0.1


@pytest.mark.parametrize(("method", "given", "words"), [
    ("mcsim", "kos=abc", r"kos \[1/s²\] of mcsim must be a number from 0.001 to 100000, not 'abc'"),
    ("mcsim", "grip=nan", "grip of mcsim must be a number from 0 to 1e8, not nan"),
    ("mcsim", "planar=maybe", "planar of mcsim must be on or off, not 'maybe'"),
    ("mcsim", "tasks.mass_gain=1,2", "3 numbers from 0 to 10000"),
    ("mcsim", "tasks.spinn=1", "Did you mean 'tasks.spin'"),
    ("mcsim", "departures=magic", "no departure of mcsim 'magic'"),
    ("mcsim", "step_size=1e-9", r"step_size \[s\] of mcsim must be a number from 1e-5 to 1/120"),
    ("mcsim", "step_size=1/0", "step_size"),
    ("mcsim", "plan=1e-9", "plan"),
    ("mcsim", "kos", "NAME=VALUE"),
    ("balance", "period=1e-9", "period"),
    ("balance", "slider=nan", "slider of balance must be a number from 0 to 1, or none"),
    ("balance", "cylinder.angle=90", "cylinder.angle"),
    ("balance", "pulls=pelvis", "in Python only"),
    ("pd", "full=1" + "0" * 6000, "full"),
    ("modal", "modes=3:9", "internal ones"),
    ("modal-torques", "period=1e-9", "period"),
])  # fmt: skip
def test_refused_by_the_command(capsys: pytest.CaptureFixture[str], method: str, given: str, words: str) -> None:
    begun = time.perf_counter()
    assert re.search(words, refused(capsys, "perform", "walk", "--method", method, "--set", given))
    assert time.perf_counter() - begun < 10.0


def test_refused_in_python() -> None:
    wrong: list[tuple[Any, dict[str, Any]]] = [
        (McSim, {"grip": math.nan}), (McSim, {"step_size": 1e-9}), (McSim, {"planar": "False"}), (McSim, {"tasks": 3}),
        (Tasks, {"mass_gain": (1.0, 2.0)}), (Modal, {"window": 1_000_000}), (ModalTorques, {"firmness": math.inf}),
        (Balance, {"pulls": ("pelvis",)}), (PD, {"period": 1e-9}), (Foothold, {"rate": math.nan}),
        (Pull, {"body": "pelvis", "to": (0.0, 0.0, 1.0), "start": 2.0, "end": 1.0}),
    ]  # fmt: skip
    for make, given in wrong:
        with pytest.raises(BadValue):
            make(**given)
    with pytest.raises(UnknownName, match="setting of pd"):
        methods.method("pd", ful=1)


def test_whole_numbers_do_for_numbers() -> None:
    """A task given as an int reached the compiled program not at all."""
    assert Numbers.of(McSim(tasks=Tasks(swing=20, upright=4))).swing == 20.0


def test_the_documents_values_make_the_printed_form() -> None:
    way = McSim.printed(planar=True)
    assert way.departures == () and way.kos == 1000.0 and way.plan == 1 / 96 and way.average and way.planar
    assert (
        printed(Modal)["latency"] == 0.2 and printed(Modal)["departures"] == () and printed(Balance)["departures"] == ()
    )


def test_the_longest_window_and_the_smallest_step_return() -> None:
    walk = poise.load_clip("walk")
    for way in (Modal(window=240, repair=False), ModalTorques(window=240, repair=False), McSim(step_size=1 / 96000)):
        poise.perform(walk, type(way)(), seconds=0.02)  # what is compiled on first use does not count
        begun = time.process_time()
        assert np.all(np.isfinite(poise.perform(walk, way, seconds=0.05).q))
        assert time.process_time() - begun < 20.0


def test_poise_methods(capsys: pytest.CaptureFixture[str]) -> None:
    told = done(capsys, "methods")
    assert all(name in told for name in methods.names())
    told = done(capsys, "methods", "modal")
    for s in methods.settings_of("modal"):
        default = "all" if s.type == "names" and s.default == s.words else shown(s.default)
        assert f"{s.name}={default}\n" in told or f"{s.name}={default}  [" in told
    rows = json.loads(done(capsys, "methods", "balance", "--json"))
    assert [r["name"] for r in rows] == [s.name for s in methods.settings_of("balance")]
    assert next(r for r in rows if r["name"] == "kfs")["unit"] == "N/m"
    assert "has no settings" in done(capsys, "methods", "kinematic")
    assert "Did you mean 'modal'" in refused(capsys, "methods", "modl")


def test_tables_in_the_docs_are_as_they_would_be_written_now() -> None:
    """`python -m poise.methods.schema docs` writes them."""
    marked = 0
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        assert renewed(text) == text, f"{page.name} has an old table of settings: python -m poise.methods.schema docs"
        marked += text.count("<!-- settings of ")
    assert marked >= 3
    assert len(list(listed(McSim()))) > len(fields(McSim))

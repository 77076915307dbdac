"""The built-in characters, each made by code when it is asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from poise.character.character import Character
from poise.errors import BadValue, UnknownName

MAKERS: dict[str, str] = {
    "human42": "humans:human42",
    "human45": "humans:human45",
    "human57": "human57:make",
    "biped18": "biped18:make",
    "runner": "runner:make",
    "monster": "runner:make_monster",
    "kangaroo": "kangaroo:make",
}
"""Name -> module and function below this package."""

PARTS: dict[str, str] = {"hand": "hand:make", "left_hand": "hand:make_left"}
"""Parts of bodies, by the same rule; they stand on nothing and perform no clips by themselves."""

SOURCES: dict[str, str] = {
    "human42": "Jain & Liu 2011; Ye 2012, chapter 4: links and DoF",
    "human45": "D. B. da Silva (balance): 13 balls, boxes, about 72 kg",
    "human57": "da Silva, Abe & Popović 2008, table 3: masses and stiffness",
    "biped18": "da Silva, Abe & Popović 2008, table 2: masses, inertias and stiffness",
    "runner": "Nunes et al. 2012: 30 internal DoF",
    "monster": "Nunes et al. 2012: 42 internal DoF",
    "kangaroo": "Nunes et al. 2012: 36 internal DoF",
}
"""What each owes to whom."""


def names() -> tuple[str, ...]:
    """Names of the built-in characters."""
    return tuple(MAKERS)


@cache
def make(name: str) -> Character:
    """A built-in character; the same object every time, since characters never change."""
    makers = {**MAKERS, **PARTS}
    if name not in makers:
        raise UnknownName("character", name, makers)
    module, function = makers[name].split(":")
    return getattr(import_module(f"{__name__}.{module}"), function)()


@cache
def resized(name: str, weight: float | None, height: float | None) -> Character:
    """human42 of another weight [kg] or height [m]."""
    from poise.character.library import humans

    if name != "human42":
        raise BadValue(f"Weight and height can be chosen for human42; {name} is as its paper says.")
    weight, height = weight or humans.WEIGHT, height or humans.HEIGHT
    if not (20.0 <= weight <= 200.0 and 1.0 <= height <= 2.3):
        raise BadValue(f"human42 can weigh 20 to 200 kg and be 1 to 2.3 m tall, not {weight:g} kg and {height:g} m.")
    return humans.human42(weight, height)


def table() -> str:
    """The built-in characters as a Markdown table: bodies, degrees of freedom, mass, height, source."""
    rows = ["| name | bodies | DoF | mass [kg] | height [m] | from |", "|---|---|---|---|---|---|"]
    for name in MAKERS:
        c = make(name)
        facts = f"{c.model.nbody - 1} | {c.model.nv} | {c.mass:.2f} | {c.height:.2f}"
        rows.append(f"| `{name}` | {facts} | {SOURCES[name]} |")
    return "\n".join(rows)

"""The built-in characters, each made by code when it is asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from poise.character.character import Character
from poise.errors import UnknownName

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
    if name not in MAKERS:
        raise UnknownName("character", name, MAKERS)
    module, function = MAKERS[name].split(":")
    return getattr(import_module(f"{__name__}.{module}"), function)()


def table() -> str:
    """The built-in characters as a Markdown table: bodies, degrees of freedom, mass, height, source."""
    rows = ["| name | bodies | DoF | mass [kg] | height [m] | from |", "|---|---|---|---|---|---|"]
    for name in MAKERS:
        c = make(name)
        facts = f"{c.model.nbody - 1} | {c.model.nv} | {c.mass:.2f} | {c.height:.2f}"
        rows.append(f"| `{name}` | {facts} | {SOURCES[name]} |")
    return "\n".join(rows)

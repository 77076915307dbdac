"""The built-in characters, each made by code when it is asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from poise.character.character import Character
from poise.errors import UnknownName

MAKERS: dict[str, str] = {
    "human42": "human42:make",
    "human45": "human45:make",
    "human57": "human57:make",
    "biped18": "biped18:make",
    "runner": "runner:make",
    "monster": "runner:make_monster",
    "kangaroo": "kangaroo:make",
}
"""Name -> module and function below this package."""


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

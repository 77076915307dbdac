"""Characters by name or from a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from poise.character import library
from poise.character.character import Character
from poise.errors import BadValue, UnknownName
from poise.threads import on_one_thread

ENDINGS = (".xml", ".mjcf", ".urdf")
"""Endings of the files that hold a character."""


def names() -> tuple[str, ...]:
    """Names of the built-in characters."""
    return library.names()


@on_one_thread
def load_character(name_or_path: str | Path, roles: Mapping[str, str] | None = None, *, weight: float | None = None,
                   height: float | None = None) -> Character:  # fmt: skip
    """A built-in character by name, or the user's own from an MJCF or URDF file.

    `weight` [kg] and `height` [m] change those of human42; others are as their papers say.

    `roles` maps roles to names of bodies of the file; those not given are found by names, or else by shape.
    """
    text = str(name_or_path)
    if text in library.names() or text in library.PARTS:
        if roles:
            raise BadValue(f"The built-in character {text} has its roles; roles are given for a file.")
        return library.make(text) if weight is None and height is None else library.resized(text, weight, height)
    if weight is not None or height is not None:
        raise BadValue("Weight and height can be chosen for the built-in character human42 only.")
    if Path(text).suffix.lower() in ENDINGS:
        from poise.character.model_files.from_file import from_file

        return from_file(Path(text), roles)
    raise UnknownName("character", text, names(), f"Or give a file: {', '.join(ENDINGS)}.")

"""Authored scenes by name."""

from __future__ import annotations

from poise.errors import UnknownName
from poise.methods.hands.scene import Scene
from poise.methods.hands.scenes import more, table2

SCENES = {row.name: row.make for row in table2.ROWS} | more.SCENES


def scene(name: str) -> Scene:
    """An authored scene."""
    if name not in SCENES:
        raise UnknownName("scene", name, SCENES, "Or give a TOML file.")
    return SCENES[name]()

"""Grounds: one module a kind, and one line here. What can be asked of any of them is in `poise.ground.ground`."""

from __future__ import annotations

from importlib import import_module

KINDS = {  # class: its module, and how it is written on the command line ("": not at all), capitals for numbers
    "Flat": ("poise.ground.flat", "flat"),
    "Slope": ("poise.ground.slope", "slope:DEG"),
    "Stairs": ("poise.ground.stairs", "stairs:RISExRUN"),
    "Treads": ("poise.ground.treads", ""),
    "Platform": ("poise.ground.platform", "platform:AMPLITUDE@FREQUENCY"),
    "Seesaw": ("poise.ground.seesaw", "seesaw"),
    "Blocks": ("poise.ground.blocks", ""),
    "Patches": ("poise.ground.patches", ""),
    "HeightField": ("poise.ground.height_field", ""),
}


def kind(name: str) -> type:
    """The class of this name, which is one of `KINDS`."""
    return getattr(import_module(KINDS[name][0]), name)

"""Optional packages: which extra brings them, and a word before the work where one is missing."""

from __future__ import annotations

import importlib.util

from poise.errors import MissingExtra

EXTRAS: dict[str, str] = {
    "ufbx": "formats",
    "pxr": "formats",
    "av": "video",
    "matplotlib": "plots",
    "cma": "design",
    "clarabel": "cones",
    "dartpy": "dart",
    "distributed": "cluster",
}
"""Module -> the extra of poise that installs it: pip install 'poise[EXTRA]'."""


def need(module: str, feature: str) -> None:
    """Refuse with the command that installs what `feature` needs, where it is missing; nothing is imported."""
    if not installed(module):
        raise MissingExtra(feature, EXTRAS[module])


def installed(module: str) -> bool:
    """Can this module be imported, as far as can be told without doing it?"""
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False

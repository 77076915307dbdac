"""The built-in clips: authored here from key values of published curves, for any humanoid character."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module

from poise.character import Character
from poise.errors import BadValue, UnknownName
from poise.motion.clip import Clip
from poise.threads import on_one_thread

# name -> module that makes it; each module has `make(character, **parameters) -> Clip`
_MODULES = {
    "stand": "poise.physical.library.stand",
    "walk": "poise.physical.library.walk",
    "run": "poise.physical.library.run",
    "march": "poise.physical.library.march",
    "turn": "poise.physical.library.turn",
    "backward": "poise.physical.library.backward",
    "sneak": "poise.physical.library.sneak",
    "squat": "poise.physical.library.squat",
    "jump": "poise.physical.library.jump",
    "hop": "poise.physical.library.hop",
    "punch": "poise.physical.library.punch",
    "wave": "poise.physical.library.wave",
    "kick": "poise.physical.library.kick",
    "lift": "poise.physical.library.lift",
    "swing": "poise.physical.library.swing",
    "chin-up": "poise.physical.library.chin_up",
}


def names() -> tuple[str, ...]:
    """Names of the built-in clips."""
    return tuple(_MODULES)


@on_one_thread
def make(name: str, character: Character, **parameters: float) -> Clip:
    """A built-in clip on a character, with its parameters (see the clip's module) changed where given."""
    if name not in _MODULES:
        raise UnknownName("built-in clip", name, _MODULES)
    try:
        return _made(name, character, tuple(sorted(parameters.items())))
    except TypeError as error:
        if "unexpected keyword" in str(error):
            raise BadValue(f"The built-in clip {name!r} has no such parameter: {error}.") from None
        raise


@lru_cache(maxsize=32)
def _made(name: str, character: Character, parameters: tuple[tuple[str, float], ...]) -> Clip:
    """Clips are immutable and take about a second to author: each is made once for a character."""
    author: Callable[..., Clip] = import_module(_MODULES[name]).make
    return author(character, **dict(parameters))

"""The verbs of vibration for everyday work, with bodies, sketches and gaits by name, by file or as they are.

sketch = poise.load_sketch("runner", character="my_walk.bvh")
gait = poise.design(sketch)
gait.save("my_run.toml")
take = poise.perform(poise.load_clip("my_run.toml"), seconds=60)
"""

from __future__ import annotations

from os import PathLike, fspath

from poise.character import Character
from poise.character.load import names
from poise.errors import BadValue
from poise.methods.vibration import design as designing
from poise.methods.vibration.design import ATTEMPTS, Watch
from poise.methods.vibration.gait import Gait, find_gait
from poise.methods.vibration.other_body import on_body
from poise.methods.vibration.palette import Palette, palette
from poise.methods.vibration.rest import Angles
from poise.methods.vibration.sketch import Sketch, built_in, find_sketch
from poise.motion.load import load_any_character
from poise.simulate.batch import Batch

Name = str | PathLike[str]


def modes(character: Character | Sketch | Name, rest: Angles | None = None, stance: str = "right",
          even: bool = False) -> Palette:  # fmt: skip
    """The natural vibrations of a body about its rest pose, `rest` in degrees by part (`{"shin": 37}`).

    stance: which toes the ground modes hold, right, left or both; even: left and right of a recording's body are made
    alike. A sketch, or the name of one, has its own rest pose, springs and stance.
    """
    if isinstance(character, str) and character in built_in() and character not in names():
        character = load_sketch(character)
    if isinstance(character, Sketch):
        return character.palette()
    body = character if isinstance(character, Character) else load_any_character(character, even=even)
    found = palette(body, rest, stance=stance)
    if even and not found.symmetric:
        raise BadValue(f"Left and right of {body.name} are not alike, and only the body of a recording's own file can "
                       "be made alike.")  # fmt: skip
    return found


def load_sketch(name_or_path: Name, character: Name | None = None) -> Sketch:
    """A sketch that comes with poise by its name, or the one in a file; on another body if one is named."""
    sketch = find_sketch(fspath(name_or_path))
    return sketch if character is None else on_body(sketch, character).sketch


def load_gait(name_or_path: Name) -> Gait:
    """A gait that comes with poise by its name, or the one in a file."""
    return find_gait(fspath(name_or_path))


def design(sketch: Sketch | Name, *, character: Name | None = None, origin: Gait | Name | None = None, seed: int = 0,
           attempts: int = ATTEMPTS, workers: int = 0, cluster: str = "", checkpoint: Name | None = None,
           watch: Watch | None = None) -> Gait:  # fmt: skip
    """The gait that a sketch leads to, on another body if one is named; `gait.missed` tells what it is short of.

    origin: a gait of the same body to begin with. attempts: searches at most. workers: processes, 0 for one a core;
    cluster: the address of a Dask scheduler. How many there are does not change the gait. checkpoint: a file from which
    a design that was stopped goes on. watch(designer, seconds) is called after every generation.
    """
    for what, value, least in (("seed", seed, 0), ("attempts", attempts, 1), ("workers", workers, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise BadValue(f"{what} of a design is a whole number of at least {least}, not {value!r}.")
    sketched = sketch if isinstance(sketch, Sketch) else load_sketch(sketch)
    sketched = sketched if character is None else on_body(sketched, character).sketch
    begun = origin if origin is None or isinstance(origin, Gait) else load_gait(origin)
    return designing.design(sketched, origin=begun, seed=seed, attempts=attempts, batch=Batch(workers, cluster),
                            checkpoint=checkpoint, watch=watch)  # fmt: skip

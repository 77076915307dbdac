"""load_clip: a motion by name or by file. load_any_character: a body by name, by file, or by a motion's skeleton."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path

from poise.character.character import Character
from poise.errors import BadValue, NoRoles, UnknownName
from poise.files import must_exist, similar
from poise.motion.clip import Clip
from poise.motion.recording import Recording
from poise.threads import on_one_thread


@on_one_thread
def load_clip(
    name_or_path: str | PathLike[str],
    *,
    character: Character | str | None = None,
    roles: Mapping[str, str | None] | None = None,
    unit: float | str | None = None,
    up: str | None = None,
    weight: float | None = None,
    height: float | None = None,
    fps: float | None = None,
    skeleton: str | PathLike[str] | None = None,
    level: bool = True,
    clavicles: bool = False,
    neck: bool = False,
    toes: bool | None = None,
    even: bool = False,
    **params: float,
) -> Clip:
    """A built-in clip by its name, or the motion in a file (.bvh .amc .fbx .txt .npz .toml), with no option needed.

    A file's character is made from its own skeleton: roles, unit, up axis and facing are found, a T-pose in front is
    left out, the floor is levelled. What is found can be given instead: `roles` (role -> joint name, None: without),
    `unit` ("m", "cm", "mm", "in", "ft", "cmu" or metres), `up` ("x", "y", "z"), `weight` [kg] and `height` [m] of the
    person, `fps` where the file's own is wrong. `clavicles` and `neck` make bodies of these joints; toes become bodies
    where the recording tells how they bend, unless `toes` says whether they shall. `even` makes left and right
    of the body alike, each bone at the mean of both. `level=False` leaves the floor as
    recorded. `character` (a Character or the name of a built-in one) gets the motion by retargeting. `skeleton` is the
    .asf of an .amc, where it is not found beside it. `params` go to the maker of a built-in clip.
    """
    body = _character(character)
    text = str(name_or_path)
    given = {"roles": roles, "unit": unit, "up": up, "weight": weight, "height": height, "fps": fps,
             "skeleton": skeleton, "even": even or None}  # fmt: skip
    if not isinstance(name_or_path, PathLike) and text in built_in():
        _nothing_of(given, f"The built-in clip {text!r}")
        return _make(text, body, params)
    path = Path(name_or_path)
    if not os.path.exists(path) and not path.suffix and path.name == text:
        raise UnknownName("clip or file", text, built_in(), similar(path).strip())
    if params:
        raise UnknownName("option", next(iter(params)), _OPTIONS)
    from poise.motion import formats
    from poise.motion.reading.interpret import clip_from_recording

    kind = formats.kind_of(must_exist(name_or_path))
    if kind in ("npz", "gait"):
        _nothing_of(given, f"{path}: a saved clip" if kind == "npz" else f"{path}: a gait")
        clip = opened(formats.FORMATS[kind].load().load(path), path)
        return clip if body is None else clip.retarget(body)
    recording = formats.read(path, skeleton=skeleton)
    if fps is not None:
        recording = _at(recording, fps)
    try:
        return opened(clip_from_recording(
            recording, character=body, roles=roles, unit=unit, up=up, weight=weight, height=height,
            clavicles=clavicles, neck=neck, toes=toes, even=even, level=level,
        ), path)  # fmt: skip
    except NoRoles as error:
        raise NoRoles(f"{path}: {error}") from None


def opened(clip: Clip, path: str | PathLike[str]) -> Clip:
    """The clip, which knows from which file it was read, so that this one is not overwritten by mistake."""
    return replace(clip, source=replace(clip.source, file=os.path.realpath(path)))


def load_any_character(name_or_path: str | PathLike[str], roles: Mapping[str, str] | None = None,
                       even: bool = False) -> Character:  # fmt: skip
    """A built-in character by name, one from an MJCF or URDF file, or that of the skeleton of a motion file.

    `even` makes left and right of a motion file's body alike; a model keeps what it is.
    """
    from poise.character import load
    from poise.motion import formats

    path = Path(name_or_path)
    if str(name_or_path) in load.names() or path.suffix.lower() in load.ENDINGS:
        return load.load_character(path, roles)
    if not os.path.exists(path) and path.suffix.lower() not in formats.endings():
        models, motions = " ".join(load.ENDINGS), " ".join(formats.endings())
        hint = f"Or give a file of a body ({models}) or of a motion whose skeleton is meant ({motions})."
        raise UnknownName("character", str(name_or_path), load.names(), hint)
    return load_clip(path, roles=roles, even=even).character


_OPTIONS = ("character", "roles", "unit", "up", "weight", "height", "fps", "skeleton", "level", "clavicles", "neck",
            "toes", "even")  # fmt: skip


def built_in() -> tuple[str, ...]:
    """Names of the built-in clips."""
    from poise.physical import library

    return library.names()


def _nothing_of(given: Mapping[str, object], what: str) -> None:
    """Refuse options about how a recording is read where there is no recording to be read."""
    for name, value in given.items():
        if value is not None:
            raise BadValue(f"{what} has its character and its times; {name} is for recordings.")


def _make(name: str, character: Character | None, params: Mapping[str, float]) -> Clip:
    """A built-in clip, on human42 unless another character is given."""
    from poise.character.load import load_character
    from poise.physical import library

    return library.make(name, load_character("human42") if character is None else character, **params)


def _character(character: Character | str | None) -> Character | None:
    if isinstance(character, str):
        from poise.character.load import load_character

        return load_character(character)
    return character


def _at(recording: Recording, fps: float) -> Recording:
    """The same frames at another rate."""
    if not 1.0 <= fps <= 10000.0:
        raise BadValue(f"A frame rate must be between 1 and 10000 per second, not {fps!r}.")
    told = f"The frame rate was given as {fps:g} per second; the file says {1.0 / recording.dt:g}."
    source = replace(recording.source, notes=(*recording.source.notes, told))
    return replace(recording, dt=1.0 / fps, source=source)

"""Clips that took long to make, kept on disk: repairs and fits, found again by the clip that they were made from."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from poise import remembered
from poise.errors import PoiseError
from poise.motion.clip import Clip
from poise.motion.formats import npz


def kept(kind: str, clip: Clip, settings: str, make: Callable[[Clip], Clip]) -> Clip:
    """`make(clip)`, or what it gave before for the same clip and settings. A refusal is not kept."""
    try:
        facts, arrays = npz.pack(clip)
    except PoiseError:
        return make(clip)  # on a ground that no file can hold
    told = json.dumps(facts, sort_keys=True, default=str)
    parts = [settings.encode(), told.encode()]
    for name in sorted(arrays):
        parts += [f"{name} {arrays[name].dtype} {arrays[name].shape}".encode(), arrays[name].tobytes()]
    name = remembered.key(kind, parts)
    file = remembered.find(name)
    if file is not None:
        try:
            found = npz.load(file)
            if np.array_equal(found.q, clip.q) and np.array_equal(found.contacts.labels, clip.contacts.labels):
                return clip  # there was nothing to do
            return replace(found, character=clip.character, recording=clip.recording, placement=clip.placement,
                           source=replace(found.source, file=clip.source.file))  # fmt: skip
        except PoiseError:
            pass  # cut short, or of another format: it is made anew
    made = make(clip)
    remembered.keep(name, lambda path: npz.save(made, path))
    return made

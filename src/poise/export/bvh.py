"""BVH: the motion on its own skeleton, as text that every animation program reads.

BVH has no comments, so the licence of the source travels in a text file beside it, `<name>.licence.txt`: see
`poise.motion.formats.licence`.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from os import PathLike

import numpy as np

from poise import files
from poise.character.skeleton import Skeleton
from poise.export.rig import Rig, rig_of
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.formats import bvh_write, licence


def save(clip: Clip, path: str | PathLike[str], *, level: bool = False, unit: float | None = None,
         up: str | None = None, overwrite: bool | None = None) -> None:  # fmt: skip
    """Write a clip as BVH: in the units and axes of its file, or those given (`unit` [m], `up` "x", "y" or "z").

    Clips of built-in characters are written in centimetres, Y up, facing Z. `overwrite` False leaves also a licence
    file that poise wrote for another motion as it is.
    """
    note = licence.note(clip.source)
    beside = licence.place(path, note, overwrite) if note else None
    rig = one_root(rig_of(clip, level).converted(unit, up))
    with contextlib.ExitStack() as both:  # both are written or none
        if beside is not None:
            both.enter_context(files.writing(beside)).write_text(note, encoding="utf-8")
        bvh_write.write(path, rig.skeleton, rig.rotations, rig.positions, rig.dt)


def one_root(rig: Rig) -> Rig:
    """The rig itself, or, since a BVH holds one tree, its several trees under a joint that never moves."""
    old = rig.skeleton
    if np.count_nonzero(old.parents < 0) == 1:
        return rig

    def below(values: Array, top: Array) -> Array:
        return np.concatenate([np.broadcast_to(top, (*values.shape[:-2], 1, len(top))), values], axis=-2)

    parents = np.concatenate([[-1], np.where(old.parents < 0, 0, old.parents + 1)])
    ends = tuple(replace(e, joint=e.joint + 1) for e in old.ends)
    channels = ((), *old.channels) if old.channels else ()
    still, origin = rot.IDENTITY, np.zeros(3)
    names = ("scene", *old.names)
    skeleton = Skeleton(names, parents, below(old.offsets, origin), ends, below(old.rest, still), channels)
    return replace(
        rig,
        skeleton=skeleton,
        rotations=below(rig.rotations, still),
        positions=below(rig.positions, origin),
        follows=np.concatenate([[-1], rig.follows]),
        frames=below(rig.frames, still),
        origins=below(rig.origins, origin),
    )

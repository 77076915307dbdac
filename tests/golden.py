"""Digests of what poise computes and writes: the same bits on the same kind of machine with the same versions.

    python tests/golden.py                  compare everything with the table
    python tests/golden.py --write          write the table anew for this kind of machine (also: make golden)
    python tests/golden.py take/ edit/Pin   only cases whose names begin so

The table, golden.json, has one column for each kind of machine and set of versions (`key`); where there is none for
this one, nothing can be compared. A change that is meant to change results writes its column anew and says why; one
that is not must leave it alone.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np

import poise
from poise import edit

TABLE = Path(__file__).with_name("golden.json")
PACKAGES = ("numpy", "scipy", "numba", "mujoco-core", "daqp")
CLIPS = ("stand", "walk", "run", "march", "turn", "backward", "sneak", "squat", "jump", "hop", "punch", "wave", "kick",
         "lift", "swing", "chin-up")  # fmt: skip
METHODS = ("kinematic", "pd", "mcsim", "balance", "modal", "modal-torques", "momentum", "momentum-torques", "posture",
           "rehearsed", "vibration")  # fmt: skip
FORMATS = ("bvh", "glb", "usda", "npz", "html")
SECONDS = 0.5  # of takes
PUSH = poise.Stage(events=[poise.Push("chest", force=(0, 60, 0), at=0.1, duration=0.1)])


def key() -> str:
    """The kind of this machine and the versions on which bits depend: the scope of the promise."""
    from llvmlite.binding import get_host_cpu_name

    machine = f"{platform.system()} {platform.machine()} {get_host_cpu_name()}"
    python = "Python " + ".".join(platform.python_version_tuple()[:2])
    return ", ".join([machine, python, *(f"{p} {version(p)}" for p in PACKAGES)])


def digest(*arrays: np.ndarray) -> str:
    return hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest()


@cache
def walk() -> poise.Clip:
    return poise.load_clip("walk")


@cache
def gait() -> poise.Clip:
    """The gait of the runner that comes with poise: vibration performs gaits alone."""
    from poise.methods.vibration.gait import shipped

    return poise.load_clip(next(p for p in shipped() if p.stem == "runner"))


def clip(name: str) -> str:
    made = poise.load_clip(name)
    return digest(made.q, made.contacts.labels)


def take(method: str) -> str:
    made = poise.perform(
        gait() if method == "vibration" else walk(), method, stage=PUSH, seconds=SECONDS, noise=0.01, seed=3
    )
    return digest(made.time, made.q, made.v, made.torque, made.contacts.point, made.contacts.force, made.external.force,
                  made.assist.force)  # fmt: skip


def written(ending: str) -> str:
    """Of the bytes of a file; of the arrays of an npz, which is a zip with times in it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"walk.{ending}"
        walk().save(path)
        if ending != "npz":
            return hashlib.sha256(path.read_bytes()).hexdigest()
        with np.load(path) as arrays:
            return hashlib.sha256(repr([(k, digest(arrays[k])) for k in sorted(arrays)]).encode()).hexdigest()


def read() -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "walk.bvh"
        walk().save(path)
        back = poise.load_clip(path)
        return digest(back.q, back.contacts.labels)


def repaired() -> str:
    """The walk with a trunk that sways and no contacts told."""
    q = walk().q.copy()
    q[:, 2] += 0.01 * np.sin(np.linspace(0, 9, len(q)))
    return digest(replace(walk(), q=q, labels=None, cycle=None).make_physical().q)


def fingers(name: str) -> str:
    """Poses, contacts and forces of the first solution of an authored scene of hands."""
    from poise.methods.hands import find
    from poise.methods.hands.scenes import scene

    made = next(f for f in find(scene(name), count=1, seed=3, seconds=1e9) if f.solutions).solutions[0]
    loads = [a for load in made.loads for a in (load.contacts, load.forces, load.table_forces)]
    return digest(made.q, *loads)


def retargeted(name: str) -> str:
    return digest(walk().retarget(poise.load_character(name)).q)


def edits() -> dict[str, object]:
    """One edit of each kind."""
    values = [
        edit.Blend(poise.load_clip("walk", speed=1.6), at=0.5, over=0.3),
        edit.InPlace(),
        edit.Loop(),
        edit.Mirror(),
        edit.Move((3.0, 1.0)),
        edit.Offset("head", (0.0, 30.0, 0.0)),
        edit.Path(((0.0, 0.0), (1.0, 0.2), (2.0, 1.0))),
        edit.Pin("right_hand", offset=(0.2, -0.2, 0.3)),
        edit.Settle(),
        edit.Slope(5.0),
        edit.Stairs(0.12, 0.35),
        edit.Stride(1.2),
        edit.Turn(30.0),
        edit.Warp(1.3),
    ]
    return {type(v).__name__: v for v in values}


def edited(kind: str) -> str:
    twice = walk().repeat(2)
    return digest(twice.edit(edits()[kind]).q)


def cases() -> dict[str, Callable[[], str]]:
    """Name -> what gives its digest."""
    out: dict[str, Callable[[], str]] = {}
    out.update({f"clip/{n}": lambda n=n: clip(n) for n in CLIPS})
    out.update({f"take/{n}": lambda n=n: take(n) for n in METHODS})
    out.update({f"write/{n}": lambda n=n: written(n) for n in FORMATS})
    out.update({"read/bvh": read, "repair/walk": repaired})
    out.update({f"retarget/{n}": lambda n=n: retargeted(n) for n in ("human45", "human57")})
    out.update({f"hands/{n}": lambda n=n: fingers(n) for n in ("small-bottle", "turning-milk", "two-hand-big-2")})
    out.update({f"edit/{n}": lambda n=n: edited(n) for n in edit.NAMES})
    return out


def table() -> dict[str, dict[str, str]]:
    return json.loads(TABLE.read_text()) if TABLE.exists() else {}


def main(words: list[str]) -> int:
    write = "--write" in words
    starts = tuple(w for w in words if w != "--write") or ("",)
    known, failed = table(), 0
    column = known.setdefault(key(), {})
    print(key())
    for name, make in cases().items():
        if name.startswith(starts):
            found = make()
            same = column.get(name) == found
            failed += not same
            print(
                f"{name:24} {found[:16]} {'same' if same else 'new' if name not in column else 'DIFFERENT'}", flush=True
            )
            column[name] = found
            if write:  # each when it is known: all of them take minutes
                TABLE.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    return int(failed > 0 and not write)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

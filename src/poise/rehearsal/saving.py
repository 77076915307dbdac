"""Plans and searches under way on disk: arrays and one JSON text, read without running anything in them."""

from __future__ import annotations

import dataclasses
import json
from os import PathLike
from pathlib import Path as File
from typing import Any

import numpy as np

from poise.errors import BadFile, PoiseError
from poise.files import check_overwrite, must_exist, writing
from poise.maths.rotations import Array
from poise.methods.rehearse.beam import Beam
from poise.methods.rehearse.plan import Plan
from poise.motion.formats import npz_arrays
from poise.performance import encoding
from poise.rehearsal.course import Course, Guess, Path

KIND, UNDER_WAY = "poise rehearsal 1", "poise rehearsal under way 2"
_ARRAYS = ("offsets", "q", "v", "cost", "row_q", "row_v", "planned", "gain")
_COURSE = ("seed", "number", "attempt", "lost_at", "until", "retries", "spent", "log", "heavy")
_BEAM = ("offsets", "parent", "cost", "total", "q", "v")


def save(plan: Plan, path: str | PathLike[str], overwrite: bool | None = None) -> None:
    """Write a plan to an .npz."""
    check_overwrite(path, (plan.clip.source.file, plan.clip.source.path), overwrite)
    facts = {f.name: encoding.plain(getattr(plan, f.name)) for f in dataclasses.fields(plan) if f.name not in _ARRAYS}
    _write(path, {"kind": KIND, "plan": facts}, {n: getattr(plan, n) for n in _ARRAYS})


def _write(path: str | PathLike[str], facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    with writing(path) as target:
        npz_arrays.write(target, json.dumps(facts, allow_nan=False), arrays)


def is_plan(path: str | PathLike[str]) -> bool:
    """Does a file hold a plan?"""
    return _kind(path) == KIND


def _kind(path: str | PathLike[str]) -> str:
    try:
        return str(npz_arrays.read(File(path), "rehearsal")[0].get("kind", ""))
    except (PoiseError, OSError, AttributeError):
        return ""


def load(path: str | PathLike[str]) -> Plan:
    """The plan in a file."""
    facts, arrays = npz_arrays.read(must_exist(path), "rehearsal")
    if facts.get("kind") != KIND:
        raise BadFile(path, "it is no rehearsal; poise rehearse CLIP -o X.rehearsed.npz makes one.")
    try:
        values: dict[str, Any] = {k: encoding.value(v) for k, v in facts["plan"].items()}
        values.update({n: arrays[n] for n in _ARRAYS})
        plan = Plan(**values)
        _check(plan)
        return plan
    except PoiseError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise BadFile(path, f"the rehearsal in it is not whole ({type(error).__name__}).") from None


def _check(plan: Plan) -> None:
    """Refuse numbers that do not fit each other."""
    nq, nv = plan.clip.character.model.nq, plan.clip.character.model.nv
    count, steps = len(plan.offsets), len(plan.row_q)
    shapes = {"offsets": (count, nv), "q": (count + 1, nq), "v": (count + 1, nv), "cost": (count,),
              "row_q": (steps, nq), "row_v": (steps, nv), "planned": (steps, nv)}  # fmt: skip
    wrong = [n for n, shape in shapes.items() if getattr(plan, n).shape != shape]
    if wrong or plan.window < 1 or not (count - 1) * plan.window < steps <= count * plan.window:
        raise ValueError(", ".join(wrong))


def save_search(path: str | PathLike[str], key: str, course: Course, guess: Guess, told: list[str],
                best: dict[str, Array] | None) -> None:  # fmt: skip
    """Write a search between two windows; `key` says what it searches, `best` is the best pass so far."""
    facts = {"kind": UNDER_WAY, "key": key, "told": told, "best": best is not None,
             "farthest": course.farthest is not None, **{n: getattr(course, n) for n in _COURSE}}  # fmt: skip
    arrays: dict[str, np.ndarray] = {"mean": guess.mean, "factor": guess.factor}
    for name in _BEAM:
        arrays[f"beam_{name}"] = np.concatenate([getattr(b, name) for b in course.layers])
    rows = [s for b in course.layers for s in b.states]
    arrays["count"] = np.array([len(b.cost) for b in course.layers])
    arrays["kept"] = np.array([len(b.states) for b in course.layers])
    arrays["length"] = np.array([len(s) for s in rows], np.int64)
    arrays["states"] = np.concatenate(rows)
    if course.farthest is not None:
        arrays |= {f"far_{n}": a for n, a in course.farthest._asdict().items()}
    arrays |= {f"best_{n}": a for n, a in (best or {}).items()}
    _write(path, facts, arrays)


def load_search(path: str | PathLike[str], key: str) -> tuple[Course, Guess, list[str], dict[str, Array] | None] | None:
    """What `save_search` wrote for the same search; None where there is none."""
    if not File(path).is_file():
        return None
    facts, a = npz_arrays.read(File(path), "rehearsal")
    if facts.get("kind") != UNDER_WAY or facts.get("key") != key:
        return None
    ends, kept = np.cumsum(a["count"]), np.cumsum(a["kept"])
    parts = {n: np.split(a[f"beam_{n}"], ends[:-1]) for n in _BEAM}
    rows = np.split(a["states"], np.cumsum(a["length"])[:-1])
    layers = []
    for k in range(len(ends)):
        mine = rows[kept[k] - a["kept"][k] : kept[k]]
        layers.append(Beam(states=_stacked(mine), **{n: parts[n][k] for n in _BEAM}))
    course = Course(layers=layers, **{n: facts[n] for n in _COURSE})
    if facts["farthest"]:
        course.farthest = Path(a["far_offsets"], a["far_cost"])
    best = {n: a[f"best_{n}"] for n in ("offsets", "cost")} if facts["best"] else None
    return course, Guess(a["mean"], a["factor"]), list(facts["told"]), best


def _stacked(rows: list[Array]) -> np.ndarray:
    """Whole states as `Rollouts` keeps them."""
    if len({len(r) for r in rows}) == 1:
        return np.array(rows)
    out = np.empty(len(rows), object)
    out[:] = rows
    return out

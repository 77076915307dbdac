"""The checkpoint of a design: all that its future depends on, so that it goes on as if it had not been stopped."""

from __future__ import annotations

import hashlib
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from poise import files
from poise.errors import BadFile
from poise.maths.rotations import Array
from poise.methods.vibration.progress import Progress
from poise.methods.vibration.score import Score
from poise.methods.vibration.search import Designer
from poise.solve import cma

SEARCH = 4  # which search it is of; raised when the same seed leads elsewhere, or when the file names other things
_ARRAYS = ("state", "best", "cycle", "steady", "gains")  # of a progress
_COUNTS = ("round", "evaluations", "seconds", "bettered", "beginning", "again", "attempt")  # and its numbers
_BEST = ("best_beginning", "best_attempt")  # the progresses that it brings along


def keep(path: Path, p: Progress, work: Designer) -> None:
    """Write a checkpoint, whole or not at all."""
    header = _header(work)
    arrays = {}
    for name, part in {"": p, **{f"{k}_": getattr(p, k) for k in _BEST}}.items():
        if part is not None:
            header[f"{name}counts"] = {k: getattr(part, k) for k in _COUNTS}
            arrays |= {name + k: v for k, v in _arrays(part).items()}
    with files.writing(path) as temporary, temporary.open("wb") as stream:
        np.savez(stream, header=np.array(json.dumps(header)), **arrays)  # type: ignore[arg-type]


def restored(path: Path, work: Designer) -> Progress:
    """The progress in a checkpoint of this search; one of another sketch, seed or plan is refused."""
    try:
        with np.load(files.must_exist(path), allow_pickle=False) as data:
            arrays = {k: data[k] for k in data.files}
        header = json.loads(str(arrays.pop("header")))
        found = header.get("sketch")
    except (OSError, ValueError, KeyError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        raise BadFile(path, f"it is no checkpoint of poise design ({type(error).__name__}); remove it, or name "
                      "another.") from None  # fmt: skip
    if found != work.sketch.digest:
        raise BadFile(path, f"it is the checkpoint of another sketch than {work.sketch.name!r}, or that one was "
                      "changed since; remove it to begin anew, or name another.")  # fmt: skip
    for key, value in json.loads(json.dumps(_header(work))).items():
        if header.get(key) != value:
            raise BadFile(path, f"it is the checkpoint of a search with another {key}; remove it to begin anew, or "
                          "name another.")  # fmt: skip
    try:
        best = {k: _progress(arrays, header, f"{k}_") for k in _BEST if f"{k}_counts" in header}
        return replace(_progress(arrays, header, ""), **best)
    except (KeyError, TypeError, ValueError, IndexError):
        raise BadFile(path, "it is a damaged checkpoint; remove it to begin anew.") from None


def _header(work: Designer) -> dict[str, Any]:
    """What tells one search from any other."""
    model = work.simulator.character.model
    body = b"".join(np.ascontiguousarray(a).tobytes() for a in (model.body_mass, model.body_inertia, model.body_pos))
    return {"sketch": work.sketch.digest, "body": _digest(body), "seed": work.seed,
            "gait to begin with": _digest(work.origin_text.encode()), "random start": work.random_start or None,
             "plan": work.plan, "population": work.population, "version": SEARCH}  # fmt: skip


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _arrays(p: Progress) -> dict[str, Array]:
    score = {} if p.score is None else {f"score_{k}": np.array(v) for k, v in p.score._asdict().items()}
    search = {f"search_{k}": v for k, v in p.search.arrays().items()}
    return {**score, **search, **{k: getattr(p, k) for k in _ARRAYS}}


def _progress(arrays: dict[str, Array], header: dict[str, Any], name: str) -> Progress:
    a = {k.removeprefix(name): v for k, v in arrays.items() if k.startswith(name)}
    found = {k: a[f"score_{k}"] for k in Score._fields if f"score_{k}" in a}
    numbers = {k: float(v) for k, v in found.items() if k != "easy"}
    score = Score(easy=found["easy"], **numbers) if found else None
    search = cma.restored({k.removeprefix("search_"): v for k, v in a.items() if k.startswith("search_")})
    return Progress(search=search, score=score, **{k: a[k] for k in _ARRAYS}, **header[f"{name}counts"])

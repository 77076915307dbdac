"""Solutions on disk: one file each, plain arrays, and the state from which a search goes on."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from poise.errors import BadFile
from poise.files import writing
from poise.methods.hands.delivery import Found
from poise.methods.hands.scene import Scene
from poise.methods.hands.settings import Hands
from poise.methods.hands.solution import Load, Solution

STATE = "search.json"


def digest(scene: Scene, settings: Hands) -> str:
    """Tells scenes and settings apart: a search is only resumed with its own."""
    h = hashlib.sha256(json.dumps(asdict(settings), sort_keys=True).encode())
    for track in (scene.motion, *(scene.wrists[s] for s in scene.sides)):
        h.update(track.place.tobytes())
        h.update(track.turn.tobytes())
    facts = (
        scene.friction,
        scene.table_friction,
        scene.table,
        scene.slide,
        scene.move,
        scene.thing.mass,
        scene.thing.pieces,
        scene.stands,
        sorted(scene.windows.items()),
        scene.styles,
    )
    h.update(repr(facts).encode())
    for v, f in scene.thing.hulls:
        h.update(np.ascontiguousarray(v).tobytes() + np.ascontiguousarray(f).tobytes())
    return h.hexdigest()[:16]


def save_solution(solution: Solution, scene: Scene, path: Path) -> None:
    """Poses, loads and the tracks, as plain arrays."""
    rows: dict[str, list[Any]] = {k: [] for k in ("contact", "proxy", "table")}
    for t, load in enumerate(solution.loads):
        rows["contact"] += [np.r_[t, c, s] for c, s in zip(load.contacts, load.sliding, strict=True)]
        rows["proxy"] += [
            np.r_[t, o, p, n, f] for o, p, n, f in zip(load.owner, load.points, load.normals, load.forces, strict=True)
        ]
        rows["table"] += [np.r_[t, p, f] for p, f in zip(load.table_points, load.table_forces, strict=True)]
    widths = {"contact": 18, "proxy": 11, "table": 7}
    arrays: dict[str, Any] = {k: np.array(v).reshape(-1, widths[k]) for k, v in rows.items()}
    tracks: dict[str, Any] = {f"{s}_wrist": np.c_[scene.wrists[s].place, scene.wrists[s].turn] for s in scene.sides}
    with writing(path) as file:
        np.savez_compressed(
            file,
            q=solution.q,
            round=solution.round,
            fps=scene.fps,
            sides=np.array(scene.sides),
            object=np.c_[scene.centre.place, scene.centre.turn],
            **tracks,
            **arrays,
        )


def load_solution(path: Path) -> Solution:
    """A solution as it was saved."""
    try:
        with np.load(path, allow_pickle=False) as file:
            q, r = file["q"], int(file["round"])
            contact, proxy, table = file["contact"], file["proxy"], file["table"]
    except (OSError, ValueError, KeyError):
        raise BadFile(path, "it is not a solution that poise hands has written.") from None
    loads = []
    for t in range(q.shape[1]):
        c, p, e = contact[contact[:, 0] == t], proxy[proxy[:, 0] == t], table[table[:, 0] == t]
        loads.append(
            Load(c[:, 1:17], c[:, 17] > 0, p[:, 1].astype(int), p[:, 2:5], p[:, 5:8], p[:, 8:11], e[:, 1:4], e[:, 4:7])
        )
    return Solution(q, tuple(loads), r)


def save_state(found: Found, key: str, seed: int, folder: Path) -> None:
    """From where the search would go on."""
    facts = {"scene": key, "seed": seed, "next_round": found.next_round, "solutions": len(found.solutions)}
    with writing(folder / STATE) as file:
        Path(file).write_text(json.dumps(facts, indent=2), encoding="utf-8")


def resume(folder: Path, key: str, seed: int) -> Found | None:
    """What an earlier search of the same scene, settings and seed has left in a folder; None where there is none."""
    path = folder / STATE
    if not path.is_file():
        return None
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        same = facts["scene"] == key and facts["seed"] == seed
        count, following = int(facts["solutions"]), int(facts["next_round"])
    except (OSError, ValueError, KeyError, TypeError):
        raise BadFile(path, "it is not the state of a search; remove it to begin anew.") from None
    if not same:
        raise BadFile(
            folder, "it holds the search of another scene, seed or settings; give another folder, or --force."
        )
    return Found([load_solution(folder / f"solution-{k + 1:02d}.npz") for k in range(count)], following)

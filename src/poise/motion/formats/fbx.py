"""Reads FBX through ufbx: the largest skeleton of the file and its longest animation."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from poise import budgets, files
from poise.character.skeleton import Skeleton
from poise.errors import BadFile, MissingExtra
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.formats import fbx_child
from poise.motion.formats.numbers import LIMIT
from poise.motion.recording import Recording, Source

_UP = {0: "x", 1: "x", 2: "y", 3: "y", 4: "z", 5: "z"}  # ufbx's numbers of the axes


def looks_like(start: bytes) -> bool:
    """Do these first bytes of a file begin an FBX, binary or text?"""
    return start.startswith((b"Kaydara FBX Binary", b"; FBX"))


def read(path: Path) -> Recording:
    """The recording in an FBX file, in the file's own units and axes.

    Global places are computed with all scales and non-joint parents (such as an armature that carries a scale of
    100) in them; local rotations and positions are then those of rigid joints, so nothing above the skeleton is lost.
    """
    if importlib.util.find_spec("ufbx") is None:
        raise MissingExtra("Reading FBX", "formats")
    start = files.head(path)
    if not start.strip():
        raise BadFile(path, "it is empty.")
    if not start.startswith(b"Kaydara FBX Binary") and b"FBX" not in start:
        raise BadFile(path, "it is not an FBX file.")
    facts, rows = _extracted(path)
    nodes = facts["nodes"]
    joints, parents, notes = _joints(path, nodes)
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused below
        offsets, turns = _local(_at_rest(nodes, rows)[None, joints], parents)
        positions, rotations = _local(_moving(nodes, rows, facts["take"]["frames"], joints), parents)
    if not all(np.all(np.abs(a) < LIMIT) for a in (offsets, positions, turns, rotations)):
        raise BadFile(path, "its joints reach places that are not numbers of a motion.")
    names = tuple(nodes[j]["name"] or f"joint_{k}" for k, j in enumerate(joints))
    source = Source(name=path.stem, path=str(path), format="fbx", notes=(*notes, *_remarks(facts)))
    unit = facts["unit"] if facts["unit"] > 0 else None
    skeleton = Skeleton(names, parents, offsets[0], rest=turns[0])
    dt = 1.0 / facts["take"]["rate"]
    return Recording(skeleton, rot.continuous(rotations), positions, dt, source, unit, _UP.get(facts["up"]))


def _extracted(path: Path) -> tuple[dict[str, Any], dict[int, Array]]:
    """What `fbx_child` finds in the file: facts, and by node the transforms (N or 1, 10)."""
    # -P: the folder of the script must not shadow the standard library; the path: the same packages as here
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-P", fbx_child.__file__, str(path.resolve())]
    try:
        patience = budgets.FBX_SECONDS * (1.0 + path.stat().st_size / 20e6)
        run = subprocess.run(command, capture_output=True, env=environment, timeout=patience, check=False)
    except subprocess.TimeoutExpired:
        raise BadFile(path, "its parser did not end in the time that a file of this size needs.") from None
    except OSError as error:
        raise BadFile(path, f"its parser could not be started: {files.reason(error)}.") from None
    line, _, data = run.stdout.partition(b"\n")
    if run.returncode != 0 or not line:
        raise BadFile(path, "it is not a sound FBX file: its parser failed on it.")
    facts = json.loads(line)
    if "error" in facts:
        raise BadFile(path, f"it cannot be read as FBX: {facts['error'].rstrip('.')}.")
    sizes = [count for _, count in facts["rows"]]
    values = np.frombuffer(data).reshape(-1, 10)
    parts = np.split(values, np.cumsum(sizes)[:-1])
    return facts, {k: part for (k, _), part in zip(facts["rows"], parts, strict=True)}


def _remarks(facts: dict[str, Any]) -> tuple[str, ...]:
    """Sentences on choices that were made among animations and frame rates."""
    take, notes = facts["take"], []
    if take["rate"] > 1.01 * facts["rate"]:
        notes.append(f"The file says {facts['rate']:g} frames a second, but its keys lie {take['rate']:.4g} a second.")
    if facts["others"]:
        others = ", ".join(repr(n) for n in facts["others"])
        notes.append(f"Of its animations {take['name']!r}, the longest, was read, not {others[:200]}.")
    return tuple(notes)


def _joints(path: Path, nodes: list[dict[str, Any]]) -> tuple[list[int], np.ndarray, tuple[str, ...]]:
    """The nodes of the largest skeleton, their parents among themselves, and a note on others.

    Joints are the nodes that are bones; in a file without bones, those that are nothing else (no mesh, light, camera).
    """
    wanted = {k for k, n in enumerate(nodes) if n["bone"]} or {k for k, n in enumerate(nodes) if n["plain"]}
    nearest, top = [-1] * len(nodes), list(range(len(nodes)))  # the joint above each node, and the topmost one
    for k, node in enumerate(nodes):
        p = node["parent"]
        if p >= 0:
            nearest[k] = p if p in wanted else nearest[p]
        if nearest[k] >= 0:
            top[k] = top[nearest[k]]
    if len(wanted) < 2:
        raise BadFile(path, "it holds no skeleton: fewer than two of its nodes are joints.")
    tops = sorted({top[k] for k in wanted})
    size = {t: sum(top[k] == t for k in wanted) for t in tops}
    best = max(tops, key=lambda t: (size[t], -t))
    if size[best] > budgets.FILE_JOINTS:
        raise BadFile(path, f"it holds a skeleton of more than {budgets.FILE_JOINTS} joints.")
    joints = _nested([k for k in sorted(wanted) if top[k] == best], nearest)
    place = {j: i for i, j in enumerate(joints)}
    parents = np.array([place.get(nearest[j], -1) for j in joints], int)
    if len(tops) == 1:
        return joints, parents, ()
    others = ", ".join(repr(nodes[t]["name"]) for t in tops if t != best)
    name = nodes[best]["name"]
    return joints, parents, (f"Of its {len(tops)} skeletons the largest, {name!r}, was read, not {others[:200]}.",)


def _nested(joints: list[int], nearest: list[int]) -> list[int]:
    """The joints (parents first) in the order of a tree walk: each followed by all that hangs on it."""
    children: dict[int, list[int]] = {j: [] for j in joints}
    for j in joints[1:]:
        children[nearest[j]].append(j)
    order, todo = [], joints[:1]
    while todo:
        order.append(todo.pop())
        todo.extend(reversed(children[order[-1]]))
    return order


def _affine(rows: Array) -> Array:
    """Matrices (..., 4, 4) of translation, rotation and scale rows (..., 10)."""
    m = np.zeros((*rows.shape[:-1], 4, 4))
    m[..., :3, :3] = rot.to_matrix(rot.normalise(rows[..., 3:7])) * rows[..., None, 7:]
    m[..., :3, 3], m[..., 3, 3] = rows[..., :3], 1.0
    return m


def _moving(nodes: list[dict[str, Any]], rows: dict[int, Array], frames: int, joints: list[int]) -> Array:
    """Global matrices (N, J, 4, 4) of the joints in every frame."""
    world: dict[int, Array] = {}
    for k in sorted(rows):
        own, above = np.broadcast_to(_affine(rows[k]), (frames, 4, 4)), nodes[k]["parent"]
        world[k] = own if above < 0 else world[above] @ own
    return np.stack([world[j] for j in joints], axis=1)


def _at_rest(nodes: list[dict[str, Any]], rows: dict[int, Array]) -> Array:
    """Global matrices (nodes, 4, 4) at rest: of the bind pose where the file has one, else of the nodes as stored."""
    world = np.tile(np.eye(4), (len(nodes), 1, 1))
    for k in sorted(rows):
        own, above = _affine(np.array(nodes[k]["local"])), nodes[k]["parent"]
        world[k] = own if above < 0 else world[above] @ own
        if nodes[k]["bind"] is not None:
            bound = np.array(nodes[k]["bind"]).reshape(4, 3).T
            if np.abs(np.linalg.det(bound[:, :3])) > 1e-12:
                world[k, :3] = bound
    return world


def _local(world: Array, parents: np.ndarray) -> tuple[Array, Array]:
    """Local positions (N, J, 3) and rotations (N, J, 4) of rigid joints from global matrices (N, J, 4, 4)."""
    size = np.linalg.norm(world[..., :3, :3], axis=-2, keepdims=True)
    turn = world[..., :3, :3] / np.where(size > 0, size, 1.0)
    turn = turn * np.where(np.linalg.det(turn) < 0, -1.0, 1.0)[..., None, None]  # a mirrored node counts as turned
    glob, place = rot.from_matrix(turn), world[..., :3, 3]
    root = parents < 0
    back = rot.conjugate(np.where(root[:, None], rot.IDENTITY, glob[:, parents]))
    shift = place - np.where(root[:, None], 0.0, place[:, parents])
    return rot.rotate(back, shift), rot.multiply(back, glob)

"""Runs in a process of its own: opens an FBX file with ufbx and writes what it holds to standard output.

ufbx 0.0.5 gives out elements of its lists without counting the reference, and crashes the interpreter when a scene is
collected. Here both are harmless: every element is counted by hand, nothing is ever collected, and the process ends
without clean-up. A file that crashes the parser takes down this process and not the user's.

Output: one line of JSON, then the transforms of the nodes it lists under "rows" as 64-bit floats, ten for each frame:
translation, rotation w x y z, scale. Uses the standard library alone, so that it starts quickly.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import gc
import itertools
import json
import math
import os
import sys
from typing import Any

MOST_FRAMES = 1_000_000
MOST_NODES = 20_000
MOST_ROWS = 5_000_000  # transforms: nodes times frames
MOST_MEMORY = 3_000_000_000  # bytes of this process, where the system can limit it


def items(elements: Any) -> list[Any]:
    """The elements of a list of ufbx, kept for ever."""
    found = []
    for i in range(len(elements)):
        element = elements[i]
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(element))
        found.append(element)
    return found


def row(transform: Any) -> tuple[float, ...]:
    """Translation, quaternion w x y z and scale."""
    t, q, s = transform.translation, transform.rotation, transform.scale
    return (t.x, t.y, t.z, q.w, q.x, q.y, q.z, s.x, s.y, s.z)


def keys(stack: Any) -> dict[str, Any] | None:
    """When an animation begins and ends [s], by its own word and by its keys, and the usual step between keys."""
    first, last, steps, animated = math.inf, -math.inf, [], set()
    for layer in items(stack.layers):
        animated |= {p.element.element_id for p in items(layer.anim_props)}
        for value in items(layer.anim_values):
            for curve in value.curves:
                if curve is None or len(curve.keyframes) == 0:
                    continue
                times = [curve.keyframes[i].time for i in range(min(10, len(curve.keyframes)))]
                first, last = min(first, times[0]), max(last, curve.keyframes[len(curve.keyframes) - 1].time)
                if len(times) == 10:
                    steps.append(sorted(b - a for a, b in itertools.pairwise(times))[4])
    if last < first:
        return None
    step = sorted(steps)[len(steps) // 2] if steps else 0.0
    begin, end = float(stack.time_begin), float(stack.time_end)
    if not 0 < end - begin < 1e5:  # where the file tells no span of its own
        begin, end = first, last
    return {"name": stack.name, "begin": begin, "end": end, "step": step, "animated": animated}


def take_of(scene: Any, facts: dict[str, Any]) -> tuple[Any, dict[str, Any]] | None:
    """The longest animation with its frame rate: the file's, or that of its keys where they are denser."""
    stacks = [(s, k) for s in items(scene.anim_stacks) if (k := keys(s)) is not None]
    if not stacks:
        return None
    stack, take = max(stacks, key=lambda s: s[1]["end"] - s[1]["begin"])
    rate = facts["rate"] = float(scene.settings.frames_per_second)
    if not 1 <= rate <= 10_000:
        rate = 30.0
    if take["step"] > 1e-4 and 1 / take["step"] > 1.1 * rate:
        rate = 1 / take["step"]
    take["rate"], take["frames"] = rate, round((take["end"] - take["begin"]) * rate) + 1
    facts["others"] = [k["name"] for s, k in stacks if s is not stack]
    return stack.anim, take


def bind_pose(node: Any) -> list[float] | None:
    """The global matrix of a bone in the bind pose, columns one after another; None where there is none."""
    if node.bone is None or node.bind_pose is None:
        return None
    for pose in items(node.bind_pose.bone_poses):
        if pose.bone_node.typed_id == node.typed_id:
            return [x for column in pose.bone_to_world for x in column]
    return None


def describe(node: Any, place: dict[int, int]) -> dict[str, Any]:
    """What the reader needs to know of a node."""
    return {
        "name": node.name,
        "parent": -1 if node.parent is None else place[node.parent.typed_id],
        "bone": node.bone is not None,
        "plain": not node.is_root and node.mesh is None and node.light is None and node.camera is None,
        "local": row(node.local_transform),
        "bind": bind_pose(node),
    }


def extract(path: str) -> tuple[dict[str, Any], list[array.array[float]]]:
    """The facts of a file and, for each node that carries joints, its transforms in every frame."""
    import ufbx

    scene = ufbx.load_file(
        path,
        ignore_geometry=True,
        ignore_embedded=True,
        load_external_files=False,
        # children whose parents' scale is to be ignored get the inverse, so that plain products are right
        inherit_mode_handling=ufbx.InheritModeHandling.COMPENSATE,
    )
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(scene))
    nodes = items(scene.nodes)  # parents come before their children
    facts: dict[str, Any] = {"up": int(scene.settings.axes.up), "unit": float(scene.settings.unit_meters)}
    if len(nodes) > MOST_NODES:
        return {"error": f"it holds {len(nodes)} nodes; at most {MOST_NODES} can be read"}, []
    place = {n.typed_id: k for k, n in enumerate(nodes)}
    described = facts["nodes"] = [describe(n, place) for n in nodes]
    found = take_of(scene, facts)
    if found is None:
        return {"error": "it holds no animation"}, []
    anim, take = found
    animated = take.pop("animated")
    if not 1 <= take["frames"] <= MOST_FRAMES:
        return {"error": f"its animation of {take['end'] - take['begin']:g} s has more frames than can be read"}, []
    bones = any(d["bone"] for d in described)
    needed = {k for k, d in enumerate(described) if d["bone"] or (d["plain"] and not bones)}
    for k in reversed(range(len(nodes))):
        if k in needed and described[k]["parent"] >= 0:
            needed.add(described[k]["parent"])
    if take["frames"] * len(needed) > MOST_ROWS:
        return {"error": f"{take['frames']} frames of {len(needed)} nodes are more than can be read"}, []
    facts["take"], facts["rows"], data = take, [], []
    for k in sorted(needed):
        count = take["frames"] if nodes[k].element_id in animated else 1
        values = array.array("d")
        for i in range(count):
            values.extend(row(nodes[k].evaluate_transform(anim, take["begin"] + i / take["rate"])))
        facts["rows"].append([k, count])
        data.append(values)
    return facts, data


def limit_memory() -> None:
    """From now on, this process gets no more than `MOST_MEMORY`; on Windows there is no such limit."""
    try:
        import resource
    except ImportError:
        return
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def main() -> None:
    """Writes what the file given as the first argument holds, or {"error": a reason}."""
    gc.disable()
    limit_memory()
    try:
        facts, data = extract(sys.argv[1])
        line = json.dumps(facts)
    except Exception as error:  # whatever the parser says is the reason that the reader passes on
        line, data = json.dumps({"error": " ".join(str(error).split())[:200] or type(error).__name__}), []
    out = sys.stdout.buffer
    out.write(line.encode() + b"\n")
    for values in data:
        out.write(values.tobytes())
    out.flush()
    os._exit(0)


if __name__ == "__main__":
    main()

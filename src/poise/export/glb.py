"""GLB: glTF 2.0 with a skinned body and its animation, in one binary file (metres, Y up, as glTF demands)."""

from __future__ import annotations

import json
import struct
from os import PathLike

import numpy as np

from poise import files
from poise._version import __version__
from poise.export.dress import fists_of
from poise.export.moved_props import MovedProp, moved_props
from poise.export.props import Props
from poise.export.rig import Rig, rig_of
from poise.export.scene import linear
from poise.export.skin import Skin, skin
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip

_FLOAT, _UBYTE, _USHORT, _UINT = 5126, 5121, 5123, 5125
_DTYPES = {_FLOAT: "<f4", _UBYTE: "u1", _USHORT: "<u2", _UINT: "<u4"}
_SHAPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
_VERTICES, _INDICES = 34962, 34963
_STILL = 1e-7  # a joint whose quaternion changes less than this has one key


def save(clip: Clip, path: str | PathLike[str], *, level: bool = False, props: Props | None = None) -> None:
    """Write a clip as GLB. `level` keeps the levelled floor (see `rig_of`); `props` are those of a take."""
    data = encode(clip, level=level, props=props)
    with files.writing(path) as temporary:
        temporary.write_bytes(data)


def encode(clip: Clip, *, level: bool = False, props: Props | None = None) -> bytes:
    """The bytes of a GLB file of a clip, with the props of a take where they are given."""
    rig = rig_of(clip, level).converted(unit=1.0, up="y")
    out = _Buffer()
    body = skin(clip.character, rig, fists_of(clip))
    joints = len(rig.skeleton)
    armature = {"name": clip.name or clip.character.name, "children": [int(j) for j in np.flatnonzero(rig.parents < 0)]}
    document: dict = {
        "asset": _asset(clip, rig),
        "scene": 0,
        "scenes": [{"name": armature["name"], "nodes": [joints]}],
        "nodes": [*_joint_nodes(rig), armature],
        "animations": [_animation(rig, out, clip.name or "motion")],
    }
    if len(body.vertices):
        document["nodes"].append({"name": "body", "mesh": 0, "skin": 0})
        document["scenes"][0]["nodes"].append(joints + 1)  # a skinned mesh belongs at the top of its scene
        document["meshes"] = [{"name": "body", "primitives": [_primitive(body, out, joints)]}]
        surface = {"metallicFactor": 0.0, "roughnessFactor": 0.75}
        document["materials"] = [{"name": "body", "pbrMetallicRoughness": surface}]
        inverse = np.linalg.inv(_rest_matrices(rig)).transpose(0, 2, 1).reshape(-1, 16)  # glTF stores columns
        inverse[:, [3, 7, 11, 15]] = (0.0, 0.0, 0.0, 1.0)
        bound = {"joints": list(range(joints)), "skeleton": joints, "inverseBindMatrices": out.add(inverse)}
        document["skins"] = [bound]
    for prop in moved_props(props, clip, rig):
        _add_prop(document, prop, out, rig.dt)
    document["accessors"], document["bufferViews"] = out.accessors, out.views
    document["buffers"] = [{"byteLength": len(out.data)}]
    return _pack(document, bytes(out.data))


class _Buffer:
    """The binary part of the file, and what lies where in it."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.views: list[dict] = []
        self.accessors: list[dict] = []

    def add(self, values: Array, kind: int = _FLOAT, target: int | None = None, bounds: bool = False,
            normalised: bool = False) -> int:  # fmt: skip
        """Append an array (K,) or (K, width); gives the index of its accessor."""
        array = np.ascontiguousarray(values, _DTYPES[kind])
        raw = array.tobytes()
        self.views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(raw)})
        if target is not None:
            self.views[-1]["target"] = target
        width = 1 if array.ndim == 1 else array.shape[1]
        accessor: dict = {"bufferView": len(self.views) - 1, "componentType": kind, "count": len(array),
                          "type": _SHAPES[width]}  # fmt: skip
        if bounds:
            table = array.reshape(len(array), width)
            accessor["min"], accessor["max"] = table.min(0).tolist(), table.max(0).tolist()
        if normalised:
            accessor["normalized"] = True
        self.accessors.append(accessor)
        self.data += raw + b"\0" * (-len(raw) % 4)
        return len(self.accessors) - 1


def _asset(clip: Clip, rig: Rig) -> dict:
    """Who wrote it, where it came from, and on what terms it may be used."""
    asset: dict = {"version": "2.0", "generator": f"poise {__version__}"}
    if clip.source.licence:
        asset["copyright"] = clip.source.licence
    asset["extras"] = {"source": clip.source.name, "licence": clip.source.licence, "frames_per_second": 1.0 / rig.dt}
    if clip.source.licence_text:
        asset["extras"]["licence_text"] = clip.source.licence_text
    return asset


def _joint_nodes(rig: Rig) -> list[dict]:
    """One node a joint, in its rest pose, in the order of the skeleton."""
    nodes = []
    for j, name in enumerate(rig.names):
        node: dict = {"name": name, "translation": rig.skeleton.offsets[j].tolist()}
        x = rot.normalise(rig.skeleton.rest[j])
        node["rotation"] = [*x[1:].tolist(), float(x[0])]
        if children := rig.skeleton.children(j):
            node["children"] = children
        nodes.append(node)
    return nodes


def _rest_matrices(rig: Rig) -> Array:
    """Global rest transforms (J, 4, 4) of the joints."""
    point, turn = rig.skeleton.rest_pose()
    matrix = np.tile(np.eye(4), (len(point), 1, 1))
    matrix[:, :3, :3], matrix[:, :3, 3] = rot.to_matrix(turn), point
    return matrix


def _primitive(body: Skin, out: _Buffer, joints: int) -> dict:
    """The triangles of the body with the joints that carry each vertex."""
    count = len(body.vertices)
    weights = np.round(255.0 * body.weights).astype(int)
    weights[:, 0] += 255 - weights.sum(axis=1)  # they must sum to one exactly
    carried = np.where(weights > 0, body.joints, 0)  # no joint may be named that carries nothing
    colours = np.full((count, 4), 255.0)
    colours[:, :3] = np.round(255.0 * linear(body.colours))
    return {
        "attributes": {
            "POSITION": out.add(body.vertices, target=_VERTICES, bounds=True),
            "NORMAL": out.add(body.normals, target=_VERTICES),
            "COLOR_0": out.add(colours, _UBYTE, _VERTICES, normalised=True),
            "JOINTS_0": out.add(carried, _UBYTE if joints <= 256 else _USHORT, _VERTICES),
            "WEIGHTS_0": out.add(weights, _UBYTE, _VERTICES, normalised=True),
        },
        "indices": out.add(body.faces.ravel(), _USHORT if count < 65535 else _UINT, _INDICES),
        "material": 0,
    }


def _add_prop(document: dict, prop: MovedProp, out: _Buffer, dt: float) -> None:
    """A node with its own mesh, at the top of the scene, and channels of its track."""
    node, meshes = len(document["nodes"]), document.setdefault("meshes", [])
    colours = np.full((len(prop.vertices), 4), 255.0)
    colours[:, :3] = np.round(255.0 * linear(prop.colours))
    attributes = {
        "POSITION": out.add(prop.vertices, target=_VERTICES, bounds=True),
        "NORMAL": out.add(prop.normals, target=_VERTICES),
        "COLOR_0": out.add(colours, _UBYTE, _VERTICES, normalised=True),
    }
    faces = out.add(prop.faces.ravel(), _USHORT if len(prop.vertices) < 65535 else _UINT, _INDICES)
    meshes.append({"name": prop.name, "primitives": [{"attributes": attributes, "indices": faces}]})
    turns = prop.turns[:, [1, 2, 3, 0]]
    document["nodes"].append({"name": prop.name, "mesh": len(meshes) - 1, "translation": prop.places[0].tolist(),
                              "rotation": turns[0].tolist()})  # fmt: skip
    document["scenes"][0]["nodes"].append(node)
    tracks = [("translation", "LINEAR", prop.places), ("rotation", "LINEAR", turns)]
    if not prop.there.all():  # it is not seen while it is not there
        tracks.append(("scale", "STEP", np.repeat(prop.there[:, None].astype(float), 3, axis=1)))
    clock, animation = out.add(np.arange(len(turns)) * dt, bounds=True), document["animations"][0]
    for path, how, keys in tracks:
        animation["channels"].append({"sampler": len(animation["samplers"]), "target": {"node": node, "path": path}})
        animation["samplers"].append({"input": clock, "interpolation": how, "output": out.add(keys)})


def _animation(rig: Rig, out: _Buffer, name: str) -> dict:
    """Linear samplers: the rotation of every joint, the translation of those that move in their parent."""
    clocks: dict[int, int] = {}  # number of keys -> accessor of their times
    samplers: list[dict] = []
    channels: list[dict] = []

    def channel(joint: int, path: str, keys: Array) -> None:
        keys = keys[:1] if np.abs(keys - keys[0]).max() < _STILL else keys
        if len(keys) not in clocks:
            clocks[len(keys)] = out.add(np.arange(len(keys)) * rig.dt, bounds=True)
        samplers.append({"input": clocks[len(keys)], "interpolation": "LINEAR", "output": out.add(keys)})
        channels.append({"sampler": len(samplers) - 1, "target": {"node": joint, "path": path}})

    turns = rot.normalise(rot.continuous(rig.rotations))
    for j in range(len(rig.skeleton)):
        channel(j, "rotation", turns[:, j][:, [1, 2, 3, 0]])
    for j in np.flatnonzero(rig.moving()):
        channel(int(j), "translation", rig.positions[:, j])
    return {"name": name, "samplers": samplers, "channels": channels}


def _pack(document: dict, binary: bytes) -> bytes:
    """Header, JSON chunk, binary chunk, each padded to four bytes."""
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    total = 12 + 8 + len(text) + 8 + len(binary)
    return b"".join([
        struct.pack("<4sII", b"glTF", 2, total),
        struct.pack("<I4s", len(text), b"JSON"), text,
        struct.pack("<I4s", len(binary), b"BIN\0"), binary,
    ])  # fmt: skip

"""A reader of GLB files for tests: written from the specification, sharing nothing with the writer."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np

_TYPES = {5121: "u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTH = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Gltf:
    """One GLB: its JSON document and its accessors as arrays."""

    def __init__(self, path: Path) -> None:
        raw = path.read_bytes()
        magic, version, total = struct.unpack_from("<4sII", raw)
        assert magic == b"glTF" and version == 2 and total == len(raw)
        size, kind = struct.unpack_from("<I4s", raw, 12)
        assert kind == b"JSON"
        self.json = json.loads(raw[20 : 20 + size])
        length, kind = struct.unpack_from("<I4s", raw, 20 + size)
        assert kind == b"BIN\0"
        self.binary = raw[28 + size : 28 + size + length]

    def array(self, accessor: int) -> np.ndarray:
        """Values of an accessor, normalised integers as fractions."""
        a = self.json["accessors"][accessor]
        view = self.json["bufferViews"][a["bufferView"]]
        width = _WIDTH[a["type"]]
        out = np.frombuffer(self.binary, _TYPES[a["componentType"]], a["count"] * width, view["byteOffset"])
        out = out.reshape(-1, width).astype(float)
        return out / 255.0 if a.get("normalized") else out

    def joint_matrices(self) -> np.ndarray:
        """World matrices (N, J, 4, 4) of the skin's joints at every key of the animation."""
        nodes, animation = self.json["nodes"], self.json["animations"][0]
        frames = max(self.json["accessors"][s["input"]]["count"] for s in animation["samplers"])
        keyed = {}
        for channel in animation["channels"]:
            keys = self.array(animation["samplers"][channel["sampler"]]["output"])
            keyed[channel["target"]["node"], channel["target"]["path"]] = np.broadcast_to(keys, (frames, keys.shape[1]))
        parent = {c: p for p, node in enumerate(nodes) for c in node.get("children", [])}
        done: dict[int, np.ndarray] = {}

        def world(n: int) -> np.ndarray:
            if n not in done:
                own = np.tile(np.eye(4), (frames, 1, 1))
                own[:, :3, :3] = _matrix(keyed.get((n, "rotation"), np.array([nodes[n].get("rotation", [0, 0, 0, 1])])))
                own[:, :3, 3] = keyed.get((n, "translation"), nodes[n].get("translation", [0, 0, 0]))
                done[n] = world(parent[n]) @ own if n in parent else own
            return done[n]

        return np.stack([world(n) for n in self.json["skins"][0]["joints"]], axis=1)


def _matrix(q: np.ndarray) -> np.ndarray:
    x, y, z, w = q.T
    return np.moveaxis(np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]), -1, 0)  # fmt: skip

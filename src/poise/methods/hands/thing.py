"""The object that hands hold: convex pieces of one rigid body, with its mass, moments, and where it may stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from poise.checks import number
from poise.errors import BadValue
from poise.maths import distance, meshes
from poise.maths.distance import Solid
from poise.maths.rotations import Array, from_matrix
from poise.stage.pieces import Piece, weighed

_KERNEL = {
    "box": distance.BOX,
    "cylinder": distance.CYLINDER,
    "sphere": distance.SPHERE,
    "capsule": distance.CAPSULE,
}
_RIM = 8  # points of a cylinder's edge on which it may stand


@dataclass(frozen=True, eq=False)
class Thing:
    """A rigid body of pieces and convex meshes. Its frame is the one they are given in; `centre` is its centre of
    mass.
    """

    name: str
    pieces: tuple[Piece, ...] = ()
    mass: float = 0.5  # [kg]
    hulls: tuple[tuple[Array, np.ndarray], ...] = field(default=())  # vertices (V, 3) [m] and outward faces (F, 3)

    def __post_init__(self) -> None:
        number(f"The mass of {self.name}", self.mass, "kg", above=0.0)
        if not self.pieces and not self.hulls:
            raise BadValue(f"{self.name} has no shape: give it pieces or a mesh.")

    @cached_property
    def _moments(self) -> tuple[Array, Array]:
        """Centre of mass (3,) [m] and inertia (3, 3) [kg m²] about it, of one density throughout."""
        return weighed(self.pieces, self.hulls, self.mass)

    @property
    def centre(self) -> Array:
        """Centre of mass (3,) [m] in the frame of the pieces."""
        return self._moments[0]

    @property
    def inertia(self) -> Array:
        """(3, 3) [kg m²] about the centre of mass."""
        return self._moments[1]

    @cached_property
    def solid(self) -> Solid:
        """The same for kernels, about its centre of mass."""
        kind, size, place, turn, reach = [], [], [], [], []
        for piece in self.pieces:
            s = np.zeros(3)
            s[: len(piece.size)] = piece.size
            kind.append(_KERNEL[piece.kind])
            size.append(s)
            place.append(np.asarray(piece.place, float) - self.centre)
            turn.append(piece.matrix)
            reach.append(s[0] + s[1] if piece.kind == "capsule" else float(np.linalg.norm(s)))
        table, corner = np.zeros((2, 2, 2)), np.zeros(3)
        if self.hulls:
            table, corner = meshes.distance_table([(v - self.centre, f) for v, f in self.hulls])
            kind.append(distance.GRID)
            size.append(np.zeros(3))
            place.append(np.zeros(3))
            turn.append(np.eye(3))
            reach.append(1e3)
        return Solid(
            np.array(kind, np.int64),
            np.array(size),
            np.array(place),
            np.array(turn),
            np.array(reach),
            table,
            corner,
            0.002,
        )

    @cached_property
    def extent(self) -> Array:
        """Corners (2, 3) [m] of a box about the centre of mass that holds it."""
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        for piece in self.pieces:
            s = np.zeros(3)
            if piece.kind == "box":
                s = np.abs(piece.matrix) @ np.array(piece.size)
            elif piece.kind == "sphere":
                s[:] = piece.size[0]
            else:
                axis = np.abs(piece.matrix[:, 2])
                across = np.sqrt(np.maximum(1 - axis**2, 0.0)) if piece.kind == "cylinder" else np.ones(3)
                s = across * piece.size[0] + axis * piece.size[1]
            low, high = np.minimum(low, np.asarray(piece.place) - s), np.maximum(high, np.asarray(piece.place) + s)
        for v, _ in self.hulls:
            low, high = np.minimum(low, v.min(0)), np.maximum(high, v.max(0))
        return np.array([low, high]) - self.centre

    def lowest(self, turn: Array) -> Array:
        """Points (N, 3) [m] on which it may stand when turned by (3, 3): corners, rims, and the undersides of
        round pieces.
        """
        down, out = -turn[2], []  # the world's down in the object's axes
        for piece in self.pieces:
            at, M, s = np.asarray(piece.place) - self.centre, piece.matrix, piece.size
            if piece.kind == "box":
                signs = np.array(np.meshgrid((-1, 1), (-1, 1), (-1, 1))).reshape(3, -1).T
                out.append(at + (signs * np.array(s)) @ M.T)
            elif piece.kind == "cylinder":
                a = 2 * np.pi * np.arange(_RIM) / _RIM
                ring = np.stack([s[0] * np.cos(a), s[0] * np.sin(a), np.full(_RIM, s[1])], 1)
                out.append(at + np.concatenate([ring, ring * (1, 1, -1)]) @ M.T)
            elif piece.kind == "sphere":
                out.append((at + s[0] * down)[None])
            else:
                out.append(np.stack([at + M[:, 2] * e * s[1] + s[0] * down for e in (-1, 1)]))
        out += [v - self.centre for v, _ in self.hulls]
        return np.concatenate(out)

    def geoms_xml(self, colour: str = "0.35 0.6 0.85 0.7", prefix: str = "thing") -> tuple[str, str]:
        """Assets and geoms as MJCF, about the centre of mass; names are prefix_0, prefix_1, ..."""
        assets, geoms = [], []
        for k, piece in enumerate(self.pieces):
            at, q = np.asarray(piece.place) - self.centre, from_matrix(piece.matrix)
            geoms.append(
                f'<geom name="{prefix}_{k}" type="{piece.kind}" size="{_text(piece.size)}" pos="{_text(at)}" '
                f'quat="{_text(q)}" rgba="{colour}"/>'
            )
        for k, (v, f) in enumerate(self.hulls):
            assets.append(
                f'<mesh name="{prefix}_hull_{k}" vertex="{_text((v - self.centre).ravel())}" '
                f'face="{" ".join(map(str, f.ravel()))}"/>'
            )
            geoms.append(
                f'<geom name="{prefix}_{len(self.pieces) + k}" type="mesh" mesh="{prefix}_hull_{k}" rgba="{colour}"/>'
            )
        return "".join(assets), "".join(geoms)


def _text(values: Sequence[float] | Array) -> str:
    return " ".join(f"{v:.9g}" for v in values)

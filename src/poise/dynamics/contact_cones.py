"""ContactCones: what may push or hold a body, as the wrenches of unit forces at each place."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.maths.rotations import Array


@dataclass(frozen=True, eq=False)
class ContactCones:
    """What may push, one row a frame; the K places of all frames share their order."""

    columns: Array  # (N, K, 3, 6) wrenches of unit forces (normal, tangent, tangent): moment / length, force
    contact: np.ndarray  # (N, K) bool
    friction: Array  # (K,), infinite for closed hands, which can be pulled as well
    about: Array  # (N, 3) the point about which moments are taken [m]
    length: float  # [m] that weighs moments against forces

    @classmethod
    def on_ground(cls, places: Array, normals: Array, contact: np.ndarray, friction: float, about: Array,
                  length: float) -> ContactCones:  # fmt: skip
        """Ground that pushes at places (N, K, 3) [m] with normals (N, K, 3), where `contact` (N, K).

        A unit force along n at p is the wrench ((p - about) × n / length, n).
        """
        away = np.where(np.abs(normals[..., :1]) < 0.9, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
        first = np.cross(normals, away)
        first /= np.linalg.norm(first, axis=-1, keepdims=True)
        ways = np.stack([normals, first, np.cross(normals, first)], axis=2)  # (N, K, 3, 3)
        columns = _columns(places, ways, about, length)
        return cls(columns, np.ascontiguousarray(contact, bool), np.full(places.shape[1], friction), about, length)

    def with_pushes(self, places: Array, contact: np.ndarray, friction: float) -> ContactCones:
        """These and others that push upwards at places (N, G, 3) [m], where `contact` (N, G)."""
        up = np.broadcast_to(np.array([0.0, 0.0, 1.0]), places.shape)
        more = ContactCones.on_ground(places, up, contact, friction, self.about, self.length)
        return self._joined(more.columns, contact, more.friction)

    def with_grips(self, places: Array, closed: np.ndarray) -> ContactCones:
        """These and closed hands at fixed places (G, 3) [m], where `closed` (N, G): forces in any direction."""
        if not len(places):
            return self
        count = len(self.about)
        ways = np.broadcast_to(np.eye(3), (count, len(places), 3, 3))
        extra = _columns(np.broadcast_to(places, (count, *places.shape)), ways, self.about, self.length)
        return self._joined(extra, closed, np.full(len(places), np.inf))

    def _joined(self, columns: Array, contact: np.ndarray, friction: Array) -> ContactCones:
        return replace(
            self,
            columns=np.ascontiguousarray(np.concatenate([self.columns, columns], axis=1)),
            contact=np.ascontiguousarray(np.column_stack([self.contact, contact])),
            friction=np.concatenate([self.friction, friction]),
        )


def _columns(places: Array, ways: Array, about: Array, length: float) -> Array:
    """Wrenches (N, K, 3, 6) of unit forces along `ways` (N, K, 3, 3) at places (N, K, 3)."""
    arms = np.cross((places - about[:, None])[:, :, None], ways) / length
    return np.ascontiguousarray(np.concatenate([arms, ways], axis=-1))

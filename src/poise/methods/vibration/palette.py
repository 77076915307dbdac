"""The palette: flight modes and ground modes of a body about its rest pose (section 4.2 of Nunes et al. 2012).

K φ = ω² M φ with the springs K and the mass matrix M of the rest pose; in flight all is free, on the ground the stance
toe is held (J φ = 0; Kry et al. 2009). Flight has six modes without a spring, one held toe leaves three and two leave
one: these are left out. Modes are mass-normalised and numbered by rising frequency: f1, f2, ... and g1, g2, ...

Departures: on a symmetric body the flight modes are found apart among symmetric and antisymmetric motions, so that
two of nearly one frequency do not mix; the same for two held toes. The largest torque K φ of a mode is positive (of
equal ones the first), so that the sign of an amplitude means the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import null_space

from poise.character import Character
from poise.dynamics import Dynamics
from poise.dynamics.modes import modes
from poise.errors import BadValue, UnknownName
from poise.maths.rotations import Array
from poise.methods.vibration.rest import Angles, rest_pose, stiffness_of
from poise.motion.mirror import mirror_tangent

SYMMETRIC, ANTISYMMETRIC, NEITHER = "symmetric", "antisymmetric", "of neither symmetry"
STANCES = ("right", "left", "both")
_SAME = 1e-6  # relative difference of mass matrices from which left and right are not alike
_TIED = 1e-3  # relative difference of torques that counts as none


@dataclass(frozen=True, eq=False)
class Mode:
    """One natural vibration."""

    name: str  # f1, f2, ... in flight, g1, g2, ... on the ground
    shape: Array  # (nv,), mass-normalised
    frequency: float  # [Hz]
    parity: str  # symmetric, antisymmetric, or of neither symmetry


@dataclass(frozen=True, eq=False)
class Palette:
    """All modes of a body about its rest pose."""

    character: Character
    rest: Array  # (nq,)
    stiffness: Array  # (nv,) [N m/rad]
    stance: str  # which toe the ground modes hold: right, left or both
    flight: tuple[Mode, ...]
    ground: tuple[Mode, ...]
    rigid: tuple[int, int]  # how many modes without a spring were left out, in flight and on the ground

    def __repr__(self) -> str:
        return (f"<Palette of {self.character.name!r}: {len(self.flight)} modes in flight from "
                f"{self.flight[0].frequency:.2f} Hz, {len(self.ground)} on the ground>")  # fmt: skip

    @property
    def words(self) -> dict[str, str]:
        """What each mode moves, by its name: "arms swing against the legs, legs swing in turn"."""
        from poise.methods.vibration.words import describe

        return describe(self)

    def __getitem__(self, name: str) -> Mode:
        for mode in (*self.flight, *self.ground):
            if mode.name == name:
                return mode
        known = f"f1 to f{len(self.flight)} in flight and g1 to g{len(self.ground)} on the ground"
        raise UnknownName(f"mode of {self.character.name}", name, (), f"There are {known}; poise modes lists them.")

    def torques(self, phase: str) -> Array:
        """Torques (nv, modes) of a unit amplitude of each mode of a phase, "flight" or "ground": K φ of unit length.

        Departures: the paper has τ = Φ ψ, of which, after the mass, 23 to 100 % of the motion goes into the mode that
        was meant; K φ = ω² M φ moves it alone and has no part on the root. `plain_torques` is the paper's.
        """
        shapes = np.column_stack([m.shape for m in getattr(self, phase)])
        return _unit(self.stiffness[:, None] * shapes)

    def plain_torques(self, phase: str) -> Array:
        """The paper's columns: the joints' rows of Φ (nv, modes), of unit length."""
        shapes = np.column_stack([m.shape for m in getattr(self, phase)])
        shapes[:6] = 0.0
        return _unit(shapes)

    def swing(self, torques: Array) -> Array:
        """How far (n,) [rad] torques (nv, n) that are held turn the joint that turns most: K φ leads to φ."""
        return np.abs(torques[6:] / self.stiffness[6:, None]).max(axis=0)

    @cached_property
    def mirror(self) -> Array:
        """S (nv, nv): see `poise.motion.mirror.mirror_tangent`."""
        return mirror_tangent(self.character)

    @cached_property
    def mass(self) -> Array:
        """M (nv, nv) of the rest pose."""
        return Dynamics(self.character).at(self.rest).mass_matrix

    @property
    def symmetric(self) -> bool:
        """Are left and right of the body alike in the rest pose?"""
        return _alike(self.mirror, self.mass, self.stiffness)


def _unit(columns: Array) -> Array:
    return columns / np.linalg.norm(columns, axis=0)


def palette(character: Character, rest: Angles | Array | None = None, stiffness: Array | None = None,
            stance: str = "right") -> Palette:  # fmt: skip
    """The modes of a character; `rest` as angles [degrees] by role or as a configuration (nq,), `stiffness` (nv,)."""
    if stance not in STANCES:
        raise BadValue(f"The ground modes hold the toe of {', '.join(STANCES)}, not of {stance!r}.")
    q = rest if isinstance(rest, np.ndarray) else rest_pose(character, rest)
    k = stiffness_of(character) if stiffness is None else stiffness
    now = Dynamics(character).at(q)
    mass, mirror = now.mass_matrix, mirror_tangent(character)
    sides = ("right", "left") if stance == "both" else (stance,)
    pins = [now.jacobian(*stance_toe(character, q, side)) for side in sides]
    even = _alike(mirror, mass, k)
    flight, free = _found(mass, k, mirror, even, (), "f", 6)
    ground, held = _found(mass, k, mirror, even and len(pins) == 2, pins, "g", 5 - 2 * len(pins))
    return Palette(character, q, k, stance, flight, ground, (free, held))


def stance_toe(character: Character, q: Array, side: str) -> tuple[int, Array]:
    """Body and world place (3,) of the point on which a foot of this side stands: the middle of its toes on the sole.

    Of a foot without toes, the middle of the front half of its contact points.
    """
    body = character.body(f"{side}_toes" if character.has(f"{side}_toes") else f"{side}_foot")
    points = character.points(q)[0]
    own = np.flatnonzero(np.isin(character.contact_points.bodies, (body, character.body(f"{side}_foot"))))
    if not len(own):
        raise BadValue(f"{character.name} has no contact points at its {side} foot, so no toe to stand on.")
    front = points[own, 0] >= 0.5 * (points[own, 0].min() + points[own, 0].max())
    return body, points[own[front]].mean(axis=0)


def _alike(mirror: Array, mass: Array, k: Array) -> bool:
    """Does the reflection leave mass matrix and springs as they are?"""
    scale = np.sqrt(np.outer(np.diag(mass), np.diag(mass)))
    return bool(np.all(np.abs(mirror.T @ mass @ mirror - mass) < _SAME * scale)
                and np.allclose(mirror.T @ np.diag(k) @ mirror, np.diag(k), atol=1e-9 * k.max()))  # fmt: skip


def _found(mass: Array, k: Array, mirror: Array, even: bool, pins: Sequence[Array], letter: str,
           rigid: int) -> tuple[tuple[Mode, ...], int]:  # fmt: skip
    """Modes by rising frequency, and how many without a spring were left out of the `rigid` that there must be."""
    free = null_space(np.vstack(list(pins))) if len(pins) else np.eye(len(k))
    rows: list[tuple[float, str, Array]] = []
    if even:
        for sign, parity in ((1.0, SYMMETRIC), (-1.0, ANTISYMMETRIC)):
            rows += _within(mass, k, _kept(free, mirror, sign), parity)
    else:
        rows = _within(mass, k, free, NEITHER)
    rows.sort(key=lambda row: row[0])
    highest = rows[-1][0]
    loose = sum(square < 1e-8 * highest for square, _, _ in rows)
    if loose != rigid:
        raise BadValue(f"The body has {loose} motions that meet no spring where {rigid} are expected; give every joint "
                       "a stiffness.")  # fmt: skip
    out = [Mode(f"{letter}{n + 1}", _signed(shape, k), float(np.sqrt(square)) / (2 * np.pi), parity)
           for n, (square, parity, shape) in enumerate(rows[loose:])]  # fmt: skip
    return tuple(out), loose


def _kept(free: Array, mirror: Array, sign: float) -> Array:
    """An orthonormal basis (nv, n) of the motions in `free` that the reflection keeps (1) or turns round (-1)."""
    both = free @ free.T
    values, vectors = np.linalg.eigh(both @ (0.5 * (np.eye(len(mirror)) + sign * mirror)) @ both)
    return vectors[:, values > 0.5]


def _within(mass: Array, k: Array, basis: Array, parity: str) -> list[tuple[float, str, Array]]:
    """Squared frequency, parity and shape of each mode within a space of motions (nv, n)."""
    found = modes(basis.T @ mass @ basis, basis.T @ (k[:, None] * basis))
    return [(float(s), parity, basis @ shape) for s, shape in zip(found.squares, found.shapes.T, strict=True)]


def _signed(shape: Array, k: Array) -> Array:
    torque = k * shape
    first = int(np.argmax(np.abs(torque) > (1.0 - _TIED) * np.abs(torque).max()))
    return shape if torque[first] > 0.0 else -shape

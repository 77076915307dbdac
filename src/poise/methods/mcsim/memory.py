"""What mcsim remembers between two decisions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from poise.character import Character
from poise.character.leg_length import leg_above
from poise.character.roles import SIDES
from poise.dynamics.compiled import Compiled, WholeBody, no_whole_body
from poise.maths import rotations as rot
from poise.maths.configuration import Layout
from poise.maths.rotations import Array
from poise.maths.tree import moved_by
from poise.methods.mcsim.contacts import Known, Soles
from poise.methods.mcsim.feedback import Hips
from poise.methods.mcsim.schedule import Clock, Schedule
from poise.motion.feet.leg_clearance import Passing
from poise.motion.reference import Reference
from poise.simulate.servo import Servo

if TYPE_CHECKING:
    from poise.methods.mcsim.method import McSim

_UP = np.array([0.0, 0.0, 1.0])
_BESIDE = 0.04  # [m] along the foot within which two of its points are beside each other


class Structure(NamedTuple):
    """What the compiled program needs of a character beside its dynamics."""

    layout: Layout
    free: np.ndarray  # rows of the root that no rail holds
    feet: np.ndarray  # (2,) bodies, -1 where there is none
    legs: np.ndarray  # (2, nv) bool: degrees of freedom from hip to ankle
    stiff: Array  # (nv,) factor on the weight of the legs' joints


@dataclass(eq=False)
class Memory:
    """Everything that changes while a character performs, and what is made once at the start."""

    way: McSim  # the method with the gains that it uses
    dynamics: Compiled  # of the character
    reference_dynamics: Compiled  # of the reference
    limit: Array  # (nj,) [N m]
    joints: np.ndarray  # (J, 2) first degree of freedom and width of each joint
    stiffness: Array  # (nv,) [1/s²] of the servos
    share: Array  # (nv,) of the joints' inertia that the servos use
    feet: tuple[int, int]  # bodies, -1 where there is none
    soles: Soles
    hips: tuple[Hips, Hips]
    reach: tuple[tuple[int, float], tuple[int, float]]  # body that each leg hangs from, and its length [m] to the foot
    structure: tuple[Any, ...]  # the fields of `Structure`: what the compiled program needs of the character
    numbers: tuple[Any, ...]  # the fields of `Numbers`: and of the settings
    clock: Clock
    schedule: Schedule
    passing: Passing
    reference: Reference
    known: Known  # of the contact points
    up: Array  # (2, 3) what is up in the axes of each foot where the character stands
    whole: WholeBody = field(default_factory=no_whole_body)  # the character's motion as a whole
    reference_whole: WholeBody = field(default_factory=no_whole_body)  # that of the reference
    ground: np.ndarray | None = None  # labels that may be stood on
    names: tuple[str, ...] = ()  # what the labels stand for
    planned: float = -np.inf  # [s] when the plan was made
    servo: Servo | None = None  # that carries the plan out
    rail: Array = field(default_factory=lambda: np.zeros((3, 3)))  # inertia along what a planar body's rail holds
    offset: Array = field(default_factory=lambda: np.zeros(3))  # [m] of the reference to where the feet stand
    placed: bool = False
    flying: bool = False  # no foot should stand, and none does
    shift: Array = field(default_factory=lambda: np.zeros((2, 2)))  # [m] of the coming foothold of each foot
    tilt: Array = field(default_factory=lambda: np.zeros(2))  # rise of the ground per metre, less the reference's
    stumbled: np.ndarray = field(default_factory=lambda: np.zeros(2, bool))  # each foot has met something in its swing
    over: Array = field(default_factory=lambda: np.zeros(2))  # [m] by which each foot is raised for that
    missing: Array = field(default_factory=lambda: np.zeros(2))  # [s] for which each foot has not stood that should
    flat: Array = field(default_factory=lambda: np.zeros(2))  # share by which each foot is set down flat
    sunk: Array = field(default_factory=lambda: np.zeros(2))  # [m] by which its ankle is lower for that
    lower: float = 0.0  # [m] by which the centre of mass is let down for a far step
    asked: float = 0.0  # [m] the same, as the plan of the moment wants it
    lift: Array = field(default_factory=lambda: np.zeros((2, 3)))  # [m] of each foot off its place when it left
    landing: list[tuple[float, Array, Array]] = field(
        default_factory=lambda: [(-np.inf, np.zeros(2), np.zeros((0, 2)))] * 2
    )  # when each foot lands [s], its place (2,) and those of its points (P, 2) then [m]
    blocks: Array = field(default_factory=lambda: np.zeros((0, 6)))  # see `obstacles.blocks_of`
    aside: Array = field(default_factory=lambda: np.zeros((2, 2)))  # [m] by which each foothold is moved off a block
    failed: int = 0  # programs without solution in a row
    strained: int = 0  # programs that met a torque bound in a row
    notes: list[tuple[str, str]] = field(default_factory=list)

    @property
    def sole(self) -> tuple[np.ndarray, np.ndarray]:
        """Contact points of each foot."""
        return self.soles.left, self.soles.right


def structure_of(character: Character, reference: Reference, feet: tuple[int, int], free: np.ndarray) -> Structure:
    """What the compiled program needs of a character with these feet, in which the rows `free` of the root are."""
    legs = legs_of(character, feet)
    return Structure(layout=character.layout, free=free, feet=np.array(feet, np.int64), legs=legs,
                     stiff=stiff_axes(character, reference, feet, legs))  # fmt: skip


def soles_of(character: Character) -> Soles:
    """Whose each contact point of a character is."""
    points = character.contact_points
    left, right = (points.of(name) for name in SIDES)
    sides = np.full(len(points), -1)
    sides[left], sides[right] = 0, 1
    return Soles(bodies=np.ascontiguousarray(points.bodies, np.int64), sides=sides, beside=beside_of(character),
                 left=left, right=right)  # fmt: skip


def feet_of(character: Character) -> tuple[int, int]:
    """Ids of the two feet, -1 where there is none."""
    left, right = (character.body(f"{s}_foot") if character.has(f"{s}_foot") else -1 for s in SIDES)
    return left, right


def up_of(character: Character, feet: tuple[int, int]) -> Array:
    """What is up (2, 3) in the axes of each foot where the character stands."""
    turns = character.forward(character.standing_pose())[1][0]
    return np.stack([rot.rotate(rot.conjugate(turns[f]), _UP) if f >= 0 else _UP for f in feet])


def beside_of(character: Character) -> np.ndarray:
    """Which contact points (P, P) of one body are beside each other: equally far ahead where the character stands."""
    points = character.contact_points
    ahead = character.points(character.standing_pose())[0][:, 0]
    return (points.bodies[:, None] == points.bodies) & (np.abs(ahead[:, None] - ahead) < _BESIDE)


def reach_of(character: Character, foot: int) -> tuple[int, float]:
    """The thigh of a foot's leg, and the length [m] of the straight leg from there; (-1, inf) for no foot."""
    return leg_above(character, foot) if foot >= 0 else (-1, np.inf)


def legs_of(character: Character, feet: tuple[int, int]) -> np.ndarray:
    """Degrees of freedom (2, nv) of the two legs, from hip to ankle."""
    chain = moved_by(character.tree)
    trunk = chain[int(character.model.jnt_bodyid[0])]
    return np.stack([chain[f] & ~trunk if f >= 0 else np.zeros(len(trunk), bool) for f in feet])


def stiff_axes(character: Character, reference: Reference, feet: tuple[int, int], legs: np.ndarray) -> Array:
    """Factors (nv,) that keep knees and ankles from turning about axes that the reference hardly uses; 1 at the hips.

    A knee that is a ball joint is one by construction, not by anatomy; its angles about other axes say little of the
    motion but are first to give way when a foot is moved.
    """
    model, root = character.model, int(character.model.jnt_bodyid[0])
    speed = np.sqrt(np.mean(reference.baked.velocity**2, axis=0))
    most = max(1.0, float(speed[legs.any(axis=0)].max(initial=0.0)))
    factor = np.clip((0.4 * most / np.maximum(speed, 1e-6)) ** 2, 1.0, 50.0)
    out = np.where(legs.any(axis=0), factor, 1.0)
    for body in feet:
        while body > 0 and int(model.body_parentid[body]) != root:
            body = int(model.body_parentid[body])
        first, count = int(model.body_dofadr[body]), int(model.body_dofnum[body])
        if body > 0 and first >= 0:
            out[first : first + count] = 1.0
    return out

"""What mcsim remembers between two decisions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.methods.mcsim.schedule import Clock, Schedule
from poise.methods.mcsim.terms import Body, Rig
from poise.motion.feet.leg_clearance import Passing
from poise.motion.reference import Reference
from poise.simulate.servo import Servo

if TYPE_CHECKING:
    from poise.methods.mcsim.method import McSim

_UP = np.array([0.0, 0.0, 1.0])
_BESIDE = 0.04  # [m] along the foot within which two of its points are beside each other


@dataclass(eq=False)
class Memory:
    """Everything that changes while a character performs, and what is made once at the start."""

    way: McSim  # the method with the gains that it uses
    rig: Rig  # of the character
    model: Rig  # of the reference
    limit: Array  # (nj,) [N m]
    joints: np.ndarray  # (J, 2) first degree of freedom and width of each joint
    stiffness: Array  # (nv,) [1/s²] of the servos
    share: Array  # (nv,) of the joints' inertia that the servos use
    feet: tuple[int, int]  # bodies, -1 where there is none
    sole: tuple[np.ndarray, np.ndarray]  # contact points of each foot
    sides: np.ndarray  # (P,) whose foot each point is of, -1 for others
    beside: np.ndarray  # (P, P) bool: points of one body beside each other, as the two corners of a heel
    hips: tuple[np.ndarray, np.ndarray]  # joints of each hip
    reach: tuple[tuple[int, float], tuple[int, float]]  # body that each leg hangs from, and its length [m] to the foot
    body: tuple[Any, ...]  # the fields of `Body`: what the compiled program needs of the character
    numbers: tuple[Any, ...]  # the fields of `Numbers`: and of the settings
    clock: Clock
    schedule: Schedule
    passing: Passing
    reference: Reference
    last: Array  # (P,) [s] when each point last touched
    normal: Array  # (P, 3) of the ground where it last touched
    bumped: np.ndarray  # (P,) bool: points that touch what cannot be stood on
    level: Array  # (P,) [m] along its normal where each last touched, -inf before that
    high: Array  # (P,) [m] along its normal where each was at the last plan
    up: Array  # (2, 3) what is up in the axes of each foot where the character stands
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
    blocks: Array = field(default_factory=lambda: np.zeros((0, 6)))  # see `sight.seen`
    aside: Array = field(default_factory=lambda: np.zeros((2, 2)))  # [m] by which each foothold is moved off a block
    failed: int = 0  # programs without solution in a row
    strained: int = 0  # programs that met a torque bound in a row
    notes: list[tuple[str, str]] = field(default_factory=list)


def body_of(rig: Rig, reference: Reference, feet: tuple[int, int], free: np.ndarray) -> Body:
    """What the compiled program needs of a character with these feet, in which the rows `free` of the root are."""
    legs, layout = legs_of(rig, feet), rig.character.layout
    return Body(rig.chain, rig.bodies, rig.root, free, np.array(feet, np.int64), legs,
                stiff_axes(rig, reference, feet, legs), layout.kind, layout.qadr, layout.vadr, rig.mass,
                rig.gravity)  # fmt: skip


def sides_of(character: Character) -> np.ndarray:
    """Whose foot (P,) each contact point is of: 0 left, 1 right, -1 for others."""
    points = character.contact_points
    out = np.full(len(points), -1)
    for side, name in enumerate(SIDES):
        out[points.of(name)] = side
    return out


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
    model, length, body = character.model, 0.0, foot
    if foot < 0:
        return -1, np.inf
    root = int(model.jnt_bodyid[0])
    while int(model.body_parentid[body]) not in (root, 0):
        length += float(np.linalg.norm(model.body_pos[body]))
        body = int(model.body_parentid[body])
        if character.has("left_thigh") and body in (character.body("left_thigh"), character.body("right_thigh")):
            break
    return body, length


def legs_of(rig: Rig, feet: tuple[int, int]) -> np.ndarray:
    """Degrees of freedom (2, nv) of the two legs, from hip to ankle."""
    trunk = rig.chain[rig.root]
    return np.stack([rig.chain[f] & ~trunk if f >= 0 else np.zeros(len(trunk), bool) for f in feet])


def stiff_axes(rig: Rig, reference: Reference, feet: tuple[int, int], legs: np.ndarray) -> Array:
    """Factors (nv,) that keep knees and ankles from turning about axes that the reference hardly uses; 1 at the hips.

    A knee that is a ball joint is one by construction, not by anatomy; its angles about other axes say little of the
    motion but are first to give way when a foot is moved.
    """
    speed = np.sqrt(np.mean(reference.baked.velocity**2, axis=0))
    most = max(1.0, float(speed[legs.any(axis=0)].max(initial=0.0)))
    factor = np.clip((0.4 * most / np.maximum(speed, 1e-6)) ** 2, 1.0, 50.0)
    out = np.where(legs.any(axis=0), factor, 1.0)
    for body in feet:
        while body > 0 and int(rig.character.model.body_parentid[body]) != rig.root:
            body = int(rig.character.model.body_parentid[body])
        first, count = int(rig.character.model.body_dofadr[body]), int(rig.character.model.body_dofnum[body])
        if body > 0 and first >= 0:
            out[first : first + count] = 1.0
    return out

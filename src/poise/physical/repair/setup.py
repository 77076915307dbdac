"""What the repair is asked for: the motion to stay near, the points to hold, the ground that may push."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from poise.character import Character
from poise.dynamics.wrench import masses
from poise.maths import GRAVITY
from poise.maths.configuration import BALL
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.contact.grip_forces import gripped, loads
from poise.motion.contact.resting_parts import parts, resting
from poise.motion.ik import ik
from poise.motion.ik.hands import hold_targets
from poise.motion.ik.ik import Barrier
from poise.physical.repair.problem import PhysicalProblem
from poise.physical.repair.standing import (
    carrying,
    closed,
    enduring,
    firmly,
    pushing,
    stance_goals,
    standing,
    standing_places,
    supported,
)

CENTRE = 35.0  # [1/m²] of moving the centre of mass of a recording
REFERENCE = 70.0 * GRAVITY  # [N] the weight for which the costs below are meant


@dataclass(frozen=True)
class Weights:
    """Costs of the repair; a joint turned by 1 rad in one frame costs ½."""

    unexplained: float = 0.05  # [1/N] of what the ground cannot give
    jump: float = 0.001  # [1/N] of a wrench that changes from one frame to the next, at 120 frames a second
    force: float = 0.01  # [1/N] of a force that is not the recording's, for 10 ms
    moment: float = 0.008  # [1/N] of a moment, divided by the body's length, likewise
    centre: float = 0.0  # [1/m²] of moving the centre of mass
    root: float = 9.0  # [1/m²] of moving the root
    sideways: float = 4.0  # of turning knees and elbows that are balls about another axis than that of bending
    toes: float = 0.3  # toes are recorded badly
    spread: float = 0.045  # [s] over which corrections spread
    held: float = 100.0  # of points that touch, in units of `ik.POINT_COST`
    lying: float = 3.0  # of knees, seat and back that rest, likewise
    glide: float = 0.0  # [s] after landing and before leaving in which points that touch are held less firmly
    floor: float = 100.0  # of points in the ground
    kept: float = 100.0  # of what is to be kept exactly
    limits: float = 0.1  # of joints past their limits

    def allowing(self, change: float) -> Weights:
        """The weights with which postures change more (above 1) or less (below 1) willingly."""
        return replace(self, unexplained=self.unexplained * change, jump=self.jump * change)

    def following(self, share: float) -> Weights:
        """The weights with which the recorded wrench is kept, less closely below 1, and the centre of mass too."""
        if share == 0.0:
            return replace(self, force=0.0, moment=0.0)
        return replace(self, force=share * self.force, moment=share * self.moment, centre=CENTRE)


@dataclass(frozen=True, eq=False)
class Plan:
    """All that is known about the repaired clip before it is computed."""

    recorded: Clip  # cleaned: the motion to stay near
    planted: Clip | None  # its twin with settled feet, from where the repair starts; None: they are still to be settled
    goals: Array  # (N, P, 3) where contact points shall be while they touch [m]
    labels: np.ndarray  # (N, P) which of them touch
    pushed: np.ndarray  # (N, P) which of these the ground may push
    barrier: Barrier
    kept: dict[int, Array]  # bodies that stay where they are: places (N, 4, 3) of four points of each
    friction: float
    margin: float
    weights: Weights
    fences: tuple[ik.FloorTarget, ...] = ()  # what else points shall not pass, told for all frames
    wanted: Array | None = None  # (N, 6) wrenches of the recording: moment / length, force [N at 70 kg]
    trusted: Array | None = None  # (N,) from 0 to 1: where they are to be kept
    rests: np.ndarray | None = None  # (N, G) bool: which other parts (`resting_parts`) the ground pushes
    lies: np.ndarray | None = None  # (N, G) bool: which of them are brought to it; a seat is where they are

    @classmethod
    def of(cls, clip: Clip, recorded: Clip, planted: Clip | None, *, friction: float, margin: float,
           keep: tuple[int, ...], weights: Weights, loaded: np.ndarray | None = None) -> Plan:  # fmt: skip
        """The plan for a clip as it was given, cleaned, and settled; `keep` are bodies that stay where they were.

        Without a settled clip, feet stand on prints that are found from the cleaned one (`prints`), and from which of
        them are `loaded` (N, feet).
        """
        labels = recorded.contacts.labels
        if planted is None:
            goals = standing_places(recorded, loaded)
            goals, labels = enduring(recorded, goals, carrying(recorded, goals, labels))
            goals, labels = closed(recorded, *supported(recorded, goals, labels))
        else:
            goals = stance_goals(planted, labels)
        pos, quat = clip.character.forward(clip.q)
        kept = {b: clip.character.place(pos, quat, np.full(4, b), _FRAME) for b in keep}
        free = clip.character.points(recorded.q if planted is None else planted.q)
        barrier = Barrier.around(clip.ground, np.where(labels[..., None], goals, free))
        pushed = standing(goals, labels, clip.dt)
        return cls(recorded, planted, goals, labels, pushed, barrier, kept, friction, margin, weights)

    def problem(self, rows: slice, fixed: int = 0) -> PhysicalProblem:
        """The problem over some frames; over all of a looping clip, it closes to a ring."""
        clip, weights = self.recorded, self.weights
        character, q = clip.character, clip.q[rows]
        whole = len(q) == len(clip)
        _, quat = character.forward(q)
        # too weak to be felt: they make every degree of freedom an unknown
        turns = [ik.TurnTarget(b, quat[:, b], 1e-6) for b in range(1, character.model.nbody)]
        motion = ik.build(character, q, self._targets(rows), turns, posture=posture(character, weights),
                          smooth=weights.spread / clip.dt, limits=weights.limits,
                          cycle=clip.cycle if whole else None)  # fmt: skip
        unknown = slice(rows.start, rows.start + motion.frames)
        part = replace(clip, q=clip.q[unknown].copy(), cycle=None, labels=None, source_times=None)
        ground = pushing(part, self.goals[unknown], self.pushed[unknown], self.friction, self.margin)
        if self.rests is not None:
            ground = resting(part)._replace(on=self.rests[unknown]).pushing(ground)
        holds, times = self.recorded.grips, clip.times[unknown]
        body = masses(character, loads(character, holds, times))
        scale = REFERENCE / (character.mass * float(np.linalg.norm(character.model.opt.gravity)))
        return PhysicalProblem(motion, body, gripped(ground, holds, times), clip.dt, scale, weights.unexplained,
                               weights.jump / (120.0 * clip.dt), fixed, *self._followed(unknown),
                               centre=weights.centre)  # fmt: skip

    def _followed(self, rows: slice) -> tuple[Array | None, Array | None]:
        """Wrenches of some frames to keep, and how closely [1/N]."""
        if self.wanted is None or self.trusted is None:
            return None, None
        w = self.weights
        each = np.sqrt(100.0 * self.recorded.dt) * np.array([w.moment] * 3 + [w.force] * 3)
        return np.ascontiguousarray(self.wanted[rows]), self.trusted[rows, None] * each

    def _targets(self, rows: slice) -> list[ik.PointTarget | ik.FloorTarget]:
        points, on = self.recorded.character.contact_points, self.labels[rows]
        firm = firmly(self.labels, self.recorded.dt, self.weights.glide)[rows]
        held = [ik.PointTarget(int(points.bodies[i]), points.positions[i], self.goals[rows, i],
                               self.weights.held * firm[:, i])
                for i in range(len(points)) if on[:, i].any()]  # fmt: skip
        b = self.barrier
        floors = replace(b, height=b.height[rows], normal=b.normal[rows], wall=b.wall[rows], reach=b.reach[rows])
        kept = [ik.PointTarget(body, arm, places[rows, k], self.weights.kept)
                for body, places in self.kept.items() for k, arm in enumerate(_FRAME)]  # fmt: skip
        hands = hold_targets(self.recorded.character, self.recorded.grips, self.recorded.times[rows], self.weights.held)
        fences = [replace(f, heights=_rows(f.heights, rows, 0), normals=_rows(f.normals, rows, 1)) for f in self.fences]
        return [*held, *self._lying(rows), *hands, *floors.targets(points, self.weights.floor), *kept, *fences]

    def _lying(self, rows: slice) -> list[ik.PointTarget]:
        """Other parts of the body that rest: on the ground, where they are."""
        if self.lies is None or not self.lies[rows].any():
            return []
        clip, own, on = self.recorded, parts(self.recorded.character), self.lies[rows]
        goals = own.centres(clip.character, clip.q[rows])
        goals[..., 2] = clip.ground.height(goals[..., 0], goals[..., 1]) + own.radius
        return [ik.PointTarget(int(own.body[k]), own.local[k], goals[:, k], self.weights.lying * on[:, k])
                for k in np.flatnonzero(on.any(axis=0))]  # fmt: skip


def _rows(values: ArrayLike, rows: slice, width: int) -> Array:
    """The rows of values with one row a frame; one value for all frames, of `width` dimensions, as it is."""
    values = np.asarray(values, float)
    return values if values.ndim == width else values[rows]


_FRAME: Array = 0.1 * np.concatenate([np.zeros((1, 3)), np.eye(3)])  # [m] four points that tell a body's place and turn


def posture(character: Character, weights: Weights) -> Array:
    """Weights (nv,) of the corrections."""
    out = np.ones(character.model.nv)
    out[:3] = weights.root
    for role in character.roles:
        dofs, part = character.dofs(role), role.split("_", 1)[-1]
        ball = len(dofs) == 3 and character.tree.kind[character.tree.jntadr[character.body(role)]] == BALL
        if part in ("shin", "forearm") and ball:
            out[dofs[[0, 2]]] *= weights.sideways
        if part == "toes":
            out[dofs] *= weights.toes
    return out

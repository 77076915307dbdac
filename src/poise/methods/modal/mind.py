"""The mind of the method: what it remembers, and one decision from a state to the step that follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.dynamics import Wrench, engine
from poise.errors import BadValue
from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.modal import touch
from poise.methods.modal.footholds import Walker, heading_of
from poise.methods.modal.linearise import Pose, Watched, momentum
from poise.methods.modal.preview import Frames, Preview
from poise.methods.modal.settings import Settings
from poise.methods.modal.spectrum import check_stiffness, subtree_stiffness
from poise.methods.modal.step import Ahead, Body, Contact, Outcome, decide, gather
from poise.methods.modal.tumble import Tumble, with_balls
from poise.motion.foothold import Foothold
from poise.motion.reference import Reference
from poise.stage import Ball, Stage
from poise.stage.events import Push
from poise.stage.ground import Platform, Seesaw

DT = 1 / 120  # [s] of the paper's steps


class Decision(NamedTuple):
    """A decided step, with what it was decided on."""

    pose: Pose
    contact: Contact
    which: np.ndarray  # (K,) the watched points that contact and outcome speak of first
    bodies: np.ndarray  # (L,) of all points that they speak of
    places: Array  # (L, 3) [m]
    outcome: Outcome


class Mind:
    """Memory of the method: the reference ahead, the dual of the last force plan, closed hands."""

    def __init__(self, settings: Settings, character: Character, reference: Reference, stage: Stage, alone: bool):
        """`alone`: the method moves the character itself and must know all that it can meet."""
        _check(reference, stage, alone)
        self.settings, self.character, self.stage = settings, character, stage
        self.window = int(settings.window)
        friction = stage.friction if settings.friction is None else settings.friction
        self.points = touch.watched_points(character, stage, friction)
        self.watched = Watched(character, self.points.bodies, self.points.local)
        self.floor = touch.Floor(stage.ground)
        self.tumble = Tumble(character, friction)
        self.preview = Preview(character, self.points, self.floor, DT, self.window)
        self.stiffness = check_stiffness(character, subtree_stiffness(character))
        self.limit = np.where(np.isfinite(character.torque_limit), character.torque_limit, 1e9)
        self.weights = settings.weights(DT, self.window)
        self.dual = np.zeros(12)
        self.pushes = [e.at for e in stage.events if isinstance(e, Push)]
        walker = Walker(character, Foothold(), DT)
        self.walker = walker if settings.footholds and walker.able and _walks(reference) else None
        self.pose: Pose | None = None  # of the state that the last step ended with
        self.traces: dict[str, float] = {}
        self.soft = not alone  # contacts of another simulator give way a little

    def decide(self, time: float, q: Array, v: Array, reference: Reference, pushes: Sequence[Wrench]) -> Decision:
        """What to do in the step from `time` [s] on, from the state q (nq,), v (nv,), under these pushes."""
        watched, q, v = self.watched, np.ascontiguousarray(q, float), np.ascontiguousarray(v, float)
        pose = self.pose
        if pose is None or pose.q is not q:
            pose = watched.pose(q, v)
        bias = watched.bias(pose, v)
        frames = self._frames(pose, v, reference, time)
        contact, index = self._contact(pose, v, frames, time)
        fallen = self.tumble.near(watched, self.floor) if len(self.tumble) else None
        if fallen is not None and len(fallen[0]):
            contact = with_balls(contact, pose, watched, self.tumble, fallen, self.soft)
        body = self._body(pose, v, bias, frames, pushes)
        ahead = self._ahead(pose, v, frames, self._unaware(time))
        outcome = decide(body, ahead, contact, self.weights, self.dual)
        self.traces = {"complementarity": outcome.complementarity, "low_modes": float(outcome.low),
                       "torques_cut": float(outcome.cut)}  # fmt: skip
        bodies, places = self.points.bodies[index], pose.places[index]
        if fallen is not None and len(fallen[0]):
            bodies, places = np.append(bodies, self.tumble.bodies[fallen[0]]), np.concatenate([places, fallen[1]])
        return Decision(pose, contact, index, bodies, places, outcome)

    def _frames(self, pose: Pose, v: Array, reference: Reference, time: float) -> Frames:
        """The reference ahead, with its footholds moved where that is needed."""
        frames, walker = self.preview.frames(reference, time), self.walker
        if walker is None or self._unaware(time):
            return frames
        moving = momentum(pose, v)
        error = walker.error(pose.centre, moving, frames.centre[0], frames.momentum[0])
        if walker.quiet(error):
            return self.preview.shifted(walker.root) if np.any(walker.root) else frames
        walker.look(reference, time)
        feet = self.points.feet
        gap, _ = self.floor.under(pose.places[:feet])
        walker.sense(pose.places[:feet], gap, error, float(frames.centre[0, 2]), heading_of(frames.q[0]))
        offsets = walker.ahead(self.window + 2)
        walker.advance()
        return self.preview.edited(offsets, walker)

    def _unaware(self, time: float) -> bool:
        late = self.settings.latency
        return late > 0.0 and any(at - 1e-9 <= time < at + late - 1e-9 for at in self.pushes)

    def _body(self, pose: Pose, v: Array, bias: Array, frames: Frames, pushes: Sequence[Wrench]) -> Body:
        character = self.character
        spring = self.stiffness * conf.difference(character.layout, pose.q, frames.q[0])
        push = np.zeros(len(v))
        for w in pushes:
            push += engine.jacobian(character.model, self.watched.data, w.body, w.point)[0].T @ w.force
        return Body(pose.M, self.stiffness, self.limit, character.mass, character.model.opt.gravity.copy(),
                    pose.R, pose.root, pose.centre, bias, spring,
                    push, v)  # fmt: skip

    def _ahead(self, pose: Pose, v: Array, frames: Frames, unaware: bool) -> Ahead:
        rows = np.array([0, 1, self.window])
        steps = conf.difference(self.character.layout, pose.q, frames.q[rows])
        now_rate, end_rate = (
            _turned(frames.v[0], frames.root[0], pose.R),
            _turned(frames.v[-1], frames.root[-1], pose.R),
        )
        spun = DT * frames.momentum[1:, 3:].sum(axis=0)
        if unaware:
            believed = (frames.centre[0], frames.momentum[0], steps[0], now_rate)
        else:
            believed = (pose.centre, momentum(pose, v), np.zeros(len(v)), v)
        return Ahead(steps[0], now_rate, steps[1], steps[2], end_rate, frames.centre[-1], frames.momentum[-1], spun,
                     *believed)  # fmt: skip

    def _contact(self, pose: Pose, v: Array, frames: Frames, time: float) -> tuple[Contact, np.ndarray]:
        """Contacts of this step and of the window, of the points that matter, and the indices (K,) of these."""
        points, feet = self.points, self.points.feet
        gap, turn = self.floor.under(pose.places[:feet])
        near, slack = np.zeros(len(points), bool), np.zeros((len(points), 3))
        near[:feet] = gap < self.settings.margin
        now = np.zeros(len(points), bool)
        now[:feet] = gap < touch.TOUCHES
        slack[:feet, 0] = np.where(gap > 0.0, gap, 0.0 if self.soft else touch.RETURN * gap)
        turns = frames.turns[:-1].copy()
        turns[0, :feet] = turn
        if len(points.grips):
            holds = touch.update_grips(points, pose.places, time)
            near[feet:], now[feet:] = holds, holds
            slack[feet:] = touch.RETURN * (
                pose.places[feet:] - np.where(holds[:, None], points.anchor, pose.places[feet:])
            )
        touching = frames.touching[:-1].copy()
        touching[0] = now
        if len(points.grips):
            touching[:, feet:] &= now[feet:]
        index = np.flatnonzero(near | touching.any(axis=0))
        jacobian = self.watched.jacobians(pose, index, turns[0, index])
        return gather(index, jacobian, near, slack, points.friction, touching, pose, momentum(pose, v), frames, turns,
                      DT), index  # fmt: skip


def _turned(v: Array, R_from: Array, R_to: Array) -> Array:
    """A velocity (nv,) of a body with the root's orientation R_from, as one with R_to: the world's turn is kept."""
    out = v.copy()
    out[3:6] = R_to.T @ (R_from @ v[3:6])
    return out


def _walks(reference: Reference) -> bool:
    """Does the clip lift and set down both feet in turn? Else there are no footholds to move."""
    feet = reference.baked.contacts.feet()
    steps = np.any(feet[1:] & ~feet[:-1], axis=0) if reference.baked.cycle is None else ~feet.all(axis=0)
    return bool(steps.all() and feet.any(axis=0).all())


def _check(reference: Reference, stage: Stage, alone: bool) -> None:
    clip = reference.baked
    if not len(clip.character.contact_points) and not stage.grips:
        raise BadValue(f"{clip.character.name} has no contact points: nothing on it could be pushed by the ground.")
    if alone and (isinstance(stage.ground, (Platform, Seesaw)) or any(isinstance(e, Ball) for e in stage.events)):
        raise BadValue("The modal update knows grounds at rest, grips and pushes; for balls, platforms and seesaws use "
                       "the method modal-torques, which acts in the simulator.")  # fmt: skip

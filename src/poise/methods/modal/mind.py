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
from poise.methods.modal.linearise import Pose, Watched
from poise.methods.modal.preview import Frame, Preview
from poise.methods.modal.settings import Settings
from poise.methods.modal.spectrum import check_stiffness, subtree_stiffness
from poise.methods.modal.step import Ahead, Body, Contact, Outcome, decide
from poise.methods.modal.window import choose
from poise.motion.reference import Reference
from poise.stage import Ball, Stage
from poise.stage.events import Push
from poise.stage.ground import Platform, Seesaw

DT = 1 / 120  # [s] of the paper's steps


class Decision(NamedTuple):
    """A decided step, with what it was decided on."""

    pose: Pose
    contact: Contact
    outcome: Outcome


class Mind:
    """Memory of the method: the reference ahead, the dual of the last force plan, closed hands."""

    def __init__(self, settings: Settings, character: Character, reference: Reference, stage: Stage, alone: bool):
        """`alone`: the method moves the character itself and must know all that it can meet."""
        _check(reference, stage, alone)
        self.settings, self.character, self.stage = settings, character, stage
        self.window = int(settings.window) or choose(reference)
        friction = stage.friction if settings.friction is None else settings.friction
        self.points = touch.watched_points(character, stage, friction)
        self.watched = Watched(character, self.points.bodies, self.points.local)
        self.floor = touch.Floor(stage.ground)
        self.preview = Preview(character, self.points, self.floor, DT, self.window)
        self.stiffness = check_stiffness(character, subtree_stiffness(character))
        self.limit = np.where(np.isfinite(character.torque_limit), character.torque_limit, 1e9)
        self.weights = settings.weights(DT, self.window)
        self.dual = np.zeros(12)
        self.pushes = [e.at for e in stage.events if isinstance(e, Push)]
        self.pose: Pose | None = None  # of the state that the last step ended with
        self.traces: dict[str, float] = {}
        self.soft = not alone  # contacts of another simulator give way a little

    def decide(self, time: float, q: Array, v: Array, reference: Reference, pushes: Sequence[Wrench]) -> Decision:
        """What to do in the step from `time` [s] on, from the state q (nq,), v (nv,), under these pushes."""
        watched = self.watched
        pose = self.pose
        if pose is None or pose.q is not q:
            pose = watched.pose(q, v)
        bias = watched.bias(pose, v)
        frames = self.preview.frames(reference, time)
        contact = self._contact(pose, v, frames, time)
        body = self._body(pose, v, bias, frames[0], pushes)
        ahead = self._ahead(pose, v, frames, self._unaware(time))
        outcome = decide(body, ahead, contact, self.weights, self.dual)
        self.traces = {"complementarity": outcome.complementarity, "low_modes": float(outcome.low),
                       "torques_cut": float(outcome.cut)}  # fmt: skip
        return Decision(pose, contact, outcome)

    def _unaware(self, time: float) -> bool:
        late = self.settings.latency
        return late > 0.0 and any(at - 1e-9 <= time < at + late - 1e-9 for at in self.pushes)

    def _body(self, pose: Pose, v: Array, bias: Array, now: Frame, pushes: Sequence[Wrench]) -> Body:
        character = self.character
        spring = self.stiffness * conf.difference(character.layout, pose.q, now.q)
        push = np.zeros(len(v))
        for w in pushes:
            push += engine.jacobian(character.model, self.watched.data, w.body, w.point)[0].T @ w.force
        return Body(pose.M, self.stiffness, self.limit, character.mass, character.model.opt.gravity.copy(),
                    pose.R, pose.root, pose.centre, bias, spring,
                    push, np.asarray(v, float))  # fmt: skip

    def _ahead(self, pose: Pose, v: Array, frames: Sequence[Frame], unaware: bool) -> Ahead:
        layout = self.character.layout
        now, after, end = frames[0], frames[1], frames[-1]
        steps = conf.difference(layout, pose.q, np.stack([now.q, after.q, end.q]))
        now_rate, end_rate = _turned(now.v, now.root, pose.R), _turned(end.v, end.root, pose.R)
        spun = DT * np.sum([f.momentum[3:] for f in list(frames)[1:]], axis=0)
        if unaware:
            believed = (now.centre, now.momentum, steps[0], now_rate)
        else:
            believed = (pose.centre, pose.momentum(v), np.zeros(len(v)), np.asarray(v, float))
        return Ahead(steps[0], now_rate, steps[1], steps[2], end_rate, end.centre, end.momentum, spun, *believed)

    def _contact(self, pose: Pose, v: Array, frames: Sequence[Frame], time: float) -> Contact:
        points, n, settings = self.points, self.window, self.settings
        feet, total = points.feet, len(points)
        gap, turn = self.floor.under(pose.places[:feet])
        near, touching = np.zeros(total, bool), np.zeros((n, total), bool)
        near[:feet] = gap < settings.margin
        touching[0, :feet] = gap < touch.TOUCHES
        for k in range(1, n):
            touching[k, :feet] = frames[k].touching[:feet]
        standing = np.logical_and.accumulate(touching, axis=0)
        turns = np.stack([f.turns for f in frames[:n]])
        arms = self._arms(pose, v, frames, standing)
        turns[0, :feet] = turn
        usual = np.stack([f.force for f in frames[:n]])
        close = np.zeros((total, 3))
        close[:feet, 0] = np.where(gap > 0.0, gap, 0.0 if self.soft else touch.RETURN * gap)
        if len(points.grips):
            self._hold(pose, time, near, touching, standing, arms, close)
        jacobian = self.watched.jacobians(pose, near | touching.any(axis=0), turns[0])
        return Contact(jacobian, near, close, points.friction, touching, standing, arms, turns, usual)

    def _arms(self, pose: Pose, v: Array, frames: Sequence[Frame], standing: np.ndarray) -> Array:
        """Lever arms (n, P, 3) [m]: from where the centre of mass will be to feet that stand, or that the reference sets.

        The centre of mass goes the reference's way, off by as much as now and drifting with its present velocity.
        """
        n, now = self.window, frames[0]
        drift = pose.momentum(v)[:3] - now.momentum[:3]
        way = np.stack([f.centre for f in frames[:n]])
        centre = way + (pose.centre - now.centre) + DT * np.arange(n)[:, None] * drift
        places = np.stack([f.arms for f in frames[:n]]) + way[:, None]
        return np.where(standing[..., None], pose.places, places) - centre[:, None]

    def _hold(self, pose: Pose, time: float, near: np.ndarray, touching: np.ndarray, standing: np.ndarray, arms: Array,
              close: Array) -> None:  # fmt: skip
        """Fill in the rows of the grips."""
        points, feet = self.points, self.points.feet
        holds = touch.update_grips(points, pose.places, time)
        near[feet:] = holds
        for k, grip in enumerate(points.grips):
            touching[:, feet + k] = [grip.covers(time + j * DT + 1e-9) for j in range(self.window)]
        touching[:, feet:] &= holds
        standing[:, feet:] = touching[:, feet:]
        slack = pose.places[feet:] - np.where(holds[:, None], points.anchor, pose.places[feet:])
        close[feet:] = touch.RETURN * slack


def _turned(v: Array, R_from: Array, R_to: Array) -> Array:
    """A velocity (nv,) of a body with the root's orientation R_from, as one with R_to: the world's turn is kept."""
    out = v.copy()
    out[3:6] = R_to.T @ (R_from @ v[3:6])
    return out


def _check(reference: Reference, stage: Stage, alone: bool) -> None:
    clip = reference.baked
    if not len(clip.character.contact_points) and not stage.grips:
        raise BadValue(f"{clip.character.name} has no contact points: nothing on it could be pushed by the ground.")
    if alone and (isinstance(stage.ground, (Platform, Seesaw)) or any(isinstance(e, Ball) for e in stage.events)):
        raise BadValue("The modal update knows grounds at rest, grips and pushes; for balls, platforms and seesaws use "
                       "the method modal-torques, which acts in the simulator.")  # fmt: skip

"""What the repair is asked for: the motion to stay near, the points to hold, the ground that may push."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.character.roles import SIDES
from poise.maths.configuration import BALL
from poise.maths.rotations import Array
from poise.motion import ik
from poise.motion.barrier import Barrier
from poise.motion.clip import Clip
from poise.motion.runs import runs
from poise.physical.problem import Ground, PhysicalProblem
from poise.physical.wrench import masses

REFERENCE = 70.0 * 9.81  # [N] the weight for which the costs below are meant


@dataclass(frozen=True)
class Weights:
    """Costs of the repair; a joint turned by 1 rad in one frame costs ½."""

    unexplained: float = 0.05  # [1/N] of what the ground cannot give
    jump: float = 0.001  # [1/N] of a wrench that changes from one frame to the next, at 120 frames a second
    root: float = 9.0  # [1/m²] of moving the root
    sideways: float = 4.0  # knees and elbows that are balls: of turning about another axis than that of bending
    toes: float = 0.3  # toes are recorded badly
    spread: float = 0.045  # [s] over which corrections spread
    held: float = 100.0  # of points that touch, in units of `ik.POINT_COST`
    floor: float = 100.0  # of points in the ground
    kept: float = 100.0  # of what is to be kept exactly
    limits: float = 0.1  # of joints past their limits


def build(recorded: Clip, planted: Clip, *, friction: float, margin: float, keep: tuple[int, ...] = (),
          weights: Weights = Weights()) -> PhysicalProblem:  # noqa: B008  # frozen
    """The problem of staying near `recorded` with the feet where `planted`, its settled twin, has them.

    `margin` is the share of every foot's support that is not used; `keep` are bodies that stay where recorded.
    """
    character = recorded.character
    labels = planted.contacts.labels
    goals = stance_goals(planted, labels)
    targets = [*_held(character, goals, labels, weights), *_floors(planted, goals, labels, weights),
               *_kept(recorded, keep, weights)]  # fmt: skip
    _, quat = character.forward(recorded.q)
    turns = [ik.TurnTarget(b, quat[:, b], 1e-6) for b in range(1, character.model.nbody)]
    motion = ik.build(character, recorded.q, targets, turns, posture=posture(character, weights),
                      smooth=weights.spread / recorded.dt, limits=weights.limits, cycle=recorded.cycle)  # fmt: skip
    rows = slice(0, motion.frames)
    ground = contact_columns(planted, goals[rows], labels[rows], recorded.q[rows, :3].copy(), friction, margin)
    scale = REFERENCE / (character.mass * float(np.linalg.norm(character.model.opt.gravity)))
    jump = weights.jump / (120.0 * recorded.dt)
    return PhysicalProblem(motion, masses(character), ground, recorded.dt, scale, weights.unexplained, jump)


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


def stance_goals(clip: Clip, labels: np.ndarray) -> Array:
    """Where each contact point (N, P, 3) shall be: constant, on the ground, while it touches; else where it is."""
    goals = clip.character.points(clip.q)
    looping = clip.cycle is not None and len(clip) > 2
    for i in range(labels.shape[1]):
        for a, e in runs(labels[:, i]):
            goals[a:e, i] = goals[a:e, i].mean(axis=0)
    if looping:
        goals[-1] = goals[-1]
    touching = labels.astype(bool)
    level = clip.ground.height(goals[..., 0], goals[..., 1])
    goals[..., 2] = np.where(touching, level, goals[..., 2])
    return goals


def _held(character: Character, goals: Array, labels: np.ndarray, weights: Weights) -> list[ik.PointTarget]:
    points = character.contact_points
    return [ik.PointTarget(int(points.bodies[i]), points.positions[i], goals[:, i], weights.held * labels[:, i])
            for i in range(len(points)) if labels[:, i].any()]  # fmt: skip


def _floors(clip: Clip, goals: Array, labels: np.ndarray, weights: Weights) -> list[ik.FloorTarget]:
    return Barrier.around(clip.ground, goals).targets(clip.character.contact_points, weights.floor)


def _kept(recorded: Clip, keep: tuple[int, ...], weights: Weights) -> list[ik.PointTarget]:
    """Bodies held at four points each, so in place and orientation."""
    pos, quat = recorded.character.forward(recorded.q)
    arms = 0.1 * np.concatenate([np.zeros((1, 3)), np.eye(3)])
    place = recorded.character.place
    return [ik.PointTarget(b, arm, place(pos, quat, np.array([b]), arm[None])[:, 0], weights.kept)
            for b in keep for arm in arms]  # fmt: skip


def contact_columns(clip: Clip, goals: Array, labels: np.ndarray, about: Array, friction: float,
                    margin: float) -> Ground:  # fmt: skip
    """The pushes of contacts at `goals` (N, P, 3), each foot's drawn in towards the middle of what touches."""
    points, length = clip.character.contact_points, 0.3 * clip.character.height
    places = goals.copy()
    for side in SIDES:
        own = points.of(side)
        on = labels[:, own, None].astype(float)
        middle = np.sum(on * goals[:, own], axis=1, keepdims=True) / np.maximum(on.sum(axis=1, keepdims=True), 1.0)
        places[:, own] = middle + (1.0 - margin) * (goals[:, own] - middle)
    normal = np.broadcast_to(clip.ground.normal(places[..., 0], places[..., 1]), places.shape)
    away = np.where(np.abs(normal[..., :1]) < 0.9, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    first = np.cross(normal, away)
    first /= np.linalg.norm(first, axis=-1, keepdims=True)
    ways = np.stack([normal, first, np.cross(normal, first)], axis=2)  # (N, P, 3, 3)
    arm = places - about[:, None]
    columns = np.concatenate([np.cross(arm[:, :, None], ways) / length, ways], axis=-1)
    return Ground(np.ascontiguousarray(columns), np.ascontiguousarray(labels, bool), np.full(len(points), friction),
                  about, length)  # fmt: skip

"""From a pose and the reference ahead to one decision: what is given is put together, compiled, and decided on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.dynamics.compiled import point_jacobian
from poise.kernels import njit
from poise.maths.configuration import difference_rows, integrate_rows
from poise.maths.rotations import Array
from poise.methods.modal.linearise import (
    Pose,
    bias,
    cross,
    impulse,
    momentum,
    momentum_about_origin,
    momentum_lacking,
    place,
    places_of,
    with_more_momentum,
)
from poise.methods.modal.meeting import Met
from poise.methods.modal.schedule import TOUCHES, expect
from poise.methods.modal.step import Ahead, Body, Contact, decide
from poise.methods.modal.touch import LEVEL

RETURN = 0.2  # share of a penetration, or of a grip's slack, that one step takes back
FACTS = 5  # numbers that are told of a decision: certificate [N], planned modes, cut joints, Newton steps, work


class Rig(NamedTuple):
    """What never changes of a character and of the points that are watched on it."""

    kind: np.ndarray  # (J,), and the two that follow: as in `Layout`
    qadr: np.ndarray
    vadr: np.ndarray
    root: int
    bodies: np.ndarray  # (P,) of the watched points
    local: Array  # (P, 3) [m]
    feet: int  # how many of them are contact points; grips follow
    friction: Array  # (P,), negative for hands on fixed bars
    stiffness: Array  # (nv,)
    limit: Array  # (nv,) [N m]
    mass: float
    gravity: Array  # (3,)
    margin: float  # [m] above the ground within which a point is looked after
    soft: bool  # contacts of another simulator give way: what is sunk in is left there
    seen: bool  # contacts of the window are corrected by what is seen
    arms: bool  # lever arms go along with the motion; else all are those of the present pose
    products: bool  # velocity products act
    rest: Array  # (nq,) in which springs rest; empty: in the shape that is followed


class Around(NamedTuple):
    """What is round the character now."""

    gap: Array  # (F,) [m] of the contact points above the ground
    turn: Array  # (F, 3, 3) frames of the ground there
    holds: np.ndarray  # (G,) bool: closed hands, of those that carry loads the ones near the ground
    slack: Array  # (G, 3) [m] of them
    ball_bodies: np.ndarray  # (K,) of other parts of the body that are about to touch
    ball_places: Array  # (K, 3)
    ball_gap: Array  # (K,)
    ball_turn: Array  # (K, 3, 3)
    ball_friction: float
    met: Met  # parts of the two legs that are about to touch each other
    push: Array  # (nv,) generalised force of the pushes
    unaware: bool  # nothing is known yet of a push that acts


@njit(cache=True)
def _gaps(rig, around, frames, first, n, dt):
    """Which points are near, touch now and in the window; their slack and frames now."""
    feet, count = rig.feet, len(rig.bodies)
    near, slack, turn = np.zeros(count, np.bool_), np.zeros((count, 3)), np.empty((count, 3, 3))
    touching = frames.touching[first : first + n].copy()
    if rig.seen and not rig.soft:  # where contacts give way a corner is up for a frame or two all the time
        expect(touching, around.gap, dt)
    for i in range(count):
        if i < feet:
            gap = around.gap[i]
            near[i] = gap < rig.margin
            touching[0, i] = gap < TOUCHES
            slack[i, 0] = gap if gap > 0.0 else (0.0 if rig.soft else RETURN * gap)
            turn[i] = around.turn[i]
        else:
            held = around.holds[i - feet]
            near[i] = held
            for k in range(n):
                touching[k, i] = held and (k == 0 or touching[k, i])
            slack[i] = around.slack[i - feet]
            if rig.friction[i] >= 0.0:  # a load in the hand, borne by the ground
                touching[0, i] = held and slack[i, 0] < TOUCHES
                turn[i] = LEVEL
            else:
                turn[i] = np.eye(3)
    return near, slack, turn, touching


@njit(cache=True)
def _contact(rig, views, pose, moving, around, frames, first, n, dt):
    """The `Contact` of the points that matter, and which (K,) of all watched ones they are.

    An arm goes from where the centre of mass will be to a foot that stands, or to where the reference sets it. The
    centre of mass goes the reference's way, off by as much as now, and drifts with its present velocity.
    """
    near, slack, turn, touching = _gaps(rig, around, frames, first, n, dt)
    chosen = np.zeros(len(rig.bodies), np.bool_)
    for i in range(len(chosen)):
        chosen[i] = near[i] or touching[:, i].any()
    index = np.flatnonzero(chosen)
    own, balls, pairs, nv = len(index), len(around.ball_gap), len(around.met.gap), len(rig.stiffness)
    count = own + balls + pairs
    jacobian, near_k, gap = np.empty((count, 3, nv)), np.ones(count, np.bool_), np.zeros((count, 3))
    mu = np.full(count, around.ball_friction)
    touch, stand = np.zeros((n, count), np.bool_), np.zeros((n, count), np.bool_)
    arms, turns, usual = np.zeros((n, count, 3)), np.empty((n, count, 3, 3)), np.zeros((n, count, 3))
    for j in range(own):
        i = index[j]
        point_jacobian(views, rig.bodies[i], pose.places[i], turn[i], jacobian[j])
        near_k[j], mu[j] = near[i], rig.friction[i]
        gap[j] = slack[i]
        stays = True
        for k in range(n):
            touch[k, j] = touching[k, i]
            stays = stays and touching[k, i]
            stand[k, j] = stays
            for c in range(3):
                off = pose.centre[c] - frames.centre[first, c] + k * dt * (moving[c] - frames.momentum[first, c])
                place = pose.places[i, c] if stays else frames.places[first + k, i, c]
                arms[k, j, c] = place - frames.centre[first + k, c] - off
                if not rig.arms:
                    arms[k, j, c] = pose.places[i, c] - pose.centre[c]
                usual[k, j, c] = frames.force[first + k, i, c]
            turns[k, j] = turn[i] if k == 0 or not rig.arms else frames.turns[first + k, i]
    for j in range(balls):
        frame = around.ball_turn[j]
        point_jacobian(views, around.ball_bodies[j], around.ball_places[j], frame, jacobian[own + j])
        x = around.ball_gap[j]
        gap[own + j, 0] = x if x > 0.0 else (0.0 if rig.soft else RETURN * x)
        turns[:, own + j] = frame
    other = np.empty((3, nv))
    for j in range(pairs):
        k, frame, x = own + balls + j, around.met.turns[j], around.met.gap[j]
        point_jacobian(views, around.met.bodies[j, 0], around.met.places[j], frame, jacobian[k])
        point_jacobian(views, around.met.bodies[j, 1], around.met.places[j], frame, other)
        jacobian[k] -= other
        gap[k, 0] = x if x > 0.0 else (0.0 if rig.soft else RETURN * x)
        mu[k], turns[:, k] = 0.0, frame
    return Contact(jacobian, near_k, gap, mu, touch, stand, arms, turns, usual), index


@njit(cache=True)
def _turned(v, R_from, R_to):
    """A velocity (nv,) of a body with the root's orientation R_from, as one with R_to: the world's turn is kept."""
    out = v.copy()
    out[3:6] = R_to.T @ (R_from @ np.ascontiguousarray(v[3:6]))
    return out


@njit(cache=True)
def _from_rest(rig, q):
    """Tangent step (nv,) of the joints from q (nq,) to where the springs rest."""
    out = np.empty((1, len(rig.stiffness)))
    difference_rows(rig.kind, rig.qadr, rig.vadr, q.reshape(1, -1), rig.rest.reshape(1, -1), out)
    out[0, :6] = 0.0
    return out[0]


@njit(cache=True)
def assemble(rig, views, q, v, M, around, frames, first, aims, n, dt):
    """`Body`, `Ahead` and `Contact` of a decision in the pose that the views hold, the points (K,) and the `Pose`.

    q (nq,), v (nv,), M (nv, nv); the reference's frames from row `first` on, n steps of dt ahead. aims: the poses (nq,)
    whose shapes are followed now and next, and the velocity (nv,) of the first.
    """
    nv, root = len(v), rig.root
    products = np.empty(nv)
    bias(views, v if rig.products else np.zeros(nv), products)
    pose = Pose(q, M, views.rotations[root].copy(), views.positions[root].copy(), views.centre_of_mass.copy(),
                places_of(views, rig.bodies, rig.local))  # fmt: skip
    moving = momentum(pose, v)
    rows, steps = np.empty((4, len(q))), np.empty((4, nv))
    starts = np.empty((4, len(q)))
    for k in range(4):
        starts[k] = q
    rows[0], rows[1], rows[2], rows[3] = frames.q[first], aims[0], aims[1], frames.q[first + n]
    difference_rows(rig.kind, rig.qadr, rig.vadr, starts, rows, steps)
    last = first + n
    now_rate = _turned(aims[2], frames.root[first], pose.R)
    end_rate = _turned(frames.v[last], frames.root[last], pose.R)
    spun = np.zeros(3)
    for k in range(first + 1, last + 1):
        spun += dt * frames.momentum[k, 3:]
    if around.unaware:
        centre, moves, believed, rate = frames.centre[first].copy(), frames.momentum[first].copy(), steps[0], now_rate
    else:
        centre, moves, believed, rate = pose.centre, moving, np.zeros(nv), v
    contact, index = _contact(rig, views, pose, moving, around, frames, first, n, dt)
    ahead = Ahead(steps[0], steps[1], now_rate, steps[2], steps[3], end_rate, frames.centre[last].copy(),
                  frames.momentum[last].copy(), spun, centre, moves, believed, rate)  # fmt: skip
    spring = rig.stiffness * (_from_rest(rig, q) if len(rig.rest) else steps[1])
    body = Body(M, rig.stiffness, rig.limit, rig.mass, rig.gravity, pose.R, pose.root, pose.centre, products, spring,
                around.push, v)  # fmt: skip
    return body, ahead, contact, index, pose


@njit(cache=True)
def advise(rig, views, q, v, M, around, frames, first, aims, weights, dual, known, step, after, torque, wanted, rows,
           facts):  # fmt: skip
    """One decision: fills step, after, torque (nv,), wanted (6,), rows (·, 18) and facts; gives how many rows.

    `wanted` is the momentum about the origin that the contacts leave, without gravity and pushes; `rows` tell of the
    contacts that pressed, as a take wants them.
    """
    n, dt = weights.window, weights.dt
    body, ahead, contact, index, pose = assemble(rig, views, q, v, M, around, frames, first, aims, n, dt)
    made = decide(body, ahead, contact, weights, dual, known)
    step[:], after[:], torque[:] = made.step, made.v, made.torque
    wanted[:] = momentum_about_origin(pose, v)
    own, count = len(index), 0
    ground = own + len(around.ball_gap)
    for j in range(ground):
        f = made.force[j]
        turn = contact.frames[0, j]
        force = f[0] * turn[0] + f[1] * turn[1] + f[2] * turn[2]
        place = pose.places[index[j]] if j < own else around.ball_places[j - own]
        impulse(place, force, dt, wanted)
        if max(abs(f[0]), abs(f[1]), abs(f[2])) <= 1e-9:
            continue
        grip = j < own and index[j] >= rig.feet
        row = rows[count]
        row[:] = 0.0
        row[0] = rig.bodies[index[j]] if j < own else around.ball_bodies[j - own]
        row[2:5] = place
        row[5:8] = force / np.sqrt((force * force).sum()) if grip else turn[0]
        row[8:11] = force
        row[17] = 1.0 if grip else 0.0
        if not grip:
            slid = contact.jacobian[j] @ made.step
            row[14] = contact.friction[j]
            row[15] = max(-contact.gap[j, 0] / RETURN, 0.0)
            row[16] = np.sqrt(slid[1] ** 2 + slid[2] ** 2) / dt
        count += 1
    count = _tell_of_legs(around.met, made.force[ground:], rows, count)
    facts[0], facts[1], facts[2] = made.complementarity, made.low, made.cut
    facts[3], facts[4] = made.newton, made.work
    return count


@njit(cache=True)
def _tell_of_legs(met, forces, rows, count):
    """Add two rows for each pair (K,) of legs that pressed each other with forces (K, 3); gives how many there are."""
    for j in range(len(met.gap)):
        if forces[j, 0] <= 1e-9:
            continue
        for side in range(2):
            row, sign = rows[count], 1.0 - 2.0 * side
            row[:] = 0.0
            row[0], row[1] = met.bodies[j, side], met.bodies[j, 1 - side]
            for c in range(3):
                row[2 + c] = met.places[j, c]
                row[5 + c] = sign * met.turns[j, 0, c]
                row[8 + c] = forces[j, 0] * row[5 + c]
            count += 1
    return count


@njit(cache=True)
def arrive(rig, views, q, step, v, before, wanted, dt, corrected, after, M, rest):
    """Fill `after` (nq,) with the pose q (nq,) plus step (nv,), which the memory then holds, and M (nv, nv) with its
    inertia; gives the velocity (nv,) there, where `corrected` with the momentum that all forces leave.

    v (nv,): the velocity of the linearised step. before (3,): the centre of mass where the step began. wanted (6,): the
    momentum without gravity's share. rest (6,) gets what the linearised step lacks of it, as a force [N] and a moment
    about the centre of mass [N m] over the step, world axes: this is what the correction adds.
    """
    root = rig.root
    integrate_rows(rig.kind, rig.qadr, rig.vadr, q.reshape(1, -1), step.reshape(1, -1), after.reshape(1, -1))
    place(views, after, M)
    centre = views.centre_of_mass.copy()
    pose = Pose(after, M, views.rotations[root].copy(), views.positions[root].copy(), centre, np.empty((0, 3)))
    impulse(0.5 * (before + centre), rig.mass * rig.gravity, dt, wanted)
    lack = momentum_lacking(pose, v, wanted)
    rest[:] = lack / dt
    cross(rest[:3], centre - pose.root, rest[3:])
    return with_more_momentum(pose, v, lack) if corrected else v.copy()

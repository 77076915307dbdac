"""One decision of the method, compiled: modes, plans, contact correction and the state after the step.

Section 5.5 of Jain & Liu 2011. Everything is linearised at the present pose; b holds gravity, the velocity products and
the springs and acts as an impulse at the beginning of each step, like all other forces.

Departures: the paper linearises at zero velocity and drops the velocity products; kept, they cut what Newton's law
leaves over from a twentieth of body weight to a few newtons. High modes do not cancel the corrective contact force
unless asked to: with it the contact matrix is nearly singular, and half as many pushes are survived. (23) starts from
the unforced state, not from the reference, and the next pose is q0 plus the step, not the step alone. Effort is
measured from what the reference itself needs (`feedforward`): an undisturbed motion is followed without error. A
deviation of a high mode is not gone after one step, which kicks a foot that stands on its edge with a hundred radians
a second; it dies out like a critically damped oscillator, by the factor `high_decay` in a step. Planned contact forces
that the joints cannot bear within their torque limits are planned smaller (`bearable`); the paper has no limits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.kernels import njit
from poise.maths.rotations import Array
from poise.methods.modal.actuation import (
    bearable,
    beyond,
    contact_impulses,
    plan_low,
    planned_torque,
    track_high,
    within_limits,
)
from poise.methods.modal.correction import correct
from poise.methods.modal.rigid import force_columns, plan_forces
from poise.methods.modal.spectrum import track_modes, tracked_share
from poise.methods.modal.update import transition


class Weights(NamedTuple):
    """Numbers of the method for compiled code; see `settings.Settings`."""

    dt: float
    window: int
    group: int
    place: float
    turn: float
    velocity: float
    height: float
    force: float
    low_place: float
    low_velocity: float
    low_effort: float
    threshold: float
    high_decay: float
    first: int
    last: int
    cancel_low: float
    cancel_high: float
    damping_mass: float
    damping_stiffness: float
    limited: bool
    feedforward: bool
    tolerance: float
    exact: bool  # rigid modes are compared in what obeys the laws exactly; else in linearised modal coordinates
    spread: bool  # planned forces beyond the usual are borne over the window; else at once
    came: bool  # velocities of the reference are those with which it came to its pose
    blended: bool  # modes near the threshold are planned and tracked
    kept: bool  # modes are tracked from step to step


class Body(NamedTuple):
    """The character now. World axes."""

    M: Array  # (nv, nv)
    stiffness: Array  # (nv,) [N m/rad]
    limit: Array  # (nv,) [N m]
    mass: float
    gravity: Array  # (3,) [m/s²]
    R: Array  # (3, 3) orientation of the root
    place: Array  # (3,) of the root
    centre: Array  # (3,) of mass
    bias: Array  # (nv,)
    spring: Array  # (nv,) [N m] of the springs now
    push: Array  # (nv,) generalised force of the pushes
    v: Array  # (nv,)


class Ahead(NamedTuple):
    """The reference ahead, as seen from the present pose."""

    turned: Array  # (nv,) tangent step to the reference's present pose
    now: Array  # (nv,) the same to the shape that is followed, whose legs may be bent otherwise; see `feet`
    now_rate: Array  # (nv,) its velocity
    next: Array  # (nv,) tangent step to its next shape
    end: Array  # (nv,) tangent step to its pose at the end of the window
    end_rate: Array  # (nv,) its velocity there
    centre: Array  # (3,) its centre of mass there [m]
    momentum: Array  # (6,) there: velocity of the centre of mass [m/s], angular momentum [kg m²/s]
    spun: Array  # (3,) its angular momentum summed over the steps of the window [kg m²]
    plan_centre: Array  # (3,) the centre of mass that the plan believes in: the true one, but for the latency
    plan_momentum: Array  # (6,) its velocity, and the angular momentum
    plan_step: Array  # (nv,) tangent step to the pose that the plan believes in; zero: the true one
    plan_rate: Array  # (nv,) its velocity


class Contact(NamedTuple):
    """Points that may touch: now, and in the window."""

    jacobian: Array  # (P, 3, nv) in frames (normal, tangent, tangent)
    near: np.ndarray  # (P,) bool: solved for now
    gap: Array  # (P, 3) [m] to be closed or opened by this step, in the frame
    friction: Array  # (P,), negative: a grip
    touching: np.ndarray  # (n, P) bool, by step of the window
    standing: np.ndarray  # (n, P) bool: has not left since now
    arms: Array  # (n, P, 3) [m] from the centre of mass
    frames: Array  # (n, P, 3, 3) rows normal, tangent, tangent
    usual: Array  # (n, P, 3) [N] the reference's own forces, in the frames


class Modes(NamedTuple):
    """The modes of the pose, in columns, and how each goes on."""

    shapes: Array  # (nv, nv)
    inverse: Array  # (nv, nv) from velocities to modal ones
    squares: Array  # (nv,) squared frequencies
    spin: Array  # (3, 3) inverse root of the inertia about the centre of mass
    tracked: Array  # (nv,) share of exact tracking in its control
    change: Array  # (nv, 4) transition over a step


class Outcome(NamedTuple):
    """What came of it."""

    step: Array  # (nv,) tangent step to the next pose
    v: Array  # (nv,) velocity there
    torque: Array  # (nv,) [N m] mean over the step
    force: Array  # (P, 3) [N] in the frames
    planned: Array  # (P, 3) [N] what the plan wanted now
    squares: Array  # (nv,)
    low: int  # how many modes are planned
    newton: int  # steps of the force plan
    plan_error: float  # gradient of the force plan
    complementarity: float  # [N] certificate of the contact correction
    work: int  # sweeps and Newton steps of the correction
    cut: int  # joints at their torque limit


@njit(cache=True)
def _slacks(weights, slack):
    """Fill slack (12,) = 1 / weights of the rigid modes' ends."""
    for i in range(3):
        slack[i], slack[3 + i] = 1.0 / weights.place, 1.0 / weights.turn
        slack[6 + i], slack[9 + i] = 1.0 / weights.velocity, 1.0 / weights.velocity
    slack[2] /= weights.height
    slack[8] /= weights.height


@njit(cache=True)
def linear_ends(body, ahead, weights, shapes, inverse, z, slack):
    """`rigid_ends` as printed, (12) to (14): the rigid modal coordinates of the linearised body, b acting at each step.

    The reference's are Φ⁻¹ of the tangent step to its pose at the end of the window, and of its velocity there.
    """
    n, dt = weights.window, weights.dt
    T, tri = n * dt, dt * dt * n * (n + 1) / 2.0
    rigid = np.ascontiguousarray(inverse[:6])
    b = shapes.T @ (body.spring - body.bias)
    start, rate = rigid @ ahead.plan_step, rigid @ ahead.plan_rate
    end, end_rate = rigid @ ahead.end, rigid @ ahead.end_rate
    for i in range(6):
        z[i] = start[i] + T * rate[i] + tri * b[i] - end[i]
        z[6 + i] = rate[i] + T * b[i] - end_rate[i]
    _slacks(weights, slack)


@njit(cache=True)
def rigid_ends(body, ahead, weights, inverse, spin, z, slack):
    """Fill z (12,), the unforced end of the window less the wanted one, and slack (12,) = 1 / weights.

    The centre of mass falls freely and the angular momentum stays; the turn is that of the angular momentum. Compared
    are quantities that obey these laws exactly, so that the reference's own forces lead to z = 0.
    """
    n, dt = weights.window, weights.dt
    T, tri = n * dt, dt * dt * n * (n + 1) / 2.0
    root = np.sqrt(body.mass)
    off = inverse[3:6] @ (ahead.plan_step - ahead.turned)  # how far the body is turned from the reference
    for i in range(3):
        fall = body.gravity[i]
        z[i] = root * (ahead.plan_centre[i] + T * ahead.plan_momentum[i] + tri * fall - ahead.centre[i])
        z[6 + i] = root * (ahead.plan_momentum[i] + T * fall - ahead.momentum[i])
        z[3 + i], z[9 + i] = off[i], 0.0
        for j in range(3):
            z[3 + i] += spin[i, j] * (T * ahead.plan_momentum[3 + j] - ahead.spun[j])
            z[9 + i] += spin[i, j] * (ahead.plan_momentum[3 + j] - ahead.momentum[3 + j])
    _slacks(weights, slack)


@njit(cache=True)
def _actuation(ahead, weights, modes, b, v0, forced, pulled):
    """Impulses (nv,) of the joints in this step, and how many modes are planned.

    With `feedforward` effort is measured from what the reference needs under the planned contact forces (n, nv): joints
    bear these at once. Spread over the window, as the paper has it, a foot that is to carry less for a while leaves
    the ground: replanned at every step, the leg never gets the torque that holds it. What hands on a bar shall pull
    beyond the usual (n, nv) is spread: a body that hangs and pulls at once at every error pumps up its swing. Where
    `spread` is on, so are all forces.
    """
    nv, n, dt = len(b), weights.window, weights.dt
    inverse, change, tracked = modes.inverse, modes.change, modes.tracked
    now, rate = inverse @ ahead.plan_step, inverse @ ahead.plan_rate
    ref, ref_rate, next_p = inverse @ ahead.now, inverse @ ahead.now_rate, inverse @ ahead.next
    end_p, end_rate = inverse @ ahead.end, inverse @ ahead.end_rate
    out, low, mine = np.zeros(nv), 0, np.empty(n)
    kept, slow = 1.0 - (1.0 - weights.high_decay) ** 2, weights.high_decay**2
    for i in range(6, nv):
        if weights.came:  # a damped mode ends a step slower than it went through it
            last = dt * change[i, 3] / change[i, 1]
            ref_rate[i], end_rate[i] = last * ref_rate[i], last * end_rate[i]
        if tracked[i] < 1.0:
            low += 1
            if weights.feedforward:  # plan the deviation, on top of what the reference itself needs
                own = (next_p[i] - change[i, 0] * ref[i]) / change[i, 1] - ref_rate[i] - dt * b[i] - forced[0, i]
                mine[:] = 0.0
                if len(pulled) > 0:
                    own += pulled[0, i]
                    mine[:] = pulled[:, i]
                more = plan_low(change[i], now[i] - ref[i], rate[i] - ref_rate[i], mine, 0.0, 0.0, n, weights.low_place,
                                weights.low_velocity, weights.low_effort)  # fmt: skip
                out[i] = (1.0 - tracked[i]) * (own + more)
            else:
                for k in range(n):
                    mine[k] = forced[k, i] + dt * b[i]
                more = plan_low(change[i], now[i], rate[i], mine, end_p[i], end_rate[i], n, weights.low_place,
                                weights.low_velocity, weights.low_effort)  # fmt: skip
                out[i] = (1.0 - tracked[i]) * more
        if tracked[i] > 0.0:
            aim = next_p[i] - kept * ref[i] + slow * dt * (v0[i] - ref_rate[i])
            out[i] += tracked[i] * track_high(change[i], v0[i], forced[0, i] + dt * b[i], aim)
    return out, low


@njit(cache=True)
def _solve_contacts(contact, JP, free, response, share, Zf0, planned, weights, out):
    """Fill out (P, 3) with the contact forces of this step; gives the certificate [N] and the work."""
    index = np.flatnonzero(contact.near)
    count, nv = len(index), len(free)
    if count == 0:
        return 0.0, 0
    rows = np.empty((3 * count, nv))
    f, c, friction = np.empty(3 * count), np.empty(3 * count), np.empty(count)
    for k in range(count):
        i = index[k]
        friction[k] = contact.friction[i]
        for j in range(3):
            rows[3 * k + j] = JP[i, j]
            f[3 * k + j] = planned[i, j]
    scaled = rows * (weights.dt * response * (1.0 - share))
    W = scaled @ rows.T
    c[:] = rows @ (response * (free + share * Zf0))
    for k in range(count):
        for j in range(3):
            c[3 * k + j] += contact.gap[index[k], j]
    error, work = correct(W, c, f, friction, weights.tolerance)
    for k in range(count):
        for j in range(3):
            out[index[k], j] = f[3 * k + j]
    return error, work


@njit(cache=True)
def _modes(body, weights, known):
    """The `Modes` of the pose; known as in `track_modes`."""
    nv = len(body.v)
    if weights.last != 0 or not weights.kept:  # modes are spoken of by their numbers, or found anew
        known[:] = 0.0
    shapes, squares, spin = track_modes(body.M, body.stiffness, body.R, body.place, body.centre, body.mass, known)
    tracked, damping, change = np.empty(nv), np.zeros(nv), np.empty((nv, 4))
    tracked_share(squares, weights.threshold, weights.first, weights.last, tracked, weights.blended)
    for i in range(6, nv):
        damping[i] = weights.damping_mass + weights.damping_stiffness * squares[i]
    transition(squares, damping, weights.dt, change)
    return Modes(shapes, shapes.T @ body.M, squares, spin, tracked, change)


@njit(cache=True)
def _forces(body, ahead, contact, weights, modes, JP, y):
    """The contact-force plan: forces (P, 3) wanted now, what planned forces do to the modes, steps and gradient.

    y (12,): the dual. See `contact_impulses` for the two impulses.
    """
    n, dt, points = weights.window, weights.dt, contact.touching.shape[1]
    z, slack = np.empty(12), np.empty(12)
    if weights.exact:
        rigid_ends(body, ahead, weights, modes.inverse, modes.spin, z, slack)
    else:
        linear_ends(body, ahead, weights, modes.shapes, modes.inverse, z, slack)
    most = points * n + 1
    point, alpha, beta = np.empty(most, np.int64), np.empty(most), np.empty(most)
    G, f, usual = np.empty((most, 6, 3)), np.zeros((most, 3)), np.zeros((most, 3))
    count = force_columns(contact.touching, contact.standing, contact.arms, contact.frames, contact.usual, modes.spin,
                          body.mass, dt, weights.group, point, alpha, beta, G, usual)  # fmt: skip
    if not weights.feedforward:
        usual[:] = 0.0
    friction, effort = np.empty(most), np.empty(most)
    for v in range(count):
        friction[v] = contact.friction[point[v]]
        effort[v] = weights.force * dt * dt / body.mass * (beta[v] / dt)
    newton, error = plan_forces(z, slack, effort, friction, usual, count, alpha, beta, G, y, f)
    forced = np.empty((1 if weights.feedforward else n, len(body.v)))
    grips = np.any(contact.friction < 0.0)
    pulled = np.zeros((n if weights.feedforward and (grips or weights.spread) else 0, len(body.v)))
    contact_impulses(JP, f, usual, n, dt, contact.touching, contact.standing, weights.group, contact.friction, forced,
                     pulled, weights.spread)  # fmt: skip
    planned = np.zeros((points, 3))
    for v in range(count - 1, -1, -1):  # a point's first force is that of now, if it touches now
        if contact.touching[0, point[v]]:
            planned[point[v]] = f[v]
    return planned, forced, pulled, newton, error


@njit(cache=True)
def _less_support(body, contact, modes, JP, dt, torque, planned, imp, actuation, expected):
    """Make planned forces (P, 3) that the joints cannot bear smaller, in planned and expected (nv,).

    The shape still goes its way, and the body gets less support. torque (nv,) is that of the plan, and is spoiled.
    """
    less = planned.copy()
    bearable(torque, body.limit, contact.jacobian, JP, modes.inverse, contact.touching[0], contact.friction, less)
    for p in range(len(planned)):
        for c in range(3):
            more = dt * (less[p, c] - planned[p, c])
            for i in range(len(imp) if more != 0.0 else 0):
                expected[i] += more * JP[p, c, i]
                if i < 6:
                    imp[i] += more * JP[p, c, i]
                else:
                    actuation[i] -= more * JP[p, c, i]
    planned[:] = less


@njit(cache=True)
def _arrival(body, contact, modes, dt, JP, imp, share, force, expected):
    """Tangent step (nv,), velocity (nv,) and mean torques (nv,) of the step under contact forces (P, 3).

    imp (nv,): modal velocities after all planned impulses, of which expected (nv,) are those of the contacts.
    """
    nv = len(imp)
    given, pushed = np.zeros(nv), np.zeros(nv)
    for i in range(len(force)):
        for j in range(3):
            if force[i, j] != 0.0:
                given += dt * force[i, j] * JP[i, j]
                pushed += force[i, j] * contact.jacobian[i, j]
    imp = imp + (1.0 - share) * (given - expected)
    v = modes.shapes @ (modes.change[:, 3] * imp)
    torque = body.M @ ((v - body.v) / dt) + body.bias - pushed - body.push
    torque[:6] = 0.0
    return modes.shapes @ (modes.change[:, 1] * imp), v, torque


@njit(cache=True)
def decide(body, ahead, contact, weights, y, known):
    """The step from the present pose.

    y (12,) is the dual of the last force plan and becomes that of this one; known likewise, see `track_modes`.
    """
    nv, dt, points = len(body.v), weights.dt, contact.touching.shape[1]
    modes = _modes(body, weights, known)
    shapes, inverse = modes.shapes, modes.inverse
    JP = (contact.jacobian.reshape(3 * points, nv) @ shapes).reshape(points, 3, nv)
    planned, forced, pulled, newton, plan_error = _forces(body, ahead, contact, weights, modes, JP, y)
    expected = forced[0].copy()
    b, v0 = shapes.T @ (body.spring - body.bias), inverse @ body.v
    actuation, low = _actuation(ahead, weights, modes, b, v0, forced, pulled)
    imp = v0 + dt * b + actuation + shapes.T @ (body.push * dt) + expected
    cut = 0
    if weights.limited:
        push = np.empty(nv)
        torque = planned_torque(body.M, shapes, modes.change, imp, actuation, body.spring, dt, push)
        if beyond(torque, body.limit, np.empty(nv, np.int64)) > 0:
            _less_support(body, contact, modes, JP, dt, torque, planned, imp, actuation, expected)
            torque = planned_torque(body.M, shapes, modes.change, imp, actuation, body.spring, dt, push)
        cut = within_limits(torque, shapes, imp, actuation, body.limit, dt, push)  # what is beyond them even so
    share = np.zeros(nv)  # of a corrective contact force that the joints cancel
    for i in range(6, nv):
        share[i] = weights.cancel_low + (weights.cancel_high - weights.cancel_low) * modes.tracked[i]
    force, response = np.zeros((points, 3)), modes.change[:, 1].copy()
    error, work = _solve_contacts(contact, JP, imp - expected, response, share, expected, planned, weights, force)
    step, v, torque = _arrival(body, contact, modes, dt, JP, imp, share, force, expected)
    return Outcome(step, v, torque, force, planned, modes.squares, low, newton, plan_error, error, work, cut)

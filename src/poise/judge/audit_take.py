"""Audit of a take: does what touched and pushed the character explain how its momentum changed?

For every interval between frames the change of momentum about a fixed point of the world is compared with the impulse
of gravity, contacts and declared external wrenches, all from the take's q, v, points and forces. What is left divided
by the interval is the unexplained force and torque. Assistance never counts as explained.
"""

from __future__ import annotations

import numpy as np

from poise.judge import touches
from poise.judge.joint_torque import unexplained_joint_torque
from poise.judge.limits import beyond_range, beyond_torque
from poise.judge.metrics import feet_of, lowest
from poise.judge.momenta import about, momenta
from poise.judge.report import AuditReport, Tolerances, Worst, moving_mean, rms, worst
from poise.judge.words import take_words
from poise.maths.rotations import Array
from poise.take import Take


def audit_take(take: Take, tolerances: Tolerances) -> AuditReport:
    """The report; series have one row for each interval between frames."""
    character, time = take.character, take.time
    weight = character.mass * float(np.linalg.norm(character.model.opt.gravity))
    left, stepping = unexplained(take)
    force, torque = left[:, :3], left[:, 3:]
    velocity, lasting = touches.sliding(take)
    speed = np.linalg.norm(velocity, axis=1)
    cone, depth = touches.outside_cone(take), _depths(take)
    normal, _ = touches.parts(take)
    carried = np.where(lasting & ~take.contacts.bilateral, np.maximum(normal, 0.0), 0.0)
    torque_over, share = beyond_torque(character, take.torque, time)
    cone_worst, depth_worst = worst(cone, time[take.contacts.frame]), worst(depth, time)
    report = AuditReport(
        kind="take", name=f"{take.clip.name} ({take.method})" if take.method else take.clip.name, frames=len(take),
        duration=take.duration, weight=weight, unexplained_force_rms=rms(force), unexplained_torque_rms=rms(torque),
        unexplained_force_share=rms(force) / weight if weight else 0.0,
        unexplained_force_max=worst(np.linalg.norm(force, axis=1), time),
        unexplained_torque_max=worst(np.linalg.norm(torque, axis=1), time),
        cone_violation=cone_worst.value, cone_violation_when=cone_worst.time, penetration=depth_worst.value,
        penetration_when=depth_worst.time, slip=float(speed @ carried / carried.sum()) if carried.any() else 0.0,
        held_slip=_held(take, velocity, tolerances.window),
        joint_limit_violation=beyond_range(character, take.q, time), torque_limit_violation=torque_over,
        assist_force_rms=rms(_summed(take, take.assist.force)[:-1]), assist_torque_rms=_assist_torque(take),
        misplaced=_misplaced(take), stepping_force_rms=rms(stepping[:, :3]),
        joint_torque=unexplained_joint_torque(take, 5 * tolerances.window),
        series={"time": time[:-1], "force": force, "torque": torque, "stepping": stepping, "depth": depth},
    )  # fmt: skip
    return take_words(take, report, tolerances, cone, share)


def unexplained(take: Take) -> tuple[Array, Array]:
    """For each interval (F - 1, 6): force [N] and torque about the centre of mass [N m] that nothing recorded makes.

    The second array is what the simulator's time step makes; it is already taken out of the first.
    """
    found = momenta(take.character, take.q, take.v, take.step)
    if len(take) < 2:
        return np.zeros((0, 6)), np.zeros((0, 6))
    spans = np.diff(take.time)[:, None]
    # what acts at the beginnings of the steps of an interval acts on average half a step before its middle
    early = 0.5 * np.minimum(take.step / spans, 1.0)
    centre = (0.5 + early) * found.centre[:-1] + (0.5 - early) * found.centre[1:]
    gravity = take.character.mass * take.character.model.opt.gravity
    wrench = np.zeros((len(take) - 1, 6))
    wrench[:, :3], wrench[:, 3:] = gravity, np.cross(centre, gravity)
    for record in (take.contacts, take.external):
        force, moment = record.total(len(take))
        wrench += np.concatenate([force, moment], axis=1)[:-1]
    wrench[:, 3:] -= _summed(take, touches.excess_moment(take), contacts=True)[:-1]
    left = about(centre, (found.momentum[1:] - found.momentum[:-1]) / spans - wrench)
    stepping = _stepping(left, about(centre, found.stepping[:-1]), about(centre, found.stepping[1:]),
                         0.3 * take.character.height)  # fmt: skip
    return left - stepping, stepping


def _stepping(left: Array, first: Array, last: Array, length: float) -> Array:
    """What the time step made (F - 1, 6) of the wrenches `left`: a mixture of its values at both ends of the interval.

    When in an interval it went from the one to the other is not known: an impact changes it at once. The mixture that
    explains most is taken; the two differ by a few newtons, so no more than that can be explained away.
    """
    scale = np.array([1.0, 1.0, 1.0, length, length, length])
    way, short = (last - first) / scale, (left - first) / scale
    share = np.einsum("ki,ki->k", short, way) / np.maximum(np.einsum("ki,ki->k", way, way), 1e-300)
    return first + np.clip(share, 0.0, 1.0)[:, None] * (last - first)


def _summed(take: Take, rows: Array, contacts: bool = False) -> Array:
    """Sum by frame (F, 3) of one value (K, 3) for each contact, or for each assisting wrench."""
    out = np.zeros((len(take), 3))
    np.add.at(out, (take.contacts if contacts else take.assist).frame, rows)
    return out


def _assist_torque(take: Take) -> float:
    """Rms over intervals of the assisting moments [N m], with those of their forces about the centre of mass."""
    centre = take.character.centre_of_mass(take.q)
    arm = take.assist.point - centre[take.assist.frame]
    return rms(_summed(take, take.assist.moment + np.cross(arm, take.assist.force))[:-1])


def _depths(take: Take) -> Array:
    """Depth by frame (F,) in the ground [m]: as recorded, and by geometry where the ground stays."""
    depth = np.maximum(-lowest(take), 0.0)
    rows = take.contacts
    np.maximum.at(depth, rows.frame[~rows.bilateral], rows.depth[~rows.bilateral])
    return depth


def _held(take: Take, velocity: Array, window: float) -> Worst:
    """The worst mean velocity over a window of a foot whose contacts should hold, weighted by what they carry.

    Velocities are averaged as vectors, so that a foot that trembles on the spot does not count as sliding, and what
    soft contacts give way is taken off.
    """
    rows, out = take.contacts, Worst(0.0)
    speed, feet = np.linalg.norm(velocity, axis=1), np.isin(rows.body, feet_of(take.character))
    chosen, count = np.flatnonzero(touches.held(take) & feet & (speed > 0.01)), max(1, round(window / take.dt))
    firm = velocity[chosen] * np.maximum(1.0 - touches.creep(take, chosen) / speed[chosen], 0.0)[:, None]
    load = touches.parts(take)[0][chosen]
    for body in np.unique(rows.body[chosen]):
        mine = np.flatnonzero(rows.body[chosen] == body)
        total, way = np.zeros(len(take)), np.zeros((len(take), 3))
        np.add.at(total, rows.frame[chosen[mine]], load[mine])
        np.add.at(way, rows.frame[chosen[mine]], load[mine, None] * firm[mine])
        mean = np.linalg.norm(moving_mean(way / np.maximum(total, 1e-9)[:, None], count), axis=1)
        if mean.max() > out.value:
            at = int(np.argmax(mean))
            out = Worst(float(mean[at]), float(take.time[at]), take.character.body_names[body])
    return out


def _misplaced(take: Take) -> Worst:
    away, rows = touches.misplaced(take), take.contacts
    if not len(away) or not away.max() > 0.0:
        return Worst(0.0)
    k = int(np.argmax(away))
    return Worst(float(away[k]), float(take.time[rows.frame[k]]), take.character.body_names[rows.body[k]])

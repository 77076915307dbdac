"""Audit of a take: does what touched and pushed the character explain how its momentum changed?

For every interval between frames the change of momentum about a fixed point of the world is compared with the impulse
of gravity, contacts and declared external wrenches, all from the take's q, v, points and forces. What is left divided
by the interval is the unexplained force and torque. Assistance never counts as explained.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.judge import touches
from poise.judge.acting import acting
from poise.judge.audit_segments import together
from poise.judge.finding import Finding
from poise.judge.joint_torque import unexplained_joint_torque
from poise.judge.limits import beyond_range, beyond_torque
from poise.judge.metrics import feet_of, lowest
from poise.judge.momenta import about, momenta
from poise.judge.positions import from_positions
from poise.judge.props import audit_props
from poise.judge.report import AuditReport, Worst, moving_mean, rms, weight_of, worst
from poise.judge.soundness import not_finite, not_whole
from poise.judge.take_findings import take_findings
from poise.judge.tolerances import DEFAULT, Tolerances
from poise.maths.rotations import Array
from poise.take import Take


def audit_take(take: Take, tolerances: Tolerances) -> AuditReport:
    """The report; series have one row for each interval between frames.

    Of a take with numbers that are none the part before them is measured, and it does not pass.
    """
    bad = not_finite(take)
    if bad is None:
        report = _by_segment(take, tolerances)
        ends = not_whole(take)
    else:
        report, ends = _sound_part(take, bad, tolerances), []
    lost = report.unmeasured if report.series else ()  # a report that knows nothing says so already
    broken = [Finding("not_measured", float("nan"), detail={"what": list(lost)})] if lost else []
    findings = ([] if bad is None else [bad], [f for f in ends if f.kind == "broke_off"], broken, report.findings,
                [f for f in ends if f.kind != "broke_off"])  # fmt: skip
    return replace(report, findings=tuple(f for part in findings for f in part))


def _by_segment(take: Take, limits: Tolerances) -> AuditReport:
    """The report on a take of finite numbers; each segment is measured with its own time step."""
    if len(take.segments) < 2:
        return _measured(take, limits)
    return together(take, [_measured(take.part(k), limits) for k in range(len(take.segments))])


def _sound_part(take: Take, bad: Finding, limits: Tolerances) -> AuditReport:
    """The report on the frames before the first bad one; where there are none, one that knows nothing."""
    first = int((bad.detail or {})["frame"])
    name, weight = _name(take), weight_of(take.character)
    if first > 0:
        sound = take.cut(float(take.time[0]), float(take.time[first - 1]))
        return replace(_by_segment(sound, limits), frames=len(take), duration=take.duration)
    no, never = float("nan"), Worst(float("nan"))
    return AuditReport("take", name, len(take), take.duration, weight, no, no, no, never, never, no, no, no, never,
                       never, never, no, no)  # fmt: skip


def _name(take: Take) -> str:
    return f"{take.clip.name} ({take.method})" if take.method else take.clip.name


def _measured(take: Take, limits: Tolerances) -> AuditReport:
    """The report on a take of finite numbers, with all findings but how it ended."""
    character, time, weight = take.character, take.time, weight_of(take.character)
    left, stepping = unexplained(take, limits)
    force, torque = left[:, :3], left[:, 3:]
    velocity, lasting = touches.sliding(take)
    speed = np.linalg.norm(velocity, axis=1)
    cone, depth = touches.outside_cone(take), _depths(take)
    normal, _ = touches.parts(take)
    carried = np.where(lasting & ~take.contacts.bilateral, np.maximum(normal, 0.0), 0.0)
    torque_over, share = beyond_torque(character, take.torque, time)
    cone_worst, depth_worst = worst(cone, time[take.contacts.frame]), worst(depth, time)
    report = AuditReport(
        kind="take", name=_name(take), frames=len(take), duration=take.duration, weight=weight,
        unexplained_force_rms=rms(force), unexplained_torque_rms=rms(torque),
        unexplained_force_share=rms(force) / weight if weight else 0.0,
        unexplained_force_max=worst(np.linalg.norm(force, axis=1), time),
        unexplained_torque_max=worst(np.linalg.norm(torque, axis=1), time),
        cone_violation=cone_worst.value, cone_violation_when=cone_worst.time, penetration=depth_worst.value,
        penetration_when=depth_worst.time, slip=float(speed @ carried / carried.sum()) if carried.any() else 0.0,
        held_slip=_held(take, velocity, limits, np.isin(take.contacts.body, feet_of(character))),
        joint_limit_violation=beyond_range(character, take.q, time), torque_limit_violation=torque_over,
        assist_force_rms=rms(_summed(take, take.assist.force)[:-1]), assist_torque_rms=_assist_torque(take),
        misplaced=_misplaced(take), stepping_force_rms=rms(stepping[:, :3]),
        joint_torque=unexplained_joint_torque(take, limits),
        series={"time": time[:-1], "force": force, "torque": torque, "stepping": stepping, "depth": depth},
    )  # fmt: skip
    report = _with_root(take, _with_positions(take, report, stepping, limits))
    report = _with_props(take, report, velocity, limits)
    return replace(report, findings=tuple(take_findings(take, report, limits, cone, share)))


def _with_positions(take: Take, report: AuditReport, stepping: Array, limits: Tolerances) -> AuditReport:
    """The report with what positions alone leave unexplained."""
    found = from_positions(take, stepping, limits)
    series = {"position_time": found.time, "position_force": found.force, "position_torque": found.torque}
    return replace(
        report, series=report.series | series, position_force_rms=rms(found.force),
        position_force_max=worst(np.linalg.norm(found.force, axis=1), found.time),
        position_force_held=found.force_held, position_torque_rms=rms(found.torque),
        position_torque_max=worst(np.linalg.norm(found.torque, axis=1), found.time),
        position_torque_held=found.torque_held, velocity_mismatch=found.velocity,
    )  # fmt: skip


def _with_props(take: Take, report: AuditReport, velocity: Array, limits: Tolerances) -> AuditReport:
    """The report with the laws of loose props, where the take tells what they touch."""
    if take.prop_contacts is None:
        return report
    found, rows = audit_props(take, limits), take.contacts
    on_prop = (
        np.array([name in take.props for name in rows.others], bool)[rows.other] if len(rows) else np.zeros(0, bool)
    )
    return replace(
        report, prop_force=found.force, prop_torque=found.torque, prop_cone=found.cone,
        prop_misplaced=found.misplaced, prop_slip=_held(take, velocity, limits, on_prop), props_audited=True,
    )  # fmt: skip


def _with_root(take: Take, report: AuditReport) -> AuditReport:
    """The report with the method's own account of how it corrected its root: a trace (F, 6) in N and N m."""
    rows = take.traces.get("root_correction")
    if rows is None or np.ndim(rows) != 2 or rows.shape[1] != 6:
        return report
    rows = rows[~np.isnan(rows).all(axis=1)]  # frames without one
    return replace(report, root_correction_force_rms=rms(rows[:, :3]), root_correction_torque_rms=rms(rows[:, 3:]))


def unexplained(take: Take, limits: Tolerances = DEFAULT) -> tuple[Array, Array]:
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
    wrench = acting(take, centre, limits)
    left = about(centre, (found.momentum[1:] - found.momentum[:-1]) / spans - wrench)
    stepping = _stepping(left, about(centre, found.stepping[:-1]), about(centre, found.stepping[1:]),
                         limits.arm * take.character.height)  # fmt: skip
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


def _summed(take: Take, rows: Array) -> Array:
    """Sum by frame (F, 3) of one value (K, 3) for each assisting wrench."""
    out = np.zeros((len(take), 3))
    np.add.at(out, take.assist.frame, rows)
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


def _held(take: Take, velocity: Array, limits: Tolerances, which: np.ndarray) -> Worst:
    """The worst mean velocity over a window of a body whose contacts `which` (K,) should hold, by what they carry.

    Velocities are averaged as vectors, so that a foot that trembles on the spot does not count as sliding, and what
    soft contacts give way is taken off.
    """
    rows, out = take.contacts, Worst(0.0)
    speed = np.linalg.norm(velocity, axis=1)
    chosen = np.flatnonzero(touches.held(take, limits) & which & ~(speed <= limits.slip_seen))
    count = max(1, round(limits.window / take.dt))
    creep = touches.creep(take, chosen, limits.softness)
    firm = velocity[chosen] * np.maximum(1.0 - creep / speed[chosen], 0.0)[:, None]
    load = touches.parts(take)[0][chosen]
    for body in np.unique(rows.body[chosen]):
        mine = np.flatnonzero(rows.body[chosen] == body)
        total, way = np.zeros(len(take)), np.zeros((len(take), 3))
        np.add.at(total, rows.frame[chosen[mine]], load[mine])
        np.add.at(way, rows.frame[chosen[mine]], load[mine, None] * firm[mine])
        mean = np.linalg.norm(moving_mean(way / np.maximum(total, 1e-9)[:, None], count), axis=1)
        if not mean.max() <= out.value:
            at = int(np.argmax(mean))
            out = Worst(float(mean[at]), float(take.time[at]), take.character.body_names[body])
    return out


def _misplaced(take: Take) -> Worst:
    away, rows = touches.misplaced(take), take.contacts
    if not len(away) or away.max() <= 0.0:
        return Worst(0.0)
    k = int(np.argmax(away))
    return Worst(float(away[k]), float(take.time[rows.frame[k]]), take.character.body_names[rows.body[k]])

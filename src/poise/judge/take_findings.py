"""What an audit of a take finds: every measure of its report against its tolerance, the gravest first."""

from __future__ import annotations

import numpy as np

from poise.judge.finding import Finding, beyond
from poise.judge.friction import changed_friction
from poise.judge.report import AuditReport, Worst, moving_mean, worst
from poise.judge.tolerances import Tolerances
from poise.maths.rotations import Array
from poise.take import Take


def take_findings(take: Take, report: AuditReport, limits: Tolerances, cone: Array, share: float) -> list[Finding]:
    """All of them. `cone` (K,) [N]: how far contacts leave their cones; `share`: by how much torques pass their limits.

    A comparison with what is not a number fails, so a measure that is none is a problem and not a pass.
    """
    scale = report.weight * take.character.height
    slow = _time_step(take, report, limits)
    unexplained = _unexplained(report, limits, take, bool(slow))
    return [
        *unexplained,
        *_cone(take, limits, cone, report.weight),
        *_positions(report, limits, scale, {f.kind for f in unexplained}),
        *_friction(take, limits),
        *_over("held_slip", report.held_slip, limits.slip),
        *_over("place", report.misplaced, limits.place),
        *_assist(report),
        *_root(report, limits, scale),
        *_over("joint_torque", report.joint_torque, limits.joint_torque * scale),
        *([_finding("torque_limit", report.torque_limit_violation, 0.0)] if beyond(share, limits.torque_limit) else []),
        *_props(report, limits),
        *_over("depth", Worst(report.penetration, report.penetration_when), limits.depth),
        *_over("joint_range", report.joint_limit_violation, limits.limit),
        *slow,
    ]


def _finding(kind: str, found: Worst, limit: float | None, **detail: object) -> Finding:
    return Finding(kind, found.value, limit, found.time, found.what or None, detail or None)


def _over(kind: str, found: Worst, limit: float) -> list[Finding]:
    return [_finding(kind, found, limit)] if beyond(found.value, limit) else []


def _unexplained(report: AuditReport, limits: Tolerances, take: Take, slow: bool) -> list[Finding]:
    """Unexplained force and torque: held for a while, or overall."""
    out, count, weight = [], max(1, round(limits.window / take.dt)), report.weight
    for name, mean_size, size, overall, held in (
        ("force", report.unexplained_force_rms, weight, limits.force, limits.force_held),
        ("torque", report.unexplained_torque_rms, weight * take.character.height, limits.torque, limits.torque_held),
    ):
        rows = report.series[name]
        mean = moving_mean(rows, count) if len(rows) else rows
        length = np.linalg.norm(mean, axis=1)
        most = worst(length, report.series["time"])
        if beyond(most.value, held * size):
            along = [float(x) for x in mean[int(np.argmax(length))] / most.value]
            out.append(_finding(f"{name}_held", most, held * size, along=along, stepping=slow))
        elif beyond(mean_size, overall * size):
            out.append(Finding(name, mean_size, overall * size))
    return out


def _cone(take: Take, limits: Tolerances, cone: Array, weight: float) -> list[Finding]:
    rows = take.contacts
    over = cone - limits.cone_share * np.linalg.norm(rows.force, axis=1)
    if not len(rows) or not beyond(float(over.max()), limits.cone * weight):
        return []
    k = int(np.argmax(over))
    pull = -float(rows.force[k] @ rows.normal[k])
    return [Finding("cone", float(cone[k]), limits.cone * weight, float(take.time[rows.frame[k]]),
                    take.character.body_names[rows.body[k]], {"pull": pull})]  # fmt: skip


def _positions(report: AuditReport, limits: Tolerances, scale: float, told: set[str]) -> list[Finding]:
    """What positions alone leave unexplained, where velocities do not leave it too; and whether both agree."""
    force = (
        []
        if "force_held" in told
        else _over("position_force", report.position_force_held, limits.position_force * report.weight)
    )
    torque = (
        []
        if "torque_held" in told
        else _over("position_torque", report.position_torque_held, limits.position_torque * scale)
    )
    return [*force, *torque, *_over("velocity", report.velocity_mismatch, limits.velocity)]


def _props(report: AuditReport, limits: Tolerances) -> list[Finding]:
    """What is wrong with props that only forces should move."""
    return [
        *_over("prop_force", report.prop_force, limits.prop_force),
        *_over("prop_torque", report.prop_torque, limits.prop_torque),
        *_over("prop_cone", report.prop_cone, limits.prop_cone),
        *_over("prop_slip", report.prop_slip, limits.slip),
        *_over("prop_place", report.prop_misplaced, limits.place),
    ]


def _friction(take: Take, limits: Tolerances) -> list[Finding]:
    return [Finding("inner_friction" if c.inner else "friction", c.friction, c.expected, c.first, c.body,
                    {"frames": c.frames, "seconds": c.seconds})
            for c in changed_friction(take, limits)]  # fmt: skip


def _assist(report: AuditReport) -> list[Finding]:
    if not (beyond(report.assist_force_rms, 0.0) or beyond(report.assist_torque_rms, 0.0)):
        return []
    return [Finding("assist", report.assist_force_rms, 0.0, detail={"torque": report.assist_torque_rms})]


def _root(report: AuditReport, limits: Tolerances, scale: float) -> list[Finding]:
    force, torque = report.root_correction_force_rms, report.root_correction_torque_rms
    if force == 0.0 and torque == 0.0:
        return []
    most = limits.root_correction * report.weight
    large = beyond(force, most) or beyond(torque, 0.5 * limits.root_correction * scale)
    return [Finding("root_corrected" if large else "root_correction", force, most, detail={"torque": torque})]


def _time_step(take: Take, report: AuditReport, limits: Tolerances) -> list[Finding]:
    """Is the time step short enough for how fast the joints turn? If not, it may itself be what is unexplained."""
    turn = np.abs(take.v[:, 3:]) * take.step
    fastest = worst(turn, take.time, [take.character.joint_names[j] for j in take.character.model.dof_jntid[3:]])
    most = limits.stepping * report.weight
    if report.stepping_force_rms <= most and fastest.value <= limits.turn:
        return []
    return [Finding("time_step", report.stepping_force_rms, most, fastest.time, fastest.what or None,
                    {"step": take.step, "turn": fastest.value})]  # fmt: skip

"""The findings of an audit in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.judge.report import AuditReport, Tolerances, Worst, moving_mean, worst
from poise.maths.rotations import Array
from poise.take import Take


def take_words(take: Take, report: AuditReport, limits: Tolerances, cone: Array, share: float) -> AuditReport:
    """The report with a sentence for everything beyond its tolerance, the gravest first."""
    problems, remarks = _problems(take, report, limits, cone, share), _remarks(take, report, limits)
    slow = _stepping(take, report, limits)
    if slow:
        problems = [p.replace("no event explains.", "no event explains; the time step may make it.") for p in problems]
    return replace(report, problems=tuple(problems), remarks=(*remarks, *slow))


def _problems(take: Take, report: AuditReport, limits: Tolerances, cone: Array, share: float) -> list[str]:
    """What makes the physics untrue."""
    weight, height = report.weight, take.character.height
    out = _unexplained(report, limits, weight, height, take.dt)
    rows = take.contacts
    beyond = cone - 0.02 * np.linalg.norm(rows.force, axis=1)
    if len(rows) and beyond.max() > limits.cone * weight:
        k = int(np.argmax(beyond))
        body, normal = take.character.body_names[rows.body[k]], float(rows.force[k] @ rows.normal[k])
        how = f"pulls with {-normal:.3g} N" if normal < 0 else f"leaves its friction cone by {cone[k]:.3g} N"
        out.append(f"At {take.time[rows.frame[k]]:.2f} s the contact of {body} {how}.")
    slip, far, torque = report.held_slip, report.misplaced, report.joint_torque
    if slip.value > limits.slip:
        out.append(f"From {slip.time:.2f} s on {slip.what} slides at {100 * slip.value:.1f} cm/s although its friction "
                   "would hold it.")  # fmt: skip
    if far.value > limits.place:
        out.append(f"At {far.time:.2f} s a contact of {far.what} acts {100 * far.value:.1f} cm from where anything "
                   "touches.")  # fmt: skip
    if report.assist_force_rms > 0.0 or report.assist_torque_rms > 0.0:
        out.append(f"It was helped by forces that nothing in the world exerts: {report.assist_force_rms:.3g} N and "
                   f"{report.assist_torque_rms:.3g} N m rms.")  # fmt: skip
    if torque.value > limits.joint_torque * weight * height:
        out.append(f"From {torque.time:.2f} s on {torque.what} needs {torque.value:.3g} N m more than was recorded.")
    if share > limits.torque_limit:
        over = report.torque_limit_violation
        out.append(f"At {over.time:.2f} s {over.what} is driven {over.value:.3g} N m beyond its torque limit.")
    return out


def _remarks(take: Take, report: AuditReport, limits: Tolerances) -> list[str]:
    """What is not as it should be although no force is missing."""
    out, bent = [], report.joint_limit_violation
    if report.penetration > limits.depth:
        out.append(
            f"At {report.penetration_when:.2f} s the body is {100 * report.penetration:.1f} cm deep in the ground."
        )
    if bent.value > limits.limit:
        out.append(f"At {bent.time:.2f} s {bent.what} is {np.degrees(bent.value):.0f} degrees beyond its range.")
    return out


def _stepping(take: Take, report: AuditReport, limits: Tolerances) -> list[str]:
    """Is the time step short enough for how fast the joints turn? If not, it may itself be what is unexplained."""
    turn = np.abs(take.v[:, 3:]) * take.step
    fastest = worst(turn, take.time, [take.character.joint_names[j] for j in take.character.model.dof_jntid[3:]])
    if report.stepping_force_rms <= limits.stepping * report.weight and fastest.value <= limits.turn:
        return []
    return [f"The time step of {1000 * take.step:.3g} ms is long for this motion and makes "
            f"{report.stepping_force_rms:.3g} N rms by itself: at {fastest.time:.2f} s {fastest.what} turns by "
            f"{np.degrees(fastest.value):.0f} degrees in one step."]  # fmt: skip


def _unexplained(report: AuditReport, limits: Tolerances, weight: float, height: float, dt: float) -> list[str]:
    """Sentences on unexplained force and torque: overall, and held for a while."""
    out, count = [], max(1, round(limits.window / dt))
    for name, unit, rms_value, size, overall, held in (
        ("force", "N", report.unexplained_force_rms, weight, limits.force, limits.force_held),
        ("torque", "N m", report.unexplained_torque_rms, weight * height, limits.torque, limits.torque_held),
    ):
        rows = report.series[name]
        mean = moving_mean(rows, count) if len(rows) else rows
        most: Worst = worst(np.linalg.norm(mean, axis=1), report.series["time"])
        if most.value > held * size:
            way = mean[int(np.argmax(np.linalg.norm(mean, axis=1)))]
            along = ", ".join(f"{x:+.2f}" for x in way / most.value)
            out.append(f"From {most.time:.2f} s on a {name} of {most.value:.3g} {unit} along ({along}) acts that no "
                       "contact and no event explains.")  # fmt: skip
        elif rms_value > overall * size:
            out.append(f"The {name} that nothing explains is {rms_value:.3g} {unit} rms.")
    return out

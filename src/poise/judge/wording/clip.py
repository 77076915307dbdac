"""Why no ground force explains a stretch of a clip, in words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from poise.character.bodies.shapes import USUAL_BMI
from poise.judge.finding import Finding, beyond
from poise.judge.report import AuditReport, Stretch
from poise.judge.support import Support, beyond_support, name_of
from poise.judge.tolerances import Tolerances
from poise.judge.wording.hands import hands_wanted
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip

if TYPE_CHECKING:
    from poise.judge.audit_clip import Needs

BMI = (18.5, 30.0)  # [kg/m²] body mass index of most grown people
_MANY = 40  # stretches that are explained in words; a clip with more is broken all over


def clip_words(clip: Clip, report: AuditReport, needs: Needs, places: Support, limits: Tolerances,
               share: float) -> AuditReport:  # fmt: skip
    """The report with a reason for each stretch and a sentence for everything beyond its tolerance."""
    longest = sorted(report.stretches, key=lambda s: s.first - s.last)[:_MANY]
    named = {s.first: _reason(clip, report, needs, places, s, limits) for s in longest}
    stretches = tuple(s._replace(reason=named.get(s.first, "")) for s in report.stretches)
    told = replace(report, stretches=stretches)
    return replace(told, findings=tuple(_findings(clip, told, limits, share)))


def _findings(clip: Clip, report: AuditReport, limits: Tolerances, share: float) -> list[Finding]:
    """Everything beyond its tolerance."""
    out, weight = [], report.weight
    frames = sum(s.last - s.first + 1 for s in report.stretches)
    force, torque = limits.force * weight, limits.torque * weight * clip.character.height
    if frames:
        out.append(Finding("frames", frames, 0.0, detail={"frames": report.frames,
                                                          "longest": report.longest_unexplained}))  # fmt: skip
    if beyond(report.unexplained_force_rms, force):
        out.append(Finding("ground_force", report.unexplained_force_rms, force))
    elif beyond(report.unexplained_torque_rms, torque):
        out.append(Finding("ground_torque", report.unexplained_torque_rms, torque))
    if beyond(report.penetration, limits.depth):
        out.append(Finding("depth", report.penetration, limits.depth, report.penetration_when))
    if beyond(report.slip, limits.slip):
        out.append(Finding("sliding", report.slip, limits.slip))
    out += [Finding("hold", hold.mass, body=hold.hand, detail={"words": hold.words()}) for hold in clip.grips]
    height = clip.character.height
    if clip.recording is not None and abs(clip.character.mass - USUAL_BMI * height**2) < 1e-3:
        out.append(Finding("mass", clip.character.mass, detail={"usual": tuple(x * height**2 for x in BMI)}))
    if beyond(share, limits.torque_limit):
        over = report.torque_limit_violation
        out.append(Finding("torque_needed", over.value, 0.0, over.time, over.what))
    peak = np.linalg.norm(report.series["ground_force"], axis=1)
    if len(peak) and beyond(peak.max(), limits.peak * weight):
        when = float(report.series["time"][int(np.argmax(peak))])
        out.append(Finding("peak", float(peak.max() / weight), limits.peak, when))
    return out


def _reason(clip: Clip, report: AuditReport, needs: Needs, places: Support, stretch: Stretch,
            limits: Tolerances) -> str:  # fmt: skip
    """One sentence for a stretch, from its worst frame."""
    rows = slice(stretch.first, stretch.last + 1)
    frame = stretch.first + int(np.argmax(report.series["size"][rows]))
    frames = f"frame {stretch.first}" if stretch.last == stretch.first else f"frames {stretch.first}-{stretch.last}"
    flying = stretch.first + np.flatnonzero(~places.touching[rows].any(axis=1))
    if 2 * len(flying) > stretch.last + 1 - stretch.first:
        why = _in_flight(clip, report, needs, places, flying, limits)
    elif (lean := _leaning(clip, needs, places, np.arange(rows.start, rows.stop), limits)) is not None:
        why = lean
    elif places.touching[frame].any():
        why = _on_ground(clip, report, needs, places, frame, limits)
    else:
        why = _in_flight(clip, report, needs, places, np.array([frame]), limits)
    return f"{frames} ({stretch.start:.2f} s): {why}"


def _in_flight(clip: Clip, report: AuditReport, needs: Needs, places: Support, frames: np.ndarray,
               limits: Tolerances) -> str:  # fmt: skip
    """Nothing touches in these frames: gravity alone should act."""
    force, torque = needs.wrench[frames, :3].mean(axis=0), needs.wrench[frames, 3:]
    weight, lift, little = report.weight, float(force[2]), limits.unexplained * report.weight
    middle = int(frames[len(frames) // 2])
    lowest = places.height[frames].min(axis=1, initial=np.inf)
    floats = _floating(clip, places, middle, limits) if lowest.max() < limits.floating else ""
    if lift > 0.5 * np.linalg.norm(force) and lift > little:
        if floats:
            return f"{floats}, and nothing else holds the body up ({lift:.0f} N are needed)"
        wanted = hands_wanted(clip, places, frames, limits)
        if wanted and lift > 0.3 * weight:
            return f"the body is held up in the air by {lift:.0f} N: {wanted}"
        if needs.drift[frames[0], 2] > 0.1 and lift < weight:
            return f"the centre of mass rises in flight without slowing down as gravity wants ({lift:.0f} N too much)"
        if needs.drift[frames[0], 2] > 0.1:
            return f"the centre of mass rises faster and faster in flight: {lift:.0f} N come from nowhere"
        if needs.drift[frames, 2].mean() < -0.1 and lift < 0.7 * weight:
            return f"the body falls more slowly than gravity pulls it, as if {lift:.0f} N held it up"
        return f"the body is held up in the air: {lift:.0f} N come from nowhere"
    if lift < -0.5 * np.linalg.norm(force) and -lift > little:
        return f"the body falls faster than gravity pulls it, by {-lift:.0f} N"
    if np.linalg.norm(force) > little:
        return f"the centre of mass swerves in flight: {np.linalg.norm(force):.0f} N come from nowhere"
    turn = np.sqrt(np.mean((torque**2).sum(axis=1)))
    return f"the body's turning changes in flight: {turn:.0f} N m come from nowhere"


def _leaning(clip: Clip, needs: Needs, places: Support, frames: np.ndarray, limits: Tolerances) -> str | None:
    """Words where the body leans so far that it would fall if it stood still, and nothing else keeps it from that.

    Most of the frames must be so: a walker is beyond its standing foot all the time, but its push comes from inside.
    """
    found = []
    for k in frames[places.touching[frames].any(axis=1) & (needs.wrench[frames, 2] > 0.0)]:
        touching = places.touching[k]
        if places.grip[touching].any():
            return None
        away, side = beyond_support(places.place[k, touching, :2], needs.centre[k, :2])
        pushed, out = beyond_support(places.place[k, touching, :2], _push(needs, places, int(k)))
        if limits.leaning < away < 1.0 and side @ out > 0.7 * away * pushed:
            found.append((away, int(k), side))
    if 2 * len(found) <= len(frames):
        return None
    away, frame, side = max(found, key=lambda f: f[0])
    floats = _floating(clip, places, frame, limits)
    return f"leaning {100 * away:.0f} cm beyond {_edge(clip, frame, side)}" + (f"; {floats}" if floats else "")


def _on_ground(clip: Clip, report: AuditReport, needs: Needs, places: Support, frame: int,
               limits: Tolerances) -> str:  # fmt: skip
    """Something touches, but its forces do not do: friction, pulling or leaning."""
    force = needs.wrench[frame, :3]
    if places.grip[places.touching[frame]].any():
        short = [float(np.linalg.norm(report.series[name][frame])) for name in ("force", "torque")]
        return f"what the hands hold and what touches lack {short[0]:.0f} N and {short[1]:.0f} N m of what is needed"
    if force[2] < 0.0:
        return f"the feet would have to pull on the ground with {-force[2]:.0f} N"
    enough = limits.unexplained * report.weight
    if _left(needs, places, frame, limits.sticky) < enough:
        return f"it needs friction {_friction(needs, places, frame, report.friction or 0.0, limits.sticky, enough):.2g}"
    touching, centre = np.flatnonzero(places.touching[frame]), needs.centre[frame]
    away, out = beyond_support(places.place[frame, touching, :2], _push(needs, places, frame))
    floats = _floating(clip, places, frame, limits)
    hint = f"; {floats}" if floats else ""
    wanted = hands_wanted(clip, places, np.array([frame]), limits, standing=True) if away > 0.1 else ""
    hint = f"; {wanted}" if wanted else hint
    if limits.leaning < away < 1.0:
        leaning, side = beyond_support(places.place[frame, touching, :2], centre[:2])
        if leaning > 0.5 * away and side @ out > 0.7 * leaning * away:  # it would fall if it stood still
            return f"leaning {100 * leaning:.0f} cm beyond {_edge(clip, frame, out)}{hint}"
        return (f"the body moves so suddenly that the ground would have to push {100 * away:.0f} cm beyond "
                f"{_edge(clip, frame, out)}{hint}")  # fmt: skip
    short = [float(np.linalg.norm(report.series[name][frame])) for name in ("force", "torque")]
    return f"what touches cannot give {short[0]:.0f} N and {short[1]:.0f} N m of what is needed{hint}"


def _push(needs: Needs, places: Support, frame: int) -> Array:
    """Where (2,) the ground's force would have to act so that its torque about the centre of mass is the needed one."""
    force, torque, centre = needs.wrench[frame, :3], needs.wrench[frame, 3:], needs.centre[frame]
    high = centre[2] - float(np.mean(places.place[frame, places.touching[frame], 2]))
    turned = np.array([-high * force[0] - torque[1], -high * force[1] + torque[0]])
    return centre[:2] + turned / force[2]


def _left(needs: Needs, places: Support, frame: int, friction: float) -> float:
    from poise.judge.audit_clip import nearest

    left = nearest(needs, places, frame, friction)[2]
    return float(np.sqrt((left[:3] ** 2).sum() + (left[3:] ** 2).sum() / needs.length**2))


def _friction(needs: Needs, places: Support, frame: int, low: float, high: float, enough: float) -> float:
    """The least friction that leaves little enough over."""
    for _ in range(12):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if _left(needs, places, frame, middle) < enough else (middle, high)
    return high


def _floating(clip: Clip, places: Support, frame: int, limits: Tolerances) -> str:
    """'the left foot floats 2 cm above the ground' for the lowest foot that is near but not at it, or nothing."""
    feet = clip.character.contact_points.feet
    body = places.body[feet]
    free = ~np.isin(body, body[places.touching[frame, feet]])
    near = feet[free & (places.height[frame, feet] < limits.floating) & (places.speed[frame, feet] < 1.0)]
    if not len(near):
        return ""
    k = near[int(np.argmin(places.height[frame, near]))]
    height = float(places.height[frame, k])
    name = name_of(clip.character, int(places.body[k]))
    ending = "" if name.endswith("toes") else "s"
    if height < limits.contact_height:
        return f"the {name} slide{ending} over the ground at {100 * places.speed[frame, k]:.0f} cm/s"
    return f"the {name} float{ending} {100 * height:.1f} cm above the ground"


def _edge(clip: Clip, frame: int, out: Array) -> str:
    """Which edge of the feet lies that way."""
    heading = float(rot.heading(clip.q[frame, 3:7]))
    way = np.arctan2(out[1], out[0]) - heading
    way = np.degrees(np.arctan2(np.sin(way), np.cos(way)))
    if abs(way) <= 45:
        return "the toes"
    if abs(way) >= 135:
        return "the heels"
    return "the feet to the left" if way > 0 else "the feet to the right"

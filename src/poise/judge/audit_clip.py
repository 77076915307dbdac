"""Audit of a bare clip: is there any set of ground forces that explains it, and how far is it from one?

In every frame inverse dynamics of q, v and a (three-frame stencil) gives the wrench that the world must exert on the
body. Points that are at the ground and at rest may push with forces inside their friction cones; the forces nearest to
the needed wrench come from a cone least-squares problem, and what they leave over is unexplained.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.dynamics import Dynamics, Instant, Wrench
from poise.errors import BadValue
from poise.judge.clip_words import clip_words
from poise.judge.finding import Finding
from poise.judge.limits import beyond_range, beyond_torque
from poise.judge.quiet import without_noise
from poise.judge.report import AuditReport, Stretch, Worst, rms, weight_of, worst
from poise.judge.support import Support, contact_map, support, tangents
from poise.judge.tolerances import DEFAULT, Tolerances
from poise.maths.intervals import runs
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.hold import Hold
from poise.solve.cones import cone_least_squares

CLIP = Tolerances.of_clips()


@dataclass(frozen=True, eq=False)
class Needs:
    """What the motion needs, one row a frame."""

    wrench: Array  # (N, 6) force [N] and torque about the centre of mass [N m] from the world, gravity taken off
    centre: Array  # (N, 3) centre of mass [m]
    drift: Array  # (N, 3) its velocity [m/s]
    joints: Array  # (N, nv) joint torques [N m] if nothing touched
    length: float  # [m] that weighs torques against forces


def audit_clip(clip: Clip, friction: float = 1.0, tolerances: Tolerances | None = None,
               cutoff: float | None = None) -> AuditReport:  # fmt: skip
    """The report; series have one row for each frame. With `cutoff`, movements above so many Hz are taken out first.

    Where a clip fails, the report also says what would be left without movements above 10 Hz, which are mostly noise;
    if that is much less, its suggestions are about the motion without them.
    """
    if not friction >= 0.0:
        raise BadValue(f"Friction cannot be negative, and {friction} is.")
    limits = tolerances or CLIP
    report = _audit(clip if cutoff is None else without_noise(clip, cutoff), friction, limits)
    report = replace(report, suggestions=report.stretches)
    noise = limits.noise
    if cutoff is None and not report.passed and noise * clip.dt < 0.3 and len(clip) > 4:
        quiet = _audit(without_noise(clip, noise), friction, limits)
        left = quiet.unexplained_force_rms
        if left < limits.noise_share * report.unexplained_force_rms:
            told = Finding("noise", left, detail={"above": noise})
            report = replace(report, findings=(told, *report.findings), suggestions=quiet.stretches, told_above=noise)
    return report


def _audit(clip: Clip, friction: float, tolerances: Tolerances) -> AuditReport:
    character, time = clip.character, clip.times
    weight = weight_of(character)
    needs, places = needed(clip, tolerances), support(clip, tolerances)
    forces, left, torque = solve(clip, needs, places, friction)
    size = np.sqrt((left[:, :3] ** 2).sum(axis=1) + (left[:, 3:] ** 2).sum(axis=1) / needs.length**2)
    depth, slip = np.maximum(-places.height.min(axis=1, initial=0.0), 0.0), _slip(clip, places)
    depth_worst, (over, share) = worst(depth, time), beyond_torque(character, torque, time)
    stretches = tuple(Stretch(int(a), int(e - 1), float(time[a]), float(time[e - 1]) + clip.dt,
                              float(np.linalg.norm(left[a:e, :3], axis=1).max()), "")
                      for a, e in runs(~(size <= tolerances.unexplained * weight)))  # fmt: skip
    report = AuditReport(
        kind="clip", name=clip.name, frames=len(clip), duration=clip.duration, weight=weight,
        unexplained_force_rms=rms(left[:, :3]), unexplained_torque_rms=rms(left[:, 3:]),
        unexplained_force_share=rms(left[:, :3]) / weight,
        unexplained_force_max=worst(np.linalg.norm(left[:, :3], axis=1), time),
        unexplained_torque_max=worst(np.linalg.norm(left[:, 3:], axis=1), time), cone_violation=0.0,
        penetration=depth_worst.value, penetration_when=depth_worst.time, slip=slip, held_slip=Worst(0.0),
        joint_limit_violation=beyond_range(character, clip.q, time), torque_limit_violation=over,
        stretches=stretches, friction=float(friction),
        series={"time": time, "force": left[:, :3], "torque": left[:, 3:], "needed": needs.wrench,
                "ground_force": forces.sum(axis=1), "depth": depth, "joint_torque": torque, "size": size},
    )  # fmt: skip
    found = clip_words(clip, report, needs, places, tolerances, share)
    lost = found.unmeasured
    broken = (Finding("not_measured", float("nan"), detail={"what": list(lost)}),) if lost else ()
    ordered = tuple(sorted(found.stretches, key=lambda s: s.first - s.last))
    return replace(found, stretches=ordered, findings=(*broken, *found.findings))


def needed(clip: Clip, limits: Tolerances = DEFAULT) -> Needs:
    """The wrench that the world must exert in each frame, by inverse dynamics."""
    character, v, a = clip.character, clip.velocity, clip.acceleration
    dynamics, count = Dynamics(character), len(clip)
    root = int(character.model.jnt_bodyid[0])
    wrench, centre, drift = np.zeros((count, 6)), np.zeros((count, 3)), np.zeros((count, 3))
    joints = np.zeros((count, character.model.nv))
    loads = [(h, h.mass * h.share(clip.times)) for h in clip.grips if h.carries]
    for k in range(count):
        now = dynamics.at(clip.q[k], v[k])
        joints[k] = now.inverse_dynamics(a[k], carried(clip, now, a[k], loads, k))
        force, moment = joints[k, :3], now.rotations[root] @ joints[k, 3:6]
        wrench[k, :3], centre[k] = force, now.centre_of_mass
        wrench[k, 3:] = moment + np.cross(now.positions[root] - centre[k], force)
        drift[k] = now.centre_of_mass_jacobian @ v[k]
    return Needs(wrench, centre, drift, joints, limits.arm * character.height)


def carried(clip: Clip, now: Instant, a: Array, loads: list[tuple[Hold, Array]], frame: int) -> list[Wrench]:
    """The pull of what the hands carry in one frame, under joint accelerations a (nv,)."""
    out = []
    for hold, mass in loads:
        if mass[frame] > 0.0:
            hand = clip.character.body(hold.hand)
            point = now.point(hand, hold.local(clip.character))
            rate = now.jacobian(hand, point) @ a + now.jacobian_bias(hand, point)
            out.append(Wrench(hand, point, mass[frame] * (clip.character.model.opt.gravity - rate)))
    return out


def nearest(needs: Needs, places: Support, frame: int, friction: float) -> tuple[np.ndarray, Array, Array]:
    """Of one frame: the points that touch (K,), the forces (K, 3) there, and the wrench (6,) that is left over."""
    touching = np.flatnonzero(places.touching[frame])
    wanted = needs.wrench[frame]
    if not len(touching):
        return touching, np.zeros((0, 3)), wanted
    place, normal = places.place[frame, touching], places.normal[frame, touching]
    matrix = contact_map(place, normal, needs.centre[frame], needs.length)
    scaled = np.concatenate([wanted[:3], wanted[3:] / needs.length])
    found = cone_least_squares(matrix, scaled, places.friction(touching, friction), DEFAULT.softest)
    axes = np.stack([normal, *tangents(normal)], axis=1)
    left = scaled - matrix @ found.forces
    left[3:] *= needs.length
    return touching, np.einsum("ki,kij->kj", found.forces.reshape(-1, 3), axes), left


def solve(clip: Clip, needs: Needs, places: Support, friction: float) -> tuple[Array, Array, Array]:
    """For all frames: ground forces (N, C, 3), the wrench left over (N, 6), and the joint torques (N, nv)."""
    forces, left = np.zeros(places.place.shape), np.zeros((len(clip), 6))
    torque, dynamics = needs.joints.copy(), Dynamics(clip.character)
    for k in range(len(clip)):
        touching, pushes, left[k] = nearest(needs, places, k, friction)
        forces[k, touching] = pushes
        if len(touching):
            now = dynamics.at(clip.q[k])
            torque[k] -= now.generalised(Wrench(int(places.body[c]), places.place[k, c], f)
                                         for c, f in zip(touching, pushes, strict=True))  # fmt: skip
    torque[:, :6] = 0.0
    return forces, left, torque


def _slip(clip: Clip, places: Support) -> float:
    """Mean speed [m/s] over the ground of points from one frame that touches to the next; 0 without contacts."""
    if len(clip) < 2:
        return 0.0
    moved, normal = np.diff(places.place, axis=0), places.normal[:-1]
    moved = moved - np.einsum("nci,nci->nc", moved, normal)[..., None] * normal
    stays = places.touching[1:] & places.touching[:-1]
    slide = np.linalg.norm(moved, axis=-1)[stays] / clip.dt
    return float(slide.mean()) if len(slide) else 0.0

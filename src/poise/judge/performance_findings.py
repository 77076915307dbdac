"""What is worth telling of a performance, as data: what was done to the clip, the help, why it went wrong."""

from __future__ import annotations

import numpy as np

from poise.character.roles import SIDES
from poise.judge.finding import Finding
from poise.judge.metrics import deviations
from poise.judge.support import name_of
from poise.judge.surface import clearance
from poise.motion.clip import Clip
from poise.motion.reference import Reference
from poise.take import Take
from poise.take.own import Own, own_of, sampled

SHORTLY = 3.0  # [s] before a fall in which a push or a thrown thing may have caused it
STRAIN = 0.5  # [s] before a fall in which joints are looked at
STRAINED = 0.2  # share of that time at its limit from which on a joint is told
AT_LIMIT = 0.99  # share of a torque limit from which on it is met
NEAR_HANDS = 1.0  # [s] before a fall within which the clip stood on its hands
REACHING = 0.1  # [s] before it stands on them, in which it may fall by that
HELD = 0.05  # [s] for which the last pose of a clip has to be held before that may be to blame
UNDER_WAY = 0.4  # [m/s] of the root at the end of a clip that breaks off in a stride
IN_AIR = 0.03  # [m] above the ground of the lowest foot at a start in the air
AT_ONCE = 1.5  # [s] within which a start may be to blame
ROOT_TURN, JOINT_TURN = 6.0, 25.0  # [rad/s] of root and joints in the first frame of a clip that begins with a jump
SHAKEN = 1.0  # [rad/s, m/s] rms by which the starting velocities are off


def preparation(take: Take) -> list[Finding]:
    """What was done to the user's clip before it was performed, and by how much [degrees, m]."""
    kinds = {e.kind: e.text for e in take.events if e.time == 0.0}
    out = [Finding(kind) for kind in ("fitted", "feet raised", "legs apart") if kind in kinds]
    if "repaired" in kinds:
        posture, moved = changed(take)
        out = [Finding("repaired", posture), Finding("root moved", moved), *out]
    out += [Finding(kind, text=kinds[kind]) for kind in ("not repaired", "no feet") if kind in kinds]
    if "start" in kinds:
        out.append(Finding("start raised", float(take.q[0, 2] - take.q_ref[0, 2])))
    return out


def changed(take: Take) -> tuple[float, float]:
    """How far what was followed is from the user's clip: rms joint angle [degrees], greatest way of the root [m]."""
    off = deviations(take.character, followed_on_time(take).q, own_of(take).q)
    return float(np.degrees(np.sqrt(np.mean(off["joints"] ** 2)))), float(off["root_position"].max())


def followed_on_time(take: Take) -> Own:
    """What was followed, at its own time: a method's clock does not count."""
    if "reference_lag" in take.traces:
        return sampled(Reference(take.clip, start=take.start), take.time)
    return Own(take.q_ref, take.scheduled, take.clip.ground)


def assistance(take: Take) -> list[Finding]:
    """Forces and moments that nothing in the world exerts: rms over the take [N, N m], where there are any."""
    out = []
    for kind in ("force", "moment"):
        square = np.zeros(len(take))
        np.add.at(square, take.assist.frame, (getattr(take.assist, kind) ** 2).sum(axis=1))
        value = float(np.sqrt(square.mean()))
        if value > 0.0:
            out.append(Finding(f"help by {kind}", value))
    return out


def causes(take: Take) -> list[Finding]:
    """Why it did not come to its end on its feet, as far as that is known; nothing where it did."""
    if take.ended.whole or take.ended in ("stopped", "under way"):
        return []
    when = take.ended.time
    ways = (_shaken, _jumpy, _in_the_air, _pushed, _hit, _hands, _breaks_off, _strained)
    found = [way(take, when) for way in ways]
    return [f for f in found if f is not None]


def _shaken(take: Take, when: float) -> Finding | None:
    off = float(np.sqrt(np.mean((take.v[0] - take.v_ref[0]) ** 2)))
    return Finding("shaken start", off, SHAKEN, 0.0) if off > SHAKEN and when < AT_ONCE else None


def _jumpy(take: Take, when: float) -> Finding | None:
    """A clip whose first frame does not belong to the others: it begins at a speed that nobody has."""
    turn = np.abs(take.v_ref[0, 3:])
    share = np.concatenate([turn[:3] / ROOT_TURN, turn[3:] / JOINT_TURN])
    dof = int(np.argmax(share))
    if when > AT_ONCE or not share[dof] > 1.0:
        return None
    body = name_of(take.character, int(take.character.model.dof_bodyid[3 + dof]))
    limit = ROOT_TURN if dof < 3 else JOINT_TURN
    return Finding("jumpy start", float(np.degrees(turn[dof])), float(np.degrees(limit)), 0.0, body)


def _in_the_air(take: Take, when: float) -> Finding | None:
    own, feet = own_of(take), take.character.contact_points.feet
    if when > AT_ONCE or own.scheduled[0].any() or not len(feet):
        return None
    high = float(clearance(take.character.points(own.q[:1])[0, feet], own.ground).min())
    lands = np.flatnonzero(own.scheduled.any(axis=1))
    later = float(take.time[lands[0]]) if len(lands) else None
    return Finding("starts in the air", high, IN_AIR, later) if high > IN_AIR else None


def _pushed(take: Take, when: float) -> Finding | None:
    rows, time = take.external, take.time[take.external.frame]
    near = np.flatnonzero((time <= when) & (time > when - SHORTLY))
    if not len(near):
        return None
    size = np.linalg.norm(rows.force[near], axis=1)
    body = name_of(take.character, int(rows.body[near[int(np.argmax(size))]]))
    return Finding("push", float(size.max()), None, float(time[near[0]]), body)


def _hit(take: Take, when: float) -> Finding | None:
    rows = take.contacts
    thrown = np.array([n.startswith(("ball", "sphere")) for n in rows.others], bool)
    time = take.time[rows.frame]
    near = np.flatnonzero(thrown[rows.other] & (time <= when) & (time > when - SHORTLY)) if len(rows) else []
    if not len(near):
        return None
    first = near[0]
    force = float(np.linalg.norm(rows.force[near], axis=1).max())
    return Finding("hit", force, None, float(time[first]), name_of(take.character, int(rows.body[first])))


def _hands(take: Take, when: float) -> Finding | None:
    own, points = own_of(take), take.character.contact_points
    hands = [i for i in range(len(points)) if i not in set(points.feet.tolist())]
    near = (take.time <= when + REACHING) & (take.time >= when - NEAR_HANDS)
    on = np.flatnonzero(own.scheduled[:, hands].any(axis=1) & near) if hands else []
    if not len(on):
        return None
    which = [s for s in SIDES if own.scheduled[on][:, points.of(f"{s}_hand")].any()]
    return Finding("hands carry", time=float(take.time[on[0]]), body=" and ".join(which))


def _breaks_off(take: Take, when: float) -> Finding | None:
    """An open clip whose last pose, held from then on, is one that nobody can stand in."""
    ends = take.clip.duration - take.start
    if when < ends + HELD:
        return None
    speed = speed_at_end(take.clip)
    return Finding("breaks off", speed, UNDER_WAY, float(ends)) if speed > UNDER_WAY else None


def speed_at_end(clip: Clip) -> float:
    """Horizontal speed [m/s] of the root where an open clip ends; 0 for a cycle, which goes on."""
    if clip.cycle is not None or len(clip) < 2:
        return 0.0
    return float(np.linalg.norm(clip.velocity[-1, :2]))


def _strained(take: Take, when: float) -> Finding | None:
    """The joint that was at its torque limit for most of the time before."""
    limit = take.character.torque_limit
    rows = np.flatnonzero((take.time <= when) & (take.time >= when - STRAIN))[:-1]
    if not len(rows):
        return None
    met = np.where(limit > 0.0, np.abs(take.torque[rows]) >= AT_LIMIT * limit, False)
    met[:, :6] = False
    share = met.mean(axis=0)
    dof = int(np.argmax(share))
    if share[dof] < STRAINED:
        return None
    body = name_of(take.character, int(take.character.model.dof_bodyid[dof]))
    first = float(take.time[rows[int(np.argmax(met[:, dof]))]])
    return Finding("torque limit", float(limit[dof]), float(limit[dof]), first, body)


def frame_in_clip(take: Take, time: float) -> int:
    """The frame of the user's own file, or of the clip, that was due at a time [s] of the performance."""
    clip = take.clip
    local = take.start + time
    local = local % clip.duration if clip.cycle is not None and clip.duration > 0.0 else min(local, clip.duration)
    if clip.source_times is not None and clip.recording is not None:
        return round(float(np.interp(local, clip.times, clip.source_times)) / clip.recording.dt)
    return round(local / clip.dt)

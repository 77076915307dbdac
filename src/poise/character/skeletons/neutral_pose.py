"""The zero pose found from the motion alone, for files whose rest pose is no pose.

Bones tell which way is down in a limb's own frame, knees and elbows which way is forward, standing feet where the sole
is; the trunk is as it is on average while the body stands upright.
"""

from __future__ import annotations

import numpy as np

from poise.character.roles import SIDES
from poise.character.skeletons.palms import hand_axes
from poise.character.skeletons.units_and_axes import lateral
from poise.character.skeletons.zero_pose import Moving, about
from poise.maths import rotations as rot
from poise.maths.rotations import Array

_BENT = np.sin(np.radians(8.0))  # mean bend from which a knee or an elbow tells its axis


def neutral_rotations(body: Moving) -> Array:
    """Global rotations (J, 4) of all joints in the zero pose, in file axes."""
    frames, weight = _upright(body)
    ahead = _headings(body, frames)
    rest: dict[int, Array] = {}
    for role, joint in body.roles.items():
        if not role.startswith(SIDES) or role.endswith("clavicle"):
            rest[joint] = _mean(rot.multiply(ahead, body.turns[frames, joint]), weight)
    _level_hips(body, rest)
    for side in SIDES:
        _limb(body, side, ("thigh", "shin", "foot"), -1.0, frames, ahead, weight, rest)
        _limb(body, side, ("upper_arm", "forearm", "hand"), 1.0, frames, ahead, weight, rest)
        _foot(body, side, rest)
        _hand(body, side, rest)
    best = int(frames[np.argmax(weight)])
    return _others(body, rest, best)


def _upright(body: Moving) -> tuple[np.ndarray, Array]:
    """Frames in which the body stands most upright, and a weight for each: straight trunk and legs, little speed."""
    x, roles = body.positions, body.roles
    hips = 0.5 * (x[:, roles["left_thigh"]] + x[:, roles["right_thigh"]])
    top = next((roles[r] for r in ("neck", "head", "chest") if r in roles), None)
    cost = np.zeros(len(x))
    spans = [] if top is None else [2.0 * _unit(x[:, top] - hips)]
    for side in SIDES:
        hip, knee, ankle = (x[:, roles[f"{side}_{p}"]] for p in ("thigh", "shin", "foot"))
        spans += [_unit(hip - knee), _unit(knee - ankle)]
    for span in spans:
        cost += np.linalg.norm(span, axis=-1) - span @ body.up
    cost -= cost.min()
    frames = np.flatnonzero(cost <= max(np.percentile(cost, 20), 0.05))
    return frames, 1.0 / (0.05 + cost[frames])


def _unit(v: Array) -> Array:
    return v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12)


def _headings(body: Moving, frames: np.ndarray) -> Array:
    """Rotations (F, 4) about up that let the body look forward in each frame."""
    side = lateral(body.roles, body.positions[frames])
    looks = np.cross(side, body.up)
    angle = np.arctan2(np.cross(looks, body.forward) @ body.up, looks @ body.forward)
    return rot.from_axis_angle(body.up, angle)


def _mean(turns: Array, weight: Array) -> Array:
    return rot.mean(turns * np.sqrt(weight / weight.sum())[:, None])


def _level_hips(body: Moving, rest: dict[int, Array]) -> None:
    """Make the line through both hips level and across: bodies are built alike on both sides."""
    pelvis = body.roles["pelvis"]
    line = body.bone(pelvis, body.roles["left_thigh"]) - body.bone(pelvis, body.roles["right_thigh"])
    if np.linalg.norm(line) < 1e-9:
        return
    left = np.cross(body.up, body.forward)
    rest[pelvis] = rot.multiply(rot.between(rot.rotate(rest[pelvis], line), left), rest[pelvis])


def _limb(body: Moving, side: str, parts: tuple[str, str, str], sense: float, frames: np.ndarray, ahead: Array,
          weight: Array, rest: dict[int, Array]) -> None:  # fmt: skip
    """Upper and lower bone of a limb: straight down; forward is where the joint between them bends (sense 1) or not."""
    if any(f"{side}_{p}" not in body.roles for p in parts):
        parts_known = [p for p in parts if f"{side}_{p}" in body.roles]
        for part in parts_known:  # half a limb: as it hangs
            joint = body.roles[f"{side}_{part}"]
            rest[joint] = _mean(rot.multiply(ahead, body.turns[frames, joint]), weight)
        return
    upper, lower, end = (body.roles[f"{side}_{p}"] for p in parts)
    bones = {upper: body.bone(upper, lower), lower: body.bone(lower, end)}
    for joint, far in ((upper, lower), (lower, upper)):
        down = _unit(bones[joint])
        other = body.positions[:, end if far == lower else upper] - body.positions[:, lower]
        seen = rot.rotate(rot.conjugate(body.turns[:, joint]), _unit(other))
        bend = np.mean(seen - (seen @ down)[:, None] * down, axis=0)
        front = sense * bend
        if np.linalg.norm(bend) < _BENT:  # a joint that hardly bends: as the limb hangs while the body stands
            look = rot.rotate(rot.conjugate(rot.multiply(ahead, body.turns[frames, joint])), body.forward)
            front = np.average(look, axis=0, weights=weight)
        rest[joint] = _from_axes(down, front, body)
    grip = rot.mean(rot.multiply(rot.conjugate(body.turns[:, lower]), body.turns[:, end]))
    rest[end] = rot.multiply(rest[lower], grip)


def _from_axes(down: Array, front: Array, body: Moving) -> Array:
    """The rotation that turns `down` to the ground and `front`, as far as it is across, forward."""
    turn = rot.between(down, -body.up)
    return rot.multiply(about(body.up, rot.rotate(turn, front), body.forward), turn)


def _foot(body: Moving, side: str, rest: dict[int, Array]) -> None:
    """Foot flat as it stands, pointing forward; toes as they lie while it stands."""
    foot, toes = body.roles[f"{side}_foot"], body.roles.get(f"{side}_toes")
    frames = body.stance(side)
    sole = np.median(rot.rotate(rot.conjugate(body.turns[frames, foot]), body.up), axis=0)
    turn = rot.between(sole, body.up)
    ends = [e.offset for e in body.skeleton.ends_of(foot) if np.linalg.norm(e.offset) > 1e-9]
    if toes is not None:
        front = body.bone(foot, toes)
    elif ends:
        front = ends[0]
    else:
        front = rot.rotate(rot.conjugate(rest[foot]), body.forward)
    rest[foot] = rot.multiply(about(body.up, rot.rotate(turn, front), body.forward), turn)
    if toes is not None:
        bend = rot.mean(rot.multiply(rot.conjugate(body.turns[frames, foot]), body.turns[frames, toes]))
        rest[toes] = rot.multiply(rest[foot], bend)


def _hand(body: Moving, side: str, rest: dict[int, Array]) -> None:
    """Fingers down, thumb in front, where there are such joints."""
    hand = body.roles.get(f"{side}_hand")
    if hand is None:
        return
    local = rot.rotate(rot.conjugate(body.turns[:, hand, None]), body.positions - body.positions[:, hand, None])
    along, across, _ = hand_axes(body.skeleton, hand, np.median(local, axis=0))
    if along is not None and across is not None:
        rest[hand] = _from_axes(_unit(along), across, body)


def _others(body: Moving, rest: dict[int, Array], frame: int) -> Array:
    """All joints (J, 4): those without a role as they are in one frame against the nearest joint above that has one."""
    out = np.tile(rot.IDENTITY, (len(body.skeleton), 1))
    top = body.roles["pelvis"]
    for j, p in enumerate(body.skeleton.parents):
        if j in rest:
            out[j] = rest[j]
            continue
        near = int(p) if j > top and p >= 0 else top  # joints above the pelvis stand as they do around it
        against = rot.multiply(rot.conjugate(body.turns[frame, near]), body.turns[frame, j])
        out[j] = rot.multiply(rest.get(near, out[near]), against)
    return out

"""Writes BVH: the joints, names, order, channels and end sites of the skeleton, and angles that do not jump."""

from __future__ import annotations

import itertools
from os import PathLike

import numpy as np

from poise import files
from poise.character.skeleton import Skeleton
from poise.errors import BadValue
from poise.kernels import njit
from poise.maths import rotations as rot
from poise.maths.rotations import Array

_POSITIONS = ("Xposition", "Yposition", "Zposition")
_TURNS = ("Zrotation", "Yrotation", "Xrotation")
_SAME = 1e-7  # [rad]: less is rounding
_STILL = 5e-6  # of the longest bone: a joint that moves less than this in its parent (single precision) does not move


def write(path: str | PathLike[str], skeleton: Skeleton, rotations: Array, positions: Array, dt: float) -> None:
    """Writes local rotations (N, J, 4) and positions (N, J, 3) [file units], dt [s] apart, as a BVH file.

    A BVH has no rest rotations: at rest all its frames lie along the file's axes. A skeleton that has them is turned
    into one that has not, with the same joint positions at rest and in every frame (see `without_rest`). Channels
    that the skeleton does not declare are added where the motion needs them.
    """
    rotations, positions = np.asarray(rotations, float), np.asarray(positions, float)
    _check(skeleton, rotations, positions, dt)
    skeleton, rotations, positions = without_rest(skeleton, rotations, positions)
    order = _nested(skeleton)
    channels = [_channels(skeleton, j, rotations[:, j], positions[:, j]) for j in range(len(skeleton))]
    columns = [_columns(channels[j], rotations[:, j], positions[:, j]) for j in order]
    table = np.concatenate(columns, axis=1)
    row = " ".join(["%.6f"] * table.shape[1])
    step = np.format_float_positional(dt, trim="-")
    with files.writing(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write("\n".join(_hierarchy(skeleton, order, channels)))
        stream.write(f"\nMOTION\nFrames: {len(table)}\nFrame Time: {step}\n")
        for start in range(0, len(table), 1024):
            rows = (table[start : start + 1024] + 0.0).tolist()
            stream.write("".join([row % tuple(r) + "\n" for r in rows]))


def without_rest(skeleton: Skeleton, rotations: Array, positions: Array) -> tuple[Skeleton, Array, Array]:
    """The same joints in the same places, with frames that lie along the file's axes at rest.

    With G_j(t) a joint's global rotation and R_j that at rest, the new global rotation is G_j R_jᵀ; an offset, given
    in its parent's frame, becomes R_p times itself, so that G_p R_pᵀ (R_p x) is G_p x as before.
    """
    if np.all(rot.angle_between(skeleton.rest, rot.IDENTITY) < 1e-12):
        return skeleton, rotations, positions
    _, at_rest = skeleton.rest_pose()
    above = np.where((skeleton.parents < 0)[:, None], rot.IDENTITY, at_rest[skeleton.parents])
    # (G_p R_pᵀ)ᵀ G_j R_jᵀ = R_p L_j R_jᵀ with L_j the old local rotation
    turned = rot.multiply(rot.multiply(above, rotations), rot.conjugate(at_rest))
    ends = tuple(type(e)(e.joint, rot.rotate(at_rest[e.joint], e.offset), e.name) for e in skeleton.ends)
    offsets = rot.rotate(above, skeleton.offsets)
    plain = Skeleton(skeleton.names, skeleton.parents, offsets, ends, channels=skeleton.channels)
    return plain, turned, rot.rotate(above, positions)


def _check(skeleton: Skeleton, rotations: Array, positions: Array, dt: float) -> None:
    shape = (len(rotations), len(skeleton))
    if rotations.shape != (*shape, 4) or positions.shape != (*shape, 3) or 0 in shape:
        raise BadValue(f"A BVH of {shape[1]} joints needs rotations (N, J, 4) and positions (N, J, 3), N at least 1; "
                       f"these are {rotations.shape} and {positions.shape}.")  # fmt: skip
    if not (np.isfinite(rotations).all() and np.isfinite(positions).all() and np.isfinite(skeleton.offsets).all()):
        raise BadValue("A BVH cannot hold numbers that are not finite.")
    if not (np.isfinite(dt) and dt > 0):
        raise BadValue(f"The time between frames must be positive, not {dt}.")
    roots = [skeleton.names[j] for j in np.flatnonzero(skeleton.parents < 0)]
    if len(roots) != 1:
        raise BadValue(f"A BVH holds one skeleton; this one has the roots {', '.join(roots)}.")


def _nested(skeleton: Skeleton) -> list[int]:
    """The joints in the order in which nested braces tell them: each followed by all that hangs on it."""
    children: list[list[int]] = [[] for _ in range(len(skeleton))]
    for j, p in enumerate(skeleton.parents):
        if p >= 0:
            children[p].append(j)
    order, todo = [], [int(np.flatnonzero(skeleton.parents < 0)[0])]
    while todo:
        order.append(todo.pop())
        todo.extend(reversed(children[order[-1]]))
    return order


def _channels(skeleton: Skeleton, joint: int, turns: Array, places: Array) -> tuple[str, ...]:
    """The declared channels of a joint (those of any BVH where none are declared), more where its motion needs them."""
    root = skeleton.parents[joint] < 0
    declared = skeleton.channels[joint] if skeleton.channels else ((*_POSITIONS, *_TURNS) if root else _TURNS)
    moves = [c for c in declared if c.endswith("position")]
    bones = skeleton.offsets[skeleton.parents >= 0]
    tolerance = _STILL * float(np.abs(bones).max()) if len(bones) else 0.0
    fixed = ["XYZ".index(p[0]) for p in _POSITIONS if p not in moves]
    if len(moves) != len(set(moves)) or np.any(np.abs(places - skeleton.offsets[joint])[:, fixed] > tolerance):
        moves = list(_POSITIONS)
    axes = "".join(c[0] for c in declared if c.endswith("rotation"))
    if not _can_tell(axes) or not _tells(axes, turns):
        axes = "".join(dict.fromkeys(axes + "ZYX"))
    return (*moves, *(f"{a}rotation" for a in axes))


def _can_tell(axes: str) -> bool:
    """Is this an order of turns that `_angles` can solve for?"""
    return len(axes) <= 3 and all(a != b for a, b in itertools.pairwise(axes))


def _tells(axes: str, turns: Array) -> bool:
    """Can turns about these axes alone give these rotations?"""
    if len(axes) == 3:
        return True
    back = rot.from_euler(axes, _angles(axes, turns)) if axes else np.broadcast_to(rot.IDENTITY, turns.shape)
    return bool(np.all(rot.angle_between(back, turns) < _SAME))


def _angles(axes: str, turns: Array) -> Array:
    """Angles (N, len(axes)) [rad] of rotations (N, 4), each frame's choice among equal ones the nearest to the last."""
    if len(axes) == 1:
        axis = np.eye(3)["XYZ".index(axes)]
        return np.unwrap(rot.twist_angle(turns, axis), axis=0)[:, None]
    full = axes + "".join(a for a in "XYZ" if a not in axes) if len(axes) == 2 else axes
    angles = rot.to_euler(full, turns)
    if len(axes) == 2:
        # of the two solutions the one whose third angle is zero
        other = np.abs(angles[:, 2]) > 0.5 * np.pi
        angles[other] = np.stack([angles[other, 0] + np.pi, np.pi - angles[other, 1], angles[other, 2] + np.pi], -1)
        return np.unwrap(angles[:, :2], axis=0)
    _continue(angles, full[0] == full[2])
    return angles


def _columns(channels: tuple[str, ...], turns: Array, places: Array) -> Array:
    """The numbers (N, C) of one joint."""
    axes = "".join(c[0] for c in channels if c.endswith("rotation"))
    angles = iter(np.degrees(_angles(axes, turns)).T) if axes else iter(())
    columns = [places[:, "XYZ".index(c[0])] if c.endswith("position") else next(angles) for c in channels]
    return np.stack(columns, axis=1) if columns else np.empty((len(turns), 0))


@njit(cache=True)
def _continue(angles, proper):
    """Replaces each row of angles (N, 3) by the equal one nearest to the row before, in place."""
    two_pi, one, other = 2.0 * np.pi, np.empty(3), np.empty(3)
    for n in range(1, angles.shape[0]):
        a, b, c = angles[n]
        one[0], one[1], one[2] = a, b, c
        other[0], other[1], other[2] = a + np.pi, -b if proper else np.pi - b, c + np.pi
        size_one, size_other = 0.0, 0.0
        for i in range(3):
            last = angles[n - 1, i]
            one[i] -= two_pi * np.rint((one[i] - last) / two_pi)
            other[i] -= two_pi * np.rint((other[i] - last) / two_pi)
            size_one += (one[i] - last) ** 2
            size_other += (other[i] - last) ** 2
        for i in range(3):
            angles[n, i] = one[i] if size_one <= size_other else other[i]


def _hierarchy(skeleton: Skeleton, order: list[int], channels: list[tuple[str, ...]]) -> list[str]:
    """The lines of the hierarchy; nesting deeper than 60 is not indented further, since it would fill the disk."""
    lines, depth, open_joints = ["HIERARCHY"], {-1: -1}, []

    def close(down_to: int) -> None:
        while open_joints and depth[open_joints[-1]] >= down_to:
            lines.append("\t" * min(depth[open_joints.pop()], 60) + "}")

    for j in order:
        depth[j] = depth[int(skeleton.parents[j])] + 1
        close(depth[j])
        tab = "\t" * min(depth[j], 60)
        lines += [f"{tab}{'JOINT' if depth[j] else 'ROOT'} {_name(skeleton.names[j], j)}", f"{tab}{{"]
        lines.append(f"{tab}\tOFFSET {_numbers(skeleton.offsets[j])}")
        lines.append(f"{tab}\tCHANNELS {' '.join([str(len(channels[j])), *channels[j]])}")
        for e in skeleton.ends_of(j):
            name = "" if e.name == "End Site" else f" {_name(e.name, j)}"
            lines += [f"{tab}\tEnd Site{name}", f"{tab}\t{{", f"{tab}\t\tOFFSET {_numbers(e.offset)}", f"{tab}\t}}"]
        open_joints.append(j)
    close(0)
    return lines


def _name(name: str, joint: int) -> str:
    """A name that a BVH can hold: one line, no braces."""
    return " ".join(name.replace("{", "(").replace("}", ")").split()) or f"joint_{joint}"


def _numbers(vector: Array) -> str:
    """Nine decimals, without a negative zero."""
    return " ".join(f"{v:.9f}" for v in np.round(vector, 9) + 0.0)

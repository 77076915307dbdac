"""Sagittal projections: the motions of the paper's 2D character (`biped18`), made from clips of any body.

The 2D recordings of the paper are no longer to be had. A clip is retargeted to biped18 and its root put into the plane
y = 0: no sway, no roll, no turn. The rail that keeps a planar body there is an assistance and recorded as such.
"""

from __future__ import annotations

import numpy as np

from poise.character.load import load_character
from poise.maths import rotations as rot
from poise.motion import ik
from poise.motion.clip import Clip, Cycle
from poise.motion.edit.path import Turn


def sagittal(clip: Clip) -> Clip:
    """The projection of a clip onto the plane of its way, on biped18, feet held where they touch."""
    body = load_character("biped18")
    flat = clip if clip.character.name == "biped18" else clip.retarget(body)
    way = _heading(flat)
    flat = Turn(-float(np.degrees(way))).apply(flat) if abs(way) > 0.02 and flat.cycle is None else flat
    q = np.array(flat.q)
    q[:, 1] = 0.0
    pitch = rot.to_euler("yzx", q[:, 3:7])[:, 0]
    q[:, 3:7] = rot.from_axis_angle((0.0, 1.0, 0.0), pitch)
    cycle = None if flat.cycle is None else Cycle(0.0, flat.cycle.shift * [1.0, 0.0, 1.0])
    return flat.with_q(_planted(flat, q, cycle), cycle=cycle, labels=flat.contacts.labels, recording=None,
                       placement=None)  # fmt: skip


def _heading(clip: Clip) -> float:
    """The way [rad] of the root from first to last frame, or where it faces if it stays."""
    far = clip.q[-1, :2] - clip.q[0, :2]
    if np.linalg.norm(far) > 0.3:
        return float(np.arctan2(far[1], far[0]))
    return float(rot.heading(clip.q[len(clip) // 2, 3:7]))


def _planted(clip: Clip, q: np.ndarray, cycle: Cycle | None) -> np.ndarray:
    """Joint angles by which the points that touch stay where they were along the way and in height."""
    points = clip.character.contact_points
    was, now, labels = clip.character.points(clip.q), clip.character.points(q), clip.contacts.labels
    goal = now.copy()
    goal[..., 0] = was[..., 0]
    goal[..., 2] = was[..., 2]
    targets = [ik.PointTarget(int(points.bodies[i]), points.positions[i], goal[:, i], 30.0 * labels[:, i])
               for i in range(len(points))]  # fmt: skip
    out = ik.solve(clip.character, q, targets, [], smooth=6.0, cycle=cycle)
    out[:, 1] = 0.0
    pitch = rot.to_euler("yzx", out[:, 3:7])[:, 0]
    out[:, 3:7] = rot.from_axis_angle((0.0, 1.0, 0.0), pitch)
    return out

"""Cleaning before any physics: spikes and flips taken out of joints, and the tremble of noisy channels."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from poise.maths import rotations as rot
from poise.maths.configuration import BALL, FREE, HINGE, Layout
from poise.maths.intervals import frames
from poise.maths.rotations import Array
from poise.maths.smoothing import smooth
from poise.motion.check.flaws import FASTEST, LARGEST
from poise.motion.clip import Clip
from poise.motion.resample import unrolled

LONGEST = 0.12  # [s] a joint that flips away comes back within this time; else it is believed
LEAP = 12.0  # [m/s] hips never move faster, not even a sprinter's
AROUND = 2  # frames on either side of a flip that are not believed either
CUTOFF = 10.0  # [Hz] people move slower
OTHERS = {"hand": 18.0, "toes": 14.0}  # [Hz] hands and toes are quick, and too light to matter
OFTEN = 0.1  # share of the frames from which on a joint does not flip but tremble, and is low-passed alone

LowPass = Callable[[Array, float, float], Array]  # a series (N, ...), a frequency [Hz], the time step [s]


def cleaned(clip: Clip, low_pass: LowPass = smooth, others: Mapping[str, float] = OTHERS) -> Clip:
    """The clip without flips, its joints low-passed without delay, `others` at their own [Hz]; labels are kept."""
    whole = unrolled(clip, len(clip) - 1 if len(clip) > 2 else 0)
    q = smoothed(clip, without_flips(clip.character.layout, whole.q, clip.dt), low_pass, others)[whole.own]
    if clip.cycle is not None:
        q[-1] = clip.cycle.carry(q[0], 1)
    return clip.with_q(q, labels=clip.contacts.labels)


def without_flips(layout: Layout, q: Array, dt: float) -> Array:
    """q (N, nq) in which joints, and the root, that jump away and come back are led straight over the gap."""
    out, limit, longest = q.copy(), np.radians(min(FASTEST * dt, LARGEST)), frames(LONGEST, dt)
    for kind, at in zip(layout.kind, layout.qadr, strict=True):
        if kind == FREE:
            places = out[:, at : at + 3]
            for a, e in _flips(np.linalg.norm(np.diff(places, axis=0), axis=1), LEAP * dt, longest):
                places[a : e + 1] = np.linspace(places[a], places[e], e - a + 1)
        if kind in (FREE, BALL):
            turn = slice(at + 3, at + 7) if kind == FREE else slice(at, at + 4)
            quats = out[:, turn]
            for a, e in _flips(rot.angle_between(quats[:-1], quats[1:]), limit, longest):
                share = np.linspace(0.0, 1.0, e - a + 1)
                quats[a : e + 1] = rot.slerp(quats[a], quats[e], share)
        elif kind == HINGE:
            for a, e in _flips(np.abs(np.diff(out[:, at])), limit, longest):
                out[a : e + 1, at] = np.linspace(out[a, at], out[e, at], e - a + 1)
    return out


def _flips(step: Array, limit: float, longest: int) -> list[tuple[int, int]]:
    """Frames (last good before, first good after) of each flip in what moves or turns by `step` (N-1,) a frame."""
    found, large = [], np.flatnonzero(step > limit)
    while len(large):
        inside = large[large < large[0] + longest]
        if len(inside) > 1:  # away and back
            found.append((max(0, int(inside[0]) - AROUND), min(len(step), int(inside[-1]) + 1 + AROUND)))
        large = large[len(inside) :]
    return found if sum(e - a for a, e in found) < max(OFTEN * len(step), longest + 2 * AROUND + 1) else []


def smoothed(clip: Clip, q: Array, low_pass: LowPass, others: Mapping[str, float]) -> Array:
    """q (N, nq) low-passed without delay; rotations by their quaternions, which is exact to first order."""
    character, out = clip.character, np.array(q)
    layout = character.layout
    for j, (kind, at) in enumerate(zip(layout.kind, layout.qadr, strict=True)):
        name = character.body_names[int(character.model.jnt_bodyid[j])]
        part = next((role for role, body in character.roles.items() if body == name), name).split("_", 1)[-1]
        low = others.get(part, CUTOFF)
        if kind in (FREE, BALL):
            if kind == FREE:
                out[:, at : at + 3] = low_pass(out[:, at : at + 3], low, clip.dt)
                at += 3
            out[:, at : at + 4] = rot.normalise(low_pass(rot.continuous(out[:, at : at + 4]), low, clip.dt))
        else:
            out[:, at] = low_pass(out[:, at], low, clip.dt)
    return out


def flipped_joints(clip: Clip) -> tuple[str, ...]:
    """Names of the joints from which flips are taken."""
    changed = np.any(without_flips(clip.character.layout, np.array(clip.q), clip.dt) != clip.q, axis=0)
    layout = clip.character.layout
    return tuple(name for name, at in zip(clip.character.joint_names, layout.qadr, strict=True)
                 if changed[at : at + 7 if name == "root" else at + 1].any())  # fmt: skip

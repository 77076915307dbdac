"""How much one posture differs from another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.errors import ClipMismatch
from poise.maths import rotations as rot
from poise.maths.configuration import BALL, HINGE
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.resample import sample


def posture_change(clip: Clip, other: Clip) -> float:
    """Rms geodesic angle [degrees] between the joint rotations of two clips, over all joints but the root alike.

    Frames are compared by their time in the recording where both clips come from the same one; else frame by frame,
    or, where their numbers differ, at the same share of the duration. Joints of which a file tells nothing (wrists that
    never turn in the whole recording) do not count: there is nothing that they could differ from.
    """
    if _same_recording(clip, other):
        clip = _within(clip, other)
    a, b = _turns(clip), _turns(_matched(clip, other))
    silent = {*untold(clip), *untold(other)}
    shared = [name for name in a if name in b and name not in silent]
    if not shared:
        raise ClipMismatch(f"{clip.character.name} and {other.character.name} have no joints in common to compare.")
    angle = np.stack([rot.angle_between(a[name], b[name]) for name in shared])
    return float(np.degrees(np.sqrt(np.mean(angle**2))))


def _matched(clip: Clip, other: Clip) -> Clip:
    """`other` with one frame for each of `clip`."""
    if _same_recording(clip, other):
        assert clip.source_times is not None and other.source_times is not None
        if len(clip) == len(other) and np.array_equal(clip.source_times, other.source_times):
            return other
        moments = np.interp(clip.source_times, other.source_times, other.times)
        return sample(other, moments)
    if len(clip) == len(other):
        return other
    share = np.linspace(0.0, 1.0, len(clip)) if len(clip) > 1 else np.zeros(1)
    return sample(other, share * other.duration)


def _within(clip: Clip, other: Clip) -> Clip:
    """The frames of `clip` whose time in the recording the other clip has too; all where there are none."""
    assert clip.source_times is not None and other.source_times is not None
    low, high = other.source_times[0] - 1e-6, other.source_times[-1] + 1e-6
    rows = np.flatnonzero((clip.source_times >= low) & (clip.source_times <= high))
    if len(rows) in (0, len(clip)):
        return clip
    return replace(clip, q=clip.q[rows].copy(), labels=clip.contacts.labels[rows], cycle=None,
                   source_times=clip.source_times[rows])  # fmt: skip


def _same_recording(clip: Clip, other: Clip) -> bool:
    """Do both come from the same file, each forward in time?"""
    if clip.source_times is None or other.source_times is None or clip.recording is None or other.recording is None:
        return False
    same = clip.recording is other.recording or clip.recording.source.path == other.recording.source.path != ""
    rising = all(np.all(np.diff(times) > 0) for times in (clip.source_times, other.source_times))
    return same and rising and len(other) > 1 and clip.recording.dt == other.recording.dt


def untold(clip: Clip) -> set[str]:
    """Bodies, by role or by name, whose joint keeps exactly one rotation in the whole recording."""
    character, recording = clip.character, clip.recording
    if recording is None or character.binding is None or len(recording.rotations) < 3:
        return set()
    turns = recording.rotations
    still = np.all(np.abs(turns - turns[:1]) < 1e-12, axis=(0, 2))
    roles = {body: role for role, body in character.roles.items()}
    return {roles.get(name, name) for name, joint in zip(character.body_names, character.binding.joints, strict=True)
            if joint >= 0 and still[joint]}  # fmt: skip


def _turns(clip: Clip) -> dict[str, Array]:
    """For each body but the root, by role or by name, its rotation (N, 4) against its parent."""
    character, tree = clip.character, clip.character.tree
    _, quat = character.forward(clip.q)
    roles = {body: role for role, body in character.roles.items()}
    out = {}
    for b in range(1, len(tree.parent)):
        if any(tree.kind[j] in (BALL, HINGE) for j in tree.joints(b)):
            name = character.body_names[b]
            out[roles.get(name, name)] = rot.multiply(rot.conjugate(quat[:, tree.parent[b]]), quat[:, b])
    return out

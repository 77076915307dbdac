"""Reads the motions of DeepMimic: JSON with the frames of one fixed humanoid."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from poise import budgets, files
from poise.character.skeleton import EndSite, Skeleton
from poise.errors import BadFile
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.formats.numbers import LIMIT
from poise.motion.recording import Recording, Source

# name, parent, place in the parent [m], how many numbers of a frame turn it (4 a quaternion, 1 an angle about Z);
# from the humanoid3d character of github.com/xbpeng/DeepMimic (MIT licence)
_JOINTS: tuple[tuple[str, int, tuple[float, float, float], int], ...] = (
    ("root", -1, (0.0, 0.0, 0.0), 4),
    ("chest", 0, (0.0, 0.236151, 0.0), 4),
    ("neck", 1, (0.0, 0.223894, 0.0), 4),
    ("right_hip", 0, (0.0, 0.0, 0.084887), 4),
    ("right_knee", 3, (0.0, -0.421546, 0.0), 1),
    ("right_ankle", 4, (0.0, -0.409870, 0.0), 4),
    ("right_shoulder", 1, (-0.02405, 0.24350, 0.18311), 4),
    ("right_elbow", 6, (0.0, -0.274788, 0.0), 1),
    ("right_wrist", 7, (0.0, -0.258947, 0.0), 0),
    ("left_hip", 0, (0.0, 0.0, -0.084887), 4),
    ("left_knee", 9, (0.0, -0.421546, 0.0), 1),
    ("left_ankle", 10, (0.0, -0.409870, 0.0), 4),
    ("left_shoulder", 1, (-0.02405, 0.24350, -0.18311), 4),
    ("left_elbow", 12, (0.0, -0.274788, 0.0), 1),
    ("left_wrist", 13, (0.0, -0.258947, 0.0), 0),
)
# far ends of the shapes of the same character: the head's sphere, the fronts of the feet's boxes, the hands' spheres
_ENDS = (
    (2, (0.0, 0.2775, 0.0), "head_top"),
    (5, (0.1335, -0.05, 0.0), "right_toe_tip"),
    (8, (0.0, -0.04, 0.0), "right_hand_tip"),
    (11, (0.1335, -0.05, 0.0), "left_toe_tip"),
    (14, (0.0, -0.04, 0.0), "left_hand_tip"),
)
LOOSE = 0.5  # a quaternion whose length differs more from 1 is no rotation; the public kick has some of 0.58
TOLD = 0.01  # from which on that is told
_WIDTH = 44  # a duration, the root's place, and the turns


def looks_like(start: bytes) -> bool:
    """Do these first bytes of a file begin a motion of DeepMimic?"""
    return start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and (b'"Frames"' in start or b'"Loop"' in start)


def skeleton() -> Skeleton:
    """The 15 joints of DeepMimic's humanoid, metres, Y up, facing X."""
    return Skeleton(
        names=tuple(j[0] for j in _JOINTS),
        parents=np.array([j[1] for j in _JOINTS]),
        offsets=np.array([j[2] for j in _JOINTS]),
        ends=tuple(EndSite(j, np.array(offset), name) for j, offset, name in _ENDS),
    )


def read(path: Path) -> Recording:
    """The recording in a DeepMimic file; frames of uneven duration are resampled to even ones."""
    content = _json(path)
    table = _table(path, content.get("Frames"))
    body = skeleton()
    rotations = np.tile(rot.IDENTITY, (len(table), len(body), 1))
    positions = np.tile(body.offsets, (len(table), 1, 1))
    positions[:, 0] = table[:, 1:4]
    at, shortest, longest = 4, 1.0, 1.0  # lengths of quaternions
    for j, (name, _, _, width) in enumerate(_JOINTS):
        values = table[:, at : at + width]
        at += width
        if width == 1:
            rotations[:, j] = rot.from_axis_angle(np.array([0.0, 0.0, 1.0]), values[:, 0])
        elif width == 4:
            size = np.linalg.norm(values, axis=1)
            bad = np.flatnonzero(np.abs(size - 1.0) > LOOSE)
            if len(bad):
                raise BadFile(path, f"frame {bad[0] + 1}: the rotation of {name!r} is not a unit quaternion.")
            shortest = min(shortest, float(size.min()))
            longest = max(longest, float(size.max()))
            rotations[:, j] = rot.continuous(values / size[:, None])
    notes = ()
    if longest > 1.0 + TOLD or shortest < 1.0 - TOLD:
        notes = (f"Rotations are quaternions of length {shortest:.2f} to {longest:.2f}; they were made unit ones.",)
    source = Source(name=path.stem, path=str(path), format="deepmimic", notes=notes)
    wraps = str(content.get("Loop", "none")).lower() == "wrap"
    return _even(path, table[:-1, 0], Recording(body, rotations, positions, 1.0, source, 1.0, "y", wraps), table[-1, 0])


def _json(path: Path) -> dict[str, Any]:
    start = files.head(path)
    if not start.strip():
        raise BadFile(path, "it is empty.")
    if not start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        raise BadFile(path, "it is not a motion that poise knows: a DeepMimic file is a JSON object with 'Frames'.")
    try:
        content = json.loads(files.read_bytes(path, budgets.JSON_BYTES).removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError) as error:
        where = f" in line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise BadFile(path, f"it is not whole JSON{where}: it is cut short or broken.") from None
    if not isinstance(content, dict) or "Frames" not in content:
        raise BadFile(path, "it is JSON, but not a DeepMimic motion: it has no 'Frames'.")
    return content


def _table(path: Path, frames: Any) -> Array:
    """The frames as numbers (N, 44)."""
    if not isinstance(frames, list) or not frames:
        raise BadFile(path, "it holds no frames.")
    for n, frame in enumerate(frames):
        if not isinstance(frame, list) or len(frame) != _WIDTH:
            size = len(frame) if isinstance(frame, list) else "no"
            raise BadFile(path, f"frame {n + 1} has {size} numbers; DeepMimic's humanoid has {_WIDTH}.")
    try:
        table = np.array(frames, float)
    except (ValueError, TypeError, OverflowError):
        table = np.empty(())
    if table.shape != (len(frames), _WIDTH):
        raise BadFile(path, "its frames hold something that is not a number.")
    bad = np.argwhere(~(np.abs(table) < LIMIT))
    if len(bad):
        raise BadFile(path, f"frame {bad[0][0] + 1}: its number {bad[0][1] + 1} is not a number of a motion.")
    return table


def _even(path: Path, steps: Array, recording: Recording, last: float) -> Recording:
    """The recording with evenly spaced frames, from the duration [s] of each frame but the last."""
    if len(steps) == 0:
        steps = np.array([last])
    if steps.min() <= 1e-6:
        raise BadFile(path, f"frame {int(np.argmin(steps)) + 1} lasts {steps.min():g} s; a duration must be positive.")
    dt = float(np.median(steps))
    even = replace(recording, dt=dt)
    if np.ptp(steps) < 1e-4 * dt or len(recording) == 1:
        return even
    times = np.concatenate([[0.0], np.cumsum(steps)])
    count = round(times[-1] / dt) + 1
    if count > 100 * len(recording):
        raise BadFile(path, "the durations of its frames differ too much to be one motion.")
    dt = float(times[-1] / (count - 1))
    # where each new frame lies, counted in old frames, is all that `at` needs
    turns, places = even.at(np.interp(np.arange(count) * dt, times, np.arange(len(times))) * even.dt)
    note = f"Frames of {steps.min():.4g} to {steps.max():.4g} s were resampled to {dt:.4g} s."
    return replace(recording, rotations=turns, positions=places, dt=dt,
                   source=replace(recording.source, notes=(*recording.source.notes, note)))  # fmt: skip

"""What happened in a take, as pictures show it: forces at their points, pushes, and moments with a sentence each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poise.ground.ground import Ground
from poise.judge.audit import audit
from poise.judge.performance_findings import frame_in_clip
from poise.judge.verdict import verdict
from poise.judge.wording.audit import sentence
from poise.judge.wording.verdict import ended_words, words
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.take import Take
from poise.take.description import ground_of

_LEAST = 5.0  # [N] of a contact force that is shown
_QUIET = {"saved state", "push", "contact", "limp"}  # entries of the log that are shown in another way, or are many
_MOST = 40  # findings in a list that one still reads


class Mark(NamedTuple):
    """A moment worth jumping to."""

    time: float | None  # [s] from the first frame; None: of the whole
    kind: str  # "fall", "push", "good" or "note"
    text: str


class PushSeen(NamedTuple):
    """A push as it acted on a body."""

    time: float  # [s] from the first frame, when it began
    end: float  # [s]
    body: str
    point: Array  # (3,) [m] where it began to act
    root: Array  # (3,) [m] of the character then
    force: Array  # (3,) [N] when it was largest


@dataclass(frozen=True, eq=False)
class Happened:
    """Forces, pushes and moments of a take; `reference` is what the user's own clip wanted at each frame."""

    frame: np.ndarray  # (K,) of the take, rising
    point: Array  # (K, 3) [m] centre of the pressure on one body
    force: Array  # (K, 3) [N] of all contacts of that body
    pushes: tuple[PushSeen, ...]
    marks: tuple[Mark, ...]
    reference: Clip
    clip_frame: np.ndarray  # (F,) frame of the user's clip that was due
    clip_frames: int
    grounds: tuple[tuple[float, Ground], ...] = ()  # from when on [s] which ground, where it was changed under way

    @classmethod
    def of(cls, take: Take, audited: bool = True) -> Happened:
        """All that pictures show of a take; without `audited` its physics is not looked at, which takes a while."""
        frame, point, force = _contact_forces(take)
        pushes = pushes_of(take)
        due = np.array([frame_in_clip(take, float(t)) for t in take.time], int)
        return cls(frame, point, force, pushes, tuple(_marks(take, pushes, audited)), reference_of(take), due,
                   max(int(due.max()), _last_frame(take.clip)), _grounds(take))  # fmt: skip


def _grounds(take: Take) -> tuple[tuple[float, Ground], ...]:
    """From when [s] on which ground was there; none where it was one all the time."""
    out: list[tuple[float, Ground]] = []
    for part in take.segments:
        ground = ground_of(part.stage, take.clip.ground)
        if not out or ground != out[-1][1]:
            out.append((float(take.time[part.frame] - take.time[0]), ground))
    return tuple(out) if len(out) > 1 else ()


def reference_of(take: Take) -> Clip:
    """What the user's own clip does at the frames of a take, as a clip."""
    q = take.q_ref if take.own is None else take.own.q
    return Clip(take.character, np.array(q), take.dt, take.clip.source, take.ground, None, np.array(take.scheduled))


def pushes_of(take: Take) -> tuple[PushSeen, ...]:
    """The pushes of a take: rows of one label in frames one after the other are one push."""
    rows, out, start = take.external, [], float(take.time[0])
    for label, body in dict.fromkeys(zip(rows.label.tolist(), rows.body.tolist(), strict=True)):
        mine = np.flatnonzero((rows.label == label) & (rows.body == body))
        for part in np.split(mine, np.flatnonzero(np.diff(rows.frame[mine]) > 1) + 1):
            size = np.linalg.norm(rows.force[part], axis=1)
            last = min(int(rows.frame[part[-1]]) + 1, len(take) - 1)
            out.append(PushSeen(float(take.time[rows.frame[part[0]]]) - start, float(take.time[last]) - start,
                                take.character.body_names[body].replace("_", " "), rows.point[part[0]],
                                take.q[rows.frame[part[0]], :3],
                                rows.force[part[int(np.argmax(size))]]))  # fmt: skip
    return tuple(sorted(out, key=lambda p: p.time))


def _contact_forces(take: Take) -> tuple[np.ndarray, Array, Array]:
    """Frames (K,), centres of pressure (K, 3) and forces (K, 3): one row a body that is touched in a frame."""
    rows, count = take.contacts, take.character.model.nbody
    own = set(take.character.body_names[1:])
    outer = np.array([name not in own for name in rows.others], bool)
    kept = np.flatnonzero(outer[rows.other]) if len(rows) else np.zeros(0, int)
    key, which = np.unique(rows.frame[kept] * count + rows.body[kept], return_inverse=True)
    force, point, weight = np.zeros((len(key), 3)), np.zeros((len(key), 3)), np.zeros(len(key))
    size = np.linalg.norm(rows.force[kept], axis=1)
    np.add.at(force, which, rows.force[kept])
    np.add.at(weight, which, size)
    np.add.at(point, which, size[:, None] * rows.point[kept])
    shown = np.linalg.norm(force, axis=1) > _LEAST
    return key[shown] // count, point[shown] / weight[shown, None], force[shown]


def _marks(take: Take, pushes: tuple[PushSeen, ...], audited: bool) -> list[Mark]:
    """Moments in the order of time: how it ended, pushes, what was changed under way, findings."""
    start, told = float(take.time[0]), verdict(take)
    whole = told.ended.whole
    out = [Mark(told.ended.time - start, "good" if whole else "fall", ended_words(told.ended, told.frame))]
    out += [Mark(p.time, "push", f"pushed at its {p.body} with {np.linalg.norm(p.force):.0f} N for "
                                 f"{p.end - p.time:.2f} s") for p in pushes]  # fmt: skip
    out += [Mark(f.time, "note", f"why: {words(f)}") for f in told.causes if f.kind != "push"]
    out += [Mark(None, "note", f"before it began: {words(f)}") for f in told.done]
    out += [Mark(None, "note", words(f)) for f in told.helped]
    out += [
        Mark(
            float(take.time[s.frame]) - start,
            "note",
            "it goes limp" if s.method == "limp" else f"from here on by {s.method}",
        )
        for s in take.segments[1:]
    ]
    out += [Mark(c.time - start, "note", _call(c.name, c.values)) for c in take.calls if c.name != "push"]
    out += [Mark(e.time - start, "note", f"{e.kind}: {e.text}" if e.text else e.kind) for e in take.events
            if e.kind not in _QUIET and e.time > start]  # fmt: skip
    if audited:
        report = audit(take)
        out += [Mark(f.time, "fall" if f in report.faults else "note", sentence(f)) for f in report.findings
                if f.kind not in ("fell", "broke_off")]  # fmt: skip
    known = sorted(dict.fromkeys(out), key=lambda m: -1.0 if m.time is None else m.time)
    return known[:_MOST] + [Mark(None, "note", f"try: {words(f)}") for f in told.tries]


def _call(name: str, values: object) -> str:
    """What was asked for under way, in a few words."""
    kind = values.get("kind", "") if isinstance(values, Mapping) else ""
    return f"{name} under way{f': {kind}' if isinstance(kind, str) and kind else ''}"


def _last_frame(clip: Clip) -> int:
    """Number of the last frame of the file, or of the clip."""
    if clip.source_times is not None and clip.recording is not None:
        return round(float(clip.source_times[-1]) / clip.recording.dt)
    return len(clip) - 1

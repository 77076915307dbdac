"""From recorded contacts to labels of contact points, and from a take to a clip."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TypeVar

import numpy as np

from poise.errors import BadValue
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.take.ended import Ended
from poise.take.record import ContactRecord, WrenchRecord
from poise.take.segments import Segment
from poise.take.take import Take

IN_PLANE = 0.005  # [m] up to which a point is in the plane of a contact
_TABLES = ("contacts", "external", "assist", "prop_contacts")
Record = TypeVar("Record", ContactRecord, WrenchRecord)


def touching(take: Take) -> np.ndarray:
    """Boolean (F, P): which contact points stood on something.

    A recorded contact marks the nearest point of its body, and those that are in its plane: a contact may stand for a
    whole sole. Contacts with the character itself and from above (a ball on the foot) mark nothing.
    """
    points, labels = take.character.contact_points, np.zeros(take.scheduled.shape, bool)
    rows, own = take.contacts, set(take.character.body_names[1:])
    outer = np.array([name not in own for name in rows.others], bool)
    carries = ~rows.bilateral & (rows.normal[:, 2] > 0.3) & (np.einsum("ki,ki->k", rows.force, rows.normal) > 0.0)
    carries &= outer[rows.other] if len(rows) else True
    place = take.character.points(take.q)
    for body in np.unique(points.bodies):
        mine = np.flatnonzero(points.bodies == body)
        chosen = np.flatnonzero(carries & (rows.body == body))
        away = place[rows.frame[chosen]][:, mine] - rows.point[chosen, None]
        here = np.einsum("kpi,ki->kp", away, rows.normal[chosen]) < IN_PLANE
        here[np.arange(len(chosen)), np.argmin(np.linalg.norm(away, axis=-1), axis=1)] = True
        at, which = np.nonzero(here)
        labels[rows.frame[chosen[at]], mine[which]] = True
    if len(labels) > 1:
        labels[-1] = labels[-2]  # the last frame has no interval after it
    return labels


def as_clip(take: Take) -> Clip:
    """The motion of a take as an open clip at the recorded rate, on its stage's ground at rest."""
    clip = take.clip
    note = f"Performed by poise: {take.method}." if take.method else "Performed by poise."
    source = replace(clip.source, notes=(*clip.source.notes, note))
    return Clip(take.character, np.array(take.q), take.dt, source, take.ground, None, take.touching, clip.recording,
                clip.placement, _source_times(take))  # fmt: skip


def _source_times(take: Take) -> Array | None:
    """The time in the recording that each frame followed: wrapped in a cycle, held past the end of an open clip."""
    clip = take.clip
    if clip.source_times is None:
        return None
    local = take.start + take.time
    if clip.cycle is not None and clip.duration > 0.0:
        local = np.mod(local, clip.duration)
    return np.interp(local, clip.times, clip.source_times)


def part(take: Take, k: int) -> Take:
    """The k-th segment of a take, with the first frame of the next one as its last."""
    this, ends = take.segments[k], k + 1 == len(take.segments)
    last = len(take) - 1 if ends else take.segments[k + 1].frame
    at = float(take.time[last])
    out = cut(take, float(take.time[this.frame]), at, Ended("stopped", at, "another segment follows"))
    changes = {"method": this.method, "settings": this.settings, "step": this.step, "stage": this.stage}
    if not ends:  # what acted after its last frame belongs to the next one
        traces = {name: rows.copy() for name, rows in out.traces.items()}
        for rows in traces.values():
            rows[-1] = np.nan
        tables = {n: _rows(getattr(out, n), 0, len(out) - 1) for n in _TABLES if getattr(out, n) is not None}
        changes |= {"traces": traces, **tables}
    return replace(out, **changes, segments=())


def cut(take: Take, start: float, end: float | None, ended: Ended | None = None) -> Take:
    """The frames from start to end [s]; `ended`: how they end, where that is known."""
    last = float(take.time[-1]) if end is None else end
    kept = np.flatnonzero((take.time >= start - 1e-9) & (take.time <= last + 1e-9))
    if not len(kept):
        raise BadValue(f"Nothing is left between {start} s and {last} s of a take of {take.duration:.2f} s.")
    a, b = int(kept[0]), int(kept[-1]) + 1
    arrays = {n: np.array(getattr(take, n)[a:b]) for n in ("time", "q", "v", "torque", "q_ref", "v_ref", "scheduled")}
    return replace(
        take, **arrays, contacts=_rows(take.contacts, a, b), external=_rows(take.external, a, b),
        assist=_rows(take.assist, a, b),
        prop_contacts=None if take.prop_contacts is None else _rows(take.prop_contacts, a, b),
        props={k: np.array(x[a:b]) for k, x in take.props.items()},
        traces={k: np.array(x[a:b]) for k, x in take.traces.items()},
        events=tuple(e for e in take.events if start <= e.time <= last), run_ended=ended or _cut_end(take, last),
        own=None if take.own is None else take.own.rows(a, b), asked=0.0, segments=_segments(take, a, b), calls=(),
    )  # fmt: skip


def _segments(take: Take, first: int, last: int) -> tuple[Segment, ...]:
    """The segments of the frames first .. last-1, counted from there."""
    kept = [p._replace(frame=max(p.frame - first, 0)) for p in take.segments if p.frame < last]
    return tuple(p for p, after in zip(kept, [*kept[1:], None], strict=False) if after is None or after.frame > p.frame)


def _cut_end(take: Take, last: float) -> Ended:
    """How the part of a take up to `last` [s] ended: a fall before is not forgotten, and one without its end is cut."""
    ended = take.ended
    if ended.time <= last + 1e-9:
        return ended
    return Ended("stopped", last, f"the take was cut at {last:.2f} s")


def _rows(record: Record, first: int, last: int) -> Record:
    """The rows of a record that belong to frames first .. last-1, counted from there."""
    lo, hi = np.searchsorted(record.frame, [first, last])
    columns = {f.name: getattr(record, f.name)[lo:hi] for f in fields(record) if f.name not in ("others", "labels")}
    columns["frame"] = columns["frame"] - first
    return replace(record, **columns)

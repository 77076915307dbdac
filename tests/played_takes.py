"""Takes whose numbers are known: a clip played as it is, changed, late, or with one more contact."""

from __future__ import annotations

import numpy as np

import poise
from poise.maths import rotations as rot
from poise.take import Recorder, Take


def stepping(clip, labels: np.ndarray, q: np.ndarray) -> list[np.ndarray]:
    """Contact rows for labels (F, P) of the contact points."""
    points, where = clip.character.contact_points, clip.character.points(q)
    out = []
    for k in range(len(q)):
        on = np.flatnonzero(labels[k])
        rows = np.zeros((len(on), 18))
        rows[:, 0], rows[:, 2:5] = points.bodies[on], where[k, on]
        rows[:, 7], rows[:, 10], rows[:, 14] = 1.0, 100.0, 1.0
        out.append(rows)
    return out


def played(clip, seconds: float, change=None, late: int = 0) -> Take:
    """The reference itself, its q changed by `change(time, q)`, its feet `late` frames behind the schedule."""
    recorder, reference = Recorder(clip, method="played"), poise.Reference(clip)
    times = np.arange(round(seconds * 120) + 1) / 120
    samples = [reference.sample(t) for t in times]
    q = np.array([s.q for s in samples])
    if change is not None:
        q = np.array([change(t, row) for t, row in zip(times, q, strict=True)])
    labels = np.roll(np.array([s.contacts for s in samples]), late, axis=0)
    for t, row, s, rows in zip(times, q, samples, stepping(clip, labels, q), strict=True):
        recorder.frame(t, row, s.v, np.zeros(len(s.v)), rows)
    return recorder.finish({"loop": seconds / 4})


def bend(character, q: np.ndarray, body: str, angle: float) -> np.ndarray:
    adr = int(character.model.jnt_qposadr[character.model.dof_jntid[int(character.dofs(body)[0])]])
    out = q.copy()
    out[adr : adr + 4] = rot.multiply(q[adr : adr + 4], rot.exp(np.array([0.0, angle, 0.0])))
    return out


def with_touch(take: Take, body: str, frame: int, other: int = 0) -> Take:
    """The take with one more contact with the ground."""
    rows = take.contacts
    extra = np.zeros((1, 18))
    extra[0, 0], extra[0, 1], extra[0, 7], extra[0, 10] = take.character.body(body), other, 1.0, 50.0
    k = int(np.searchsorted(rows.frame, frame + 1))
    table = np.insert(rows.rows(), k, extra, axis=0)
    return take.with_(contacts=type(rows).from_rows(np.insert(rows.frame, k, frame), table, ("ground", "box")))

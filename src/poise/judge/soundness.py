"""Is there a whole performance of finite numbers to judge at all? Where not, no audit passes."""

from __future__ import annotations

import numpy as np

from poise.judge.finding import Finding
from poise.take import Take
from poise.take.ended import Ended

_STATES = ("time", "q", "v", "torque")
_CONTACTS = ("point", "normal", "force", "moment", "friction", "depth")
_WRENCHES = ("point", "force", "moment")


def not_finite(take: Take) -> Finding | None:
    """The first frame with a number that is none, how many there are, and in what; None where all are finite."""
    bad, what = np.zeros(len(take), bool), []
    for name in _STATES:
        rows = ~np.isfinite(getattr(take, name)).reshape(len(take), -1).all(axis=1)
        bad |= rows
        what += [name] if rows.any() else []
    tables = (("contacts", _CONTACTS), ("external", _WRENCHES), ("assist", _WRENCHES), ("prop_contacts", _CONTACTS))
    for kind, columns in tables:
        record = getattr(take, kind, None)
        if record is None:
            continue
        for name in columns:
            values = getattr(record, name)
            rows = ~np.isfinite(values).reshape(len(record), -1).all(axis=1) if len(record) else np.zeros(0, bool)
            bad[record.frame[rows]] = True
            what += [f"{kind}.{name}"] if rows.any() else []
    if not bad.any():
        return None
    first = int(np.argmax(bad))
    time = float(take.time[first])
    return Finding("not_finite", float(bad.sum()), 0.0, time if np.isfinite(time) else None,
                   detail={"what": what, "frame": first, "frames": len(take)})  # fmt: skip


def not_whole(take: Take) -> list[Finding]:
    """How the performance ended, where it did not come to its end on its feet.

    Falling is no fault of physics and only told; a performance that broke off in any other way is no performance.
    """
    blown = next((e for e in take.events if e.kind == "blow-up"), None)
    ends: list[Ended | None] = [getattr(take, "ended", None), getattr(take, "run_ended", None)]
    ends.append(None if blown is None else Ended("blew up", blown.time, blown.text))
    if not any(ends) and take.fell is not None:
        ends = [Ended("fell", take.fell)]
    found = {f.kind: f for f in (how_it_ended(e) for e in reversed(ends) if e is not None) if f is not None}
    return list(found.values())


def how_it_ended(ended: Ended) -> Finding | None:
    """The finding of an end; None where it was a whole performance."""
    if ended.whole:
        return None
    kind = "fell" if ended.kind == "fell" else "broke_off"
    return Finding(kind, ended.time, None, ended.time, detail={"how": ended.kind, "reason": ended.reason})

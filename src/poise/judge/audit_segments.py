"""Audit of a take in which methods were switched: each segment by its own time step, and all of them together."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from poise.judge.finding import Finding
from poise.judge.report import AuditReport, Worst
from poise.take import Take

_MEANS = ("slip",)  # weighted by time; other numbers are root mean squares, or the worst


def together(take: Take, reports: list[AuditReport]) -> AuditReport:
    """One report of several: means over time, the worst of what is worst, and all findings."""
    spans = np.array([max(r.duration, 1e-9) for r in reports])
    values: dict[str, Any] = {}
    for f in fields(AuditReport):
        parts = [getattr(r, f.name) for r in reports]
        if isinstance(parts[0], Worst):
            values[f.name] = max(parts, key=lambda w: -np.inf if np.isnan(w.value) else w.value)
            if any(np.isnan(w.value) for w in parts):
                values[f.name] = next(w for w in parts if np.isnan(w.value))
        elif f.name.endswith("_rms") or f.name == "unexplained_force_share":
            values[f.name] = float(np.sqrt(np.average(np.square(parts), weights=spans)))
        elif f.name in _MEANS:
            values[f.name] = float(np.average(parts, weights=spans))
    for name in ("cone_violation", "penetration"):
        worst = int(np.argmax([getattr(r, name) for r in reports]))
        values[name] = getattr(reports[worst], name)
        values[f"{name}_when"] = getattr(reports[worst], f"{name}_when")
    series = {k: np.concatenate([r.series[k] for r in reports]) for k in reports[0].series
              if all(k in r.series for r in reports)}  # fmt: skip
    stretches = tuple(s for r in reports for s in r.stretches)
    name = f"{take.clip.name} ({', '.join(dict.fromkeys(p.method for p in take.segments))})"
    return replace(reports[0], **values, name=name, frames=len(take), duration=take.duration, series=series,
                   stretches=stretches, findings=_findings(reports), segments=tuple(reports))  # fmt: skip


def _findings(reports: list[AuditReport]) -> tuple[Finding, ...]:
    """The findings of all segments; of those of one kind the worst."""
    found: dict[tuple[str, Any], Finding] = {}
    for finding in (f for r in reports for f in r.findings):
        known = found.get((finding.kind, finding.body))
        if known is None or not _size(finding) <= _size(known):
            found[finding.kind, finding.body] = finding
    return tuple(found.values())


def _size(finding: Finding) -> float:
    return np.inf if finding.value is None or not np.isfinite(finding.value) else abs(finding.value)

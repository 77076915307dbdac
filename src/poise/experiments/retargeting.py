"""Retargeting over many recordings: skating, penetration, root error, joint limits and speed, in one table."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from poise.character import Character
from poise.character.leg_length import hip_to_sole
from poise.character.load import load_character
from poise.maths.configuration import BALL, FREE
from poise.motion.check.check import penetration, skating
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.motion.retarget.retarget import hip_middle, retarget

CHARACTERS = ("human42", "human57")
SKATING, PENETRATION, REALTIME = 0.02, 0.005, 5.0  # bars: [m/s], [m], times real time
ENDINGS = (".bvh", ".amc", ".fbx", ".txt")


@dataclass(frozen=True)
class Row:
    """One recording on one character."""

    recording: str
    character: str
    duration: float  # [s]
    source_skating: float  # [m/s] of the recording itself
    skating: float  # [m/s] mean speed of the points that touch
    source_penetration: float  # [m]
    penetration: float  # [m] the deepest point of all frames
    root_error: float  # [m] rms of the middle of the hips against its scaled way
    past_limits: float  # [degrees] the furthest a joint goes past its limits
    realtime: float  # seconds of motion per second of CPU time

    @property
    def passes(self) -> bool:
        """Does it keep the bars?"""
        return self.skating < SKATING and self.penetration < PENETRATION and self.realtime > REALTIME


def measure(clip: Clip, character: Character) -> Row:
    """Retarget a clip and measure the result."""
    _ = clip.contacts, clip.character.model, character.model  # found once for a clip, not a part of retargeting
    start = time.process_time()
    out = retarget(clip, character)
    spent = time.process_time() - start
    factor = hip_to_sole(character) / hip_to_sole(clip.character)
    away = hip_middle(character, out.q) - factor * hip_middle(clip.character, clip.q)
    return Row(
        clip.name, character.name, clip.duration, skating(clip), skating(out), penetration(clip), penetration(out),
        float(np.sqrt(np.mean(np.sum(away**2, axis=1)))), past_limits(out), clip.duration / max(spent, 1e-9),
    )  # fmt: skip


def past_limits(clip: Clip) -> float:
    """The furthest [degrees] that a joint of a clip goes past its limits."""
    model, worst = clip.character.model, 0.0
    for j in np.flatnonzero((model.jnt_limited != 0) & (model.jnt_type != FREE)):
        a, (low, high) = int(model.jnt_qposadr[j]), model.jnt_range[j]
        if model.jnt_type[j] == BALL:
            angle = 2.0 * np.arccos(np.clip(np.abs(clip.q[:, a]), 0.0, 1.0))
            worst = max(worst, float(np.max(angle - high)))
        else:
            worst = max(worst, float(np.max(np.maximum(low - clip.q[:, a], clip.q[:, a] - high))))
    return float(np.degrees(worst))


def recordings(folder: Path) -> list[Path]:
    """Motion files under a folder, in order of name; files that describe a skeleton only are left out."""
    found = [p for p in sorted(folder.rglob("*")) if p.suffix.lower() in ENDINGS and p.is_file()]
    return [p for p in found if not (p.suffix == ".txt" and ("character" in p.name or "humanoid" not in p.name))]


def table(paths: Iterable[Path], characters: Sequence[str] = CHARACTERS,
          watch: Callable[[Row], None] | None = None) -> list[Row]:  # fmt: skip
    """Every recording on every character; `watch` is called with each row as it is done."""
    bodies = [load_character(name) for name in characters]
    rows: list[Row] = []
    for path in paths:
        clip = load_clip(path)
        if not rows:  # what is compiled on first use is not a part of retargeting
            retarget(clip.cut(0.0, min(0.5, clip.duration)), bodies[0])
        for body in bodies:
            rows.append(measure(clip, body))
            if watch is not None:
                watch(rows[-1])
    return rows


HEADER = (f"{'recording':28s} {'character':10s} {'s':>5s}  {'skating cm/s':>14s}  {'penetration mm':>15s}  "
          f"{'root cm':>7s}  {'limits deg':>10s}  {'x real time':>11s}")  # fmt: skip


def line(row: Row) -> str:
    """One row of the printed table; skating and penetration are given before and after."""
    skate = f"{100 * row.source_skating:.1f} > {100 * row.skating:.2f}"
    sink = f"{1000 * row.source_penetration:.0f} > {1000 * row.penetration:.1f}"
    return (f"{row.recording[:28]:28s} {row.character:10s} {row.duration:5.1f}  {skate:>14s}  {sink:>15s}  "
            f"{100 * row.root_error:7.1f}  {row.past_limits:10.1f}  {row.realtime:11.1f}"
            f"{'' if row.passes else '   misses a bar'}")  # fmt: skip


def text(rows: Sequence[Row]) -> str:
    """The whole table, with the worst of each column last."""
    if not rows:
        return HEADER + "\nno recordings"
    worst = Row(
        "worst", "", max(r.duration for r in rows), max(r.source_skating for r in rows), max(r.skating for r in rows),
        max(r.source_penetration for r in rows), max(r.penetration for r in rows), max(r.root_error for r in rows),
        max(r.past_limits for r in rows), min(r.realtime for r in rows),
    )  # fmt: skip
    return "\n".join([HEADER, *(line(r) for r in rows), line(worst)])


def to_dict(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The rows as plain values, for --json."""
    return [{**asdict(r), "passes": r.passes} for r in rows]


if __name__ == "__main__":
    found = recordings(Path(sys.argv[1]))
    print(text(table(found, watch=lambda row: print(line(row), file=sys.stderr))))

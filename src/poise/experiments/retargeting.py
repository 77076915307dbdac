"""Retargeting over many recordings: skating, penetration, root error, joint limits and speed; and sheets to look at."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from poise.character import Character
from poise.character.leg_length import hip_to_sole
from poise.character.load import load_character
from poise.experiments.reproduce import Options, Table, told
from poise.export.sheet import contact_sheet, save_sheet
from poise.maths.configuration import BALL, FREE
from poise.motion.check.check import penetration, skating
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.motion.retarget.retarget import hip_middle, retarget
from poise.progress import Bar

CHARACTERS = ("human42", "human57")
SKATING, PENETRATION, REALTIME = 0.02, 0.005, 5.0  # bars: [m/s], [m], times real time
COLUMNS = ("recording", "character", "s", "skating before", "after [cm/s]", "penetration before", "after [mm]",
           "root [cm]", "past limits [deg]", "x real time", "bars")  # fmt: skip


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

    def cells(self) -> tuple[Any, ...]:
        """Those of `COLUMNS`."""
        return (self.recording, self.character, self.duration, 100 * self.source_skating, 100 * self.skating,
                1000 * self.source_penetration, 1000 * self.penetration, 100 * self.root_error, self.past_limits,
                self.realtime, "" if self.passes else "missed")  # fmt: skip


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


def table(paths: Iterable[Path], characters: Sequence[str] = CHARACTERS) -> list[Row]:
    """Every recording on every character."""
    bodies = [load_character(name) for name in characters]
    rows: list[Row] = []
    for path in paths:
        clip = load_clip(path)
        if not rows:  # what is compiled on first use is not a part of retargeting
            retarget(clip.cut(0.0, min(0.5, clip.duration)), bodies[0])
        for body in bodies:
            rows.append(measure(clip, body))
            told(rows[-1].cells())
    return rows


def run(options: Options) -> Table:
    """One row a recording and a character."""
    rows = table(options.files(), options.characters or CHARACTERS)
    good = sum(row.passes for row in rows)
    note = f"{good} of {len(rows)} keep the bars: {100 * SKATING:g} cm/s, {1000 * PENETRATION:g} mm, {REALTIME:g} x."
    return Table("Recordings on other bodies", COLUMNS, tuple(row.cells() for row in rows), (note,))


def sheets(options: Options) -> Table:
    """Every recording as it is read; sheets show it so, and above itself on built-in bodies."""
    clips = [load_clip(path) for path in options.files()]
    rows = tuple((c.name, c.character.height, c.duration, c.fps) for c in clips)
    columns, title = ("recording", "height [m]", "seconds", "frames a second"), "Recordings as they are read"
    if options.out is None:
        return Table(title, columns, rows, ("Give --out FOLDER for the sheets.",))
    bar = Bar("drawing", (1 + len(CHARACTERS)) * len(clips))
    labels = [f"{c.name}   {c.character.height:.2f} m, {c.duration:.1f} s at {c.fps:.0f} fps" for c in clips]
    written = [options.out / "imported.png"]
    sheet = contact_sheet(clips, labels, progress=lambda *_: bar.step(), title="recordings as they are read")
    save_sheet(sheet, written[0], clips, colours=40)
    for body in CHARACTERS:
        character = load_character(body)
        pairs = [(c, c.retarget(character)) for c in clips]
        sheet = contact_sheet(pairs, [c.name for c in clips], 3, width=1700, frames=6, row_height=110,
                              title=f"recordings above, the same on {body} below",
                              progress=lambda *_: bar.step())  # fmt: skip
        written.append(options.out / f"retargeted-{body}.png")
        save_sheet(sheet, written[-1], pairs, colours=32)
    bar.close()
    return Table(title, columns, rows, (), tuple(map(str, written)))

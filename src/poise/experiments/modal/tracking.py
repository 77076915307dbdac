"""Section 7.1: clips performed undisturbed, by the modal update and as torques in MuJoCo; recordings; and its speed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from poise.errors import PoiseError
from poise.experiments.modal.trial import TRACKING, WAYS, performed, tracking_row
from poise.experiments.reproduce import Options, Table, told
from poise.judge import audit
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.take import Take

CLIPS = (("walk", 60.0, 12), ("squat", 30.0, 16), ("swing", 20.0, 24), ("jump", None, 16), ("chin-up", 10.0, 24),
         ("stand", 10.0, 12))  # name, seconds, window  # fmt: skip
GAITS = ("walk", "march", "sneak", "backward", "turn", "jump", "hop", "run")
RECORDED = ("02_01", "12_01", "16_17", "09_12", "136_20", "136_25", "16_33", "08_07",
            "91_19", "91_16", "120_08", "113_19", "16_05", "16_03", "02_03", "09_01",
            "127_04", "humanoid3d_walk", "humanoid3d_jump", "humanoid3d_run",
            "humanoid3d_stealthy")  # fmt: skip
LOOPED = 12.0  # [s] for which a loop is performed
TIMED = (("walk", 12), ("squat", 16))  # clip and window
SECONDS, RUNS = 10.0, 5  # of those


def run(options: Options) -> Table:
    """One row a clip and a way; the seed count does not matter here."""
    rows, notes, figures = [], [], []
    for name, seconds, window in CLIPS:
        clip = load_clip(name)
        length = clip.duration if seconds is None else seconds
        for way in WAYS:
            try:
                take = performed(clip, way, length, settings={"window": window})
            except PoiseError as error:
                notes.append(f"{name}, {way}: {error}")
                continue
            rows.append((name, f"{length:.1f} s, window {window}", *tracking_row(take, way)))
            figures += options.film(take, f"{name}-{way.split()[0]}")
    return Table("Tracking without disturbance", ("clip", "what", *TRACKING), tuple(rows), tuple(notes), tuple(figures))


def clips(options: Options) -> Table:
    """One row a gait or recording on its own character, default settings."""
    files = (options.recording(name) for name in RECORDED)
    names: list[str | Path] = [*GAITS, *(path for path in files if path is not None)]
    rows = []
    for name in names:
        clip = load_clip(name)
        rows.append(told((clip.name, clip.character.name, f"{_length(clip):.1f}", *_both(clip))))
    columns = [f"{what}, {way}" for way in ("modal update", "MuJoCo")
               for what in ("ends [s]", "joints [deg]", "root [cm]", "penetration [mm]")]  # fmt: skip
    return Table("Whole clips, default settings, once from the beginning",
                 ("clip", "character", "length [s]", *columns), tuple(rows),
                 ("Ends: - for the whole clip on its feet, else when it fell or was lost.",))  # fmt: skip


def _length(clip: Clip) -> float:
    return LOOPED if clip.cycle is not None else clip.duration


def _both(clip: Clip) -> tuple[Any, ...]:
    out: list[Any] = []
    for way in WAYS:
        try:
            take: Take | None = performed(clip, way, _length(clip))
        except PoiseError as error:
            take = getattr(error, "take", None)
        out += ["at once", "", "", ""] if take is None else _cells(take)
    return tuple(out)


def _cells(take: Take) -> list[Any]:
    """When it ended, and errors up to there."""
    off, report = take.tracking_error(), audit(take)
    return ["-" if take.ended.whole else f"{take.ended.time:.2f}", float(np.degrees(off.joints)),
            100.0 * off.root_position, 1000.0 * report.penetration]  # fmt: skip


def speed(options: Options) -> Table:
    """Times faster than real time, best and median: what other programs take from a core only makes it slower."""
    rows = []
    for name, window in TIMED:
        clip = load_clip(name)
        performed(clip, "modal update", 0.5, settings={"window": window})  # compiles
        times = sorted(
            performed(clip, "modal update", SECONDS, settings={"window": window}).realtime_factor for _ in range(RUNS)
        )
        rows.append((name, window, times[-1], times[RUNS // 2]))
    return Table(f"Simulated seconds per CPU second, {RUNS} runs of {SECONDS:g} s, modal update",
                 ("clip", "window", "best", "median"), tuple(rows))  # fmt: skip

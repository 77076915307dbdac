"""The built-in clips: how physical they are, judged by the audit, and sheets of them beside recordings to look at.

Forces and torques are scaled to a body of 70 kg; "fine" is the unexplained force after resampling four times finer,
away from changes of contact; "seam" is the largest jump of a joint's acceleration from frame to frame where a loop
closes, as a share of the largest elsewhere; "torque" the largest joint torque as a share of its limit.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from PIL.Image import Image

from poise.character import Character
from poise.character.load import load_character
from poise.errors import BadValue, PoiseError
from poise.experiments.physical.table import WEIGHT, PhysicalBars, between_frames, flight_error
from poise.experiments.reproduce import Options, Table, told
from poise.export.sheet import contact_sheet, save_sheet
from poise.judge.audit import audit
from poise.judge.overlap import overlap
from poise.maths import GRAVITY
from poise.maths import configuration as conf
from poise.motion.check.check import penetration, skating
from poise.motion.clip import Clip
from poise.motion.load import load_any_character, load_clip
from poise.physical import library

COLUMNS = ("clip", "s", "N rms", "worst", "N m rms", "fine", "cm/s", "mm", "m/s²", "peak", "seam", "limit°", "torque",
           "overlap", "CPU s", "misses")  # fmt: skip
FLYING = ("run", "jump", "hop")
# parameters at the ends of their ranges; lengths for legs of about 0.9 m
ENDS: dict[str, tuple[dict[str, float], ...]] = {
    "stand": ({"width": 0.14}, {"width": 0.55}, {"breath": 1.0}, {"breath": 12.0}),
    "walk": ({"speed": 0.4}, {"speed": 0.8}, {"speed": 1.8}, {"speed": 2.2}, {"stride": 1.0}, {"stride": 1.8}),
    "run": ({"speed": 1.8}, {"speed": 2.4}, {"speed": 4.0}, {"speed": 5.5}, {"stride": 1.7}, {"stride": 2.8}),
    "march": ({"speed": 0.5}, {"speed": 1.6}, {"height": 35.0}, {"height": 90.0}),
    "sneak": ({"speed": 0.2}, {"speed": 1.0}, {"height": 0.6}, {"height": 1.3}),
    "backward": ({"speed": 0.3}, {"speed": 1.4}, {"stride": 0.5}, {"stride": 1.3}),
    "turn": ({"angle": -90.0}, {"angle": 120.0}, {"angle": 20.0}, {"speed": 0.4}, {"speed": 1.6}),
    "squat": ({"depth": 30.0}, {"depth": 75.0}, {"depth": 120.0}, {"period": 1.6}, {"period": 8.0}),
    "jump": ({"distance": 0.0}, {"distance": 1.2}, {"height": 0.06}, {"height": 0.2}, {"height": 0.32}),
    "hop": ({"height": 0.02}, {"height": 0.14}, {"feet": 1.0}, {"feet": 1.0, "height": 0.14}),
    "punch": ({"speed": 2.0}, {"speed": 8.0}, {"speed": 11.0}, {"height": 1.05}, {"height": 1.6}),
    "wave": ({"times": 1.0}, {"rate": 0.5}, {"rate": 3.0}),
    "kick": ({"height": 0.4}, {"height": 1.2}, {"tempo": 0.6}, {"tempo": 1.5}),
    "lift": ({"mass": 1.0}, {"mass": 40.0}, {"mass": 60.0}),
    "swing": ({"amplitude": 5.0}, {"amplitude": 50.0}),
    "chin-up": ({"height": 0.2}, {"height": 0.6}, {"period": 1.8}, {"period": 10.0}),
}
# a recording of the same action, and the part of it to show [s]
PEOPLE = {
    "walk": ("02_01", 0.0, 2.4), "run": ("09_01", 0.0, 1.2), "march": ("91_19", 0.0, 2.4), "turn": ("16_17", 0.4, 3.6),
    "sneak": ("120_08", 0.0, 4.0), "backward": ("136_25", 0.0, 2.6), "squat": ("22_14", 0.0, 2.4),
    "jump": ("16_05", 0.3, 2.3), "hop": ("132_23", 1.5, 2.5), "punch": ("02_05", 0.6, 2.4),
    "kick": ("144_05", 0.8, 3.2), "lift": ("26_10", 0.2, 3.4), "swing": ("43_02", 2.0, 4.3),
}  # fmt: skip
# of gaits the part in which the recorded person is under way
GAITS = {
    "walk": ("02_01", 0.67, 2.8), "run": ("09_01", 0.17, 1.2), "march": ("91_19", 0.5, 2.9),
    "sneak": ("120_08", 0.5, 3.2), "backward": ("136_25", 0.5, 3.4), "turn": ("16_17", 0.0, 3.8),
}  # fmt: skip


@dataclass(frozen=True)
class Bars(PhysicalBars):
    """What a built-in clip may have at most."""

    seam: float = 1.05
    overlap: float = 0.005

    @staticmethod
    def of(name: str) -> Bars:
        """Those of a clip; what flies lands harder."""
        return Bars(fine=12.0, peak=4.0) if name in FLYING else Bars()


@dataclass(frozen=True)
class Row:
    """One clip; forces [N] and torques [N m] at 70 kg."""

    name: str
    duration: float  # [s]
    force: float  # unexplained, rms
    worst: float  # unexplained, largest
    torque: float  # unexplained, rms
    fine: float  # unexplained force between the frames, rms
    skating: float  # [m/s]
    depth: float  # [m] below the floor
    flight: float  # [m/s²] from free fall
    peak: float  # [body weights, with what is carried]
    seam: float  # jump of acceleration over the seam of a loop against elsewhere
    limit: float  # [rad] beyond a joint's range
    effort: float  # largest torque, as a share of its limit
    overlap: float  # [m] of limbs with each other
    cpu: float  # [s]

    @property
    def missed(self) -> list[str]:
        """Names of the values that are above their bars."""
        bars = Bars.of(self.name)
        return [f.name for f in fields(Bars) if not getattr(self, f.name) <= getattr(bars, f.name)]

    def cells(self, called: str) -> tuple[Any, ...]:
        """Those of `COLUMNS`."""
        return (called, self.duration, self.force, self.worst, self.torque, self.fine, 100 * self.skating,
                1000 * self.depth, self.flight, self.peak, self.seam, float(np.degrees(self.limit)), self.effort,
                1000 * self.overlap, self.cpu, " ".join(self.missed))  # fmt: skip


def measure(clip: Clip, cpu: float = 0.0) -> Row:
    """A clip as the audit sees it."""
    report, limit = audit(clip), clip.character.torque_limit
    k, known = WEIGHT / report.weight, limit > 0.0
    carried = GRAVITY * sum(h.mass for h in clip.grips)
    push = float(np.linalg.norm(report.series["ground_force"], axis=1).max()) / (report.weight + carried)
    effort = np.abs(report.series["joint_torque"][:, known]) / limit[known]
    return Row(
        clip.name, clip.duration, k * report.unexplained_force_rms, k * report.unexplained_force_max.value,
        k * report.unexplained_torque_rms, k * between_frames(clip), skating(clip), penetration(clip),
        flight_error(clip), push, seam(clip), max(0.0, report.joint_limit_violation.value),
        float(effort.max(initial=0.0)), overlap(clip).depth, cpu,
    )  # fmt: skip


def seam(clip: Clip) -> float:
    """Largest change of a joint's acceleration from frame to frame at the seam of a loop, as a share of elsewhere."""
    if clip.cycle is None:
        return 0.0
    run = clip.repeat(3)
    _, a = conf.rates(clip.character.layout, run.q, run.dt)
    jump, count = np.abs(np.diff(a, axis=0)).max(axis=1), len(clip) - 1
    at = np.arange(len(jump)) % count
    inside = (np.arange(len(jump)) > count // 2) & (np.arange(len(jump)) < len(jump) - count // 2)
    near = np.minimum(at, count - at) <= 3
    return float(jump[inside & near].max() / max(float(jump[inside & ~near].max()), 1e-3))


def made(name: str, character: Character, **parameters: float) -> tuple[Clip, float]:
    """A built-in clip, and the CPU time [s] that its making took."""
    begun = time.process_time()
    clip = library.make(name, character, **parameters)
    return clip, time.process_time() - begun


def run(options: Options) -> Table:
    """One row a clip and a character, and a sheet of the clips on the first character."""
    return _table(options, {name: ({},) for name in library.names()})


def ranges(options: Options) -> Table:
    """The same with the parameters of each clip at the ends of their ranges."""
    return _table(options, {name: ({}, *ENDS[name]) for name in library.names()})


def _table(options: Options, wanted: dict[str, tuple[dict[str, float], ...]]) -> Table:
    bodies = [load_any_character(name) for name in options.characters or ("human42",)]
    names, rows = [name for name in wanted if options.wants(name)], []
    for body in bodies:
        for name in names:
            for parameters in wanted[name]:
                called = " ".join([name, *(f"{key}={value:g}" for key, value in parameters.items())])
                rows.append(told((f"{body.name}, {body.mass:.0f} kg", *_cells(name, body, called, parameters))))
    good = sum(not row[-1] for row in rows)
    notes = (f"{good} of {len(rows)} within all bars.",)
    figures = () if options.out is None else _draw([made(name, bodies[0])[0] for name in names], options)
    return Table("Built-in clips", ("body", *COLUMNS), tuple(rows), notes, figures)


def _cells(name: str, body: Character, called: str, parameters: dict[str, float]) -> tuple[Any, ...]:
    try:
        return measure(*made(name, body, **parameters)).cells(called)
    except PoiseError as error:
        return (called, *[""] * (len(COLUMNS) - 2), str(error))


def _draw(clips: list[Clip], options: Options) -> tuple[str, ...]:
    """A sheet with a strip of each clip, and a recording of the same action below it where there is one."""
    entries, labels = [], []
    for clip in clips:
        shown = clip.repeat(2) if clip.cycle is not None and clip.duration < 1.2 else clip
        name, start, end = PEOPLE.get(clip.name, ("", 0.0, 0.0))
        found = options.recording(name) if name else None
        entries.append([shown] if found is None else [shown, load_clip(found).cut(start, end)])
        labels.append(f"{clip.name}   {clip.duration:.1f} s" + (f"; below, a recording ({name})" if found else ""))
    sheet = contact_sheet(entries, labels, 2, frames=9, width=1900, row_height=170, spacing="even",
                          title=f"built-in clips on {clips[0].character.name}")  # fmt: skip
    return _saved(sheet, options, "library.png", entries)


def gaits(options: Options) -> Table:
    """Each gait below a recording of the same action at the same times: timing, foot roll, arms, knees, pelvis."""
    body, pairs, rows = load_character("human57"), [], []  # it has toes, as the recorded people have
    for name, (stem, start, end) in GAITS.items():
        path = options.recording(stem)
        if path is None:
            raise BadValue(f"There is no recording {stem} under {options.recordings}.")
        recorded, own = load_clip(path).cut(start, end), library.make(name, body)
        times = max(1, round(recorded.duration / own.duration + 0.49))
        pairs.append((recorded, own.repeat(times).cut(0.0, recorded.duration)))
        rows.append((name, recorded.name, recorded.duration, own.duration))
    columns, figures = ("gait", "recording", "seconds shown", "seconds of the built-in cycle"), ()
    if options.out is not None:
        labels = [f"{row[0]}: recorded {row[1]} above, built in below" for row in rows]
        sheet = contact_sheet(pairs, labels, 1, width=1500, frames=15, row_height=170, title="built-in gaits")
        figures = _saved(sheet, options, "gaits.png", pairs)
    return Table("Built-in gaits beside recordings", columns, tuple(rows), (), figures)


def _saved(sheet: Image, options: Options, name: str, shown: list[Any]) -> tuple[str, ...]:
    assert options.out is not None
    save_sheet(sheet, options.out / name, shown, colours=40)
    return (str(options.out / name),)

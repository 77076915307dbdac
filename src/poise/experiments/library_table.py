"""The built-in clips: a table of how physical they are, judged by the audit, and a sheet of filmstrips.

    python -m poise.experiments.library_table [CLIP ...] [--characters NAME_OR_FILE ...] [--ends]
                                              [--sheet PICTURE [--recordings FOLDER]]

Characters are built-in ones, or those that motion files bring with them. With `--ends` each clip is also made with its
parameters at the ends of their ranges. Forces and torques are scaled to a body of 70 kg; "fine" is the unexplained
force after resampling four times finer, away from changes of contact; "seam" is the largest jump of a joint's
acceleration from frame to frame where a loop closes, as a share of the largest elsewhere; "torque" the largest joint
torque as a share of its limit. What misses its bar is named at the end of a line. With a folder of recordings, each
strip has one of the same action below it, for looking only.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from poise.character import Character
from poise.character.load import load_character
from poise.errors import PoiseError
from poise.experiments.physical_table import WEIGHT, PhysicalBars, between_frames, flight_error
from poise.export.sheet import contact_sheet, save_sheet
from poise.judge.audit import audit
from poise.judge.overlap import overlap
from poise.maths import GRAVITY
from poise.maths import configuration as conf
from poise.motion.check.check import penetration, skating
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.physical import library

COLUMNS = ("s", "N rms", "worst", "N m rms", "fine", "cm/s", "mm", "m/s²", "peak", "seam", "limit°", "torque",
           "overlap", "CPU s")  # fmt: skip
HEAD = f"{'':<26}" + "".join(f"{column:>8}" for column in COLUMNS)
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

    def text(self, called: str = "") -> str:
        """One line of the table."""
        values = (self.duration, self.force, self.worst, self.torque, self.fine, 100 * self.skating, 1000 * self.depth,
                  self.flight, self.peak, self.seam, np.degrees(self.limit), self.effort, 1000 * self.overlap,
                  self.cpu)  # fmt: skip
        line = f"{called or self.name:<26}" + "".join(f"{value:8.2f}" for value in values)
        return line + (f"  ! {', '.join(self.missed)}" if self.missed else "")


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


def character_of(name: str) -> Character:
    """A built-in character, or the one that a motion file brings with it."""
    return (
        load_clip(Path(name)).character
        if Path(name).suffix in (".bvh", ".txt", ".fbx", ".amc")
        else load_character(name)
    )


def made(name: str, character: Character, **parameters: float) -> tuple[Clip, float]:
    """A built-in clip, and the CPU time [s] that its making took."""
    begun = time.process_time()
    clip = library.make(name, character, **parameters)
    return clip, time.process_time() - begun


def lines(character: Character, names: tuple[str, ...], ends: bool) -> Iterator[tuple[str, bool]]:
    """The table's lines of a character, and whether each is within all bars."""
    for name in names:
        for parameters in ({}, *(ENDS[name] if ends else ())):
            called = " ".join([name, *(f"{key}={value:g}" for key, value in parameters.items())])
            try:
                row = measure(*made(name, character, **parameters))
            except PoiseError as error:
                yield f"{called:<26} {error}", False
                continue
            yield row.text(called), not row.missed


def draw(clips: list[Clip], path: Path, recordings: Path | None = None) -> None:
    """Write a sheet with a strip of each clip, and a recording of the same action below it where there is one."""
    entries, labels = [], []
    for clip in clips:
        shown = clip.repeat(2) if clip.cycle is not None and clip.duration < 1.2 else clip
        file, start, end = PEOPLE.get(clip.name, ("", 0.0, 0.0))
        found = sorted(recordings.rglob(f"{file}*.bvh")) if recordings is not None and file else []
        entries.append([shown, *(load_clip(p).cut(start, end) for p in found[:1])])
        labels.append(f"{clip.name}   {clip.duration:.1f} s" + (f"; below, a recording ({file})" if found else ""))
    sheet = contact_sheet(entries, labels, 2, frames=9, width=1900, row_height=170, spacing="even",
                          title=f"built-in clips on {clips[0].character.name}")  # fmt: skip
    save_sheet(sheet, path, entries, colours=40)


def main(arguments: list[str] | None = None) -> None:
    """Print the table and write the sheet."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("clips", nargs="*")
    parser.add_argument("--characters", nargs="+", default=["human42"])
    parser.add_argument("--ends", action="store_true")
    parser.add_argument("--sheet", type=Path)
    parser.add_argument("--recordings", type=Path)
    asked = parser.parse_args(arguments)
    names, good = tuple(asked.clips or library.names()), []
    for called in asked.characters:
        character = character_of(called)
        print(f"{Path(called).stem}, {character.mass:.0f} kg\n{HEAD}")
        for line, within in lines(character, names, asked.ends):
            print(line, flush=True)
            good.append(within)
    print(f"{sum(good)} of {len(good)} within all bars.")
    if asked.sheet is not None:
        draw([made(name, character_of(asked.characters[0]))[0] for name in names], asked.sheet, asked.recordings)
        print(asked.sheet)


if __name__ == "__main__":
    main()

"""The built-in clips: a table of how physical they are, judged by the audit, and a sheet of filmstrips.

    python -m poise.experiments.library_table [CLIP ...] [--character NAME] [--sheet PICTURE [--recordings FOLDER]]

Forces and torques are scaled to a body of 70 kg; "fine" is the unexplained force after resampling four times finer,
"torque" the largest joint torque as a share of its limit. With a folder of recordings, each strip has one of the same
action below it, for looking only.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise.character import Character
from poise.character.load import load_character
from poise.experiments.physical_table import WEIGHT, between_frames, flight_error
from poise.export.sheet import contact_sheet, save_sheet
from poise.judge.audit import audit
from poise.judge.overlap import overlap
from poise.motion.check import penetration, skating
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.physical import library

COLUMNS = ("s", "N rms", "worst", "N m rms", "fine", "cm/s", "mm", "m/s²", "peak", "limit°", "torque", "overlap",
           "CPU s")  # fmt: skip
HEAD = f"{'':<10}" + "".join(f"{column:>8}" for column in COLUMNS)
# a recording of the same action, and the part of it to show [s]
PEOPLE = {
    "walk": ("02_01", 0.0, 2.4), "run": ("09_01", 0.0, 1.2), "march": ("91_19", 0.0, 2.4), "turn": ("16_17", 0.4, 3.6),
    "sneak": ("120_08", 0.0, 4.0), "backward": ("136_25", 0.0, 2.6), "squat": ("22_14", 0.0, 2.4),
    "jump": ("16_05", 0.3, 2.3), "hop": ("132_23", 0.0, 1.0), "punch": ("02_05", 0.6, 2.4),
    "kick": ("144_05", 0.8, 3.2), "lift": ("26_10", 0.2, 3.4), "swing": ("43_02", 2.0, 4.3),
}  # fmt: skip


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
    peak: float  # [body weights]
    limit: float  # [rad] beyond a joint's range
    effort: float  # largest torque, as a share of its limit
    overlap: float  # [m] of limbs with each other
    cpu: float  # [s]

    def text(self) -> str:
        """One line of the table."""
        values = (self.duration, self.force, self.worst, self.torque, self.fine, 100 * self.skating, 1000 * self.depth,
                  self.flight, self.peak, np.degrees(self.limit), self.effort, 1000 * self.overlap,
                  self.cpu)  # fmt: skip
        return f"{self.name:<10}" + "".join(f"{value:8.2f}" for value in values)


def measure(clip: Clip, cpu: float = 0.0) -> Row:
    """A clip as the audit sees it."""
    report, limit = audit(clip), clip.character.torque_limit
    k, known = WEIGHT / report.weight, limit > 0.0
    push = float(np.linalg.norm(report.series["ground_force"], axis=1).max()) / report.weight
    effort = np.abs(report.series["joint_torque"][:, known]) / limit[known]
    return Row(
        clip.name, clip.duration, k * report.unexplained_force_rms, k * report.unexplained_force_max.value,
        k * report.unexplained_torque_rms, k * between_frames(clip), skating(clip), penetration(clip),
        flight_error(clip), push, max(0.0, report.joint_limit_violation.value), float(effort.max(initial=0.0)),
        overlap(clip).depth, cpu,
    )  # fmt: skip


def made(name: str, character: Character) -> tuple[Clip, float]:
    """A built-in clip, and the CPU time [s] that its making took."""
    begun = time.process_time()
    clip = library.make(name, character)
    return clip, time.process_time() - begun


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
    parser.add_argument("--character", default="human42")
    parser.add_argument("--sheet", type=Path)
    parser.add_argument("--recordings", type=Path)
    asked = parser.parse_args(arguments)
    character, clips = load_character(asked.character), []
    print(HEAD)
    for name in asked.clips or library.names():
        clip, cpu = made(name, character)
        clips.append(clip)
        print(measure(clip, cpu).text(), flush=True)
    if asked.sheet is not None:
        draw(clips, asked.sheet, asked.recordings)
        print(asked.sheet)


if __name__ == "__main__":
    main()

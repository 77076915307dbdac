"""Servos alone on recordings: how long each stays up, beside the recording itself.

python -m poise.experiments.servos FOLDER [SHEET.png]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from poise.errors import PoiseError
from poise.experiments.retargeting import recordings
from poise.export.sheet import contact_sheet, save_sheet
from poise.judge.audit import audit
from poise.motion.load import load_clip
from poise.performance import perform
from poise.take import Take

SECONDS = 3.0  # of each clip at most


@dataclass(frozen=True, eq=False)
class Row:
    """One recording performed by `kinematic` and by `pd`."""

    name: str
    played: Take
    servoed: Take
    unexplained: float  # share of body weight that the audit of `pd` finds

    def line(self) -> str:
        """For the printed table."""
        ended = self.servoed.ended
        fell = "stays up" if ended.whole else f"{ended} at {ended.time:.2f} s"
        joints = self.servoed.tracking_error().joints
        return (f"{self.name:28s} {self.servoed.time[-1]:5.2f} s   {fell:18s} joint error {joints:5.2f} rad   "
                f"unexplained {100 * self.unexplained:.3f} % of body weight")  # fmt: skip


def rows(folder: Path) -> Iterator[Row | str]:
    """Every recording of a folder; a sentence for one that cannot begin."""
    for path in recordings(folder):
        clip = load_clip(path)
        seconds = min(SECONDS, clip.duration)
        try:
            played, servoed = (perform(clip, m, seconds=seconds) for m in ("kinematic", "pd"))
        except PoiseError as error:
            yield f"{clip.name:28s} {error}"
            continue
        yield Row(clip.name, played, servoed, audit(servoed).unexplained_force_share)


def main(folder: str, sheet: str = "") -> None:
    """Print the table; draw the sheet where a path is given."""
    found: list[Row] = []
    for row in rows(Path(folder)):
        print(row if isinstance(row, str) else row.line(), flush=True)
        found += [row] if isinstance(row, Row) else []
    fell = sum(not r.servoed.ended.whole for r in found)
    print(f"{fell} of {len(found)} fall within {SECONDS:g} s")
    if sheet:
        pairs = [(r.played.as_clip(), r.servoed.as_clip()) for r in found]
        title = "kinematic above, servos alone (pd) below"
        picture = contact_sheet(pairs, [r.name for r in found], 3, width=1700, frames=6, row_height=110, title=title)
        save_sheet(picture, sheet, pairs, colours=32)


if __name__ == "__main__":
    main(*sys.argv[1:3])

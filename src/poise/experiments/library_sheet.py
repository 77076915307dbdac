"""The built-in gaits beside recordings of the same action, for the eye: timing, foot roll, arms, knees, pelvis.

    python -m poise.experiments.library_sheet FOLDER_OF_RECORDINGS OUT.png

Each strip shows the recording above and the built-in clip below, at the same times.
"""

from __future__ import annotations

import sys
from pathlib import Path

from poise.character.load import load_character
from poise.errors import BadValue
from poise.export.sheet import contact_sheet, save_sheet
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.physical import library
from poise.progress import Bar

BODY = "human57"  # with toes, as the recorded people have
PAIRS = {  # built-in clip: recording, from, to [s]
    "walk": ("02_01", 0.67, 2.8),
    "run": ("09_01", 0.17, 1.2),
    "march": ("91_19", 0.5, 2.9),
    "sneak": ("120_08", 0.5, 3.2),
    "backward": ("136_25", 0.5, 3.4),
    "turn": ("16_17", 0.0, 3.8),
}


def pair(name: str, folder: Path, body: str = BODY) -> tuple[Clip, Clip]:
    """A stretch of the recording, and the built-in clip for as long."""
    stem, start, end = PAIRS[name]
    found = sorted(folder.rglob(f"{stem}*.bvh"))
    if not found:
        raise BadValue(f"There is no recording {stem} under {folder}.")
    recorded = load_clip(found[0]).cut(start, end)
    own = library.make(name, load_character(body))
    times = max(1, round(recorded.duration / own.duration + 0.49))
    return recorded, own.repeat(times).cut(0.0, recorded.duration)


def draw(folder: Path, out: Path) -> None:
    """Write the sheet."""
    bar = Bar("drawing", len(PAIRS))
    pairs = [pair(name, folder) for name in PAIRS]
    labels = [
        f"{name}: recorded {recorded.name} above, built in below"
        for name, (recorded, _) in zip(PAIRS, pairs, strict=True)
    ]
    sheet = contact_sheet(pairs, labels, 1, width=1500, frames=15, row_height=170, title="built-in gaits",
                          progress=lambda *_: bar.step())  # fmt: skip
    save_sheet(sheet, out, pairs, colours=40)
    bar.close()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit("Give the folder of the recordings and the picture to write.")
    draw(Path(sys.argv[1]), Path(sys.argv[2]))
    print(sys.argv[2])

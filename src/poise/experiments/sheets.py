"""Contact sheets of what is looked at: every recording as it is read, and beside it on built-in bodies.

python -m poise.experiments.sheets FOLDER_OF_RECORDINGS OUT_FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

from poise.character.load import load_character
from poise.experiments.retargeting import recordings
from poise.export.sheet import contact_sheet, save_sheet
from poise.motion.load import load_clip
from poise.progress import Bar

BODIES = ("human42", "human57")


def draw(folder: Path, out: Path) -> list[Path]:
    """Write `imported.png` and one `retargeted-<body>.png` per body; the files written."""
    clips = [load_clip(p) for p in recordings(folder)]
    labels = [f"{c.name}   {c.character.height:.2f} m, {c.duration:.1f} s at {c.fps:.0f} fps" for c in clips]
    bar = Bar("drawing", (1 + len(BODIES)) * len(clips))
    written = [out / "imported.png"]
    sheet = contact_sheet(clips, labels, progress=lambda *_: bar.step(), title="recordings as they are read")
    save_sheet(sheet, written[0], clips, colours=40)
    for body in BODIES:
        character = load_character(body)
        pairs = [(c, c.retarget(character)) for c in clips]
        names = [c.name for c in clips]
        title = f"recordings above, the same on {body} below"
        sheet = contact_sheet(pairs, names, 3, width=1700, frames=6, row_height=110, title=title,
                              progress=lambda *_: bar.step())  # fmt: skip
        written.append(out / f"retargeted-{body}.png")
        save_sheet(sheet, written[-1], pairs, colours=32)
    bar.close()
    return written


if __name__ == "__main__":
    for path in draw(Path(sys.argv[1]), Path(sys.argv[2])):
        print(path)

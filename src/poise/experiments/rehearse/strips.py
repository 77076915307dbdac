"""Ten of the hardest clips as filmstrips beside their recordings: what numbers do not show."""

from __future__ import annotations

import numpy as np
from PIL import Image

from poise.errors import BadValue
from poise.experiments.reproduce import Options, Table, told
from poise.export.filmstrip import filmstrip
from poise.methods.rehearse import Plan
from poise.motion.load import load_clip
from poise.rehearsal.judged import performed
from poise.rehearsal.passes import rehearse
from poise.rehearsal.saving import load

HARDEST = ("09_01", "16_03", "132_23", "144_05", "120_05", "135_06", "22_14", "43_02", "90_02", "humanoid3d_cartwheel")
SHEET = "rehearsed.png"


def run(options: Options) -> Table:
    """One strip each, the take above and the recording below, and all of them on one sheet in the folder `--out`.

    Plans of seed 0 that `rehearse/clips --out FOLDER` wrote into the same folder are used as they are.
    """
    if options.out is None:
        raise BadValue("rehearse/strips draws pictures: give a folder for them with --out.")
    rows, pictures = [], []
    for name in HARDEST:
        path = options.recording(name)
        if path is None or not options.wants(name):
            continue
        kept = options.out / f"{path.stem}-0.rehearsed.npz"
        plan = load(kept) if kept.is_file() else rehearse(load_clip(path))
        take = performed(plan)
        pictures.append(_strip(plan, f"{path.stem}: {take.ended}"))
        rows.append(told((path.stem, str(take.ended), round(take.ended.time, 2), bool(take.followed()))))
    drawn = ()
    if pictures:
        _sheet(pictures).save(options.out / SHEET)
        drawn = (str(options.out / SHEET),)
    return Table("Hard clips beside their recordings", ("clip", "ended", "at s", "followed"), tuple(rows), (), drawn)


def _strip(plan: Plan, title: str) -> Image.Image:
    """A take above, the recording for the same time below."""
    take = performed(plan)
    shown = take.as_clip()
    own = plan.reference()
    q = np.stack([own.sample(float(t)).q for t in take.time])
    return filmstrip(
        [shown, shown.with_q(q)], labels=("rehearsed", "recording"), title=title, width=1100, row_height=150
    )


def _sheet(pictures: list[Image.Image]) -> Image.Image:
    """Pictures in two columns."""
    wide, gap = max(p.width for p in pictures), 12
    half = -(-len(pictures) // 2)
    columns = [pictures[:half], pictures[half:]]
    tall = max(sum(p.height + gap for p in c) for c in columns)
    out = Image.new("RGB", (2 * wide + gap, tall), "white")
    for k, column in enumerate(columns):
        y = 0
        for p in column:
            out.paste(p, (k * (wide + gap), y))
            y += p.height + gap
    return out

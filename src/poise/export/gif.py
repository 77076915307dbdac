"""GIF: a small moving picture that plays in any page and mail; no package and no OpenGL needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike

import numpy as np
from PIL import Image

from poise.export import ink
from poise.export.happened import Happened
from poise.export.props import Props
from poise.export.video import Shot, frames
from poise.files import writing
from poise.motion.clip import Clip

_FPS = 12.5  # a GIF counts in hundredths of a second


def save(
    clip: Clip | Sequence[Clip],
    path: str | PathLike[str],
    *,
    width: int = 480,
    height: int = 270,
    seconds: float | None = None,
    colours: int = 128,
    ghost: Clip | None = None,
    props: Props | None = None,
    happened: Happened | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Write a clip as a GIF that goes round for ever; source and licence stand in its comment.

    `seconds` is the length (default: that of the longest clip), `colours` how many it has at most (2 to 256), the other
    options are those of a film (`poise.export.video.save`).
    """
    clips = [clip] if isinstance(clip, Clip) else list(clip)
    shot = Shot(width=width, height=height, fps=_FPS)
    pictures = list(frames(clips, shot, seconds=seconds, ghost=ghost, props=props, happened=happened,
                           progress=progress))  # fmt: skip
    table = _palette(pictures, colours)
    few = [p.convert("RGB").quantize(palette=table, dither=Image.Dither.NONE) for p in pictures]
    about = ink.facts(clips)
    comment = "\n".join(f"{key}: {value}" for key, value in about.items() if value)
    with writing(path) as temporary:
        few[0].save(temporary, format="GIF", save_all=True, append_images=few[1:], duration=round(1000 / _FPS), loop=0,
                    optimize=False, comment=comment.encode("utf-8", "replace"))  # fmt: skip


def _palette(pictures: Sequence[Image.Image], colours: int) -> Image.Image:
    """One table of colours for all pictures, so that nothing flickers: greys of floor and sky, and those of figures."""
    count = max(4, min(colours, 256))
    some = pictures[:: max(1, len(pictures) // 6)][:6]
    pixels = np.concatenate([np.asarray(p.convert("RGB")).reshape(-1, 3) for p in some])
    bright = pixels[np.ptp(pixels.astype(int), axis=1) > 24]
    greys = np.repeat(np.linspace(20, 255, count // 2).round().astype(np.uint8)[:, None], 3, axis=1)
    found: list[int] = []
    if len(bright):
        row = Image.fromarray(np.ascontiguousarray(bright[None]))
        rest = count - len(greys)
        found = (row.quantize(rest, method=Image.Quantize.MAXCOVERAGE).getpalette() or [])[: 3 * rest]
    table = Image.new("P", (1, 1))
    table.putpalette([*greys.reshape(-1).tolist(), *found])
    return table

"""Text and marks on pictures: fonts, dots with smooth edges, and pictures as compact PNG files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from os import PathLike

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

from poise.files import writing
from poise.maths.rotations import Array
from poise.motion.clip import Clip

DARK = (40, 44, 52)
GREY = (120, 126, 136)
TOUCH = (18, 150, 84)
"""Colour of contact marks."""
PUSH = (214, 110, 10)
"""Colour of pushes."""


@lru_cache(maxsize=32)
def font(size: float) -> ImageFont.ImageFont | ImageFont.FreeTypeFont:
    """A clean sans serif of this height in pixels."""
    return ImageFont.load_default(size)


Colour = tuple[int, int, int]


def text(picture: Image.Image, place: tuple[float, float], words: str, size: float, *, colour: Colour = DARK,
         anchor: str = "la") -> None:  # fmt: skip
    """Write words at a place; the anchor is Pillow's ("la": left, top; "mm": middle)."""
    ImageDraw.Draw(picture).text(place, words, fill=colour, font=font(size), anchor=anchor)


def wrapped(words: str, size: float, wide: float) -> list[str]:
    """Lines of words of this size that are at most so many pixels wide, as far as single words are."""
    out: list[str] = []
    for word in words.split(" ") if words else []:
        longer = f"{out[-1]} {word}" if out else word
        if out and font(size).getlength(longer) <= wide:
            out[-1] = longer
        else:
            out.append(word)
    return out


def dots(picture: Image.Image, places: Array, radius: float) -> None:
    """Discs with a white rim at places (P, 2) in pixels."""
    fine = 8
    half = int(np.ceil(radius)) + 2
    for x, y in places:
        left, top = int(np.floor(x)) - half, int(np.floor(y)) - half
        cx, cy = (x - left) * fine, (y - top) * fine
        for r, paint in ((radius, (255, 255, 255)), (0.72 * radius, TOUCH)):
            mask = Image.new("L", (2 * half * fine, 2 * half * fine), 0)
            ImageDraw.Draw(mask).ellipse([cx - r * fine, cy - r * fine, cx + r * fine, cy + r * fine], fill=255)
            mask = mask.resize((2 * half, 2 * half), Image.Resampling.BOX)
            picture.paste(paint, (left, top), mask)


def arrow(picture: Image.Image, tail: Array, tip: Array, size: float, words: str = "") -> None:
    """An arrow from tail to tip (2,) in pixels, with words at its tail; `size` is the height of these in pixels."""
    fine, draw = 4, ImageDraw.Draw(picture)
    way = (tip - tail) / max(float(np.linalg.norm(tip - tail)), 1e-9)
    side, head = np.array([-way[1], way[0]]), 0.9 * size
    neck, half = tip - head * way, 0.13 * size
    outline = [tail + half * side, neck + half * side, neck + 0.45 * head * side, tip, neck - 0.45 * head * side,
               neck - half * side, tail - half * side]  # fmt: skip
    corner = np.floor(np.min(outline, axis=0)) - 2
    wide, high = (int(x) for x in np.ceil(np.max(outline, axis=0)) + 2 - corner)
    mask = Image.new("L", (wide * fine, high * fine), 0)
    ImageDraw.Draw(mask).polygon([tuple((p - corner) * fine) for p in outline], fill=255)
    picture.paste(PUSH, (int(corner[0]), int(corner[1])), mask.resize((wide, high), Image.Resampling.BOX))
    if words:
        long = font(size).getlength(words)
        x = float(np.clip(tail[0], 0.5 * long + 2, picture.width - 0.5 * long - 2))
        draw.text((x, tail[1] - 0.35 * size), words, fill=PUSH, font=font(size), anchor="mb", stroke_width=2,
                  stroke_fill=(255, 255, 255))  # fmt: skip


def facts(clips: Sequence[Clip]) -> dict[str, str]:
    """What a picture tells of its sources: title, source and terms of use."""
    unique = lambda words: "; ".join(dict.fromkeys(w for w in words if w))  # noqa: E731
    return {
        "Title": unique(c.source.name for c in clips),
        "Source": unique(re.split(r"[/\\]", c.source.path)[-1] for c in clips),
        "Copyright": unique(c.source.licence for c in clips),
        "Licence": "\n\n".join(dict.fromkeys(c.source.licence_text for c in clips if c.source.licence_text)),
        "Software": "poise",
    }


def write_png(picture: Image.Image, path: str | PathLike[str], about: dict[str, str], *, colours: int = 0) -> None:
    """Write a picture as PNG, whole or not at all; with `colours` it is reduced to so many, for a small file."""
    info = PngInfo()
    for key, value in about.items():
        if value:
            long = len(value) > 1000  # a whole licence is packed
            info.add_itxt(key, value, zip=long) if not value.isascii() else info.add_text(key, value, zip=long)
    if colours:
        picture = _few_colours(picture, colours)
    with writing(path) as temporary:
        picture.save(temporary, format="PNG", optimize=True, pnginfo=info)


def _few_colours(picture: Image.Image, count: int) -> Image.Image:
    """The picture in so many colours at most; those of text and marks are kept, however few pixels have them."""
    kept = np.array([(255, 255, 255), DARK, GREY, TOUCH, PUSH], np.uint8)
    found = picture.quantize(max(1, min(count, 256) - len(kept)), method=Image.Quantize.MEDIANCUT).getpalette() or []
    table = Image.new("P", (1, 1))
    table.putpalette([*kept.reshape(-1).tolist(), *found[: 3 * (256 - len(kept))]])
    index = np.array(picture.quantize(palette=table, dither=Image.Dither.NONE))
    for k, colour in enumerate(kept):  # Pillow takes a near colour where an equal one stands in the table
        index[(np.asarray(picture) == colour).all(2)] = k
    few = Image.fromarray(index, mode="P")
    few.putpalette(table.getpalette() or [])
    return few

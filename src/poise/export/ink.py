"""Text and marks on pictures: fonts, dots with smooth edges, and pictures as compact PNG files."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

from poise.maths.rotations import Array

DARK = (40, 44, 52)
GREY = (120, 126, 136)
TOUCH = (18, 150, 84)
"""Colour of contact marks."""


@lru_cache(maxsize=32)
def font(size: float) -> ImageFont.ImageFont | ImageFont.FreeTypeFont:
    """A clean sans serif of this height in pixels."""
    return ImageFont.load_default(size)


Colour = tuple[int, int, int]


def text(picture: Image.Image, place: tuple[float, float], words: str, size: float, *, colour: Colour = DARK,
         anchor: str = "la") -> None:  # fmt: skip
    """Write words at a place; the anchor is Pillow's ("la": left, top; "mm": middle)."""
    ImageDraw.Draw(picture).text(place, words, fill=colour, font=font(size), anchor=anchor)


def dots(picture: Image.Image, places: Array, radius: float, colour: Colour = TOUCH) -> None:
    """Discs with a white rim at places (P, 2) in pixels."""
    fine = 8
    half = int(np.ceil(radius)) + 2
    for x, y in places:
        left, top = int(np.floor(x)) - half, int(np.floor(y)) - half
        cx, cy = (x - left) * fine, (y - top) * fine
        for r, paint in ((radius, (255, 255, 255)), (0.72 * radius, colour)):
            mask = Image.new("L", (2 * half * fine, 2 * half * fine), 0)
            ImageDraw.Draw(mask).ellipse([cx - r * fine, cy - r * fine, cx + r * fine, cy + r * fine], fill=255)
            mask = mask.resize((2 * half, 2 * half), Image.Resampling.BOX)
            picture.paste(paint, (left, top), mask)


def png_facts(facts: dict[str, str]) -> PngInfo:
    """Text that travels inside a PNG file; empty facts are left out."""
    info = PngInfo()
    for key, value in facts.items():
        if value:
            info.add_text(key, value)
    return info

"""Contact sheets: many small filmstrips in one picture, in a file small enough for a repository."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from os import PathLike

from PIL import Image

from poise.errors import BadValue
from poise.export import ink
from poise.export.filmstrip import filmstrip
from poise.motion.clip import Clip

_GAP = 14  # pixels between strips


def contact_sheet(
    clips: Iterable[Clip | Sequence[Clip]],
    labels: Sequence[str] | None = None,
    columns: int = 2,
    *,
    width: int = 1600,
    frames: int = 7,
    row_height: int = 170,
    title: str = "",
    progress: Callable[[int, int], None] | None = None,
    **options: object,
) -> Image.Image:
    """Filmstrips of many clips, `columns` side by side, each under its label.

    An entry may be several clips (a source and its results), which are stacked in its place. `progress`, where given,
    is called with the number of strips done and of all. Further options are those of `filmstrip`.
    """
    entries = [[e] if isinstance(e, Clip) else list(e) for e in clips]
    names = [e[0].name or e[0].character.name for e in entries] if labels is None else [str(x) for x in labels]
    if not entries or columns < 1:
        raise BadValue("A contact sheet needs at least one clip and one column.")
    if len(names) != len(entries):
        raise BadValue(f"{len(entries)} strips need as many labels, not {len(names)}.")
    wide = width // columns - _GAP
    strips = []
    for n, (entry, name) in enumerate(zip(entries, names, strict=True)):
        own = {"labels": [""] * len(entry), **options}
        strips.append(filmstrip(entry, frames=frames, width=wide, row_height=row_height, title=name, **own))  # type: ignore[arg-type]
        if progress is not None:
            progress(n + 1, len(entries))
    return _lay_out(strips, columns, title)


def save_sheet(picture: Image.Image, path: str | PathLike[str], clips: Iterable[Clip | Sequence[Clip]] = (), *,
               colours: int = 48) -> None:  # fmt: skip
    """Write a contact sheet as a small PNG of few colours; sources and licences of `clips` travel in the file."""
    flat = [c for e in clips for c in ([e] if isinstance(e, Clip) else e)]
    ink.write_png(picture, path, ink.facts(flat), colours=colours)


def _lay_out(strips: list[Image.Image], columns: int, title: str) -> Image.Image:
    """Strips in rows of so many columns; each row and column is as large as its largest strip."""
    rows = [strips[k : k + columns] for k in range(0, len(strips), columns)]
    wide = [max(s.width for s in strips[k::columns]) + _GAP for k in range(min(columns, len(strips)))]
    head = 40 if title else 0
    height = head + sum(max(s.height for s in row) + _GAP for row in rows)
    sheet = Image.new("RGB", (sum(wide), height), (255, 255, 255))
    if title:
        ink.text(sheet, (8, 10), title, 20)
    y = head
    for row in rows:
        for k, strip in enumerate(row):
            sheet.paste(strip, (sum(wide[:k]), y))
        y += max(s.height for s in row) + _GAP
    return sheet

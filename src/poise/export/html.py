"""HTML: a recording in one file that plays in any browser, offline, with a timeline to scrub and findings that jump."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path

from poise import files
from poise._version import __version__
from poise.errors import BadValue
from poise.export.happened import Happened
from poise.export.page import Page
from poise.export.props import Props
from poise.motion.clip import Clip

_UPDATES = 120_000  # poses of bodies in one file: more make it slow to load
_HERE = Path(__file__).parent


def save(
    clip: Clip,
    path: str | PathLike[str],
    *,
    fps: float | None = None,
    beside: Clip | Sequence[Clip] = (),
    apart: float = 0.0,
    contacts: bool = True,
    props: Props | None = None,
    verdict: str = "",
    happened: Happened | None = None,
    notes: Sequence[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Write a clip as a page that plays.

    `fps`: pictures a second (as many as the clip has, at most 60, fewer where the file would grow large). `beside`:
    other clips shown pale with it, over the same time; `apart` [m] puts each so far to the left of the one before.
    `contacts` marks the contact points while they touch. `props`, `verdict` and `happened` are those of the take that
    the clip came from; with the last the page shows forces, pushes, the reference and what was found. `notes` are
    told in its list, such as which edits were done. `progress(done, all)` is called when the page is made.
    """
    others = (beside,) if isinstance(beside, Clip) else tuple(beside)
    text = page(clip, fps=fps, beside=others, apart=apart, contacts=contacts, props=props, verdict=verdict,
                happened=happened, notes=notes)  # fmt: skip
    if progress is not None:
        progress(1, 1)
    with files.writing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def page(clip: Clip, *, fps: float | None = None, beside: Sequence[Clip] = (), apart: float = 0.0,
         contacts: bool = True, props: Props | None = None, verdict: str = "", happened: Happened | None = None,
         notes: Sequence[str] = ()) -> str:  # fmt: skip
    """The text of the page."""
    if happened is not None and not beside:
        beside = (happened.reference,)
    made = Page(clip, _rate((clip, *beside), fps), contacts=contacts)
    made.ground(props)
    for k, other in enumerate(beside):
        made.ghost(other, (k + 1) * apart)
    if props is not None:
        made.things(props)
    if happened is not None:
        made.told(happened)
    about = made.about | _words(clip, verdict, notes, made.about["marks"])
    text = (_HERE / "player.html").read_text(encoding="utf-8")
    # one thing at a time, each whole: a name of a file may hold any text
    for spot, content in (("HEAD", _head(clip, verdict)), ("ABOUT", _safe(about)), ("DATA", made.packed()),
                          ("SCRIPT", (_HERE / "player.js").read_text(encoding="utf-8"))):  # fmt: skip
        before, _, after = text.rpartition(f"<!--{spot}-->")
        text = before + content + after
    return text


def _rate(clips: Sequence[Clip], fps: float | None) -> float:
    """Pictures a second: what was asked, or as many as the clips have while the file stays small."""
    if fps is not None:
        if not 0 < fps <= 240:
            raise BadValue(f"Pictures a second must be between 0 and 240, not {fps}.")
        return float(fps)
    seconds = max(1e-9, max(c.duration for c in clips))
    moving = sum(c.character.model.nbody - 1 for c in clips)
    return float(max(10.0, min(60.0, max(c.fps for c in clips), _UPDATES / (moving * seconds))))


def _words(clip: Clip, verdict: str, notes: Sequence[str], marks: list[dict]) -> dict:
    """Title, lines below it, terms of use, and the list of what happened."""
    name = clip.name or clip.character.name
    lines = [verdict.partition(": ")[2]] if verdict else []
    lines.append(f"{clip.character.name}, {clip.duration:.2f} s at {clip.fps:.4g} frames a second")
    told = [{"time": None, "kind": "note", "text": str(note)} for note in notes]
    title = verdict.partition(":")[0] if verdict else name
    return {"title": title, "lines": lines, "terms": clip.source.licence, "marks": told + marks}


def _safe(about: dict) -> str:
    """JSON that may stand in a script of a page, whatever names are in it."""
    return json.dumps(about, separators=(",", ":")).replace("<", "\\u003c")


def _head(clip: Clip, verdict: str) -> str:
    """Title; licence of the source and verdict."""
    name, terms, text = clip.name or clip.character.name, clip.source.licence, clip.source.licence_text
    facts = {"generator": f"poise {__version__}", "licence": terms, "licence-text": text, "verdict": verdict}
    head = f"<title>{html.escape(name)} - poise</title>"
    return head + "".join(
        f'<meta name="{key}" content="{html.escape(fact, quote=True)}">' for key, fact in facts.items() if fact
    )

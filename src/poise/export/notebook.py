"""How values look in a notebook: a small table, with a picture where there is one."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from poise.character.character import Character
from poise.export.filmstrip import filmstrip
from poise.motion.clip import Clip

if TYPE_CHECKING:
    from poise.judge.report import AuditReport
    from poise.take import Take


def clip_html(clip: Clip) -> str:
    """A clip: what it is, and some of its poses."""
    facts = {"clip": clip.name, "character": clip.character.name, "length": f"{clip.duration:.2f} s",
             "frames": f"{len(clip)} at {clip.fps:.4g} a second", "loops": "yes" if clip.cycle is not None else "no",
             "ground": type(clip.ground).__name__.lower(), "licence": clip.source.licence}  # fmt: skip
    return _table(facts) + _picture(filmstrip(clip, frames=6, width=720, row_height=170))


def take_html(take: Take) -> str:
    """A take: how it ended, what helped, and some of its poses."""
    from poise.export.happened import Happened
    from poise.export.props import Props
    from poise.judge.verdict import verdict
    from poise.judge.wording.verdict import error_words, headline, words

    told = verdict(take)
    facts = {"take": f"{told.clip} by {told.method}", "ended": headline(told),
             "help": "; ".join(map(words, told.helped)) or "none", "why": "; ".join(map(words, told.causes)),
             "off the clip": error_words(told.errors["own"]), "try": "; ".join(map(words, told.tries))}  # fmt: skip
    strip = filmstrip(take.as_clip(), frames=6, width=720, row_height=170, props=Props.of(take),
                      happened=Happened.of(take, audited=False))  # fmt: skip
    return _table(facts) + _picture(strip)


def character_html(character: Character) -> str:
    """A character: its size and parts, standing."""
    model = character.model
    facts = {"character": character.name, "height": f"{character.height:.2f} m", "mass": f"{character.mass:.1f} kg",
             "bodies": model.nbody - 1, "degrees of freedom": model.nv,
             "contact points": len(character.contact_points)}  # fmt: skip
    standing = Clip(character, np.tile(character.zero_pose(), (2, 1)), 1.0 / 30.0)
    return _table(facts) + _picture(filmstrip(standing, times=[0.0], width=300, row_height=260, contacts=False))


def audit_html(report: AuditReport) -> str:
    """An audit: its measures, and what was found."""
    facts = {report.kind: report.name, "physics": "explained" if report.passed else "not explained",
             **{label.strip(): value for label, value in report.rows()}}  # fmt: skip
    found = [("problem", p) for p in report.problems] + [("remark", r) for r in report.remarks]
    listed = "".join(f"<li><b>{kind}</b>: {html.escape(text)}</li>" for kind, text in found)
    return _table(facts) + (f"<ul>{listed}</ul>" if listed else "")


def _table(facts: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<tr><th style='text-align:left'>{html.escape(str(k))}</th>"
        f"<td style='text-align:left'>{html.escape(str(v))}</td></tr>"
        for k, v in facts.items()
        if v not in ("", None)
    )
    return f"<table>{rows}</table>"


def _picture(picture: Image.Image) -> str:
    data = io.BytesIO()
    picture.quantize(96).save(data, format="PNG", optimize=True)
    return f'<img src="data:image/png;base64,{base64.b64encode(data.getvalue()).decode()}">'

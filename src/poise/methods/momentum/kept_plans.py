"""Plans of clips, remembered by content: in this process, and on disk (`poise.remembered`).

A plan is found again by all that it was made from: the clip's poses and contacts, its body, the settings that shape it,
friction, and the code that makes plans. So a long recording is planned once.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from poise import remembered
from poise.errors import BadFile
from poise.methods.momentum.course import course_of
from poise.methods.momentum.plan import Plan, load_plan, make_plan, save_plan
from poise.methods.momentum.settings import Settings
from poise.motion.clip import Clip

_KEPT: dict[str, Plan] = {}
_MOST = 16  # plans in this process
_CODE = ("course", "model", "plan", "segments")  # modules of this room that make plans


@cache
def _code() -> bytes:
    return b"".join(Path(__file__).with_name(f"{name}.py").read_bytes() for name in _CODE)


def plan_of(clip: Clip, settings: Settings, friction: float) -> Plan:
    """The plan of a clip under these settings: one that is known, or a new one, which is then kept."""
    name = _name(clip, settings, friction)
    known = _KEPT.get(name)
    if known is None:
        known = _found(name)
        if known is None:
            known = make_plan(course_of(clip), settings.weights(), friction, settings.overlap, settings.has("effort"),
                              settings.has("turning"), settings.soften if settings.has("soft") else 0.0)  # fmt: skip
            made = known
            remembered.keep(name, lambda path: save_plan(made, path))
        if len(_KEPT) >= _MOST:
            _KEPT.pop(next(iter(_KEPT)))
        _KEPT[name] = known
    return known


def _name(clip: Clip, settings: Settings, friction: float) -> str:
    numbers = (clip.dt, settings.force, settings.track, settings.spin, settings.overlap, settings.has("effort"),
               settings.has("turning"), settings.has("soft"), settings.soften, friction)  # fmt: skip
    cycle = () if clip.cycle is None else (clip.cycle.turn, *clip.cycle.shift)
    words = repr((clip.character.xml, numbers, [float(x) for x in cycle], clip.ground))
    parts = (clip.q.tobytes(), clip.contacts.labels.tobytes(), words.encode(), _code())
    return remembered.key("momentum", parts)


def _found(name: str) -> Plan | None:
    """The plan that was kept on disk; None where there is none, or it cannot be read."""
    file = remembered.find(name)
    try:
        return None if file is None else load_plan(file)
    except BadFile:
        return None

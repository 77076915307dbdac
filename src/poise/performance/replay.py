"""replay: a performance again from what was asked for, to the same bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from poise.errors import BadValue
from poise.performance import encoding
from poise.performance.begin import begin
from poise.performance.show import Show
from poise.take import Call, Take
from poise.threads import on_one_thread

_SAYS = ("push", "throw", "ground", "edit", "play", "steer", "switch")


@on_one_thread
def replay(take: Take | Sequence[Call], frames: int | None = None, own: Mapping[str, Any] | None = None) -> Show:
    """The show of a take's calls, run as far as the take or for so many frames; its take has the same bits.

    `own`: methods of the user's own by "package.module:Class", which no file may name by itself.
    """
    calls = tuple(take.calls if isinstance(take, Take) else take if isinstance(take, Sequence) else ())
    if not calls or not all(isinstance(c, Call) for c in calls) or calls[0].name != "begin":
        raise BadValue("Only a performance that was begun live has its calls noted: use poise.begin, not perform.")
    frames = len(take) - 1 if frames is None and isinstance(take, Take) else frames or calls[-1].frame
    show = begin(**{k: encoding.value(v, own) for k, v in calls[0].values.items()})
    done = 0
    for call in calls[1:]:
        if call.name not in _SAYS:
            raise BadValue(f"{call.name!r} is nothing that a show can be asked for.")
        done = _go(show, done, call.frame)
        values = {k: encoding.value(v, own, show.own.character) for k, v in call.values.items()}
        getattr(show, call.name)(**values)
    _go(show, done, frames)
    return show


def _go(show: Show, done: int, frame: int) -> int:
    for _ in range(frame - done):
        show.step()
    return max(done, frame)

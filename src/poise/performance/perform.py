"""perform: the one verb. A character performs a clip by a method on a stage, and a take is what happened."""

from __future__ import annotations

from os import PathLike
from typing import Any

from poise.methods.rehearse import Plan
from poise.motion.clip import Clip
from poise.motion.reference import Reference
from poise.performance.begin import DEFAULT, length_of, made
from poise.performance.show import FRAME
from poise.progress import Bar
from poise.stage import Stage
from poise.take import Take
from poise.threads import on_one_thread


@on_one_thread
def perform(clip: Clip | Reference | Plan, method: str | Any = DEFAULT, *, stage: Stage | None = None,
            seconds: float | None = None, start: float = 0.0, noise: float = 0.0, seed: int = 0, contact: str = "soft",
            simulator: str = "mujoco", save: str | PathLike[str] | None = None, overwrite: bool | None = None,
            limp: bool = True, progress: bool = False, strict: bool = False) -> Take:  # fmt: skip
    """The take of a performance; `take.ended` says how it ended, `take.followed()` whether it did what the clip does.

    `method` is a name or a configured method. `stage` defaults to the clip's own: its ground, and the bars and loads
    in its hands. `seconds` defaults to the rest of an open clip, or to 10 s of a loop. `start` [s] is the time in the
    clip at which it begins; `noise` the standard deviation of Gaussian noise on all starting velocities [rad/s, m/s],
    from the generator `seed`. `contact` chooses the contact model of MuJoCo, "soft" or "springs"; `simulator` may
    be "dart" for methods that give torques. With `save` (an .npz) the take is streamed to disk; `overwrite` as in
    `clip.save`: a file of this name is replaced, but not the one that the clip was read from.

    With `limp` a body that has fallen lets go of its joints, and one whose method is lost is handed over to the
    simulator, where it falls. A simulation that blows up ends the take there; with `strict` it raises `BlowUp`, and a
    method that is lost `MethodLost`. Whoever interrupts it (Ctrl-C) finds the take so far in the `take` of the
    `KeyboardInterrupt`, and in the file of `save`.
    """
    if isinstance(clip, Plan) and seconds is None:
        seconds = clip.seconds
    show = made(clip, method, stage, seconds, start, noise, seed, contact, simulator, limp and not strict, True, save,
                overwrite, logs=False)  # fmt: skip
    length = length_of(show.own, seconds)
    title = f"{show.own.clip.name or 'clip'} by {show.method}"
    bar = Bar(title, round(length / FRAME)) if progress else None
    try:
        return show.run(length, bar).finish(strict)
    except (KeyboardInterrupt, SystemError) as error:
        stop = _interrupt(error)
        if stop is None:
            raise
        take = show.stop("it was interrupted")
        if take is not None:
            stop.take = take  # type: ignore[attr-defined]
        raise stop from None
    finally:
        if bar is not None:
            bar.close()


def _interrupt(error: BaseException | None) -> KeyboardInterrupt | None:
    """The interrupt behind an error: one that comes inside a compiled kernel shows as a SystemError."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__
    return error

"""Edits on the command line: what `poise convert` and `poise perform` can do to a clip before anything else."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from poise.errors import BadValue

if TYPE_CHECKING:
    from poise.motion.clip import Clip, Edit
    from poise.physical.repair.report import RepairReport


class Asked(NamedTuple):
    """An edit that can be asked for: what is written after its option, and the edit that this means."""

    help: str
    make: Callable[[Any, Any], Edit]  # of `poise.edit` and the value
    metavar: str = ""  # empty for a switch
    kind: type = float


EDITS: dict[str, Asked] = {  # done in this order
    "mirror": Asked("exchange left and right", lambda edit, _: edit.Mirror()),
    "speed": Asked("play X times as fast", lambda edit, x: edit.Warp(speed=x), "X"),
    "stride": Asked("strides X times as long", lambda edit, x: edit.Stride(scale=x), "X"),
    "slope": Asked("walk up (or, negative, down) a slope", lambda edit, x: edit.Slope(degrees=x), "DEG"),
    "stairs": Asked("walk up stairs, such as 0.15x0.3 (metres; -0.15x0.3: down)",
                    lambda edit, text: edit.Stairs(*_stairs(text)), "RISExRUN", str),
}  # fmt: skip


def add_edits(p: argparse.ArgumentParser, in_place: str) -> None:
    """The options of `edits`, and --in-place with what it means for the verb."""
    group = p.add_argument_group("edits, done in this order")
    group.add_argument("--range", metavar="FROM:TO",
                       help="keep these frames, such as 30:120, or seconds, such as 0.5s:2s; either may be "
                            "left out")  # fmt: skip
    group.add_argument("--cut", metavar="FROM:TO", help="keep this part, in seconds, such as 0.5:2.0 or 0.5:")
    group.add_argument("--loop", action="store_true", help="cut the best whole cycle and close its seam, to go on")
    group.add_argument("--repeat", type=int, metavar="N", help="play a cycle N times")
    for name, asked in EDITS.items():
        how: dict[str, Any] = (
            {"metavar": asked.metavar, "type": asked.kind} if asked.metavar else {"action": "store_true"}
        )
        group.add_argument(f"--{name}", help=asked.help, **how)
    group.add_argument("--resample", type=float, metavar="FPS", help="change the frame rate")
    group.add_argument("--in-place", action="store_true", help=in_place)


def add_repair(p: argparse.ArgumentParser) -> None:
    """The options of `repair_options`."""
    physical = p.add_argument_group("made physical, after the edits")
    physical.add_argument("--physical", action="store_true",
                          help="the nearest motion that leaves no force that the ground cannot give")  # fmt: skip
    physical.add_argument("--change", type=float, metavar="X",
                          help="how willingly postures change: 1 as usual, below 1 nearer to the original")  # fmt: skip
    physical.add_argument("--friction", type=float, metavar="X", help="of the ground (default 0.8)")
    physical.add_argument("--margin", type=float, metavar="X",
                          help="share of each foot's support left unused, from 0 to below 1 (default 0.2)")  # fmt: skip
    physical.add_argument("--keep", metavar="BODIES",
                          help="bodies that stay exactly where they are, such as left_hand,right_foot")  # fmt: skip
    physical.add_argument("--belt", action="store_true", default=None,
                          help="a motion on a treadmill stays on its belt, and is not put over ground")  # fmt: skip
    physical.add_argument("--contact", metavar="LIMB:FROM-TO", action="append", default=[],
                          help="what touches, in frames, such as left_hand:72-115; no:left:10-20 says that it does "
                               "not; may be repeated")  # fmt: skip


def edits(args: argparse.Namespace, loops_stay: bool = False) -> list[Callable[[Clip], Clip]]:
    """What the arguments ask for, in order; numbers without a meaning are refused here, before a file is read.

    With `loops_stay` a clip that is a cycle already is left as it is by --loop.
    """
    from poise.motion import edit
    from poise.motion.resample import resample

    out: list[Callable[[Clip], Clip]] = []
    if args.range is not None:
        bounds = _range(args.range)
        out.append(lambda clip: clip.cut(_seconds(clip, bounds[0]) or 0.0, _seconds(clip, bounds[1])))
    if args.cut is not None:
        start, end = _interval(args.cut)
        out.append(lambda clip: clip.cut(start, end))
    if args.loop:
        out.append(lambda clip: clip if clip.cycle is not None and loops_stay else clip.loop())
    if args.repeat is not None:
        if args.repeat < 1:
            raise BadValue(f"--repeat wants 1 or more, not {args.repeat}.")
        out.append(lambda clip: _repeated(clip, args.repeat))
    asked = {name: getattr(args, name) for name in EDITS}
    values = [EDITS[name].make(edit, x) for name, x in asked.items() if x is not None and x is not False]
    out += [value.apply for value in values]
    if args.resample is not None:
        if not 1.0 <= args.resample <= 10000.0:
            raise BadValue(f"--resample wants 1 to 10000 frames per second, not {args.resample:g}.")
        out.append(lambda clip: resample(clip, args.resample))
    return out


def told(args: argparse.Namespace) -> list[str]:
    """The edits that were asked for, each as it was written; for the list of a page."""
    names = ("range", "cut", "loop", "repeat", *EDITS, "resample", "in_place", "physical")
    given = {name: getattr(args, name, None) for name in names}
    return [f"edited: --{name.replace('_', '-')}" + ("" if x is True else f" {x}")
            for name, x in given.items() if x is not None and x is not False]  # fmt: skip


def repair_options(args: argparse.Namespace) -> dict[str, Any]:
    """What is asked of the repair; refused where no repair is asked for."""
    names = ("change", "friction", "margin", "keep", "belt")
    given = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    if not args.physical:
        if given:
            raise BadValue(f"--{next(iter(given))} belongs to --physical: give that too.")
        return {}
    if "keep" in given:
        given["keep"] = [name.strip() for name in given["keep"].split(",") if name.strip()]
    return given


def touched(args: argparse.Namespace, clip: Clip) -> Clip:
    """The clip with the contacts that were told with --contact."""
    for words in args.contact:
        clip = clip.with_contact(*contact_frames(words))
    return clip


def contact_frames(words: str) -> tuple[str, int, int, bool]:
    """Name, first and last frame and whether it touches, from words such as "left_hand:72-115" or "no:left:10-20"."""
    touching = not words.startswith("no:")
    name, _, span = words.removeprefix("no:").rpartition(":")
    first, _, last = span.partition("-")
    if not (name and first.isdecimal() and last.isdecimal()):
        raise BadValue(f"--contact is told as LIMB:FROM-TO in frames, such as left_hand:72-115, not {words!r}.")
    return name, int(first), int(last), touching


def repaired(clip: Clip, options: dict[str, Any]) -> tuple[Clip, RepairReport]:
    """The clip made physical, with a bar."""
    from poise.physical.repair.repair import repair
    from poise.progress import Bar

    bar = Bar(f"making {clip.name or 'it'} physical", len(clip))
    try:
        out = repair(clip, progress=bar.reach, **options)
        bar.reach(len(out.clip), len(out.clip))
    finally:
        bar.close()
    return out.clip, out.report


def _repeated(clip: Clip, count: int) -> Clip:
    if clip.cycle is None:
        raise BadValue("--repeat plays a cycle again, and this motion is not one: give --loop too.")
    return clip.repeat(count)


def _interval(text: str) -> tuple[float, float | None]:
    """0.5:2.0 is from 0.5 s to 2 s; either may be left out."""
    try:
        a, b = text.split(":")
        start, end = float(a or 0.0), float(b) if b else None
        if math.isfinite(start) and (end is None or math.isfinite(end)):
            return start, end
    except ValueError:
        pass  # falls through to the sentence below
    raise BadValue(f"--cut wants FROM:TO in seconds, such as 0.5:2.0, not {text!r}.")


_BOUND = re.compile(r"(?P<frame>\d+)|(?P<seconds>\d+\.\d*|\.\d+|\d+(?=s))s?|")


def _range(text: str) -> list[tuple[str, float] | None]:
    """Two bounds, each in frames or seconds: 30:120, 0.5s:2s, 0.5:2.0; None where one is left out."""
    parts = [_BOUND.fullmatch(part.strip()) for part in text.split(":")]
    if len(parts) != 2 or None in parts:
        raise BadValue(f"--range wants FROM:TO, in frames such as 30:120 or in seconds such as 0.5s:2s, not {text!r}.")
    given = [(m.lastgroup, float(m[m.lastgroup])) if m is not None and m.lastgroup else None for m in parts]
    return given  # type: ignore[return-value]


def _seconds(clip: Clip, bound: tuple[str, float] | None) -> float | None:
    """The time [s] of a bound in a clip; None where there is none."""
    if bound is None:
        return None
    kind, value = bound
    return value if kind == "seconds" else value * clip.dt


def _stairs(text: str) -> tuple[float, float]:
    try:
        rise, run_ = text.lower().split("x")
        return float(rise), float(run_)
    except ValueError:
        raise BadValue(f"--stairs wants RISExRUN in metres, such as 0.15x0.3, not {text!r}.") from None

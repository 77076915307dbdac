"""`poise convert`: from one file format to another, with edits on the way."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from poise.cli import saving
from poise.cli.process import say
from poise.cli.source import add_source, load
from poise.errors import BadValue
from poise.extras import need
from poise.progress import working

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


def arguments(p: argparse.ArgumentParser) -> None:
    p.add_argument("source", metavar="IN", help="a motion file (.bvh .amc .fbx .txt .npz .toml) or a built-in name")
    p.add_argument(
        "target", metavar="OUT", help="where to write it: .bvh .glb .usda .npz .html .mp4 or .png (a filmstrip)"
    )
    edits = p.add_argument_group("edits, done in this order")
    edits.add_argument("--cut", metavar="FROM:TO", help="keep this part, in seconds, such as 0.5:2.0 or 0.5:")
    edits.add_argument("--loop", action="store_true", help="cut the best whole cycle and close its seam")
    edits.add_argument("--repeat", type=int, metavar="N", help="play a cycle N times")
    for name, asked in EDITS.items():
        how: dict[str, Any] = (
            {"metavar": asked.metavar, "type": asked.kind} if asked.metavar else {"action": "store_true"}
        )
        edits.add_argument(f"--{name}", help=asked.help, **how)
    edits.add_argument("--resample", type=float, metavar="FPS", help="change the frame rate")
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
    physical.add_argument("--report", metavar="FILE.png", help="a picture of what was repaired, before and after")
    p.add_argument("--level", action="store_true", help="keep the levelled floor at height zero in the written file")
    saving.add_force(p)
    add_source(p)


def run(args: argparse.Namespace) -> int:
    saving.check(args.target, force=args.force)  # before any work is done
    options = repair_options(args)
    changes = edits(args)
    clip = load(args, args.source)
    if args.repeat is not None and clip.cycle is None and not args.loop:
        raise BadValue("--repeat plays a cycle again, and this motion is not one: give --loop too.")
    with working("editing"):
        for change in changes:
            clip = change(clip)
    report = None
    if args.physical:
        clip, report = _repaired(clip, options)
    written = saving.save(clip, args.target, level=args.level, force=args.force)
    if report is not None and args.report is not None:
        with working(f"drawing {args.report}"):
            report.save(args.report)
    what = {"written": written, "frames": len(clip), "fps": round(clip.fps, 6), "seconds": round(clip.duration, 4),
            "character": clip.character.name, "licence": clip.source.licence}  # fmt: skip
    if args.json:
        say(json.dumps(what if report is None else {**what, "physical": report.to_dict()}, indent=2))
    else:
        if report is not None:
            say(report.text())
        say(f"{written}: {len(clip)} frames at {clip.fps:.4g} fps, {clip.duration:.2f} s")
        if clip.source.licence:
            say(f"licence: {clip.source.licence}")
    return 0


def repair_options(args: argparse.Namespace) -> dict[str, Any]:
    """What is asked of the repair; refused where no repair is asked for, or its picture could not be written."""
    names = ("change", "friction", "margin", "keep")
    given = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    if not args.physical:
        if given or args.report is not None:
            name = next(iter(given), "report")
            raise BadValue(f"--{name} belongs to --physical: give that too.")
        return {}
    if args.report is not None:
        from poise.export.repair_picture import check

        check(args.report)
        need("matplotlib", "The picture of a repair")
        if args.report == args.target:
            raise BadValue("The motion and the picture of its repair cannot be written to one file.")
        saving.check(args.target, args.report, force=args.force)
    if "keep" in given:
        given["keep"] = [name.strip() for name in given["keep"].split(",") if name.strip()]
    return given


def _repaired(clip: Clip, options: dict[str, Any]) -> tuple[Clip, RepairReport]:
    """The clip made physical, with a bar."""
    from poise.physical.repair.repair import repair
    from poise.progress import Bar

    bar = Bar("making it physical", len(clip))
    try:
        out = repair(clip, progress=bar.reach, **options)
        bar.reach(len(out.clip), len(out.clip))
    finally:
        bar.close()
    return out.clip, out.report


def edits(args: argparse.Namespace) -> list[Callable[[Clip], Clip]]:
    """What the arguments ask for, in order; numbers without a meaning are refused here, before a file is read."""
    from poise.motion import edit
    from poise.motion.resample import resample

    out: list[Callable[[Clip], Clip]] = []
    if args.cut is not None:
        start, end = _interval(args.cut)
        out.append(lambda clip: clip.cut(start, end))
    if args.loop:
        out.append(lambda clip: clip.loop())
    if args.repeat is not None:
        if args.repeat < 1:
            raise BadValue(f"--repeat wants 1 or more, not {args.repeat}.")
        out.append(lambda clip: clip.repeat(args.repeat))
    asked = {name: getattr(args, name) for name in EDITS}
    values = [EDITS[name].make(edit, x) for name, x in asked.items() if x is not None and x is not False]
    out += [value.apply for value in values]
    if args.resample is not None:
        if not 1.0 <= args.resample <= 10000.0:
            raise BadValue(f"--resample wants 1 to 10000 frames per second, not {args.resample:g}.")
        out.append(lambda clip: resample(clip, args.resample))
    return out


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


def _stairs(text: str) -> tuple[float, float]:
    try:
        rise, run_ = text.lower().split("x")
        return float(rise), float(run_)
    except ValueError:
        raise BadValue(f"--stairs wants RISExRUN in metres, such as 0.15x0.3, not {text!r}.") from None

"""`poise perform`: a character performs a clip in physics; one clip, several, or a folder."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from dataclasses import replace
from math import degrees, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poise import files
from poise.cli import many, saving
from poise.cli.edits import add_edits, add_repair, edits, repair_options, repaired, told, touched
from poise.cli.events import ball, forms, ground, push
from poise.cli.process import complain, say
from poise.cli.source import add_source, load, saved_plan
from poise.errors import BadValue, PoiseError

if TYPE_CHECKING:
    from poise.ground.ground import Ground
    from poise.judge.verdict import Verdict
    from poise.motion.clip import Clip
    from poise.stage import Stage
    from poise.take import Take

NOT_WHOLE = 1  # exit code of a performance that did not come to its end on its feet
DEFAULT = "mcsim"  # a method that stays up on most clips it was tried on: docs/which_method.md
_MOTION = (".bvh", ".glb", ".usd", ".usda", ".usdc")  # endings that --in-place is for


def arguments(p: argparse.ArgumentParser) -> None:
    from poise.methods import about

    p.add_argument("source", nargs="+", metavar="CLIP", help="motion files, folders of them, or built-in names")
    p.add_argument("--method", metavar="METHOD",
                   help=f"how it is performed (default {DEFAULT}; rehearsed for a file of poise rehearse, vibration "
                   "for one of poise design), see below; "
                   "auto tries several and rehearses where all fail; or package.module:Class")  # fmt: skip
    p.add_argument("--try", dest="all", action="store_true",
                   help="perform it by every method, rank the takes with reasons; --save writes the best")  # fmt: skip
    p.add_argument("--set", action="append", default=[], metavar="NAME=VALUE",
                   help="a setting of the method, as `poise methods NAME` lists them; may be repeated")  # fmt: skip
    p.add_argument("--honest", action="store_true", help="with --method balance: exact physics, no artificial torque")
    p.add_argument("--character", help="perform it on another body: a built-in name, MJCF or URDF file")
    p.add_argument("--seconds", type=float, help="how long (default: the clip, or 10 s of a loop)")
    p.add_argument("--start", type=float, default=0.0, help="time in the clip at which it begins, in seconds")
    p.add_argument("--noise", type=float, default=0.0,
                   help="standard deviation of noise on all starting velocities, in rad/s and m/s")  # fmt: skip
    p.add_argument("--seed", type=int, default=0, help="of the noise: the same seed gives the same bits")
    p.add_argument("--ground", metavar="KIND",
                   help=f"{forms()}, such as slope:-5 (degrees, m, Hz); clips are fitted to both")  # fmt: skip
    p.add_argument("--push", action="append", default=[], metavar="BODY:FX,FY,FZ@AT+DURATION",
                   help="a push in newtons and seconds (X forward, Y left, Z up), such as chest:0,150,0@1.0+0.1; may "
                        "be repeated")  # fmt: skip
    p.add_argument("--ball", action="append", default=[], metavar="BODY:MASSkg,SPEEDm/s@AT",
                   help="a thrown ball, such as head:2kg,10m/s@2.0; may be repeated")  # fmt: skip
    p.add_argument("--contact-model", choices=["soft", "springs"], default="soft",
                   help="how feet meet the ground in the simulator")  # fmt: skip
    p.add_argument("--save", action="append", default=[], metavar="OUT",
                   help="write the take: .html (a page that plays and says why it fell), .npz (all of it), .bvh .glb "
                        ".usda .mp4 .gif .png; of several clips, a folder; may be repeated")  # fmt: skip
    many.add_endings(p, "such as .html (default .npz)")
    add_edits(p, "write .bvh .glb .usda without the way it went, as on a treadmill")
    add_repair(p)
    saving.add_force(p)
    add_source(p)
    listed = "\n".join(f"  {name:<17} {text}" for name, text in about().items())
    p.formatter_class = argparse.RawDescriptionHelpFormatter
    p.epilog = f"methods (`poise methods NAME` lists the settings of one):\n{listed}"


def run(args: argparse.Namespace) -> int:
    sources = many.expanded(args.source)
    if sources == args.source and len(sources) == 1 and not args.endings:
        saving.check(*args.save, force=args.force)
        what, take, verdict = _one(args, sources[0], args.save)
        _say(args, what, take, verdict)
        return 0 if verdict.good else NOT_WHOLE
    return _several(args, sources)


def _several(args: argparse.Namespace, sources: list[str]) -> int:
    """Every clip into the folders of --save, and a table."""
    bad = [t for t in args.save if not many.is_folder(t)]
    if bad:
        raise BadValue(f"Several clips need a folder to go to, such as results/, not {bad[0]!r}.")
    endings = many.endings_of(args.endings, ".npz")
    targets = {s: [many.target_of(s, f, e) for f in args.save for e in endings] for s in sources}
    _asked(args)  # refused before any work is done
    for folder in args.save:
        many.made(folder)
    saving.check(*(t for ts in targets.values() for t in ts), force=args.force)
    rows = many.each(sources, lambda source: _one(args, source, targets[source])[0])
    if args.json:
        say(json.dumps(rows, indent=2, allow_nan=False))
    else:
        shown = [{**r, **_cells(r)} for r in rows]
        many.table(shown, ("method", "ended", "followed", "joints off", "written" if args.save else "speed"))
        whole = sum(bool(r.get("whole")) for r in rows)
        say(f"{whole} of {len(rows)} came to their end on their feet")
    if any("error" in r for r in rows):
        return 2
    return 0 if all(r["whole"] for r in rows) else NOT_WHOLE


def _cells(row: dict[str, Any]) -> dict[str, str]:
    """What the table says of a take."""
    if "error" in row:
        return {}
    ended, off = row["ended"], row["tracking_error"]["joints"]
    how = f"whole, {row['seconds']:.2f} s" if row["whole"] else f"{ended['how']} at {ended['time']:.2f} s"
    speed = row["realtime_factor"]
    return {
        "ended": how,
        "followed": "yes" if row["followed"]["followed"] else "no",
        "joints off": "" if off is None else f"{degrees(off):.1f} degrees",
        "speed": "" if speed is None else f"{speed:.1f} x real time",
        "written": " ".join(row["written"]),
    }


def _say(args: argparse.Namespace, what: dict[str, Any], take: Take, verdict: Verdict) -> None:
    if args.json:
        say(json.dumps(what, indent=2, allow_nan=False))
        return
    factor = take.realtime_factor
    speed = [f"speed: {factor:.1f} x real time"] if isfinite(factor) else []
    saved = [f"the state before it blew up: {e.text}" for e in take.events if e.kind == "saved state"]
    written = [f"written: {target}" for target in what["written"]]
    say("\n".join([verdict.text(), *speed, *saved, *written]))


def _asked(args: argparse.Namespace, usual: str = DEFAULT
           ) -> tuple[list[tuple[str, Any]], Ground | None, list[Any], dict[str, Any]]:  # fmt: skip
    """Methods by name, ground, events and options of the repair; what has no meaning is refused here.

    `usual`: the method where none is asked for. No method at all: the best is to be found.
    """
    from poise.methods import names
    from poise.methods.find import find
    from poise.methods.schema import changed

    if args.seconds is not None and not args.seconds > 0:
        raise BadValue(f"--seconds wants a positive number, not {args.seconds}.")
    if args.all and (args.set or args.honest or args.method):
        raise BadValue("--try performs by every method as it is: leave out --method, --set and --honest.")
    if args.all:
        made = [(name, find(name)) for name in names() if name != "kinematic"]
    elif args.method == "auto":
        if args.set or args.honest:
            raise BadValue("--set and --honest belong to one method; --method auto tries several.")
        made = []
    else:
        name = args.method or usual
        made = [(name, changed(_honest(name) if args.honest else find(name), args.set))]
    floor = ground(args.ground) if args.ground else None
    edits(args, loops_stay=True)
    return made, floor, [*map(push, args.push), *map(ball, args.ball)], repair_options(args)


def _one(args: argparse.Namespace, source: str, targets: list[str]) -> tuple[dict[str, Any], Take, Verdict]:
    """Perform one clip and write what is asked for; gives the facts, the take and the verdict on it."""
    from poise.judge.verdict import verdict
    from poise.performance import perform

    plan = saved_plan(source)
    methods, floor, events, repair = _asked(
        args, "rehearsed" if plan is not None else "vibration" if _is_gait(source) else DEFAULT
    )
    stream = None if args.all else saving.streamed(targets, args.force)
    if plan is None:
        clip, floor = _prepared(args, source, floor, repair)
        stage = clip.stage(args.start, args.seconds)  # with the bars and loads of its hands
    else:
        clip, stage = plan.clip, plan.stage
    what = plan or clip
    stage = replace(stage, events=tuple(events))
    stage = stage if floor is None else replace(stage, ground=floor)
    facts = {"stage": stage, "seconds": args.seconds, "start": args.start, "noise": args.noise, "seed": args.seed,
             "contact": args.contact_model, "overwrite": args.force, "progress": True}  # fmt: skip
    if args.all:
        take = _best(clip, methods, lambda made: perform(what, made, **facts), args.json)
    else:
        way = methods[0][1] if methods else _chosen(args, clip, stage)
        take = _performed(lambda: perform(what, way, save=stream, **facts), targets, stream, args.force)
    judged = verdict(take)
    written = [t if t == stream else _save(args, take, t) for t in targets]
    factor = take.realtime_factor
    found = {"clip": clip.name, "method": take.method, "seconds": round(float(take.time[-1]), 4), "asked": take.asked,
             "fell": take.fell, **judged.to_dict(), "realtime_factor": round(factor, 2) if isfinite(factor) else None,
             "written": written}  # fmt: skip
    return found, take, judged


def _prepared(args: argparse.Namespace, source: str, floor: Ground | None, repair: dict[str, Any]
              ) -> tuple[Clip, Ground | None]:  # fmt: skip
    """The clip with its edits, on its body and made for its ground; and the ground, where it is not the clip's own."""
    from poise.judge.performance_findings import UNDER_WAY, speed_at_end
    from poise.motion.load import load_any_character

    clip = load(args, source)
    for change in edits(args, loops_stay=True):
        clip = change(clip)
    clip = touched(args, clip)
    clip = clip.retarget(load_any_character(args.character)) if args.character else clip
    fitted = _on_stairs(clip, floor)
    if fitted is not clip:
        clip, floor = fitted, None
        complain("The clip was fitted to the stairs, as --stairs does.")
    if args.physical:
        clip, _ = repaired(clip, repair)
    speed = speed_at_end(clip)
    if speed > UNDER_WAY and args.method != "kinematic":  # which needs no footing
        complain(f"{clip.name or 'The clip'} ends in mid-stride, at {speed:.1f} m/s after {clip.duration:.2f} s, and "
                 "has nothing to go on with: --loop makes a cycle of it that goes on for ever.")  # fmt: skip
    return clip, floor


def _on_stairs(clip: Clip, floor: Ground | None) -> Clip:
    """A clip for level ground with each of its steps on a tread of the stairs asked for; others as they are."""
    from poise.ground.ground import level_of, steps_of
    from poise.motion import edit

    steps = None if floor is None else steps_of(floor)
    if steps is None or level_of(clip.ground) is None:
        return clip
    try:
        return clip.edit(edit.Stairs(*steps))
    except PoiseError as error:
        complain(f"The clip was not fitted to the stairs: {error}")
        return clip


def _best(clip: Clip, methods: list[tuple[str, Any]], perform: Callable[[Any], Take], quiet: bool) -> Take:
    """The best of the takes of all methods; says how they rank, and why."""
    from poise.judge.ranking import ranked

    takes, refused = [], {}
    for name, made in methods:
        try:
            takes.append(perform(made))
        except PoiseError as error:
            refused[name] = str(error)
    if not takes:
        raise BadValue(f"No method can perform {clip.name or 'this clip'}: {next(iter(refused.values()))}")
    order = ranked(takes)
    if not quiet:
        wide = max(len(r.take.method) for r in order)
        say("\n".join(f"{k + 1}. {r.take.method:<{wide}}  {r.reason}" for k, r in enumerate(order)))
        say("".join(f"-  {name}: refused: {why}\n" for name, why in refused.items()))
    return order[0].take


def _performed(perform: Callable[[], Take], targets: list[str], stream: str | None, force: bool) -> Take:
    """The take; of one that was broken off what there is of it is written."""
    from poise.take import TakeInterrupted

    try:
        return perform()
    except TakeInterrupted as full:  # what goes elsewhere may still fit there
        saving.save_rest(full.take, targets, stream, force)
        raise
    except KeyboardInterrupt as stop:
        kept = saving.save_stopped(getattr(stop, "take", None), targets, stream, force)
        raise KeyboardInterrupt(kept) from None


def _save(args: argparse.Namespace, take: Take, target: str) -> str:
    if args.in_place and target.lower().endswith(_MOTION):
        from poise.motion.edit import InPlace

        return saving.save(take.as_clip().edit(InPlace()), target, force=args.force)
    return saving.save(take, target, force=args.force, notes=told(args))


def _chosen(args: argparse.Namespace, clip: Clip, stage: Stage) -> Any:
    """The method that does it best, and a word on it."""
    from poise.cli.rehearse import Line
    from poise.rehearsal.auto import choose

    line = Line(clip.name)
    try:
        choice = choose(clip, stage=stage, seconds=args.seconds, start=args.start, seed=args.seed, progress=line.draw)
    finally:
        line.close()
    complain(f"{choice.words()}.")
    return choice.method


def _is_gait(path: str) -> bool:
    """Is this a gait file?"""
    from poise.motion.formats.gait import looks_like

    return os.path.isfile(path) and looks_like(files.head(Path(path)))


def _honest(name: str) -> Any:
    """The honest controller of balance."""
    from poise.methods.balance import HONEST

    if name != "balance":
        raise BadValue(f"--honest belongs to --method balance, not to {name}: only balance has artificial torques.")
    return HONEST

"""`poise convert`: from one file format to another, with edits on the way; one file, several, or a folder."""

from __future__ import annotations

import argparse
import json
from typing import Any

from poise.cli import many, saving, terms
from poise.cli.edits import EDITS as EDITS
from poise.cli.edits import Asked as Asked
from poise.cli.edits import add_edits, add_repair, edits, repair_options, repaired, told, touched
from poise.cli.process import say
from poise.cli.source import add_source, load
from poise.errors import BadValue
from poise.extras import need
from poise.progress import working

_REPAIRED = ("unexplained force", "posture changed")
_COLUMNS = ("frames", "length", *_REPAIRED, "written")


def arguments(p: argparse.ArgumentParser) -> None:
    p.add_argument("source", nargs="+", metavar="IN",
                   help="motion files (.bvh .amc .fbx .txt .npz .toml), folders, or built-in names")  # fmt: skip
    p.add_argument("target", metavar="OUT",
                   help="where to write it: .bvh .glb .usda .npz .html .mp4 .gif or .png (a filmstrip); of several "
                        "a folder")  # fmt: skip
    many.add_endings(p, "such as .glb (default .bvh)")
    add_edits(p, "without the way it goes, as on a treadmill, last of all")
    add_repair(p)
    p.add_argument("--report", metavar="FILE.png", help="with --physical: a picture of what was repaired")
    p.add_argument("--level", action="store_true", help="keep the levelled floor at height zero in the written file")
    saving.add_force(p)
    add_source(p)


def run(args: argparse.Namespace) -> int:
    sources = many.expanded(args.source)
    if len(sources) > 1 or args.endings or sources != args.source:
        return _all(args, sources)
    saving.check(args.target, force=args.force)  # before any work is done
    report_of = _report(args)
    what, lines = _one(args, sources[0], [args.target], repair_options(args), report_of)
    if args.json:
        say(json.dumps({**what, "written": what["written"][0]}, indent=2))
    else:
        say("\n".join(lines))
        terms.tell(what["licence"])
    return 0


def _all(args: argparse.Namespace, sources: list[str]) -> int:
    """Every source into a folder, and a table."""
    if not many.is_folder(args.target):
        raise BadValue(f"Several motions need a folder to go to, such as results/, not {args.target!r}.")
    if args.report is not None:
        raise BadValue("--report draws one repair: convert that file alone.")
    endings, options = many.endings_of(args.endings, ".bvh"), repair_options(args)
    targets = {s: [many.target_of(s, args.target, e) for e in endings] for s in sources}
    edits(args)  # refused before any work is done
    many.made(args.target)
    saving.check(*(t for ts in targets.values() for t in ts), force=args.force)
    rows = many.each(sources, lambda source: _one(args, source, targets[source], options, None)[0])
    if args.json:
        say(json.dumps(rows, indent=2))
    else:
        shown = _COLUMNS if args.physical else [c for c in _COLUMNS if c not in _REPAIRED]
        many.table([r if "error" in r else {**r, **_cells(r)} for r in rows], shown)
        for licence in dict.fromkeys(r.get("licence", "") for r in rows):
            terms.tell(licence)
    return 2 if any("error" in r for r in rows) else 0


def _cells(row: dict[str, Any]) -> dict[str, str]:
    """What the table says of a file."""
    out = {"length": f"{row['seconds']:.2f} s", "written": " ".join(row["written"])}
    if "physical" in row:
        before, after = row["physical"]["force_rms"]
        out["unexplained force"] = f"{before:.0f} N, now {after:.1f} N"
        out["posture changed"] = f"{row['physical']['posture_change']:.1f} degrees"
    return out


def _one(args: argparse.Namespace, source: str, targets: list[str], options: dict[str, Any], report_to: str | None
         ) -> tuple[dict[str, Any], list[str]]:  # fmt: skip
    """Convert one motion; gives what was done as data, and as lines."""
    changes = edits(args)
    clip = load(args, source)
    with working("editing"):
        for change in changes:
            clip = change(clip)
    report = None
    if args.contact and not args.physical:
        raise BadValue("--contact belongs to --physical: give that too.")
    clip = touched(args, clip)
    if args.physical:
        clip, report = repaired(clip, options)
    if args.in_place:
        from poise.motion.edit import InPlace

        clip = clip.edit(InPlace())
    written = [saving.save(clip, t, level=args.level, force=args.force, notes=told(args)) for t in targets]
    if report is not None and report_to is not None:
        with working(f"drawing {report_to}"):
            report.save(report_to)
    what = {"written": written, "frames": len(clip), "fps": round(clip.fps, 6), "seconds": round(clip.duration, 4),
            "character": clip.character.name, "licence": clip.source.licence}  # fmt: skip
    lines = [] if report is None else [report.text()]
    lines += [f"{w}: {len(clip)} frames at {clip.fps:.4g} fps, {clip.duration:.2f} s" for w in written]
    return (what if report is None else {**what, "physical": report.to_dict()}), lines


def _report(args: argparse.Namespace) -> str | None:
    """Where the picture of the repair goes; refused where it could not be written."""
    if args.report is None:
        return None
    if not args.physical:
        raise BadValue("--report belongs to --physical: give that too.")
    from poise.export.repair_picture import check

    check(args.report)
    need("matplotlib", "The picture of a repair")
    if args.report == args.target:
        raise BadValue("The motion and the picture of its repair cannot be written to one file.")
    saving.check(args.target, args.report, force=args.force)
    return args.report

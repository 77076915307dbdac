"""`poise modes`: the natural vibrations of a body, in numbers and words or on a page on which they move."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from poise import files
from poise.cli import saving
from poise.cli.process import say
from poise.errors import AlreadyThere, BadValue

if TYPE_CHECKING:
    from poise.methods.vibration.palette import Palette

_SHOWN = 12  # modes of a phase that are listed without --all


def arguments(p: argparse.ArgumentParser) -> None:
    p.add_argument("character", metavar="CHARACTER", help="a built-in character, an MJCF or URDF file, a motion file "
                   "whose skeleton is meant, or a sketch with its rest pose and springs (a .toml file, or a built-in "
                   "one, such as hopper)")  # fmt: skip
    p.add_argument("--rest", action="append", default=[], metavar="PART=DEGREES",
                   help="the rest pose, such as shin=40 or left_thigh=0,-30,0 (about forward, left, up); may be "
                   "repeated (default: knees and elbows a little bent where the legs are straight)")  # fmt: skip
    p.add_argument("--stance", choices=["right", "left", "both"], default="right",
                   help="which toes the ground modes hold (default: right)")  # fmt: skip
    p.add_argument("--even", action="store_true", help="left and right of a recording's body are made alike, as by "
                   "even = true in a sketch")  # fmt: skip
    p.add_argument("--all", action="store_true", help="list all modes, not only the slowest")
    p.add_argument("--html", metavar="OUT", help="write a page on which the modes move")
    saving.add_force(p)


def run(args: argparse.Namespace) -> int:
    from poise.methods.vibration.words import describe

    if args.html is not None and not args.html.lower().endswith(".html"):
        raise BadValue(f"--html wants a file that ends in .html, not {args.html!r}.")
    if args.html is not None:
        files.check_writable(args.html)
        if not args.force and os.path.isfile(args.html):
            raise AlreadyThere(args.html, "it exists already; give another name, or --force to replace it.")
    found = _palette(args)
    words = describe(found)
    if args.html is not None:
        _show(found, words, args.html, args.all)
    rows = [{"name": m.name, "frequency": round(m.frequency, 4), "symmetry": m.parity, "moves": words[m.name]}
            for m in (*found.flight, *found.ground)]  # fmt: skip
    if args.json:
        say(json.dumps({"character": found.character.name, "symmetric": found.symmetric, "stance": found.stance,
                        "modes": rows, "written": [args.html] if args.html else []}, indent=2))  # fmt: skip
        return 0
    say(f"{found.character.name}: {len(found.flight)} modes in flight, {len(found.ground)} on the ground "
        f"({_held(found)})")  # fmt: skip
    for letter, title in (("f", "in flight"), ("g", "on the ground")):
        mine = [r for r in rows if r["name"].startswith(letter)]
        say(f"\n{title}")
        for r in mine if args.all else mine[:_SHOWN]:
            say(f"  {r['name']:<4} {r['frequency']:6.2f} Hz  {r['symmetry']:<19} {r['moves']}")
        if not args.all and len(mine) > _SHOWN:
            say(f"  and {len(mine) - _SHOWN} faster ones (--all)")
    if args.html:
        say(f"written: {args.html}")
    return 0


def _palette(args: argparse.Namespace) -> Palette:
    """The modes of a character, or of a sketch's body in its rest pose with its springs."""
    from poise.character import library
    from poise.methods.vibration.gait import find_gait
    from poise.methods.vibration.sketch import built_in, find_sketch
    from poise.methods.vibration.verbs import modes
    from poise.motion.formats import gait

    name, rest = args.character, angles(args.rest) if args.rest else None
    file = name.lower().endswith(".toml") and os.path.isfile(name)
    if not file and (name not in built_in() or name in library.names()):
        return modes(name, rest, stance=args.stance, even=args.even)
    if rest is not None or args.stance != "right" or args.even:
        raise BadValue("A sketch has its own rest pose and stance; leave --rest, --stance and --even away.")
    if file and gait.looks_like(files.head(Path(name))):
        return find_gait(name).sketch.palette()
    return find_sketch(name).palette()


def angles(texts: list[str]) -> dict[str, float | list[float]]:
    """Angles of the rest pose from PART=DEGREES, given any number of times."""
    out: dict[str, float | list[float]] = {}
    for text in texts:
        part, equals, numbers = (t.strip() for t in text.partition("="))
        try:
            values = [float(n) for n in numbers.split(",")]
        except ValueError:
            values = []
        if not equals or not part or len(values) not in (1, 3):
            raise BadValue(f"--rest wants PART=DEGREES or PART=X,Y,Z, such as shin=40, not {text!r}.")
        out[part] = values[0] if len(values) == 1 else values
    return out


def _held(found: Palette) -> str:
    return "both toes held" if found.stance == "both" else f"the {found.stance} toe held"


def _show(found: Palette, words: dict[str, str], path: str, whole: bool) -> None:
    from poise.export.gallery import Exhibit, save
    from poise.methods.vibration.showing import mode_clip

    shows = []
    for group, modes in (("In flight", found.flight), (f"On the ground, {_held(found)}", found.ground)):
        for mode in modes if whole else modes[: 2 * _SHOWN]:
            title = f"{mode.name}: {mode.frequency:.2f} Hz, {mode.parity}"
            shows.append(Exhibit(title, words[mode.name], mode_clip(found, mode), group))
    save(shows, path, f"Modes of {found.character.name}")

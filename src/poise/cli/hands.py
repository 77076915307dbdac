"""`poise hands`: finger motion for a scene of wrists and an object."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from poise.cli import saving
from poise.cli.process import say
from poise.errors import BadValue, NoSolution


def arguments(p: argparse.ArgumentParser) -> None:
    p.add_argument(
        "scene", metavar="SCENE", nargs="?", help="a TOML file, or the name of an authored scene; none: they are listed"
    )
    p.add_argument("-n", type=int, default=10, metavar="COUNT", help="how many different solutions (default: 10)")
    p.add_argument(
        "-o",
        "--out",
        type=Path,
        metavar="DIR",
        help="folder for solutions, sheet.png and index.html; a search that was stopped goes on where it was",
    )
    p.add_argument(
        "--seed", type=int, default=0, help="of all choices; the same seed gives the same solutions (default: 0)"
    )
    p.add_argument("--seconds", type=float, default=60.0, help="CPU time after which to stop (default: 60)")
    p.add_argument("--style", metavar="STYLE", help="free, steady, sliding, busy, restless or reluctant")
    p.add_argument(
        "--object", metavar="NAME", help="another object in place of the scene's: milk, mug, bunny, bottle or ball"
    )
    p.add_argument("--friction", type=float, metavar="MU", help="another friction between hand and object")
    p.add_argument("--printed", action="store_true", help="the thesis's own search, without our additions")
    p.add_argument(
        "--save",
        default="",
        metavar="FORMATS",
        help="also write each solution with its object as bvh, glb, usda, or npz (a take, for poise audit)",
    )
    p.add_argument("--schema", action="store_true", help="list the entries of a scene file and stop")
    p.add_argument("--no-pictures", action="store_true", help="neither sheet.png nor index.html")
    saving.add_force(p)


def run(args: argparse.Namespace) -> int:
    from poise.methods.hands.scenes import SCENES

    if args.schema:
        return _schema(args.json)
    if args.scene is None:
        say(json.dumps(sorted(SCENES)) if args.json else "\n".join(sorted(SCENES)))
        return 0
    scene, settings = _asked(args)
    formats = [f for f in args.save.split(",") if f]
    _check(args, formats)
    from poise.judge.hands.validity import Checker
    from poise.methods.hands import delivery, store
    from poise.progress import Bar, tell_first_compilation

    key, found = store.digest(scene, settings), None
    if args.out is not None:
        if not args.force:
            found = store.resume(args.out, key, args.seed) if args.out.is_dir() else None
        args.out.mkdir(parents=True, exist_ok=True)
    tell_first_compilation()
    checker, bar, stopped = Checker(scene), Bar(f"solutions of {scene.name}", args.n), False
    written = len(found.solutions) if found else 0
    try:
        for now in delivery.find(
            scene,
            settings,
            count=args.n,
            seed=args.seed,
            seconds=args.seconds,
            found=found,
            check=lambda s: checker(s).valid,
        ):
            found = now
            bar.reach(len(found.solutions), args.n)
            if args.out is not None:
                for k in range(written, len(found.solutions)):
                    store.save_solution(found.solutions[k], scene, args.out / f"solution-{k + 1:02d}.npz")
                store.save_state(found, key, args.seed, args.out)
                written = len(found.solutions)
    except KeyboardInterrupt:
        stopped = True
    finally:
        bar.close()
    assert found is not None
    if not found.solutions:
        raise NoSolution(
            f"No valid finger motion of {scene.name} was found in {found.cpu:.0f} s; try --seconds, another --seed, "
            "a larger --friction, or a wrist nearer to the object."
        )
    files = _write(args, scene, found.solutions, formats)
    rows = [asdict(checker(s)) for s in found.solutions]
    told = {
        "scene": scene.name,
        "seed": args.seed,
        "solutions": len(found.solutions),
        "nodes": found.nodes,
        "paths": found.paths,
        "cpu": round(found.cpu, 2),
        "stopped": stopped,
        "written": files,
        "validity": rows,
    }
    say(json.dumps(told, indent=2) if args.json else _text(told))
    return 0


def _schema(plain: bool) -> int:
    """The entries of a scene file."""
    from poise.methods.hands import scene_schema

    rows = scene_schema.rows()
    names = ("entry", "kind", "unit", "meaning", "default")
    widths = [max(len(r[k]) for r in (names, *rows)) for k in range(len(names))]
    table = "\n".join("  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() for r in (names, *rows))
    say(json.dumps([dict(zip(names, r, strict=True)) for r in rows], indent=2) if plain else table)
    return 0


def _asked(args: argparse.Namespace) -> tuple[Any, Any]:
    """The scene and settings as the command line wants them."""
    from poise.methods.hands import Hands, load_scene
    from poise.methods.hands.scenes import SCENES, more
    from poise.methods.hands.scenes import scene as authored

    is_file = args.scene.endswith(".toml") or (args.scene not in SCENES and Path(args.scene).exists())
    scene = load_scene(args.scene) if is_file else authored(args.scene)
    if args.object:
        scene = more.swapped(scene, args.object)
    if args.friction is not None:
        scene = replace(scene, friction=args.friction)
    changes = {"style": args.style} if args.style else {}
    if args.style:
        scene = replace(scene, styles=())
    return scene, Hands.printed(**changes) if args.printed else Hands(**changes)


def _check(args: argparse.Namespace, formats: list[str]) -> None:
    from poise.export.hands import FORMATS

    if args.n < 1:
        raise BadValue(f"-n wants at least one solution, not {args.n}.")
    for ending in formats:
        if ending not in FORMATS:
            raise BadValue(f"--save cannot write {ending!r}: it is some of {', '.join(FORMATS)}.")
    if formats and args.out is None:
        raise BadValue("--save needs a folder: give it with -o DIR.")


def _write(args: argparse.Namespace, scene: Any, solutions: list[Any], formats: list[str]) -> list[str]:
    from poise.export import hands

    if args.out is None:
        return []
    files = [str(args.out / f"solution-{k + 1:02d}.npz") for k in range(len(solutions))]
    for k, solution in enumerate(solutions):
        for ending in formats:
            files += map(str, hands.save_solution(scene, solution, args.out / f"solution-{k + 1:02d}", ending))
    if not args.no_pictures:
        hands.contact_sheet(scene, solutions, args.out / "sheet.png")
        hands.save_page(scene, solutions, args.out / "index.html")
        files += [str(args.out / "sheet.png"), str(args.out / "index.html")]
    return files


def _text(told: dict[str, Any]) -> str:
    worst = {k: max(r[k] for r in told["validity"]) for k in told["validity"][0]}
    lines = [
        f"{told['scene']}: {told['solutions']} different solutions from {told['paths']} paths and {told['nodes']} "
        f"nodes, "
        f"{told['cpu']:.1f} s of CPU{', stopped' if told['stopped'] else ''}",
        f"checked with MuJoCo, worst of all: penetration {1e3 * worst['penetration']:.2f} mm, fingers in one another "
        f"{1e3 * worst['fingers']:.2f} mm, slip {1e3 * worst['slip']:.2f} mm a frame and {1e3 * worst['creep']:.1f} mm "
        f"in all, "
        f"Newton {100 * worst['force']:.2g} % and Euler {100 * worst['torque']:.2g} % missing, {worst['speed']:.1f} "
        f"rad/s",
    ]
    return "\n".join([*lines, *(f"written: {f}" for f in told["written"][-2:])])

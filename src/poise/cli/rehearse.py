"""`poise rehearse`: a search in the simulator after which a character performs a clip that it could not improvise."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poise.cli import saving
from poise.cli.events import forms, ground
from poise.cli.perform import NOT_WHOLE
from poise.cli.process import complain, say
from poise.cli.source import add_source, load
from poise.errors import BadValue
from poise.progress import working

if TYPE_CHECKING:
    from poise.character import Character
    from poise.methods.rehearse import Plan
    from poise.motion.clip import Clip
    from poise.rehearsal.many import Done
    from poise.rehearsal.passes import Progress
    from poise.rehearsal.settings import Settings


def arguments(p: argparse.ArgumentParser) -> None:
    p.add_argument("source", metavar="CLIP", nargs="+", help="motion files or built-in names")
    p.add_argument("-o", "--out", required=True, metavar="X.rehearsed.npz",
                   help="where the plan is written; poise perform X.rehearsed.npz performs it. For several clips or "
                   "seeds a folder")  # fmt: skip
    p.add_argument("--seed", type=int, default=0, help="of all that is random; the same seed gives the same bits")
    p.add_argument("--seeds", type=int, default=1, help="how many seeds from --seed on; a plan each")
    p.add_argument("--workers", type=int, default=0, help="processes for several clips or seeds (default: all cores)")
    p.add_argument("--cluster", default="", metavar="ADDRESS", help="rehearse clips and seeds on this Dask scheduler, "
                   "such as tcp://host:8786")  # fmt: skip
    p.add_argument("--feedback", action="store_true", help="distil a feedback for light pushes from many disturbed "
                   "runs; takes about a minute for a second of clip")  # fmt: skip
    p.add_argument("--set", action="append", default=[], metavar="NAME=VALUE",
                   help="samples, keep, passes, retries, full, lag, scales.joint, ...; may be repeated")  # fmt: skip
    p.add_argument("--threads", type=int, help="how many cores (default: all); the result does not depend on it")
    p.add_argument("--character", help="rehearse it on another body: a built-in name, MJCF or URDF file")
    p.add_argument("--loop", action="store_true", help="cut the best cycle of the clip and go on for --seconds")
    p.add_argument("--seconds", type=float, help="how long (default: the clip, or 10 s of a loop)")
    p.add_argument("--start", type=float, default=0.0, help="time in the clip at which it begins")
    p.add_argument("--then", metavar="CLIP", help="pass into another clip: both are rehearsed, and the way between")
    p.add_argument("--get-up", metavar="FROM", help="get up first: from front, back, left or right, bent at random by "
                   "--seed, or from TAKE.npz, where a take that fell ended; then go on into the clip")  # fmt: skip
    p.add_argument("--ground", metavar="KIND", help=f"{forms()}, such as slope:-5 (degrees, m, Hz)")
    p.add_argument("--save", action="append", default=[], metavar="OUT",
                   help="write its take too: .npz, or .bvh .glb .usda .html .mp4 .png; may be repeated")  # fmt: skip
    saving.add_force(p)
    add_source(p)


def run(args: argparse.Namespace) -> int:
    from poise.methods.schema import changed
    from poise.rehearsal.passes import rehearse
    from poise.rehearsal.settings import Settings

    settings = changed(Settings(), args.set)
    if len(args.source) > 1 or args.seeds != 1 or args.cluster:
        return _many(args, settings)
    if not args.out.lower().endswith(".npz"):
        raise BadValue(f"A rehearsal is written to a file that ends with .npz, not to {args.out}.")
    saving.check(args.out, *args.save, force=args.force)
    floor = ground(args.ground) if args.ground else None
    clip = _clip(args, args.source[0])
    if args.get_up:
        return _get_up(args, clip)
    if args.then:
        from poise.rehearsal.passage import passage

        clip = passage(clip, _same_body(load(args, args.then), clip.character), args.seconds)
    stage = clip.stage(args.start, args.seconds)
    stage = stage if floor is None else replace(stage, ground=floor)
    under_way = f"{args.out}.part"
    show = Line(clip.name)
    try:
        plan = rehearse(clip, seed=args.seed, stage=stage, start=args.start, seconds=args.seconds, settings=settings,
                        threads=args.threads, checkpoint=under_way, progress=show.draw)  # fmt: skip
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"Stopped; the same command goes on from {under_way}, to the same result.") from None
    finally:
        show.close()
    if args.feedback:
        from poise.rehearsal.distil import distilled

        with working("distilling a feedback from disturbed runs"):
            plan = distilled(plan)
    return _told(args, plan)


def _clip(args: argparse.Namespace, source: str) -> Clip:
    """The clip that is to be rehearsed."""
    from poise.motion.load import load_any_character

    clip = load(args, source)
    clip = clip.loop() if args.loop and clip.cycle is None else clip
    return clip.retarget(load_any_character(args.character)) if args.character else clip


def _many(args: argparse.Namespace, settings: Settings) -> int:
    """Several clips and seeds, each a file in a folder; those that are there already are left as they are."""
    from poise.rehearsal.many import rehearse_all
    from poise.simulate.batch import Batch, check_cluster

    refused = [f"--{n.replace('_', '-')}" for n in ("get_up", "then", "ground", "save", "feedback") if getattr(args, n)]
    if refused:
        raise BadValue(f"{refused[0]} is for one clip and one seed.")
    if args.seeds < 1 or args.seed < 0 or args.workers < 0:
        raise BadValue("--seeds wants 1 or more, --seed and --workers 0 or more.")
    check_cluster(args.cluster)
    folder = Path(args.out)
    if folder.suffix.lower() == ".npz" or folder.is_file():
        raise BadValue(f"Several rehearsals are written to a folder, not to {args.out}.")
    clips = [_clip(args, s) for s in args.source]
    names = [f"{Path(s).stem}-{k}" for s in args.source for k in range(args.seed, args.seed + args.seeds)]
    if len(set(names)) < len(names):
        raise BadValue("Two of the clips have the same name; rehearse them into different folders.")
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{n}.rehearsed.npz" for n in names]
    members = [(c, k) for c in range(len(clips)) for k in range(args.seed, args.seed + args.seeds)]
    wanted = [(m, f) for m, f in zip(members, files, strict=True) if args.force or not f.exists()]
    rows: list[dict[str, Any]] = []
    with Batch(args.workers, args.cluster) as batch:
        found = rehearse_all(clips, [m for m, _ in wanted], batch, settings=settings, seconds=args.seconds,
                             start=args.start)  # fmt: skip
        for done, (_, file) in zip(found, wanted, strict=True):
            rows.append(_one_of_many(done, file))
            if not args.json:
                say(f"{file}: {rows[-1]['what']}")
    if args.json:
        say(json.dumps({"rehearsals": rows, "there already": len(files) - len(wanted)}, indent=2))
    elif len(wanted) < len(files):
        say(f"{len(files) - len(wanted)} were there already")
    return 0 if all(r["whole"] for r in rows) else NOT_WHOLE


def _one_of_many(done: Done, file: Path) -> dict[str, Any]:
    """Write what came, and what is said of it."""
    from poise.files import writing

    if done.problem:
        return {"file": "", "seed": done.seed, "whole": False, "what": done.problem}
    with writing(file) as target:
        Path(target).write_bytes(done.file)
    plan = done.plan()
    what = "whole" if plan.whole else f"up to {plan.reached:.2f} s of {plan.seconds:.2f} s"
    return {"file": str(file), "seed": done.seed, "whole": plan.whole, "what": f"{what}; {plan.passes[-1]}"}


def _same_body(clip: Clip, character: Character) -> Clip:
    """The clip on a body, as it is where it is its own."""
    return clip if clip.character.xml == character.xml else clip.retarget(character)


def _get_up(args: argparse.Namespace, clip: Clip) -> int:
    """Get up and go on into the clip."""
    from poise.rehearsal.get_up import get_up
    from poise.rehearsal.lying import WAYS
    from poise.take import Take

    refused = [f"--{n}" for n in ("ground", "then", "set", "start", "feedback") if getattr(args, n)]
    if refused:
        raise BadValue(f"{refused[0]} does not go together with --get-up, which knows level ground and its own search.")
    pose: Any = args.get_up
    if pose not in WAYS:
        if not Path(pose).exists():
            raise BadValue(f"--get-up wants {', '.join(WAYS[:-1])} or {WAYS[-1]}, or the file of a take that fell, not "
                           f"{pose}.")  # fmt: skip
        fallen = Take.load(pose)
        clip, pose = _same_body(clip, fallen.character), fallen.q[-1]
    show = sys.stderr is not None and sys.stderr.isatty()
    plan = get_up(clip, pose, seed=args.seed, seconds=4.0 if args.seconds is None else args.seconds,
                  threads=args.threads, progress=complain if show else None)  # fmt: skip
    return _told(args, plan)


def _told(args: argparse.Namespace, plan: Plan) -> int:
    """Write a plan, and say what it comes to."""
    from poise.judge.verdict import verdict
    from poise.rehearsal.judged import performed

    plan.save(args.out, overwrite=args.force)
    take, clip = performed(plan), plan.clip
    told, good = verdict(take), plan.whole
    good = good and told.good
    written = [args.out, *(saving.save(take, t, force=args.force) for t in args.save)]
    if args.json:
        what = {"clip": clip.name, "seconds": plan.seconds, "seed": plan.seed, "reached": plan.reached,
                "passes": list(plan.passes), **told.to_dict(), "written": written}  # fmt: skip
        say(json.dumps(what, indent=2, allow_nan=False))
    else:
        say("\n".join([*plan.passes, told.text(), *(f"written: {t}" for t in written)]))
    if not good:
        complain(f"{clip.name} is performed up to {plan.reached:.2f} s of {plan.seconds:.2f} s; another --seed, or "
                 "--set samples=600, may go farther.")  # fmt: skip
    return 0 if good else NOT_WHOLE


class Line:
    """One line on a terminal that shows how far the search is, and where the clip is hard."""

    def __init__(self, name: str):
        self.name, self.live, self.drawn = name, sys.stderr is not None and sys.stderr.isatty(), False

    def draw(self, now: Progress) -> None:
        if self.live:
            share = 100 * now.window // max(now.windows, 1)
            text = f"\r{self.name} pass {now.number} of {now.passes} [{now.picture()}] {share:3d} % "
            sys.stderr.write(text)
            sys.stderr.flush()
            self.drawn = True

    def close(self) -> None:
        if self.drawn:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()

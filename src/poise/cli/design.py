"""`poise design`: from a sketch of vibrations to a gait that stays up."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from poise import files
from poise.cli import saving
from poise.cli.process import say
from poise.errors import AlreadyThere, BadValue, NoSolution

if TYPE_CHECKING:
    from poise.methods.vibration.gait import Gait
    from poise.methods.vibration.search import Designer, Progress
    from poise.methods.vibration.sketch import Sketch


LIKE = 0.5  # how alike a vibration must be to stand for a priority mode without a word of warning


def arguments(p: argparse.ArgumentParser) -> None:
    p.add_argument("sketch", metavar="SKETCH", help="a sketch file (.toml), or a built-in one, such as runner")
    p.add_argument("-o", "--output", metavar="GAIT", help="where to write the gait (.toml)")
    p.add_argument("--character", metavar="BODY", help="lead the sketch over to another body: a built-in character, a "
                   "model, or a motion file whose skeleton is meant")  # fmt: skip
    p.add_argument("--sketch", dest="written", metavar="FILE", help="no search: write the sketch (.toml), such as one "
                   "that was led over to your body, to be edited")  # fmt: skip
    p.add_argument("--preview", metavar="FILE", help="no search: what the sketched vibrations do without gravity, as "
                   "an animation (.html, .bvh, .png, ...)")  # fmt: skip
    p.add_argument("--from", dest="origin", metavar="GAIT", help="a gait of the same body to begin with, such as that "
                   "of the sketch before it was changed, or one that comes with poise, such as runner")  # fmt: skip
    p.add_argument("--seed", type=int, default=0, help="of the random search (default: 0)")
    p.add_argument("--random-start", action="store_true", help="begin with random amplitudes and times in place of "
                   "those of the sketch; priority amplitudes still are lower bounds")  # fmt: skip
    p.add_argument("--printed", action="store_true", help="the paper's own search in place of ours: no feedback, no "
                   "torque limits, the starting pose is searched too; takes --seed and --random-start, and about five "
                   "minutes. Such gaits stand for a few steps only")  # fmt: skip
    p.add_argument("--workers", type=int, default=0, help="processes that try candidates (default: one a core)")
    p.add_argument("--cluster", default="", metavar="ADDRESS", help="try candidates on this Dask scheduler, such as "
                   "tcp://host:8786")  # fmt: skip
    p.add_argument("--attempts", type=int, default=6, help="searches at most, until one ends with a gait that endures "
                   "pushes, noise and slopes (default: 6; 1 is fastest)")  # fmt: skip
    p.add_argument("--population", type=int, default=16, help="candidates of a generation (default: 16)")
    p.add_argument("--checkpoint", metavar="FILE", help="where the search is kept, to be gone on with after a stop "
                   "(default: GAIT.checkpoint.npz; removed when the gait is written)")  # fmt: skip
    saving.add_force(p)


def run(args: argparse.Namespace) -> int:
    from poise.methods.vibration.design import design
    from poise.methods.vibration.gait import find_gait
    from poise.progress import tell_first_compilation
    from poise.simulate.batch import Batch, check_cluster

    if args.preview or args.written:
        _check_alone(args)
        return _written(args) if args.written else _preview(args)
    _check(args)
    check_cluster(args.cluster)
    sketch = _sketch(args)
    if args.printed:
        return _printed(args, sketch)
    origin = None if args.origin is None else find_gait(args.origin)
    kept = _checkpoint(args)
    files.check_writable(kept)
    tell_first_compilation()
    watch = _Watch()
    try:
        made = design(sketch, origin=origin, seed=args.seed, population=args.population, attempts=args.attempts,
                      batch=Batch(args.workers, args.cluster), checkpoint=kept, watch=watch,
                      random_start=args.random_start)  # fmt: skip
    except KeyboardInterrupt:
        watch.close()
        there = f"the same command goes on from {kept}" if kept.exists() else "nothing was kept yet"
        raise KeyboardInterrupt(f"Stopped; {there}.") from None
    except NoSolution:
        watch.close()
        kept.unlink(missing_ok=True)  # it is over, and the same search comes to nothing again
        raise
    watch.close()
    made.save(args.output)
    kept.unlink(missing_ok=True)
    _tell(args, made)
    return 0 if not made.missed else 1


def _checkpoint(args: argparse.Namespace) -> Path:
    return Path(args.checkpoint or f"{args.output}.checkpoint.npz")


def _check(args: argparse.Namespace) -> None:
    """Refuse what could not be done before the work begins."""
    if args.output is None:
        raise BadValue(
            "Say where to write the gait, -o GAIT.toml, or look at the sketch alone: --preview or --sketch FILE."
        )
    if not args.output.lower().endswith(".toml"):
        raise BadValue(f"A gait is written to a file that ends in .toml, not to {args.output!r}.")
    files.check_writable(args.output)
    if not args.force and os.path.isfile(args.output):
        raise AlreadyThere(args.output, "it exists already; give another name, or --force to replace it.")
    places = {os.path.realpath(p): what for p, what in ((args.sketch, "the sketch itself"),
              (args.origin, "the gait to begin with")) if p is not None and os.path.isfile(p)}  # fmt: skip
    for place in (args.output, str(_checkpoint(args))):
        if os.path.realpath(place) in places:
            raise AlreadyThere(place, f"it is {places[os.path.realpath(place)]}; give another name.")
    if os.path.realpath(_checkpoint(args)) == os.path.realpath(args.output):
        raise AlreadyThere(args.output, "the checkpoint and the gait cannot be one file; give one another name.")
    if args.seed < 0 or not 8 <= args.population <= 4096 or args.workers < 0 or args.attempts < 1:
        raise BadValue("--seed and --workers want 0 or more, --attempts 1 or more, --population from 8 to 4096.")
    if args.random_start and args.origin is not None:
        raise BadValue("--random-start begins at random and --from with a gait; name one of the two.")
    others = {"from": None, "checkpoint": None, "cluster": "", "workers": 0, "attempts": 6, "population": 16}
    given = [f"--{k}" for k, v in others.items() if getattr(args, "origin" if k == "from" else k) != v]
    if args.printed and given:
        raise BadValue(f"--printed is the paper's own search and takes --seed and --random-start; leave {given[0]} "
                       "away.")  # fmt: skip


def _sketch(args: argparse.Namespace) -> Sketch:
    """The sketch, on another body if one is named: then with a line on how well its vibrations are found there."""
    from poise.methods.vibration.other_body import on_body
    from poise.methods.vibration.sketch import find_sketch

    sketch = find_sketch(args.sketch)
    if args.character is None:
        return sketch
    led = on_body(sketch, args.character)
    if not args.json:
        words = ", ".join(f"{a} is {' and '.join(b)} ({100 * alike:.0f} %)" for a, (b, alike) in led.modes.items())
        say(f"{sketch.name} on {args.character}, each vibration by the one most like it: {words}")
        poor = [m for m in (*sketch.flight.priority, *sketch.ground.priority) if led.modes[m][1] < LIKE]
        if poor:
            say(f"!! hardly found on this body: {', '.join(poor)}; what the sketch means by them may be lost")
        if led.sketch.even:
            say("left and right of this body are made alike, each bone at the mean of both")
    return led.sketch


def _check_alone(args: argparse.Namespace) -> None:
    """Refuse options of a search where the sketch alone is looked at or written."""
    given = {"-o": args.output, "--from": args.origin, "--cluster": args.cluster, "--checkpoint": args.checkpoint,
             "--printed": args.printed, "--random-start": args.random_start,
             "--preview": args.preview if args.written else None}  # fmt: skip
    for name, value in given.items():
        if value:
            what = "--sketch writes" if args.written else "--preview shows"
            raise BadValue(f"{what} the sketch alone, without a search; leave {name} away.")


def _written(args: argparse.Namespace) -> int:
    """The sketch as a file."""
    if not args.written.lower().endswith(".toml"):
        raise BadValue(f"A sketch is written to a file that ends in .toml, not to {args.written!r}.")
    files.check_writable(args.written)
    if not args.force and os.path.isfile(args.written):
        raise AlreadyThere(args.written, "it exists already; give another name, or --force to replace it.")
    sketch = _sketch(args)
    sketch.save(args.written)
    say(json.dumps({"written": args.written, "character": sketch.character}, indent=2) if args.json else
        f"{args.written}: edit it, then  poise design {shlex.quote(args.written)} -o GAIT.toml")  # fmt: skip
    return 0


def _preview(args: argparse.Namespace) -> int:
    """The sketch as an animation without gravity."""
    from poise.methods.vibration.showing import sketch_clip
    from poise.progress import tell_first_compilation

    saving.check(args.preview, force=args.force)
    sketch = _sketch(args)
    tell_first_compilation()
    clip = sketch_clip(sketch)
    written = saving.save(clip, args.preview, force=args.force)
    say(f"{written}: {sketch.name} of {sketch.character} without gravity, {clip.duration:.2f} s")
    return 0


class _Watch:
    """How the search goes: one line that is renewed on a terminal, a line a round where there is none."""

    def __init__(self) -> None:
        self.begun, self.live = time.monotonic(), sys.stderr is not None and sys.stderr.isatty()
        self.first, self.which, self.told = 0, (-1, -1, -1), ""
        self.fastest = 0.0  # [m/s] of those that violate nothing

    def __call__(self, work: Designer, seconds: float) -> None:
        p = work.progress
        if p.score is not None and not p.score.easy.any():
            self.fastest = max(self.fastest, p.score.speed)
        where = f"attempt {p.attempt + 1}, " if p.attempt else ""
        if work.finishing is not None:
            f = work.finishing
            self.say(f"{where}feedback", f", generation {f.generation} of {f.generations} at most: stays up in "
                      f"{f.stays_up} of {f.pushes} pushes")  # fmt: skip
        elif work.over:
            self.say(f"{where}feedback", ": trying some about the mean of many steps")
        else:
            where += f"start {p.beginning + 1}, " if p.beginning else ""
            where += f"round {p.round + 1}/{len(work.plan)}" + (f", repeat {p.again}" if p.again else "")
            self.say(where, f", generation {p.search.generation}: {self._best(p)}{self._left(work)}")

    def _best(self, p: Progress) -> str:
        """The best candidate of this round, in words."""
        s = p.score
        if s is None or s.fell:
            return "every candidate falls"
        told = f"{s.speed:.2f} m/s, {_missing(s.easy)}, objective {s.objective:.0f}"
        return told + (f", fastest so far {self.fastest:.2f} m/s" if self.fastest else "")

    def _left(self, work: Designer) -> str:
        """How long the rounds of this attempt take yet, as fast as they went so far; nothing before that is known."""
        p, plan = work.progress, work.plan
        done = sum(r.generations * r.units for r in plan[: p.round]) + p.search.generation * plan[p.round].units
        every = sum(r.generations * r.units for r in plan)
        if self.which != (p.attempt, p.beginning, p.again):
            self.which, self.first, self.begun = (p.attempt, p.beginning, p.again), done, time.monotonic()
        if done <= self.first:
            return ""
        left = (time.monotonic() - self.begun) * max(every - done, 0) / (done - self.first)
        return f", about {left:.0f} s left of this attempt"

    def say(self, where: str, what: str) -> None:
        """Put this in the place of the last line, or on a line of its own if it is about another part of the work."""
        if self.live:
            sys.stderr.write(f"\r\033[K{where}{what} ")
        elif sys.stderr is not None and where != self.told:
            sys.stderr.write(f"{where}{what}\n")
        else:
            return
        self.told = where
        sys.stderr.flush()

    def close(self) -> None:
        """Clear the line."""
        if self.live:
            sys.stderr.write("\r\033[K")


def _printed(args: argparse.Namespace, sketch: Sketch) -> int:
    """The gait of the paper's own search."""
    from poise.methods.vibration.printed import RANDOM, SKETCH, Standing, printed_design
    from poise.progress import tell_first_compilation

    tell_first_compilation()
    line = _Watch()

    def watch(now: Standing) -> None:
        near = "" if now.nearest is None else f", cyclic error {now.nearest.drift:.2g} at best"
        line.say(f"run {now.run + 1}", f", generation {now.generation}{near}")

    made = printed_design(sketch, args.seed, RANDOM if args.random_start else SKETCH, watch=watch)
    line.close()
    made.save(args.output)
    f = made.facts
    if args.json:
        known = {k: v if np.all(np.isfinite(v)) else None for k, v in f.items()}
        say(json.dumps({"written": args.output, "character": made.sketch.character, **known}, indent=2))
        return 0
    say(f"{args.output}: {made.sketch.name} of {made.sketch.character} at {f['speed']:.2f} m/s")
    say(f"{_missing(f['easy'])}; cyclic error {f['cyclic_error']:.2g}; stands for {f['open_loop_units']} steps without "
        "feedback")  # fmt: skip
    say(f"{f['evaluations']} evaluations in {f['runs']} runs, {f['cpu_seconds']:.0f} CPU s")
    say(f"watch it: poise perform {shlex.quote(args.output)} --save take.html")
    return 0


def _missing(easy: Any) -> str:
    from poise.methods.vibration.score import violated

    names = violated(easy)
    return "no constraint violated" if names == "none" else f"violated: {names}"


def _tell(args: argparse.Namespace, made: Gait) -> None:
    f = made.facts
    if args.json:
        known = {k: v if isinstance(v, dict) or np.all(np.isfinite(v)) else None for k, v in f.items()}
        say(json.dumps({"written": args.output, "character": made.sketch.character, "missed": list(made.missed),
                        **known}, indent=2))  # fmt: skip
        return
    say(f"{args.output}: {made.sketch.name} of {made.sketch.character} at {f['speed']:.2f} m/s, steps of "
        f"{made.times['period'] / (2 if made.sketch.gait == 'run' else 1):.3f} s")  # fmt: skip
    say(f"{_missing(f['easy'])}; cycles differ by {f['cyclic_error']:.2g}; feedback {100 * f['feedback_share']:.1f} % "
        f"of the bursts; feet sink in {1000 * f['deepest']:.1f} mm")  # fmt: skip
    say(f"stays up for {f['units']} steps of {f['units_asked']} asked, in {f['stays_up']} of {f['pushes']} pushes and "
        f"in {f['noise_and_slopes_kept']} of {f['noise_and_slopes']} runs with sensor noise or on a slope; without "
        f"feedback for {f['open_loop_units']} steps")  # fmt: skip
    if made.missed:
        say(f"short of what was asked: {', '.join(made.missed)}. Another --seed or more modes may help.")
    say(f"{f['evaluations']} evaluations, {f['cpu_seconds']:.0f} CPU s")
    say(f"watch it: poise perform {shlex.quote(args.output)} --save take.html")

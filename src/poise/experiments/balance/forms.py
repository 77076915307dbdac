"""The document's form beside ours: standing, pushes, recordings, 8 starts each."""

from __future__ import annotations

from collections.abc import Callable

from poise.character.load import load_character
from poise.experiments.balance.spheres import stays_up
from poise.experiments.balance.trial import (
    FIRST,
    FORMS,
    MIRRORED,
    all_round,
    careless,
    one_foot,
    outlasts,
    recovers,
    two_feet,
)
from poise.experiments.reproduce import Options, Table, told
from poise.methods.balance import Balance
from poise.motion.clip import Clip
from poise.motion.load import load_clip

STANDING = 5.0  # [s]
PUSHES = (20.0, 40.0, 60.0)  # [N s]
RECORDED = {"punch": "02_05", "bend": "26_10", "squat": "22_14", "walk": "02_01", "march": "91_19"}
BUILT_IN = ("punch", "squat", "walk")


def run(options: Options) -> Table:
    """One row a task: how many succeed by both forms."""
    rows = []
    for name, task in _tasks(options).items():
        won = [task(method) for _, method in FORMS]
        rows.append(told((name, *(f"{sum(w)}/{len(w)}" for w in won))))
    notes = (f"human45. Standing for {STANDING:g} s from joints off by 6 degrees, dropped by up to 3 cm; pushes on the "
             "chest for 0.1 s in 8 directions; clips to their end or 4 s, starts with noise of 0.05 rad/s and m/s.",
             MIRRORED)  # fmt: skip
    return Table("The document's form and ours", ("task", *(n for n, _ in FORMS)), tuple(rows), notes)


def _tasks(options: Options) -> dict[str, Callable[[Balance], list[bool]]]:
    """By name, which of several attempts a method succeeds in."""
    body, seeds = load_character("human45"), range(FIRST, FIRST + options.seeds)
    both, ones = two_feet(body), [one_foot(body, side) for side in ("left", "right")]

    def stands(clips: list[Clip]) -> Callable[[Balance], list[bool]]:
        return lambda m: [outlasts(clips[s % 2], m, STANDING, q=careless(clips[s % 2], s)) is None for s in seeds]

    out = {"two feet": stands([both, both]), "one foot": stands(ones)}
    for size in PUSHES:
        out[f"push of {size:g} N s"] = lambda m, size=size: all_round(lambda way: recovers(both, m, size, way))
    clips = {name: load_clip(name, character="human45") for name in BUILT_IN}
    if options.recordings is not None:
        files = {name: options.recording(stem) for name, stem in RECORDED.items()}
        clips = {f"{name} ({f.stem.split('_f')[0]})": load_clip(f).retarget(body) for name, f in files.items() if f}
    for name, clip in clips.items():
        out[name] = lambda m, clip=clip: [stays_up(clip, m, seed, None) for seed in seeds]
    return out

"""The document's form beside ours: standing, pushes, recordings, 8 starts each.

python -m poise.experiments.balance.forms [--recordings MOCAP] [--seeds N]
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from poise.character.load import load_character
from poise.experiments.balance.poses import careless, one_foot, two_feet
from poise.experiments.balance.pushing import DIRECTIONS, recovers
from poise.experiments.balance.standing import FIRST
from poise.experiments.balance.struck import FORMS, stays_up
from poise.experiments.balance.table import Options, Table, main, say
from poise.experiments.balance.trial import outlasts
from poise.methods.balance import Balance
from poise.motion.clip import Clip
from poise.motion.load import load_clip

STANDING = 5.0  # [s]
PUSHES = (20.0, 40.0, 60.0)  # [N s]
RECORDED = {"punch": "02_05*", "bend": "26_10*", "squat": "22_14*", "walk": "02_01*", "march": "91_19*"}
BUILT_IN = ("punch", "squat", "walk")


def run(options: Options) -> Table:
    """One row a task: how many succeed by both forms."""
    rows = []
    for name, task in _tasks(options.folder).items():
        count = len(DIRECTIONS) if name.startswith("push") else options.seeds
        won = [[task(method, k) for k in range(count)] for _, method in FORMS]
        rows.append((name, *(f"{sum(w)}/{count}" for w in won)))
        say(rows[-1])
    notes = (f"human45. Standing for {STANDING:g} s from joints off by 6 degrees, dropped by up to 3 cm; pushes on the "
             "chest for 0.1 s in 8 directions (body and pose are symmetric: those beyond 180 degrees are mirror "
             "images); clips to their end or 4 s, starts with noise of 0.05 rad/s and m/s.",)  # fmt: skip
    return Table("The document's form and ours", ("task", *(n for n, _ in FORMS)), tuple(rows), notes)


def _tasks(folder: Path | None) -> dict[str, Callable[[Balance, int], bool]]:
    """What is tried with a method and the number of a start, by name."""
    body = load_character("human45")
    both, ones = two_feet(body), [one_foot(body, side) for side in ("left", "right")]
    out: dict[str, Callable[[Balance, int], bool]] = {
        "two feet": lambda m, k: outlasts(both, m, STANDING, q=careless(both, FIRST + k)) is None,
        "one foot": lambda m, k: outlasts(ones[k % 2], m, STANDING, q=careless(ones[k % 2], FIRST + k)) is None,
    }
    for size in PUSHES:
        out[f"push of {size:g} N s"] = _pushes(both, size)
    clips = {name: load_clip(name, character="human45") for name in BUILT_IN}
    if folder is not None:
        files = {name: sorted(Path(folder).glob(f"cmu/{pattern}.bvh")) for name, pattern in RECORDED.items()}
        clips = {
            f"{name} ({f[0].stem.split('_f')[0]})": load_clip(f[0]).retarget(body) for name, f in files.items() if f
        }
    for name, clip in clips.items():
        out[name] = lambda m, k, clip=clip: stays_up(clip, m, FIRST + k, None)
    return out


def _pushes(clip: Clip, size: float) -> Callable[[Balance, int], bool]:
    """Recovery from a push in one of the directions; mirror images are looked up."""
    known: dict[tuple[int, float], bool] = {}

    def pushed(method: Balance, k: int) -> bool:
        way = min(DIRECTIONS[k], 360.0 - DIRECTIONS[k])
        if (id(method), way) not in known:
            known[id(method), way] = recovers(clip, method, size, way)
        return known[id(method), way]

    return pushed


if __name__ == "__main__":
    main(run)

"""Section 7.3: a strong push backward on a walker, with the reference slowed while it is followed, and not."""

from __future__ import annotations

import sys

import numpy as np

from poise.experiments.modal.edits import COLUMNS, told
from poise.experiments.modal.trial import WAYS, push
from poise.experiments.reproduce import Options, Table
from poise.motion import edit
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.motion.reference import Reference
from poise.performance import perform
from poise.stage import Stage
from poise.take import Take

BACK = {False: (300.0, 400.0), True: (550.0,)}  # [N] backward, without and with footholds
LASTS = 10 / 120  # [s]


def slower(at: float, until: float) -> edit.Warp:
    """A motion that goes a quarter slower for a second from `at` [s] on: at once, as the push does, and gently back."""
    new = np.arange(0.0, until + 0.025, 0.025)
    begins, ends = np.clip((new - at) / 0.1, 0.0, 1.0), np.clip((new - at - 0.75) / 0.5, 0.0, 1.0)
    speed = 1.0 - 0.25 * (begins**2 * (3.0 - 2.0 * begins) - ends**2 * (3.0 - 2.0 * ends))
    old = np.concatenate([[0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(new))])
    return edit.Warp(times=tuple((float(a), float(b)) for a, b in zip(old, new, strict=True)))


def slowed(clip: Clip, force: float, at: float, slow: bool, way: str, footholds: bool) -> Take:
    """A push backward on a walker, whose reference is then slowed by a quarter for a second, while it is followed."""
    seconds = at + LASTS + 5.05
    reference = Reference(clip.repeat(int(np.ceil((seconds + 1.0) / clip.duration))))
    if slow:
        reference = reference.edit(slower(at, seconds), at=at, over=0.05)
    stage = Stage(ground=clip.ground, events=(push(force, _heading(clip) + 180.0, at, LASTS),))
    return perform(reference, WAYS[way](footholds=footholds), stage=stage, seconds=seconds)


def _heading(clip: Clip) -> float:
    assert clip.cycle is not None
    return float(np.degrees(np.arctan2(clip.cycle.shift[1], clip.cycle.shift[0])))


def run(options: Options) -> Table:
    """Pushes backward, with the reference slowed and not, at as many phases as there are seeds."""
    body, walk = "human42", load_clip("walk")
    rows: list[tuple[object, ...]] = []
    for footholds, forces in BACK.items():
        calm = perform(walk, WAYS["modal update"](footholds=footholds), seconds=7.0)
        for force in forces:
            backs = []
            for slow in (False, True):
                at = [1.0 + k / options.seeds * walk.duration for k in range(options.seeds)]
                takes = [slowed(walk, force, t, slow, "modal update", footholds) for t in at]
                seen = told(takes)
                backs.append([bool(x.recovered(t + LASTS, calm)) for x, t in zip(takes, at, strict=True)])
                name = f"{force:g} N backward, {'slowed by 25 % for 1 s' if slow else 'not slowed'}"
                way = "modal update" + ("" if footholds else ", no footholds")
                rows.append((body, name, way, seen[0], f"{sum(backs[-1])}/{len(takes)}", *seen[2:]))
            only = sum(b and not a for a, b in zip(*backs, strict=True))
            lost = sum(a and not b for a, b in zip(*backs, strict=True))
            what = f"{force:g} N backward: back only if slowed, only if not"
            rows.append((body, what, "", "", f"{only}, {lost}", "", ""))
            print(*rows[-3:], sep="\n", file=sys.stderr, flush=True)
    return Table("A walker pushed backward for 10 frames, its reference slowed by a quarter for a second", COLUMNS,
                 tuple(rows), ("Back with its reference: `take.recovered` 5 s later, against it as it is then.",)
                 )  # fmt: skip


def main() -> None:
    """Print the table."""
    print(run(Options(1)).text())


if __name__ == "__main__":
    main()

"""Section 7.3: a walk edited while it is followed: ramps, strides, speed.

The reference is changed by `Reference.edit` and made physical half a second ahead again and again, as one who follows
it would do. Lengths are those of the paper: for every step, half of a stride.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np

from poise.experiments.modal.trial import WAYS
from poise.experiments.reproduce import Options, Table
from poise.motion import edit
from poise.motion.clip import Clip
from poise.motion.ground import Slope
from poise.motion.load import load_clip
from poise.motion.reference import Reference
from poise.performance import perform
from poise.physical.live import follow
from poise.physical.repair.repair import make_physical
from poise.stage import Stage
from poise.take import Take

SECONDS, LIVE = 6.0, 1.0  # [s] of a walk, and when an edit of the motion under way begins
BEFORE = ", before it begins"  # made physical as a whole
RECORDED = "02_01"  # a walk, on its own character
COLUMNS = ("walk", "edit", "way", "stayed up", "back with its reference", "joints [deg]", "root [cm]")


def walks(folder: Path | None) -> dict[str, Clip]:
    """The built-in walk; with a folder of recordings also one of them on its own character, looped, made physical."""
    out = {"human42": load_clip("walk")}
    if folder is not None:
        out[RECORDED] = make_physical(load_clip(folder / "cmu" / f"{RECORDED}.bvh").loop())
    return out


def stride(clip: Clip) -> float:
    """Length [m] of two steps."""
    assert clip.cycle is not None
    return float(np.linalg.norm(clip.cycle.shift[:2]))


def faster(begun: Reference, at: float, speed: float, more: edit.Stride) -> Reference:
    """Longer strides at another speed from time `at` [s] on, beginning with the pose at hand."""
    start = (at + begun.start) / speed - at  # when the quicker motion has come as far
    return begun.hand_over(Reference(begun.clip, (more, edit.Warp(speed=speed)), start), at)


def edited(clip: Clip) -> dict[str, Callable[[Reference], Reference]]:
    """What is done to a walk, by its name."""
    long = stride(clip)
    return {
        "ramp +3 degrees": lambda r: r.edit(edit.Slope(3.0)),
        "ramp -5 degrees": lambda r: r.edit(edit.Slope(-5.0)),
        "each step +10 cm": lambda r: r.edit(edit.Stride(metres=long + 0.20), at=LIVE),
        "each step -15 cm": lambda r: r.edit(edit.Stride(metres=long - 0.30), at=LIVE),
        f"ramp +3 degrees{BEFORE}": lambda r: _baked(r, edit.Slope(3.0)),
        f"ramp -5 degrees{BEFORE}": lambda r: _baked(r, edit.Slope(-5.0)),
        "10 % faster, each step +15 cm": lambda r: faster(r, LIVE, 1.1, edit.Stride(metres=long + 0.30)),
    }


def _baked(begun: Reference, change: edit.Slope) -> Reference:
    """The clip edited and made physical as a whole, begun at the same phase."""
    return Reference(_whole(begun.clip, change), start=begun.start)


@lru_cache(maxsize=4)
def _whole(clip: Clip, change: edit.Slope) -> Clip:
    return make_physical(clip.edit(change))


def _ground(reference: Reference) -> Stage:
    ground = reference.baked.ground
    return Stage(ground=ground) if isinstance(ground, Slope) else Stage()


def run(options: Options) -> Table:
    """One row a walk, an edit and a way; starts at as many phases as there are seeds."""
    rows, figures = [], []
    for body, walk in walks(options.folder).items():
        for name, change in edited(walk).items():
            takes: dict[str, list[Take]] = {way: [] for way in WAYS}
            for k in range(options.seeds):
                reference = change(Reference(walk, start=k / options.seeds * walk.duration))
                live = reference if name.endswith(BEFORE) else follow(reference, SECONDS)
                for way, kind in WAYS.items():
                    takes[way].append(perform(live, kind(), stage=_ground(reference), seconds=SECONDS - 0.5))
            rows += [(body, name, way, *told(takes[way])) for way in WAYS]
            print(*rows[-2:], sep="\n", file=sys.stderr, flush=True)  # it takes long
            figures += _filmed(options.out, f"modal-edit-{body}-{name}", takes["modal update"][0])
    return Table(f"Walks of {SECONDS - 0.5:g} s, edited while they are followed", COLUMNS, tuple(rows),
                 ("Back with its reference: in the end joints within 10 degrees, root within 10 cm and 10 degrees.",),
                 tuple(figures))  # fmt: skip


def told(takes: list[Take]) -> tuple[str, str, float, float]:
    """How many stayed up and are with their reference at the end, medians of their errors."""
    total = len(takes)
    errors = [take.tracking_error() for take in takes]
    stood = [take.ended.whole for take in takes]
    ends = [take.cut(max(0.0, take.time[-1] - 0.5)).tracking_error() for take in takes]
    back = [s and np.degrees(e.joints) < 10.0 and e.root_position < 0.1 and np.degrees(e.root_orientation) < 10.0
            for s, e in zip(stood, ends, strict=True)]  # fmt: skip
    return (f"{sum(stood)}/{total}", f"{sum(back)}/{total}",
            float(np.median([np.degrees(e.joints) for e in errors])),
            float(np.median([100.0 * e.root_position for e in errors])))  # fmt: skip


def _filmed(out: Path | None, name: str, take: Take) -> list[str]:
    if out is None:
        return []
    path = out / f"{re.sub('[^a-z0-9]+', '-', name.lower())}.png"
    take.save(path)
    return [str(path)]


def main() -> None:
    """Print the table."""
    print(run(Options(1)).text())


if __name__ == "__main__":
    main()

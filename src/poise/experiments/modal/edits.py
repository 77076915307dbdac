"""Section 7.3: the walk edited before it begins and while it is followed: ramps, strides, speed, a slowed reference."""

from __future__ import annotations

import numpy as np

from poise.experiments.modal.trial import WAYS, push
from poise.experiments.reproduce import Options, Table
from poise.methods.modal import Modal
from poise.motion import edit
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.motion.reference import Reference
from poise.performance import perform
from poise.physical.live import follow
from poise.stage import Stage
from poise.take import Take

SECONDS = 10.0
LIVE = 1.0  # [s] when an edit of the motion under way begins
BACK, LASTS = (200.0, 250.0, 300.0), 10 / 120  # [N] backward, [s]


def cases(clip: Clip) -> dict[str, Clip]:
    """Edited clips by what was done to them."""
    assert clip.cycle is not None
    long = float(np.linalg.norm(clip.cycle.shift[:2]))  # [m] of a stride: two steps
    return {
        "as it is": clip,
        "ramp +3 degrees": clip.edit(edit.Slope(3.0)),
        "ramp -5 degrees": clip.edit(edit.Slope(-5.0)),
        "strides +10 cm": clip.edit(edit.Stride(metres=long + 0.10)),
        "strides -15 cm": clip.edit(edit.Stride(metres=long - 0.15)),
        "10 % faster, strides +15 cm": clip.edit(edit.Stride(metres=long + 0.15)).edit(edit.Warp(speed=1.1)),
    }


def live(clip: Clip, start: float) -> dict[str, Reference]:
    """References edited while they are followed, made physical half a second ahead, again and again."""
    assert clip.cycle is not None
    long = float(np.linalg.norm(clip.cycle.shift[:2]))
    begun = Reference(clip, start=start)
    edited = {
        "live: strides +10 cm": begun.edit(edit.Stride(metres=long + 0.10), at=LIVE),
        "live: strides -15 cm": begun.edit(edit.Stride(metres=long - 0.15), at=LIVE),
        "live: 10 % faster": begun.edit(edit.Warp(speed=1.1), at=LIVE),
    }
    return {name: follow(reference, SECONDS) for name, reference in edited.items()}


def _slowed(clip: Clip, force: float, at: float, slow: bool) -> Take:
    """A push backward on a walker without footholds, whose reference then goes on at three quarters of its speed."""
    seconds = at + LASTS + 5.05
    long = clip.repeat(int(np.ceil((seconds + 1.0) / clip.duration)))
    changed = long.edit(edit.Warp(speed=0.75, start=at, end=at + 1.0)) if slow else long
    stage = Stage(ground=clip.ground, events=(push(force, 180.0, at, LASTS),))
    return perform(Reference(changed), Modal(footholds=False), stage=stage, seconds=seconds)


def run(options: Options) -> Table:
    """One row an edit and a way; starts at as many phases as there are seeds."""
    rows, walk = [], load_clip("walk")
    starts = [k / options.seeds for k in range(options.seeds)]
    for name, clip in cases(walk).items():
        for way, kind in WAYS.items():
            takes = [perform(clip, kind(), stage=Stage(ground=clip.ground), seconds=SECONDS, start=s * clip.duration)
                     for s in starts]  # fmt: skip
            rows.append((name, way, *_told(takes)))
    lived: dict[str, list[Take]] = {}
    for s in starts:
        for name, reference in live(walk, s * walk.duration).items():
            lived.setdefault(name, []).append(perform(reference, Modal(), stage=Stage(), seconds=SECONDS - 0.5))
    rows += [(name, "modal update", *_told(takes)) for name, takes in lived.items()]
    for force in BACK:
        for slow in (False, True):
            takes = [_slowed(walk, force, 1.0 + s * walk.duration, slow) for s in starts]
            rows.append((f"push of {force:g} N backward, {'slowed by 25 % for 1 s' if slow else 'not slowed'}",
                         "no footholds", *_told(takes)))  # fmt: skip
    return Table(
        f"Edited walks, {SECONDS:g} s each", ("edit", "way", "stayed up", "joints [deg]", "root [cm]"), tuple(rows)
    )


def _told(takes: list[Take]) -> tuple[str, float, float]:
    """How many stayed up, and the medians of their errors."""
    errors = [take.tracking_error() for take in takes]
    stood = sum(take.fell is None and not any(e.kind == "blow-up" for e in take.events) for take in takes)
    return (f"{stood}/{len(takes)}", float(np.median([np.degrees(e.joints) for e in errors])),
            float(np.median([100.0 * e.root_position for e in errors])))  # fmt: skip


def main() -> None:
    """Print the table."""
    print(run(Options(1)).text())


if __name__ == "__main__":
    main()

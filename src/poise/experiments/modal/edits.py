"""Section 7.3: the walk edited while it is followed: ramps, strides, speed; judged as an undisturbed walk is."""

from __future__ import annotations

import numpy as np

from poise.experiments.modal.trial import WAYS
from poise.experiments.reproduce import Options, Table
from poise.motion import edit
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.motion.reference import Reference
from poise.performance import perform
from poise.stage import Stage

SECONDS = 10.0


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


def run(options: Options) -> Table:
    """One row an edit and a way; starts at as many phases as there are seeds."""
    rows = []
    for name, clip in cases(load_clip("walk")).items():
        for way, kind in WAYS.items():
            joints, root, stood = [], [], 0
            for phase in range(options.seeds):
                start = phase / options.seeds * clip.duration
                take = perform(Reference(clip, start=start), kind(), stage=Stage(ground=clip.ground), seconds=SECONDS)
                off = take.tracking_error()
                stood += take.fell is None and take.duration > SECONDS - 0.1
                joints.append(float(np.degrees(off.joints)))
                root.append(100.0 * off.root_position)
            rows.append((name, way, f"{stood}/{options.seeds}", float(np.median(joints)), float(np.median(root))))
    return Table(
        f"Edited walks, {SECONDS:g} s each", ("edit", "way", "stayed up", "joints [deg]", "root [cm]"), tuple(rows)
    )


def main() -> None:
    """Print the table."""
    print(run(Options(1)).text())


if __name__ == "__main__":
    main()

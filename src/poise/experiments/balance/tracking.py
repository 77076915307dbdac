"""Recordings followed unaltered, as figure 7: the error at the right hip; and walking and turning.

python -m poise.experiments.balance.tracking --recordings MOCAP [--out FOLDER]
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from poise.errors import BadValue, MissingExtra
from poise.experiments.balance.table import Options, Table, main, picture, say
from poise.judge.audit import audit
from poise.maths import rotations as rot
from poise.methods.balance import Balance
from poise.motion.load import load_clip
from poise.performance import perform
from poise.take import Take

IN_PLACE = ("02_05*", "26_10*", "120_05*", "144_05*", "22_14*", "135_06*")
WALKS = ("02_01*", "12_01*", "16_17*", "136_20*", "16_33*")
UNSEEN = ("91_19*", "91_16*", "136_25*", "09_12*")  # on which nothing was tried before
BUILT_IN = ("punch", "wave", "squat", "walk")
STARTS = {"16_17*": 0.4}  # [s]: the first frames of this one shake, its chest turns at 16 rad/s
SECONDS = 10.0


def hip_error(take: Take, side: str = "right") -> np.ndarray:
    """Angles (F, 3) [degrees] about x, y, z between the hip of the take and that of its reference."""
    character = take.character
    thigh = character.body(f"{side}_thigh")
    above = int(character.model.body_parentid[thigh])
    turns = []
    for q in (take.q, take.q_ref):
        _, quat = character.forward(q)
        turns.append(rot.multiply(rot.conjugate(quat[:, above]), quat[:, thigh]))
    return np.degrees(rot.log(rot.multiply(rot.conjugate(turns[1]), turns[0])))


def run(options: Options) -> Table:
    """One row a recording: did it stay up, hip and joint error, help."""
    if options.folder is None:
        raise BadValue("Give the folder of recordings with --folder: it has cmu/ with .bvh files.")
    rows = []
    for kind, patterns in (("in place", IN_PLACE), ("walk", WALKS), ("unseen", UNSEEN)):
        for pattern in patterns:
            found = sorted(Path(options.folder).glob(f"cmu/{pattern}.bvh"))
            if found:
                rows.append(_row(kind, load_clip(found[0]), options, STARTS.get(pattern, 0.0)))
    rows += [_row("built in", load_clip(name, character="human45"), options) for name in BUILT_IN]
    return Table("Recordings followed unaltered on their own skeletons, default gains",
                 ("kind", "clip", "seconds", "stays up", "hip rms [deg]", "joints rms [deg]", "assist rms [N m]"),
                 tuple(rows))  # fmt: skip


def _row(kind: str, clip: Any, options: Options, start: float = 0.0) -> tuple[Any, ...]:
    take = perform(clip, Balance(), start=start, seconds=min(SECONDS, clip.duration - start))
    picture(options, take, clip.name)
    if kind == "in place" and options.out is not None:
        _draw(take, options.out / f"balance-hip-{clip.name}.png")
    upright = "yes" if take.ended.whole else f"no: {take.ended.time:.2f} s"
    hip = float(np.sqrt(np.mean(np.sum(hip_error(take) ** 2, axis=1))))
    row = (kind, clip.name, float(take.time[-1]), upright, hip, float(np.degrees(take.tracking_error().joints)),
           audit(take).assist_torque_rms)  # fmt: skip
    say(row)
    return row


def _draw(take: Take, path: Path) -> None:
    """Figure 7: angles of the right hip about x, y and z, by which the simulation differs from the recording."""
    try:
        import matplotlib
    except ImportError:
        raise MissingExtra("The figure", "plots") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    sheet, ax = pyplot.subplots(figsize=(7.0, 2.6))
    for name, angle in zip("xyz", hip_error(take).T, strict=True):
        ax.plot(take.time, angle, label=f"about {name}")
    ax.set_xlabel("time [s]")
    ax.set_ylabel("right hip, difference [degrees]")
    ax.legend(loc="upper right", ncols=3)
    sheet.tight_layout()
    sheet.savefig(path, dpi=110)
    pyplot.close(sheet)


if __name__ == "__main__":
    main(run)

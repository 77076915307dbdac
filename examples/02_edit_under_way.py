"""A reference is edited while it is followed: the walker meets a slope, lengthens its stride, then slows down.

A `Reference` gives configuration, velocity, acceleration and contacts at any time. `edit(e, at=t)` gives a new one
that is the same up to t and blends into the edited motion without a jump. The script walks through 8 s, swaps the
reference three times, and prints the largest step between two samples: no larger than in the plain walk. It leaves a
film strip in the folder given.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import poise
from poise.export.filmstrip import filmstrip
from poise.maths import configuration as conf


def main(folder: str = "demo", seconds: float = 8.0) -> None:
    clip = poise.load_clip("walk")
    plain = live = poise.Reference(clip)
    changes = [
        (1.5, poise.edit.Stride(scale=1.15)),
        (3.5, poise.edit.Warp(speed=0.8)),
        (5.5, poise.edit.Offset("head", degrees=(0.0, 0.0, 40.0))),
    ]
    dt, rows = 1 / 120, []
    for k in range(round(seconds / dt)):
        if changes and k * dt >= changes[0][0]:
            at, change = changes.pop(0)
            live = live.edit(change, at=k * dt, over=0.5)
            print(f"{at:4.1f} s  {change}")
        rows.append(live.sample(k * dt).q)

    followed = clip.with_q(np.array(rows), cycle=None, labels=None, dt=dt)
    jump = np.abs(conf.difference(clip.character.layout, followed.q[:-1], followed.q[1:]))[:, 6:].max()
    usual = np.abs(plain.baked.velocity[:, 6:]).max() * dt
    print(f"largest step of a joint between frames: {jump:.4f} rad, in the plain walk {usual:.4f} rad")

    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    filmstrip(followed, frames=10, labels=["walk, edited while it is followed"]).save(out / "under_way.png")
    print(f"written: {out / 'under_way.png'}")


if __name__ == "__main__":
    main(*sys.argv[1:2])

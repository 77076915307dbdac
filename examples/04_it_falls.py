"""This one fails on purpose: joint servos alone, what a game's powered ragdoll does, cannot walk.

Every joint follows the clip, but nothing watches the balance: the body has no motor on its root, only the ground can
move it. The walker goes down within a second or two, push or no push; the audit shows that the physics was true all
the same. Making it stay up is what the methods of poise are for.
"""

from __future__ import annotations

import sys
from pathlib import Path

import poise
from poise.export.filmstrip import filmstrip


def main(folder: str = "demo", seconds: float = 2.0) -> None:
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    walk = poise.load_clip("walk")
    stage = poise.Stage(events=[poise.Push("chest", force=(0, 150, 0), at=0.5, duration=0.1)])
    wanted = poise.perform(walk, "kinematic", seconds=seconds)
    ragdoll = poise.perform(walk, "pd", stage=stage, seconds=seconds)

    print("stayed up" if ragdoll.fell is None else f"fell at {ragdoll.fell:.2f} s")
    print(poise.audit(ragdoll).text())
    rows = [wanted.as_clip(), ragdoll.as_clip()]
    filmstrip(rows, frames=9, labels=["what it should do", "what servos alone do"]).save(out / "falls.png")
    ragdoll.save(out / "falls.html")
    print(f"written: {out / 'falls.png'}, {out / 'falls.html'}")


if __name__ == "__main__":
    main(*sys.argv[1:2])

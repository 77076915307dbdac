"""One walker fails on purpose, the other stays up: joint servos alone, as in a game's powered ragdoll, cannot walk.

Every joint follows the clip, but nothing watches the balance: the body has no motor on its root, only the ground can
move it. The walker goes down within a second or two, push or no push; the audit shows that the physics was true all
the same. Making it stay up is what the methods of poise are for: `mcsim` is pushed just as hard and walks on.
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

    walker = poise.perform(walk, "mcsim", stage=stage, seconds=seconds)

    for name, take in (("servos alone", ragdoll), ("mcsim", walker)):
        print(f"{name}: " + ("stayed up" if take.fell is None else f"fell at {take.fell:.2f} s"))
        print(poise.audit(take))
    rows = [take.as_clip() for take in (wanted, ragdoll, walker)]
    filmstrip(rows, frames=9, labels=["what it should do", "servos alone", "mcsim"]).save(out / "pushed.png")
    ragdoll.save(out / "falls.html")
    walker.save(out / "walks.html")
    print(f"written: {out / 'pushed.png'}, {out / 'falls.html'}, {out / 'walks.html'}")
    print("Open both pages in a browser: the list on the right jumps to the push, and to where it fell and why.")


if __name__ == "__main__":
    main(*sys.argv[1:2])

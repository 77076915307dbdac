"""A motion is shown, checked, edited for a slope and stairs, moved to another body and sent back to Blender.

Run it with `make demo`, or `python examples/01_house.py [FILE] [FOLDER]` for a recording of your own. It leaves in
`demo/`: a film strip, a page that plays the motion offline, a BVH and a GLB for Blender, and prints what it found.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import poise
from poise.motion.check.check import penetration, skating
from poise.progress import tell_first_compilation, track


def main(source: str = "walk", folder: str = "demo") -> None:
    begun = time.monotonic()
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    tell_first_compilation()

    clip = poise.load_clip(source)
    print(poise.check(clip).text())

    walk = clip if clip.cycle is None else clip.repeat(4)
    uphill = walk.edit(poise.edit.Slope(degrees=6.0))
    stairs = walk.edit(poise.edit.Stairs(rise=0.12, run=0.4))
    other = uphill.retarget(poise.load_character("human57"))

    jobs = {
        "walk.bvh": lambda path: walk.save(path),
        "uphill.bvh": lambda path: uphill.save(path),
        "uphill.glb": lambda path: uphill.save(path),
        "uphill.html": lambda path: uphill.save(path),
        "stairs.html": lambda path: stairs.save(path),
        "strip.png": lambda path: strip(path, walk, uphill, stairs, other),
    }
    for name, job in track(jobs.items(), "writing"):
        job(out / name)

    print(f"\n{'':24}{'skating':>10}{'sinking':>10}")
    for name, made in (("as it came", walk), ("up a slope of 6 degrees", uphill),
                       ("up stairs of 12 cm", stairs), ("the slope on human57", other)):  # fmt: skip
        print(f"{name:24}{100 * skating(made):8.2f} cm/s{1000 * penetration(made):6.1f} mm")
    print(f"\nWritten in {time.monotonic() - begun:.0f} s:")
    for name in jobs:
        print(f"  {out / name}  ({(out / name).stat().st_size / 1000:.0f} kB)")
    print("Open uphill.html and stairs.html in a browser; import uphill.bvh or uphill.glb in Blender.")


def strip(path: Path, *clips: poise.Clip) -> None:
    """A film strip of several clips on one ground line each."""
    from poise.export.filmstrip import filmstrip

    filmstrip(list(clips), frames=9, labels=["walk", "6 degrees uphill", "upstairs", "uphill on human57"]).save(path)


if __name__ == "__main__":
    main(*sys.argv[1:3])

"""A live performance: it walks, is pushed, steered round a curve, edited onto a slope, switched between methods, put
away, taken up again by another process and replayed from its calls, to the same bits; the audit goes by segment.
"""

import subprocess
import sys

import numpy as np

import poise
from poise import edit

RESUME = "import sys, poise; poise.resume(sys.argv[1]).run(float(sys.argv[2])).take().save(sys.argv[3])"


def slope(show: poise.Show, degrees: float) -> tuple[float, float]:
    """Heading [degrees] of the walk, and how far [m] along it the foot stands, where a slope may begin."""
    q, character = show.state.q, show.own.character
    way = np.arctan2(*show.state.v[1::-1])
    points = character.points(q)[0]
    low = points[points[:, 2] < points[:, 2].min() + 0.02]
    along = low[:, :2] @ [np.cos(way), np.sin(way)]
    return float(np.degrees(way)), float(along.max() if degrees > 0.0 else along.min())


def main(folder: str = ".", seconds: float = 2.0) -> None:
    """`seconds` [s] of each part."""
    show = poise.begin(poise.load_clip("walk"), "modal-torques", noise=0.01, seed=2)
    show.run(seconds)
    show.push("chest", (0, 60, 0), duration=0.1)
    show.run(seconds)
    show.steer(1.2, turn=23)  # m/s, degrees/s: a circle of 3 m
    show.run(2 * seconds)
    show.steer(1.2, turn=0)
    show.run(2 * seconds)
    heading, start = slope(show, 3.0)
    show.edit(edit.Slope(3.0, heading, start))
    show.ground(poise.Slope(3.0, heading, start))
    show.run(seconds)
    for method in ("mcsim", "modal", "modal-torques"):
        show.switch(method)
        show.run(seconds)
    show.save_state(f"{folder}/state.npz")
    show.run(seconds)
    take = show.finish()
    for part in take.segments:
        print(f"from frame {part.frame} on: {part.method}")
    for report in poise.audit(take).segments:
        print(report.name, "passes" if report.passed else f"does not pass: {' '.join(report.problems)}")
    same = np.array_equal(poise.replay(take).take().q, take.q)
    subprocess.run([sys.executable, "-c", RESUME, f"{folder}/state.npz", str(seconds), f"{folder}/resumed.npz"],
                   check=True)  # fmt: skip
    resumed = poise.Take.load(f"{folder}/resumed.npz")
    print(take, "replayed to the same bits:", same)
    print("resumed in another process to the same bits:", np.array_equal(resumed.q, take.q[-len(resumed) :]))
    take.save(f"{folder}/live.png")
    print(f"written: {folder}/live.png")


if __name__ == "__main__":
    main()

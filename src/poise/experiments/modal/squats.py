"""Section 7.2: pushes on a squatting body from sixteen sides, against where its capture point comes to lie.

The capture point c + c'/ω, with ω = √(g / height), is where a foot would have to be for the body to come to rest over
it. While it lies within the hull of the feet a body can catch itself where it stands; beyond, it must step or fall.
"""

from __future__ import annotations

import numpy as np

from poise.dynamics import Dynamics
from poise.experiments.modal.trial import performed, push
from poise.experiments.reproduce import Options, Table
from poise.judge.support import beyond_support
from poise.motion.load import load_clip
from poise.take import Take

FORCES = (75.0, 125.0, 175.0, 250.0)  # [N] for twenty frames
DIRECTIONS = tuple(22.5 * k for k in range(16))  # [degrees] from forward to the left
LASTS, AFTER, WINDOW = 20 / 120, 5.05, 16


def beyond(take: Take, at: float) -> float:
    """How far [m] the capture point is outside the hull of the feet at a time [s]; 0 inside."""
    k = int(np.argmin(np.abs(take.time - at)))
    character = take.character
    instant = Dynamics(character).at(take.q[k], take.v[k])
    centre, speed = instant.centre_of_mass, instant.momentum[:3] / character.mass
    capture = centre[:2] + speed[:2] * np.sqrt(max(float(centre[2]), 0.3) / 9.81)
    points = character.contact_points
    feet = np.concatenate([points.of("left"), points.of("right")])
    return beyond_support(character.points(take.q_ref[k])[0][feet, :2], capture)[0]


def run(options: Options) -> Table:
    """One row a force and a direction: outcome and capture point at each of as many phases as there are seeds."""
    clip = load_clip("squat")
    settings = {"window": WINDOW}
    calm = performed(clip, "modal update", 2.0 * clip.duration + 1.0 + AFTER, settings=settings)
    rows, inside, kept, out, saved = [], 0, 0, 0, 0
    for force in FORCES:
        for direction in DIRECTIONS:
            marks, far = "", []
            for phase in range(options.seeds):
                at = 1.0 + phase / options.seeds * clip.duration
                take = performed(clip, "modal update", at + LASTS + AFTER, settings=settings,
                                 events=(push(force, direction, at, LASTS),))  # fmt: skip
                back = bool(take.recovered(at + LASTS, calm))
                far.append(100.0 * beyond(take, at + LASTS))
                if far[-1] <= 0.0:
                    inside, kept = inside + 1, kept + back
                else:
                    out, saved = out + 1, saved + back
                marks += "+" if back else "-"
            rows.append((force, direction, marks, " ".join(f"{x:.0f}" for x in far)))
    share = f"{100 * kept / max(inside, 1):.0f} %"
    return Table("Pushes on the chest of a squatting body, 20 frames, torque limits on",
                 ("force [N]", "direction [deg]", "recovered", "capture point beyond the feet [cm]"), tuple(rows),
                 (f"Capture point within the feet at the end of the push: {kept} of {inside} recovered, {share}.",
                  f"Beyond the feet: {saved} of {out} recovered."))  # fmt: skip


def main() -> None:
    """Print the table."""
    print(run(Options(1)).text())


if __name__ == "__main__":
    main()

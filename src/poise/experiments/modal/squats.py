"""Section 7.2: pushes on a squatting body from sixteen sides, against where its capture point comes to lie.

The capture point c + c'/ω, with ω = √(g / height), is where a foot would have to be for the body to come to rest over
it. While it lies within the hull of the feet a body can catch itself where it stands; beyond, it must step or fall.
"""

from __future__ import annotations

import numpy as np

from poise.dynamics import Dynamics
from poise.experiments.modal.trial import TRACKING, WAYS, joints_after, performed, pushed, tracking_row
from poise.experiments.reproduce import Options, Table
from poise.judge.support import beyond_support
from poise.maths import GRAVITY
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.take import Take

FORCES = (75.0, 125.0, 175.0, 250.0)  # [N] for twenty frames
# [degrees] from forward to the left; body and squat are symmetric: the seven to the right are mirror images
DIRECTIONS = tuple(22.5 * k for k in range(9))
BEGUN = 0.3  # [s] before a push at which a performance begins
LASTS, AFTER, WINDOW = 20 / 120, 5.05, 16
LATE = 0.2  # [s] of the paper's latency
RECORDED = "22_14"


def margin(take: Take, at: float) -> float:
    """How far [m] the capture point is inside the hull of the reference's feet at a time [s]; negative: outside."""
    k = int(np.argmin(np.abs(take.time - at)))
    character = take.character
    instant = Dynamics(character).at(take.q[k], take.v[k])
    centre, speed = instant.centre_of_mass, instant.momentum[:3] / character.mass
    capture = centre[:2] + speed[:2] * np.sqrt(max(float(centre[2]), 0.3) / GRAVITY)
    points = character.contact_points
    feet = np.concatenate([points.of("left"), points.of("right")])
    return _inside(character.points(take.q_ref[k])[0][feet, :2], capture)


def _inside(places: Array, point: Array) -> float:
    """Distance [m] of a point (2,) to the edge of the hull of places (K, 2), negative outside."""
    from scipy.spatial import ConvexHull

    out = beyond_support(places, point)[0]
    if out > 0.0:
        return -out
    hull = ConvexHull(places).equations
    return float(-(hull[:, :2] @ point + hull[:, 2]).max())


class Tally:
    """Recovered and all, of pushes with the capture point inside and outside the feet, and the errors afterwards."""

    def __init__(self) -> None:
        self.inside, self.kept, self.out, self.saved = 0, 0, 0, 0
        self.errors: list[float] = []

    def add(self, room: float, back: bool, take: Take, after: float, times: int) -> None:
        """Count one take, so many times."""
        if room >= 0.0:
            self.inside, self.kept = self.inside + times, self.kept + times * back
        else:
            self.out, self.saved = self.out + times, self.saved + times * back
        if back:
            self.errors.append(joints_after(take, after))

    def words(self) -> tuple[str, ...]:
        """What came of it."""
        share = 100 * self.kept / max(self.inside, 1)
        return (f"Capture point within the feet at the end of the push: {self.kept} of {self.inside} recovered, "
                f"{share:.0f} %.", f"Beyond the feet: {self.saved} of {self.out} recovered.",
                f"Joints in the two seconds after a push that was recovered from: "
                f"{np.mean(self.errors) if self.errors else np.nan:.2f} degrees rms.")  # fmt: skip


def _pushed(clip: Clip, options: Options, latency: float, forces: tuple[float, ...], directions: tuple[float, ...]
            ) -> tuple[list[tuple[object, ...]], Tally]:  # fmt: skip
    """Rows of a force and a direction: outcome and capture point at each of as many phases as there are seeds."""
    settings, tally = {"window": WINDOW, "latency": latency}, Tally()
    calm = performed(clip, "modal update", 2.0 * clip.duration + 1.0 + AFTER, settings=settings)
    rows: list[tuple[object, ...]] = []
    for force in forces:
        for direction in directions:
            marks, rooms = "", []
            for phase in range(options.seeds):
                take = pushed(clip, settings, force, direction, (BEGUN, LASTS, AFTER), phase, options.seeds)
                back = bool(take.recovered(BEGUN + LASTS, calm))
                rooms.append(margin(take, BEGUN + LASTS))
                tally.add(rooms[-1], back, take, BEGUN + LASTS, 2 if direction % 180.0 else 1)
                marks += "+" if back else "-"
            rows.append((force, direction, marks, " ".join(f"{100 * x:.0f}" for x in rooms)))
    return rows, tally


MIRRORED = "Directions to the right are the mirror images of those to the left, and counted with them."
COLUMNS = ("force [N]", "direction [deg]", "recovered", "capture point inside the feet [cm], by phase")


def run(options: Options) -> Table:
    """One row a force and a direction, the method knowing of every push at once."""
    rows, tally = _pushed(load_clip("squat"), options, 0.0, FORCES, DIRECTIONS)
    return Table("Pushes on the chest of a squatting body, 20 frames, torque limits on", COLUMNS, tuple(rows),
                 (*tally.words(), MIRRORED))  # fmt: skip


def late(options: Options) -> Table:
    """The same with the paper's latency of 200 ms, for two forces in every other direction."""
    rows, tally = _pushed(load_clip("squat"), options, LATE, FORCES[1:3], DIRECTIONS[::2])
    return Table("Pushes on the chest of a squatting body, 20 frames, known after 200 ms", COLUMNS, tuple(rows),
                 (*tally.words(), MIRRORED))  # fmt: skip


def variations(options: Options) -> dict[str, Clip]:
    """Squats of other kinds and of other bodies; a recording on its own body where there is a folder of recordings."""
    out = {
        "deeper": load_clip("squat", depth=118.0),
        "faster": load_clip("squat", period=2.0),
        "human57": load_clip("squat", character="human57"),
        "runner": load_clip("squat", character="runner"),
    }
    path = options.recording(RECORDED)
    if path is not None:
        recorded = load_clip(path)
        out |= {"recording": recorded, "its mirror image": recorded.mirror()}
    return out


def bodies(options: Options) -> Table:
    """Other squats: tracking by both ways, and pushes of 125 N to the left and backward, of a loop."""
    rows: list[tuple[object, ...]] = []
    notes, figures = [], []
    for name, clip in variations(options).items():
        length = 10.0 if clip.cycle is not None else clip.duration
        for way in WAYS:
            take = performed(clip, way, length, settings={"window": WINDOW})
            rows.append((name, clip.character.name, *tracking_row(take, way)))
            figures += options.film(take, f"squat-{name}-{way.split()[0]}")
        if clip.cycle is not None:
            found, tally = _pushed(clip, options, 0.0, (125.0,), (90.0, 180.0))
            marks = ", ".join(f"{r[1]:g} degrees {r[2]} ({r[3]} cm)" for r in found)
            notes.append(f"{name}, 125 N: {marks}. {tally.words()[0]}")
    return Table("Squats of other kinds and bodies", ("squat", "body", *TRACKING), tuple(rows), tuple(notes),
                 tuple(figures))  # fmt: skip

"""Do the built-in walk and run look like people? Their joint curves against recorded ones, and those among themselves.

A cycle runs from one moment at which a foot is furthest ahead of the pelvis to the next; curves are the means over all
straight cycles of both legs, their own means removed. A distance is the rms difference over all curves and the cycle.
The recordings serve for this comparison alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.signal import find_peaks

from poise.character.load import load_character
from poise.errors import BadValue
from poise.experiments.reproduce import Options, Table
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.physical import library

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PEOPLE = {
    "walk": ("02_01", "12_01", "16_17", "09_12", "136_20", "16_33", "humanoid3d_walk"),
    "run": ("09_01", "02_03", "127_04", "humanoid3d_run"),
}
SPEEDS = {"walk": (0.8, 1.8), "run": (2.2, 5.0)}  # [m/s] of cycles that count
CURVES = ("hip", "abduction", "knee", "ankle", "shoulder", "elbow", "pelvis pitch", "pelvis roll", "pelvis turn")
STRAIGHT = 20.0  # [degrees] that the pelvis may turn from one end of a cycle to the other
BODIES = ("human57", "human42")  # with toes, as the recorded people have, and the default body, which has none
SAMPLES = 100  # of a cycle
UNSURE = 8  # samples by which starts of cycles may be off: feet stay far ahead for a while


@dataclass(frozen=True, eq=False)
class Walker:
    """Mean joint curves of somebody."""

    name: str
    curves: Array  # (len(CURVES), SAMPLES) [degrees], means removed
    cycles: int
    period: float  # [s]
    speed: float  # [m/s]


def walker(clip: Clip, speeds: tuple[float, float]) -> Walker | None:
    """The mean cycle of a clip, None where it has no straight one at these speeds."""
    pos, quat = clip.character.forward(clip.q)
    heading = np.unwrap(rot.heading(quat[:, clip.character.body("pelvis")]))
    found = []
    for side, sign in (("left", 1.0), ("right", -1.0)):
        angles = _angles(clip, quat, heading, side, sign)
        reach = pos[:, clip.character.body(f"{side}_foot")] - pos[:, clip.character.body("pelvis")]
        ahead = reach[:, 0] * np.cos(heading) + reach[:, 1] * np.sin(heading)
        starts, _ = find_peaks(ahead, prominence=0.15, distance=max(1, round(0.4 / clip.dt)))
        for a, b in pairwise(starts):
            period = (b - a) * clip.dt
            speed = float(np.linalg.norm(np.diff(clip.q[[a, b], :2], axis=0))) / period
            if speeds[0] < speed < speeds[1] and abs(np.degrees(heading[b] - heading[a])) < STRAIGHT and period < 1.7:
                at = np.linspace(a, b, SAMPLES, endpoint=False)
                curves = np.stack([np.interp(at, np.arange(len(clip)), row) for row in angles])
                found.append((curves - curves.mean(axis=1, keepdims=True), period, speed))
    if not found:
        return None
    curves = np.mean([f[0] for f in found], axis=0)
    return Walker(clip.name, curves, len(found), *(float(np.mean([f[k] for f in found])) for k in (1, 2)))


def _angles(clip: Clip, quat: Array, heading: Array, side: str, sign: float) -> Array:
    """The curves (len(CURVES), N) of one side [degrees]."""
    body = clip.character.body

    def limb(parent: str, child: str, axis: tuple[float, float, float]) -> Array:
        return rot.rotate(rot.multiply(rot.conjugate(quat[:, body(parent)]), quat[:, body(child)]), np.array(axis))

    down, ahead = (0.0, 0.0, -1.0), (1.0, 0.0, 0.0)
    thigh, shin = limb("pelvis", f"{side}_thigh", down), limb(f"{side}_thigh", f"{side}_shin", down)
    foot, arm = limb(f"{side}_shin", f"{side}_foot", ahead), limb("chest", f"{side}_upper_arm", down)
    forearm = limb(f"{side}_upper_arm", f"{side}_forearm", down)
    pelvis = rot.to_euler("zyx", rot.multiply(rot.about_z(-_smooth(heading, clip.dt)), quat[:, body("pelvis")]))
    return np.degrees([
        np.arctan2(thigh[:, 0], -thigh[:, 2]), sign * np.arctan2(thigh[:, 1], -thigh[:, 2]),
        -np.arctan2(shin[:, 0], -shin[:, 2]), np.arctan2(foot[:, 2], foot[:, 0]), np.arctan2(arm[:, 0], -arm[:, 2]),
        np.arccos(np.clip(-forearm[:, 2], -1.0, 1.0)), pelvis[:, 1], sign * pelvis[:, 2], sign * pelvis[:, 0],
    ])  # fmt: skip


def _smooth(heading: Array, dt: float) -> Array:
    """The direction of travel (N,) [rad]: the pelvis' own turns within a cycle are averaged out."""
    count = max(1, round(1.1 / dt)) | 1
    padded = np.pad(heading, count // 2, mode="edge")
    return np.convolve(padded, np.full(count, 1.0 / count), mode="valid")


def distances(a: Walker, b: Walker) -> Array:
    """Rms difference (len(CURVES),) [degrees] of the curves of two walkers, at the start of cycles that fits best."""
    found = [np.mean((a.curves - np.roll(b.curves, k, axis=1)) ** 2, axis=1) for k in range(-UNSURE, UNSURE + 1)]
    return np.sqrt(min(found, key=np.sum))


@lru_cache(maxsize=8)
def people(folder: Path, gait: str) -> tuple[Walker, ...]:
    """The recorded walkers or runners under a folder."""
    paths = [p for name in PEOPLE[gait] for p in sorted(folder.rglob(f"{name}*")) if p.suffix in (".bvh", ".txt")]
    found = [walker(load_clip(p), SPEEDS[gait]) for p in paths]
    return tuple(w for w in found if w is not None)


@dataclass(frozen=True, eq=False)
class Likeness:
    """A built-in gait beside recorded people; rows of distances are pairs, columns curves [degrees]."""

    author: Walker
    people: tuple[Walker, ...]
    among: Array  # (pairs of people, len(CURVES))
    against: Array  # (people, len(CURVES)) of the built-in one

    @classmethod
    def of(cls, gait: str, folder: Path, body: str = BODIES[0]) -> Likeness:
        """The likeness of the built-in `gait` on a built-in body, at the mean speed of the recorded people."""
        found = people(folder, gait)
        if len(found) < 2:
            raise BadValue(f"There are not two recordings of a {gait} under {folder}: {', '.join(PEOPLE[gait])}.")
        speed = float(np.mean([w.speed for w in found]))
        own = walker(library.make(gait, load_character(body), speed=speed).repeat(4), SPEEDS[gait])
        if own is None:
            raise BadValue(f"The built-in {gait} has no whole cycle at {speed:.2f} m/s.")
        among = np.array([distances(a, b) for k, a in enumerate(found) for b in found[:k]])
        return cls(own, found, among, np.array([distances(own, b) for b in found]))

    @property
    def overall(self) -> tuple[float, float]:
        """Rms distances [degrees]: of people among themselves, and of the built-in gait from them."""
        return float(np.sqrt(np.mean(self.among**2))), float(np.sqrt(np.mean(self.against**2)))

    def rows(self) -> list[tuple[Any, ...]]:
        """One row a curve, and one of all: curve, people among themselves, the built-in gait from them [degrees]."""
        return [*((name, *(float(np.sqrt(np.mean(d[:, k] ** 2))) for d in (self.among, self.against)))
                  for k, name in enumerate(CURVES)), ("all", *self.overall)]  # fmt: skip


def run(options: Options) -> Table:
    """Rows: a body, a gait and a curve; the figure has the curves themselves, people grey, the built-in gait red."""
    assert options.recordings is not None
    found = [(body, gait, Likeness.of(gait, options.recordings, body)) for body in BODIES for gait in PEOPLE]
    rows = [(body, gait, *row) for body, gait, likeness in found for row in likeness.rows()]
    shown = [x for body, _, x in found if body == BODIES[0]]
    notes = [f"{x.author.name} at {x.author.speed:.2f} m/s; recorded: "
             + ", ".join(f"{w.name} {w.speed:.2f} m/s" for w in x.people) for x in shown]  # fmt: skip
    figures = options.plot(lambda: _curves(shown), "gait-curves")
    return Table("Joint curves of gaits, rms distance [degrees]", ("body", "gait", "curve", "people", "built in"),
                 tuple(rows), tuple(notes), figures)  # fmt: skip


def _curves(found: list[Likeness]) -> Figure:
    from poise.export.plots import figure_of

    figure = figure_of(2.1 * len(CURVES), 2.2 * len(found))
    axes = figure.subplots(len(found), len(CURVES), squeeze=False)
    for row, likeness in zip(axes, found, strict=True):
        for k, axis in enumerate(row):
            for person in likeness.people:
                axis.plot(person.curves[k], color="0.7", linewidth=0.8)
            axis.plot(likeness.author.curves[k], color="tab:red")
            axis.set_title(f"{likeness.author.name}: {CURVES[k]}", fontsize=8)
            axis.tick_params(labelsize=6)
    return figure

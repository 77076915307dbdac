"""Repaired clips against force plates: `poise reproduce truth/plates --recordings FOLDER`.

The folder holds pairs NAME.bvh and NAME.npz (see `measured.FIELDS`). Forces are compared in per cent of body weight,
raw clip and repaired clip alike, low-passed at one frequency that the plates tell. Contact times are those of the
repaired clip's labels against pushes of more than 5 % of body weight on each limb's plate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.errors import BadValue, PoiseError
from poise.experiments.reproduce import Options, Table, told
from poise.experiments.truth.bodies import Needed, needed
from poise.experiments.truth.measured import Plates
from poise.experiments.truth.picture import force_plot
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.load import load_clip

NEAR = 0.03  # [s] by which a landing or take-off may be told early or late
FACTOR, LEAST = 1.3, 3.0  # the repaired force may be wrong by so many times the raw clip's error, or by these per cent
PRESSURE, MASS_CENTRE = 4.0, 1.5  # [cm] rms from the raw clip's; the former may also be nearer to the plates' than it
PUSHES = 0.4  # [body weights] on the plates where their centre of pressure is compared
COLUMNS = ("recording", "up raw", "up", "r raw", "r", "level raw", "level", "ends raw", "ends", "pressure raw cm",
           "pressure cm", "moved cm", "mass centre cm", "moments", "missed", "invented", "beyond its bar")  # fmt: skip


@dataclass(frozen=True)
class Forces:
    """How wrong the force of a clip is, in per cent of body weight rms over the frames that the plates see wholly."""

    up: float
    correlation: float
    level: float  # of the vector in the plane
    ends: float  # of the vertical force over the first and last 0.15 s; NaN where the plates do not see them
    pressure: float  # [cm] rms from the centre of pressure of the plates

    @classmethod
    def of(cls, own: Needed, plates: Plates) -> Forces:
        """Those of what a clip needs."""
        force = plates.on_frames(own.times, own.force)
        off, inner, ends = 100.0 * (force - plates.force), plates.inner, plates.clean & ~plates.inner
        return cls(rms(off[inner, 2]), float(np.corrcoef(force[inner, 2], plates.force[inner, 2])[0, 1]),
                   rms(np.linalg.norm(off[inner, :2], axis=1)),
                   rms(off[ends, 2]) if ends.sum() > 3 else float("nan"), _pressure(own, plates))  # fmt: skip


def _pressure(own: Needed, plates: Plates) -> float:
    """How far [cm] rms the centre of pressure that a clip needs is from that of the plates, where they push."""
    away = plates.on_frames(own.times, own.pressure) - plates.on_frames(plates.plate_times, plates.pressure)
    rows = plates.inner & (plates.force[:, 2] > PUSHES) & np.isfinite(away).all(axis=1)
    return 100.0 * rms(np.linalg.norm(away[rows], axis=1))


@dataclass(frozen=True)
class Moments:
    """Landings and take-offs of a clip's labels against those of the plates."""

    near: int  # told within `NEAR`
    count: int  # in all
    missed: int  # pushes during which the limb never touches
    invented: int  # contacts during which nothing pushes


def moments(clip: Clip, plates: Plates) -> Moments:
    """How a clip's contacts agree with the plates, over frames in which all that touches is on plates."""
    near = count = missed = 0
    last = float(plates.times[-1])
    limbs: dict[str, list[tuple[float, float]]] = {}
    for plate, begin, end in plates.stances():
        limb = plates.limb(clip, plate, begin, min(end, last))
        limbs.setdefault(limb, []).append((begin, end))
        own = [(a, e) for a, e in clip.contacts.intervals(limb) if a <= end and e >= begin]
        missed += not own
        for at, own_times in ((begin, [a for a, _ in own]), (end, [e for _, e in own])):
            if NEAR < at < last - NEAR and _seen(plates, at):
                count += 1
                near += any(abs(t - at) <= NEAR + 1e-9 for t in own_times)
    invented = 0
    for limb in clip.contacts.points.limbs:
        for a, e in clip.contacts.intervals(limb):
            if all(_seen(plates, t) for t in np.linspace(a, e, 5)):
                invented += not any(a <= end and e >= begin for begin, end in limbs.get(limb, []))
    return Moments(near, count, missed, invented)


def _seen(plates: Plates, at: float) -> bool:
    """Do the plates see all that touches at a time [s], or close to it?"""
    return bool(np.any(plates.clean[np.abs(plates.times - at) <= NEAR]))


@dataclass(frozen=True)
class Row:
    """One recording: its forces raw and repaired, how far the repair moved its centres [cm], and its contact times."""

    name: str
    raw: Forces
    repaired: Forces
    pressure_moved: float
    mass_centre: float
    moments: Moments

    @property
    def beyond(self) -> list[str]:
        """Names of the values beyond their bars."""
        pairs = [(n, getattr(self.raw, n), getattr(self.repaired, n)) for n in ("up", "level", "ends")]
        out = [n for n, raw, now in pairs if now > max(FACTOR * raw, LEAST)]
        nearer = self.repaired.pressure <= max(PRESSURE, self.raw.pressure)
        out += ["pressure"] * (not (nearer or self.pressure_moved <= PRESSURE))
        out += ["mass centre"] * (not self.mass_centre <= MASS_CENTRE)
        m = self.moments
        return out + ["moments"] * (m.near < 0.95 * m.count) + ["missed"] * (m.missed > 0) + [
            "invented"] * (m.invented > 0)  # fmt: skip

    def cells(self) -> tuple[object, ...]:
        """The row of the table."""
        a, b, m = self.raw, self.repaired, self.moments
        return (self.name, a.up, b.up, round(a.correlation, 3), round(b.correlation, 3), a.level, b.level, a.ends,
                b.ends, a.pressure, b.pressure, self.pressure_moved, self.mass_centre, f"{m.near}/{m.count}", m.missed,
                m.invented, ", ".join(self.beyond) or "-")  # fmt: skip


def compared(clip: Clip, repaired: Clip, plates: Plates, name: str = "") -> Row:
    """The row of a clip and its repaired twin."""
    before, after = needed(clip, plates.cutoff), needed(repaired, plates.cutoff)
    moved = plates.on_frames(after.times, after.mass_centre) - plates.on_frames(before.times, before.mass_centre)
    pushed = plates.on_frames(after.times, after.pressure) - plates.on_frames(before.times, before.pressure)
    inner = plates.inner & (plates.force[:, 2] > PUSHES) & np.isfinite(pushed).all(axis=1)
    return Row(name or clip.name, Forces.of(before, plates), Forces.of(after, plates),
               100.0 * rms(np.linalg.norm(pushed[inner], axis=1)), 100.0 * rms(np.linalg.norm(moved, axis=1)),
               moments(repaired, plates))  # fmt: skip


def rms(x: Array) -> float:
    """Root of the mean square; NaN of nothing."""
    return float(np.sqrt(np.mean(np.square(x)))) if len(x) else float("nan")


def run(options: Options) -> Table:
    """The table of a folder; figures of every recording with `--out`."""
    found = [p for p in options.files() if p.with_suffix(".npz").exists()]
    if not found:
        raise BadValue(f"{options.recordings} holds no pairs of a motion and an .npz of measured forces.")
    rows, notes, figures = [], [], []
    for path in found:
        plates, clip = Plates.read(path.with_suffix(".npz")), load_clip(path)
        try:
            repaired = clip.make_physical()
        except PoiseError as error:
            notes.append(f"{path.stem}: {error}")
            rows.append(told((path.stem, *["-"] * (len(COLUMNS) - 2), "not repaired")))
            continue
        rows.append(told(compared(clip, repaired, plates, path.stem).cells()))
        figures += options.plot(lambda c=clip, r=repaired, p=plates: force_plot(c, r, p), f"truth_{path.stem}")
    good = sum(row[-1] == "-" for row in rows)
    notes.append(f"{good} of {len(rows)} within all bars. up, level, ends: rms error of the force, % of body weight; "
                 "r: correlation of the vertical force; pressure: centre of pressure against the plates', "
                 "moved: against the raw clip's; moments: landings and take-offs told to 0.03 s.")  # fmt: skip
    return Table("Ground forces against force plates", COLUMNS, tuple(rows), tuple(notes), tuple(figures))

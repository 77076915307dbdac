"""Are flights flights, and falls free? `poise reproduce truth/flights --recordings FOLDER`.

The recording's own centre of mass, from the masses and places of single bodies, low-passed at 10 Hz, against the
contacts of the repaired clip: in every labelled flight of 0.06 s or more it must fall faster than 6 m/s² on average,
and wherever it falls faster than 8.5 m/s² for 0.06 s nothing may touch. Nothing here is shared with the labeller.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.errors import PoiseError
from poise.experiments.reproduce import Options, Table, told
from poise.experiments.truth.bodies import mass_centre
from poise.experiments.truth.measured import low_passed
from poise.maths.intervals import runs
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.load import load_clip

CUTOFF, LONG = 10.0, 0.06  # [Hz], [s]
FLIGHT, FALL = -6.0, -8.5  # [m/s²]
COLUMNS = ("recording", "flights", "slowest fall m/s²", "falls", "stance in falls ms", "beyond")


def fall_of(clip: Clip) -> Array:
    """Vertical acceleration (N,) [m/s²] of the centre of mass of a clip, its places low-passed."""
    height = low_passed(mass_centre(clip)[:, 2], clip.dt, CUTOFF)
    return np.gradient(np.gradient(height, clip.dt), clip.dt)


@dataclass(frozen=True)
class Row:
    """One recording and its labels."""

    name: str
    flights: tuple[float, ...]  # [m/s²] mean acceleration in each flight
    falls: tuple[float, ...]  # [s] of contact in each fall

    @property
    def beyond(self) -> str:
        """What breaks the rules."""
        slow, held = sum(a > FLIGHT for a in self.flights), sum(t > 0.0 for t in self.falls)
        return ", ".join([f"{slow} slow flights"] * (slow > 0) + [f"stance in {held} falls"] * (held > 0)) or "-"

    def cells(self) -> tuple[object, ...]:
        """Those of `COLUMNS`."""
        slowest = f"{max(self.flights):.1f}" if self.flights else "-"
        return self.name, len(self.flights), slowest, len(self.falls), round(1e3 * sum(self.falls)), self.beyond


def judged(clip: Clip, repaired: Clip, name: str = "") -> Row:
    """How the contacts of a repaired clip, at the frames of the recording, agree with the fall of the recording."""
    fall, dt = fall_of(clip), clip.dt
    held = np.zeros(len(clip), bool)
    for hold in repaired.grips:
        end = np.inf if hold.end is None else hold.end
        held |= (clip.times >= hold.start - 1e-9) & (clip.times <= end + 1e-9)
    rows = np.minimum(np.round(clip.times / repaired.dt).astype(int), len(repaired) - 1)
    air = ~repaired.contacts.labels[rows].any(axis=1) & ~held
    flights = [float(fall[a:e].mean()) for a, e in runs(air) if (e - a) * dt >= LONG]
    falls = [float(dt * np.sum(~air[a:e])) for a, e in runs(fall < FALL) if (e - a) * dt >= LONG]
    return Row(name or clip.name, tuple(flights), tuple(falls))


def run(options: Options) -> Table:
    """One row a recording."""
    rows, notes = [], []
    for path in options.files():
        clip = load_clip(path)
        try:
            rows.append(told(judged(clip, clip.make_physical(), path.stem).cells()))
        except PoiseError as error:
            notes.append(f"{path.stem}: {error}")
    good = sum(row[-1] == "-" for row in rows)
    notes.append(f"{good} of {len(rows)} keep both rules. Flights of 0.06 s must fall faster than 6 m/s² on average; "
                 "where the centre of mass falls faster than 8.5 m/s² for 0.06 s nothing may touch.")  # fmt: skip
    return Table("Flights and falls", COLUMNS, tuple(rows), tuple(notes))

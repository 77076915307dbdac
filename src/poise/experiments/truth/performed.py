"""How methods fare on repaired recordings: `poise reproduce truth/performed --recordings FOLDER`.

Recordings are repaired first; clips that were repaired before, by whatever version, and saved as .npz are performed as
they are, so that two repairs can be compared by the same methods. Starting velocities are disturbed by 0.1 rad/s, m/s.
"""

from __future__ import annotations

from pathlib import Path

from poise.errors import BadValue, PoiseError
from poise.experiments.reproduce import Options, Table, told
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.performance import perform

METHODS = ("mcsim", "modal-torques", "balance")
NOISE = 0.1  # [rad/s, m/s] on all starting velocities
UNSEEN = 200  # first seed


def run(options: Options) -> Table:
    """One row a clip: how many performances of each method were whole."""
    found = options.files() or _saved(options)
    if not found:
        raise BadValue("truth/performed is about recordings or repaired clips (.npz): give their folder with "
                       "--recordings.")  # fmt: skip
    rows = []
    for path in found:
        try:
            clip = load_clip(path)
            clip = clip if path.suffix == ".npz" else clip.make_physical()
        except PoiseError as error:
            rows.append(told((path.stem, *[str(error)] * len(METHODS))))
            continue
        rows.append(told((path.stem, *(whole(clip, method, options.seeds) for method in METHODS))))
    sums = [sum(row[k] for row in rows if isinstance(row[k], int)) for k in range(1, len(METHODS) + 1)]
    rows.append(("all", *sums))
    note = f"How many of {options.seeds} performances of the whole clip ended on their feet; seeds from {UNSEEN} on."
    return Table("Methods on repaired recordings", ("clip", *METHODS), tuple(rows), (note,))


def whole(clip: Clip, method: str, seeds: int) -> int:
    """How many performances of a clip by a method are whole."""
    count = 0
    for seed in range(UNSEEN, UNSEEN + seeds):
        try:
            take = perform(clip, method, stage=clip.stage(), seconds=clip.duration, noise=NOISE, seed=seed)
        except PoiseError:
            continue  # a method that refuses a clip does not perform it
        count += take.ended.whole
    return count


def _saved(options: Options) -> list[Path]:
    folder = options.recordings
    return [] if folder is None else [p for p in sorted(folder.rglob("*.npz")) if options.wants(p.stem)]

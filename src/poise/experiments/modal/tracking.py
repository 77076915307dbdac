"""Section 7.1: the built-in clips performed undisturbed, by the modal update and as torques in MuJoCo."""

from __future__ import annotations

from poise.errors import PoiseError
from poise.experiments.modal.trial import TRACKING, WAYS, performed, tracking_row
from poise.experiments.reproduce import Options, Table
from poise.motion.load import load_clip

CLIPS = (("walk", 60.0, 12), ("squat", 30.0, 16), ("swing", 20.0, 24), ("jump", None, 16), ("chin-up", 10.0, 24),
         ("stand", 10.0, 12))  # name, seconds, window  # fmt: skip


def run(options: Options) -> Table:
    """One row a clip and a way; the seed count does not matter here."""
    rows, notes = [], []
    for name, seconds, window in CLIPS:
        clip = load_clip(name)
        length = clip.duration if seconds is None else seconds
        for way in WAYS:
            try:
                take = performed(clip, way, length, settings={"window": window})
            except PoiseError as error:
                notes.append(f"{name}, {way}: {error}")
                continue
            rows.append((name, f"{length:.1f} s, window {window}", *tracking_row(take, way)))
            if options.out is not None:
                take.save(options.out / f"{name}-{way.split()[0]}.png")
    return Table("Tracking without disturbance", ("clip", "what", *TRACKING), tuple(rows), tuple(notes))


def main() -> None:
    """Print the table."""
    print(run(Options()).text())


if __name__ == "__main__":
    main()

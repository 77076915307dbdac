"""The document's form beside ours: clips undisturbed, and a pushed walk without each departure in turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from poise.experiments.modal.trial import BUT, BUT_NAME, PRINTED, medians, performed, push
from poise.experiments.reproduce import Options, Table, told
from poise.methods.modal import DEPARTURES
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.take import Take

CLIPS = {"walk": 12, "squat": 16, "swing": 24, "jump": 16, "chin-up": 24, "stand": 12}  # windows [steps]
FORMS: dict[str, Mapping[str, Any]] = {"ours": {}, "printed": PRINTED, BUT_NAME: BUT}
SECONDS, NOISE = 6.0, 0.05
FORCE, SIDE, LASTS, AFTER = 135.0, 90.0, 10 / 120, 3.0  # [N] to the left, and [s]
WAY = "modal update"
COLUMNS = ("what", "form", "whole", "joints [deg]", "root [cm]", "tilt [deg]")


def run(options: Options) -> Table:
    """Clips by form, undisturbed; then ours without each departure, pushed: as many starts as there are seeds."""
    rows = []
    for name, window in CLIPS.items():
        clip = load_clip(name)
        for form, settings in FORMS.items():
            takes = [_followed(clip, {**settings, "window": window}, seed) for seed in range(options.seeds)]
            rows.append(_row(f"{name}, window {window}", form, takes))
    rows.append(_pushed("ours", tuple(DEPARTURES), options.seeds))
    rows += [_pushed(f"ours without {name}", tuple(d for d in DEPARTURES if d != name), options.seeds)
             for name in DEPARTURES]  # fmt: skip
    return Table("The document's form and ours, modal update", COLUMNS, tuple(rows),
                 (f"Whole: not fallen or lost in {SECONDS:g} s or the clip, from starts with velocities disturbed by "
                  f"{NOISE:g}; in the pushed walk, recovered {AFTER:g} s later, of as many phases.",
                  "Errors: medians, up to where a performance ended."))  # fmt: skip


def _followed(clip: Clip, settings: Mapping[str, Any], seed: int) -> Take:
    seconds = SECONDS if clip.cycle is not None else min(SECONDS, clip.duration)
    return performed(clip, WAY, seconds, noise=NOISE, seed=seed, settings=settings)


def _pushed(form: str, departures: tuple[str, ...], phases: int) -> tuple[Any, ...]:
    """A walk pushed to the left at so many phases."""
    clip, settings = load_clip("walk"), {"departures": departures}
    calm = performed(clip, WAY, 1.0 + clip.duration + AFTER, settings=settings)
    takes, back = [], 0
    for phase in range(phases):
        at = 0.5 + phase / phases * clip.duration
        events = (push(FORCE, SIDE, at, LASTS),)
        takes.append(performed(clip, WAY, at + LASTS + AFTER + 0.05, events=events, settings=settings))
        back += bool(takes[-1].recovered(at + LASTS, calm, within=AFTER))
    return _row(f"walk, {FORCE:g} N to the left", form, takes, back)


def _row(what: str, form: str, takes: list[Take], count: int | None = None) -> tuple[Any, ...]:
    """Cells of `COLUMNS`."""
    whole = sum(take.ended.whole for take in takes) if count is None else count
    return told((what, form, f"{whole}/{len(takes)}", *medians(takes)))

"""mcsim/clips, mcsim/walk, mcsim/dart: whole clips in three dimensions, a walk of 20 s, and the walk in DART."""

from __future__ import annotations

from pathlib import Path

from poise.character.load import load_character
from poise.errors import PoiseError
from poise.experiments.mcsim.runs import COLUMNS, GLANCE, NOTE, Outcome, length, row, run_seeds
from poise.experiments.reproduce import Options, Table
from poise.methods.mcsim import McSim
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.physical import library

BUILT_IN: dict[str, tuple[str, dict[str, float]]] = {
    **{name: (name, {}) for name in ("march", "sneak", "backward", "turn", "run", "jump", "punch", "wave", "kick",
                                     "squat")},
    "soldier's march": ("march", {"speed": 1.2, "height": 80.0}),
    "long stride": ("walk", {"speed": 1.6, "stride": 1.8}),
}  # fmt: skip
UNSEEN = 200  # first seed: steps of slow gaits were worked on with those from 100 on
RECORDED = {
    "march": "91_19", "sneak": "120_08", "limp": "91_16",
    "backward": "136_25", "long stride": "08_07", "stand to walk": "136_20",
    "walk to stand": "16_33", "90 degree turn": "16_17", "run": "09_01", "jog": "02_03",
    "forward jump": "16_05", "punch": "02_05",
}  # fmt: skip


def run(options: Options) -> Table:
    """Every clip from several starts: built-in ones on two characters, recordings on their own body and on human57."""
    rows, figures = [], []
    for name, source, body in _sources(options):
        try:
            outcomes = _outcomes(source, body, options.seeds)
        except PoiseError as error:
            rows.append((f"{name}, {body}", "-", str(error)[:60], float("nan"), float("nan"), float("nan")))
            continue
        rows.append(row(f"{name}, {body}", outcomes))
        figures += options.film(outcomes[0].take, f"mcsim-clip-{name}-{body}")
    notes = (
        "Loops for 10 s; open clips to their end, and 1 s after where they end at rest.",
        "Seeds from 200 on, that nothing was chosen on; noise of 0.1 rad/s and m/s on all starting velocities.",
    )
    return Table("Whole clips", COLUMNS, tuple(rows), notes, tuple(figures))


def _sources(options: Options) -> list[tuple[str, str | Path, str]]:
    """Name, what is loaded, and the body: one that is built in, or "its own body"."""
    out: list[tuple[str, str | Path, str]] = [
        (name, name, body) for body in ("human42", "human57") for name in BUILT_IN
    ]
    files = [(f"{name} ({stem})", options.recording(stem)) for name, stem in RECORDED.items()]
    return out + [
        (name, path, body) for body in ("its own body", "human57") for name, path in files if path is not None
    ]


def _outcomes(source: str | Path, body: str, seeds: int) -> list[Outcome]:
    if isinstance(source, str):
        name, how = BUILT_IN[source]
        clip: Clip = library.make(name, load_character(body), **how)
    else:
        clip = load_clip(source)
        if body != "its own body":
            clip = clip.retarget(load_character(body))
    physical = clip.make_physical()
    return run_seeds(physical, McSim(), seeds, length(physical, 10.0), first=UNSEEN)


def walk(options: Options) -> Table:
    """Walking for 20 s on two characters, ours and the document's form, and on bodies made from recordings."""
    rows, figures = [], []
    for name in ("human42", "human57"):
        clip = load_clip("walk", character=name)
        outcomes = run_seeds(clip, McSim(), options.seeds, 20.0)
        rows.append(row(f"{name}, ours", outcomes))
        figures += options.film(outcomes[0].take, f"mcsim-walk-{name}")
        rows.append(
            row(f"{name}, document's form", run_seeds(clip, McSim.printed(), options.seeds, 20.0, glance=GLANCE))
        )
    for path in (options.recording("02_01"), options.recording("12_01")):
        if path is not None:
            clip = load_clip(path).loop()
            outcomes = run_seeds(clip, McSim(), options.seeds, 20.0)
            rows.append(row(f"{path.name}, its own body, ours", outcomes))
            figures += options.film(outcomes[0].take, f"mcsim-walk-{clip.name}")
    notes = ("20 s, starts over one cycle.", NOTE)
    return Table("Walking in three dimensions", COLUMNS, tuple(rows), notes, tuple(figures))


def dart(options: Options) -> Table:
    """10 s of walking on two characters in DART, by the same controller."""
    rows, figures, way = [], [], McSim()
    for name in ("human42", "human57"):
        outcomes = run_seeds(load_clip("walk", character=name), way, options.seeds, 10.0, simulator="dart")
        rows.append(row(f"{name} in DART", outcomes))
        figures += options.film(outcomes[0].take, f"mcsim-dart-{name}")
    notes = ("The same controller object as in MuJoCo; contacts by DART's boxed LCP, Bullet's collisions.", NOTE)
    return Table("The walk in DART", COLUMNS, tuple(rows), notes, tuple(figures))

"""How right contacts are, and how robust: `poise reproduce truth/labels --recordings FOLDER`.

Contacts found by the evidence are compared, frame by frame, with force plates (pairs NAME.bvh and NAME.npz, as
`truth/plates` has them) and with labels told by looking (`hand_labels`). Balanced accuracy of a limb: the mean of the
share of frames right of those in which it touches, and of those in which it does not. The same with every recording
spoilt in turn (`SPOILT`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from poise.character.roles import SIDES
from poise.errors import BadValue
from poise.experiments.reproduce import Options, Table, told
from poise.experiments.truth.hand_labels import HAND_LABELS, Told
from poise.experiments.truth.measured import Plates, low_passed
from poise.maths import rotations as rot
from poise.maths.intervals import runs
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.contact.evidence import evidence
from poise.motion.ik.limb import limb, reach
from poise.motion.load import load_clip
from poise.motion.resample import resample
from poise.physical.repair.repair import fine_enough, on_boxes

NOISE, OFF, TILT, FPS = 0.02, 0.03, 1.0, 30.0  # [m] rms, [m], [degrees], frames a second
WANDERS = 1.0  # [Hz] below which the height of a foot drifts
LOSS = 2.0  # [points] that a spoilt recording may lose on average
FRICTION = 0.8


def feet_moved(clip: Clip, up: Array) -> Clip:
    """The clip with its feet higher by `up` (N, 2) [m], left and right, their turns kept: hips and knees give way."""
    q, character = np.array(clip.q), clip.character
    for k, side in enumerate(SIDES):
        chain = limb(character, f"{side}_foot")
        if chain is None:
            raise BadValue(f"{clip.name}: the {side} leg has joints that cannot be moved in closed form.")
        pos, quat = character.forward(q)
        goal = pos[:, chain.end] + up[:, k, None] * np.array([0.0, 0.0, 1.0])
        q = reach(character, q, chain, goal, quat[:, chain.end])
    return clip.with_q(q)


def _noise(clip: Clip) -> Clip:
    """Heights of each foot wrong by 2 cm in every frame anew."""
    return feet_moved(clip, NOISE * np.random.default_rng(0).standard_normal((len(clip), 2)))


def _drift(clip: Clip) -> Clip:
    """Heights of each foot wrong by 2 cm, drifting slowly."""
    white = low_passed(np.random.default_rng(1).standard_normal((len(clip) + 400, 2)), clip.dt, WANDERS)
    return feet_moved(clip, NOISE * (white / white.std(axis=0))[200:-200])


def _moved(by: float) -> Callable[[Clip], Clip]:
    """All of it higher by so much [m]."""

    def move(clip: Clip) -> Clip:
        q = np.array(clip.q)
        q[:, 2] += by
        return clip.with_q(q)

    return move


def _tilted(clip: Clip) -> Clip:
    """All of it turned by 1 degree about a level axis through the middle of where the root goes."""
    q, middle = np.array(clip.q), 0.5 * (clip.q[:, :2].max(axis=0) + clip.q[:, :2].min(axis=0))
    about, turn = np.array([*middle, 0.0]), rot.from_axis_angle(np.array([0.6, 0.8, 0.0]), np.radians(TILT))
    q[:, :3] = about + rot.rotate(turn, q[:, :3] - about)
    q[:, 3:7] = rot.multiply(turn, q[:, 3:7])
    return clip.with_q(q)


def _slower(clip: Clip) -> Clip:
    """Thirty frames a second."""
    return replace(resample(clip, FPS), labels=None)


SPOILT: dict[str, Callable[[Clip], Clip]] = {
    "noise": _noise, "drift": _drift, "high": _moved(OFF), "low": _moved(-OFF), "tilted": _tilted, "30 fps": _slower,
}  # fmt: skip
COLUMNS = ("recording", "limb", "as it is", *SPOILT, "no toes")


def measured_labels(clip: Clip, plates: Plates) -> dict[str, Told]:
    """What the plates tell of each foot of a clip; nothing where not all that touches is on plates."""
    last, found = float(plates.times[-1]), {side: [] for side in SIDES}
    for plate, begin, end in plates.stances():
        found.setdefault(plates.limb(clip, plate, begin, min(end, last)), []).append((begin, end))
    blind = tuple((float(plates.times[a]), float(plates.times[e - 1])) for a, e in runs(~plates.clean))
    return {name: Told(tuple(spans), blind) for name, spans in found.items()}


def accuracy(clip: Clip, truth: dict[str, Told]) -> dict[str, float]:
    """Balanced accuracy [%] of the contacts that the evidence finds, per limb."""
    clip = fine_enough(on_boxes(clip, FRICTION))
    seen = replace(clip, labels=evidence(clip, FRICTION).labels).contacts
    return {name: balanced(seen.touching(name), _within(clip.times, one.touching), ~_within(clip.times, one.unsure))
            for name, one in truth.items()}  # fmt: skip


def balanced(found: np.ndarray, right: np.ndarray, judged: np.ndarray) -> float:
    """Mean share [%] of frames that are right, of those with and of those without contact, where judged; all (N,)."""
    kinds = [judged & right, judged & ~right]
    return 100.0 * float(np.mean([np.mean(found[rows] == right[rows]) for rows in kinds if rows.any()]))


def _within(times: Array, spans: tuple[tuple[float, float], ...]) -> np.ndarray:
    out = np.zeros(len(times), bool)
    for first, last in spans:
        out |= (times >= first - 1e-6) & (times <= last + 1e-6)
    return out


def _known(options: Options) -> Iterator[tuple[Path, dict[str, Told]]]:
    """Files of which the truth is told, and what it is."""
    for path in options.files():
        beside = path.with_suffix(".npz")
        by_hand = next((told for name, told in HAND_LABELS.items() if path.stem.split("_f")[0] == name), None)
        if beside.exists():
            yield path, measured_labels(load_clip(path), Plates.read(beside))
        elif by_hand is not None:
            yield path, by_hand


def run(options: Options) -> Table:
    """One row a recording and limb."""
    rows: list[tuple[Any, ...]] = []
    for path, truth in _known(options):
        clip = load_clip(path)
        ways = [clip, *(spoil(clip) for spoil in SPOILT.values()), load_clip(path, toes=False)]
        found = [accuracy(way, truth) for way in ways]
        rows += [
            told((path.stem, name, *(one[name] for one in found))) for name in truth if np.isfinite(found[0][name])
        ]
    if not rows:
        raise BadValue(f"{options.recordings} holds neither recordings with plates nor any that were labelled by hand.")
    means = [float(np.mean([row[k] for row in rows])) for k in range(2, len(COLUMNS))]
    beyond = [name for name, mean in zip(COLUMNS[3:], means[1:], strict=True) if mean < means[0] - LOSS]
    notes = (f"Balanced accuracy [%] of feet and hands. noise, drift: heights of each foot wrong by {100 * NOISE:.0f} "
             f"cm, in every frame anew and slowly; high, low: soles off by {100 * OFF:.0f} cm; tilted: floor by "
             f"{TILT:g} degree.",
             f"Lost more than {LOSS:g} points: {', '.join(beyond) or 'none'}.")  # fmt: skip
    return Table("Contacts against plates and eyes", COLUMNS, (*rows, ("mean", "", *means)), notes)

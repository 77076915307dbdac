"""Styles of response: figures 6 and 7, and the small woman of section 3.6.2."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.character import Character
from poise.experiments.posture.pushes import POINTS, answers
from poise.experiments.posture.trial import (
    FORMS,
    RECORDED,
    WEIGHT,
    K,
    Response,
    clip_of,
    count,
    man,
    moments,
)
from poise.experiments.reproduce import Options, Table, told
from poise.maths.rotations import Array
from poise.methods.posture import response_space
from poise.motion.clip import Clip

WOMAN = (40.0, 1.5)  # [kg, m]
PUSHES = (("left_hand", 180.0), ("right_upper_arm", 180.0), ("head", 180.0), ("chest", 180.0))  # backward, figure 6
SHOWN = 120  # frames of a response that count


def signature(found: list[Response]) -> Array:
    """One row for all responses of a phase: how the joints of the upper body deviate over a second [rad]."""
    rows = [r.shape[:SHOWN] if r.whole else np.full((SHOWN, 1), np.nan) for r in found]
    return np.concatenate([np.pad(r, ((0, SHOWN - len(r)), (0, 0))).ravel() for r in rows])


def signatures(clip: Clip, form: str, phases: int, **settings: Any) -> Array:
    """Signatures (phases, ...) of a clip under the same set of pushes."""
    times = moments(clip, phases)
    by_push = [answers(clip, form, b, POINTS.get(b, 100.0), w, times, **settings) for b, w in PUSHES]
    rows = [[r[k] for r in by_push] for k in range(phases)]
    if not all(r.whole for row in rows for r in row):
        return np.full((phases, 1), np.nan)
    return np.array([signature(row) for row in rows])


def run(options: Options) -> Table:
    """The same pushes on four clips: does a response tell from which clip it is?"""
    rows = []
    for form in FORMS:
        known = {n: signatures(clip_of(n, options), form, options.seeds, k=K.get(n, 10)) for n in RECORDED}
        sound = {n: s for n, s in known.items() if np.isfinite(s).all()}
        if len(sound) < 2:
            rows.append(told((form, "-", "-", "-", f"responses lost: {', '.join(set(known) - set(sound))}")))
            continue
        owner = [n for n, s in sound.items() for _ in s]
        every = np.concatenate(list(sound.values()))
        apart = np.linalg.norm(every[:, None] - every[None], axis=2) / np.sqrt(every.shape[1])
        same = np.array(owner)[:, None] == np.array(owner)[None]
        np.fill_diagonal(apart, np.inf)
        right = [owner[int(np.argmin(row))] == o for row, o in zip(apart, owner, strict=True)]
        off = np.isfinite(apart)
        by_clip = {n: count([r for r, o in zip(right, owner, strict=True) if o == n]) for n in sound}
        rows.append(told((form, float(np.degrees(apart[same & off].mean())), float(np.degrees(apart[~same].mean())),
                          count(right), ", ".join(f"{n} {x}" for n, x in by_clip.items()))))  # fmt: skip
    return Table(
        f"Figure 6: responses to the same four backward pushes, {options.seeds} phases of each clip",
        ("form", "between phases [deg]", "between clips [deg]", "nearest names the clip", "by clip"),
        tuple(rows),
        ("Rms distance of joint deviations over a second. Chance: 25 %; wanted: 75 %.",),
    )


def swapped(options: Options) -> Table:
    """Figure 7: the same walk with the space of others, pushed forward."""
    clip, woman = clip_of("walk", options), man(*WOMAN)
    spaces = {"(a) its own": response_space(clip),
              "(b) another person, similar build, similar walk": response_space(_walk(options, man(75.0, 1.75))),
              "(c) 40 kg, 1.5 m, a walk": response_space(_walk(options, woman)),
              "(d) the same body, sneaking": response_space(clip_of("sneak", options)),
              "chosen at random": response_space(clip).only(np.random.default_rng(0).permutation(24)[:10])}  # fmt: skip
    times, rows = moments(clip, options.seeds), []
    own: dict[str, list[Response]] = {}
    for name, space in spaces.items():
        cells: list[object] = []
        for form in FORMS:
            found = [
                r for b in ("chest", "left_hand") for r in answers(clip, form, b, POINTS[b], 0.0, times, space=space)
            ]
            own.setdefault(form, found)
            cells += [count([r.back for r in found]), _change(found, own[form])]
        angle = response_space(clip).angle(space, 10)
        rows.append(told((name, angle, *cells)))
    phases = own["ours"][: options.seeds]
    usual = np.mean([_distance(a, b) for a in phases for b in phases if a is not b]) if len(phases) > 1 else np.nan
    return Table("Figure 7: other spaces on the same walk, forward pushes on chest and hand",
                 ("space", "angle [deg]", "printed: back", "printed: changed [%]", "ours: back", "ours: changed [%]"),
                 tuple(rows), (f"Changed: rms distance to the response with its own space, in % of that response; "
                 f"between phases of the walk it is {100 * usual:.0f} % (ours, chest).",
                 "Thesis: (b) recovers, (c) does not, (d) responds unrealistically."))  # fmt: skip


def _walk(options: Options, body: Character) -> Clip:
    """A walk of another person."""
    return clip_of("second walk", options, body)


def _distance(a: Response, b: Response) -> float:
    """Rms distance of two responses, of the size of the second."""
    if not (a.whole and b.whole):
        return float("nan")
    n = min(len(a.shape), len(b.shape), SHOWN)
    return float(np.linalg.norm(a.shape[:n] - b.shape[:n]) / max(np.linalg.norm(b.shape[:n]), 1e-12))


def _change(found: list[Response], own: list[Response]) -> float:
    return 100 * float(np.mean([_distance(a, b) for a, b in zip(found, own, strict=True)]))


def woman(options: Options) -> Table:
    """Section 3.6.2: a small woman with large arm movements, forces in proportion to her weight."""
    rows = []
    for name in ("walk", "march"):
        for who, body in (("80 kg, 1.7 m", man()), ("40 kg, 1.5 m", man(*WOMAN))):
            clip = clip_of(name, options, body)
            times, scale = moments(clip, options.seeds), body.mass / WEIGHT
            cells: list[object] = []
            for form in FORMS:
                found = [r for b, f in POINTS.items() for r in answers(clip, form, b, scale * f, 180.0, times)]
                sound = [r for r in found if r.whole]
                cells += [count([r.back for r in found]), float(np.mean([r.rms for r in sound])) if sound else "-"]
            rows.append(told((name, who, *cells)))
    return Table("A small woman, forces scaled by weight, backward pushes on hand, shoulder, head and chest",
                 ("clip", "body", "printed: back", "rms [deg]", "ours: back", "rms [deg] "), tuple(rows))  # fmt: skip

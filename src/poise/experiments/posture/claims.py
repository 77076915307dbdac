"""What the thesis claims of its responses, each counted: sections 3.6.2, 3.6.3 and 3.8, and the unpushed motion."""

from __future__ import annotations

import numpy as np

from poise.experiments.posture.controls import followed
from poise.experiments.posture.pushes import POINTS, answers
from poise.experiments.posture.trial import FORMS, RECORDED, K, Response, clip_of, count, moments, performed
from poise.experiments.reproduce import Options, Table, told
from poise.maths import configuration as conf
from poise.methods.posture.body import Parts
from poise.motion.clip import Clip

FINE = 3  # phases of a claim about support for each one that is asked for


def run(options: Options) -> Table:
    """The claims, in the document's form and in ours."""
    rows: list[tuple[object, ...]] = []
    clips = {n: clip_of(n, options) for n in RECORDED if n != "kata" or options.recordings is not None}
    for claim in (_arm, _support, _side, _backward, _backward_walk, _sneak):
        cells: list[object] = []
        text = claim.__doc__ or ""
        for form in FORMS:
            cells += claim(clips, form, options.seeds)
        rows.append(told((text.split(":")[0], *cells)))
    return Table(f"Claims of the thesis, {options.seeds} phases each",
                 ("claim", "printed: holds", "printed: numbers", "ours: holds", "ours: numbers"), tuple(rows),
                 ("Numbers: rms deviation of the upper body's joints [degrees] at its greatest, unless said otherwise; "
                  "holds: at how many phases.",))  # fmt: skip


def _size(found: list[Response]) -> np.ndarray:
    return np.array([r.rms for r in found])


def _told(holds: np.ndarray, *sizes: np.ndarray) -> list[object]:
    if not all(np.isfinite(s).all() for s in sizes):
        return ["-", "lost"]
    return [count(holds.tolist()), " / ".join(f"{s.mean():.2f}" for s in sizes)]


def _arm(clips: dict[str, Clip], form: str, phases: int) -> list[object]:
    """the arm is softer than head and shoulder (way along the same 30 N [cm], backward): arm, head, shoulder."""
    clip = clips["walk"]
    times = moments(clip, phases)
    arm, head, shoulder = (np.array([100 * r.along if r.whole else np.inf for r in answers(
        clip, form, b, 30.0, 180.0, times)]) for b in ("left_hand", "head", "left_upper_arm"))  # fmt: skip
    return _told((arm > head) & (arm > shoulder), arm, head, shoulder)


def _phases(clip: Clip, phases: int) -> tuple[list[float], np.ndarray]:
    """Times [s], and which feet (T, 2) stand then and for the length of the push."""
    times, feet = moments(clip, FINE * phases), Parts.of(clip.character).points
    labels = clip.contacts.labels
    span = len(clip) - 1
    down = [[bool(labels[[(round((t + s) / clip.dt)) % span for s in (0.0, 0.05, 0.1)]][:, p].any(axis=1).all())
             for p in feet] for t in times]  # fmt: skip
    return times, np.array(down)


def _support(clips: dict[str, Clip], form: str, phases: int) -> list[object]:
    """single support responds more than double support (chest backward): means of both."""
    clip = clips["walk"]
    times, down = _phases(clip, phases)
    size = _size(answers(clip, form, "chest", 100.0, 180.0, times))
    double = down.all(axis=1)
    if not double.any() or double.all() or not np.isfinite(size).all():
        return ["-", "lost" if not np.isfinite(size).all() else "no such phases"]
    return _told(size[~double] > size[double].mean(), size[~double], size[double])


def _side(clips: dict[str, Clip], form: str, phases: int) -> list[object]:
    """a push on the side of the supporting leg is steadier (shoulders backward): supporting, other side."""
    clip = clips["walk"]
    times, down = _phases(clip, phases)
    sides = [_size(answers(clip, form, f"{s}_upper_arm", 100.0, 180.0, times)) for s in ("left", "right")]
    one = down.sum(axis=1) == 1
    left = down[:, 0]
    on = np.where(left, sides[0], sides[1])[one]
    off = np.where(left, sides[1], sides[0])[one]
    return _told(on < off, on, off)


def _backward(clips: dict[str, Clip], form: str, phases: int) -> list[object]:
    """backward pushes are harder to recover from than forward ones (chest, walk; [s]): backward, forward."""
    clip = clips["walk"]
    times = moments(clip, phases)
    back, front = (np.array([r.recovered if r.whole else np.inf for r in answers(clip, form, "chest", 100.0, w, times)])
                   for w in (180.0, 0.0))  # fmt: skip
    return _told(back > front, back, front)


def _backward_walk(clips: dict[str, Clip], form: str, phases: int) -> list[object]:
    """a backward walk is stable against forward pushes and soft to backward ones (all points): backward, forward."""
    clip = clips["backward"]
    times = moments(clip, phases)
    back, front = (np.mean([_size(answers(clip, form, b, f, w, times)) for b, f in POINTS.items()], axis=0)
                   for w in (180.0, 0.0))  # fmt: skip
    return _told(back > front, back, front)


def _sneak(clips: dict[str, Clip], form: str, phases: int) -> list[object]:
    """sneaking responds less than walking (all points, backward): sneak, walk."""
    sizes = []
    for name in ("sneak", "walk"):
        times = moments(clips[name], phases)
        sizes.append(
            np.mean([_size(answers(clips[name], form, b, f, 180.0, times)) for b, f in POINTS.items()], axis=0)
        )
    return _told(sizes[0] < sizes[1].mean(), *sizes)


def unperturbed(options: Options) -> Table:
    """How closely each clip is followed where nothing pushes: (6) to the letter, the document's form, and ours."""
    rows = []
    for name in RECORDED:
        if name == "kata" and options.recordings is None:
            continue
        clip, k = clip_of(name, options), K.get(name, 10)
        take = performed(clip, "ours", 8.0 if clip.cycle is not None else clip.duration, k=k)
        ours = float(np.abs(conf.difference(clip.character.layout, take.q_ref, take.q)).max())
        rows.append(told((name, k, followed(clip, "printed", k=k, zero=True), followed(clip, "printed", k=k), ours)))
    return Table(
        "The unpushed clip",
        ("clip", "k", "printed, (6) to the letter: rms [deg]", "printed: rms [deg]", "ours: largest [rad]"),
        tuple(rows),
        ("The document's form goes in steps of 1/60 s and is compared there. inf: it runs away.",),
    )

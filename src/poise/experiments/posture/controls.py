"""Controls of section 3.6.1: how many coordinates, which ones, of which cycle; and fast turns (3.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from poise.dynamics.response_space import ResponseSpace
from poise.experiments.posture.pushes import POINTS, answers
from poise.experiments.posture.trial import FORMS, RECORDED, Response, clip_of, moments, performed
from poise.experiments.posture.trial import count as counted
from poise.experiments.reproduce import Options, Table, told
from poise.export.plots import figure_of
from poise.export.response_plots import draw_responses
from poise.maths import configuration as conf
from poise.methods.posture import response_space
from poise.methods.posture.body import Parts
from poise.motion.clip import Clip
from poise.motion.load import load_clip

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COUNTS = (0, 2, 5, 8, 10, 12, 16, 20)
TRACKS = 10.0  # [degrees] rms of the upper body's joints up to which the clip is followed


def followed(clip: Clip, form: str, seconds: float = 6.0, **settings: Any) -> float:
    """Rms deviation [degrees] of the upper body from the clip where nothing pushes, on the method's own frames."""
    seconds = seconds if clip.cycle is not None else clip.duration
    take = performed(clip, form, seconds, **settings)
    if not take.ended.whole:
        return np.inf
    off = conf.difference(clip.character.layout, take.q_ref, take.q)[::2, Parts.of(clip.character).upper]
    return float(np.degrees(np.sqrt((off**2).mean())))


def _cell(x: float) -> str:
    return f"{x:.2g}" if x <= TRACKS else "does not track" if not np.isfinite(x) else f"{x:.0f}, does not track"


def _back(found: list[Response]) -> str:
    """How many came back."""
    return counted([r.back for r in found])


def count(options: Options) -> Table:
    """Figure 2b-d: k from 0 to 20, on the document's body and on one with wrists and clavicles that move."""
    rows = []
    for own in (False, True):
        clip = clip_of("walk", options, own=own)
        times = moments(clip, options.seeds)
        free = len(Parts.of(clip.character).upper)
        for k in COUNTS:
            cells: list[object] = [_cell(followed(clip, "printed", s, k=k)) for s in (4.0, 6.0)]
            arm, chest = ({f: answers(clip, f, body, force, 180.0, times, k=k) for f in FORMS}
                          for body, force in (("right_hand", 30.0), ("chest", 100.0)))  # fmt: skip
            for form in FORMS:
                cells += [_back(arm[form]), _back(chest[form])]
            cells += [float(np.mean([r.peak for r in x["ours"]])) for x in (arm, chest)]
            cells += [float(np.mean([r.recovered for r in x["ours"]])) for x in (arm, chest)]
            rows.append(told((f"{free} DoF" + (", own skeleton" if own else ""), k, *cells)))
        if options.recordings is None:
            break
    return Table("Figure 2b-d: the number k of near-unactuated coordinates, backward pushes on the right hand (30 N) "
                 f"and the chest (100 N), {options.seeds} phases",
                 ("body", "k", "printed: rms [deg], 4 s", "6 s", "printed: hand", "chest", "ours: hand", "chest ",
                  "hand: peak [deg]", "chest: peak [deg]", "hand: back [s]", "chest: back [s]"), tuple(rows),
                 ("Thesis: 12 tracks and fails a mild push on the right arm, 16 does not track; more constraints "
                  "respond more.",))  # fmt: skip


def latency(options: Options) -> Table:
    """W3 against k: with much of it the torques of all joints are held for 200 ms, and k says nothing."""
    clip, rows = clip_of("walk", options), []
    times = moments(clip, options.seeds)
    for weight in (0.0, 1e-7, 1e-6, 2e-6, 1e-5):
        for k in (0, 5, 10, 16):
            cells: list[object] = []
            for body, force in POINTS.items():
                found = answers(clip, "ours", body, force, 180.0, times, k=k, latency=weight)
                cells += [f"{np.mean([r.peak for r in found]):.1f} ({100 * min(r.along for r in found):.1f} cm)"]
            old = answers(clip, "printed", "left_hand", 30.0, 180.0, times[:2], k=k, latency=weight)
            rows.append(told((weight, k, _back(old), *cells)))
    return Table(f"Latency W3 and the number k, backward pushes on a walk, {options.seeds} phases",
                 ("W3", "k", "printed: hand back", "ours: hand, peak [deg] (least along)", "shoulder", "head", "chest"),
                 tuple(rows))  # fmt: skip


def largest(options: Options) -> Table:
    """Figure 2a: one constraint, in the coordinate that is driven most."""
    rows = []
    for name in _clips(options):
        clip = clip_of(name, options)
        space = response_space(clip)
        for what, chosen in (("most driven", 0), ("least driven", len(space) - 1)):
            only = space.only(np.array([chosen]))
            cells: list[object] = [
                _cell(followed(clip, "printed", k=1, space=only, zero=zero)) for zero in (True, False)
            ]
            cells += [_cell(followed(clip, "ours", k=1, space=only, zero=zero)) for zero in (True, False)]
            rows.append(told((name, what, *cells)))
    return Table(
        "Figure 2a: a single dynamic constraint; rms deviation of the unpushed upper body [degrees]",
        ("clip", "coordinate", "printed, (6) to the letter", "printed", "ours, (6) to the letter", "ours"),
        tuple(rows),
        ("Thesis: without torque in the most driven coordinate the walk is not followed.",),
    )


def _clips(options: Options) -> tuple[str, ...]:
    return tuple(n for n in RECORDED if n != "kata" or options.recordings is not None)


def spectra(options: Options) -> Table:
    """Figures 3 and 4: how strongly each coordinate is driven."""
    known: dict[str, ResponseSpace] = {n: response_space(clip_of(n, options)) for n in _clips(options)}
    if options.recordings is not None:
        known |= {n: response_space(clip_of(n, options)) for n in ("second walk", "march", "about-turn")}
    rows = [told((n, *(float(x) for x in s.values[:5]), float(s.values[9]), float(s.values[-1]),
                  float(100 * s.shares[:5].sum()), s.dominant(0.95), s.dominant(0.99)))
            for n, s in known.items()]  # fmt: skip
    figures = options.plot(lambda: _draw(known), "posture-spectra")
    for name in ("walk", "sneak"):
        figures += options.plot(lambda s=known[name]: draw_responses(s, 10), f"posture-style-{name}")
    return Table("Figures 3 and 4: eigenvalues [N² m²] of the joint torques of the upper body, 80 kg",
                 ("clip", "e0", "e1", "e2", "e3", "e4", "e9", "e23", "first five [%]", "for 95 %", "for 99 %"),
                 tuple(rows), ("Thesis: at most five are dominant in all motions.",), figures)  # fmt: skip


def _draw(known: dict[str, ResponseSpace]) -> Figure:
    figure = figure_of(10, 4)
    one, two = figure.subplots(1, 2)
    for name, space in known.items():
        one.semilogy(space.values, label=name)
        two.plot(100 * np.cumsum(space.shares))
    one.set_xlabel("eigenvalue")
    one.set_ylabel("N² m²")
    two.set_xlabel("eigenvalues")
    two.set_ylabel("% of the whole")
    one.legend(fontsize=7)
    return figure


def cycles(options: Options) -> Table:
    """Section 3.8: spaces of randomly chosen cycles of the recording, and of one with noise."""
    clip, rng = clip_of("walk", options), np.random.default_rng(0)
    found = options.recording(RECORDED["walk"])
    assert found is not None
    whole = load_clip(found, character=clip.character)
    times, rows = moments(clip, options.seeds), []
    own = response_space(clip)
    base = {f: answers(clip, f, "chest", 100.0, 180.0, times) for f in FORMS}
    for _ in range(options.seeds):
        start = float(rng.uniform(0.0, whole.duration - clip.duration))
        for repaired in (True, False):
            part = whole.cut(start, start + clip.duration)
            space = response_space(part.make_physical() if repaired else part)
            new = answers(clip, "ours", "chest", 100.0, 180.0, times, space=space)
            change = np.mean([np.linalg.norm(a.shape[:120] - b.shape[:120]) / np.linalg.norm(b.shape[:120])
                              for a, b in zip(new, base["ours"], strict=True) if a.whole and b.whole])  # fmt: skip
            old = answers(clip, "printed", "chest", 100.0, 180.0, times[:2], space=space)
            rows.append(told((f"cycle from {start:.2f} s, {'repaired' if repaired else 'as recorded'}",
                              own.angle(space, 10), _back(old), _back(new), 100 * float(change))))  # fmt: skip
    return Table("Spaces of randomly chosen cycles of the same recording, applied to the walk; backward chest pushes",
                 ("cycle", "angle [deg]", "printed: back", "ours: back", "ours: changed [%]"), tuple(rows),
                 ("Thesis: sporadic noise has negligible effect.",))  # fmt: skip


def turns(options: Options) -> Table:
    """Section 3.8: a fast turn, and a walk."""
    names = ("walk", "turn", "about-turn") if options.recordings is not None else ("walk", "turn")
    rows = []
    for name in names:
        clip = clip_of(name, options)
        space, times = response_space(clip), moments(clip, options.seeds)
        for k in (4, 10):
            cells: list[object] = []
            for form in FORMS:
                found = [r for b, f in POINTS.items() for r in answers(clip, form, b, f, 180.0, times, k=k)]
                sound = [r for r in found if r.whole]
                cells += [_cell(followed(clip, form, k=k)), _back(found),
                          float(np.mean([r.rms for r in sound])) if sound else "-"]  # fmt: skip
            rows.append(told((name, k, float(space.values.sum()), float(space.values[14:].sum()), *cells)))
    return Table(
        "Fast turns, backward pushes on hand, shoulder, head and chest",
        (
            "clip",
            "k",
            "all eigenvalues [N² m²]",
            "ten smallest",
            "printed: rms [deg]",
            "back",
            "response [deg]",
            "ours: rms [deg]",
            "back ",
            "response [deg] ",
        ),
        tuple(rows),
        ("Thesis: eigenvalues of turns are higher, k = 10 fails to track and fewer respond stiffly.",),
    )

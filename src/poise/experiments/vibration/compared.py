"""Section 8.4: modal against canonical torques, guided against naive permissible modes, priority modes alone.

And section 4.1, eased against square bursts. All look for the run of the sketch `runner` with the same search. What is
lost is measured: the share of the cycle's modal energy that is in the sketch's priority modes, in flight and on the
ground.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from poise.errors import NoSolution
from poise.experiments.reproduce import Options, Table, told
from poise.methods.vibration.control import EASED
from poise.methods.vibration.design import SETTLE, cpu_seconds
from poise.methods.vibration.score import judged, violated
from poise.methods.vibration.search import Designer
from poise.methods.vibration.sketch import Sketch, find_sketch, read
from poise.methods.vibration.spectrum import Spectrum, spectra
from poise.simulate.batch import Batch
from poise.threads import on_one_thread

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CANONICAL = (False, True)  # options of the space
SHOWN = 20  # modes of a phase in the figure
COLUMNS = ("torques", "seed", "amplitudes (f/g)", "violated", "speed [m/s]", "energy [N² m²]", "cyclic error",
           "in priority modes, flight [%]", "ground [%]", "evaluations", "CPU [s]")  # fmt: skip


class Way(NamedTuple):
    """A sketch, and how its torques are made."""

    sketch: Sketch
    options: tuple[bool, ...] = ()


def ways() -> dict[str, Way]:
    """The four of section 8.4, and eased bursts in the place of square ones (4.1)."""
    base = find_sketch("runner")
    plain = base.plain()

    def permitting(**change: Any) -> Sketch:
        phases = {p: {"priority": plain[p]["priority"], **change} for p in ("flight", "ground")}
        return read({**plain, **phases}, base.name)

    eased = read({**plain, "bursts": {"form": EASED}}, base.name)
    return {"guided": Way(base), "naive": Way(permitting(modes=11)), "priority only": Way(permitting()),
            "canonical": Way(base, CANONICAL), "eased": Way(eased)}  # fmt: skip


@on_one_thread
def run(options: Options) -> Table:
    """One search a way and seed."""
    rows, drawn = [], {}
    for name, way in ways().items():
        for seed in range(options.seeds if options.wants(name) else 0):
            row, found = _searched(name, way, seed)
            rows.append(told(row))
            if seed == 0 and found is not None:
                drawn[name] = found
    figures = options.plot(lambda: _figure(drawn), "modal energy by way") if drawn else ()
    return Table("Modal, naive and canonical torques", COLUMNS, tuple(rows), (), figures)


def _searched(name: str, way: Way, seed: int) -> tuple[tuple[Any, ...], tuple[Spectrum, Spectrum] | None]:
    work = Designer(way.sketch, seed, options=way.options)
    begun = cpu_seconds()
    sizes = "/".join(str(n) for n in work.space.sizes)
    try:
        with Batch(1) as batch:
            for _ in work.rounds(batch):
                pass
    except NoSolution:
        nothing = (name, seed, sizes, "all fall", *[float("nan")] * 5, work.progress.evaluations, cpu_seconds() - begun)
        return nothing, None
    p, fix = work.progress, work.corrections()
    given = work.simulator.bursts(work.space.controls(p.best))
    last = work.simulator.run(p.state, given, SETTLE, fix)
    score = judged(work.simulator, work.space, p.best, last, SETTLE)
    settled = work.simulator.begun(last.states[-1]) if last.finished == SETTLE else p.state
    found = spectra(work.simulator, work.space.palette, settled, given, fix)
    shares = [100.0 * s.share(phase) for s, phase in zip(found, (way.sketch.flight, way.sketch.ground), strict=True)]
    kept = violated(score.easy) if last.whole else "falls"
    row = (name, seed, sizes, kept, score.speed, score.energy, score.drift, *shares, p.evaluations)
    return (*row, cpu_seconds() - begun), found


def _figure(drawn: dict[str, tuple[Spectrum, Spectrum]]) -> Figure:
    """Bars of the share of each mode, flight above, ground below; priority modes are marked."""
    from matplotlib.figure import Figure as Made

    figure = Made(figsize=(11.0, 6.0), layout="constrained")
    base = find_sketch("runner")
    for k, (phase, title) in enumerate(((base.flight, "flight"), (base.ground, "ground"))):
        axes = figure.add_subplot(2, 1, k + 1)
        names: tuple[str, ...] = ()
        for n, (name, found) in enumerate(drawn.items()):
            names = found[k].names
            share = found[k].energy / found[k].energy.sum()
            axes.bar(np.arange(SHOWN) + (n - 2) * 0.16, 100.0 * share[:SHOWN], 0.16, label=name)
        labels = [f"{m}*" if m in phase.priority else m for m in names[:SHOWN]]
        axes.set_xticks(range(SHOWN), labels)
        axes.set_ylabel(f"{title}: % of energy")
        axes.legend()
    return figure

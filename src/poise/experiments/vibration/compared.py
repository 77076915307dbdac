"""Section 8.4: modal against canonical torques, guided against naive permissible modes, priority modes alone.

And section 4.1, eased against square bursts. All look for the run of the sketch `runner` with the same search. What is
lost is measured: the share of the cycle's modal energy that is in that sketch's priority modes, in flight and on the
ground, whatever modes a way has.

Naive: "all of the first m modes at each state" are permissible, and table 1 has m = 12. The paper's own priority modes
(3/4) are among its first twelve; of this sketch's f14 and g17 are not, and a naive choice goes without them. The others
(2/3) keep their priority and their amplitudes.

Canonical: each joint has a torque of its own, in the place of modes. The search begins with the torques K Φ ψ of the
sketch, as the guided one does, not at rest. E5 and bounds ask nothing of it, since it has no priority modes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from poise.errors import NoSolution
from poise.experiments.reproduce import Options, Table, told
from poise.maths.rotations import Array
from poise.methods.vibration.control import EASED
from poise.methods.vibration.design import SETTLE, cpu_seconds
from poise.methods.vibration.score import judged, violated
from poise.methods.vibration.search import Designer, Progress
from poise.methods.vibration.sketch import Sketch, find_sketch, read
from poise.methods.vibration.space import Space
from poise.methods.vibration.spectrum import Spectrum, spectra
from poise.simulate.batch import Batch
from poise.threads import on_one_thread

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CANONICAL = (False, True)  # options of the space
FIRST = 12  # modes of each phase that the naive way permits
SHOWN = 20  # modes of a phase in the figure
COLUMNS = ("torques", "seed", "amplitudes (f/g)", "violated", "speed [m/s]", "energy [N² m²]", "cyclic error",
           "in priority modes, flight [%]", "ground [%]", "evaluations", "CPU [s]")  # fmt: skip


class Way(NamedTuple):
    """A sketch, and how its torques are made."""

    sketch: Sketch
    options: tuple[bool, ...] = ()


class FromTorques(Designer):
    """A search with a torque for each joint, every beginning of which is where the sketch's own search begins."""

    def _first(self, attempt: int = 0, beginning: int = 0) -> Progress:
        first = super()._first(attempt, beginning)
        x = sketched(self.space_in(0))
        return replace(first, search=self._round_search(0, x, attempt, beginning), best=x)


def sketched(space: Space) -> Array:
    """The vector of a canonical space whose torques are those of the sketch's amplitudes."""
    modal = Space(space.sketch, space.palette)
    begun = modal.controls(np.zeros(modal.dimension))
    x = np.zeros(space.dimension)
    x[: sum(space.sizes)] = np.concatenate([begun.flight[6:], begun.ground[6:]]) / space.step
    return x


def ways() -> dict[str, Way]:
    """The four of section 8.4, and eased bursts in the place of square ones (4.1)."""
    base = find_sketch("runner")
    plain = base.plain()

    alone = {p: {"priority": plain[p]["priority"]} for p in ("flight", "ground")}
    palette = base.palette()
    first = {p: {m.name for m in getattr(palette, p)[:FIRST]} for p in ("flight", "ground")}
    naive = {p: {"priority": {m: a for m, a in plain[p]["priority"].items() if m in first[p]}, "modes": FIRST}
             for p in first}  # fmt: skip
    changed = lambda phases: Way(read({**plain, **phases}, base.name))  # noqa: E731
    return {"guided": Way(base), "naive": changed(naive), "priority only": changed(alone),
            "canonical": Way(base, CANONICAL), "eased": changed({"bursts": {"form": EASED}})}  # fmt: skip


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
    work = (FromTorques if way.options == CANONICAL else Designer)(way.sketch, seed, options=way.options)
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
    found, shares = None, [float("nan")] * 2
    if last.whole:
        found = spectra(work.simulator, work.space.palette, work.simulator.begun(last.states[-1]), given, fix)
        base = find_sketch("runner")
        shares = [100.0 * s.share(phase) for s, phase in zip(found, (base.flight, base.ground), strict=True)]
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

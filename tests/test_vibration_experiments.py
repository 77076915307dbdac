"""What the tables of vibration measure: modal energy of a whole cycle, bursts within limits, depths, and their ways."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.experiments.vibration import cluster, compared, disturbed, gaits
from poise.judge.audit import audit
from poise.maths import configuration as conf
from poise.methods.vibration.gait import find_gait, shipped
from poise.methods.vibration.palette import ANTISYMMETRIC, Palette
from poise.methods.vibration.search import Designer
from poise.methods.vibration.sketch import find_sketch
from poise.methods.vibration.spectrum import energies, spectra
from poise.methods.vibration.unit_simulator import Run, UnitSimulator
from poise.motion.load import load_clip
from poise.performance import perform

PATHS = {p.stem: p for p in shipped()}
UNIT = 60  # steps of a synthetic unit


def swinging(palette: Palette, mode: str, phase: float, height: float):
    """What takes the place of the simulator: a mode that swings once a cycle of two units, from a phase on."""

    def run(self: UnitSimulator, state, given, units, fix=None, *_, traced=False) -> Run:
        nq, nv = len(self.rest), len(self.stiffness)
        angle = phase + np.pi * np.arange(units * UNIT)[:, None] / UNIT
        rest = self.rest.copy()
        rest[2] += height
        q = conf.integrate(self.character.layout, rest, 1e-3 * np.sin(angle) * palette[mode].shape)
        v = 1e-3 * 2.0 * np.pi * palette[mode].frequency * np.cos(angle) * palette[mode].shape
        states = np.zeros((units + 1, nq + nv))
        trace = np.hstack([q, v, np.zeros((len(q), nv))])
        return Run(units, units * UNIT, np.zeros(1), states, np.zeros((1, nq + nv)), trace)

    return run


@pytest.mark.parametrize("phase", [0.0, 0.7, np.pi / 2, 2.5])
def test_all_energy_of_an_antisymmetric_cycle_is_in_its_mode_whatever_its_beginning(phase: float, monkeypatch):
    sketch = find_sketch("runner")
    simulator, palette = sketch.simulator(), sketch.palette()
    given = find_gait("runner").driven().bursts
    antisymmetric = [m for m in palette.flight[:8] if m.parity == ANTISYMMETRIC]
    assert len(antisymmetric) > 2
    for mode in antisymmetric:
        monkeypatch.setattr(UnitSimulator, "run", swinging(palette, mode.name, phase, 0.5))
        flight, ground = spectra(simulator, palette, np.zeros(1), given, None)
        assert flight.energy.max() > 0.9999 * flight.energy.sum() and not ground.energy.any()
        assert flight.names[int(flight.energy.argmax())] == mode.name
        assert flight.energy.max() == pytest.approx(0.5e-6 * (2.0 * np.pi * mode.frequency) ** 2, rel=1e-3)
    mode = palette.ground[3]  # both feet stand; these modes hold the right one
    monkeypatch.setattr(UnitSimulator, "run", swinging(palette, mode.name, phase, -0.01))
    flight, ground = spectra(simulator, palette, np.zeros(1), given, None)
    assert ground.energy[3] > 0.9999 * ground.energy.sum() and not flight.energy.any()


def test_energy_of_half_a_cycle_is_not_that_of_the_cycle():
    """Why the whole of it is traced: the mean of half a swing is two thirds of its size."""
    palette = find_sketch("runner").palette()
    angle = np.linspace(0.0, 2.0 * np.pi, 2 * UNIT, endpoint=False)[:, None]
    q = conf.integrate(palette.character.layout, palette.rest, 1e-3 * np.sin(angle) * palette["f2"].shape)
    whole, half = (
        energies(palette.flight, palette, x, np.zeros((len(x), len(palette.stiffness)))) for x in (q, q[:UNIT])
    )
    assert half[:, 1].mean() < 0.3 * whole[:UNIT, 1].mean()


def test_the_share_does_not_hang_on_the_unit_with_which_the_cycle_begins():
    """Begun half a cycle later, seen mirrored, a run is the same: so are its spectra."""
    gait = find_gait("runner")
    ready, palette = gait.driven(), gait.sketch.palette()
    settled = ready.run(40).states[-1]
    later = ready.simulator.begun(ready._replace(state=settled).run(1).states[-1])
    pairs = [spectra(ready.simulator, palette, state, ready.bursts, ready.corrections) for state in (settled, later)]
    for a, b in zip(*pairs, strict=True):
        assert np.allclose(a.energy, b.energy, rtol=2e-3, atol=1e-3 * a.energy.max())


def test_a_cycle_that_falls_has_no_shares():
    gait = find_gait("runner")
    ready = gait.driven()
    falling = ready.state.copy()
    falling[2] = 0.3
    found = spectra(ready.simulator, gait.sketch.palette(), falling, ready.bursts, ready.corrections)
    assert all(np.isnan(s.share(p)) for s, p in zip(found, (gait.sketch.flight, gait.sketch.ground), strict=True))


def test_naive_is_the_twelve_slowest_modes_and_canonical_begins_where_the_sketch_does():
    ways = compared.ways()
    guided, naive, canonical = ways["guided"].sketch, ways["naive"].sketch, ways["canonical"]
    for phase in ("flight", "ground"):
        names = [m.name for m in getattr(naive.palette(), phase)]
        own, base = getattr(naive, phase), getattr(guided, phase)
        assert set(own.names) == set(names[:12])
        assert dict(own.priority) == {m: a for m, a in base.priority.items() if m in names[:12]}
    plain = Designer(guided)
    begun = compared.FromTorques(canonical.sketch, options=canonical.options)
    a, b = plain.controls(plain.progress), begun.controls(begun.progress)
    assert np.allclose(a.flight, b.flight) and np.allclose(a.ground, b.ground) and np.abs(a.flight).max() > 50.0
    assert np.array_equal(begun.progress.search.mean, begun.progress.best) and begun.space.sizes == (30, 30)


def test_pushes_are_at_four_phases_of_a_unit():
    """Eighths of a run's cycle, as the other half is the mirrored first, and quarters of a hop's."""
    for name, part in (("runner", 8), ("kangaroo", 4)):
        gait = find_gait(name)
        period = gait.times["period"]
        when = {round((at / period - disturbed.BEFORE) * part, 6) for _, at in disturbed._cases(gait, 60.0)}
        assert when == {0.0, 1.0, 2.0, 3.0}
        assert len(set(disturbed._cases(gait, 60.0))) == 32


def test_depths_in_the_ground_and_in_itself_are_those_of_the_audit():
    """The lateral run's hands are in its thighs, the squat's toes in the ground."""
    for name in ("lateral", "runner"):
        take = perform(load_clip(PATHS[name]), "vibration", seconds=2.0)
        ground, own = gaits.in_ground(take), gaits.in_itself(take)
        assert max(ground.value, own.value) == pytest.approx(audit(take).penetration)
        assert ground.what.endswith(("foot", "toes")) and 0.0 < ground.value < 0.01
        assert (
            (own.value > 0.02 and " in " in own.what and 0.0 < own.time < 2.0) if name == "lateral" else not own.value
        )


def test_bursts_within_limits():
    """All is left of feeble bursts, in the amplitudes of the file; of strong ones less, of other modes too."""
    gait = find_gait("runner")
    feeble = replace(gait, flight={m: 0.05 * a for m, a in gait.flight.items()},
                     ground={m: 0.05 * a for m, a in gait.ground.items()})  # fmt: skip
    assert gaits.within_limits(feeble)[0] == pytest.approx(100.0)
    share, *_ = gaits.within_limits(gait)
    cut = np.clip(
        gait.driven().bursts.table[0], -gait.driven().simulator.springs.limit, gait.driven().simulator.springs.limit
    )
    assert share == pytest.approx(100.0 * np.sum(cut**2) / np.sum(gait.driven().bursts.table[0] ** 2))
    strong = replace(gait, flight={m: 50.0 * a for m, a in gait.flight.items()})
    assert gaits.within_limits(strong)[0] < share


def test_facts_that_a_file_tells_otherwise_are_named():
    gait = find_gait("runner")
    now = dict(gait.facts)
    assert gaits.differing(gait, now) == "as measured"
    told = gaits.differing(replace(gait, facts={**now, "speed": 3.0}), {**now, "new": 1})
    assert told == f"speed: 3.0, now {now['speed']}; new: None, now 1"


def test_a_worker_that_is_not_lost_is_noticed():
    class Client:
        def run(self, *_, **__):
            return {"a": 1, "b": 2}

    with pytest.raises(AssertionError, match="no worker was lost"):
        cluster._lost(cluster._processes(Client()), cluster._processes(Client()))
    assert cluster._lost({1, 2}, {2, 3}) == 1

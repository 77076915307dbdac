"""Sketches, searches, gaits: what is refused, what repeats, what stays up."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import poise
from cli_files import done
from poise.character.posing import turn_joints
from poise.cli.main import main
from poise.dynamics import Dynamics
from poise.errors import PoiseError
from poise.experiments.vibration.disturbed import band_of, beyond
from poise.experiments.vibration.sketches import random_sketch
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.methods.vibration import Vibration, unit_loop
from poise.methods.vibration import design as designing
from poise.methods.vibration.checkpoint import keep, restored
from poise.methods.vibration.control import EASED, Bursts, burst, bursts
from poise.methods.vibration.design import design, without_feedback
from poise.methods.vibration.endurance import Verdict
from poise.methods.vibration.gait import load_gait, shipped
from poise.methods.vibration.ground_view import seen_from
from poise.methods.vibration.judging import judge
from poise.methods.vibration.plan import Round
from poise.methods.vibration.progress import Progress
from poise.methods.vibration.score import easy
from poise.methods.vibration.search import Designer
from poise.methods.vibration.showing import sketch_clip
from poise.methods.vibration.sketch import built_in, find_sketch, read
from poise.methods.vibration.space import Space
from poise.methods.vibration.spectrum import Spectrum, energies
from poise.methods.vibration.tuning import Tuned
from poise.methods.vibration.unit_simulator import Controls, UnitSimulator
from poise.motion.mirror import mirror_q
from poise.simulate.batch import Batch
from poise.solve import cma
from poise.solve.multipliers import first_run, met
from poise.solve.riccati import periodic_feedback
from poise.take import Take

SHORT = (Round(1.0, 3, 3, 0.3), Round(0.3, 2, 3, 0.2))
SKETCH = {"character": "runner", "flight": {"priority": {"f2": -40}}, "ground": {"priority": {"g7": 20}}}


@pytest.fixture(scope="module")
def gait() -> Path:
    """The runner's gait that comes with poise."""
    return Path(poise.methods.vibration.__file__).parent / "gaits" / "runner.toml"


# solvers


def test_cma_finds_the_least_of_a_stretched_bowl_and_of_rosenbrock():
    scales = np.logspace(0, 3, 8)
    s = cma.begin(np.ones(8), 0.5, seed=1)
    for _ in range(350):
        x = cma.ask(s)
        s = cma.tell(s, x, np.sum(scales * x**2, axis=1))
    assert np.abs(s.mean).max() < 1e-4
    s = cma.begin(np.zeros(4), 0.3, seed=2)
    for _ in range(400):
        x = cma.ask(s)
        s = cma.tell(s, x, np.sum(100 * (x[:, 1:] - x[:, :-1] ** 2) ** 2 + (1 - x[:, :-1]) ** 2, axis=1))
    assert np.abs(s.mean - 1.0).max() < 1e-2


def test_cma_goes_on_bit_for_bit_from_its_arrays():
    a = cma.begin(np.ones(5), 0.5, seed=3)
    for k in range(6):
        if k == 3:
            a = cma.restored(a.arrays())
        x = cma.ask(a)
        a = cma.tell(a, x, np.sum(x**2, axis=1))
    b = cma.begin(np.ones(5), 0.5, seed=3)
    for _ in range(6):
        x = cma.ask(b)
        b = cma.tell(b, x, np.sum(x**2, axis=1))
    assert np.array_equal(a.mean, b.mean) and np.array_equal(a.covariance, b.covariance) and a.sigma == b.sigma


def test_what_is_no_number_counts_as_the_worst():
    s = cma.begin(np.zeros(3), 1.0)
    x = cma.ask(s)
    costs = np.arange(len(x), dtype=float)
    costs[0] = 1e9
    worst = cma.tell(s, x, costs)
    costs[0] = np.nan
    assert np.array_equal(cma.tell(s, x, costs).mean, worst.mean)


def test_a_search_that_is_given_a_learned_shape_goes_on_with_it():
    scales = np.logspace(0, 4, 6)
    shape = np.diag(1.0 / scales)

    def after(learned: np.ndarray | None) -> float:
        s = cma.begin(np.ones(6), 0.3, seed=4, population=16, shape=learned)
        for _ in range(40):
            x = cma.ask(s)
            s = cma.tell(s, x, np.sum(scales * x**2, axis=1))
        return float(np.sum(scales * s.mean**2))

    assert np.isclose(np.trace(cma.begin(np.ones(6), 1.0, shape=7.0 * shape).covariance), 6.0)
    assert after(shape) < 0.1 * after(None)


def test_multipliers_reach_a_constrained_minimum():
    """min x² + y² with x + y = 1 is at (½, ½) with λ = -1; a fixed penalty alone misses it."""
    m, x = first_run(1), np.zeros(2)
    for _ in range(40):
        k, lam = m.penalty, float(m.multiplier[0])
        x = np.full(2, (2 * k - lam) / (2 + 4 * k))  # the least of W, in closed form
        grid = x + 0.01 * np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]])
        w = m.augmented(np.sum(grid**2, axis=1), grid.sum(axis=1, keepdims=True) - 1.0)
        assert np.argmin(w) == 0
        m = m.updated(x.sum(keepdims=True) - 1.0, 0.5)
    assert np.allclose(x, 0.5, atol=1e-6) and met(x.sum(keepdims=True) - 1.0, 1e-5)
    assert np.isclose(m.multiplier[0], -1.0, atol=1e-5)


def test_periodic_feedback_is_the_stationary_one_where_all_stages_are_alike():
    from scipy.linalg import solve_discrete_are

    rng = np.random.default_rng(0)
    A, B = 1.1 * np.linalg.qr(rng.normal(size=(4, 4)))[0], rng.normal(size=(4, 2))
    Q, R = np.eye(4), 0.3 * np.eye(2)
    P = solve_discrete_are(A, B, Q, R)
    found = periodic_feedback([A, A, A], [B, B, B], Q, R)
    G = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
    assert all(np.allclose(g, G, atol=1e-8) for g in found.gains) and np.allclose(found.cost, P, atol=1e-7)
    assert found.radius < 1.0 and found.residual < 1e-9


# control


def test_a_burst_has_its_impulse_whatever_the_step():
    for form in ("square", EASED):
        for start in (0.0, 0.0131, 0.3):
            w = burst(start, 0.0817, 200, 1 / 480, 200 / 480, form)
            assert np.isclose(w.sum() / 480, 0.0817 if start < 0.3 else min(0.0817, 200 / 480 - 0.3), atol=2e-3)
            assert w.min() >= 0.0 and w.max() <= (1.0 if form == "square" else 2.0) + 1e-9


def test_a_burst_that_outlasts_its_unit_goes_on_mirrored():
    S = np.diag([1.0, -1.0])
    given = bursts(np.zeros(2), np.array([3.0, 5.0]), (0.1, 0.1), 0.35, 192, 1 / 480, S)
    assert np.isclose(given.table[0, :, 0].sum() / 480, 3.0 * 0.1)
    assert np.isclose(given.table[0, :10, 1].mean(), -5.0) and np.isclose(given.table[0, -5:, 1].mean(), 5.0)
    assert np.allclose(given.table[1], given.table[0] @ S)


def test_a_mirrored_start_gives_a_mirrored_unit():
    sketch = find_sketch("runner")
    simulator = sketch.simulator()
    space = Space(sketch, sketch.palette())
    given = simulator.bursts(space.controls(np.zeros(space.dimension)))
    state = simulator.start(0.05, 2.0)
    even = simulator.run(state, given, 1).states[-1]
    odd = given._replace(table=given.table[::-1].copy())
    nq = len(simulator.rest)
    mirrored = np.concatenate([mirror_q(simulator.character, state[None, :nq])[0], simulator.mirror @ state[nq:]])
    other = simulator.run(mirrored, odd, 1).states[-1]
    assert np.allclose(mirror_q(simulator.character, other[None, :nq])[0], even[:nq], atol=1e-5)


def test_dampers_have_the_inertia_of_the_simulators_own_step():
    """An inertia of dt k_d on the joints: half of it for half the step, in the body as in what the file tells."""
    body = find_sketch("runner").simulator()
    plain = poise.load_character("runner")
    for dt in (1 / 480, 1 / 960):
        simulator = UnitSimulator.of(plain, body.rest, body.stiffness, body.gait, dt=dt)
        added = simulator.character.model.dof_armature - plain.model.dof_armature
        assert np.allclose(added, simulator.inertia) and simulator.model.opt.timestep == dt


# sketches


def test_a_sketch_reads_itself_back():
    for name in built_in():
        sketch = find_sketch(name)
        again = read(sketch.plain(), sketch.name)
        assert again.digest == sketch.digest and again.flight.names == sketch.flight.names


def test_priority_amplitudes_are_lower_bounds_with_their_sign():
    sketch = find_sketch("runner")
    space = Space(sketch, sketch.palette())
    rng = np.random.default_rng(0)
    for _ in range(20):
        for psi, phase in zip(space.amplitudes(rng.normal(size=space.dimension)), (sketch.flight, sketch.ground),
                              strict=True):  # fmt: skip
            least = np.array(list(phase.priority.values()))
            assert np.all(np.sign(psi[: len(least)]) == np.sign(least)) and np.all(
                np.abs(psi[: len(least)]) >= abs(least)
            )


def test_a_vector_leads_back_to_its_controls():
    sketch = find_sketch("runner")
    space = Space(sketch, sketch.palette())
    x = np.random.default_rng(1).normal(size=space.dimension)
    c = space.controls(x)
    times = {"flight_length": c.flight_length, "ground_length": c.ground_length, "period": c.period, "share": c.share}
    again = space.controls(space.vector(*space.amplitudes(x), times))
    assert all(np.allclose(a, b, rtol=1e-9) for a, b in zip(c, again, strict=True))


def test_a_vector_is_carried_to_other_bounds():
    """Amplitudes stay what they are where they keep the new bounds, and are raised to these where they do not."""
    sketch = find_sketch("flap")
    low, high = (Space(sketch, sketch.palette(), asked=share) for share in (0.25, 1.0))
    x = np.random.default_rng(2).normal(size=low.dimension)
    controls = low.controls(x)
    times = {k: getattr(controls, k) for k in ("flight_length", "ground_length", "period", "share")}
    for a, b, phase in zip(low.amplitudes(x), high.amplitudes(high.vector(*low.amplitudes(x), times)),
                           (sketch.flight, sketch.ground), strict=True):  # fmt: skip
        least = np.array(list(phase.priority.values()))
        n = len(least)
        assert np.allclose(b[:n], np.sign(least) * np.maximum(np.sign(least) * a[:n], np.abs(least)))
        assert np.allclose(b[n:], a[n:]) and np.any(np.abs(a[:n]) < np.abs(least))
    assert low.lacking(x) > 0.0 and low.lacking(x) < replace(low, asked=0.5).lacking(x)
    assert high.lacking(np.zeros(high.dimension)) == 0.0


def test_amplitudes_in_degrees_say_how_far_a_mode_swings():
    """Held against the springs, 20 degrees of a mode turn the joint that turns most by 20, in the mode's shape."""
    data = {
        **SKETCH,
        "amplitudes": "degrees",
        "flight": {"priority": {"f2": -20.0}},
        "ground": {"priority": {"g5": 9.0}},
    }
    sketch = read(data)
    found, space = sketch.palette(), Space(sketch, sketch.palette())
    controls = space.controls(np.zeros(space.dimension))
    for torque, mode, size in ((controls.flight, "f2", -20.0), (controls.ground, "g5", 9.0)):
        turn = np.degrees(torque[6:] / found.stiffness[6:])
        shape = found[mode].shape[6:]
        assert np.abs(turn).max() == pytest.approx(abs(size)) and np.allclose(turn, size * shape / np.abs(shape).max())
    newtons = np.linalg.norm(controls.flight)
    plain = read({**data, "amplitudes": "N m", "flight": {"priority": {"f2": -float(newtons)}}})
    same = Space(plain, plain.palette())
    assert np.allclose(same.controls(np.zeros(same.dimension)).flight, controls.flight)
    assert read(sketch.plain()).digest == sketch.digest != read({**data, "amplitudes": "N m"}).digest


def test_a_random_sketch_has_the_modes_and_swings_that_it_says():
    sketch, base = random_sketch(5), find_sketch("runner")
    slow = [[m.name for m in getattr(base.palette(), phase)[:12]] for phase in ("flight", "ground")]
    for phase, own, names, count in (
        (sketch.flight, base.flight, slow[0], 3),
        (sketch.ground, base.ground, slow[1], 4),
    ):
        assert len(phase.priority) == count and set(phase.priority) <= set(names)
        assert all(10.0 <= abs(a) <= 30.0 for a in phase.priority.values())
        assert set(phase.others) == set(own.names) - set(phase.priority)
    assert random_sketch(5).digest == sketch.digest != random_sketch(6).digest and sketch.unit == "degrees"


def test_a_sketch_without_gravity_leaves_the_centre_of_mass_where_it_is():
    """Bursts are within the body: nothing moves its centre of mass, and its limbs do move."""
    clip = sketch_clip(find_sketch("flap"), cycles=1)
    dynamics = Dynamics(clip.character)
    com = np.array([dynamics.at(q).centre_of_mass for q in clip.q[::20]])
    assert np.abs(com - com[0]).max() < 2e-3
    assert np.ptp(clip.q[:, 7:], axis=0).max() > 0.2


def test_all_energy_of_one_vibration_is_in_its_mode():
    sketch = find_sketch("runner")
    found = sketch.palette()
    mode, layout = found["f2"], found.character.layout
    phase = np.linspace(0.0, 2.0 * np.pi, 64, endpoint=False)[:, None]
    w = 2.0 * np.pi * mode.frequency
    q = conf.integrate(layout, found.rest, 1e-3 * np.sin(phase) * mode.shape)
    energy = energies(found.flight, found, q, 1e-3 * w * np.cos(phase) * mode.shape)
    assert np.allclose(energy[:, 1], 0.5e-6 * w**2, rtol=1e-3)
    spectrum = Spectrum(tuple(m.name for m in found.flight), energy.mean(axis=0))
    assert spectrum.share(sketch.flight) > 0.999 and spectrum.energy.argmax() == 1


def changed(**more) -> dict:
    return {**SKETCH, **more}


BAD = {
    "a mode that does not exist": (changed(flight={"priority": {"f99": 1}}), "f1 to f30"),
    "all modes excluded": (changed(flight={"exclude": [f"f{k}" for k in range(1, 13)]}), "excludes all modes"),
    "priority and excluded": (changed(flight={"priority": {"f2": 1}, "exclude": ["f2"]}), "priority and is excluded"),
    "an unknown gait": (changed(gait="fly"), "Known: hop, one leg, run"),
    "an unknown entry": (changed(colour="red"), "colour"),
    "an unknown body": (changed(character="runer"), "runner"),
    "no body": ({k: v for k, v in SKETCH.items() if k != "character"}, "names its character"),
    "an amplitude that is none": (changed(ground={"priority": {"g7": "much"}}), "must be a number"),
    "a lopsided body for a symmetric gait": (changed(springs={"left_shin": 500}), "not alike"),
    "an unknown form": (changed(bursts={"form": "round"}), "eased"),
    "permitted and excluded": (changed(flight={"permit": ["f7"], "exclude": ["f7"]}), "permitted and is excluded"),
    "a period that no search reaches": (changed(start={"period": 2.0}), "from 0.6 to 1.1 s"),
    "springs scaled by a list": (changed(springs={"scale": [1, 2]}), "must be a number"),
    "a number too large": (changed(flight={"priority": {"f2": 10**400}}), "must be a number"),
    "strength of what has no joint": (changed(strength={"pelvis": 300}), "no joint"),
    "an unknown unit of amplitudes": (changed(amplitudes="radians"), "N m, degrees"),
    "springs for axes that are not there": (changed(springs={"shin": [300, 300, 80]}), "1 axes"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_sketches_are_refused_in_a_sentence(case: str):
    data, words = BAD[case]
    with pytest.raises(PoiseError) as caught:
        read(data)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_a_sketch_changes_the_strength_of_a_part_and_its_gait_carries_it():
    sketch = read({**SKETCH, "limits": True, "strength": {"right_foot": 350.0}})
    body = sketch.simulator().character
    own = poise.load_character("runner").torque_limit
    right, left = body.dofs("right_foot"), body.dofs("left_foot")
    assert body.torque_limit[right].max() == 350.0 and np.allclose(body.torque_limit[left], own[left])
    assert np.allclose(body.torque_limit[right] / own[right], 350.0 / own[right].max())
    assert read(sketch.plain()).digest == sketch.digest != read({**SKETCH, "limits": True}).digest
    with pytest.raises(PoiseError, match="right_fot"):
        read({**SKETCH, "strength": {"right_fot": 350.0}})
    hopper = next(p for p in shipped() if p.stem == "hopper")
    told = load_gait(hopper).sketch.simulator().character.torque_limit
    assert np.allclose(poise.load_clip(hopper).character.torque_limit, told, atol=1e-3)


def test_springs_of_each_axis_make_other_vibrations():
    """A leg that is soft about its line twists more slowly, and all else of the springs stays."""
    soft = read({**SKETCH, "springs": {"thigh": [300.0, 300.0, 80.0]}})
    body, own = soft.simulator(), read(SKETCH).simulator()
    legs = [body.character.dofs(f"{side}_thigh") for side in ("left", "right")]
    assert all(np.array_equal(body.stiffness[dofs], [300.0, 300.0, 80.0]) for dofs in legs)
    rest = np.setdiff1d(np.arange(len(own.stiffness)), np.concatenate(legs))
    assert np.array_equal(body.stiffness[rest], own.stiffness[rest]) and soft.palette().symmetric
    assert read(soft.plain()).digest == soft.digest != read(SKETCH).digest


def test_bad_commands_overwrite_nothing(tmp_path: Path, capsys):
    there = tmp_path / "gait.toml"
    there.write_text("mine")
    assert main(["design", "runner", "-o", str(there)]) == 2 and "exists already" in capsys.readouterr().err
    assert main(["design", "runer", "-o", str(tmp_path / "a.toml")]) == 2 and "runner" in capsys.readouterr().err
    assert main(["design", "runner", "-o", str(tmp_path / "a.npz")]) == 2 and ".toml" in capsys.readouterr().err
    (tmp_path / "b.toml.checkpoint.npz").write_text("no checkpoint")
    assert main(["design", "runner", "-o", str(tmp_path / "b.toml")]) == 2
    assert "no checkpoint of poise design" in capsys.readouterr().err
    assert there.read_text() == "mine" and (tmp_path / "b.toml.checkpoint.npz").read_text() == "no checkpoint"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["b.toml.checkpoint.npz", "gait.toml"]


def test_a_design_overwrites_neither_its_sketch_nor_its_gait(tmp_path: Path, capsys, gait: Path):
    out, sketch = tmp_path / "g.toml", tmp_path / "s.toml"
    sketch.write_text('character = "runner"\n[flight]\npriority = { f2 = -40 }\n[ground]\npriority = { g7 = 20 }\n')
    before = sketch.read_bytes()
    assert main(["design", str(sketch), "-o", str(out), "--checkpoint", str(out)]) == 2
    assert "cannot be one file" in capsys.readouterr().err
    assert main(["design", str(sketch), "-o", str(out), "--checkpoint", str(sketch)]) == 2
    assert "the sketch itself" in capsys.readouterr().err and sketch.read_bytes() == before
    assert main(["design", "kangaroo", "--from", "runer", "-o", str(out)]) == 2
    assert "monster-flap" in capsys.readouterr().err
    assert main(["design", "kangaroo", "--from", str(gait), "-o", str(out)]) == 2
    assert "same body" in capsys.readouterr().err and not out.exists()


def test_a_gait_that_misses_a_bar_is_told_by_words_and_exit_code(tmp_path: Path, capsys, gait: Path, monkeypatch):
    good = load_gait(gait)
    short = {"cyclic_error": np.inf, "easy": [np.inf] * 9, "units": 3}
    for k, facts in enumerate((good.facts, {**good.facts, **short})):
        made = replace(good, facts={**facts, "stays_up": 30 - k})
        monkeypatch.setattr("poise.methods.vibration.design.design", lambda *_, made=made, **__: made)
        assert main(["design", "runner", "-o", str(tmp_path / f"{k}.toml"), "--json"]) == k
        told = json.loads(capsys.readouterr().out)
        assert len(told["missed"]) == 12 * k and (told["cyclic_error"] is None) == bool(k)
        assert load_gait(tmp_path / f"{k}.toml").missed == made.missed
    assert main(["design", "runner", "-o", str(tmp_path / "2.toml")]) == 1
    told = capsys.readouterr().out
    assert "falls after 3 steps" in told and "stays up in 29 of 32 pushes" in told
    assert "E9: the swinging leg is longer" in told and "does not repeat itself" in told


def test_a_cluster_without_its_package_is_told_before_the_work(tmp_path: Path, capsys, monkeypatch):
    monkeypatch.setattr("poise.simulate.batch._WAIT", 0.3)
    from poise.extras import installed

    code = main(["design", "runner", "-o", str(tmp_path / "a.toml"), "--cluster", "tcp://127.0.0.1:1"])
    told = capsys.readouterr().err
    assert code == 2 and ("Dask scheduler" if installed("distributed") else "poise[cluster]") in told


# the search


def stepped(workers: int, tmp: Path | None = None, stop: int = 0) -> tuple[Designer, list]:
    work = Designer(find_sketch("runner"), 5, SHORT, population=8)
    with Batch(workers) as batch:
        for k in range(4):
            if tmp is not None and k == stop:
                keep(tmp, work.progress, work)
                work = Designer(work.sketch, 5, SHORT, population=8, progress=restored(tmp, work))
            work.generation(batch)
    return work, [work.progress.search.mean, work.progress.state, work.progress.best]


def test_a_search_that_was_stopped_goes_on_as_if_it_had_not_been(tmp_path: Path):
    _, one = stepped(1)
    _, two = stepped(1, tmp_path / "kept.npz", 2)
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_members_are_judged_alike_in_any_share():
    work, _ = stepped(1)
    members = cma.ask(work.progress.search)
    whole = judge(work.job(), members)
    parts = [r for share in (members[5:], members[:5]) for r in judge(work.job(), share)]
    assert [r.score.cost for r in whole] == [r.score.cost for r in (*parts[3:], *parts[:3])]


def test_feedback_steers_beside_an_assist_that_fades():
    plan = (Round(1.0, 2, 3, 0.1), Round(0.1, 2, 3, 0.1, steered=True))
    work = Designer(find_sketch("flap"), 5, plan, population=8)
    with Batch(1) as batch:
        assert work.job().corrections is None
        work.generation(batch)
        work.generation(batch)
        fix = work.job().corrections
    assert work.progress.round == 1 and fix is not None and np.abs(fix.gains).max() > 0.0 and work.job().assist == 0.1


def begun_three_times(stop: Path | None = None) -> tuple[Designer, list[float]]:
    plan = (Round(1.0, 1, 1, 0.1),) * 4
    work, costs = Designer(find_sketch("flap"), 5, plan, population=8), []
    with Batch(1) as batch:
        for k in range(9):
            if k % 3 == 2:
                costs.append(min(r.score.cost for r in judge(work.job(), cma.ask(work.progress.search))))
                costs[-1] = min(costs[-1], work.progress.score.cost if work.progress.score else np.inf)
            if stop is not None and k == 7:
                keep(stop, work.progress, work)
                work = Designer(work.sketch, 5, plan, population=8, progress=restored(stop, work))
            work.generation(batch)
    return work, costs


def test_the_search_goes_on_with_the_best_of_some_beginnings(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("poise.methods.vibration.search.PROMISING", -1.0)
    work, costs = begun_three_times()
    p, (again, _) = work.progress, begun_three_times(tmp_path / "kept.npz")
    assert p.round == 3 and p.best_beginning is None and p.evaluations == 72 and len(set(costs)) == 3
    assert p.beginning == int(np.argmin(costs))
    assert np.array_equal(p.best, again.progress.best) and np.array_equal(p.state, again.progress.state)


VERDICTS = (Verdict(81, 1, True, 5, 32, 16, 1e-6), Verdict(81, 0, True, 5, 9, 4, 1e-6),
            Verdict(81, 0, False, 5, 32, 16, 0.5))  # of three attempts  # fmt: skip


def attempted(path: Path, stop: int | None = None) -> Progress:
    """What three attempts of two generations each come to; one of them is stopped and gone on with, or none."""
    work = Designer(find_sketch("flap"), 5, (Round(1.0, 2, 1, 0.1),), population=8)
    if path.exists():
        work.resume(restored(path, work))

    def told(progress: Progress) -> None:
        keep(path, progress, work)
        if progress.attempt == stop:
            raise KeyboardInterrupt

    with Batch(1) as batch:
        while designing.run_attempt(work, batch, 3, told):
            pass
    return work.progress


def test_attempts_go_on_and_the_best_is_taken_whether_stopped_or_not(tmp_path: Path, monkeypatch):
    def last_step(work: Designer, *_) -> Tuned:
        return Tuned(work.progress, VERDICTS[work.progress.attempt], 7)

    monkeypatch.setattr(designing, "tune", last_step)
    monkeypatch.setattr(designing, "verdict_of", lambda _, progress, *__: VERDICTS[progress.attempt])
    whole = attempted(tmp_path / "one.npz")
    with pytest.raises(KeyboardInterrupt):
        attempted(tmp_path / "two.npz", stop=2)
    again = attempted(tmp_path / "two.npz")
    assert whole.attempt == again.attempt == 1 and whole.evaluations == again.evaluations == 3 * (2 * 8 + 7)
    assert np.array_equal(whole.best, again.best) and np.array_equal(whole.state, again.state)


def test_a_search_that_is_dropped_as_hopeless_is_dropped_when_it_was_stopped_there_too(tmp_path: Path, monkeypatch):
    def last_step(work: Designer, *_) -> Tuned:
        return Tuned(work.progress, VERDICTS[work.progress.attempt], 7)

    monkeypatch.setattr(
        Designer, "hopeless", property(lambda w: w.progress.attempt == 0 and w.progress.search.generation)
    )
    monkeypatch.setattr(designing, "tune", last_step)
    monkeypatch.setattr(designing, "verdict_of", lambda _, progress, *__: VERDICTS[progress.attempt])
    whole = attempted(tmp_path / "one.npz")
    with pytest.raises(KeyboardInterrupt):
        attempted(tmp_path / "two.npz", stop=0)
    again = attempted(tmp_path / "two.npz")
    assert whole.evaluations == again.evaluations == 8 + 2 * (2 * 8 + 7) and np.array_equal(whole.best, again.best)


def test_permitted_modes_begin_where_the_sketch_says_and_are_no_bounds():
    sketch = read(changed(flight={"priority": {"f2": -40.0}, "permit": {"f14": 90.0, "f18": 0.0}}))
    space = Space(sketch, sketch.palette())
    x = np.zeros(space.dimension)
    assert space.amplitudes(x)[0].tolist() == [-40.0, 90.0, 0.0] and space.dominance(x)[0] == -50.0
    x[1] = -2.0
    assert space.amplitudes(x)[0][1] == 90.0 - 2.0 * 60.0
    assert read(sketch.plain()).digest == sketch.digest
    times = {k: getattr(space.controls(x), k) for k in ("flight_length", "ground_length", "period", "share")}
    np.testing.assert_allclose(space.vector(*space.amplitudes(x), times), x, atol=1e-12)


@pytest.mark.slow
def test_the_number_of_processes_changes_nothing():
    _, one = stepped(1)
    _, two = stepped(2)
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_a_checkpoint_of_another_sketch_is_refused_and_kept(tmp_path: Path):
    work, _ = stepped(1)
    path = tmp_path / "kept.npz"
    keep(path, work.progress, work)
    before = path.read_bytes()
    other = read({**work.sketch.plain(), "flight": {"priority": {"f2": -41.0}}})
    with pytest.raises(PoiseError, match="another sketch"):
        design(other, seed=5, plan=SHORT, population=8, checkpoint=path)
    with pytest.raises(PoiseError, match="another seed"):
        restored(path, Designer(work.sketch, 6, SHORT, population=8))
    assert path.read_bytes() == before


def test_a_fall_in_the_last_step_of_a_unit_is_a_fall(gait: Path):
    """Whenever the body falls, the unit in which it does is not finished, and keeps no constraint."""
    found = load_gait(gait)
    simulator, space = found.sketch.simulator(), found.space()
    given, x = simulator.bursts(found.controls(space)), np.zeros(space.dimension)
    low = simulator.start(-0.5, 0.0)  # lower than a body on its feet, from the first step on
    once = Bursts(given.table[:, :1].copy(), (0, 0))
    run = simulator.run(low, once, 1)
    assert run.finished == 0 and run.steps == 0 and not run.whole and np.isinf(easy(space, x, run)).all()
    late = simulator.run(np.concatenate([found.track[0], found.start]), given, 20)  # open loop falls
    assert not late.whole and late.steps < 20 * given.table.shape[1] and np.isinf(easy(space, x, late)).all()


def bent(simulator: UnitSimulator, part: str, degrees: float) -> np.ndarray:
    """The rest pose with a joint bent, its lowest point a little in the ground."""
    q = simulator.rest.copy()[None]
    turn = rot.exp([0.0, np.radians(degrees), 0.0])
    turn_joints(simulator.character, q, simulator.character.body(part), turn[None], limited=False)
    q[0, 2] -= simulator.character.points(q)[0, :, 2].min() + 0.004
    return q[0]


def violations(
    simulator: UnitSimulator, q: np.ndarray, speed: float = 3.0, torque: float = 0.0, **speeds: float
) -> np.ndarray:
    """E1 to E9 of five steps from a pose that goes forward, with a constant torque on one knee."""
    space = Space(find_sketch("runner"), find_sketch("runner").palette())
    table = np.zeros((2, 5, len(simulator.stiffness)))
    table[:, :, simulator.character.dofs("left_shin")] = torque
    v = np.zeros(len(simulator.stiffness))
    v[0] = speed
    for part, rate in speeds.items():
        v[simulator.character.dofs(part)] = rate
    run = simulator.run(np.concatenate([q, v]), Bursts(table, (0, 5)), 1)
    bears = simulator.springs.limit[simulator.character.dofs("left_shin")][0]
    assert run.whole and np.isclose(run.measured[unit_loop.ACTIVE], min(abs(torque), bears) ** 2)  # (3)
    return easy(space, np.zeros(space.dimension), run)


def test_each_constraint_is_violated_by_what_it_forbids():
    simulator = find_sketch("runner").simulator()
    stands, high = bent(simulator, "left_shin", 50.0), simulator.rest + np.eye(len(simulator.rest))[2] * 0.3
    good = violations(simulator, stands)
    assert not good[[0, 2, 3, 4, 5, 6, 8]].any()
    assert violations(simulator, stands, speed=0.2)[0] > 0.0 and violations(simulator, stands, speed=1.5)[1] > 0.0
    assert violations(simulator, stands, left_forearm=30.0)[2] > 0.0
    tireless = replace(simulator, limited=False)
    assert violations(tireless, stands, torque=800.0)[3] > 0.0 and violations(tireless, stands, torque=-600.0)[3] == 0.0
    assert violations(simulator, stands, torque=800.0)[3] == 0.0  # what the joint does not bear takes nothing
    bows = bent(simulator, "chest", 120.0)  # with the legs behind, which are then higher than the trunk
    for part in ("left_thigh", "right_thigh"):
        leg = simulator.character.body(part)
        turn_joints(simulator.character, bows[None], leg, rot.exp([0.0, np.radians(60.0), 0.0])[None], limited=False)
    bows[2:7] = 2.0, *rot.exp([0.0, np.radians(50.0), 0.0])
    assert violations(simulator, bows)[5] > 0.0
    assert violations(simulator, high)[6] > 0.0 and good[7] > 0.0  # it stays in the air; its toe does not rise
    assert violations(simulator, bent(simulator, "right_shin", 50.0))[8] > 0.0


def test_other_modes_that_outweigh_those_with_priority_are_violations():
    """(12) of a run that is whole, whose other amplitudes are small and large."""
    found = load_gait(shipped()[0])
    space, run = found.space(), found.driven().run(1)
    x = found.vector(space)
    assert easy(space, x, run)[4] == 0.0
    x[len(found.sketch.flight.priority)] = 100.0
    assert easy(space, x, run)[4] > 1e5


def test_a_body_that_touches_itself_is_told_from_one_that_stands():
    simulator = find_sketch("runner").simulator()
    body = simulator.character
    q = simulator.rest.copy()[None]
    assert simulator.touching(q) == 0.0  # both feet are on the ground
    turn_joints(body, q, body.body("left_thigh"), rot.exp([-0.5, 0.0, 0.0])[None], limited=False)
    assert simulator.touching(q) == 1.0


def test_a_search_begins_with_a_gait_of_its_body_and_asks_for_more_step_by_step(gait: Path):
    origin, sketch = load_gait(gait), find_sketch("flap")
    plan = (Round(0.0, 1, 3, 0.05, asked=0.25), Round(0.0, 1, 3, 0.05))
    work = Designer(sketch, 2, plan, population=8, origin=origin)
    flight = dict(zip(sketch.flight.names, work.space.amplitudes(work.progress.best)[0], strict=True))
    assert all(np.isclose(flight[m], a) for m, a in origin.flight.items()) and abs(flight["f5"]) < 1e-9
    with Batch(1) as batch:
        work.generation(batch)
        assert work.progress.round == 1 and work.space.asked == 1.0
        work.generation(batch)
    assert work.progress.score is not None and not work.progress.score.fell
    with pytest.raises(PoiseError, match="same body"):
        Designer(find_sketch("kangaroo"), origin=origin)


# gaits


def test_a_gait_loads_like_a_clip_and_says_what_it_is(gait: Path, tmp_path: Path):
    clip = poise.load_clip(gait)
    found = load_gait(gait)
    assert (
        clip.cycle is not None and clip.character.name == "runner" and abs(clip.duration - found.times["period"]) < 1e-6
    )
    assert abs(clip.cycle.shift[0] / clip.duration - found.facts["speed"]) < 0.02 * found.facts["speed"]
    clip.save(tmp_path / "gait.bvh")
    found.save(tmp_path / "again.toml")
    again = load_gait(tmp_path / "again.toml")
    assert np.allclose(again.gains, found.gains, rtol=1e-3) and again.flight == found.flight


def test_a_gait_that_was_edited_is_refused_and_so_is_steering(gait: Path):
    clip = poise.load_clip(gait)
    with pytest.raises(PoiseError, match="was edited"):
        poise.perform(clip.edit(poise.edit.Offset("head", (0.0, 15.0, 0.0))), "vibration", seconds=0.1)
    show = poise.begin(clip, "vibration").run(0.1)
    with pytest.raises(PoiseError, match="cannot be steered"):
        show.steer(2.0)
    assert show.run(0.1).take().fell is None


def test_a_gait_runs_in_the_house_and_open_loop_falls(gait: Path):
    clip = poise.load_clip(gait)
    take = poise.perform(clip, "vibration", seconds=8.0)
    assert take.ended == "whole" and take.fell is None
    report = poise.audit(take)
    assert report.penetration < 0.005 + 0.003
    printed = poise.perform(clip, Vibration.printed(), seconds=8.0)
    assert printed.fell is not None


def test_the_band_about_the_cycle_looks_at_all_joints_and_the_root_but_not_at_place_and_heading(gait: Path):
    take = poise.perform(poise.load_clip(gait), "vibration", seconds=1.2)
    body = take.character
    parts = [int(np.atleast_1d(body.dofs(part))[0]) for part in ("left_thigh", "chest", "left_shin")]
    turn = rot.multiply(np.tile(rot.exp([0.0, 0.0, 1.0]), (len(take.q), 1)), take.q[:, 3:7])

    def moved(dof: int, by: float) -> Take:
        step = np.zeros(take.v.shape)
        step[:, dof] = by
        return replace(take, q=conf.integrate(body.layout, take.q, step))

    def in_band(moved: Take) -> bool:
        return beyond(moved, take, 0.6, band)[0] <= 1.0

    band = band_of(load_gait(gait))
    assert in_band(take) and in_band(moved(0, 3.0)) and in_band(moved(1, 3.0))
    assert in_band(replace(take, q=np.hstack([take.q[:, :3], turn, take.q[:, 7:]])))
    assert not any(in_band(moved(dof, 1.0)) for dof in parts)
    assert not any(in_band(moved(dof, by)) for dof, by in ((2, 0.1), (3, 0.2), (4, 0.2)))


def test_a_single_joint_that_is_off_in_one_frame_is_seen(gait: Path):
    """By a fifth more than its own band, in its angle or its speed, with all else as it is."""
    take, band = poise.perform(poise.load_clip(gait), "vibration", seconds=1.2), band_of(load_gait(gait))
    body, frame = take.character, int(np.searchsorted(take.time, 0.9))
    assert len(band.angles) == len(body.joint_names) - 1 and 0.0 < np.min(band.angles) < np.max(band.angles) < 0.2
    for k, name in enumerate(body.joint_names[1:]):
        dof = int(np.flatnonzero(body.model.dof_jntid == k + 1)[-1])
        for share in (0.8, 1.2):
            step, v = np.zeros(take.v.shape), take.v.copy()
            step[frame, dof] = share * band.angles[k]
            v[frame, dof] -= share * band.speeds[k]
            found = beyond(replace(take, q=conf.integrate(body.layout, take.q, step)), take, 0.6, band)
            assert found == (pytest.approx(share, rel=1e-3), name)
            assert beyond(replace(take, v=v), take, 0.6, band) == (pytest.approx(share), f"speed of {name}")
            assert beyond(replace(take, v=v), take, 1.0, band)[0] < 1e-3


def test_the_compiled_search_and_the_house_agree(gait: Path):
    """The same start, the same state after some units, but for what contacts make of the last bits."""
    ready = load_gait(gait).driven()
    steps, nq = ready.bursts.table.shape[1], len(ready.simulator.rest)
    units = 4  # of which the last ends with a recorded frame, one of four steps
    take = poise.perform(poise.load_clip(gait), "vibration", seconds=units * steps / 480 + 0.01)
    run = ready._replace(state=np.concatenate([take.q[0], take.v[0]])).run(units)
    assert run.finished == units and np.allclose(run.states[units][:nq], take.q[steps], atol=1e-5)


def test_a_gait_is_a_cycle_that_attracts(gait: Path):
    found = load_gait(gait)
    ready = found.driven()._replace(state=found.cycle[0])
    run, simulator = ready.run(81), ready.simulator
    assert run.finished == 81 and np.abs(simulator.drift(run.states[40], run.states[41])).max() < 0.01
    assert np.abs(simulator.drift(run.states[80], run.states[81])).max() < 0.001
    assert run.measured[unit_loop.DEEPEST] < 0.008 and found.facts["feedback_share"] < 0.1
    assert without_feedback(found).driven()._replace(state=found.cycle[0]).run(81).finished < 40


def test_the_run_keeps_all_easy_constraints_within_the_joints_strength(gait: Path):
    found = load_gait(gait)
    ready = found.driven()._replace(state=found.cycle[0])
    run, simulator = ready.run(41, traced=True), ready.simulator
    space = found.space()
    assert not easy(space, found.vector(space), run).any() and found.sketch.limits
    nv = len(simulator.stiffness)
    assert np.all(np.abs(run.trace[:, -nv + 6 :]) <= simulator.character.torque_limit[6:] + 1e-9)


@pytest.mark.parametrize("path", shipped(), ids=lambda p: p.stem)
def test_every_gait_that_comes_with_poise_keeps_all_easy_constraints_on_its_cycle(path: Path):
    found = load_gait(path)
    ready = found.driven()
    run, simulator = ready.run(41), ready.simulator
    m = run.measured
    space = found.space()
    assert run.finished == 41 and not easy(space, found.vector(space), run).any()
    assert m[unit_loop.VX] >= 2.0 and m[unit_loop.DEEPEST] < 0.005
    assert np.abs(simulator.drift(run.states[-2], run.states[-1])).max() < 1e-3
    assert np.sqrt(m[unit_loop.FEEDBACK] / m[unit_loop.ACTIVE]) <= 0.1
    for psi, phase in ((found.flight, found.sketch.flight), (found.ground, found.sketch.ground)):
        least, size = phase.priority, {k: abs(v) for k, v in psi.items()}
        assert all(size[k] >= abs(v) and np.sign(psi[k]) == np.sign(v) for k, v in least.items())
    assert found.sketch.limits and found.sketch.digest == find_sketch(path.stem).digest
    assert poise.audit(poise.perform(poise.load_clip(path), "vibration", seconds=1.5)).passed


def test_a_slope_is_seen_from_its_own_ground(gait: Path):
    """A body that leans with the slope stands upright on it, and its height is that above the plane."""
    ground = poise.Slope(3.0)
    q, v = poise.load_clip(gait).q[0].copy(), np.zeros(36)
    level = q.copy()
    tilt = rot.exp([0.0, -np.radians(3.0), 0.0])
    q[:3], q[3:7] = rot.rotate(tilt, level[:3]), rot.multiply(tilt, level[3:7])
    v[:3] = rot.rotate(tilt, [2.0, 0.1, 0.3])
    seen, speed = seen_from(ground, q, v)
    assert np.allclose(seen[2:], level[2:], atol=1e-9) and np.allclose(speed[:3], [2.0, 0.1, 0.3])


def test_ground_bursts_by_touch_down(gait: Path, tmp_path: Path):
    clip = poise.load_clip(gait)
    show = poise.begin(clip, Vibration(trigger="touch-down")).run(2.0)
    show.save_state(tmp_path / "state.npz")
    later, again = show.run(1.0).take(), poise.resume(tmp_path / "state.npz").run(1.0).take()
    assert np.array_equal(later.q[-121:], again.q) and later.fell is None
    clock = poise.perform(clip, "vibration", seconds=3.0)
    assert 0.0 < np.abs(later.q[: len(clock.q), 7:] - clock.q[:, 7:]).max() < 0.3


@pytest.mark.slow
def test_a_design_that_was_stopped_ends_with_the_same_gait(tmp_path: Path):
    plan = (Round(1.0, 30, 5, 0.5), Round(0.3, 20, 5, 0.2), Round(0.0, 8, 9, 0.15))
    sketch = find_sketch("runner")
    whole = design(sketch, plan=plan, attempts=1)

    def stop(work: Designer, seconds: float) -> None:
        if work.progress.round == 1 and work.progress.search.generation == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        design(sketch, plan=plan, attempts=1, checkpoint=tmp_path / "kept.npz", watch=stop)
    again = design(sketch, plan=plan, attempts=1, checkpoint=tmp_path / "kept.npz")
    same = [line for line in whole.text().splitlines() if not line.startswith("cpu_seconds")]
    assert same == [line for line in again.text().splitlines() if not line.startswith("cpu_seconds")]


def test_vibration_refuses_what_is_no_gait(tmp_path: Path, capsys):
    with pytest.raises(PoiseError, match="no gait"):
        poise.perform(poise.load_clip("stand"), "vibration", seconds=0.1)
    bad = tmp_path / "bad.toml"
    bad.write_text('kind = "gait"\ncharacter = "runner"\n')
    assert main(["perform", str(bad)]) == 2 and "damaged gait" in capsys.readouterr().err
    bad.write_text('character = "runner"\n')
    assert main(["perform", str(bad)]) == 2 and "no gait" in capsys.readouterr().err


DAMAGE = {
    "a time that is no number": (r"period = [\d.]+", "period = nan"),
    "a period of nothing": (r"period = ", "period = -"),
    "a mode that its sketch lacks": (r"flight = \{", "flight = { f29 = 1.0,"),
    "an amplitude that is no number": (r"flight = \{ f2 = [-\d.]+", "flight = { f2 = nan"),
    "stages that are no number": (r"stages = 4", 'stages = "four"'),
    "no time step": (r"\ndt = ", "\nunknown = "),
}


@pytest.mark.parametrize("case", DAMAGE)
def test_a_damaged_gait_is_told_in_a_sentence(case: str, gait: Path, tmp_path: Path):
    text, count = re.subn(*DAMAGE[case], gait.read_text(), count=1)
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(PoiseError, match="damaged gait"):
        load_gait(tmp_path / "bad.toml")
    assert count == 1


def test_a_gait_file_keeps_names_in_any_script(gait: Path, tmp_path: Path):
    found = load_gait(gait)
    odd = replace(found, facts={**found.facts, "左腕": 'a "quoted"\nname'})
    odd.save(tmp_path / "odd.toml")
    assert load_gait(tmp_path / "odd.toml").facts["左腕"] == 'a "quoted"\nname'


def test_a_damaged_checkpoint_is_told_in_a_sentence(tmp_path: Path):
    work, path = Designer(find_sketch("runner"), 5, SHORT, population=8), tmp_path / "kept.npz"
    keep(path, work.progress, work)
    whole = path.read_bytes()
    assert restored(path, work).round == 0
    for part in (whole[: len(whole) // 2], whole[:-30], b"PK\x03\x04", b""):
        path.write_bytes(part)
        with pytest.raises(PoiseError, match="no checkpoint"):
            restored(path, work)


def test_the_gait_of_one_body_is_not_performed_by_another(gait: Path):
    stands = poise.load_clip("stand", character="runner")
    with pytest.raises(PoiseError, match="brings its own body"):
        poise.perform(stands, Vibration(gait=str(gait)), seconds=0.1)


def test_the_command_performs_a_gait_by_itself(gait: Path, capsys):
    told = json.loads(done(capsys, "perform", gait, "--seconds", "3", "--json"))
    assert told["method"] == "vibration" and told["fell"] is None


def test_controls_are_within_what_can_be_meant():
    sketch = find_sketch("runner")
    space = Space(sketch, sketch.palette())
    for x in (np.zeros(space.dimension), np.full(space.dimension, 50.0), np.full(space.dimension, -50.0)):
        c = space.controls(x)
        assert isinstance(c, Controls) and 0.59 < c.period < 1.11 and 0.49 < c.share < 0.73


def test_the_same_calls_give_the_same_bits_and_a_saved_show_goes_on(gait: Path, tmp_path: Path):
    """What test_conformance asks of every method, with a gait in the place of the standing clip."""
    clip = poise.load_clip(gait)

    def played(by_frame: bool) -> poise.Show:
        show = poise.begin(clip, Vibration(gait=str(gait)), noise=0.01, seed=4)
        for _ in range(2):
            if by_frame:
                for _ in range(12):
                    show.step()
            else:
                show.run(0.1)
            show.push("chest", (0.0, 30.0, 0.0), duration=0.05)
        return show

    one, other = played(True), played(False)
    a, b = one.take(), other.take()
    assert np.array_equal(a.q, b.q) and np.array_equal(a.torque, b.torque) and np.isfinite(a.q).all()
    assert np.array_equal(poise.replay(a).take().q, a.q)
    one.save_state(tmp_path / "state.npz")
    again = poise.resume(tmp_path / "state.npz")
    assert np.array_equal(one.run(0.2).take().q[-25:], again.run(0.2).take().q)

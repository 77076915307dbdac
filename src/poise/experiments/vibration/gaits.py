"""Table 1 and figure 3: gaits of the built-in sketches, as shipped or designed anew."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from poise.character import Character
from poise.character.skin import skin
from poise.errors import NoSolution
from poise.experiments.reproduce import Options, Table, told
from poise.experiments.vibration.disturbed import DIRECTIONS, PHASES, stays_up
from poise.experiments.vibration.sketches import shares, withstood
from poise.judge.report import NOTHING, Worst
from poise.judge.surface import clearance
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.methods.vibration.design import LONGEST, design, measured
from poise.methods.vibration.endurance import WAVERS
from poise.methods.vibration.gait import Gait, load_gait, shipped
from poise.methods.vibration.score import violated
from poise.methods.vibration.sketch import built_in, find_sketch
from poise.motion.load import load_clip
from poise.performance import perform
from poise.take import Take

COLUMNS = (
    "gait", "seed", "priority (f/g)", "permissible", "speed [m/s]", "energy [N² m²]", "violated", "cyclic error",
    "cyclic error in a take", "open loop", "feedback [%]", "deepest [mm]", "in the ground in a take [mm]", "by",
    "in itself [mm]", "of", "in priority modes, flight [%]", "on ground [%]", "bursts within limits [%]",
    "priority over others within limits, flight", "priority over others within limits, ground", "units closed", "open",
    "evaluations", "CPU [s]", "facts of its file",
)  # fmt: skip
VIEWS = {"side": 15.0, "front": 75.0}  # [degrees] towards the front
SECONDS = 5.0  # of the take whose depths are told
ALIKE, LEAST = 0.01, 1e-4  # relative and absolute difference up to which a fact is as its file has it
NOTE = (f"Units asked: {LONGEST}; half a cycle of a run, a whole one of a hop. The paper: hours, and no speeds or "
        f"energies. In a take: over the last of {LONGEST} units that begin as a take does.")  # fmt: skip
DEPTHS = (f"In the ground, in itself: the deepest that poise audit finds in a take of {SECONDS:g} s. Deepest: of the "
          "feet, in a unit.")  # fmt: skip
LIMITS = ("Bursts within limits: what is left of the energy of the commanded bursts when they alone are kept within "
          "what joints bear. Priority over others: sums of amplitudes (E5) of that, of all modes.")  # fmt: skip


def _row(name: str, path: Path) -> tuple[Any, ...]:
    """What a gait does now; only its seed, evaluations and CPU time are taken from the file."""
    gait = load_gait(path)
    s, f, told_of = gait.sketch, measured(gait), gait.facts
    take = perform(load_clip(path), "vibration", seconds=SECONDS)
    depths = [x for found in (in_ground(take), in_itself(take)) for x in (1000.0 * found.value, _place(found))]
    return (name, told_of["seed"], f"{len(s.flight.priority)}/{len(s.ground.priority)}",
            f"{len(s.flight.names)}/{len(s.ground.names)}", f["speed"], f["energy"], violated(f["easy"]),
            f["cyclic_error"], _performed_error(gait, take), _open_error(gait), 100.0 * f["feedback_share"],
            1000.0 * f["deepest"], *depths, *shares(gait), *within_limits(gait), f["units"],
            f["open_loop_units"], told_of["evaluations"], told_of["cpu_seconds"], differing(gait, f))  # fmt: skip


def differing(gait: Gait, now: dict[str, Any]) -> str:
    """Which facts of a gait's file are not those measured now, such as "speed: 2.1, now 2.2"; "as measured"."""
    words = [f"{k}: {gait.facts.get(k)}, now {x}" for k, x in now.items()
             if k not in gait.facts or not _alike(gait.facts[k], x)]  # fmt: skip
    return "; ".join(words) or "as measured"


def _alike(told_of: Any, now: Any) -> bool:
    if isinstance(now, dict):
        return set(told_of) == set(now) and all(_alike(told_of[k], x) for k, x in now.items())
    return bool(np.allclose(told_of, now, rtol=ALIKE, atol=LEAST))


def _place(found: Worst) -> str:
    return f"{found.what}, {found.time:.2f} s" if found.value > 0.0 else ""


def in_ground(take: Take) -> Worst:
    """The deepest [m] of a body in the ground, as `poise audit` looks: as recorded, and by shapes at each frame."""
    balls, rows = skin(take.character), take.contacts
    low = -clearance(balls.centres(take.character, take.q), take.ground, balls.radius)
    frame, ball = np.unravel_index(int(np.argmax(low)), low.shape)
    names = take.character.body_names
    shape = Worst(float(low[frame, ball]), float(take.time[frame]), names[balls.body[ball]])
    return max(NOTHING, shape, _deepest(take, rows.on_ground(), "{}"))


def in_itself(take: Take) -> Worst:
    """The deepest [m] of a body in another one of the same character, as recorded."""
    return max(NOTHING, _deepest(take, ~take.contacts.on_ground() & ~take.contacts.bilateral, "{} in {}"))


def _deepest(take: Take, which: np.ndarray, words: str) -> Worst:
    """The deepest of some contacts (K,) and whose they are."""
    rows, chosen = take.contacts, np.flatnonzero(which)
    if not len(chosen):
        return NOTHING
    k = chosen[np.argmax(rows.depth[chosen])]
    what = words.format(take.character.body_names[rows.body[k]], rows.others[rows.other[k]])
    return Worst(float(rows.depth[k]), float(take.time[rows.frame[k]]), what)


def within_limits(gait: Gait) -> tuple[float, str, str]:
    """What joints bear of the commanded bursts by themselves: percent of their energy, and E5 of that in both phases.

    The energy is the sum of squared torques over steps and joints. E5 (12) as `Space.applied` tells the amplitudes:
    of the priority modes, and of all others of the phase.
    """
    simulator, space = gait.sketch.simulator(), gait.space()
    most, given = simulator.springs.limit, simulator.bursts(gait.controls(space)).table[0]
    left = float(np.sum(np.clip(given, -most, most) ** 2) / np.sum(given**2))
    sums = []
    for psi, phase in zip(space.applied(gait.vector(space)), (gait.sketch.flight, gait.sketch.ground), strict=True):
        mine, others = np.abs(psi[: len(phase.priority)]).sum(), np.abs(psi[len(phase.priority) :]).sum()
        sums.append(f"{mine:.0f} over {others:.0f}" + ("" if mine >= others else ", E5 missed"))
    return 100.0 * left, sums[0], sums[1]


def _performed_error(gait: Gait, take: Take) -> float:
    """max |φ| of the last `WAVERS` of `LONGEST` units begun as a take begins: a body may have more than one cycle."""
    ready = gait.driven()
    run = ready._replace(state=np.concatenate([take.q[0], take.v[0]])).run(LONGEST)
    if not run.whole:
        return np.inf
    last = run.states[-WAVERS - 1 :]
    return max(float(np.abs(ready.simulator.drift(a, b)).max()) for a, b in pairwise(last))


def _open_error(gait: Gait) -> float:
    """max |φ| of one unit of the gait's cycle without its feedback."""
    simulator = gait.sketch.simulator()
    start = np.concatenate([gait.track[0], gait.start])
    once = simulator.run(start, simulator.bursts(gait.controls(gait.space())), 1)
    return float(np.abs(simulator.drift(once.states[0], once.states[-1])).max()) if once.finished else np.inf


def run(options: Options) -> Table:
    """The gaits that come with poise, measured anew; with a folder, filmstrips of a cycle from two sides."""
    rows, figures = [], []
    for path in shipped():
        if options.wants(path.stem):
            rows.append(told(_row(path.stem, path)))
            if options.out is not None:
                figures += _films(options, path)
    return Table("Gaits", COLUMNS, tuple(rows), (NOTE, DEPTHS, LIMITS), tuple(figures))


def _films(options: Options, path: Path) -> list[str]:
    """The third cycle of a gait in eight poses, from the side and nearly from the front."""
    period = load_gait(path).times["period"]
    take = perform(load_clip(path), "vibration", seconds=3.1 * period)
    times = period * (2.0 + np.arange(8) / 8)
    films: list[str] = []
    for view, degrees in VIEWS.items():
        films += options.film(take, f"gait {path.stem} {view}", times=times, spacing="even", azimuth=degrees, title="")
    return films


def styles(options: Options) -> Table:
    """How far parts turn in a cycle of each gait [degrees]: what tells one style from another in numbers."""
    arms = ("arm sideways", "arm at most sideways", "arm to and fro")
    columns = ("gait", "thigh about its line", *arms, *(f"second {x}" for x in arms), "trunk sideways",
               "trunk about its line", "pelvis sideways", "pelvis about the vertical")  # fmt: skip
    rows = []
    for path in shipped():
        if not options.wants(path.stem):
            continue
        gait = load_gait(path)
        body, rest = gait.sketch.simulator().character, gait.sketch.simulator().rest
        turn = np.degrees(conf.difference(body.layout, rest, gait.track))
        pelvis = np.degrees(rot.log(gait.track[:, 3:7]))
        thigh, chest = (turn[:, body.dofs(part)] for part in ("left_thigh", "chest"))
        second = "left_second_upper_arm"
        rows.append((path.stem, float(np.ptp(thigh[:, 2])), *_arm(body, rest, turn, "left_upper_arm"),
                     *(_arm(body, rest, turn, second) if second in body.body_names else ("",) * len(arms)),
                     *(float(np.ptp(x)) for x in (chest[:, 0], chest[:, 2], pelvis[:, 0], pelvis[:, 2]))))  # fmt: skip
    note = "Ranges over a cycle, from the rest pose, of the left limbs; second arms where a body has them."
    return Table("Styles", columns, tuple(rows), (note,))


def _arm(body: Character, rest: Array, turn: Array, part: str) -> tuple[float, float, float]:
    """How far an arm goes sideways, at most to its side, and to and fro, about axes of what it hangs on.

    turn (N, nv): from the rest pose (nq,), about axes of the arm as it rests.
    """
    dofs = body.dofs(part)
    at = int(body.model.jnt_qposadr[body.model.dof_jntid[dofs[0]]])
    aside, forward, _ = rot.rotate(rest[at : at + 4], turn[:, dofs]).T
    return float(np.ptp(aside)), float(aside.max()), float(np.ptp(forward))


def designs(options: Options) -> Table:
    """Every built-in sketch designed anew, from as many seeds as asked; with a folder, the gait files too."""
    columns = (*COLUMNS, "withstood of what a design tries", f"stays up in pushes of {DIRECTIONS * PHASES}")
    rows: list[tuple[Any, ...]] = []
    with TemporaryDirectory() as folder:
        for name in built_in():
            for seed in range(options.seeds if options.wants(name) else 0):
                try:
                    gait = design(find_sketch(name), seed=seed)
                except NoSolution:
                    rows.append(told((name, seed, *["all fall"] * len(columns[2:]))))
                    continue
                path = (options.out or Path(folder)) / f"{name}-{seed}.toml"
                gait.save(path)
                rows.append(told((*_row(name, path), withstood(gait), stays_up(gait))))
    return Table("Gaits designed anew", columns, tuple(rows),
                 (NOTE, DEPTHS, LIMITS, "Pushes: those of vibration/pushes."))  # fmt: skip

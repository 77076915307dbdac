"""The repair of recordings: the nearest motion that the ground can explain.

1. Spikes and flips are taken out, noisy channels smoothed (`clean`).
2. Feet that touch get a print on the ground (`prints`): one for every stance, on which they are pinned.
3. One optimisation over the whole clip (`setup`, `problem`): postures near the recording, touching points held, nothing
   in the ground, and in every frame a wrench that forces inside the friction cones of the scheduled contacts can give;
   so flight becomes ballistic. Long clips are solved in windows that continue each other, in time linear in length.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from poise.ground.ground import level_of
from poise.maths import configuration as conf
from poise.maths.intervals import frames
from poise.maths.rotations import Array
from poise.motion.check.check import penetration, skating
from poise.motion.cleaning import flipped_joints
from poise.motion.clip import Clip
from poise.motion.contact.evidence import evidence
from poise.motion.contact.grip_forces import off_bars
from poise.motion.contact.missing_props import RAISED, missing_props, with_boxes
from poise.motion.contact.seats import seat_pushes, with_seats
from poise.motion.ik.hands import kept_labels, laid
from poise.motion.resample import resample
from poise.motion.treadmill import belt_velocity, on_belt, over_ground
from poise.physical.repair.labels import Doubt, believed, corrected, put_down, within_reach
from poise.physical.repair.recorded_force import keeping_force
from poise.physical.repair.refusals import bodies_to_keep, must_fit, must_hang_together, must_touch
from poise.physical.repair.report import RepairReport, compare, residual
from poise.physical.repair.setup import REFERENCE, Plan, Weights
from poise.physical.repair.touching_points import loaded_feet, touching_points
from poise.physical.repair.uncertain_prints import moved_prints
from poise.solve import gauss_newton
from poise.solve.gauss_newton import Result, Settings
from poise.threads import on_one_thread

SETTINGS = Settings(iterations=20, step=2e-5, gain=1e-3)
ENOUGH = replace(SETTINGS, gain=5e-4)  # for recordings, to which nothing is nearer than a tenth of a degree
FURTHER = Settings(iterations=10, step=2e-5, gain=2e-4)  # where that leaves more unexplained than it should
SHORTEST_BOX = 0.25  # [s] for which feet must be raised to look for a box under them
BURIED = 0.15  # [m] in the ground: no sole that sinks, but a body that is not where it should be
LADDER = (0.3, 0.1)  # of the weight on the recorded wrench where the contacts cannot give all of it
SPREAD = 0.035  # [s] over which corrections of a recording spread: with its force kept, less is needed
GLIDE = 0.03  # [s] into a stance and out of it
TOES = 1.0  # of turning toes, which a recording that has them tells well enough after cleaning
STEPPED = Settings(iterations=6, step=1e-3, gain=1e-2)  # for a first guess without physics
WINDOW, OVERLAP = 8.0, 0.6  # [s] of frames solved at once, and of those that the next window solves again
SEAM = 3  # frames of the last window that the next one continues: the reach of the wrenches' jumps
FPS = 100.0  # frames a second at least
MOST = 0.7  # of what is left to do that one pass over all frames is taken for
PASSES, SUNK = 3, 1.5e-3  # solutions on steps, until no point is deeper than this [m]
GOOD_FORCE, GOOD_TORQUE = 1.0, 0.5  # [N], [N m] rms at 70 kg: a clip that leaves less unexplained is left as it is
FILE_FORCE, FILE_TORQUE = 20.0, 7.5  # [N], [N m] likewise of the file of a recording, its contacts not told
VIGOUR = 1.5  # more of that, for each body weight by which the push on it varies: another body needs another force


class Repaired(NamedTuple):
    """A clip that obeys physics, and what was done to it."""

    clip: Clip
    report: RepairReport


Progress = Callable[[int, int], None]  # told how many frames of how many are done


@on_one_thread
def make_physical(clip: Clip, *, change: float = 1.0, friction: float = 0.8, margin: float = 0.2, force: float = 1.0,
                  keep: str | Iterable[str] = (), belt: bool = False, progress: Progress | None = None
                  ) -> Clip:  # fmt: skip
    """The nearest motion that leaves no force that the ground cannot give; see `repair`."""
    return repair(clip, change=change, friction=friction, margin=margin, force=force, keep=keep, belt=belt,
                  progress=progress).clip  # fmt: skip


@on_one_thread
def repair(clip: Clip, *, change: float = 1.0, friction: float = 0.8, margin: float = 0.2, force: float = 1.0,
           keep: str | Iterable[str] = (), belt: bool = False, progress: Progress | None = None
           ) -> Repaired:  # fmt: skip
    """The nearest motion that obeys physics with the clip's contacts, and a report.

    `change` says how willingly postures change: 1 as usual, less for staying nearer to the recording at the price of
    forces that remain unexplained. `friction` is that of the ground. `margin` is the share of each foot's support that
    is left unused, as room for a controller. `force` says how closely the force that the recording itself needs is
    kept: 1 as usual, 0 not at all, for motions that nobody performed. `keep` names bodies (roles) whose place and
    orientation stay as they are. With `belt` a motion on a treadmill stays on its moving belt; else it is put over
    ground.
    A clip of fewer than 100 frames a second comes back with a multiple of its own. `progress(done, all)` is called as
    frames are done.
    """
    must_fit(clip, change, friction, margin, force)
    moving = belt_velocity(clip) if clip.labels is None else None
    clip, buried = raised(clip if moving is None else over_ground(clip))
    clip = on_boxes(clip, friction)
    bodies = bodies_to_keep(clip.character, keep)
    if is_physical(clip, friction):
        must_touch(clip)
        return Repaired(clip, compare(clip, clip, friction, unchanged=True))
    clip = fine_enough(replace(clip, holds=clip.grips))
    given, told = corrected(clip)
    seen = evidence(clip if clip.labels is None else replace(clip, labels=given), friction)
    must_touch(clip, seen.labels if clip.labels is None else None, np.any(seen.parts.on, axis=1))
    if buried:
        told.append(Doubt(0, len(clip) - 1, f"all of it lay {100 * buried:.0f} cm in the ground, and was raised"))
    props = missing_props(seen)
    must_hang_together(seen.track)
    if clip.labels is None:
        labels = touching_points(seen, clip, seated=bool(props))
    else:
        labels = believed(replace(seen.track, labels=given))
    recorded = with_hands(replace(seen.track, labels=labels))
    # where no force is kept, feet need not glide for it: they are held from the first frame of a stance to the last
    usual = replace(Weights(), toes=TOES, spread=SPREAD, glide=GLIDE) if force > 0.0 else Weights()
    weights = usual.allowing(change).following(force)
    loaded = loaded_feet(seen, recorded.contacts.labels)
    plan = Plan.of(clip, recorded, None, friction=friction, margin=margin, keep=bodies, weights=weights, loaded=loaded)
    with_seat, heights = with_seats(recorded, props)
    rests = seat_pushes(with_seat, props, seen.parts.on)
    plan = replace(keeping_force(plan, seen, clip), rests=rests, lies=seen.parts.on)
    tell = None if progress is None else _rising(progress)
    q, results = solve(plan, tell, settings=ENOUGH)
    better = moved_prints(plan, q, loaded)
    if better is not None:
        plan = better
        q, more = solve(plan, tell, q, ENOUGH, results)
        results = results + more
    out = clip.with_q(q, labels=plan.labels)
    for share in LADDER:  # what is followed too closely to be explained is followed less closely
        if props or _explained(out, friction, GOOD_FORCE, GOOD_TORQUE):
            break
        less = replace(plan.weights, force=share * weights.force, moment=share * weights.moment)
        plan = replace(plan, weights=less)
        q, more = solve(plan, tell, q, FURTHER, results)
        out, results = clip.with_q(q, labels=plan.labels), results + more
    told += [Doubt(p.first, p.last, p.text()) for p in props]
    out = replace(out, ground=with_seat.ground)
    told += [Doubt(0, len(clip) - 1, f"a box {100 * high:.0f} cm high was put there to sit on") for high in heights]
    if moving is not None:
        where = "kept on its belt" if belt else "put over ground (--belt keeps it on its belt)"
        told.append(Doubt(0, len(clip) - 1, f"a treadmill of {np.linalg.norm(moving):.2f} m/s: {where}"))
    if progress is not None:
        progress(len(clip), len(clip))
    certain = {"sure": seen.sure, "unsure": tuple(seen.unsure())} if clip.labels is None else {}
    report = compare(replace(clip, labels=plan.labels), out, friction, told, flips=flipped_joints(clip), **certain,
                     iterations=sum(len(r.steps) for r in results), status=results[-1].status.value)  # fmt: skip
    return Repaired(out if moving is None or not belt else on_belt(out, moving), report)


def raised(clip: Clip) -> tuple[Clip, float]:
    """The clip raised as a whole where its lowest points are far in the ground, and by how much [m]; usually 0."""
    points = clip.character.points(clip.q)
    if not points.shape[1]:
        return clip, 0.0
    depth = float(np.median(np.max(clip.ground.height(points[..., 0], points[..., 1]) - points[..., 2], axis=1)))
    if depth < BURIED:
        return clip, 0.0
    q = np.array(clip.q)
    q[:, 2] += depth
    return clip.with_q(q), depth


def on_boxes(clip: Clip, friction: float) -> Clip:
    """The clip with boxes under feet that stand high above its ground (`missing_props`)."""
    if clip.labels is not None or not len(clip.character.contact_points.feet):
        return clip
    places = clip.character.points(clip.q)[:, clip.character.contact_points.feet]
    high = places[..., 2] - clip.ground.height(places[..., 0], places[..., 1])
    if np.mean(high.min(axis=1) > RAISED) * clip.duration < SHORTEST_BOX:  # feet are never long in the air
        return clip
    return with_boxes(clip, evidence(clip, friction))


def fine_enough(clip: Clip) -> Clip:
    """The clip with frames near enough to each other for physics: each of its own, and others between them.

    Between the frames of a clip of 30 a second, a foot lands and a force rises: no frame tells of it.
    """
    if clip.fps > 0.9 * FPS:
        return clip
    out = resample(clip, math.ceil(FPS / clip.fps) * clip.fps)
    return out if clip.labels is not None else replace(out, labels=None)


def with_hands(clip: Clip) -> Clip:
    """The clip with hands that touch laid on the ground where files have them stuck into it."""
    labels = kept_labels(clip.character, clip.contacts.labels)
    return clip.with_q(laid(clip.character, clip.q, labels, clip.ground, clip.dt), labels=labels)


def is_physical(clip: Clip, friction: float = 0.8) -> bool:
    """Does a clip obey physics already, its feet at rest and out of the ground?

    Where no contacts are given, what is near the ground and slow may push. Files of recordings do not keep contacts,
    and a body that is made anew from one has soles that are millimetres different: more may be left unexplained then,
    though much less than of any recording.
    """
    if clip.labels is None and clip.recording is not None:
        near = replace(clip, labels=within_reach(clip))
        if not near.contacts.labels.any() and not clip.grips:
            return False
        return put_down(clip) and off_bars(clip) < 0.03 and _explained(near, friction, FILE_FORCE, FILE_TORQUE, VIGOUR)
    if clip.labels is None:
        clip = replace(clip, labels=within_reach(clip))
    if not clip.contacts.labels.any() and not clip.grips:
        return False
    if skating(clip) > 0.01 or penetration(clip) > 0.002 or off_bars(clip) > 0.005:
        return False
    return _explained(clip, friction, GOOD_FORCE, GOOD_TORQUE)


def _explained(clip: Clip, friction: float, force: float, torque: float, vigour: float = 0.0) -> bool:
    """Do the contacts of a clip leave less unexplained than a force [N] and a torque [N m], rms at 70 kg?

    With `vigour`, so much more for each body weight by which the push on the body varies.
    """
    left = residual(clip, friction)
    scale = REFERENCE / left.weight / (1.0 + vigour * float(np.std(left.push)) / left.weight)
    return scale * left.force_rms < force and scale * left.torque_rms < torque


@on_one_thread
def solve(plan: Plan, progress: Progress | None = None, start: Array | None = None,
          settings: Settings = SETTINGS, before: Sequence[Result] = ()) -> tuple[Array, list[Result]]:  # fmt: skip
    """Configurations (N, nq) of the repaired clip, and how each of its windows was solved.

    They are looked for from `start` (N, nq), and from how the windows were solved `before`.
    """
    q, results = _solve_windows(plan, start, settings, progress, before)
    if level_of(plan.recorded.ground) is not None:
        return q, results
    for _ in range(PASSES - 1):
        places = plan.recorded.character.points(q)
        if plan.barrier.depth(places) < SUNK:
            break
        plan = replace(plan, barrier=plan.barrier.seen_from(places))
        q, more = _solve_windows(plan, q, settings, progress, results)
        results += more
    return q, results


def _windows(clip: Clip) -> list[tuple[int, int]]:
    """First frame and the one after the last of each window in which a clip is solved."""
    longest, overlap, found, first = frames(WINDOW, clip.dt), frames(OVERLAP, clip.dt), [], 0
    if clip.cycle is None:
        while len(clip) - first > longest + overlap:
            found.append((first, first + longest))
            first += longest - overlap - SEAM
    return [*found, (first, len(clip))]


def _solve_windows(plan: Plan, start: Array | None, settings: Settings, progress: Progress | None,
                   before: Sequence[Result]) -> tuple[Array, list[Result]]:  # fmt: skip
    clip, windows = plan.recorded, _windows(plan.recorded)
    begun = start if start is not None or plan.planted is None else plan.planted.q
    x = _in_turning_axes(plan, conf.difference(clip.character.layout, clip.q, clip.q if begun is None else begun))
    q, results = np.array(clip.q), []
    for k, (first, last) in enumerate(windows):
        known = SEAM if first else 0
        problem = plan.problem(slice(first, last), known)
        span = slice(first, first + problem.motion.frames)
        if begun is None:  # first the feet on their prints, then the physics
            x[span][known:] = problem.motion.solve(STEPPED).result.x[known:]
        guess = x[span].copy()
        if before:  # its own: where windows overlap, the one before it ends in another way
            guess[known:] = before[k - len(windows)].x[known:]
        result = gauss_newton.minimise(problem, guess, ring=problem.ring, settings=settings,
                                       watch=_watch(progress, first, last, len(clip)))  # fmt: skip
        x[span], q[span] = result.x, problem.configurations(result.x)
        results.append(result)
    if clip.cycle is not None:
        q[-1] = clip.cycle.carry(q[0], 1)
    return q, results


def _rising(progress: Progress) -> Progress:
    """The same for one that may go over all frames several times: each time takes most of what is left to do."""
    past, last, told = 0.0, 0, 0  # share of the work of all passes before this one; frames done last, and told

    def tell(done: int, count: int) -> None:
        nonlocal past, last, told
        if 2 * done < last:  # windows overlap by less: another pass
            past += MOST * (1.0 - past)
        last, told = done, max(told, round(count * past + MOST * (1.0 - past) * done))
        progress(told, count)

    return tell


def _watch(progress: Progress | None, first: int, last: int, count: int) -> Callable[[int, float], None] | None:
    """Tell how many frames are done after each iteration of a window; most of a window's iterations are the first."""
    if progress is None:
        return None
    return lambda iteration, _: progress(round(first + (last - first) * (1.0 - 0.7 ** (iteration + 1))), count)


def _in_turning_axes(plan: Plan, x: Array) -> Array:
    """Corrections (N, nv) of a loop with the root's translation in the axes that turn with the cycle."""
    cycle, out = plan.recorded.cycle, x.copy()
    if cycle is None or cycle.turn == 0.0 or len(x) < 2:
        return out
    spin = -cycle.turn * np.arange(len(x)) / (len(x) - 1)
    c, s = np.cos(spin), np.sin(spin)
    out[:, 0], out[:, 1] = c * x[:, 0] - s * x[:, 1], s * x[:, 0] + c * x[:, 1]
    return out

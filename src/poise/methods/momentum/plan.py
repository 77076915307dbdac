"""The plan of a clip: a controller for each of its segments, as a frozen value that can be saved and loaded.

Sections 4.4, 4.5 and 4.7.1 of Ye 2012. Each segment's problem (20) is solved by DDP, and the backward sweep of appendix
A gives the gains about the solution. What the online part needs of them, with δμ from (23) alone,

    δF = G^x δx + G^Ψ ΔΨ,    G^x = K^x - K^μ V_μμ⁻¹ V_μx,    G^Ψ = K^μ V_μμ⁻¹,

and the row K^d and K^c of the final time, (25) and (28), are put together here.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from os import PathLike
from typing import Any
from zipfile import BadZipFile

import numpy as np

from poise.errors import BadFile, BadValue
from poise.files import must_exist, writing
from poise.maths.rotations import Array
from poise.methods.momentum.course import Course
from poise.methods.momentum.model import SegmentProblem, Weights
from poise.methods.momentum.segments import cuts_of
from poise.motion.clip import Cycle
from poise.solve.cones import cone_least_squares
from poise.solve.ddp import Status, neighbouring, solve_ddp

_PENALTY = np.repeat([1e5, 1e2, 1e3, 1e3], 3)  # of Ψ² at the beginning, in the cost's units
_ROOM = 2.0  # [N] that a corner pushes at least in the first guess
_INSIDE = 0.9  # share of the friction that the first guess uses
_FAR = 0.5  # largest |Ψ| with which gains are still worth something
_FEWEST = 2  # corners at the end of a segment: one alone cannot lead the body to its goal
_TWISTED = np.array([0.03, 0.03, 0.008])  # [m²] of the mass: Φ beside the clip's about 1/8 and 2/5 of a radian
_EARLY = 4  # frames before the end at which gains end: V_μμ is singular there


@dataclass(frozen=True, eq=False)
class Segment:
    """The controller of frames first .. first + N of a course; forces are those of all P points, zero where none may.

    Everything is in the world of the clip's first period.
    """

    first: int
    next: int  # frame of the course at which the next segment begins
    states: Array  # (N + 1, 12) X*
    reference: Array  # (N + 1, 12) X̄
    touching: np.ndarray  # (N, P) bool
    corners: Array  # (N, P, 3) [m]
    forces: Array  # (N, P, 3) F* [N]
    gain: Array  # (N, 3P, 12) G^x
    goal_gain: Array  # (N, 3P, 12) G^Ψ
    time_gain: Array  # (N, 12) K^d [s]
    time_goal: Array  # (N, 12) K^c [s]
    status: str

    @property
    def steps(self) -> int:
        """N."""
        return len(self.forces)

    @property
    def last(self) -> int:
        """The last frame of the segment that has gains."""
        return max(0, self.steps - _EARLY)


@dataclass(frozen=True, eq=False)
class Plan:
    """The controllers of a clip."""

    course: Course
    segments: tuple[Segment, ...]

    @property
    def solved(self) -> bool:
        """Did every segment's problem come to an optimum?"""
        return all(s.status == Status.SOLVED.value for s in self.segments)


def frames_from(course: Course, first: int, count: int) -> tuple[Array, np.ndarray, Array]:
    """States, touching and corners of frames first .. first + count, in the world of the period of `first`."""
    frames = course.frames
    rows = np.arange(first, first + count + 1)
    if course.cycle is None:
        rows = np.minimum(rows, frames)
        states = course.states[rows].copy()
        states[:, 6:9] -= states[0, 6:9]
        return states, course.touching[rows], course.corners[rows]
    turns, rows = rows // frames - first // frames, rows % frames
    states, corners = course.states[rows].copy(), course.corners[rows].copy()
    whole = np.zeros(3)
    for turn in range(1, int(turns[-1]) + 1):
        R, shift = turned(course, turn)
        mine = turns == turn
        whole = whole + turned(course, turn - 1)[0] @ course.states[-1, 6:9]
        for part in (slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 12)):
            states[mine, part] = states[mine, part] @ R.T
        states[mine, :3] += shift
        states[mine, 6:9] += whole
        corners[mine] = corners[mine] @ R.T + shift
    states[:, 6:9] -= states[0, 6:9].copy()
    return states, course.touching[rows], corners


def turned(course: Course, periods: int) -> tuple[Array, Array]:
    """Rotation (3, 3) and shift (3,) of a loop's period."""
    if course.cycle is None or periods == 0:
        return np.eye(3), np.zeros(3)
    far = course.cycle.times(periods)
    c, s = np.cos(far.turn), np.sin(far.turn)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.asarray(far.shift, float)


def make_plan(course: Course, weights: Weights, friction: float, overlap: int, effort: bool = True,
              spin: bool = False, soften: float = 0.0) -> Plan:  # fmt: skip
    """The plan of a course.

    `overlap` [frames]: how far a segment reaches into the next, where that is still the same stance. `effort`: from the
    reference's own forces. `spin`: in segments that would be twisted without it, L is measured from the reference's:
    with the least of it nobody punches or kicks. `soften` [N²]: barrier at which gains are taken,
    so that a corner that hardly pushes still answers; 0: the document's active rows.
    """
    cuts = cuts_of(course)
    spans = _spans(course, cuts, overlap)
    made = []
    for first, following, count in spans:
        for own in (False, True):
            problem, controls, start = segment_problem(course, first, count, weights, friction, effort, own)
            segment = _solved(course, problem, controls, start, first, following, soften)
            if not spin or not _twisted(segment, course.mass):
                break
        made.append(segment)
    return Plan(course, tuple(made))


def _twisted(segment: Segment, mass: float) -> bool:
    """Is the plan's body turned beside the clip's by more than can be overlooked?"""
    off = np.abs(segment.states[:, 6:9] - segment.reference[:, 6:9]).max(axis=0)
    return bool(np.any(off > _TWISTED * mass))


def _spans(course: Course, cuts: list[int], overlap: int) -> list[tuple[int, int, int]]:
    """First frame, first frame of the next, and number of steps of each segment; overlaps end where a flight begins."""
    frames, loops = course.frames, course.cycle is not None
    ends = [*cuts[1:], cuts[0] + frames] if loops else cuts[1:]
    out = []
    for first, end in zip(cuts if loops else cuts[:-1], ends, strict=True):
        more = 0
        while more < overlap and (loops or end + more < frames):
            if course.touching[(end + more + 1) % frames if loops else end + more + 1].sum() < _FEWEST:
                break
            more += 1
        out.append((first, end, end + more - first))
    if not out:
        raise BadValue("The clip is too short for a segment: it needs at least a fifth of a second in stance.")
    return out


def segment_problem(course: Course, first: int, count: int, weights: Weights, friction: float, effort: bool,
                    spin: bool) -> tuple[SegmentProblem, list[Array], Array]:  # fmt: skip
    """The problem (20) of `count` steps from frame `first`, first controls inside their cones, and the first state."""
    states, touching, corners = frames_from(course, first, count)
    places = [corners[k][touching[k]] for k in range(count)]
    first_guess = [_needed(states[k], states[k + 1], places[k], course, friction) for k in range(count)]
    aims = first_guess if effort else [np.zeros_like(u) for u in first_guess]
    problem = SegmentProblem(states, places, aims, states[:, 9:] if spin else np.zeros((count + 1, 3)), course.mass,
                             course.gravity, course.h, friction, weights)  # fmt: skip
    return problem, first_guess, states[0]


def _needed(x: Array, after: Array, corners: Array, course: Course, friction: float) -> Array:
    """Forces (3K,) inside their pyramids that come nearest to what the reference needs (inverse dynamics)."""
    count = len(corners)
    if not count:
        return np.zeros(0)
    wrench = np.concatenate([(after[3:6] - x[3:6]) / course.h - course.mass * course.gravity,
                             (after[9:] - x[9:]) / course.h])  # fmt: skip
    A, middle = np.zeros((6, 3 * count)), 0.5 * (x[:3] + after[:3])
    for k, corner in enumerate(corners):
        r = corner - middle
        A[:3, 3 * k : 3 * k + 3] = np.eye(3)[:, [2, 0, 1]]
        A[3:, 3 * k : 3 * k + 3] = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])[:, [2, 0, 1]]
    found = cone_least_squares(A, wrench, np.full(count, _INSIDE * friction / np.sqrt(2.0)), 1e-3).forces
    return np.ravel(found.reshape(-1, 3)[:, [1, 2, 0]] + [0.0, 0.0, _ROOM])


def _solved(course: Course, problem: SegmentProblem, controls: list[Array], start: Array, first: int, following: int,
            soften: float) -> Segment:  # fmt: skip
    """The controller of a segment."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # told by the status
        found = solve_ddp(problem, start, controls, _PENALTY, 10.0, tolerance=1e-5)
    if found.status in (Status.BROKEN, Status.OUTSIDE) or not found.end_error < _FAR:
        raise _unreachable(course, problem, first, found.status.value)
    end, last = found.states[-1], problem.steps - 1
    rate = (problem.step(last, end, found.controls[last]) - end) / problem.h
    e = problem.expand(np.stack([*found.states[:-1], end]), found.controls)[last]
    off = end - problem.reference[-1]
    slope = 2.0 * np.concatenate([problem.weights.track * off[:9], problem.weights.spin * (end[9:] - problem.spin[-1])])
    hamiltonian = slope + (e.A - np.eye(12)).T @ found.multipliers / problem.h
    if soften > 0.0:
        duals = tuple(soften / np.maximum(problem.limits(k)[0] @ u, 1e-3) for k, u in enumerate(found.controls))
        found = replace(found, duals=duals, barrier=soften)
    try:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            near = neighbouring(problem, found, rate, hamiltonian)
    except np.linalg.LinAlgError:
        raise _unreachable(course, problem, first, "its gains are not finite") from None
    states, touching, corners = frames_from(course, first, problem.steps)
    count, points = problem.steps, touching.shape[1]
    forces, gain, goal = (
        np.zeros((count, points, 3)),
        np.zeros((count, 3 * points, 12)),
        np.zeros((count, 3 * points, 12)),
    )
    time_gain, time_goal = np.zeros((count, 12)), np.zeros((count, 12))
    for k in range(count):
        inverse = _inverse(near.Vmumu[k])
        mine = np.repeat(touching[k], 3)
        forces[k][touching[k]] = found.controls[k].reshape(-1, 3)
        gain[k][mine] = near.Kx[k] - near.Kmu[k] @ inverse @ near.Vxmu[k].T
        goal[k][mine] = near.Kmu[k] @ inverse
        back = near.Vmut[k] @ inverse
        below = float(back @ near.Vmut[k]) - near.Vtt[k]
        time_gain[k] = (near.Vxt[k] - back @ near.Vxmu[k].T) / below
        time_goal[k] = back / below
    return Segment(first, following, found.states, states, touching[:-1], corners[:-1], forces, gain, goal, time_gain,
                   time_goal, found.status.value)  # fmt: skip


def _unreachable(course: Course, problem: SegmentProblem, first: int, why: str) -> BadValue:
    """The refusal of a segment whose goal no forces reach."""
    begins, ends = first * course.h, (first + problem.steps) * course.h
    return BadValue(f"From {begins:.2f} to {ends:.2f} s no contact forces lead the body as the clip goes ({why}): the "
                    f"goal cannot be reached from these contacts with friction {problem.friction:g}. "
                    "`clip.make_physical()` may help; look at `clip.contacts`.")  # fmt: skip


def _inverse(V: Array) -> Array:
    """V_μμ⁻¹, without the directions that no force reaches any more."""
    return np.linalg.pinv(V, rcond=1e-9, hermitian=True)


def save_plan(plan: Plan, path: str | PathLike[str]) -> None:
    """Write a plan as .npz, whole or not at all."""
    course = plan.course
    arrays: dict[str, Any] = {f"course.{f.name}": getattr(course, f.name) for f in fields(course) if f.name != "cycle"}
    if course.cycle is not None:
        arrays |= {"cycle.turn": course.cycle.turn, "cycle.shift": course.cycle.shift}
    for k, segment in enumerate(plan.segments):
        arrays |= {f"{k}.{f.name}": getattr(segment, f.name) for f in fields(segment)}
    with writing(path) as temporary, temporary.open("wb") as stream:
        np.savez_compressed(stream, segments=len(plan.segments), **arrays)


def load_plan(path: str | PathLike[str]) -> Plan:
    """A plan as it was saved."""
    file = must_exist(path)
    try:
        with np.load(file, allow_pickle=False) as data:
            facts = {f.name: _plain(data[f"course.{f.name}"]) for f in fields(Course) if f.name != "cycle"}
            cycle = Cycle(float(data["cycle.turn"]), data["cycle.shift"]) if "cycle.turn" in data else None
            segments = tuple(Segment(**{f.name: _plain(data[f"{k}.{f.name}"]) for f in fields(Segment)})
                             for k in range(int(data["segments"])))  # fmt: skip
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise BadFile(path, f"it holds no plan of momentum: {error}.") from None
    return Plan(Course(**facts, cycle=cycle), segments)


def _plain(value: Array) -> Any:
    return value.item() if value.ndim == 0 else value

"""Section 7.3 at a bar: a jump that ends in a swing, and a chin-up out of two key poses, pushed; 7.2: a swing, pushed.

The jump's arms are raised by inverse kinematics until the hands are at a bar, which they seize in the air; there the
reference that is followed passes into a swing within half a second. The chin-up is the pose of a hanging body and the
same pose with its root raised and its hands kept on the bar; what lies between is interpolated, and made physical by
nobody. Where the body swings freely, effort is measured from nothing (`feedforward` off), as in the paper: it is
better left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from poise.character import Character
from poise.errors import BadValue, PoiseError
from poise.experiments.modal.trial import TRACKING, WAYS, joints_after, performed, pushed, tracking_row
from poise.experiments.reproduce import Options, Table
from poise.maths import rotations as rot
from poise.methods.modal import Modal, ModalTorques
from poise.motion.clip import Clip, Cycle
from poise.motion.fades import fade
from poise.motion.hold import Hold
from poise.motion.ik.limb import limb, reach
from poise.motion.load import load_clip
from poise.motion.reference import Reference
from poise.performance import perform
from poise.physical.library import jump as jumps
from poise.stage import Bar, Grip, Stage
from poise.take import Take

WINDOW = 24
LEAN = -15.0  # [degrees] of the body ahead of the bar when the hands close
RAISE = 0.45  # [s] in which the arms are raised
OVER = 0.5  # [s] in which the jump passes into the swing
SECONDS, SWING = 8.0, 20.0  # [s] of a leap, of a swing
LATENCIES = (0.0, 0.2)  # [s]
LEAPING = {"modal update": Modal(window=16, feedforward=False), "torques in MuJoCo": ModalTorques(window=16)}
RISE = 0.30  # [m] by which the second key pose of the chin-up is higher
FORCES = (75.0, 125.0, 175.0)  # [N] for twenty frames
DIRECTIONS = (0.0, 90.0, 180.0)  # [degrees] from forward to the left; a push to the right is its mirror image
LASTS, AFTER = 20 / 120, 5.05  # [s]
BEGUN = 0.3  # [s] before a push at which a performance begins


@dataclass(frozen=True, eq=False)
class Leap:
    """A jump to a bar and the swing that follows."""

    reference: Reference
    stage: Stage
    seized: float  # [s] when the hands shall close


def leap(character: Character, distance: float = 0.6, height: float = 0.2) -> Leap:
    """A jump over `distance` [m], `height` [m] high, to a bar, seized with the body behind it."""
    jump = jumps.make(character, distance, height)
    swing = load_clip("swing", character=character)
    air = np.flatnonzero(~jump.contacts.labels.any(axis=1))
    frame = int(air[np.argmax(jump.q[air, 2])])
    at = frame * jump.dt
    entry = _moment(swing, LEAN)
    here, there = jump.q[frame], swing.q[round(entry / swing.dt)]
    turn = float(rot.heading(here[3:7]) - rot.heading(there[3:7]))
    shift = here[:3] - rot.rotate(rot.about_z(turn), there[:3])
    holds = [h.moved(turn, tuple(shift)) for h in swing.grips]
    lifted = swing.with_q(swing.q + np.where(np.arange(swing.q.shape[1]) == 2, shift[2], 0.0), cycle=swing.cycle,
                          labels=swing.contacts.labels, holds=tuple(h.moved(0.0, (0.0, 0.0, float(shift[2])))
                                                                    for h in swing.grips))  # fmt: skip
    after = Reference(lifted, start=float((entry - at) % swing.duration))
    reference = Reference(_raised(jump, holds, at)).hand_over(after, at, OVER)
    places = np.array([h.place for h in holds], float)
    middle, way = places.mean(axis=0), places[0] - places[-1]
    bar = Bar("bar", float(middle[2]), tuple((way / np.linalg.norm(way)).tolist()), place=(middle[0], middle[1]))
    grips = tuple(Grip(h.hand, "bar", start=at - 0.03, point=h.point, reach=0.1) for h in holds)
    return Leap(reference, Stage(props=(bar,), grips=grips), at)


def _raised(jump: Clip, holds: Sequence[Hold], at: float) -> Clip:
    """The jump with its hands at the bar at the time `at` [s], and after it as near as the arms go."""
    character, q = jump.character, np.array(jump.q)
    near = fade((jump.times - at) / RAISE + 1.0)[:, None]
    for hold in holds:
        chain = limb(character, hold.hand)
        if chain is None:
            raise BadValue(f"The arms of {character.name} cannot be led to a bar.")
        goal = (1.0 - near) * hold.path(jump) + near * np.asarray(hold.place, float)
        q = reach(character, q, chain, goal, local=hold.local(character))
    return jump.with_q(q, labels=jump.contacts.labels).make_physical()


def _moment(swing: Clip, lean: float) -> float:
    """When [s] the body swings forward with its centre of mass `lean` [degrees] ahead of the bar."""
    bar = np.mean([np.asarray(h.place, float) for h in swing.grips], axis=0)
    arm = swing.character.centre_of_mass(swing.q) - bar
    angle = np.degrees(np.arctan2(arm[:, 0], -arm[:, 2]))
    forward = np.gradient(angle) > 0.0
    return float(swing.times[np.argmin(np.where(forward, np.abs(angle - lean), 1e3))])


def chin_up(character: Character) -> Clip:
    """Two key poses, a hanging body and one raised by `RISE` with its hands where they were, played as a loop."""
    hanging = load_clip("chin-up", character=character)
    period = 3.0  # [s]
    count = round(120 * period)
    share = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(count + 1) / count)
    q = np.repeat(hanging.q[:1], count + 1, axis=0)
    q[:, 2] += RISE * share
    for hold in hanging.grips:
        chain = limb(character, hold.hand)
        if chain is not None:
            goal = np.repeat(np.asarray(hold.place, float)[None], count + 1, axis=0)
            q = reach(character, q, chain, goal, local=hold.local(character))
    labels = np.zeros((count + 1, len(character.contact_points)), bool)
    return hanging.with_q(q, dt=period / count, cycle=Cycle(), labels=labels, holds=hanging.grips)


def leaps(character: Character, options: Options) -> tuple[list[tuple[object, ...]], list[str]]:
    """The jump to the bar, of as many lengths and heights as there are seeds, by both ways: rows and figures."""
    rows, figures = [], []
    for k in range(options.seeds):
        share = k / max(options.seeds - 1, 1)
        far, high = 0.45 + 0.3 * share, 0.15 + 0.03 * (k % 3)
        made = leap(character, far, high)
        for way, method in LEAPING.items():
            try:
                take = perform(made.reference, method, stage=made.stage, seconds=SECONDS)
            except PoiseError as error:
                rows.append((f"jump over {far:.2f} m, {100 * high:.0f} cm high", way, str(error)[:40], *[""] * 8))
                continue
            rows.append((f"jump over {far:.2f} m, {100 * high:.0f} cm high", *tracking_row(take, way)))
            figures += options.film(take, f"leap-{k}-{way.split()[0]}")
    return rows, figures


def run(options: Options) -> Table:
    """Leaps row by row, then the chin-up: undisturbed and pushed at as many phases as there are seeds."""
    character = load_clip("swing").character
    (rows, figures), clip = leaps(character, options), chin_up(character)
    settings = {"window": WINDOW, "repair": False}
    calm = performed(clip, "modal update", 2 * clip.duration + 1.0 + AFTER, settings=settings)
    rows.append(("chin-up of two poses", *tracking_row(calm, "modal update")))
    notes = [f"Chin-up pushed with {force:g} N: {marks}" for force, marks, _ in _pushes(clip, calm, settings, options)]
    title = "A jump to a bar that becomes a swing (window 16), and a chin-up of two key poses (24)"
    return Table(title, ("what", *TRACKING), tuple(rows), tuple(notes), tuple(figures))


def hanging(options: Options) -> Table:
    """The swing undisturbed by both ways, then pushes at as many phases as there are seeds, known at once and late."""
    clip, settings, notes = load_clip("swing"), {"window": WINDOW, "feedforward": False}, []
    takes = {way: performed(clip, way, SWING, settings=settings) for way in WAYS}
    rows = tuple(("swing", *tracking_row(take, way)) for way, take in takes.items())
    for latency in LATENCIES:
        for force, marks, off in _pushes(clip, takes["modal update"], {**settings, "latency": latency}, options):
            notes.append(f"{force:g} N, latency {1000 * latency:g} ms: {marks.count('+')} of "
                         f"{options.seeds * len(DIRECTIONS)} recovered ({marks}); joints in the two seconds after "
                         f"{off:.1f} degrees rms.")  # fmt: skip
    return Table("A swing on a bar for 20 s, and pushes of 20 frames on its chest", ("clip", *TRACKING), rows,
                 tuple(notes))  # fmt: skip


def _pushes(
    clip: Clip, calm: Take, settings: Mapping[str, Any], options: Options
) -> Iterator[tuple[float, str, float]]:
    """For each force: a mark by direction and phase, and the joint error [degrees rms] in two seconds after a push."""
    for force in FORCES:
        by, errors = [], []
        for direction in DIRECTIONS:
            takes = [pushed(clip, settings, force, direction, (BEGUN, LASTS, AFTER), phase, options.seeds)
                     for phase in range(options.seeds)]  # fmt: skip
            marks = "".join("+" if take.recovered(BEGUN + LASTS, calm) else "-" for take in takes)
            by.append(f"{direction:g} degrees {marks}")
            errors += [joints_after(take, BEGUN + LASTS) ** 2 for take in takes]
        yield force, ", ".join(by), float(np.sqrt(np.mean(errors)))

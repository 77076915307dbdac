"""Section 7.2: pushes on a walker, in eight directions and at as many phases as there are seeds, strictly judged.

In both ways to advance, with the paper's latency and without, with footholds and without, and by the printed form.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from poise.experiments.modal.trial import BUT, BUT_NAME, PRINTED, WAYS, performed, push
from poise.experiments.reproduce import Options, Table, told
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.take import Take

FORCES = (100.0, 135.0, 175.0)  # [N] for ten frames
DIRECTIONS = tuple(45.0 * k for k in range(8))  # [degrees] from forward to the left
LASTS, AFTER = 10 / 120, 5.05  # [s]
MIDDLE = 135.0  # [N] for the recorded walker
FEWER = 4  # times fewer phases where a row is dear, or none of the two that matter most
UPDATE, MUJOCO = WAYS
RECORDED = "12_01"  # in the folder of recordings, where one is given: a walk on its own character


class Case(NamedTuple):
    """A form of the method in a condition."""

    form: str
    condition: str
    settings: Mapping[str, Any]
    full: bool  # at all phases in the modal update


CASES = (
    Case("ours", "latency 0, footholds", {}, True),
    Case("ours", "latency 0, no footholds", {"footholds": False}, False),
    Case("ours", "latency 0.2 s, footholds", {"latency": 0.2}, False),
    Case("ours", "latency 0.2 s, no footholds (document's)", {"latency": 0.2, "footholds": False}, True),
    Case("printed", "latency 0.2 s, no footholds (document's)", PRINTED, False),
    Case(BUT_NAME, "latency 0.2 s, no footholds (document's)", BUT, False),
)
COLUMNS = ("clip", "form", "condition", "way", "force [N]", "recovered", "and within 20 cm of its track",
           "by direction: front, then to the left")  # fmt: skip


def run(options: Options) -> Table:
    """How many recovered in the modal update, by force, form and condition; a recorded walker where there is one."""
    walk, rows, fewer = load_clip("walk"), [], max(1, options.seeds // FEWER)
    for case in CASES:
        rows += _rows(walk, case, UPDATE, FORCES, options.seeds if case.full else fewer)
    path = options.recording(RECORDED)
    if path is not None:
        recorded = load_clip(path).loop().make_physical()
        rows += _rows(recorded, CASES[0], UPDATE, (MIDDLE,), options.seeds)
    more = f"{options.seeds} phases for ours and ours in the document's condition, else {fewer}."
    return Table("Pushes on the chest of a walker, 10 frames, modal update", COLUMNS, tuple(rows), (*_NOTES, more))


def torques(options: Options) -> Table:
    """The same as torques in MuJoCo, at fewer phases."""
    walk, rows, fewer = load_clip("walk"), [], max(1, options.seeds // FEWER)
    for case in CASES:
        rows += _rows(walk, case, MUJOCO, FORCES, fewer)
    return Table("Pushes on the chest of a walker, 10 frames, torques in MuJoCo", COLUMNS, tuple(rows),
                 (*_NOTES, f"{fewer} phases."))  # fmt: skip


_NOTES = ("Recovered: `take.recovered` 5 s after the push, bands from an undisturbed run.",
          "Printed: `Modal.printed()`. Ours: all departures, legs colliding, torque limits on.")  # fmt: skip


def _rows(clip: Clip, case: Case, way: str, forces: tuple[float, ...], phases: int) -> list[tuple[Any, ...]]:
    """One row a force; told as they come, since a row takes a minute."""
    calm = performed(clip, way, 2.0 * clip.duration + 1.0 + AFTER, settings=case.settings)
    head = (f"{clip.name}, {clip.character.name}", case.form, case.condition, way)
    return [told((*head, force, *_cells(clip, case, way, force, phases, calm))) for force in forces]


def _cells(clip: Clip, case: Case, way: str, force: float, phases: int, calm: Take) -> tuple[str, str, str]:
    """One force in all directions and at all phases; a walker that falls by itself recovers from nothing."""
    total, earliest = len(DIRECTIONS) * phases, 1.0
    if not calm.ended.whole:
        return f"0/{total}", "-", f"falls undisturbed at {calm.ended.time:.2f} s"
    by, near = dict.fromkeys(DIRECTIONS, 0), 0
    for direction in DIRECTIONS:
        for phase in range(phases):
            at = earliest + phase / phases * clip.duration
            take = performed(clip, way, at + LASTS + AFTER, events=(push(force, direction, at, LASTS),),
                             settings=case.settings)  # fmt: skip
            if take.recovered(at + LASTS, calm):
                by[direction] += 1
                near += bool(np.linalg.norm(take.q[-1, :2] - take.q_ref[-1, :2]) < 0.2)
    return f"{sum(by.values())}/{total}", f"{near}/{total}", " ".join(f"{by[d]}" for d in DIRECTIONS)

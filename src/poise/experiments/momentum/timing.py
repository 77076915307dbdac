"""Sections 4.8.2 and 4.8.3: completion times, fixed against free, anticipation against errors that drive."""

from __future__ import annotations

import numpy as np

from poise.experiments.momentum.clips import long_stride
from poise.experiments.momentum.trial import (
    CONDITIONS,
    FORMS,
    MEASURED,
    Score,
    calm_of,
    columns,
    condition,
    frames_of_segments,
    moment,
    performed,
    push,
)
from poise.experiments.reproduce import Options, Table, told
from poise.ground.stairs import Stairs
from poise.motion.clip import Clip
from poise.motion.load import load_clip

STEPS = 3  # of a staircase
PASSED = 5.0  # [s] after which all of them are behind
PUSHES = (50.0, 100.0, 150.0, 200.0)  # [N] of figure 14
RISES = (0.4, 0.3, 0.2, 0.1, -0.1, -0.2, -0.3)  # [m] of figure 15


def staircase(clip: Clip, rise: float, phase: float = 0.0) -> Stairs:
    """Steps as long as the walker's, whose edges lie between two footholds; `phase` of a cycle later."""
    length = float(np.linalg.norm(clip.cycle.shift[:2])) / 2.0 if clip.cycle is not None else 0.7
    labels, points = clip.contacts.labels, clip.character.points(clip.q)
    standing = labels[:, clip.character.contact_points.of("left")]
    k = int(np.argmax(standing.sum(axis=1)))
    middle = float(points[k][clip.character.contact_points.of("left")][:, 0].mean())
    return Stairs(rise=rise, run=length, start=middle + (3.5 + round(phase)) * length, count=STEPS)


def run(options: Options) -> Table:
    """Frames that the disturbed segment took more than an undisturbed one; means over phases."""
    walk, rows = load_clip("walk"), []
    stride = long_stride()
    cases = (("backward 160 N, 0.2 s", walk, {"force": 160.0, "side": 180.0}, "+10 (large)"),
             ("backward 100 N, 0.2 s", walk, {"force": 100.0, "side": 180.0}, "-"),
             ("backward 50 N, 0.2 s", walk, {"force": 50.0, "side": 180.0}, "-"),
             ("forward 75 N, 0.2 s", walk, {"force": 75.0, "side": 0.0}, "-2 to -3 (small)"),
             ("forward 50 N, 0.2 s", walk, {"force": 50.0, "side": 0.0}, "-"),
             ("stairs +0.2 m", walk, {"rise": 0.2}, "+4"), ("stairs -0.2 m", walk, {"rise": -0.2}, "-4"),
             ("steps 5 cm longer", walk, {"longer": 0.05}, "+4"),
             ("steps 5 cm shorter", walk, {"longer": -0.05}, "-"),
             ("steps 15 cm shorter", walk, {"longer": -0.15}, "-17 (shorter)"),
             ("long stride, backward 75 N", stride, {"force": 75.0, "side": 180.0}, "+4"),
             ("long stride, forward 150 N", stride, {"force": 150.0, "side": 0.0}, "-4"))  # fmt: skip
    for name, clip, facts, document in cases:
        if options.wants(name):
            rows.append(told((name, document, *(_frames(clip, facts, form, options.seeds) for form in FORMS))))
    return Table("Change of the completion time [frames of 1/120 s]", ("what", "thesis", "printed", "ours"),
                 tuple(rows), ("Push sizes are ours; the thesis prints none. Means over phases, and how many of them "
                 "did not end early; `-`: none.",))  # fmt: skip


def _frames(clip: Clip, facts: dict[str, float], form: str, phases: int) -> str:
    calm = calm_of(clip, form)
    if not calm.ended.whole:
        return f"{calm.ended} undisturbed"
    usual, out = float(np.mean(frames_of_segments(calm))), []
    for phase in range(phases):
        start = phase / phases * clip.duration
        if "force" in facts:
            at = moment(clip, phase, phases)
            take = performed(clip, form, at + 3.0, (push(facts["force"], facts["side"], at, 0.2),))
        elif "rise" in facts:
            take = performed(clip, form, 6.0, ground=staircase(clip, facts["rise"], phase % 2), start=start)
        else:
            take = performed(clip, form, 6.0, settings={"stride": (facts["longer"], 0.0, 0.0)}, start=start)
        if take.ended.whole:
            change = frames_of_segments(take) - usual
            out.append(float(change[np.argmax(np.abs(change))]) if "longer" not in facts else float(np.mean(change)))
    return f"{np.mean(out):+.1f} ({len(out)})" if out else "-"


def fixed(options: Options) -> Table:
    """Figure 14: pushes from behind and in front with the final time free and fixed; and the forces that it takes."""
    clip, rows = load_clip("walk"), []
    for name in CONDITIONS:
        for side, way in ((180.0, "backward"), (0.0, "forward")):
            for force in PUSHES:
                if options.wants(f"{name}, {way}"):
                    scores = [_pushed(clip, name, free, force, side, options.seeds) for free in (True, False)]
                    rows.append(told((f"{name}, {way}", force, *(x for score in scores for x in score.cells))))
    notes = (MEASURED, "Own steps: ours without `footholds` and `hurry`; in the thesis too, steps stay where the clip "
             "has them.", "Thesis: free recovers from a large backward push and uses smaller contact forces; fixed "
             "fails.")  # fmt: skip
    return Table("Free and fixed final time, walk, pushes of 0.2 s",
                 ("condition", "force [N]", *columns("free", "fixed")), tuple(rows), notes)  # fmt: skip


def _pushed(clip: Clip, name: str, free: bool, force: float, side: float, phases: int) -> Score:
    form, settings = condition(name)
    score = Score(clip, form, {**settings, "free_time": free})
    for phase in range(phases):
        at = moment(clip, phase, phases)
        score.add((push(force, side, at, 0.2),), at + 0.2)
    return score


def anticipation(options: Options) -> Table:
    """Figure 15: stairs by a change of the final constraint ahead, or by errors against a shifted reference."""
    clip, rows = load_clip("walk"), []
    for form in FORMS:
        for rise in RISES:
            if options.wants(f"{form}, {rise:+g} m"):
                scores = [_climbed(clip, form, ahead, rise, options.seeds) for ahead in (True, False)]
                rows.append(told((f"{form}, {rise:+g} m", *(x for score in scores for x in score.cells))))
    return Table("Stairs: anticipation, and errors that drive", ("rise", *columns("anticipation", "error-driven")),
                 tuple(rows), (MEASURED, "Thesis: anticipation reaches +0.3 and -0.2 m, error-driven +0.2 and -0.1 m, "
                               "with larger contact forces and a body that lags behind."))  # fmt: skip


def _climbed(clip: Clip, form: str, ahead: bool, rise: float, phases: int) -> Score:
    score = Score(clip, form, {"anticipate": ahead})
    for k in range(phases):
        score.add((), PASSED, staircase(clip, rise, k % 2), k / phases * clip.duration)
    return score

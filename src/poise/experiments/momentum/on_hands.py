"""Hands that carry: a body bent down on its hands and feet that sways, undisturbed and pushed."""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.character.load import load_character
from poise.character.roles import SIDES
from poise.experiments.momentum.clips import slip
from poise.experiments.momentum.trial import EARLIEST, Score, push
from poise.experiments.reproduce import Options, Table, told
from poise.judge import audit
from poise.motion.clip import Clip, Cycle, Source
from poise.motion.ik import ik
from poise.take import Take

FRAMES, RATE = 181, 120.0  # of a cycle, the last one the first of the next
BENT, HIGH, AHEAD, WIDE = np.radians(75.0), 0.75, 0.62, 0.22  # [rad] of the trunk; [m] of the root and of the hands
SWAY, PERIOD = 0.04, (FRAMES - 1) / RATE  # [m], [s]
FORCES = (20.0, 40.0, 80.0)  # [N]


def run(options: Options) -> Table:
    """Undisturbed, and pushes of 0.2 s at as many phases as there are seeds, each from another side."""
    clip = on_all_fours(load_character("human42"))
    calm = Score(clip, "ours").calm
    report = audit(calm)
    rows = [told(("undisturbed", str(calm.ended), bool(calm.followed()), share(calm), slip(calm),
                  100.0 * report.position_force_rms / report.weight, report.position_torque_rms))]  # fmt: skip
    for force in FORCES:
        score = Score(clip, "ours")
        takes = [score.add((push(force, 45.0 * k, at := EARLIEST + k / options.seeds * PERIOD, 0.2),), at + 0.2)
                 for k in range(options.seeds)]  # fmt: skip
        carried = float(np.mean([share(take) for take in takes if take is not None]))
        rows.append(told((f"{force:g} N, 0.2 s", score.cell, "-", carried, "-", "-", "-")))
    return Table("A body on hands and feet", ("what", "ended or recovered", "followed", "weight on hands [%]",
                 "slip [mm]", "force rms [% W]", "moment rms [N m]"), tuple(rows),
                 ("Ours; the thesis shows no hands that carry.",))  # fmt: skip


def on_all_fours(character: Character) -> Clip:
    """A loop of a body that stands on flat hands and feet, and sways forward and back."""
    points, base = character.contact_points, character.standing_pose()
    standing = character.points(base)[0]
    base[2], base[3:7] = HIGH, (np.cos(BENT / 2), 0.0, np.sin(BENT / 2), 0.0)
    q = np.tile(base, (FRAMES, 1))
    q[:, 0] += SWAY * np.sin(2.0 * np.pi * np.arange(FRAMES) / RATE / PERIOD) - 0.1
    goals, labels = standing.copy(), np.zeros((FRAMES, len(points)), bool)
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        mine = points.of(f"{side}_hand")
        off = standing[mine] - standing[mine].mean(axis=0)
        goals[mine] = np.stack([AHEAD - off[:, 2], sign * WIDE + off[:, 1], np.zeros(len(mine))], axis=1)
        labels[:, mine] = labels[:, points.of(side)] = True
    targets = [ik.PointTarget(int(points.bodies[k]), points.positions[k], goals[k], 3.0)
               for k in np.flatnonzero(labels[0])]  # fmt: skip
    here = Cycle(0.0, np.zeros(3))
    q = ik.solve(character, q, targets, limits=1.0, cycle=here)
    return Clip(character, q, 1.0 / RATE, Source("on all fours"), cycle=here, labels=labels)


def share(take: Take) -> float:
    """How much [%] of the vertical force of a take the hands bear."""
    points, up = take.character.contact_points, take.contacts.force[:, 2]
    hands = np.concatenate([points.bodies[points.of(f"{side}_hand")] for side in SIDES])
    return 100.0 * float(up[np.isin(take.contacts.body, hands)].sum() / up.sum())

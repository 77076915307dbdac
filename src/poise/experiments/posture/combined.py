"""Posture on top of momentum: what chapter 6 of the thesis proposes and never built."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.experiments.reproduce import Options, Table, told
from poise.methods.momentum import Momentum
from poise.methods.posture.body import Parts
from poise.methods.posture.passive import passive_rows
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.performance import perform
from poise.stage import Push, Stage
from poise.take import Take

FORCES = (100.0, 150.0)  # [N] for 0.2 s on the chest of 70 kg
WAYS = 16
EARLIEST, AFTER, SOFT = 1.0, 5.05, 1.5  # [s] before a push, after it, and in which torques are compared


def ways(clip: Clip) -> dict[str, Momentum]:
    """Momentum alone, with the document's constraint as rows (no springs, nothing else), and with ours."""
    plain = passive_rows(clip, stiffness=0.0, damper=0.0, tone=0.0, others=0.0)
    return {"momentum alone": Momentum(), "printed rows": Momentum(rows=(plain,)),
            "ours": Momentum(rows=(passive_rows(clip),))}  # fmt: skip


def run(options: Options) -> Table:
    """Pushes from all sides: recovered, and the torque of the upper body."""
    clip, rows, figures = load_clip("walk"), [], []
    for force in FORCES:
        torque: dict[str, float] = {}
        for name, way in ways(clip).items():
            calm, good, sizes, tried = perform(clip, way, seconds=9.0), 0, [], 0
            for phase in range(options.seeds if name != "printed rows" else max(options.seeds // 4, 1)):
                at = EARLIEST + (phase + 0.13) / options.seeds * clip.duration
                for k in range(WAYS):
                    take = _pushed(clip, way, force, 2 * np.pi * k / WAYS, at)
                    good += bool(take.time[-1] > at + 0.2 and take.recovered(at + 0.2, calm))
                    tried += 1
                    sizes.append(upper_torque(take, at))
            torque[name] = float(np.sqrt(np.mean(np.square(sizes))))
            less = 100 * (1 - torque[name] / torque["momentum alone"])
            rows.append(told((force, name, f"{good}/{tried}", torque[name], less, upper_torque(calm, EARLIEST))))
            figures += options.film(_pushed(clip, way, force, np.pi, 1.2), f"posture-on-{name}-{force:g}")
    return Table(f"Pushes of 0.2 s on the chest of a walker of 70 kg, {WAYS} directions, {options.seeds} phases",
                 ("force [N]", "method", "recovered", "upper torque rms [N m]", "less [%]", "unpushed [N m]"),
                 tuple(rows), ("Torques over 1.5 s from the beginning of the push. Printed rows: Ê alone, without "
                 "springs, at a quarter of the phases. Wanted: as many recovered, 20 % less torque.",),
                 tuple(figures))  # fmt: skip


def _pushed(clip: Clip, way: Any, force: float, angle: float, at: float) -> Take:
    event = Push("chest", (force * np.cos(angle), force * np.sin(angle), 0.0), at, 0.2)
    return perform(clip, way, stage=Stage(events=(event,)), seconds=at + 0.2 + AFTER)


def upper_torque(take: Take, at: float) -> float:
    """Rms torque [N m] of the upper body's joints in the time after `at` [s]."""
    some = (take.time >= at) & (take.time < at + SOFT)
    return float(np.sqrt(np.mean(take.torque[some][:, Parts.of(take.character).upper] ** 2)))

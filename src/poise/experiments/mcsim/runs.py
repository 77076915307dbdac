"""Runs of one clip from many starts, and what is counted of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from poise.character.roles import SIDES
from poise.motion.clip import Clip
from poise.performance import perform
from poise.stage import Stage
from poise.take import Take

HELD_OUT = 100  # first of the seeds that are reported; settings were chosen on those from 0 on
NOISE = 0.1  # [rad/s, m/s] on all starting velocities
AFTERWARDS = 1.0  # [s] of standing after a clip that ends at rest
AT_REST = 0.3  # [m/s] of the root at the end, with both feet down, below which a clip counts as ending at rest


@dataclass(frozen=True, eq=False)
class Outcome:
    """One run."""

    take: Take

    @cached_property
    def ok(self) -> bool:
        """It stayed up to the end."""
        return self.take.ended.whole

    @cached_property
    def failed(self) -> float | None:
        """When [s] it fell, blew up or was lost; None where it did not."""
        return None if self.ok else self.take.ended.time

    @cached_property
    def joints(self) -> float:
        """Rms joint error [rad] up to the fall, or to the end."""
        take = self.take
        up = take.time <= max(take.ended.time, take.time[0])
        return float(np.sqrt(np.mean(take.tracking_error().series["joints"][up] ** 2)))

    @cached_property
    def distance(self) -> float:
        """How far it went beside how far the clip goes in the same time; NaN where that is under 0.3 m."""
        from poise.motion.reference import Reference

        take = self.take
        reference = Reference(take.clip, start=take.start)
        far = np.linalg.norm(reference.sample(take.duration).q[:2] - reference.sample(0.0).q[:2])
        return float(np.linalg.norm(take.q[-1, :2] - take.q[0, :2]) / far) if far > 0.3 else float("nan")


def length(clip: Clip, cyclic: float) -> float:
    """How long [s] a clip is performed: a loop for `cyclic`; another to its end, and 1 s if it ends at rest."""
    if clip.cycle is not None:
        return cyclic
    points = clip.character.contact_points
    down = all(clip.contacts.labels[-1, points.of(side)].any() for side in SIDES)
    still = float(np.linalg.norm(clip.velocity[-1, :3])) < AT_REST
    return clip.duration + (AFTERWARDS if still and down else 0.0)


def run_seeds(clip: Clip, method: Any, seeds: int, seconds: float, stage: Stage | None = None,
              first: int = HELD_OUT, simulator: str = "mujoco", glance: float | None = None
              ) -> list[Outcome]:  # fmt: skip
    """One run a seed, each from another phase of a loop, or from within the first tenth of a second of an open clip.

    Phases of the runs that are reported lie between those that settings were chosen on. With a `glance` [s] only runs
    that are still up by then are performed as a whole: the same start gives the same fall.
    """
    out = []
    for k in range(seeds):
        start = phase(k, seeds, first) * (clip.duration if clip.cycle is not None else 0.1)
        length_ = seconds if clip.cycle is not None else seconds - start
        how: dict[str, Any] = {"stage": stage, "start": start, "noise": NOISE, "seed": first + k,
                               "simulator": simulator}  # fmt: skip
        seen = None
        if glance is not None and glance < length_:
            seen = outcome(clip, method, glance, **how)
        out.append(seen if seen is not None and not seen.ok else outcome(clip, method, length_, **how))
    return out


def outcome(clip: Clip, method: Any, seconds: float, **how: Any) -> Outcome:
    """One run; one that blew up or was lost counts as what was recorded until then."""
    return Outcome(perform(clip, method, seconds=seconds, **how))


def phase(run: int, runs: int, first: int = HELD_OUT) -> float:
    """The share of a cycle at which one of some runs begins."""
    return (run + (0.5 if first >= HELD_OUT else 0.0)) / runs


def stood(outcomes: Sequence[Outcome]) -> tuple[str, str]:
    """How many stayed up, and when the first of the others fell."""
    falls = [o.failed for o in outcomes if o.failed is not None]
    return f"{sum(o.ok for o in outcomes)} of {len(outcomes)}", f"{min(falls):.1f} s" if falls else "-"


def row(name: str, outcomes: Sequence[Outcome]) -> tuple[Any, ...]:
    """Name, how many stayed up, the first fall, joint error, distance, speed."""
    return (
        name,
        *stood(outcomes),
        round(float(np.sqrt(np.mean([o.joints**2 for o in outcomes]))), 4),
        round(float(np.mean([o.distance for o in outcomes])), 3),
        round(float(np.mean([o.take.realtime_factor for o in outcomes])), 1),
    )


def up(outcomes: Sequence[Outcome]) -> str:
    """The same in one cell."""
    count, first = stood(outcomes)
    return count if first == "-" else f"{count} ({first})"


def error(outcomes: Sequence[Outcome]) -> float:
    """Rms joint error [rad] of some runs, up to their falls."""
    return round(float(np.sqrt(np.mean([o.joints**2 for o in outcomes]))), 3)


def distance(outcomes: Sequence[Outcome]) -> float:
    """Mean distance of some runs beside that of the clip."""
    return round(float(np.mean([o.distance for o in outcomes])), 2)


FORMS = ("document's form, in the plane", "document's form, 3D", "ours, 3D")
GLANCE = 3.0  # [s] after which runs of the document's form in three dimensions go on only if they are up
NOTE = ("Seeds from 100 on, starts between those that settings were chosen on (seeds 0 to 7); noise of 0.1 rad/s and "
        "m/s on all starting velocities.")  # fmt: skip
COLUMNS = ("motion", "stayed up", "first fall", "joint error [rad]", "distance", "x real time")

"""What the experiments share: a performance by either way of advancing, and the figures that are told of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from poise.judge import audit
from poise.methods.modal import Modal, ModalTorques
from poise.motion.clip import Clip
from poise.performance import perform
from poise.stage import Push, Stage
from poise.take import Take

PRINTED: dict[str, Any] = {"printed": True}  # settings of the paper's own form, to which others can be added
BUT: dict[str, Any] = {"departures": "comply", "latency": 0.2}  # no departure but this one, with our weights
BUT_NAME = "printed but for comply, our weights"
WAYS = {"modal update": Modal, "torques in MuJoCo": ModalTorques}
TRACKING = ("way", "fell [s]", "joints [deg]", "root [cm]", "tilt [deg]", "median unexplained [% W]", "cones [N]",
            "penetration [mm]", "complementarity [N]", "x real time")  # fmt: skip


def performed(clip: Clip, way: str, seconds: float, events: Sequence[Push] = (), start: float = 0.0,
              noise: float = 0.0, seed: int = 0, stage: Stage | None = None,
              settings: Mapping[str, Any] | None = None) -> Take:  # fmt: skip
    """The take of a clip by one of the two ways; see `method` for the settings."""
    if stage is None:
        stage = replace(clip.stage(start, seconds), events=tuple(events))
    return perform(clip, method(way, settings or {}), stage=stage, seconds=seconds, start=start, noise=noise, seed=seed)


def method(way: str, settings: Mapping[str, Any]) -> Modal | ModalTorques:
    """The method that advances in this way; with `printed` among the settings, the paper's own form."""
    kind, given = WAYS[way], dict(settings)
    return kind.printed(**given) if given.pop("printed", False) else kind(**given)


def tracking_row(take: Take, way: str) -> tuple[Any, ...]:
    """The cells of `TRACKING`."""
    off, report = take.tracking_error(), audit(take)
    lack = 100.0 * float(np.median(np.linalg.norm(report.series["force"], axis=1))) / report.weight
    sure = take.traces.get("complementarity")
    worst = float(np.nanmax(sure)) if sure is not None else float("nan")
    fell = "-" if take.ended.whole else f"{take.ended.time:.2f}"
    return (way, fell, float(np.degrees(off.joints)), 100.0 * off.root_position,
            float(np.degrees(off.root_orientation)), lack, report.cone_violation, 1000.0 * report.penetration, worst,
            take.realtime_factor)  # fmt: skip


def push(force: float, direction: float, at: float, duration: float) -> Push:
    """A push on the chest of `force` [N] in a direction [degrees about Z] from `at` on [s]."""
    way = np.radians(direction)
    return Push("chest", (force * np.cos(way), force * np.sin(way), 0.0), at, duration)


def pushed(clip: Clip, settings: Mapping[str, Any], force: float, direction: float, when: tuple[float, float, float],
           phase: int, phases: int) -> Take:  # fmt: skip
    """A loop by the modal update, begun before a push that comes in the middle of one of some phases.

    `when`: time [s] before the push, of the push, and after it.
    """
    before, lasts, after = when
    start = ((phase + 0.5) / phases * clip.duration - before) % clip.duration
    return performed(clip, "modal update", before + lasts + after, settings=settings, start=start,
                     events=(push(force, direction, before, lasts),))  # fmt: skip


def joints_after(take: Take, at: float) -> float:
    """Joint error [degrees rms] in the two seconds after a time [s]."""
    later = (take.time > at) & (take.time < at + 2.0)
    return float(np.degrees(np.sqrt(np.mean(take.tracking_error().series["joints"][later] ** 2))))


def medians(takes: Sequence[Take]) -> tuple[float, float, float]:
    """Median errors of some takes: joints [degrees], root [cm], its tilt [degrees]."""
    off = [take.tracking_error() for take in takes]
    return (float(np.median([np.degrees(e.joints) for e in off])),
            float(np.median([100.0 * e.root_position for e in off])),
            float(np.median([np.degrees(e.root_orientation) for e in off])))  # fmt: skip

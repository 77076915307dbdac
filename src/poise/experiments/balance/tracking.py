"""Recordings followed unaltered, as figure 7: the error at the right hip; walking and turning; and nearby settings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from poise.experiments.reproduce import Options, Table, told
from poise.export.plots import figure_of
from poise.judge.audit import audit
from poise.maths import rotations as rot
from poise.methods.balance import Balance
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.performance import perform
from poise.take import Take

if TYPE_CHECKING:
    from matplotlib.figure import Figure

IN_PLACE = ("02_05", "26_10", "120_05", "144_05", "22_14", "135_06")
WALKS = ("02_01", "12_01", "16_17", "136_20", "16_33")
UNSEEN = ("91_19", "91_16", "136_25", "09_12")  # on which nothing was tried before
BUILT_IN = ("punch", "wave", "squat", "walk")
STARTS = {"16_17": 0.4}  # [s]: the first frames of this one shake, its chest turns at 16 rad/s
SECONDS = 10.0
HARD = {"144_05": 0.0, "22_14": 0.0, "135_06": 0.0, "16_17": 0.4}  # to follow, and where they begin [s]
CHANGES: tuple[dict[str, float], ...] = (
    {}, {"kts": 380.0}, {"kts": 420.0}, {"stiffness": 0.96}, {"stiffness": 1.04}, {"kfs": 850.0}, {"kfs": 950.0},
    {"ktd": 84.0}, {"start": 0.02}, {"start": 0.05},
)  # fmt: skip


def hip_error(take: Take) -> np.ndarray:
    """Angles (F, 3) [degrees] about x, y, z between the right hip of the take and that of its reference."""
    character = take.character
    thigh = character.body("right_thigh")
    above = int(character.model.body_parentid[thigh])
    turns = []
    for q in (take.q, take.q_ref):
        _, quat = character.forward(q)
        turns.append(rot.multiply(rot.conjugate(quat[:, above]), quat[:, thigh]))
    return np.degrees(rot.log(rot.multiply(rot.conjugate(turns[1]), turns[0])))


def run(options: Options) -> Table:
    """One row a recording: did it stay up, hip and joint error, help."""
    rows, figures = [], []
    for kind, names in (("in place", IN_PLACE), ("walk", WALKS), ("unseen", UNSEEN), ("built in", BUILT_IN)):
        for name in names:
            path = options.recording(name)
            if kind == "built in" or path is not None:
                clip = load_clip(name, character="human45") if path is None else load_clip(path)
                start = STARTS.get(name, 0.0)
                take = perform(clip, Balance(), start=start, seconds=min(SECONDS, clip.duration - start))
                rows.append(told((kind, *_row(take))))
                figures += options.film(take, f"balance-{clip.name}")
                if kind == "in place":
                    figures += options.plot(lambda take=take: _hip(take), f"balance-hip-{clip.name}")
    return Table("Recordings followed unaltered on their own skeletons, default gains",
                 ("kind", "clip", "seconds", "stays up", "hip rms [deg]", "joints rms [deg]", "assist rms [N m]"),
                 tuple(rows), (), tuple(figures))  # fmt: skip


def _row(take: Take) -> tuple[Any, ...]:
    upright = "yes" if take.ended.whole else f"no: {take.ended.time:.2f} s"
    hip = float(np.sqrt(np.mean(np.sum(hip_error(take) ** 2, axis=1))))
    return (take.clip.name, float(take.time[-1]), upright, hip, float(np.degrees(take.tracking_error().joints)),
            audit(take).assist_torque_rms)  # fmt: skip


def _hip(take: Take) -> Figure:
    """Figure 7: angles of the right hip about x, y and z, by which the simulation differs from the recording."""
    figure = figure_of(7.0, 2.6)
    ax = figure.subplots()
    for name, angle in zip("xyz", hip_error(take).T, strict=True):
        ax.plot(take.time, angle, label=f"about {name}")
    ax.set_xlabel("time [s]")
    ax.set_ylabel("right hip, difference [degrees]")
    ax.legend(loc="upper right", ncols=3)
    return figure


def nearby(options: Options) -> Table:
    """One row a hard recording: how many of ten performances stay up that differ by little; is it a matter of luck?"""
    paths = {options.recording(name): start for name, start in HARD.items()}
    rows = tuple(told(_nearby(load_clip(path), start)) for path, start in paths.items() if path is not None)
    return Table("Recordings with settings changed by 4 to 6 % or begun 0.02 and 0.05 s later",
                 ("clip", "stay up", "fell at [s]", "joints rms, median [deg]"), rows)  # fmt: skip


def _nearby(clip: Clip, start: float) -> tuple[Any, ...]:
    fell, errors = [], []
    for change in CHANGES:
        begin = start + change.get("start", 0.0)
        method = replace(Balance(), **{name: value for name, value in change.items() if name != "start"})
        take = perform(clip, method, start=begin, seconds=clip.duration - begin)
        fell += [] if take.ended.whole else [take.ended.time]
        broke = take.ended == "blew up"
        errors.append(np.inf if broke else float(np.degrees(take.tracking_error().joints)))
    times = " ".join(f"{t:.2f}" for t in sorted(fell))
    return (clip.name, f"{len(CHANGES) - len(fell)}/{len(CHANGES)}", times, float(np.median(errors)))

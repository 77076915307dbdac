"""The findings of an audit in words: one sentence for each kind, here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from poise.judge.finding import Finding

REMARKS = frozenset({
    "fell", "depth", "joint_range", "time_step", "inner_friction", "root_correction", "noise", "sliding", "hold",
    "torque_needed", "peak", "mass",
})  # fmt: skip
"""Kinds that are told and fail no audit; every other kind does."""


def sentence(finding: Finding) -> str:
    """A finding in one sentence."""
    return _SENTENCES[finding.kind](finding, finding.detail or {})


def problems(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Those that make the physics untrue."""
    return tuple(f for f in findings if f.kind not in REMARKS)


def remarks(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Those that are not as they should be although no force is missing."""
    return tuple(f for f in findings if f.kind in REMARKS)


Detail = Mapping[str, Any]


def _not_finite(f: Finding, d: Detail) -> str:
    at = "" if f.time is None else f" from {f.time:.2f} s on"
    return (f"{f.value:.0f} of {d['frames']} frames hold numbers that are none{at} ({', '.join(d['what'])}); "
            "only what came before could be measured.")  # fmt: skip


def _not_measured(f: Finding, d: Detail) -> str:
    return f"What the audit measures is no number: {', '.join(d['what'])}."


_ENDS = {
    "blew up": "blew up",
    "lost": "was given up by its method",
    "stopped": "was stopped",
    "under way": "has not ended",
}


def _broke_off(f: Finding, d: Detail) -> str:
    why = f": {d['reason'].rstrip('.')}" if d["reason"] else ""
    return f"The performance {_ENDS.get(d['how'], d['how'])} at {f.time:.2f} s{why}."


def _fell(f: Finding, d: Detail) -> str:
    why = f", {d['reason'].rstrip('.')}" if d["reason"] else ""
    return f"The performance fell at {f.time:.2f} s{why}; the physics of falling is judged like any other."


def _held(name: str, unit: str) -> Callable[[Finding, Detail], str]:
    def words(f: Finding, d: Detail) -> str:
        along = ", ".join(f"{x:+.2f}" for x in d["along"])
        cause = "; the time step may make it" if d.get("stepping") else ""
        return (f"From {f.time:.2f} s on, a {name} of {f.value:.3g} {unit} along ({along}) acts that no contact and no "
                f"event explains{cause}.")  # fmt: skip

    return words


def _position(name: str, unit: str) -> Callable[[Finding, Detail], str]:
    return lambda f, d: (
        f"From {f.time:.2f} s on, its positions alone, whatever its recorded velocities say, show a {name} of "
        f"{f.value:.3g} {unit} that no contact and no event explains."
    )


def _cone(f: Finding, d: Detail) -> str:
    how = f"pulls with {d['pull']:.3g} N" if d["pull"] > 0.0 else f"leaves its friction cone by {f.value:.3g} N"
    return f"At {f.time:.2f} s the contact of {f.body} {how}."


def _friction(f: Finding, d: Detail) -> str:
    return (f"The friction of {f.body} was changed to {f.value:.3g} from {f.time:.2f} s on, in {d['frames']} frames "
            f"({d['seconds']:.2f} s): nothing on the stage explains it, which has {f.limit:.3g} there.")  # fmt: skip


def _inner_friction(f: Finding, d: Detail) -> str:
    return (f"Where {f.body} touches the body itself its friction is {f.value:.3g} instead of {f.limit:.3g}, in "
            f"{d['frames']} frames from {f.time:.2f} s on.")  # fmt: skip


def _root(f: Finding, d: Detail) -> str:
    return f"The method itself corrected the root by {f.value:.3g} N and {d['torque']:.3g} N m rms."


def _time_step(f: Finding, d: Detail) -> str:
    return (
        f"The time step of {1000 * d['step']:.3g} ms is long for this motion and makes {f.value:.3g} N rms by itself: "
        f"at {f.time:.2f} s {f.body} turns by {np.degrees(d['turn']):.0f} degrees in one step."
    )


def _noise(f: Finding, d: Detail) -> str:
    return (f"Without movements above {d['above']:g} Hz, which are mostly noise, it would be {f.value:.3g} N rms "
            f"(audit with cutoff={d['above']:g}).")  # fmt: skip


def _frames(f: Finding, d: Detail) -> str:
    return (f"{f.value:.0f} of {d['frames']} frames have no ground forces that explain them, the longest stretch lasts "
            f"{d['longest']:.2f} s.")  # fmt: skip


def _mass(f: Finding, d: Detail) -> str:
    low, high = d["usual"]
    return (f"The mass of {f.value:.0f} kg is a guess from the height, at which most people weigh {low:.0f} to "
            f"{high:.0f} kg: forces and torques in newtons may be {100 * (1 - low / f.value):.0f} % less or "
            f"{100 * (high / f.value - 1):.0f} % more; shares of body weight, and the verdict, do not depend on it "
            "(give --weight).")  # fmt: skip


_SENTENCES: dict[str, Callable[[Finding, Detail], str]] = {
    "not_finite": _not_finite,
    "not_measured": _not_measured,
    "broke_off": _broke_off,
    "fell": _fell,
    "force_held": _held("force", "N"),
    "torque_held": _held("torque", "N m"),
    "mass": _mass,
    "force": lambda f, d: f"The force that nothing explains is {f.value:.3g} N rms.",
    "torque": lambda f, d: f"The torque that nothing explains is {f.value:.3g} N m rms.",
    "position_force": _position("force", "N"),
    "position_torque": _position("torque", "N m"),
    "velocity": lambda f, d: (f"From {f.time:.2f} s on, recorded velocities and the positions differ by "
                              f"{100 * f.value:.3g} cm/s."),
    "cone": _cone,
    "friction": _friction,
    "inner_friction": _inner_friction,
    "held_slip": lambda f, d: (f"From {f.time:.2f} s on, {f.body} slides at {100 * f.value:.1f} cm/s although its "
                               "friction would hold it."),
    "place": lambda f, d: (f"At {f.time:.2f} s a contact of {f.body} acts {100 * f.value:.1f} cm from where anything "
                           "touches."),
    "prop_force": lambda f, d: (f"From {f.time:.2f} s on, {f.body} moves as if by a force of {100 * f.value:.3g} % of "
                                "its weight that nothing which touches it explains."),
    "prop_torque": lambda f, d: (f"From {f.time:.2f} s on, {f.body} turns as if by a torque of {100 * f.value:.3g} % "
                                 "of its weight times half its length that nothing which touches it explains."),
    "prop_cone": lambda f, d: (f"At {f.time:.2f} s a contact of {f.body} leaves its friction cone by "
                               f"{100 * f.value:.3g} % of its weight."),
    "prop_slip": lambda f, d: (f"From {f.time:.2f} s on, {f.body} slides at {100 * f.value:.1f} cm/s over a prop "
                               "although its friction would hold it."),
    "prop_place": lambda f, d: f"At {f.time:.2f} s a contact of {f.body} acts {100 * f.value:.1f} cm from its surface.",
    "assist": lambda f, d: (f"It was helped by forces that nothing in the world exerts: {f.value:.3g} N and "
                            f"{d['torque']:.3g} N m rms."),
    "root_corrected": _root,
    "root_correction": _root,
    "joint_torque": lambda f, d: f"From {f.time:.2f} s on, {f.body} needs {f.value:.3g} N m more than was recorded.",
    "torque_limit": lambda f, d: f"At {f.time:.2f} s {f.body} is driven {f.value:.3g} N m beyond its torque limit.",
    "depth": lambda f, d: f"At {f.time:.2f} s the body is {100 * f.value:.1f} cm deep in the ground.",
    "joint_range": lambda f, d: (f"At {f.time:.2f} s {f.body} is {np.degrees(f.value):.0f} degrees beyond its range."),
    "time_step": _time_step,
    "noise": _noise,
    "frames": _frames,
    "ground_force": lambda f, d: f"The force that no ground explains is {f.value:.3g} N rms.",
    "ground_torque": lambda f, d: f"The torque that no ground explains is {f.value:.3g} N m rms.",
    "sliding": lambda f, d: f"Touching points slide at {100 * f.value:.1f} cm/s.",
    "hold": lambda f, d: str(d["words"]),
    "torque_needed": lambda f, d: f"At {f.time:.2f} s {f.body} needs {f.value:.3g} N m more than its torque limit.",
    "peak": lambda f, d: f"At {f.time:.2f} s the ground must push with {f.value:.1f} body weights.",
}  # fmt: skip

"""AuditReport: what an audit found, for programs and for people."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np

from poise.character import Character
from poise.judge.finding import Finding
from poise.judge.tolerances import WEIGHTLESS, Tolerances
from poise.judge.wording import audit as wording
from poise.maths import GRAVITY
from poise.maths.rotations import Array

__all__ = ["AuditReport", "Stretch", "Tolerances", "Worst", "advice", "moving_mean", "rms", "weight_of", "worst"]


RUNS = (10, 15)  # frames at 120 a second


class Worst(NamedTuple):
    """The largest value of something, and where."""

    value: float
    time: float = float("nan")  # [s]
    what: str = ""  # body or joint


NOTHING = Worst(0.0)


class Stretch(NamedTuple):
    """Frames in a row that no ground force explains."""

    first: int
    last: int  # inclusive
    start: float  # [s]
    end: float  # [s]
    force: float  # [N] largest unexplained in it
    reason: str


@dataclass(frozen=True, eq=False)
class AuditReport:
    """How true the physics of a take or a clip is. Torques are about the centre of mass; SI units throughout."""

    kind: str  # "take" or "clip"
    name: str
    frames: int
    duration: float  # [s]
    weight: float  # [N]
    unexplained_force_rms: float  # [N]
    unexplained_torque_rms: float  # [N m]
    unexplained_force_share: float  # of body weight, rms
    unexplained_force_max: Worst  # [N]
    unexplained_torque_max: Worst  # [N m]
    cone_violation: float  # [N] worst
    penetration: float  # [m] worst
    slip: float  # [m/s] mean speed of touching points, weighted by how much they carry
    held_slip: Worst  # [m/s] of a contact that its friction should hold, mean over a window
    joint_limit_violation: Worst  # [rad]
    torque_limit_violation: Worst  # [N m]
    assist_force_rms: float = 0.0  # [N]
    assist_torque_rms: float = 0.0  # [N m]
    misplaced: Worst = NOTHING  # [m] between a recorded contact and the surfaces that it joins
    cone_violation_when: float = float("nan")  # [s]
    penetration_when: float = float("nan")  # [s]
    stepping_force_rms: float = 0.0  # [N] that the simulator's finite time step makes; not part of the unexplained
    joint_torque: Worst = NOTHING  # [N m] that joints needed beyond what was recorded, mean over a window
    position_force_rms: float = 0.0  # [N] unexplained by positions alone, by frame; most of it is when forces acted
    position_force_max: Worst = NOTHING  # [N]
    position_force_held: Worst = NOTHING  # [N] mean over a window, beyond what the timing of forces can explain
    position_torque_rms: float = 0.0  # [N m]
    position_torque_max: Worst = NOTHING  # [N m]
    position_torque_held: Worst = NOTHING  # [N m]
    velocity_mismatch: Worst = NOTHING  # [m/s] between recorded velocities and those of positions, mean over a window
    root_correction_force_rms: float = 0.0  # [N] by which a method says that it corrected its root
    root_correction_torque_rms: float = 0.0  # [N m]
    # of loose props, of which a take tells what they touch
    prop_force: Worst = NOTHING  # share of the prop's own weight that nothing explains, mean over a window
    prop_torque: Worst = NOTHING  # share of its weight x half its length
    prop_cone: Worst = NOTHING  # share of its weight by which a contact of it leaves its friction cone
    prop_slip: Worst = NOTHING  # [m/s] of the character's contacts with props that friction should hold
    prop_misplaced: Worst = NOTHING  # [m] between a contact of a prop and its surface
    props_audited: bool = False
    stretches: tuple[Stretch, ...] = ()  # unexplained frames in a row, the longest first
    suggestions: tuple[Stretch, ...] = ()  # of a clip, where and why to change it: stretches, if need be without noise
    told_above: float | None = None  # [Hz] movements above which the suggestions leave out
    friction: float | None = None  # coefficient with which a clip was audited
    findings: tuple[Finding, ...] = ()  # everything beyond its tolerance, as data
    series: dict[str, Array] = field(default_factory=dict)  # by frame: "time", "force", "torque", ...
    segments: tuple[AuditReport, ...] = ()  # of a take in which methods were switched: a report on each part

    def __repr__(self) -> str:
        counts = {"problem": len(self.problems), "remark": len(self.remarks)}
        found = ", ".join(f"{n} {what}{'s' * (n > 1)}" for what, n in counts.items() if n) or "nothing found"
        rest = f"{self.unexplained_force_rms:.3g} N and {self.unexplained_torque_rms:.3g} N m rms"
        verdict = "explained" if self.passed else "not explained"
        return f"<Audit of {self.kind} {self.name!r}: physics {verdict}, {rest} left, {found}>"

    def _repr_html_(self) -> str:
        from poise.export.notebook import audit_html

        return audit_html(self)

    @property
    def faults(self) -> tuple[Finding, ...]:
        """The findings that make the physics untrue."""
        return wording.problems(self.findings)

    @property
    def problems(self) -> tuple[str, ...]:
        """What makes the physics untrue, one sentence each; empty: the audit passes."""
        return tuple(wording.sentence(f) for f in self.faults)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What else is not as it should be, one sentence each."""
        return tuple(wording.sentence(f) for f in wording.remarks(self.findings))

    @property
    def passed(self) -> bool:
        """Is nothing beyond its tolerance, and everything a number?"""
        return not self.faults and not self.unmeasured

    @property
    def unmeasured(self) -> tuple[str, ...]:
        """Measures that are no numbers."""
        bad = []
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            number = value.value if isinstance(value, Worst) else value
            if isinstance(number, float | np.floating) and not np.isfinite(number) and not name.endswith("_when"):
                bad.append(name)
        return tuple(bad)

    @property
    def longest_unexplained(self) -> float:
        """Length [s] of the longest stretch that no ground force explains."""
        return max((s.end - s.start for s in self.stretches), default=0.0)

    @property
    def longest_run(self) -> int:
        """Frames in a row that no ground force explains, at most; as in the suggestions."""
        return max((s.last - s.first + 1 for s in self.suggestions), default=0)

    @property
    def runs_allowed(self) -> tuple[int, int]:
        """Frames in a row that may be unexplained if a controller is to follow a clip: safe, and at most.

        10 and 15 at 120 frames a second (Jain & Liu 2011, section 9), as much time at other rates.
        """
        fps = (self.frames - 1) / self.duration if self.duration > 0.0 else 120.0
        return max(1, round(RUNS[0] * fps / 120.0)), max(1, round(RUNS[1] * fps / 120.0))

    def to_dict(self) -> dict[str, Any]:
        """Everything but the series as plain numbers, strings, lists and dictionaries."""
        out = {n: _plain(getattr(self, n)) for n in self.__dataclass_fields__ if n != "series"}
        out |= {"problems": list(self.problems), "remarks": list(self.remarks)}
        out |= {"passed": self.passed, "longest_unexplained": round(self.longest_unexplained, 6)}
        if self.kind == "clip":
            out |= {"longest_run": self.longest_run, "runs_allowed": list(self.runs_allowed)}
        return out

    def text(self) -> str:
        """The report for a terminal."""
        verdict = "explained by its forces" if self.kind == "take" else "explained by ground forces"
        lines = [
            f"{self.kind} {self.name}: {self.frames} frames, {self.duration:.2f} s, body weight {self.weight:.0f} N",
            f"  Physics: {'' if self.passed else 'not '}{verdict}",
        ]
        lines += [f"  {label:<26}{value}".replace("nan", "unknown") for label, value in self.rows()]
        lines += [f"  ! {problem}" for problem in self.problems] + [f"  - {remark}" for remark in self.remarks]
        return "\n".join(lines + (advice(self) if self.kind == "clip" else []))

    def rows(self) -> list[tuple[str, str]]:
        """Every measure with its value and unit in words."""
        force, torque = self.unexplained_force_max, self.unexplained_torque_max
        rows = [
            ("unexplained force", f"{self.unexplained_force_rms:.3g} N rms ({100 * self.unexplained_force_share:.3g} % "
                                  f"of body weight), worst {force.value:.3g} N{_when(force.time)}"),
            ("unexplained torque", f"{self.unexplained_torque_rms:.3g} N m rms, worst {torque.value:.3g} N m"
                                   f"{_when(torque.time)}"),
            ("outside friction cones", f"{self.cone_violation:.3g} N{_when(self.cone_violation_when)}"),
            ("penetration", f"{1000 * self.penetration:.1f} mm{_when(self.penetration_when)}"),
            ("slip of contacts", f"{100 * self.slip:.2f} cm/s, of held ones up to {100 * self.held_slip.value:.2f} cm/s"
                                 f"{_when(self.held_slip.time)}"),
            ("beyond joint limits", f"{np.degrees(self.joint_limit_violation.value):.1f} degrees"
                                    f"{_at(self.joint_limit_violation)}"),
            ("beyond torque limits", f"{self.torque_limit_violation.value:.3g} N m{_at(self.torque_limit_violation)}"),
        ]  # fmt: skip
        if self.kind == "take":
            rows += [("beyond recorded torques", f"{self.joint_torque.value:.3g} N m{_at(self.joint_torque)}"),
                     ("assistance", f"{self.assist_force_rms:.3g} N, {self.assist_torque_rms:.3g} N m rms"),
                     ("made by the time step", f"{self.stepping_force_rms:.3g} N rms"),
                     *self._prop_rows(),
                     *self._position_rows()]  # fmt: skip
        else:
            rows += [("friction allowed", f"{self.friction:g}"),
                     ("longest unexplained", f"{self.longest_unexplained:.2f} s")]  # fmt: skip
        return rows

    def _prop_rows(self) -> list[tuple[str, str]]:
        if not self.props_audited:
            return []
        force, torque = self.prop_force, self.prop_torque
        return [
            ("unexplained of props", f"{100 * force.value:.3g} % of weight{_at(force)}, {100 * torque.value:.3g} % of "
                                     f"weight x half length{_at(torque)}"),
            ("  their friction cones", f"{100 * self.prop_cone.value:.3g} % of weight{_at(self.prop_cone)}"),
            ("  slip on held ones", f"{100 * self.prop_slip.value:.2f} cm/s{_when(self.prop_slip.time)}"),
        ]  # fmt: skip

    def _position_rows(self) -> list[tuple[str, str]]:
        force, torque, off = self.position_force_held, self.position_torque_held, self.velocity_mismatch
        most = self.position_force_max
        rows = [
            ("by positions alone", f"{self.position_force_rms:.3g} N, {self.position_torque_rms:.3g} N m rms, worst "
                                   f"{most.value:.3g} N{_when(most.time)}"),
            ("  beyond their timing", f"{force.value:.3g} N{_when(force.time)}, {torque.value:.3g} N m"
                                      f"{_when(torque.time)}"),
            ("velocities off positions", f"{100 * off.value:.3g} cm/s{_when(off.time)}"),
        ]  # fmt: skip
        if self.root_correction_force_rms or self.root_correction_torque_rms:
            rows.append(("correction of the root", f"{self.root_correction_force_rms:.3g} N, "
                         f"{self.root_correction_torque_rms:.3g} N m rms"))  # fmt: skip
        return rows


def advice(report: AuditReport, most: int = 8) -> list[str]:
    """What an animator can do about a clip: whether it will do as a reference, and the longest stretches to change."""
    if not report.suggestions:
        return [] if report.passed else ["  Nothing to change by hand: poise convert FILE OUT --physical smooths it."]
    run, (safe, limit) = report.longest_run, report.runs_allowed
    verdict = "met" if run < safe else "just met" if run < limit else "not met"
    noise = "" if report.told_above is None else f", movements above {report.told_above:g} Hz left out"
    out = [f"  Frames in a row without an explanation{noise}: {run}. A controller wants fewer than {safe} to {limit} "
           f"(Jain & Liu 2011): {verdict}.",
           "  Suggestions, where and why:"]  # fmt: skip
    told = sorted(sorted(report.suggestions, key=lambda s: s.first - s.last)[:most])
    out += [f"    {s.reason}" for s in told if s.reason]
    if len(report.suggestions) > len(told):
        out.append(f"    and {len(report.suggestions) - len(told)} shorter stretches")
    return [*out, "  Or let them be repaired: poise convert FILE OUT --physical."]


def worst(values: Array, times: Array, names: list[str] | None = None) -> Worst:
    """The largest of values (N,) or (N, C), its time and the name of its column; nothing where there are none.

    One that is not a number is larger than all others.
    """
    if not values.size or np.max(values) <= 0.0:
        return Worst(0.0)
    at = np.unravel_index(int(np.argmax(values)), values.shape)
    what = names[int(at[1])] if names is not None and values.ndim == 2 else ""
    return Worst(float(values[at]), float(times[at[0]]), what)


def weight_of(character: Character) -> float:
    """Weight [N] that forces are measured by: under the character's own gravity, or the Earth's where it has none."""
    gravity = float(np.linalg.norm(character.model.opt.gravity))
    return character.mass * (gravity if gravity > WEIGHTLESS else GRAVITY)


def rms(rows: Array) -> float:
    """Root of the mean squared length of rows (N, 3)."""
    return float(np.sqrt(np.mean(np.sum(rows**2, axis=1)))) if len(rows) else 0.0


def moving_mean(rows: Array, count: int) -> Array:
    """Means of rows (N, ...) over `count` in a row, (N - count + 1, ...); over all where there are fewer."""
    count = max(1, min(count, len(rows)))
    total = np.concatenate([np.zeros((1, *rows.shape[1:])), np.cumsum(rows, axis=0)])
    return (total[count:] - total[:-count]) / count


def _when(time: float) -> str:
    return "" if np.isnan(time) else f" at {time:.2f} s"


def _at(found: Worst) -> str:
    return f" ({found.what}){_when(found.time)}" if found.what else _when(found.time)


def _plain(value: Any) -> Any:
    """Plain Python values, so that json can write them; None for what is not a number."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {k: _plain(v) for k, v in value._asdict().items()}  # type: ignore[attr-defined]
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value]
    if isinstance(value, Finding):
        return {k: _plain(v) for k, v in asdict(value).items()} | {"sentence": wording.sentence(value)}
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, float | np.floating):
        return round(float(value), 9) if np.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value

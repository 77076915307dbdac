"""The verdict in words: plain ones, with units that an animator uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from poise.judge.finding import Finding
from poise.judge.metrics import TrackingError
from poise.judge.verdict import Verdict
from poise.take import Ended

PART_OF_A_FRAME = 0.01  # [s]


def lines(v: Verdict) -> list[str]:
    """The verdict for a terminal, one fact a line."""
    out = [f"{v.clip} by {v.method}: {headline(v)}"]
    out += _listed("before it began", v.done)
    out += _listed("help", v.helped) or ["help: none"]
    out += _listed("why", v.causes)
    until = "" if v.ended.whole else ", up to then"
    out += [f"off {_WHAT[clock]} (rms{until}): {error_words(error)}"
            for clock, error in v.errors.items() if clock == "reference" or v.clocks_differ]  # fmt: skip
    return out + _listed("try", v.tries)


_WHAT = {"reference": "the motion it followed", "own": "your clip at its own time"}


def headline(v: Verdict, short: bool = False) -> str:
    """How it ended, and whether it followed, in one line; a short one does not say why it did not."""
    asked = f" of {_seconds(_asked(v))}" if v.asked > 0.0 and not v.ended.whole else ""
    told = v.followed.text() if v.ended.whole else "did not follow the clip to its end"
    told = told.partition(":")[0] if short else told
    return f"{ended_words(v.ended, v.frame, asked)}; {told}"


def _asked(v: Verdict) -> float:
    """What was asked for [s]; as it was recorded, where that is the same but for part of a frame."""
    return v.seconds if abs(v.asked - v.seconds) < PART_OF_A_FRAME else v.asked


def ended_words(ended: Ended, frame: int | None = None, asked: str = "") -> str:
    """ "fell at 2.31 s (frame 69 of the clip): its left hand touched the ground"."""
    where = f"{_seconds(ended.time)}{asked}" + (f" (frame {frame} of the clip)" if frame is not None else "")
    if ended.whole:
        return f"whole, {_seconds(ended.time)} without a fall"
    verb = {"lost": "lost", "under way": "still under way"}.get(ended.kind, ended.kind)
    return f"{verb} at {where}" + (f": {ended.reason.rstrip('.')}" if ended.reason else "")


def error_words(error: TrackingError) -> str:
    """A tracking error in degrees and centimetres; "not known" where it is not finite."""
    values = error.to_dict()
    if not all(np.isfinite(x) for x in values.values()):
        return "not known"
    return (f"joints {np.degrees(error.joints):.1f} degrees, root {100 * error.root_position:.1f} cm and "
            f"{np.degrees(error.root_orientation):.1f} degrees")  # fmt: skip


def words(f: Finding) -> str:
    """One finding as a clause."""
    made = _WORDS.get(f.kind)
    return made(f) if made is not None else f.text or f.kind


def _listed(title: str, findings: Iterable[Finding]) -> list[str]:
    told = [words(f) for f in findings]
    return [f"{title}: {'; '.join(told)}"] if told else []


def _n(x: float | None) -> float:
    return float("nan") if x is None else x


def _seconds(x: float) -> str:
    """A time; halves up, so that times that differ by rounding alone read the same."""
    return f"{x + 5e-5:.2f} s"


def _of_length(x: float | None) -> str:
    """A length: millimetres below one centimetre, else centimetres."""
    return f"{1000 * _n(x):.0f} mm" if abs(_n(x)) < 0.01 else f"{100 * _n(x):.0f} cm"


def _apart(value: float | None, limit: float | None, scale: float = 1.0) -> tuple[str, str]:
    """A value and its limit with as many digits as it takes to tell them apart: "84.6" and "85.0", not "85" twice."""
    a, b = scale * _n(value), scale * _n(limit)
    digits = next((d for d in range(4) if f"{a:.{d}f}" != f"{b:.{d}f}"), 0)
    return f"{a:.{digits}f}", f"{b:.{digits}f}"


def _off(f: Finding, sentence: str, scale: float = 1.0) -> str:
    """A sentence with {value}, {limit}, {when} and {body} of a finding."""
    value, limit = _apart(f.value, f.limit, scale)
    return sentence.format(value=value, limit=limit, when=_seconds(_n(f.time)), body=f.body)


_JOINTS = {"thigh": "hip", "shin": "knee", "foot": "ankle", "toes": "toe joint", "upper arm": "shoulder",
           "forearm": "elbow", "hand": "wrist"}  # fmt: skip


def _joint(body: str | None) -> str:
    """The joint that moves a body, as one calls it: "left knee" for the left shin, else "chest joint"."""
    for part, joint in _JOINTS.items():
        if body is not None and body.endswith(part):
            return f"{body.removesuffix(part)}{joint}"
    return f"{body} joint"


_NOT_WHOLE = {"under way": "it is still under way", "stopped": "it was stopped", "lost": "the method was lost"}
_WORDS: dict[str, Callable[[Finding], str]] = {
    # not followed
    "not whole": lambda f: _NOT_WHOLE.get(f.text, f"it {f.text}"),
    "joints off": lambda f: _off(f, "its joints are {value} degrees off (rms), {limit} are allowed"),
    "root off": lambda f: _off(f, "its root is {value} cm from its place at {when}, {limit} cm are allowed", 100.0),
    "heading off": lambda f: _off(f, "it faces {value} degrees another way at {when}, {limit} are allowed"),
    "lean off": lambda f: _off(f, "it leans {value} degrees away from its pose in the clip at {when}, {limit} are "
                                  "allowed"),
    "touching off": lambda f: _off(f, "its {body} touches the ground as in the clip {value} % of the time, {limit} % "
                                      "are needed", 100.0),
    # before it began
    "repaired": lambda f: f"the clip was made physical (posture changed by {_n(f.value):.1f} degrees rms)",
    "root moved": lambda f: f"its root moved by up to {_of_length(f.value)}",
    "fitted": lambda _: "it was fitted to the slope",
    "feet raised": lambda _: "feet that dragged were raised",
    "legs apart": lambda _: "legs were moved apart where they overlapped",
    "not repaired": lambda f: f.text.rstrip("."),
    "start raised": lambda f: f"the start was raised by {_of_length(f.value)} out of the clip's own ground",
    # help
    "help by force": lambda f: f"an artificial force of {_n(f.value):.0f} N (rms), which nothing in the world exerts",
    "help by moment": lambda f: f"an artificial torque of {_n(f.value):.1f} N m (rms), which nothing in the world "
                                "exerts",
    # why
    "shaken start": lambda f: f"its starting velocities were shaken by {_n(f.value):.2g} rad/s and m/s (rms)",
    "jumpy start": lambda f: f"the clip's first frame does not fit the next: its {f.body} turns at "
                             f"{_n(f.value):.0f} degrees/s",
    "starts in the air": lambda f: f"the clip starts in the air, {_of_length(f.value)} above the ground",
    "push": lambda f: f"a push of {_n(f.value):.0f} N on the {f.body} at {_n(f.time):.2f} s",
    "hit": lambda f: f"something thrown hit its {f.body} at {_n(f.time):.2f} s with {_n(f.value):.0f} N",
    "hands carry": lambda f: f"the clip stands on its {f.body} hand{'s' if ' and ' in (f.body or '') else ''} from "
                             f"{_n(f.time):.2f} s on",
    "breaks off": lambda f: f"the clip breaks off in mid-stride at {_n(f.time):.2f} s, at {_n(f.value):.1f} m/s, and "
                            "its last pose is held from then on",
    "torque limit": lambda f: f"its {_joint(f.body)} was at its torque limit of {_n(f.limit):.0f} N m from "
                              f"{_n(f.time):.2f} s on",
    # what to try
    "try less noise": lambda _: "a smaller --noise",
    "try less push": lambda f: f"a push of {_n(f.value):.0f} N",
    "try start": lambda f: f"--start {_n(f.value):.2f}, where a foot is on the ground",
    "try later start": lambda f: f"--start {_n(f.value):.2f}, after that frame",
    "try loop": lambda _: "--loop, if it is a gait",
    "try seconds": lambda f: f"--seconds {_n(f.value):.1f}, before the clip breaks off",
    "try method": lambda f: f"--method {f.text}",
    "try rehearse": lambda _: "poise rehearse CLIP -o X.rehearsed.npz, which searches until it is performed",
    "try physical": lambda _: "poise convert CLIP OUT --physical first",
    "try slower": lambda f: f"a slower or gentler motion, or a body with a stronger {_joint(f.body)}",
}  # fmt: skip

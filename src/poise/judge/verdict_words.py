"""The verdict in words: plain ones, with units that an animator uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from poise.judge.finding import Finding
from poise.judge.metrics import TrackingError
from poise.judge.verdict import Verdict
from poise.take import Ended


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


_WHAT = {"reference": "what was followed", "own": "your clip at its own time"}


def headline(v: Verdict, short: bool = False) -> str:
    """How it ended, and whether it followed, in one line; a short one does not say why it did not."""
    asked = f" of {v.asked:.2f} s" if v.asked > 0.0 and not v.ended.whole else ""
    told = v.followed.text() if v.ended.whole else "did not follow the clip to its end"
    told = told.partition(":")[0] if short else told
    return f"{ended_words(v.ended, v.frame, asked)}; {told}"


def ended_words(ended: Ended, frame: int | None = None, asked: str = "") -> str:
    """ "fell at 2.31 s (frame 69 of the clip): its left hand touched the ground"."""
    where = f"{ended.time:.2f} s{asked}" + (f" (frame {frame} of the clip)" if frame is not None else "")
    if ended.whole:
        return f"whole, {ended.time:.2f} s without a fall"
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


def _of_length(x: float | None) -> str:
    """A length: millimetres below one centimetre, else centimetres."""
    return f"{1000 * _n(x):.0f} mm" if abs(_n(x)) < 0.01 else f"{100 * _n(x):.0f} cm"


_NOT_WHOLE = {"under way": "it is still under way", "stopped": "it was stopped", "lost": "the method was lost"}
_WORDS: dict[str, Callable[[Finding], str]] = {
    # not followed
    "not whole": lambda f: _NOT_WHOLE.get(f.text, f"it {f.text}"),
    "joints off": lambda f: f"its joints are {_n(f.value):.0f} degrees off (rms), {_n(f.limit):.0f} are allowed",
    "root off": lambda f: f"its root is {_of_length(f.value)} from its place at {_n(f.time):.2f} s, "
                          f"{_of_length(f.limit)} are allowed",
    "heading off": lambda f: f"it looks {_n(f.value):.0f} degrees another way at {_n(f.time):.2f} s, "
                             f"{_n(f.limit):.0f} are allowed",
    "touching off": lambda f: f"its {f.body} touches the ground as in the clip {100 * _n(f.value):.0f} % of the time, "
                              f"{100 * _n(f.limit):.0f} % are needed",
    # before it began
    "repaired": lambda f: f"the clip was made physical (posture changed by {_n(f.value):.1f} degrees rms)",
    "root moved": lambda f: f"its root moved by up to {_of_length(f.value)}",
    "fitted": lambda _: "it was fitted to the slope",
    "feet raised": lambda _: "feet that dragged were raised",
    "legs apart": lambda _: "legs were moved apart where they overlapped",
    "not repaired": lambda f: f.text.rstrip("."),
    "start raised": lambda f: f"the start was raised by {_of_length(f.value)} out of the clip's own ground",
    # help
    "help by force": lambda f: f"{_n(f.value):.0f} N (rms) that nothing in the world exerts",
    "help by moment": lambda f: f"{_n(f.value):.1f} N m (rms) that nothing in the world exerts",
    # why
    "shaken start": lambda f: f"its starting velocities were shaken by {_n(f.value):.2g} rad/s and m/s (rms)",
    "jumpy start": lambda f: f"the clip begins with a jump: its {f.body} turns at {_n(f.value):.0f} degrees/s",
    "starts in the air": lambda f: f"the clip starts in the air, {_of_length(f.value)} above the ground",
    "push": lambda f: f"a push of {_n(f.value):.0f} N on the {f.body} at {_n(f.time):.2f} s",
    "hit": lambda f: f"something thrown hit its {f.body} at {_n(f.time):.2f} s with {_n(f.value):.0f} N",
    "hands carry": lambda f: f"the clip stands on its {f.body} hand{'s' if ' and ' in (f.body or '') else ''} from "
                             f"{_n(f.time):.2f} s on",
    "breaks off": lambda f: f"the clip breaks off in mid-stride at {_n(f.time):.2f} s, at {_n(f.value):.1f} m/s, and "
                            "its last pose is held from then on",
    "torque limit": lambda f: f"the joint of its {f.body} was at its torque limit of {_n(f.limit):.0f} N m from "
                              f"{_n(f.time):.2f} s on",
    # what to try
    "try less noise": lambda _: "a smaller --noise",
    "try less push": lambda f: f"a push of {_n(f.value):.0f} N",
    "try start": lambda f: f"--start {_n(f.value):.2f}, where a foot is on the ground",
    "try later start": lambda f: f"--start {_n(f.value):.2f}, after the jump",
    "try loop": lambda _: "--loop, if it is a gait",
    "try seconds": lambda f: f"--seconds {_n(f.value):.1f}, before the clip breaks off",
    "try method": lambda f: f"--method {f.text}",
    "try physical": lambda _: "poise convert CLIP OUT --physical first",
    "try slower": lambda f: f"a slower or gentler motion, or a stronger body: its {f.body} gives all it can",
}  # fmt: skip

"""Section 7.3: a walk edited while it is followed: ramps, strides, speed; and slowed when it is pushed backward.

The reference is changed by `Reference.edit` and made physical half a second ahead again and again, as one who follows
it would do. Lengths are those of the paper: for every step, half of a stride.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from poise.experiments.modal.trial import WAYS, medians, push
from poise.experiments.reproduce import Options, Table, told
from poise.ground.ground import plane_of
from poise.motion import edit
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.motion.reference import Reference
from poise.performance import perform
from poise.physical.live import follow
from poise.physical.repair.repair import make_physical
from poise.stage import Stage
from poise.take import Take

SECONDS, LIVE = 6.0, 1.0  # [s] of a walk, and when an edit of the motion under way begins
BEFORE = ", before it begins"  # made physical as a whole
RECORDED = "02_01"  # a walk, on its own character
BACK = {False: (300.0, 400.0), True: (550.0,)}  # [N] backward, without and with footholds
LASTS = 10 / 120  # [s]
COLUMNS = ("walk", "edit", "way", "stayed up", "back with its reference", "joints [deg]", "root [cm]")


def walks(options: Options) -> dict[str, Clip]:
    """The built-in walk; with a folder of recordings also one of them on its own character, looped, made physical."""
    out, path = {"human42": load_clip("walk")}, options.recording(RECORDED)
    if path is not None:
        out[RECORDED] = make_physical(load_clip(path).loop())
    return out


def stride(clip: Clip) -> float:
    """Length [m] of two steps."""
    assert clip.cycle is not None
    return float(np.linalg.norm(clip.cycle.shift[:2]))


def faster(begun: Reference, at: float, speed: float, more: edit.Stride) -> Reference:
    """Longer strides at another speed from time `at` [s] on, beginning with the pose at hand."""
    start = (at + begun.start) / speed - at  # when the quicker motion has come as far
    return begun.hand_over(Reference(begun.clip, (more, edit.Warp(speed=speed)), start), at)


def edited(clip: Clip) -> dict[str, Callable[[Reference], Reference]]:
    """What is done to a walk, by its name."""
    long = stride(clip)
    return {
        "ramp +3 degrees": lambda r: r.edit(edit.Slope(3.0)),
        "ramp -5 degrees": lambda r: r.edit(edit.Slope(-5.0)),
        "each step +10 cm": lambda r: r.edit(edit.Stride(metres=long + 0.20), at=LIVE),
        "each step -15 cm": lambda r: r.edit(edit.Stride(metres=long - 0.30), at=LIVE),
        f"ramp +3 degrees{BEFORE}": lambda r: _baked(r, edit.Slope(3.0)),
        f"ramp -5 degrees{BEFORE}": lambda r: _baked(r, edit.Slope(-5.0)),
        "10 % faster, each step +15 cm": lambda r: faster(r, LIVE, 1.1, edit.Stride(metres=long + 0.30)),
    }


def _baked(begun: Reference, change: edit.Slope) -> Reference:
    """The clip edited and made physical as a whole, begun at the same phase."""
    return Reference(_whole(begun.clip, change), start=begun.start)


@lru_cache(maxsize=4)
def _whole(clip: Clip, change: edit.Slope) -> Clip:
    return make_physical(clip.edit(change))


def _ground(reference: Reference) -> Stage:
    ground = reference.baked.ground
    return Stage(ground=ground) if plane_of(ground) is not None else Stage()


def run(options: Options) -> Table:
    """One row a walk, an edit and a way; starts at as many phases as there are seeds."""
    rows, figures = [], []
    for body, walk in walks(options).items():
        for name, change in edited(walk).items():
            takes: dict[str, list[Take]] = {way: [] for way in WAYS}
            for k in range(options.seeds):
                reference = change(Reference(walk, start=k / options.seeds * walk.duration))
                live = reference if name.endswith(BEFORE) else follow(reference, SECONDS)
                for way, kind in WAYS.items():
                    takes[way].append(perform(live, kind(), stage=_ground(reference), seconds=SECONDS - 0.5))
            rows += [told((body, name, way, *kept(takes[way]))) for way in WAYS]
            figures += options.film(takes["modal update"][0], f"modal-edit-{body}-{name}")
    return Table(f"Walks of {SECONDS - 0.5:g} s, edited while they are followed", COLUMNS, tuple(rows),
                 ("Back with its reference: in the end joints within 10 degrees, root within 10 cm and 10 degrees.",),
                 tuple(figures))  # fmt: skip


def kept(takes: list[Take]) -> tuple[str, str, float, float]:
    """How many stayed up and are with their reference at the end, medians of their errors."""
    total = len(takes)
    stood = [take.ended.whole for take in takes]
    ends = [take.cut(max(0.0, take.time[-1] - 0.5)).tracking_error() for take in takes]
    back = [s and np.degrees(e.joints) < 10.0 and e.root_position < 0.1 and np.degrees(e.root_orientation) < 10.0
            for s, e in zip(stood, ends, strict=True)]  # fmt: skip
    return (f"{sum(stood)}/{total}", f"{sum(back)}/{total}", *medians(takes)[:2])


def slower(at: float, until: float) -> edit.Warp:
    """A motion that goes a quarter slower for a second from `at` [s] on: at once, as the push does, and gently back."""
    new = np.arange(0.0, until + 0.025, 0.025)
    begins, ends = np.clip((new - at) / 0.1, 0.0, 1.0), np.clip((new - at - 0.75) / 0.5, 0.0, 1.0)
    speed = 1.0 - 0.25 * (begins**2 * (3.0 - 2.0 * begins) - ends**2 * (3.0 - 2.0 * ends))
    old = np.concatenate([[0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(new))])
    return edit.Warp(times=tuple((float(a), float(b)) for a, b in zip(old, new, strict=True)))


def slowed(clip: Clip, force: float, at: float, slow: bool, way: str, footholds: bool) -> Take:
    """A push backward on a walker, whose reference is then slowed by a quarter for a second, while it is followed."""
    seconds = at + LASTS + 5.05
    reference = Reference(clip.repeat(int(np.ceil((seconds + 1.0) / clip.duration))))
    if slow:
        reference = reference.edit(slower(at, seconds), at=at, over=0.05)
    stage = Stage(ground=clip.ground, events=(push(force, _heading(clip) + 180.0, at, LASTS),))
    return perform(reference, WAYS[way](footholds=footholds), stage=stage, seconds=seconds)


def _heading(clip: Clip) -> float:
    assert clip.cycle is not None
    return float(np.degrees(np.arctan2(clip.cycle.shift[1], clip.cycle.shift[0])))


def slowing(options: Options) -> Table:
    """Pushes backward, with the reference slowed and not, at as many phases as there are seeds."""
    body, walk = "human42", load_clip("walk")
    rows: list[tuple[object, ...]] = []
    for footholds, forces in BACK.items():
        calm = perform(walk, WAYS["modal update"](footholds=footholds), seconds=7.0)
        for force in forces:
            backs = []
            for slow in (False, True):
                at = [1.0 + k / options.seeds * walk.duration for k in range(options.seeds)]
                takes = [slowed(walk, force, t, slow, "modal update", footholds) for t in at]
                seen = kept(takes)
                backs.append([bool(x.recovered(t + LASTS, calm)) for x, t in zip(takes, at, strict=True)])
                name = f"{force:g} N backward, {'slowed by 25 % for 1 s' if slow else 'not slowed'}"
                way = "modal update" + ("" if footholds else ", no footholds")
                rows.append(told((body, name, way, seen[0], f"{sum(backs[-1])}/{len(takes)}", *seen[2:])))
            only = sum(b and not a for a, b in zip(*backs, strict=True))
            lost = sum(a and not b for a, b in zip(*backs, strict=True))
            what = f"{force:g} N backward: back only if slowed, only if not"
            rows.append(told((body, what, "", "", f"{only}, {lost}", "", "")))
    return Table("A walker pushed backward for 10 frames, its reference slowed by a quarter for a second", COLUMNS,
                 tuple(rows), ("Back with its reference: `take.recovered` 5 s later, against it as it is then.",)
                 )  # fmt: skip

"""check: what a clip holds and what is wrong with it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from poise.character.roles import ROLES
from poise.character.skeleton import Placement
from poise.ground.ground import tops_of
from poise.maths import rotations as rot
from poise.maths.intervals import runs
from poise.maths.rotations import Array
from poise.motion.check.flaws import FreeFall, Spike, free_fall, spikes, unheld
from poise.motion.check.report import table, text
from poise.motion.clip import Clip
from poise.motion.contact.contacts import Contacts
from poise.motion.contact.evidence import Evidence, Unsure, tells_force
from poise.motion.contact.foot_motion import foot_motion
from poise.motion.contact.missing_props import missing_props
from poise.motion.hold import Hold
from poise.motion.reading.floor import estimate
from poise.motion.treadmill import belt_velocity
from poise.threads import on_one_thread

__all__ = ["CheckReport", "FloorReport", "check", "penetration", "skating", "table"]


OTHERWISE = 0.05  # [s] for which height and force must disagree about a limb to be told


@dataclass(frozen=True)
class FloorReport:
    """The floor as the file has it, and what is left of it in the clip."""

    height: float  # [m] above the file's own zero, at the middle of the footprints
    tilt: float  # [degrees]
    rise: float  # [cm per m]
    levelled: bool  # was the clip moved to it?
    remaining: float  # [m] height of the floor in the clip as it is now
    levels: tuple[float, ...]  # [m] tops of treads
    known: bool  # do standing feet tell it?


@dataclass(frozen=True, eq=False)
class CheckReport:
    """What was found in a clip; `to_dict()` for programs, `text()` for people."""

    name: str
    path: str
    format: str
    licence: str
    character: str
    height: float  # [m]
    mass: float  # [kg]
    unit: float | None  # metres per unit of the file; None where there is no file
    up: str | None  # axis of the file that points up
    facing: str | None  # axis of the file into which the body faces at rest
    heading: float  # [degrees] about Z into which it faces in the first frame, 0: the X axis
    fps: float
    frames: int
    duration: float  # [s]
    loops: bool
    roles: dict[str, str]  # role -> joint of the file, or body of the character where there is no file
    dropped: tuple[str, ...]  # joints of the file that the character does not have
    contacts: Contacts
    unsure: tuple[Unsure, ...]  # where it is not clear whether a limb touches, by height, speed and force together
    by_force: tuple[Unsure, ...]  # where these together say otherwise than `contacts`, which are by height and speed
    holds: tuple[Hold, ...]
    flight: float  # share of the time in which nothing touches
    held: float  # [s] of it in which the body does not fall either
    skating: float  # [m/s]
    penetration: float  # [m]
    floor: FloorReport
    free_fall: FreeFall
    spikes: tuple[Spike, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        many = len(self.warnings)
        return f"<CheckReport of {self.name!r} with {many} warning{'' if many == 1 else 's'}; text() shows everything>"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, strings, lists and dictionaries."""
        feet = self.contacts.feet()
        out: dict[str, Any] = {f: getattr(self, f) for f in self.__dataclass_fields__}
        out["contacts"] = self.contacts.to_dict()
        out["share"] = {"left": round(float(feet[:, 0].mean()), 3), "right": round(float(feet[:, 1].mean()), 3)}
        for hand in (n for n in out["contacts"] if n.endswith("_hand")):
            out["share"][hand] = round(float(self.contacts.touching(hand).mean()), 3)
        out["floor"] = asdict(self.floor)
        out["free_fall"] = {**asdict(self.free_fall), "flights": [asdict(f) for f in self.free_fall.flights]}
        out["spikes"] = [asdict(s) for s in self.spikes]
        for name in ("unsure", "by_force"):
            out[name] = [{**one._asdict(), "start": one.first / self.fps, "end": one.last / self.fps}
                         for one in getattr(self, name)]  # fmt: skip
        out["holds"] = [{**asdict(h), "words": h.words()} for h in self.holds]
        return _plain(out)

    def text(self) -> str:
        """The report for a terminal."""
        return text(self.to_dict())


@on_one_thread
def check(clip: Clip) -> CheckReport:
    """What a clip holds: size, axes, frame rate, joints, floor, contacts, and what is wrong with it."""
    contacts, floor = clip.contacts, _floor(clip)
    seen = clip.contact_evidence if clip.labels is None and tells_force(clip) else None
    binding, source = clip.character.binding, clip.source
    placed = clip.placement if binding is None else binding.placement
    report = CheckReport(
        name=source.name, path=source.path, format=source.format, licence=source.licence,
        character=clip.character.name, height=clip.character.height, mass=clip.character.mass,
        unit=None if placed is None else placed.unit,
        up=None if placed is None else _axis(placed, (0.0, 0.0, 1.0)).removeprefix("+"),
        facing=None if placed is None else _axis(placed, (1.0, 0.0, 0.0)),
        heading=float(np.degrees(rot.heading(clip.q[0, 3:7]))),
        fps=clip.fps, frames=len(clip), duration=clip.duration, loops=clip.cycle is not None,
        roles=_joint_map(clip), dropped=_dropped(clip), contacts=contacts,
        unsure=() if seen is None else tuple(seen.unsure()),
        by_force=() if seen is None else tuple(_otherwise(contacts, seen)), holds=clip.grips,
        flight=float(contacts.airborne().mean()), held=unheld(foot_motion(clip), _held(clip)),
        skating=skating(clip), penetration=penetration(clip, clip.character.contact_points.feet),
        floor=floor, free_fall=free_fall(clip),
        spikes=spikes(clip), warnings=(), notes=source.notes,
    )  # fmt: skip
    props = [] if seen is None else [f"From {p.first * clip.dt:.2f} to {p.last * clip.dt:.2f} s {p.text()}."
                                     for p in missing_props(seen)]  # fmt: skip
    belt = belt_velocity(clip) if clip.labels is None else None
    props += [] if belt is None else [f"It was recorded on a treadmill of {np.linalg.norm(belt):.2f} m/s: a repair "
                                      "puts it over ground, or keeps it on its belt (--belt)."]  # fmt: skip
    return replace(report, warnings=(*_warnings(report), *props))


def _otherwise(contacts: Contacts, seen: Evidence) -> list[Unsure]:
    """Where the evidence says otherwise of a limb than the contacts, for a while."""
    out = []
    for k, limb in enumerate(seen.limbs):
        on = np.any(seen.labels[:, contacts.points.of(limb)], axis=1)
        for touches in (True, False):
            for a, e in runs((on == touches) & (contacts.touching(limb) != touches)):
                if (e - a) * contacts.dt >= OTHERWISE:
                    out.append(Unsure(limb, int(a), int(e) - 1, touches, float(seen.sure[a:e, k].min())))
    return sorted(out, key=lambda one: (one.first, one.limb))


def skating(clip: Clip) -> float:
    """Mean horizontal speed [m/s] of contact points from one frame that touches to the next; 0 without contacts."""
    if len(clip) < 2:
        return 0.0
    labels, points = clip.contacts.labels, clip.character.points(clip.q)
    stays = labels[1:] & labels[:-1]
    slide = np.linalg.norm(np.diff(points[..., :2], axis=0), axis=-1)[stays] / clip.dt
    return float(slide.mean()) if len(slide) else 0.0


def _held(clip: Clip) -> np.ndarray:
    """Boolean (N, 1): does anything touch, or hold a bar?"""
    bars = [h.covers(clip.times) for h in clip.grips if not h.carries]
    return np.any([~clip.contacts.airborne(), *bars], axis=0)[:, None]


def penetration(clip: Clip, chosen: np.ndarray | None = None) -> float:
    """Greatest depth [m] of contact points (those `chosen`, or all) below the ground in the whole clip, 0 at least."""
    points = clip.character.points(clip.q)
    points = points if chosen is None else points[:, chosen]
    if points.shape[1] == 0:
        return 0.0
    depth = clip.ground.height(points[..., 0], points[..., 1]) - points[..., 2]
    return max(0.0, float(depth.max()))


def _floor(clip: Clip) -> FloorReport:
    """The floor in the file, before it was levelled, from how the clip's placement differs from its character's."""
    now = estimate(clip)
    binding = clip.character.binding
    tops = tops_of(clip.ground)
    levels = tuple(sorted({round(float(v), 3) for v in (now.levels if tops is None else tops)}))
    if binding is None or clip.placement is None:
        rise = 100 * float(np.linalg.norm(now.slope))
        return FloorReport(now.height, now.tilt, rise, False, now.height, levels, now.count > 0)
    turn = rot.multiply(clip.placement.turn, rot.conjugate(binding.placement.turn))
    shift = clip.placement.shift - rot.rotate(turn, binding.placement.shift)
    below = np.array([*now.centre, now.height])  # a point of the floor, and its normal, in the clip
    normal = np.array([-now.slope[0], -now.slope[1], 1.0])
    back = rot.conjugate(turn)
    height, up = float(rot.rotate(back, below - shift)[2]), rot.rotate(back, normal / np.linalg.norm(normal))
    tilt = float(np.degrees(np.arccos(np.clip(up[2], -1.0, 1.0))))
    levelled = bool(abs(height - now.height) > 1e-6 or abs(rot.rotate(turn, np.array([0.0, 0.0, 1.0]))[2] - 1) > 1e-12)
    return FloorReport(height, tilt, 100 * float(np.tan(np.radians(tilt))), levelled, now.height, levels, now.count > 0)


def _axis(placement: Placement, world: tuple[float, float, float]) -> str:
    """The axis of the file ("+z", "-x", ...) that points most nearly into a direction of the world."""
    way: Array = rot.rotate(rot.conjugate(placement.turn), np.array(world))
    k = int(np.argmax(np.abs(way)))
    return ("+" if way[k] > 0 else "-") + "xyz"[k]


def _joint_map(clip: Clip) -> dict[str, str]:
    """The joint of the file that each role follows, in the order of roles."""
    character = clip.character
    out = {}
    for role in (r for r in ROLES if r in character.roles):
        body, binding = character.body(role), character.binding
        joint = -1 if binding is None else int(binding.joints[body])
        out[role] = character.roles[role] if binding is None or joint < 0 else binding.skeleton.names[joint]
    return out


def _dropped(clip: Clip) -> tuple[str, ...]:
    binding = clip.character.binding
    if binding is None:
        return ()
    used = {int(j) for j in binding.joints}
    return tuple(name for j, name in enumerate(binding.skeleton.names) if j not in used)


def _warnings(r: CheckReport) -> list[str]:
    """What the user should know, one sentence each, the worst first."""
    out = []
    if not 1.2 <= r.height <= 2.2:
        out.append(
            f"The body is {r.height:.2f} m tall, which no grown person is: the unit may be wrong (give unit=...)."
        )
    if r.free_fall.verdict == "disagrees" or "too fast" in r.free_fall.sentence:
        out.append(r.free_fall.sentence)
    if not r.contacts.labels.any() and not r.holds:
        out.append("No foot ever touches the ground.")
    if not r.floor.known:
        out.append("No foot stands long enough to show where the floor is.")
    elif abs(r.floor.remaining) > 0.01:
        out.append(f"The feet stand {100 * r.floor.remaining:+.1f} cm from the ground: the clip is not levelled.")
    if r.held > 0.2:
        out.append(f"For {r.held:.1f} s no foot touches and yet the body does not fall: hands, a bar or a prop that is "
                   "not in the file must hold it.")  # fmt: skip
    if r.spikes:
        worst = r.spikes[0]
        joints = sorted({s.joint for s in r.spikes})
        out.append(f"{len(r.spikes)} spikes in {', '.join(joints[:4])}{' and others' if len(joints) > 4 else ''}; "
                   f"the worst: {worst.joint} by {worst.degrees:.0f} degrees after frame {worst.frame}.")  # fmt: skip
    if r.skating > 0.15:
        out.append(f"The feet slide at {100 * r.skating:.0f} cm/s while they touch.")
    if r.penetration > 0.03:
        out.append(f"The feet sink {100 * r.penetration:.1f} cm into the ground.")
    if not r.licence:
        out.append("The licence of this file is not known.")
    return out


def _plain(value: Any) -> Any:
    """Plain Python values, so that json can write them."""
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(v) for v in value]
    if isinstance(value, (float, np.floating)):
        return round(float(value), 6)
    return value.item() if isinstance(value, np.generic) else value

"""Contacts from all the evidence: the most likely way through what may touch, over all frames at once.

In each frame a foot is off the ground, or on its heel, its ball, or all of it; a hand is off, on its tips, or flat. Of
a state s, in units in which 1 is one standard deviation squared and lasts 10 ms:

    (left(s) / FORCE)²        what these contacts leave over of the wrench that the low-passed motion needs, capped
  + Σ touching limbs          (height / HIGH)² + (speed / FAST)²
  + Σ other limbs             (1 - that)⁺ + (depth / SUNK)²    a limb that rests on the ground, or in it, touches
  + Σ touching feet           (lift of the part that touches over the rest / LIFT)²
  + Σ limbs not as given      GIVEN
  + Σ touching limbs          FALLS, where the centre of mass falls freely

and every change of a limb costs. The wrench is blind to height: feet that float, sink or slide are found where the
body is carried, and none touch where it falls. Hands that hold a bar push and pull in all states, and knees, seat and
back push where they rest on the ground.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from poise.character.character import ContactPoints
from poise.dynamics.contact_cones import ContactCones
from poise.dynamics.wrench import masses, root_wrench
from poise.maths.intervals import frames, runs
from poise.maths.rotations import Array
from poise.motion.cleaning import cleaned
from poise.motion.clip import Clip
from poise.motion.contact.foot_motion import speeds
from poise.motion.contact.grip_forces import gripped, held, loads
from poise.motion.contact.resting_parts import Resting, needed_parts
from poise.solve.cheapest_path import cheapest_path
from poise.solve.explain import explain

REFERENCE = 70.0 * 9.81  # [N] the weight for which forces below are meant
FORCE, CAP = 60.0, 12.0  # [N] left over that counts 1, and most of that which counts
HIGH, HAND = 0.03, 0.06  # [m] above where it usually stands, of a foot and of a hand
FAST = 0.45  # [m/s]
LIFT, ROLL, WRIST = 0.02, 0.03, 0.05  # [m] of a part over the rest: on one part alone, on all of a foot, of a hand
LIFT_CAP = 20.0
PART, BARE = 0.5, 3.0  # of standing on a part of a foot, and of using a hand at all
CHANGE, SHIFT = 12.0, 2.0  # of a limb that lands or leaves, and of a change between its parts
GIVEN = 1e3  # of a limb that is not as it was given: labels that come with a clip are believed
FALL, FREELY, LASTS = 8.5, 60.0, 0.06  # [m/s²] for at least so long [s]: nothing touches, or this is to be paid
SUNK = 0.03  # [m] in the ground, of a foot that does not touch it
SOLE = 6  # points of a sole from ball to heel at which its height and speed are told
CARRIED, HIGHEST = (0.2, 0.5), 0.2  # [body weights] from none to all, [m]: of a carried body the lowest limb stands
EDGE = 0.01  # [s] at both ends of a fall that low-passing may have added to it
STILL, NEAR = 0.3, 0.03  # [m/s], [m] slower and nearer to the ground a limb seems to stand
ENOUGH = 0.06  # [s] of standing that tell its usual height


FEWEST, MOST = 12, 40_000  # frames of a motion whose force tells of contacts
SLOWEST, QUICKEST = 15.0, 1000.0  # frames a second, likewise
SURE = 0.9  # of what is said of a limb: a smaller probability is told


class Unsure(NamedTuple):
    """Frames in which it is not clear whether a limb touches."""

    limb: str
    first: int
    last: int  # included
    touches: bool  # what is said nevertheless
    sure: float  # smallest probability of that


class Bearing(NamedTuple):
    """A foot or a hand: the points of each of its states (off first), and what they cost by height and speed (N, K)."""

    name: str
    states: list[np.ndarray]
    cost: Array


@dataclass(frozen=True, eq=False)
class Evidence:
    """Which contact points of a clip touch, how sure that is, and what it rests on; forces at 70 kg."""

    labels: np.ndarray  # (N, P)
    limbs: tuple[str, ...]
    sure: Array  # (N, L) probability of what is said of each limb, against its opposite
    wrench: Array  # (N, 6) that the low-passed motion needs: moment / length, force [N]
    supports: ContactCones  # all contact points dropped to the ground, grips, and parts that rest on it
    track: Clip  # the cleaned motion
    parts: Resting  # knees, seat, back that rest on the ground

    @cached_property
    def left(self) -> Array:
        """Wrench (N, 6) [N] that the labelled contacts leave over."""
        return self.left_by(self.labels)

    def left_by(self, labels: np.ndarray) -> Array:
        """Wrench (N, 6) [N] that contacts by other labels (N, P) leave over."""
        s = self.supports
        on = np.ascontiguousarray(np.column_stack([labels, s.contact[:, labels.shape[1] :]]))
        return explain(self.wrench, s.columns, on, s.friction, most=20).left

    def loads(self, labels: np.ndarray) -> Array:
        """Vertical force (N, L) on each limb by labels (N, P), in body weights: of all that explain, the evenest."""
        s, points = self.supports, self.track.character.contact_points
        on = np.ascontiguousarray(np.column_stack([labels, s.contact[:, labels.shape[1] :]]))
        force = explain(self.wrench, s.columns, on, s.friction, most=20).forces
        up = np.einsum("nkd,nkd->nk", force, s.columns[..., 5])
        return np.stack([up[:, points.of(limb)].sum(axis=1) for limb in self.limbs], axis=1) / REFERENCE

    def unsure(self, least: float = SURE) -> list[Unsure]:
        """Stretches in which what is said of a limb is less probable than `least`, in the order of time."""
        on = [np.any(self.labels[:, self.track.character.contact_points.of(limb)], axis=1) for limb in self.limbs]
        out = [Unsure(limb, int(a), int(e) - 1, touches, float(sure[a:e].min()))
               for limb, sure, said in zip(self.limbs, self.sure.T, on, strict=True) for touches in (True, False)
               for a, e in runs((sure < least) & (said == touches))]  # fmt: skip
        return sorted(out, key=lambda u: (u.first, u.limb))

    @property
    def lift(self) -> Array:
        """Vertical force (N,) that the motion needs, in body weights."""
        return self.wrench[:, 5] / REFERENCE


def tells_force(clip: Clip) -> bool:
    """Is a clip long and fine enough, and its body and gravity such, that the force it needs tells of contacts?"""
    down = float(-clip.character.model.opt.gravity[2])
    seen = FEWEST <= len(clip) <= MOST and SLOWEST <= clip.fps <= QUICKEST
    return seen and down > 1.0 and clip.character.mass > 0.0 and bool(clip.character.contact_points.limbs)


def evidence(clip: Clip, friction: float = 0.8) -> Evidence:
    """The most likely contacts of a clip; its given labels, if any, are evidence too."""
    points = clip.character.contact_points
    bare = replace(clip, labels=np.zeros((len(clip), len(points)), bool), holds=_holds(clip))
    track = cleaned(bare)
    places = track.character.points(track.q)
    high = places[..., 2] - track.ground.height(places[..., 0], places[..., 1])
    supports, wrench = _needed(track, places, high, friction)
    parts = needed_parts(track, wrench, supports, high)
    supports = parts.pushing(supports)
    found = Evidence(np.array(bare.labels), points.limbs, np.ones((len(clip), len(points.limbs))), wrench, supports,
                     track, parts)  # fmt: skip
    if not points.limbs:
        return found
    seen = [_Seen.of(points, name, places, high, clip.dt) for name in points.limbs]
    carried = held(bare) | parts.on.any(axis=1)
    floats = _floats(seen, found.lift, carried)
    limbs = [_limb(points, name, one, high, floats, clip.dt) for name, one in zip(points.limbs, seen, strict=True)]
    states = np.array(list(product(*[range(len(limb.states)) for limb in limbs])))
    base = _geometry(limbs, states, clip, _falls(found.lift, clip) & ~carried)
    labels = np.stack([np.any([limb.states[k] for limb, k in zip(limbs, s, strict=True)], axis=0) for s in states])
    path = cheapest_path(100.0 * clip.dt * _costs(found, base, labels), _switches(states))
    on = states[path.states] > 0  # (N, L)
    sure = np.empty(on.shape)
    for k in range(len(limbs)):
        other = np.where((states[:, k] > 0)[None] != on[:, k, None], path.margin, np.inf).min(axis=1)
        sure[:, k] = 1.0 / (1.0 + np.exp(-0.5 * np.minimum(other, 100.0)))
    chosen = labels[path.states]
    if clip.cycle is not None and len(chosen) > 1:
        chosen[-1] = chosen[0]
    return replace(found, labels=chosen, sure=sure)


def _holds(clip: Clip) -> tuple:
    """Grips of a clip: given, or detected from contacts by geometry, since those here need them first."""
    if clip.holds is not None or clip.labels is not None:
        return clip.grips
    from poise.motion.contact.detect_feet import contact_labels
    from poise.motion.contact.detect_holds import detect_holds

    return detect_holds(replace(clip, labels=contact_labels(clip)))


def _needed(track: Clip, places: Array, high: Array, friction: float) -> tuple[ContactCones, Array]:
    """What may push a motion, its points dropped to the ground, and the wrench (N, 6) that it needs [N at 70 kg]."""
    character, about, length = track.character, track.q[:, :3].copy(), 0.3 * track.character.height
    down = places - high[..., None] * np.array([0.0, 0.0, 1.0])
    normals = np.broadcast_to(track.ground.normal(down[..., 0], down[..., 1]), down.shape)
    none = np.zeros(high.shape, bool)
    supports = ContactCones.on_ground(down, normals, none, friction, about, length)
    supports = gripped(supports, track.grips, track.times)
    body = masses(character, loads(character, track.grips, track.times))
    wrench = root_wrench(character, body, track.q, track.velocity, track.acceleration, about)
    wrench[:, :3] /= length
    return supports, wrench * REFERENCE / (character.mass * float(np.linalg.norm(character.model.opt.gravity)))


def _falls(lift: Array, clip: Clip) -> np.ndarray:
    """Boolean (N,): does a body that needs this vertical force (N,) [body weights] fall freely for a while?"""
    out, edge = np.zeros(len(clip), bool), frames(EDGE, clip.dt)
    for a, e in runs(lift < 1.0 - FALL / 9.81):
        out[a + edge : e - edge] = e - a >= frames(LASTS, clip.dt)
    return out


class _Seen(NamedTuple):
    """What is seen of a limb."""

    low: Array  # (N,) height of its lowest point over where it usually stands [m]
    slow: Array  # (N,) speed of the slowest of its low points [m/s]
    stands: np.ndarray  # (N,) does it seem to stand, by both?

    @classmethod
    def of(cls, points: ContactPoints, name: str, places: Array, high: Array, dt: float) -> _Seen:
        """One limb, by places (N, P, 3) and heights (N, P) of all points; its sole is looked at between them too.

        A foot without toes rolls over its ball with its tip in the ground: what touches lies between tip and heel.
        """
        own, hand = points.of(name), name.endswith("hand")
        heel = np.array([k for k, i in enumerate(own) if "_heel" in points.names[i]], int)
        rest = np.setdiff1d(np.arange(len(own)), heel)
        shares = np.linspace(0.0, 1.0, SOLE)[1:-1] if len(heel) and len(rest) else np.zeros(0)
        between = [((1 - t) * x[:, rest].mean(axis=1) + t * x[:, heel].mean(axis=1))[:, None]
                   for x in (places[:, own],) for t in shares]  # fmt: skip
        levels = [((1 - t) * high[:, own][:, rest].min(axis=1) + t * high[:, own][:, heel].min(axis=1))[:, None]
                  for t in shares]  # fmt: skip
        at, up = np.concatenate([places[:, own], *between], axis=1), np.concatenate([high[:, own], *levels], axis=1)
        low = up.min(axis=1)
        near = up < np.maximum(low[:, None] + 0.04, 0.02)
        slow = np.where(near, speeds(at, dt), np.inf).min(axis=1)
        stands = (slow < STILL) & (np.abs(low) < NEAR)
        usual = np.percentile(low[stands], 30) if stands.sum() * dt > ENOUGH and not hand else 0.0
        return cls(low - usual, slow, stands)


def _floats(seen: list[_Seen], lift: Array, hangs: np.ndarray) -> Array:
    """Height (N,) [m] by which all that a carried body could stand on floats: the whole body was recorded too high."""
    lowest = np.min([one.low for one in seen], axis=0)
    share = np.clip((lift - CARRIED[0]) / (CARRIED[1] - CARRIED[0]), 0.0, 1.0) * ~hangs
    return share * np.where(lowest < HIGHEST, np.maximum(lowest, 0.0), 0.0)


def _limb(points: ContactPoints, name: str, seen: _Seen, high: Array, floats: Array, dt: float) -> Bearing:
    """One limb's states and their costs by what is seen of it and by heights (N, P) [m] of all points."""
    own, hand = points.of(name), name.endswith("hand")
    low, slow, stands = seen.low - floats, seen.slow, seen.stands
    cost = (np.maximum(low, 0.0) / (HAND if hand else HIGH)) ** 2 + (slow / FAST) ** 2
    free = np.maximum(1.0 - cost, 0.0) + (np.minimum(low, 0.0) / SUNK) ** 2
    ends = np.array([i for i in own if ("_tip" if hand else "_heel") in points.names[i]], int)
    rest = np.setdiff1d(own, ends)
    every = np.arange(len(points))
    if not len(ends) or not len(rest):
        return Bearing(name, [every < 0, np.isin(every, own)], np.stack([free, cost], axis=1))
    if hand:
        over = np.maximum(high[:, rest].min(axis=1) - np.maximum(high[:, ends].min(axis=1), 0.0), 0.0)
        flat = np.minimum((over / WRIST) ** 2, LIFT_CAP) - 0.5
        costs = np.stack([np.zeros(len(low)), cost + BARE, cost + BARE + flat], axis=1)
        return Bearing(name, [every < 0, np.isin(every, ends), np.isin(every, own)], costs)
    tilt = high[:, ends].min(axis=1) - high[:, rest].min(axis=1)  # heel over ball
    level = stands & (slow < 0.1)
    tilt -= np.clip(np.median(tilt[level]), -NEAR, NEAR) if level.sum() * dt > ENOUGH else 0.0
    ways = ((np.maximum(tilt, 0.0), LIFT), (np.minimum(tilt, 0.0), LIFT), (tilt, ROLL))
    up, down, both = (np.minimum((x / y) ** 2, LIFT_CAP) for x, y in ways)
    costs = np.stack([free, cost + up + PART, cost + down + PART, cost + both], axis=1)
    return Bearing(name, [every < 0, np.isin(every, ends), np.isin(every, rest), np.isin(every, own)], costs)


def _geometry(limbs: list[Bearing], states: np.ndarray, clip: Clip, falls: np.ndarray) -> Array:
    """Costs (N, S) of all states without the wrench's."""
    out = np.zeros((len(clip), len(states)))
    for k, limb in enumerate(limbs):
        cost = limb.cost.copy()
        cost[:, 1:] += np.where(falls, FREELY, 0.0)[:, None]
        if clip.labels is not None:
            given = np.any(clip.labels[:, limb.states[-1]], axis=1)
            cost[:, 0] += GIVEN * given
            cost[:, 1:] += GIVEN * ~given[:, None]
        out += cost[:, states[:, k]]
    return out


def _costs(found: Evidence, base: Array, labels: np.ndarray) -> Array:
    """Costs (N, S) of states whose contacts are labels (S, P), of which `base` (N, S) is told by geometry."""
    s, out = found.supports, base + CAP**2
    grips = s.contact[:, labels.shape[1] :]
    bare = base.min(axis=1)
    for k, on in enumerate(labels):
        rows = np.flatnonzero(base[:, k] < bare + CAP**2)  # in the others this state cannot win
        if not len(rows):
            continue
        b = found.wrench[rows]
        if on.any() or grips.any():
            touching = np.ascontiguousarray(np.column_stack([np.tile(on, (len(rows), 1)), grips[rows]]))
            b = explain(b, np.ascontiguousarray(s.columns[rows]), touching, s.friction, most=15).left
        out[rows, k] = base[rows, k] + np.minimum(np.linalg.norm(b, axis=1) / FORCE, CAP) ** 2
    return out


def _switches(states: np.ndarray) -> Array:
    """Costs (S, S) of going from one state to another in the next frame."""
    differ = states[:, None] != states[None]
    lands = (states[:, None] > 0) != (states[None] > 0)
    return np.sum(CHANGE * lands + SHIFT * (differ & ~lands), axis=-1)

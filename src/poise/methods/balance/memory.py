"""What decisions are made from: tables of the body, numbers of the settings, and a working memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from poise.kernels import njit
from poise.maths.configuration import Layout
from poise.maths.rotations import Array
from poise.methods.balance import contact, virtual
from poise.methods.balance.hierarchy import Hierarchy
from poise.methods.balance.sole import soles
from poise.methods.balance.target import Targets

if TYPE_CHECKING:
    from poise.methods.balance.method import Balance


class Uprights(NamedTuple):
    """Links that must stay upright in the world."""

    body: np.ndarray  # (U,)
    axis: Array  # (U, 3) unit, in the link's frame
    stiffness: Array  # (U,) [N m/rad]
    damping: Array  # (U,) [N m s/rad]


class Tables(NamedTuple):
    """What does not change: of the body, and its gains."""

    layout: Layout
    parent: np.ndarray  # (nv,) the degree of freedom before each
    above: np.ndarray  # (bodies,) parents of the links
    path: np.ndarray  # (2, nv) bool: between root and each foot
    ankle: np.ndarray  # (2, nv) bool
    feet: np.ndarray  # (2,) bodies
    foot_of: np.ndarray  # (bodies,) 0: of the left foot, 1: of the right, -1: of none
    foot_weights: Array  # (2, bodies)
    extent: Array  # (2, 5) of the soles
    limit: Array  # (nv,) [N m]
    armature: Array  # (nv,)
    spring: Array  # (nv,) [N m/rad]
    damper: Array  # (nv,) [N m s/rad]
    fall_damper: Array  # (nv,) in a fall
    link: int  # the body whose orientation is controlled
    gains: virtual.Gains
    acting: virtual.Acting
    uprights: Uprights


class Numbers(NamedTuple):
    """The settings that a decision needs, for the mass of the character; see `Balance`."""

    most: float  # [N m] artificial torque on a foot
    zone: float  # [m]
    period: float  # [s]
    weight: float  # [N]
    fall_below: float
    linger: float  # [s], 0 without the departure
    sole: float
    feed: float
    give: float
    ease: float  # [s]
    swing: float  # [N m]
    reach: float  # [m]
    recorded: bool  # the contact sensor looks at the recording
    even: bool  # both feet carry half of the wrench each
    answered: bool  # this and the following: departures
    bounded: bool
    implicit: bool
    limited: bool
    hopeless: bool
    posed: bool


class Work(NamedTuple):
    """What is remembered and decided; single numbers are cells (1,)."""

    falling: np.ndarray  # (1,) bool: balance has been given up
    ratio: Array  # (1,) least compensated share (21) of the feet's torques
    share: Array  # (1,) of the wrench that the right foot carries
    began: Array  # (1,) [s] time of the first decision, NaN before it
    since: Array  # (2,) [s] since the ground last pressed on each foot
    support: np.ndarray  # (2,) bool
    force: Array  # (2,) [N] pressing on each foot
    load: Array  # (2, 3) [N] smoothed ground force on each foot
    patch: Array  # (2, 3) [m] smoothed middle of the points that touch, from the ankle
    carried: Array  # (2, 6) part of the virtual wrench that each foot carries
    middles: Array  # (2, 3) centres of mass of the feet
    place: Array  # (2,) of the centre of mass against the support point
    wrench: Array  # (6,) virtual, torque then force
    balance: Array  # (nv,) [N m]
    servo: Array  # (nv,) [N m]
    moments: Array  # (2, 3) [N m] artificial, on the feet
    torque: Array  # (nv,) [N m] what the joints give
    error: Array  # (nv,) [rad] of the joints
    first: Array  # (nv,) [rad] their errors at the first decision
    masses: Array  # (bodies, 10) scratch
    matrix: Array  # (nv, nv) scratch


class Kept(NamedTuple):
    """The arrays in which `work_at` finds those of `Work`, and the sizes of the body."""

    numbers: Array
    marks: np.ndarray
    bodies: int
    nv: int


def no_work(bodies: int, nv: int) -> Kept:
    """Memory before the first decision."""
    kept = Kept(np.zeros(nv * (5 + nv) + 10 * bodies + 51), np.zeros(3, bool), bodies, nv)
    work = work_at(kept)
    work.ratio[:], work.share[:], work.began[:], work.since[:] = 1.0, 0.5, np.nan, np.inf
    return kept


@njit(cache=True)
def work_at(kept):
    """`Work` as windows onto what is kept: to hand over all of its arrays costs a twentieth of a decision."""
    numbers, marks, bodies, nv = kept
    a, b = 5 * nv, nv * (5 + nv)
    c = b + 10 * bodies
    joints, small = numbers[:a].reshape(5, nv), numbers[c:]
    feet, pairs = small[:24].reshape(4, 2, 3), small[24:30].reshape(3, 2)
    return Work(
        falling=marks[:1], support=marks[1:], balance=joints[0], servo=joints[1], torque=joints[2], error=joints[3],
        first=joints[4], matrix=numbers[a:b].reshape(nv, nv), masses=numbers[b:c].reshape(bodies, 10), load=feet[0],
        patch=feet[1], middles=feet[2], moments=feet[3], since=pairs[0], force=pairs[1], place=pairs[2],
        carried=small[30:42].reshape(2, 6), wrench=small[42:48], ratio=small[48:49], share=small[49:50],
        began=small[50:])  # fmt: skip


def tables_of(s: Balance, hierarchy: Hierarchy, targets: Targets) -> Tables:
    """Tables of the body and the gains, scaled for its mass."""
    character, scale, spring = hierarchy.character, hierarchy.scale, s.stiffness * hierarchy.stiffness
    model, links = character.model, s.uprights
    uprights = Uprights(
        body=np.array([character.body(u.body) for u in links], np.int64),
        axis=np.array([u.axis for u in links], float).reshape(-1, 3),
        stiffness=np.array([scale * u.stiffness for u in links], float),
        damping=np.array([scale * u.damping for u in links], float))  # fmt: skip
    gains = virtual.Gains(kfs=scale * s.kfs, kfd=scale * s.kfd, kP=float(s.kP), kts=scale * s.kts, ktd=scale * s.ktd,
                          kL=float(s.kL))  # fmt: skip
    return Tables(
        layout=character.layout, parent=hierarchy.parent, above=model.body_parentid.astype(np.int64),
        path=hierarchy.path, ankle=hierarchy.ankle, feet=hierarchy.feet, foot_of=hierarchy.foot_of,
        foot_weights=targets.weights, extent=soles(character, hierarchy.feet), limit=hierarchy.torque_limit,
        armature=model.dof_armature.copy(), spring=spring, damper=s.damping * spring,
        fall_damper=s.fall_damping * spring, link=targets.link, gains=gains, acting=virtual.acting(s.terms),
        uprights=uprights)  # fmt: skip


def numbers_of(s: Balance, hierarchy: Hierarchy, recorded: bool) -> Numbers:
    """The settings, with what belongs to a departure that is off set to have no effect."""
    weight = hierarchy.character.mass * float(np.linalg.norm(hierarchy.character.model.opt.gravity))
    most = most_torque(s, hierarchy)
    held = buried(most, contact.Cylinder(force=weight).torque)
    lean = 0.0 if recorded or not s.has("lean") else s.swing * hierarchy.scale * (1.0 - held)
    return Numbers(
        most=most, zone=float(s.zone), period=float(s.period), weight=weight,
        fall_below=float(s.fall_below), linger=float(s.linger) if s.has("linger") else 0.0, sole=float(s.sole),
        feed=float(s.feed) if s.has("feed") else 0.0, give=float(s.give), ease=float(s.ease) if s.has("ease") else 0.0,
        swing=float(lean), reach=float(s.reach) if s.has("tread") else -np.inf, recorded=recorded,
        even=s.split == "even" or not s.has("load") or held >= 0.5, answered=s.has("answered"),
        bounded=s.has("bounded"), implicit=s.has("implicit"), limited=s.has("limits"), hopeless=s.has("hopeless"),
        posed=s.has("posed"))  # fmt: skip


def buried(most: float, real: float) -> float:
    """How much a foot is held as if it were buried: 0 up to 1.1 times the torque of a real foot [N m], 1 from 1.9 on.

    Giving way with the trunk (`lean`) and loading the foot that the wrench leads to (`load`) are what real feet need.
    Feet that are held can bear a push both alike, and whoever gives way all the same goes down sooner.
    """
    return float(np.clip((most / real - 1.1) / 0.8, 0.0, 1.0)) if real > 0.0 else 0.0


def most_torque(s: Balance, hierarchy: Hierarchy) -> float:
    """Largest artificial torque [N m] on a foot: of the slider or the cylinder, and of the ankle's strength."""
    strength = np.inf
    if s.has("ankle"):  # no ankle puts more on a foot
        strength = float(hierarchy.torque_limit[hierarchy.ankle.any(axis=0)].max(initial=0.0))
    if s.slider is not None:
        return contact.Cylinder.at(s.slider, hierarchy.character.mass, strength).torque
    return min(s.cylinder.torque * hierarchy.scale, strength)

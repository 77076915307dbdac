"""What decisions are made from: tables of the body, numbers of the settings, and a working memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

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


def no_work(bodies: int, nv: int) -> Work:
    """Memory before the first decision."""
    pair, joints = np.zeros((2, 3)), np.zeros(nv)
    return Work(
        falling=np.zeros(1, bool), ratio=np.ones(1), share=np.full(1, 0.5), began=np.full(1, np.nan),
        since=np.full(2, np.inf), support=np.zeros(2, bool), force=np.zeros(2), load=pair.copy(), patch=pair.copy(),
        carried=np.zeros((2, 6)), middles=pair.copy(), place=np.zeros(2), wrench=np.zeros(6), balance=joints.copy(),
        servo=joints.copy(), moments=pair.copy(), torque=joints.copy(), error=joints.copy(), first=joints.copy(),
        masses=np.zeros((bodies, 10)), matrix=np.zeros((nv, nv)))  # fmt: skip


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
    lean = 0.0 if recorded or not s.has("lean") else s.swing * hierarchy.scale
    return Numbers(
        most=most_torque(s, hierarchy), zone=float(s.zone), period=float(s.period), weight=weight,
        fall_below=float(s.fall_below), linger=float(s.linger) if s.has("linger") else 0.0, sole=float(s.sole),
        feed=float(s.feed) if s.has("feed") else 0.0, give=float(s.give), ease=float(s.ease) if s.has("ease") else 0.0,
        swing=float(lean), reach=float(s.reach) if s.has("tread") else -np.inf, recorded=recorded,
        even=s.split == "even" or not s.has("load"), answered=s.has("answered"), bounded=s.has("bounded"),
        implicit=s.has("implicit"), limited=s.has("limits"), hopeless=s.has("hopeless"),
        posed=s.has("posed"))  # fmt: skip


def most_torque(s: Balance, hierarchy: Hierarchy) -> float:
    """Largest artificial torque [N m] on a foot: of the slider or the cylinder, and of the ankle's strength."""
    strength = np.inf
    if s.has("ankle"):  # no ankle puts more on a foot
        strength = float(hierarchy.torque_limit[hierarchy.ankle.any(axis=0)].max(initial=0.0))
    if s.slider is not None:
        return contact.Cylinder.at(s.slider, hierarchy.character.mass, strength).torque
    return min(s.cylinder.torque * hierarchy.scale, strength)

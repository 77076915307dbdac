"""A finished solution: smooth finger motion with the contact forces that move the object, found anew after smoothing.

A contact that does not move over the surface may push anywhere in its friction cone. One that does slides: its
friction is µ f^n
along its motion over the object. So the forces of a solution are true to the motion as it is delivered.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from poise.kernels import njit
from poise.maths.rotations import Array
from poise.methods.hands.finger import place_links
from poise.methods.hands.force_test import INWARD, MOST_PROXIES, OWNER, POINT, POINTS_ALONE, PROXY, THESIS, force_test
from poise.methods.hands.node import FREE, Node, sliding
from poise.methods.hands.pose_test import (
    CONTACT,
    FINGER,
    HAND,
    HAND_POINT,
    LINK,
    MOST_CONTACTS,
    NORMAL,
    OBJECT_POINT,
    touching,
)
from poise.methods.hands.problem import Problem
from poise.methods.hands.search import RHO, Search
from poise.methods.hands.settings import Hands
from poise.methods.hands.smoothing import first_motion, smooth

NEAR = 8e-4  # [m] gap of a contact that may carry a force after smoothing
STILL = 2.5e-4  # [m] a frame, below which a contact does not slide
SLID = 5e-5  # [m] a frame, above which a contact that the search slides does slide
LIFE = 1.5e-3  # [m] that a contact may creep while it carries a force, before it counts as sliding
TAUTNESS = (25.0, 8.0, 2.5)  # weights of smoothness that are tried in turn
GAIT = 8.0  # that of one more try where fingers take turns in the hand: contacts slide on when they let go


Key = tuple[int, int, int]  # hand, finger and link of a contact


@dataclass(frozen=True, eq=False)
class Load:
    """The contacts of a frame that carry a force; all in the object's frame, about its centre of mass."""

    contacts: Array  # (n, CONTACT)
    sliding: np.ndarray  # (n,) bool
    owner: np.ndarray  # (m,) the contact of each proxy
    points: Array  # (m, 3) [m]
    normals: Array  # (m, 3) inward
    forces: Array  # (m, 3) [N]
    table_points: Array  # (k, 3)
    table_forces: Array  # (k, 3) [N]


@dataclass(frozen=True, eq=False)
class Solution:
    """One way to do it: finger poses (H, T, 5, 6) [rad] and the loads of each frame."""

    q: Array
    loads: tuple[Load, ...]
    round: int

    def tips(self, problem: Problem) -> Array:
        """(H, T, 5, 3) [m] fingertips in the object's frame."""
        out = np.empty((*self.q.shape[:3], 3))
        for h, F in enumerate(problem.hands):
            _tips(F, self.q[h], problem.turn[h], problem.place[h], out[h])
        return out

    def loaded(self) -> np.ndarray:
        """(H, T, 5) which fingers carry a force."""
        out = np.zeros(self.q.shape[:3], bool)
        for t, load in enumerate(self.loads):
            c = load.contacts.astype(int)
            out[c[:, HAND], t, c[:, FINGER]] = True
        return out


@njit(cache=True)
def _tips(F, Q, R, p, out):
    turn, place, axes, points = np.empty((4, 3, 3)), np.empty((4, 3)), np.empty((6, 3)), np.empty((6, 3))
    for t in range(Q.shape[0]):
        for f in range(5):
            place_links(F, f, Q[t, f], R[t], p[t], turn, place, axes, points)
            b = F.links[f] - 1
            for i in range(3):
                out[t, f, i] = place[b, i] + turn[b, i, 0] * (F.end[f, b] + F.radius[f, b])


def difference(a: Solution, b: Solution, problem: Problem) -> float:
    """Mean distance [m] of the fingertips of two solutions, over fingers while they carry a force in either."""
    on = a.loaded() | b.loaded()
    away = np.linalg.norm(a.tips(problem) - b.tips(problem), axis=-1)
    return float(away[on].mean()) if on.any() else 0.0


@njit(cache=True)
def _drift(F, Q, R, p, t, f, link, local, normal, out):
    """How a point of a link moves over the object in a frame about t: central difference (3,) along the surface."""
    turn, place, axes, points = np.empty((4, 3, 3)), np.empty((4, 3)), np.empty((6, 3)), np.empty((6, 3))
    T = Q.shape[0]
    a, b = max(t - 1, 0), min(t + 1, T - 1)
    for s in range(2):
        u = b if s == 0 else a
        place_links(F, f, Q[u, f], R[u], p[u], turn, place, axes, points)
        for i in range(3):
            x = place[link, i]
            for k in range(3):
                x += turn[link, i, k] * local[k]
            out[i] = x if s == 0 else (out[i] - x) / (b - a)
    along = out[0] * normal[0] + out[1] * normal[1] + out[2] * normal[2]
    for i in range(3):
        out[i] -= along * normal[i]


def loads_of(problem: Problem, Q: Array, path: list[Node], settings: Hands) -> tuple[list[Load] | None, int]:
    """The loads of every frame of a motion, or None and the frame without forces that move the object."""
    friction = problem.scene.friction
    carried = {(node.t, *key) for node in path for key in _loaded_keys(node, friction)}
    slid = {(b.t, *key) for a, b in pairwise(path) for key in sliding(a, b.intent, friction)}
    creep: dict[Key, float] = {}
    out = []
    for t in range(problem.frames):
        contacts, drift = _contacts(problem, Q, t)
        keys = [(int(c[HAND]), int(c[FINGER]), int(c[LINK])) for c in contacts]
        size = np.linalg.norm(drift, axis=1)
        must = np.array([s > STILL or creep.get(k, 0.0) + s > LIFE for k, s in zip(keys, size, strict=True)], bool)
        should = must | np.array([(t, *k) in slid and s > SLID for k, s in zip(keys, size, strict=True)], bool)
        cost = np.where([(t, *k) in carried for k in keys], 1.0, 3.0) * (1.0 + size / 1e-4)
        load = None
        for slides in (should, must):
            load = load or _forces(problem, settings, t, contacts, np.where(slides, 3.0, 1.0) * cost, slides, drift)
        if load is None:
            return None, t
        now = [(int(c[HAND]), int(c[FINGER]), int(c[LINK])) for c in load.contacts[~load.sliding]]
        creep = {key: creep.get(key, 0.0) + float(size[keys.index(key)]) for key in now}
        out.append(load)
    return out, -1


def _contacts(problem: Problem, Q: Array, t: int) -> tuple[Array, Array]:
    """Contacts (n, CONTACT) of a frame, and how each moves over the object in a frame (n, 3) [m]."""
    contacts, n = np.zeros((MOST_CONTACTS, CONTACT)), 0
    for h, F in enumerate(problem.hands):
        R, p = problem.turn[h, t], problem.place[h, t]
        for f in range(5):
            n = touching(F, problem.solid, h, f, Q[h, t, f], R, p, NEAR, contacts, n)
    drift = np.zeros((n, 3))
    for k, c in enumerate(contacts[:n]):
        h, f, link = int(c[HAND]), int(c[FINGER]), int(c[LINK])
        local, normal = c[HAND_POINT : HAND_POINT + 3], c[NORMAL : NORMAL + 3]
        _drift(problem.hands[h], Q[h], problem.turn[h], problem.place[h], t, f, link, local, normal, drift[k])
    return contacts[:n], drift


def _forces(
    problem: Problem, settings: Hands, t: int, contacts: Array, cost: Array, slides: np.ndarray, drift: Array
) -> Load | None:
    """Forces of a frame, those of contacts that slide along their motion; None where there are none."""
    scene, table = problem.scene, problem.table[t]
    proxies, forces = np.empty((MOST_PROXIES, PROXY)), np.empty((MOST_PROXIES + 64, 3))
    way = drift / np.maximum(np.linalg.norm(drift, axis=1, keepdims=True), 1e-12)
    rail = np.where(slides[:, None], np.c_[np.ones(len(drift)), way], 0.0)
    status, _, m = force_test(
        problem.solid,
        contacts,
        len(contacts),
        cost,
        scene.friction,
        rail,
        table,
        len(table),
        scene.table_friction,
        1e-3,
        problem.wrench[t],
        RHO,
        settings.offset,
        THESIS if settings.proxies else POINTS_ALONE,
        proxies,
        forces,
    )
    if status != 0:
        return None
    return _load(contacts, rail, proxies[:m], forces[:m], table, forces[m : m + len(table)])


def _load(contacts: Array, rail: Array, proxies: Array, forces: Array, table: Array, table_forces: Array) -> Load:
    """The contacts that carry a force, and their proxies."""
    on = np.einsum("mi,mi->m", forces, proxies[:, INWARD : INWARD + 3]) > 1e-9
    owner = proxies[on, OWNER].astype(int)
    used = np.unique(owner)
    return Load(
        contacts[used].copy(),
        rail[used, 0] > 0,
        np.searchsorted(used, owner),
        proxies[on, POINT : POINT + 3].copy(),
        proxies[on, INWARD : INWARD + 3].copy(),
        forces[on].copy(),
        table[:, :3].copy(),
        table_forces.copy(),
    )


def _loaded_keys(node: Node, friction: float) -> list[Key]:
    kinds = node.kinds(friction)
    return [
        (int(c[HAND]), int(c[FINGER]), int(c[LINK])) for c, k in zip(node.contacts, kinds, strict=True) if k != FREE
    ]


def finish(search: Search, path: list[Node], round: int = 0) -> Solution | None:
    """The smooth motion of a path with its forces; None where the smooth motion cannot carry the object."""
    problem, settings = search.problem, search.settings
    first = first_motion(problem, path, search.window, search.W)
    gaits = settings.style == "reluctant" or any(style == "reluctant" for _, style in problem.scene.styles)
    tries = [(jerk, False) for jerk in TAUTNESS] + [(GAIT, True)] * gaits
    for jerk, follow in tries:
        Q = smooth(problem, path, search.window, first, search.W, jerk, follow=follow)
        loads, _ = loads_of(problem, Q, path, settings)
        if loads is not None:
            return Solution(Q, tuple(loads), round)
    return None


__all__ = ["OBJECT_POINT", "Load", "Solution", "difference", "finish", "loads_of"]

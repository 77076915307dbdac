"""Roles by shape: the parts of a body found from the tree of joints and from where they move, without any names.

Two pairs of limbs that mirror each other hang on the trunk. Thigh and shin are the two longest bones in a row that a
body has, so the pair with the longest two bones are the legs; the other large pair are the arms; the head is the chain
between the arms. Left and right follow from the way toes, knees and elbows point.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, pairwise, product

import numpy as np

from poise.character.roles import SIDES
from poise.character.skeleton import Skeleton, subtree
from poise.character.skeletons.name_words import Label
from poise.character.skeletons.trunk import trunk_roles
from poise.maths import rotations as rot
from poise.maths.rotations import Array

_STILL = 2e-3  # [rad] a joint that turns less than this over the whole motion is not moved by anybody
_STRAIGHT = np.radians(2.0)  # a joint that never bends more than this only divides a bone


@dataclass(frozen=True)
class _Chain:
    """The main chain of joints below a joint."""

    joints: tuple[int, ...]  # where bones meet that bend against each other, top first
    bones: tuple[float, ...]  # length of the bone below each joint; the last is a free end

    def two(self, k: int) -> tuple[float, float]:
        """Lengths of the bones below joint k and k + 1."""
        return self.bones[k], self.bones[k + 1]


@dataclass(frozen=True)
class _Pair:
    """Two chains that mirror each other and the place in each of the upper of its two long bones."""

    chains: tuple[_Chain, _Chain]
    first: tuple[int, int]

    def joint(self, which: int, k: int) -> int | None:
        """Joint k behind the start of the upper long bone of one chain; None where the chain is shorter."""
        at, joints = self.first[which] + k, self.chains[which].joints
        return joints[at] if at < len(joints) else None

    def points(self, positions: Array, which: int) -> list[Array]:
        """Where the upper end, the middle joint and the lower end of the two long bones are (N, 3)."""
        k = self.first[which]
        return [positions[:, j] for j in self.chains[which].joints[k : k + 3]]

    @property
    def reach(self) -> float:
        """Length of the two long bones of the shorter chain."""
        return min(sum(c.two(k)) for c, k in zip(self.chains, self.first, strict=True))

    def swapped(self) -> _Pair:
        """The same pair, other side first."""
        return _Pair((self.chains[1], self.chains[0]), (self.first[1], self.first[0]))


def roles_by_shape(skeleton: Skeleton, positions: Array, rotations: Array | None = None) -> dict[str, int]:
    """Role -> joint index from joint positions (N, J, 3) over a motion; empty where no body is recognised.

    `rotations` (N, J, 4), local, tell end joints (which never turn) from hands, heads and toes. Any unit and axes.
    """
    positions = np.asarray(positions, float)
    step = max(1, len(positions) // 200)  # enough frames to see what bends
    positions = positions[::step]
    ends = _end_joints(skeleton, None if rotations is None else np.asarray(rotations, float)[::step])
    chains = _chains(skeleton, positions)
    legs = max(_pairs(skeleton, chains, lambda chain, k: sum(chain.two(k))), key=lambda p: p.reach, default=None)
    if legs is None:
        return {}
    arms = _arms(skeleton, chains, legs)
    legs = _left_first(positions, legs, arms)
    roles: dict[str, int] = {}
    for which, side in enumerate(SIDES):
        for k, part in enumerate(("thigh", "shin", "foot", "toes")):
            joint = legs.joint(which, k)
            if joint is not None and not (part == "toes" and joint in ends):
                roles[f"{side}_{part}"] = joint
    if arms is not None:
        arms = _same_side(positions, legs, arms)
        for which, side in enumerate(SIDES):
            for k, part in enumerate(("upper_arm", "forearm", "hand")):
                joint = arms.joint(which, k)
                if joint is not None:
                    roles[f"{side}_{part}"] = joint
            if arms.first[which] > 0:
                roles[f"{side}_clavicle"] = arms.chains[which].joints[0]
    hidden = [Label(dropped=j in ends) for j in range(len(skeleton))]
    found = {**trunk_roles(skeleton, roles, hidden), **roles}
    if "head" not in found:  # a head that never turns
        found = {**trunk_roles(skeleton, roles), **roles}
    return found


def _end_joints(skeleton: Skeleton, rotations: Array | None) -> set[int]:
    """Leaves that mark only the end of a bone: no bone hangs on them and nothing turns them."""
    ends: set[int] = set()
    for j in range(len(skeleton)):
        if skeleton.children(j) or any(np.linalg.norm(e.offset) > 0 for e in skeleton.ends_of(j)):
            continue
        turns = 0.0 if rotations is None else float(rot.angle_between(rotations[0, j], rotations[:, j]).max())
        if turns < _STILL:
            ends.add(j)
    return ends


def _chains(skeleton: Skeleton, positions: Array) -> dict[int, _Chain]:
    """For every joint the chain of bones below it that reaches farthest."""
    count = len(skeleton)
    length = np.zeros(count)
    for j, p in enumerate(skeleton.parents):
        if p >= 0:
            length[j] = np.median(np.linalg.norm(positions[:, j] - positions[:, p], axis=-1))
    tip = {j: max((float(np.linalg.norm(e.offset)) for e in skeleton.ends_of(j)), default=0.0) for j in range(count)}
    deep = np.zeros(count)
    for j in range(count - 1, -1, -1):
        deep[j] = max([tip[j], *(length[c] + deep[c] for c in skeleton.children(j))], default=0.0)
    chains = {}
    for j in range(count):
        way = [j]
        while skeleton.children(way[-1]):
            way.append(max(skeleton.children(way[-1]), key=lambda c: length[c] + deep[c]))
        chains[j] = _as_chain(positions, way, tip[way[-1]])
    return chains


def _as_chain(positions: Array, way: list[int], tip: float) -> _Chain:
    """The chain without joints that do not bend or stand where the one above stands."""
    size = np.median(np.linalg.norm(np.diff(positions[:, way], axis=1), axis=-1), axis=0)
    total = float(size.sum()) + tip
    kept = [way[0]]
    for k in range(1, len(way)):
        if size[k - 1] < 0.01 * total:
            continue
        if len(kept) > 1 and _straight(positions, kept[-2], kept[-1], way[k]):
            kept.pop()
        kept.append(way[k])
    spans = [positions[:, b] - positions[:, a] for a, b in pairwise(kept)]
    return _Chain(tuple(kept), (*(float(np.median(np.linalg.norm(s, axis=-1))) for s in spans), tip))


def _straight(positions: Array, a: int, b: int, c: int) -> bool:
    """Do the bones a-b and b-c always point the same way?"""
    u, v = positions[:, b] - positions[:, a], positions[:, c] - positions[:, b]
    size = np.linalg.norm(u, axis=-1) * np.linalg.norm(v, axis=-1)
    cosine = np.sum(u * v, axis=-1) / np.where(size > 0, size, 1.0)
    return len(positions) > 1 and bool(np.all(cosine > np.cos(_STRAIGHT)))


def _pairs(skeleton: Skeleton, chains: dict[int, _Chain], score: Callable[[_Chain, int], float]) -> list[_Pair]:
    """Pairs of chains on the same joint, each with the two equal long bones of the highest score."""
    pairs = []
    for j in range(len(skeleton)):
        for a, b in combinations(skeleton.children(j), 2):
            one, two = chains[a], chains[b]
            best, high = None, -np.inf
            for k, m in product(range(len(one.joints) - 2), range(len(two.joints) - 2)):
                near = all(0.75 * y < x < 1.33 * y for x, y in zip(one.two(k), two.two(m), strict=True))
                like = all(min(c.two(i)) > 0.5 * max(c.two(i)) for c, i in ((one, k), (two, m)))
                total = score(one, k) + score(two, m) if near and like else -np.inf
                if total > high:
                    best, high = _Pair((one, two), (k, m)), total
            if best is not None:
                pairs.append(best)
    return pairs


def _arms(skeleton: Skeleton, chains: dict[int, _Chain], legs: _Pair) -> _Pair | None:
    """The largest pair that is not part of a leg, its elbows where human proportions want them."""
    taken = {j for chain in legs.chains for j in subtree(skeleton.parents, chain.joints[0])}

    def human(chain: _Chain, k: int) -> float:
        """How well the bones from joint k on are an upper arm, a forearm and a hand, beside the leg's length."""
        upper, fore = chain.two(k)
        beyond = sum(chain.bones[k + 2 :]) / fore
        return -(
            ((upper + fore) / legs.reach - 0.67) ** 2 + (fore / upper - 0.8) ** 2 + 0.5 * max(0.0, beyond - 0.5) ** 2
        )

    pairs = [p for p in _pairs(skeleton, chains, human) if not taken & {c.joints[0] for c in p.chains}]
    return max((p for p in pairs if p.reach > 0.3 * legs.reach), key=lambda p: p.reach, default=None)


def _across(v: Array, along: Array) -> Array:
    """The part of v (N, 3) across the direction of `along`."""
    unit = along / np.linalg.norm(along, axis=-1, keepdims=True)
    return v - np.sum(v * unit, axis=-1, keepdims=True) * unit


def _forward(positions: Array, legs: _Pair, arms: _Pair | None) -> Array:
    """Direction (N, 3), not of unit length, into which toes and knees point and away from elbows."""
    way = np.zeros((len(positions), 3))
    for which in range(2):
        hip, knee, ankle = legs.points(positions, which)
        way += 2.0 * _across(knee - hip, ankle - hip)
        toe = legs.joint(which, 3)
        if toe is not None:
            way += 2.0 * _across(positions[:, toe] - ankle, ankle - knee)
        if arms is not None:
            shoulder, elbow, hand = arms.points(positions, which)
            way -= 0.5 * _across(elbow - shoulder, hand - shoulder)
    return way


def _left_first(positions: Array, legs: _Pair, arms: _Pair | None) -> _Pair:
    """The pair of legs with the left one first: left is up × forward."""
    (hip_a, _, foot_a), (hip_b, _, foot_b) = (legs.points(positions, which) for which in range(2))
    up = 0.5 * (hip_a + hip_b - foot_a - foot_b)
    if arms is not None:
        up = 0.5 * (arms.points(positions, 0)[0] + arms.points(positions, 1)[0] - hip_a - hip_b)
    vote = float(np.sum((hip_a - hip_b) * np.cross(up, _forward(positions, legs, arms))))
    return legs if vote >= 0 else legs.swapped()


def _same_side(positions: Array, legs: _Pair, arms: _Pair) -> _Pair:
    """The pair of arms in the order of the legs."""
    hips, shoulders = ([pair.points(positions, which)[0] for which in range(2)] for pair in (legs, arms))
    same = float(np.sum((hips[0] - hips[1]) * (shoulders[0] - shoulders[1])))
    return arms if same >= 0 else arms.swapped()

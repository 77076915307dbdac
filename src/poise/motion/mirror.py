"""Left and right exchanged: the reflection of a motion across the plane y = 0.

Every body takes the reflected orientation of its counterpart, measured from the zero pose: with S the reflection,
R'_m(b) = S R_b R_b0ᵀ S R_m(b)0. In joints that is R_m(b)0ᵀ S R_b0 q R_b0ᵀ S R_m(b)0 for a ball and a sign for a hinge,
so mirroring twice gives the same motion back. Bones are not reflected: on a body whose left and right differ a foot
may stand some millimetres higher or lower than it did.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from poise.character import Character
from poise.character.roles import mirrored
from poise.character.skeleton import Placement, Skeleton
from poise.errors import ClipMismatch
from poise.ground.ground import mirrored as mirrored_ground
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.configuration import BALL, FREE, HINGE
from poise.maths.rotations import Array
from poise.maths.tree import Tree
from poise.motion.clip import Clip, Cycle
from poise.motion.recording import Recording

_WORDS = (("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT"))
_LETTERS = (("l", "r"), ("L", "R"))


def partners(character: Character) -> np.ndarray:
    """For each joint of the skeleton that a character is bound to the index of its counterpart (J,), itself where none.

    The result is its own inverse.
    """
    binding = character.binding
    assert binding is not None
    skeleton, swap = binding.skeleton, character.mirror_bodies
    other = np.full(len(skeleton), -1)
    for body, joint in enumerate(binding.joints):
        theirs = int(binding.joints[swap[body]])
        if joint >= 0 and theirs >= 0 and swap[body] != body:
            other[joint], other[theirs] = theirs, joint
    names = {name: j for j, name in reversed(list(enumerate(skeleton.names)))}
    for j, name in enumerate(skeleton.names):
        if other[j] < 0:
            found = [names[n] for n in _renamed(name) if n in names and names[n] != j and other[names[n]] < 0]
            if found and _fits(skeleton, other, j, found[0]):
                other[j], other[found[0]] = found[0], j
    own = np.arange(len(skeleton))
    return np.where(other < 0, own, other)


def _fits(skeleton: Skeleton, other: np.ndarray, j: int, k: int) -> bool:
    """May j and k be counterparts? Their parents must be, or be one and the same."""
    p, q = int(skeleton.parents[j]), int(skeleton.parents[k])
    return p == q or (p >= 0 and q >= 0 and other[p] == q)


def _renamed(name: str) -> list[str]:
    """The names that the counterpart of a joint may have: left and right, or l and r as a word, exchanged."""
    out = []
    for a, b in _WORDS:
        out += [name.replace(x, y) for x, y in ((a, b), (b, a)) if x in name]
    for a, b in _LETTERS:
        for x, y in ((a, b), (b, a)):
            out += [name[: m.start()] + y + name[m.end() :] for m in re.finditer(_alone(x), name)]
    return out


def _alone(letter: str) -> str:
    """Pattern of a letter that stands for a side: a word of its own, at the end, or at the front of a name."""
    edge = r"(?:^|(?<=[\W_]))"
    front = rf"{edge}{letter}(?=[A-Z\W_]|$)"
    back = rf"(?<=[\W_\da-z]){letter}$" if letter.isupper() else rf"(?<=[\W_]){letter}$"
    plain = rf"^{letter}(?=[a-z])"  # lfemur, rfemur
    return f"{front}|{back}|{plain}"


_FLIP = np.array([1.0, -1.0, 1.0])


def mirror(clip: Clip) -> Clip:
    """The clip with left and right exchanged, across the plane y = 0; its recording too, so that exports follow."""
    swap = _point_swap(clip.character)
    labels = clip.contacts.labels[:, swap]
    cycle = None if clip.cycle is None else Cycle(-clip.cycle.turn, clip.cycle.shift * _FLIP)
    recording = clip.recording
    if recording is not None and clip.character.binding is not None:
        recording = _mirror_recording(recording, clip.character, clip.placement or clip.character.binding.placement)
    ground = mirrored_ground(clip.ground)
    q = mirror_q(clip.character, clip.q)
    holds = tuple(h.mirrored(clip.character) for h in clip.grips)
    return replace(clip, q=q, labels=labels, cycle=cycle, ground=ground, recording=recording, holds=holds)


def mirror_q(character: Character, q: Array) -> Array:
    """Configurations (N, nq) of the reflected motion."""
    out, tree, swap = np.array(q, float), character.tree, character.mirror_bodies
    _, zero = character.forward(tree.qpos0)
    for body in range(1, len(tree.parent)):
        other = int(swap[body])
        joints, theirs = tree.joints(body), tree.joints(other)
        if [tree.kind[j] for j in joints] != [tree.kind[j] for j in theirs]:
            names = character.body_names
            raise ClipMismatch(f"{character.name} cannot be mirrored: {names[body]!r} and {names[other]!r} have "
                               "different kinds of joints.")  # fmt: skip
        for j, k in zip(joints, theirs, strict=True):
            _mirror_joint(tree, zero[0, body], zero[0, other], j, k, q, out)
    return out


def _mirror_joint(tree: Tree, here: Array, there: Array, j: int, k: int, q: Array, out: Array) -> None:
    """Joint k of `out` becomes the reflection of joint j of q; `here` and `there`: their bodies' zero orientations."""
    a, b, kind = int(tree.qadr[j]), int(tree.qadr[k]), tree.kind[j]
    if kind == FREE:
        out[:, b : b + 3] = q[:, a : a + 3] * _FLIP
        turn = rot.multiply(reflected(rot.multiply(q[:, a + 3 : a + 7], rot.conjugate(here))), there)
        out[:, b + 3 : b + 7] = turn
    elif kind == BALL:
        seen = reflected(rot.multiply(rot.multiply(here, q[:, a : a + 4]), rot.conjugate(here)))
        out[:, b : b + 4] = rot.multiply(rot.multiply(rot.conjugate(there), seen), there)
    else:
        # the axis of a turn reflects like a turn, that of a slide like an arrow
        axis = rot.rotate(here, tree.axis[j]) * (-_FLIP if kind == HINGE else _FLIP)
        sign = 1.0 if axis @ rot.rotate(there, tree.axis[k]) >= 0 else -1.0
        out[:, b] = tree.qpos0[b] + sign * (q[:, a] - tree.qpos0[a])


def mirror_tangent(character: Character) -> Array:
    """S (nv, nv): the velocity of a reflected motion is S v, its joint torques are S τ; S is orthogonal, S S = 1.

    Found from `mirror_q`, which is linear in rotation vectors: the reflection of q exp(r) is q' exp(S r), at any q.
    """
    layout, nv = character.layout, character.model.nv
    q = character.zero_pose()
    steps = conf.integrate(layout, q, 0.5 * np.eye(nv))
    return 2.0 * conf.difference(layout, mirror_q(character, q[None]), mirror_q(character, steps)).T


def reflected(turn: Array) -> Array:
    """S R S of rotations (..., 4): the same turn seen in a mirror whose normal is y."""
    return np.asarray(turn, float) * np.array([1.0, -1.0, 1.0, -1.0])


def _point_swap(character: Character) -> np.ndarray:
    """For each contact point the index of its counterpart, itself where it has none."""
    names = character.contact_points.names
    return np.array([names.index(mirrored(n)) if mirrored(n) in names else i for i, n in enumerate(names)], int)


def _mirror_recording(recording: Recording, character: Character, placement: Placement) -> Recording:
    """The recording reflected in the world's plane y = 0: every joint of the file plays its counterpart's motion.

    With P the axes of the clip's placement and B those in which the zero pose was told, joint m(j) gets the global
    rotation M_P G_j rest_jᵀ M_B rest_m(j), where M = 1 - 2 n nᵀ and n is the file's direction of the world's y.
    """
    binding = character.binding
    assert binding is not None
    skeleton, rest = recording.skeleton, binding.rest
    side = partners(character)
    half_turn = lambda p: np.concatenate([[0.0], rot.rotate(rot.conjugate(p.turn), np.array([0.0, 1.0, 0.0]))])  # noqa: E731
    p, b = half_turn(placement), half_turn(binding.placement)  # two reflections are two half turns about the normals
    _, turns = recording.forward()
    seen = rot.multiply(rot.multiply(p, rot.multiply(turns[:, side], rot.conjugate(rest[side]))), rot.multiply(b, rest))
    local = np.empty_like(seen)
    for j, parent in enumerate(skeleton.parents):
        local[:, j] = seen[:, j] if parent < 0 else rot.multiply(rot.conjugate(seen[:, parent]), seen[:, j])
    local = np.where(np.sum(local * recording.rotations, -1, keepdims=True) < 0, -local, local)
    positions = np.array(recording.positions)
    roots = np.flatnonzero(skeleton.parents < 0)
    positions[:, roots] = placement.points_back(placement.points(recording.positions[:, side[roots]]) * _FLIP)
    return replace(recording, rotations=local, positions=positions)

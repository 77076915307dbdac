"""Postures carried from one body to another: world orientations by role, and the joint angles that fit them best.

Zero poses of characters made by poise agree (upright, limbs straight down, frames along the world's axes), so the same
posture is the same world orientation of every role. A character from elsewhere may rest in a T-pose, face another way
or turn its frames: `alignment` compares where each bone points in the two zero poses, seen from bodies that face the
same way, and turns what differs by more than `AGREE` (`TRUNK_AGREE` in the trunk).
"""

from __future__ import annotations

from functools import cache

import numpy as np

from poise.character import Character
from poise.character.posing import turn_joints
from poise.character.roles import PARENT, ROLES, SIDES, TRUNK
from poise.maths import rotations as rot
from poise.maths.configuration import BALL, FREE, HINGE
from poise.maths.rotations import Array

AGREE = np.radians(20.0)  # limbs and soles that point this nearly the same way are the same, of another build
TRUNK_AGREE = np.radians(40.0)  # and bones of the trunk: where joints lie in it is a matter of taste
SHARE = {"abdomen": ("pelvis", "chest", 0.5), "neck": ("chest", "head", 0.5)}
"""A role that the source lacks lies between two others, a share of the way from the first to the second."""
CHILD = {"pelvis": ("chest", "head"), "abdomen": ("chest", "head"), "chest": ("neck", "head"), "neck": ("head",),
         "clavicle": ("upper_arm",), "upper_arm": ("forearm",), "forearm": ("hand",), "thigh": ("shin",),
         "shin": ("foot",)}  # fmt: skip
"""Toward which part a bone points, the first that both bodies have."""
TOES = np.radians([-65.0, 30.0])  # how far toes bend up and down


@cache
def _bones() -> dict[str, tuple[str, ...]]:
    out: dict[str, tuple[str, ...]] = {}
    for part, ends in CHILD.items():
        for side in ("",) if part in ROLES else SIDES:
            out[f"{side}_{part}" if side else part] = tuple(f"{side}_{e}" if side else e for e in ends)
    return out


def upright_zero(character: Character) -> tuple[Array, Array, Array]:
    """The zero pose turned about Z to face X: positions (B, 3), orientations (B, 4) and that turn (4,)."""
    pos, quat = character.forward(character.zero_pose())
    pos, quat = pos[0], quat[0]
    across = pos[character.body("left_thigh")] - pos[character.body("right_thigh")]
    way = np.arctan2(across[1], across[0]) - 0.5 * np.pi
    # a body whose hips differ from the Y axis by a hair follows the convention; only a real turn is undone
    turn = rot.about_z(-way if abs((way + np.pi) % (2 * np.pi) - np.pi) > 1e-3 else 0.0)
    return rot.rotate(turn, pos), rot.multiply(turn, quat), turn


def alignment(source: Character, target: Character) -> dict[str, Array]:
    """For each role of the target that the source has: the turn (4,) from the source's body frame to the target's.

    With W_s the world orientation of the source's body, the target's shall be W_s S₀ᵀ A T₀, where S₀ and T₀ are the
    orientations in the upright zero poses and A turns the target's bone to where the source's bone points, identity
    where they agree. Parts with no bone of their own (hands, head) take the A of the part that carries them; feet take
    it from their soles.
    """
    s_pos, s_quat, _ = upright_zero(source)
    t_pos, t_quat, _ = upright_zero(target)
    out: dict[str, Array] = {}
    turns: dict[str, Array] = {}
    for role in ROLES:
        if not (source.has(role) and target.has(role)):
            continue
        above = PARENT.get(role)
        while above is not None and above not in turns:
            above = PARENT.get(above)
        turns[role] = turns[above] if above is not None else rot.IDENTITY
        ends = [e for e in _bones().get(role, ()) if source.has(e) and target.has(e)]
        if ends:
            s_way = s_pos[source.body(ends[0])] - s_pos[source.body(role)]
            t_way = t_pos[target.body(ends[0])] - t_pos[target.body(role)]
            if min(np.linalg.norm(s_way), np.linalg.norm(t_way)) > 1e-3:
                turn = rot.between(t_way, s_way)
                limit = TRUNK_AGREE if role in TRUNK or role.endswith("clavicle") else AGREE
                turns[role] = turn if rot.angle_between(turn, rot.IDENTITY) > limit else rot.IDENTITY
        elif role.endswith(("foot", "toes")):
            turns[role] = _sole_turn(source, s_pos, s_quat, target, t_pos, t_quat, role)
        s0, t0 = s_quat[source.body(role)], t_quat[target.body(role)]
        out[role] = rot.multiply(rot.conjugate(s0), rot.multiply(turns[role], t0))
    return out


def _sole_turn(source: Character, s_pos: Array, s_quat: Array, target: Character, t_pos: Array, t_quat: Array,
               role: str) -> Array:  # fmt: skip
    """The turn that lays the target's sole as the source's lies in the zero pose, identity where they agree."""
    side = role.split("_")[0]
    ways = []
    for character, pos, quat in ((source, s_pos, s_quat), (target, t_pos, t_quat)):
        points = character.contact_points
        places = pos[points.bodies] + rot.rotate(quat[points.bodies], points.positions)
        heel = [i for i, n in enumerate(points.names) if n.startswith(f"{side}_heel")]
        ball = [i for i, n in enumerate(points.names) if n.startswith(f"{side}_ball")]
        if not heel or not ball:
            return rot.IDENTITY
        ways.append(places[ball].mean(axis=0) - places[heel].mean(axis=0))
    turn = rot.between(ways[1], ways[0])
    return turn if rot.angle_between(turn, rot.IDENTITY) > AGREE else rot.IDENTITY


def orientations(source: Character, quat: Array, target: Character) -> dict[str, Array]:
    """World orientations (N, 4) that the target's roles shall have, from those (N, B, 4) of the source's bodies."""
    _, s_zero, _ = upright_zero(source)
    turns = {r: rot.multiply(quat[:, source.body(r)], a) for r, a in alignment(source, target).items()}
    # displacements from the upright zero pose, by which roles that the source lacks are filled in
    moved = {r: rot.multiply(quat[:, source.body(r)], rot.conjugate(s_zero[source.body(r)])) for r in source.roles}
    _, t_zero, _ = upright_zero(target)
    for role in ROLES:
        if role not in moved:
            moved[role] = _filled(role, moved)
        if target.has(role) and role not in turns:
            turns[role] = rot.multiply(moved[role], t_zero[target.body(role)])
    return turns


def _filled(role: str, moved: dict[str, Array]) -> Array:
    """The displacement of a role that is missing: between its neighbours in the trunk, else as its parent."""
    if role in SHARE and SHARE[role][0] in moved and SHARE[role][1] in moved:
        first, second, share = SHARE[role]
        return rot.slerp(moved[first], moved[second], np.full(len(moved[first]), share))
    above = PARENT.get(role)
    while above is not None and above not in moved:
        above = PARENT.get(above)
    return moved[above] if above is not None else np.tile(rot.IDENTITY, (len(next(iter(moved.values()))), 1))


def fit(target: Character, turns: dict[str, Array]) -> Array:
    """Configurations (N, nq), root at the origin, whose bodies come as near to world orientations as joints allow.

    From the root outward, each body against where its parent really is. Balls meet their orientation exactly; hinges
    take the nearest angle within their range. A ball that carries a hinge (shoulder above elbow, hip above knee) is
    turned about its bone so that the hinge bends in the right plane.
    """
    tree, model = target.tree, target.model
    count = len(next(iter(turns.values())))
    q = np.tile(target.zero_pose(), (count, 1))
    wanted = {target.body(role): w for role, w in turns.items()}
    world = np.tile(rot.IDENTITY, (count, model.nbody, 1))
    _, zero, _ = upright_zero(target)
    lateral = [target.body(f"{s}_toes") for s in SIDES if target.has(f"{s}_toes")]
    toes = {b: rot.rotate(rot.conjugate(zero[b]), np.array([0.0, 1.0, 0.0])) for b in lateral}
    for b in range(1, model.nbody):
        rest = rot.multiply(world[:, tree.parent[b]], tree.quat[b])
        goal = wanted.get(b)
        kinds = [int(tree.kind[j]) for j in tree.joints(b)]
        if goal is None:
            world[:, b] = rest
            continue
        if kinds == [FREE]:
            a = int(tree.qadr[tree.jntadr[b]])
            world[:, b] = rot.continuous(goal)
            q[:, a : a + 3], q[:, a + 3 : a + 7] = 0.0, world[:, b]
            continue
        if BALL in kinds:
            goal = _bending_plane(target, b, goal, wanted)
        local = rot.multiply(rot.conjugate(rest), goal)
        if b in toes:  # recorded toes are noise but for their bending, and even that goes where no toe can
            local = rot.from_axis_angle(toes[b], np.clip(rot.twist_angle(local, toes[b]), *TOES))
        world[:, b] = rot.multiply(rest, turn_joints(target, q, b, local, limited=True))
    return q


def _bending_plane(target: Character, b: int, goal: Array, wanted: dict[int, Array]) -> Array:
    """`goal` (N, 4) turned about the bone of body b so that the single hinge it carries can bend toward its own goal.

    The less the hinge is bent, the less its plane is known and the less is turned.
    """
    tree = target.tree
    hinged = [c for c in _limbs(target) if tree.parent[c] == b and c in wanted and tree.jntnum[c] == 1
              and tree.kind[tree.jntadr[c]] == HINGE]  # fmt: skip
    if len(hinged) != 1:
        return goal
    child = hinged[0]
    bone = tree.pos[child] / np.linalg.norm(tree.pos[child])
    side = np.cross(rot.rotate(tree.quat[child], tree.axis[tree.jntadr[child]]), bone)  # the plane in which it bends
    if np.linalg.norm(side) < 0.5:
        return goal
    side /= np.linalg.norm(side)
    # the child's own bone, straight on at rest: where it shall point, in the frame of body b
    far = rot.rotate(
        rot.multiply(rot.conjugate(goal), wanted[child]), rot.rotate(rot.conjugate(tree.quat[child]), bone)
    )
    out = far - np.sum(far * bone, axis=-1, keepdims=True) * bone
    sine2 = np.sum(out**2, axis=-1)
    angle = np.arctan2(np.sum(np.cross(side, out) * bone, axis=-1), np.sum(out * side, axis=-1))
    angle = (angle + 0.5 * np.pi) % np.pi - 0.5 * np.pi  # a plane has no front: a knee bent backward stays in it
    return rot.multiply(goal, rot.from_axis_angle(bone, angle * sine2 / (sine2 + 0.05)))


def _limbs(target: Character) -> list[int]:
    """Bodies that a hinge may carry in the middle of a limb."""
    return [target.body(f"{s}_{p}") for s in SIDES for p in ("shin", "forearm") if target.has(f"{s}_{p}")]

"""Where the joints and far ends of a file's body are in the zero pose, in metres."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from poise.character.bodies.humanoid import link_order
from poise.character.roles import PARENT, SIDES
from poise.character.skeleton import Placement, subtree
from poise.character.skeletons.palms import fingers
from poise.character.skeletons.trunk import ancestors
from poise.character.skeletons.zero_pose import Moving
from poise.maths import rotations as rot
from poise.maths.rotations import Array

_NOISE = 0.005  # [m] misfit of a frame that is worth as much as ...
_FREEDOM = 0.3  # [m] ... moving a pivot this far from the file's own joint


def fit_arms(turns: Sequence[Array], reach: Array, nominal: Sequence[Array], firm: Sequence[bool]) -> list[Array]:
    """Constant arms v_i (3,) [m], each fixed in a body, that best add up to `reach`: sum_i R_i(t) v_i = reach(t).

    `turns` are orientations (N, 4) of the bodies along the way, `reach` (N, 3) goes from the joint of the first to a
    point on the last. Arms stay near their `nominal` values where the motion does not tell; `firm` ones are kept
    exactly, but never all of them.
    """
    matrices = [rot.to_matrix(q) for q in turns]
    loose = [i for i, fixed in enumerate(firm) if not fixed]
    target = np.array(reach, float)
    for i, fixed in enumerate(firm):
        if fixed:
            target -= matrices[i] @ nominal[i]
    design = np.concatenate([matrices[i] for i in loose], axis=2)
    scale = 1.0 / (_NOISE**2 * len(target))
    normal = scale * np.einsum("nki,nkj->ij", design, design)
    right = scale * np.einsum("nki,nk->i", design, target)
    normal += np.eye(len(normal)) / _FREEDOM**2
    right += np.concatenate([nominal[i] for i in loose]) / _FREEDOM**2
    found = np.linalg.solve(normal, right).reshape(-1, 3)
    arms = [np.array(v, float) for v in nominal]
    for i, v in zip(loose, found, strict=True):
        arms[i] = v
    return arms


def standing_points(
    body: Moving, rest: Array, placement: Placement, roles: Mapping[str, int]
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Joint centres and tips (role -> (3,) [m]) in the zero pose, the pelvis at the origin; for `humanoid`.

    `rest` (J, 4) are the global rotations of the zero pose, `roles` those that become bodies. Each point is the median
    over the motion of where it is in its body. Where the file has more joints in the spine than the character, pivots
    are placed so that the chest goes where the file has it, as nearly as one joint can.
    """
    standing = _Standing(body, rest, placement, roles)
    return standing.joints, standing.tips()


class _Standing:
    def __init__(self, body: Moving, rest: Array, placement: Placement, roles: Mapping[str, int]):
        self.body, self.rest, self.placement, self.roles = body, rest, placement, roles
        self.anchor: dict[str, Array] = {}  # from a body's origin to its joint in the file, where they differ

    def turn(self, role: str) -> Array:
        """Orientations (N, 4) of a role's body in the world."""
        joint = self.roles[role]
        turn = rot.multiply(self.body.turns[:, joint], rot.conjugate(self.rest[joint]))
        return rot.multiply(rot.multiply(self.placement.turn, turn), rot.conjugate(self.placement.turn))

    def point(self, joint: int, offset: Array | None = None) -> Array:
        """World positions (N, 3) of a joint, or of a point at `offset` in its frame."""
        place = self.body.positions[:, joint]
        if offset is not None:
            place = place + rot.rotate(self.body.turns[:, joint], offset)
        return self.placement.points(place)

    def seen(self, role: str, points: Array) -> Array:
        """World points (N, 3) as seen from a role's joint, in the frame of its body (3,), median over the motion."""
        arm = points - self.point(self.roles[role])
        return np.median(rot.rotate(rot.conjugate(self.turn(role)), arm), axis=0)

    def merged(self, role: str, carrier: str) -> bool:
        """Are there joints in the file between these two roles that the character has not?"""
        return int(self.body.skeleton.parents[self.roles[role]]) != self.roles[carrier]

    @cached_property
    def joints(self) -> dict[str, Array]:
        out: dict[str, Array] = {"pelvis": np.zeros(3)}
        order = link_order(self.roles)
        out.update(self._spine())
        if "head" in self.roles and "chest" in self.roles and "neck" not in self.roles:
            out["head"] = out["chest"] + self.anchor.get("chest", np.zeros(3)) + self._neck()
        for role in order:
            if role in out:
                continue
            carrier = PARENT[role]
            while carrier not in out:
                carrier = PARENT[carrier]
            shift = self.anchor.get(carrier, np.zeros(3))
            out[role] = out[carrier] + shift + self.seen(carrier, self.point(self.roles[role]))
        return {role: out[role] for role in order}

    def _spine(self) -> dict[str, Array]:
        """Abdomen and chest; the anchor of the chest."""
        if "chest" not in self.roles:
            return {}
        chest = self.point(self.roles["chest"])
        reach = chest - self.point(self.roles["pelvis"])
        zero = np.zeros(3)
        if "abdomen" not in self.roles:
            arm = self.seen("pelvis", chest)
            if self.merged("chest", "pelvis"):
                turns = [self.turn("pelvis"), self.turn("chest")]
                arm, self.anchor["chest"] = fit_arms(turns, reach, [arm, zero], [False, False])
            return {"chest": arm}
        low = self.seen("pelvis", self.point(self.roles["abdomen"]))
        high = self.seen("abdomen", chest)
        firm = [not self.merged("abdomen", "pelvis"), False, not self.merged("chest", "abdomen")]
        turns = [self.turn(r) for r in ("pelvis", "abdomen", "chest")]
        low, high, self.anchor["chest"] = fit_arms(turns, reach, [low, high, zero], firm)
        return {"abdomen": low, "chest": low + high}

    def _neck(self) -> Array:
        """Where the head turns, from the chest's joint in the file; the anchor of the head."""
        head, chest = self.roles["head"], self.roles["chest"]
        way = [head]
        for j in ancestors(self.body.skeleton, head):
            if j == chest or chest not in ancestors(self.body.skeleton, j):
                break
            way.append(j)
        size = [float(np.median(np.linalg.norm(self.point(j) - self.point(chest), axis=-1))) for j in way]
        # the neck begins at the first joint that does not stand at the chest's own place
        base = next((j for j, s in zip(reversed(way), reversed(size), strict=True) if s > 0.25 * size[0]), head)
        self.anchor["head"] = -self.seen("head", self.point(base))
        return self.seen("chest", self.point(base))

    def tips(self) -> dict[str, Array]:
        """Far ends of head, hands and feet, where the file has joints or end sites for them."""
        out = {}
        for role in ("head", *(f"{s}_{p}" for s in SIDES for p in ("hand", "toes", "foot"))):
            if role not in self.roles or (role.endswith("foot") and role[:-4] + "toes" in self.roles):
                continue
            ahead = 0 if role.endswith(("toes", "foot")) else 2
            sense = -1.0 if role.endswith("hand") else 1.0
            ends = [self.seen(role, p) for p in self._ends(role)]
            far = max(ends, key=lambda e: sense * float(e[ahead]), default=None)
            if far is not None and np.linalg.norm(far) > 1e-6:
                out[role] = self.joints[role] + self.anchor.get(role, np.zeros(3)) + far
        return out

    def _ends(self, role: str) -> list[Array]:
        """World points (N, 3) of everything that hangs on a role's joint; of a hand without its thumb."""
        skeleton, joint = self.body.skeleton, self.roles[role]
        below = [joint, *fingers(skeleton, joint)[1]] if role.endswith("hand") else subtree(skeleton.parents, joint)
        points = [self.point(j) for j in below if j != joint]
        return points + [self.point(e.joint, e.offset) for e in skeleton.ends if e.joint in below]

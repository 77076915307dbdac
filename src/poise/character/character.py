"""Character: an articulated body ready for physics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import mujoco
import numpy as np

from poise import budgets
from poise.character.roles import ROLES, SIDES, mirrored
from poise.character.skeleton import Binding, Skeleton
from poise.errors import BadValue, UnknownBody
from poise.maths import tree as kin
from poise.maths.configuration import BALL, FREE, Layout
from poise.maths.rotations import Array


@dataclass(frozen=True, eq=False)
class ContactPoints:
    """Points of the body that may touch the ground, feet first: four corners a foot, two tips where there are toes.

    Then the hands, "left_hand_heel_inner" and so on: the heel of the hand at the wrist and the tips of the fingers.
    """

    names: tuple[str, ...]  # "left_heel_inner", "left_heel_outer", "left_ball_inner", ..., "left_tip_inner", ...
    bodies: np.ndarray  # (P,) body ids
    positions: Array  # (P, 3) in the body's frame [m]

    def __repr__(self) -> str:
        return f"<ContactPoints {', '.join(self.names)}>"

    def __len__(self) -> int:
        return len(self.names)

    def of(self, limb: str) -> np.ndarray:
        """Indices of the points of a foot ("left", "right") or of a hand ("left_hand", "right_hand")."""
        return np.array([i for i, own in enumerate(self._owners) if own == limb], int)

    @cached_property
    def _owners(self) -> tuple[str, ...]:
        """(P,) the limb of each point, "" for one that belongs to no side."""
        limbs = (*(f"{s}_hand" for s in SIDES), *SIDES)
        return tuple(next((limb for limb in limbs if n.startswith(limb)), "") for n in self.names)

    @property
    def limbs(self) -> tuple[str, ...]:
        """The feet and hands that have points: of "left", "right", "left_hand" and "right_hand"."""
        return tuple(limb for limb in (*SIDES, *(f"{s}_hand" for s in SIDES)) if limb in self._owners)

    @property
    def feet(self) -> np.ndarray:
        """Indices of all points that are not a hand's."""
        return np.array([i for i, own in enumerate(self._owners) if not own.endswith("_hand")], int)


@dataclass(frozen=True, eq=False)
class Character:
    """A compiled body with its roles, contact points, joint stiffness and torque limits.

    In the zero pose (`zero_pose()`) a humanoid stands upright facing X, legs straight, arms hanging, palms to the
    thighs, and every body frame lies along the world's axes. Both soles are at one height then, but for a body fitted
    to a recording: there they differ by as much as the recorded legs do, up to some 4 cm. `xml` is the whole model as
    MJCF; nothing else of the model is stored, so a saved character is the same character.
    """

    name: str
    xml: str
    roles: Mapping[str, str]  # role -> name of the body
    contact_points: ContactPoints
    stiffness: Array  # (nv,) [N m/rad], zero on the root
    torque_limit: Array  # (nv,) [N m], zero on the root
    binding: Binding | None = None
    notes: tuple[str, ...] = field(default=())
    stature: float | None = None  # [m] height of the person, where it is known better than from the shapes

    def __post_init__(self) -> None:
        nv = self.model.nv
        if self.stiffness.shape != (nv,) or self.torque_limit.shape != (nv,):
            raise BadValue(
                f"{self.name}: stiffness and torque limits need one number for each of {nv} degrees of freedom."
            )
        for role, body in self.roles.items():
            if role not in ROLES:
                raise UnknownBody("role", role, ROLES)
            if body not in self.body_names:
                raise UnknownBody("body", body, self.body_names)

    def __repr__(self) -> str:
        size = f"{self.model.nbody - 1} bodies, {self.model.nv} degrees of freedom"
        return f"<Character {self.name!r}: {size}, {self.mass:.1f} kg, {self.height:.2f} m>"

    def _repr_html_(self) -> str:
        from poise.export.notebook import character_html

        return character_html(self)

    @classmethod
    def from_skeleton(cls, skeleton: Skeleton, **options: Any) -> Character:
        """A character with the bones and proportions of a motion file's skeleton, its roles found by name or by shape.

        The options are those of `poise.character.skeletons.from_skeleton.from_skeleton`.
        """
        from poise.character.skeletons.from_skeleton import from_skeleton

        return from_skeleton(skeleton, **options)

    @cached_property
    def model(self) -> mujoco.MjModel:
        """The compiled MuJoCo model: the character alone, without ground."""
        return mujoco.MjModel.from_xml_string(self.xml)

    @cached_property
    def body_names(self) -> tuple[str, ...]:
        """Names of the model's bodies; index 0 is the world."""
        return tuple(self.model.body(i).name for i in range(self.model.nbody))

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the model's joints."""
        return tuple(self.model.joint(i).name for i in range(self.model.njnt))

    @cached_property
    def tree(self) -> kin.Tree:
        """What places the bodies, for `poise.maths.tree`."""
        m = self.model
        as_int = lambda a: np.ascontiguousarray(a, np.int64)  # noqa: E731
        return kin.Tree(
            as_int(m.body_parentid), m.body_pos.copy(), m.body_quat.copy(), as_int(m.body_jntadr),
            as_int(m.body_jntnum), as_int(m.jnt_type), as_int(m.jnt_qposadr), as_int(m.jnt_dofadr),
            m.jnt_axis.copy(), m.jnt_pos.copy(), m.qpos0.copy(), int(m.nv),
        )  # fmt: skip

    @cached_property
    def layout(self) -> Layout:
        """Where each joint lies in q and v, for `poise.maths.configuration`."""
        t = self.tree
        return Layout(t.kind, t.qadr, t.vadr, int(self.model.nq), int(self.model.nv))

    @cached_property
    def quaternions(self) -> np.ndarray:
        """(K, 4) where in q the rotations of the root and of the ball joints lie."""
        t = self.tree
        first = [int(a) + (3 if k == FREE else 0) for k, a in zip(t.kind, t.qadr, strict=True) if k in (FREE, BALL)]
        return np.array(first, int).reshape(-1, 1) + np.arange(4)

    @property
    def mass(self) -> float:
        """Total mass [kg]."""
        return float(self.model.body_mass.sum())

    @cached_property
    def height(self) -> float:
        """Standing height [m]: the person's stature where it is known, else from sole to crown in the zero pose.

        Skeletons of recordings often have spines that are too short; a stature told by the legs is nearer the truth.
        """
        if self.stature is not None:
            return max(self.stature, budgets.FLATTEST)
        pos, quat = kin.forward(self.tree, self.zero_pose())
        data = mujoco.MjData(self.model)
        data.qpos[:] = self.zero_pose()
        mujoco.mj_kinematics(self.model, data)
        top = max(
            (data.geom_xpos[g, 2] + _half_height(self.model, data, g) for g in range(self.model.ngeom)),
            default=float(pos[0, :, 2].max()),
        )
        feet = self.place(pos, quat, self.contact_points.bodies, self.contact_points.positions)[0, :, 2]
        low = float(feet.min()) if len(feet) else float(pos[0, 1:, 2].min())
        return max(float(top) - low, budgets.FLATTEST)

    def zero_pose(self) -> Array:
        """The zero configuration (nq,), root at the origin of the world."""
        return self.model.qpos0.copy()

    def standing_pose(self) -> Array:
        """The zero pose with its lowest contact point on the ground z = 0."""
        q = self.zero_pose()
        q[2] -= float(self.points(q)[0, :, 2].min()) if len(self.contact_points) else 0.0
        return q

    def has(self, role: str) -> bool:
        """Does this character have this role?"""
        return role in self.roles

    def body(self, name: str) -> int:
        """Id of a body given by role, by the model's own name or by the name of the file's joint that it follows."""
        own = self.roles.get(name, name)
        if own in self.body_names:
            return self.body_names.index(own)
        if self.binding is not None and name in self.binding.skeleton.names:
            follows = np.flatnonzero(self.binding.joints == self.binding.skeleton.index(name))
            if len(follows):
                return int(follows[0])
        raise UnknownBody("body", name, {*self.roles, *self.body_names[1:]})

    def dofs(self, name: str) -> np.ndarray:
        """Indices in v of the joints by which a body (role or name) moves against its parent."""
        b, width = self.body(name), {FREE: 6, BALL: 3}
        spans = [range(self.tree.vadr[j], self.tree.vadr[j] + width.get(int(self.tree.kind[j]), 1))
                 for j in self.tree.joints(b)]  # fmt: skip
        return np.array([i for span in spans for i in span], int)

    def forward(self, q: Array) -> tuple[Array, Array]:
        """World positions (N, B, 3) and orientations (N, B, 4) of all bodies for q (N, nq) or (nq,)."""
        return kin.forward(self.tree, q)

    @staticmethod
    def place(pos: Array, quat: Array, bodies: np.ndarray, local: Array) -> Array:
        """World positions (N, P, 3) of points (P, 3) fixed in bodies (P,), from what `forward` gives."""
        from poise.maths.rotations import rotate

        return pos[:, bodies] + rotate(quat[:, bodies], local)

    def points(self, q: Array) -> Array:
        """World positions (N, P, 3) of the contact points."""
        pos, quat = self.forward(q)
        return self.place(pos, quat, self.contact_points.bodies, self.contact_points.positions)

    def centre_of_mass(self, q: Array) -> Array:
        """World position (N, 3) of the centre of mass."""
        pos, quat = self.forward(q)
        com = self.place(pos, quat, np.arange(self.model.nbody), self.model.body_ipos)
        return np.einsum("b,nbi->ni", self.model.body_mass, com) / self.mass

    @cached_property
    def mirror_bodies(self) -> np.ndarray:
        """For each body the id of its mirror image (by role, or else by name), itself where it has none."""
        names = self.body_names
        swap = np.array([names.index(mirrored(n)) if mirrored(n) in names else k for k, n in enumerate(names)])
        for role, body in self.roles.items():
            other = self.roles.get(mirrored(role))
            if other is not None:
                swap[self.body_names.index(body)] = self.body_names.index(other)
        return swap


def _half_height(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> float:
    """Extent [m] of a geom above its centre along the vertical."""
    kind, size = model.geom_type[geom], model.geom_size[geom]
    up = np.abs(data.geom_xmat[geom].reshape(3, 3)[2])
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return float(size[0])
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        return float(size[0] + size[1] * up[2])
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return float(up @ size)
    if kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
        return float(np.linalg.norm(up * size))
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        return float(size[1] * up[2] + size[0] * np.sqrt(max(0.0, 1 - up[2] ** 2)))
    return float(model.geom_rbound[geom])

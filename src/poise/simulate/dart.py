"""DartSimulator: a character on level or sloping ground in DART, the second black box.

The body is built joint by joint from the character's MuJoCo model. Where a body hangs on several hinges, links of one
gram stand between them. DART has no armature (it is added to the bodies' inertia) and no joint limits here; its
contacts are hard (velocity level, boxed LCP), and parts of the body do not collide with each other. Pushes work; props,
grips, balls and moving ground are refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mujoco
import numpy as np

from poise.character import Character
from poise.dynamics import Wrench
from poise.errors import BadValue, MissingExtra
from poise.ground.ground import plane_of
from poise.kernels import njit
from poise.maths import rotations as rot
from poise.maths.configuration import BALL, FREE, HINGE, quat_difference, quat_exp, quat_rotate
from poise.maths.rotations import Array
from poise.simulate import contacts, guard
from poise.simulate.damped import DampedServo
from poise.simulate.programme import add_wrench, wrench_means
from poise.simulate.servo import Servo
from poise.simulate.simulator import Means, State, Touches
from poise.stage import Push, Stage
from poise.stage.pushes import pushes_at
from poise.take.record import CONTACT_WIDTH

_LINK = 1e-3, 1e-5  # [kg], [kg m²] of what stands between two hinges of one body
_IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


class DartSimulator:
    """Implements `Simulator`. Columns of contacts and wrenches are those of the MuJoCo backend."""

    def __init__(self, character: Character, stage: Stage | None = None, dt: float = 1 / 960):
        self.character, self.stage, self.dt = character, stage or Stage(), float(dt)
        _check(self.stage)
        try:
            import dartpy
        except ImportError:
            raise MissingExtra("DART", "dart") from None
        self._dart: Any = dartpy
        self.others = ("ground", *character.body_names[1:])
        self.labels = ("push", "assist")
        self._build()
        bodies = character.model.nbody
        self._touches, self._sums = (
            np.zeros((contacts.MOST_TOUCHES, CONTACT_WIDTH)),
            np.zeros((contacts.MOST_SUMS, contacts.SUM_WIDTH)),
        )
        self._counts = np.zeros(2, np.int64)
        self._push, self._assist = np.zeros((bodies, 10)), np.zeros((bodies, 10))
        self._torque, self._steps, self._start, self._count = np.zeros(character.model.nv), 0, 0.0, 0
        self.reset(character.standing_pose())

    def _build(self) -> None:
        """The skeleton, the ground and the world."""
        dart, model, tree = self._dart, self.character.model, self.character.tree
        body = dart.dynamics.Skeleton("character")
        nodes: list[Any] = [None] * model.nbody
        self._order = np.zeros(model.nv, np.int64)  # of our degrees of freedom in DART's
        for b in range(1, model.nbody):
            parent = node = nodes[int(model.body_parentid[b])]
            place, joints = _pose(dart, model.body_pos[b], model.body_quat[b]), list(tree.joints(b))
            if not joints:
                joint, node = body.createWeldJointAndBodyNodePair(parent)
                joint.setTransformFromParentBodyNode(place)
            for k, j in enumerate(joints):
                if np.abs(model.jnt_pos[j]).max() > 1e-9 and tree.kind[j] != FREE:
                    raise BadValue(f"DART needs joints at the origins of their bodies; {model.joint(j).name} is not.")
                joint, node = _joint(body, parent, int(tree.kind[j]), model.jnt_axis[j])
                if tree.kind[j] != FREE:
                    joint.setTransformFromParentBodyNode(place if k == 0 else _pose(dart, np.zeros(3), _IDENTITY))
                width = {FREE: 6, BALL: 3}.get(int(tree.kind[j]), 1)
                first = int(tree.vadr[j])
                self._order[first : first + width] = joint.getIndexInSkeleton(0) + np.arange(width)
                node.setInertia(dart.dynamics.Inertia(_LINK[0], np.zeros(3), _LINK[1] * np.eye(3)))
                parent = node
            node.setName(self.character.body_names[b])
            node.setInertia(_inertia(dart, model, b))
            nodes[b] = node
            for g in range(int(model.body_geomadr[b]), int(model.body_geomadr[b]) + int(model.body_geomnum[b])):
                _shape(dart, model, g, node, self.stage.friction)
        self._ids = {self.character.body_names[b]: b for b in range(1, model.nbody)}
        self._nodes, self._body = nodes, body
        self._body.disableSelfCollisionCheck()
        self._world = dart.simulation.World()
        self._world.setGravity(np.array(model.opt.gravity))
        self._world.setTimeStep(self.dt)
        self._world.setCollisionDetector(dart.collision.BulletCollisionDetector())
        self._world.addSkeleton(body)
        self._world.addSkeleton(_ground(dart, self.stage))

    @property
    def time(self) -> float:
        """Now [s]."""
        return self._start + self._count * self.dt

    def reset(self, q: Array, v: Array | None = None, time: float = 0.0) -> None:
        """Begin with this state."""
        nv = self.character.model.nv
        q, v = np.asarray(q, float), np.zeros(nv) if v is None else np.asarray(v, float)
        if q.shape != (self.character.model.nq,) or v.shape != (nv,):
            raise BadValue(f"{self.character.name} needs q ({self.character.model.nq},) and v ({nv},).")
        tree = self.character.tree
        x, w = np.zeros(nv), np.zeros(nv)
        _to_dart(tree.kind, tree.qadr, tree.vadr, q, v, x, w)
        self._body.setPositions(_scattered(x, self._order))
        self._body.setVelocities(_scattered(w, self._order))
        self._start, self._count, self._steps = float(time), 0, 0
        self._counts[:] = 0
        self._torque[:], self._push[:], self._assist[:] = 0.0, 0.0, 0.0
        self._q, self._v = q.copy(), v.copy()
        for _ in range(2):  # Bullet remembers contacts of the pose before for one check
            self._world.checkCollision()
        self._read()
        self._counts[1] = 0

    def state(self) -> State:
        """The character now."""
        return State(self.time, self._q.copy(), self._v.copy())

    def touches(self) -> Touches:
        """What it touched in the step just taken."""
        return Touches(self._touches[: self._counts.item(0)].copy(), self.others)

    def external(self) -> list[Wrench]:
        """The pushes that act now."""
        return pushes_at(self.stage, self.character, self._q, self.time, self.dt)

    def props(self) -> dict[str, Array]:
        """There are none."""
        return {}

    def step(self, torque: Array | Servo | DampedServo, assist: Sequence[Wrench] | Array = (), steps: int = 1,
             slippery: Mapping[int, float] | None = None) -> None:  # fmt: skip
        """Time steps under joint torques (nv,) or a servo, wrenches of assistance and the pushes that are due."""
        if isinstance(torque, DampedServo):
            raise BadValue(
                "DART has no servos with implicit damping, which rehearsals and momentum-torques need: perform "
                "them in MuJoCo."
            )
        if isinstance(torque, Servo):
            for _ in range(steps):
                self.step(torque.torque(self._q, self._v, self.time), assist, 1, slippery)
            return
        if slippery:
            raise BadValue("DART cannot change the friction of single bodies while it runs.")
        if not np.all(np.isfinite(torque)) or torque[:6].any():
            raise guard.BlowUp("A torque is not finite, or acts on the root.", self.time, None)
        for _ in range(steps):
            self._body.setForces(_scattered(torque, self._order))
            for wrenches, sums in ((self.external(), self._push), (_wrenches(assist), self._assist)):
                for w in wrenches:
                    self._apply(w, sums)
            self._world.step()
            self._count += 1
            self._steps += 1
            self._torque += torque
            self._read_state()
            self._read()

    def _apply(self, w: Wrench, sums: Array) -> None:
        node, moment = self._nodes[w.body], np.zeros(3) if w.moment is None else np.asarray(w.moment, float)
        point, force = np.asarray(w.point, float), np.asarray(w.force, float)
        node.addExtForce(force, point, False, False)
        node.addExtTorque(moment, False)
        add_wrench(sums[w.body], point, force, moment, self.dt)

    def _read_state(self) -> None:
        tree = self.character.tree
        x, w = self._body.getPositions()[self._order], self._body.getVelocities()[self._order]
        self._q, self._v = np.empty(self.character.model.nq), np.empty(self.character.model.nv)
        _from_dart(tree.kind, tree.qadr, tree.vadr, x, w, self._q, self._v)
        if not np.all(np.abs(self._v) < contacts.FASTEST):
            raise guard.BlowUp(f"The simulation blew up at {self.time:.4f} s in DART.", self.time, None)

    def _read(self) -> None:
        """Contacts of the step just taken, into the table and the sums."""
        rows = []
        for c in self._world.getLastCollisionResult().getContacts():
            names = [o.getShapeFrame().asShapeNode().getBodyNodePtr().getName()
                     for o in (c.collisionObject1, c.collisionObject2)]  # fmt: skip
            own = [n in self._ids for n in names]
            if own[0] == own[1]:
                continue
            body, sign = (self._ids[names[0]], 1.0) if own[0] else (self._ids[names[1]], -1.0)
            normal, point = sign * np.asarray(c.normal), np.asarray(c.point)
            node = self._nodes[body]
            speed = node.getLinearVelocity(node.getTransform().inverse().multiply(point))
            slip = float(np.linalg.norm(speed - (speed @ normal) * normal))
            rows.append([body, 0.0, *point, *normal, *(sign * np.asarray(c.force)), 0.0, 0.0, 0.0,
                         self.stage.friction, c.penetrationDepth, slip, 0.0])  # fmt: skip
        self._counts[0] = 0
        table = np.array(rows, float).reshape(-1, 18)
        contacts.add_rows(table, self.dt, self._touches, self._sums, self._counts)

    def collect(self) -> Means:
        """Means since the last call or the reset."""
        steps = self._steps or 1
        rows, torque = np.empty((self._counts.item(1), 18)), np.empty(len(self._torque))
        contacts.mean_rows(self._sums, len(rows), self._torque, steps, self.dt, rows, torque)
        seconds, bodies = steps * self.dt, range(len(self._push))
        out = Means(torque, rows, wrench_means(self._push, bodies, 0, seconds),
                    wrench_means(self._assist, bodies, 1, seconds))  # fmt: skip
        self._counts[1] = self._steps = 0
        self._push[:], self._assist[:] = 0.0, 0.0
        return out

    def happened(self) -> list[tuple[float, str, str]]:
        """Nothing is told."""
        return []

    def save(self) -> Array:
        """The state; DART's solver keeps nothing else from step to step."""
        return np.concatenate([[self._start, self._count], self._q, self._v])

    def load(self, saved: Array) -> None:
        """Go back to what `save` gave."""
        nq = self.character.model.nq
        self.reset(saved[2 : 2 + nq], saved[2 + nq :], float(saved[0]))
        self._count = int(saved[1])


def _check(stage: Stage) -> None:
    if plane_of(stage.ground) is None:
        raise BadValue("DART knows level and sloping ground; other grounds are for MuJoCo.")
    if stage.props or stage.grips or any(not isinstance(e, Push) for e in stage.events):
        raise BadValue("DART knows pushes; props, grips, balls and platforms are for MuJoCo.")


def _wrenches(assist: Sequence[Wrench] | Array) -> list[Wrench]:
    if isinstance(assist, np.ndarray):
        return [Wrench(int(r[0]), r[1:4], r[4:7], r[7:10]) for r in assist]
    return list(assist)


def _pose(dart: Any, place: Array, turn: Array) -> Any:
    out = dart.math.Isometry3()
    out.set_translation(np.array(place, float))
    out.set_rotation(rot.to_matrix(np.array(turn, float)))
    return out


def _joint(body: Any, parent: Any, kind: int, axis: Array) -> tuple[Any, Any]:
    if kind == FREE:
        return body.createFreeJointAndBodyNodePair(parent)
    if kind == BALL:
        return body.createBallJointAndBodyNodePair(parent)
    if kind != HINGE:
        raise BadValue("DART is given free, ball and hinge joints; this character has others.")
    joint, node = body.createRevoluteJointAndBodyNodePair(parent)
    joint.setAxis(np.array(axis, float))
    return joint, node


def _inertia(dart: Any, model: mujoco.MjModel, body: int) -> Any:
    turn = rot.to_matrix(model.body_iquat[body])
    moment = turn @ np.diag(model.body_inertia[body]) @ turn.T
    first, count = int(model.body_dofadr[body]), int(model.body_dofnum[body])
    if count and first >= 6:  # the armature of small joints becomes inertia of the body that they turn
        moment = moment + float(model.dof_armature[first : first + count].max()) * np.eye(3)
    return dart.dynamics.Inertia(float(model.body_mass[body]), model.body_ipos[body].copy(), moment)


def _shape(dart: Any, model: mujoco.MjModel, geom: int, node: Any, friction: float) -> None:
    """Give a body the shape of a geom that collides."""
    if not (model.geom_contype[geom] or model.geom_conaffinity[geom]):
        return
    size, kinds, d = model.geom_size[geom], mujoco.mjtGeom, dart.dynamics
    made = {
        int(kinds.mjGEOM_BOX): lambda: d.BoxShape(2 * size),
        int(kinds.mjGEOM_SPHERE): lambda: d.SphereShape(size[0]),
        int(kinds.mjGEOM_CAPSULE): lambda: d.CapsuleShape(size[0], 2 * size[1]),
        int(kinds.mjGEOM_CYLINDER): lambda: d.CylinderShape(size[0], 2 * size[1]),
        int(kinds.mjGEOM_ELLIPSOID): lambda: d.EllipsoidShape(2 * size),
    }.get(int(model.geom_type[geom]))
    if made is not None:
        shape = node.createShapeNode(made())
        shape.setRelativeTransform(_pose(dart, model.geom_pos[geom], model.geom_quat[geom]))
        shape.createCollisionAspect()
        shape.createDynamicsAspect()
        shape.getDynamicsAspect().setFrictionCoeff(friction)


def _ground(dart: Any, stage: Stage) -> Any:
    """A large box whose top is the ground."""
    ground = dart.dynamics.Skeleton("ground")
    joint, node = ground.createWeldJointAndBodyNodePair()
    node.setName("the ground")
    normal = np.asarray(stage.ground.normal(np.zeros(1), np.zeros(1)))[0]
    turn = rot.between(np.array([0.0, 0.0, 1.0]), normal)
    top = np.array([0.0, 0.0, float(stage.ground.height(np.zeros(1), np.zeros(1))[0])])
    joint.setTransformFromParentBodyNode(_pose(dart, top - 0.5 * normal, turn))
    shape = node.createShapeNode(dart.dynamics.BoxShape(np.array([200.0, 200.0, 1.0])))
    shape.createCollisionAspect()
    shape.createDynamicsAspect()
    shape.getDynamicsAspect().setFrictionCoeff(stage.friction)
    ground.setMobile(False)
    return ground


def _scattered(values: Array, order: np.ndarray) -> Array:
    out = np.empty(len(values))
    out[order] = values
    return out


@njit(cache=True)
def _to_dart(kind, qadr, vadr, q, v, x, w):
    """Positions x and velocities w (nv,): a free joint has turn and place, and a twist in the body's own axes."""
    one, back, local = np.array([1.0, 0.0, 0.0, 0.0]), np.empty(4), np.empty(3)
    for j in range(kind.shape[0]):
        a, d = qadr[j], vadr[j]
        if kind[j] == FREE:
            quat_difference(one, q[a + 3 : a + 7], x[d : d + 3])
            x[d + 3 : d + 6] = q[a : a + 3]
            w[d : d + 3] = v[d + 3 : d + 6]
            back[0] = q[a + 3]
            back[1:] = -q[a + 4 : a + 7]
            quat_rotate(back, v[d : d + 3], local)
            w[d + 3 : d + 6] = local
        elif kind[j] == BALL:
            quat_difference(one, q[a : a + 4], x[d : d + 3])
            w[d : d + 3] = v[d : d + 3]
        else:
            x[d], w[d] = q[a], v[d]


@njit(cache=True)
def _from_dart(kind, qadr, vadr, x, w, q, v):
    """The inverse of `_to_dart`."""
    turn, world = np.empty(4), np.empty(3)
    for j in range(kind.shape[0]):
        a, d = qadr[j], vadr[j]
        if kind[j] == FREE:
            quat_exp(x[d : d + 3], turn)
            q[a : a + 3] = x[d + 3 : d + 6]
            q[a + 3 : a + 7] = turn
            quat_rotate(turn, w[d + 3 : d + 6], world)
            v[d : d + 3] = world
            v[d + 3 : d + 6] = w[d : d + 3]
        elif kind[j] == BALL:
            quat_exp(x[d : d + 3], turn)
            q[a : a + 4] = turn
            v[d : d + 3] = w[d : d + 3]
        else:
            q[a], v[d] = x[d], w[d]

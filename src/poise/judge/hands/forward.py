"""The hardest proof of a solution: performed forward in MuJoCo, finger servos at the joints, the object free.

The wrists are led along their tracks. Each finger has position servos towards the solution, and the torques Jᵀf of
contact
forces that give the object its motion, well inside the friction cones: forces on their borders would slip at once.
Nothing looks at the object while it moves.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.interpolate import CubicSpline

from poise.character.library.hand import joint_names, link_name
from poise.judge.hands.pressing import pressing
from poise.judge.hands.world import model_xml
from poise.maths.rotations import Array, angle_between, conjugate, log, multiply
from poise.methods.hands.scene import Scene, Track
from poise.methods.hands.solution import Solution

STEP = 1e-3  # [s] of the simulation
GAIN, DAMPING = 30.0, 0.2  # [N m/rad], [N m s/rad] of a finger's servos
INSIDE = (0.45, 0.6, 0.75, 0.9, 1.0)  # shares of µ within which the wanted forces lie; the first that can be is taken
SQUEEZE = 0.5  # [N] that every contact is pressed with beyond what the motion needs
PLACE, ANGLE = 0.01, 10.0  # [m], [degrees] within which the object must stay


@dataclass(frozen=True, eq=False)
class Performed:
    """How the object went, against its track."""

    place: Array  # (T,) [m] away from it
    angle: Array  # (T,) [degrees]
    track: Track  # where the object was, its centre of mass

    @property
    def kept(self) -> bool:
        """Did the object stay within 1 cm and 10 degrees of its track, from the first to the last frame?"""
        return bool(np.all(self.place <= PLACE) and np.all(self.angle <= ANGLE))


def perform_forward(scene: Scene, solution: Solution, squeeze: float = SQUEEZE) -> Performed:
    """Perform a solution; the object begins on its track, at rest where that does not move."""
    m, d = _world(scene)
    T, fps, per = len(scene), scene.fps, round(1 / scene.fps / STEP)
    m.opt.timestep = 1 / fps / per
    times = np.arange(T) / fps
    spline = CubicSpline(times, solution.q.transpose(1, 0, 2, 3).reshape(T, -1))
    speed = spline.derivative()
    wrists = [scene.wrists[s] for s in scene.sides]
    torque = _torques(scene, solution, squeeze)
    c = scene.centre
    d.qpos[:7] = np.r_[c.place[0], c.turn[0]]
    place, turn = [c.place[0]], [c.turn[0]]
    v0 = (c.place[1] - c.place[0]) * fps
    d.qvel[:3] = v0
    for t in range(T - 1):
        for k in range(per):
            u = k / per
            now = (t + u) / fps
            q, v = spline(now), speed(now)
            for h, wrist in enumerate(wrists):
                a, b = 7 + 37 * h, 6 + 36 * h
                _lead(d, wrist, t, u, fps, a, b)
                mine = slice(30 * h, 30 * h + 30)
                if t == 0 and k == 0:
                    d.qpos[a + 7 : a + 37], d.qvel[b + 6 : b + 36] = q[mine], v[mine]
                d.ctrl[mine] = q[mine] + DAMPING / GAIN * v[mine]
                tau = (1 - u) * torque[t, mine] + u * torque[t + 1, mine]
                d.qfrc_applied[b + 6 : b + 36] = tau
            mujoco.mj_step(m, d)
        place.append(d.qpos[:3].copy())
        turn.append(d.qpos[3:7].copy())
        if not np.all(np.isfinite(d.qpos)):
            break
    missing = T - len(place)
    places = np.array(place + [np.full(3, 1e3)] * missing)
    turns = np.array(turn + [np.array([1.0, 0, 0, 0])] * missing)
    return Performed(
        np.linalg.norm(places - c.place, axis=1), np.degrees(angle_between(turns, c.turn)), Track(places, turns)
    )


def _lead(d: mujoco.MjData, wrist: Track, t: int, u: float, fps: float, a: int, b: int) -> None:
    """Set place and speed of a wrist between frames t and t + 1."""
    d.qpos[a : a + 3] = (1 - u) * wrist.place[t] + u * wrist.place[t + 1]
    turn = log(multiply(conjugate(wrist.turn[t]), wrist.turn[t + 1]))
    q = wrist.turn[t].copy()
    mujoco.mju_quatIntegrate(q, turn, u)
    d.qpos[a + 3 : a + 7] = q
    d.qvel[b : b + 3] = (wrist.place[t + 1] - wrist.place[t]) * fps
    d.qvel[b + 3 : b + 6] = turn * fps


def _world(scene: Scene) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The model with servos: fingers touch the object, the object touches table and stands."""
    names = [name for side in scene.sides for name in joint_names(side)]
    servos = "".join(f'<position joint="{n}" kp="{GAIN:g}" kv="{DAMPING:g}"/>' for n in names)
    extra = f"<actuator>{servos}</actuator>"
    xml = model_xml(scene, free=True, extra=extra)
    for side in scene.sides:
        xml = xml.replace(
            f'<body name="{side}_wrist" mocap="true">', f'<body name="{side}_wrist"><freejoint name="{side}_root"/>', 1
        )
    m = mujoco.MjModel.from_xml_string(xml)
    m.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    m.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    m.opt.impratio = 20.0
    thing = m.body("thing").id
    for g in range(m.ngeom):
        name, body = m.geom(g).name, int(m.geom_bodyid[g])
        m.geom_condim[g], m.geom_solref[g], m.geom_solimp[g, :3] = 4, (0.004, 1.0), (0.95, 0.99, 0.0005)
        if body == thing:
            m.geom_contype[g], m.geom_conaffinity[g], m.geom_friction[g, :2] = 2, 5, (0.01, 1e-4)
        elif name.startswith(("table", "stand")):
            m.geom_contype[g], m.geom_conaffinity[g], m.geom_friction[g, :2] = 4, 2, (scene.table_friction, 1e-4)
        elif name.endswith("forearm"):
            m.geom_contype[g] = m.geom_conaffinity[g] = 0
        else:
            m.geom_contype[g], m.geom_conaffinity[g], m.geom_friction[g, :2] = 1, 2, (scene.friction, 0.004)
    for side in scene.sides:
        b = m.body(f"{side}_wrist").id
        m.body_mass[b], m.body_inertia[b] = 1e3, 10.0
        m.body_gravcomp[:] = 1.0
    m.body_gravcomp[thing] = 0.0
    m.dof_armature[6:] = 1e-4
    d = mujoco.MjData(m)
    mujoco.mj_setConst(m, d)
    return m, d


def _torques(scene: Scene, solution: Solution, squeeze: float) -> Array:
    """(T, 30 H) [N m] that press the object with forces inside their cones which give it its motion."""
    m, _ = _world(scene)
    d = mujoco.MjData(m)
    T, H = len(scene), len(scene.sides)
    out, jac = np.zeros((T, 30 * H)), np.zeros((3, m.nv))
    c = scene.centre
    for t, (rows, owner, points, forces) in enumerate(pressing(scene, solution, INSIDE, squeeze)):
        d.qpos[:7] = np.r_[c.place[t], c.turn[t]]
        for h, side in enumerate(scene.sides):
            a = 7 + 37 * h
            d.qpos[a : a + 7] = np.r_[scene.wrists[side].place[t], scene.wrists[side].turn[t]]
            d.qpos[a + 7 : a + 37] = solution.q[h, t].ravel()
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        R = c.matrix[t]
        for k, p, f in zip(owner, points, forces, strict=True):
            h, finger, link = (int(v) for v in rows[k, :3])
            body = m.body(link_name(scene.sides[h], finger, link)).id
            mujoco.mj_jac(m, d, jac, None, c.place[t] + R @ p, body)
            b = 6 + 36 * h
            out[t, 30 * h : 30 * h + 30] += jac[:, b + 6 : b + 36].T @ (R @ f)
    return out

"""The hardest proof of a solution: performed forward in MuJoCo, finger servos at the joints, the object free.

The wrists are led along their tracks. Each finger has position servos towards the solution, and the torques Jᵀf of
contact forces that give the object its motion, well inside the friction cones: forces on their borders would slip at
once. Nothing looks at the object while it moves.

Pads: the search's proxy points stand for a patch of some millimetres, so links resist twist by µ times its radius.
MuJoCo's contact solver does not know the servos' damping; it is given as the inertia c h that it amounts to in a step.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.interpolate import CubicSpline

from poise.character.library.hand import joint_names
from poise.judge.hands.commands import commands
from poise.judge.hands.world import model_xml
from poise.maths.rotations import Array, angle_between, conjugate, log, multiply
from poise.methods.hands.scene import Scene, Track
from poise.methods.hands.solution import Solution

STEP = 1e-3  # [s] of the simulation
GAIN, DAMPING = 10.0, 0.1  # [N m/rad], [N m s/rad] of a finger's servos
PATCH = 4e-3  # [m] radius of a pad, as the search's proxy points have it
PLACE, ANGLE = 0.01, 10.0  # [m], [degrees] within which the object must stay
_HAND, _THING, _AROUND = 1, 2, 4  # what touches what


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

    @property
    def worst(self) -> float:
        """How far it went off, 1 at the bars."""
        return float(max(self.place.max() / PLACE, self.angle.max() / ANGLE))


def perform_forward(scene: Scene, solution: Solution) -> Performed:
    """Perform a solution; the object begins on its track, at rest where that does not move."""
    m, d = _world(scene)
    T, fps, per, c = len(scene), scene.fps, round(1 / scene.fps / STEP), scene.centre
    m.opt.timestep = 1 / fps / per
    target, torque = commands(m, scene, solution)
    spline = CubicSpline(np.arange(T) / fps, target)
    now = np.arange((T - 1) * per) / per
    q, v = spline(now / fps), spline(now / fps, 1)
    wrists = [scene.wrists[s] for s in scene.sides]
    d.qpos[:7], d.qvel[:3] = np.r_[c.place[0], c.turn[0]], (c.place[1] - c.place[0]) * fps
    for h in range(len(wrists)):
        mine = slice(30 * h, 30 * h + 30)
        d.qpos[14 + 37 * h : 44 + 37 * h], d.qvel[12 + 36 * h : 42 + 36 * h] = q[0, mine], v[0, mine]
    seen = [d.qpos[:7].copy()]
    for t in range(T - 1):
        for k in range(t * per, (t + 1) * per):
            u = k / per - t
            d.ctrl[:] = q[k] + DAMPING / GAIN * v[k]
            pushed = (1 - u) * torque[t] + u * torque[t + 1]
            for h, wrist in enumerate(wrists):
                _lead(d, wrist, t, u, fps, 7 + 37 * h, 6 + 36 * h)
                d.qfrc_applied[12 + 36 * h : 42 + 36 * h] = pushed[30 * h : 30 * h + 30]
            mujoco.mj_step(m, d)
        if not np.all(np.isfinite(d.qpos)):
            break
        seen.append(d.qpos[:7].copy())
    seen += [np.r_[1e3, 1e3, 1e3, 1.0, 0, 0, 0]] * (T - len(seen))
    track = Track(np.array(seen)[:, :3], np.array(seen)[:, 3:])
    return Performed(
        np.linalg.norm(track.place - c.place, axis=1), np.degrees(angle_between(track.turn, c.turn)), track
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
    xml = model_xml(scene, free=True, extra=f"<actuator>{servos}</actuator>")
    for side in scene.sides:
        xml = xml.replace(
            f'<body name="{side}_wrist" mocap="true">', f'<body name="{side}_wrist"><freejoint name="{side}_root"/>', 1
        )
    m = mujoco.MjModel.from_xml_string(xml)
    m.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    m.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    m.opt.impratio, m.opt.noslip_iterations = 20.0, 5
    m.geom_condim[:], m.geom_solref[:], m.geom_solimp[:, :3] = 4, (0.004, 1.0), (0.95, 0.99, 0.0005)
    thing = m.body("thing").id
    for g in range(m.ngeom):
        name = m.geom(g).name
        if m.geom_bodyid[g] == thing:
            _touch(m, g, _THING, _HAND | _AROUND, 0.01, 1e-4)
        elif name.startswith(("table", "stand")):
            _touch(m, g, _AROUND, _THING, scene.table_friction, 1e-4)
        elif name.endswith("forearm"):
            _touch(m, g, 0, 0, 0.01, 1e-4)
        else:
            _touch(m, g, _HAND, _THING, scene.friction, PATCH * scene.friction)
    for side in scene.sides:
        b = m.body(f"{side}_wrist").id
        m.body_mass[b], m.body_inertia[b] = 1e3, 10.0
    m.body_gravcomp[:] = 1.0
    m.body_gravcomp[thing] = 0.0
    m.dof_armature[6:] = DAMPING * STEP
    d = mujoco.MjData(m)
    mujoco.mj_setConst(m, d)
    return m, d


def _touch(m: mujoco.MjModel, g: int, kind: int, others: int, friction: float, twist: float) -> None:
    """What a geom is, what it touches, and its friction along the surface and against twisting [m]."""
    m.geom_contype[g], m.geom_conaffinity[g], m.geom_friction[g, :2] = kind, others, (friction, twist)

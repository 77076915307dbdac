"""Takes of simulations in plain MuJoCo, recorded by hand: nothing of poise's own simulator is used."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np

import poise
from poise.character import Character
from poise.motion.clip import Clip
from poise.take import Recorder, Take

Meddle = Callable[[mujoco.MjModel, mujoco.MjData], None]
STEP, FRAME = 1 / 960, 1 / 120


def flat(spec: mujoco.MjSpec, friction: float) -> None:
    """A floor."""
    add(spec, mujoco.mjtGeom.mjGEOM_PLANE, [20, 20, 1], [0, 0, 0], friction)


def slope(degrees: float) -> Callable[[mujoco.MjSpec, float], None]:
    """A plane that rises along X."""
    half = -0.5 * np.radians(degrees)

    def lay(spec: mujoco.MjSpec, friction: float) -> None:
        add(spec, mujoco.mjtGeom.mjGEOM_PLANE, [20, 20, 1], [0, 0, 0], friction, [np.cos(half), 0, np.sin(half), 0])

    return lay


def stairs(spec: mujoco.MjSpec, friction: float) -> None:
    """Steps of 0.15 m by 0.3 m from x = 0.5 on, as `poise.Stairs` has them."""
    flat(spec, friction)
    for k in range(8):
        add(
            spec,
            mujoco.mjtGeom.mjGEOM_BOX,
            [0.15, 2.0, 0.075 * (k + 1)],
            [0.65 + 0.3 * k, 0, 0.075 * (k + 1)],
            friction,
        )


def add(spec: mujoco.MjSpec, kind: int, size: list[float], place: list[float], friction: float, turn=None) -> None:
    spec.worldbody.add_geom(type=kind, size=size, pos=place, quat=turn or [1, 0, 0, 0],
                            friction=[friction, 0.005, 0.0001], condim=3)  # fmt: skip


def simulate(clip: Clip, seconds: float = 0.6, *, ground=flat, friction: float = 1.0, stage: object = None,
             q: np.ndarray | None = None, v: np.ndarray | None = None, gain: float = 1.0, meddle: Meddle | None = None,
             step: float = STEP, told: float | None = None) -> Take:  # fmt: skip
    """A take of the character held by springs in its starting pose; `meddle` may do what is not recorded."""
    character = clip.character
    spec = mujoco.MjSpec.from_string(character.xml)
    spec.option.timestep, spec.option.cone = step, mujoco.mjtCone.mjCONE_ELLIPTIC
    for geom in spec.geoms:
        geom.friction[0] = min(friction, geom.friction[0])
    ground(spec, friction)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:] = character.standing_pose() if q is None else q
    data.qvel[:] = 0.0 if v is None else v
    return _record(clip, model, data, seconds, gain, meddle, Recorder(clip, method="plain", stage=stage,
                   step=step if told is None else told), friction)  # fmt: skip


def _record(clip, model, data, seconds, gain, meddle, recorder: Recorder, friction: float) -> Take:
    character, per = clip.character, round(FRAME / model.opt.timestep)
    target, error = data.qpos.copy(), np.zeros(model.nv)
    recorder.begin(others=("ground", *character.body_names[1:]))
    for k in range(round(seconds / FRAME)):
        q, v, torque, rows = data.qpos.copy(), data.qvel.copy(), np.zeros(model.nv), Sums(per)
        for _ in range(per):
            mujoco.mj_differentiatePos(model, error, 1.0, data.qpos, target)
            drive = gain * character.stiffness * (error - 0.01 * data.qvel)
            drive = np.clip(drive, -character.torque_limit, character.torque_limit)
            drive[:6] = 0.0
            torque += drive / per
            data.qfrc_applied[:] = drive
            data.xfrc_applied[:] = 0.0
            if meddle is not None:
                meddle(model, data)
            mujoco.mj_step(model, data)
            rows.read(model, data, friction)
        recorder.frame(k * FRAME, q, v, torque, rows.table())
    recorder.frame(round(seconds / FRAME) * FRAME, data.qpos, data.qvel, np.zeros(model.nv))
    return recorder.finish({"loop": 1.0})


class Sums:
    """Contacts summed over a frame, one row for two shapes."""

    def __init__(self, steps: int):
        self.steps, self.rows, self.force = steps, {}, np.zeros(6)

    def read(self, model: mujoco.MjModel, data: mujoco.MjData, friction: float) -> None:
        for c in range(data.ncon):
            contact = data.contact[c]
            mujoco.mj_contactForce(model, data, c, self.force)
            axes = contact.frame.reshape(3, 3)
            bodies = model.geom_bodyid[[contact.geom1, contact.geom2]]
            for mine, his, sign in ((bodies[1], bodies[0], 1.0), (bodies[0], bodies[1], -1.0)):
                if mine:
                    key = (int(mine), int(his), int(contact.geom1), int(contact.geom2))
                    force, normal = sign * axes.T @ self.force[:3], sign * axes[0]
                    row = self.rows.setdefault(key, [np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), 0.0, 0.0])
                    weight = max(float(force @ normal), 0.0) + 1e-9
                    for total, part in zip(row, (weight * contact.pos, weight * normal, force,
                                                 np.cross(contact.pos, force)), strict=False):  # fmt: skip
                        total += part
                    row[4] += weight
                    row[5] = max(row[5], -contact.dist)
        self.friction = friction

    def table(self) -> np.ndarray:
        out = []
        for (mine, his, _, _), (place, normal, force, moment, weight, depth) in self.rows.items():
            point, mean = place / weight, force / self.steps
            rest = moment / self.steps - np.cross(point, mean)
            out.append(
                [mine, his, *point, *(normal / np.linalg.norm(normal)), *mean, *rest, self.friction, depth, 0, 0]
            )
        return np.array(out, float).reshape(-1, 18)


def standing() -> tuple[Clip, Character]:
    """A short clip of human42 standing, and its character."""
    clip = poise.load_clip("stand")
    return clip, clip.character

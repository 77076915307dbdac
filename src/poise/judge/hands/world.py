"""A scene with hands as a MuJoCo model: wrists that are led, fingers with joints, the object led or free."""

from __future__ import annotations

import mujoco

from poise.character.library.hand import body_xml
from poise.methods.hands.scene import Scene

CLOTHES = "0.35 0.6 0.85 1"


def model_xml(scene: Scene, *, free: bool = False, extra: str = "") -> str:
    """MJCF of the scene; `free`: the object moves by physics and touches hands, table and stands."""
    assets, geoms = scene.thing.geoms_xml(CLOTHES)
    hands = []
    for side in scene.sides:
        body = body_xml(side, solid=free)
        hands.append(body.replace(f'<body name="{side}_wrist">', f'<body name="{side}_wrist" mocap="true">', 1))
    around = [
        f'<geom name="stand_{k}" type="box" size="{s.size[0] / 2:g} {s.size[1] / 2:g} {s.size[2] / 2:g}" '
        f'pos="{s.place[0]:g} {s.place[1]:g} {s.place[2]:g}" rgba="0.6 0.52 0.42 1"/>'
        for k, s in enumerate(scene.stands)
    ]
    if scene.table is not None:
        around.append(
            f'<geom name="table" type="plane" size="1 1 0.01" pos="0 0 {scene.table:g}" rgba="0.8 0.8 0.78 1"/>'
        )
    I = scene.thing.inertia
    inertial = (
        f'<inertial pos="0 0 0" mass="{scene.thing.mass:.9g}" fullinertia="{I[0, 0]:.9g} {I[1, 1]:.9g} '
        f'{I[2, 2]:.9g} {I[0, 1]:.9g} {I[0, 2]:.9g} {I[1, 2]:.9g}"/>'
    )
    joint = '<freejoint name="thing"/>'
    return (
        f'<mujoco model="{scene.name}"><compiler angle="radian" autolimits="true" balanceinertia="true"/>'
        f"<asset>{assets}</asset><worldbody>{''.join(around)}"
        f'<body name="thing">{joint}{inertial}{geoms}</body>{"".join(hands)}</worldbody>{extra}</mujoco>'
    )


def build(scene: Scene, **options: object) -> mujoco.MjModel:
    """The compiled model."""
    return mujoco.MjModel.from_xml_string(model_xml(scene, **options))  # type: ignore[arg-type]


def set_frame(model: mujoco.MjModel, data: mujoco.MjData, scene: Scene, q, t: int) -> None:
    """Put wrists, object and fingers q (H, 5, 6) where they are at frame t."""
    c = scene.centre
    data.qpos[:3], data.qpos[3:7] = c.place[t], c.turn[t]
    for h, side in enumerate(scene.sides):
        k = model.body(f"{side}_wrist").mocapid[0]
        data.mocap_pos[k], data.mocap_quat[k] = scene.wrists[side].place[t], scene.wrists[side].turn[t]
        data.qpos[7 + 30 * h : 37 + 30 * h] = q[h].ravel()
    mujoco.mj_kinematics(model, data)

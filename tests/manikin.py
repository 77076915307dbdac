"""A plain humanoid for tests: bodies named by role, frames along the world's axes in the zero pose."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poise.character.character import Character, ContactPoints
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.motion.clip import Clip
from poise.motion.ik import ik
from poise.motion.recording import Source

PLACES = {  # joint centres in the zero pose of a body whose hips are 0.95 m high [m]
    "pelvis": (0, 0, 0.95), "abdomen": (0, 0, 1.05), "chest": (0, 0, 1.2), "neck": (0, 0, 1.45), "head": (0, 0, 1.55),
    "left_thigh": (0, 0.1, 0.93), "left_shin": (0.01, 0.1, 0.5), "left_foot": (0, 0.1, 0.08),
    "left_toes": (0.13, 0.1, 0.02), "left_clavicle": (0, 0.03, 1.4), "left_upper_arm": (0, 0.18, 1.4),
    "left_forearm": (0, 0.18, 1.1), "left_hand": (0, 0.18, 0.85),
}  # fmt: skip
CHAIN = {
    "pelvis": None, "abdomen": "pelvis", "chest": "abdomen", "neck": "chest", "head": "neck", "thigh": "pelvis",
    "shin": "thigh", "foot": "shin", "toes": "foot", "clavicle": "chest", "upper_arm": "clavicle",
    "forearm": "upper_arm", "hand": "forearm",
}  # fmt: skip


def _place(role: str, t_pose: bool = False) -> np.ndarray:
    side, _, part = role.partition("_")
    x, y, z = PLACES["left_" + part] if side == "right" else PLACES[role]
    if t_pose and part in ("forearm", "hand"):
        shoulder = PLACES["left_upper_arm"]
        y, z = shoulder[1] + shoulder[2] - z, shoulder[2]
    return np.array([x, -y if side == "right" else y, z], float)


def _joint(role: str, hinges: bool) -> str:
    if role.endswith("toes"):
        return f'<joint name="{role}" type="hinge" axis="0 1 0" range="-60 30"/>'
    if hinges and role.endswith(("shin", "forearm")):
        sign = "0 160" if role.endswith("shin") else "-160 0"
        return f'<joint name="{role}" type="hinge" axis="0 1 0" range="{sign}"/>'
    return f'<joint name="{role}" type="ball" range="0 170"/>'


def manikin(scale: float = 1.0, *, without: tuple[str, ...] = (), hinges: bool = False, t_pose: bool = False,
            heading: float = 0.0) -> Character:  # fmt: skip
    """The character; `without` names parts left out (abdomen, neck, clavicle, toes); `hinges`: knees, elbows.

    `t_pose` spreads the arms in the zero pose and `heading` [rad] turns the whole body there, frames left as they are.
    """
    parts = [p for p in CHAIN if p not in without]
    roles = [r for p in parts for r in ((p,) if p in PLACES else (f"left_{p}", f"right_{p}"))]

    def place(role: str) -> np.ndarray:
        return scale * rot.rotate(rot.about_z(heading), _place(role, t_pose))

    def parent(role: str) -> str | None:
        side, _, part = role.partition("_")
        up = CHAIN[part or role]
        while up is not None and up in without:
            up = CHAIN[up]
        return up if up is None or up in PLACES else f"{side}_{up}"

    def body(role: str) -> str:
        above = parent(role)
        at = place(role) - (place(above) if above else 0.0)
        joint = '<freejoint name="root"/>' if above is None else _joint(role, hinges)
        inner = "".join(body(r) for r in roles if parent(r) == role)
        return (f'<body name="{role}" pos="{at[0]} {at[1]} {at[2]}">{joint}'
                f'<geom type="sphere" size="0.04" mass="4"/>{inner}</body>')  # fmt: skip

    xml = f'<mujoco><compiler angle="degree" autolimits="true"/><worldbody>{body("pelvis")}</worldbody></mujoco>'
    names, where, local = [], [], []
    for side, sign in (("left", 1), ("right", -1)):
        for part, owner, x in (("heel", "foot", -0.06), ("ball", "foot", 0.13), ("tip", "toes", 0.2)):
            if owner in without:
                continue
            for edge, y in (("inner", -0.04), ("outer", 0.04)):
                names.append(f"{side}_{part}_{edge}")
                where.append(1 + _order(roles, parent).index(f"{side}_{owner}"))
                corner = scale * rot.rotate(rot.about_z(heading), np.array([x, sign * (0.1 + y), 0.0]))
                local.append(corner - place(f"{side}_{owner}"))
    nv = 6 + sum(3 if 'type="ball"' in _joint(r, hinges) else 1 for r in roles[1:])
    points = ContactPoints(tuple(names), np.array(where), np.array(local))
    return Character("manikin", xml, {r: r for r in roles}, points, np.zeros(nv), np.zeros(nv))


def _order(roles: list[str], parent: Callable[[str], str | None]) -> list[str]:
    """Roles in the depth-first order in which MuJoCo numbers bodies."""
    out: list[str] = []

    def visit(role: str) -> None:
        out.append(role)
        for r in roles:
            if parent(r) == role:
                visit(r)

    visit("pelvis")
    return out


def sway(character: Character, frames: int = 120, *, seed: int = 0, size: float = 0.2, dt: float = 1 / 120) -> Clip:
    """A smooth random motion about the zero pose that is one period of itself."""
    rng = np.random.default_rng(seed)
    phase = np.linspace(0, 2 * np.pi, frames)[:, None]
    nv = character.model.nv
    v = np.zeros((frames, nv))
    for k in (1, 2, 3):
        v += size / k * rng.normal(size=nv) * np.sin(k * phase + rng.uniform(0, 6, nv))
    v[:, :6] *= 0.3
    return Clip(character, conf.integrate(character.layout, character.standing_pose(), v), dt, Source(name="sway"))


def stroll(character: Character, *, fps: float = 120.0, steps: int = 5, rise: float = 0.0) -> Clip:
    """A walk along X, feet rolling from heel to toes, contacts labelled; `rise` [m] climbs a step a footfall."""
    leg = float(character.standing_pose()[2])
    stride, period, share = 1.3 * leg, 1.1, 0.62
    t = np.arange(0.0, steps * period / 2, 1.0 / fps)
    q = np.tile(character.standing_pose(), (len(t), 1))
    q[:, 0] += stride * t / period
    q[:, 2] += rise * 2 * t / period - 0.04 * leg
    known, targets = character.contact_points, []
    labels = np.zeros((len(t), len(known)), bool)
    flat = character.points(character.standing_pose())[0]
    for number, side in enumerate(("left", "right")):
        cycle = t / period - 0.5 * number
        k, phase = np.floor(cycle), cycle % 1.0
        s = np.clip((phase - share) / (1 - share), 0.0, 1.0)
        s = s**3 * (10 - 15 * s + 6 * s**2)
        ahead = stride * (k + s + 0.5 * number + 0.5 * share)
        lift = 0.12 * leg * np.sin(np.pi * s) ** 2 + rise * (2 * k + number + 1 + 2 * np.clip(2 * s, 0, 1))
        for i in known.of(side):
            heel = "heel" in known.names[i]
            labels[:, i] = (phase < (0.8 if heel else 1.0) * share) & (phase > (0.0 if heel else 0.1 * share))
            goal = flat[i] + np.stack([ahead, 0 * t, lift], axis=1)
            targets.append(
                ik.PointTarget(int(known.bodies[i]), known.positions[i], goal, np.where(labels[:, i], 20, 1))
            )
    return Clip(character, ik.solve(character, q, targets), 1.0 / fps, Source(name="stroll"), labels=labels)

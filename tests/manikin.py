"""A plain humanoid for tests: bodies named by role, frames along the world's axes in the zero pose."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poise.character.character import Character, ContactPoints
from poise.motion.clip import Clip
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


def _place(role: str) -> np.ndarray:
    side, _, part = role.partition("_")
    if side == "right":
        return np.array(PLACES["left_" + part]) * np.array([1.0, -1.0, 1.0])
    return np.array(PLACES[role], float)


def _joint(role: str, hinges: bool) -> str:
    if role.endswith("toes"):
        return f'<joint name="{role}" type="hinge" axis="0 1 0" range="-60 30"/>'
    if hinges and role.endswith(("shin", "forearm")):
        sign = "0 160" if role.endswith("shin") else "-160 0"
        return f'<joint name="{role}" type="hinge" axis="0 1 0" range="{sign}"/>'
    return f'<joint name="{role}" type="ball" range="0 170"/>'


def manikin(scale: float = 1.0, *, without: tuple[str, ...] = (), hinges: bool = False) -> Character:
    """The character; `without` names parts left out (abdomen, neck, clavicle, toes); `hinges`: knees, elbows."""
    parts = [p for p in CHAIN if p not in without]
    roles = [r for p in parts for r in ((p,) if p in PLACES else (f"left_{p}", f"right_{p}"))]

    def parent(role: str) -> str | None:
        side, _, part = role.partition("_")
        up = CHAIN[part or role]
        while up is not None and up in without:
            up = CHAIN[up]
        return up if up is None or up in PLACES else f"{side}_{up}"

    def body(role: str) -> str:
        above = parent(role)
        at = scale * (_place(role) - (_place(above) if above else 0 * _place(role)))
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
            centre = _place(f"{side}_{owner}")
            for edge, y in (("inner", -0.04), ("outer", 0.04)):
                names.append(f"{side}_{part}_{edge}")
                where.append(1 + _order(roles, parent).index(f"{side}_{owner}"))
                local.append(scale * (np.array([x, sign * (0.1 + y), 0.0]) - centre))
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
    from poise.maths import configuration as conf

    rng = np.random.default_rng(seed)
    phase = np.linspace(0, 2 * np.pi, frames)[:, None]
    nv = character.model.nv
    v = np.zeros((frames, nv))
    for k in (1, 2, 3):
        v += size / k * rng.normal(size=nv) * np.sin(k * phase + rng.uniform(0, 6, nv))
    v[:, :6] *= 0.3
    return Clip(character, conf.integrate(character.layout, character.standing_pose(), v), dt, Source(name="sway"))

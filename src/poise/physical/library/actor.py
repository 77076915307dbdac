"""Actor: the configurations of any humanoid character that its acted channels ask for (see `acting`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.character.leg_length import hip_height
from poise.character.roles import SIDES
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.hold import Hold
from poise.motion.ik.limb import bones, two_bones
from poise.physical.library.acting import AT_EASE, KeyPose
from poise.physical.library.authoring import arm_bones, arm_room, palm, pose, turn

Get = Callable[[str], Array]  # the values (N,) of a channel
SIGN = {"left": 1.0, "right": -1.0}
LATERAL = np.array([0.0, 1.0, 0.0])
TOUCH = 1.5e-3  # [m] a point that is acted lower than this touches the floor
_PASSES = 5  # of placing the body over its feet


@dataclass(frozen=True, eq=False)
class Acted:
    """A motion as it is acted, before physics."""

    q: Array  # (N, nq)
    prints: Array  # (N, P, 3) where the feet's contact points are meant to be [m]
    labels: np.ndarray  # (N, P) which of them are meant to touch
    hands: tuple[tuple[Hold, Array, Array], ...] = ()  # palms that are led: places (N, 3) [m] and how much (N,)


def centre_height(character: Character) -> float:
    """Height of the centre of mass in the zero pose, in leg lengths."""
    return float(character.centre_of_mass(character.standing_pose()[None])[0, 2]) / hip_height(character)


def ball_ahead(character: Character) -> float:
    """How far [m] ahead of the ankle a raised foot stands: on its ball, or on its tip where it has no toes."""
    points = character.contact_points
    own = points.of("left")
    return float(points.positions[own[points.bodies[own] == character.body("left_foot")], 0].max())


def toe_length(character: Character) -> float:
    """From the hinge of the toes to their tips [m]; 0 without toes."""
    points = character.contact_points
    if not character.has("left_toes"):
        return 0.0
    return float(points.positions[points.bodies == character.body("left_toes"), 0].max(initial=0.0))


def act(character: Character, channels: Mapping[str, Array]) -> Acted:
    """The acted motion: legs and reaching arms bent so that feet and hands are in place, the body over its feet."""
    n, leg = max(len(np.atleast_1d(v)) for v in channels.values()), hip_height(character)
    zero, _ = character.forward(character.standing_pose())
    apart = {f"{s}_y": zero[0, character.body(f"{s}_foot"), 1] / leg for s in SIDES}
    values = {**KeyPose(0.0, AT_EASE).channels(), **apart, **channels}
    values |= {f"{s}_out": values[f"{s}_out"] + arm_room(character, s) for s in SIDES}
    get = lambda name: np.broadcast_to(np.asarray(values.get(name, 0.0), float), (n,))  # noqa: E731
    turns, ankles = told(get), {}
    for side in SIDES:
        grounded, ankles[side] = _foot(character, get, side, leg)
        turns[f"{side}_foot"] = rot.slerp(grounded, turns[f"{side}_foot"], get(f"{side}_free"))
        turns[f"{side}_toes"] = rot.multiply(turns[f"{side}_foot"], turn(pitch=-get(f"{side}_toes")))
    root = np.tile([0.0, 0.0, zero[0, 1, 2]], (n, 1))
    q = pose(character, root, turns)
    for _ in range(_PASSES):
        root = root + _miss(character, q, get, leg)
        q = pose(character, root, turns)
        turns |= _legs(character, q, turns, ankles, get) | _reaching(character, q, turns, get, leg)
        q = pose(character, root, turns)
    prints = _prints(character, turns, ankles, q)
    hands = tuple((palm(character, s), _hand_goal(character, q, turns, get, leg, s), 10.0 * get(f"{s}_reach"))
                  for s in SIDES if get(f"{s}_reach").any())  # fmt: skip
    return Acted(q, prints, _contact_labels(character, prints, get), hands)


def told(get: Get) -> dict[str, Array]:
    """World orientations (N, 4) of all parts by their told angles alone, legs free."""
    turns = _trunk(get)
    for side in SIDES:
        turns |= _arm(get, side, turns["chest"]) | _free_leg(get, side, turns["pelvis"])
    return turns


def _trunk(get: Get) -> dict[str, Array]:
    """World orientations of pelvis, spine and head; the spine's bend is shared by its joints."""
    pelvis = turn(get("list"), get("tilt"), get("turn"))
    chest = rot.multiply(pelvis, turn(get("side"), get("bend"), get("twist")))
    head, half = turn(0.0, get("look_down"), get("look_turn")), np.full(len(pelvis), 0.5)
    return {"pelvis": pelvis, "abdomen": rot.slerp(pelvis, chest, half), "chest": chest,
            "neck": rot.slerp(chest, head, half), "head": head}  # fmt: skip


def _arm(get: Get, side: str, chest: Array) -> dict[str, Array]:
    s = SIGN[side]
    own = lambda name: get(f"{side}_{name}")  # noqa: E731
    clavicle = rot.multiply(chest, turn(s * own("shrug"), 0.0, -s * own("fore")))
    swing = rot.multiply(turn(pitch=-own("raise")), turn(roll=s * own("out")))
    upper = rot.multiply(rot.multiply(chest, swing), turn(yaw=-s * own("spin")))
    lower = rot.multiply(upper, rot.multiply(turn(pitch=-own("elbow")), turn(yaw=-s * own("pronate"))))
    hand = rot.multiply(lower, turn(roll=-s * own("wrist")))
    return {f"{side}_clavicle": clavicle, f"{side}_upper_arm": upper, f"{side}_forearm": lower, f"{side}_hand": hand}


def _free_leg(get: Get, side: str, pelvis: Array) -> dict[str, Array]:
    s = SIGN[side]
    own = lambda name: get(f"{side}_{name}")  # noqa: E731
    swing = rot.multiply(turn(pitch=-own("hip")), turn(roll=s * own("hip_out")))
    thigh = rot.multiply(rot.multiply(pelvis, swing), turn(yaw=s * own("knee_out")))
    shin = rot.multiply(thigh, turn(pitch=own("knee")))
    return {f"{side}_thigh": thigh, f"{side}_shin": shin, f"{side}_foot": rot.multiply(shin, turn(pitch=own("ankle")))}


def _foot(character: Character, get: Get, side: str, leg: float) -> tuple[Array, Array]:
    """Orientation (N, 4) of a foot that stands or is led, and the place (N, 3) of its ankle."""
    own = lambda name: get(f"{side}_{name}")  # noqa: E731
    points = character.contact_points
    mine = points.of(side)
    local = points.positions[mine[points.bodies[mine] == character.body(f"{side}_foot")]]
    ahead, behind = float(local[:, 0].max()), float(local[:, 0].min())
    sole, across = float(local[:, 2].min()), float(local[:, 1].mean())
    quat, flat = turn(0.0, own("pitch"), SIGN[side] * own("yaw")), turn(yaw=SIGN[side] * own("yaw"))
    same = np.ones(len(quat))
    pivot = np.stack([np.where(own("pitch") > 0, ahead, behind), across * same, sole * same], axis=1)
    place = leg * np.stack([own("x"), own("y"), own("z")], axis=1) - [0.0, 0.0, sole]
    return quat, place + rot.rotate(flat, pivot) - rot.rotate(quat, pivot)


def _miss(character: Character, q: Array, get: Get, leg: float) -> Array:
    """How far (N, 3) the body must be moved to have its centre of mass, or its hips, where they are acted."""
    com = character.centre_of_mass(q)
    pos, _ = character.forward(q)
    hips = np.mean([pos[:, character.body(f"{s}_thigh")] for s in SIDES], axis=0)
    aim = leg * np.stack([get("centre_x"), get("centre_y"), get("centre_z")], axis=1)
    high = np.where(get("centre_z") > 0, aim[:, 2] - com[:, 2], leg * get("hips") - hips[:, 2])
    return np.stack([aim[:, 0] - com[:, 0], aim[:, 1] - com[:, 1], high], axis=1)


def _legs(character: Character, q: Array, turns: Mapping[str, Array], ankles: Mapping[str, Array],
          get: Get) -> dict[str, Array]:  # fmt: skip
    """World orientations of thighs and shins that put the ankles in place, or nearer to where free legs lead them."""
    pos, _ = character.forward(q)
    out: dict[str, Array] = {}
    for side in SIDES:
        free, own = get(f"{side}_free")[:, None], _free_leg(get, side, turns["pelvis"])
        axis = rot.rotate(turn(yaw=SIGN[side] * (get(f"{side}_yaw") + get(f"{side}_knee_out"))), LATERAL)
        axis = (1.0 - free) * axis + free * rot.rotate(own[f"{side}_thigh"], LATERAL)
        chain = [f"{side}_{part}" for part in ("thigh", "shin", "foot")]
        upper, lower = bones(character, chain)
        hip = pos[:, character.body(chain[0])]
        led = hip + rot.rotate(own[chain[0]], upper) + rot.rotate(own[chain[1]], lower)
        goal = ankles[side] + free * (led - ankles[side])
        out[chain[0]], out[chain[1]] = two_bones(goal - hip, upper, lower, axis, 1.0)
    return out


def _reaching(character: Character, q: Array, turns: Mapping[str, Array], get: Get, leg: float) -> dict[str, Array]:
    """World orientations of the arms that reach, bent in the plane that their told angles give, hands straight."""
    pos, _ = character.forward(q)
    out: dict[str, Array] = {}
    for side in SIDES:
        reach = get(f"{side}_reach")
        if reach.any():
            angles = _arm(get, side, turns["chest"])
            arm, forearm, hand = (f"{side}_{part}" for part in ("upper_arm", "forearm", "hand"))
            goal = _hand_goal(character, q, turns, get, leg, side) - pos[:, character.body(arm)]
            axis = rot.rotate(angles[arm], LATERAL)
            out[arm], out[forearm] = two_bones(goal, *arm_bones(character, side), axis, -1.0)
            out[hand] = rot.slerp(angles[hand], out[forearm], reach)
    return out


def _hand_goal(character: Character, q: Array, turns: Mapping[str, Array], get: Get, leg: float, side: str) -> Array:
    """Where (N, 3) [m] the palm of an arm shall be: from where its angles lead it to where it reaches."""
    pos, _ = character.forward(q)
    angles, (upper, lower) = _arm(get, side, turns["chest"]), arm_bones(character, side)
    arm, forearm = f"{side}_upper_arm", f"{side}_forearm"
    led = pos[:, character.body(arm)] + rot.rotate(angles[arm], upper) + rot.rotate(angles[forearm], lower)
    goal = leg * np.stack([get(f"{side}_hand_{a}") for a in "xyz"], axis=1)
    return led + get(f"{side}_reach")[:, None] * (goal - led)


def _prints(character: Character, turns: Mapping[str, Array], ankles: Mapping[str, Array], q: Array) -> Array:
    """Where the contact points of feet that are led should be; other points stay where the pose has them."""
    points, out = character.contact_points, character.points(q)
    zero, _ = character.forward(character.zero_pose())
    for side in SIDES:
        foot = character.body(f"{side}_foot")
        for i in points.of(side):
            body, place = int(points.bodies[i]), ankles[side]
            if body != foot:  # on toes
                place = place + rot.rotate(turns[f"{side}_foot"], zero[0, body] - zero[0, foot])
            quat = turns[f"{side}_foot" if body == foot else f"{side}_toes"]
            out[:, i] = place + rot.rotate(quat, points.positions[i])
    return out


def _contact_labels(character: Character, prints: Array, get: Get) -> np.ndarray:
    labels = np.zeros(prints.shape[:2], bool)
    for side in SIDES:
        own = character.contact_points.of(side)
        labels[:, own] = (prints[:, own, 2] < TOUCH) & (get(f"{side}_free") < 1e-9)[:, None]
    return labels

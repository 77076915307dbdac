"""Small made-up characters and clips for the tests of exports: awkward on purpose, and no file needed."""

from __future__ import annotations

import numpy as np

from poise.character import Binding, Character, ContactPoints, EndSite, Placement, Skeleton
from poise.maths import rotations as rot
from poise.motion.clip import Clip
from poise.motion.recording import Recording, Source

# name, parent, place in the zero pose [m, world], body that follows it
_JOINTS = [
    ("scene", None, (0.0, 0.0, 0.0), None),
    ("Hips", "scene", (0.0, 0.0, 0.9), "pelvis"),
    ("Spine", "Hips", (0.0, 0.0, 1.0), None),
    ("Chest", "Spine", (0.01, 0.0, 1.2), "chest"),
    ("Head", "Chest", (0.02, 0.0, 1.5), "head"),
    *[
        joint
        for side, sign, label in (("left", 1.0, "L"), ("right", -1.0, "R"))
        for joint in (
            (f"{label}Clavicle", "Chest", (0.0, 0.05 * sign, 1.42), None),
            (f"{label}Arm", f"{label}Clavicle", (0.0, 0.2 * sign, 1.42), f"{side}_upper_arm"),
            (f"{label}Fore", f"{label}Arm", (0.0, 0.2 * sign, 1.14), f"{side}_forearm"),
            (f"{label}Hand", f"{label}Fore", (0.0, 0.2 * sign, 0.89), f"{side}_hand"),
            *[
                (f"{label}{finger}{k}", f"{label}{finger}{k - 1}" if k > 1 else f"{label}Hand",
                 (x, 0.2 * sign, 0.89 - 0.06 - 0.03 * (k - 1)), None)
                for finger, x in (("Thumb", 0.04), ("Index", 0.02), ("Ring", -0.02)) for k in (1, 2)
            ],
            (f"{label}Thigh", "Hips", (0.0, 0.1 * sign, 0.86), f"{side}_thigh"),
            (f"{label}Shin", f"{label}Thigh", (0.0, 0.1 * sign, 0.46), f"{side}_shin"),
            (f"{label}Foot", f"{label}Shin", (0.0, 0.1 * sign, 0.07), f"{side}_foot"),
            (f"{label}Toe", f"{label}Foot", (0.13, 0.1 * sign, 0.02), f"{side}_toes"),
        )
    ],
]  # fmt: skip
_BODY_PARENT = {"chest": "pelvis", "head": "chest"}
for _s in ("left", "right"):
    _BODY_PARENT |= {f"{_s}_upper_arm": "chest", f"{_s}_forearm": f"{_s}_upper_arm", f"{_s}_hand": f"{_s}_forearm",
                     f"{_s}_thigh": "pelvis", f"{_s}_shin": f"{_s}_thigh", f"{_s}_foot": f"{_s}_shin",
                     f"{_s}_toes": f"{_s}_foot"}  # fmt: skip
_SHAPE = {
    "pelvis": '<geom type="box" size="0.09 0.13 0.08"/>',
    "chest": '<geom type="ellipsoid" size="0.1 0.15 0.2" pos="0 0 0.1"/>',
    "head": '<geom type="sphere" size="0.1" pos="0 0 0.12"/>',
    "upper_arm": '<geom type="capsule" fromto="0 0 0 0 0 -0.28" size="0.045"/>',
    "forearm": '<geom type="capsule" fromto="0 0 0 0 0 -0.25" size="0.035"/>',
    "hand": '<geom type="box" size="0.04 0.015 0.07" pos="0 0 -0.07"/>',
    "thigh": '<geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.07"/>',
    "shin": '<geom type="cylinder" fromto="0 0 0 0 0 -0.39" size="0.05"/>',
    "foot": '<geom type="box" size="0.1 0.045 0.03" pos="0.04 0 -0.04"/>',
    "toes": '<geom type="box" size="0.03 0.045 0.015" pos="0.03 0 -0.01"/>',
}


def _xml(places: dict[str, np.ndarray]) -> str:
    """MJCF of the character whose bodies stand at `places` in the zero pose."""

    def body(name: str, at: np.ndarray) -> str:
        part = name.removeprefix("left_").removeprefix("right_")
        joint = (
            '<freejoint name="root"/>'
            if name == "pelvis"
            else (f'<joint name="{name}" type="{"hinge" if part == "toes" else "ball"}" axis="0 1 0"/>')
        )
        below = "".join(body(c, places[c] - places[name]) for c, p in _BODY_PARENT.items() if p == name)
        where = " ".join(str(float(x)) for x in at)
        return f'<body name="{name}" pos="{where}">{joint}{_SHAPE[part]}{below}</body>'  # fmt: skip

    return f"<mujoco><worldbody>{body('pelvis', np.zeros(3))}</worldbody></mujoco>"


def _points(character_names: list[str]) -> ContactPoints:
    names = [f"{s}_{p}" for s in ("left", "right") for p in ("heel_inner", "ball_inner")]
    bodies = np.array([character_names.index(f"{s}_foot") + 1 for s in ("left", "right") for _ in range(2)])
    return ContactPoints(tuple(names), bodies, np.tile([[-0.06, 0.0, -0.07], [0.13, 0.0, -0.07]], (2, 1)))


def _order() -> list[str]:
    """Body names as MuJoCo numbers them: depth first."""
    out: list[str] = []

    def visit(name: str) -> None:
        out.append(name)
        for child, parent in _BODY_PARENT.items():
            if parent == name:
                visit(child)

    visit("pelvis")
    return out


def character(bound: bool = True, seed: int = 3) -> Character:
    """A character of 19 bodies; bound to a skeleton with fingers, clavicles, a scene root and odd joint frames."""
    rng = np.random.default_rng(seed)
    where = {body: np.array(at) for _, _, at, body in _JOINTS if body}
    order, xml = _order(), _xml(where)
    binding = None
    if bound:
        names = [n for n, *_ in _JOINTS]
        parents = np.array([-1 if p is None else names.index(p) for _, p, *_ in _JOINTS])
        world = np.array([at for _, _, at, _ in _JOINTS])
        # file: Y up, facing Z, in units of 0.02 m, and every joint frame turned at random
        placement = Placement(0.02, rot.from_matrix(np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])), np.zeros(3))
        zero = rot.normalise(rng.normal(size=(len(names), 4)))
        zero[0] = rot.IDENTITY
        step = placement.points_back(world) - np.where((parents < 0)[:, None], 0, placement.points_back(world)[parents])
        offsets = rot.rotate(np.where((parents < 0)[:, None], rot.IDENTITY, rot.conjugate(zero[parents])), step)
        tips = [f"{s}{finger}2" for s in "LR" for finger in ("Thumb", "Index", "Ring")]
        ends = [EndSite(names.index(tip), np.array([0.0, 1.2, 0.3])) for tip in tips]
        rest = rot.normalise(rng.normal(size=(len(names), 4)))
        skeleton = Skeleton(tuple(names), parents, offsets, tuple(ends), rest)
        led = {body: names.index(n) for n, _, _, body in _JOINTS if body}
        binding = Binding(skeleton, np.array([-1, *(led[b] for b in order)]), zero, placement)
    nv = 6 + 3 * (len(order) - 3) + 2
    return Character("sample", xml, {b: b for b in order}, _points(order), np.zeros(nv), np.zeros(nv), binding)


def _wander(rng: np.random.Generator, frames: int, count: int, size: float) -> np.ndarray:
    """Smooth rotations (frames, count, 4)."""
    t = np.linspace(0.0, 2.0, frames)[:, None, None]
    phase, speed = rng.uniform(0, 6, (2, 1, count, 3))
    return rot.exp(size * np.sin(phase + speed * t))


def clip_of_file(frames: int = 40, seed: int = 5) -> Clip:
    """A clip born from a made-up recording on the awkward skeleton, as an importer would make it, on a tilted floor."""
    rng = np.random.default_rng(seed)
    body = character()
    binding = body.binding
    assert binding is not None
    skeleton, parents = binding.skeleton, binding.skeleton.parents
    above = np.where((parents < 0)[:, None], rot.IDENTITY, binding.rest[np.maximum(parents, 0)])
    local = rot.multiply(rot.multiply(rot.conjugate(above), binding.rest), _wander(rng, frames, len(parents), 0.5))
    positions = np.tile(skeleton.offsets, (frames, 1, 1))
    positions[:, 0] += np.linspace(0, 1, frames)[:, None] * np.array([3.0, 0.5, 20.0])
    positions[:, 1] += 0.3 * np.sin(np.linspace(0, 9, frames))[:, None]
    source = Source("sample", "sample.fbx", "fbx", "CC0: made up")
    recording = Recording(skeleton, local, positions, 1 / 60, source, 0.02, "y")
    placement = binding.placement.then(rot.exp(np.array([0.02, -0.03, 0.0])), np.array([0.1, 0.2, -0.05]))
    return Clip(body, _imported(body, recording, placement), 1 / 60, source, recording=recording, placement=placement,
                source_times=np.arange(frames) / 60)  # fmt: skip


def _imported(body: Character, recording: Recording, placement: Placement) -> np.ndarray:
    """Configurations of the character that follows a recording."""
    binding = body.binding
    assert binding is not None
    points, turns = recording.forward()
    world = binding.body_rotations(turns, placement)
    q = np.tile(body.zero_pose(), (len(recording), 1))
    q[:, :3], q[:, 3:7] = placement.points(points[:, binding.joints[1]]), world[:, 1]
    for b in range(2, body.model.nbody):
        adr = body.tree.qadr[body.tree.jntadr[b]]
        turn = rot.multiply(rot.conjugate(world[:, body.tree.parent[b]]), world[:, b])
        if body.body_names[b].endswith("toes"):
            q[:, adr] = rot.twist_angle(turn, np.array([0.0, 1.0, 0.0]))
        else:
            q[:, adr : adr + 4] = turn
    return q


def clip_of_character(frames: int = 40, seed: int = 7) -> Clip:
    """A clip of a character that came from no file."""
    rng = np.random.default_rng(seed)
    body = character(bound=False)
    q = np.tile(body.standing_pose(), (frames, 1))
    q[:, :3] += np.linspace(0, 1, frames)[:, None] * np.array([1.0, 0.2, 0.0])
    for j in range(body.model.njnt):
        a = body.tree.qadr[j]
        if body.tree.kind[j] == 1:
            q[:, a : a + 4] = _wander(rng, frames, 1, 0.4)[:, 0]
        elif body.tree.kind[j] == 3:
            q[:, a] = 0.4 * np.sin(np.linspace(0, 5, frames))
    return Clip(body, q, 1 / 30, Source("made up", "", "built-in", "Apache-2.0"))

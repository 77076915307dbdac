"""Variants of a recording that hold the same motion: other names, axes, units, roots, fingers and joint frames."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.character.skeleton import EndSite, Skeleton
from poise.maths import rotations as rot
from poise.motion.recording import Recording, Source

# names of the CMU conversions -> those of other sources; joints that a source has not are left out of its table
SIDED = {
    "mixamo": {"UpLeg": "mixamorig:{S}UpLeg", "Leg": "mixamorig:{S}Leg", "Foot": "mixamorig:{S}Foot",
               "ToeBase": "mixamorig:{S}ToeBase", "Shoulder": "mixamorig:{S}Shoulder", "Arm": "mixamorig:{S}Arm",
               "ForeArm": "mixamorig:{S}ForeArm", "Hand": "mixamorig:{S}Hand"},
    "lafan": {"UpLeg": "{S}UpLeg", "Leg": "{S}Leg", "Foot": "{S}Foot", "ToeBase": "{S}Toe", "Shoulder": "{S}Shoulder",
              "Arm": "{S}Arm", "ForeArm": "{S}ForeArm", "Hand": "{S}Hand"},
    "bandai": {"UpLeg": "UpperLeg_{L}", "Leg": "LowerLeg_{L}", "Foot": "Foot_{L}", "ToeBase": "Toes_{L}",
               "Shoulder": "Shoulder_{L}", "Arm": "UpperArm_{L}", "ForeArm": "LowerArm_{L}", "Hand": "Hand_{L}"},
    "unreal": {"UpLeg": "thigh_{l}", "Leg": "calf_{l}", "Foot": "foot_{l}", "ToeBase": "ball_{l}",
               "Shoulder": "clavicle_{l}", "Arm": "upperarm_{l}", "ForeArm": "lowerarm_{l}", "Hand": "hand_{l}"},
    "biped": {"UpLeg": "Bip01 {L} Thigh", "Leg": "Bip01 {L} Calf", "Foot": "Bip01 {L} Foot",
              "ToeBase": "Bip01 {L} Toe0", "Shoulder": "Bip01 {L} Clavicle", "Arm": "Bip01 {L} UpperArm",
              "ForeArm": "Bip01 {L} Forearm", "Hand": "Bip01 {L} Hand"},
    "blender": {"UpLeg": "thigh.{L}", "Leg": "shin.{L}", "Foot": "foot.{L}", "ToeBase": "toe.{L}",
                "Shoulder": "shoulder.{L}", "Arm": "upper_arm.{L}", "ForeArm": "forearm.{L}", "Hand": "hand.{L}"},
    "plain": {"UpLeg": "{L}Thigh", "Leg": "{L}Shin", "Foot": "{L}Foot", "ToeBase": "{L}Toe", "Shoulder": "{L}Clavicle",
              "Arm": "{L}UpperArm", "ForeArm": "{L}Forearm", "Hand": "{L}Hand"},
    "xsens": {"UpLeg": "{S}UpperLeg", "Leg": "{S}LowerLeg", "Foot": "{S}Foot", "ToeBase": "{S}Toe",
              "Shoulder": "{S}Shoulder", "Arm": "{S}UpperArm", "ForeArm": "{S}ForeArm", "Hand": "{S}Hand"},
    "smpl": {"UpLeg": "{L}_Hip", "Leg": "{L}_Knee", "Foot": "{L}_Ankle", "ToeBase": "{L}_Foot",
             "Shoulder": "{L}_Collar", "Arm": "{L}_Shoulder", "ForeArm": "{L}_Elbow", "Hand": "{L}_Wrist"},
    "old bvh": {"UpLeg": "{S}Hip", "Leg": "{S}Knee", "Foot": "{S}Ankle", "ToeBase": "{S}Toe", "Shoulder": "{S}Collar",
                "Arm": "{S}Shoulder", "ForeArm": "{S}Elbow", "Hand": "{S}Wrist"},
    "asf": {"UpLeg": "{l}femur", "Leg": "{l}tibia", "Foot": "{l}foot", "ToeBase": "{l}toes", "Shoulder": "{l}clavicle",
            "Arm": "{l}humerus", "ForeArm": "{l}radius", "Hand": "{l}wrist", "FingerBase": "{l}hand"},
    "poser": {"UpLeg": "{l}ThighBend", "Leg": "{l}Shin", "Foot": "{l}Foot", "ToeBase": "{l}Toe",
              "Shoulder": "{l}Collar", "Arm": "{l}ShldrBend", "ForeArm": "{l}ForearmBend", "Hand": "{l}Hand"},
    "rokoko": {"UpLeg": "{S}Thigh", "Leg": "{S}Shin", "Foot": "{S}Foot", "ToeBase": "{S}Toe",
               "Shoulder": "{S}Shoulder", "Arm": "{S}Arm", "ForeArm": "{S}ForeArm", "Hand": "{S}Hand"},
    "vrm": {"UpLeg": "J_Bip_{L}_UpperLeg", "Leg": "J_Bip_{L}_LowerLeg", "Foot": "J_Bip_{L}_Foot",
            "ToeBase": "J_Bip_{L}_ToeBase", "Shoulder": "J_Bip_{L}_Shoulder", "Arm": "J_Bip_{L}_UpperArm",
            "ForeArm": "J_Bip_{L}_LowerArm", "Hand": "J_Bip_{L}_Hand"},
    "lower case": {"UpLeg": "{s}upleg", "Leg": "{s}leg", "Foot": "{s}foot", "ToeBase": "{s}toebase",
                   "Shoulder": "{s}shoulder", "Arm": "{s}arm", "ForeArm": "{s}forearm", "Hand": "{s}hand"},
}  # fmt: skip
TRUNK = {
    "mixamo": tuple(f"mixamorig:{n}" for n in ("Hips", "Spine", "Spine1", "Spine2", "Neck", "Neck1", "Head")),
    "lafan": ("Hips", "Spine", "Spine1", "Spine2", "Neck", "Neck1", "Head"),
    "bandai": ("Hips", "Spine0", "Spine", "Chest", "Neck", "Neck1", "Head"),
    "unreal": ("pelvis", "spine_01", "spine_02", "spine_03", "neck_01", "neck_02", "head"),
    "biped": ("Bip01 Pelvis", "Bip01 Spine", "Bip01 Spine1", "Bip01 Spine2", "Bip01 Neck", "Bip01 Neck1", "Bip01 Head"),
    "blender": ("spine", "spine.001", "spine.002", "spine.003", "spine.004", "spine.005", "spine.006"),
    "plain": ("Pelvis", "Waist", "Abdomen", "Torso", "Neck", "UpperNeck", "Head"),
    "xsens": ("Pelvis", "L5", "L3", "T8", "Neck", "C1", "Head"),
    "smpl": ("Pelvis", "Spine1", "Spine2", "Spine3", "Neck", "Neck1", "Head"),
    "old bvh": ("Hips", "Chest", "Chest2", "Chest3", "Neck", "Neck1", "Head"),
    "asf": ("root", "lowerback", "upperback", "thorax", "lowerneck", "upperneck", "head"),
    "poser": ("hip", "abdomen", "abdomen2", "chest", "neck", "neck2", "head"),
    "rokoko": ("Hip", "Spine1", "Spine2", "Spine3", "Neck", "Neck1", "Head"),
    "vrm": tuple(f"J_Bip_C_{n}" for n in ("Hips", "Spine", "Chest", "UpperChest", "Neck", "Neck2", "Head")),
    "lower case": ("hips", "spine", "spine1", "spine2", "neck", "neck1", "head"),
}  # fmt: skip
_CMU_TRUNK = ("Hips", "LowerBack", "Spine", "Spine1", "Neck", "Neck1", "Head")


def renamed(recording: Recording, scheme: str) -> Recording:
    """A CMU recording with the joint names of another source."""
    names = []
    for name in recording.skeleton.names:
        side = "Left" if name.startswith("Left") else "Right" if name.startswith("Right") else ""
        part = name[len(side) :]
        if side and part in SIDED[scheme]:
            form = SIDED[scheme][part]
            names.append(form.format(S=side, s=side.lower(), L=side[0], l=side[0].lower()))
        elif name in _CMU_TRUNK:
            names.append(TRUNK[scheme][_CMU_TRUNK.index(name)])
        else:
            names.append(name)
    return with_names(recording, names)


def with_names(recording: Recording, names: list[str]) -> Recording:
    return replace(recording, skeleton=replace(recording.skeleton, names=tuple(names)))


def nameless(recording: Recording) -> Recording:
    return with_names(recording, [f"bone_{k:03d}" for k in range(len(recording.skeleton))])


def scaled(recording: Recording, factor: float) -> Recording:
    """All lengths times a factor."""
    s = recording.skeleton
    ends = tuple(replace(e, offset=factor * e.offset) for e in s.ends)
    return replace(recording, skeleton=replace(s, offsets=factor * s.offsets, ends=ends),
                   positions=factor * recording.positions, unit=None)  # fmt: skip


def turned(recording: Recording, turn: np.ndarray, up: str | None = None) -> Recording:
    """The same motion in other axes (x' = turn x), rest pose and joint frames included, as a converter writes it."""
    s = recording.skeleton
    ends = tuple(replace(e, offset=rot.rotate(turn, e.offset)) for e in s.ends)
    back = rot.conjugate(turn)

    def conjugated(q: np.ndarray) -> np.ndarray:
        return rot.multiply(rot.multiply(turn, q), back)

    return replace(
        recording,
        skeleton=replace(s, offsets=rot.rotate(turn, s.offsets), ends=ends, rest=conjugated(s.rest)),
        rotations=conjugated(recording.rotations),
        positions=rot.rotate(turn, recording.positions),
        up=up,
    )


def root_turned(recording: Recording, turn: np.ndarray) -> Recording:
    """The same motion in other axes by turning the root alone: the rest pose stays as it was."""
    rotations, positions = recording.rotations.copy(), recording.positions.copy()
    rotations[:, 0] = rot.multiply(turn, rotations[:, 0])
    positions[:, 0] = rot.rotate(turn, positions[:, 0])
    return replace(recording, rotations=rotations, positions=positions, up=None)


def with_scene_root(recording: Recording, name: str = "Armature", moved: np.ndarray | None = None) -> Recording:
    """A joint above the hips that is turned and shifted; the hips' own channels make up for it."""
    s, n = recording.skeleton, len(recording)
    turn = rot.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.radians(40.0))
    size = float(np.abs(s.offsets).max())
    shift = np.array([2.0, 0.0, -3.0]) * size if moved is None else moved
    rotations = np.concatenate([np.tile(turn, (n, 1, 1)), recording.rotations], axis=1)
    positions = np.concatenate([np.tile(shift, (n, 1, 1)), recording.positions], axis=1)
    rotations[:, 1] = rot.multiply(rot.conjugate(turn), recording.rotations[:, 0])
    positions[:, 1] = rot.rotate(rot.conjugate(turn), recording.positions[:, 0] - shift)
    skeleton = Skeleton(
        (name, *s.names), np.concatenate([[-1], s.parents + 1]), np.concatenate([np.zeros((1, 3)), s.offsets]),
        tuple(replace(e, joint=e.joint + 1) for e in s.ends), np.concatenate([rot.IDENTITY[None], s.rest]),
    )  # fmt: skip
    return replace(recording, skeleton=skeleton, rotations=rotations, positions=positions)


def with_joints(recording: Recording, added: list[tuple[str, str, np.ndarray]], seed: int = 0) -> Recording:
    """More joints (name, parent's name, offset), each wiggling about a random axis."""
    s, n = recording.skeleton, len(recording)
    random = np.random.default_rng(seed)
    names, parents, offsets = list(s.names), list(s.parents), list(s.offsets)
    rotations, positions = [recording.rotations], [recording.positions]
    for name, parent, offset in added:
        parents.append(names.index(parent))
        names.append(name)
        offsets.append(np.asarray(offset, float))
        wave = 0.5 * np.sin(np.linspace(0, 9, n) + random.uniform(0, 6))
        axis = random.normal(size=3)
        rotations.append(rot.from_axis_angle(axis / np.linalg.norm(axis), wave)[:, None])
        positions.append(np.tile(offsets[-1], (n, 1, 1)))
    skeleton = Skeleton(tuple(names), np.array(parents), np.array(offsets), s.ends,
                        np.concatenate([s.rest, np.tile(rot.IDENTITY, (len(added), 1))]))  # fmt: skip
    return replace(recording, skeleton=skeleton, rotations=np.concatenate(rotations, axis=1),
                   positions=np.concatenate(positions, axis=1))  # fmt: skip


def with_fingers(recording: Recording) -> Recording:
    """Four fingers and a thumb of three joints each, and twist and handle joints, on a CMU skeleton."""
    added = []
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        for k, finger in enumerate(("Thumb", "Index", "Middle", "Ring", "Pinky")):
            above = f"{side}Hand"
            for joint in (1, 2, 3):
                across = (0.6 if k == 0 else 0.3 * (2.5 - k)) if joint == 1 else 0.0
                added.append((f"{side}Hand{finger}{joint}x", above, np.array([0.5 * sign, 0.0, across])))
                above = f"{side}Hand{finger}{joint}x"
        added.append((f"{side}ForeArmTwist", f"{side}ForeArm", np.array([1.5 * sign, 0.0, 0.0])))
        added.append((f"{side}_foot_ik", "Hips", np.array([2.0 * sign, -15.0, 0.0])))
        added.append((f"{side}Eye", "Head", np.array([0.3 * sign, 0.5, 0.8])))
    return with_joints(recording, added)


def with_position_channels(recording: Recording, noise: float = 0.0, seed: int = 0) -> Recording:
    """Every joint has position channels, its OFFSETs in the header are zero (as some exporters write them)."""
    s = recording.skeleton
    offsets = np.zeros_like(s.offsets)
    offsets[s.parents < 0] = s.offsets[s.parents < 0]
    size = float(np.abs(s.offsets).max())
    jitter = noise * size * np.random.default_rng(seed).normal(size=recording.positions.shape)
    jitter[:, s.parents < 0] = 0.0
    return replace(recording, skeleton=replace(s, offsets=offsets), positions=recording.positions + jitter)


def reframed(recording: Recording, seed: int = 0, rest: bool = False) -> Recording:
    """Other joint frames: every joint's own axes turned at random.

    The rest pose is then no pose at all; with `rest` the file tells it, as an FBX does.
    """
    s = recording.skeleton
    random = np.random.default_rng(seed)
    own = rot.normalise(random.normal(size=(len(s), 4)))
    above = np.where(s.parents[:, None] >= 0, own[s.parents], rot.IDENTITY)
    back = rot.conjugate(above)
    ends = tuple(EndSite(e.joint, rot.rotate(rot.conjugate(own[e.joint]), e.offset), e.name) for e in s.ends)
    pose = rot.multiply(rot.multiply(back, s.rest), own) if rest else np.tile(rot.IDENTITY, (len(s), 1))
    return replace(
        recording,
        skeleton=replace(s, offsets=rot.rotate(back, s.offsets), ends=ends, rest=pose),
        rotations=rot.multiply(rot.multiply(back, recording.rotations), own),
        positions=rot.rotate(back, recording.positions),
    )


def walker(frames: int = 121, posed: bool = True) -> Recording:
    """A made-up person of 1.7 m who walks along Z, with the joints, names, units and first pose of a CMU conversion."""
    rows: list[tuple[str, str, tuple[float, float, float]]] = [("Hips", "", (0, 0, 0))]
    for side, x in (("Left", 1.0), ("Right", -1.0)):
        rows += [(f"{side[0]}HipJoint", "Hips", (0, 0, 0)),
                 (f"{side}UpLeg", f"{side[0]}HipJoint", (1.6 * x, -1.8, 0.5)),
                 (f"{side}Leg", f"{side}UpLeg", (2.5 * x, -6.9, 0)), (f"{side}Foot", f"{side}Leg", (2.5 * x, -6.9, 0)),
                 (f"{side}ToeBase", f"{side}Foot", (0.2 * x, -0.55, 2.2))]  # fmt: skip
    rows += [("LowerBack", "Hips", (0, 0, 0)), ("Spine", "LowerBack", (0, 2.0, -0.1)), ("Spine1", "Spine", (0, 2.0, 0)),
             ("Neck", "Spine1", (0, 0, 0)), ("Neck1", "Neck", (0, 2.6, 0)), ("Head", "Neck1", (0, 1.6, 0))]  # fmt: skip
    for side, x in (("Left", 1.0), ("Right", -1.0)):
        rows += [(f"{side}Shoulder", "Spine1", (0, 0, 0)), (f"{side}Arm", f"{side}Shoulder", (3.4 * x, 1.9, -0.2)),
                 (f"{side}ForeArm", f"{side}Arm", (4.9 * x, 0, 0)), (f"{side}Hand", f"{side}ForeArm", (3.7 * x, 0, 0)),
                 (f"{side}FingerBase", f"{side}Hand", (0, 0, 0)),
                 (f"{side}HandIndex1", f"{side}FingerBase", (0.7 * x, 0, 0)),
                 (f"{side[0]}Thumb", f"{side}Hand", (0.3 * x, 0, 0.3))]  # fmt: skip
    names = [r[0] for r in rows]
    parents = np.array([names.index(r[1]) if r[1] else -1 for r in rows])
    offsets = np.array([r[2] for r in rows], float)
    tips = {"LeftToeBase": (0, 0, 1.1), "RightToeBase": (0, 0, 1.1), "Head": (0, 1.7, 0), "LeftHandIndex1": (0.6, 0, 0),
            "RightHandIndex1": (-0.6, 0, 0), "LThumb": (0.3, 0, 0.3), "RThumb": (-0.3, 0, 0.3)}  # fmt: skip
    ends = tuple(EndSite(names.index(n), np.array(o, float)) for n, o in tips.items())
    turns = np.tile(rot.IDENTITY, (frames, len(names), 1))
    t = np.linspace(0, 4 * np.pi, frames)

    def turn(name: str, *steps: tuple[str, np.ndarray | float]) -> None:
        for axis, angle in steps:
            unit = np.eye(3)["xyz".index(axis)]
            more = rot.from_axis_angle(unit, np.broadcast_to(np.radians(angle), (frames,)))
            turns[:, names.index(name)] = rot.multiply(turns[:, names.index(name)], more)

    for side, x, phase in (("Left", 1.0, 0.0), ("Right", -1.0, np.pi)):
        swing = np.sin(t + phase)
        turn(f"{side}UpLeg", ("z", -20.0 * x), ("x", -25 * swing))
        knee = 30 * (1 + np.cos(t + phase + 0.3)) / 2
        turn(f"{side}Leg", ("z", 20.0 * x), ("x", knee), ("z", -20.0 * x))
        turn(f"{side}Foot", ("z", 20.0 * x), ("x", 25 * swing - knee), ("z", -20.0 * x))
        turn(f"{side}Arm", ("x", 20 * swing), ("z", -80.0 * x))
        turn(f"{side}ForeArm", ("y", -x * (25 + 15 * swing)))
        turn(f"{side}ToeBase", ("x", 2.0 * swing))
        turn(f"{side}Hand", ("z", 3.0 * swing))
    turn("Hips", ("y", 4 * np.sin(t)))
    turn("LowerBack", ("y", -4 * np.sin(t)))
    turn("Spine", ("x", 3 * np.cos(2 * t)))
    turn("Head", ("y", 6 * np.sin(t + 1)))
    places = np.tile(offsets, (frames, 1, 1))
    places[:, 0] = np.stack([0.1 * np.sin(t), 16.2 + 0.2 * np.cos(2 * t), 1.9 * t], axis=-1)
    if posed:
        turns[0] = rot.IDENTITY
        places[0, 0] = (0, 16.2, 0)
    return Recording(Skeleton(tuple(names), parents, offsets, ends), turns, places, 1 / 60, Source(name="walker"))

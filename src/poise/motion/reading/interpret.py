"""A clip from a recording: its character found, its configurations computed, its floor levelled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from poise.character.character import Character
from poise.character.posing import configurations
from poise.character.roles import SIDES
from poise.character.skeleton import Binding, Skeleton
from poise.character.skeletons.from_skeleton import Blueprint, blueprint
from poise.maths import rotations as rot
from poise.maths.configuration import difference
from poise.maths.rotations import Array
from poise.motion.clip import Clip, Cycle
from poise.motion.contact.foot_motion import foot_motion
from poise.motion.formats import licence
from poise.motion.reading.flat_soles import planted
from poise.motion.reading.floor import level as level_floor
from poise.motion.recording import Recording

_JUMP = 6.0  # an artificial first pose is left with a step this many times larger than those that follow ...
_LEAST = np.radians(4.0)  # ... and larger than this, rms over the joints
_PLANT_FRAMES, _PLANT_DT = 2000, 1.0 / 30.0  # a long recording tells how feet stand at this time between frames [s]
_NO_TOES = "The toes do not bend where the feet roll over them: they are not recorded, and the character has none."
_AT_REST = np.radians(12.0)  # rms angle to the rest pose within which a pose is the rest pose


def clip_from_recording(
    recording: Recording,
    *,
    character: Character | None = None,
    roles: Mapping[str, str | None] | None = None,
    unit: float | str | None = None,
    up: str | None = None,
    weight: float | None = None,
    height: float | None = None,
    clavicles: bool = False,
    neck: bool = False,
    toes: bool | None = None,
    even: bool = False,
    level: bool = True,
) -> Clip:
    """The motion of a recording as a clip of the character that its skeleton makes.

    A `character` whose binding has the same skeleton (that of another clip of the same actor) is used as it is; any
    other gets the motion by retargeting. The further options are those of `from_skeleton`; toes of which the recording
    tells nothing (see `toes`) are left out unless `toes` asks for them. `level` moves the clip so that its
    floor is z = 0. An artificial T-pose at the start is left out; the recording keeps it, and `source_times`
    point into the recording.
    """
    first = artificial_frames(recording)
    moving = recording.cut(first) if first else recording
    if character is not None and fits(character, recording.skeleton):
        own = character
    else:
        plan = blueprint(
            recording.skeleton,
            motion=moving,
            posed=recording if first else None,
            name=recording.source.name or "skeleton",
            roles=roles,
            unit=unit,
            up=up,
            weight=weight,
            height=height,
            clavicles=clavicles,
            neck=neck,
            toes=toes is not False,
            even=even,
        )
        own = _planted(plan, moving, sure=toes is not None)
    clip = _clip(own, moving)
    source, notes = recording.source, (*_first_words(first), *own.notes)
    terms = licence.terms(source.path, recording)
    source = replace(source, licence=source.licence or terms.sentence, notes=(*source.notes, *notes),
                     licence_text=source.licence_text or terms.text)  # fmt: skip
    clip = replace(
        clip,
        source=source,
        recording=recording,
        source_times=(first + np.arange(len(moving))) * recording.dt,
    )
    if level:
        clip = level_floor(clip)
    clip = _closed(clip) if recording.wraps and not first else clip
    return clip if character is None or own is character else clip.retarget(character)


def _clip(character: Character, recording: Recording) -> Clip:
    """The motion of a recording on a character that is bound to its skeleton, where the file has it."""
    binding = character.binding
    assert binding is not None  # a blueprint makes one, and no other character fits
    q = _configurations(character, binding, recording)
    return Clip(character, q, recording.dt, placement=binding.placement)


def _planted(plan: Blueprint, recording: Recording, sure: bool) -> Character:
    """The character, its soles fitted to the floor on which the feet of the recording stand.

    Unless it is `sure` that its toes are meant, without toes that are not recorded.
    """
    step = max(1, int(_PLANT_DT / recording.dt)) if len(recording) > _PLANT_FRAMES else 1
    rough = plan.build()
    some = replace(recording, rotations=recording.rotations[::step], positions=recording.positions[::step],
                   dt=step * recording.dt)  # fmt: skip
    feet = planted(level_floor(_clip(rough, some)))
    own = plan.build(feet) if feet else rough
    if sure or not toes_not_recorded(level_floor(_clip(own, some))):
        return own
    kept = {role: joint for role, joint in plan.roles.items() if not role.endswith("toes")}
    return replace(plan, roles=kept, notes=(*plan.notes, _NO_TOES)).build(feet)


def _configurations(character: Character, binding: Binding, recording: Recording) -> Array:
    """Configurations (N, nq): every body turned as its joint is, the root where the pelvis is."""
    points, turns = recording.forward()
    bodies = binding.body_rotations(turns, binding.placement)
    pelvis = int(binding.joints[character.body("pelvis")])
    return configurations(character, binding.placement.points(points[:, pelvis]), bodies)


def fits(character: Character, skeleton: Skeleton) -> bool:
    """Is this character bound to a skeleton with the same joints and bones?"""
    if character.binding is None:
        return False
    own = character.binding.skeleton
    if own.names != skeleton.names or not np.array_equal(own.parents, skeleton.parents):
        return False
    inner = skeleton.parents >= 0
    size = float(np.abs(skeleton.offsets[inner]).max(initial=1e-9))
    return bool(np.allclose(own.offsets[inner], skeleton.offsets[inner], atol=1e-3 * size)) and bool(
        np.all(rot.angle_between(own.rest, skeleton.rest) < 1e-3)
    )


def artificial_frames(recording: Recording) -> int:
    """How many frames at the start (0 to 3) are a pose that was put there and not recorded, such as a T-pose.

    The motion leaves such a pose with a jump that is several times larger than the steps that follow; the smaller the
    jump, the more the pose must look like one (the rest pose, or bones along the axes of the file). A recording that
    begins in a T-pose and moves on smoothly keeps it.
    """
    count = len(recording)
    if count < 4:
        return 0
    look = recording.rotations[: min(count, 400)]
    steps = _rms(rot.angle_between(look[1:], look[:-1]))
    for k in range(1, min(4, len(look) - 2)):
        jump = steps[k - 1]
        if steps[: k - 1].max(initial=0.0) > max(0.1 * jump, 1e-3):
            break  # it moved before the jump: a pose that was put there stands still
        after = max(float(np.median(steps[k : k + 8])), float(np.median(steps[k:])))  # medians: recordings have spikes
        far = jump > max(_JUMP * after, _LEAST)
        if far and (_posed(recording, look[k - 1]) or jump > max(2 * _JUMP * after, 3 * _LEAST)):
            return k
    return 0


def _rms(angles: Array) -> Array:
    return np.sqrt(np.mean(angles**2, axis=-1))


def _posed(recording: Recording, local: Array) -> bool:
    """Is this pose (J, 4) the rest pose, or one whose bones all point along the axes of the file?"""
    skeleton = recording.skeleton
    inner = skeleton.parents >= 0
    if _rms(rot.angle_between(local, skeleton.rest)[inner]) < _AT_REST:
        return True
    points, _ = skeleton.forward(local, np.median(recording.positions, axis=0))
    bones = (points - points[skeleton.parents])[inner]
    size = np.linalg.norm(bones, axis=-1)
    long = size > 0.4 * size.max()
    along = np.abs(bones[long] / size[long, None]).max(axis=-1)
    return bool(np.mean(along > np.cos(np.radians(25.0))) > 0.9)


def _first_words(first: int) -> tuple[str, ...]:
    if first == 0:
        return ()
    return (
        f"{'The first frame is' if first == 1 else f'The first {first} frames are'} an artificial pose and left out.",
    )


def _closed(clip: Clip) -> Clip:
    """The clip as a loop, if its last frame is its first one carried on; a file may only say so."""
    start, end = clip.q[0], clip.q[-1]
    turn = float(rot.heading(end[3:7]) - rot.heading(start[3:7]))
    shift = end[:3] - rot.rotate(rot.about_z(turn), start[:3])
    cycle = Cycle(turn, np.array([shift[0], shift[1], 0.0]))
    seam = difference(clip.character.layout, cycle.carry(start, 1)[None], end[None])[0]
    return replace(clip, cycle=cycle) if np.abs(seam).max() < 2e-2 else clip


LOW, SLOW = 0.03, 0.45  # [m], [m/s] a ball so near to the ground and so slow is rolled over
ROLLS = np.radians([10.0, 60.0])  # by how much the heel is raised as a foot rolls over its ball
ENOUGH = 0.08  # [s] of rolling that tells about the toes
MISSED = np.radians(15.0)  # rms angle by which toes that are recorded may fall short of the ground


def toes_not_recorded(clip: Clip) -> bool:
    """Are the toes of a foot so far in the ground while it rolls over its ball that they cannot have been recorded?

    A foot that rolls over its ball bends its toes by as much as its heel rises, since they stay on the ground. Many
    systems do not record toes, or record noise: then the foot is pitched, the toes stay straight or curl, and their
    tips are centimetres in the ground. A body that followed them would have to be bent by tens of degrees to stand; a
    foot without toes stands on its front end, which is what such a recording shows.

    The clip's floor must be level, and its feet laid flat (see `poise.motion.reading.flat_soles`).
    """
    character, seen = clip.character, foot_motion(clip)
    pos, quat = character.forward(clip.q)
    points = character.place(pos, quat, character.contact_points.bodies, character.contact_points.positions)
    height = points[..., 2] - clip.ground.height(points[..., 0], points[..., 1])
    speed = seen.trimmed(seen.speed)
    for side in SIDES:
        pair = [k for k, name in enumerate(seen.names) if name == f"{side}_ball"]
        if not pair or not character.has(f"{side}_toes") or not character.has(f"{side}_foot"):
            continue
        low = height[:, seen.pairs[pair[0]]].min(axis=1)
        foot, toes = (quat[:, character.body(f"{side}_{part}")] for part in ("foot", "toes"))
        ahead = rot.rotate(foot, np.array([1.0, 0.0, 0.0]))
        pitch = np.arcsin(np.clip(-ahead[:, 2], -1.0, 1.0))
        bend = rot.twist_angle(rot.multiply(rot.conjugate(foot), toes), np.array([0.0, 1.0, 0.0]))
        rolls = (low < LOW) & (speed[:, pair[0]] < SLOW) & (pitch > ROLLS[0]) & (pitch < ROLLS[1])
        below = np.maximum(pitch + bend, 0.0)[rolls]  # angle of the toes under level
        if rolls.sum() * clip.dt > ENOUGH and float(np.sqrt(np.mean(below**2))) > MISSED:
            return True
    return False

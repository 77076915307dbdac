"""Hands on whole bodies: characters with fingers, and clips whose hands hold the object of a scene."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace

import mujoco
import numpy as np

from poise.character.character import Character
from poise.character.library.hand import SIDES, fingers, make
from poise.errors import BadValue, NoSolution
from poise.maths.rotations import Array, from_matrix, multiply, rotate
from poise.methods.hands.delivery import Check, find
from poise.methods.hands.scene import Scene, Track
from poise.methods.hands.settings import Hands
from poise.motion.clip import Clip
from poise.motion.resample import resample

FIST_SPEED = 3.0  # [m/s] of a hand above which it is closed to a fist
WRIST_AXES = {
    "right": np.stack([[0, 0, -1], [1, 0, 0], [0, -1, 0]], 1).astype(float),
    "left": np.stack([[0, 0, -1], [-1, 0, 0], [0, 1, 0]], 1).astype(float),
}
"""The wrist's axes in those of the hand's body: arms hang and palms look at the thighs in the zero pose."""


def with_fingers(character: Character) -> Character:
    """The same body with the fingers of `hand` in place of its rigid hands; all else is as it was.

    Fingers weigh what the anatomy says and are added to the hand's own mass (0.3 kg each).
    """
    sides = [s for s in SIDES if character.has(f"{s}_hand")]
    if not sides:
        raise BadValue(f"{character.name} has no hands that fingers could be put on.")
    if any(f"{s}_wrist" in character.body_names for s in sides):
        return character
    spec = mujoco.MjSpec.from_string(character.xml)
    for side in sides:
        body = spec.body(character.roles[f"{side}_hand"])
        for geom in list(body.geoms):
            spec.delete(geom)
        hand = mujoco.MjSpec.from_string(make(side).xml)
        wrist = hand.body(f"{side}_wrist")
        for joint in list(wrist.joints):
            hand.delete(joint)
        for geom in list(wrist.geoms):
            if geom.name.endswith("forearm"):
                hand.delete(geom)
        q = from_matrix(WRIST_AXES[side])
        body.add_frame(pos=[0.0, 0.0, 0.0], quat=q.tolist()).attach_body(wrist, "", "")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the empty prefix: names of the hand are unlike those of bodies
        xml = spec.to_xml()
    model = mujoco.MjModel.from_xml_string(xml)
    points = character.contact_points
    bodies = np.array([model.body(character.body_names[b]).id for b in points.bodies], int)
    stiffness, torque = np.zeros(model.nv), np.zeros(model.nv)
    for new, value in ((stiffness, character.stiffness), (torque, character.torque_limit)):
        for name in character.joint_names:
            old = character.model.joint(name)
            width = _width(old.type[0])
            a, b = int(old.dofadr[0]), int(model.joint(name).dofadr[0])
            new[b : b + width] = value[a : a + width]
    return replace(
        character,
        xml=xml,
        contact_points=replace(points, bodies=bodies),
        stiffness=stiffness,
        torque_limit=torque,
        binding=None,
        name=f"{character.name} with hands",
    )


def _width(kind: int) -> int:
    return {int(mujoco.mjtJoint.mjJNT_FREE): 6, int(mujoco.mjtJoint.mjJNT_BALL): 3}.get(int(kind), 1)


def wrist_track(clip: Clip, side: str) -> Track:
    """The motion of a clip's wrist, in the axes of `hand`."""
    body = clip.character.body(f"{side}_hand")
    place, turn = clip.character.forward(clip.q)
    return Track(place[:, body], multiply(turn[:, body], from_matrix(WRIST_AXES[side])))


def at_ease(clip: Clip, side: str) -> Array:
    """(N, 5, 6) [rad] fingers at ease, and a fist while the hand is fast."""
    F, track = fingers(side), wrist_track(clip, side)
    speed = np.linalg.norm(np.gradient(track.place, clip.dt, axis=0), axis=1) if len(clip) > 1 else np.zeros(len(clip))
    fist = F.rest.copy()
    fist[1:, 3:] = np.radians([80.0, 95.0, 60.0])
    fist[0] = np.radians([-10.0, 25.0, 10.0, 0.0, 35.0, 40.0])
    width = max(1, round(0.25 / clip.dt))
    share = np.convolve(
        np.pad((speed > FIST_SPEED).astype(float), width, mode="edge"), np.hanning(2 * width + 1), "same"
    )
    share = np.clip(share[width:-width] / np.hanning(2 * width + 1).sum() * 2, 0, 1)[:, None, None]
    return (1 - share) * F.rest + share * np.clip(fist, F.low, F.high)


def with_hands(
    clip: Clip,
    scene: Scene | None = None,
    settings: Hands | None = None,
    *,
    seed: int = 0,
    seconds: float = 60.0,
    check: Check | None = None,
) -> Clip:
    """The clip on its body with fingers; with a scene they hold its object, whose track is in the clip's world and
    time.

    The scene says by its wrists which hands take part; where they are is the clip's own affair. The clip is brought to
    the scene's frame rate and must be as long.
    """
    body = with_fingers(clip.character)
    if scene is not None and abs(clip.fps - scene.fps) > 1e-6:
        clip = resample(clip, scene.fps)
    poses: Mapping[str, Array] = {s: at_ease(clip, s) for s in SIDES if f"{s}_wrist" in body.body_names}
    if scene is not None:
        posed = replace(scene, wrists={s: wrist_track(clip, s) for s in scene.sides})
        found = None
        for found in find(posed, settings, count=1, seed=seed, seconds=seconds, check=check):
            if found.solutions:
                break
        if found is None or not found.solutions:
            raise NoSolution(
                f"No finger motion of {scene.name} was found on this clip; try another seed or more seconds."
            )
        poses = {**poses, **{s: found.solutions[0].q[h] for h, s in enumerate(posed.sides)}}
    q = np.tile(body.model.qpos0, (len(clip), 1))
    for name in clip.character.joint_names:
        a, b = clip.character.model.joint(name), body.model.joint(name)
        width = len(np.atleast_1d(a.qpos0))
        q[:, int(b.qposadr[0]) : int(b.qposadr[0]) + width] = clip.q[:, int(a.qposadr[0]) : int(a.qposadr[0]) + width]
    for side, pose in poses.items():
        first = int(body.model.joint(f"{side}_thumb_cmc_spread").qposadr[0])
        q[:, first : first + 30] = pose.reshape(len(clip), 30)
    return replace(clip, character=body, q=q, recording=None, placement=None, source_times=None)


def held_track(wrist: Track, grip: Array, centre: tuple[float, float, float]) -> Track:
    """The track of an object that a wrist carries along: the wrist's axes are `grip` (3, 3) in it, its origin at
    `centre`.
    """
    turn = multiply(wrist.turn, from_matrix(grip.T))
    return Track(wrist.place + rotate(wrist.turn, np.asarray(centre, float)), turn)

"""Back onto the user's own skeleton: the rig of a clip that came from a file.

With G the global joint rotations of the recording at the source time s of a frame, R_import(s) the body orientations
that the recording gives the character, and R(t) those of the clip, the joint j that a body follows gets
G_j(t) = R_fw [R(t) R_import(s)ᵀ] R_wf G_j(s): what was changed in the clip, and nothing else, is changed in the file.
Joints that the character does not have keep their recorded local turn.
"""

from __future__ import annotations

import numpy as np

from poise.character.character import Character
from poise.character.posing import configurations
from poise.character.skeleton import Binding, Placement, Skeleton
from poise.errors import BadValue
from poise.export.rig import Rig
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.recording import Recording


def source_frames(clip: Clip, recording: Recording) -> tuple[Array, Array]:
    """Recorded local rotations (N, J, 4) and positions (N, J, 3) under each frame of a clip.

    Times beyond the recording begin again where the file says that it is one cycle, and are held otherwise.
    """
    times = clip.times if clip.source_times is None else np.asarray(clip.source_times, float)
    length = recording.duration
    if recording.wraps and length > 0 and (times.max() > length + 1e-9 or times.min() < -1e-9):
        times = np.mod(times, length)
    return recording.at(times)


def born_poses(clip: Clip, binding: Binding, points: Array, turns: Array) -> tuple[Array, Array]:
    """Body positions (N, B, 3) and orientations (N, B, 4) that a recording gives the character, as on the way in.

    `points`, `turns`: global joint positions and rotations of the file. They differ from the wanted ones where a body
    cannot turn about all three axes.
    """
    placement = clip.placement or binding.placement
    wanted = binding.body_rotations(turns, placement)
    root = placement.points(points[:, binding.joints[1]])
    q = configurations(clip.character, root, wanted)
    return clip.character.forward(q)


def rig(clip: Clip, binding: Binding, recording: Recording, level: bool) -> Rig:
    """The clip on the skeleton of its recording; `level`: on the floor as poise levelled it."""
    placement = clip.placement or binding.placement
    out = binding.placement if level else placement
    local, where = source_frames(clip, recording)
    points, turns = recording.skeleton.forward(local, where)
    born_pos, born = born_poses(clip, binding, points, turns)
    pos, quat = clip.character.forward(clip.q)
    delta = rot.multiply(quat, rot.conjugate(born))  # (N, B, 4) what the clip changed, in the world
    follows = _follows(binding)
    back = rot.conjugate(out.turn)
    root = _pelvis(clip.character, follows)
    body = follows[root]
    place = pos[:, body] + rot.rotate(delta[:, body], placement.points(points[:, root]) - born_pos[:, body])
    wanted = rot.multiply(back, rot.multiply(delta[:, np.maximum(follows, 0)], rot.multiply(placement.turn, turns)))
    rotations, positions = _locals(recording.skeleton, follows, wanted, local, where, root, out.points_back(place))
    return _file_rig(clip, binding, recording.skeleton, rotations, positions, out)


def rig_without_recording(clip: Clip, binding: Binding) -> Rig:
    """A motion from elsewhere on the skeleton of a file: joints that the character does not have rest."""
    skeleton, out = binding.skeleton, binding.placement
    pos, quat = clip.character.forward(clip.q)
    follows, parents = _follows(binding), skeleton.parents
    zero = rot.multiply(out.turn, binding.rest)  # (J, 4) joint rotations of the zero pose, in the world
    above = np.where((parents < 0)[:, None], rot.IDENTITY, binding.rest[np.maximum(parents, 0)])
    at_rest = rot.multiply(rot.conjugate(above), binding.rest)
    n, count = len(clip), len(skeleton)
    back = rot.conjugate(out.turn)
    wanted = rot.multiply(back, rot.multiply(quat[:, np.maximum(follows, 0)], zero))
    local, where = np.broadcast_to(at_rest, (n, count, 4)), np.broadcast_to(skeleton.offsets, (n, count, 3))
    root = _pelvis(clip.character, follows)
    rotations, positions = _locals(
        skeleton, follows, wanted, local, where, root, out.points_back(pos[:, follows[root]])
    )
    return _file_rig(clip, binding, skeleton, rotations, positions, out)


def _follows(binding: Binding) -> np.ndarray:
    """For each joint of the skeleton the body that follows it, -1 for none."""
    follows = np.full(len(binding.skeleton), -1)
    for body in range(len(binding.joints) - 1, 0, -1):  # where two bodies share a joint, the one nearer the root
        if binding.joints[body] >= 0:
            follows[binding.joints[body]] = body
    return follows


def _pelvis(character: Character, follows: np.ndarray) -> int:
    """The joint that the root body follows."""
    own = np.flatnonzero(follows == 1)
    if not len(own):
        raise BadValue(
            f"{character.name}: no joint of its file leads the root body, so it cannot go back to that file."
        )
    return int(own[0])


def _locals(
    skeleton: Skeleton, follows: np.ndarray, wanted: Array, local: Array, where: Array, root: int, place: Array
) -> tuple[Array, Array]:
    """Local rotations and positions that give the bound joints their wanted global rotation, the pelvis its place.

    Joints without a body, above the pelvis too, keep their recorded local rotation `local` and position `where`.
    """
    turn, rotations = np.empty(local.shape), np.array(local)
    point, positions = np.empty(where.shape), np.array(where)
    for j, p in enumerate(skeleton.parents):
        above = rot.IDENTITY if p < 0 else turn[:, p]
        base = np.zeros(3) if p < 0 else point[:, p]
        if follows[j] >= 0:
            turn[:, j] = wanted[:, j]
            rotations[:, j] = rot.multiply(rot.conjugate(above), wanted[:, j])
        else:
            turn[:, j] = rot.multiply(above, local[:, j])
        if j == root:
            positions[:, j] = rot.rotate(rot.conjugate(above), place - base)
        point[:, j] = base + rot.rotate(above, positions[:, j])
    return rot.normalise(rotations), positions


def _file_rig(
    clip: Clip, binding: Binding, skeleton: Skeleton, rotations: Array, positions: Array, out: Placement
) -> Rig:
    up = rot.rotate(rot.conjugate(binding.placement.turn), np.array([0.0, 0.0, 1.0]))
    axis = int(np.argmax(np.abs(up)))
    name = ("-" if up[axis] < 0 else "") + "xyz"[axis]
    follows = _follows(binding)
    # in the zero pose a body lies along the world's axes, its joint along binding.rest: what is left is constant
    frames = rot.multiply(rot.conjugate(binding.rest), rot.conjugate(binding.placement.turn))
    origins = _origins(clip.character, binding, follows, frames)
    return Rig(skeleton, rotations, positions, clip.dt, out.unit, name, follows, frames, origins, clip.source)


def _origins(character: Character, binding: Binding, follows: np.ndarray, frames: Array) -> Array:
    """Where the origin of each joint's body lies in the joint's frame (J, 3) [m].

    A body need not begin at the joint that turns it: a head that includes the neck begins at the neck.
    """
    skeleton, parents = binding.skeleton, binding.skeleton.parents
    above = np.where((parents < 0)[:, None], rot.IDENTITY, binding.rest[np.maximum(parents, 0)])
    joints, _ = skeleton.forward(rot.multiply(rot.conjugate(above), binding.rest))
    bodies, _ = character.forward(character.zero_pose())
    root = _pelvis(character, follows)
    joints = binding.placement.points(joints) - binding.placement.points(joints[root])
    gap = bodies[0, np.maximum(follows, 0)] - bodies[0, follows[root]] - joints
    return np.where((follows >= 0)[:, None], rot.rotate(frames, gap), 0.0)

"""Back onto the user's own skeleton: the rig of a clip that came from a file.

With G the global joint rotations of the recording at the source time s of a frame, R_import(s) the body orientations
that the recording gives the character, and R(t) those of the clip, the joint j that a body follows gets
G_j(t) = R_fw [R(t) R_import(s)ᵀ] R_wf G_j(s): what was changed in the clip, and nothing else, is changed in the file.
Joints that the character does not have keep their recorded local turn.
"""

from __future__ import annotations

import numpy as np

from poise.character.character import Character
from poise.character.placement import Binding, Placement
from poise.character.skeleton import Skeleton
from poise.errors import BadValue
from poise.export.rig import Rig
from poise.maths import rotations as rot
from poise.maths.configuration import HINGE
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


def born_poses(character: Character, points: Array, turns: Array, placement: Placement) -> tuple[Array, Array]:
    """Body positions (N, B, 3) and orientations (N, B, 4) that a recording gives a character.

    `points`, `turns`: global joint positions and rotations of the file. A body that turns about fewer than three axes
    gets what is left of the wanted turn about its own axes, as on the way in.
    """
    binding, tree = character.binding, character.tree
    assert binding is not None
    wanted = binding.body_rotations(turns, placement)
    quat = np.array(wanted)
    for b in range(2, len(tree.parent)):
        joints = range(tree.jntadr[b], tree.jntadr[b] + tree.jntnum[b])
        if len(joints) == 1 and tree.kind[joints[0]] == HINGE:
            base = rot.multiply(quat[:, tree.parent[b]], tree.quat[b])
            axis = tree.axis[joints[0]]
            angle = rot.twist_angle(rot.multiply(rot.conjugate(base), wanted[:, b]), axis)
            quat[:, b] = rot.multiply(base, rot.from_axis_angle(axis, angle))
    pos = np.zeros((*quat.shape[:-1], 3))
    pos[:, 1] = placement.points(points[:, binding.joints[1]])
    for b in range(2, len(tree.parent)):
        p = tree.parent[b]
        pos[:, b] = pos[:, p] + rot.rotate(quat[:, p], tree.pos[b])
    return pos, quat


def rig(clip: Clip, binding: Binding, recording: Recording, level: bool) -> Rig:
    placement = clip.placement or binding.placement
    out = binding.placement if level else placement
    local, where = source_frames(clip, recording)
    points, turns = recording.skeleton.forward(local, where)
    born_pos, born = born_poses(clip.character, points, turns, placement)
    pos, quat = clip.character.forward(clip.q)
    delta = rot.multiply(quat, rot.conjugate(born))  # (N, B, 4) what the clip changed, in the world
    parents, follows = recording.skeleton.parents, _follows(binding)

    back = rot.conjugate(out.turn)
    root = _pelvis(clip.character, follows, parents)
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
    root = _pelvis(clip.character, follows, parents)
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


def _pelvis(character: Character, follows: np.ndarray, parents: np.ndarray) -> int:
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
    # in the zero pose a body lies along the world's axes, its joint along binding.rest: what is left is constant
    frames = rot.multiply(rot.conjugate(binding.rest), rot.conjugate(binding.placement.turn))
    return Rig(skeleton, rotations, positions, clip.dt, out.unit, ("-" if up[axis] < 0 else "") + "xyz"[axis],
               _follows(binding), frames, np.zeros((len(skeleton), 3)), clip.source)  # fmt: skip

"""Rig: what every animation file needs, whatever its format."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from poise.character.skeleton import Skeleton
from poise.errors import BadValue
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.formats.bvh_write import without_rest
from poise.motion.recording import Source


@dataclass(frozen=True, eq=False)
class Rig:
    """Joints and their motion, in the units and axes of the file to be written.

    `rotations` and `positions` are local to the parent; the row of a root is its place in the file's space. `follows`
    names the body of the character that each joint carries (-1: none), `frames` how that body's frame is turned in the
    joint's, and `origins` where the body's origin lies there [m]; exporters that draw a body need the three.
    """

    skeleton: Skeleton
    rotations: Array  # (N, J, 4)
    positions: Array  # (N, J, 3) file units
    dt: float  # [s]
    unit: float  # metres per file unit
    up: str  # "x", "y" or "z", with "-" before it where the file hangs upside down
    follows: np.ndarray  # (J,) body id, -1
    frames: Array  # (J, 4) quaternion: body frame -> joint frame
    origins: Array  # (J, 3) [m] in the joint's frame
    source: Source = field(default_factory=Source)

    def __len__(self) -> int:
        return len(self.rotations)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints."""
        return self.skeleton.names

    @property
    def parents(self) -> np.ndarray:
        """Parent of each joint, -1 for a root."""
        return self.skeleton.parents

    def forward(self) -> tuple[Array, Array]:
        """Global positions (N, J, 3) and rotations (N, J, 4), in file units and axes."""
        return self.skeleton.forward(self.rotations, self.positions)

    def moving(self, tolerance: float = 1e-6) -> np.ndarray:
        """Boolean (J,): does this joint's local position ever leave its rest offset (by more than so many metres)?"""
        off = np.abs(self.positions - self.skeleton.offsets).max(axis=(0, 2))
        return off * self.unit > tolerance

    def converted(self, unit: float | None = None, up: str | None = None) -> Rig:
        """The same motion in another unit [m] and with another axis up; joints keep their own frames."""
        unit = self.unit if unit is None else float(unit)
        up = self.up if up is None else up.lower()
        if not unit > 0:
            raise BadValue(f"The unit of a file must be a positive number of metres, not {unit}.")
        turn = rot.between(axis_vector(self.up), axis_vector(up))
        scale = self.unit / unit
        roots = self.parents < 0
        rest, offsets = self.skeleton.rest.copy(), self.skeleton.offsets * scale
        rotations, positions = self.rotations.copy(), self.positions * scale
        rest[roots], offsets[roots] = rot.multiply(turn, rest[roots]), rot.rotate(turn, offsets[roots])
        rotations[:, roots] = rot.multiply(turn, rotations[:, roots])
        positions[:, roots] = rot.rotate(turn, positions[:, roots])
        ends = tuple(replace(e, offset=e.offset * scale) for e in self.skeleton.ends)
        skeleton = replace(self.skeleton, offsets=offsets, rest=rest, ends=ends)
        return replace(self, skeleton=skeleton, rotations=rotations, positions=positions, unit=unit, up=up)

    def straightened(self) -> Rig:
        """The same motion with joint frames that all lie along the file's axes at rest, as a BVH assumes them.

        With H the global rest rotations, G' = G Hᵀ: joints stand where they stood, only their frames are renamed.
        """
        _, rest = self.skeleton.rest_pose()
        skeleton, rotations, positions = without_rest(self.skeleton, self.rotations, self.positions)
        return replace(self, skeleton=skeleton, rotations=rotations, positions=positions,
                       frames=rot.multiply(rest, self.frames), origins=rot.rotate(rest, self.origins))  # fmt: skip


def axis_vector(name: str) -> Array:
    """Unit vector (3,) of "x", "-y", ... ."""
    axis = name.lstrip("+-").lower()
    if axis not in ("x", "y", "z"):
        raise BadValue(f"The up axis must be x, y or z (or -x, -y, -z), not {name!r}.")
    vector = np.zeros(3)
    vector["xyz".index(axis)] = -1.0 if name.startswith("-") else 1.0
    return vector


def rig_of(clip: Clip, level: bool = False) -> Rig:
    """The rig of a clip: on the user's own skeleton where it came from a file, else one joint a body of its character.

    `level` keeps the floor that poise found and levelled; otherwise the motion goes back to where the file had it.
    """
    from poise.export import rig_bodies, rig_file
    from poise.motion.reading.interpret import fits

    binding = clip.character.binding
    if binding is None:
        return rig_bodies.rig(clip)
    if clip.recording is None or not fits(clip.character, clip.recording.skeleton):
        return rig_file.rig_without_recording(clip, binding)
    return rig_file.rig(clip, binding, clip.recording, level)

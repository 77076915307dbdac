"""What of a clip's motion its scheduled contacts cannot explain, frame by frame."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.dynamics.wrench import masses, root_wrench
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.contacts.grip_forces import gripped, loads
from poise.physical.repair.standing import pushing
from poise.solve.explain import explain

AT_ONCE = 4096  # frames, so that long clips need no more memory than short ones


@dataclass(frozen=True, eq=False)
class Residual:
    """One row a frame; forces [N], torques [N m] about the root."""

    force: Array  # (N,) size of the force that no contact can give
    torque: Array  # (N,)
    push: Array  # (N,) size of all contact forces together
    weight: float  # of the body [N]

    @property
    def force_rms(self) -> float:
        """[N]"""
        return float(np.sqrt(np.mean(self.force**2)))

    @property
    def torque_rms(self) -> float:
        """[N m]"""
        return float(np.sqrt(np.mean(self.torque**2)))

    @property
    def peak(self) -> float:
        """Largest push of the ground, in body weights."""
        return float(self.push.max()) / self.weight


def residual(clip: Clip, friction: float) -> Residual:
    """The residual of a clip with the contacts that it is labelled with, where its points are."""
    parts = [_rows(clip, friction, slice(k, k + AT_ONCE)) for k in range(0, len(clip), AT_ONCE)]
    weight = clip.character.mass * float(np.linalg.norm(clip.character.model.opt.gravity))
    force, torque, push = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Residual(force, torque, push, weight)


def _rows(clip: Clip, friction: float, rows: slice) -> tuple[Array, Array, Array]:
    """Sizes of the force and torque that are left over in some frames, and of the push."""
    character, q, times = clip.character, clip.q[rows], clip.times[rows]
    labels = clip.contacts.labels[rows]
    part = replace(clip, q=q.copy(), cycle=None, labels=labels, holds=(), source_times=None)
    ground = gripped(pushing(part, character.points(q), labels, friction, 0.0), clip.grips, times)
    body = masses(character, loads(character, clip.grips, times))
    w = root_wrench(character, body, q, clip.velocity[rows], clip.acceleration[rows], ground.about)
    w[:, :3] /= ground.length
    found = explain(w, ground.columns, ground.touching, ground.friction)
    left = np.linalg.norm(found.left.reshape(-1, 2, 3), axis=-1)
    push = np.einsum("nkd,nkdi->ni", found.forces, ground.columns[..., 3:])
    return left[:, 1], left[:, 0] * ground.length, np.linalg.norm(push, axis=1)

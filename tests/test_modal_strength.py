"""What joints can bear: planned ground forces within the torque limits, and the trace of the root's correction."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import poise
from poise.maths.rotations import Array
from poise.methods.modal import Modal
from poise.methods.modal.actuation import bearable
from poise.methods.modal.assemble import arrive
from poise.methods.modal.linearise import Pose, momentum_about_origin
from poise.methods.modal.mind import DT
from poise.motion.reference import Reference


def _leg(rng: np.random.Generator) -> tuple[Array, ...]:
    """Jacobian (P, 3, nv), its rigid part in modal coordinates (P, 3, nv) and PᵀM (nv, nv) of a made-up body."""
    J, JP, inverse = rng.standard_normal((4, 3, 12)), rng.standard_normal((4, 3, 12)), rng.standard_normal((12, 12))
    return 0.3 * J, 0.1 * JP, 0.1 * inverse


def test_bearable_is_the_least_change():
    """Torques come back to their limits by the change of least norm, as the pseudo-inverse has it; grips stay."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        J, JP, inverse = _leg(rng)
        touching = np.array([True, True, False, True])
        A = (J - np.einsum("ri,pcr->pci", inverse[:6], JP[:, :, :6]))[touching].reshape(-1, 12).T
        torque, limit = 10.0 * rng.standard_normal(12), np.full(12, 12.0)
        torque[[7, 9]] = 20.0, -15.0
        torque[[6, 8, 10, 11]] = 0.0
        forces = 100.0 * rng.random((4, 3)) + np.array([1e4, 0.0, 0.0])  # far inside their cones
        before, asked = forces.copy(), torque.copy()
        bearable(asked.copy(), limit, J, JP, inverse, touching, np.full(4, -1.0), forces)
        assert np.array_equal(forces, before)
        bearable(torque, limit, J, JP, inverse, touching, np.full(4, 1e6), forces)
        change = (forces - before)[touching].ravel()
        over = [7, 9]
        least = np.linalg.pinv(A[over]) @ np.array([8.0, -3.0])
        assert np.allclose(torque[6:], asked[6:] - (A @ change)[6:])
        assert np.array_equal(forces[2], before[2])
        if np.abs((asked - A @ least)[6:]).max() <= 12.0:  # no other joint came beyond its limit by it
            assert np.allclose(change, least, rtol=1e-4, atol=1e-4)


def test_bearable_forces_stay_in_their_cones():
    rng = np.random.default_rng(1)
    for _ in range(50):
        J, JP, inverse = _leg(rng)
        torque = 60.0 * rng.standard_normal(12)
        forces = np.array([[200.0, 50.0, 20.0]] * 4) * rng.random((4, 1))
        bearable(torque, np.full(12, 20.0), J, JP, inverse, np.ones(4, bool), np.full(4, 0.6), forces)
        assert (forces[:, 0] >= 0.0).all()
        assert (np.hypot(forces[:, 1], forces[:, 2]) <= 0.6 * forces[:, 0] + 1e-9).all()


def test_what_can_be_borne_is_left_alone():
    J, JP, inverse = _leg(np.random.default_rng(2))
    forces = np.full((4, 3), 50.0)
    torque = np.full(12, 5.0)
    bearable(torque, np.full(12, 20.0), J, JP, inverse, np.ones(4, bool), np.full(4, 0.1), forces)
    assert (forces == 50.0).all() and (torque == 5.0).all()


def test_the_correction_of_the_root_is_what_the_trace_says():
    """Without it the momentum after a step lacks just this force and moment over the step; with it nothing."""
    clip, way = poise.load_clip("walk"), Modal()
    reference = Reference(clip)
    memory = way.start(clip.character, reference, poise.Stage())
    sample = reference.sample(0.0)
    views, root = memory.watched.views, memory.watched.root
    made = memory.decide(0.0, sample.q, sample.v + 0.2, reference)
    found = {}
    for corrected in (False, True):
        q, M, rest, wanted = np.empty(len(sample.q)), np.empty((42, 42)), np.empty(6), made.wanted.copy()
        v = arrive(memory.rig, views, sample.q, made.step, made.v, made.centre, wanted, DT, corrected, q, M, rest)
        pose = Pose(q, M, views.rotations[root].copy(), views.positions[root].copy(), views.centre_of_mass.copy(),
                    np.empty((0, 3)))  # fmt: skip
        lack = (wanted - momentum_about_origin(pose, v)) / DT
        lack[3:] -= np.cross(pose.centre, lack[:3])
        found[corrected] = lack, rest
    assert np.allclose(found[False][0], found[False][1]) and np.abs(found[False][1][:3]).max() > 0.01
    assert np.allclose(found[True][0], 0.0, atol=1e-7) and np.allclose(found[True][1], found[False][1])


def test_the_trace_of_the_correction_is_in_the_take():
    take = poise.perform(poise.load_clip("walk"), "modal", seconds=1.5)
    trace = take.traces["root_correction"]
    assert trace.shape == (len(take.time), 6) and np.isfinite(trace[:-1]).all()
    size = np.linalg.norm(trace[:-1, :3], axis=1)
    assert 0.1 < np.median(size) < 8.0  # [N] walking; the laboratory notes say 2.9


@pytest.mark.slow
def test_a_joint_at_its_limit_does_not_spin_a_foot(mocap: Path):
    """A kick stands on one foot, whose ankle meets its limit for a frame: the foot spun at 26 rad/s and back."""
    take = poise.perform(poise.load_clip(mocap / "cmu" / "144_05_f0060-0480.bvh"), "modal")
    assert take.fell is None and take.time[-1] > 3.4
    assert np.abs(take.v[:, 6:]).max() < 20.0
    limit = take.character.torque_limit[6:]
    assert (np.abs(take.torque[:, 6:]) <= 1.02 * limit + 0.1).all()

"""Rows from outside in momentum's pose: they act, they are weighed, and a take tells of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from poise.errors import BadValue
from poise.methods.momentum import Momentum
from poise.methods.pose_rows import PoseStep, Rows
from poise.motion.load import load_clip
from poise.performance import perform

ELBOW, STILL = "left_forearm", 1e6


@dataclass(frozen=True)
class Stiff:
    """A degree of freedom that keeps still."""

    joint: int

    def pose_rows(self, step: PoseStep) -> Rows:
        row, follow = np.zeros((1, len(step.v))), np.ones(len(step.v))
        row[0, self.joint] = 1.0
        follow[self.joint] = 0.0
        return Rows(row, np.zeros(1), np.array([STILL]), follow)


@dataclass(frozen=True)
class Torque:
    """Torques of some degrees of freedom as they are wanted [N m]."""

    joints: tuple[int, ...]
    wanted: float

    def pose_rows(self, step: PoseStep) -> Rows:
        E = np.eye(len(step.v))[list(self.joints)]
        known = E @ (step.mass @ (step.v - step.kick) / step.dt - step.bias + step.ground + step.pushes)
        follow = np.ones(len(step.v))
        follow[list(self.joints)] = 0.0
        return Rows(E @ step.mass / step.dt, self.wanted + known, np.full(len(E), 1000.0), follow)


@pytest.fixture(scope="module")
def walk():
    return load_clip("walk")


def test_rows_hold_a_joint_still(walk):
    character = walk.character
    dof = int(character.model.body_dofadr[character.body(ELBOW)])
    plain = perform(walk, Momentum(), seconds=0.5)
    held = perform(walk, Momentum(rows=(Stiff(dof),)), seconds=0.5)
    angle = int(character.model.jnt_qposadr[character.model.dof_jntid[dof]])
    assert np.ptp(plain.q[:, angle]) > 0.02
    assert np.ptp(held.q[:, angle]) < 0.002


def test_rows_of_torques_are_met(walk):
    character = walk.character
    dof = int(character.model.body_dofadr[character.body(ELBOW)])
    take = perform(walk, Momentum(rows=(Torque((dof,), 0.7),)), seconds=0.1)
    assert np.allclose(take.torque[1:-1, dof], 0.7, atol=0.2)  # the momenta are those of the pose at the end


def test_what_gives_no_rows_is_refused():
    with pytest.raises(BadValue, match="PoseRows"):
        Momentum(rows=(3,))

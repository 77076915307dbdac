"""The audit of bare clips: what ground forces can explain passes; the rest is found, sized and put into words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import plain_world
import poise
import puppet
from poise.errors import BadValue
from poise.ground.slope import Slope
from poise.judge import audit
from poise.judge.audit_clip import CLIP, nearest, needed, solve
from poise.judge.low_pass import without_noise
from poise.judge.support import beyond_support, contact_map, support, tangents
from poise.maths import configuration as conf
from poise.maths import rotations as rot


@pytest.fixture(scope="module")
def stand():
    return poise.load_clip("stand").cut(0.0, 0.5)


def test_standing_still_is_explained(stand):
    report = audit(stand)
    assert report.passed and report.unexplained_force_rms < 1e-3 and report.unexplained_torque_rms < 1e-3
    assert report.longest_unexplained == 0.0 and report.stretches == ()
    force = report.series["ground_force"]
    assert np.allclose(force, [0.0, 0.0, report.weight], atol=1.5)  # it sways by millimetres
    assert "explained by ground forces" in report.text()


def test_the_nearest_forces_lie_in_their_cones_and_match_the_needed_wrench(stand):
    rng = np.random.default_rng(0)
    needs, places = needed(stand), support(stand)
    for friction in (0.2, 1.0):
        wild = needs.wrench + rng.normal(size=needs.wrench.shape) * [300, 300, 300, 60, 60, 60]
        other = type(needs)(wild, needs.centre, needs.drift, needs.joints, needs.length)
        for k in (0, 20, 40):
            touching, forces, left = nearest(other, places, k, friction)
            normal = np.einsum("ki,ki->k", forces, places.normal[k, touching])
            side = np.linalg.norm(forces - normal[:, None] * places.normal[k, touching], axis=1)
            assert np.all(side <= friction * normal + 1e-6)
            arm = places.place[k, touching] - other.centre[k]
            given = np.concatenate([forces.sum(axis=0), np.cross(arm, forces).sum(axis=0)])
            assert np.allclose(given + left, wild[k], atol=1e-6)


def test_contact_map_and_tangents():
    rng = np.random.default_rng(1)
    normal = rot.rotate(rot.normalise(rng.normal(size=(30, 4))), np.array([0.0, 0.0, 1.0]))
    one, two = tangents(normal)
    axes = np.stack([normal, one, two], axis=1)
    assert np.allclose(axes @ axes.transpose(0, 2, 1), np.eye(3), atol=1e-12)
    place, centre, f = rng.normal(size=(30, 3)), rng.normal(size=3), rng.normal(size=(30, 3))
    wrench = contact_map(place, normal, centre, 0.5) @ f.ravel()
    force = np.einsum("ki,kij->kj", f, axes)
    assert np.allclose(wrench[:3], force.sum(axis=0))
    assert np.allclose(wrench[3:] * 0.5, np.cross(place - centre, force).sum(axis=0))


def test_distance_from_the_support():
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.5, 0.5]])
    assert beyond_support(square, np.array([0.4, 0.9]))[0] == 0.0
    away, out = beyond_support(square, np.array([1.3, 1.4]))
    assert np.isclose(away, 0.5) and np.allclose(out, [0.3, 0.4])
    line = np.array([[0.0, 0.0], [0.5, 0.5], [1.0, 1.0]])
    assert np.isclose(beyond_support(line, np.array([1.0, 0.0]))[0], np.sqrt(0.5))
    assert np.isclose(beyond_support(line[:1], np.array([3.0, 4.0]))[0], 5.0)


def test_a_jump_flies_as_gravity_wants():
    clip, (start, end) = puppet.jump()
    report = audit(clip)
    air = (clip.times > start + 0.03) & (clip.times < end - 0.03)
    assert np.abs(report.series["force"][air]).max() < 1.0  # a second difference of a parabola is exact
    ground = (clip.times > 0.1) & (clip.times < start - 0.3)
    assert np.abs(report.series["force"][ground]).max() < 1e-3


def test_a_jump_in_slow_motion_hangs_in_the_air():
    clip, (start, end) = puppet.jump()
    slow = poise.Clip(clip.character, np.array(clip.q), clip.dt * 1.6)
    report = audit(slow)
    air = (slow.times > 1.6 * start + 0.05) & (slow.times < 1.6 * end - 0.05)
    missing = clip.character.mass * 9.81 * (1 - 1 / 1.6**2)
    assert np.allclose(report.series["force"][air, 2], missing, rtol=1e-3)
    assert not report.passed and report.longest_unexplained > 0.7
    assert "rises in flight" in report.stretches[0].reason or "held up in the air" in report.stretches[0].reason


@pytest.mark.parametrize(("way", "edge"), [(0.20, "the toes"), (-0.11, "the heels")])
def test_leaning_is_measured_in_centimetres(way, edge):
    """The hips of a body whose feet reach from -5 to 14 cm, held still 6 cm beyond their end."""
    character = puppet.puppet()
    root, sole = np.tile([way, 0.0, puppet.HIP], (20, 1)), np.tile([[0.0, 0.1, 0.0]], (20, 1))
    clip = puppet.pose(character, root, sole, sole * [1, -1, 1], 1 / 120)
    centre = character.centre_of_mass(clip.q[:1])[0, 0]
    beyond = 100 * (centre - 0.14 if way > 0 else -0.05 - centre)
    report = audit(clip)
    assert len(report.stretches) == 1 and report.stretches[0][:2] == (0, 19) and abs(beyond - 6) < 0.5
    assert f"frames 0-19 (0.00 s): leaning {beyond:.0f} cm beyond {edge}" in report.stretches[0].reason
    turned = np.array(clip.q)  # seen from anywhere
    spin = rot.about_z(2.0)
    turned[:, :3], turned[:, 3:7] = rot.rotate(spin, clip.q[:, :3]), rot.multiply(spin, clip.q[:, 3:7])
    assert edge in audit(clip.with_q(turned)).stretches[0].reason


def test_a_floating_foot_is_named(stand):
    q = np.array(stand.q)
    q[:, 2] += 0.03
    report = audit(stand.with_q(q))
    assert "foot floats 3.0 cm above the ground" in report.stretches[0].reason
    assert np.isclose(report.unexplained_force_rms, report.weight, rtol=1e-3)
    assert np.isclose(report.unexplained_force_share, 1.0, rtol=1e-3)


def test_friction_that_is_missing_is_told():
    character = puppet.puppet()
    degrees = 20.0
    tilt = rot.exp(np.array([0.0, -np.radians(degrees), 0.0]))
    root = np.tile([0.0, 0.0, puppet.HIP], (20, 1))
    sole = np.tile([[0.0, 0.1, 0.0]], (20, 1))
    square = puppet.pose(character, root, sole, sole * [1, -1, 1], 1 / 120)
    q = np.array(square.q)
    q[:, :3], q[:, 3:7] = rot.rotate(tilt, q[:, :3]), tilt  # the whole body stands square to the slope
    lean = audit(poise.Clip(character, q.copy(), 1 / 120, ground=Slope(degrees)))
    assert not lean.passed and "beyond the heels" in lean.stretches[0].reason
    ahead = np.array([puppet.HIP * np.sin(np.radians(degrees)), 0.0, 0.0])
    q[:, :3] += ahead  # and now its hips are above its feet
    for first in (7, 14):
        q[:, first : first + 3] -= rot.rotate(rot.conjugate(tilt), ahead)
    upright = poise.Clip(character, q, 1 / 120, ground=Slope(degrees))
    assert audit(upright).passed
    slippery = audit(upright, friction=0.2)
    needed_friction = np.tan(np.radians(degrees))
    reason = slippery.stretches[0].reason
    assert not slippery.passed and "needs friction 0." in reason
    assert abs(float(reason.split("friction ")[1]) - needed_friction) < 0.06  # 5 % of body weight may be left over
    with pytest.raises(BadValue, match="negative"):
        audit(upright, friction=-1.0)


def test_feet_that_pull_on_the_ground():
    character = puppet.puppet()
    t = np.arange(60) / 120
    root = np.stack([0 * t, 0 * t, puppet.HIP - 0.5 * 15.0 * np.maximum(t - 0.25, 0.0) ** 2], axis=1)
    sole = np.tile([[0.0, 0.1, 0.0]], (60, 1))
    report = audit(puppet.pose(character, root, sole, sole * [1, -1, 1], 1 / 120))
    assert not report.passed and "pull on the ground" in report.stretches[0].reason
    assert np.isclose(report.stretches[0].start, 0.25, atol=0.02)


def test_a_mirrored_clip_has_a_mirrored_audit():
    clip = poise.load_clip("walk")
    a, b = audit(clip), audit(clip.mirror())
    flip = np.array([1.0, -1.0, 1.0])
    assert np.allclose(a.series["force"] * flip, b.series["force"], atol=1e-3)
    assert np.allclose(-a.series["torque"] * flip, b.series["torque"], atol=1e-3)
    assert [s[:2] for s in a.stretches] == [s[:2] for s in b.stretches]


def test_a_simulated_motion_is_explained_without_its_forces(stand):
    """What really happened has ground forces that explain it, found without being told."""
    take = plain_world.simulate(poise.load_clip("stand"), 0.5, gain=4.0)
    report = audit(take.as_clip())
    assert report.unexplained_force_share < 0.02
    q = take.character.standing_pose()
    q[2] += 5.0
    falling = plain_world.simulate(poise.load_clip("stand"), 0.4, q=q, gain=0.0, v=np.full(take.v.shape[1], 0.5))
    assert audit(falling.as_clip()).unexplained_force_share < 5e-3


def test_noise_is_told_from_motion(stand):
    rng = np.random.default_rng(3)
    v = rng.normal(size=(len(stand), stand.character.model.nv)) * 2e-3
    shaky = stand.with_q(conf.integrate(stand.character.layout, stand.q, v))
    report = audit(shaky)
    assert not report.passed and any("mostly noise" in r for r in report.remarks)
    quiet = audit(shaky, cutoff=10.0)
    assert quiet.unexplained_force_rms < 0.1 * report.unexplained_force_rms
    still = without_noise(stand, 10.0)
    assert np.abs(conf.difference(stand.character.layout, still.q, stand.q)).max() < 1e-5
    with pytest.raises(BadValue, match="cutoff"):
        audit(stand, cutoff=0.0)


def test_a_loop_stays_closed_without_noise():
    walk = poise.load_clip("walk")
    quiet = without_noise(walk, 15.0)
    assert quiet.cycle is not None
    end = quiet.cycle.carry(quiet.q[:1], 1)[0]
    assert np.abs(conf.difference(walk.character.layout, quiet.q[-1], end)).max() < 1e-6


def test_joint_torques_balance_the_ground(stand):
    """The torques that the audit finds give back the clip's accelerations under its ground forces."""
    from poise.dynamics import Dynamics, Wrench

    needs, places = needed(stand), support(stand)
    forces, left, torque = solve(stand, needs, places, 1.0)
    dynamics = Dynamics(stand.character)
    for k in (5, 30):
        pushes = [Wrench(int(b), p, f) for b, p, f in zip(places.body, places.place[k], forces[k], strict=True)]
        now = dynamics.at(stand.q[k], stand.velocity[k])
        assert np.allclose(now.forward_dynamics(torque[k], pushes), stand.acceleration[k], atol=1e-3)
    assert np.abs(left).max() < CLIP.force * 700


def test_recordings_are_judged_quickly_and_plausibly(mocap):
    import time

    clip = poise.load_clip(mocap / "cmu" / "02_01.bvh")
    audit(clip.cut(0.0, 0.2))
    begun = time.process_time()
    report = audit(clip, cutoff=10.0)
    assert (time.process_time() - begun) / len(clip) < 3e-3
    assert 5 < report.unexplained_force_rms < 80  # a recorded walk after a low pass: tens of newtons


def test_how_much_a_guessed_mass_matters_is_told(mocap: Path):
    path = next(mocap.glob("cmu/02_01*.bvh"))
    guessed, given = poise.audit(poise.load_clip(path)), poise.audit(poise.load_clip(path, weight=80.0))
    assert any("is a guess" in r for r in guessed.remarks) and not any("is a guess" in r for r in given.remarks)
    assert given.unexplained_force_share == pytest.approx(guessed.unexplained_force_share, rel=1e-3)

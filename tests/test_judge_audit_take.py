"""The audit of takes: it accepts honest simulations that it did not make, and finds every kind of lie with its size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import plain_world
import poise
from poise.dynamics import Wrench
from poise.errors import BadValue
from poise.judge import audit, touches
from poise.judge.audit_take import unexplained
from poise.judge.momenta import momenta
from poise.judge.report import Tolerances
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.motion.clip import Clip
from poise.motion.mirror import mirror_q
from poise.stage import Stage
from poise.take import Recorder, WrenchRecord
from poise.take.record import wrench_rows


@pytest.fixture(scope="module")
def clip():
    return poise.load_clip("stand")


@pytest.fixture(scope="module")
def honest(clip):
    """Standing, held by springs in every joint, and beginning to sink."""
    return plain_world.simulate(clip, 0.6, gain=4.0)


def push(force=(0, 0, 0), torque=(0, 0, 0), body=1, start=0.0, end=np.inf):
    def meddle(model, data):
        if start <= data.time < end:
            data.xfrc_applied[body] = [*force, *torque]

    return meddle


def test_a_rigid_body_in_free_fall_needs_nothing(clip):
    """Exact motion, no simulator: the character flies as one rigid body, spinning about a principal axis."""
    character = clip.character
    model, time = character.model, np.arange(30) / 120
    q = np.tile(character.zero_pose(), (30, 1))
    centre, spin = character.centre_of_mass(q[:1])[0], 3.0
    turn = rot.exp(np.outer(time, [0.0, spin, 0.0]))  # the pose is symmetric: Y is a principal axis
    path = np.stack([0.7 * time, -0.2 * time, 2.0 + 3.0 * time - 0.5 * 9.81 * time**2], axis=1)
    q[:, :3], q[:, 3:7] = path + rot.rotate(turn, -centre), turn
    arm = rot.rotate(turn, -centre)
    v = np.zeros((30, model.nv))
    v[:, :3] = np.stack([0.7 + 0 * time, -0.2 + 0 * time, 3.0 - 9.81 * time], axis=1) + np.cross([0, spin, 0], arm)
    v[:, 3:6] = [0.0, spin, 0.0]
    recorder = Recorder(clip)
    for k in range(30):
        recorder.frame(time[k], q[k], v[k], np.zeros(model.nv))
    left, _ = unexplained(recorder.finish())
    assert np.abs(left[:, :3]).max() < 1e-9 * 700 and np.abs(left[:, 3:]).max() < 1e-8 * 700


def test_a_tumbling_ragdoll_in_flight_needs_nothing(clip):
    rng = np.random.default_rng(2)
    v = rng.normal(size=clip.character.model.nv) * 2.0
    q = clip.character.standing_pose() + 0.0
    q[2] += 6.0
    take = plain_world.simulate(clip, 0.5, q=q, v=v, gain=0.2)
    report = audit(take)
    assert report.passed and report.unexplained_force_share < 1e-4 and report.unexplained_torque_rms < 0.05
    blind = replace(take, step=0.0)  # without knowing the time step, its error of order h is taken for a force
    assert audit(blind).unexplained_force_rms > 10 * report.unexplained_force_rms


@pytest.mark.parametrize(
    ("ground", "stage", "place"),
    [(plain_world.flat, poise.Flat(), (0, 0, 0)), (plain_world.slope(10.0), poise.Slope(10.0), (0, 0, 0.05)),
     (plain_world.stairs, poise.Stairs(), (0.58, 0, 0.17))],
    ids=["flat", "slope", "stairs"],
)  # fmt: skip
def test_an_honest_fall_is_explained(clip, ground, stage, place):
    """A body too weak to stand collapses: impacts, rolling, sliding, self-contacts."""
    q = clip.character.standing_pose()
    q[:3] += place
    take = plain_world.simulate(clip, 1.2, ground=ground, stage=Stage(ground=stage), q=q, gain=0.5)
    report = audit(take)
    assert report.unexplained_force_share < 1e-3, report.text()
    assert report.passed, report.text()
    assert take.fell is not None


def test_an_honest_stand_is_explained(honest):
    report = audit(honest)
    assert report.passed and report.unexplained_force_share < 1e-4, report.text()
    assert report.penetration < 0.003 and report.cone_violation < 1e-3 and report.assist_torque_rms == 0.0
    assert honest.fell == honest.time[-1]  # these springs are too weak: it does not lie yet, but it is going down


@pytest.mark.parametrize("way", [(20.0, 0, 0), (0, -20.0, 0), (0, 0, 20.0)])
def test_a_hidden_force_is_found_with_its_size_and_direction(clip, way):
    report = audit(plain_world.simulate(clip, 0.4, gain=4.0, meddle=push(way)))
    assert not report.passed and "no contact and no event explains" in report.problems[0]
    assert np.allclose(report.series["force"].mean(axis=0), way, atol=0.1)
    assert abs(report.unexplained_force_rms - 20.0) < 0.2
    assert abs(report.unexplained_force_share * report.weight - 20.0) < 0.2


def test_a_hidden_force_is_found_with_its_time(clip):
    report = audit(plain_world.simulate(clip, 0.6, gain=4.0, meddle=push((0, 20, 0), start=0.3, end=0.4)))
    strong = report.series["time"][np.linalg.norm(report.series["force"], axis=1) > 10]
    assert not report.passed and abs(strong[0] - 0.3) < 0.01 and abs(strong[-1] - 0.4) < 0.02
    assert "force of 19.8 N" in report.problems[0] or "force of 20 N" in report.problems[0]
    assert "From 0.30 s" in report.problems[0]


@pytest.mark.parametrize("body", ["pelvis", "head"])
def test_a_hidden_torque_is_found(clip, body):
    number = clip.character.body(body)
    report = audit(plain_world.simulate(clip, 0.4, gain=4.0, meddle=push(torque=(0, 5.0, 0), body=number)))
    assert not report.passed and "torque of 5 N m" in report.problems[0]
    assert np.allclose(report.series["torque"].mean(axis=0), (0, 5.0, 0), atol=0.1)


def test_a_hidden_motor_in_a_joint_is_found(clip):
    """Nothing external, so no momentum is missing: only inverse dynamics of the joints shows it."""
    dof = int(clip.character.dofs("chest")[1])

    def motor(model, data):
        data.qfrc_applied[dof] += 5.0

    report = audit(plain_world.simulate(clip, 0.8, gain=4.0, meddle=motor))
    assert report.unexplained_torque_rms < 0.1
    assert abs(report.joint_torque.value - 5.0) < 0.5 and report.joint_torque.what == "chest", report.joint_torque
    assert any("more than was recorded" in p for p in report.problems)


def test_a_declared_push_explains_itself_and_assistance_never_does(clip):
    character = clip.character
    bare = plain_world.simulate(clip, 0.3, gain=4.0, meddle=push((0, 30, 0), body=character.body("chest")))
    where = character.forward(bare.q)
    chest = character.body("chest")
    local = character.model.body_ipos[chest]
    points = character.place(*where, np.array([chest]), local[None])[:, 0]
    rows = np.concatenate([wrench_rows([Wrench(chest, p, np.array([0, 30.0, 0]))]) for p in points[:-1]])
    record = WrenchRecord.from_rows(np.arange(len(rows)), rows, ("push",))
    assert audit(replace(bare, external=record)).passed
    helped = audit(replace(bare, assist=record))
    assert not helped.passed and abs(helped.unexplained_force_rms - 30) < 0.3
    assert abs(helped.assist_force_rms - 30) < 0.2 and helped.assist_torque_rms > 1.0


def test_a_foot_that_slides_under_static_friction(honest):
    """Everything moves on at 10 cm/s: momentum is as before, every force too, but the feet should hold."""
    along = np.array([0.1, 0.0, 0.0])
    shift = honest.time[:, None] * along
    q, v = honest.q.copy(), honest.v.copy()
    q[:, :3] += shift
    v[:, :3] += along
    contacts = replace(honest.contacts, point=honest.contacts.point + shift[honest.contacts.frame])
    report = audit(replace(honest, q=q, v=v, contacts=contacts))
    assert report.unexplained_force_share < 1e-4
    assert abs(report.slip - 0.1) < 0.01 and abs(report.held_slip.value - 0.1) < 0.01
    assert not report.passed and "although its friction would hold it" in report.problems[0]
    assert honest.skating() < 0.01


@pytest.mark.parametrize(("deeper", "settles"), [(0.0005, False), (0.002, True)])
def test_a_contact_that_strikes_the_ground_within_a_frame_has_landed(honest, deeper, settles):
    """It may have been up for a single step of the simulator, which no frame shows; then it has time to settle."""
    when, rows = 40, honest.contacts
    struck = replace(rows, depth=np.where(rows.frame >= when, rows.depth + deeper, rows.depth))
    before, after = (touches.held(replace(honest, contacts=c)) for c in (rows, struck))
    soon = (rows.frame >= when) & (rows.frame <= when + 12)
    assert before[soon].any() and (not after[soon].any()) == settles
    assert np.array_equal(before[~soon], after[~soon])


def test_a_force_outside_its_cone(clip):
    """On a slope of 20 degrees a foot needs a friction of 0.36; the record says 0.2."""
    q = clip.character.standing_pose()
    q[2] += 0.05
    take = plain_world.simulate(clip, 0.3, ground=plain_world.slope(20.0), stage=Stage(ground=poise.Slope(20.0)), q=q)
    assert audit(take).passed
    icy = replace(take, contacts=replace(take.contacts, friction=np.full(len(take.contacts), 0.2)))
    report = audit(icy)
    assert not report.passed and report.cone_violation > 30 and "leaves its friction cone" in report.problems[0]
    pulled = replace(take, contacts=replace(take.contacts, normal=-take.contacts.normal))
    assert "pulls with" in audit(pulled).problems[0]


def test_contacts_in_the_air_and_moments_from_nowhere(honest):
    rows = honest.contacts
    lifted = replace(honest, contacts=replace(rows, point=rows.point + np.array([0.0, 0.0, 0.1])))
    assert any("from where anything touches" in p for p in audit(lifted).problems)
    twisted = replace(honest, contacts=replace(rows, moment=rows.moment + np.array([0.0, 20.0, 0.0])))
    report = audit(twisted)  # a foot cannot make this moment about its centre of pressure
    assert not report.passed and report.unexplained_torque_rms > 10.0


def test_limits_are_watched(honest):
    character = honest.character
    torque = honest.torque.copy()
    knee = int(character.dofs("left_shin")[0])
    torque[10, knee] = character.torque_limit[knee] + 40.0
    report = audit(replace(honest, torque=torque))
    assert abs(report.torque_limit_violation.value - 40.0) < 1e-9 and "left_shin" in report.torque_limit_violation.what
    assert abs(report.torque_limit_violation.time - honest.time[10]) < 1e-9
    assert any("torque limit" in p for p in report.problems)
    torque = honest.torque.copy()
    torque[12, 2] = 5.0  # the root has no motor
    assert audit(replace(honest, torque=torque)).torque_limit_violation.value >= 5.0


def test_mirrored_take_mirrored_report(clip):
    character = clip.character
    take = plain_world.simulate(clip, 0.3, gain=2.0, meddle=push((5, 20, 0), (2, 0, 3)))
    flip, tiny = np.array([1.0, -1.0, 1.0]), 1e-6
    q = mirror_q(character, take.q)
    ahead = mirror_q(character, conf.integrate(character.layout, take.q, tiny * take.v))
    back = mirror_q(character, conf.integrate(character.layout, take.q, -tiny * take.v))
    v = conf.difference(character.layout, back, ahead) / (2 * tiny)
    rows = take.contacts
    contacts = replace(rows, body=character.mirror_bodies[rows.body], point=rows.point * flip, force=rows.force * flip,
                       normal=rows.normal * flip, moment=-rows.moment * flip)  # fmt: skip
    mirrored = replace(take, q=q, v=v, contacts=contacts, torque=np.zeros_like(take.torque))
    a, b = audit(replace(take, torque=np.zeros_like(take.torque))), audit(mirrored)
    assert np.allclose(a.series["force"] * flip, b.series["force"], atol=1e-3)
    assert np.allclose(-a.series["torque"] * flip, b.series["torque"], atol=1e-3)
    assert np.isclose(a.slip, b.slip, atol=1e-6) and np.isclose(a.penetration, b.penetration, atol=1e-9)


def test_the_error_of_the_time_step_is_what_it_is_said_to_be(clip):
    """A free body's A(q - h v) v changes by h e with every step and by next to nothing else, its A(q) v by far more."""
    rng = np.random.default_rng(5)
    v = rng.normal(size=clip.character.model.nv) * 3.0
    q = clip.character.standing_pose()
    q[2] += 9.0
    sizes = []
    for step in (1 / 480, 1 / 960):
        take = plain_world.simulate(clip, 0.25, q=q, v=v, gain=0.0, step=step)
        found = momenta(take.character, take.q, take.v, step)
        assert found.stepping.shape == (len(take), 6)
        sizes.append((audit(take).unexplained_force_rms, audit(replace(take, step=0.0)).unexplained_force_rms))
    fine, plain = np.array(sizes).T
    assert plain[0] / plain[1] > 1.7 and fine[0] / fine[1] > 1.7 and np.all(fine < 0.02 * plain)


def test_reports_are_plain_and_readable(honest):
    import json

    report = audit(honest)
    told = json.loads(json.dumps(report.to_dict()))
    for name in ("unexplained_force_rms", "unexplained_torque_rms", "unexplained_force_share", "cone_violation",
                 "penetration", "slip", "assist_torque_rms", "passed", "problems"):  # fmt: skip
        assert name in told
    text = report.text()
    assert "explained by its forces" in text and "N rms" in text and "nan" not in text
    strict = audit(honest, tolerances=Tolerances(force_held=1e-9))
    assert not strict.passed
    with pytest.raises(BadValue, match="take or a clip"):
        audit(3)  # type: ignore[arg-type]


def test_a_take_of_one_frame_is_judged_too(clip):
    recorder = Recorder(clip)
    recorder.frame(0.0, clip.q[0], clip.velocity[0], np.zeros(clip.character.model.nv))
    take = recorder.finish()
    assert audit(take).passed and take.effort().work == 0.0 and take.fell is None and isinstance(take.as_clip(), Clip)

"""balance: what it does in the simulator. Standing, pushes, help that is recorded, drags, the cup, bad input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import poise
from poise.character.load import load_character
from poise.errors import BadValue, UnknownBody
from poise.experiments.balance.outside import cup, dragged, tilt
from poise.experiments.balance.search import evolve
from poise.experiments.balance.spheres import sphere
from poise.experiments.balance.tracking import hip_error
from poise.experiments.balance.trial import careless, one_foot, outlasts, pose_clip, pushed, recovers, trial, two_feet
from poise.methods.balance import HONEST, Balance, NoFeet, NotStanding, Pull, Upright
from poise.motion.load import load_clip


@pytest.fixture(scope="module")
def standing():
    return two_feet(load_character("human45"))


@pytest.mark.parametrize("name", ["human45", "human42", "human57"])
def test_stands_on_two_feet_and_on_one(name: str):
    character = load_character(name)
    for clip in (two_feet(character), one_foot(character, "left"), one_foot(character, "right")):
        take = trial(clip, Balance(), 2.0)
        assert take.fell is None, clip.name
        assert np.nanmax(np.abs(take.traces["centre_offset"][100:])) < 0.06
        assert np.array_equal(take.traces["support"][-2] > 0, clip.contacts.feet()[0])


@pytest.mark.parametrize("seed", [0, 2])
def test_careless_starts(standing, seed: int):
    """Seed 2 has its centre of mass beside both feet, further than an ankle can hold it: the trunk must give way."""
    assert outlasts(standing, Balance(), 3.0, q=careless(standing, seed)) is None


def test_a_foot_dropped_beside_its_place_is_eased_into_it():
    """Pulled at once the right foot of this start snaps away from under the body while it falls to the ground."""
    clip = one_foot(load_character("human45"), "right")
    assert outlasts(clip, Balance(), 2.0, q=careless(clip, 3)) is None
    assert outlasts(clip, Balance(ease=0.0), 2.0, q=careless(clip, 3)) is not None


def test_a_recorded_foot_that_hovers_treads_on_the_ground(mocap: Path):
    """The kata begins on both feet with one of them 2 cm too high."""
    clip = load_clip(sorted(mocap.glob("cmu/135_06*.bvh"))[0])
    late = poise.perform(clip, Balance(reach=0.0), seconds=0.15).traces["support"][:-1]
    take = poise.perform(clip, Balance(), seconds=0.15)
    assert take.traces["support"][3:-1].all()
    assert not late.all()


def test_mirrored_pushes_give_mirrored_takes(standing):
    left, right = (pushed(standing, Balance(), 25.0, d, seconds=1.2) for d in (90.0, -90.0))
    assert np.allclose(left.q[:, 1], -right.q[:, 1], atol=1e-4)
    assert np.allclose(left.q[:, [0, 2]], right.q[:, [0, 2]], atol=1e-4)


def test_the_simplified_contact_is_what_saves_and_it_is_recorded(standing):
    """A push that topples exact physics; the help is in the take, in the audit, and explains what is left over."""
    assert recovers(standing, Balance(), 45.0, 180.0)
    assert not recovers(standing, Balance(slider=0.0), 45.0, 180.0)
    take = pushed(standing, Balance(), 45.0, 180.0, seconds=1.5)
    report = poise.audit(take)
    assert report.assist_torque_rms > 5.0
    force, moment = take.assist.total(len(take))
    assert np.allclose(force, 0.0)
    left = report.series["torque"] - moment[:-1]
    assert np.sqrt(np.mean(np.sum(left**2, axis=1))) < 0.05 * report.assist_torque_rms
    most = np.abs(take.assist.moment[:, :2]).max()
    assert most <= Balance().cylinder.torque + 1e-6
    honest = pushed(standing, Balance(slider=0.0), 10.0, 0.0, seconds=1.5)
    assert len(honest.assist) == 0
    assert poise.audit(honest).assist_torque_rms == 0.0
    assert honest.fell is None


def test_torques_stay_within_the_limits(standing):
    take = pushed(standing, Balance(), 60.0, 0.0, seconds=1.5)
    assert np.all(np.abs(take.torque) <= take.character.torque_limit + 1e-9)


def test_spheres_are_survived(standing):
    assert [outlasts(standing, Balance(), 3.0, events=[sphere(s, 100.0)]) for s in (0, 1)] == [None, None]


def test_fall_mode_gives_balance_up(standing):
    take = pushed(standing, Balance(slider=0.2, fall_below=0.3), 120.0, 0.0, seconds=2.5)
    assert take.fell is not None
    falling = take.traces["falling"][:-1]
    assert falling[-1] == 1.0
    late = take.assist.frame > np.argmax(falling) + 1
    assert not late.any()
    assert np.all(np.isfinite(take.q))


def test_dragged_pelvis_moves_and_the_body_stays_up(standing):
    take = dragged(standing, (0.1, 0.0, 0.0), 2.5)
    assert take.fell is None
    assert take.q[-1, 0] - take.q[50, 0] > 0.04
    assert poise.audit(take).assist_force_rms > 1.0  # the animator's hand is help


def test_cup_stays_upright_while_punching(mocap: Path):
    clip = load_clip(next(iter(sorted(mocap.glob("cmu/02_05*.bvh")))))
    take, axis = cup(clip, "right_hand")
    assert take.fell is None
    assert tilt(take, "right_hand", axis)[take.time > 0.3].max() < 5.0
    assert tilt(take, "right_hand", axis, take.q_ref).max() > 10.0
    assert np.degrees(take.tracking_error().joints) < 10.0  # the wrist is meant to be elsewhere


def test_swing_foot_has_no_friction_with_the_reference_sensor(mocap: Path):
    clip = load_clip(mocap / "cmu" / "02_01.bvh")
    take = poise.perform(clip, Balance(), seconds=1.0)
    rows, character = take.contacts, take.character
    for side in ("left", "right"):
        scheduled = take.scheduled[:, character.contact_points.of(side)].any(axis=1)
        foot = rows.body == character.body(f"{side}_foot")
        air = ~scheduled[rows.frame] & ~scheduled[np.maximum(rows.frame - 1, 0)]
        assert np.all(rows.friction[foot & air & rows.on_ground()] < 0.01)


def test_bad_input_gets_clear_words(standing):
    character = standing.character
    q = standing.q[0].copy()
    q[2] += 0.5
    flying = standing.with_q(q[None])
    with pytest.raises(NotStanding, match="50 cm above"):
        poise.perform(flying, Balance(), seconds=0.5)
    for method in (Balance(link="tail"), Balance(pulls=(Pull("wing", (0.0, 0.0, 1.0)),)),
                   Balance(uprights=(Upright("cup"),))):  # fmt: skip
        with pytest.raises(UnknownBody, match="left_foot"):
            poise.perform(standing, method, seconds=0.5)
    with pytest.raises(NoFeet, match="left_foot"):
        Balance().start(
            _footless(character), poise.Reference(pose_clip(character, character.zero_pose())), poise.Stage()
        )


def _footless(character):
    from dataclasses import replace

    return replace(character, roles={r: b for r, b in character.roles.items() if not r.endswith("foot")})


def test_honest_flag_of_the_command(capsys):
    from poise.cli.main import main

    assert main(["perform", "stand", "--method", "balance", "--honest", "--seconds", "0.3", "--json"]) == 0
    assert '"fell": null' in capsys.readouterr().out
    assert main(["perform", "stand", "--method", "pd", "--honest"]) != 0
    assert "--method balance" in capsys.readouterr().err
    assert HONEST.slider == 0.0


def test_impossible_pose_gives_no_nan(standing):
    """Legs wrapped round the neck: it falls, and every number stays one."""
    character = standing.character
    q = character.zero_pose()
    buried = character.zero_pose()
    first = int(character.model.joint("right_shin").qposadr[0])
    buried[first : first + 4] = [np.cos(1.2), 0.0, np.sin(1.2), 0.0]
    with pytest.raises(BadValue, match="inside the ground"):
        trial(pose_clip(character, buried, (False, True)), Balance(), 0.5)
    for j, turn in (("left_thigh", -3.0), ("head", -2.5), ("left_foot", 2.0), ("right_upper_arm", 3.0)):
        first = int(character.model.joint(j).qposadr[0])
        q[first : first + 4] = [np.cos(turn / 2), 0.0, np.sin(turn / 2), 0.0]
    take = trial(pose_clip(character, q, (False, True)), Balance(), 1.0)
    for values in (take.q, take.v, take.torque):
        assert np.all(np.isfinite(values))


def test_same_bits_twice(standing):
    a, b = (pushed(standing, Balance(), 30.0, 45.0, seconds=0.9) for _ in range(2))
    assert np.array_equal(a.q, b.q)
    assert np.array_equal(a.assist.moment, b.assist.moment)


def test_evolution_finds_the_bottom_of_a_bowl():
    pytest.importorskip("cma")
    found, least = evolve(lambda g: float(np.sum((g - 0.5) ** 2)), np.zeros(4), 40, seed=0)
    assert np.allclose(found, 0.5, atol=0.05)
    assert least < 0.01


def test_careless_starts_on_one_foot_lean_no_further_than_told():
    character = load_character("human45")
    for side in ("left", "right"):
        clip = one_foot(character, side)
        for seed in range(3):
            q = careless(clip, seed)
            sole = character.points(q)[0][character.contact_points.of(side)]
            assert np.linalg.norm((character.centre_of_mass(q)[0] - sole.mean(axis=0))[:2]) < 0.045
            assert 0.0 <= sole[:, 2].min() <= 0.032


@pytest.mark.slow
def test_stands_for_a_minute_with_the_contact_and_on_without_it(standing):
    """The paper's first test: started with the simplified contact, it balances on without."""
    assert outlasts(standing, Balance(until=3.0), 60.0, q=careless(standing, 11)) is None


@pytest.mark.slow
def test_fifty_spheres(standing):
    fell = [outlasts(standing, Balance(), 4.0, events=[sphere(s, 100.0)]) for s in range(50)]
    assert fell == [None] * 50


@pytest.mark.slow
@pytest.mark.parametrize(
    "pattern", ["02_05*", "26_10*", "120_05*", "22_14*", "135_06*", "02_01*", "12_01*", "16_33*", "136_20*"]
)
def test_recordings_are_followed_unaltered(mocap: Path, pattern: str):
    take = poise.perform(load_clip(sorted(mocap.glob(f"cmu/{pattern}.bvh"))[0]), Balance())
    assert take.fell is None
    assert np.sqrt(np.mean(np.sum(hip_error(take) ** 2, axis=1))) < 15.0

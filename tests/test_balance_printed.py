"""balance beside its document: the printed form, departures that are switched one by one, and the slider's map."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import poise
from poise.character.load import load_character
from poise.errors import UnknownName
from poise.experiments.balance.trial import careless, one_foot, outlasts, push, trial, two_feet
from poise.maths import rotations as rot
from poise.methods.balance import DEPARTURES, Balance, Cylinder, contact
from poise.methods.balance.contact import heaviness
from poise.methods.balance.hierarchy import hierarchy_of
from poise.methods.balance.memory import most_torque
from poise.take import Take


@pytest.fixture(scope="module")
def body():
    return load_character("human45")


@pytest.fixture(scope="module")
def standing(body):
    return two_feet(body)


def test_the_printed_form_has_no_departure_and_decides_at_every_step():
    printed = Balance.printed()
    assert printed.departures == () and not any(printed.has(name) for name in DEPARTURES)
    assert printed.period == printed.step_size
    assert all(Balance().has(name) for name in DEPARTURES)
    assert Balance.printed(kfs=700.0).kfs == 700.0
    assert Balance(departures="feed, ease").departures == ("feed", "ease")
    assert Balance(departures="none").departures == () and Balance(departures="all") == Balance()
    with pytest.raises(UnknownName, match="departure of balance"):
        Balance(departures=("magic",))


def test_the_printed_form_stands_and_answers_a_push(standing):
    assert outlasts(standing, Balance.printed(), 1.5) is None
    assert outlasts(standing, Balance.printed(), 1.5, events=[push(20.0, 0.0)]) is None


# What shows each departure: a performance of the given method, short, in which it has something to do.
def _pushed(impulse: float, direction: float, **how) -> Callable[[Balance], Take]:
    clip = two_feet(load_character("human45"))
    return lambda m: trial(clip, replace(m, **how), 0.5, events=[push(impulse, direction)])


def _careless(m: Balance) -> Take:
    clip = two_feet(load_character("human45"))
    return trial(clip, m, 0.2, q=careless(clip, 2))


def _punching(m: Balance) -> Take:
    return poise.perform(poise.load_clip("punch", character="human45"), m, seconds=0.2)


def _on_one_foot(m: Balance) -> Take:
    """With the other foot let down onto the ground: pressure and zones alone take it for a support."""
    clip, both = one_foot(load_character("human45")), two_feet(load_character("human45"))
    return trial(clip, m, 0.2, q=both.q[0])


def _floating(m: Balance) -> Take:
    """A recorded squat whose left foot has lost its label while it stands."""
    clip = poise.load_clip("squat", character="human45")
    labels = np.array(clip.contacts.labels)
    labels[:, clip.character.contact_points.of("left")] = False
    return poise.perform(clip.with_q(clip.q, labels=labels), m, seconds=0.2)


def _hovering(m: Balance) -> Take:
    """Somebody who follows a recording that stands on both feet, one of them 2 cm in the air."""
    clip = poise.load_clip("squat", character="human45")
    q = np.array(clip.q[0])
    hip, knee = (int(clip.character.model.joint(f"left_{part}").qposadr[0]) for part in ("thigh", "shin"))
    for at, turn in ((hip, -0.22), (knee, 0.44)):
        half = np.array([np.cos(turn / 2), 0.0, np.sin(turn / 2), 0.0])
        q[at : at + 4] = rot.multiply(q[at : at + 4], half)
    return trial(clip, m, 0.1, q=q)


SHOWN: dict[str, Callable[[Balance], Take]] = {
    "implicit": _careless, "smooth": _punching, "feed": _punching, "answered": _pushed(20.0, 0.0),
    "bounded": _pushed(30.0, 45.0, slider=0.01), "ankle": _pushed(140.0, 0.0, slider=1.0), "ease": _careless,
    "load": _pushed(20.0, 90.0), "linger": _pushed(40.0, 90.0), "tread": _hovering, "floating": _floating,
    "posed": _on_one_foot, "lean": _careless, "limits": _pushed(100.0, 0.0), "hopeless": _pushed(500.0, 180.0),
}  # fmt: skip


@pytest.mark.parametrize("name", DEPARTURES)
def test_every_departure_can_be_left_out_and_changes_what_happens(name: str):
    shown = SHOWN[name]
    with_all, without = shown(Balance()), shown(Balance(departures=tuple(d for d in DEPARTURES if d != name)))
    rows = min(len(with_all), len(without))
    assert np.abs(with_all.q[:rows] - without.q[:rows]).max() > 1e-9, name


def test_without_its_departure_a_setting_has_no_effect(standing):
    bare = Balance(departures=tuple(d for d in DEPARTURES if d not in ("feed", "ease", "lean", "linger", "load")))
    other = replace(bare, feed=0.0, ease=0.0, swing=0.0, linger=0.0, split="even")
    start = careless(standing, 2)
    takes = [trial(standing, m, 0.2, q=start, events=[push(20.0, 90.0)]) for m in (bare, other)]
    assert np.array_equal(takes[0].q, takes[1].q)


def test_the_printed_contact_takes_all_of_the_vertical_torque_off():
    out = np.zeros(3)
    assert contact.compensation(np.array([30.0, 40.0, 90.0]), 25.0, out, False) == pytest.approx(0.5)
    assert np.allclose(out, [-15.0, -20.0, -90.0])


def test_joints_of_the_printed_form_know_no_limits(standing, body):
    """Equation (10) has none: a hard push asks an ankle for more than it has."""
    limit = body.torque_limit[6:]
    strong = trial(standing, Balance.printed(), 0.4, events=[push(100.0, 0.0)])
    assert np.any(np.abs(strong.torque[:, 6:]) > 1.05 * limit)
    weak = trial(standing, Balance(), 0.4, events=[push(100.0, 0.0)])
    assert np.all(np.abs(weak.torque[:, 6:]) <= limit + 1e-6)


def test_every_position_of_the_slider_is_another_foot(body):
    """0.8 and 1 were one controller: both met the bound of the ankle's strength."""
    tables = hierarchy_of(body)
    strength = float(tables.torque_limit[tables.ankle.any(axis=0)].max())
    ours = [most_torque(Balance(slider=s), tables) for s in np.linspace(0.0, 1.0, 21)]
    assert np.all(np.diff(ours) > 1.0)
    assert ours[0] == 0.0 and ours[-1] == pytest.approx(strength)
    assert ours[10] == pytest.approx(Cylinder.at(0.5, body.mass).torque)  # a real foot in the middle, as in print
    printed = [most_torque(Balance.printed(slider=s), tables) for s in (0.0, 0.5, 0.8, 0.95)]
    assert printed == pytest.approx([Cylinder.at(s, body.mass).torque for s in (0.0, 0.5, 0.8, 0.95)])
    assert np.isinf(most_torque(Balance.printed(slider=1.0), tables))


@pytest.mark.parametrize("most", [0.3, 1.0, 2.0, 2.7, 30.0, 1e9])
def test_the_map_of_the_slider_rises_from_nothing_to_the_bound(most: float):
    heavy = np.array([heaviness(s, most) for s in np.linspace(0.0, 1.0, 101)])
    assert heavy[0] == 0.0 and heavy[-1] == pytest.approx(most) and np.all(np.diff(heavy) > 0)
    assert heavy[50] == pytest.approx(1.0 if most >= 2.0 else most / 2)
    assert heaviness(0.3, 1e12) == pytest.approx(heaviness(0.3))


def test_the_ends_of_the_slider_differ_in_a_hard_push(standing):
    takes = [trial(standing, Balance(slider=s), 0.5, events=[push(140.0, 180.0)]) for s in (0.8, 1.0)]
    assert not np.array_equal(takes[0].q, takes[1].q)

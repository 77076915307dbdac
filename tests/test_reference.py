"""References: what they give is what the clip says, twice differentiable, for ever, and editable under way."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from poise.character.load import load_character
from poise.errors import BadValue
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.motion.clip import Clip, Cycle
from poise.motion.reference import Reference
from poise.physical import library


@dataclass(frozen=True)
class Raise:
    """An edit for tests: the root higher by so much."""

    by: float

    def apply(self, clip: Clip) -> Clip:
        return clip.with_q(clip.q + self.by * (np.arange(clip.q.shape[1]) == 2))


@pytest.fixture(scope="module")
def walk() -> Clip:
    return library.make("walk", load_character("human42"))


def test_frames_of_the_clip_come_back_with_its_rates_and_contacts(walk):
    reference = Reference(walk)
    for k in (0, 1, 50, len(walk) - 2):
        s = reference.sample(k * walk.dt)
        assert np.allclose(conf.difference(walk.character.layout, walk.q[k], s.q), 0, atol=1e-9)
        assert np.allclose(s.v, walk.velocity[k], atol=1e-6) and np.allclose(s.a, walk.acceleration[k], atol=1e-3)
        assert np.array_equal(s.contacts, walk.contacts.labels[k])


def test_a_cycle_goes_on_for_ever_without_a_seam(walk):
    reference, layout = Reference(walk), walk.character.layout
    for count in (-3, 1, 7):
        t = count * walk.duration
        before, after = reference.sample(t - 1e-7), reference.sample(t + 1e-7)
        assert np.allclose(conf.difference(layout, before.q, after.q), 0, atol=1e-5)
        assert np.allclose(before.v, after.v, atol=1e-3) and np.allclose(before.a, after.a, atol=1e-1)
        moved = walk.cycle.carry(walk.q[10], count)  # type: ignore[union-attr]
        assert np.allclose(reference.sample(t + 10 * walk.dt).q, moved, atol=1e-9)


def test_turning_cycles_close_their_circle(walk):
    turning = replace(walk, cycle=Cycle(np.pi / 6, np.array([1.0, 0.2, 0.0])))
    reference = Reference(turning)
    start, round_trip = reference.sample(0.3), reference.sample(0.3 + 12 * walk.duration)
    assert np.allclose(start.q[:3], round_trip.q[:3], atol=1e-9)
    assert rot.angle_between(start.q[3:7], round_trip.q[3:7]) < 1e-6
    assert np.allclose(reference.sample(0.3 + walk.duration).q, turning.cycle.carry(start.q, 1), atol=1e-9)  # type: ignore[union-attr]


def test_a_reference_may_start_anywhere_in_its_clip(walk):
    plain, later = Reference(walk), Reference(walk, start=0.7)
    for t in (0.0, 0.2, 3.3):
        assert np.allclose(later.sample(t).q, plain.sample(t + 0.7).q, atol=1e-12)
    live = later.edit(Raise(0.1), at=1.0)
    assert np.isclose(live.sample(2.0).q[2] - later.sample(2.0).q[2], 0.1)


def test_past_the_end_of_an_open_clip_the_last_pose_is_held(walk):
    reference = Reference(walk.cut(0.1, 0.5))
    s = reference.sample(9.0)
    assert np.array_equal(s.q, reference.baked.q[-1]) and not s.v.any() and not s.a.any()


def test_edits_are_baked_in_and_leave_the_old_reference_alone(walk):
    plain = Reference(walk)
    raised = plain.edit(Raise(0.1)).edit(Raise(0.2))
    assert np.isclose(raised.sample(0.4).q[2] - plain.sample(0.4).q[2], 0.3)
    assert plain.edits == ()


def test_an_edit_under_way_never_jumps(walk):
    plain, layout, at, over = Reference(walk), walk.character.layout, 2.63, 0.4
    live = plain.edit(Raise(0.1), at=at, over=over)
    assert np.array_equal(live.sample(at - 0.01).q, plain.sample(at - 0.01).q)
    assert np.isclose(live.sample(5.0).q[2] - plain.sample(5.0).q[2], 0.1)
    assert np.allclose(live.sample(5.0).q[:2], plain.sample(5.0).q[:2])
    for t in np.arange(at - 0.05, at + over + 0.05, 0.002):
        h = 1e-5
        before, here, after = (live.sample(t + k * h) for k in (-1, 0, 1))
        rate = (conf.difference(layout, here.q, after.q) - conf.difference(layout, here.q, before.q)) / (2 * h)
        assert np.allclose(here.v, rate, atol=1e-3)
        assert np.abs(after.a - before.a).max() < 10.0  # continuous: no jump over 2e-5 s


def test_a_reference_can_only_be_continued_by_the_same_character(walk):
    other = Reference(library.make("stand", load_character("human57")))
    with pytest.raises(BadValue, match="same character"):
        Reference(walk).hand_over(other, at=1.0)
    with pytest.raises(BadValue, match="some time"):
        Reference(walk).edit(Raise(0.1), at=1.0, over=0.0)


def test_repeating_a_cycle_is_what_the_reference_unrolls(walk):
    thrice = walk.repeat(3)
    reference = Reference(walk)
    for k in (0, 100, 200, 300, len(thrice) - 1):
        assert np.allclose(thrice.q[k], reference.sample(k * walk.dt).q, atol=1e-8)
    assert len(thrice.contacts.labels) == len(thrice)


def test_a_spliced_curve_holds_for_its_time_and_the_next_one_takes_over(walk):
    reference, layout = Reference(walk), walk.character.layout
    dt, count = 0.01, 21

    def raised(at: float, by: float) -> Reference:
        samples = [reference.sample(at + k * dt) for k in range(count)]
        q = np.stack([s.q for s in samples])
        q[:, 2] += by * np.hanning(count)
        return now.spliced(at, dt, q, *conf.rates(layout, q, dt), np.stack([s.contacts for s in samples]))

    now = reference
    now = first = raised(1.0, 0.1)
    assert np.isclose(first.sample(1.1).q[2] - reference.sample(1.1).q[2], 0.1, atol=1e-9)
    assert np.array_equal(first.sample(0.99).q, reference.sample(0.99).q)
    assert np.array_equal(first.sample(1.3).q, reference.sample(1.3).q) and first.unspliced.sample(1.1).q[2] < 1.5
    second = raised(1.15, -0.1)
    assert np.array_equal(second.sample(1.1).q, first.sample(1.1).q)  # what was followed is kept
    assert np.isclose(second.sample(1.25).q[2] - reference.sample(1.25).q[2], -0.1, atol=1e-9)
    assert second.baked is reference.baked  # nothing is baked again
    followed = second.between(0.9, 1.5, fps=100.0)
    assert len(followed) == 61 and np.array_equal(followed.q[20], second.sample(0.9 + 20 * 0.01).q)


def test_a_curve_of_the_wrong_shape_is_refused(walk):
    reference = Reference(walk)
    q, v = np.array(walk.q[:5]), np.zeros((5, walk.character.model.nv))
    labels = walk.contacts.labels[:5]
    for wrong in ((0.0, 0.01, q[:, 1:], v, v, labels), (0.0, 0.0, q, v, v, labels), (0.0, 0.01, q, v, v, labels[:4]),
                  (float("nan"), 0.01, q, v, v, labels), (0.0, 0.01, q[:1], v[:1], v[:1], labels[:1])):  # fmt: skip
        with pytest.raises(BadValue):
            reference.spliced(*wrong)
    with pytest.raises(BadValue):
        reference.between(1.0, 1.0)

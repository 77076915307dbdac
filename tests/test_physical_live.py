"""The live repair: what is followed after an edit is continuous, obeys physics, stays near the edit, and is quick."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from poise.character.load import load_character
from poise.errors import BadValue, ClipMismatch
from poise.judge.audit import audit
from poise.maths import configuration as conf
from poise.motion import edit
from poise.motion.check.check import penetration, skating
from poise.motion.clip import Clip
from poise.motion.feet.leg_clearance import beside_standing
from poise.motion.feet.step_preview import StepPreview
from poise.motion.load import load_clip
from poise.motion.reference import Reference
from poise.physical import library
from poise.physical.from_body import repair_from
from poise.physical.live import LiveRepair, _under, follow, repair_ahead


@pytest.fixture(scope="module")
def walk() -> Clip:
    return library.make("walk", load_character("human42"))


@pytest.fixture(scope="module")
def longer(walk) -> Reference:
    return Reference(walk).edit(edit.Stride(scale=1.15))


def unexplained(reference: Reference, start: float, end: float) -> float:
    """[N] rms at 70 kg; the cut ends of the clip that is audited are left out."""
    report = audit(reference.between(start, end))
    left = np.linalg.norm(report.series["force"][2:-2], axis=1)
    return float(np.sqrt(np.mean(left**2))) * 70.0 * 9.81 / report.weight


def test_what_was_followed_is_not_touched_and_goes_on_without_a_jump(walk, longer):
    layout, now = walk.character.layout, longer
    for at in (0.0, 0.1, 0.23, 0.4, 1.3):
        new = repair_ahead(now, at)
        for t in np.linspace(at - 0.6, at - 1e-9, 7):
            assert all(np.array_equal(a, b) for a, b in zip(new.sample(t), now.sample(t), strict=True))
        old, here, next_ = now.sample(at), new.sample(at), new.sample(at + 1e-7)
        for sample in (here, next_):
            assert np.abs(conf.difference(layout, old.q, sample.q)).max() < 1e-6
            assert np.abs(old.v - sample.v).max() < (1e-4 if sample is next_ else 1e-9)
        assert np.abs(old.a - next_.a).max() < 0.05
        now = new


def test_the_spliced_curve_is_smooth_inside_and_passes_into_the_edited_motion(walk, longer):
    layout, at = walk.character.layout, 0.3
    new = repair_ahead(longer, at)
    end, step = at + 0.75, 1e-4
    for t in (*np.linspace(at, end, 60), end - 0.004, end, end + 0.004):
        a, b, c = new.sample(t - step), new.sample(t), new.sample(t + step)
        assert np.abs(conf.difference(layout, a.q, c.q) / (2 * step) - b.v).max() < 0.02
        assert np.abs(c.v - a.v).max() < 0.1
    for t in (end + 0.01, end + 1.0):
        assert np.array_equal(new.sample(t).q, longer.sample(t).q)


@pytest.mark.parametrize("change", [
    lambda r: r.edit(edit.Stride(scale=1.15)), lambda r: r.edit(edit.Slope(degrees=-5)),
    lambda r: r.edit(edit.Stride(scale=1.15), at=0.9), lambda r: r.edit(edit.Warp(speed=1.1)),
    lambda r: r.edit(edit.Pin("right_hand", offset=(0.2, -0.2, 0.3), start=0.6, end=0.9)),
    lambda r: r.hand_over(Reference(r.clip.edit(edit.Stride(scale=0.85))), at=1.2, over=0.4),
    lambda r: r.edit(edit.Stairs(rise=0.16, run=0.5 * r.clip.cycle.shift[0])),
], ids=["stride", "slope", "stride under way", "warp", "pin", "another clip under way", "stairs"])  # fmt: skip
def test_edited_walks_obey_physics_while_they_are_followed(walk, change, request):
    reference = change(Reference(walk))
    followed = follow(reference, 2.3)
    assert unexplained(followed, 0.1, 2.3) < 2.0
    new, old = followed.between(0.1, 2.3), reference.between(0.1, 2.3)
    most = 3.0 if "stairs" in request.node.name else 2.0  # [degrees] feet are lifted over steps
    assert new.posture_change(old) < most and skating(new) < 0.01 and penetration(new) < 0.002
    assert np.linalg.norm((new.q - old.q)[:, :3], axis=1).max() < 0.06


def test_small_changes_do_not_grow_from_window_to_window(longer):
    followed = follow(longer, 6.0)
    for start in (1.0, 3.0, 5.0):
        new, old = followed.between(start, start + 0.9), longer.between(start, start + 0.9)
        assert new.posture_change(old) < 1.5
    assert unexplained(followed, 4.0, 5.9) < 2.0


@pytest.mark.parametrize("change", [edit.Stride(scale=1.15), edit.Slope(degrees=-5), edit.Warp(speed=1.1)])
def test_an_edited_recording_obeys_physics_while_it_is_followed(mocap, change):
    reference = Reference(load_clip(mocap / "cmu" / "02_01.bvh")).edit(change)
    end = reference.duration - 0.2
    followed = follow(reference, end)
    assert unexplained(reference, 0.2, end) > 200.0
    assert unexplained(followed, 0.2, end) < 3.0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["02_03", "16_17_f0000-0460", "91_19_f0240-0780", "12_01", "16_33", "91_16_f0300-0840",
                                  "136_20_f0180-0720", "120_08_f0180-0780"])  # fmt: skip
def test_a_recorded_walk_blended_into_another_recording_obeys_physics(mocap, name):
    human = load_character("human42")
    clips = [load_clip(mocap / "cmu" / f"{n}.bvh").retarget(human) for n in ("02_01", name)]
    reference = Reference(clips[0]).edit(edit.Blend(clips[1]))
    end = min(reference.duration - 0.4, 4.0)
    followed = follow(reference, end)
    assert unexplained(reference, 0.2, end) > 100.0
    assert unexplained(followed, 0.2, end) < 5.0


def test_a_window_takes_less_time_than_it_lasts_ten_times_over(longer):
    reference, repair, took = longer, LiveRepair(), []
    for k in range(12):
        begun = time.process_time()
        reference = repair.ahead(reference, 0.1 * k)
        took.append(time.process_time() - begun)
    assert min(took) < 0.1


def test_the_same_window_is_repaired_to_the_same_bits(longer):
    a, b = (repair_ahead(longer, 0.2) for _ in range(2))
    for t in np.linspace(0.2, 0.9, 20):
        assert all(np.array_equal(x, y) for x, y in zip(a.sample(t), b.sample(t), strict=True))


def test_a_clip_that_ends_in_full_motion_is_not_repaired_past_its_end(walk):
    reference = Reference(walk.repeat(2).cut(0.0, 1.5))
    followed = follow(reference, 2.0)
    assert np.array_equal(followed.sample(1.8).q, reference.sample(1.8).q)
    assert repair_ahead(reference, 1.48) is reference
    at_rest = Reference(library.make("stand", walk.character))
    assert repair_ahead(at_rest, at_rest.duration + 1.0) is not at_rest


def test_what_cannot_be_repaired_is_refused(walk, longer):
    for bad in ({"window": 0.0}, {"friction": float("nan")}, {"margin": 1.0}, {"iterations": 0}, {"fps": 10.0}):
        with pytest.raises(BadValue):
            LiveRepair(**bad)  # pyright: ignore[reportArgumentType]
    with pytest.raises(BadValue):
        repair_ahead(longer, float("nan"))
    fixed = replace(walk.character)  # a copy of its own, with a root that cannot move freely
    vars(fixed)["tree"] = fixed.tree._replace(kind=np.where(fixed.tree.kind == 0, 1, fixed.tree.kind))
    with pytest.raises(ClipMismatch):
        repair_ahead(Reference(Clip(fixed, walk.q.copy(), walk.dt)), 0.0)


def test_the_repair_begins_where_the_body_is_and_moves_its_foothold():
    walk = load_clip("walk")
    reference, layout = Reference(walk), walk.character.layout
    first = reference.sample(0.9)
    q, v = first.q.copy(), first.v.copy()
    q[0] += 0.02
    v[0] += 0.4  # m/s: faster than the walk
    made = repair_from(reference, 0.9, q, v)
    now = made.sample(0.9)
    assert np.allclose(now.q, q, atol=1e-12) and np.allclose(now.v, v, atol=1e-12) and made.met == 0.9
    assert np.array_equal(made.sample(0.5).q, reference.sample(0.5).q)
    late = made.sample(2.5).q[0] - reference.sample(2.5).q[0]
    assert 0.02 < late < 0.6  # m: it steps further
    again = repair_from(made, 1.0, made.sample(1.0).q, made.sample(1.0).v)
    assert np.array_equal(again.sample(0.95).q, made.sample(0.95).q)
    off = conf.difference(layout, made.sample(1.2).q[None], again.sample(1.2).q[None])
    assert np.abs(off).max() < 0.1
    same = Reference.of_parts(again.parts())
    assert np.array_equal(same.sample(1.3).q, again.sample(1.3).q) and same.met == 1.0


def test_a_body_in_step_keeps_its_footholds():
    assert np.allclose(StepPreview().shift(np.zeros(2), np.zeros(2), np.zeros(2), 3.3, 0.3, 0.0, 0.8, 0.0), 0.0)
    ahead = StepPreview().shift(np.array([0.02, 0.0]), np.array([0.4, 0.0]), np.zeros(2), 3.3, 0.4, 0.0, 0.8, 0.0)
    turned = StepPreview().shift(
        np.array([0.0, 0.02]), np.array([0.0, 0.4]), np.zeros(2), 3.3, 0.4, 0.0, 0.8, np.pi / 2
    )
    assert ahead[0] > 0.05 and abs(ahead[1]) < 1e-12 and np.allclose(turned, [0.0, ahead[0]])


def test_a_swinging_leg_keeps_off_the_standing_foot_where_that_foot_is(walk):
    """As far from it as in the motion, wherever it stands; too near by now, it comes away bit by bit."""
    character, q, labels = walk.character, walk.q[:40], walk.contacts.labels[:40]
    places, late = character.points(q), np.linspace(1.0, 0.0, 40)
    pos, quat = character.forward(q)

    def room(shift: float) -> list[np.ndarray]:
        moved = places + np.array([0.0, shift, 0.0])
        out = []
        for t in beside_standing(character, q, moved, labels, q[1], late):
            at = character.place(pos, quat, np.array([t.body]), np.asarray(t.local)[None])[:, 0]
            out.append((np.sum(np.asarray(t.normals) * at, axis=1) - np.asarray(t.heights))[np.asarray(t.weight) > 0.1])
        return out

    assert all(np.abs(x).max() < 1e-9 for x in room(0.0) if len(x))
    nearer = np.concatenate([x for shift in (0.03, -0.03) for x in room(shift)])
    assert nearer.min() == pytest.approx(-0.03, abs=0.005) and nearer.max() == pytest.approx(0.03, abs=0.005)


def test_a_foot_is_led_onto_ground_that_has_gone_from_under_all_of_it_but_not_over_an_edge(walk):
    character = walk.character
    own = character.contact_points.of("left")
    on = np.zeros((1, len(character.contact_points)), bool)
    on[:, own] = True
    off = np.zeros(on.shape)
    off[:, own] = -0.06
    assert _under(character, off, on)[0, own].all()
    off[:, own[0]] = 0.0  # it stands on one corner, and the others are over an edge
    assert _under(character, off, on)[0, own].tolist() == [True, *[False] * (len(own) - 1)]
    off[:, own] = -0.2
    assert not _under(character, off, on)[0, own].any()

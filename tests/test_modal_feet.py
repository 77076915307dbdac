"""modal's feet: a body that goes over them as a pendulum, legs that meet, feet that clear the ground, pushes."""

import numpy as np
import pytest

from poise import Push, Reference, Stage, load_clip, perform
from poise.character.roles import SIDES
from poise.methods.modal import Modal
from poise.methods.modal.leg_contact import LegContact, nearest
from poise.methods.modal.linearise import Watched
from poise.methods.modal.pendulum import sway
from poise.methods.modal.preview import Frames
from poise.motion.feet.leg_separation import _CLEAR, _lacking, raised

DT, LASTS = 1 / 120, 10 / 120


def _frames(touching: bool, count: int = 14) -> Frames:
    """A square sole of 20 cm round the origin, pressed in its middle, under a body that stays 1 m above it."""
    corners = np.array([[0.1, 0.1, 0], [0.1, -0.1, 0], [-0.1, 0.1, 0], [-0.1, -0.1, 0]])
    force = np.zeros((count, 4, 3))
    force[..., 0] = 170.0
    return Frames(np.zeros((count, 7)), np.zeros((count, 6)), np.full((count, 4), touching),
                  np.tile(corners, (count, 1, 1)),
                  np.zeros((count, 4, 3, 3)), np.tile([0.0, 0.0, 1.0], (count, 1)), np.zeros((count, 6)),
                  np.zeros((count, 3, 3)), force)  # fmt: skip


def _swayed(touching: bool, off: list[float], drift: list[float]) -> np.ndarray:
    out = np.empty((12, 2))
    sway(_frames(touching), 0, np.zeros((12, 2, 2)), np.zeros((12, 2)), np.zeros(4, np.int64), 4, 0.3, np.sqrt(9.81),
         np.array(off), np.array(drift), DT, out)  # fmt: skip
    return out


def test_sway_in_the_air_is_a_straight_line():
    ways = _swayed(False, [0.05, -0.02], [0.4, 0.1])
    assert ways == pytest.approx(
        np.array([0.05, -0.02]) + DT * np.arange(12)[:, None] * np.array([0.4, 0.1]), abs=1e-12
    )


def test_sway_needs_no_more_than_the_sole():
    for off, drift in (([0.02, 0.0], [0.1, 0.0]), ([0.3, -0.2], [0.5, -0.3])):
        ways = _swayed(True, off, drift)
        pressed = ways[1:-1] - (ways[2:] - 2 * ways[1:-1] + ways[:-2]) / DT**2 / 9.81  # c'' = w^2 (c - p)
        turn = np.array([[np.cos(0.3), np.sin(0.3)], [-np.sin(0.3), np.cos(0.3)]])
        edge = np.abs(np.array([[0.1, 0.1], [0.1, -0.1]]) @ turn.T).max()
        assert np.abs(pressed @ turn.T).max() < edge + 1e-3
    assert np.linalg.norm(_swayed(True, [0.02, 0.0], [0.0, 0.0])[-1]) < 0.02  # what the sole can, it leads back


def test_nearest_points_of_two_segments():
    draw = np.random.default_rng(0)
    grid = np.linspace(0.0, 1.0, 201)
    for _ in range(20):
        a, b, x, y = draw.normal(size=(2, 3)), draw.normal(size=(2, 3)), np.empty(3), np.empty(3)
        nearest(a, b, x, y)
        first, second = a[0] + grid[:, None] * (a[1] - a[0]), b[0] + grid[:, None] * (b[1] - b[0])
        least = np.linalg.norm(first[:, None] - second[None], axis=-1).min()
        assert np.linalg.norm(x - y) <= least + 1e-9


def test_legs_that_are_in_each_other_are_seen():
    clip = load_clip("stand")
    character = clip.character
    watched, meeting = Watched(character, np.zeros(0, int), np.zeros((0, 3))), LegContact(character)
    watched.place(np.ascontiguousarray(clip.q[0]))
    assert not len(meeting.near(watched.views).gap)
    away = character.forward(clip.q[0])[0][0]
    apart = (away[character.body("left_foot")] - away[character.body("right_foot")])[1]
    views = watched.views
    for part in ("left_shin", "left_foot"):
        views.positions[character.body(part), 1] -= apart - 0.02
    met = meeting.near(views)
    assert met.gap.min() < -0.02
    assert np.all(met.turns[np.argmin(met.gap), 0, 1] > 0.5)  # the left leg is pushed to the left


def test_swinging_feet_clear_the_ground():
    clip = load_clip("turn")
    points = clip.character.contact_points
    free = raised(clip)
    lacks = []
    for c in (clip, free):
        gap, labels = c.character.points(c.q)[..., 2], c.contacts.labels
        feet = [points.of(s) for s in SIDES]
        lacks.append(max(_lacking(gap[:, f].min(axis=1), np.asarray(labels[:, f].any(axis=1)), c).max() for f in feet))
    assert lacks[0] > 0.5 * _CLEAR
    assert lacks[1] < 0.2 * lacks[0]
    assert raised(load_clip("stand")) is load_clip("stand")


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_push_from_the_side_is_recovered_with_footholds(side: float):
    clip = load_clip("walk")
    at = 1.0 + 0.05 * clip.duration
    stage = Stage(events=[Push("chest", (0.0, side * 150.0, 0.0), at, LASTS)])
    take = perform(clip, Modal(), stage=stage, seconds=at + LASTS + 3.0)
    assert take.recovered(at + LASTS, within=3.0)


def test_a_clip_that_breaks_off_slows_down_in_the_window():
    """Beyond the end of an open clip the preview goes on from its last velocity, which dies out."""
    clip = load_clip("walk").cut(0.0, 0.8)
    reference = Reference(clip)
    memory = Modal(window=12, repair=False).start(clip.character, reference, Stage())
    frames, first = memory.preview.frames(reference, reference.ends - 2 / 120)
    speed = frames.momentum[first : first + 13, 0]
    assert np.all(np.diff(speed[4:]) < 0.0) and abs(speed[4] / speed[1] - 1.0) < 0.15 and speed[-1] > 0.5 * speed[1]

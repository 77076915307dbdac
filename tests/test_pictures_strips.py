"""Filmstrips and contact sheets: what is in them, where it stands, and what the files say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from poise.character.load import load_character
from poise.errors import BadFile, BadValue, UnknownName
from poise.export import filmstrip, ink, sheet, strip, video
from poise.ground.slope import Slope
from poise.ground.stairs import Stairs
from poise.ground.treads import Tread, Treads
from poise.motion.clip import Clip, Cycle
from poise.motion.recording import Source

LICENCE = "CC BY 4.0, some laboratory"


@pytest.fixture(scope="module")
def human():
    return load_character("human42")


def sliding(character, *, distance=0.0, seconds=2.0, fps=20.0, heading=0.0, touching=True, **changes) -> Clip:
    """A figure that stands stiffly and slides along a straight line."""
    count = round(seconds * fps) + 1
    q = np.tile(character.standing_pose(), (count, 1))
    way = np.linspace(0.0, distance, count)
    q[:, 0] += way * np.cos(heading)
    q[:, 1] += way * np.sin(heading)
    q[:, 3:7] = [np.cos(heading / 2), 0.0, 0.0, np.sin(heading / 2)]
    labels = np.full((count, len(character.contact_points)), touching)
    source = Source("slide", "some/where/slide.bvh", "bvh", LICENCE)
    return Clip(character, q, 1.0 / fps, source=source, labels=labels, **changes)


def figures_in(picture: Image.Image, rows: slice) -> int:
    """How many separate stretches of coloured limbs lie along these rows."""
    pixels = np.asarray(picture).astype(int)[rows]
    limbs = (np.ptp(pixels, axis=2) > 40).any(axis=0)
    limbs = np.convolve(limbs, np.ones(5), "same") > 0
    return int(np.sum(np.diff(limbs.astype(int)) == 1) + limbs[0])


def test_every_pose_is_there_in_every_row(human):
    clips = [sliding(human), sliding(load_character("human57"), fps=33.0)]
    picture = filmstrip.filmstrip(clips, frames=5, width=900, contacts=False)
    half = picture.height // 2
    assert figures_in(picture, slice(0, half - 20)) == 5
    assert figures_in(picture, slice(half, picture.height - 40)) == 5


def test_the_same_inputs_give_the_same_bytes(human, tmp_path):
    for name in ("a.png", "b.png"):
        filmstrip.save(sliding(human), tmp_path / name, frames=3, width=400)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_left_is_orange_and_right_is_blue(human):
    """From the right-hand side the right limbs are nearer; turned round, the left ones are."""
    for azimuth, near in ((0.0, 2), (180.0, 0)):
        options = {"contacts": False, "azimuth": azimuth, "spacing": "even"}
        pixels = np.asarray(filmstrip.filmstrip(sliding(human), frames=1, **options)).astype(int)
        blue = np.sum(pixels[..., 2] > pixels[..., 0] + 40)
        orange = np.sum(pixels[..., 0] > pixels[..., 2] + 40)
        assert (blue > 3 * orange) if near == 2 else (orange > 3 * blue)


def test_contacts_are_marked_only_where_they_are(human):
    green = np.array(ink.TOUCH)
    count = {}
    for touching in (True, False):
        pixels = np.asarray(filmstrip.filmstrip(sliding(human, touching=touching), frames=2)).astype(int)
        count[touching] = int((np.abs(pixels - green).max(axis=2) < 3).sum())
    assert count[True] > 50 and count[False] == 0


@pytest.mark.parametrize("heading", [0.0, 2.0])
def test_travelling_poses_keep_their_true_distances(human, heading):
    times = np.linspace(0.0, 2.0, 4)
    row = strip.row_of(sliding(human, distance=1.8, heading=heading), times)
    layout = strip.plan([row], times)
    assert layout.true and np.allclose(np.diff(layout.columns), 0.6)
    crowded = strip.plan([strip.row_of(sliding(human, distance=0.3, heading=heading), times)], times)
    assert not crowded.true and np.all(np.diff(crowded.columns) > 0.3)


def test_what_has_ended_is_left_blank_and_what_loops_goes_on(human):
    long, short = sliding(human, seconds=2.0), sliding(human, seconds=1.0)
    times = np.array([0.0, 1.0, 2.0])
    assert [p is not None for p in strip.row_of(long, times).poses] == [True, True, True]
    assert [p is not None for p in strip.row_of(short, times).poses] == [True, True, False]
    loop = replace(sliding(human, distance=1.0, seconds=1.0), cycle=Cycle(0.0, np.array([1.0, 0.0, 0.0])))
    q, _, inside = strip.poses_at(loop, np.array([0.25, 1.0, 2.25]))
    assert inside.all() and np.allclose(q[:, 0] - q[0, 0], [0.0, 0.75, 2.0])


@pytest.mark.parametrize("ground", [Slope(10.0), Stairs(0.15, 0.3, 0.2)])
@pytest.mark.parametrize("spacing", ["true", "even"])
def test_strips_on_slopes_and_stairs_show_ground_and_figures(human, ground, spacing):
    clip = sliding(human, distance=1.5)
    q = clip.q.copy()
    q[:, 2] += ground.height(q[:, 0], q[:, 1])
    clip = replace(clip, q=q, ground=ground)
    picture = filmstrip.filmstrip(clip, frames=3, width=700, spacing=spacing, contacts=False)
    pixels = np.asarray(picture).astype(int)
    assert figures_in(picture, slice(0, picture.height - 40)) >= (1 if spacing == "true" else 3)
    grey = (np.ptp(pixels, axis=2) < 12) & (pixels.max(axis=2) < 235)
    assert grey.mean() > 0.05


def test_a_saved_strip_tells_its_source_and_licence(human, tmp_path):
    filmstrip.save(sliding(human), tmp_path / "strip.png", frames=2, width=300)
    with Image.open(tmp_path / "strip.png") as picture:
        assert picture.info["Copyright"] == LICENCE
        assert picture.info["Title"] == "slide" and picture.info["Source"] == "slide.bvh"


def test_a_strip_is_written_whole_or_not_at_all(human, tmp_path):
    with pytest.raises(BadFile):
        filmstrip.save(sliding(human), tmp_path, frames=1, width=200)
    with pytest.raises(BadFile):
        filmstrip.save(sliding(human), tmp_path / "missing" / "strip.png", frames=1, width=200)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options",
    [{"frames": 0}, {"times": []}, {"times": [np.nan]}, {"spacing": -1.0}, {"spacing": "wide"}, {"labels": ["a", "b"]},
     {"width": 3}],
)  # fmt: skip
def test_meaningless_options_get_one_sentence(human, options):
    with pytest.raises(BadValue, match=r"^[^\n]+\.$"):
        filmstrip.filmstrip(sliding(human), **options)


def test_an_option_that_does_not_exist_is_named(human, tmp_path):
    with pytest.raises(UnknownName, match="Did you mean 'frames'"):
        filmstrip.save(sliding(human), tmp_path / "strip.png", frame=3)
    with pytest.raises(UnknownName, match="Did you mean 'width'"):
        video.save(sliding(human), tmp_path / "strip.mp4", widht=320)
    assert list(tmp_path.iterdir()) == []


def test_a_clip_of_one_frame_is_one_pose(human):
    still = sliding(human).cut(0.0, 0.0)
    assert len(strip.moments([still], 8, None)) == 1
    assert figures_in(filmstrip.filmstrip(still, contacts=False), slice(0, 300)) == 1


def test_a_contact_sheet_holds_all_strips_in_a_small_file(human, tmp_path):
    clips = [sliding(human), [sliding(human), sliding(human)], sliding(human)]
    done = []
    picture = sheet.contact_sheet(clips, ["one", "two", "three"], 2, frames=3, title="All",
                                  progress=lambda n, total: done.append((n, total)))  # fmt: skip
    sheet.save_sheet(picture, tmp_path / "sheet.png", clips, colours=64)
    assert done == [(1, 3), (2, 3), (3, 3)]
    assert (tmp_path / "sheet.png").stat().st_size < 80_000
    with Image.open(tmp_path / "sheet.png") as few:
        assert few.info["Copyright"] == LICENCE
        pixels = np.asarray(few.convert("RGB")).astype(int)
    assert (pixels[-5:] == 255).all()
    assert (np.abs(pixels - np.array(ink.TOUCH)).max(axis=2) == 0).sum() > 20  # marks survive the few colours


def test_what_goes_forward_goes_to_the_right(human):
    assert strip.heading_of(sliding(human, distance=2.0, heading=1.0)) == pytest.approx(1.0)
    assert strip.heading_of(sliding(human, heading=-2.0)) == pytest.approx(-2.0)  # in place: where it faces
    there = sliding(human, distance=2.0, heading=1.0)
    back = there.with_q(np.concatenate([there.q, there.q[::-1]]), labels=None)
    assert strip.heading_of(back) == pytest.approx(1.0)


@pytest.mark.parametrize("seconds", [0.3, 0.2, 0.0])
@pytest.mark.parametrize("ground", [Treads((Tread(0.2, 0.0, 0.3, 0.4, 0.13),)), Stairs(0.15, 0.3), Slope(4.0)])
def test_clips_that_end_early_leave_gaps_on_every_ground(human, seconds, ground):
    """A clip of a few frames, or of one, above a longer one: its strip is blank where it has ended."""
    short, long = sliding(human, seconds=seconds, ground=ground), sliding(human, seconds=1.0)
    picture = filmstrip.filmstrip([short, long], frames=4, width=800, row_height=200, contacts=False)
    there = int(np.sum(np.linspace(0.0, 1.0, 4) < seconds + 0.5 * short.dt))
    assert figures_in(picture, slice(0, picture.height // 2 - 20)) == there
    assert figures_in(picture, slice(picture.height // 2, picture.height - 40)) == 4


def test_times_beyond_one_clip_or_beyond_all(human):
    short, long = sliding(human, seconds=0.2, ground=Stairs(0.15, 0.3)), sliding(human, seconds=1.0)
    picture = filmstrip.filmstrip([short, long], times=[0.5, 0.9], width=400, row_height=200, contacts=False)
    assert figures_in(picture, slice(0, picture.height // 2 - 20)) == 0
    with pytest.raises(BadValue, match=r"1\.00 s"):
        filmstrip.filmstrip([short, long], times=[5.0])

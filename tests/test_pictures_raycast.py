"""Ray-cast pictures against geometry, and against MuJoCo's own rays."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from poise.character.character import Character, ContactPoints
from poise.export import raycast, scene
from poise.export.camera import Camera, from_side
from poise.export.intersect import FAR, SPHERE, Shapes, facing
from poise.export.tracing import FLOOR, NOTHING
from poise.ground.flat import Flat
from poise.ground.slope import Slope
from poise.ground.stairs import Stairs
from poise.ground.treads import Tread, Treads

ZOO = """
<mujoco>
  <asset><mesh name="wedge" vertex="0 0 0  .3 0 0  0 .3 0  0 0 .4"/></asset>
  <worldbody>
    <body name="a" pos="0 0 .5"><freejoint/>
      <geom type="sphere" size=".15"/>
      <geom type="capsule" size=".08 .2" pos=".5 .1 .1" euler="30 40 0"/>
      <geom type="ellipsoid" size=".1 .2 .15" pos="-.5 .1 .2" euler="10 60 20"/>
      <geom type="cylinder" size=".12 .15" pos=".1 -.3 .5" euler="50 0 10"/>
      <geom type="box" size=".1 .15 .2" pos="-.1 .2 -.35" euler="15 25 35"/>
      <geom type="mesh" mesh="wedge" pos=".7 -.2 .4" euler="0 20 70"/>
      <geom type="capsule" size=".05 .3" pos="-.7 -.3 -.2"/>
    </body>
  </worldbody>
</mujoco>
"""


def zoo() -> Character:
    """One of every kind of geom on a floating body."""
    none = ContactPoints((), np.zeros(0, int), np.zeros((0, 3)))
    return Character("zoo", ZOO, {}, none, np.zeros(6), np.zeros(6))


def ball(radius: float = 0.5, centre: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Shapes:
    """One white sphere."""
    one = np.ones(1)
    return Shapes(np.array([SPHERE]), np.array([centre]), np.eye(3)[None], np.full((1, 3), radius), np.ones((1, 3)),
                  np.zeros(1, np.int64), radius * one)  # fmt: skip


def level_camera(parallel: bool, size: tuple[int, int] = (400, 300)) -> Camera:
    return Camera(np.array([0.0, -4.0, 0.0]), np.zeros(3), 2.0, *size, parallel)


@pytest.mark.parametrize("parallel", [True, False])
def test_the_outline_of_a_sphere_is_a_circle_of_the_right_size(parallel):
    camera = level_camera(parallel)
    picture = raycast.cast(ball(0.5), camera)
    seen = picture.owner == 0
    radius = 0.5 if parallel else 0.5 * camera.reach / np.sqrt(camera.reach**2 - 0.5**2)
    y, x = np.nonzero(seen)
    far = np.hypot(x + 0.5 - camera.width / 2, y + 0.5 - camera.height / 2).max()
    assert seen.sum() == pytest.approx(np.pi * (radius * camera.scale) ** 2, rel=0.005)
    assert far == pytest.approx(radius * camera.scale, abs=1.0)
    assert np.all(picture.colour[~seen].min(axis=-1) >= 128)  # smoothing reaches one pixel beyond the outline


def test_depth_in_the_middle_of_a_sphere_is_exact():
    picture = raycast.cast(ball(0.5), level_camera(True, (101, 75)))
    assert picture.depth[37, 50] == pytest.approx(3.5, abs=1e-12)
    assert picture.depth[0, 0] == FAR and picture.owner[0, 0] == NOTHING


@pytest.mark.parametrize("eye", [(1.0, -2.5, 1.2), (-1.5, 0.4, 0.3), (0.3, 0.2, 3.0), (0.1, -0.5, 0.4)])
def test_distances_and_normals_are_those_of_mujoco(eye):
    character = zoo()
    q = np.array([0.1, 0.0, 0.5, 0.9, 0.1, 0.3, 0.2])
    q[3:] /= np.linalg.norm(q[3:])
    shapes = scene.figures(character, q[None])[0]
    camera = Camera(np.array(eye), np.array([0.05, 0.0, 0.5]), 1.6, 160, 120)
    picture = raycast.cast(shapes, camera, smooth=1)
    right, up, ahead = camera.axes
    x = (np.arange(camera.width) + 0.5 - camera.width / 2) / camera.scale
    y = (camera.height / 2 - np.arange(camera.height) - 0.5) / camera.scale
    rays = ahead * camera.reach + x[None, :, None] * right + y[:, None, None] * up
    rays = (rays / np.linalg.norm(rays, axis=-1, keepdims=True)).reshape(-1, 3)
    model, data = character.model, mujoco.MjData(character.model)
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    count = len(rays)
    geom, distance, normal = np.zeros(count, np.int32), np.zeros(count), np.zeros(3 * count)
    mujoco.mj_multiRay(model, data, camera.eye, rays.reshape(-1), None, True, -1, geom, distance, normal, count, 1e6)
    ours, hit = picture.depth.reshape(-1), geom >= 0
    assert hit.sum() > 1000
    assert np.mean((ours < FAR) != hit) < 2e-3  # a ray along an edge may go either way
    both = hit & (ours < FAR)
    assert np.mean(np.abs(ours[both] - distance[both]) > 1e-9) < 2e-3
    table, owner = shapes.packed(), picture.owner.reshape(-1)
    for n in np.flatnonzero(both)[::17]:
        if abs(ours[n] - distance[n]) < 1e-9:
            own = np.array(facing(table, owner[n], *(camera.eye + ours[n] * rays[n])))
            assert abs(own @ normal[3 * n : 3 * n + 3]) == pytest.approx(1.0, abs=1e-6)


def test_a_ball_throws_its_shadow_where_the_sun_says():
    floor = raycast.Floor(near=50.0, far=60.0, square=1000.0, origin=np.array([-500.0, -500.0]))
    sun = np.array([-1.0, 0.0, 1.0])
    camera = Camera(np.array([0.0, 0.0, 9.0]), np.zeros(3), 4.0, 200, 200, parallel=True)
    picture = raycast.cast(ball(0.25, (0.0, 0.0, 1.0)), camera, floor, raycast.Look(sun=sun, sun_radius=1e-4))
    grey = picture.colour.mean(axis=-1)
    lit = grey[20, 20]
    in_shadow = camera.pixels(np.array([1.0, 0.0, 0.0])).astype(int)
    assert grey[in_shadow[1], in_shadow[0]] < lit - 20
    other_side = camera.pixels(np.array([-1.0, 0.0, 0.0])).astype(int)
    assert grey[other_side[1], other_side[0]] == lit
    half = 0.5 * (lit + grey[in_shadow[1], in_shadow[0]])
    dark = (grey < half) & (picture.owner == FLOOR)
    # on the floor the round shadow is stretched along the light, by 1 / sin 45°
    area = dark.sum() / camera.scale**2
    assert area == pytest.approx(np.pi * 0.25**2 * np.sqrt(2.0), rel=0.03)


def test_the_floor_fades_into_the_background():
    floor = raycast.Floor(along=np.array([1.0, 0.0, 0.0]), near=0.5, far=1.0)
    camera = Camera(np.array([0.0, 0.0, 9.0]), np.zeros(3), 4.0, 80, 80, parallel=True)
    picture = raycast.cast(Shapes.none(), camera, floor)
    assert np.all(picture.colour[:15] == 255) and np.all(picture.colour[-15:] == 255)
    assert picture.colour[40].max() < 230


class Bumps:
    """A ground that is none of the known kinds."""

    def height(self, x, y):
        return 0.1 * np.sin(2.0 * np.asarray(x)) * np.cos(np.asarray(y))

    def normal(self, x, y):
        return np.broadcast_to([0.0, 0.0, 1.0], (*np.shape(x), 3))


GROUNDS = [
    Flat(0.2), Slope(12.0, 30.0), Stairs(0.15, 0.3, -0.4), Stairs(-0.2, 0.4, 0.1, 3, 90.0),
    Treads((Tread(0.3, 0.2, 0.4, 0.3, 0.25, 20.0), Tread(-0.6, 0.0, 0.2, 0.5, 0.5)), 0.0), Bumps(),
]  # fmt: skip


@pytest.mark.parametrize("surface", GROUNDS, ids=lambda g: type(g).__name__)
def test_a_drawn_ground_is_as_high_as_the_ground_says(surface):
    camera = Camera(np.array([0.0, 0.0, 20.0]), np.zeros(3), 2.4, 120, 120, parallel=True)
    below, floor = scene.ground(surface, np.array([-1.3, -1.3]), np.array([1.3, 1.3]), raycast.Floor())
    depth = raycast.cast(below, camera, floor, smooth=1).depth
    x = (np.arange(120) + 0.5 - 60) / camera.scale
    height = surface.height(*np.meshgrid(x, -x))
    wrong = np.abs(20.0 - depth - height) > (0.002 if isinstance(surface, Bumps) else 1e-9)
    assert np.mean(wrong) < 0.01  # a pixel on the edge of a step may go either way


def test_spread_is_what_the_picture_shows():
    shapes = scene.figures(zoo(), zoo().zero_pose()[None])[0]
    camera = from_side(np.array([0.0, 0.0, 0.5]), 0.3, 2.4, 800, 600, elevation=20.0)
    owner = raycast.cast(shapes, camera, smooth=1).owner
    for axis, along, sign in ((0, 0, 1.0), (1, 1, -1.0)):
        low, high = scene.spread(shapes, camera.axes[axis])
        seen = np.flatnonzero((owner >= 0).any(axis=along))
        middle = camera.target @ camera.axes[axis]
        places = sorted(
            sign * (np.array([low, high]) - middle) * camera.scale + [camera.height, camera.width][1 - axis] / 2
        )
        assert seen[0] == pytest.approx(places[0], abs=1.5) and seen[-1] + 1 == pytest.approx(places[1], abs=1.5)


def test_a_point_and_its_pixel_agree():
    for parallel in (True, False):
        camera = replace(level_camera(parallel), eye=np.array([0.5, -4.0, 1.0]))
        place = np.array([0.3, -0.2, 0.1])
        x, y = camera.pixels(place)
        owner = raycast.cast(ball(0.03, tuple(place)), camera, smooth=1).owner
        assert owner[int(y), int(x)] == 0

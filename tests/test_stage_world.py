"""Worlds: the character keeps its numbers, grounds are as high as they say, patches are as slippery as they say."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from poise.character.load import load_character
from poise.experiments.stage_actors import crate, perform
from poise.experiments.stage_tour import on_slope
from poise.stage import (
    Ball,
    Bar,
    Barbell,
    Blocks,
    Box,
    Flat,
    Grip,
    HeightField,
    Patches,
    Platform,
    Seesaw,
    Slope,
    Sphere,
    Stage,
    Stairs,
    Tread,
    Treads,
)
from poise.stage.world import build

BUMPS = HeightField(0.1 * np.random.default_rng(0).random((21, 31)), 0.1, (-1.0, -1.5))


class Wavy:
    """A ground of an unknown kind."""

    def height(self, x, y):
        return 0.1 * np.sin(np.asarray(x)) * np.cos(np.asarray(y))

    def normal(self, x, y):
        raise NotImplementedError


GROUNDS = {
    "flat": Flat(0.1),
    "slope": Slope(-8.0, 30.0),
    "stairs up": Stairs(heading=20.0),
    "stairs down": Stairs(rise=-0.2, count=5),
    "treads": Treads((Tread(0.7, 0.1, 0.3, 0.4, 0.2, 25.0), Tread(-0.5, 0.0, 0.2, 0.2, 0.4))),
    "platform": Platform(size=(1.5, 1.2, 0.1)),
    "seesaw": Seesaw(),
    "blocks": Blocks([(0.4, 0.2, 30.0, 0.5, 0.4, 0.2, None), (-0.6, 0.0, 0.0, 0.3, 0.3, 0.5, 3.0)]),
    "patches": Patches([(0.0, 0.0, 0.5, 0.5, 0.1)], Slope(5.0)),
    "height field": BUMPS,
    "any": Wavy(),
}


@pytest.fixture(scope="module")
def human():
    return load_character("human42")


def surface(world, x, y):
    """Height of the world's solid geoms, the character's left out, by a ray from above."""
    data = mujoco.MjData(world.model)
    data.qpos[2] = 50.0  # the character is out of the way
    mujoco.mj_forward(world.model, data)
    groups = np.array([1, 0, 0, 0, 0, 0], np.uint8)  # only what is solid
    down, geom, out = np.array([0.0, 0.0, -1.0]), np.zeros(1, np.int32), []
    for a, b in zip(x, y, strict=True):
        far = mujoco.mj_ray(world.model, data, np.array([a, b, 5.0]), down, groups, 1, -1, geom, None)
        out.append(5.0 - far if far >= 0 else np.nan)
    return np.array(out)


@pytest.mark.parametrize("name", GROUNDS)
def test_the_ground_is_built_as_high_as_it_says(human, name):
    ground = GROUNDS[name]
    world = build(human, Stage(ground))
    rng = np.random.default_rng(1)
    x, y = rng.uniform(-0.95, 1.4, 300), rng.uniform(-1.4, 1.4, 300)
    found, said = surface(world, x, y), ground.height(x, y)
    wrong = np.abs(found - said) > (3e-4 if name == "any" else 1e-5)
    assert wrong.mean() <= (0.01 if name != "any" else 0.0), np.c_[x, y, found, said][wrong][:5]


def test_the_character_comes_first_and_unchanged(human):
    props = [Box(), Barbell(), Bar(), Sphere()]
    grips = [Grip(), Grip("right_hand"), Grip("left_hand", "barbell", start=3.0)]
    world = build(human, Stage(Platform(), props, grips, [Ball(2.0, 1.0, 10.0, "head")]))
    own, model = human.model, world.model
    for name in ("body_mass", "body_inertia", "body_ipos", "jnt_type", "jnt_range", "geom_size", "geom_contype",
                 "dof_damping", "dof_armature", "body_pos"):  # fmt: skip
        a, b = getattr(own, name), getattr(model, name)
        assert np.array_equal(a, b[: len(a)]), name
    assert world.nq == own.nq and world.nv == own.nv
    assert set(world.things) == {"platform", "box", "barbell", "bar", "sphere", "ball_0"}
    assert model.body_subtreemass[world.things["barbell"]] == pytest.approx(30.0, abs=1e-9)
    assert model.body_mass[world.things["box"]] == pytest.approx(5.0)
    assert model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_AUTORESET


@pytest.mark.parametrize("name", ["human57", "human45", "biped18", "kangaroo"])
def test_other_characters_stand_on_stages_too(name):
    character = load_character(name)
    world = build(character, Stage(Stairs(), [Box()]))
    data = mujoco.MjData(world.model)
    data.qpos[: world.nq] = character.standing_pose()
    data.qpos[2] -= 0.001
    mujoco.mj_forward(world.model, data)
    assert data.ncon > 0 and all(world.model.geom_bodyid[c.geom].max() >= world.nbody for c in data.contact)


@pytest.mark.parametrize("friction", [0.2, 0.4, 0.8])
@pytest.mark.parametrize("contact", ["soft", "springs"])
def test_a_crate_slides_above_its_friction_angle_and_not_below(friction, contact):
    angle = np.degrees(np.arctan(friction))
    _, _, below = on_slope(angle - 1.0, friction, 1.0, contact)
    _, _, above = on_slope(angle + 1.0, friction, 1.0, contact)
    tilt = np.radians(angle + 1.0)
    ideal = 0.5 * 9.81 * (np.sin(tilt) - friction * np.cos(tilt))
    if contact == "soft":
        assert below < 1e-4
        assert above == pytest.approx(ideal, rel=0.1)
    else:  # it is set down on relaxed springs, and bounces until they carry it
        assert below < 0.02
        assert above > 0.8 * ideal


def test_patches_have_their_own_friction():
    ground = Patches([(0.8, 0.0, 0.8, 0.6, 0.02)])
    q, v = np.array([0.0, 0.0, 0.15, 1, 0, 0, 0]), np.array([2.5, 0.0, 0, 0, 0, 0])
    _, take = perform(crate((0.2, 0.2, 0.3)), Stage(ground, friction=0.5), q, 0.8, v=v)
    row, x = take.contacts, take.q[take.contacts.frame, 0]
    for where, mu in ((x < 0.28, 0.5), ((x > 0.52) & (x < 1.08), 0.02)):
        assert np.abs(row.force[where, 0]).sum() / row.force[where, 2].sum() == pytest.approx(mu, rel=1e-3)
        assert np.allclose(row.friction[where], mu)

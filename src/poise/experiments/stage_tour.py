"""A tour of the stage: every element simulated, measured and drawn.

Each function gives a `Sight`: a take, the world it happened in, how to look at it, and numbers that say how well it
went.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from poise import stage as on
from poise.character.load import load_character
from poise.experiments.reproduce import Options, Table, told
from poise.experiments.stage_actors import Servo, crate, hanging_pose, perform
from poise.export import ink, staging
from poise.maths import GRAVITY
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.stage import Stage
from poise.stage.world import World
from poise.take import Take


@dataclass(frozen=True, eq=False)
class Sight:
    """One element of the stage: what happened, how to look at it and what was measured."""

    name: str
    world: World
    take: Take
    times: Sequence[float] | Array
    view: Mapping[str, Any]
    numbers: Mapping[str, float]


def on_slope(degrees: float, friction: float, seconds: float = 1.5, contact: str = "soft") -> tuple[World, Take, float]:
    """A crate laid on a slope; gives how far [m] it slid."""
    tilt = np.radians(degrees)
    turn = rot.from_axis_angle([0.0, 1.0, 0.0], -tilt)
    q = np.concatenate([rot.rotate(turn, np.array([0.0, 0.0, 0.15])), turn])
    world, take = perform(crate(), Stage(on.Slope(degrees), friction=friction), q, seconds, contact=contact)
    return world, take, float(np.linalg.norm(take.q[-1, :3] - take.q[0, :3]))


def slope(friction: float = 0.4) -> list[Sight]:
    """A crate one degree below and one degree above its friction angle."""
    angle = float(np.degrees(np.arctan(friction)))
    out = []
    for off in (-1.0, 1.0):
        world, take, slid = on_slope(angle + off, friction)
        ideal = GRAVITY * (np.sin(np.radians(angle + off)) - friction * np.cos(np.radians(angle + off)))
        numbers = {"slope [degrees]": angle + off, "friction angle [degrees]": angle, "slid [mm]": 1000 * slid,
                   "slides by Coulomb's law [mm]": 1000 * max(0.0, 0.5 * ideal * take.time[-1] ** 2)}  # fmt: skip
        out.append(Sight(f"slope {'below' if off < 0 else 'above'} the friction angle", world, take,
                         np.linspace(0, take.time[-1], 5), dict(target=(0.0, 0, 0.1), span=1.1, azimuth=0.0),
                         numbers))  # fmt: skip
    return out


def seesaw() -> list[Sight]:
    """A crate that slides towards one end tips the plank until it reaches its limit."""
    ground = on.Seesaw()
    q = np.array([0.6, 0.0, 0.15, 1.0, 0.0, 0.0, 0.0])
    world, take = perform(crate(mass=30.0), Stage(ground, friction=0.6), q, 1.5)
    quat = take.props["seesaw"][:, 3:]
    tilt = np.degrees(rot.twist_angle(quat, np.array([0.0, 1.0, 0.0])))
    numbers = {"tilt at the end [degrees]": float(tilt[-1]), "limit [degrees]": float(np.degrees(ground.tilt))}
    return [
        Sight("seesaw", world, take, np.linspace(0, 1.0, 5), dict(target=(0, 0, 0.0), span=2.6, width=360), numbers)
    ]


def platform() -> list[Sight]:
    """A crate carried by a platform that goes to and fro; the friction it needs is less than it has."""
    motion = on.PlatformMotion(amplitude=0.15, frequency=1.0)
    stage = Stage(on.Platform(size=(1.6, 1.2, 0.1), motion=motion), friction=1.0)
    world, take = perform(crate(), stage, np.array([0.0, 0.0, 0.15, 1.0, 0.0, 0.0, 0.0]), 3.0)
    told = np.array([motion(t) for t in take.time])
    carried = take.q[:, :3] - take.q[0, :3] - told
    numbers = {
        "platform off its course [mm]": 1000 * float(np.abs(take.props["platform"][:, :3] - told).max()),
        "crate off the platform [mm]": 1000 * float(np.abs(carried[:, :2]).max()),
        "greatest acceleration [m/s2]": float(np.abs(np.gradient(np.gradient(told[:, 0], take.time), take.time)).max()),
    }
    return [Sight("platform", world, take, [0.0, 0.75, 1.25, 1.75, 2.25], dict(target=(0, 0, 0.05), span=1.6), numbers)]


def bar() -> list[Sight]:
    """Hanging by both hands, pushed forwards, then by one hand, pushed sideways: swings in both planes."""
    character = load_character("human42")
    q = hanging_pose(character, 2.4)
    stage = Stage(
        props=[on.Bar()],
        grips=[on.Grip("left_hand"), on.Grip("right_hand", end=1.5)],
        events=[on.Push("pelvis", (220.0, 0, 0), 0.1, 0.3), on.Push("pelvis", (0, 60.0, 0), 1.6, 0.2)],
    )
    world, take = perform(character, stage, q, 3.5, Servo(q, free=("left_hand", "right_hand")))
    mass = character.centre_of_mass(take.q)
    held = take.contacts.bilateral
    points = take.contacts.point[held]
    numbers = {
        "swing forwards and back [m]": float(np.ptp(mass[take.time < 1.5, 0])),
        "swing sideways [m]": float(np.ptp(mass[take.time > 1.5, 1])),
        "hands off the bar's axis [mm]": 1000 * float(np.hypot(points[:, 0], points[:, 2] - 2.4).max()),
        "greatest grip force [N]": float(np.linalg.norm(take.contacts.force[held], axis=1).max()),
    }
    front = dict(target=(0, 0, 1.45), span=2.6, heading=90.0, azimuth=10.0)
    side = dict(target=(0, 0, 1.45), span=2.6, azimuth=10.0)
    return [Sight("bar, seen from the side", world, take, [0.0, 0.5, 0.9, 1.3, 1.7, 2.2], side, numbers),
            Sight("bar, seen from behind", world, take, [0.5, 1.5, 2.0, 2.4, 2.8, 3.2], front, numbers)]  # fmt: skip


def thrown() -> list[Sight]:
    """A ball at the head and one at the chest of somebody who stands."""
    character = load_character("human42")
    q = character.standing_pose()
    out = []
    for toward, way, speed in (("head", (1.0, 0.0, 0.0), 10.0), ("chest", (0.0, -1.0, 0.0), 7.0)):
        ball = on.Ball(mass=2.0, at=0.2, speed=speed, toward=toward, direction=way)
        world, take = perform(character, Stage(events=[ball]), q, 0.9, Servo(q))
        texts = [e for e in take.events if e.kind == "ball" and "hits" in e.text]
        miss = float(texts[0].text.split(", ")[1].split(" cm")[0]) if texts else np.inf
        hit = float(texts[0].time) if texts else np.nan
        view = dict(target=(-0.4 * way[0], -0.4 * way[1], 1.0), span=2.3, heading=0.0 if way[0] else -90.0)
        out.append(Sight(f"ball at the {toward}", world, take, [0.22, 0.3, hit - 0.01, hit + 0.03, 0.8], view,
                         {"missed its aim by [cm]": miss, "hit at [s]": hit}))  # fmt: skip
    return out


def patches() -> list[Sight]:
    """A crate that slides over ice and stops beyond it."""
    ground = on.Patches([(0.8, 0.0, 0.8, 0.6, 0.02)])
    q, v = np.array([0.0, 0.0, 0.15, 1.0, 0.0, 0.0, 0.0]), np.array([2.5, 0.0, 0.0, 0.0, 0.0, 0.0])
    world, take = perform(crate((0.2, 0.2, 0.3)), Stage(ground, friction=0.5), q, 1.2, v=v)
    row, x = take.contacts, take.q[take.contacts.frame, 0]
    felt = lambda part: float(np.abs(row.force[part, 0].sum()) / row.force[part, 2].sum())  # noqa: E731
    numbers = {"friction felt on the floor": felt(x < 0.28), "friction felt on the ice": felt((x > 0.52) & (x < 1.08)),
               "stopped at [m]": float(take.q[-1, 0])}  # fmt: skip
    return [Sight("patch of ice (friction 0.5 and 0.02)", world, take, [0.0, 0.15, 0.4, 0.6, 1.2],
                  dict(target=(0.8, 0, 0.1), span=1.7, width=300), numbers)]  # fmt: skip


def blocks() -> list[Sight]:
    """A crate on a fixed block, and a free block that it knocks over."""
    ground = on.Blocks([(0.0, 0.0, 15.0, 0.6, 0.6, 0.2, None), (1.0, 0.0, 0.0, 0.15, 0.3, 0.6, 4.0)])
    q, v = np.array([0.0, 0.0, 0.35, 1.0, 0.0, 0.0, 0.0]), np.array([2.6, 0.0, 0.3, 0.0, 0.0, 0.0])
    world, take = perform(crate(), Stage(ground, friction=0.3), q, 1.2, v=v)
    numbers = {
        "free block moved by [m]": float(np.linalg.norm(take.props["block_1"][-1, :3] - take.props["block_1"][0, :3]))
    }
    return [
        Sight("blocks", world, take, np.linspace(0, 1.2, 5), dict(target=(0.8, 0, 0.25), span=2.1, width=360), numbers)
    ]


def heights() -> list[Sight]:
    """A limp body falls on rough ground; nothing goes through."""
    rng = np.random.default_rng(0)
    x = np.linspace(-2.0, 2.0, 41)
    bumps = 0.05 * np.sin(3 * x)[:, None] * np.cos(2.5 * x)[None, :] + 0.012 * rng.standard_normal((41, 41))
    ground = on.HeightField(bumps, 0.1, (-2.0, -2.0))
    character = load_character("human42")
    q = character.standing_pose()
    q[2] += 0.12
    world, take = perform(character, Stage(ground), q, 1.5)
    depth = float(take.contacts.depth[take.contacts.on_ground()].max(initial=0.0))
    return [Sight("height field", world, take, [0.0, 0.3, 0.6, 0.9, 1.5], dict(target=(0.2, 0, 0.8), span=2.3),
                  {"greatest depth [mm]": 1000 * depth})]  # fmt: skip


def stairs() -> list[Sight]:
    """A crate tumbles down a staircase and rests on a tread."""
    q, v = np.array([0.2, 0.0, 0.15, 1.0, 0.0, 0.0, 0.0]), np.array([2.5, 0.1, 0.0, 0.0, 0.0, 0.0])
    ground = on.Stairs(rise=-0.17, run=0.28, start=0.5, count=6)
    world, take = perform(
        crate((0.24, 0.24, 0.24)), Stage(ground, friction=0.6), q - [0, 0, 0.03, 0, 0, 0, 0], 2.5, v=v
    )
    low = float(ground.height(take.q[-1, 0], take.q[-1, 1]))
    numbers = {
        "at rest over its tread [m]": float(take.q[-1, 2]) - low,
        "speed at the end [m/s]": float(np.abs(take.v[-1]).max()),
    }
    view = dict(target=(1.5, 0, -0.45), span=2.6, width=380, azimuth=0.0)
    return [Sight("stairs", world, take, [0.0, 0.35, 0.7, 1.2, 2.5], view, numbers)]


def barbell() -> list[Sight]:
    """Both hands hold a 30 kg barbell; it hangs from them and turns about its own axis."""
    character = load_character("human42")
    q = hanging_pose(character, 1.0, reach=25.0)
    q[2] -= float(character.points(q)[0, :, 2].min())
    pos, quat = character.forward(q)
    hand = character.body("left_hand")
    place = pos[0, hand] + rot.rotate(quat[0, hand], character.model.body_ipos[hand])
    bell = on.Barbell(position=(float(place[0]), 0.0, float(place[2])))
    stage = Stage(props=[bell], grips=[on.Grip("left_hand", "barbell"), on.Grip("right_hand", "barbell", end=0.8)])
    world, take = perform(character, stage, q, 1.4, Servo(q, stiffness=800.0, damping=60.0))
    both = (take.time > 0.3) & (take.time < 0.8)
    held = take.contacts.bilateral & both[take.contacts.frame]
    pull = -float(take.contacts.force[held, 2].sum()) / int(both.sum())
    numbers = {"mean pull on both hands [N]": pull, "weight of the barbell [N]": bell.mass * GRAVITY}
    return [Sight("barbell, let go by the right hand at 0.8 s", world, take, [0.0, 0.3, 0.8, 1.0, 1.4],
                  dict(target=(0, 0, 0.9), span=2.2, azimuth=55.0), numbers)]  # fmt: skip


def box() -> list[Sight]:
    """Somebody is pushed into a box, which is pushed along."""
    character = load_character("human42")
    q = character.standing_pose()
    stage = Stage(
        props=[on.Box("box", (0.25, 0.5, 1.0), 4.0, (0.5, 0.0, 0.5))],
        events=[on.Push("chest", (400.0, 0, 0), 0.1, 0.15)],
    )
    world, take = perform(character, stage, q, 1.2, Servo(q))
    way = take.props["box"][-1, :3] - take.props["box"][0, :3]
    view = dict(target=(0.4, 0, 0.8), span=2.3, width=320)
    return [Sight("box, and a push of 400 N for 0.15 s", world, take, [0.0, 0.2, 0.5, 0.8, 1.2], view,
                  {"box moved by [m]": float(np.linalg.norm(way))})]  # fmt: skip


SIGHTS: dict[str, Callable[[], list[Sight]]] = {
    "slope": slope, "seesaw": seesaw, "platform": platform, "bar": bar, "ball": thrown, "patches": patches,
    "blocks": blocks, "heights": heights, "stairs": stairs, "barbell": barbell, "box": box,
}  # fmt: skip


def run(options: Options) -> Table:
    """One row a number that was measured; a picture a sight."""
    rows, figures = [], []
    for name in filter(options.wants, SIGHTS):
        for k, sight in enumerate(SIGHTS[name]()):
            rows += [told((sight.name, what, float(value))) for what, value in sight.numbers.items()]
            if options.out is not None:
                figures.append(str(options.out / f"{name}_{k}.png"))
                facts = ", ".join(f"{what} {value:.3g}" for what, value in sight.numbers.items())
                picture = staging.stills(
                    sight.world, sight.take, sight.times, title=f"{sight.name}: {facts}", **sight.view
                )
                ink.write_png(picture, figures[-1], {"Title": sight.name, "Software": "poise"})
    return Table("The elements of the stage", ("sight", "measured", "value"), tuple(rows), (), tuple(figures))

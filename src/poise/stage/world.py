"""World: one MuJoCo model of a character and its stage, and where everything in it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import mujoco
import numpy as np

from poise.character import Character
from poise.checks import number
from poise.errors import BadValue
from poise.ground.ground import Ground, parts_of
from poise.maths.rotations import Array
from poise.stage.building import Builder, contact_of
from poise.stage.earth import lay
from poise.stage.events import Ball, PropMotion
from poise.stage.fittings import grip_point, place_ball, place_grip, place_prop
from poise.stage.grips import Grip
from poise.stage.props import Bar, Barbell
from poise.stage.stage import Stage

_IMPEDANCE_RATIO = 20.0  # friction is so many times harder than the normal direction: what stands does not creep
_LED = 1e4  # by which a prop that is led is heavier


class BallSlot(NamedTuple):
    """Where a thrown ball is: its event, body and first indices in q and v."""

    event: Ball
    target: int
    body: int
    q: int
    v: int


class GripSlot(NamedTuple):
    """Where a grip is: the weld, the hand and its point, the ring and the bar that it runs on."""

    grip: Grip
    weld: int
    hand: int
    point: Array  # (3,) in the hand's frame [m]
    ring: int
    q: int  # slide, then the quaternion
    v: int
    holder: int  # body of the bar
    axis: Array  # (3,) of the bar in its own frame
    half: float  # [m] length to either side
    label: int  # index of the bar in `others`


class LedSlot(NamedTuple):
    """Where a prop is that is led along a track: its event and first indices in q and v."""

    event: PropMotion
    q: int
    v: int


@dataclass(frozen=True, eq=False)
class World:
    """The character's bodies, q and v come first and keep their numbers; what is on the stage follows."""

    character: Character
    stage: Stage
    model: mujoco.MjModel
    others: tuple[str, ...]  # what a contact may be with: parts of the ground, props, balls, the character's bodies
    body_label: np.ndarray  # (bodies,) index in `others`
    things: Mapping[str, int]  # name -> body of everything on the stage that has a pose
    patches: Array  # (K, 5) x, y, half length, half width, friction
    platform: tuple[int, int, float] | None  # first index in q and in v, and mass [kg]
    balls: tuple[BallSlot, ...]
    grips: tuple[GripSlot, ...]
    led: tuple[LedSlot, ...] = ()

    @property
    def nq(self) -> int:
        """How many numbers of q are the character's."""
        return int(self.character.model.nq)

    @property
    def nv(self) -> int:
        """How many numbers of v are the character's."""
        return int(self.character.model.nv)

    @property
    def nbody(self) -> int:
        """How many bodies are the character's, with the world itself."""
        return int(self.character.model.nbody)

    def body(self, name: str) -> int:
        """Id of a thing on the stage or of a body of the character."""
        return self.things[name] if name in self.things else self.character.body(name)


def build(character: Character, stage: Stage, *, contact: str = "soft", dt: float = 1 / 960) -> World:
    """The world of a character on a stage, with the contact model "soft" or "springs" and time step dt [s]."""
    number("The time step", dt, "s", above=0.0, most=0.02)
    stage.check(character)
    spec = mujoco.MjSpec.from_string(character.xml)
    _options(spec, dt)
    builder = Builder(spec, contact_of(contact), stage.friction)
    earth = lay(builder, stage.ground)
    names: dict[str, str] = {n: b.name for n, b in earth.moving.items()}
    props = {}
    for prop in stage.props:
        rings = sum(g.to == prop.name for g in stage.grips)
        props[prop.name] = place_prop(builder, prop, rings)
        names[prop.name] = props[prop.name].name
    led = [e for e in stage.events if isinstance(e, PropMotion)]
    for event in led:
        _heavy(props[event.prop])
    balls = [e for e in stage.events if isinstance(e, Ball)]
    for k, ball in enumerate(balls):
        names[f"ball_{k}"] = place_ball(builder, ball, k).name
    rings = []
    for k, grip in enumerate(stage.grips):
        prop = stage.prop(grip.to)
        assert isinstance(prop, (Bar, Barbell))
        rings.append((*place_grip(builder, character, grip, prop, props[grip.to], k), prop))
    _pass_through(spec, character, stage, props)
    try:
        model = spec.compile()
    except ValueError as error:
        raise BadValue(f"This stage cannot be built: {str(error).splitlines()[0]}.") from error
    things = {name: int(model.body(body).id) for name, body in names.items()}
    others, labels = _labels(model, character, things, list(earth.moving))
    slots = [_grip_slot(model, character, g, prop, k, things, others)
             for k, (g, (_, _, prop)) in enumerate(zip(stage.grips, rings, strict=True))]  # fmt: skip
    thrown = [_ball_slot(model, character, b, things[f"ball_{k}"]) for k, b in enumerate(balls)]
    world = World(character, stage, model, others, labels, things, earth.patches,
                  _platform(model, stage.ground, things), tuple(thrown), tuple(slots),
                  tuple(_led_slot(model, e, things[e.prop]) for e in led))  # fmt: skip
    _must_begin_with(model, character)
    return world


def _options(spec: Any, dt: float) -> None:
    option = spec.option
    option.timestep = dt
    option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC  # forces in exact friction cones
    option.impratio = _IMPEDANCE_RATIO
    option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    # a tree of limbs is sparse: half the time of a step of human57, the same accelerations to 1e-9
    option.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE
    option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)  # a blow-up is told, not hidden
    option.enableflags = 0


def _pass_through(spec: Any, character: Character, stage: Stage, props: Mapping[str, Any]) -> None:
    """A hand that grips a bar does not collide with it."""
    for hand, to in {(character.body(g.hand), g.to) for g in stage.grips}:
        spec.add_exclude(bodyname1=character.body_names[hand], bodyname2=props[to].name)


def _labels(model: mujoco.MjModel, character: Character, things: Mapping[str, int], parts: list[str]
            ) -> tuple[tuple[str, ...], np.ndarray]:  # fmt: skip
    """Names of what a body may touch, and for each body the index of its own name."""
    own = list(character.body_names[1:])
    named = {body: (f"ground {name}" if name in parts else name) for name, body in things.items()}
    others = ["ground", *(named[b] for b in sorted(named)), *own]
    labels = np.zeros(model.nbody, np.int64)
    for body in range(1, model.nbody):
        if body < character.model.nbody:
            labels[body] = others.index(own[body - 1], 1 + len(named))
            continue
        up = body
        while up and up not in named:
            up = int(model.body_parentid[up])
        labels[body] = others.index(named[up]) if up else 0
    return tuple(others), labels


def _platform(model: mujoco.MjModel, ground: Ground, things: Mapping[str, int]) -> tuple[int, int, float] | None:
    driven = [things[p.name] for p in parts_of(ground) if p.joint == "slides"]
    if not driven:
        return None
    body = driven[0]
    first = int(model.body_jntadr[body])
    return int(model.jnt_qposadr[first]), int(model.jnt_dofadr[first]), float(model.body_mass[body])


def _ball_slot(model: mujoco.MjModel, character: Character, event: Ball, body: int) -> BallSlot:
    first = int(model.body_jntadr[body])
    return BallSlot(event, character.body(event.toward), body, int(model.jnt_qposadr[first]),
                    int(model.jnt_dofadr[first]))  # fmt: skip


def _heavy(body: Any) -> None:
    """Make a prop that is led so heavy that nothing stops it."""
    body.mass, body.inertia = _LED * body.mass, [_LED * i for i in body.inertia]
    body.gravcomp = 1.0


def _led_slot(model: mujoco.MjModel, event: PropMotion, body: int) -> LedSlot:
    first = int(model.body_jntadr[body])
    return LedSlot(event, int(model.jnt_qposadr[first]), int(model.jnt_dofadr[first]))


def _grip_slot(model: mujoco.MjModel, character: Character, grip: Grip, prop: Bar | Barbell, index: int,
               things: Mapping[str, int], others: tuple[str, ...]) -> GripSlot:  # fmt: skip
    ring = int(model.body(f"stage/grip_{index}").id)
    first = int(model.body_jntadr[ring])
    return GripSlot(
        grip, int(model.equality(f"stage/grip_{index}").id), character.body(grip.hand),
        np.array(grip_point(character, grip), float), ring, int(model.jnt_qposadr[first]),
        int(model.jnt_dofadr[first]), things[prop.name], np.asarray(prop.axis, float),
        float(model.jnt_range[first, 1]), others.index(prop.name),
    )  # fmt: skip


def _must_begin_with(model: mujoco.MjModel, character: Character) -> None:
    """The character must have kept its numbers."""
    own = character.model
    same = np.array_equal(model.jnt_qposadr[: own.njnt], own.jnt_qposadr)
    same &= all(model.body(i).name == own.body(i).name for i in range(own.nbody))
    if not same or not np.array_equal(model.geom_bodyid[: own.ngeom], own.geom_bodyid):
        raise BadValue(f"The bodies of {character.name} do not come first in the world; its model cannot be staged.")

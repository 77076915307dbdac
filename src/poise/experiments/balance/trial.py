"""One trial: a character set up in a pose, on both feet or on one, follows it by balance, and is judged.

Each pose is a clip of one frame. Pushes are on the chest; how hard one can be is told direction by direction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np

from poise.character import Character
from poise.character.posing import turn_joints
from poise.judge.metrics import feet_of
from poise.maths import configuration as conf
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.methods.balance import Balance
from poise.motion.clip import Clip
from poise.motion.recording import Source
from poise.motion.reference import Reference
from poise.simulate.guard import BlowUp
from poise.simulate.loop import run
from poise.simulate.mujoco import MujocoSimulator
from poise.stage import Stage
from poise.stage.events import Event, Push
from poise.take import Recorder, Take

T = TypeVar("T")

_CLEAR = 0.001  # [m] between the soles and the ground at the start
UP = np.array([0.0, 0.0, 1.0])
TILT, SPEED, HEIGHT = 0.3, 0.25, 0.1  # [rad], [m/s], [m] of the root within which somebody stands again
AT, DURATION, AFTER = 0.2, 0.1, 2.5  # [s]: when, how long, and how long it is watched afterwards
RUNGS = (10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 100.0, 120.0, 140.0, 160.0)  # [N s] that are tried
FINE = tuple(5.0 * k for k in range(1, 17))  # [N s] for who stands less
DIRECTIONS = tuple(45.0 * k for k in range(8))  # [degrees] from forward to the left
MIRRORED = "Body and pose are symmetric, so directions beyond 180 degrees are those of their mirror images."
FIRST = 300  # seed of careless starts; those below were looked at while the controller was made
FORMS = (("document's form", Balance.printed()), ("ours", Balance()))


def pose_clip(character: Character, q: Array, down: tuple[bool, bool] = (True, True), name: str = "pose") -> Clip:
    """A clip of one frame with the lower foot set down, and both feet, or one, meant to stand."""
    points = character.contact_points
    q = np.array(q, float)
    feet = np.concatenate([points.of(s) for s, on in zip(("left", "right"), down, strict=True) if on]).astype(int)
    q[2] -= character.points(q)[0][feet, 2].min() - _CLEAR
    labels = np.zeros((1, len(points)), bool)
    labels[0, feet] = True
    source = Source(name, format="built-in", licence="Apache-2.0", notes=("authored",))
    return Clip(character, q[None], 1 / 120, source, labels=labels)


def two_feet(character: Character) -> Clip:
    """Standing on both feet, legs spread by 4 degrees each and knees bent by 10 degrees."""
    width, bend = 4.0, 5.0  # [degrees]
    q = _turned(character, character.zero_pose(), {
        f"{side}_{part}": angles
        for side, sign in (("left", 1.0), ("right", -1.0))
        for part, angles in (("thigh", (sign * width, -bend, 0.0)), ("shin", (0.0, 2 * bend, 0.0)),
                             ("foot", (-sign * width, -bend, 0.0)), ("upper_arm", (sign * 10.0, 5.0, 0.0)),
                             ("forearm", (0.0, -25.0, 0.0)))
    })  # fmt: skip
    return pose_clip(character, q, name="two feet")


def one_foot(character: Character, side: str = "left") -> Clip:
    """Standing on one foot, the other one lifted; the leg leans so that the centre of mass is over its foot."""
    low, high = -5.0, 20.0
    while high - low > 0.05:
        lean = 0.5 * (low + high)
        q = _one_foot_pose(character, side, lean)
        foot = character.contact_points.of(side)
        inside = character.centre_of_mass(q)[0, 1] - character.points(q)[0][foot, 1].mean()
        low, high = (low, lean) if inside * (1.0 if side == "left" else -1.0) > 0 else (lean, high)
    return pose_clip(
        character, _one_foot_pose(character, side, high), (side == "left", side == "right"), f"{side} foot"
    )


def _one_foot_pose(character: Character, side: str, lean: float) -> Array:
    other, sign = ("right", 1.0) if side == "left" else ("left", -1.0)
    return _turned(character, character.zero_pose(), {
        f"{side}_thigh": (-sign * lean, -7.0, 0.0), f"{side}_shin": (0.0, 10.0, 0.0),
        f"{side}_foot": (sign * lean, -3.0, 0.0), f"{other}_thigh": (-sign * 4.0, -50.0, 0.0),
        f"{other}_shin": (0.0, 85.0, 0.0), f"{other}_foot": (0.0, 10.0, 0.0),
        f"{side}_upper_arm": (sign * 20.0, 0.0, 0.0), f"{other}_upper_arm": (-sign * 35.0, 0.0, 0.0),
    })  # fmt: skip


def careless(clip: Clip, seed: int) -> Array:
    """A start (nq,) nobody took care with: every joint off by 6 degrees (standard deviation), dropped from above.

    The lower of the feet that should stand is up to 3 cm above the ground. On one foot such a body has its
    centre of mass up to 25 cm beside it, which nobody could save; it is leaned at the ankle until that is 4 cm.
    """
    rng, character = np.random.default_rng(seed), clip.character
    turn = np.radians(6.0) * rng.standard_normal(character.model.nv)
    turn[:3], turn[3:6] = 0.0, 0.5 * turn[3:6]
    q = conf.integrate(character.layout, clip.q[0], turn)
    left, right = clip.contacts.feet()[0]
    if left != right:
        q = _leaned(character, q, "left" if left else "right", 0.04)
    q = pose_clip(character, q, (bool(left), bool(right))).q[0].copy()
    q[2] += 0.03 * rng.uniform()
    return q


def _leaned(character: Character, q: Array, side: str, beside: float) -> Array:
    """The pose leaned at the ankle, the foot as it is, until the centre of mass is `beside` [m] its middle at most."""
    foot = character.body(f"{side}_foot")
    shin = int(character.model.body_parentid[foot])
    for _ in range(4):
        places, turns = character.forward(q)
        ankle, sole = places[0, foot], character.points(q)[0][character.contact_points.of(side)]
        off = character.centre_of_mass(q)[0] - sole.mean(axis=0)
        level = float(np.hypot(off[0], off[1]))
        if level <= beside:
            break
        angle = np.arctan2(level - beside, off[2])
        lean = rot.exp(angle * np.array([-off[1], off[0], 0.0]) / level * -1.0)
        q = q.copy()
        q[:3] = ankle + rot.rotate(lean, q[:3] - ankle)
        q[3:7] = rot.multiply(lean, q[3:7])
        relative = rot.multiply(rot.conjugate(rot.multiply(lean, turns[0, shin])), turns[0, foot])
        rest = character.model.body_quat[foot]
        out = q[None].copy()
        turn_joints(character, out, foot, rot.multiply(rot.conjugate(rest), relative)[None])
        q = out[0]
    return q


def _turned(character: Character, q: Array, angles: dict[str, tuple[float, float, float]]) -> Array:
    """A configuration with joints turned: role -> angles about x, y, z [degrees], applied in this order."""
    out = q[None].copy()
    for role, turns in angles.items():
        if character.has(role):
            want = rot.from_euler("zyx", np.radians(turns[::-1]))
            turn_joints(character, out, character.body(role), want[None])
    return out[0]


def trial(clip: Clip, method: Balance, seconds: float, *, q: Array | None = None,
          events: Sequence[Event] = ()) -> Take:  # fmt: skip
    """The take of a performance that begins at q (nq,): the clip's own start where it is not given."""
    stage = Stage(ground=clip.ground, events=tuple(events))
    reference = Reference(clip)
    first = reference.sample(0.0)
    simulator = MujocoSimulator(clip.character, stage, dt=method.step_size)
    simulator.reset(first.q if q is None else q, first.v)
    recorder = Recorder(reference, start=0.0, method=method.name, settings=method, stage=stage)
    every = max(1, round(method.period / simulator.dt))
    return run(simulator, method, reference, seconds=seconds, decimation=every, recorder=recorder, stage=stage)


def outlasts(clip: Clip, method: Balance, seconds: float, *, q: Array | None = None,
             events: Sequence[Event] = ()) -> float | None:  # fmt: skip
    """None if somebody stands upright and at rest at the end, else when he went down [s]; nothing is recorded.

    Down is what touches the ground with more than feet, or sinks below 60 % of the wished height; who does not stand
    again within the time went down at its end.
    """
    reference = Reference(clip)
    first, character = reference.sample(0.0), clip.character
    simulator = MujocoSimulator(character, Stage(ground=clip.ground, events=tuple(events)), dt=method.step_size)
    simulator.reset(first.q if q is None else q, first.v)
    memory = method.start(character, reference, simulator.stage)
    every, feet = max(1, round(method.period / simulator.dt)), set(feet_of(character).tolist())
    restless = 0.0
    while simulator.time < seconds - 1e-9:
        for _ in range(max(1, round(1 / 60 / method.period))):
            act = method.act(simulator.state(), simulator.touches(), reference, memory)
            try:
                simulator.step(act.torque, act.assist, every, act.slippery)
            except BlowUp:
                return simulator.time
        state, touches, wished = simulator.state(), simulator.touches(), reference.sample(simulator.time).q
        down = any(b not in feet for b in touches.body[touches.on_ground()].tolist())
        if down or not state.q[2] >= 0.6 * wished[2]:  # NaN too
            return simulator.time
        tilt = np.arccos(min(1.0, float(rot.rotate(state.q[3:7], UP) @ rot.rotate(wished[3:7], UP))))
        upright = tilt <= TILT and abs(state.q[2] - wished[2]) <= HEIGHT
        if not (upright and np.linalg.norm(state.v[:3]) <= SPEED):
            restless = simulator.time
    return simulator.time if restless > seconds - 0.5 else None


def all_round(value: Callable[[float], T]) -> list[T]:
    """What a symmetric body gives in each of `DIRECTIONS`; those beyond 180 degrees are looked up."""
    half = {d: value(d) for d in DIRECTIONS if d <= 180.0}
    return [half[min(d, 360.0 - d)] for d in DIRECTIONS]


def pushed(clip: Clip, method: Balance, impulse: float, direction: float, body: str = "chest",
           seconds: float = AT + DURATION + AFTER) -> Take:  # fmt: skip
    """The take of somebody who is pushed with an impulse [N s] in a direction [degrees]."""
    return trial(clip, method, seconds, events=[push(impulse, direction, body)])


def push(impulse: float, direction: float, body: str = "chest") -> Push:
    """A push with an impulse [N s] in a direction [degrees]."""
    way = np.radians(direction)
    force = impulse / DURATION * np.array([np.cos(way), np.sin(way), 0.0])
    return Push(body, tuple(force), AT, DURATION)


def recovers(clip: Clip, method: Balance, impulse: float, direction: float) -> bool:
    """Does somebody pushed so stand upright and at rest at the end?"""
    return outlasts(clip, method, AT + DURATION + AFTER, events=[push(impulse, direction)]) is None


def largest(clip: Clip, method: Balance, direction: float, rungs: Iterable[float] = RUNGS) -> float:
    """Largest of the impulses [N s], from below, up to which every smaller one is recovered from too; 0 for none.

    Who falls at 60 and happens to stand at 80 has 50.
    """
    best = 0.0
    for impulse in rungs:
        if not recovers(clip, method, impulse, direction):
            break
        best = impulse
    return best

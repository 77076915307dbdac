"""Vibration: a gait file performed: springs, bursts by the clock, feedback (Nunes et al. 2012)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.maths.rotations import Array
from poise.methods.vibration.control import Bursts, Corrections, Springs, correction, total_torque
from poise.methods.vibration.gait import Gait, load_gait
from poise.methods.vibration.ground_view import seen_from
from poise.methods.vibration.touchdown import Trigger, expected, torque, trigger
from poise.methods.vibration.unit_simulator import STEP
from poise.motion.reference import Reference
from poise.settings import check, choice, flag, number, printed, text, whole
from poise.simulate.simulator import State, Touches
from poise.stage import Stage

CLOCK, TOUCH_DOWN = "clock", "touch-down"


@dataclass(eq=False)
class Memory:
    """What is computed once, and the feedback that is held."""

    springs: Springs
    bursts: Bursts
    corrections: Corrections
    mirror: Array  # (nv, nv)
    swaps: bool
    ground: Any
    start: float  # [s] of the cycle at which it began
    decided: int = -1  # stages decided so far, less one
    held: Array = field(default_factory=lambda: np.zeros(0))  # (nv,) torques of the feedback
    trigger: Trigger | None = None  # ground bursts by touch-down
    struck: int = 0  # step at which the last ground burst began
    struck_unit: int = -1  # and its unit


@dataclass(frozen=True)
class Vibration:
    """Torques of springs about the rest pose, of bursts along vibrations by the clock, and of feedback in stages."""

    gait: str | None = text(None, "the gait file; none: the file that the clip was read from", none=True)
    feedback: bool = flag(True, "correct what goes astray, as the gait file says", printed=False)
    pose_noise: float = number(0.0, "standard deviation of noise on the pose that the feedback senses", 0, 1, "rad, m",
                               printed=0.0)  # fmt: skip
    speed_noise: float = number(0.0, "the same of velocities", 0, 10, "rad/s, m/s", printed=0.0)
    noise_seed: int = whole(0, "of this noise", 0, 2**31)
    trigger: str = choice(CLOCK, "what ground bursts come by; touch-down: with the delay that the gait's own cycle has",
                          (CLOCK, TOUCH_DOWN), "trigger", printed=CLOCK)  # fmt: skip
    step_size: float = number(STEP, "time step of the simulator", 1 / 7680, STEP, "s")

    name = "vibration"
    follows = False  # what is changed of the reference under way

    def __post_init__(self) -> None:
        check(self, self.name)

    @classmethod
    def printed(cls, **changes: Any) -> Self:
        """The paper's own form: open loop."""
        return cls(**{**printed(cls), **changes})

    def _gait(self, reference: Reference) -> Gait:
        """The gait that is performed; refuses a clip that is none."""
        source = reference.clip.source
        path = self.gait or (source.file or source.path if source.format == "gait" else "")
        if not path:
            raise BadValue(f"{source.name or 'This clip'} is no gait, and vibration performs gaits alone: make one of "
                           "a sketch with poise design, or name a gait file.")  # fmt: skip
        return load_gait(path)

    def first_velocity(self, reference: Reference, v: Array) -> Array:
        """The gait's own at its beginning: the track's may lead to another cycle of the same body."""
        own = self._gait(reference).start
        return own if reference.start == 0.0 and own.shape == v.shape else v

    def start(self, character: Character, reference: Reference, stage: Stage) -> Memory:
        """The gait's tables; refuses a clip that is no gait."""
        found = self._gait(reference)
        if not self.gait and not np.array_equal(reference.baked.q, found.track):
            raise BadValue(f"The clip of the gait {found.sketch.name!r} was edited, and vibration performs a gait as "
                           "designed; change the sketch and design it anew, or take a method that follows "
                           "clips.")  # fmt: skip
        simulator, space = found.sketch.simulator(), found.space()
        if character.joint_names != simulator.character.joint_names:
            raise BadValue(f"The gait {found.sketch.name!r} is one of {simulator.character.name}; {character.name} has "
                           "other joints.")  # fmt: skip
        same = [np.allclose(a, b, rtol=1e-3, atol=1e-4) for a, b in (
            (character.model.dof_armature, simulator.character.model.dof_armature),
            (character.torque_limit, simulator.character.torque_limit))]  # fmt: skip
        if not all(same):
            raise BadValue(f"The gait {found.sketch.name!r} brings its own body, which this clip's {character.name} is "
                           "not (inertia or strength of its joints); perform the gait file itself.")  # fmt: skip
        given = simulator.bursts(found.controls(space))
        fix = found.corrections(simulator, space, given.table.shape[1])
        first = np.concatenate([found.track[0], found.start])
        by = trigger(simulator, found.controls(space), given, first, fix) if self.trigger == TOUCH_DOWN else None
        return Memory(simulator.springs, given, fix, simulator.mirror, simulator.swaps, stage.ground, reference.start,
                      held=np.zeros(character.model.nv), trigger=by)  # fmt: skip

    def follow(self, memory: Memory, reference: Reference) -> Memory:
        """The memory; a gait goes its own way (`follows`)."""
        return memory

    def surround(self, memory: Memory, reference: Reference, stage: Stage) -> Memory:
        """The memory on another ground."""
        memory.ground = stage.ground
        return memory

    def act(self, state: State, touches: Touches, reference: Reference, memory: Memory) -> Array:
        """Joint torques (nv,) [N m] for the coming step."""
        steps = memory.bursts.table.shape[1]
        now = int(np.floor((state.time + memory.start) / STEP + 1e-6))
        unit, i = divmod(now, steps)
        odd = unit % 2 if memory.swaps else 0
        starts = memory.corrections.starts
        stage = int(np.searchsorted(starts, i, side="right")) - 1
        if self.feedback and unit * (len(starts) - 1) + stage != memory.decided:
            memory.decided = unit * (len(starts) - 1) + stage
            self._decide(state, memory, stage, odd)
        struck = memory.bursts.table[odd, i] if memory.trigger is None else self._struck(touches, memory, now, steps)
        out = np.empty(len(state.v))
        total_torque(memory.springs, state.q, state.v, struck, memory.held, out)
        return out

    def _struck(self, touches: Touches, memory: Memory, now: int, steps: int) -> Array:
        """Bursts of this step where the ground burst waits for the foot."""
        by = memory.trigger
        assert by is not None
        unit, counts = expected(by, now, steps)
        if counts and unit > memory.struck_unit:
            feet = by.feet[unit % 2 if memory.swaps else 0]
            if any(
                b in feet and other.startswith("ground") for b, other in zip(touches.body, touches.other, strict=True)
            ):
                memory.struck, memory.struck_unit = now + by.delay, unit
        return torque(by, now, steps, memory.swaps, memory.struck, memory.struck_unit)

    def _decide(self, state: State, memory: Memory, stage: int, odd: int) -> None:
        """The feedback of a stage, held from now on."""
        nv = len(state.v)
        noise = np.zeros(2 * nv)
        if self.pose_noise or self.speed_noise:
            draw = np.random.default_rng([self.noise_seed, memory.decided]).standard_normal(2 * nv)
            noise = draw * np.repeat([self.pose_noise, self.speed_noise], nv)
        q, v = seen_from(memory.ground, state.q, state.v)
        correction(memory.springs, memory.corrections, stage, odd, memory.mirror, q, v, noise, memory.held)

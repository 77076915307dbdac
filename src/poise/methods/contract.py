"""The contract of methods: what one must be able to do to perform a clip, and what it may do besides.

A `Controller` gives joint torques to a simulator; a `Performer` moves the character itself. Settings are frozen; all
that a method remembers is the memory that its `start` makes. What a method need not have is asked for here, and
nowhere else: `prepared`, `followed`, `surrounded`, `packed`, `unpacked`, `first_velocity`, `step_size` and `period` say
what happens where it has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from poise.character import Character
from poise.dynamics import Wrench
from poise.errors import BadValue
from poise.maths.rotations import Array
from poise.motion.reference import Reference
from poise.simulate import packing
from poise.simulate.loop import Action
from poise.simulate.simulator import State, Touches, no_touches
from poise.stage import Stage

STEP = 1 / 960  # [s] of the simulator, where a method does not ask for another
Notes = list[tuple[str, str]]  # kinds and sentences for the log of a take


class Around(NamedTuple):
    """What is around a character now."""

    stage: Stage  # ground, props and grips as they are now, and all events so far
    pushes: tuple[Wrench, ...] = ()  # that act in the coming step, as means over it


class Stepped(NamedTuple):
    """What a performer gives for one step."""

    state: State  # after it
    torque: Array  # (nv,) [N m], mean over the step
    contacts: Touches  # means over the step
    props: Mapping[str, Array] = {}  # pose (7,) of each thing that it moves, when the step began
    traces: Mapping[str, Array | float] = {}  # named numbers for the take
    status: str = ""  # why it cannot go on, one clause in plain words; empty while it can

    @classmethod
    def lost(cls, state: State, reason: str) -> Stepped:
        """No step from a state, and why."""
        return cls(state, np.zeros(len(state.v)), no_touches(), status=reason)


class Method(Protocol):
    """What both kinds share."""

    @property
    def name(self) -> str:
        """What it is called in takes and on the command line."""
        ...

    def start(self, character: Character, reference: Reference, stage: Stage) -> Any:
        """A fresh memory; refuses in one sentence what the method cannot do."""
        ...


class Controller(Method, Protocol):
    """State in, joint torques out. It never sees the simulator's own data."""

    def act(self, state: State, touches: Touches, reference: Reference, memory: Any) -> Array | Action:
        """Torques (nv,) [N m], zero on the root, until it is asked again after `period`."""
        ...


class Performer(Method, Protocol):
    """Moves the character itself."""

    def step(self, state: State, reference: Reference, around: Around, dt: float, memory: Any) -> Stepped:
        """The state dt [s] later, and what acted on the way."""
        ...


class Prepares(Protocol):
    """A method that changes the reference before the performance begins: fits it to the ground, makes it physical."""

    def prepare(self, reference: Reference, stage: Stage) -> tuple[Reference, Notes]:
        """What is followed instead, and what was done, for the log."""
        ...


class Follows(Protocol):
    """A method that keeps something of the reference and must learn of a new one."""

    def follow(self, memory: Any, reference: Reference) -> Any:
        """The memory, changed for another reference of the same character that is followed from now on."""
        ...


class Surrounds(Protocol):
    """A method that keeps something of the stage and must learn of another one."""

    def surround(self, memory: Any, reference: Reference, stage: Stage) -> Any:
        """The memory, changed for the stage as it is from now on: another ground, a ball that is in the world."""
        ...


class Packs(Protocol):
    """A method that packs its memory in its own way; others are packed by `poise.simulate.packing`."""

    def pack(self, memory: Any, reference: Reference) -> packing.Packed:
        """All that the future depends on, as plain values and arrays."""
        ...

    def unpack(self, memory: Any, packed: packing.Packed, reference: Reference) -> None:
        """Put what `pack` gave into a fresh memory."""
        ...


def checked(method: Any) -> Any:
    """The method, if it is one; else one sentence on what is missing."""
    kind = method.__name__ if isinstance(method, type) else type(method).__name__
    if isinstance(method, type):
        raise BadValue(f"{kind} is a class; give one of it, {kind}().")
    missing = [f"`{m}`" for m in ("start",) if not callable(getattr(method, m, None))]
    if not isinstance(getattr(method, "name", None), str):
        missing.insert(0, "a `name`")
    if not (callable(getattr(method, "act", None)) or callable(getattr(method, "step", None))):
        missing.append("`act(state, touches, reference, memory)` or `step(state, reference, around, dt, memory)`")
    if missing:
        raise BadValue(f"{kind} is no method: it lacks {' and '.join(missing)}; see docs/methods.md.")
    return method


def moves_itself(method: Any) -> bool:
    """Does the method move the character itself? Else it gives torques."""
    return not hasattr(method, "act")


def first_velocity(method: Any, reference: Reference, v: Array) -> Array:
    """The velocity (nv,) with which a performance begins: v of the reference, where the method does not know better.

    A method may have `first_velocity(reference, v)`: a clip of poses tells velocities only roughly where feet strike.
    """
    known = getattr(method, "first_velocity", None)
    return v if known is None else known(reference, v)


def step_size(method: Any) -> float:
    """Time step [s] of the simulator that a method wants."""
    return float(getattr(method, "step_size", STEP))


def period(method: Any, dt: float) -> float:
    """Time [s] between two questions to a controller: its own, or every step dt."""
    return float(getattr(method, "period", dt))


def meets(method: Any) -> bool:
    """Does a method take up a reference that begins where the body is, moved and in its velocity (`reference.met`)?"""
    return bool(getattr(method, "meets", False))


def prepared(method: Any, reference: Reference, stage: Stage) -> tuple[Reference, Notes]:
    """What a method follows instead of a reference on a stage, and what was done; the reference itself otherwise."""
    if not hasattr(method, "prepare"):
        return reference, []
    made, told = method.prepare(reference, stage)
    return made, [("reference", note) if isinstance(note, str) else note for note in told]


def followed(method: Any, memory: Any, reference: Reference) -> Any:
    """The memory of a method that follows another reference from now on."""
    return method.follow(memory, reference) if hasattr(method, "follow") else memory


def check_follows(method: Any, wish: str) -> None:
    """Refuse what a method that goes its own way (`follows = False`) would pass over: a motion changed under way."""
    if not getattr(method, "follows", True):
        raise BadValue(f"{method.name} performs its gait as it was designed and cannot be {wish} under way; change the "
                       "sketch and design it anew, or switch to a method that follows clips.")  # fmt: skip


def surrounded(method: Any, memory: Any, character: Character, reference: Reference, stage: Stage) -> Any:
    """The memory of a method around which the stage has changed; a fresh one where it does not say how."""
    if hasattr(method, "surround"):
        return method.surround(memory, reference, stage)
    return method.start(character, reference, stage)


def packed(method: Any, memory: Any, reference: Reference) -> packing.Packed:
    """A method's memory as plain values and arrays."""
    return method.pack(memory, reference) if hasattr(method, "pack") else packing.pack(memory, reference)


def unpacked(method: Any, memory: Any, values: packing.Packed, reference: Reference) -> Any:
    """A fresh memory with what was packed put into it."""
    if hasattr(method, "unpack"):
        method.unpack(memory, values, reference)
        return memory
    return packing.unpack(memory, values, reference)

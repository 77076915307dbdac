"""The loop: a controller drives a character through a simulator, and a recorder takes it down."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from poise.character import Character
from poise.dynamics import Wrench
from poise.errors import BadValue
from poise.maths.rotations import Array
from poise.motion.reference import Reference
from poise.simulate.damped import DampedServo
from poise.simulate.guard import BlowUp
from poise.simulate.servo import Servo
from poise.simulate.simulator import Simulator, State, Touches
from poise.stage import Stage
from poise.take import Ended, Recorder, Take
from poise.threads import on_one_thread

_EMPTY_CONTACTS, _EMPTY_WRENCHES = np.zeros((0, 18)), np.zeros((0, 11))


@dataclass(frozen=True, eq=False)
class Action:
    """What a controller does when torques are not all of it."""

    torque: (
        Array | Servo | DampedServo
    )  # (nv,) [N m], zero on the root, or a servo that is followed until the next action
    # forces that nothing on the stage exerts, recorded as assistance; also as rows (K, 10): body, point, force, moment
    assist: Sequence[Wrench] | Array = ()
    traces: Mapping[str, Array | float] = field(default_factory=dict)  # named numbers for the take
    slippery: Mapping[int, float] = field(default_factory=dict)  # body -> factor of its friction with all it touches
    notes: Iterable[tuple[str, str]] = ()  # kinds and sentences for the take's log


class Controller(Protocol):
    """State in, joint torques out; settings are frozen, what it remembers is the memory that `start` makes.

    A method has also a `name`, and may have a `period` [s] between two questions (else one a step of the simulator), a
    `step_size` [s] of the simulator and `prepare(reference, stage)`, which gives another reference and notes on it.
    """

    def start(self, character: Character, reference: Reference, stage: Stage) -> Any:
        """A fresh memory."""
        ...

    def act(self, state: State, touches: Touches, reference: Reference, memory: Any) -> Array | Action:
        """Torques (nv,) [N m] until it is asked again."""
        ...


class FrameRecorder(Protocol):
    """What the loop needs of a recorder; `poise.take.Recorder` is one."""

    def begin(self, *, others: Iterable[str] | None = None, labels: Iterable[str] | None = None,
              step: float | None = None) -> None: ...  # fmt: skip
    def frame(self, time: float, q: Array, v: Array, torque: Array, contacts: Array | None = None,
              external: Array | None = None, assist: Array | None = None, props: Mapping[str, Array] | None = None,
              traces: Mapping[str, Array | float] | None = None,
              prop_contacts: Array | None = None) -> None: ...  # fmt: skip
    def log(self, time: float, kind: str, text: str) -> None: ...
    def follow(self, reference: Reference, own: Reference | None = None) -> None: ...
    def finish(self, timings: Mapping[str, float] | None = None, ended: Ended | None = None) -> Any: ...


@on_one_thread
def run(
    simulator: Simulator,
    controller: Controller,
    reference: Reference,
    *,
    seconds: float,
    frame: float = 1 / 120,
    decimation: int = 1,
    recorder: FrameRecorder | None = None,
    memory: Any = None,
    stage: Stage | None = None,
    each: Callable[[float], Reference | None] | None = None,
) -> Take:
    """Perform for some seconds from the simulator's present state and give the take.

    The controller is asked every `decimation` steps; its torques are held in between. `frame` [s] is the time between
    recorded frames, a whole number of steps. Row k of the take's torques, contacts and wrenches is the mean from frame
    k to frame k + 1; the last frame has none. To go on after a save, give the controller's `memory`: then it is not
    started anew. `each` is called with the time of every frame; a reference that it gives is followed from then on.

    A blow-up ends the run with `BlowUp`, whose `take` holds everything up to the last frame before it, and says that it
    `ended` so; a recorder with a path has written it.
    """
    steps = steps_per_frame(simulator.dt, frame)
    frames = round(seconds / frame)
    if frames < 1 or decimation < 1:
        raise BadValue(
            f"A run needs at least one frame and a decimation of at least 1, not {seconds} s and {decimation}."
        )
    recorder = recorder or Recorder(reference, stage=stage)
    recorder.begin(others=simulator.others, labels=simulator.labels, step=simulator.dt)
    if memory is None:
        memory = controller.start(simulator.character, reference, stage or getattr(simulator, "stage", Stage()))
    session = Session(simulator, controller, reference, memory, decimation)
    begun = clock.process_time()
    try:
        for _ in range(frames):
            if each is not None:
                session.follow(each(simulator.time), recorder)
            session.record(steps, recorder)
    except BlowUp as error:
        log_blow_up(error, simulator, recorder)
        error.take = _kept(recorder, session, clock.process_time() - begun, error)
        raise
    spent = clock.process_time() - begun
    session.record_last(recorder)
    return recorder.finish({"loop": spent})


def log_blow_up(error: BlowUp, simulator: Simulator, recorder: FrameRecorder) -> None:
    """Note a blow-up, what happened before it, and where the state before is."""
    for entry in simulator.happened():
        recorder.log(*entry)
    if error.saved is not None:
        recorder.log(error.time, "saved state", str(error.saved))
    recorder.log(error.time, "blow-up", str(error))


def _kept(recorder: FrameRecorder, session: Session, spent: float, error: BlowUp) -> Any:
    """What was recorded before a blow-up, and the state at the beginning of the frame in which it came."""
    session.record_before(recorder)
    return recorder.finish({"loop": spent}, Ended("blew up", error.time, error.reason))


def steps_per_frame(dt: float, frame: float) -> int:
    """How many steps of dt [s] make a frame [s]."""
    steps = round(frame / dt)
    if steps < 1 or abs(steps * dt - frame) > 1e-9:
        raise BadValue(f"A frame of {frame:.6g} s is no whole number of steps of {dt:.6g} s; a step of 1/960 s goes "
                       "eight times into the usual 1/120 s.")  # fmt: skip
    return steps


class Session:
    """One run under way: who acts, and on what."""

    def __init__(
        self, simulator: Simulator, controller: Controller, reference: Reference, memory: Any, decimation: int
    ):
        self.simulator, self.controller, self.reference = simulator, controller, reference
        self.memory, self.decimation = memory, decimation
        self.count = 0  # steps since the beginning
        self.last = simulator.state()  # at the beginning of the frame
        self.torque: Array | Servo | DampedServo = np.zeros(len(simulator.state().v))
        self.assist: Sequence[Wrench] | Array = ()
        self.traces: Mapping[str, Array | float] = {}
        self.notes: list[tuple[float, str, str]] = []
        self.slippery: Mapping[int, float] = {}

    def follow(self, reference: Reference | None, recorder: FrameRecorder) -> None:
        """Follow another reference from now on."""
        if reference is not None and reference is not self.reference:
            self.reference = reference
            recorder.follow(reference)
            recorder.log(self.simulator.time, "reference", "the reference was changed")

    def frame(self, steps: int) -> tuple[Array, Array, Mapping[str, Array]]:
        """Simulate one frame; gives the state and the props at its beginning."""
        simulator, step, every = self.simulator, self.simulator.step, self.decimation
        state = simulator.state()
        props = simulator.props()
        self.last = state
        left = steps
        while left:
            since = self.count % every
            if since == 0:
                self._act(state if left == steps else simulator.state())
            now = min(every - since, left)
            if self.slippery:
                step(self.torque, self.assist, now, self.slippery)
            else:
                step(self.torque, self.assist, now)
            self.count += now
            left -= now
        return state.q, state.v, props

    def record(self, steps: int, recorder: FrameRecorder) -> Array:
        """Simulate one frame and take it down; gives the contacts (K, 18) in it."""
        simulator = self.simulator
        q, v, props = self.frame(steps)
        means = simulator.collect()
        recorder.frame(self.last.time, q, v, means.torque, means.contacts, means.external, means.assist, props,
                       self.traces, means.prop_contacts if props else None)  # fmt: skip
        for entry in (*simulator.happened(), *self.noted()):
            recorder.log(*entry)
        return means.contacts

    def record_last(self, recorder: FrameRecorder) -> None:
        """Take down the state as it is now, with which a take ends."""
        last = self.simulator.state()
        recorder.frame(last.time, last.q, last.v, np.zeros(len(last.v)), _EMPTY_CONTACTS, _EMPTY_WRENCHES,
                       _EMPTY_WRENCHES, self.simulator.props(), {})  # fmt: skip

    def record_before(self, recorder: FrameRecorder) -> None:
        """Take down the state at the beginning of the last frame, which came to nothing."""
        last = self.last
        recorder.frame(last.time, last.q, last.v, np.zeros(len(last.v)), _EMPTY_CONTACTS, _EMPTY_WRENCHES,
                       _EMPTY_WRENCHES)  # fmt: skip

    def noted(self) -> list[tuple[float, str, str]]:
        """What the controller has noted since the last call."""
        out, self.notes = self.notes, []
        return out

    def _act(self, state: State) -> None:
        act = self.controller.act(state, self.simulator.touches(), self.reference, self.memory)
        if isinstance(act, Action):
            self.torque = act.torque if isinstance(act.torque, Servo | DampedServo) else np.asarray(act.torque, float)
            self.assist = act.assist
            self.slippery = act.slippery
            if act.traces:
                self.traces = {**self.traces, **act.traces}
            self.notes += [(state.time, kind, text) for kind, text in act.notes]
        else:
            self.torque, self.assist, self.slippery = act, (), {}

"""What drives a character from frame to frame: a method in a simulator, or one that moves the character itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from poise.errors import BadValue, UnknownName
from poise.extras import need
from poise.maths.rotations import Array
from poise.methods import contract
from poise.motion.reference import Reference
from poise.simulate import packing
from poise.simulate.assist import assist_rows
from poise.simulate.carrying import carried
from poise.simulate.guard import all_finite_step
from poise.simulate.loop import Session, steps_per_frame
from poise.simulate.mujoco import MujocoSimulator
from poise.simulate.packing import Packed
from poise.simulate.simulator import State
from poise.stage import Stage
from poise.stage.events import Push
from poise.stage.pushes import pushes_at
from poise.take import Ended, Recorder
from poise.take.record import wrench_rows

FRAME = 1 / 120  # [s] between recorded frames
SIMULATORS = ("mujoco", "dart")


class Driver(Protocol):
    """A method under way, whichever kind it is."""

    way: Any
    memory: Any
    stage: Stage

    @property
    def step(self) -> float:
        """Time step [s] of v' = v + h a, q' = q + h v'; 0 where states come about in another way."""
        ...

    @property
    def time(self) -> float:
        """Now [s]."""
        ...

    @property
    def began(self) -> State:
        """The character when the last frame began."""
        ...

    def state(self) -> State:
        """The character now."""
        ...

    def announce(self, recorder: Recorder) -> None:
        """Tell the recorder what the numbers in its tables stand for."""
        ...

    def frame(self, recorder: Recorder) -> Ended | Array:
        """Go on by one frame and take it down; gives the contacts (K, 18) in it, or why it could not go on."""
        ...

    def last(self, recorder: Recorder) -> None:
        """Take down the state as it is now, with which a take ends."""
        ...

    def follow(self, reference: Reference) -> None:
        """Follow another reference from now on."""
        ...

    def push(self, push: Push) -> None:
        """A push from now on."""
        ...

    def restage(self, stage: Stage) -> None:
        """Another stage round the character as it is."""
        ...

    def pack(self) -> Packed:
        """All that the future depends on."""
        ...

    def unpack(self, packed: Packed) -> None:
        """Go on from what `pack` gave."""
        ...


class Simulated:
    """A method that gives torques, in a simulator."""

    def __init__(self, way: Any, reference: Reference, stage: Stage, simulator: Any):
        self.way, self.stage, self.simulator = way, stage, simulator
        self.memory = way.start(simulator.character, reference, stage)
        every = max(1, round(contract.period(way, simulator.dt) / simulator.dt))
        self.session = Session(simulator, way, reference, self.memory, every)
        self._steps = steps_per_frame(simulator.dt, FRAME)

    @property
    def step(self) -> float:
        return float(self.simulator.dt)

    @property
    def time(self) -> float:
        return self.simulator.time

    @property
    def began(self) -> State:
        return self.session.last

    def state(self) -> State:
        return self.simulator.state()

    def announce(self, recorder: Recorder) -> None:
        recorder.begin(others=self.simulator.others, labels=self.simulator.labels, step=self.simulator.dt)

    def frame(self, recorder: Recorder) -> Array:
        return self.session.record(self._steps, recorder)

    def last(self, recorder: Recorder) -> None:
        self.session.record_last(recorder)

    def follow(self, reference: Reference) -> None:
        self._remember(contract.followed(self.way, self.memory, reference))
        self.session.reference = reference

    def _remember(self, memory: Any) -> None:
        self.memory = self.session.memory = memory

    def push(self, push: Push) -> None:
        if not hasattr(self.simulator, "push"):
            raise BadValue("DART knows only the pushes of its stage; give them at the beginning, or use MuJoCo.")
        self.simulator.push(push)
        self.stage = self.simulator.stage

    def restage(self, stage: Stage) -> None:
        if not isinstance(self.simulator, MujocoSimulator):
            raise BadValue("Only the world of MuJoCo can be changed under way.")
        simulator = carried(self.simulator, stage)
        memory = contract.surrounded(self.way, self.memory, simulator.character, self.session.reference, stage)
        self.simulator = self.session.simulator = simulator
        self.stage = stage
        self._remember(memory)

    def pack(self) -> Packed:
        session = self.session
        assist = session.assist if isinstance(session.assist, np.ndarray) else assist_rows(session.assist)
        held = {"torque": session.torque, "assist": assist, "slippery": dict(session.slippery),
                "traces": dict(session.traces)}  # fmt: skip
        out = {f"memory{k}": v for k, v in contract.packed(self.way, self.memory, session.reference).items()}
        out |= {f"held{k}": v for k, v in packing.pack(held, session.reference).items()}
        return out | {"simulator": self.simulator.save(), "count": session.count}

    def unpack(self, packed: Packed) -> None:
        session = self.session
        self.simulator.load(packed["simulator"])
        inside = {k.removeprefix("memory"): v for k, v in packed.items() if k.startswith("memory")}
        self._remember(contract.unpacked(self.way, self.memory, inside, session.reference))
        held: dict[str, Any] = {"torque": None, "assist": None, "slippery": {}, "traces": {}}
        packing.unpack(held, {k.removeprefix("held"): v for k, v in packed.items() if k.startswith("held")},
                       session.reference)  # fmt: skip
        session.torque = held["torque"] if held["torque"] is not None else session.torque
        session.assist = held["assist"] if isinstance(held["assist"], np.ndarray) else ()
        session.slippery = {int(k): v for k, v in held["slippery"].items()}
        session.traces, session.count = held["traces"], int(packed["count"])
        session.last = self.simulator.state()


class Moved:
    """A method that moves the character itself."""

    def __init__(self, way: Any, reference: Reference, stage: Stage, state: State):
        self.way, self.stage, self.reference = way, stage, reference
        self._state = self._began = state
        self.memory = way.start(reference.character, reference, stage)
        self._props: Mapping[str, Array] | None = None
        self._look()

    def _look(self) -> None:
        self._pushes = [e for e in self.stage.events if isinstance(e, Push)]
        self._around = contract.Around(self.stage)

    @property
    def step(self) -> float:
        return 0.0

    @property
    def time(self) -> float:
        return self._state.time

    @property
    def began(self) -> State:
        return self._began

    def state(self) -> State:
        return self._state

    def announce(self, recorder: Recorder) -> None:
        things = (p.name for p in self.stage.props)
        recorder.begin(others=("ground", *self.reference.character.body_names[1:], *things),
                       labels=[f"push on {p.body} at {p.at:g} s" for p in self._pushes])  # fmt: skip

    def frame(self, recorder: Recorder) -> Ended | Array:
        state, around, external = self._state, self._around, None
        if any(p.at - FRAME < state.time for p in self._pushes):
            acting = tuple(pushes_at(self.stage, self.reference.character, state.q, state.time, FRAME))
            around = contract.Around(self.stage, acting)
        stepped = self.way.step(state, self.reference, around, FRAME, self.memory)
        ended = broken(stepped, state.time)
        if ended is not None:
            recorder.log(ended.time, "lost" if ended == "lost" else "blow-up", ended.reason)
            return ended
        external = self._external(state) if self._pushes else None
        self._props = stepped.props
        table = stepped.contacts.table
        recorder.frame(state.time, state.q, state.v, stepped.torque, table, external, props=stepped.props,
                       traces=stepped.traces)  # fmt: skip
        self._began, self._state = state, stepped.state
        return table

    def _external(self, state: State) -> Array:
        """Rows (K, 11) of the pushes that acted in the frame that begins with this state."""
        character = self.reference.character
        rows = [wrench_rows(pushes_at(replace(self.stage, events=(p,)), character, state.q, state.time, FRAME), k)
                for k, p in enumerate(self._pushes) if p.share(state.time, FRAME) > 0.0]  # fmt: skip
        return np.concatenate(rows) if rows else np.zeros((0, 11))

    def last(self, recorder: Recorder) -> None:
        state = self._state
        recorder.frame(state.time, state.q, state.v, np.zeros(len(state.v)), props=self._props)

    def follow(self, reference: Reference) -> None:
        self.memory = contract.followed(self.way, self.memory, reference)
        self.reference = reference

    def push(self, push: Push) -> None:
        stage = replace(self.stage, events=(*self.stage.events, push))
        stage.check(self.reference.character)
        self.stage = stage
        self._look()

    def restage(self, stage: Stage) -> None:
        self.memory = contract.surrounded(self.way, self.memory, self.reference.character, self.reference, stage)
        self.stage = stage
        self._look()

    def pack(self) -> Packed:
        inside = contract.packed(self.way, self.memory, self.reference)
        state = self._state
        return {f"memory{k}": v for k, v in inside.items()} | {"time": state.time, "q": state.q, "v": state.v}

    def unpack(self, packed: Packed) -> None:
        self._state = State(float(packed["time"]), packed["q"], packed["v"])
        inside = {k.removeprefix("memory"): v for k, v in packed.items() if k.startswith("memory")}
        self.memory = contract.unpacked(self.way, self.memory, inside, self.reference)


def broken(stepped: contract.Stepped, time: float) -> Ended | None:
    """How a performance ends with what a method gave for a step from a time [s]; None where it goes on."""
    if stepped.status:
        return Ended("lost", time, stepped.status)
    state = stepped.state
    if all_finite_step(state.q, state.v, stepped.torque, stepped.contacts.table):
        return None
    return Ended("blew up", time, "the next state is not a number")


def check_simulator(name: str) -> None:
    """Refuse, before any work is done, a simulator that does not exist or is not installed."""
    if name not in SIMULATORS:
        raise UnknownName("simulator", name, SIMULATORS)
    if name == "dart":
        need("dartpy", "DART")


def simulator_of(name: str, reference: Reference, stage: Stage, dt: float, contact: str) -> Any:
    """The simulator of this name with the character on the stage."""
    if name == "dart":
        from poise.simulate.dart import DartSimulator

        return DartSimulator(reference.character, stage, dt=dt)
    return MujocoSimulator(reference.character, stage, dt=dt, contact=contact)


def drive(way: Any, reference: Reference, stage: Stage, state: State, engine: str, contact: str,
          check: bool = True) -> Driver:  # fmt: skip
    """The method under way from a state on; `check`: a body that is inside the ground is refused."""
    if contract.moves_itself(way):
        return Moved(way, reference, stage, state)
    simulator = simulator_of(engine, reference, stage, contract.step_size(way), contact)
    if check:
        simulator.reset(state.q, state.v, state.time)
    else:
        simulator.reset(state.q, state.v, state.time, check=False)
    return Simulated(way, reference, stage, simulator)

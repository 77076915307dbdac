"""Show: a performance under way, that can be pushed, edited, switched, saved and looked at between any two frames."""

from __future__ import annotations

import threading
import time as clock
import weakref
from collections.abc import Callable
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from poise.errors import BadValue
from poise.ground.ground import Ground
from poise.methods import contract
from poise.methods.find import find
from poise.motion.clip import Clip, Edit
from poise.motion.reference import Reference
from poise.performance import encoding
from poise.performance.course import Course
from poise.performance.driving import FRAME, Driver, Simulated, drive
from poise.performance.falling import Limp, Watch
from poise.progress import Bar
from poise.simulate.carrying import carried
from poise.simulate.guard import BlowUp, MethodLost
from poise.simulate.loop import log_blow_up
from poise.simulate.mujoco import MujocoSimulator
from poise.simulate.simulator import State
from poise.stage import Stage
from poise.stage.events import Ball, Push
from poise.take import Ended, Recorder, Take
from poise.threads import on_one_thread, one_thread

_MEASURED = 8  # of so many single steps one's CPU time is measured: looking at the clock costs a tenth of a step


def _hold_one_thread(show: Show) -> Callable[[], object]:
    """Compute on one thread as long as a show goes on: to change that with every frame would cost more than a frame."""
    held = one_thread()
    held.__enter__()
    return weakref.finalize(show, held.__exit__, None, None, None)


class Show:
    """A performance under way; `poise.begin` makes one.

    Whatever is asked for acts from the next frame on, from any thread, and is noted as data in `take.calls`: the same
    calls at the same frames give the same bits, however steps are grouped. What cannot be done is refused with one
    sentence (a `PoiseError`), and the show goes on as if nothing had been asked.
    """

    def __init__(self, driver: Driver, course: Course, recorder: Recorder, *, engine: str, contact: str, limp: bool,
                 logs: bool, count: int = 0):  # fmt: skip
        self.driver, self.course, self.recorder = driver, course, recorder
        self._engine, self._contact, self._limp, self._logs = engine, contact, limp, logs
        self._lock = threading.RLock()
        self._spent = 0.0  # [s] of CPU time in the loop
        self._count = count  # frames since the beginning of the whole performance
        self._ended: Ended | None = None  # how it came to an end by itself
        self.watch = Watch(course.own.character, driver.stage)
        self._finished: Take | None = None
        self._release = _hold_one_thread(self)

    @property
    def time(self) -> float:
        """Now [s], from the beginning of the performance."""
        return self.driver.time

    @property
    def state(self) -> State:
        """The character now."""
        return self.driver.state()

    @property
    def method(self) -> str:
        """The name of the method that performs now; "limp" after a fall."""
        return str(self.driver.way.name)

    @property
    def own(self) -> Reference:
        """What the user wants to see: the clip with its edits, before anything is done to it."""
        return self.course.own

    @property
    def stage(self) -> Stage:
        """Ground, props, grips and all events so far."""
        return self.driver.stage

    @property
    def ended(self) -> Ended | None:
        """How it came to an end by itself ("blew up", "lost"); None while it goes on."""
        return self._ended

    @property
    def fallen(self) -> float | None:
        """When [s] it went down, None while it is up."""
        return self.watch.down

    def facts(self) -> dict[str, Any]:
        """What it was begun with and where it is, for `save_state`."""
        return {"engine": self._engine, "contact": self._contact, "limp": self._limp, "logs": self._logs,
                "count": self._count, "time": self.time}  # fmt: skip

    def step(self) -> bool:
        """Go on by one recorded frame, 1/120 s; false where the performance has ended."""
        with self._lock:
            if self._count % _MEASURED:
                return self._frame()
            begun = clock.process_time()
            try:
                return self._frame()
            finally:
                self._spent += _MEASURED * (clock.process_time() - begun)

    @on_one_thread
    def run(self, seconds: float, bar: Bar | None = None) -> Show:
        """Go on for some seconds, or until it ends by itself."""
        frames = round(seconds / FRAME) if np.isfinite(seconds) else 0
        if frames < 1:
            raise BadValue(f"A performance goes on for at least one frame of {FRAME:.4f} s, not {seconds:.4g} s.")
        begun = clock.process_time()
        try:
            for _ in range(frames):
                with self._lock:
                    if not self._frame():
                        break
                if bar is not None:
                    bar.step()
        finally:
            self._spent += clock.process_time() - begun
        return self

    def _frame(self) -> bool:
        if self._ended is not None or self._finished is not None:
            return False
        driver = self.driver
        if self.course.due(driver.time, driver.state if contract.meets(driver.way) else None):
            self._follow()
        try:
            contacts = driver.frame(self.recorder)
        except BlowUp as error:
            self._blown(error)
            return False
        self._count += 1
        if isinstance(contacts, Ended):
            self._count -= 1
            return self._lost(contacts)
        if self._limp and self.watch.falls(driver.began, contacts, self.course):
            self._go_limp("it fell and goes limp")
        return True

    def _blown(self, error: BlowUp) -> None:
        driver = self.driver
        assert isinstance(driver, Simulated)
        log_blow_up(error, driver.simulator, self.recorder)
        driver.session.record_before(self.recorder)
        self._ended = self._ended or Ended("blew up", error.time, error.reason)
        self._error = error

    _error: BlowUp | None = None
    _lost_at: Ended | None = None

    def _lost(self, ended: Ended) -> bool:
        """A method could not go on: the body is handed over to the simulator, where it falls; or it ends here."""
        self._lost_at = ended
        if not self._limp or ended != "lost" or not self._go_limp("the method was lost, and the body goes limp"):
            self._ended = ended
            return False
        return self._frame()

    def _go_limp(self, why: str) -> bool:
        driver, state = self.driver, self.driver.state()
        if isinstance(driver.way, Limp):
            return True
        way = Limp()
        try:
            made = self._taken_over(way, state, check=False)
        except (BadValue, BlowUp):
            return False  # nothing can be simulated from there
        self._take_over(made)
        self.recorder.log(state.time, "limp", why)
        return True

    def _taken_over(self, way: Any, state: State, check: bool = True) -> Driver:
        """The driver by which a method goes on from here, in the world as it is."""
        old, reference, stage = self.driver, self.course.followed, self.driver.stage
        if contract.moves_itself(way) or not isinstance(old, Simulated):
            return drive(way, reference, stage, state, self._engine, self._contact, check)
        simulator = old.simulator
        if abs(contract.step_size(way) - simulator.dt) > 1e-12:
            if not isinstance(simulator, MujocoSimulator):
                raise BadValue("Only in MuJoCo can a method go on with another time step.")
            simulator = carried(simulator, stage, contract.step_size(way))
        return Simulated(way, reference, stage, simulator)

    def _take_over(self, made: Driver) -> None:
        self.driver = made
        made.announce(self.recorder)
        self._segment()

    def _segment(self) -> None:
        driver = self.driver
        self.recorder.segment(driver.way.name, driver.way, driver.step, driver.stage)

    def _follow(self) -> None:
        """Let the method follow the reference as it is now."""
        self.driver.follow(self.course.followed)
        self.recorder.follow(self.course.followed, self.course.own)

    def _note(self, name: str, **values: Any) -> None:
        if self._logs:
            plain = {k: encoding.plain(v) for k, v in values.items()}
            self.recorder.call(self._count, self.time, name, plain)

    def _going(self) -> None:
        if self._ended is not None:
            raise BadValue(f"The performance has ended: it {self._ended} at {self._ended.time:.2f} s.")
        if self._finished is not None:
            raise BadValue("The performance was finished; begin another one.")

    def push(self, body: str, force: Any, duration: float = 0.1, point: Any = None) -> None:
        """A force (3,) [N] along the world's axes on a body, from the next frame on for `duration` [s]."""
        with self._lock:
            self._going()
            push = Push(body, force, self.time, duration, point)
            self.driver.push(push)
            self.driver.announce(self.recorder)
            self._note("push", body=body, force=push.force, duration=duration, point=push.point)

    def throw(self, toward: str = "chest", mass: float = 2.0, speed: float = 10.0, direction: Any = (1.0, 0.0, 0.0),
              distance: float = 2.0) -> None:  # fmt: skip
        """Throw a ball at a body from the next frame on; see `poise.Ball`."""
        with self._lock, one_thread():
            self._going()
            ball = Ball(mass, self.time, speed, toward, direction, distance)
            self._restage(replace(self.stage, events=(*self.stage.events, ball)))
            self._note("throw", toward=toward, mass=mass, speed=speed, direction=ball.direction, distance=distance)

    def ground(self, ground: Ground) -> None:
        """Another ground under the character as it stands; the motion is not changed, `edit` does that."""
        with self._lock, one_thread():
            self._going()
            stage = replace(self.stage, ground=ground)
            self.watch.check_ground(self.state, ground)
            self._restage(stage)
            self._note("ground", ground=ground)

    def _restage(self, stage: Stage) -> None:
        stage.check(self.course.own.character)
        self.driver.restage(stage)
        self.driver.announce(self.recorder)
        self.watch.stage = stage
        self._segment()
        self.recorder.log(self.time, "stage", "the stage was changed")

    def edit(self, edit: Edit, over: float | None = None) -> None:
        """Edit the motion from now on (`poise.edit`): walks and runs pass into it in step, within a step or two.

        With `over` [s], and where it changes the ground, it is blended in at once, and repaired under way.
        """
        with self._lock, one_thread():
            self._going()
            contract.check_follows(self.driver.way, "edited")
            self.course.edit(edit, self.time, over)
            self._changed(f"the reference was edited: {type(edit).__name__}")
            self._note("edit", edit=edit, over=over)

    def play(self, clip: Clip, over: float | None = None, start: float | None = None) -> None:
        """Pass into another clip of the same character, in step: at its time `start` [s], or where it goes best.

        They are mixed over a whole step, or `over` [s]; speeds that are far from each other in several steps.
        """
        with self._lock, one_thread():
            self._going()
            contract.check_follows(self.driver.way, "led to another clip")
            self.course.play(clip, self.time, over, start)
            self._changed(f"another clip is followed: {clip.name}")
            self._note("play", clip=clip, over=over, start=start)

    def steer(self, speed: float, turn: float = 0.0, over: float = 0.5) -> None:
        """Walk or run with another speed [m/s], bending to the left by `turn` [degrees/s]; a loop that travels can."""
        with self._lock, one_thread():
            self._going()
            contract.check_follows(self.driver.way, "steered")
            self.course.steer(speed, turn, self.time, over)
            self._changed(f"steered to {speed:.2f} m/s and {turn:.0f} degrees/s")
            self._note("steer", speed=speed, turn=turn, over=over)

    def _changed(self, text: str) -> None:
        self._follow()
        self.recorder.log(self.time, "reference", text)

    def switch(self, method: str | Any) -> None:
        """Let another method go on from here: a name or a configured method."""
        with self._lock, one_thread():
            self._going()
            way = contract.checked(find(method) if isinstance(method, str) else method)
            before = self.course.kept()
            notes = self.course.prepare_for(way, self.stage, self.time)
            self.course.meet(self.state, contract.meets(way))
            try:
                made = self._taken_over(way, self.state)
            except Exception:
                self.course.restore(before)
                raise
            self._take_over(made)
            self._follow()
            for kind, note in notes:
                self.recorder.log(self.time, kind, note)
            self.recorder.log(self.time, "method", f"{way.name} goes on")
            self._note("switch", method=way)

    def take(self) -> Take:
        """Everything so far, as a take that is "under way"; the show goes on."""
        with self._lock:
            if self._finished is not None:
                return self._finished
            timings = {"loop": self._spent}
            ended = self._ended or self._lost_at
            if self._ended is not None and self._error is not None:
                return self.recorder.take(timings, ended)
            return self.recorder.looked_at(self.driver.last, timings, ended)

    def finish(self, strict: bool = False) -> Take:
        """End it here, and the take of all of it, "whole" where nothing else ended it; with `save` it is written."""
        with self._lock:
            if self._finished is not None:
                return self._finished
            if self._error is None:
                self.driver.last(self.recorder)
            ended = self._ended or self._lost_at
            self._finished = take = self.recorder.finish({"loop": self._spent}, ended)
            self._release()
        if self._error is not None:
            self._error.take = take
            if strict:
                raise self._error
        elif strict and ended is not None:
            raise MethodLost(ended.reason, ended.time, take)
        return take

    def stop(self, reason: str) -> Take | None:
        """The take of a performance that something interrupts; None where no frame was recorded."""
        if not self.recorder.frames:
            return None
        return self.recorder.finish(ended=self.recorder.stopped(reason))

    def save_state(self, path: str | PathLike[str]) -> None:
        """Write all that the future depends on to an .npz; `poise.resume` goes on from there, also elsewhere."""
        from poise.performance.saving import save_state

        with self._lock:
            self._going()
            save_state(self, path)

"""Memory of the method, and what its controller wants of the ground at a state: sections 4.5 and 4.7.1."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from poise.character import Character
from poise.dynamics.compiled import Compiled
from poise.errors import BadValue
from poise.ground.ground import carries
from poise.maths import GRAVITY
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.methods.momentum.clock import (
    AHEAD,
    BACK,
    NEARNESS,
    NOISY,
    RETURN,
    STEADY,
    disturbed,
    paced,
    rate_of,
    root_of,
    trust,
)
from poise.methods.momentum.departures import WALKING
from poise.methods.momentum.feedback import TAKE_OFF, along, bounded, lift, separate
from poise.methods.momentum.feet import Balance, Feet
from poise.methods.momentum.forces import moment_of, step_length
from poise.methods.momentum.kept_plans import plan_of
from poise.methods.momentum.model import pyramid
from poise.methods.momentum.plan import Segment
from poise.methods.momentum.reach import Legs, calm, held_down, slack
from poise.methods.momentum.second_look import Ranges
from poise.methods.momentum.settings import Settings
from poise.methods.momentum.timeline import Placed, Timeline
from poise.motion.feet.capture_point import Foothold, divergent
from poise.motion.reference import Reference
from poise.stage import Ball, Slippery, Stage

_FASTER, _SLOWER = 0.6, 0.3  # share of longer and of shorter steps made by speed, the rest by time (departure pace)
_LARGE = 0.1  # [m] from which on it is as much; smaller changes are made by time, as in the document
_END = 20  # frames before the end of a clip from which on gains and clock stay as they are (departure ending)
_ASKED = 2.0  # how much steps that shall be longer count beside a body that is off (departure still)
_NEAR, _HURRY = 0.1, 1.8  # [m] that a foothold may be short without hurry, and the fastest rate of a hurried step


class Wanted(NamedTuple):
    """What the feedback controller wants at a state."""

    wrench: Array  # (6,) force [N] and moment about the centre of mass [N m] of the ground
    rate: float  # frames of t_d per frame
    shortened: float  # λ of the step-length search, 1 without one


class Memory:
    """Where the performance is in its plan, and how far the plan was moved."""

    def __init__(self, settings: Settings, character: Character, reference: Reference, stage: Stage, alone: bool):
        """`alone`: the method moves the character itself and must know all that it can meet."""
        self.settings, self.character, self.stage, self.alone = settings, character, stage, alone
        self._check(stage)
        self.rides = not alone and carries(stage.ground)  # does the ground move who stands on it?
        self.flies = False  # does the clip leave the ground?
        self.begun = False  # has it taken over the body?
        self.compiled = Compiled(character)
        self.usual = float(stage.friction if settings.friction is None else settings.friction)
        self.friction = self.usual  # now
        self.ice = [e for e in stage.events if isinstance(e, Slippery)]
        self.clip = reference.baked
        self.plan = plan_of(self.clip, settings, self.usual)
        self.flies = not bool(self.plan.course.touching.any(axis=1).all())
        self.moved = reference.moved
        self.line = Timeline(self.plan, self.moved)
        self.track = Reference(self.clip)
        self.td = reference.start / self.line.h
        self.tc = self.td
        self.index = self.line.index_at(self.td)
        self.elapsed = 0.0  # frames since the segment began
        self.offset = np.zeros(3)  # of the body in the present segment
        self.before = np.zeros(3)  # and in the one before
        level = float(np.median(self.plan.course.corners[self.plan.course.touching][:, 2]))
        self.legs = Legs(character)
        self.feet = Feet(self.line, stage.ground, level, self.td, self.legs.length if settings.has("sink") else 0.0)
        self.feet.asked = np.array(settings.stride, float)
        law = Foothold(ahead=settings.ahead, aside=settings.aside, apart=settings.apart)
        self.law = law if self._has("footholds") else None
        self.phi: Array | None = None  # Φ since the beginning, world axes; None: at the reference's
        self.longer = np.zeros(3)  # [m] world axes, by which steps are longer, those of the plan faster
        self.strayed = 0.0  # [m] by which the divergent component is beside that of the plan
        self.freed = 0.0  # how far, 0 to 1, the time of the present segment is free
        self.lag = 0.0  # [s] by which t_d is ahead of the time that went by
        self.goal = np.zeros(12)  # ΔΨ now, world axes
        self.after = np.zeros(3)  # of the body in the next segment
        self.traces: dict[str, float | Array] = {}
        self.way = np.array([1.0, 0.0, 0.0])
        limit = character.torque_limit
        self.strength = np.where(np.isfinite(limit) & (limit > 0.0), limit, np.inf)  # (nv,) [N m]
        self.ranges = Ranges(character)
        self.servos: tuple = ()  # dampers of the joints in a simulator and their limits
        self.names = ("ground",)

    def _has(self, departure: str) -> bool:
        """Is a departure on? Those that are for walkers are not where a clip leaves the ground."""
        return self.settings.has(departure) and not (self.flies and departure in WALKING)

    def begin(self, time: float, places: Array) -> None:
        """Take over at a time [s] of the performance from a body whose points are at places (P, 3)."""
        self.begun = True
        if time <= 0.0:
            return
        self.td += time / self.line.h
        self.tc, self.index = self.td, self.line.index_at(self.td)
        self.feet.stand_at(self.td, places)
        self.offset[:] = self.before[:] = self.feet.base.mean(axis=0)

    def pose(self, frame: float) -> Array:
        """The clip's pose (nq,) at a frame, in the world."""
        return self.moved.move(self.track.sample(max(frame, 0.0) * self.line.h)).q

    def surround(self, stage: Stage) -> None:
        """Go on with another ground and friction under the same feet."""
        self._check(stage)
        self.stage, self.feet.ground = stage, stage.ground
        self.rides = not self.alone and carries(stage.ground)
        self.ice = [e for e in stage.events if isinstance(e, Slippery)]
        self.usual = float(stage.friction if self.settings.friction is None else self.settings.friction)

    def _check(self, stage: Stage) -> None:
        if self.alone and (carries(stage.ground) or any(isinstance(e, Ball) for e in stage.events)):
            raise BadValue("The method momentum knows grounds at rest and pushes; for balls, platforms and seesaws use "
                           "momentum-torques, which acts in the simulator.")  # fmt: skip

    def tread(self, time: float) -> None:
        """Note the ground's friction at a time [s]."""
        self.friction = min([e.friction for e in self.ice if e.covers(time)], default=self.usual)

    def ride(self, x: Array, dt: float) -> Array:
        """State x (12,) as seen from what carries the feet, with which the plan goes along for dt [s]."""
        speed = np.append(self.feet.carried, 0.0)
        self.offset, self.before = self.offset + dt * speed, self.before + dt * speed
        out = x.copy()
        out[3:6] -= self.plan.course.mass * speed
        return out

    def want(self, x: Array, error: Array, dt: float) -> Wanted:
        """The ground's wrench at state x (12,) of the world; `error` (3,): Φ as measured from the pose, less X̄'s."""
        line, now = self.line, self.line.placed(self.index)
        heading = float(rot.heading(self.pose(self.td)[3:7]))
        self.way = np.array([np.cos(heading), np.sin(heading), 0.0])
        if self.settings.has("pace"):
            along, aside = self.feet.asked[:2]
            self.longer[:2] = along * self.way[:2] + aside * np.array([-self.way[1], self.way[0]])
        frequency = float(np.sqrt(GRAVITY / max(x[2] - self.feet.level - self.offset[2], 0.3)))
        balance = self._balance(x, frequency, heading) if self.law is not None else None
        self.feet.plan_landings(self.td, self.law, balance, dt)
        off = divergent(x[:2], x[3:5] / self.plan.course.mass, frequency) - self._planned(self.td, frequency, 0.0)
        self.strayed = float(np.linalg.norm(off - self.offset[:2]))
        self.goal = self._goal(frequency)
        self.tc = self._find(x, error, dt)
        used, index = self._used(self.tc)
        wrench, shortened = self._feedback(x, error, used, index)
        if self._has("reach"):
            wrench[2] = self._held_down(x, wrench[2])
        final = float(now.final)
        rate = paced(rate_of(final, self.td, self.tc)) if self.settings.free_time else 1.0
        if self.feet.lacking > _NEAR and self._has("hurry"):
            rate = max(rate, min(1.0 + self.settings.hurry * (self.feet.lacking - _NEAR), _HURRY))
        if not line.touching(self.td).any() or self.td >= self._firm(now):  # flight cannot be warped
            rate = 1.0
        elif self.settings.has("steady"):
            before = float(self.traces.get("rate", 1.0))  # type: ignore[arg-type]
            rate = min(max(rate, before - STEADY), before + STEADY)
        return Wanted(wrench, rate, shortened)

    def _goal(self, frequency: float) -> Array:
        """ΔΨ (12,): where the plan goes on after this segment, less where it is now.

        A push that moves the foothold by s leaves the body on its way there at the final time, with no error of the
        divergent component: C lacks β s and P has M ω β s more (departure `footholds`).
        """
        after, pushed = self.feet.body_offset(self.line.following(self.index))
        self.after, out = after, np.zeros(12)
        out[:3] = after - self.offset
        share = self.settings.underway
        out[:2] -= share * pushed
        out[3:5] = self.plan.course.mass * frequency * share * pushed
        out[:3] -= self.longer
        return out

    def _planned(self, frame: float, frequency: float, behind: float = 0.5) -> Array:
        """The divergent component (2,) of the plan at a frame, without the body's offset.

        The body is half a step's change `behind` the foot that it stands on when a segment begins; 0: beside itself.
        """
        placed = self._used(frame)[0]
        k = min(max(frame - placed.first, 0.0), float(placed.segment.steps))
        low = min(int(k), placed.segment.steps - 1)
        x = (1.0 - k + low) * placed.segment.states[low] + (k - low) * placed.segment.states[low + 1]
        plain = placed.turn[:2, :2] @ divergent(x, x[3:5] / self.plan.course.mass, frequency) + placed.shift[:2]
        share, speed = self._paced(placed.segment, k)
        return plain + (share - behind) * self.longer[:2] + speed[:2] / frequency

    def _paced(self, s: Segment, k: Any) -> tuple[Any, Array]:
        """How much of a step (...,) is over at frames k (...,) of a segment, and the speed (3,) [m/s] by which longer
        steps are faster (departure `pace`): the plan of a walk with such steps is ahead of the clip's by as much.
        """
        count = max(s.next - s.first, 1)
        most, asked = _FASTER if self.feet.asked[0] > 0.0 else _SLOWER, np.linalg.norm(self.longer)
        faster = most * min((asked / _LARGE) ** 2, 1.0)
        return k / count, faster * self.longer / (count * self.line.h)

    def _balance(self, x: Array, frequency: float, heading: float) -> Balance:
        """The divergent component, and that of the plan."""
        here = divergent(x, x[3:5] / self.plan.course.mass, frequency)
        rate = float(self.traces.get("rate", 1.0))  # type: ignore[arg-type]
        return Balance(here, lambda frame: self._planned(frame, frequency), frequency, heading, rate)

    def _local(self, x: Array, error: Array, placed: Placed, frame: float, offset: Array) -> Array:
        """State (12,) in the plan's world, Φ beside the reference's by `error`."""
        s, R = placed.segment, placed.turn
        k = min(max(frame - placed.first, 0.0), float(s.steps))
        low = min(int(k), s.steps - 1)
        share = k - low
        phi = (1.0 - share) * s.reference[low, 6:9] + share * s.reference[low + 1, 6:9]
        share, speed = self._paced(s, k)
        return np.concatenate([R.T @ (x[:3] - placed.shift - offset - share * self.longer),
                               R.T @ (x[3:6] - self.plan.course.mass * speed), phi + R.T @ error,
                               R.T @ x[9:]])  # fmt: skip

    def _offset_of(self, index: int) -> tuple[Array, Array]:
        """The body's offset in a segment, and the change of its goal."""
        if index < self.index:
            goal = np.zeros(12)
            goal[:3] = self.offset - self.before - self.longer
            return self.before, goal
        if index > self.index:
            return self.after, np.zeros(12)
        return self.offset, self.goal

    def _find(self, x: Array, error: Array, dt: float) -> float:
        """t_c, in this segment's controller or in a neighbour's."""
        line, step = self.line, dt / self.line.h
        expected = self.tc + step
        if not self.settings.free_time:
            return expected if line.loops else min(expected, float(line.frames))
        low, high = int(np.floor(expected)) - BACK, int(np.floor(expected)) + AHEAD
        if not line.loops:
            end = line.placed(len(self.plan.segments) - 1)
            low, high = max(low, line.placed(0).first), min(high, end.first + end.segment.last - 1)
            if high <= low:
                return min(expected, float(high))
        if self.flies and self.settings.has("support"):
            low, high = line.same_support(self.td, low, high)
        frames, left = [], []
        for index in (self.index - 1, self.index, self.index + 1):
            placed = line.placed(index)
            if not line.loops and not 0 <= index < len(self.plan.segments):
                continue
            first = placed.first if index > self.index - 1 else -(10**9)
            end = min(
                placed.first + placed.segment.last, self._handover(index + 1) - 1 if index < self.index else 10**9
            )
            if index > self.index:
                now = line.placed(self.index)
                first = max(first, now.first + now.segment.last + 1)
            some = np.arange(max(low, first, placed.first), min(high, end) + 1)
            if not len(some):
                continue
            offset, goal = self._offset_of(index)
            frames.append(some)
            left.append(self._left(x, error, placed, some, offset, goal))
        if not frames:
            return expected
        nearness = NEARNESS if self.alone else NOISY
        found = root_of(np.concatenate(frames), np.concatenate(left), line.h, expected, nearness)
        return self._believed(found) if self._has("still") else found

    def _believed(self, found: float) -> float:
        """t_c of a state that says `found`: free as far as something happens, or happened in this segment."""
        away = self.strayed + float(np.linalg.norm(self.goal[:3]) + _ASKED * np.linalg.norm(self.longer))
        self.freed = max(self.freed, disturbed(away))
        placed = self._used(found)[0]
        k = min(max(round(found) - placed.first, 0), placed.segment.steps - 1)
        sure = trust(placed.segment.time_gain[k], self.plan.course.mass)
        here = self.td - (1.0 - self.freed) * (1.0 - sure) * RETURN * self.lag / self.line.h
        return here + sure * self.freed * (found - here)

    def _handover(self, index: int) -> int:
        return self.line.placed(index).first

    def _left(self, x: Array, error: Array, placed: Placed, frames: np.ndarray, offset: Array, goal: Array) -> Array:
        """r [s] of (28) at frames (K,)."""
        s, R, k = placed.segment, placed.turn, frames - placed.first
        off = np.empty((len(k), 12))
        share, speed = self._paced(s, k)
        off[:, :3] = R.T @ (x[:3] - placed.shift - offset) - s.states[k, :3] - share[:, None] * (R.T @ self.longer)
        off[:, 3:6] = R.T @ (x[3:6] - self.plan.course.mass * speed) - s.states[k, 3:6]
        off[:, 6:9] = R.T @ error + s.reference[k, 6:9] - s.states[k, 6:9]
        off[:, 9:] = R.T @ x[9:] - s.states[k, 9:]
        aim = _turned(R, goal)
        if not self.settings.anticipate:  # figure 15: a linear offset, driven by errors
            off[:, :3] -= share[:, None] * aim[:3]
            aim = np.zeros(12)
        if self.settings.has("sagittal"):
            off, aim = along(off, R.T @ self.way), along(aim[None], R.T @ self.way)[0]
        return np.einsum("ki,ki->k", s.time_gain[k], off) + s.time_goal[k] @ aim

    def _used(self, frame: float) -> tuple[Placed, int]:
        """The controller that is used at t_c: the present one, or a neighbour where it is beyond its range."""
        line, now = self.line, self.line.placed(self.index)
        index = self.index
        if frame < now.first and (line.loops or index > 0):
            index -= 1
        elif frame > now.first + now.segment.last and (line.loops or index < len(self.plan.segments) - 1):
            index += 1
        return line.placed(index), index

    def _feedback(self, x: Array, error: Array, placed: Placed, index: int) -> tuple[Array, float]:
        """The wrench (6,) of F̄ = F* + δF, equation (22), and λ."""
        s, (offset, goal) = placed.segment, self._offset_of(index)
        k = min(max(self.tc - placed.first, 0.0), float(s.last))
        low = min(int(k), s.last - 1) if s.last else 0
        share = min(k - low, 1.0)
        star = (1.0 - share) * s.states[low] + share * s.states[low + 1]
        if not self.settings.anticipate:  # figure 15: a linear offset, driven by errors
            offset, goal = offset + (k / max(s.next - s.first, 1)) * goal[:3], np.zeros(12)
        local = self._local(x, error, placed, self.tc, offset)
        off, aim = local - star, _turned(placed.turn, goal)
        way, mass, g = placed.turn.T @ self.way, self.plan.course.mass, min(low, self._firm(placed) - placed.first)
        if self._has("separate"):
            force, moment = separate(s, low, g, off, aim, way, mass, self.settings.upright, self.settings.lever)
            return np.concatenate([placed.turn @ force, placed.turn @ moment]), 1.0
        change, shortened = (s.gain[g] @ off + s.goal_gain[g] @ aim).reshape(-1, 3), 1.0
        if not self.settings.has("soft"):
            mine = s.touching[low]
            shortened = step_length(s.forces[low][mine], change[mine], pyramid(self.usual))
        forces = s.forces[low] + shortened * change
        moment = moment_of(s.corners[low], forces, local[:3])
        force = forces.sum(axis=0)
        if self.settings.has("sagittal") and not self.flies:  # who takes off needs all that is asked for
            force[2] = lift(s, low, g, off, aim, way)
            force, moment = bounded(s, low, force, moment, mass)
        elif self.settings.has("sagittal"):
            quiet = calm(self.strayed)
            times = quiet * TAKE_OFF[0] + (1.0 - quiet) * TAKE_OFF[1]
            force, moment = bounded(s, low, force, moment, mass, times)
        return np.concatenate([placed.turn @ force, placed.turn @ moment]), shortened

    def _firm(self, placed: Placed) -> int:
        """The frame up to which gains and clock of a segment are heeded: nothing is to be met where a clip ends."""
        ends = self.settings.has("ending") and not self.line.loops and placed.segment is self.plan.segments[-1]
        return max(placed.final - _END, placed.first) if ends else placed.final

    def _held_down(self, x: Array, force: float) -> float:
        """The vertical force [N] with which the leg that carries stays as long as it is."""
        foot, mass = self.line.carrying(self.td), self.plan.course.mass
        if foot is None or self.legs.length <= 0.0:
            return force
        room = self.legs.room(self.compiled.terms.positions, foot, x[3:5] / mass)
        return held_down(force, room + slack(self.strayed), x[5] / mass, mass)

    def advance(self, rate: float, dt: float, places: Array) -> None:
        """Go on by a frame in which t_d goes at `rate`; points are at places (P, 3) then."""
        before = self.td
        self.td += rate * dt / self.line.h
        self.feet.landed(before, self.td, places)
        self.traces |= {"rate": rate, "reference_lag": self.lag, "tc": self.tc, "td": self.td,
                        "segment": float(self.index)}  # fmt: skip
        self.lag += (rate - 1.0) * dt
        following = self.line.following(self.index)
        late = min(self.settings.late, max(self.line.placed(self.index).segment.last - 1, 0))
        if self.td >= following + late:
            self.before = self.offset
            self.offset = self.feet.body_offset(following)[0]
            self.index += 1
            self.freed = 0.0


def _turned(R: Array, x: Array) -> Array:
    """A state (12,) of the world in the plan's axes."""
    return (x.reshape(4, 3) @ R).ravel()

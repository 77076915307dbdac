"""Memory of the method, and what its controller wants of the ground at a state: sections 4.5 and 4.7.1."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.character import Character
from poise.dynamics.compiled import Compiled
from poise.errors import BadValue
from poise.ground.ground import carries
from poise.maths import GRAVITY
from poise.maths import rotations as rot
from poise.maths.rotations import Array
from poise.methods.momentum.clock import AHEAD, BACK, bounded, rate_of, root_of
from poise.methods.momentum.course import course_of
from poise.methods.momentum.feet import Balance, Feet
from poise.methods.momentum.forces import step_length
from poise.methods.momentum.model import pyramid
from poise.methods.momentum.plan import Plan, Segment, make_plan
from poise.methods.momentum.settings import Settings
from poise.methods.momentum.timeline import Placed, Timeline
from poise.motion.clip import Clip
from poise.motion.feet.capture_point import Foothold
from poise.motion.reference import Reference
from poise.stage import Ball, Slippery, Stage

_KEPT: dict[tuple, Plan] = {}  # plans of clips in this process, by content and settings
_MOST = 16
_LEVER = 0.15  # [m] of the body's weight: the largest moment that the controller asks for beyond the plan's


class Wanted(NamedTuple):
    """What the feedback controller wants at a state."""

    wrench: Array  # (6,) force [N] and moment about the centre of mass [N m] of the ground
    rate: float  # frames of t_d per frame
    shortened: float  # λ of the step-length search, 1 without one


class Memory:
    """Where the performance is in its plan, and how far the plan was moved."""

    def __init__(self, settings: Settings, character: Character, reference: Reference, stage: Stage, alone: bool):
        """`alone`: the method moves the character itself and must know all that it can meet."""
        if alone and (carries(stage.ground) or any(isinstance(e, Ball) for e in stage.events)):
            raise BadValue("The method momentum knows grounds at rest and pushes; for balls, platforms and seesaws use "
                           "momentum-torques, which acts in the simulator.")  # fmt: skip
        self.settings, self.character, self.stage, self.alone = settings, character, stage, alone
        self.compiled = Compiled(character)
        self.usual = float(stage.friction if settings.friction is None else settings.friction)
        self.friction = self.usual  # now
        self.ice = [e for e in stage.events if isinstance(e, Slippery)]
        self.clip = reference.baked
        self.plan = plan_of(self.clip, settings, self.usual)
        self.line = Timeline(self.plan)
        self.track = Reference(self.clip)
        self.td = reference.start / self.line.h
        self.tc = self.td
        self.index = self.line.index_at(self.td)
        self.elapsed = 0.0  # frames since the segment began
        self.offset = np.zeros(3)  # of the body in the present segment
        self.before = np.zeros(3)  # and in the one before
        level = float(np.median(self.plan.course.corners[self.plan.course.touching][:, 2]))
        self.feet = Feet(self.line, stage.ground, level, self.td, _leg(character) if settings.has("sink") else 0.0)
        self.feet.asked = np.array(settings.stride, float)
        self.law = Foothold(aside=settings.aside, apart=settings.apart) if settings.has("footholds") else None
        self.phi: Array | None = None  # Φ since the beginning, world axes; None: at the reference's
        self.lag = 0.0  # [s] by which t_d is ahead of the time that went by
        self.goal = np.zeros(12)  # ΔΨ now, world axes
        self.after = np.zeros(3)  # of the body in the next segment
        self.traces: dict[str, float | Array] = {}
        self.way = np.array([1.0, 0.0, 0.0])
        self.servos: tuple = ()  # those of the torques in a simulator
        self.names = ("ground",)

    def tread(self, time: float) -> None:
        """Note the ground's friction at a time [s]."""
        self.friction = min([e.friction for e in self.ice if e.covers(time)], default=self.usual)

    def want(self, x: Array, error: Array, dt: float) -> Wanted:
        """The ground's wrench at state x (12,) of the world; `error` (3,): Φ as measured from the pose, less X̄'s."""
        line, now = self.line, self.line.placed(self.index)
        heading = float(rot.heading(self.track.sample(max(self.td, 0.0) * line.h).q[3:7]))
        self.way = np.array([np.cos(heading), np.sin(heading), 0.0])
        frequency = float(np.sqrt(GRAVITY / max(x[2] - self.feet.level - self.offset[2], 0.3)))
        balance = self._balance(x, now, frequency, heading) if self.law is not None else None
        self.feet.plan_landings(self.td, self.law, balance, dt)
        self.goal = self._goal(frequency)
        self.tc = self._find(x, error, dt)
        used, index = self._used(self.tc)
        wrench, shortened = self._feedback(x, error, used, index)
        final = float(now.final)
        rate = bounded(rate_of(final, self.td, self.tc)) if self.settings.free_time else 1.0
        if not line.touching(self.td).any():  # flight cannot be warped
            rate = 1.0
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
        if self.settings.has("pace") and self.feet.asked.any():
            s = self.line.placed(self.index).segment
            out[3:5] += self.plan.course.mass * self.feet.asked[0] / ((s.next - s.first) * self.line.h) * self.way[:2]
        return out

    def _balance(self, x: Array, now: Placed, frequency: float, heading: float) -> Balance:
        """The divergent component against the plan, where the plan is nearest along its way."""
        s = now.segment
        k = np.clip(np.arange(int(self.tc) - 12, int(self.tc) + 14) - now.first, 0, s.steps)
        mass = self.plan.course.mass
        ahead = (s.states[k, :2] + s.states[k, 3:5] / (mass * frequency)) @ now.turn[:2, :2].T + now.shift[:2]
        here = x[:2] + x[3:5] / (mass * frequency)
        off = here - ahead
        c, sn = np.cos(heading), np.sin(heading)
        along = (off - self.offset[:2]) @ np.array([c, sn])
        middle = off[12]
        if self.settings.free_time:
            best = int(np.argmin(np.abs(along)))
            middle = off[best]
        return Balance(middle, frequency, heading, max(self.traces.get("rate", 1.0), 0.1))  # type: ignore[arg-type]

    def _local(self, x: Array, error: Array, placed: Placed, frame: float, offset: Array) -> Array:
        """State (12,) in the plan's world, Φ beside the reference's by `error`."""
        s, R = placed.segment, placed.turn
        k = min(max(frame - placed.first, 0.0), float(s.steps))
        low = min(int(k), s.steps - 1)
        share = k - low
        phi = (1.0 - share) * s.reference[low, 6:9] + share * s.reference[low + 1, 6:9]
        return np.concatenate([R.T @ (x[:3] - placed.shift - offset), R.T @ x[3:6], phi + R.T @ error, R.T @ x[9:]])

    def _offset_of(self, index: int) -> tuple[Array, Array]:
        """The body's offset in a segment, and the change of its goal."""
        if index < self.index:
            goal = np.zeros(12)
            goal[:3] = self.offset - self.before
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
        return root_of(np.concatenate(frames), np.concatenate(left), line.h, expected)

    def _handover(self, index: int) -> int:
        return self.line.placed(index).first

    def _left(self, x: Array, error: Array, placed: Placed, frames: np.ndarray, offset: Array, goal: Array) -> Array:
        """r [s] of (28) at frames (K,)."""
        s, R, k = placed.segment, placed.turn, frames - placed.first
        off = np.empty((len(k), 12))
        off[:, :3] = R.T @ (x[:3] - placed.shift - offset) - s.states[k, :3]
        off[:, 3:6] = R.T @ x[3:6] - s.states[k, 3:6]
        off[:, 6:9] = R.T @ error + s.reference[k, 6:9] - s.states[k, 6:9]
        off[:, 9:] = R.T @ x[9:] - s.states[k, 9:]
        aim = _turned(R, goal) if self.settings.anticipate else np.zeros(12)
        if self.settings.has("sagittal"):
            off, aim = _along(off, R.T @ self.way), _along(aim[None], R.T @ self.way)[0]
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
        change = (s.gain[low] @ off + s.goal_gain[low] @ aim).reshape(-1, 3)
        shortened = 1.0
        if not self.settings.has("soft"):
            mine = s.touching[low]
            shortened = step_length(s.forces[low][mine], change[mine], pyramid(self.usual))
        forces = s.forces[low] + shortened * change
        moment = np.cross(s.corners[low] - local[:3], forces).sum(axis=0)
        force = forces.sum(axis=0)
        if self.settings.has("sagittal"):  # what goes on across the way lifts nobody
            off, aim = _along(np.stack([off, aim]), placed.turn.T @ self.way)
            force[2] = s.forces[low, :, 2].sum() + (s.gain[low] @ off + s.goal_gain[low] @ aim)[2::3].sum()
            force, moment = self._bounded(force, moment, s, low, local)
        return np.concatenate([placed.turn @ force, placed.turn @ moment]), shortened

    def _bounded(self, force: Array, moment: Array, s: Segment, low: int, local: Array) -> tuple[Array, Array]:
        """A wrench whose change against the plan's is not beyond what a body can do with its legs."""
        plain, most = s.forces[low].sum(axis=0), self.plan.course.mass * GRAVITY
        usual = np.cross(s.corners[low] - s.states[low, :3], s.forces[low]).sum(axis=0)
        reach = np.array([1.0, 1.0, 0.7]) * most
        return (plain + np.clip(force - plain, -reach, reach),
                usual + np.clip(moment - usual, -_LEVER * most, _LEVER * most))  # fmt: skip

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


def _leg(character: Character) -> float:
    """Length [m] of a leg; 0 for a body without."""
    if not (character.has("left_thigh") and character.has("left_foot")):
        return 0.0
    places = character.forward(character.standing_pose())[0][0]
    return float(np.linalg.norm(places[character.body("left_thigh")] - places[character.body("left_foot")]))


def _turned(R: Array, x: Array) -> Array:
    """A state (12,) of the world in the plan's axes."""
    return (x.reshape(4, 3) @ R).ravel()


def _along(states: Array, way: Array) -> Array:
    """States (K, 12) without what goes on across a way (3,): sideways motion, and turning about other axes than its."""
    side = np.array([-way[1], way[0], 0.0])
    out = states.reshape(-1, 4, 3).copy()
    out[:, :2] -= (out[:, :2] @ side)[..., None] * side
    out[:, 2:] = (out[:, 2:] @ side)[..., None] * side
    return out.reshape(-1, 12)


def plan_of(clip: Clip, settings: Settings, friction: float) -> Plan:
    """The plan of a clip under these settings, remembered by content."""
    key = (clip.q.tobytes(), clip.contacts.labels.tobytes(), clip.dt, clip.character.name, clip.character.mass,
           settings.force, settings.track, settings.spin, settings.overlap, settings.has("effort"),
           settings.has("soft"), settings.soften, friction)  # fmt: skip
    known = _KEPT.get(key)
    if known is None:
        known = make_plan(course_of(clip), settings.weights(), friction, settings.overlap, settings.has("effort"),
                          soften=settings.soften if settings.has("soft") else 0.0)  # fmt: skip
        if len(_KEPT) >= _MOST:
            _KEPT.pop(next(iter(_KEPT)))
        _KEPT[key] = known
    return known

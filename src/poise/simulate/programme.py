"""The programme of a stage under way: a platform and props that go their way, pushes, balls that are thrown."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from poise.dynamics import engine
from poise.errors import BadValue
from poise.ground.ground import parts_of
from poise.kernels import njit
from poise.maths.rotations import Array, conjugate, log, multiply
from poise.stage.aiming import aim
from poise.stage.events import PlatformMotion, Push
from poise.stage.pushes import push_point
from poise.stage.world import BallSlot, World
from poise.take import record as column
from poise.take.record import CONTACT_WIDTH, WRENCH_WIDTH

WAITING, FLYING, HIT, GONE = 0.0, 1.0, 2.0, 3.0
_NEVER = float("inf")
Log = Callable[[str, str], None]


class Programme:
    """Everything that happens by the clock, but grips; `phase` is all it remembers: one number a ball, one a push."""

    def __init__(self, world: World, data: engine.Data, dt: float):
        self.world, self.data, self.dt = world, data, dt
        self.pushes = [e for e in world.stage.events if isinstance(e, Push)]
        self._bodies = [world.body(p.body) for p in self.pushes]
        self._points = [self._point(p, b) for p, b in zip(self.pushes, self._bodies, strict=True)]
        self.phase = np.zeros(len(world.balls) + len(self.pushes))
        own = [p.motion for p in parts_of(world.stage.ground) if p.motion is not None]
        self._moves: list[Callable[[float], Array]] = [
            *own, *(e for e in world.stage.events if isinstance(e, PlatformMotion))
        ]  # fmt: skip
        self.sums = np.zeros((len(self.pushes), 10))  # weight, weight x point, impulse, its moment about the origin
        self.on_props: list[Array] = []  # rows (18,) of the pushes on props in the step
        self.due = 0.0  # nothing has to be done before this time
        self._dirty = False  # are there forces on bodies from the step before?

    def _point(self, push: Push, body: int) -> Array:
        own = body < self.world.nbody
        return push_point(self.world.character, push) if own else np.asarray(push.point or (0.0, 0.0, 0.0), float)

    def add(self, push: Push) -> None:
        """One more push, under way."""
        body = self.world.body(push.body)
        self.pushes.append(push)
        self._bodies.append(body)
        self._points.append(self._point(push, body))
        self.phase = np.append(self.phase, WAITING)
        self.sums = np.concatenate([self.sums, np.zeros((1, 10))])
        self.due = 0.0

    @property
    def labels(self) -> tuple[str, ...]:
        """A name for each push."""
        return tuple(f"push on {p.body} at {p.at:g} s" for p in self.pushes)

    def begin(self, time: float) -> None:
        """At a reset: events that are over are over."""
        balls = [GONE if b.event.at < time - 1e-9 else WAITING for b in self.world.balls]
        self.phase[:] = [*balls, *(GONE if p.end <= time else WAITING for p in self.pushes)]
        self.sums[:] = 0.0
        self.wake()
        self._carry(time)
        self._lead(time)

    def wake(self) -> None:
        """Look at everything again before the next step, as after a load."""
        self.due, self._dirty = 0.0, True

    def before(self, time: float, log: Log) -> None:
        """Move the platform and throw the balls that are due; before collisions are looked for."""
        self._carry(time)
        self._lead(time)
        for k, slot in enumerate(self.world.balls):
            if self.phase[k] == WAITING and time + 1e-9 >= slot.event.at:
                self._throw(slot, f"ball_{k}", log)
                self.phase[k] = FLYING
        balls = len(self.world.balls)
        for k, push in enumerate(self.pushes):
            if self.phase[balls + k] == WAITING and push.share(time, self.dt) > 0.0:
                size = float(np.linalg.norm(push.force))
                log("push", f"{push.body} is pushed with {size:.0f} N for {push.duration:g} s")
                self.phase[balls + k] = FLYING
            elif self.phase[balls + k] == FLYING and time >= push.end:
                self.phase[balls + k] = GONE

    def _carry(self, time: float) -> None:
        """Put the platform where it must be, with the speed it had over the last step and the force for the next."""
        if self.world.platform is None or not self._moves:
            return
        q, v, mass = self.world.platform
        x0, x1, x2 = (self._displacement(time + k * self.dt) for k in (-1, 0, 1))
        self.data.qpos[q : q + 3] = x1
        self.data.qvel[v : v + 3] = (x1 - x0) / self.dt
        self.data.qfrc_applied[v : v + 3] = mass * (x2 - 2.0 * x1 + x0) / self.dt**2

    def _lead(self, time: float) -> None:
        """Put props that are led where they must be, with the speed that they have over the next step."""
        for event, q, v in self.world.led:
            now, then = event.pose(time), event.pose(time + self.dt)
            self.data.qpos[q : q + 7] = now
            self.data.qvel[v : v + 3] = (then[:3] - now[:3]) / self.dt
            self.data.qvel[v + 3 : v + 6] = log(multiply(conjugate(now[3:]), then[3:])) / self.dt

    def _displacement(self, time: float) -> Array:
        total = np.zeros(3)
        for move in self._moves:
            step = np.asarray(move(time), float)
            if step.shape != (3,) or not np.all(np.isfinite(step)):
                raise BadValue(f"The motion of the platform gave {step!r} at {time:.3f} s; 3 finite metres are needed.")
            total += step
        return total

    def _throw(self, slot: BallSlot, name: str, log: Log) -> None:
        model, data, ball = self.world.model, self.data, slot.event
        engine.place(model, data, data.qpos.copy(), data.qvel.copy())
        target, velocity = data.xipos[slot.target].copy(), engine.point_velocity(model, data, slot.target)[3:]
        start = target - ball.distance * np.asarray(ball.direction, float)
        floor = float(self.world.stage.ground.height(start[0], start[1])) + ball.size + 0.01
        start[2] = max(start[2], floor)
        throw = aim(start, target, velocity, ball.speed, model.opt.gravity)
        data.qpos[slot.q : slot.q + 7] = [*start, 1.0, 0.0, 0.0, 0.0]
        data.qvel[slot.v : slot.v + 6] = [*throw.velocity, 0.0, 0.0, 0.0]
        late = "" if throw.reaches else f", faster than asked: {np.linalg.norm(throw.velocity):.1f} m/s"
        log("ball", f"{name} is thrown at {ball.toward}{late}, to arrive in {throw.flight:.2f} s")

    def forces(self, time: float, wipe: bool = False) -> None:
        """Pushes and the weight of flying balls, for the step that begins now; after collisions.

        With `wipe` the forces on bodies are cleared first in any case: somebody else put some there.
        """
        data = self.data
        self.on_props.clear()
        if self._dirty or wipe:
            data.xfrc_applied[:] = 0.0
            self._dirty = False
        gravity = self.world.model.opt.gravity
        for k, slot in enumerate(self.world.balls):
            if self.phase[k] == FLYING or self.phase[k] == HIT:
                data.xfrc_applied[slot.body, :3] = slot.event.mass * gravity
                self._dirty = True
        for k, push in enumerate(self.pushes):
            share = push.share(time, self.dt)
            if share > 0.0:
                body, force = self._bodies[k], share * np.asarray(push.force, float)
                point = data.xpos[body] + data.xmat[body].reshape(3, 3) @ self._points[k]
                self._apply(body, point, force, np.zeros(3))
                if body < self.world.nbody:
                    add_wrench(self.sums[k], point, force, np.zeros(3), self.dt)
                else:
                    self.on_props.append(self._push_row(body, point, force))

    def _push_row(self, body: int, point: Array, force: Array) -> Array:
        """A push on a prop as a row (18,) among what props touch; it may pull, and has the prop itself as its other."""
        row, label = np.zeros(CONTACT_WIDTH), self.world.body_label[body]
        row[column.BODY], row[column.OTHER], row[column.BILATERAL] = self.world.nbody + label, label, 1.0
        row[column.POINT : column.POINT + 3], row[column.FORCE : column.FORCE + 3] = point, force
        row[column.NORMAL : column.NORMAL + 3] = force / max(float(np.linalg.norm(force)), 1e-300)
        return row

    def _apply(self, body: int, point: Array, force: Array, moment: Array) -> None:
        self.data.xfrc_applied[body, :3] += force
        self.data.xfrc_applied[body, 3:] += moment + np.cross(point - self.data.xipos[body], force)
        self._dirty = True

    def rest(self, time: float) -> None:
        """Work out when something has to be done next."""
        if self._dirty or self._moves or self.world.led or np.any(self.phase == FLYING) or np.any(self.phase == HIT):
            self.due = 0.0
            return
        waiting = [b.event.at for k, b in enumerate(self.world.balls) if self.phase[k] == WAITING]
        waiting += [p.at for p in self.pushes if p.end > time]
        self.due = min(waiting, default=_NEVER) - self.dt

    def hits(self, touches: Array, log: Log) -> None:
        """Note the first touch of each flying ball; touches (K, 18) of the step just taken."""
        for k, slot in enumerate(self.world.balls):
            if self.phase[k] != FLYING:
                continue
            rows = np.flatnonzero(touches[:, 1] == self.world.body_label[slot.body])
            if len(rows):
                self.phase[k] = HIT
                body = self.world.character.body_names[int(touches[rows[0], 0])]
                log("ball", f"ball_{k} hits {body}, {100 * self.miss(slot):.1f} cm from its aim")

    def miss(self, slot: BallSlot) -> float:
        """How far [m] the ball's path passes the centre of mass of its target, as both move just before."""
        model, data = self.world.model, self.data
        # velocities at the beginning of the step: before the blow
        v = (engine.point_velocity(model, data, slot.body) - engine.point_velocity(model, data, slot.target))[3:]
        away = data.xipos[slot.target] - data.xipos[slot.body]
        return float(np.linalg.norm(np.cross(away, v)) / max(float(np.linalg.norm(v)), 1e-9))

    def collect(self, seconds: float, known: int) -> Array:
        """Rows (K, 11) of the pushes' means over `seconds`; the sums begin anew.

        `known`: how many pushes there were at the beginning; the label of assistance comes after theirs.
        """
        rows = wrench_means(self.sums, self._bodies, None, seconds)
        rows[:, 1] += rows[:, 1] >= known
        return rows


def add_wrench(row: Array, point: Array, force: Array, moment: Array, dt: float) -> None:
    """Add a wrench that acted for dt to a row of sums (10,)."""
    weight = dt * (float(np.linalg.norm(force)) + 1e-9)
    row[0] += weight
    row[1:4] += weight * point
    row[4:7] += dt * force
    row[7:10] += dt * (moment + np.cross(point, force))


def wrench_means(sums: Array, bodies: Sequence[int], label: int | None, seconds: float) -> Array:
    """Rows (K, 11) of the means of those sums (K, 10) in which something acted; the sums begin anew.

    All have one label, or each its own number where that is None.
    """
    rows = np.empty((len(sums), WRENCH_WIDTH))
    acted = _means(sums, seconds, rows)
    for row in rows[:acted]:
        k = int(row[1])
        row[0], row[1] = bodies[k], k if label is None else label
    return rows[:acted]


@njit(cache=True)
def _means(sums, seconds, rows):
    """Fill rows (K, 11) with number (column 1) and means of each of the sums (K, 10) in which something acted.

    Gives how many there are; the sums begin anew.
    """
    count = 0
    for k in range(len(sums)):
        if sums[k, 0] == 0.0:
            continue
        row = rows[count]
        row[1] = k
        for i in range(3):
            row[2 + i] = sums[k, 1 + i] / sums[k, 0]
            row[5 + i] = sums[k, 4 + i] / seconds
        for i in range(3):
            j, m = (i + 1) % 3, (i + 2) % 3
            row[8 + i] = sums[k, 7 + i] / seconds - (row[2 + j] * row[5 + m] - row[2 + m] * row[5 + j])
        count += 1
    sums[:] = 0.0
    return count

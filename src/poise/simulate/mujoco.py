"""MujocoSimulator: a character on a stage in MuJoCo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike

import mujoco
import numpy as np

from poise.character import Character
from poise.dynamics import Wrench, engine, native
from poise.errors import BadValue
from poise.maths.rotations import Array
from poise.simulate import contacts, damped, guard, stepping
from poise.simulate.assist import assist_rows, lend, slippery_factors, soap
from poise.simulate.damped import DampedServo, Joints
from poise.simulate.grip_forces import Gripping
from poise.simulate.programme import Programme, wrench_means
from poise.simulate.servo import Servo
from poise.simulate.simulator import Means, State, Touches
from poise.stage import Stage
from poise.stage.events import Push
from poise.stage.pushes import pushes_at
from poise.stage.world import World, build
from poise.take.record import CONTACT_WIDTH

_KEPT = 16  # steps between two copies of the state, for a blow-up
_step, _read = mujoco.mj_step, contacts.read
_NONE, _NO_HELP = np.zeros((0, 11)), np.zeros((0, 10))
_FATAL = ("BADQPOS", "BADQVEL", "BADQACC", "CONTACTFULL", "CNSTRFULL")


class MujocoSimulator:
    """Implements `Simulator`. Everything is deterministic: the same calls give the same bits.

    `touches` are those of the step just taken (after a reset: of the starting pose at rest). `programme`: pushes, balls
    and the platform; `grips`: hands that hold. `dump` is the folder for
    the state before a blow-up; the system's folder for temporary files where not given.
    """

    def __init__(self, character: Character, stage: Stage | None = None, dt: float = 1 / 960, contact: str = "soft",
                 dump: str | PathLike[str] | None = None):  # fmt: skip
        self.character, self.stage, self.contact, self.dump = character, stage or Stage(), contact, dump
        self.dt = float(dt)
        self.world: World = build(character, self.stage, contact=contact, dt=self.dt)
        model = self._model = self.world.model
        data = self._data = engine.data_of(model)
        self.others = self.world.others
        self.programme, self.grips = Programme(self.world, data, self.dt), Gripping(self.world, data)
        self._assist_label = len(self.programme.labels)
        self.labels = (*self.programme.labels, "assist")
        self._geoms = contacts.geoms_of(model, self.world.body_label)
        self._touches = np.zeros((contacts.MOST_TOUCHES, CONTACT_WIDTH))
        self._sums = np.zeros((contacts.MOST_SUMS, contacts.SUM_WIDTH))
        self._counts = np.zeros(2, np.int64)
        self._where = contacts.addresses(model, data, self.world.nbody, self._geoms, self._touches, self._sums,
                                         self._counts)  # fmt: skip
        # for compiled steps: mj_step, the model, the data and where it counts contacts
        self._engine = (native.address("mj_step"), model._address, data._address,
                        data._address + engine.contact_memory().counter)  # fmt: skip
        self._assist, self._torque, self._steps = np.zeros((self.world.nbody, 10)), np.zeros(self.world.nv), 0
        # views into MuJoCo's own arrays, which stay where they are
        self._q, self._v = data.qpos[: self.world.nq], data.qvel[: self.world.nv]
        self._target = data.qfrc_applied[: self.world.nv]
        lent = model.dof_armature[: self.world.nv]
        self.joints = Joints(self._q, self._v, self._target, lent, lent.copy(), data.qpos, data.qvel,
                             data.qacc_warmstart, np.array([self.dt]))  # fmt: skip
        self._assisted = self._lent = False
        self._root = 6 if model.njnt and model.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE else 0
        self._kept = np.zeros(engine.state_size(model))
        self.contact_table = self._where, self._engine[3]  # for searches
        self.plain = not (self.stage.events or self.stage.grips or self.world.platform or len(self.world.patches))
        self._log: list[tuple[float, str, str]] = []
        self._start, self._count, self._kept_at = 0.0, 0, 0
        self._warm_up()

    def _warm_up(self) -> None:
        """Compile, or load from disk, what the loop calls, so that no step waits for it."""
        torque = np.zeros(self.world.nv)
        contacts.put(torque, self._root, 1, self._target, self._torque)
        contacts.read(self._where, 0, self.dt)
        contacts.add_rows(np.zeros((0, 18)), self.dt, self._touches, self._sums, self._counts)
        contacts.mean_rows(self._sums, 0, torque, 1, self.dt, np.empty((0, 18)), np.empty(len(torque)))
        contacts.repaint(self._where, 0, self.world.patches)
        soap(self._where, 0, np.ones(self.world.nbody))
        lend(np.zeros((0, 10)), self.dt, False, self._data.xipos, self._data.xfrc_applied, self._assist)
        self.reset(self.character.zero_pose(), check=False)

    @property
    def data(self) -> engine.Data:
        """MuJoCo's own state."""
        return self._data

    @property
    def time(self) -> float:
        """Now [s]: counted in steps, so that it never drifts."""
        return self._start + self._count * self.dt

    def reset(self, q: Array, v: Array | None = None, time: float = 0.0, *, check: bool = True) -> None:
        """Begin with this state at this time; props lie where the stage puts them, grips that have begun are closed."""
        model, data, nq, nv = self._model, self._data, self.world.nq, self.world.nv
        q, v = np.asarray(q, float), np.zeros(nv) if v is None else np.asarray(v, float)
        if q.shape != (nq,) or v.shape != (nv,):
            raise BadValue(f"{self.character.name} needs q ({nq},) and v ({nv},), not {q.shape} and {v.shape}.")
        if not (np.all(np.isfinite(q)) and np.all(np.isfinite(v))):
            raise BadValue("A simulation cannot start from numbers that are not finite.")
        mujoco.mj_resetData(model, data)
        data.qpos[:nq], data.qvel[:nv], data.time = q, v, time
        self._start, self._count, self._kept_at = float(time), 0, 0
        self._log.clear()
        self._forget()
        self.programme.begin(time)
        engine.kinematics(model, data)
        if check:
            self.grips.begin(time)
        mujoco.mj_forward(model, data)
        self._read()
        self._forget()
        if check:
            guard.refuse_buried(self.character, self._touches[: self._counts[0]], self.others)
        engine.get_state(model, data, self._kept)

    def refresh(self) -> None:
        """Look at the state as it is, after somebody changed it: poses, contacts; sums begin anew."""
        mujoco.mj_forward(self._model, self._data)
        self._read()
        self._forget()
        self._log.clear()
        engine.get_state(self._model, self._data, self._kept)

    def _forget(self) -> None:
        """Begin the sums of a frame anew."""
        self._counts[1], self._steps, self._assisted, self._lent = 0, 0, False, False
        self._torque[:] = 0.0
        self._assist[:] = 0.0

    def state(self) -> State:
        """The character now."""
        return State(self._start + self._count * self.dt, self._q.copy(), self._v.copy())

    def touches(self) -> Touches:
        """What the character touched in the step just taken; to be looked at before the next one."""
        count = self._count

        def table() -> Array:
            if self._count != count:
                raise BadValue("These touches belong to an earlier step; look at them before the next one is taken.")
            return self._touches[: self._counts.item(0)].copy()

        return Touches(table, self.others)

    def external(self) -> list[Wrench]:
        """The pushes on the character that act now, as means over the next step."""
        return pushes_at(self.stage, self.character, self._data.qpos[: self.world.nq], self.time, self.dt)

    def props(self) -> dict[str, Array]:
        """Poses (7,) of all things on the stage now."""
        d = self._data
        if self.world.things:
            engine.kinematics(self._model, d)
        return {name: np.concatenate([d.xpos[b], d.xquat[b]]) for name, b in self.world.things.items()}

    def step(self, torque: Array | Servo | DampedServo, assist: Sequence[Wrench] | Array = (), steps: int = 1,
             slippery: Mapping[int, float] | None = None) -> None:  # fmt: skip
        """Time steps under joint torques (nv,) or a servo, wrenches of assistance and whatever is due on the stage.

        `slippery` scales the friction of bodies (id -> factor) with whatever they touch.
        """
        if isinstance(torque, DampedServo):
            self._step_damped(torque, steps, assist, slippery)
            return
        if isinstance(torque, Servo):
            if self.plain and not self._lent and not len(assist) and not slippery:
                self._step_under(torque, steps)
            else:
                for _ in range(steps):
                    self.step(torque.torque(self._q, self._v, self.time), assist, 1, slippery)
            return
        if torque.shape != self._torque.shape:
            raise BadValue(f"{self.character.name} needs torques ({self.world.nv},), not {torque.shape}.")
        bad = contacts.put(torque, self._root, steps, self._target, self._torque)
        if bad >= 0:
            self._stop(guard.torque_sentence(self.character, torque, bad, self.time), torque)
        model, data, where, dt = self._model, self._data, self._where, self.dt
        helped = assist_rows(assist) if len(assist) else None
        factors = slippery_factors(slippery, self.world.nbody) if slippery else None
        plain = self.plain and helped is None and factors is None and not self._lent
        for _ in range(steps):
            if plain:
                _step(model, data)
            else:
                self._busy_step(helped, factors)
            bad = _read(where, data.ncon, dt)
            if bad != -1:
                self._check(bad, torque)
            self._count += 1
            if not plain:
                self._after()
        self._steps += steps
        self._keep()

    def _step_under(self, servo: Servo, steps: int) -> None:
        """Steps under a servo with nothing going on beside."""
        done, bad = stepping.run(self._where, *self._engine, steps, self.dt, self.time, tuple(servo), self._q, self._v,
                                 self._target, self._torque)  # fmt: skip
        self._count += done
        self._steps += done
        if bad != -1:
            torque = servo.torque(self._q, self._v, self.time)
            if bad <= -3:
                self._stop(guard.torque_sentence(self.character, torque, -3 - bad, self.time), torque)
            self._check(bad, torque)
            if done < steps:  # a warning that means nothing
                self._step_under(servo, steps - done)
        self._keep()

    def _step_damped(self, servo: DampedServo, steps: int, assist: Sequence[Wrench] | Array,
                     slippery: Mapping[int, float] | None) -> None:  # fmt: skip
        """Steps under a servo whose damping is implicit, whatever else is going on."""
        row = round((self.time - servo.time) / self.dt)
        if self.plain and not self._lent and not len(assist) and not slippery:
            done, bad = damped.run(self._where, *self._engine, row, steps, self.dt, tuple(servo), tuple(self.joints),
                                   self._torque)  # fmt: skip
        else:
            done, bad = self._busy_damped(servo, row, assist, slippery)
        self._count, self._steps = self._count + done, self._steps + done
        if bad <= -3:
            self._stop(guard.torque_sentence(self.character, self._target, -3 - bad, self.time), self._target)
        if bad != -1:
            self._check(bad, self._target)
        self._keep()
        if done < steps:  # a busy step at a time, or a warning that means nothing
            self._step_damped(servo, steps - done, assist, slippery)

    def _busy_damped(self, servo: DampedServo, row: int, assist: Sequence[Wrench] | Array,
                     slippery: Mapping[int, float] | None) -> tuple[int, int]:  # fmt: skip
        """One such step with something going on beside; what `damped.run` gives for it."""
        joints, under, u = tuple(self.joints), tuple(servo), np.empty(self.world.nv)
        kept, factors = damped.room(joints), slippery_factors(slippery, self.world.nbody) if slippery else None
        damped.put(under, row, joints, np.empty((1, len(u))), u)
        if not np.isfinite(u).all():
            damped.undo(joints)
            return 0, -3 - int(np.argmin(np.isfinite(self._target)))
        damped.hold(joints, kept)
        self._busy_step(assist_rows(assist) if len(assist) else None, factors)
        for _ in range(damped.AGAIN):
            if not damped.limited(under, joints, kept, u):
                break
            mujoco.mj_step1(self._model, self._data)
            self._paint(factors)
            mujoco.mj_step2(self._model, self._data)
        damped.settle(joints, kept, u)
        self._torque += u
        bad = _read(self._where, self._data.ncon, self.dt)
        self._after()
        return 1, bad

    def _keep(self) -> None:
        """Copy the state now and then, for a blow-up."""
        if self._count - self._kept_at >= _KEPT:
            self._kept_at = self._count
            engine.get_state(self._model, self._data, self._kept)

    def _check(self, bad: int, torque: Array) -> None:
        """Look at what the compiled reader complains of."""
        if bad == contacts.WARNED:
            self._heed()
        else:
            value = float(self._data.qvel[bad])
            self._stop(guard.state_sentence(self.character, bad, value, self.time, self.dt), torque)

    def _busy_step(self, helped: Array | None, factors: Array | None) -> None:
        """A step with something going on: before the collisions, and between them and the forces."""
        programme, time, data = self.programme, self.time, self._data
        active = time >= programme.due
        if active:
            programme.before(time, self._note)
        if self.world.grips:
            self.grips.update(time, self._note)
        mujoco.mj_step1(self._model, data)
        self._paint(factors)
        if active:
            programme.forces(time, wipe=self._lent)
            programme.rest(time)
        if helped is not None or self._lent:
            rows = _NO_HELP if helped is None else helped
            lend(rows, self.dt, not active, data.xipos, data.xfrc_applied, self._assist)
            self._lent = helped is not None
            self._assisted |= self._lent
        mujoco.mj_step2(self._model, data)

    def _paint(self, factors: Array | None) -> None:
        """Give the contacts that were just found the friction of patches and of slippery bodies."""
        if len(self.world.patches):
            contacts.repaint(self._where, self._data.ncon, self.world.patches)
        if factors is not None:
            soap(self._where, self._data.ncon, factors)

    def _read(self) -> None:
        """Contacts of the state as it is, after a reset."""
        self._counts[0] = 0
        contacts.read(self._where, self._data.ncon, self.dt)
        self._after()

    def _after(self) -> None:
        """Grip forces and hits of the step just taken."""
        if self.world.grips and self.grips.closed:
            contacts.add_rows(self.grips.rows(), self.dt, self._touches, self._sums, self._counts)
        if self.programme.on_props:
            contacts.add_sums(np.array(self.programme.on_props), self.dt, self._sums, self._counts)
            self.programme.on_props.clear()
        if self.world.balls:
            self.programme.hits(self._touches[: self._counts[0]], self._note)

    def _note(self, kind: str, text: str) -> None:
        self._log.append((self.time, kind, text))

    def _stop(self, sentence: str, torque: Array) -> None:
        before = self._packed(self._kept)
        saved = guard.save_state(self.dump, self.character, before, np.asarray(torque, float), self.time, sentence)
        raise guard.BlowUp(sentence, self.time, saved)

    def collect(self) -> Means:
        """Means since the last call or the reset."""
        steps = self._steps or 1
        rows, torque = np.empty((self._counts.item(1), 18)), np.empty(len(self._torque))
        contacts.mean_rows(self._sums, len(rows), self._torque, steps, self.dt, rows, torque)
        self._counts[1] = self._steps = 0
        rows, things = contacts.apart(rows, self.world.nbody)
        if self.plain and not self._assisted:
            return Means(torque, rows, _NONE, _NONE, things)
        seconds = steps * self.dt
        assist = wrench_means(self._assist, range(len(self._assist)), self._assist_label, seconds)
        self._assisted = False
        return Means(torque, rows, self.programme.collect(seconds, self._assist_label), assist, things)

    def _heed(self) -> None:
        """Stop at those of MuJoCo's warnings after which a simulation means nothing."""
        warned = [w for w in engine.warnings(self._data) if w in _FATAL]
        if warned:
            self._stop(f"MuJoCo gave up at {self.time:.4f} s with the warning {warned[0]}: the state is no longer "
                       "sensible, or there are more contacts than it can hold. Try a smaller step or fewer "
                       "props.", self._torque)  # fmt: skip

    def push(self, push: Push) -> None:
        """A push that nobody knew of before; it acts from its time on."""
        stage = replace(self.stage, events=(*self.stage.events, push))
        stage.check(self.character)
        self.stage = stage
        self.programme.add(push)
        self.labels, self.plain = (*self.labels, self.programme.labels[-1]), False

    def happened(self) -> list[tuple[float, str, str]]:
        """Time, kind and sentence of what happened since the last call."""
        out, self._log = self._log, []
        return out

    def save(self) -> Array:
        """All that the future depends on, and what has been summed up since the last `collect`."""
        state = np.empty(len(self._kept))
        engine.get_state(self._model, self._data, state)
        return self._packed(state)

    def _packed(self, state: Array) -> Array:
        touching, summed = int(self._counts[0]), int(self._counts[1])
        head = [self._start, self._count, self._steps, touching, summed]
        parts = [head, state, self.programme.phase, self.grips.phase, self._torque, self.programme.sums.ravel(),
                 self._assist.ravel(), self._touches[:touching].ravel(), self._sums[:summed].ravel()]  # fmt: skip
        return np.concatenate([np.asarray(p, float) for p in parts])

    def load(self, saved: Array) -> None:
        """Go back to what `save` gave, on this simulator or on another one of the same character and stage."""
        saved = np.asarray(saved, float)
        fixed = [len(self._kept), len(self.programme.phase), len(self.grips.phase), self.world.nv,
                 self.programme.sums.size, self._assist.size]  # fmt: skip
        touching, summed = (int(saved[3]), int(saved[4])) if len(saved) > 5 else (0, 0)
        sizes = [5, *fixed, CONTACT_WIDTH * touching, contacts.SUM_WIDTH * summed]
        if len(saved) != sum(sizes):
            raise BadValue("This saved state belongs to another character, stage or version: its numbers do not fit.")
        head, state, events, grips, torque, pushes, assist, touches, sums = np.split(saved, np.cumsum(sizes)[:-1])
        mujoco.mj_resetData(self._model, self._data)
        engine.set_state(self._model, self._data, state)
        engine.kinematics(self._model, self._data)  # for the poses of props
        self._start, self._count, self._steps = float(head[0]), int(head[1]), int(head[2])
        self.programme.phase[:], self.grips.phase[:], self._torque[:] = events, grips, torque
        self.programme.sums[:] = pushes.reshape(self.programme.sums.shape)
        self._assist[:] = assist.reshape(self._assist.shape)
        self._assisted, self._lent = bool(self._assist.any()), True  # forces of assistance may be left in the state
        self._touches[:touching] = touches.reshape(-1, CONTACT_WIDTH)
        self._sums[:summed] = sums.reshape(-1, contacts.SUM_WIDTH)
        self._counts[:] = touching, summed
        self.programme.wake()
        self._log.clear()
        self._kept[:], self._kept_at = state, self._count

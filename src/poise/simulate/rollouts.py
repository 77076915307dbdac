"""Rollouts: many short simulations under damped servos from saved states, for searches; the same bits on any threads.

Each thread has a world of its own, and a rollout depends on nothing but the whole state that it starts from, so that
it does not matter which thread takes it, or in which order.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from poise.character import Character
from poise.dynamics import engine, native
from poise.kernels import njit
from poise.maths.rotations import Array
from poise.simulate import contacts, damped
from poise.simulate.damped import DampedServo
from poise.simulate.guard import BlowUp
from poise.simulate.mujoco import MujocoSimulator
from poise.stage import Stage

_STATE = engine.STATE
_LOADED = 0.02  # of the weight: a contact that carries so much should hold
BODY = 9  # numbers of the whole body that lead the features: centre of mass, its velocity, angular momentum


class Ends(NamedTuple):
    """How the rollouts of a batch of N ended."""

    states: np.ndarray  # whole states: (N, S), or (N,) of arrays where things go on beside the body
    q: Array  # (N, nq)
    v: Array  # (N, nv)
    features: Array  # (N, 9 + 3 K): what `features` gives
    work: Array  # (N,) mean squared torque in shares of the limits, inf where the body blew up
    over: Array  # (N,) largest share by which a torque passed its limit
    wrong: Array  # (N, 2) share of the steps in which limbs do not touch as they should, summed; mean slip [m/s]


class _Job(NamedTuple):
    """What is simulated: see `Rollouts.run`."""

    servo: DampedServo
    time: float
    steps: int
    states: np.ndarray
    befores: Array
    parent: np.ndarray
    offsets: Array
    wanted: np.ndarray


class Rollouts:
    """Worlds of a character on a stage, one for each thread. `watched` (K,) are bodies whose places are told."""

    def __init__(self, character: Character, stage: Stage, dt: float, contact: str, watched: Sequence[int],
                 threads: int = 1):  # fmt: skip
        self.worlds = [MujocoSimulator(character, stage, dt, contact) for _ in range(threads)]
        self.watched = np.array(watched, np.int64)
        self.dt, self.character, self.plain = dt, character, self.worlds[0].plain
        self._least = _LOADED * character.mass * float(np.linalg.norm(character.model.opt.gravity))
        self.limbs = character.contact_points.limbs
        self._limb = np.full(character.model.nbody, -1, np.int64)
        for k, limb in enumerate(self.limbs):
            self._limb[character.contact_points.bodies[character.contact_points.of(limb)]] = k
        self._calls = [_calls(w) for w in self.worlds]

    def start(self, q: Array, v: Array, time: float = 0.0, *, check: bool = True) -> np.ndarray:
        """The whole state (1, ...) in which a performance from q and v begins."""
        world = self.worlds[0]
        world.reset(q, v, time, check=check)
        return _rows([self._saved(world)])

    def _saved(self, world: MujocoSimulator) -> Array:
        if not self.plain:
            return world.save()
        out = np.empty(engine.state_size(world.world.model))
        engine.get_state(world.world.model, world.data, out)
        return out

    def look(self, q: Array, v: Array) -> Array:
        """The features (N, F) of some states of the character alone."""
        out = np.empty((len(q), BODY + 3 * len(self.watched)))
        world, calls = self.worlds[0], self._calls[0]
        for k in range(len(q)):
            world.joints.q[:], world.joints.v[:] = q[k], v[k]
            features(calls.functions, calls.model, calls.data, calls.views, self.watched, out[k])
        return out

    def run(self, servo: DampedServo, time: float, steps: int, states: np.ndarray, befores: Array, parent: np.ndarray,
            offsets: Array, wanted: np.ndarray | None = None) -> Ends:  # fmt: skip
        """`steps` steps from `time` [s]: sample i from states[parent[i]], from befores[parent[i]] to offsets[i].

        wanted (steps, limbs): which feet and hands should touch at the end of each step; nothing is counted without.
        """
        count, layout = len(offsets), self.character.layout
        ends = Ends(np.empty((count, states.shape[1])) if self.plain else np.empty(count, object),
                    np.empty((count, layout.nq)), np.empty((count, layout.nv)),
                    np.empty((count, BODY + 3 * len(self.watched))), np.empty(count), np.empty(count),
                    np.zeros((count, 2)))  # fmt: skip
        share = self._share_plain if self.plain else self._share_busy
        cuts = np.linspace(0, count, len(self.worlds) + 1).astype(int)
        jobs = [(k, slice(a, e)) for k, (a, e) in enumerate(pairwise(cuts)) if e > a]
        wanted = np.zeros((steps, 0), bool) if wanted is None else np.ascontiguousarray(wanted, bool)
        given = _Job(servo, time, steps, states, befores, parent, offsets, wanted), ends
        if len(jobs) == 1:
            share(*jobs[0], *given)
        else:
            with ThreadPoolExecutor(len(jobs)) as pool:
                for done in [pool.submit(share, *job, *given) for job in jobs]:
                    done.result()
        return ends

    def _share_plain(self, k: int, rows: slice, job: _Job, ends: Ends) -> None:
        first = round((job.time - job.servo.time) / self.dt)
        touching = (*self.worlds[k].contact_table, self._limb, self._least, job.wanted)
        _batch(*self._calls[k], tuple(job.servo), first, job.steps, job.states, job.befores, job.parent[rows],
               job.offsets[rows], self.watched, touching, *(a[rows] for a in ends))  # fmt: skip

    def _share_busy(self, k: int, rows: slice, job: _Job, ends: Ends) -> None:
        """The same with props, grips and whatever goes on: through the simulator's own steps."""
        world, calls = self.worlds[k], self._calls[k]
        limit = np.where(job.servo.limit > 0.0, job.servo.limit, np.inf)
        for i in range(*rows.indices(len(job.offsets))):
            world.load(job.states[job.parent[i]])
            own = job.servo._replace(before=job.befores[job.parent[i]], offset=job.offsets[i])
            on = np.zeros(job.wanted.shape[1], bool)
            try:
                for s in range(job.steps):
                    world.step(own)
                    if len(on):
                        slip = contacts.touched(world.contact_table[0], world.data.ncon, self._limb, self._least, on)
                        ends.wrong[i] += np.array([np.sum(on != job.wanted[s]), slip]) / job.steps
                share = np.abs(world.collect().torque) / limit
                ends.work[i], ends.over[i] = float((share[6:] ** 2).mean()), float(share.max(initial=0.0)) - 1.0
            except BlowUp:
                ends.work[i], ends.over[i] = np.inf, 0.0
            ends.states[i], ends.q[i], ends.v[i] = world.save(), world.joints.q, world.joints.v
            features(calls.functions, calls.model, calls.data, calls.views, self.watched, ends.features[i])


def _rows(states: list[Array]) -> np.ndarray:
    """Whole states as rows that an array of indices chooses from, of one length or of several."""
    if len({len(s) for s in states}) == 1:
        return np.array(states)
    out = np.empty(len(states), object)
    out[:] = states
    return out


class _Calls(NamedTuple):
    """What compiled rollouts need of a world."""

    functions: np.ndarray  # addresses of MuJoCo's functions
    model: int
    data: int
    views: tuple[Array, ...]  # of poses, centres of mass, their velocities and angular momenta
    joints: tuple[Array, ...]


def _calls(world: MujocoSimulator) -> Any:
    names = ("mj_step", "mj_kinematics", "mj_comPos", "mj_comVel", "mj_subtreeVel", "mj_setState", "mj_getState")
    d, model = world.data, world.world.model
    return _Calls(np.array([native.address(n) for n in names], np.int64), model._address, d._address,
                  (d.xpos, d.subtree_com, d.subtree_linvel, d.subtree_angmom), tuple(world.joints))  # fmt: skip


@njit(cache=True, nogil=True)
def features(functions, model, data, views, watched, out):
    """[centre of mass 3, its velocity 3, angular momentum about it 3, places of bodies 3 each] of the state as it is.

    Of the character: its root is the first body of the world.
    """
    for k in range(1, 5):
        native.call_two(functions[k], model, data)
    place, com, velocity, momentum = views
    for k in range(3):
        out[k], out[3 + k], out[6 + k] = com[1, k], velocity[1, k], momentum[1, k]
    for b in range(watched.shape[0]):
        for k in range(3):
            out[BODY + 3 * b + k] = place[watched[b], k]


@njit(cache=True, nogil=True)
def _batch(functions, model, data, views, joints, servo, first, steps, states, befores, parent, offsets, watched,
           touching, out, q, v, feats, work, over, wrong):  # fmt: skip
    nv = joints[1].shape[0]
    err, u = np.empty((1, nv)), np.empty(nv)
    (time, qs, vs, planned, _, _, since, blend, stiffness, damping, limit, kind, qadr, vadr) = servo
    for i in range(offsets.shape[0]):
        own = (time, qs, vs, planned, befores[parent[i]], offsets[i], since, blend, stiffness, damping, limit, kind,
               qadr, vadr)  # fmt: skip
        native.call_signed(functions[5], model, data, states[parent[i]].ctypes.data, _STATE)
        over[i] = -1.0
        work[i] = damped.walk(
            functions[0], model, data, own, first, steps, joints, err, u, over[i : i + 1], touching, wrong[i]
        )
        native.call_signed(functions[6], model, data, out[i].ctypes.data, _STATE)
        q[i], v[i] = joints[0], joints[1]
        features(functions, model, data, views, watched, feats[i])

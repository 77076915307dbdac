"""Another stage round a character under way: the world is built anew, and everything in it is carried over by name."""

from __future__ import annotations

import mujoco
import numpy as np

from poise.simulate.mujoco import MujocoSimulator
from poise.simulate.programme import GONE, WAITING
from poise.stage import Stage


def carried(old: MujocoSimulator, stage: Stage, dt: float | None = None) -> MujocoSimulator:
    """A simulator on another stage whose character, and whatever is on both stages, goes on as in the old one.

    Joints are matched by their names: they keep place and velocity, and the solver its first guess. Balls in flight fly
    on, pushes go on, closed hands stay closed; what is new lies where the stage puts it.
    """
    new = MujocoSimulator(old.character, stage, dt=old.dt if dt is None else dt, contact=old.contact, dump=old.dump)
    new.reset(old.state().q, old.state().v, old.time, check=False)
    _joints(old, new)
    _events(old, new)
    for k, slot in enumerate(new.world.grips):
        for j, before in enumerate(old.world.grips):
            if before.grip == slot.grip:
                new.grips.phase[k] = old.grips.phase[j]
                new.data.eq_active[slot.weld] = old.data.eq_active[before.weld]
    new.refresh()
    return new


def _joints(old: MujocoSimulator, new: MujocoSimulator) -> None:
    """Positions, velocities and the first guess of the accelerations of all joints that both worlds have."""
    a, b = old.world.model, new.world.model
    for j in range(b.njnt):
        name = b.joint(j).name
        k = mujoco.mj_name2id(a, mujoco.mjtObj.mjOBJ_JOINT, name) if name else -1
        if k < 0 or a.jnt_type[k] != b.jnt_type[j]:
            continue
        wide, deep = _WIDTH[int(b.jnt_type[j])]
        q, p = int(b.jnt_qposadr[j]), int(a.jnt_qposadr[k])
        v, w = int(b.jnt_dofadr[j]), int(a.jnt_dofadr[k])
        new.data.qpos[q : q + wide] = old.data.qpos[p : p + wide]
        for name_ in ("qvel", "qacc_warmstart", "qacc"):
            getattr(new.data, name_)[v : v + deep] = getattr(old.data, name_)[w : w + deep]


_WIDTH = {0: (7, 6), 1: (4, 3), 2: (1, 1), 3: (1, 1)}  # positions and velocities of free, ball, slide and hinge joints


def _events(old: MujocoSimulator, new: MujocoSimulator) -> None:
    """Balls and pushes that both stages have are as far as they were; later ones wait."""
    before, after = old.programme, new.programme
    balls, known = len(new.world.balls), len(old.world.balls)
    for k, slot in enumerate(new.world.balls):
        same = k < known and old.world.balls[k].event == slot.event
        after.phase[k] = before.phase[k] if same else (GONE if slot.event.at < new.time - 1e-9 else WAITING)
    for k, push in enumerate(after.pushes):
        j = before.pushes.index(push) if push in before.pushes else -1
        after.phase[balls + k] = before.phase[known + j] if j >= 0 else (GONE if push.end <= new.time else WAITING)
    after.wake()
    np.copyto(new.data.xfrc_applied, 0.0)

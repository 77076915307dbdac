"""Decision: all that is computed at one time step, in compiled code on memory that is made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poise.dynamics.compiled import Terms
from poise.kernels import njit
from poise.maths.rotations import Array
from poise.methods.balance import control, momentum, servo
from poise.methods.balance.hierarchy import Hierarchy
from poise.methods.balance.memory import Numbers, Tables, Work, no_work, numbers_of, tables_of
from poise.methods.balance.target import Target, Targets
from poise.simulate.simulator import State, Touches

if TYPE_CHECKING:
    from poise.methods.balance.method import Balance


class Decision:
    """Torques, moments on the feet and the traces of the decision last taken."""

    def __init__(self, settings: Balance, hierarchy: Hierarchy, targets: Targets, recorded: bool):
        self.hierarchy, self.recorded = hierarchy, recorded
        self.links, model = momentum.Links(hierarchy), hierarchy.character.model
        self.work = no_work(int(model.nbody), int(model.nv))
        self.numbers = numbers_of(settings, hierarchy, recorded)
        # plain tuples go into compiled code in half the time of named ones
        self._tables, self._fields = tuple(tables_of(settings, hierarchy, targets)), tuple(self.work)
        self._until = settings.until
        self._down = np.ones(2, bool)  # feet that the recording has on the ground
        toes = [np.flatnonzero(hierarchy.foot_of == side).tolist() for side in (0, 1)]
        slip = settings.swing_friction
        self._slippery = {
            (left, right): {b: slip for b in [*(() if left else toes[0]), *(() if right else toes[1])]}
            for left in (False, True) for right in (False, True)
        }  # fmt: skip
        self._names: tuple[str, ...] = ()
        self._ground = np.zeros(0, bool)

    def take(self, state: State, touches: Touches, target: Target) -> None:
        """Decide at a state."""
        if touches.names is not self._names:
            self._names = touches.names
            self._ground = np.array([n == "ground" or n.startswith("ground ") for n in touches.names])
        if state.time >= self._until:
            self.numbers = self.numbers._replace(most=0.0)
        self._down = target.feet_down
        _decide(self._tables, self.links.dynamics.fields, self._fields, tuple(target), tuple(self.numbers), state.q,
                state.v, state.time, touches.table, self._ground)  # fmt: skip

    @property
    def falling(self) -> bool:
        """Has balance been given up?"""
        return bool(self.work.falling[0])

    def assist(self) -> Array:
        """The artificial moments on the feet as rows (0 to 2, 10) of assistance: body, point, force, moment."""
        feet, work = self.hierarchy.feet, self.work
        acts = self.numbers.most > 0.0 and not self.falling
        rows = [(feet[s], *self.links.terms.link_centres[feet[s]], 0.0, 0.0, 0.0, *work.moments[s])
                for s in (0, 1) if acts and work.support[s]]  # fmt: skip
        return np.array(rows).reshape(-1, 10)

    def slippery(self) -> dict[int, float]:
        """Bodies of the feet that the recording has in the air, and the factor of their friction."""
        left, right = self._down.tolist()
        return {} if not self.recorded or (left and right) or self.falling else self._slippery[left, right]

    def traces(self) -> dict[str, Array | float]:
        """What is recorded of the decision in the take."""
        work = self.work
        return {
            "support": work.support.astype(float), "virtual_wrench": work.wrench.copy(),
            "compensation": float(work.ratio[0]), "foot_moment": work.moments.copy().ravel(),
            "centre_offset": work.place.copy(), "falling": float(work.falling[0]),
        }  # fmt: skip


@njit(cache=True)
def _decide(tables_, terms_, work_, target_, numbers_, q, v, time, table, ground):
    """Everything of one decision; results are written into the work."""
    tables, terms, work, numbers = Tables(*tables_), Terms(*terms_), Work(*work_), Numbers(*numbers_)
    target = Target(*target_)
    since = time - target.time
    momentum.place(terms, q, v)
    servo.joint_errors(tables.layout, q, target.q, work.error)
    control.sense(tables, terms, work, target, numbers, table, ground)
    work.moments[:] = 0.0
    work.wrench[:] = 0.0
    work.balance[:] = 0.0
    work.ratio[0] = 1.0
    if (work.support[0] or work.support[1]) and not work.falling[0]:
        control.virtual_wrench(tables, terms, work, target, numbers, since)
        control.carry_out(tables, terms, work, numbers)
    if work.falling[0]:
        work.balance[:] = 0.0
    control.follow(tables, terms, work, target, numbers, since, table, ground)
    control.bear(tables, terms, work, numbers)

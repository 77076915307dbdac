"""What a simulator is: state in, contacts out, one step at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from poise.character import Character
from poise.dynamics import Wrench
from poise.maths.rotations import Array
from poise.simulate.damped import DampedServo
from poise.simulate.servo import Servo
from poise.take.record import CONTACT_WIDTH


class State(NamedTuple):
    """The character alone at one time."""

    time: float  # [s]
    q: Array  # (nq,)
    v: Array  # (nv,)


class Touches:
    """What the character touches: K contacts with ground, props, grips and itself, from the step just taken.

    A contact of two parts of the character appears twice, once for each part. `table` (K, 18) has the columns of
    `poise.take.CONTACT_COLUMNS`; `names` says what the numbers in column 1 stand for.
    """

    def __init__(self, table: Array | Callable[[], Array], names: tuple[str, ...]):
        self._table, self.names = table, names

    @cached_property
    def table(self) -> Array:
        """All columns (K, 18); copied from the simulator when first asked for, which most controllers never do."""
        return self._table() if callable(self._table) else self._table

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def body(self) -> np.ndarray:
        """Ids (K,) of the character's bodies."""
        return self.table[:, 0].astype(np.int64)

    @cached_property
    def other(self) -> tuple[str, ...]:
        """Names (K) of what is touched: "ground", "ground <part>", a prop, a ball or another body of the character."""
        return tuple(self.names[int(k)] for k in self.table[:, 1])

    @property
    def point(self) -> Array:
        """World places (K, 3) [m]."""
        return self.table[:, 2:5]

    @property
    def normal(self) -> Array:
        """Unit normals (K, 3) towards the character; for a grip the direction of its force."""
        return self.table[:, 5:8]

    @property
    def force(self) -> Array:
        """Forces (K, 3) [N] on the character."""
        return self.table[:, 8:11]

    @property
    def moment(self) -> Array:
        """Moments (K, 3) [N m] about the points on the character."""
        return self.table[:, 11:14]

    @property
    def friction(self) -> Array:
        """Friction coefficients (K,)."""
        return self.table[:, 14]

    @property
    def depth(self) -> Array:
        """Overlap (K,) [m]."""
        return self.table[:, 15]

    @property
    def slip(self) -> Array:
        """Tangential speeds (K,) [m/s] against what is touched."""
        return self.table[:, 16]

    @property
    def bilateral(self) -> np.ndarray:
        """Boolean (K,): a grip, which may pull."""
        return self.table[:, 17] != 0.0

    def on_ground(self) -> np.ndarray:
        """Boolean (K,): is it the ground, or a part of it?"""
        return np.array([n == "ground" or n.startswith("ground ") for n in self.other], bool)


def no_touches() -> Touches:
    """Nothing is touched."""
    return Touches(np.zeros((0, CONTACT_WIDTH)), ("ground",))


class Means(NamedTuple):
    """Means over the time since they were last collected: impulses divided by that time."""

    torque: Array  # (nv,) [N m]
    contacts: Array  # (K, 18), the columns of `poise.take.CONTACT_COLUMNS`; one row a pair of shapes
    external: Array  # (K, 11), the columns of `poise.take.WRENCH_COLUMNS`: pushes
    assist: Array  # (K, 11): forces that nothing on the stage exerts
    # (K, 18): what things on the stage touch beside the character; `body` is a number of `others`. None: not known
    prop_contacts: Array | None = None


class Simulator(Protocol):
    """A world in which a character moves by its torques."""

    @property
    def character(self) -> Character:
        """Who moves."""
        ...

    @property
    def dt(self) -> float:
        """Time step [s]."""
        ...

    @property
    def time(self) -> float:
        """Now [s]."""
        ...

    @property
    def others(self) -> tuple[str, ...]:
        """What the numbers in the column `other` of contacts stand for."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """What the numbers in the column `label` of external and assisting wrenches stand for."""
        ...

    def reset(self, q: Array, v: Array | None = None, time: float = 0.0) -> None:
        """Begin with this state; props lie where the stage puts them."""
        ...

    def state(self) -> State:
        """The character now."""
        ...

    def touches(self) -> Touches:
        """What it touches."""
        ...

    def external(self) -> list[Wrench]:
        """The pushes that act now."""
        ...

    def props(self) -> Mapping[str, Array]:
        """Poses (7,) of all things on the stage: position and quaternion."""
        ...

    def step(self, torque: Array | Servo | DampedServo, assist: Sequence[Wrench] | Array = (), steps: int = 1,
             slippery: Mapping[int, float] | None = None) -> None:  # fmt: skip
        """One time step, or several, under joint torques (nv,) [N m], zero on the root, and the events that are due.

        A servo gives the torques anew for the state before each step. Assistance may come as rows (K, 10) of body,
        world point, force and moment. `slippery` scales the friction of bodies (id -> factor) with whatever they touch.
        """
        ...

    def collect(self) -> Means:
        """Means since the last call, or the reset."""
        ...

    def happened(self) -> list[tuple[float, str, str]]:
        """Time, kind and sentence of what happened since the last call."""
        ...

    def save(self) -> Array:
        """All that the future depends on, as numbers."""
        ...

    def load(self, saved: Array) -> None:
        """Go back to what `save` gave; the future is the same, bit for bit."""
        ...

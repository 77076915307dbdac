"""Course: one pass over a clip, window by window, that goes back with wider samples where it is lost.

Liu et al. 2010 sample every window anew; here a beam of states goes on, and where even the best of them has left the
reference the pass goes back, farther each time that it is lost at the same place. A course is plain data between two
windows, so that it can be stopped there, saved, and gone on with to the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from poise.maths.rotations import Array
from poise.methods.rehearse.beam import Beam, Draw, advance
from poise.methods.rehearse.controller import WINDOW
from poise.methods.rehearse.cost import Cost
from poise.methods.rehearse.rows import STEP
from poise.methods.rehearse.servos import Servos
from poise.simulate.rollouts import Rollouts

LOST = 60.0  # cost from which on it goes back
GONE = 400.0  # cost from which on a body has fallen
_BACK = (6, 12, 20, 32)  # windows that it goes back, the first time and the next times at the same place
_MEMORY = 80  # windows whose states are kept
_WIDER = (1.5, 1.3, 1.3, 1.0)  # factors of the spread then
_MORE = 2  # times as many samples then
_SAME = 4  # windows within which it is lost at the same place


class Guess(NamedTuple):
    """About what, and how widely, the offsets of each window are drawn."""

    mean: Array  # (W, nv) [rad]
    factor: Array  # (W, nv) standard deviations, or (W, nv, nv) factors of covariances


class Effort(NamedTuple):
    """How much is tried."""

    samples: int
    keep: int
    retries: int  # times that a pass may go back
    most: float  # times the samples of one way through the clip that a pass may draw, before it no longer goes back
    easy: float = 1.0  # cost below which the next window gets a third of the samples


class Ground(NamedTuple):
    """What a search is done with."""

    rollouts: Rollouts
    servos: Servos
    cost: Cost
    steps: int  # of the whole clip
    window: int = WINDOW  # steps

    @property
    def windows(self) -> int:
        """How many windows there are; the last may be shorter."""
        return -(-self.steps // self.window)


@dataclass
class Course:
    """A pass under way."""

    seed: int
    number: int  # of the pass
    layers: list[Beam]  # layers[w] is the beam before window w
    attempt: int = 0  # times that it went back from the place where it was last lost
    lost_at: int = -1  # window at which it was last lost
    until: int = -1  # window up to which more and wider samples are drawn
    retries: int = 0
    spent: int = 0  # samples so far
    farthest: Path | None = None
    log: list[str] = field(default_factory=list)
    heavy: list[str] = field(default_factory=list)  # scales of the cost that are tightened, once for each time

    @property
    def window(self) -> int:
        """The window that comes next."""
        return len(self.layers) - 1

    def over(self, ground: Ground) -> bool:
        """Is the pass at its end, or beyond help?"""
        if self.window >= ground.windows:
            return True
        return self.window > 0 and float(self.layers[-1].cost.min()) > GONE

    def step(self, ground: Ground, guess: Guess, effort: Effort) -> None:
        """One window more, or back."""
        w, beam = self.window, self.layers[-1]
        pressed = w <= self.until
        level = min(self.attempt, len(_BACK)) - 1
        easy = w > 0 and float(beam.cost.min()) < effort.easy and not pressed
        count = effort.samples * _MORE if pressed else (effort.samples // 3 if easy else effort.samples)
        wide = _WIDER[level] if pressed else 1.0
        draw = Draw(guess.mean[w], wide * guess.factor[w], count, (self.seed, self.number, w, self.retries))
        length = min(ground.window, ground.steps - w * ground.window)
        made = advance(beam, draw, w * ground.window, length, effort.keep, ground.cost)
        self.spent += count
        self.layers.append(made)
        if w >= _MEMORY:  # from there nothing is simulated any more
            self.layers[w - _MEMORY] = self.layers[w - _MEMORY]._replace(states=made.states[:0])
        able = self.retries < effort.retries and self.spent < effort.most * effort.samples * ground.windows
        if float(made.cost.min()) > LOST and able:
            self._go_back(w, ground.window * STEP)

    def _go_back(self, w: int, size: float = WINDOW * STEP) -> None:
        self._remember()
        self.attempt = self.attempt + 1 if abs(w - self.lost_at) <= _SAME else 1
        self.lost_at = w if self.attempt == 1 else max(w, self.lost_at)
        self.retries += 1
        self.until = w
        to = max(0, w - _BACK[min(self.attempt, len(_BACK)) - 1])
        while not len(self.layers[to].states):  # forgotten
            to += 1
        del self.layers[to + 1 :]
        self.log.append(f"lost at {w * size:.2f} s, back to {to * size:.2f} s")

    def _remember(self) -> None:
        here = self.path()
        if self.farthest is None or len(here.offsets) > len(self.farthest.offsets):
            self.farthest = here

    def path(self) -> Path:
        """The best path up to now."""
        k, trail = int(np.argmin(self.layers[-1].total)), []
        for layer in reversed(self.layers[1:]):
            trail.append(k)
            k = int(layer.parent[k])
        trail.reverse()
        pairs = list(zip(self.layers[1:], trail, strict=True))
        nv = self.layers[0].v.shape[1]
        return Path(np.array([b.offsets[i] for b, i in pairs]).reshape(-1, nv),
                    np.array([b.cost[i] for b, i in pairs]))  # fmt: skip

    def best(self) -> Path:
        """The path that came farthest, and of two the last."""
        here = self.path()
        return here if self.farthest is None or len(here.offsets) >= len(self.farthest.offsets) else self.farthest

    def survivors(self, later: int = 3) -> list[np.ndarray]:
        """For each window the states that still have descendants some windows later; best first."""
        out, last = [], len(self.layers) - 1
        for w in range(1, last + 1):
            end = min(w + later, last)
            alive = np.arange(len(self.layers[end].parent))
            for u in range(end, w, -1):
                alive = self.layers[u].parent[alive]
            _, first = np.unique(alive, return_index=True)
            out.append(alive[np.sort(first)])
        return out


class Path(NamedTuple):
    """Offsets of the windows from the beginning on, and the cost at the end of each."""

    offsets: Array  # (K, nv)
    cost: Array  # (K,)

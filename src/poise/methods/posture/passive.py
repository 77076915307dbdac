"""A posture's response as rows for another method's pose: what the thesis proposes in chapter 6 and never built.

A method that knows the contact forces, such as momentum, knows the torques of the whole body. Handed to it as a value,
the near-unactuated coordinates Ê of a clip give way there too: each is a row

    Êᵀ (u + D (q̇ - q̄') + S (q + Δt q̇ - q̄ - Δt q̄')) = Êᵀ ū

of its search for joint velocities q̇, beside the momenta, which stay as they are. The other joints follow the clip less
closely, by the factor `follow`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poise.character import Character
from poise.dynamics.response_space import ResponseSpace
from poise.maths import configuration as conf
from poise.maths.configuration import Layout
from poise.maths.rotations import Array
from poise.methods.pose_rows import PoseStep, Rows
from poise.methods.posture.body import Parts
from poise.methods.posture.memory import space_of_clip
from poise.methods.posture.space import sampled, upper_torques
from poise.motion.clip import Clip

_STEP = 1 / 60  # [s] between known torques of the clip


@dataclass(frozen=True, eq=False)
class Passive:
    """Rows of an upper body that gives way; `passive_rows` makes them of a clip."""

    upper: Array  # (n,) degrees of freedom
    vectors: Array  # (n, n) E, the most driven first
    k: int  # how many of its columns, the last ones, are Ê
    torques: Array  # (T, n) ū of the clip [N m], 1/60 s apart
    kind: Array  # (J,), and
    qadr: Array  # (J,)
    vadr: Array  # (J,) where joints lie in q and v
    loops: bool = True
    stiffness: float = 5.0  # [N m/rad]
    damper: float = 0.2  # [N m s/rad]
    tone: float = 4.0  # [1/s]
    price: float = 10.0  # weight of a squared torque of Ê [1/(N m)²]
    others: float = 1e-3  # the same of all other coordinates, whose torques change slowly as in (9)
    hold: float = 8.0  # [1/s] at which those bring the body back
    follow: float = 1.0  # factor on how closely the upper body follows the clip
    sizes: tuple[int, int] = field(default=(0, 0))  # nq and nv

    def pose_rows(self, step: PoseStep) -> Rows:
        """The rows of a step."""
        n, nv = len(self.upper), len(step.v)
        gives = np.arange(n) >= n - self.k
        upper = np.asarray(self.upper, int)
        layout = Layout(np.asarray(self.kind, int), np.asarray(self.qadr, int), np.asarray(self.vadr, int), *self.sizes)
        M = step.mass[np.ix_(upper, upper)]
        off, h = conf.difference(layout, step.pose, step.q)[upper], step.dt
        rest = self._muscles(M, self.stiffness, self.damper, self.tone)
        held = self._muscles(M, 0.0, 0.0, self.hold)
        S, D = (
            np.where(gives[:, None], self.vectors.T @ a, self.vectors.T @ b) for a, b in zip(rest, held, strict=True)
        )
        E = np.zeros((n, nv))
        E[:, upper] = self.vectors.T
        rows = E @ step.mass / h
        rows[:, upper] += D + h * S
        wanted = self.vectors.T @ self._own(step.time) - S @ off + (D + h * S) @ step.rate[upper]
        known = E @ (step.mass @ (step.v - step.kick) / h - step.bias + step.ground + step.pushes)
        follow = np.ones(nv)
        follow[upper] = self.follow
        return Rows(rows, wanted + known, np.where(gives, self.price, self.others), follow)

    @staticmethod
    def _muscles(M: Array, stiffness: float, damper: float, rate: float) -> tuple[Array, Array]:
        """Springs and dampers (n, n): plain ones, and in proportion to the inertia M, critically damped at a rate."""
        plain = np.eye(len(M))
        return stiffness * plain + rate**2 * M, damper * plain + 2.0 * rate * M

    def _own(self, time: float) -> Array:
        """ū (n,) at a time [s] of the clip."""
        at, last = time / _STEP, len(self.torques) - 1
        if self.loops:
            k = int(np.floor(at))
            a, b = k % (last + 1), (k + 1) % (last + 1)
        else:
            k = min(max(int(at), 0), last)
            a, b = k, min(k + 1, last)
        share = min(max(at - np.floor(at), 0.0), 1.0)
        return (1.0 - share) * self.torques[a] + share * self.torques[b]


def passive_rows(clip: Clip, k: int = 10, space: ResponseSpace | None = None, **settings: float) -> Passive:
    """The rows of a clip: `Momentum(rows=(passive_rows(clip),))`; `space`: the style of another clip or person."""
    character: Character = clip.character
    parts = Parts.of(character)
    space = (space_of_clip(clip, "torques") if space is None else space).applied_to(parts.names)
    torques = upper_torques(character, parts, sampled(clip, _STEP), _STEP).T
    if clip.cycle is None:  # the first one needs a frame before
        torques = np.concatenate([torques[:1], torques])
    layout = character.layout
    return Passive(parts.upper.astype(float), np.array(space.vectors), k, torques,
                   layout.kind.astype(float), layout.qadr.astype(float), layout.vadr.astype(float),
                   clip.cycle is not None, sizes=(layout.nq, layout.nv), **settings)  # fmt: skip

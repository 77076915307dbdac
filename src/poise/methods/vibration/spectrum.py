"""How much of a motion is in which mode: the energy of every vibration over a cycle, by phase.

Section 8.4 of Nunes et al. 2012 says in words that a result keeps to its sketch or does not; here it is a number, the
share of the energy that is in the sketch's priority modes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.maths import configuration as conf
from poise.maths.rotations import Array
from poise.methods.vibration.control import Bursts, Corrections
from poise.methods.vibration.palette import Mode, Palette
from poise.methods.vibration.sketch import Phase
from poise.methods.vibration.unit_simulator import HOP, UnitSimulator

TOUCHES = 0.001  # [m] above the ground at which a foot still stands


class Spectrum(NamedTuple):
    """Mean energy of each mode in one phase of a cycle."""

    names: tuple[str, ...]
    energy: Array  # (modes,) [J], NaN where there was no whole cycle

    def share(self, phase: Phase) -> float:
        """Of the energy that is in the priority modes of a sketch's phase."""
        mine = np.isin(self.names, list(phase.priority))
        return float(self.energy[mine].sum() / max(self.energy.sum(), 1e-12))


def coordinates(modes: tuple[Mode, ...], stiffness: Array, change: Array) -> Array:
    """y (N, modes) of changes of a pose (N, nv): y = Ω⁻² Φᵀ K x, since Φᵀ K Φ = Ω²; the root has no springs."""
    shapes = np.column_stack([m.shape for m in modes])
    squares = np.array([(2.0 * np.pi * m.frequency) ** 2 for m in modes])
    return (change * stiffness) @ shapes / squares


def energies(modes: tuple[Mode, ...], palette: Palette, q: Array, v: Array) -> Array:
    """½ (y'² + ω² (y - ȳ)²) (N, modes) [J] of the states (N, nq), (N, nv) of a whole cycle.

    ȳ is the mean over the cycle, which gravity and speed shift. The states must be those of the whole cycle: in half a
    cycle of a run the mean of an antisymmetric mode is not zero, and would be taken from it.
    """
    y = coordinates(modes, palette.stiffness, conf.difference(palette.character.layout, palette.rest, q))
    rate = coordinates(modes, palette.stiffness, v)
    square = np.array([(2.0 * np.pi * m.frequency) ** 2 for m in modes])
    return 0.5 * (rate**2 + square * (y - y.mean(axis=0)) ** 2)


def spectra(simulator: UnitSimulator, palette: Palette, start: Array, given: Bursts, fix: Corrections | None
            ) -> tuple[Spectrum, Spectrum]:  # fmt: skip
    """Flight modes where no foot touches, ground modes where the right one stands, in the cycle from a state.

    The cycle is two units of a run. Ground modes hold the right toe (both toes in a hop), so the left stance, whose
    modes are their mirror images, is not looked at: in a run it is the same once more.
    """
    nq, nv = len(simulator.rest), len(simulator.stiffness)
    run = simulator.run(start, given, 2 if simulator.swaps else 1, fix, traced=True)
    if not run.whole:
        nothing = [Spectrum(tuple(m.name for m in modes), np.full(len(modes), np.nan))
                   for modes in (palette.flight, palette.ground)]  # fmt: skip
        return nothing[0], nothing[1]
    q, v = run.trace[:, :nq], run.trace[:, nq : nq + nv]
    points = simulator.character.contact_points
    heights = simulator.character.points(q)[:, :, 2]
    low = {side: heights[:, np.isin(points.bodies, foot(simulator, side))].min(axis=1) for side in ("right", "left")}
    stands = low["right"] < TOUCHES
    flies = ~stands if simulator.gait == HOP else (low["right"] > TOUCHES) & (low["left"] > TOUCHES)
    out = []
    for modes, rows in ((palette.flight, flies), (palette.ground, stands)):
        every = energies(modes, palette, q, v)
        mean = every[rows].mean(axis=0) if rows.any() else np.zeros(len(modes))
        out.append(Spectrum(tuple(m.name for m in modes), mean))
    return out[0], out[1]


def foot(simulator: UnitSimulator, side: str) -> list[int]:
    """Bodies of a foot."""
    return [simulator.character.body(f"{side}_{p}") for p in ("foot", "toes") if simulator.character.has(f"{side}_{p}")]

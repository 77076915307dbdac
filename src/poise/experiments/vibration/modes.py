"""Section 4.2: modes of every built-in body, and what certifies them."""

from __future__ import annotations

import time

import numpy as np

from poise.character.load import load_character, names
from poise.experiments.reproduce import Options, Table
from poise.methods.vibration.palette import palette
from poise.methods.vibration.words import describe


def run(options: Options) -> Table:
    """Counts, how well Φ diagonalises M and K, parity, and the slowest mode in words."""
    rows = []
    for name in names():
        body = load_character(name)
        begun = time.process_time()
        found = palette(body, stance="both" if name == "kangaroo" else "right")
        words = describe(found)
        spent = time.process_time() - begun
        worst = 0.0
        for modes in (found.flight, found.ground):
            shapes = np.column_stack([m.shape for m in modes])
            squares = np.array([(2 * np.pi * m.frequency) ** 2 for m in modes])
            worst = max(
                worst,
                float(np.abs(shapes.T @ found.mass @ shapes - np.eye(len(squares))).max()),
                float(np.abs((shapes.T * found.stiffness) @ shapes - np.diag(squares)).max() / squares.max()),
            )
        slow = found.flight[0]
        rows.append((name, len(found.flight), len(found.ground), *found.rigid, worst, found.symmetric, 1000.0 * spent,
                     f"{slow.name} {slow.frequency:.2f} Hz: {words[slow.name]}"))  # fmt: skip
    columns = ("body", "flight", "ground", "rigid in flight", "on the ground", "off diagonal", "symmetric", "CPU [ms]",
               "slowest")  # fmt: skip
    return Table("Natural vibrations", columns, tuple(rows), ("The kangaroo stands on both toes, the others on one.",))

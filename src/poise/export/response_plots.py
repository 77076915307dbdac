"""A picture of a style of response: which joints give way together, and how strongly each coordinate is driven."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poise.dynamics.response_space import ResponseSpace
from poise.export.plots import LEFT, RIGHT, figure_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_responses(space: ResponseSpace, k: int = 10) -> Figure:
    """Columns are coordinates, the most driven left; rows are joints. The last k, right of the line, give way.

    Below, how strongly each is driven [N² m²].
    """
    n = len(space)
    figure = figure_of(8.0, 1.5 + 0.22 * n)
    above, below = figure.subplots(2, 1, height_ratios=(n, 6))
    most = float(np.abs(space.vectors).max())
    above.imshow(space.vectors, cmap="RdBu_r", vmin=-most, vmax=most, aspect="auto")
    above.set_yticks(range(n), [name.replace("_", " ") for name in space.names], fontsize=7)
    for label, name in zip(above.get_yticklabels(), space.names, strict=True):
        label.set_color(LEFT if name.startswith("left") else RIGHT if name.startswith("right") else "black")
    above.set_xticks([])
    above.axvline(n - space.unactuated(k).shape[1] - 0.5, color="black")
    above.set_title(f"{space.source or 'a motion'}: joints that are driven together, and (right) give way together",
                    fontsize=9)  # fmt: skip
    below.bar(np.arange(n), np.maximum(space.values, 1e-12), color=["#999999"] * (n - k) + ["#c44e52"] * k)
    below.set_yscale("log")
    below.set_ylabel("N² m²" if space.kind != "motion" else "rad²", fontsize=7)
    below.set_xlim(-0.5, n - 0.5)
    return figure

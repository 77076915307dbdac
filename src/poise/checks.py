"""Refusing numbers that make no sense, each with one sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.errors import BadValue


def number(what: str, value: float, unit: str, *, above: float | None = None, least: float | None = None,
           most: float | None = None) -> float:  # fmt: skip
    """The value as a finite number within its bounds; `what` begins the sentence of the refusal."""
    bounds = [f"more than {above:g}" if above is not None else "", f"at least {least:g}" if least is not None else "",
              f"at most {most:g}" if most is not None else ""]  # fmt: skip
    wanted = " and ".join(b for b in bounds if b) or "a finite number"
    try:
        given = float(value)
    except (TypeError, ValueError):
        raise BadValue(f"{what} must be {wanted} {unit}, not {value!r}.") from None
    good = np.isfinite(given)
    good &= above is None or given > above
    good &= least is None or given >= least
    good &= most is None or given <= most
    if not good:
        raise BadValue(f"{what} must be {wanted} {unit}, not {given:g}.")
    return given


def vector(what: str, value: Sequence[float], unit: str, size: int = 3, *, above: float | None = None
           ) -> tuple[float, ...]:  # fmt: skip
    """The value as so many finite numbers, each above a bound where one is given."""
    try:
        given = np.asarray(value, float)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.shape != (size,) or not np.all(np.isfinite(given)):
        raise BadValue(f"{what} must be {size} finite numbers in {unit}, not {value!r}.")
    if above is not None and not np.all(given > above):
        raise BadValue(f"{what} must be {size} numbers of more than {above:g} {unit}, not {tuple(given.tolist())}.")
    return tuple(given.tolist())


def direction(what: str, value: Sequence[float]) -> tuple[float, ...]:
    """The unit vector (3,) along a value that is not zero."""
    given = np.asarray(vector(what, value, "m"))
    size = float(np.linalg.norm(given))
    if size < 1e-9:
        raise BadValue(f"{what} must not be zero.")
    return tuple((given / size).tolist())

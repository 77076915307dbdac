"""MuJoCo's warnings go to Python's logging, not into a file MUJOCO_LOG.TXT in whatever folder the user works in."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import mujoco

_LOG = logging.getLogger("poise.mujoco")


def install() -> None:
    """From now on, for this process; whoever has chosen a handler of their own keeps it."""
    if mujoco.get_mju_user_warning() is None:
        mujoco.set_mju_user_warning(_LOG.info)


@contextmanager
def gathered() -> Iterator[list[str]]:
    """The warnings that compiling a model gives inside the block, instead of lines on standard error."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield texts
        texts += dict.fromkeys(str(w.message) for w in found)

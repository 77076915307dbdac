"""Progress on a terminal: a bar for long work, one sentence when kernels are compiled for the first time."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sized
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

_WIDTH = 28


class Bar:
    """A progress bar on standard error; silent where that is no terminal, except for one line at the end."""

    def __init__(self, title: str, total: int):
        self.title, self.total, self.done = title, max(total, 1), 0
        self.begun = self.drawn = time.monotonic()
        self.live = sys.stderr.isatty()

    def step(self, count: int = 1) -> None:
        """So much more is done."""
        self.done = min(self.done + count, self.total)
        now = time.monotonic()
        if self.live and (now - self.drawn > 0.05 or self.done == self.total):
            self.drawn = now
            full = round(_WIDTH * self.done / self.total)
            left = (now - self.begun) * (self.total - self.done) / max(self.done, 1)
            bar = "█" * full + "░" * (_WIDTH - full)
            sys.stderr.write(f"\r{self.title} {bar} {self.done}/{self.total}  {left:4.0f} s left ")
            sys.stderr.flush()

    def close(self) -> None:
        """The work is over: clear the bar and say how long it took."""
        took = time.monotonic() - self.begun
        start = "\r\033[K" if self.live else ""
        sys.stderr.write(f"{start}{self.title}: {self.done}/{self.total} in {took:.1f} s\n")
        sys.stderr.flush()


def track(items: Iterable[T], title: str, total: int | None = None) -> Iterator[T]:
    """The items one by one, with a bar that follows."""
    count = total if total is not None else len(items) if isinstance(items, Sized) else 0
    bar = Bar(title, count)
    try:
        for item in items:
            yield item
            bar.step()
    finally:
        bar.close()


def tell_first_compilation() -> None:
    """Say once that the numerical kernels are being compiled, where numba has none of them on disk yet."""
    here = Path(__file__).parent
    if any(here.glob("maths/__pycache__/*.nbi")):
        return
    sys.stderr.write("Compiling the numerical kernels; this happens once and takes about a minute.\n")
    sys.stderr.flush()

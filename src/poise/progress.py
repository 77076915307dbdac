"""Progress on standard error: a bar for counted work, a clock for the rest, a sentence when kernels are compiled."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import TypeVar

from poise.printable import shortened

T = TypeVar("T")

_WIDTH = 28
_SOON = 0.5  # [s] work that is over before shows nothing
_LONG = 2.0  # [s] work that took longer says how long


class Bar:
    """A progress bar on standard error; silent where that is no terminal, except for one line at the end."""

    def __init__(self, title: str, total: int):
        self.title, self.total, self.done = shortened(title, 200), max(total, 1), 0
        self.begun = self.drawn = time.monotonic()
        self.live = _terminal()

    def step(self, count: int = 1) -> None:
        """So much more is done."""
        self.done = min(self.done + count, self.total)
        now = time.monotonic()
        if self.live and now - self.begun > _SOON and (now - self.drawn > 0.05 or self.done == self.total):
            self.drawn = now
            full = round(_WIDTH * self.done / self.total)
            left = (now - self.begun) * (self.total - self.done) / max(self.done, 1)
            bar = "█" * full + "░" * (_WIDTH - full)
            _write(f"\r{self.title} {bar} {self.done}/{self.total}  {left:4.0f} s left ")

    def reach(self, done: int, total: int) -> None:
        """So much of so much is done; has the form of the `progress` options of exports."""
        self.total = max(total, 1)
        self.step(done - self.done)

    def close(self) -> None:
        """The work is over: clear the bar; long work that was finished without an error says how long it took."""
        took = time.monotonic() - self.begun
        _clear(self.live)
        if took > _LONG and self.done == self.total and sys.exc_info()[0] is None:
            _write(f"{self.title}: {self.done} in {took:.1f} s\n")


def track(items: Iterable[T], title: str) -> Iterator[T]:
    """The items one by one, with a bar that follows."""
    bar = Bar(title, len(items) if isinstance(items, Sized) else 0)
    try:
        for item in items:
            yield item
            bar.step()
    finally:
        bar.close()


@contextmanager
def working(title: str) -> Iterator[None]:
    """A clock beside the title, while work goes on whose steps cannot be counted; shown on a terminal alone."""
    over, begun, title = threading.Event(), time.monotonic(), shortened(title, 200)

    def tick() -> None:
        while not over.wait(_SOON):
            _write(f"\r{title} ... {time.monotonic() - begun:.0f} s ")

    clock = threading.Thread(target=tick, daemon=True) if _terminal() else None
    if clock is not None:
        clock.start()
    try:
        yield
    finally:
        over.set()
        if clock is not None:
            clock.join()
        _clear(clock is not None)


def tell_first_compilation() -> None:
    """From now on, say once when a numerical kernel has to be compiled, since none is on disk yet."""
    from numba.core import event

    class Teller(event.Listener):
        """Hears of compilations; kernels that come from disk make none."""

        def on_start(self, event: object) -> None:
            tell_once(_compiling())

        def on_end(self, event: object) -> None:
            """Nothing is said when it is over."""

    if not _listening:
        _listening.append(Teller())
        event.register("numba:compile", _listening[0])


def _compiling() -> str:
    from poise.cache_folder import place

    reason = place("kernels").reason
    if not reason:
        return "Compiling the numerical kernels; this happens once and may take a minute or two."
    return ("Compiling the numerical kernels, which may take a minute or two. They cannot be kept for the next time: "
            f"{reason}. POISE_CACHE_DIR can name a folder of your own for them.")  # fmt: skip


def tell_once(text: str) -> None:
    """A sentence on standard error, the first time that it is told."""
    if text not in _told:
        _told.add(text)
        _clear(_terminal())
        _write(f"{text}\n")


_listening: list[object] = []
_told: set[str] = set()


def _terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _clear(live: bool) -> None:
    if live:
        _write("\r\033[K")


def _write(text: str) -> None:
    if sys.stderr is not None:  # there is none under a windowed Python
        sys.stderr.write(text)
        sys.stderr.flush()

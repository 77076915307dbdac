"""What a process of its own needs: words on any terminal, and being stopped without leaving anything behind."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from types import FrameType
from typing import Any, TextIO

from poise.printable import printable

RED, PLAIN = "\x1b[31m", "\x1b[0m"
_stops: list[int] = []


def prepare() -> None:
    """Set up the signals of this process, once, at its start."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _stop)
    signal.signal(signal.SIGTERM, _stop)  # a polite kill, too, lets files that are being written be removed
    closed = getattr(signal, "SIGHUP", None)  # the terminal was closed; nohup has it ignored
    if closed is not None and signal.getsignal(closed) is not signal.SIG_IGN:
        signal.signal(closed, _stop)
    sys.unraisablehook = _unraisable


def say(text: str) -> None:
    """Print a result, whatever signs are in it: names need not be text, and may hold commands for a terminal.

    Lines that begin with !! are red on a terminal, unless NO_COLOR is set.
    """
    text = printable(text, keep="\n\t")
    if sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        text = "\n".join(f"{RED}{line}{PLAIN}" if line.startswith("!!") else line for line in text.split("\n"))
    _write(text, sys.stdout)


def complain(text: str) -> None:
    """One sentence on standard error."""
    _write(f"poise: {printable(text)}", sys.stderr)


def _write(text: str, stream: TextIO | None) -> None:
    if stream is not None:  # it may have been closed before the start
        encoding = getattr(stream, "encoding", None) or "utf-8"
        print(text.encode(encoding, "backslashreplace").decode(encoding), file=stream)


def stopped() -> bool:
    """Was this process asked to stop? What fails afterwards fails because of that."""
    return bool(_stops)


def _stop(number: int, frame: FrameType | None) -> None:
    _stops.append(number)
    raise KeyboardInterrupt


def _unraisable(what: Any) -> None:
    """An interrupt that arrives inside a library's callback is lost there: ask again a little later."""
    if isinstance(what.exc_value, KeyboardInterrupt):
        threading.Timer(0.1, _thread.interrupt_main).start()
    else:
        sys.__unraisablehook__(what)

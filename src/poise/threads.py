"""One thread for linear algebra while poise computes: sums are taken in one order, and give the same bits."""

from __future__ import annotations

import ctypes
import functools
import glob
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

# How libraries of linear algebra name the two functions, by what stands before and after.
_OPENBLAS = [(f"{a}openblas_set_num_threads{e}", f"{a}openblas_get_num_threads{e}")
             for a in ("scipy_", "") for e in ("64_", "", "_64")]  # fmt: skip
_NAMES = [*_OPENBLAS, ("MKL_Set_Num_Threads", "MKL_Get_Max_Threads")]
_KNOWN = ("openblas", "mkl_rt")  # parts of the names of their files


class _Library(NamedTuple):
    """A library in this process, by the functions that tell and set how many threads it uses."""

    get: Callable[[], int]
    set: Callable[[int], object]


@contextmanager
def one_thread() -> Iterator[None]:
    """Within, linear algebra of numpy and scipy uses one thread; afterwards as many as before.

    Small matrices, which are all that poise has, are fastest so. The number is the whole process's: other threads of
    the user's program compute with one meanwhile.
    """
    global _inside, _before
    with _lock:
        _inside += 1
        if _inside == 1:
            _before = [(library, library.get()) for library in _libraries()]
            for library, count in _before:
                if count != 1:
                    library.set(1)
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                for library, count in _before:
                    if count != 1:
                        library.set(count)


def on_one_thread(function: Callable[P, R]) -> Callable[P, R]:
    """The function, computing within `one_thread`."""

    @functools.wraps(function)
    def wrapped(*args: P.args, **options: P.kwargs) -> R:
        with one_thread():
            return function(*args, **options)

    return wrapped


_lock = threading.RLock()
_inside = 0
_before: list[tuple[_Library, int]] = []


@functools.cache
def _libraries() -> list[_Library]:
    """The libraries of linear algebra of numpy and scipy, which are loaded now: they bring one each."""
    import scipy.linalg  # noqa: F401  (numpy's is there with it; kernels use scipy's)

    found: dict[int, _Library] = {}
    for path in _files():
        try:
            library = ctypes.CDLL(path)
        except OSError:
            continue
        for setter, getter in _NAMES:
            if hasattr(library, setter) and hasattr(library, getter):
                get, put = getattr(library, getter), getattr(library, setter)
                found[_address(put)] = _Library(get, _setter(put))
                break
    return list(found.values())


def _setter(function: Any) -> Callable[[int], object]:
    function.argtypes, function.restype = [ctypes.c_int], None
    return function


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _files() -> list[str]:
    """Files of such libraries: those beside numpy and scipy, and on Linux whatever is loaded."""
    out: set[str] = set()
    for package in ("numpy", "scipy"):
        beside = os.path.dirname(sys.modules[package].__file__ or "")
        for folder in (f"{beside}.libs", os.path.join(beside, ".dylibs")):
            out.update(glob.glob(os.path.join(glob.escape(folder), "*")))
    try:
        with open("/proc/self/maps") as stream:
            out.update(line.split(maxsplit=5)[-1].strip() for line in stream if "/" in line)
    except OSError:
        pass  # not Linux
    return sorted(p for p in out if any(k in os.path.basename(p).lower() for k in _KNOWN))

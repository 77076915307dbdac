"""Compiled kernels: the decorator of the whole house, and where their machine code is kept between runs.

numba keeps machine code by the source of one file alone: after an edit, callers in other files would go on with the
old code. Here it is kept by the content of everything that was compiled into it (`kernel_content`), in the user's own
cache folder; where there is none to be trusted, kernels are compiled in each run anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import re
import time
import uuid
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.serialize import dumps
from numba.extending import intrinsic

from poise import cache_folder, progress
from poise.kernel_content import Unknown, digest, homes

LIMIT = 400e6  # [bytes] of kept kernels; those that were not used for longest go first
USED = 86400.0  # [s] after which a use is noted again in the file's time
ABANDONED = 3600.0  # [s] after which a half-written file belongs to a process that was killed


def njit(*, cache: bool = True, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """`numba.njit` whose machine code is kept as this module says; all kernels of poise are made with it."""

    def compiled(function: Callable[..., Any]) -> Any:
        dispatcher: Any = numba.njit(**options)(function)
        if cache and hasattr(dispatcher, "_cache"):  # a plain function where NUMBA_DISABLE_JIT is set
            folder, _ = cache_folder.place("kernels")
            if folder is None:
                progress.tell_first_compilation()
            else:
                dispatcher._cache = _Cache(dispatcher, folder)
        return dispatcher

    return compiled


def _uncounted(typing: Any, array: Any) -> Any:
    """The same array, for use inside a kernel, without numba's count of who holds it.

    numba counts at each call of a function that holds an array across a branch, with an atomic instruction; in loops of
    small functions that is a third of the time. The caller must hold the array for as long as the kernel runs.
    """

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        out = context.make_array(signature.args[0])(context, builder, values[0])
        out.meminfo = out.meminfo.type(None)  # a null pointer: nothing to count
        return out._getvalue()

    return array(array), code


uncounted: Any = intrinsic(_uncounted)


class _Cache(FunctionCache):
    """numba's cache of one function, in our folder; what cannot be read or written there is compiled instead."""

    def __init__(self, dispatcher: Any, folder: str):
        self._py_func = dispatcher.py_func
        self._name, self._cache_path = repr(self._py_func), folder
        self._impl: Any = _Results(self._py_func, folder)
        self._cache_file: Any = _Files(folder, dispatcher)
        self.enable()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # cut short, or of a numba that counts as this one and is not: compiled anew and replaced
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Unknown:
            return  # what it is made of cannot be told: it is compiled in each run
        except OSError as error:
            progress.tell_once(f"Compiled kernels cannot be kept in {self._cache_path}: "
                               f"{(error.strerror or str(error)).lower()}.")  # fmt: skip


class _Results(CompileResultCacheImpl):
    """What numba wants to know of the place of a cache."""

    def __init__(self, function: Callable[..., Any], folder: str):
        self._lineno, self._py_file = function.__code__.co_firstlineno, function.__code__.co_filename
        self._folder = folder

    @property
    def locator(self) -> Any:
        return self

    _locator = locator

    def ensure_cache_path(self) -> None:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)


class _Files:
    """The files of one kernel: one for each signature, named by content, so that processes cannot mix them up."""

    def __init__(self, folder: str, dispatcher: Any):
        function = dispatcher.py_func
        module = os.path.splitext(os.path.basename(function.__code__.co_filename))[0]
        self.folder, self.dispatcher = folder, dispatcher
        self.name = re.sub(r"[^\w.]", "", f"{module}.{function.__qualname__}")[:80]

    def path(self, key: Any) -> str:
        what = repr((digest(self.dispatcher), homes(key[0]), key))
        return os.path.join(self.folder, f"{self.name}-{hashlib.sha256(what.encode()).hexdigest()[:24]}.kernel")

    def load(self, key: Any) -> Any:
        try:
            with open(self.path(key), "rb") as stream:
                kept, data = pickle.load(stream)
                if time.time() - os.fstat(stream.fileno()).st_mtime > USED:
                    with contextlib.suppress(OSError):
                        os.utime(stream.name)
        except FileNotFoundError:
            return None
        return data if kept == key else None

    def save(self, key: Any, data: Any) -> None:
        _prune(self.folder)
        path = self.path(key)
        temporary = f"{path}.{uuid.uuid4().hex[:12]}.tmp"
        try:
            with open(temporary, "wb") as stream:
                stream.write(dumps((key, data)))
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise

    def flush(self) -> None:
        """Nothing: what is outdated is not found any more, and goes in time."""


@lru_cache(maxsize=4)
def _prune(folder: str) -> None:
    """Once in a process that compiles: remove what was not used for longest, down to the limit.

    A file is read as a whole when it is opened, so that one that another process uses may go at any moment.
    """
    files, now = [], time.time()
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            with contextlib.suppress(OSError):
                state = entry.stat(follow_symlinks=False)
                if entry.name.endswith(".tmp") and now - state.st_mtime > ABANDONED:
                    os.unlink(entry.path)
                elif entry.name.endswith(".kernel"):
                    files.append((state.st_mtime, state.st_size, entry.path))
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= LIMIT:
            break
        with contextlib.suppress(OSError):
            os.unlink(path)
        total -= size

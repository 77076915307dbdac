"""What a kernel is made of, as one digest: its own code and everything that its compilation takes in, near or far."""

from __future__ import annotations

import hashlib
import os
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

_PACKAGES = ("numba", "llvmlite", "numpy", "scipy", "mujoco-core", "mujoco", "daqp")
_LIBRARIES = ("numba", "llvmlite", "numpy", "math", "scipy", "mujoco", "builtins")
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), range, slice, BuiltinFunctionType)


class Unknown(TypeError):
    """A value of a kind whose content cannot be told."""


def digest(kernel: Any) -> str:
    """A digest of a kernel (what `njit` gives): it changes whenever the machine code could.

    Machine code takes in the function itself, the functions that it calls, in whatever file they stand, and the values
    of the constants that any of them names; nothing else of a source file matters. Versions of Python and of the
    libraries are part of it, and numba's own settings.
    """
    return hashlib.sha256(repr((_told(kernel), _versions())).encode()).hexdigest()


_made: dict[int, tuple[object, str]] = {}  # functions and their digests; the function is kept so that its id is


def _told(value: Any) -> str:
    """The content of anything that a kernel may name."""
    if isinstance(value, _PLAIN):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, tuple | list):
        return f"{type(value).__qualname__} {[_told(v) for v in value]}"
    if isinstance(value, set | frozenset):
        return f"set {sorted(map(_told, value))}"
    if isinstance(value, dict):
        return f"dict {sorted((str(k), _told(v)) for k, v in value.items())}"
    if isinstance(value, np.ndarray | np.generic):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, CodeType):
        return _code(value)
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__} {getattr(value, '_fields', '')}"
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, FunctionType):
        return _function(value)
    return _of_numba(value)


def _of_numba(value: Any) -> str:
    """Kernels, what numba lets a kernel call, and its types."""
    inside = getattr(value, "py_func", None) or getattr(value, "_defn", None)
    if isinstance(inside, FunctionType):
        return f"{_function(inside)} {_told(dict(getattr(value, 'targetoptions', {})))}"
    if _outside(type(value).__module__):
        return str(getattr(value, "__name__", value))
    raise Unknown(f"{value!r} of type {type(value).__qualname__}")


def _function(function: FunctionType) -> str:
    """A digest of a function and of what it names; outside of poise the version tells it."""
    if _outside(function.__module__):
        return f"{function.__module__}.{function.__qualname__}"
    if id(function) not in _made:
        _made[id(function)] = (function, "itself")  # for one that calls itself
        try:
            _made[id(function)] = (function, hashlib.sha256(repr(_parts(function)).encode()).hexdigest())
        except BaseException:
            del _made[id(function)]
            raise
    return _made[id(function)][1]


def _parts(function: FunctionType) -> tuple[object, ...]:
    """The code of a function, what it was given, and the content of every name that it looks up."""
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    names, around = _names(function.__code__), function.__globals__
    taken = [(n, _told(around[n])) for n in names if n in around]
    for module in [around[n] for n in names if isinstance(around.get(n), ModuleType)]:
        if not _outside(module.__name__):
            taken += [(n, _told(getattr(module, n))) for n in names if hasattr(module, n)]
    # kept code names the modules of its functions: another version of poise that has them elsewhere keeps its own
    home = f"{function.__module__}.{function.__qualname__}"
    return home, _code(function.__code__), _told(function.__defaults__), _told(cells), taken


def homes(kind: Any) -> list[str]:
    """The modules of the named tuples in a signature of numba, which kept code names too."""
    if isinstance(kind, tuple | list):
        return [home for each in kind for home in homes(each)]
    own = getattr(kind, "instance_class", None)
    inside = getattr(kind, "types", None) or [getattr(kind, "dtype", None)]
    return ([own.__module__] if own is not None else []) + [h for k in inside if k is not None for h in homes(k)]


def _outside(module: str) -> bool:
    """Is it a module of a library, whose content its version tells?"""
    return module.split(".")[0] in _LIBRARIES


def _code(code: CodeType) -> str:
    """The instructions and the constants of a function, with those of functions inside it."""
    constants = [_told(c) for c in code.co_consts]
    return repr((code.co_code.hex(), constants, code.co_names, code.co_varnames, code.co_freevars, code.co_flags,
                 code.co_exceptiontable.hex()))  # fmt: skip


def _names(code: CodeType) -> list[str]:
    """The names that a function looks up outside itself, those of functions inside it too."""
    out = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            out.update(_names(constant))
    return sorted(out)


@cache
def _versions() -> tuple[str, ...]:
    out = [sys.version, *(f"{k}={v}" for k, v in sorted(os.environ.items()) if k.startswith("NUMBA_"))]
    for name in _PACKAGES:
        try:
            out.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return tuple(out)

"""MuJoCo's own C functions and memory in compiled code: no Python between two calls, no array handed over."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

import mujoco
from llvmlite import ir
from numba import types  # pyright: ignore[reportPrivateImportUsage]
from numba.core import cgutils
from numba.extending import intrinsic

_FLAG = ir.IntType(32)


@cache
def address(name: str) -> int:
    """Where a function of the running MuJoCo is in memory."""
    folder = Path(mujoco.__file__).parent
    names = [*folder.glob("libmujoco*.so*"), *folder.glob("libmujoco*.dylib"), *folder.glob("mujoco.dll")]
    return int(ctypes.cast(getattr(ctypes.CDLL(str(names[0])), name), ctypes.c_void_p).value or 0)


def _code(kinds: list[Any]) -> Any:
    """What numba needs to call a C function without result whose arguments are of these kinds."""

    def code(context, builder, signature, arguments):
        function = builder.inttoptr(arguments[0], ir.FunctionType(ir.VoidType(), kinds).as_pointer())
        given = [builder.inttoptr(a, k) if k is cgutils.voidptr_t else builder.trunc(a, k)
                 for a, k in zip(arguments[1:], kinds, strict=True)]  # fmt: skip
        builder.call(function, given)
        return context.get_dummy_value()

    return code


def _call_two(typingctx, function, first, second):
    return types.void(function, first, second), _code(2 * [cgutils.voidptr_t])


def _call_three(typingctx, function, first, second, third):
    return types.void(function, first, second, third), _code(3 * [cgutils.voidptr_t])


def _call_flagged(typingctx, function, first, second, flag, third):
    kinds = [cgutils.voidptr_t, cgutils.voidptr_t, _FLAG, cgutils.voidptr_t]
    return types.void(function, first, second, flag, third), _code(kinds)


def _call_signed(typingctx, function, first, second, third, flag):
    kinds = [cgutils.voidptr_t, cgutils.voidptr_t, cgutils.voidptr_t, _FLAG]
    return types.void(function, first, second, third, flag), _code(kinds)


def _pointer(typingctx, address):
    def code(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), code


pointer: Any = intrinsic(_pointer)  # in compiled code: a whole number as a pointer
# in compiled code: f(address of the function, addresses or whole numbers that it is given)
call_two: Any = intrinsic(_call_two)
call_three: Any = intrinsic(_call_three)
call_flagged: Any = intrinsic(_call_flagged)
call_signed: Any = intrinsic(_call_signed)  # a flag comes last, as in mj_setState

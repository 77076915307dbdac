"""find: a method by its name, also one of the user's own: a class in a module, or an entry point of a package."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from poise.errors import BadValue, UnknownName
from poise.methods import contract, method, names

GROUP = "poise.methods"  # of entry points


def find(name: str, **settings: object) -> Any:
    """The method of this name: a built-in one, `package.module:Class`, or the name of an entry point.

    Whoever names a module runs its code; never take such a name from a file or a page.
    """
    if name in names():
        return method(name, **settings)
    if ":" in name:
        return contract.checked(_made(_imported(name), name, settings))
    found = {e.name: e for e in entry_points(group=GROUP)}
    if name not in found:
        raise UnknownName("method", name, (*names(), *found), "One of your own is named as package.module:Class.")
    try:
        kind = found[name].load()
    except Exception as error:
        raise BadValue(f"The method {name!r} of an installed package cannot be loaded: {_short(error)}.") from None
    return contract.checked(_made(kind, name, settings))


def _imported(name: str) -> Any:
    module, _, kind = name.partition(":")
    here = os.getcwd()
    added = here not in sys.path
    if added:
        sys.path.insert(0, here)  # a module beside the user, as python -m finds it
    try:
        found = import_module(module)
    except ModuleNotFoundError as error:
        raise BadValue(f"There is no module {error.name!r}, wanted for the method {name!r}; it is looked for in the "
                       "folder where you are and where Python looks.") from None  # fmt: skip
    except Exception as error:
        raise BadValue(f"The module {module!r} of the method {name!r} fails: {_short(error)}.") from None
    finally:
        if added and here in sys.path:
            sys.path.remove(here)
    if not hasattr(found, kind):
        known = [n for n, v in vars(found).items() if isinstance(v, type) and v.__module__ == found.__name__]
        raise UnknownName(f"class in {module}", kind, known)
    return getattr(found, kind)


def _made(kind: Any, name: str, settings: dict[str, object]) -> Any:
    if not callable(kind):
        raise BadValue(f"{name!r} is no class: it cannot be made into a method.")
    try:
        return kind(**settings)
    except TypeError as error:
        raise BadValue(f"The method {name!r} cannot be made without settings: {_short(error)}.") from None


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:160].rstrip('.')}"

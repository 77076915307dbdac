"""Methods: the ways in which a character can perform a clip. They never import each other."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from poise.errors import UnknownName

_MODULES = {
    "kinematic": ("poise.methods.kinematic", "Kinematic"),
    "pd": ("poise.methods.pd", "PD"),
    "balance": ("poise.methods.balance", "Balance"),
    "modal": ("poise.methods.modal", "Modal"),
    "modal-torques": ("poise.methods.modal", "ModalTorques"),
    "mcsim": ("poise.methods.mcsim", "McSim"),
}


def names() -> tuple[str, ...]:
    """Names of the methods."""
    return tuple(_MODULES)


def method(name: str, **settings: object) -> Any:
    """The method of this name with its settings, those not given at the paper's defaults."""
    if name not in _MODULES:
        raise UnknownName("method", name, _MODULES)
    module, kind = _MODULES[name]
    made = getattr(import_module(module), kind)
    fields = made.__dataclass_fields__
    for key in settings:
        if key not in fields:
            raise UnknownName(f"setting of {name}", key, fields)
    return made(**settings)

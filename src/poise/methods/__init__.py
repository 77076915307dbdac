"""Methods: the ways in which a character can perform a clip. They never import each other."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from poise.errors import UnknownName
from poise.settings import Setting, listed

_MODULES = {
    "kinematic": ("poise.methods.kinematic", "Kinematic", "the clip as it is, without physics"),
    "pd": ("poise.methods.pd", "PD", "joint servos alone, without balance: falls"),
    "balance": ("poise.methods.balance", "Balance", "balance by virtual forces, with a foot contact that helps"),
    "modal": ("poise.methods.modal", "Modal", "plans a tenth of a second ahead in modes of vibration"),
    "modal-torques": ("poise.methods.modal", "ModalTorques", "the same plan as joint torques in the simulator"),
    "momentum": ("poise.methods.momentum", "Momentum", "optimal feedback on centre of mass and momenta"),
    "momentum-torques": ("poise.methods.momentum", "MomentumTorques", "the same plan as torques in the simulator"),
    "posture": (
        "poise.methods.posture",
        "Posture",
        "an upper body that gives way to pushes in its clip's own style",
    ),
    "mcsim": ("poise.methods.mcsim", "McSim", "predictive tracking: torques and ground forces from a program"),
    "rehearsed": (
        "poise.methods.rehearse",
        "Rehearsed",
        "what was rehearsed; searches in the simulator where disturbed",
    ),
    "vibration": ("poise.methods.vibration", "Vibration", "a gait file: bursts along vibrations, and feedback"),
}


def names() -> tuple[str, ...]:
    """Names of the methods."""
    return tuple(_MODULES)


def about() -> dict[str, str]:
    """Every method with one line of what it does."""
    return {name: text for name, (_, _, text) in _MODULES.items()}


def settings_of(name: str) -> tuple[Setting, ...]:
    """Every setting of a method, those of its parts with a dot: kind, unit, range, default, the document's value."""
    return tuple(listed(method(name)))


def method(name: str, **settings: object) -> Any:
    """The method of this name with its settings, those not given at the paper's defaults."""
    if name not in _MODULES:
        raise UnknownName("method", name, _MODULES)
    module, kind, _ = _MODULES[name]
    made = getattr(import_module(module), kind)
    fields = made.__dataclass_fields__
    for key in settings:
        if key not in fields:
            raise UnknownName(f"setting of {name}", key, fields)
    return made(**settings)

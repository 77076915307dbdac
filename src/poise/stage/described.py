"""Props out of the description of a stage, as a take keeps it: values again, and one model of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import mujoco

from poise.errors import PoiseError
from poise.ground.ground import Ground, parts_of
from poise.ground.pieces import Part
from poise.stage.building import Builder, contact_of
from poise.stage.earth import lay
from poise.stage.events import Ball, PropMotion, Push
from poise.stage.fittings import place_ball, place_prop
from poise.stage.props import Bar, Barbell, Box, Sphere
from poise.stage.things import Capsule, Compound, Cylinder, Mesh

_PROPS = (Box, Sphere, Barbell, Bar, Cylinder, Capsule, Mesh, Compound)
_KINDS = {kind.__name__: kind for kind in (*_PROPS, Ball, Push, PropMotion)}


class Described(NamedTuple):
    """What stands on a stage, as one model whose bodies are the things, each at the origin of its own frame."""

    model: mujoco.MjModel
    bodies: Mapping[str, int]  # name -> body, also of parts of the ground that move
    values: Mapping[str, Any]  # name -> prop or ball
    events: tuple[Any, ...]  # pushes and motions of props


def described(stage: Any, ground: Ground) -> Described:
    """The props and balls of a description, and the moving parts of a ground; what does not fit any more is left
    out.
    """
    builder = Builder(mujoco.MjSpec(), contact_of("soft"), 1.0)
    facts = stage if isinstance(stage, Mapping) else {}
    made = [_made(f) for f in (*(facts.get("props") or ()), *(facts.get("events") or ()))]
    values: dict[str, Any] = {p.name: p for p in made if isinstance(p, _PROPS)}
    for prop in values.values():
        place_prop(builder, prop, 0)
    for k, ball in enumerate(b for b in made if isinstance(b, Ball)):
        place_ball(builder, ball, k)
        values[f"ball_{k}"] = ball
    parts = parts_of(ground)
    if parts:
        lay(builder, _Loose(parts))  # type: ignore[arg-type]
    model = builder.spec.compile()
    bodies = {model.body(b).name.removeprefix("stage/"): b for b in range(1, model.nbody)}
    return Described(model, bodies, values, tuple(e for e in made if isinstance(e, Push | PropMotion)))


class _Loose:
    """The parts of a ground that move, as a ground of their own."""

    def __init__(self, parts: tuple[Part, ...]) -> None:
        self._parts = parts

    def pieces(self) -> tuple[Part, ...]:
        return self._parts


def _made(facts: Any) -> Any:
    """The value that a description tells of; None for what is none of these, and for what does not fit any more."""
    if not isinstance(facts, Mapping) or facts.get("kind") not in _KINDS:
        return None
    try:
        return _KINDS[str(facts["kind"])](**{k: v for k, v in facts.items() if k != "kind"})
    except (PoiseError, TypeError, KeyError):
        return None

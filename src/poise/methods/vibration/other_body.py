"""A sketch led over to another body: the vibrations there that are most like those sketched.

Bodies number their vibrations differently: the run's arms against legs is f2 of the runner and f4 of many recordings.
Springs go along by part, in proportion to mass and height, and so do amplitudes in N m; then each mode of the sketch
is led to the one of the other body that turns the same parts the same way.

Departures: the paper sketches each character by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from poise.character import Character
from poise.character.roles import ROLES, SIDES
from poise.dynamics import Dynamics
from poise.errors import BadValue
from poise.maths.rotations import Array
from poise.methods.vibration.palette import Mode, Palette, palette
from poise.methods.vibration.rest import rest_pose, stiffness_of
from poise.methods.vibration.sketch import NEWTON_METRES, RUN, Phase, Sketch
from poise.motion.load import load_any_character

HELD = 2.0  # times the spring of a joint about the axes that it does not have in the sketch's body
STRONGER = 1.1  # times its own strength from which a joint is given that of the sketch's body


@dataclass(frozen=True, eq=False)
class Led:
    """A sketch on another body, and how it came there."""

    sketch: Sketch
    modes: Mapping[str, tuple[str, float]]  # of the first body -> of the other one, and how alike they are, at most 1


def on_body(sketch: Sketch, character: str | PathLike[str]) -> Led:
    """The same sketch for another character: a built-in one, a model, or the body of a motion file.

    A recording's body whose left and right differ is made alike on both sides for a run.
    """
    source, name = sketch.palette(), fspath(character)
    body, even = load_any_character(name), False
    parts = _common(source.character, body)
    if sketch.gait == RUN and not palette(body).symmetric:
        body, even = load_any_character(name, even=True), True
        parts = _common(source.character, body)
    size = body.mass * body.height / (source.character.mass * source.character.height)
    springs = {**_springs(source, body, parts, size),
               **{k: v for k, v in sketch.springs.items() if k == "damping"}}  # fmt: skip
    springs_only = {k: v for k, v in springs.items() if k != "damping"}
    found = palette(body, rest_pose(body, sketch.rest), stiffness_of(body, springs_only), source.stance)
    led: dict[str, tuple[str, float]] = {}
    phases = {}
    for phase in ("flight", "ground"):
        mine: Phase = getattr(sketch, phase)
        pairs = _matched(source, [source[m] for m in mine.names], found, getattr(found, phase), parts)
        led |= {m: (other, min(1.0, abs(alike))) for m, (other, alike) in pairs.items()}
        scale = size if sketch.unit == NEWTON_METRES else 1.0
        moved = lambda given, pairs=pairs, scale=scale: {  # noqa: E731
            pairs[m][0]: round(float(np.copysign(scale, pairs[m][1]) * a), 1) for m, a in given.items()
        }
        phases[phase] = Phase(moved(mine.priority), moved(mine.others))
    made = replace(sketch, character=name, even=even, springs=springs, strength=_strength(sketch, body, parts, size),
                   **phases)  # fmt: skip
    return Led(made, led)


def _common(a: Character, b: Character) -> list[str]:
    """The roles, the pelvis first, that both bodies have, and by which their motions are compared."""
    parts = [r for r in ROLES if a.has(r) and b.has(r)]
    if "pelvis" not in parts or not all(f"{s}_{p}" in parts for s in SIDES for p in ("thigh", "shin", "foot")):
        raise BadValue(f"A sketch is led over by pelvis, thighs, shins and feet, which {b.name} does not all have.")
    return parts


def _chain(body: Character, role: str, parts: Sequence[str]) -> list[int]:
    """Bodies from that of a role up to, but without, the one of the next common role: joints in series."""
    known = {body.body(r) for r in parts}
    out = [body.body(role)]
    while (above := int(body.tree.parent[out[-1]])) not in known and above > 0:
        out.append(above)
    return out


def _springs(source: Palette, body: Character, parts: Sequence[str], size: float) -> dict[str, Any]:
    """Springs [N m/rad] by part of the other body; joints in series are as soft together as the one they stand for.

    Axes that the sketch's body lacks, as of a knee that is a hinge, are `HELD` times as stiff.
    """
    by_role, own = {}, {body.body(r): r for r in ROLES if body.has(r)}
    there = Dynamics(source.character).at(source.character.zero_pose())
    here = Dynamics(body).at(body.zero_pose())
    for role in parts[1:]:
        dofs, chain = source.character.dofs(role), _chain(body, role, parts)
        if not len(dofs):
            continue
        turned = there.turning_jacobian(source.character.body(role))[:, dofs]
        stiff = float(source.stiffness[dofs].mean() * size * len(chain))
        for b in chain:
            name = own.get(b, body.body_names[b])
            axes = here.turning_jacobian(b)[:, body.dofs(name)]
            free = np.linalg.norm(turned @ np.linalg.lstsq(turned, axes)[0], axis=0) > np.sqrt(0.5)
            each = [round(stiff * (1.0 if f else HELD), 1) for f in free]
            by_role[name] = each[0] if len(set(each)) == 1 else each
    return _paired({k: v for k, v in by_role.items() if len(body.dofs(k))})


def _paired(by_role: Mapping[str, Any]) -> dict[str, Any]:
    """The same with one line for left and right where they are alike."""
    out = {}
    for role, value in by_role.items():
        side, _, part = role.partition("_")
        out[part if side in SIDES and all(by_role.get(f"{s}_{part}") == value for s in SIDES) else role] = value
    return out


def _strength(sketch: Sketch, body: Character, parts: Sequence[str], size: float) -> dict[str, float]:
    """Strength [N m] of the parts in which the sketch's body is stronger for its size."""
    source, out = sketch.body(), {}
    for role in parts[1:]:
        theirs, mine = source.torque_limit[source.dofs(role)], body.torque_limit[body.dofs(role)]
        if len(theirs) and len(mine) and np.isfinite(theirs).all() and np.isfinite(mine).all() and mine.max() > 0.0:
            wanted = float(theirs.max()) * size
            if wanted > STRONGER * float(mine.max()):
                out[role] = round(wanted, 1)
    return _paired(out)


def _matched(source: Palette, modes: Sequence[Mode], found: Palette, others: Sequence[Mode],
             parts: Sequence[str]) -> dict[str, tuple[str, float]]:  # fmt: skip
    """For each of some modes the most alike of others, each taken once, and how alike: the cosine of their turns."""
    if len(others) < len(modes):
        raise BadValue(f"{found.character.name} has {len(others)} vibrations, and the sketch names {len(modes)}.")
    weight = np.array([np.mean(source.stiffness[d]) if len(d := source.character.dofs(r)) else 0.0 for r in parts[1:]])
    a, b = (_turns(p, m, parts) * np.sqrt(weight)[:, None, None] for p, m in ((source, modes), (found, others)))
    a, b = (x.reshape(-1, x.shape[-1]) / np.linalg.norm(x.reshape(-1, x.shape[-1]), axis=0) for x in (a, b))
    alike = a.T @ b
    mine, theirs = linear_sum_assignment(-np.abs(alike))
    return {modes[i].name: (others[j].name, float(alike[i, j])) for i, j in zip(mine, theirs, strict=True)}


def _turns(found: Palette, modes: Sequence[Mode], parts: Sequence[str]) -> Array:
    """How each part turns against the next common one above it (parts - 1, 3, modes), in the world's axes."""
    body = found.character
    now, shapes = Dynamics(body).at(found.rest), np.column_stack([m.shape for m in modes])
    turn = lambda b: now.turning_jacobian(b) @ shapes  # noqa: E731
    return np.stack([turn(body.body(r)) - turn(int(body.tree.parent[_chain(body, r, parts)[-1]])) for r in parts[1:]])

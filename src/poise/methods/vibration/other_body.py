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
from poise.character.roles import LIMBS, ROLES, SIDES
from poise.dynamics import Dynamics
from poise.errors import BadValue
from poise.maths.rotations import Array
from poise.methods.vibration.palette import Mode, Palette, palette
from poise.methods.vibration.rest import rest_pose, stiffness_of
from poise.methods.vibration.sketch import NEWTON_METRES, RUN, Phase, Sketch
from poise.motion.load import load_any_character

HELD = 2.0  # times the spring of a joint about the axes that it does not have in the sketch's body
ENOUGH, SECOND = 0.8, 0.35  # how alike one mode must be to stand alone; how alike a second one must be to help it
BORNE = 0.98  # of a joint's strength that the priority amplitudes ask for at most
_LOOKS = 50
STRONGER = 1.1  # times its own strength from which a joint is given that of the sketch's body


Matches = dict[str, list[tuple[str, float]]]  # mode -> those that stand for it, with the cosine of their turns


@dataclass(frozen=True, eq=False)
class Led:
    """A sketch on another body, and how it came there."""

    sketch: Sketch
    modes: Mapping[str, tuple[tuple[str, ...], float]]  # of the first body -> of the other one; how alike, at most 1


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
        if not palette(body).symmetric:
            raise BadValue(f"Left and right of {name} are not alike, so its legs cannot take turns, and only the body "
                           "of a recording (.bvh, .fbx, ...) can be made alike; mend the model, or save the clip anew "
                           "from its recording with load_clip(path, even=True).")  # fmt: skip
    _check_rest(sketch, body, name)
    size = body.mass * body.height / (source.character.mass * source.character.height)
    springs = _springs(source, body, parts, size)
    found = palette(body, rest_pose(body, sketch.rest), stiffness_of(body, springs), source.stance)
    springs |= {k: v for k, v in sketch.springs.items() if k == "damping"}
    led: dict[str, tuple[tuple[str, ...], float]] = {}
    phases = {}
    for phase in ("flight", "ground"):
        mine: Phase = getattr(sketch, phase)
        matches = _matched(source, [source[m] for m in mine.names], found, getattr(found, phase), parts)
        led |= {m: (tuple(o for o, _ in others), min(1.0, _norm(others))) for m, others in matches.items()}
        scale = size if sketch.unit == NEWTON_METRES else 1.0
        phases[phase] = Phase(_moved(mine.priority, matches, scale), _moved(mine.others, matches, scale))
    made = replace(sketch, character=name, even=even, springs=springs, strength=_strength(sketch, body, parts, size),
                   **phases)  # fmt: skip
    return Led(_within_strength(made, found), led)


def _check_rest(sketch: Sketch, body: Character, name: str) -> None:
    """Refuse a sketch that poses parts which the body does not have."""
    for part in sketch.rest or {}:
        if not any(body.has(p) for p in (part, f"left_{part}")) and part not in body.body_names:
            raise BadValue(f"The [rest] of the sketch {sketch.name!r} poses {part!r}, which {name} does not have; this "
                           "sketch is for bodies with such limbs. --sketch FILE writes it for its own body, to be "
                           "edited.")  # fmt: skip


def _norm(others: Sequence[tuple[str, float]]) -> float:
    return float(np.linalg.norm([alike for _, alike in others]))


def _moved(given: Mapping[str, float], matches: Matches, scale: float) -> dict[str, float]:
    """Amplitudes of the modes that stand for those given."""
    return {other: round(scale * alike / _norm(matches[m]) * a, 1) for m, a in given.items()
            for other, alike in matches[m]}  # fmt: skip


def _within_strength(sketch: Sketch, found: Palette) -> Sketch:
    """The same sketch with smaller amplitudes of what asks more of a joint than it bears, mode by mode."""
    if not sketch.limits:
        return sketch
    limit, phases = sketch.body().torque_limit[6:], {}
    limit = np.where(limit > 0.0, limit, np.inf)  # a joint without strength takes no part
    for phase in ("flight", "ground"):
        mine: Phase = getattr(sketch, phase)
        names = [m.name for m in getattr(found, phase)]
        columns = found.torques(phase)[6:, [names.index(m) for m in mine.priority]]
        if sketch.unit != NEWTON_METRES:
            columns = columns / np.degrees(found.swing(np.vstack([np.zeros((6, columns.shape[1])), columns])))
        psi = np.array(list(mine.priority.values()))
        for _ in range(_LOOKS):
            load = (columns @ psi) / limit
            joint = int(np.argmax(np.abs(load)))
            if not abs(load[joint]) > BORNE:
                break
            each = columns[joint] * psi / limit[joint]
            k = int(np.argmax(np.sign(load[joint]) * each))
            psi[k] *= max(0.0, 1.0 - (abs(load[joint]) - BORNE) / abs(each[k]))
        phases[phase] = Phase({m: round(float(a), 1) for m, a in zip(mine.priority, psi, strict=True)}, mine.others)
    return replace(sketch, **phases)


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
    for role in parts:
        # the joint between trunk and pelvis hangs on whichever of them is not the root
        stand = "chest" if role == "pelvis" and source.character.has("chest") else role
        dofs, chain = source.character.dofs(stand), _chain(body, role, parts)
        if not len(dofs) or body.body(role) == 1:
            continue
        turned = there.turning_jacobian(source.character.body(stand))[:, dofs]
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
        alike = side in SIDES and part in LIMBS and all(by_role.get(f"{s}_{part}") == value for s in SIDES)
        out[part if alike else role] = value
    return out


def _strength(sketch: Sketch, body: Character, parts: Sequence[str], size: float) -> dict[str, float]:
    """Strength [N m] of the parts in which the sketch's body is stronger for its size."""
    source, out = sketch.body(), {}
    for role in (r for r in parts[1:] if body.body(r) != 1):
        theirs, mine = source.torque_limit[source.dofs(role)], body.torque_limit[body.dofs(role)]
        if len(theirs) and len(mine) and np.isfinite(theirs).all() and np.isfinite(mine).all() and mine.max() > 0.0:
            wanted = float(theirs.max()) * size
            if wanted > STRONGER * float(mine.max()):
                out[role] = round(wanted, 1)
    return _paired(out)


def _matched(source: Palette, modes: Sequence[Mode], found: Palette, others: Sequence[Mode],
             parts: Sequence[str]) -> Matches:  # fmt: skip
    """For each of some modes the most alike of others, each taken once; a second one where the first is not enough.

    Two vibrations of nearly one frequency mix differently in another body: then two stand for one.
    """
    if len(others) < len(modes):
        raise BadValue(f"{found.character.name} has {len(others)} vibrations, and the sketch names {len(modes)}.")
    weight = np.array([np.mean(source.stiffness[d]) if len(d := source.character.dofs(r)) else 0.0 for r in parts[1:]])
    a, b = (_turns(p, m, parts) * np.sqrt(weight)[:, None, None] for p, m in ((source, modes), (found, others)))
    a, b = (x.reshape(-1, x.shape[-1]) / np.linalg.norm(x.reshape(-1, x.shape[-1]), axis=0) for x in (a, b))
    alike = a.T @ b
    mine, theirs = linear_sum_assignment(-np.abs(alike))
    out: Matches = {modes[i].name: [(others[j].name, float(alike[i, j]))] for i, j in zip(mine, theirs, strict=True)}
    free = np.setdiff1d(np.arange(len(others)), theirs)
    for i in sorted(mine, key=lambda i: _norm(out[modes[i].name])):
        if _norm(out[modes[i].name]) < ENOUGH and len(free):
            j = free[int(np.argmax(np.abs(alike[i, free])))]
            if abs(alike[i, j]) > SECOND:
                out[modes[i].name].append((others[j].name, float(alike[i, j])))
                free = free[free != j]
    return {m.name: out[m.name] for m in modes}


def _turns(found: Palette, modes: Sequence[Mode], parts: Sequence[str]) -> Array:
    """How each part turns against the next common one above it (parts - 1, 3, modes), in the world's axes."""
    body = found.character
    now, shapes = Dynamics(body).at(found.rest), np.column_stack([m.shape for m in modes])
    turn = lambda b: now.turning_jacobian(b) @ shapes  # noqa: E731
    return np.stack([turn(body.body(r)) - turn(int(body.tree.parent[_chain(body, r, parts)[-1]])) for r in parts[1:]])

"""Friction that somebody changed: contacts whose coefficient neither the stage nor the character explains.

The rule of the simulators: everything on a stage has the stage's friction, and it counts whatever touches it; a shape
of the character counts instead where its own `priority` in the model is higher, and the larger of both where it is
equal. On a patch of the ground the patch's friction counts. Between two shapes of the character it is the larger of
theirs, or that of an explicit pair.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from poise.character import Character
from poise.ground.ground import patches_of
from poise.judge.tolerances import Tolerances
from poise.maths.rotations import Array
from poise.take import Take

STAGE_PRIORITY = 1  # of all shapes on a stage


@dataclass(frozen=True)
class Changed:
    """Contacts of one body whose friction nothing explains."""

    body: str
    friction: float  # the one that differs most
    expected: float  # what stage and character would give there
    first: float  # [s]
    frames: int  # in which it is so
    seconds: float
    inner: bool  # between the character's own bodies alone


def changed_friction(take: Take, limits: Tolerances) -> list[Changed]:
    """What was changed, the longest first; grips, which have no coefficient, are left out."""
    rows = take.contacts
    if not len(rows):
        return []
    low, high, inner = expected_friction(take, limits.patch)
    odd = ~((rows.friction >= (1.0 - limits.friction) * low) & (rows.friction <= (1.0 + limits.friction) * high))
    odd &= ~rows.bilateral
    out = []
    for body in np.unique(rows.body[odd]):
        for own in (False, True):
            chosen = np.flatnonzero(odd & (rows.body == body) & (inner == own))
            if len(chosen):
                out.append(_changed(take, chosen, low[chosen], high[chosen], own))
    return sorted(out, key=lambda c: (c.inner, -c.frames))


def _changed(take: Take, chosen: np.ndarray, low: Array, high: Array, inner: bool) -> Changed:
    rows = take.contacts
    friction, frames = rows.friction[chosen], np.unique(rows.frame[chosen])
    off = np.where(friction < low, low - friction, friction - high)
    worst = int(np.argmax(np.where(np.isfinite(off), off, np.inf)))
    spans = np.diff(take.time, append=take.time[-1])
    return Changed(take.character.body_names[rows.body[chosen[0]]], float(friction[worst]),
                   float(low[worst] if friction[worst] < low[worst] else high[worst]), float(take.time[frames[0]]),
                   len(frames), float(spans[frames].sum()), inner)  # fmt: skip


def expected_friction(take: Take, edge: float) -> tuple[Array, Array, np.ndarray]:
    """The least and the most friction (K,) that each contact may have, and whether it is one of the body with itself.

    A row of a take sums several points of a shape, so within `edge` [m] of the border of a patch it may have anything
    between the frictions of both sides. A take that does not tell its stage is held to what most of its own contacts
    have.
    """
    rows, character = take.contacts, take.character
    own = {name: k for k, name in enumerate(character.body_names) if k}
    partner = np.array([own.get(name, 0) for name in rows.others], int)[rows.other]
    inner = partner > 0
    ground = _stage_friction(take, inner)
    low, high = np.full(len(rows), ground), np.full(len(rows), ground)
    _patches(take, edge, low, high)
    for body in np.unique(rows.body[~inner]):
        mine = (rows.body == body) & ~inner
        strong, equal = _insisting(character, int(body))
        low[mine] = np.minimum(low[mine], strong.min(initial=np.inf))
        high[mine] = np.maximum(high[mine], max(strong.max(initial=0.0), equal.max(initial=0.0)))
    for a, b in {(int(a), int(b)) for a, b in zip(rows.body[inner], partner[inner], strict=True)}:
        mine, pair = inner & (rows.body == a) & (partner == b), _between(character, a, b)
        low[mine] = np.minimum(low[mine], pair.min(initial=np.inf))
        high[mine] = np.maximum(high[mine], pair.max(initial=0.0))
    return low, high, inner


def _stage_friction(take: Take, inner: np.ndarray) -> float:
    told = take.stage.get("friction") if isinstance(take.stage, Mapping) else None
    if isinstance(told, int | float):
        return float(told)
    seen = take.contacts.friction[~inner & ~take.contacts.bilateral]
    seen = seen[np.isfinite(seen)]
    return float(np.median(seen)) if len(seen) else 1.0


def _patches(take: Take, edge: float, low: Array, high: Array) -> None:
    """Where the ground has patches: their friction in place of, or near their edges beside, what is below them."""
    rows = take.contacts
    bare = np.array([name == "ground" for name in rows.others], bool)[rows.other]
    for x, y, long, wide, friction in patches_of(take.ground):
        out = np.maximum(np.abs(rows.point[:, 0] - x) - long, np.abs(rows.point[:, 1] - y) - wide)
        deep, near = bare & (out <= -edge), bare & (np.abs(out) < edge)
        low[deep], high[deep] = friction, friction
        low[near], high[near] = np.minimum(low[near], friction), np.maximum(high[near], friction)


def _insisting(character: Character, body: int) -> tuple[Array, Array]:
    """Frictions of a body's shapes that count before those of the stage, and of those that count beside it."""
    model = character.model
    mine = np.flatnonzero((model.geom_bodyid == body) & ((model.geom_contype != 0) | (model.geom_conaffinity != 0)))
    priority, friction = model.geom_priority[mine], model.geom_friction[mine, 0]
    return friction[priority > STAGE_PRIORITY], friction[priority == STAGE_PRIORITY]


def _between(character: Character, a: int, b: int) -> Array:
    """Frictions that two bodies of a character may have with each other."""
    model, out = character.model, []
    for g in np.flatnonzero(model.geom_bodyid == a):
        for h in np.flatnonzero(model.geom_bodyid == b):
            first, second = model.geom_friction[g, 0], model.geom_friction[h, 0]
            ahead = int(model.geom_priority[g]) - int(model.geom_priority[h])
            out.append(max(first, second) if ahead == 0 else first if ahead > 0 else second)
    for k in range(model.npair):
        bodies = {int(model.geom_bodyid[model.pair_geom1[k]]), int(model.geom_bodyid[model.pair_geom2[k]])}
        if bodies == {a, b}:
            out.append(model.pair_friction[k, 0])
    return np.array(out, float)

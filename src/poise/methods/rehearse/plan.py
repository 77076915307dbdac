"""Plan: what a rehearsal found. A value: it can be saved, performed, pushed, and says for what it was made."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

import numpy as np

from poise.character import Character
from poise.errors import BadValue
from poise.maths.rotations import Array
from poise.motion.clip import Clip
from poise.motion.reference import Reference
from poise.stage import Stage
from poise.take.description import describe, versions


@dataclass(frozen=True, eq=False)
class Plan:
    """Offsets of servo targets, window by window, and the path on which they lead a character through a clip.

    `reached` is the time up to which the clip was performed when it was rehearsed: all of it, or where it was lost.
    """

    clip: Clip  # the user's own
    followed: Clip  # what was followed instead: made physical, fitted to the ground
    stage: Stage
    start: float  # [s] in the clip
    seconds: float  # [s] that were rehearsed
    contact: str  # model of the simulator
    seed: int
    window: int  # steps
    offsets: Array  # (W, nv) [rad]
    q: Array  # (W + 1, nq) where the path is at the beginning of each window, and at the end
    v: Array  # (W + 1, nv)
    cost: Array  # (W,) at the end of each window
    reached: float  # [s]
    row_q: Array  # (S, nq) what the servos followed at the end of each step
    row_v: Array  # (S, nv)
    planned: Array  # (S, nv) [N m]
    full: float  # [rad] and
    lag: float  # [s]: the gains of the servos
    gain: Array  # (W, F, nv) feedback on features of the state, or (0, F, nv) where none was distilled
    made_by: str = ""  # versions and the kind of machine: on another one bits may differ
    passes: tuple[str, ...] = field(default=())  # what each pass came to, in words

    def __repr__(self) -> str:
        whole = "whole" if self.whole else f"lost at {self.reached:.2f} s"
        return f"<Plan of {self.clip.name!r}, {self.seconds:.2f} s, seed {self.seed}: {whole}>"

    @property
    def whole(self) -> bool:
        """Was all of it performed?"""
        return self.reached >= self.seconds - 1e-6

    def description(self) -> dict[str, Any]:
        """What a take says of it."""
        return {"kind": "Plan", "clip": self.clip.name, "seconds": self.seconds, "seed": self.seed,
                "reached": self.reached, "character": character_hash(self.clip.character),
                "stage": stage_hash(self.stage)}  # fmt: skip

    def reference(self) -> Reference:
        """What the user wants to see."""
        return Reference(self.clip, start=self.start)

    def save(self, path: str | PathLike[str], *, overwrite: bool | None = None) -> None:
        """Write it to an .npz; `poise.load_plan` reads it, and `poise perform` performs it."""
        from poise.rehearsal.saving import save

        save(self, path, overwrite)

    def check(self, character: Character, stage: Stage) -> None:
        """Refuse another body, and another stage than that of the rehearsal."""
        own = self.clip.character
        if character_hash(character) != character_hash(own):
            raise BadValue(f"{self.clip.name} was rehearsed by another body ({own.name}, {own.mass:.0f} kg) than this "
                           f"{character.name}: rehearse it anew.")  # fmt: skip
        if stage_hash(stage) != stage_hash(self.stage):
            differs = _differs(stage, self.stage)
            raise BadValue(f"The stage is not the one on which {self.clip.name} was rehearsed ({differs}): rehearse it "
                           "anew there, or perform it with search=always.")  # fmt: skip


def character_hash(character: Character) -> str:
    """A short name of a body by all that moves it."""
    digest = hashlib.sha256(character.xml.encode())
    digest.update(np.ascontiguousarray(character.torque_limit).tobytes())
    return digest.hexdigest()[:16]


def stage_hash(stage: Stage) -> str:
    """A short name of a stage without its events: a push does not make another stage."""
    return hashlib.sha256(repr(describe(replace(stage, events=()))).encode()).hexdigest()[:16]


def maker() -> str:
    """What the bits of a simulation depend on beside body and stage."""
    return ", ".join(f"{k} {v}" for k, v in sorted(versions().items()))


def _differs(now: Stage, then: Stage) -> str:
    a, b = describe(now), describe(then)
    names = [k for k in a if k not in ("kind", "events") and a[k] != b.get(k)]
    return f"other {' and '.join(names)}" if names else "it differs"

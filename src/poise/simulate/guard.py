"""The guard against blow-ups: numbers that are not numbers stop a run, with one sentence and the state before."""

from __future__ import annotations

import secrets
import tempfile
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from poise.character import Character
from poise.errors import BadFile, BadValue, PoiseError
from poise.files import must_exist, writing
from poise.kernels import njit
from poise.maths.rotations import Array


class BlowUp(PoiseError):
    """A simulation that left what can be computed. `saved`: a file with the state before; `take`: what was recorded."""

    def __init__(self, sentence: str, time: float, saved: Path | None):
        self.time, self.saved, self.sentence = time, saved, sentence
        self.take: Any = None
        where = f" The state before is saved in {saved}." if saved is not None else ""
        super().__init__(sentence + where)

    @property
    def reason(self) -> str:
        """What happened, as one clause: without the advice, and where the state was saved."""
        first = self.sentence.partition(". ")[0].rstrip(".")
        return first.partition(" s: ")[2] or first


class MethodLost(PoiseError):
    """A method that could not go on, told by `strict` performances alone. `take`: what was recorded."""

    def __init__(self, reason: str, time: float, take: Any):
        self.reason, self.time, self.take = reason, time, take
        super().__init__(f"The method was lost at {time:.2f} s: {reason}.")


@njit(cache=True)
def all_finite(numbers):
    """Are these numbers, of any shape, all finite? Of the few of a state numpy takes ten times as long to tell."""
    return np.isfinite(numbers).all()


@njit(cache=True)
def all_finite_step(q, v, torque, contacts):
    """Are state, torques and contacts of a step all finite? One call instead of four in every frame."""
    return all_finite(q) and all_finite(v) and all_finite(torque) and all_finite(contacts)


_DEEPEST = 0.03  # [m] that a body may be under ground at the start


def refuse_buried(character: Character, rows: Array, others: tuple[str, ...]) -> None:
    """Refuse a start deep inside the ground; rows (K, 18) are the touches there."""
    ground = [k for k, r in enumerate(rows) if others[int(r[1])].startswith("ground") and r[15] > _DEEPEST]
    if ground:
        worst = max(ground, key=lambda k: rows[k, 15])
        body, deep = character.body_names[int(rows[worst, 0])], float(rows[worst, 15])
        raise BadValue(
            f"{body} starts {100 * deep:.1f} cm inside the ground, and would be thrown out of it: lift or move "
            f"the character by that much, level the clip or lower the ground; {100 * _DEEPEST:g} cm is let pass."
        )


def dof_name(character: Character, dof: int) -> str:
    """A degree of freedom in words: its body, its joint and its number."""
    model = character.model
    if dof >= model.nv:
        return f"a thing on the stage (degree of freedom {dof})"
    joint = int(model.dof_jntid[dof])
    body = character.body_names[int(model.dof_bodyid[dof])]
    return f"{body} (joint {character.joint_names[joint]!r}, degree of freedom {dof})"


def torque_sentence(character: Character, torque: Array, dof: int, time: float) -> str:
    """What to say of a torque that cannot be applied."""
    if not np.isfinite(torque[dof]):
        return (f"The controller gave a torque of {torque[dof]} for {dof_name(character, dof)} at {time:.4f} s; "
                "nothing was simulated with it. Look at what it divides by there.")  # fmt: skip
    return (f"The controller gave {torque[dof]:.4g} for {dof_name(character, dof)} at {time:.4f} s, but the root has "
            "no motor: only its joints have torques. A force that helps from outside goes in `assist`.")  # fmt: skip


def state_sentence(character: Character, dof: int, value: float, time: float, dt: float) -> str:
    """What to say of a state that is none."""
    how = f"reached {value:.3g}" if np.isfinite(value) else "is not a number"
    return (f"The simulation blew up at {time:.4f} s: the velocity of {dof_name(character, dof)} {how}. Try a step "
            f"smaller than {dt:.3g} s, lower gains or torques, or a gentler start on the ground.")  # fmt: skip


def save_state(folder: str | PathLike[str] | None, character: Character, before: Array, torque: Array, time: float,
               sentence: str) -> Path | None:  # fmt: skip
    """Write the state before a blow-up as npz; None where even that is impossible."""
    place = Path(tempfile.gettempdir() if folder is None else folder)
    path = place / f"poise-blow-up-{secrets.token_hex(4)}.npz"
    try:
        with writing(path) as temporary, temporary.open("wb") as stream:
            np.savez(stream, state=before, torque=torque, time=time, character=character.name, xml=character.xml,
                     sentence=sentence)  # fmt: skip
    except BadFile:
        return None  # a full disk must not hide the blow-up itself
    return path


def load_state(path: str | PathLike[str]) -> dict[str, Any]:
    """What `save_state` wrote: "state" for `Simulator.load`, "torque", "time", "character", "xml", "sentence"."""
    try:
        with np.load(must_exist(path), allow_pickle=False) as file:
            return {k: file[k] if file[k].ndim else file[k].item() for k in file.files}
    except (ValueError, OSError, KeyError):
        raise BadFile(path, "this is not the saved state of a simulation.") from None

"""What every verb that takes a motion file has in common: its arguments, and loading what they name."""

from __future__ import annotations

import argparse
import os
import re
from typing import TYPE_CHECKING

from poise.errors import BadValue, NoRoles

if TYPE_CHECKING:
    from poise.methods.rehearse import Plan
    from poise.motion.clip import Clip
    from poise.take import Take


def add_source(p: argparse.ArgumentParser) -> None:
    """Options that say how a file is to be read; all of them are found out when they are not given."""
    group = p.add_argument_group("how to read it (all found out when not given)")
    group.add_argument("--unit", help="length of a file unit: m, cm, mm, in, ft, cmu, or metres as a number")
    group.add_argument("--up", choices=["x", "y", "z"], help="the file's up axis")
    group.add_argument("--fps", type=float, help="frames per second, where the file's own are wrong")
    group.add_argument("--weight", type=float, metavar="KG", help="weight of the person")
    group.add_argument("--role", action="append", default=[], metavar="ROLE=JOINT",
                       help="which joint plays a role, such as left_thigh=MyBone; may be repeated")  # fmt: skip
    group.add_argument("--no-level", action="store_true", help="leave the floor as recorded")


def load(args: argparse.Namespace, path: str, **more: object) -> Clip:
    """The clip that the arguments describe; of a take that was saved, its motion."""
    from poise.motion.load import load_clip
    from poise.progress import tell_first_compilation, working

    roles = roles_of(args.role, "--role")
    unit = _unit(args.unit)
    tell_first_compilation()
    take = saved_take(path)
    if take is not None:
        return take.as_clip()
    try:
        with working(f"reading {path}"):
            return load_clip(path, unit=unit, up=args.up, fps=args.fps, weight=args.weight, roles=roles,
                             level=not args.no_level, **more)  # type: ignore[arg-type]  # fmt: skip
    except NoRoles as error:
        raise NoRoles(re.sub(r"roles=\{'([^']*)': '?([^'}]*)'?\}", r"--role \1=\2", str(error))) from None


def saved_take(path: str) -> Take | None:
    """The take in a file, None where it holds anything else."""
    from poise.take import Take, is_take

    return Take.load(path) if os.path.isfile(path) and is_take(path) else None


def saved_plan(path: str) -> Plan | None:
    """The rehearsal in a file, None where it holds anything else."""
    if not (path.lower().endswith(".npz") and os.path.isfile(path)):
        return None
    from poise.rehearsal.saving import is_plan
    from poise.rehearsal.saving import load as load_plan

    return load_plan(path) if is_plan(path) else None


def roles_of(texts: list[str], option: str) -> dict[str, str] | None:
    """Role -> name from ROLE=NAME, given any number of times; None where nothing was given."""
    roles = {}
    for text in texts:
        role, equals, name = (part.strip() for part in text.partition("="))
        if not equals or not role or not name:
            raise BadValue(f"{option} wants ROLE=NAME, such as left_thigh=MyBone, not {text!r}.")
        roles[role] = name
    return roles or None


UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048, "cmu": 0.0254 / 0.45}


def _unit(text: str | None) -> float | None:
    if text is None:
        return None
    if text in UNITS:
        return UNITS[text]
    try:
        unit = float(text)
    except ValueError:
        raise BadValue(f"--unit wants one of {', '.join(UNITS)} or a number of metres, not {text!r}.") from None
    if not 0.0 < unit < 1000.0:
        raise BadValue(f"--unit {text}: a file unit of {unit:g} m cannot be meant.")
    return unit

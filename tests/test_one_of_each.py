"""One of each: every idea in the table has one home in the source, by name and by formula."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "poise"


class Idea(NamedTuple):
    """Where an idea lives, the names that may be defined nowhere else, and formulas that may be written nowhere else.

    Names are regular expressions for whole names of functions and classes, without a leading underscore; formulas are
    regular expressions for statements as `ast.unparse` writes them. `but` lists homes of the same name or formula that
    mean something else or cannot be merged, each with its reason.
    """

    home: str
    names: tuple[str, ...]
    formulas: tuple[str, ...] = ()
    but: dict[str, str] = {}  # noqa: RUF012  # never changed


IDEAS = {
    "footprint": Idea(
        "motion/feet/footprint.py",
        ("Foot[Pp]rint", "laid_sole", "unblocked"),
        (r"rot\.rotate\(rot\.multiply\(lean, rot\.about_z\(\w+\)\)", r"class _?Print\b"),
    ),
    "limb in closed form": Idea(
        "motion/ik/limb.py",
        ("Limb", "two_bones", "set_turn", "turns_fully"),
        (r"np\.arccos\(np\.clip\((cosine|rest)", r"want \*\* 2 - dot\(a, a\)"),
    ),
    "damped step of a limb": Idea(
        "solve/dense.py",
        ("damped",),
        (r"= (\w) @ \1\.T\n", r"\w\[i, i\] \+= _?(DAMPING|PRICE|damping)"),
    ),
    "clearance between the legs": Idea(
        "motion/feet/leg_clearance.py",
        ("between_legs", "inner_points", "Passing"),
        (r"mj_geomDistance",),
        {
            "judge/overlap.py": "measures how deep any two bodies of a take are in each other",
            "dynamics/engine.py": "the call for stage/nearness.py: a body and the things that stand about it",
        },
    ),
    "unrolling of a loop": Idea(
        "motion/resample.py",
        ("Unrolled", "unrolled", "carried_rows"),
        (r"cycle\.carry\([\w.]+\[[^\]]*:[^\]]*\], -1\)", r"\.carry\(\w+\[count == k\]"),
        {"motion/clip.py": "one frame on either side of a loop, for its rates; its own last frame stays what it is"},
    ),
    "leg length": Idea(
        "character/leg_length.py",
        ("leg_length", "leg_above", "hip_to_sole", "hip_height", "recorded_leg"),
        (r"np\.linalg\.norm\(knee - hip", r"norm\(model\.body_pos\[\w+\]\)"),
    ),
}


def sources() -> list[tuple[str, ast.Module]]:
    return [(p.relative_to(SOURCE).as_posix(), ast.parse(p.read_text())) for p in sorted(SOURCE.rglob("*.py"))]


def definitions(tree: ast.Module) -> set[str]:
    """Names of all functions and classes at the top of a module, without a leading underscore."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {node.name.lstrip("_") for node in tree.body if isinstance(node, kinds)}


@pytest.mark.parametrize("name", IDEAS)
def test_each_idea_has_one_home(name: str) -> None:
    idea, homes, written = IDEAS[name], {}, {}
    for path, tree in sources():
        code = ast.unparse(tree) + "\n"
        found = {n for n in definitions(tree) for pattern in idea.names if re.fullmatch(pattern, n)}
        lines = [f for f in idea.formulas if re.search(f, code)]
        if found:
            homes[path] = found
        if lines:
            written[path] = lines
    elsewhere = {p: s for p, s in (homes | written).items() if p != idea.home and p not in idea.but}
    assert not elsewhere, f"{name} lives in {idea.home}, but is also in {elsewhere}"
    missing = [n for n in idea.names if not any(re.fullmatch(n, own) for own in homes.get(idea.home, ()))]
    assert not missing, f"{idea.home} does not define {missing}"
    assert written.get(idea.home), f"no formula of {name} is found in {idea.home}: the table is out of date"
    stale = [p for p in idea.but if p not in homes and p not in written]
    assert not stale, f"{stale} no longer need to be excused"

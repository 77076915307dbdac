"""A folder imports only what stands above it in the design's list; methods never import each other."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "poise"

ORDER = ["maths", "solve", "character", "dynamics", "motion", "physical", "stage", "take", "simulate", "methods",
         "judge", "export", "performance", "experiments", "studio", "cli"]  # fmt: skip
EVERYWHERE = {"errors", "printable", "budgets", "_version", "files", "progress", "citations", "kernels",
              "kernel_content", "cache_folder", "remembered", "threads", "settings", "extras"}  # fmt: skip
MAY_PERFORM = {"judge", "export", "experiments", "studio", "cli"}
# A value may offer a verb whose code lives further down, if it imports it only when the verb is used.
LAZY = {("motion.clip", "export"), ("motion.clip", "physical"), ("motion.clip", "stage"), ("motion.load", "physical"),
        ("physical.report", "export"), ("take.take", "judge"), ("take.take", "export")}  # fmt: skip


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def imports(path: Path) -> set[str]:
    """Full names of all modules of poise that a file imports, at the top or inside functions."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the layers"
            names |= {f"{node.module}.{a.name}" for a in node.names} if node.module == "poise" else {node.module or ""}
    return {n for n in names if n.startswith("poise.")}


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_only_what_stands_above(path: Path):
    parts = path.relative_to(SOURCE).with_suffix("").parts
    if len(parts) == 1 and parts[0] not in ORDER:  # the public face and what everyone may use
        allowed = set(ORDER) if parts[0] in ("__init__", "__main__") else set()
    else:
        allowed = set(ORDER[: ORDER.index(parts[0]) + 1])
        if parts[0] in MAY_PERFORM:
            allowed.add("performance")
    dotted = ".".join(parts)
    for name in imports(path):
        room = name.split(".")[1]
        if room in EVERYWHERE or room in allowed or (dotted, room) in LAZY:
            continue
        if room == "__version__":
            continue
        raise AssertionError(f"{dotted} imports {name}, which stands below {parts[0]}")


def test_maths_imports_nothing_of_poise_and_methods_not_each_other():
    for path in modules():
        parts = path.relative_to(SOURCE).parts
        rooms = {tuple(n.split(".")[1:3]) for n in imports(path)}
        if parts[0] == "maths":
            assert {r[0] for r in rooms} <= {"maths", "kernels"}, path  # the decorator of compiled functions
        if parts[0] == "methods" and len(parts) > 1:
            mine = parts[1].removesuffix(".py")
            others = {r[1] for r in rooms if r[0] == "methods" and len(r) > 1} - {mine, "contract"}
            assert not others, f"{path} imports other methods: {others}"

"""A room imports only what stands above it in the design's list; methods never import each other.

Read from the sources: `import a.b`, `from a import b` (b may be a module), and every string that names a module of
poise, since tables of such strings are what `import_module` is given.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "poise"

ORDER = (
    "maths",
    "solve",
    "character",
    "dynamics",
    "ground",
    "motion",
    "physical",
    "stage",
    "take",
    "simulate",
    "methods",
    "judge",
    "export",
    "performance",
    "rehearsal",
    "experiments",
    "studio",
    "cli",
)
EVERYWHERE = {"errors", "printable", "budgets", "_version", "files", "progress", "citations", "kernels",
              "kernel_content", "cache_folder", "remembered", "threads", "settings", "extras", "checks"}  # fmt: skip
FACE = {"__init__", "__main__"}  # of poise itself
MAY_PERFORM = {"judge", "export", "experiments", "studio", "cli"}
# A value may offer a verb whose code lives further down, if it imports it only when the verb is used.
LAZY = {("motion.clip", "export"), ("motion.clip", "physical"), ("motion.clip", "stage"), ("motion.load", "physical"),
        ("methods.rehearse.plan", "rehearsal"),
        ("physical.repair.report", "export"), ("take.take", "judge"), ("take.take", "export"),
        ("character.character", "export"), ("judge.report", "export")}  # fmt: skip


class Import(NamedTuple):
    """A module of poise that is imported, or may be."""

    name: str  # "poise.motion.clip"; "poise" for the public face
    line: int
    later: bool  # inside a function, or for the type checker alone


def modules() -> dict[str, str]:
    """Text of each module by its name without "poise."."""
    found = {".".join(path.relative_to(SOURCE).with_suffix("").parts): path for path in SOURCE.rglob("*.py")}
    return {name: found[name].read_text() for name in sorted(found)}


def room_of(module: str) -> str:
    """The room of a module, and "" for those beside the rooms."""
    first = module.partition(".")[0]
    return first if first in ORDER else ""


def imports(text: str) -> Iterator[Import]:
    """What a source text imports of poise."""
    yield from _imports(ast.parse(text), later=False)


def _imports(node: ast.AST, later: bool) -> Iterator[Import]:
    for name in _named(node):
        yield Import(name, getattr(node, "lineno", 0), later)
    deferred = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    for field, value in ast.iter_fields(node):
        inside = later or (deferred and field == "body")  # defaults and decorators are run at once
        inside = inside or (isinstance(node, ast.If) and field == "body" and "TYPE_CHECKING" in ast.unparse(node.test))
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _imports(child, inside)


def _named(node: ast.AST) -> list[str]:
    """Modules of poise that a node names by itself."""
    if isinstance(node, ast.Import):
        return [a.name for a in node.names if a.name.split(".")[0] == "poise"]
    if isinstance(node, ast.ImportFrom):
        if node.level:
            return ["."]  # a relative import: hides the layers
        if node.module == "poise":  # a room or module, else a name of the public face
            return [f"poise.{a.name}" if a.name in {*ORDER, *EVERYWHERE} else "poise" for a in node.names]
        if not (node.module or "").startswith("poise."):
            return []
        full = [f"{node.module}.{a.name}" for a in node.names]
        return [name if _is_module(name) else node.module or "" for name in full]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        found = re.match(r"(poise(\.\w+)+)\.?(:\w+)?$", node.value)  # also the beginning of an f-string
        return [found[1]] if found and found[1].split(".")[1] in {*ORDER, *EVERYWHERE} else []
    return []


def _is_module(name: str) -> bool:
    path = SOURCE.parent.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").exists()


def violations(module: str, text: str) -> list[str]:
    """What a module imports and must not, in words."""
    room = room_of(module)
    if room:
        allowed = {*ORDER[: ORDER.index(room) + 1], *({"performance"} if room in MAY_PERFORM else ())}
    else:
        allowed = set(ORDER) if module in FACE else set()
    out = []
    for found in imports(text):
        parts = found.name.split(".")
        where = f"{module}:{found.line}"
        if found.name == ".":
            out.append(f"{where} is relative: relative imports hide the layers")
        elif len(parts) == 1:
            out.append(f"{where} imports the public face, through which everything is reached")
        elif room == "maths" and parts[1] not in ("maths", "kernels"):
            out.append(f"{where} imports {found.name}: maths imports nothing of poise but the decorator of kernels")
        elif parts[1] not in allowed | EVERYWHERE and not ((module, parts[1]) in LAZY and found.later):
            out.append(
                f"{where} imports {found.name}, which stands below it{' and is not put off' * _lazy(module, parts)}"
            )
        elif room == "methods" and parts[1] == "methods" and _other_method(module, parts):
            out.append(f"{where} imports {found.name}: methods never import each other")
    return out


def _lazy(module: str, parts: list[str]) -> bool:
    return (module, parts[1]) in LAZY


def _other_method(module: str, parts: list[str]) -> bool:
    """Is what is imported another method, or the list of all? `__init__` is that list, and some modules are shared."""
    mine = module.split(".")[1]
    if mine == "__init__" or mine in _SHARED:
        return False
    return len(parts) < 3 or parts[2] not in (mine, *_SHARED)


_METHODS = set(re.findall(r'"poise\.methods\.(\w+)"', (SOURCE / "methods" / "__init__.py").read_text()))
_SHARED = {p.stem for p in (SOURCE / "methods").glob("*.py")} - {"__init__", *_METHODS}


def all_violations(sources: Mapping[str, str], room: str) -> list[str]:
    return [v for module, text in sources.items() if room_of(module) == room for v in violations(module, text)]


@pytest.mark.parametrize("room", ("", *ORDER), ids=lambda room: room or "beside the rooms")
def test_a_room_imports_only_what_stands_above(room: str):
    assert all_violations(modules(), room) == []


def test_every_room_has_its_place_and_every_exception_is_used():
    sources = modules()
    beside = {name.partition(".")[0] for name in sources if not room_of(name)}
    assert beside == EVERYWHERE | FACE
    rooms = {(module, found.name.split(".")[1]) for module, text in sources.items() for found in imports(text)
             if found.name.count(".")}  # fmt: skip
    assert rooms >= LAZY


HOLES = {
    "from poise.methods import pd": ("methods.balance.method", "never import each other"),
    "from poise.methods import method": ("methods.pd", "never import each other"),
    "import poise.methods.pd": ("methods.modal.step", "never import each other"),
    "from poise import methods": ("motion.clip", "stands below"),
    "import poise": ("motion.clip", "public face"),
    "from poise import load_clip": ("stage.world", "public face"),
    "from . import clip": ("motion.load", "relative"),
    "from importlib import import_module\n\ndef f():\n    import_module('poise.judge.audit')": (
        "take.store",
        "poise.judge",
    ),
    "def f(name):\n    return import_module(f'poise.methods.{name}')": ("simulate.loop", "poise.methods"),
    "WRITERS = {'.bvh': 'poise.export.bvh'}": ("motion.formats.bvh", "poise.export.bvh"),
    "RUN = 'poise.experiments.speed:run'": ("judge.audit", "poise.experiments"),
    "from poise.export import save": ("motion.clip", "not put off"),
    "def f(x=__import__('poise.export')):\n    pass": ("motion.clip", "not put off"),
    "class A:\n    from poise.judge import audit": ("take.take", "not put off"),
    "from poise.errors import BadValue": ("maths.tree", "imports nothing of poise"),
    "from poise.maths import rotations": ("files", "stands below"),
    "def f():\n    from poise.cli import main": ("export.html", "stands below"),
}


@pytest.mark.parametrize("text", HOLES)
def test_no_hole_is_open(text: str):
    module, why = HOLES[text]
    found = violations(module, text)
    assert len(found) == 1 and why in found[0], found


GOOD = {
    "def save(self):\n    from poise.export import save": "motion.clip",
    "if TYPE_CHECKING:\n    from poise.judge.report import Report": "take.take",
    "from poise import budgets, files": "motion.clip",
    "from poise.performance import perform": "judge.recovery",
    "_METHODS = {'pd': 'poise.methods.pd'}": "methods.__init__",
    "WORDS = 'poise.bvh is written'": "maths.tree",
    '"""See poise.export."""': "maths.tree",
}


@pytest.mark.parametrize("text", GOOD)
def test_what_may_be_imported_is_let_through(text: str):
    assert violations(GOOD[text], text) == []

"""Scenes as files: a TOML that names the object, its track and those of the wrists.

name = "cup"
fps = 30
friction = 1.0
table = 0.0                       # height [m]; leave it out where there is none
[object]
mass = 0.2
pieces = [{ kind = "cylinder", size = [0.03, 0.08] }]     # or mesh = "bunny.obj"
track = "object.csv"              # x y z qw qx qy qz a row, metres, Z up; or .npy, or .npz with place and turn
[wrists]
right = "right.csv"
[windows]                         # optional: seconds in which a finger may touch
right_index = [0.4, 2.0]
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from poise.errors import BadFile, BadValue, PoiseError
from poise.methods.hands import scene_schema
from poise.methods.hands.mesh_file import load_hulls
from poise.methods.hands.scene import Scene, Stand, Track
from poise.methods.hands.settings import STYLES
from poise.methods.hands.thing import Piece, Thing


def load_scene(path: str | Path) -> Scene:
    """The scene of a TOML file; meshes and tracks are looked for beside it."""
    path = Path(path)
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadFile(path, f"it cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadFile(path, f"it is not TOML: {error}.") from None
    try:
        return _scene(path, given)
    except (BadFile, BadValue):
        raise
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, PoiseError):
            raise
        raise BadFile(
            path, f"a value is missing or of the wrong kind ({error}); docs/hands.md has an example."
        ) from None


def _scene(path: Path, given: dict[str, Any]) -> Scene:
    scene_schema.check(path, given)
    body = given["object"]
    motion = load_track(path.parent / body["track"])
    wrists = {side: load_track(path.parent / file) for side, file in given["wrists"].items()}
    styles = tuple((float(t), _style(path, s)) for t, s in given.get("styles", []))
    stands = tuple(Stand(tuple(s["size"]), tuple(s["place"])) for s in given.get("stands", []))
    plain = {k: float(given[k]) for k in ("fps", "friction", "table_friction", "slide", "move") if k in given}
    return Scene(
        str(given.get("name", path.stem)),
        load_thing(path.parent, body, path.stem),
        motion,
        wrists,
        table=float(given["table"]) if "table" in given else None,
        stands=stands,
        styles=styles,
        windows={k: (float(v[0]), float(v[1])) for k, v in given.get("windows", {}).items()},
        fixed={k: float(np.radians(v)) for k, v in given.get("fixed", {}).items()},
        licence=str(given.get("licence", "")),
        **plain,
    )


def _style(path: Path, style: str) -> str:
    if style not in STYLES:
        raise BadFile(path, f"there is no style {style!r}; there are {', '.join(STYLES)}.")
    return style


def load_thing(folder: Path, body: dict[str, Any], name: str) -> Thing:
    """The object of a part [object]."""
    pieces = tuple(
        Piece(
            p["kind"],
            tuple(float(x) for x in p["size"]),
            tuple(p.get("place", (0, 0, 0))),
            tuple(p.get("turn", (0, 0, 0))),
        )
        for p in body.get("pieces", [])
    )
    hulls = load_hulls(folder / body["mesh"], float(body.get("unit", 1.0))) if "mesh" in body else ()
    return Thing(str(body.get("name", name)), pieces, float(body.get("mass", 0.5)), hulls)


def load_track(path: Path) -> Track:
    """A track of rows x y z qw qx qy qz: .csv or .txt, .npy, or .npz with `place` and `turn`."""
    try:
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as file:
                return Track(file["place"], file["turn"])
        rows = np.load(path, allow_pickle=False) if path.suffix == ".npy" else _text(path)
    except OSError as error:
        raise BadFile(path, f"the track cannot be read: {error.strerror or error}.") from None
    except (ValueError, KeyError) as error:
        raise BadFile(path, f"it is not a track: {error}.") from None
    if rows.ndim != 2 or rows.shape[1] != 7:
        raise BadFile(path, f"a track has seven numbers a row (x y z qw qx qy qz), not an array {rows.shape}.")
    try:
        return Track(rows[:, :3], rows[:, 3:])
    except BadValue as error:
        raise BadFile(path, str(error)) from None


def _text(path: Path) -> np.ndarray:
    text = path.read_text(encoding="utf-8")
    lines = [
        line.replace(",", " ").split() for line in text.splitlines() if line.strip() and line.lstrip()[0] not in "#x"
    ]
    return np.array(lines, float)


def save_scene(scene: Scene, folder: Path) -> Path:
    """Write a scene of pieces as TOML with its tracks beside it; gives the file."""
    folder.mkdir(parents=True, exist_ok=True)
    np.savetxt(folder / "object.csv", np.c_[scene.motion.place, scene.motion.turn], "%.9g", ",")
    lines = [
        f'name = "{scene.name}"',
        f"fps = {scene.fps:g}",
        f"friction = {scene.friction:g}",
        f"table_friction = {scene.table_friction:g}",
        f"slide = {scene.slide:g}",
        f"move = {scene.move:g}",
    ]
    if scene.table is not None:
        lines.append(f"table = {scene.table:g}")
    for s in scene.stands:
        lines += ["[[stands]]", f"size = {list(s.size)}", f"place = {list(s.place)}"]
    lines += [
        "[object]",
        f'name = "{scene.thing.name}"',
        f"mass = {scene.thing.mass:g}",
        'track = "object.csv"',
        "pieces = [",
    ]
    lines += [
        f'  {{ kind = "{p.kind}", size = {list(p.size)}, place = {list(p.place)}, turn = {list(p.turn)} }},'
        for p in scene.thing.pieces
    ]
    lines += ["]", "[wrists]"]
    for side in scene.sides:
        np.savetxt(folder / f"{side}.csv", np.c_[scene.wrists[side].place, scene.wrists[side].turn], "%.9g", ",")
        lines.append(f'{side} = "{side}.csv"')
    path = folder / "scene.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path

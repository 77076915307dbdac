"""Looks through MJCF and URDF text, and all files that it names, before MuJoCo builds anything of it.

MuJoCo's compiler cannot be stopped and takes what a file says: a million copies of a geom, a height field of 15 GB, a
pipe as a mesh. The text is therefore read here first, without building anything, and refused where it is beyond
`poise.budgets`. A scan works the same on every system; a compiler in a process of its own would need limits that
Windows does not have, and half a second for each model.
"""

from __future__ import annotations

import math
import os
import re
import stat
import struct
from collections.abc import Mapping
from pathlib import Path
from xml.parsers import expat

from poise import budgets, files
from poise.errors import BadFile
from poise.printable import printable, shortened

_OBJECTS = {"body", "geom", "joint", "freejoint", "site", "camera", "light", "frame", "link", "visual", "collision"}
_BODIES = {"body", "link"}
_FILES = ("file", "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback", "filename")
_FOLDERS = ("meshdir", "texturedir", "assetdir")
_NUMBERS = re.compile(r"[\s\d.,+\-eE]*|[\s\d.,+\-eEnaifNAIF]*")
_LONGEST_WORDS = 4096  # letters of an attribute that is not a list of numbers: the longest path there is
_PNG = b"\x89PNG\r\n\x1a\n"


class _Refused(Exception):
    """What a scan found; carries the rest of the sentence."""


class Scan:
    """The scan of one model: counts over its text and all that it includes."""

    def __init__(self, folder: Path | None):
        self.folder = folder  # of the main file; None: a text that may name no files
        self.elements = self.objects = self.bodies = self.samples = self.points = self.pixels = 0
        self.texts: set[Path] = set()
        self.assets: list[str] = []
        self.folders: list[str] = [""]
        self.root = ""

    def text(self, data: bytes, base: Path | None) -> None:
        """Count what one text holds; `base` is the folder of its file."""
        reader = expat.ParserCreate()
        reader.buffer_text = True
        copies = [1]  # of the element that is open at each depth, by the replicates around it

        def begin(tag: str, attributes: dict[str, str]) -> None:
            self.elements += 1
            if self.elements > budgets.ELEMENTS:
                raise _Refused(f"it has more than {budgets.ELEMENTS} elements")
            if len(copies) > budgets.XML_DEPTH:
                raise _Refused(f"its elements lie more than {budgets.XML_DEPTH} deep inside each other")
            self.root = self.root or tag
            times = copies[-1]
            self._element(tag, attributes, times, base)
            copies.append(times * max(1, _whole(attributes.get("count"))) if tag == "replicate" else times)

        def end(_: str) -> None:
            copies.pop()

        def entity(*_: object) -> None:
            raise _Refused("it declares entities, which no model needs")

        reader.StartElementHandler, reader.EndElementHandler, reader.EntityDeclHandler = begin, end, entity
        reader.Parse(data, True)

    def _element(self, tag: str, attributes: Mapping[str, str], times: int, base: Path | None) -> None:
        for key, value in attributes.items():
            if key == "name" and len(value) > budgets.NAME:
                name = f"a name of {len(value)} letters ({shortened(value, 24)!r})"
                raise _Refused(f"its <{shortened(tag, 24)}> has {name}; {budgets.NAME} are allowed")
            if key == "name" and printable(value) != value:
                raise _Refused(f"its <{shortened(tag, 24)}> has control signs in its name {shortened(value)!r}")
            if len(value) > _LONGEST_WORDS and not _NUMBERS.fullmatch(value):
                raise _Refused(f"its <{shortened(tag, 24)}> has {len(value)} letters as {shortened(key, 24)!r}")
            if key in _FILES and tag not in ("include", "model"):
                self.assets.append(value)
            elif key in _FOLDERS:
                self.folders.append(value)
        self.objects += times if tag in _OBJECTS else 0
        self.bodies += times if tag in _BODIES else 0
        if tag == "hfield":
            self.samples += _product(attributes, "nrow", "ncol")
        elif tag == "texture" and not any(k in attributes for k in _FILES):
            self.pixels += _product(attributes, "width", "height")
        elif tag in ("composite", "flexcomp"):
            self.points += times * math.prod(max(1, _whole(n)) for n in attributes.get("count", "").split()[:3])
        elif tag == "mesh" and "builtin" in attributes:
            self.points += math.prod(max(1, _whole(n)) for n in attributes.get("params", "").split()[:2])
        elif tag in ("include", "model") and "file" in attributes:
            self._include(attributes["file"], base)
        self._within()

    def _within(self) -> None:
        for count, most, what in (
            (self.objects, budgets.OBJECTS, "bodies, geoms, joints and sites, replicates counted"),
            (self.bodies, budgets.BODIES, "bodies, replicates counted"),
            (self.samples, budgets.HEIGHT_SAMPLES, "samples of height fields"),
            (self.pixels, budgets.PICTURE_PIXELS, "pixels in its textures"),
            (self.points, budgets.GRID_POINTS, "points in soft bodies and generated meshes"),
        ):
            if count > most:
                raise _Refused(f"it asks for more than {most} {what}")

    def _include(self, name: str, base: Path | None) -> None:
        """Count what an included or attached file holds, too."""
        if self.folder is None:
            raise _Refused(f"it includes the file {shortened(name)!r}; the text of a saved character stands alone")
        for folder in dict.fromkeys((self.folder, base or self.folder)):
            path = folder / name
            size = _regular(path)
            if size < 0 or path in self.texts:
                continue
            self.texts.add(path)
            if len(self.texts) > budgets.INCLUDES:
                raise _Refused(f"it includes more than {budgets.INCLUDES} files")
            if size > budgets.MODEL_BYTES:
                raise _Refused(f"it includes {shortened(name)!r}, which has {size / 1e6:.0f} MB")
            try:
                self.text(path.read_bytes(), path.parent)
            except expat.ExpatError as error:
                raise _Refused(f"it includes {shortened(name)!r}, which is no well-formed XML ({error})") from None
            except OSError as error:
                raise _Refused(f"it includes {shortened(name)!r}, which cannot be read ({error.strerror})") from None

    def weigh_assets(self) -> None:
        """Refuse meshes and pictures that are no ordinary files, and more of them than fit into memory."""
        if self.folder is None:
            if any(self.assets):
                raise _Refused(f"it names the file {shortened(self.assets[0])!r}; a saved character stands alone")
            return
        places = {self.folder, *(p.parent for p in self.texts)}
        folders = {place / inner for place in places for inner in self.folders[: budgets.INCLUDES] if "\0" not in inner}
        names = {name for n in self.assets for name in (n, re.split(r"[\\/]", n)[-1])}
        total = 0
        for path in {folder / name for folder in folders for name in names if name}:
            size = _regular(path)
            total += max(0, size)
            if total > budgets.ASSET_BYTES:
                raise _Refused(f"its meshes and pictures have more than {budgets.ASSET_BYTES // 1_000_000} MB")
            self.pixels += _pixels(path) if size > 0 else 0
        self._within()


def check(path: Path, data: bytes) -> str:
    """The name of the outermost element of a model file that is within budget; any other file is refused."""
    scan = Scan(path.parent)
    scan.texts.add(path)
    try:
        scan.text(data, path.parent)
        scan.weigh_assets()
    except expat.ExpatError as error:
        raise BadFile(path, f"this is no well-formed XML ({error}); expected an MJCF or URDF file.") from None
    except _Refused as error:
        raise BadFile(path, f"this model cannot be built: {error}.") from None
    return scan.root


def problem(text: str) -> str:
    """What is wrong with the text of a saved character, which names no files; empty where nothing is."""
    scan = Scan(None)
    try:
        scan.text(text.encode("utf-8", "replace"), None)
        scan.weigh_assets()
    except (expat.ExpatError, _Refused) as error:
        return str(error)
    return ""


def _regular(path: Path) -> int:
    """Bytes of an ordinary file, -1 where there is none; what is there and is no ordinary file is refused."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return -1
    if stat.S_ISDIR(found.st_mode):
        return -1
    if not stat.S_ISREG(found.st_mode):
        raise _Refused(f"{shortened(path.name)!r}, which it names, is not an ordinary file")
    return found.st_size


def _pixels(path: Path) -> int:
    """How many pixels a PNG says to have; 0 for other files."""
    if path.suffix.lower() != ".png":
        return 0
    start = files.head(path, 24)
    return math.prod(struct.unpack(">II", start[16:24])) if start.startswith(_PNG) and len(start) == 24 else 0


def _product(attributes: Mapping[str, str], *keys: str) -> int:
    return math.prod(max(0, _whole(attributes.get(k))) for k in keys)


def _whole(word: str | None) -> int:
    """A whole number as MuJoCo reads it; 0 where it is none, and as many as there can be where it is beyond."""
    try:
        value = float((word or "0").strip()[:40])
    except ValueError:
        return 0
    return int(value) if abs(value) < 1e12 else 10**12

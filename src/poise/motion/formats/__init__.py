"""Motion files: one `read` for all of them, told apart by their ending and, where the ending lies, by their content."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from poise import files
from poise.errors import BadFile, BadValue
from poise.motion.recording import Recording

ENDINGS: dict[str, str] = {
    ".bvh": "bvh",
    ".amc": "amc",
    ".asf": "asf",
    ".fbx": "fbx",
    ".txt": "deepmimic",
    ".json": "deepmimic",
    ".npz": "npz",
}
"""The format that each ending promises."""


def read(path: str | PathLike[str], *, skeleton: str | PathLike[str] | None = None) -> Recording:
    """The recording in a motion file; `skeleton`: the .asf of an .amc that lies elsewhere.

    A clip made of it gets its likely licence (`poise.motion.formats.licence`).
    """
    file = files.must_exist(path)
    try:
        return _read(file, kind_of(file), None if skeleton is None else files.must_exist(skeleton))
    except MemoryError:
        raise BadFile(path, "it is too large for this computer's memory.") from None
    except BadValue as error:  # what a Skeleton or Recording refuses
        raise BadFile(path, str(error)) from None


def kind_of(path: Path) -> str:
    """The format of an existing file: "bvh", "amc", "asf", "fbx", "deepmimic" or "npz", by its first bytes."""
    start, promised = files.head(path), ENDINGS.get(path.suffix.lower(), "")
    if not start.strip():
        raise BadFile(path, "it is empty.")
    found = _by_content(start)
    if found or promised:
        return found or promised
    known = " ".join(ENDINGS)
    raise BadFile(
        path, f"it is not a motion file that poise knows, neither by its ending ({known}) nor by its content."
    )


def _by_content(start: bytes) -> str:
    """The format that the first bytes show, empty where they show none."""
    from poise.motion.formats import bvh

    if start.startswith((b"Kaydara FBX Binary", b"; FBX")):
        return "fbx"
    if start.startswith(b"PK\x03\x04"):
        return "npz"
    if bvh.looks_like(start):
        return "bvh"
    lines = [line.strip().lower() for line in start.removeprefix(b"\xef\xbb\xbf").splitlines()]
    words = {line.split()[0] for line in lines if line}
    if words & {b":bonedata", b":hierarchy"} or {b":version", b":units"} <= words:
        return "asf"
    if words & {b":fully-specified", b":degrees", b":radians"}:
        return "amc"
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and (b'"Frames"' in start or b'"Loop"' in start):
        return "deepmimic"
    return ""


def _read(path: Path, kind: str, skeleton: Path | None) -> Recording:
    if kind == "bvh":
        from poise.motion.formats import bvh

        return bvh.read(path)
    if kind == "amc":
        from poise.motion.formats import asf

        return asf.read(path, skeleton)
    if kind == "asf":
        raise BadFile(path, "an ASF file holds a skeleton without motion; give the .amc file that goes with it.")
    if kind == "fbx":
        from poise.motion.formats import fbx

        return fbx.read(path)
    if kind == "deepmimic":
        from poise.motion.formats import deepmimic

        return deepmimic.read(path)
    from poise.motion.formats import npz

    clip = npz.load(path)
    if clip.recording is None:
        raise BadFile(path, "it holds a clip that came from no motion file; load it as a clip.")
    return clip.recording

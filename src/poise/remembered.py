"""remembered: what took long to make, kept on disk by what it was made from. Bounded; `poise cache --clear` empties it.

A thing is found again by its content: the bytes it was made from, the settings, the code of poise itself, the versions
of the packages that compute, and the kind of machine. So nothing has to be declared stale, and bits are the same as if
it were made anew. Where there is no folder that can be trusted, nothing is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import secrets
from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from poise.cache_folder import place

MOST = 200_000_000  # bytes; what was not asked for longest goes first
_PACKAGES = ("numpy", "scipy", "numba", "mujoco-core", "mujoco", "daqp")
_ENDING = ".npz"


def folder() -> Path | None:
    """Where things are kept; None where nothing is: no folder can be trusted, or POISE_REMEMBER is set to 0."""
    if os.environ.get("POISE_REMEMBER", "").lower() in ("0", "off", "no"):
        return None
    found = place("remembered").folder
    return None if found is None else Path(found)


def key(kind: str, parts: Iterable[bytes]) -> str:
    """The name of a thing of a kind that is made from these bytes, by this code on this kind of machine."""
    digest = hashlib.sha256(f"{kind}\n{_maker()}\n".encode())
    for part in parts:
        digest.update(f"{len(part)}\n".encode())
        digest.update(part)
    return f"{kind}-{digest.hexdigest()[:40]}"


@cache
def _maker() -> str:
    """Code, versions and machine on which results depend."""
    code = hashlib.sha256()
    root = Path(__file__).parent
    for room in ("maths", "solve", "character", "dynamics", "ground", "motion", "repair", "physical"):
        for file in sorted((root / room).rglob("*.py")):
            code.update(file.relative_to(root).as_posix().encode())
            code.update(file.read_bytes())
    found = [platform.system(), platform.machine(), platform.python_version(), _processor(), code.hexdigest()]
    for package in _PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            found.append(f"{package} {version(package)}")
    return "\n".join(found)


def _processor() -> str:
    """The kind of processor, by which compiled kernels differ."""
    from llvmlite.binding import get_host_cpu_name

    return str(get_host_cpu_name())


def find(name: str) -> Path | None:
    """The file of a thing that was kept; None where there is none."""
    where = folder()
    if where is None:
        return None
    file = where / (name + _ENDING)
    try:
        os.utime(file)  # it is wanted
    except OSError:
        return None
    return file


def keep(name: str, write: Callable[[Path], None]) -> None:
    """Keep what `write` writes to a path; a disk that is full or read-only is no reason to fail."""
    where = folder()
    if where is None:
        return
    fresh = where / f".{secrets.token_hex(8)}{_ENDING}"
    try:
        write(fresh)
        os.replace(fresh, where / (name + _ENDING))
        _make_room(where)
    except OSError:
        pass
    finally:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)


def kept(where: Path) -> list[tuple[float, int, Path]]:
    """When each thing was last wanted, how many bytes it has, and its file; the oldest first."""
    out = []
    for file in where.glob("*" + _ENDING):
        with contextlib.suppress(OSError):
            state = file.stat()
            out.append((state.st_mtime, state.st_size, file))
    return sorted(out)


def _make_room(where: Path) -> None:
    known = kept(where)
    total = sum(size for _, size, _ in known)
    for _, size, file in known:
        if total <= MOST:
            return
        file.unlink(missing_ok=True)
        total -= size


def clear() -> tuple[int, int]:
    """Forget everything; gives how many things there were, and their bytes."""
    where = folder()
    known = [] if where is None else kept(where)
    for _, _, file in known:
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)
    return len(known), sum(size for _, size, _ in known)

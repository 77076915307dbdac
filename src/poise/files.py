"""Files in and out: what exists, what its head looks like, and writing that is whole or not at all."""

from __future__ import annotations

import contextlib
import difflib
import errno
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path

from poise.errors import AlreadyThere, BadFile

_REASONS = {
    errno.ENOENT: "it does not exist",
    errno.EACCES: "permission was denied",
    errno.EPERM: "permission was denied",
    errno.EROFS: "it lies on a read-only file system",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file would become larger than the file system allows",
    errno.EISDIR: "it is a folder, not a file",
    errno.ENOTDIR: "a part of its path is a file, not a folder",
    errno.ENAMETOOLONG: "its name is too long",
    errno.ELOOP: "its links lead in a circle",
    errno.ENODEV: "the device does not exist",
}


def must_exist(path: str | PathLike[str]) -> Path:
    """The path of a readable file; refuses a missing one (naming a similar one), a folder, a pipe or a locked one."""
    given = Path(path)
    if not str(path):
        raise BadFile("''", "the name of a file is empty.")
    try:
        kind = given.stat().st_mode
        if stat.S_ISDIR(kind):
            raise BadFile(path, "it is a folder; a file was expected.")
        if not stat.S_ISREG(kind):
            raise BadFile(path, "it is not an ordinary file.")
        with given.open("rb"):
            pass
    except FileNotFoundError:
        raise BadFile(path, f"there is no such file.{similar(given)}") from None
    except OSError as error:
        raise BadFile(path, f"it cannot be read: {reason(error)}.") from None
    except ValueError:  # an embedded null character
        raise BadFile(repr(str(path)), "this is not the name of a file.") from None
    return given


def head(path: Path, count: int = 4096) -> bytes:
    """The first bytes of a file, enough to tell what it is without reading it all."""
    try:
        with path.open("rb") as stream:
            return stream.read(count)
    except OSError as error:
        raise BadFile(path, f"it cannot be read: {reason(error)}.") from None


def read_bytes(path: Path, limit: int) -> bytes:
    """The whole file; refuses one of more than `limit` bytes before reading it."""
    try:
        size = path.stat().st_size
        if size > limit:
            raise BadFile(path, f"it has {size / 1e6:.0f} MB; at most {limit / 1e6:.0f} MB can be read.")
        return path.read_bytes()
    except OSError as error:
        raise BadFile(path, f"it cannot be read: {reason(error)}.") from None


def reason(error: OSError) -> str:
    """Why the operating system refused, in plain words."""
    return _REASONS.get(error.errno or 0, str(error.strerror or error).lower())


def check_writable(path: str | PathLike[str]) -> None:
    """Refuse, before any work is done, a path to which `writing` could not write."""
    target = _target(path)
    with _refusals(path):
        if target.exists() and not target.is_file():  # a device or a pipe: there is nothing to be created
            if not os.access(target, os.W_OK):
                raise PermissionError(errno.EACCES, "permission denied")
            return
        temporary = _beside(target)
        _create(temporary, target)
        temporary.unlink()


def check_overwrite(path: str | PathLike[str], own: Iterable[str] = (), overwrite: bool | None = None) -> None:
    """Refuse to replace a file that is to be kept.

    `own` are the files from which the motion was read. `overwrite`: None replaces any file but these, True these too,
    False none at all. What is no ordinary file (a pipe, /dev/stdout) is written and never replaced.
    """
    if overwrite or not os.path.isfile(path):
        return
    if overwrite is False:
        raise AlreadyThere(path, "it exists already; give another name, or overwrite=True to replace it.")
    if any(_same(path, other) for other in own):
        raise AlreadyThere(path, "the motion was read from this very file; give another name, or overwrite=True to "
                           "replace it.")  # fmt: skip


def _same(path: str | PathLike[str], other: str) -> bool:
    try:
        return bool(other) and os.path.samefile(path, other)
    except (OSError, ValueError):  # the other is gone by now
        return False


def free_name(path: str | PathLike[str]) -> Path:
    """The path itself, or the first of name-2, name-3, ... that is not taken."""
    given = Path(path)
    for number in range(2, 10000):
        tried = given if number == 2 else given.with_name(f"{given.stem}-{number - 1}{given.suffix}")
        if not os.path.lexists(tried):
            return tried
    raise BadFile(path, "there are too many files of this name already.")


@contextlib.contextmanager
def writing(path: str | PathLike[str]) -> Iterator[Path]:
    """Gives a temporary path beside the target, with the same ending, and renames it to the target at success.

    Inside the block write to that path in any way (open it, hand it to a library). If the block fails, the temporary
    file is removed and the target is as it was. An operating-system error, inside the block too, becomes a BadFile.

        with files.writing("out.bvh") as temporary:
            temporary.write_text(text)
    """
    target = _target(path)
    device = target.exists() and not target.is_file()  # /dev/stdout and its like are written, never replaced
    temporary = _beside(Path(tempfile.gettempdir(), target.name) if device else target)
    try:
        with _refusals(path):
            _create(temporary, target)
            yield temporary
            if device:
                with temporary.open("rb") as source, target.open("wb") as sink:
                    shutil.copyfileobj(source, sink)
            else:
                with temporary.open("rb+") as stream:
                    os.fsync(stream.fileno())
                os.replace(temporary, target)
    finally:
        with contextlib.suppress(OSError):  # gone after a rename; nothing more can be done otherwise
            temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def _refusals(path: str | PathLike[str]) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BadFile(path, f"it cannot be written: {reason(error)}.") from error
    except UnicodeEncodeError as error:  # from libraries that want the name of a file as text
        raise BadFile(path, "it cannot be written: its name, or its folder's, is not valid text.") from error


def _target(path: str | PathLike[str]) -> Path:
    """The real place of an output (links followed), after the checks that need no writing."""
    given = Path(path)
    try:
        with _refusals(path):
            target = Path(os.path.realpath(given))
            with contextlib.suppress(FileNotFoundError):
                os.stat(target)  # says whether the name is too long
            if str(path).endswith(("/", os.sep)) or target.is_dir():
                raise BadFile(path, "it is a folder; give the name of a file to write.")
            if not target.parent.is_dir():
                folder = target.parent if given.is_symlink() else given.parent
                raise BadFile(path, f"the folder {folder} does not exist; make it first.")
            if target.is_file():
                with target.open("rb+"):  # a protected file must not be replaced through its folder
                    pass
    except ValueError:  # an embedded null character
        raise BadFile(repr(str(path)), "this is not the name of a file.") from None
    return target


def _beside(target: Path) -> Path:
    """A new name in the folder of the target, with its ending."""
    return target.parent / f".poise-{secrets.token_hex(6)}{target.suffix[:16]}"


def _create(temporary: Path, target: Path) -> None:
    """An empty temporary file with the target's permissions (those of any new file where there is no target)."""
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    if target.is_file():
        temporary.chmod(stat.S_IMODE(target.stat().st_mode))


def similar(path: Path) -> str:
    """' Did you mean ...?' with the nearest name in the same folder (or this one with an ending), or nothing."""
    try:
        names = os.listdir(path.parent)[:10000]
    except OSError:
        return f" The folder {path.parent} does not exist either."
    stems = {Path(name).stem: name for name in names} if not path.suffix else {}
    close = [stems[path.name]] if path.name in stems else difflib.get_close_matches(path.name, names, n=1, cutoff=0.7)
    return f" Did you mean {close[0]}?" if close else ""

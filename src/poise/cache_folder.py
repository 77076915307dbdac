"""Where poise keeps what it can make again: the user's own cache folder, and only if nobody else can write there."""

from __future__ import annotations

import os
import stat
import sys
from functools import lru_cache
from typing import NamedTuple


class Place(NamedTuple):
    """A folder to keep things in; or None, and why there is none."""

    folder: str | None
    reason: str


@lru_cache(maxsize=8)
def place(name: str) -> Place:
    """The folder `name` in the cache of this user, made where it is missing; None where there is none to be trusted.

    `POISE_CACHE_DIR`, where it is set, is the only one that is tried. Else the system's: `XDG_CACHE_HOME` or
    `~/.cache`, `~/Library/Caches` on macOS, `LOCALAPPDATA` on Windows. What lies there may be run (compiled kernels
    are code): a folder that others own or can write, or can exchange for another, is refused.
    """
    reason = "there is no folder for caches here"
    for folder in _candidates():
        path = os.path.join(folder, name)
        reason = _made(path) or refusal(path) or ""
        if not reason:
            return Place(path, "")
    return Place(None, reason)


def _candidates() -> list[str]:
    """Folders to try in turn, all absolute: a relative one would lie wherever the user happens to be."""
    own = os.environ.get("POISE_CACHE_DIR")
    if own:
        return [os.path.abspath(own)]
    if sys.platform == "win32":
        found = [os.environ.get("LOCALAPPDATA", "")]
    else:
        below = "Library/Caches" if sys.platform == "darwin" else ".cache"
        found = [os.environ.get("XDG_CACHE_HOME", "")]
        found += [os.path.join(home, below) for home in (os.environ.get("HOME", ""), _registered_home()) if home]
    return [os.path.join(folder, "poise") for folder in found if os.path.isabs(folder)]


def _registered_home() -> str:
    """The home that the system knows for this user; empty where it knows none."""
    import pwd

    try:
        return pwd.getpwuid(os.geteuid()).pw_dir
    except KeyError:  # a number without a name, as in containers
        return ""


def _made(path: str) -> str | None:
    """Make the folder and what is missing above it, for this user alone; or say why that cannot be."""
    missing = []
    while not os.path.lexists(path):
        missing.append(path)
        path = os.path.dirname(path)
    if missing and (reason := refusal(path, last=False)):
        return reason
    for folder in reversed(missing):
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            pass  # another process was faster
        except OSError as error:
            return f"{folder} cannot be made ({(error.strerror or str(error)).lower()})"
    return None


def refusal(path: str, last: bool = True) -> str | None:
    """Why a folder is not to be trusted, or None: no other user may write to it or put another one in its place.

    Every folder on the way to it, and every link, must belong to this user or to the system's administrator. Folders
    that all can write are allowed on the way if they are sticky (as /tmp); the `last` one must be closed in any case.
    """
    try:
        for folder in {*_way(os.path.abspath(path)), *_way(os.path.realpath(path))}:
            state, link = os.stat(folder), os.lstat(folder)
            if not stat.S_ISDIR(state.st_mode):
                return f"{folder} is not a folder"
            if sys.platform == "win32":  # what lies in a profile is guarded by its access list
                continue
            if {state.st_uid, link.st_uid} - {os.geteuid(), 0}:
                return f"{folder} belongs to another user"
            sticky = bool(state.st_mode & stat.S_ISVTX) and not (last and os.path.samefile(folder, path))
            if _open_to_others(state) and not sticky:
                return f"others can write to {folder}"
    except OSError as error:
        return f"{path} cannot be used ({(error.strerror or str(error)).lower()})"
    return None


def _way(path: str) -> list[str]:
    """The folder and all above it."""
    out = [path]
    while os.path.dirname(out[-1]) != out[-1]:
        out.append(os.path.dirname(out[-1]))
    return out


def _open_to_others(state: os.stat_result) -> bool:
    """May anyone but this user write there? A group of which nobody else is a member does not count."""
    if state.st_mode & stat.S_IWOTH:
        return True
    return bool(state.st_mode & stat.S_IWGRP) and not _group_of_one(state.st_gid)


def _group_of_one(number: int) -> bool:
    """Is this the private group of this user, as many systems give to each (or the administrator's)?"""
    import grp
    import pwd

    if number == 0:
        return True
    try:
        group, me = grp.getgrgid(number), pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    return me.pw_gid == number and group.gr_name == me.pw_name and set(group.gr_mem) <= {me.pw_name}

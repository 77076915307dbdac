"""Where compiled kernels are kept between runs: a place that can be written, whatever the installation looks like."""

from __future__ import annotations

import os


def settle() -> None:
    """Before numba is imported: give it a folder where it would find none, and then refuse to work at all.

    It keeps kernels beside the package or in the user's cache. Where neither can be written (a container with a
    read-only file system, a user without a home) they go into a folder of the user's own under the temporary one.
    """
    if "NUMBA_CACHE_DIR" in os.environ or os.access(os.path.dirname(__file__), os.W_OK):
        return
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    try:
        os.makedirs(cache, exist_ok=True)
        if os.access(cache, os.W_OK):
            return
    except OSError:
        pass  # no home: the temporary folder it is
    os.environ["NUMBA_CACHE_DIR"] = _own_folder()


def _own_folder() -> str:
    """A folder that nobody else can write: kernels are code, and are run when they are loaded."""
    import tempfile

    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
    path = os.path.join(tempfile.gettempdir(), f"poise-kernels-{user}")
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        state = os.lstat(path)
        if not hasattr(os, "getuid") or (state.st_uid == os.getuid() and not state.st_mode & 0o022):
            return path
    except OSError:
        pass  # something else has this name: a new folder, for this run alone
    return tempfile.mkdtemp(prefix="poise-kernels-")

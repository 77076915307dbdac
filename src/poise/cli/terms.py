"""Terms of use of recordings, told once: the whole line the first time, then no more until another one comes."""

from __future__ import annotations

import contextlib
import hashlib
import os

from poise.cli.process import say


def tell(licence: str) -> None:
    """Say under which licence a motion may be used, unless this user was told before."""
    if not licence:
        return
    from poise.cache_folder import place

    folder = place("told").folder
    mark = None if folder is None else os.path.join(folder, hashlib.sha256(licence.encode()).hexdigest()[:16])
    if mark is not None and os.path.exists(mark):
        return
    say(f"licence: {licence} (it travels with every file; told once)")
    if mark is not None:
        with contextlib.suppress(OSError):
            open(mark, "w").close()

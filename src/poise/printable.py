"""Text for a person: what a file calls its joints never moves the cursor, forges a line or turns the reading order."""

from __future__ import annotations

import re
import unicodedata

_JOINERS = "\u200c\u200d"  # part of names in several scripts, and harmless
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")  # controls, formats (bidirectional marks), halves of signs, line separators
_PLAIN = re.compile(r"[ -~]*")


def printable(text: object, keep: str = "") -> str:
    """The text with every control or invisible sign written as an escape ("\\x1b"), but for those of `keep`.

    >>> printable("Hips\\x1b[2J")
    'Hips\\\\x1b[2J'
    """
    given = str(text)
    if _PLAIN.fullmatch(given):
        return given
    return "".join(
        c.encode("unicode_escape").decode("ascii")
        if unicodedata.category(c) in _HIDDEN and c not in keep and c not in _JOINERS
        else c
        for c in given
    )


def shortened(text: object, most: int = 60) -> str:
    """The same, cut to `most` letters with "..." where there was more; for names inside sentences."""
    given = str(text)
    return printable(given if len(given) <= most else f"{given[: most - 3]}...")

"""The errors of poise: one root; each names a fact, carries what it is about and says what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice

from poise.printable import printable, shortened

_LONGEST = 4000  # letters of a message; what is longer is a list that nobody reads to its end
_LISTED = 100  # names of a list of what exists
_NAME = 60  # letters of a name in a sentence


class PoiseError(Exception):
    """Root of every error that poise raises on purpose; its text is one clear sentence for the user.

    Whatever signs the names in it have, it is one line and safe on a terminal.
    """

    def __init__(self, message: object = "", *more: object):
        text = printable(message)
        super().__init__(text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ...", *more)


class UnknownName(PoiseError):
    """A name that does not exist; the message lists those that do."""

    def __init__(self, kind: str, name: object, known: Iterable[str], hint: str = ""):
        self.kind, self.name, self.known = kind, name, sorted(known)
        close = difflib.get_close_matches(str(name)[:_NAME], self.known[:1000], n=1)
        guess = f" Did you mean {shortened(close[0])!r}?" if close else ""
        listed = ", ".join(shortened(n) for n in islice(self.known, _LISTED)) or "none"
        listed += f" and {len(self.known) - _LISTED} more" if len(self.known) > _LISTED else ""
        shown = name if len(str(name)) <= _NAME else shortened(name)
        super().__init__(f"There is no {kind} {shown!r}.{guess} Known: {listed}.{' ' + hint if hint else ''}")


class UnknownBody(UnknownName):
    """A body or role that the character does not have."""


class BadFile(PoiseError):
    """A file that cannot be read or written as what it claims to be."""

    def __init__(self, path: object, reason: str):
        self.path, self.reason = path, reason
        super().__init__(f"{path}: {reason}")


class AlreadyThere(BadFile):
    """A file that would have been replaced, and nobody asked for that."""


class BadValue(PoiseError):
    """A number or option outside what is meaningful."""


class ClipMismatch(PoiseError):
    """Two clips or characters that do not belong together."""


class NoRoles(PoiseError):
    """A skeleton in which the parts of a body could not be found."""


class MissingExtra(PoiseError):
    """A feature that needs an optional package which is not installed."""

    def __init__(self, feature: str, extra: str):
        self.feature, self.extra = feature, extra
        super().__init__(f"{feature} needs an optional package: install it with  pip install 'poise[{extra}]'")


class NoSolution(PoiseError):
    """A problem that has no solution; carries the problem."""

    def __init__(self, message: str, problem: object = None):
        self.problem = problem
        super().__init__(message)

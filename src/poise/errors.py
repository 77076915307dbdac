"""The errors of poise: one root; each names a fact, carries what it is about and says what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class PoiseError(Exception):
    """Root of every error that poise raises on purpose; its text is one clear sentence for the user."""


class UnknownName(PoiseError):
    """A name that does not exist; the message lists those that do."""

    def __init__(self, kind: str, name: object, known: Iterable[str], hint: str = ""):
        self.kind, self.name, self.known = kind, name, sorted(known)
        close = difflib.get_close_matches(str(name), self.known, n=1)
        guess = f" Did you mean {close[0]!r}?" if close else ""
        listed = ", ".join(self.known) if self.known else "none"
        super().__init__(f"There is no {kind} {name!r}.{guess} Known: {listed}.{' ' + hint if hint else ''}")


class UnknownBody(UnknownName):
    """A body or role that the character does not have."""


class BadFile(PoiseError):
    """A file that cannot be read or written as what it claims to be."""

    def __init__(self, path: object, reason: str):
        self.path, self.reason = path, reason
        super().__init__(f"{path}: {reason}")


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

"""The command `poise`: one module per verb, each imported only when it is asked for."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

from poise._version import __version__
from poise.cli import process
from poise.errors import BadValue, PoiseError, UnknownName

VERBS = {
    "check": "what a motion file holds: height, units, floor, contacts, skating, frame rate, licence",
    "convert": "from one file format to another, edited and repaired on the way; whole folders too",
    "retarget": "the same motion on another character",
    "perform": "a character performs clips in physics, is pushed, walks on slopes and stairs; says why it fell",
    "hands": "finger motion for wrists and an object that were recorded without fingers",
    "rehearse": "a search in the simulator, after which a character performs what it cannot improvise",
    "modes": "the natural vibrations of a body, in words or on a page on which they move",
    "design": "from a sketch of vibrations to a gait that stays up",
    "methods": "the ways to perform a clip, and the settings of each with units and ranges",
    "recover": "the take of a performance that was broken off, from the frames that are left of it",
    "audit": "is the physics of a take or a clip true, and where is it not",
    "reproduce": "tables and figures of the papers, run anew",
    "bench": "how fast this machine does the work, beside yardsticks in the same run",
    "cache": "what is remembered on disk: repairs and fits; and forgetting it",
    "cite": "the papers behind the methods, as text or BibTeX",
    "completion": "shell completion for bash, zsh or fish",
}

BAD_INPUT, BROKEN, STOPPED = 2, 70, 130  # exit codes


class Words(argparse.ArgumentParser):
    """A parser that refuses with one sentence, and takes what begins like a negative number as a value."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._negative_number_matcher = re.compile(r"^-\.?\d")  # --stairs -0.15x0.3 leads down

    def error(self, message: str) -> NoReturn:
        raise BadValue(f"{_plain(message)}. {self.prog} --help tells more.")


def _plain(message: str) -> str:
    """A complaint of argparse in plain words."""
    for old, new in _COMPLAINTS.items():
        message = re.sub(old, new, message)
    return message[:1].upper() + message[1:] if not message.startswith("-") else message


_COMPLAINTS = {
    r"argument (\S+): invalid float value: (.*)": r"\1 wants a number, not \2",
    r"argument (\S+): invalid int value: (.*)": r"\1 wants a whole number, not \2",
    r"argument (\S+): invalid choice: (.*) \(choose from (.*)\)": r"\1 cannot be \2: it is one of \3",
    r"argument (\S+): expected (one|at least one) argument": r"\1 wants a value",
    r"argument (\S+): ignored explicit argument (.*)": r"\1 takes no value, not \2",
    r"the following arguments are required: (.*)": r"missing: \1",
}


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """The whole command line; with `only`, the arguments of that verb alone are filled in (the others cost imports)."""
    top = Words(
        prog="poise",
        description="Motion capture with a body: check, edit, retarget and export clips of any skeleton.",
        epilog="poise VERB --help tells more about a verb. Every verb has --json.",
    )
    top.add_argument("--version", action="version", version=f"poise {__version__}")
    verbs = top.add_subparsers(dest="verb", metavar="VERB", title="verbs")
    for name, text in VERBS.items():
        sub = verbs.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        if only in (name, "*"):
            module = import_module(f"poise.cli.{name}")
            module.arguments(sub)
            sub.add_argument("--json", action="store_true", help="print the result as JSON")
            sub.set_defaults(run=module.run)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; 0 when all went well, 2 for bad input, with one sentence on standard error."""
    if argv is None:
        process.prepare()
    try:
        code = _run(list(sys.argv[1:] if argv is None else argv))
        if sys.stdout is not None:
            sys.stdout.flush()  # a reader that went away is noticed here, not at exit
        return code
    except PoiseError as error:
        return _fail(str(error), BAD_INPUT)
    except KeyboardInterrupt as stop:
        return _fail(str(stop) or "Stopped.", STOPPED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # so that closing standard output does not complain again
        return 0
    except MemoryError:
        return _fail("There is not enough memory for this.", BAD_INPUT)
    except OSError as error:  # standard output on a full disk, and its like
        return _fail(f"{error.strerror or error}.", BAD_INPUT)
    except Exception as error:
        if process.stopped():
            return _fail("Stopped.", STOPPED)
        if os.environ.get("POISE_DEBUG"):
            raise
        text = f"{type(error).__name__}: {error}"
        return _fail(f"This is a fault of poise itself ({text}). POISE_DEBUG=1 shows where; please report it.", BROKEN)


def _run(words: list[str]) -> int:
    verb = next((w for w in words if not w.startswith("-")), None)
    if verb is not None and verb not in VERBS:
        raise UnknownName("verb", verb, VERBS)
    top = parser(verb)
    args, unknown = top.parse_known_args(words)
    if unknown:
        raise _unknown(top, verb, unknown[0])
    if not args.verb:
        top.print_help()
        return 0
    return int(args.run(args) or 0)


def _unknown(top: argparse.ArgumentParser, verb: str | None, word: str) -> PoiseError:
    """The refusal of a word that no argument of the verb takes."""
    if not word.startswith("-"):
        return BadValue(f"{word!r} is one word too many; poise {verb} --help tells more.")
    listed = top if verb is None else subparsers(top)[verb]
    return UnknownName("option", word.partition("=")[0], [s for a in listed._actions for s in a.option_strings])


def subparsers(top: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parser of each verb."""
    verbs = next(a for a in top._actions if isinstance(a, argparse._SubParsersAction))
    return dict(verbs.choices)


def _fail(text: str, code: int) -> int:
    process.complain(text)
    return code


if __name__ == "__main__":
    sys.exit(main())

"""Motion files for tests of the command line: a walk as BVH, and what can be wrong with it."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

import poise
from poise.cli.main import main


@cache
def clip() -> poise.Clip:
    """Two cycles of the built-in walk, as an open clip."""
    return poise.load_clip("walk").repeat(2)


@cache
def _text() -> bytes:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        clip().save(Path(folder, "walk.bvh"))
        return Path(folder, "walk.bvh").read_bytes()


def walk(folder: Path, name: str = "walk.bvh") -> Path:
    """The walk as a BVH file."""
    path = folder / name
    path.write_bytes(_text())
    return path


def header() -> bytes:
    """Everything before the numbers."""
    return _text()[: _text().index(b"\n", _text().index(b"Frame Time")) + 1]


def rows() -> list[bytes]:
    """The numbers, one row a frame."""
    return _text()[len(header()) :].splitlines()


def motion(frames: list[bytes], count: int | None = None, time: bytes | None = None) -> bytes:
    """The file with other frames, another declared number of them, another frame time."""
    head = re.sub(rb"Frames: *\d+", b"Frames: %d" % (len(frames) if count is None else count), header())
    head = head if time is None else re.sub(rb"Frame Time: *\S+", b"Frame Time: " + time, head)
    return head + b"\n".join(frames) + b"\n"


def snake() -> bytes:
    """A chain of joints whose names mean nothing, and which is no body by its shape either."""
    head, tail = b"HIERARCHY\n", b""
    for k in range(6):
        channels = b"6 Xposition Yposition Zposition " if k == 0 else b"3 "
        head += b"%s q%d\n{\nOFFSET 0 0 %d\n" % (b"JOINT" if k else b"ROOT", k, k)
        head += b"CHANNELS %sZrotation Xrotation Yrotation\n" % channels
        tail += b"}\n"
    numbers = b" ".join([b"0"] * 21)
    return head + tail + b"MOTION\nFrames: 2\nFrame Time: 0.01\n" + numbers + b"\n" + numbers + b"\n"


def broken(name: str) -> bytes:
    """A file that must be refused."""
    lines = rows()
    rest = lines[3].split(b" ", 1)[1]
    made = {
        "cut in a number": lambda: _text()[: len(_text()) // 2].rstrip(b" 0123456789") + b"-",
        "cut between numbers": lambda: motion([*lines[:-1], b" ".join(lines[-1].split()[:-3])], len(lines)),
        "cut in the hierarchy": lambda: _text()[:600],
        "without motion": lambda: _text()[: _text().index(b"MOTION")],
        "without frame time": lambda: _text()[: _text().index(b"Frame Time")],
        "a channel too few": lambda: motion([b" ".join(r.split()[:-1]) for r in lines]),
        "a channel too many": lambda: motion([r + b" 0" for r in lines]),
        "wrong channel count": lambda: re.sub(rb"CHANNELS 3", b"CHANNELS 4", _text(), count=1),
        "nan": lambda: motion([*lines[:3], b"nan " + rest, *lines[4:]]),
        "infinite": lambda: motion([*lines[:3], b"inf " + rest, *lines[4:]]),
        "huge": lambda: motion([*lines[:3], b"1e300 " + rest, *lines[4:]]),
        "a word": lambda: motion([*lines[:3], b"twelve " + rest, *lines[4:]]),
        "zero frames": lambda: motion([]),
        "zero frames declared": lambda: motion(lines, 0),
        "no frame time": lambda: motion(lines, time=b"0"),
        "negative frame time": lambda: motion(lines, time=b"-0.01"),
        "frame time nan": lambda: motion(lines, time=b"nan"),
        "unknown joints": snake,
        "no lengths": lambda: re.sub(rb"OFFSET [^\r\n]*", b"OFFSET 0 0 0", _text()),
        "empty": lambda: b"",
        "blank": lambda: b" \n\n",
        "binary": lambda: bytes(range(256)) * 20,
        "noise": lambda: os.urandom(4000),
        "prose": lambda: b"Dear Sir,\n",
    }
    return made[name]()


BROKEN = (
    "cut in a number", "cut between numbers", "cut in the hierarchy", "without motion", "without frame time",
    "a channel too few", "a channel too many", "wrong channel count", "nan", "infinite", "huge", "a word",
    "zero frames", "zero frames declared", "no frame time", "negative frame time", "frame time nan", "unknown joints",
    "no lengths", "empty", "blank", "binary", "noise", "prose",
)  # fmt: skip


def names(folder: Path) -> list[str]:
    """What lies in a folder, hidden files too."""
    return sorted(os.listdir(folder))


def refused(capsys, *words: object) -> str:
    """Runs the command, which must refuse with one sentence on standard error and exit code 2; gives the sentence."""
    code = main([str(w) for w in words])
    out, err = capsys.readouterr()
    err = "".join(x for x in err.splitlines(True) if not x.startswith("Compiling the numerical"))  # on a new machine
    assert code == 2, err
    assert out == ""
    assert err.startswith("poise: ") and err.endswith("\n") and err.count("\n") == 1, err
    assert "fault of poise" not in err and "Traceback" not in err
    return err


def done(capsys, *words: object) -> str:
    """Runs the command, which must succeed without complaints; gives its standard output."""
    code = main([str(w) for w in words])
    out, err = capsys.readouterr()
    assert code == 0, err
    assert all(re.fullmatch(r".*: \d+ in [\d.]+ s|Compiling the numerical .*", line) for line in err.splitlines()), err
    return out

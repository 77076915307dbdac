"""Reads BVH: any channel order, position channels on any joint, any layout of the lines."""

from __future__ import annotations

import mmap
import os
import re
from pathlib import Path

import numpy as np

from poise import budgets, files
from poise.errors import BadFile
from poise.kernels import njit
from poise.maths.rotations import Array
from poise.motion.formats import bvh_header, numbers
from poise.motion.recording import Recording, Source

_SMALL = 4_000_000  # bytes of a file that is read faster than mapped
_LONGEST_HEADER = 16_000_000  # bytes; room for the largest hierarchy there can be
_MOTION = re.compile(rb"\bMOTION\s+FRAMES?\s*:?\s*([^\s:]+)\s+FRAME\s*TIME\s*:?\s*([^\s:]+)", re.IGNORECASE)
_BOM = b"\xef\xbb\xbf"


def looks_like(start: bytes) -> bool:
    """Do these first bytes of a file begin a BVH?"""
    return _plain(start).lstrip()[:9].lower() == b"hierarchy"


def read(path: Path) -> Recording:
    """The recording in a BVH file; a file that is not whole and sound is refused with one sentence."""
    start = files.head(path)
    if not start.strip():
        raise BadFile(path, "it is empty.")
    if not looks_like(start):
        raise BadFile(path, "it is not a BVH file: that begins with the word HIERARCHY.")
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = _plain(files.read_bytes(path, 1_000_000_000))
        return _read(path, data, np.frombuffer(data, np.uint8))
    try:
        # a large file is mapped, so that one of which only the beginning is sound is never read as a whole; the
        # mapping is closed by the last reference to it, since numpy's views of it may not outlive it
        with path.open("rb") as stream:
            small = os.fstat(stream.fileno()).st_size < _SMALL
            data = stream.read() if small else mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        return _read(path, data, np.frombuffer(data, np.uint8))
    except OSError as error:
        raise BadFile(path, f"it cannot be read: {files.reason(error)}.") from None


def _plain(data: bytes) -> bytes:
    """The text without byte-order mark, UTF-16 turned into UTF-8."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace").encode()
    return data.removeprefix(_BOM)


def _read(path: Path, data: bytes | mmap.mmap, raw: np.ndarray) -> Recording:
    found = _MOTION.search(data, 0, min(len(data), _LONGEST_HEADER))
    if found is None:
        raise BadFile(path, "it has no MOTION block with 'Frames:' and 'Frame Time:': it is cut short or broken.")
    text, notes = _decode_text(_plain(data[: found.start()]))
    header = bvh_header.parse(path, text)
    frames, dt = _frames(path, found[1].decode("latin-1")), _frame_time(path, found[2].decode("latin-1"))
    values, more = _values(path, header, raw[found.end() :], frames)
    skeleton = header.skeleton
    budgets.check_memory(path, len(values), len(skeleton))
    rotations, positions = np.empty((len(values), len(skeleton), 4)), np.empty((len(values), len(skeleton), 3))
    _place(values, header.joint, header.turns, header.axis, skeleton.offsets, rotations, positions)
    source = Source(name=path.stem, path=str(path), format="bvh", notes=(*notes, *header.notes, *more))
    return Recording(skeleton, rotations, positions, dt, source)


def _decode_text(header: bytes) -> tuple[str, tuple[str, ...]]:
    try:
        return header.decode("utf-8"), ()
    except UnicodeDecodeError:
        return header.decode("latin-1"), ("The joint names are not UTF-8; they were read as Latin-1.",)


def _frames(path: Path, word: str) -> int:
    try:
        count = float(word)
    except ValueError:
        count = -1.0
    if not 0 <= count < 1e15 or count != int(count):
        raise BadFile(path, f"'Frames: {word[:24]}' is not a number of frames.")
    return int(count)


def _frame_time(path: Path, word: str) -> float:
    try:
        dt = float(word)
    except ValueError:
        hint = " (write the fraction with a point, not a comma)" if "," in word else ""
        raise BadFile(path, f"'Frame Time: {word[:24]}' is not a number of seconds{hint}.") from None
    if not 1e-6 < dt < 1e4:
        raise BadFile(path, f"'Frame Time: {word[:24]}' cannot be the time between frames [s].")
    return dt


def _values(path: Path, header: bvh_header.Header, text: np.ndarray, frames: int) -> tuple[Array, tuple[str, ...]]:
    """The numbers of all frames (N, C), whatever the lines they stand on."""
    width = len(header.joint)
    if width == 0:
        raise BadFile(path, "its joints declare no channels, so it holds no motion.")
    values, count, stop = numbers.scan(text, frames * width)
    if stop >= 0 and 0 < len(text) - stop < 24 and not bytes(text[stop:]).split()[1:]:  # half a number, then nothing
        raise BadFile(path, f"it is cut short in frame {count // width + 1} of {frames}.")
    if stop >= 0:
        raise BadFile(path, _bad_word(header, numbers.word_at(text, stop), count, width))
    if count == 0:
        raise BadFile(path, "it holds no frames.")
    if frames == 0:
        raise BadFile(path, f"it declares no frames ('Frames: 0'), yet {count} numbers follow.")
    if count == frames * width:
        return values.reshape(frames, width), ()
    if count > frames * width and count % width == 0:
        values = numbers.scan(text, count)[0].reshape(-1, width)
        return values, (f"The file declares {frames} frames but holds {len(values)}; all were read.",)
    if frames > 0 and count % frames == 0:
        raise BadFile(path, f"its frames have {count // frames} numbers, but its joints declare {width} channels.")
    wanted = f"{frames} frames of {width} channels make {frames * width} numbers"
    if count < frames * width:
        raise BadFile(path, f"{wanted}, but it holds {count}: it is cut short in frame {count // width + 1}.")
    raise BadFile(path, f"{wanted}, but it holds {count}: its frames do not fit its channels.")


def _bad_word(header: bvh_header.Header, word: str, index: int, width: int) -> str:
    joint, what = int(header.joint[index % width]), "rotation" if header.turns[index % width] else "position"
    name = header.skeleton.names[joint] if joint >= 0 else "another skeleton"
    channel = f"{'XYZ'[header.axis[index % width]]}{what}"
    return f"frame {index // width + 1} (the first is 1), {channel} of {name!r}: {word!r} is not a number of a motion."


@njit(cache=True)
def _half_angles(degrees, cosine, sine):
    """Cosines and sines of half of many angles, to the last bit or its neighbour, much faster than the library's.

    Whole half turns are taken off in degrees, where that is exact; the rest, within pi/4, by the polynomials of fdlibm.
    Nothing branches, so the compiler computes several angles at once.
    """
    for k in range(len(degrees)):
        turns = np.rint(degrees[k] * (1.0 / 180.0))
        x = (degrees[k] - 180.0 * turns) * (np.pi / 360.0)
        z = x * x
        s = x + x * z * (-1.66666666666666324348e-01 + z * (8.33333333332248946124e-03
            + z * (-1.98412698298579493134e-04 + z * (2.75573137070700676789e-06
            + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))))  # fmt: skip
        c = 1.0 - 0.5 * z + z * z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03
            + z * (2.48015872894767294178e-05 + z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09
            + z * -1.13596475577881948265e-11)))))  # fmt: skip
        odd = turns - 2.0 * np.floor(0.5 * turns)  # 0 or 1: a half turn exchanges the two
        half = 0.5 * (turns - odd)
        sign = 1.0 - 2.0 * (half - 2.0 * np.floor(0.5 * half))
        cosine[k] = sign * (c if odd == 0.0 else -s)
        sine[k] = sign * (s if odd == 0.0 else c)


@njit(cache=True)
def _place(values, joint, turns, axis, offsets, rotations, positions):
    """Local rotations and positions from the numbers of each frame: turns in the order of the channels, intrinsic."""
    width = values.shape[1]
    cosine, sine = np.empty(width), np.empty(width)
    for n in range(values.shape[0]):
        for j in range(offsets.shape[0]):
            rotations[n, j, 0], rotations[n, j, 1], rotations[n, j, 2], rotations[n, j, 3] = 1.0, 0.0, 0.0, 0.0
            for a in range(3):
                positions[n, j, a] = offsets[j, a]
        _half_angles(values[n], cosine, sine)
        w, x, y, z = 1.0, 0.0, 0.0, 0.0
        for k in range(width):
            j, a = joint[k], axis[k]
            if j < 0:
                continue
            if turns[k]:
                c, s = cosine[k], sine[k]
                if a == 0:
                    w, x, y, z = w * c - x * s, x * c + w * s, y * c + z * s, z * c - y * s
                elif a == 1:
                    w, x, y, z = w * c - y * s, x * c - z * s, y * c + w * s, z * c + x * s
                else:
                    w, x, y, z = w * c - z * s, x * c + y * s, y * c - x * s, z * c + w * s
            else:
                positions[n, j, a] = values[n, k]
            if k + 1 == width or joint[k + 1] != j:  # the channels of a joint stand together
                rotations[n, j, 0], rotations[n, j, 1], rotations[n, j, 2], rotations[n, j, 3] = w, x, y, z
                w, x, y, z = 1.0, 0.0, 0.0, 0.0

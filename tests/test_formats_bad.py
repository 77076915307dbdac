"""Bad input: one clear sentence each, soon, and never anything else."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest

import bvh_text
from poise.errors import BadFile
from poise.motion import formats

TABLE = bvh_text.numbers(bvh_text.PLAIN)
WHOLE = bvh_text.PLAIN + bvh_text.motion(TABLE)


def refuse(path: Path, words: str) -> str:
    with pytest.raises(BadFile, match=words) as caught:
        formats.read(path)
    text = str(caught.value)
    assert "\n" not in text and len(text) < 600 and text.endswith((".", "?"))
    return text


def refuse_text(folder: Path, text: str | bytes, words: str, name: str = "a.bvh") -> str:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return refuse(path, words)


def swap(old: str, new: str) -> str:
    assert old in WHOLE
    return WHOLE.replace(old, new, 1)


def test_missing_empty_folder_binary(tmp_path: Path) -> None:
    refuse(tmp_path / "none.bvh", "no such file")
    refuse(tmp_path, "folder")
    for name in ("a.bvh", "a.amc", "a.fbx", "a.txt", "a.npz", "a"):
        refuse_text(tmp_path, b"", "empty", name)
        refuse_text(tmp_path, b" \n\t ", "empty", name)
        refuse_text(tmp_path, os.urandom(5000).replace(b"HIER", b"    "), "is not|not found|neither", name)
        refuse_text(tmp_path, b"\0" * 5000, "is not|not found|neither", name)
    refuse_text(tmp_path, "hello there", "neither by its ending .* nor by its content", "a.xyz")


@pytest.mark.parametrize("share", [0.02, 0.1, 0.25, 0.4, 0.5, 0.7, 0.9, 0.97])
def test_truncated_bvh(tmp_path: Path, share: float) -> None:
    refuse_text(tmp_path, WHOLE[: int(share * len(WHOLE))].rsplit(" ", 1)[0] + " ", "cut short|no MOTION|numbers")


def test_truncated_motion_tells_the_numbers(tmp_path: Path) -> None:
    text = bvh_text.PLAIN + bvh_text.motion(TABLE[:4], count=7).rsplit(" ", 2)[0]
    refuse_text(tmp_path, text, "7 frames of 15 channels make 105 numbers, but it holds 58: it is cut short in frame 4")


def test_wrong_channel_counts(tmp_path: Path) -> None:
    wide = bvh_text.PLAIN + bvh_text.motion(TABLE[:, :-1])
    refuse_text(tmp_path, wide, "frames have 14 numbers, but its joints declare 15 channels")
    odd = bvh_text.PLAIN + bvh_text.motion(TABLE) + " 1.0 2.0"
    refuse_text(tmp_path, odd, "holds 107: its frames do not fit")
    refuse_text(tmp_path, swap("CHANNELS 3 Y", "CHANNELS 4 Y"), "line 9: CHANNELS 4 is followed by 3 channel names")
    refuse_text(tmp_path, swap("CHANNELS 3 Y", "CHANNELS 2 Y"), "CHANNELS 2 is followed by 3")
    refuse_text(tmp_path, swap("Yrotation", "Yscale"), "Xposition")
    refuse_text(tmp_path, swap("CHANNELS 3 Y", "CHANNELS many Y"), "CHANNELS many is followed by 3")
    none = bvh_text.PLAIN
    for n in ("6 Xposition Yposition Zposition Zrotation Xrotation Yrotation", "3 Yrotation Zrotation Xrotation",
              "3 Zrotation Yrotation Xrotation", "3 Xrotation Yrotation Zrotation"):  # fmt: skip
        none = none.replace(f"CHANNELS {n}", "CHANNELS 0")
    refuse_text(tmp_path, none + bvh_text.motion(np.zeros((2, 1))), "declare no channels")


@pytest.mark.parametrize("word", ["nan", "NaN", "inf", "-Infinity", "1.#QNAN", "1e300", "abc", "1,5", "\ufffd"])
def test_numbers_that_are_none(tmp_path: Path, word: str) -> None:
    rows = [[repr(float(v)) for v in row] for row in TABLE]
    rows[3][7] = word
    text = bvh_text.PLAIN + bvh_text.motion(TABLE[:0], count=7) + "\n".join(" ".join(r) for r in rows)
    told = refuse_text(tmp_path, text, r"frame 4 \(the first is 1\), Zrotation of 'Spine'")
    assert word == "\ufffd" or repr(word) in told


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("Frames: 7", "Frames: -7", "not a number of frames"),
        ("Frames: 7", "Frames: seven", "not a number of frames"),
        ("Frames: 7", "Frames: 7.5", "not a number of frames"),
        ("Frames: 7", "Frames: 999999999999", "make 14999999999985 numbers, but it holds 105"),
        ("Frames: 7", "Frames: 1e300", "not a number of frames"),
        ("Frame Time: 0.0083333", "Frame Time: 0,0083333", "with a point, not a comma"),
        ("Frame Time: 0.0083333", "Frame Time: 0", "cannot be the time"),
        ("Frame Time: 0.0083333", "Frame Time: -0.01", "cannot be the time"),
        ("Frame Time: 0.0083333", "Frame Time: nan", "cannot be the time"),
        ("Frame Time: 0.0083333", "Frame Time: fast", "not a number of seconds"),
        ("MOTION", "MOTIONS", "no MOTION block"),
        ("OFFSET 0.0 5.5 0.5", "OFFSET 0.0 5.5", "line 8: OFFSET needs three numbers, not '0.0 5.5 CHANNELS'"),
        ("OFFSET 0.0 5.5 0.5", "OFFSET 0.0 nan 0.5", "OFFSET cannot be 0.0 nan 0.5"),
        ("OFFSET 0.0 5.5 0.5", "", "'Spine' has no OFFSET"),
        ("JOINT Spine", "JOINT", "without a name"),
        ("JOINT Spine", "JONT Spine", "line 6: 'JONT' was not expected"),
        ("JOINT Spine", "ROOT Spine", "ROOT inside a joint"),
        ("ROOT Hips", "JOINT Hips", "JOINT outside of a ROOT"),
        ("ROOT Hips\n{", "ROOT Hips\n", "'{' was expected"),
        ("    End Site", "    End Site {\n OFFSET 0 0 0\n JOINT x", "joint inside an end site"),
        ("HIERARCHY", "HIERARCHY\n}", "a '}' too many|not expected"),
        ("\n}\nMOTION", "\nMOTION", "1 block"),
    ],
)
def test_broken_headers(tmp_path: Path, old: str, new: str, words: str) -> None:
    refuse_text(tmp_path, swap(old, new), words)


def test_zero_frames(tmp_path: Path) -> None:
    refuse_text(tmp_path, bvh_text.PLAIN + bvh_text.motion(TABLE[:0]), "holds no frames")
    refuse_text(tmp_path, bvh_text.PLAIN + bvh_text.motion(TABLE[:0], count=5), "holds no frames")


def test_absurd_nesting(tmp_path: Path) -> None:
    deep = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\n" + "JOINT b\n{\nOFFSET 0 0 0\nCHANNELS 0\n" * 200_000
    refuse_text(tmp_path, deep + "MOTION\nFrames: 1\nFrame Time: 0.1\n0\n", "more than 5000 joints")
    count = 4000
    fine = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xposition\n" + "JOINT b\n{\nOFFSET 0 1 0\n" * count
    path = tmp_path / "deep.bvh"
    path.write_text(fine + "}\n" * (count + 1) + "MOTION\nFrames: 1\nFrame Time: 0.1\n0\n")
    assert len(formats.read(path).skeleton) == count + 1


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("noise.bvh", b"\x8f\x01z" * 1000),
        ("noise.bvh", b"HIERARCHY\n"),
        ("noise.bvh", WHOLE.encode()),
        ("noise.amc", b"\x8f\x01z" * 1000),
        ("noise.amc", b":FULLY-SPECIFIED\n:DEGREES\n1\nnoise 1 2 3\n" + b"more noise " * 100_000),
        ("noise.txt", b"\x8f\x01z" * 1000),
        ("noise.txt", b'{"Loop": "none", "Frames": ['),
        ("noise.npz", b"PK\x03\x04"),
        ("noise.fbx", b"\x8f\x01z" * 1000),
        ("noise.fbx", b"Kaydara FBX Binary  \0\x1a\0"),
    ],
)
def test_a_gigabyte_of_noise_is_refused_by_its_head(tmp_path: Path, name: str, head: bytes) -> None:
    import asf_text

    (tmp_path / "noise.asf").write_text(asf_text.asf())
    path = tmp_path / name
    with path.open("wb") as stream:
        stream.write(head)
        stream.truncate(1 << 30)
    begin = time.perf_counter()
    refuse(path, "noise")
    assert time.perf_counter() - begin < 5.0


def test_an_unreadable_file_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.bvh"
    path.symlink_to(path)
    refuse(path, "circle")

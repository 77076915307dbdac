"""Broken bytes: whatever they are, nothing but a PoiseError comes out.

The short test runs always; the long one for POISE_FUZZ_SECONDS (600 by default).
"""

from __future__ import annotations

import io
import os
import random
import time
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import asf_text
import bvh_text
from poise.errors import PoiseError
from poise.motion import formats
from poise.motion.formats import npz
from test_formats_deepmimic import frame, save
from test_formats_npz import full_clip

WORDS = [b"{", b"}", b"JOINT", b"ROOT", b"End Site", b"OFFSET", b"CHANNELS 3", b"MOTION", b"Frames:", b"nan", b"1e999",
         b"\0", b"\xff\xfe", b"\r", b"\n" * 50, b"9" * 400, b"[" * 50, b'"', b":", b"begin", b"end", b"null", b"true",
         b"1e-400", b"99999999999999999999", b"(", b"'", b"\xef\xbb\xbf", b"#", b"root", b"-", b"XYZ"]  # fmt: skip


def mutate(data: bytes, pick: random.Random) -> bytes:
    """The data with some bytes changed, words put in, pieces cut, doubled or exchanged."""
    out = bytearray(data)
    for _ in range(pick.choice([1, 1, 2, 3, 8, 30])):
        at, size = pick.randrange(len(out) + 1), pick.choice([1, 2, 8, 100, 1000])
        how = pick.randrange(7)
        if how == 0:
            out[at : at + 1] = bytes([pick.randrange(256)])
        elif how == 1:
            out[at:at] = pick.choice(WORDS)
        elif how == 2:
            del out[at : at + size]
        elif how == 3:
            out[at:at] = out[at : at + size]
        elif how == 4:
            other = pick.randrange(len(out) + 1)
            out[at : at + size] = out[other : other + size]
        elif how == 5:
            out[at : at + pick.randrange(20)] = pick.choice(WORDS)
        elif pick.random() < 0.1:
            del out[at:]
        if not out:
            return b""
    return bytes(out)


NAMES = ("a.bvh", "02.asf", "02_01.amc", "a.txt", "a.npz")  # those that `bases` makes


class Files(dict[str, bytes]):
    """Whole files by name, silent in the reports of failures."""

    def __repr__(self) -> str:
        return f"Files({list(self)})"


def bases(folder: Path) -> Files:
    """Whole files of each format."""
    found = {"a.bvh": (bvh_text.PLAIN + bvh_text.motion(bvh_text.numbers(bvh_text.PLAIN))).encode()}
    found["02.asf"], found["02_01.amc"] = asf_text.asf().encode(), asf_text.amc(asf_text.table()).encode()
    found["a.txt"] = save(folder, [frame(), frame(), frame(0.05)]).read_bytes()
    npz.save(full_clip(), folder / "a.npz")
    found["a.npz"] = (folder / "a.npz").read_bytes()
    return Files(found)


def mutate_archive(data: bytes, pick: random.Random) -> bytes:
    """An npz that is a sound zip, with one member broken."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        victim = pick.choice(["facts.json", *old.namelist()])
        for name in old.namelist():
            new.writestr(name, mutate(old.read(name), pick) if name == victim else old.read(name))
    return out.getvalue()


def attempt(folder: Path, files: Files, name: str, seed: int) -> None:
    """Reads one broken file; any error but a PoiseError in one sentence fails."""
    pick = random.Random(seed)
    broken = dict(files)
    broken[name] = (
        mutate_archive(files[name], pick) if name == "a.npz" and pick.random() < 0.7 else mutate(files[name], pick)
    )
    for each in {name, "02.asf", "02_01.amc"} & set(files) if name.startswith("02") else {name}:
        (folder / each).write_bytes(broken[each])
    try:
        recording = formats.read(folder / ("02_01.amc" if name == "02.asf" else name))
        recording.forward()
    except PoiseError as error:
        assert "\n" not in str(error) and len(str(error)) < 3000


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Files]:
    folder = tmp_path_factory.mktemp("fuzz")
    return folder, bases(folder)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", NAMES)
@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True
)
@given(seed=st.integers(0, 2**40))
def test_broken_bytes(whole: tuple[Path, Files], name: str, seed: int) -> None:
    attempt(*whole, name, seed)


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
def test_broken_bytes_for_long(whole: tuple[Path, Files]) -> None:
    end = time.monotonic() + float(os.environ.get("POISE_FUZZ_SECONDS", "600"))
    seed = int(os.environ.get("POISE_FUZZ_SEED", str(int(time.time()))))
    while time.monotonic() < end:
        for name in NAMES:
            seed += 1
            try:
                attempt(*whole, name, seed)
            except Exception as error:
                raise AssertionError(f"{name} with seed {seed}: {error!r}") from error

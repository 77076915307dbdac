"""Odd motions the whole way: loaded, checked, edited and written, with nothing but a PoiseError coming out.

`test_formats_fuzz` breaks bytes; here files are sound and what they say is odd: bones of no length or of kilometres,
joints that are missing, doubled or renamed, frames that jump, frame rates that cannot be. The short test runs always;
the long one for POISE_FUZZ_SECONDS (600 by default).
"""

from __future__ import annotations

import json
import os
import random
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cli_files
import poise
from poise.character.skeleton import EndSite, Skeleton
from poise.errors import PoiseError
from poise.motion import formats
from poise.motion.formats import bvh_write
from poise.motion.recording import Recording
from test_formats_fuzz import Files, bases, mutate, mutate_archive

NAMES = ["Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "Spine", "Head", "LThigh", "thigh_l", "x", "joint 7",
         "Left", "RightToeBase", "mixamorig:Hips", "hand", "é", "a" * 200, "Bip01 L Calf", "LeftThumb1"]  # fmt: skip
NUMBERS = [0.0, 1e-9, 1e-3, 0.1, 1.0, -1.0, 10.0, 100.0, 1e4, 1e8, -1e8]


def base(seed: int) -> Recording:
    """A sound recording of a body: the built-in walk or, every other time, one with few frames."""
    return _recording() if seed % 2 else _recording().cut(0, 1 + seed % 7)


@cache
def _recording() -> Recording:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        return formats.read(cli_files.walk(Path(folder))).cut(0, 90)


def odd(recording: Recording, pick: random.Random) -> Recording:
    """The recording with some of what it says changed."""
    names, parents = list(recording.skeleton.names), np.array(recording.skeleton.parents)
    offsets, ends = np.array(recording.skeleton.offsets), list(recording.skeleton.ends)
    turns, places, dt = np.array(recording.rotations), np.array(recording.positions), recording.dt
    for _ in range(pick.choice([1, 1, 2, 3, 6])):
        j, how = pick.randrange(len(names)), pick.randrange(14)
        rows = slice(*sorted((pick.randrange(len(turns)), len(turns))))
        if how == 0:
            offsets[j] = places[:, j] = [pick.choice(NUMBERS) for _ in range(3)]
        elif how == 1:
            names[j] = pick.choice(NAMES)
        elif how == 2:
            names[j] = names[pick.randrange(len(names))]
        elif how == 3:
            scale = pick.choice([1e-4, 0.01, 0.3, 3.0, 100.0, 1e4])
            offsets, places = scale * offsets, scale * places
            ends = [replace(e, offset=scale * e.offset) for e in ends]
        elif how == 4:
            dt = pick.choice([1e-5, 1e-3, 0.01, 0.1, 1.0, 100.0])
        elif how == 5:
            places[rows, 0] = [pick.choice(NUMBERS) for _ in range(3)]
        elif how == 6:
            turns[rows, j] = [pick.gauss(0, 1) for _ in range(4)]
        elif how == 7:
            turns[:] = turns[pick.randrange(len(turns))]
            places[:] = places[pick.randrange(len(places))]
        elif how == 8:
            parents[j] = pick.randrange(-1 if j == 0 else 0, max(j, 1)) if j else -1
        elif how == 9:
            ends = [e for e in ends if e.joint != j]
            ends += [EndSite(j, np.array([pick.choice(NUMBERS)] * 3))] * pick.randrange(2)
        elif how == 10:
            axes = pick.sample(range(3), 3)
            offsets, places = offsets[:, axes], places[..., axes]
        elif how == 11:
            names = [pick.choice([n, n.upper(), f"bone{k}", f"ns:{n}"]) for k, n in enumerate(names)]
        elif how == 12 and len(names) > 2:
            keep = np.arange(len(names)) != j
            if j > 0 and not np.any(parents == j):
                moved = np.cumsum(keep) - 1
                ends = [replace(e, joint=int(moved[e.joint])) for e in ends if e.joint != j]
                parents = np.where(parents[keep] < 0, -1, moved[parents[keep]])
                names = [n for n, k in zip(names, keep, strict=True) if k]
                offsets, turns, places = offsets[keep], turns[:, keep], places[:, keep]
        elif how == 13:
            noise = pick.choice([1e-3, 1.0, 100.0])
            places[:, 0] += noise * np.random.default_rng(pick.randrange(2**30)).normal(size=(len(places), 3))
    norm = np.linalg.norm(turns, axis=-1, keepdims=True)
    turns = np.where(norm > 1e-9, turns / np.maximum(norm, 1e-9), [1.0, 0.0, 0.0, 0.0])
    skeleton = Skeleton(tuple(names), parents, offsets, tuple(ends))
    return Recording(skeleton, turns, places, dt, recording.source)


@cache
def _bytes() -> Files:
    """Whole files of the other formats; the npz is that of a clip of a recording."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        found = bases(Path(folder))
        poise.load_clip(cli_files.walk(Path(folder))).cut(0.0, 0.3).save(Path(folder, "b.npz"))
        found["a.npz"] = Path(folder, "b.npz").read_bytes()
    return found


EDITS = (poise.edit.Mirror(), poise.edit.Slope(5.0), poise.edit.Stride(scale=1.1), poise.edit.Loop(),
         poise.edit.Warp(speed=2.0), poise.edit.Stairs(0.15, 0.3), poise.edit.Settle())  # fmt: skip


def make(folder: Path, seed: int, pick: random.Random) -> Path:
    """An odd BVH file, or, now and then, broken bytes of another kind of file."""
    if seed % 5 == 0:
        name = pick.choice(["02_01.amc", "a.txt", "a.npz"])
        whole = dict(_bytes())
        victim = "02.asf" if name == "02_01.amc" and pick.random() < 0.5 else name
        whole[victim] = mutate_archive(whole[victim], pick) if name == "a.npz" else mutate(whole[victim], pick)
        for each in (victim, name, "02.asf"):
            (folder / each).write_bytes(whole[each])
        return folder / name
    made = odd(base(seed), pick)
    bvh_write.write(folder / "odd.bvh", made.skeleton, made.rotations, made.positions, made.dt)
    if pick.random() < 0.1:
        (folder / "odd.bvh").write_bytes(mutate((folder / "odd.bvh").read_bytes(), pick))
    return folder / "odd.bvh"


def whole_way(folder: Path, seed: int) -> str:
    """Makes, loads, checks, edits and writes one odd file; tells how far it got."""
    pick, out = random.Random(seed), folder / "out.bvh"
    path, how_far = folder / "odd.bvh", "made"
    try:
        path = make(folder, seed, pick)
        clip = poise.load_clip(path, level=pick.random() < 0.9)
        how_far = "loaded"
        report = poise.check(clip)
        assert report.text()
        json.dumps(report.to_dict(), allow_nan=False)
        clip.save(out)
        assert len(formats.read(out)) == len(clip)
        how_far = "checked"
        edited = clip.edit(pick.choice(EDITS))
        poise.check(edited).text()
        edited.save(out)
        how_far = "edited"
    except PoiseError as error:
        assert "\n" not in str(error).replace(str(path), "") and len(str(error)) < 20000
    return how_far


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("odd")


@pytest.mark.filterwarnings("error")
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
@given(seed=st.integers(0, 2**40))
def test_odd_motions(folder: Path, seed: int) -> None:
    whole_way(folder, seed)


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
def test_odd_motions_for_long(folder: Path) -> None:
    end = time.monotonic() + float(os.environ.get("POISE_FUZZ_SECONDS", "600"))
    seed = int(os.environ.get("POISE_FUZZ_SEED", str(int(time.time()))))
    while time.monotonic() < end:
        seed += 1
        try:
            whole_way(folder, seed)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error!r}") from error

"""`poise convert --physical`: the repair on the command line, its report, its picture, and what is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from poise.cli.main import main
from poise.experiments.physical.speed import of_length, rough_walk
from poise.export.repair_picture import largest_changes
from poise.judge import audit
from poise.motion.clip import Clip
from poise.motion.load import load_clip
from poise.physical.repair.repair import Repaired, repair


@pytest.fixture(scope="module")
def rough() -> Clip:
    return of_length(rough_walk(), 0.8)


@pytest.fixture(scope="module")
def repaired(rough) -> Repaired:
    return repair(rough)


@pytest.fixture(scope="module")
def file(rough, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("physical") / "rough.npz"
    rough.save(path)
    return path


def test_a_file_is_made_physical_and_the_report_printed(file, tmp_path, capsys):
    out, picture = tmp_path / "out.npz", tmp_path / "out.png"
    assert main(["convert", str(file), str(out), "--physical", "--report", str(picture)]) == 0
    words = capsys.readouterr().out
    assert "unexplained force" in words and "root moved by" in words and str(out) in words
    before, after = audit(load_clip(file)), audit(load_clip(out))
    assert before.unexplained_force_rms > 50.0 and after.unexplained_force_rms < 2.0
    with Image.open(picture) as image:
        assert image.size[0] == 1600 and image.size[1] > 1000 and image.info.get("Software") == "poise"


def test_as_json(file, tmp_path, capsys):
    out = tmp_path / "out.npz"
    assert main(["convert", str(file), str(out), "--physical", "--keep", "left_hand, head", "--change", "0.8",
                 "--friction", "0.9", "--margin", "0.1", "--json"]) == 0  # fmt: skip
    told = json.loads(capsys.readouterr().out)["physical"]
    assert told["force_rms"][0] > 50.0 > 3.0 > told["force_rms"][1] and not told["unchanged"]
    old, new = load_clip(file), load_clip(out)
    hand = old.character.body("left_hand")
    gap = new.character.forward(new.q)[0][:, hand] - old.character.forward(old.q)[0][:, hand]
    assert np.linalg.norm(gap, axis=1).max() < 0.01


@pytest.mark.parametrize(("words", "says"), [
    (["--physical", "--keep", "left_paw"], "left_paw"), (["--physical", "--change", "nan"], "change"),
    (["--physical", "--friction", "-1"], "friction"), (["--physical", "--margin", "1"], "margin"),
    (["--physical", "--report", "out.pdf"], ".png"), (["--keep", "head"], "--physical"),
    (["--report", "x.png"], "--physical"), (["--physical", "--margin", "much"], "--margin wants a number"),
])  # fmt: skip
def test_bad_options_are_refused_in_one_sentence_and_nothing_is_written(file, tmp_path, capsys, words, says):
    out = tmp_path / "out.npz"
    assert main(["convert", str(file), str(out), *words]) == 2
    told = capsys.readouterr().err
    assert says in told and told.count("\n") == 1 and not list(tmp_path.iterdir())


def test_an_interrupt_leaves_nothing_half_written(tmp_path):
    source, out = tmp_path / "in.npz", tmp_path / "out"
    out.mkdir()
    of_length(rough_walk(), 30.0).save(source)
    command = [sys.executable, "-m", "poise", "convert", str(source), str(out / "a.bvh"), "--physical", "--report",
               str(out / "a.png")]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, env={**os.environ, "OMP_NUM_THREADS": "1"})
    time.sleep(6.0)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=120)
    assert process.returncode == 130 and b"Stopped." in told and b"Traceback" not in told
    assert not list(out.iterdir())


def test_progress_rises_to_the_end(rough):
    told: list[tuple[int, int]] = []
    repair(rough, progress=lambda done, total: told.append((done, total)))
    assert len(told) > 2 and all(total == len(rough) for _, total in told)
    assert [d for d, _ in told] == sorted(d for d, _ in told) and 0 < told[0][0] <= told[-1][0] <= len(rough)


def test_the_picture_shows_the_moments_at_which_most_moved(repaired):
    changes = largest_changes(repaired.report)
    before, after = repaired.report.original, repaired.report.result
    gap = np.linalg.norm(after.character.forward(after.q)[0] - before.character.forward(before.q)[0], axis=-1)
    assert 1 <= len(changes) <= 5 and max(c.moved for c in changes) == pytest.approx(gap.max())
    assert all(b.time - a.time > 0.29 for a, b in pairwise(changes))
    for c in changes:
        assert c.moved == pytest.approx(gap[c.frame].max())


def test_what_is_repaired_twice_is_the_same(rough, repaired, tmp_path):
    assert np.array_equal(repair(rough).clip.q, repaired.clip.q)
    again = repair(repaired.clip)
    assert again.report.unchanged and again.clip is repaired.clip
    assert "obeys physics already" in again.report.text()
    again.report.save(tmp_path / "same.png")  # has a picture all the same


def test_a_repaired_recording_comes_back_from_a_file_with_its_contacts(mocap, tmp_path):
    fixed = load_clip(mocap / "cmu" / "02_01.bvh").cut(0.4, 1.2).make_physical()
    fixed.save(tmp_path / "a.npz")
    assert repair(load_clip(tmp_path / "a.npz")).report.unchanged


@pytest.mark.slow
@pytest.mark.parametrize("name", ["02_01", "16_05", "22_14", "120_08"])
def test_a_repaired_recording_comes_back_from_a_bvh_as_it_was(mocap, tmp_path, name):
    fixed = load_clip(next(iter(mocap.rglob(f"{name}*.bvh")))).make_physical()
    fixed.save(tmp_path / "a.bvh")
    back = load_clip(tmp_path / "a.bvh")
    assert repair(back).clip.posture_change(back) < 0.1

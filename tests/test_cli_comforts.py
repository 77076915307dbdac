"""What people expect of a command: folders, tables, ranges, a method that stands, words before the start."""

from __future__ import annotations

import json

import numpy as np
import pytest

import cli_files
import poise
from cli_files import done, refused
from html_page import recording
from poise.cli import main as cli
from poise.export import dress
from poise.take import Take


def run(capsys, *words: object) -> tuple[int, str, str]:
    code = cli.main([str(w) for w in words])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.fixture
def folder(tmp_path):
    """Two walks and a file that is none."""
    inside = tmp_path / "clips"
    inside.mkdir()
    for name in ("a.bvh", "b.bvh"):
        cli_files.walk(inside, name)
    (inside / "notes.md").write_text("no motion")
    return inside


def test_a_folder_is_converted_with_a_table(folder, tmp_path, capsys):
    code, out, _ = run(capsys, "convert", folder, f"{tmp_path}/out/", "--as", ".npz", "--range", "10:40")
    assert code == 0 and out.count(".npz") == 2 and out.startswith("clip") and "31" in out
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["a.npz", "b.npz"]
    (folder / "c.bvh").write_text("junk")
    code, out, _ = run(capsys, "convert", folder, f"{tmp_path}/out2/", "--as", "npz")
    assert code == 2 and "c.bvh  refused:" in out and len(list((tmp_path / "out2").iterdir())) == 2
    assert "need a folder" in refused(capsys, "convert", folder, tmp_path / "all.bvh")
    assert "already" in refused(capsys, "convert", folder, tmp_path / "out", "--as", ".npz")


def test_a_range_is_in_frames_or_seconds(tmp_path, capsys):
    walk = cli_files.walk(tmp_path)
    count = {}
    for text in ("10:40", "10:", ":40", "0.5s:1s", "0.5:1.0", "0s:"):
        told = json.loads(done(capsys, "convert", walk, tmp_path / f"{len(count)}.npz", "--range", text, "--json"))
        count[text] = told["frames"]
    whole = count["0s:"]
    assert count["10:40"] == 31 and count["10:"] == whole - 10 and count[":40"] == 41
    assert count["0.5s:1s"] == count["0.5:1.0"] == pytest.approx(0.5 * cli_files.clip().fps, abs=2)
    for bad in ("a:b", "10", "-3:5", "1:2:3"):
        assert "--range wants" in refused(capsys, "convert", walk, tmp_path / "x.npz", f"--range={bad}")


def test_in_place_stays_where_it_began(tmp_path, capsys):
    done(capsys, "convert", "walk", tmp_path / "a.npz", "--repeat", "3", "--in-place")
    there = poise.load_clip(tmp_path / "a.npz")
    assert np.ptp(there.q[:, 0]) < 0.35 and np.ptp(poise.load_clip("walk").repeat(3).q[:, 0]) > 3.0
    loop = poise.load_clip("walk").edit(poise.edit.InPlace())
    assert np.allclose(loop.cycle.carry(loop.q[:1], 1)[0, :2], loop.q[0, :2], atol=1e-9)
    up = poise.load_clip("walk").edit(poise.edit.Slope(6)).edit(poise.edit.InPlace())
    assert np.ptp(up.q[:, 2]) < 0.1  # it does not climb on
    assert "in place" in refused(capsys, "convert", "walk", tmp_path / "b.npz", "--stairs", "0.15x0.3", "--in-place")


def test_perform_stands_without_naming_a_method(tmp_path, capsys):
    code, out, _ = run(capsys, "perform", "walk", "--seconds", "1.5", "--save", tmp_path / "a.npz")
    assert code == 0 and "walk by mcsim: whole" in out and Take.load(tmp_path / "a.npz").ended.whole


def test_the_help_of_perform_lists_the_methods_and_edits(capsys):
    with pytest.raises(SystemExit):
        cli.main(["perform", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    from poise.methods import about

    for name, text in about().items():
        assert f"{name} {text}" in told
    for option in ("--range", "--in-place", "--physical", "--stairs", "--slope", "--mirror", "--try", "--as"):
        assert option in told


def test_perform_takes_edits_and_fits_stairs(tmp_path, capsys):
    code, _, err = run(capsys, "perform", "walk", "--method", "kinematic", "--seconds", "1", "--ground",
                       "stairs:0.1x0.4", "--save", tmp_path / "a.npz")  # fmt: skip
    take = Take.load(tmp_path / "a.npz")
    assert code == 0 and "fitted to the stairs" in err and take.ground.rise == pytest.approx(0.1)
    assert take.penetration() < 0.01
    code, _, err = run(capsys, "perform", "stand", "--method", "kinematic", "--seconds", "0.2", "--ground",
                       "stairs:0.1x0.4")  # fmt: skip
    assert "was not fitted" in err
    done(capsys, "perform", "walk", "--method", "kinematic", "--range", "20:80", "--mirror", "--slope", "4", "--save",
         tmp_path / "b.npz", "--save", tmp_path / "b.html")  # fmt: skip
    assert Take.load(tmp_path / "b.npz").ground.degrees == 4.0
    notes = [m["text"] for m in recording((tmp_path / "b.html").read_text()).about["marks"]]
    assert {"edited: --range 20:80", "edited: --mirror", "edited: --slope 4.0"} <= set(notes)


def test_a_clip_that_ends_in_mid_stride_says_so_before_it_starts(capsys, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("poise.performance.perform", stop)
    code, _, err = run(capsys, "perform", "walk", "--range", "0:90")
    assert code == 130 and "ends in mid-stride" in err and "--loop" in err
    assert "mid-stride" not in run(capsys, "perform", "walk")[2]  # a cycle goes on
    assert "mid-stride" not in run(capsys, "perform", "stand")[2]


def test_several_clips_are_performed_with_a_table(folder, tmp_path, capsys):
    code, out, _ = run(capsys, "perform", folder, "stand", "--method", "kinematic", "--seconds", "0.3", "--save",
                       f"{tmp_path}/out/", "--as", ".npz", "--as", ".png")  # fmt: skip
    lines = out.splitlines()
    assert code == 0 and lines[0].split()[:3] == ["clip", "method", "ended"] and "3 of 3" in lines[-1]
    assert len(list((tmp_path / "out").iterdir())) == 6
    rows = json.loads(done(capsys, "perform", folder, "--method", "kinematic", "--seconds", "0.2", "--json"))
    assert [r["whole"] for r in rows] == [True, True]
    assert "need a folder" in refused(capsys, "perform", folder, "--save", tmp_path / "a.npz")


def test_try_ranks_all_methods_with_reasons(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("poise.methods.names", lambda: ("kinematic", "pd", "mcsim"))
    code, out, _ = run(capsys, "perform", "walk", "--try", "--seconds", "1.5", "--save", tmp_path / "best.npz")
    ranks = [line for line in out.splitlines() if line[:2] in ("1.", "2.", "3.")]
    assert code == 0 and ranks[0].startswith("1. mcsim") and "whole" in ranks[0] and "degrees" in ranks[0]
    assert ranks[1].startswith("2. pd") and "fell at" in ranks[1] and len(ranks) == 2
    assert Take.load(tmp_path / "best.npz").method == "mcsim"
    assert "leave out --method" in refused(capsys, "perform", "walk", "--try", "--method", "pd")


def test_a_licence_is_told_once(tmp_path, capsys, monkeypatch):
    from poise import cache_folder

    monkeypatch.setenv("POISE_CACHE_DIR", str(tmp_path / "cache"))
    cache_folder.place.cache_clear()
    try:
        first = done(capsys, "convert", "stand", tmp_path / "a.npz")
        again = done(capsys, "convert", "stand", tmp_path / "b.npz")
    finally:
        cache_folder.place.cache_clear()
    assert "licence: Apache-2.0" in first and "Apache-2.0" not in again


def test_a_page_and_a_strip_show_the_push_and_the_reference(tmp_path, capsys):
    run(capsys, "perform", "stand", "--method", "pd", "--seconds", "1", "--push", "chest:0,80,0@0.5+0.1", "--save",
        tmp_path / "a.html", "--save", tmp_path / "a.png", "--save", tmp_path / "a.npz")  # fmt: skip
    shown = recording((tmp_path / "a.html").read_text())
    pushes = [m for m in shown.about["marks"] if m["kind"] == "push"]
    assert len(pushes) == 1 and pushes[0]["time"] == pytest.approx(0.5, abs=0.01) and "80 N" in pushes[0]["text"]
    start, arrows = shown.tables["arrow_start"], shown.tables["arrows"]
    at = round(0.55 * shown.about["rate"])
    rows = arrows[start[at] : start[at + 1]]
    assert np.allclose(rows[rows[:, 6] > 0][:, 3:6], [[0.0, 80.0, 0.0]], atol=1.0)
    take = Take.load(tmp_path / "a.npz")
    weight = 9.81 * take.character.mass
    assert rows[rows[:, 6] == 0][:, 5].sum() == pytest.approx(weight, rel=0.3)  # the ground carries it
    assert {"ghost", "body", "plane"} <= {p["group"] for p in shown.about["parts"]}
    from PIL import Image

    orange = np.array(Image.open(tmp_path / "a.png").convert("RGB")).reshape(-1, 3)
    assert (np.abs(orange.astype(int) - [214, 110, 10]).max(axis=1) < 12).sum() > 60


def test_parts_of_the_ground_that_move_are_drawn_once(tmp_path):
    walk = poise.load_clip("stand")
    take = poise.perform(walk, "pd", seconds=0.3, stage=poise.Stage(ground=poise.Seesaw()))
    from poise.export.props import Props

    props = Props.of(take)
    assert props is not None and list(props.bodies) == ["seesaw"]
    take.save(tmp_path / "a.html")
    shown = recording((tmp_path / "a.html").read_text())
    assert [p["group"] for p in shown.about["parts"]].count("prop") == 1
    take.save(tmp_path / "a.png", frames=2)
    wood = np.array(__import__("PIL.Image", fromlist=["Image"]).open(tmp_path / "a.png").convert("RGB")).reshape(-1, 3)
    assert ((wood[:, 0] > 1.25 * wood[:, 2]) & (wood[:, 0] > 90)).sum() > 500


def test_a_drawn_body_is_dressed_and_weighs_the_same():
    character = poise.load_character("human42")
    look = dress.dressed(character, ("left",))
    hands = {character.body(f"{s}_hand") for s in ("left", "right")}
    assert sum(e.body in hands for e in look.extras) == 2 * 9 and len(look.hidden) == 2
    longest = {}
    for side in ("left", "right"):
        tips = [e.place[2] for e in look.extras if e.body == character.body(f"{side}_hand")]
        longest[side] = min(tips)
    assert longest["left"] > longest["right"] + 0.02  # a fist is shorter
    nose = [e for e in look.extras if e.body == character.body("head")]
    assert all(e.place[0] > 0.08 for e in nose)
    assert dress.fists_of(poise.load_clip("run")) == ("left", "right") and not dress.fists_of(poise.load_clip("walk"))


def test_perform_is_told_what_touches(tmp_path, capsys):
    saved = tmp_path / "told.npz"
    done(capsys, "perform", "stand", "--seconds", "0.1", "--method", "kinematic", "--contact", "left_hand:3-5",
         "--save", saved)  # fmt: skip
    touching = Take.load(saved).clip.contacts.touching("left_hand")
    assert np.flatnonzero(touching).tolist() == [3, 4, 5]
    assert "left_hand:72-115" in refused(capsys, "perform", "stand", "--contact", "left_hand")

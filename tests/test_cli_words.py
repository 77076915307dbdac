"""The words of the command: verbs, help, JSON that scripts may rely on, completion."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import cli_files
from cli_files import done
from poise.citations import CITATIONS
from poise.cli.completion import vocabulary
from poise.cli.main import VERBS, main

pytestmark = pytest.mark.filterwarnings("error")


def strict(text: str) -> dict:
    """JSON as every other program reads it: without NaN."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself(capsys, verb: str) -> None:
    with pytest.raises(SystemExit) as end:
        main([verb, "--help"])
    assert end.value.code == 0
    assert "--json" in capsys.readouterr().out


def test_no_words_print_the_help(capsys) -> None:
    assert main([]) == 0
    out = capsys.readouterr().out
    assert all(verb in out for verb in VERBS)


def test_check_has_the_keys_of_the_contract(tmp_path: Path, capsys) -> None:
    report = strict(done(capsys, "check", cli_files.walk(tmp_path), "--json"))
    keys = {"height", "unit", "up", "fps", "frames", "roles", "contacts", "skating", "floor", "warnings", "licence"}
    assert keys <= set(report)
    assert 1.2 < report["height"] < 2.2 and report["unit"] == 0.01 and report["up"] == "y"
    assert report["frames"] == len(cli_files.rows()) and report["roles"]["left_thigh"] == "left_thigh"
    assert {"left", "right"} <= set(report["contacts"]) and isinstance(report["warnings"], list)
    assert keys <= set(strict(done(capsys, "check", "walk", "--json")))


def test_check_of_many_is_a_table_or_a_list(tmp_path: Path, capsys) -> None:
    walk = cli_files.walk(tmp_path)
    rows = strict(done(capsys, "check", walk, "stand", "--json"))
    assert [Path(r["file"]).stem for r in rows] == ["walk", "stand"]
    table = done(capsys, "check", walk, "stand").splitlines()
    assert table[0].split()[:2] == ["file", "height"] and len({len(line) for line in table[2:]}) == 1


def test_given_is_stronger_than_found(tmp_path: Path, capsys) -> None:
    walk = cli_files.walk(tmp_path)
    report = strict(done(capsys, "check", walk, "--fps", "60", "--weight", "80", "--unit", "0.011", "--json"))
    assert abs(report["fps"] - 60) < 1e-6 and abs(report["mass"] - 80) < 0.01 and abs(report["unit"] - 0.011) < 1e-9


def test_a_long_clip_is_told_shortly(tmp_path: Path, capsys) -> None:
    from poise.motion.load import load_clip

    load_clip("walk").repeat(40).save(tmp_path / "long.npz")
    lines = done(capsys, "check", tmp_path / "long.npz").splitlines()
    assert len(lines) < 60 and any("more s" in line for line in lines)


@pytest.mark.parametrize("more", [(), ("--push", "chest:20,0,0@0.05+0.05")], ids=["alone", "pushed"])
def test_a_clip_that_hangs_from_a_bar_is_performed_with_its_bar(capsys, more: tuple[str, ...]) -> None:
    told = json.loads(done(capsys, "perform", "swing", "--method", "modal", "--seconds", "0.2", *more, "--json"))
    assert told["fell"] is None and told["ended"]["how"] == "whole"


def test_cite(capsys) -> None:
    assert set(strict(done(capsys, "cite", "--json"))) == set(CITATIONS)
    text = done(capsys, "cite", "modal", "--bibtex")
    assert text.startswith("@article{poise-modal,") and text.count("{") == text.count("}")
    for name in ("modal", "mcsim", "posture", "momentum", "hands", "vibration", "balance"):
        assert name in CITATIONS


def test_the_vocabulary_is_that_of_the_command(capsys) -> None:
    words = vocabulary()
    assert set(words) == set(VERBS)
    assert "human42" in words["retarget"].names and "walk" in words["check"].names
    assert words["check"].values["--up"] == ["x", "y", "z"] and "--loop" in words["convert"].flags
    assert strict(done(capsys, "completion", "bash", "--json"))["cite"]["names"] == sorted(CITATIONS)


ASKED = {
    ("",): {"check", "convert", "--help"},
    ("ch",): {"check"},
    ("convert", "--st"): {"--stride", "--stairs"},
    ("convert", "a fi"): {"a file.bvh"},
    ("check", "--up", ""): {"x", "y", "z"},
    ("check", "--fps", ""): set(),
    ("retarget", "walk", "human"): {"human42", "human45", "human57"},
    ("cite", "moda"): {"modal"},
    ("completion", ""): {"bash", "zsh", "fish"},
}


@pytest.mark.parametrize("words", ASKED, ids=" ".join)
def test_bash_completes(tmp_path: Path, capsys, words: tuple[str, ...]) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    (tmp_path / "a file.bvh").touch()
    script = tmp_path / "poise.sh"
    script.write_text(done(capsys, "completion", "bash"))
    subprocess.run([bash, "-n", script], check=True)
    ask = 'source "$1"; shift; COMP_WORDS=(poise "$@"); COMP_CWORD=$#; _poise; printf "%s\\n" "${COMPREPLY[@]}"'
    run = subprocess.run([bash, "-c", ask, "bash", script, *words], capture_output=True, text=True, cwd=tmp_path)
    answers = {line for line in run.stdout.splitlines() if line}
    assert run.stderr == ""
    assert ASKED[words] <= answers and (ASKED[words] or not answers)
    assert all(a.startswith(words[-1]) for a in answers)


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_read_their_script(tmp_path: Path, capsys, shell: str) -> None:
    text = done(capsys, "completion", shell)
    assert all(verb in text for verb in VERBS) and "human42" in text
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"no {shell} here")
    (tmp_path / "script").write_text(text)
    subprocess.run([found, "-n", tmp_path / "script"], check=True)

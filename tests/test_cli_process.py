"""The command as a process of its own: streams, pipes, signals, exit codes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import cli_files
from poise.cli import process

COMMAND = [sys.executable, "-m", "poise"]
posix = pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")


def run(*words: object, **options) -> subprocess.CompletedProcess[str]:
    settings = {"capture_output": True, "text": True, "timeout": 120, **options}
    return subprocess.run([*COMMAND, *map(str, words)], **settings)


def test_results_and_complaints_go_their_own_ways(tmp_path: Path) -> None:
    good = run("check", cli_files.walk(tmp_path))
    assert good.returncode == 0 and "height" in good.stdout
    assert all(line.startswith("Compiling") for line in good.stderr.splitlines())
    bad = run("check", tmp_path / "none.bvh")
    assert bad.returncode == 2 and bad.stdout == "" and bad.stderr.count("\n") == 1
    assert bad.stderr.startswith("poise: ") and "Traceback" not in bad.stderr


@posix
def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    for words in (["cite"], ["--help"], ["completion", "bash"]):
        command = subprocess.list2cmdline([*COMMAND, *words])
        done = subprocess.run(["bash", "-o", "pipefail", "-c", f"{command} | true"], capture_output=True, text=True)
        assert done.returncode == 0 and done.stderr == ""


@posix
def test_streams_that_are_closed_or_full(tmp_path: Path) -> None:
    command = subprocess.list2cmdline([*COMMAND, "cite"])
    assert subprocess.run(["bash", "-c", f"{command} >&-"], capture_output=True).returncode == 0
    assert subprocess.run(["bash", "-c", f"{command} nobody 2>&-"], capture_output=True).stdout == b""
    if os.path.exists("/dev/full"):
        full = subprocess.run(["bash", "-c", f"{command} > /dev/full"], capture_output=True, text=True)
        assert full.returncode == 2 and full.stderr == "poise: No space left on device.\n"


def test_a_terminal_that_knows_only_ascii(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    done = run("cite", env=env)
    assert done.returncode == 0 and done.stdout.isascii() and "Popovi\\u0107" in done.stdout


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_being_stopped_leaves_nothing_behind(tmp_path: Path, number: int) -> None:
    out = tmp_path / "out"
    out.mkdir()
    process = subprocess.Popen([*COMMAND, "convert", str(cli_files.walk(tmp_path)), str(out / "a.mp4")],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
    end = time.monotonic() + 60
    while process.poll() is None and not any(p.stat().st_size for p in out.iterdir()) and time.monotonic() < end:
        time.sleep(0.02)  # until something has been written
    process.send_signal(number)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 130 and said.endswith("poise: Stopped.\n") and "Traceback" not in said
    assert list(out.iterdir()) == []


@posix
def test_a_bar_on_a_terminal(tmp_path: Path) -> None:
    """Long work shows how far it is on standard error, and only on a terminal."""
    import pty

    ours, theirs = pty.openpty()
    words = ["convert", str(cli_files.walk(tmp_path)), str(tmp_path / "a.mp4"), "--cut", "0:1.5"]
    process = subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    seen = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        seen += piece
    assert process.wait(timeout=60) == 0
    process.communicate()
    os.close(ours)
    assert "█".encode() in seen and b"/45" in seen and b"\x1b[K" in seen


def test_help_is_instant() -> None:
    """No heavy import; the best of three, since other work may disturb one."""
    took = []
    for _ in range(3):
        begun = time.monotonic()
        assert run("--help").returncode == 0
        took.append(time.monotonic() - begun)
    assert min(took) < 0.3


@pytest.mark.slow
def test_a_first_compilation_says_so(tmp_path: Path) -> None:
    env = {**os.environ, "POISE_CACHE_DIR": str(tmp_path / "kept")}
    first, second = run("check", "walk", env=env, timeout=600), run("check", "walk", env=env, timeout=600)
    assert first.stderr.startswith("Compiling the numerical kernels") and first.stderr.count("\n") == 1
    assert first.returncode == second.returncode == 0 and second.stderr == ""


def test_what_was_invented_is_red_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture):
    process.say("!! invented\nthe rest")
    assert capsys.readouterr().out == "!! invented\nthe rest\n"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    process.say("!! invented\nthe rest")
    assert capsys.readouterr().out == "\x1b[31m!! invented\x1b[0m\nthe rest\n"
    monkeypatch.setenv("NO_COLOR", "1")
    process.say("!! invented")
    assert "\x1b" not in capsys.readouterr().out

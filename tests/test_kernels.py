"""Compiled kernels: an edit reaches every caller, kept code is the user's own, and without a place it still works."""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import poise
from poise import cache_folder, kernels
from poise.kernel_content import digest

SOURCE = Path(poise.__file__).parent
posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes of POSIX")

FILES = {
    "numbers_of_it": "FACTOR = 2.0\nOTHER = 5\n",
    "callee": "from poise.kernels import njit\nfrom numbers_of_it import FACTOR\n\n"
    "@njit(cache=True)\ndef inner(x):\n    return FACTOR * x\n",
    "caller": "from poise.kernels import njit\nimport callee\nfrom callee import inner\n\n"
    "@njit(cache=True)\ndef outer(x):\n    return inner(x) + 1.0\n\n"
    "@njit(cache=True)\ndef through_the_module(x):\n    return callee.inner(x) + 2.0\n",
}
ASK = "import caller; print(caller.outer(3.0), caller.through_the_module(3.0))"


def write(folder: Path, name: str, old: str = "", new: str = "") -> None:
    (folder / f"{name}.py").write_text(FILES[name].replace(old, new) if old else FILES[name])


def ask(folder: Path, code: str = ASK, **env: str) -> subprocess.CompletedProcess[str]:
    """The answer of a process with these modules, whose kernels are kept in the folder `cache` beside them."""
    settings = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(SOURCE.parent)]),
                "POISE_CACHE_DIR": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1", **env}  # fmt: skip
    return subprocess.run([sys.executable, "-c", code], env=settings, capture_output=True, text=True, timeout=240)


def kept(folder: Path) -> dict[str, float]:
    return {p.name: p.stat().st_mtime for p in (folder / "cache" / "kernels").glob("*.kernel")}


def test_an_edit_reaches_callers_in_other_files(tmp_path: Path) -> None:
    for name in FILES:
        write(tmp_path, name)
    assert ask(tmp_path).stdout.split() == ["7.0", "8.0"]
    first = kept(tmp_path)
    assert len(first) == 3
    write(tmp_path, "numbers_of_it", "5", "6")  # a number that no kernel takes in
    write(tmp_path, "caller", "import callee", "# a remark\nimport callee")
    assert ask(tmp_path).stdout.split() == ["7.0", "8.0"] and kept(tmp_path) == first
    write(tmp_path, "callee", "FACTOR * x", "FACTOR * x + 10.0")
    assert ask(tmp_path).stdout.split() == ["17.0", "18.0"] and len(kept(tmp_path)) == 6
    write(tmp_path, "numbers_of_it", "2.0", "3.0")  # a constant of a file that has no kernel
    assert ask(tmp_path).stdout.split() == ["20.0", "21.0"]


def test_two_versions_that_have_a_kernel_in_different_files_keep_both(tmp_path: Path) -> None:
    """Kept code names modules: one that another version wrote must not be tried, fail, and be replaced in turn."""
    shape = "from typing import NamedTuple\n\nclass Pair(NamedTuple):\n    a: float\n    b: float\n"
    kernel = "from poise.kernels import njit\n\n@njit(cache=True)\ndef total(pair):\n    return pair.a + pair.b\n"
    made = {"old": ("shape_before", "sums"), "new": ("shape_now", "sums"), "newer": ("shape_now", "more.sums")}
    for version, (first, second) in made.items():
        (tmp_path / version / "more").mkdir(parents=True)
        (tmp_path / version / f"{first}.py").write_text(shape)
        (tmp_path / version / f"{second.replace('.', '/')}.py").write_text(kernel)
    found = []
    for _ in range(2):
        for version, (first, second) in made.items():
            code = f"from {first} import Pair; from {second} import total; print(total(Pair(1.0, 2.0)))"
            done = ask(tmp_path / version, code, POISE_CACHE_DIR=str(tmp_path / "cache"))
            assert done.stdout.strip() == "3.0", done.stderr
        found.append(kept(tmp_path))
    assert len(found[0]) == 3 and found[1] == found[0]


def test_kept_code_that_is_damaged_is_made_anew(tmp_path: Path) -> None:
    for name in FILES:
        write(tmp_path, name)
    assert ask(tmp_path).returncode == 0
    for k, path in enumerate(sorted((tmp_path / "cache" / "kernels").iterdir())):
        path.write_bytes(path.read_bytes()[: 100 * k])
    done = ask(tmp_path)
    assert done.stdout.split() == ["7.0", "8.0"] and done.stderr == ""


def test_all_kernels_are_made_in_one_way_and_can_be_told() -> None:
    """No module goes past `poise.kernels`; the content of each kernel is known, and no two are the same."""
    for path in SOURCE.rglob("*.py"):
        if path.name != "kernels.py":
            assert not re.search(r"^\s*from numba import [^#\n]*\bn?jit\b|numba\.n?jit", path.read_text(), re.M), path
    found: dict[str, str] = {}
    for module in pkgutil.walk_packages(poise.__path__, "poise."):
        if "__main__" in module.name:
            continue
        try:
            names = vars(importlib.import_module(module.name))
        except ImportError:  # a missing extra
            continue
        for name, value in names.items():
            if hasattr(value, "py_func") and value.py_func.__module__ == module.name:
                found[f"{module.name}.{name}"] = digest(value)
    assert len(found) > 200 and len(set(found.values())) == len(found)


@posix
def test_a_folder_that_others_can_write_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o700)
    own = tmp_path / "own"
    monkeypatch.setenv("POISE_CACHE_DIR", str(own))
    place = cache_folder.place.__wrapped__
    assert place("kernels") == (str(own / "kernels"), "")
    assert (own / "kernels").stat().st_mode & 0o077 == 0 and own.stat().st_mode & 0o077 == 0
    (own / "kernels").chmod(0o777)
    assert place("kernels").folder is None and "others can write" in place("kernels").reason
    (own / "kernels").chmod(0o1777)  # even a sticky one: new files could be put there
    assert place("kernels").folder is None
    (own / "kernels").chmod(0o700)
    own.chmod(0o777)  # the folder above: another one could be put in its place
    assert place("kernels").folder is None
    own.chmod(0o1777)  # as /tmp
    assert place("kernels").folder is not None
    own.rename(tmp_path / "moved")
    own.symlink_to(tmp_path / "moved")
    assert place("kernels").folder is not None
    (tmp_path / "moved").chmod(0o777)
    assert place("kernels").folder is None
    if os.geteuid() == 0:
        (tmp_path / "moved").chmod(0o700)
        os.lchown(own, 12345, 12345)  # a link of another user's
        assert "belongs to another user" in place("kernels").reason


@posix
def test_homes_that_are_missing_or_strange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is made in the folder where the user happens to be, and nothing there is trusted."""
    import pwd

    tmp_path.chmod(0o700)
    monkeypatch.chdir(tmp_path)
    place = cache_folder.place.__wrapped__
    for name in ("POISE_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    registered = Path(pwd.getpwuid(os.geteuid()).pw_dir)
    chosen = place("kernels").folder
    assert chosen is None or Path(chosen).is_relative_to(registered)

    def nobody(number: int) -> None:
        raise KeyError(number)

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    for home in (None, "", "~", "relative"):
        if home is not None:
            monkeypatch.setenv("HOME", home)
            monkeypatch.setenv("XDG_CACHE_HOME", home)
        assert place("kernels") == (None, "there is no folder for caches here")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert place("kernels").folder == str(tmp_path / "x" / "poise" / "kernels")


def test_without_a_place_kernels_are_compiled_and_that_is_said_once(tmp_path: Path) -> None:
    for name in FILES:
        write(tmp_path, name)
    (tmp_path / "cache").write_text("a file, not a folder")
    done = ask(tmp_path)
    assert done.stdout.split() == ["7.0", "8.0"]
    assert done.stderr.count("\n") == 1 and "cannot be kept" in done.stderr and "POISE_CACHE_DIR" in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_folder_that_cannot_be_written_later(tmp_path: Path) -> None:
    """A full disk costs the kept code, never the run."""
    for name in FILES:
        write(tmp_path, name)
    broken = ("import builtins, errno; from poise import kernels\n"
              "def full(data):\n    raise OSError(errno.ENOSPC, 'No space left on device')\n"
              f"kernels.dumps = full\n{ASK}")  # fmt: skip
    done = ask(tmp_path, broken)
    assert done.stdout.split() == ["7.0", "8.0"] and done.stderr.count("\n") == 1
    assert "no space left" in done.stderr and kept(tmp_path) == {} and not list((tmp_path / "cache/kernels").iterdir())


def test_two_processes_at_once(tmp_path: Path) -> None:
    for name in FILES:
        write(tmp_path, name)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(SOURCE.parent)]),
           "POISE_CACHE_DIR": str(tmp_path / "cache")}  # fmt: skip
    # one signature in each, of the same kernel
    asks = [f"import caller; print(caller.outer({x}))" for x in ("3.0", "3", "True")]
    running = [subprocess.Popen([sys.executable, "-c", a], env=env, stdout=subprocess.PIPE, text=True) for a in asks]
    assert [float(p.communicate(timeout=240)[0]) for p in running] == [7.0, 7.0, 3.0]
    for a, answer in zip(asks, ("7.0", "7.0", "3.0"), strict=True):
        assert ask(tmp_path, a).stdout.strip() == answer


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    for k in range(10):
        (tmp_path / f"{k}.kernel").write_bytes(bytes(100))
        os.utime(tmp_path / f"{k}.kernel", (now - k, now - k))
    (tmp_path / "old.kernel.abc.tmp").write_bytes(bytes(100))
    os.utime(tmp_path / "old.kernel.abc.tmp", (now - 1e5, now - 1e5))
    (tmp_path / "new.kernel.abc.tmp").write_bytes(bytes(100))
    monkeypatch.setattr(kernels, "LIMIT", 450)
    kernels._prune.__wrapped__(str(tmp_path))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["0.kernel", "1.kernel", "2.kernel", "3.kernel",
                                                          "new.kernel.abc.tmp"]  # fmt: skip

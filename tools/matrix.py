"""Installs poise from its wheel, core only, on every Python that is found here, and tries it where things are missing.

    python tools/matrix.py                      all of it (make matrix)
    python tools/matrix.py --quick              without the performance, whose kernels take minutes to compile
    python tools/matrix.py --pythons 3.12,3.13

Standard library alone. Each cell is a command in a condition; the table says which went wrong, and the exit code is 1
if any did. What cannot be tried here (a Python that is not installed, another user without being root) is named.
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
NOBODY = "54321"  # a user without a name, a home or a group
LONGEST = 3600  # [s] of a cell
# Another user: may read what is installed here, wherever it lies, and write nothing that is not its own.
AS_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--inh-caps=-all,+dac_read_search",
             "--ambient-caps=-all,+dac_read_search"]  # fmt: skip
# In a view of the files of its own, in which what all may write cannot be written.
NOTHING_WRITABLE = ["unshare", "--mount", "sh", "-c", 'for f in /tmp /var/tmp /dev/shm; do mkdir -p "$f" && '
                    'mount --bind "$f" "$f" && mount -o remount,ro,bind "$f"; done && '
                    'cd / && exec "$@"', "sh"]  # fmt: skip


@dataclass
class Matrix:
    """Where things are, and what came out so far."""

    work: Path
    rows: list[tuple[str, str, str, float]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def cell(self, where: str, what: str, words: list[str], *, env: dict[str, str] | None = None, code: int = 0,
             lines: int | None = None, said: str = "", cwd: Path | None = None) -> str:  # fmt: skip
        """Run one command; its exit code, its lines on standard error and a part of what it says must be as told."""
        begun = time.monotonic()
        try:
            done = subprocess.run(words, env=env, cwd=cwd or self.work, capture_output=True, text=True, timeout=LONGEST)
            wrong = _wrong(done, code, lines, said)
            out = done.stdout
        except subprocess.TimeoutExpired:
            wrong, out = f"took more than {LONGEST} s", ""
        self.rows.append((where, what, wrong, time.monotonic() - begun))
        print(f"{where:12} {what:52} {wrong or 'ok':30} {self.rows[-1][3]:6.1f} s", flush=True)
        return out

    def expect(self, where: str, what: str, true: bool, wrong: str) -> None:
        """A fact beside the commands."""
        self.rows.append((where, what, "" if true else wrong, 0.0))
        print(f"{where:12} {what:52} {'ok' if true else wrong}", flush=True)


def _wrong(done: subprocess.CompletedProcess[str], code: int, lines: int | None, said: str) -> str:
    told = done.stderr.strip().splitlines()
    if "Traceback" in done.stderr or "fault of poise" in done.stderr:
        return f"a traceback: {told[-1][:200]}"
    if done.returncode != code:
        return f"exit code {done.returncode}, not {code}: {' '.join(told)[-300:]}"
    if lines is not None and len(told) != lines:
        return f"{len(told)} lines on standard error, not {lines}: {' '.join(told)[:200]}"
    return "" if said in done.stdout + done.stderr else f"does not say {said!r}: {(done.stdout + done.stderr)[:200]}"


# Joints of a body that sways: name, parent, offset [cm] with Y up.
BODY = [("Hips", None, (0, 92, 0)), ("Spine", "Hips", (0, 12, 0)), ("Chest", "Spine", (0, 20, 0)),
        ("Neck", "Chest", (0, 22, 0)), ("Head", "Neck", (0, 10, 2))]  # fmt: skip
for _side, _x in (("Left", 1), ("Right", -1)):
    BODY += [(f"{_side}Arm", "Chest", (18 * _x, 18, 0)), (f"{_side}ForeArm", f"{_side}Arm", (28 * _x, 0, 0)),
             (f"{_side}Hand", f"{_side}ForeArm", (25 * _x, 0, 0)), (f"{_side}UpLeg", "Hips", (9 * _x, -4, 0)),
             (f"{_side}Leg", f"{_side}UpLeg", (0, -41, 0)), (f"{_side}Foot", f"{_side}Leg", (0, -40, 0)),
             (f"{_side}ToeBase", f"{_side}Foot", (0, -6, 14))]  # fmt: skip


def recording(frames: int = 60) -> str:
    """A BVH file of a body that stands with its arms down and sways a little."""
    order: list[str] = []

    def joint(name: str) -> str:
        order.append(name)
        offset = next(o for n, _, o in BODY if n == name)
        children = [n for n, parent, _ in BODY if parent == name]
        channels = "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation" if name == "Hips" else \
            "3 Zrotation Xrotation Yrotation"  # fmt: skip
        inside = "".join(map(joint, children)) or "End Site\n{\nOFFSET 0 0 6\n}\n"
        head = "ROOT" if name == "Hips" else "JOINT"
        return f"{head} {name}\n{{\nOFFSET {offset[0]} {offset[1]} {offset[2]}\nCHANNELS {channels}\n{inside}}}\n"

    text = f"HIERARCHY\n{joint('Hips')}MOTION\nFrames: {frames}\nFrame Time: 0.0333333\n"
    for k in range(frames):
        bend = 4 * math.sin(0.2 * k)
        turns = {"Spine": (0, bend, 0), "Chest": (bend, 0, 0), "LeftArm": (-80, 0, 0), "RightArm": (80, 0, 0)}
        row = [0, 92, 0] + [x for n in order for x in turns.get(n, (0, 0, 0))]
        text += " ".join(f"{x:.4f}" for x in row) + "\n"
    return text


def find(name: str) -> str | None:
    """An interpreter of this version: on the path, or one of pyenv's."""
    places = [shutil.which(f"python{name}")]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    places += [str(p / "bin" / "python") for p in sorted(pyenv.glob(f"{name}.*"), reverse=True)]
    for place in filter(None, places):
        ask = [place, "-c", "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"]
        if subprocess.run(ask, capture_output=True, text=True).stdout.strip() == name:
            return place
    return None


def build(matrix: Matrix) -> Path | None:
    """The wheel, and the check that what is packed as source makes the same."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([sys.executable, "-m", "venv", matrix.work / "build"], check=True)
    python = str(matrix.work / "build" / "bin" / "python")
    dist = matrix.work / "dist"
    subprocess.run([python, *pip[1:], "install", "hatchling"], check=True)
    matrix.cell("package", "wheel and sdist", [python, "-m", "hatchling", "build", "-d", str(dist)], cwd=ROOT)
    wheels, sources = list(dist.glob("*.whl")), list(dist.glob("*.tar.gz"))
    if len(wheels) != 1 or len(sources) != 1:
        return None
    with tarfile.open(sources[0]) as packed:
        packed.extractall(matrix.work / "source", filter="data")
    again = [python, "-m", "hatchling", "build", "-t", "wheel", "-d", str(matrix.work / "again")]
    matrix.cell("package", "wheel from the sdist", again, cwd=next((matrix.work / "source").iterdir()))
    names = [_names(w) for w in (*wheels, *(matrix.work / "again").glob("*.whl"))]
    matrix.expect("package", "both wheels hold the same files", len(names) == 2 and names[0] == names[1], "they differ")
    return wheels[0]


def _names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as packed:
        return sorted(packed.namelist())


def environment(home: Path | None) -> dict[str, str]:
    """A plain environment: a home or none, and nothing that would lead to the source or to other caches."""
    drop = ("PYTHON", "POISE_", "XDG_", "NUMBA_", "HOME", "TMPDIR", "VIRTUAL_ENV", "OPENBLAS", "OMP_", "MKL_")
    env = {k: v for k, v in os.environ.items() if not k.startswith(drop)}
    return env if home is None else {**env, "HOME": str(home)}


def try_python(matrix: Matrix, name: str, wheel: Path, quick: bool) -> None:
    """All cells of one Python."""
    python = find(name)
    if python is None:
        matrix.missing.append(f"Python {name} is not installed here")
        return
    where, folder = f"Python {name}", matrix.work / name
    subprocess.run([python, "-m", "venv", folder], check=True)
    install = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    matrix.cell(where, "pip install, core only", [*install, str(wheel)])
    poise = [str(folder / "bin" / "python"), "-m", "poise"]
    home = folder / "home"
    home.mkdir(mode=0o700)
    env = environment(home)
    clip = folder / "sway.bvh"
    clip.write_text(recording())
    matrix.cell(where, "--version", [*poise, "--version"], env=env, lines=0, said="poise ")
    matrix.cell(where, "check, first time", [*poise, "check", str(clip)], env=env, lines=1, said="Compiling")
    matrix.cell(where, "check, from kept kernels", [*poise, "check", str(clip)], env=env, lines=0, said="height")
    matrix.cell(where, "convert to glb", [*poise, "convert", str(clip), str(folder / "a.glb")], env=env)
    matrix.cell(where, "a missing extra is told in one sentence", [*poise, "convert", str(clip), str(folder / "a.mp4")],
                env=env, code=2, lines=1, said="poise[video]")  # fmt: skip
    kept = home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "poise" / "kernels"
    matrix.expect(where, "kernels are in the user's own cache", kept.is_dir(), f"no {kept}")
    if not quick:
        matrix.cell(where, "convert walk", [*poise, "convert", "walk", str(folder / "b.bvh")], env=env)
        matrix.cell(where, "perform walk by mcsim",
                    [*poise, "perform", "walk", "--method", "mcsim", "--seconds", "0.5"], env=env)  # fmt: skip
    if os.name != "posix" or os.geteuid() != 0 or not shutil.which("setpriv") or not shutil.which("unshare"):
        matrix.missing.append(
            f"{where}: other users and a system that cannot be written need root, setpriv and unshare"
        )
        return
    try_elsewhere(matrix, where, poise, clip, folder)


def try_elsewhere(matrix: Matrix, where: str, poise: list[str], clip: Path, folder: Path) -> None:
    """The same where there is no home, where nothing can be written, and as another user than the one who installed."""
    bare = environment(None)
    here = folder / "here"
    here.mkdir()
    os.chown(here, int(NOBODY), int(NOBODY))
    alone = [*AS_NOBODY, *poise]
    matrix.cell(where, "no HOME: --version", [*alone, "--version"], env=bare, cwd=here, lines=0)
    check = ["check", str(clip)]
    matrix.cell(where, "no HOME: check", [*alone, *check], env=bare, cwd=here, lines=1, said="cannot be kept")
    matrix.expect(where, "no HOME: nothing is left behind", not list(here.iterdir()), f"{list(here.iterdir())}")
    shut = [*NOTHING_WRITABLE, *alone]
    matrix.cell(where, "nothing writable: --version", [*shut, "--version"], env=bare, lines=0)
    matrix.cell(where, "nothing writable: check", [*shut, *check], env=bare, lines=1, said="cannot be kept")
    home = folder / "other"
    home.mkdir(mode=0o700)
    os.chown(home, int(NOBODY), int(NOBODY))
    own = {**bare, "HOME": str(home)}
    matrix.cell(where, "another user: check", [*alone, *check], env=own, cwd=here, lines=1, said="Compiling")
    matrix.cell(where, "another user: from kept kernels", [*alone, *check], env=own, cwd=here, lines=0)
    theirs = {**bare, "POISE_CACHE_DIR": str(home / ".cache" / "poise")}
    matrix.cell(where, "another user's kernels are not run", [*poise, *check], lines=1, env=theirs,
                said="belongs to another user")  # fmt: skip


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--pythons", default=",".join(PYTHONS))
    words.add_argument("--quick", action="store_true")
    args = words.parse_args()
    with tempfile.TemporaryDirectory(prefix="poise-matrix-") as folder:
        os.chmod(folder, 0o755)  # so that other users come through
        matrix = Matrix(Path(folder))
        wheel = build(matrix)
        for name in args.pythons.split(",") if wheel else ():
            try_python(matrix, name, wheel, args.quick)  # type: ignore[arg-type]
    wrong = [row for row in matrix.rows if row[2]]
    print(f"\n{len(matrix.rows)} cells, {len(wrong)} wrong")
    for where, what, reason, _ in wrong:
        print(f"  {where}, {what}: {reason}")
    for text in matrix.missing:
        print(f"  not tried: {text}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())

"""Outside judges of exported files: Blender and Khronos' validator, installed where git does not look; a browser."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BLENDER = ROOT / ".venv-bpy"
NODE = ROOT / "node_modules"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_BROWSER_FLAGS = (
    "--headless", "--no-sandbox", "--no-first-run", "--hide-scrollbars", "--window-size=800,600",
    "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # no network: the page must stand alone
    "--virtual-time-budget=12000",  # [ms] the scene needs about ten seconds in software
)  # fmt: skip


class Unavailable(Exception):
    """An outside judge that cannot be installed here; says why."""


def _run(command: list[str], seconds: float, **options: object) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=True, **options)  # type: ignore[call-overload]
    except FileNotFoundError:
        raise Unavailable(f"{command[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{command[0]} took longer than {seconds:.0f} s") from None


def blender_python() -> Path:
    """A Python that has Blender's `bpy` 5; made on the first call (the wheel wants Python 3.11 and an older numpy)."""
    python = BLENDER / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not (BLENDER / "ready").exists():
        maker = sys.executable if sys.version_info[:2] == (3, 11) else shutil.which("python3.11")
        if maker is None:
            raise Unavailable("bpy 5 needs Python 3.11, which is not installed")
        try:
            _run([maker, "-m", "venv", str(BLENDER)], 120)
            _run([str(python), "-m", "pip", "install", "-q", "bpy==5.0.*"], 1200)
            _run([str(python), "-c", "import bpy"], 120)
        except subprocess.CalledProcessError as error:
            raise Unavailable(f"bpy cannot be installed: {error.stderr.strip().splitlines()[-1:]}") from None
        (BLENDER / "ready").touch()
    return python


def blender_positions(path: Path, frames: int, fps: float) -> tuple[list[str], np.ndarray, int]:
    """Bone names, bone heads (frames, J, 3) in Blender's world, and how many skinned meshes there are."""
    out = path.with_suffix(path.suffix + ".npz")
    script = str(HERE / "blender_positions.py")
    try:
        _run([str(blender_python()), script, str(path), str(out), str(frames), repr(fps)], 600)
    except subprocess.CalledProcessError as error:
        raise AssertionError(f"Blender refused {path.name}:\n{error.stdout}\n{error.stderr}") from None
    with np.load(out) as data:
        return [str(n) for n in data["names"]], data["positions"], int(data["skinned"])


def gltf_report(path: Path) -> dict:
    """The report of the Khronos validator on a GLB file."""
    if not (NODE / "gltf-validator").is_dir():
        try:
            place = ["--no-save", "--no-package-lock", "--prefix", str(ROOT)]
            _run(["npm", "install", *place, "gltf-validator@2.0.0-dev.3.10"], 300)
        except subprocess.CalledProcessError as error:
            raise Unavailable(f"gltf-validator cannot be installed: {error.stderr.strip()[-200:]}") from None
    environment = {**os.environ, "NODE_PATH": str(NODE)}
    return json.loads(_run(["node", str(HERE / "validate_gltf.js"), str(path)], 120, env=environment).stdout)


def browser_picture(page: Path, picture: Path) -> None:
    """What a browser without network and graphics card shows of a page on disk, as PNG."""
    browser = next((b for b in BROWSERS if shutil.which(b)), None)
    if browser is None:
        raise Unavailable("no Chromium is installed")
    _run([browser, *_BROWSER_FLAGS, f"--screenshot={picture}", page.as_uri()], 180)

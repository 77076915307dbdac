"""Files used in child processes with a limit of time and memory: what a hostile file does stays there.

`python guarded.py` is a server: it imports poise once, then forks for each line {"do": ..., "path": ...} on standard
input and answers with a line {"outcome": ..., "text": ..., "seconds": ..., "megabytes": ...}. `Guard` starts one.
Outcomes: "read" (loaded and used), "refused" (a PoiseError of one printable sentence), "fault" (any other exception, or
numpy's warning of numbers that are none), "killed" (a signal: a crash of a library, or the limit of memory), "hang".
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import unicodedata
import warnings
from pathlib import Path
from typing import Any, NamedTuple

SECONDS, MEGABYTES = 20.0, 2000.0
_ADDRESSES = 6_000_000_000  # bytes: libraries reserve far more than they use, so what is used is measured besides


class Outcome(NamedTuple):
    """What became of a file."""

    outcome: str
    text: str
    seconds: float
    megabytes: float  # resident, at most

    @property
    def sound(self) -> bool:
        """Read, or refused in a sentence, in time and within memory."""
        return self.outcome in ("read", "refused") and self.seconds < SECONDS and self.megabytes < MEGABYTES


class Guard:
    """A server of its own; `use(path, do)` gives the outcome of one file."""

    def __init__(self, seconds: float = SECONDS) -> None:
        source = str(Path(__file__).resolve().parents[1] / "src")
        given = os.environ.get("POISE_SOURCE", source)  # another version of poise, to be compared with
        paths = os.pathsep.join([given, str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
        self._server = subprocess.Popen(
            [sys.executable, __file__, str(seconds)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": paths},
        )  # fmt: skip

    def use(self, path: Path, do: str = "motion") -> Outcome:
        """Load the file as a "motion", "character" or "take", check, perform and audit it."""
        assert self._server.stdin is not None and self._server.stdout is not None
        self._server.stdin.write(json.dumps({"do": do, "path": str(path)}) + "\n")
        self._server.stdin.flush()
        return Outcome(**json.loads(self._server.stdout.readline()))

    def close(self) -> None:
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait(30)


def use(path: str, do: str) -> None:
    """What a user would do with a file, a little of each."""
    import poise

    if do == "take":
        take = poise.Take.load(path)
        repr(take), take.fell, take.tracking_error(), take.touching, take.ground, take.realtime_factor
        poise.audit(take).text()
        clip = take.as_clip()
    elif do == "character":
        clip = still(poise.load_character(path))
    else:
        clip = poise.load_clip(path)
        clip = clip if len(clip) < 240 else clip.cut(0.0, 239 * clip.dt)
    json.dumps(poise.check(clip).to_dict(), allow_nan=False)
    poise.check(clip).text()
    json.dumps(poise.audit(clip).to_dict(), allow_nan=False)
    poise.audit(clip).text()
    for method in ("kinematic", "pd"):
        take = poise.perform(clip, method, seconds=2 / 120)
        repr(take), take.tracking_error()


def still(character: Any) -> Any:
    """A clip of half a second in which the character stands in its zero pose."""
    import numpy as np

    from poise.motion.clip import Clip

    repr(character)
    q = character.standing_pose()
    q[2] += 0.0 if len(character.contact_points) else 2.0  # where nothing tells how it stands, it hangs in the air
    return Clip(character, np.tile(q, (60, 1)), 1 / 120)


def child(path: str, do: str, say: int) -> None:
    """Uses one file and tells how that ended; never returns."""
    import resource
    import traceback

    from poise.errors import PoiseError

    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESSES, _ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("error", RuntimeWarning)  # numbers that are none are not to be computed with
    outcome, text = "read", ""
    try:
        use(path, do)
    except PoiseError as error:
        outcome, text = "refused", str(error)
        odd = [c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
        if odd or len(text) > 20000:
            outcome, text = "fault", f"a message of {len(text)} letters with {odd[:3]}: {text[:200]!r}"
    except BaseException:
        outcome, text = "fault", traceback.format_exc()[-3000:]
    os.write(say, json.dumps([outcome, text[:3500]]).encode())
    os._exit(0)


def _spent(pid: int) -> float:
    """Seconds of the processor that a process has taken; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def watch(path: str, do: str, limit: float) -> dict[str, Any]:
    """The outcome of one file in a forked child."""
    listen, say = os.pipe()
    begun = time.monotonic()
    pid = os.fork()
    if pid == 0:
        os.close(listen)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        child(path, do, say)
    os.close(say)
    usage, status = None, 0
    while usage is None:
        done, status, found = os.wait4(pid, os.WNOHANG)
        if done:
            usage = found
        elif time.monotonic() - begun > 3 * limit or _spent(pid) > limit:
            os.kill(pid, 9)
            _, status, usage = os.wait4(pid, 0)
            status = -1
        else:
            time.sleep(0.01)
    with os.fdopen(listen, "rb") as stream:
        told = stream.read()
    outcome, text = json.loads(told) if told else ("killed", f"status {status}")
    if status == -1:
        outcome, text = "hang", f"not done after {limit} s"
    taken = usage.ru_utime + usage.ru_stime  # of the processor: a busy machine makes no hang
    return {"outcome": outcome, "text": text, "seconds": taken, "megabytes": usage.ru_maxrss / 1000}


def warm() -> None:
    """Everything that is imported and compiled late, once, so that each child has it."""
    import poise

    clip = still(poise.load_character("human42"))
    poise.check(clip).text()
    for method in ("kinematic", "pd"):
        take = poise.perform(clip, method, seconds=2 / 120)
    with tempfile.TemporaryDirectory() as folder:
        for name, motion, do in (
            ("take.npz", take, "take"),
            ("clip.npz", clip, "motion"),
            ("clip.bvh", clip, "motion"),
        ):
            motion.save(Path(folder, name))
            use(str(Path(folder, name)), do)
        Path(folder, "body.xml").write_text(clip.character.xml)
        use(str(Path(folder, "body.xml")), "character")


def main() -> None:
    limit, out = float(sys.argv[1]), os.dup(1)
    os.dup2(2, 1)  # what libraries print does not come between the answers
    warm()
    for line in sys.stdin:
        job = json.loads(line)
        os.write(out, (json.dumps(watch(job["path"], job["do"], limit)) + "\n").encode())


if __name__ == "__main__":
    main()

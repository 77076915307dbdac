"""What makes no sense to the modal method is refused in one sentence, in Python and by the command."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import poise
from cli_files import refused
from poise.errors import PoiseError
from poise.methods.modal import Modal, ModalTorques
from poise.methods.modal.spectrum import check_stiffness, subtree_stiffness

WINDOW = "steps of 1/120 s] of modal.* must be a whole number from 1 to 240, or auto, not"
SETTINGS = {
    "window=0": WINDOW,
    "window=-1": WINDOW,
    "window=2.5": WINDOW,
    "window=nan": WINDOW,
    "window=soon": WINDOW,
    "window=1000000": WINDOW,
    "group=0": "must be a whole number from 1 to",
    "group=nan": "must be a whole number from 1 to",
    "latency=-0.1": "must be a number from 0 to 10,",
    "latency=nan": "must be a number from 0 to 10,",
    "force=0": "must be a number from 1e-6 to 1e6,",
    "force=much": "must be a number from 1e-6 to 1e6,",
    "threshold=nan": "must be a number from 1e-6 to 1e9,",
    "threshold=-100": "must be a number from 1e-6 to 1e9,",
    "high_decay=1": "must be a number from 0 to 0.999,",
    "friction=-1": "must be a number from 0.001 to 10, or none,",
    "friction=nan": "must be a number from 0.001 to 10, or none,",
    "windw=12": "windw",
}


def _value(text: str) -> object:
    try:
        return float(text) if "." in text or text == "nan" else int(text)
    except ValueError:
        return text


@pytest.mark.parametrize("way", [Modal, ModalTorques])
def test_settings_in_python(way: type) -> None:
    for given, words in SETTINGS.items():
        name, value = given.split("=")
        if name == "windw":
            continue
        with pytest.raises(PoiseError, match=words) as told:
            way(**{name: _value(value)})
        assert str(told.value).count("\n") == 0 and str(told.value).startswith(name)
    for modes in ((3, 9), (12, 12), (6, 7, 8), frozenset(), frozenset({2, 7})):
        with pytest.raises(PoiseError, match="internal ones"):
            way(modes=modes)


@pytest.mark.parametrize(("given", "words"), SETTINGS.items())
def test_settings_by_command(capsys: pytest.CaptureFixture[str], given: str, words: str) -> None:
    said = refused(capsys, "perform", "squat", "--method", "modal", "--seconds", "0.1", "--set", given)
    assert re.search(words, said) and given.split("=")[0] in said


def _aloft(clip: poise.Clip) -> poise.Clip:
    high = clip.q + 3.0 * (np.arange(clip.q.shape[1]) == 2)
    return clip.with_q(high, labels=np.zeros_like(clip.contacts.labels))


def test_clips(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A clip that touches nothing, one shorter than the window, one of a frame or two."""
    jump = poise.load_clip("jump")
    aloft, short = _aloft(jump.cut(0.0, 0.4)), jump.cut(0.0, 0.05)
    for way in (Modal, ModalTorques):
        with pytest.raises(PoiseError, match="never touches the ground"):
            poise.perform(aloft, way(repair=False), seconds=0.1, stage=poise.Stage())
        with pytest.raises(PoiseError, match=r"window of 60 steps, 0.50 s, is longer than the clip .* of 0.40 s"):
            poise.perform(jump.cut(0.0, 0.4), way(window=60, repair=False), seconds=0.1)
    short.save(tmp_path / "short.npz")
    said = refused(capsys, "perform", tmp_path / "short.npz", "--method", "modal", "--set", "repair=no")
    assert "The window of 12 steps, 0.10 s, is longer than the clip" in said


def test_an_automatic_window_fits_a_short_clip() -> None:
    clip = poise.load_clip("jump").cut(0.0, 0.05)
    memory = Modal(window="auto", repair=False).start(clip.character, poise.Reference(clip), poise.Stage())
    assert memory.window == int(clip.duration * 120 + 1e-6) < 8


def test_a_pose_that_is_no_number() -> None:
    clip = poise.load_clip("squat")
    q = np.array(clip.q)
    q[3, 9] = np.nan
    with pytest.raises(PoiseError):
        poise.perform(clip.with_q(q), Modal(repair=False), seconds=0.1)


def test_a_joint_without_spring() -> None:
    character = poise.load_character("human42")
    for value, words in ((0.0, "has the stiffness 0; the modes need every joint on a spring"), (np.nan, "finite")):
        loose = subtree_stiffness(character)
        loose[20] = value
        with pytest.raises(PoiseError, match=words):
            check_stiffness(character, loose)

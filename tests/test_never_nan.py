"""No method gives a number that is none: whatever happens to a body, its take holds finite numbers up to its end."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import poise
from poise import methods
from poise.errors import PoiseError
from poise.methods.contract import Around
from poise.methods.modal import Modal
from poise.motion.reference import Reference
from poise.simulate.simulator import State
from poise.take import Take


def _performed(clip: poise.Clip, method: str, **how: object) -> Take | None:
    """The take, also of a performance that ended with a sentence; None where a method refuses the clip."""
    try:
        return poise.perform(clip, method, **how)  # type: ignore[arg-type]
    except PoiseError as told:
        assert "nan" not in str(told).lower()
        return getattr(told, "take", None)


def _clip(method: str) -> poise.Clip:
    """The standing clip, or a gait for the method that performs gaits alone."""
    from poise.methods.vibration.gait import shipped

    return poise.load_clip(shipped()[0]) if method == "vibration" else poise.load_clip("stand")


def _assert_finite(take: Take) -> None:
    arrays = {"time": take.time, "q": take.q, "v": take.v, "torque": take.torque, "contacts": take.contacts.rows(),
              "external": take.external.rows(), "assist": take.assist.rows(), **take.props}  # fmt: skip
    for name, array in arrays.items():
        assert np.isfinite(array).all(), f"{name} of {take.method}"
    for name, trace in take.traces.items():  # NaN stands for frames in which a trace has no value, whole rows of them
        rows = np.isfinite(np.asarray(trace, float).reshape(len(trace), -1))
        assert (rows.all(axis=1) | ~rows.any(axis=1)).all(), f"trace {name} of {take.method}"
        assert not np.isinf(np.asarray(trace, float)).any(), f"trace {name} of {take.method}"


@pytest.mark.parametrize("method", methods.names())
def test_a_body_that_is_thrown_down(method: str) -> None:
    stage = poise.Stage(events=[poise.Push("chest", force=(1000, 300, 0), at=0.1, duration=0.3)])
    take = _performed(_clip(method), method, stage=stage, seconds=1.0)
    assert take is not None and len(take.time) > 1
    _assert_finite(take)


@pytest.mark.parametrize("method", methods.names())
@pytest.mark.parametrize("noise", [30.0, 1e3])
def test_a_start_at_impossible_speeds(method: str, noise: float) -> None:
    take = _performed(_clip(method), method, noise=noise, seconds=0.3)
    if take is not None:
        _assert_finite(take)


@pytest.mark.slow
@pytest.mark.parametrize("method", methods.names())
@pytest.mark.parametrize("name", ["jump", "hop", "short"])
def test_rough_clips(method: str, name: str) -> None:
    clip = poise.load_clip("walk").cut(0.2, 0.45) if name == "short" else poise.load_clip(name)
    take = _performed(clip, method, seconds=None if name == "short" else 3.0)
    if take is not None:
        _assert_finite(take)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["modal", "modal-torques"])
@pytest.mark.parametrize("file", ["16_03", "22_14_f0060-0420", "90_02_f0240-0600", "132_23_f0180-0700"])
def test_recordings_that_modal_once_lost_as_nan(mocap: Path, file: str, method: str) -> None:
    take = _performed(poise.load_clip(mocap / "cmu" / f"{file}.bvh"), method)
    assert take is not None
    _assert_finite(take)


def _start(way: Modal) -> tuple[State, Reference, object]:
    clip = poise.load_clip("stand")
    reference = Reference(clip)
    sample = reference.sample(0.0)
    return State(0.0, sample.q, sample.v), reference, way.start(clip.character, reference, poise.Stage())


@pytest.mark.parametrize("speed", [500.0, np.nan, np.inf])
def test_modal_says_that_it_is_lost(speed: float) -> None:
    """No array of NaN, but one clause that says what is too fast."""
    way = Modal()
    state, reference, memory = _start(way)
    v = state.v.copy()
    v[20] = speed
    stepped = way.step(state._replace(v=v), reference, Around(poise.Stage()), 1 / 120, memory)  # type: ignore[arg-type]
    assert stepped.status
    assert "nan" not in stepped.status and ("28648 degrees/s" in stepped.status) == (speed == 500.0)


def test_a_take_that_is_lost_tells_of_it() -> None:
    take = poise.perform(poise.load_clip("stand"), "modal", noise=1e3, seconds=0.3)
    assert any(e.kind == "lost" and "too fast" in e.text for e in take.events)

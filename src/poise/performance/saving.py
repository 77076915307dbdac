"""A performance put away between two frames, and taken up again: here, later, or in another process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from poise import files
from poise.errors import BadFile, PoiseError
from poise.motion.formats import npz, npz_arrays
from poise.motion.reference import Reference
from poise.performance import encoding
from poise.performance.course import Course
from poise.performance.driving import drive
from poise.simulate.simulator import State
from poise.take import Recorder
from poise.take.description import versions
from poise.threads import on_one_thread

if TYPE_CHECKING:
    from poise.performance.show import Show

FORMAT = "poise performance"


def save_state(show: Show, path: str | PathLike[str]) -> None:
    """All that the future of a show depends on as an .npz: named arrays and one JSON text; whole or not there."""
    packed = show.driver.pack()
    arrays = {f"packed.{k}": v for k, v in enumerate(v for v in packed.values() if isinstance(v, np.ndarray))}
    names = [k for k, v in packed.items() if isinstance(v, np.ndarray)]
    plain = {k: encoding.plain(v) for k, v in packed.items() if not isinstance(v, np.ndarray)}
    course, watch, recorder = show.course, show.watch, show.recorder
    facts = {
        "format": FORMAT, "version": 1, "versions": versions(), "names": names, "plain": plain,
        "method": encoding.plain(show.driver.way), "stage": encoding.plain(show.stage),
        "own": encoding.plain(course.own), "same": course.followed is course.own,
        "followed": None if course.followed is course.own else encoding.plain(course.followed),
        "course": {k: encoding.plain(v) for k, v in course.pack().items()},
        "watch": {k: encoding.plain(v) for k, v in watch.pack().items()},
        "recorder": {k: recorder.facts[k] for k in ("seed", "calls")},
        "show": {k: encoding.plain(v) for k, v in show.facts().items()},
    }  # fmt: skip
    with files.writing(path) as temporary:
        npz_arrays.write(temporary, json.dumps(facts, allow_nan=False), arrays)


@on_one_thread
def resume(path: str | PathLike[str], own: Mapping[str, Any] | None = None) -> Show:
    """The show that `show.save_state` put away, at the same frame; what follows has the same bits.

    Its take begins there, with the calls from the very beginning. `own`: methods of the user's own by
    "package.module:Class", which no file may name by itself.
    """
    facts, arrays = npz_arrays.read(files.must_exist(path), "performance")
    try:
        if facts.get("format") != FORMAT or facts.get("version") != 1:
            raise BadFile(path, "it is not a performance that show.save_state put away.")
        return _resumed(facts, arrays, own)
    except BadFile:
        raise
    except KeyError as error:
        raise BadFile(path, f"it is not a whole performance: {error.args[0]!r} is missing.") from None
    except npz.UNSOUND as error:
        raise BadFile(path, f"it is not a sound performance: {npz.told(error)}") from None
    except PoiseError as error:
        raise BadFile(path, f"it cannot be taken up again: {error}") from None


def _resumed(facts: dict[str, Any], arrays: dict[str, np.ndarray], given: Mapping[str, Any] | None) -> Show:
    from poise.performance.show import Show

    own: Reference = encoding.value(facts["own"], given)
    character = own.character
    followed = own if facts["same"] else encoding.value(facts["followed"], given, character)
    stage, way = encoding.value(facts["stage"]), encoding.value(facts["method"], given)
    packed = {k: arrays[f"packed.{n}"] for n, k in enumerate(facts["names"])}
    packed |= {k: encoding.value(v) for k, v in facts["plain"].items()}
    course = Course(own, prepares=False, repairs=True)
    course.followed = followed
    course.unpack({k: encoding.value(v, given, character) for k, v in facts["course"].items()})
    course.perform_by(way, stage)
    told = {k: encoding.value(v) for k, v in facts["show"].items()}
    sample = followed.sample(told["time"])
    state = State(told["time"], sample.q, sample.v)  # the real one comes with what was packed
    driver = drive(way, followed, stage, state, told["engine"], told["contact"], check=False)
    driver.unpack(packed)
    recorder = Recorder(followed, start=followed.start, method=way.name, settings=way, stage=stage,
                        seed=int(facts["recorder"]["seed"]), own=own)  # fmt: skip
    recorder.facts["calls"] = list(facts["recorder"]["calls"])
    driver.announce(recorder)
    show = Show(driver, course, recorder, engine=told["engine"], contact=told["contact"], limp=told["limp"],
                logs=told["logs"], count=told["count"])  # fmt: skip
    show.watch.unpack({k: encoding.value(v) for k, v in facts["watch"].items()})
    return show

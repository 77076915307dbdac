"""modal beside its document: the printed form, and departures that are switched off one by one."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pytest

from poise import Push, Reference, Stage, load_clip, perform
from poise.errors import UnknownName
from poise.experiments.modal.edits import walks
from poise.experiments.modal.pushes import CASES
from poise.experiments.modal.spectra import PLANNED, SHIFTS
from poise.experiments.reproduce import Options
from poise.ground.slope import Slope
from poise.methods.modal import DEPARTURES, Modal, ModalTorques
from poise.methods.modal.departures import FLAGS
from poise.methods.modal.linearise import Watched
from poise.methods.modal.spectrum import tracked_share
from poise.motion.clip import Clip
from poise.motion.feet.legs import Legs

LASTS = 10 / 120
REST = tuple(d for d in DEPARTURES if d != "effort")  # springs are free only where effort is measured from nothing


def test_the_printed_form_has_no_departure_and_the_papers_weights():
    for kind in (Modal, ModalTorques):
        way = kind.printed()
        assert isinstance(way, kind) and way.departures == () and not any(way.has(d) for d in DEPARTURES)
        assert (way.place, way.turn, way.velocity, way.height, way.force) == (0.1, 0.5, 1.0, 1.0, 0.1)
        assert (way.low_place, way.low_velocity, way.low_effort, way.threshold) == (0.5, 2.0, 0.005, 100.0)
        assert (way.latency, way.friction, way.window, way.weights(1 / 120, 12).cancel_high) == (0.2, 1.0, 12, 1.0)
        assert all(kind().has(d) for d in DEPARTURES)
    assert ModalTorques.printed().firmness == 0.0
    assert Modal.printed(window=16, latency=0.0).latency == 0.0
    assert Modal.printed(departures="footholds").has("footholds")
    with pytest.raises(UnknownName, match="departure of modal"):
        Modal(departures=("magic",))


def test_a_departure_with_a_setting_needs_both():
    for name, own in FLAGS.items():
        assert not Modal(**{own: False}).has(name)
        assert not Modal(departures=tuple(d for d in DEPARTURES if d != name)).has(name)
    assert not Modal.printed(footholds=True).has("footholds")


def _pushed(force: float, side: float, seconds: float, clip: str = "walk") -> Callable[[Modal], np.ndarray]:
    """Poses of a performance in which the chest is pushed forward and to the left from the beginning."""
    stage = Stage(events=[Push("chest", (force, side, 0.0), 0.05, LASTS)])
    return lambda m: perform(load_clip(clip), m, stage=stage, seconds=seconds).q


@lru_cache
def _narrow(name: str) -> Clip:
    """Somebody whose feet are 22 cm nearer to each other: in each other."""
    clip = load_clip(name)
    legs = Legs(clip.character)
    return clip.with_q(np.array([legs.moved(q, q, np.array([[0.0, -0.11], [0.0, 0.11]])) for q in clip.q]),
                       labels=clip.contacts.labels)  # fmt: skip


def _crossed(m: Modal) -> np.ndarray:
    """Somebody who stands so, performed as it is."""
    return perform(_narrow("stand"), m, seconds=0.1).q


def _prepared(clip: Callable[[], Clip], stage: Stage | None = None) -> Callable[[Modal], np.ndarray]:
    return lambda m: m.prepare(Reference(clip()), stage or Stage())[0].baked.q


def _bent() -> Clip:
    """A walk whose trunk is shaken as no ground force explains."""
    clip = load_clip("walk")
    q = np.array(clip.q)
    q[:, 2] += 0.02 * np.sin(np.arange(len(q)))
    return clip.with_q(q, labels=clip.contacts.labels)


HARD = _pushed(250.0, 250.0, 0.6)
SHOWN: dict[str, Callable[[Modal], np.ndarray]] = {
    **dict.fromkeys(("targets", "arms", "products", "velocities", "rest", "effort", "bear", "blend", "tracked",
                     "comply", "root"), _pushed(60.0, 60.0, 0.2)),
    **dict.fromkeys(("legs", "lift", "contacts", "footholds", "pendulum", "limits"), HARD),
    "tumble": _pushed(900.0, 0.0, 1.3, "stand"), "collide": _crossed,
    "slope": _prepared(lambda: load_clip("stand"), Stage(ground=Slope(3.0))), "repair": _prepared(_bent),
    "raised": _prepared(lambda: load_clip("turn")), "apart": _prepared(lambda: _narrow("walk")),
}  # fmt: skip
BARE = tuple(d for d in DEPARTURES if d != "repair")  # a body in itself is not made physical
BASE = {"rest": REST, "collide": BARE, "apart": BARE}


@lru_cache
def _with(shown: Callable[[Modal], np.ndarray], base: tuple[str, ...]) -> np.ndarray:
    return shown(Modal(departures=base))


@pytest.mark.parametrize("name", DEPARTURES)
def test_every_departure_can_be_left_out_and_changes_what_happens(name: str):
    shown, base = SHOWN[name], BASE.get(name, tuple(DEPARTURES))
    on, off = _with(shown, base), shown(Modal(departures=tuple(d for d in base if d != name)))
    rows = min(len(on), len(off))
    assert np.abs(on[:rows] - off[:rows]).max() > 1e-9, name


def test_the_printed_ends_are_the_linearised_ones_and_near_the_exact_ones_at_rest():
    """Standing still, both forms of the rigid modes' ends are what gravity does in the window."""
    from poise.experiments.modal.planning import overhear
    from poise.methods.modal.spectrum import find_modes
    from poise.methods.modal.step import linear_ends, rigid_ends

    kept = []
    overhear(load_clip("stand"), Modal(), 2 / 120, kept.append)
    body, ahead = kept[0].made[:2]
    shapes, _, spin = find_modes(body.M, body.stiffness, body.R, body.place, body.centre, body.mass)
    ends = np.empty((2, 12))
    rigid_ends(body, ahead, kept[0].weights, shapes.T @ body.M, spin, ends[0], np.empty(12))
    linear_ends(body, ahead, kept[0].weights, shapes, shapes.T @ body.M, ends[1], np.empty(12))
    fall = 9.81 * np.sqrt(body.mass) * 0.1  # [√kg m/s] in the window of 12 steps
    assert ends[0] == pytest.approx(ends[1], abs=1e-3 * fall)
    assert ends[1][8] == pytest.approx(-fall, rel=1e-3)


def test_the_printed_threshold_is_a_step():
    squares, share = np.array([0.0] * 6 + [50.0, 99.0, 101.0, 300.0]), np.empty(10)
    tracked_share(squares, 100.0, 0, 0, share, False)
    assert share[6:].tolist() == [0.0, 0.0, 1.0, 1.0]
    tracked_share(squares, 100.0, 0, 0, share)
    assert 0.0 < share[7] < share[8] < 1.0


def test_the_printed_form_knows_no_limits_and_leaves_the_momentum_alone():
    take = perform(load_clip("walk"), Modal.printed(), seconds=0.1)
    lack = np.linalg.norm(take.traces["root_correction"][:-1, :3], axis=1)
    assert np.isfinite(lack).all() and lack.max() > 1.0  # [N] that the velocity was not given


def test_studies_say_the_documents_form_and_ours(mocap):
    assert {(c.form, c.settings.get("latency"), c.settings.get("footholds")) for c in CASES} >= {
        ("ours", None, None), ("ours", 0.2, False), ("printed", None, None)}  # fmt: skip
    internal = Watched(load_clip("walk").character, np.zeros(0, int), np.zeros((0, 3))).model.nv - 6
    assert max(SHIFTS) == internal - PLANNED == 23
    assert list(walks(Options())) == ["human42"] and list(walks(Options(recordings=mocap))) == ["human42", "02_01"]

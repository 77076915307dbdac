"""A new ground is one class and one line, and everything that meets grounds works on it; nobody looks at classes."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import poise
from poise import ground as grounds
from poise.cli.events import ground as written
from poise.export.filmstrip import filmstrip
from poise.ground import ground as asked
from poise.ground.pieces import Heights
from poise.ground.saving import described, made
from poise.motion.check.check import penetration
from poise.stage import Stage
from poise.stage.world import build

SOURCE = Path(poise.__file__).parent


@dataclass(frozen=True)
class Waves:
    """Waves along X that stand oblique: higher to the left."""

    high: float = 0.05  # [m]
    long: float = 8.0  # [m]
    lean: float = 0.01  # [m/m]

    def height(self, x, y):
        return self.high * np.sin(2 * np.pi * np.asarray(x) / self.long) + self.lean * np.asarray(y)

    def normal(self, x, y):
        rise = 2 * np.pi * self.high / self.long * np.cos(2 * np.pi * np.asarray(x) / self.long)
        n = np.stack([-rise, np.full(np.shape(x), -self.lean), np.ones(np.shape(x))], -1)
        return n / np.linalg.norm(n, axis=-1, keepdims=True)

    def scaled(self, factor):
        return replace(self, high=factor * self.high, long=factor * self.long)

    def mirrored(self):
        return replace(self, lean=-self.lean)


WAVES = Waves()


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(grounds.KINDS, "Waves", (__name__, "waves:HIGHxLONG"))


@pytest.fixture(scope="module")
def stand() -> poise.Clip:
    """Standing near the top of a wave, at its height."""
    clip = poise.load_clip("stand")
    q = np.array(clip.q)
    q[:, 0] += 1.6
    points = clip.character.points(q)
    q[:, 2] += float(np.max(WAVES.height(points[0, :, 0], points[0, :, 1]) - points[0, :, 2]))
    return replace(clip, q=q, ground=WAVES, cycle=None, recording=None, labels=clip.contacts.labels)


@pytest.mark.parametrize("method", ["pd", "mcsim"])
def test_it_is_performed_audited_saved_and_loaded(stand, tmp_path, method):
    take = poise.perform(stand, method, seconds=0.3)
    assert take.ended == "whole" and take.ground == WAVES
    ground = take.contacts.on_ground()
    x, y, z = take.contacts.point[ground].T
    assert ground.any() and np.abs(z - WAVES.height(x, y)).max() < 0.02, "it stands on the waves"
    assert z.min() > 0.03, "it does not stand on a floor"
    report = poise.audit(take)
    # feet sink 7 to 16 mm into a curved table of heights (0.2 mm into a plane): geometry and simulator must agree
    recorded = float(take.contacts.depth.max())
    assert report.penetration == pytest.approx(recorded, abs=0.005) and report.penetration > recorded
    take.save(tmp_path / "take.npz")
    back = poise.Take.load(tmp_path / "take.npz")
    assert back.ground == WAVES and back.clip.ground == WAVES
    assert poise.audit(back).penetration == report.penetration


def test_clips_on_it_are_edited_checked_mirrored_scaled_saved_and_drawn(stand, tmp_path):
    moved = stand.edit(poise.edit.Move((-1.0, 0.0)))
    points = moved.character.points(moved.q)
    assert penetration(moved) < 0.03 and moved.ground == WAVES
    lift = np.mean(moved.q[:, 2] - stand.q[:, 2])
    here, there = (float(WAVES.height(c.q[0, 0], c.q[0, 1])) for c in (stand, moved))
    assert lift == pytest.approx(there - here, abs=0.01) and abs(there - here) > 0.02, "it went down the wave"
    assert np.isfinite(points).all() and poise.check(moved).skating < 0.2
    assert stand.mirror().ground == Waves(lean=-0.01)
    child = stand.retarget(poise.load_character("human45"), scale=0.9)
    assert child.ground == Waves(0.9 * WAVES.high, 0.9 * WAVES.long)
    moved.save(tmp_path / "clip.npz")
    assert poise.load_clip(tmp_path / "clip.npz").ground == WAVES
    strip, flat = (filmstrip(c, frames=3, width=400, row_height=150, smooth=1)
                   for c in (stand, replace(stand, ground=poise.Flat())))  # fmt: skip
    assert strip.size[0] > 100 and strip.tobytes() != flat.tobytes()
    assert poise.audit(stand).penetration < 0.02


def test_it_is_written_on_the_command_line():
    assert written("waves:0.1x3") == Waves(0.1, 3.0)
    with pytest.raises(poise.PoiseError, match="seesaw or waves:HIGHxLONG, not 'waves'"):
        written("waves")


def test_it_is_built_as_high_as_it_says(stand):
    model = build(stand.character, Stage(WAVES)).model
    assert model.nhfield == 1 and asked.pieces_of(WAVES) == (Heights(WAVES.height),)
    half_x, half_y, tall, _ = model.hfield_size[0]
    rows, columns = int(model.hfield_nrow[0]), int(model.hfield_ncol[0])
    z = model.hfield_data.reshape(rows, columns) * tall + model.geom_pos[model.geom_dataid >= 0][-1][2]
    x, y = np.meshgrid(np.linspace(-half_x, half_x, columns), np.linspace(-half_y, half_y, rows))
    assert np.abs(z - WAVES.height(x, y)).max() < 1e-5


def test_what_it_does_not_say_is_refused_in_a_sentence():
    class Bare:
        height, normal = Waves.height, Waves.normal

    with pytest.raises(poise.PoiseError, match="A ground of kind Bare cannot be mirrored"):
        asked.mirrored(Bare())
    with pytest.raises(poise.PoiseError, match=r"Bare cannot be scaled; retarget with scale=1\.0"):
        asked.scaled(Bare(), 1.1)
    with pytest.raises(poise.PoiseError, match=r"'Bare' cannot be saved; known are Flat, .*, Waves"):
        described(Bare())


SHOWN = [
    poise.Flat(0.1), poise.Slope(3.0, 20.0), poise.Stairs(0.1, 0.3, 0.2, 4, 30.0),
    poise.stage.Treads((poise.stage.Tread(1.0, 2.0, 0.3, 0.2, 0.4, 10.0),), 0.1),
    poise.Platform(motion=poise.PlatformMotion(0.1)), poise.Seesaw(length=4.0),
    poise.Blocks([(0, 1, 2, 3, 4, 5, None), (0, 1, 2, 3, 4, 5, 6)]),
    poise.Patches([(0, 1, 2, 3, 0.4)], poise.Slope(2.0)),
    poise.HeightField(np.arange(6.0).reshape(2, 3)), WAVES,
]  # fmt: skip


def test_every_registered_kind_is_shown_here():
    assert {type(g).__name__ for g in SHOWN} == set(grounds.KINDS)


@pytest.mark.parametrize("ground", SHOWN, ids=lambda g: type(g).__name__)
def test_facts_and_ground_are_inverse(ground):
    back = made(described(ground))
    assert type(back) is type(ground) and described(back) == described(ground)


@pytest.mark.parametrize("ground", SHOWN, ids=lambda g: type(g).__name__)
def test_verbs_agree_with_heights(ground):
    """Mirrored and scaled grounds have the heights of the mirrored and scaled places; a plane is all of a ground."""
    x, y = np.random.default_rng(0).uniform(-1.5, 1.5, (2, 400))
    if hasattr(ground, "mirrored"):
        assert np.mean(np.abs(asked.mirrored(ground).height(x, -y) - ground.height(x, y)) > 1e-9) < 0.01
    if hasattr(ground, "scaled"):
        grown = asked.scaled(ground, 2.0).height(2.0 * x, 2.0 * y)
        assert np.mean(np.abs(grown - 2.0 * ground.height(x, y)) > 1e-9) < 0.01
    plane = asked.plane_of(ground)
    if plane is not None:
        n = np.asarray(plane.normal, float)
        assert np.allclose(ground.height(x, y), plane.height - (n[0] * x + n[1] * y) / n[2], atol=1e-12)


def compared(text: str, names: set[str]) -> list[int]:
    """Lines on which source code tells grounds apart by class or by the name of one."""

    def named(node: ast.AST) -> bool:
        inner = list(ast.walk(node))
        return any((isinstance(n, ast.Name) and n.id in names) or (isinstance(n, ast.Attribute) and n.attr in names)
                   or (isinstance(n, ast.Constant) and n.value in names) for n in inner)  # fmt: skip

    found = []
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("isinstance", "issubclass")
        ):
            found += [node.lineno] * named(node.args[1])
        elif isinstance(node, ast.Compare):
            found += [node.lineno] * any(map(named, [node.left, *node.comparators]))
        elif isinstance(node, ast.MatchClass):
            found += [node.lineno] * named(node.cls)
        elif isinstance(node, (ast.Dict, ast.Set)):  # tables by class, sets of names
            keys = node.keys if isinstance(node, ast.Dict) else node.elts
            found += [node.lineno] * any(named(k) for k in keys if k is not None)
    return found


def test_no_module_outside_the_room_tells_grounds_apart_by_class():
    names = set(grounds.KINDS)
    offenders = {str(p.relative_to(SOURCE)): lines for p in sorted(SOURCE.rglob("*.py"))
                 if p.parent.name != "ground" and (lines := compared(p.read_text(), names))}  # fmt: skip
    assert offenders == {}
    for text in ("isinstance(g, (Flat, Slope))", "type(g).__name__ == 'Stairs'", "type(g) is Flat",
                 "S = {'Flat', 'Slope'}",
                 "L = {Flat: 1}", "isinstance(g, stage.Seesaw)"):  # fmt: skip
        assert compared(text, names), f"the search itself misses {text}"

"""A saved clip is the same clip, bit for bit, and a hostile npz is one sentence."""

from __future__ import annotations

import dataclasses
import io
import json
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

import puppet
from poise.character.skeleton import Binding, EndSite, Placement, Skeleton
from poise.errors import BadFile, BadValue
from poise.ground.flat import Flat
from poise.ground.slope import Slope
from poise.ground.stairs import Stairs
from poise.ground.treads import Tread, Treads
from poise.maths import rotations as rot
from poise.motion import formats
from poise.motion.clip import Clip, Cycle
from poise.motion.formats import npz
from poise.motion.recording import Recording, Source


def same(a: object, b: object, where: str = "clip") -> None:
    """Asserts equality down to the bits and types of all fields."""
    assert type(a) is type(b), where
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        assert a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes(), where
    elif dataclasses.is_dataclass(a):
        for f in dataclasses.fields(a):
            same(getattr(a, f.name), getattr(b, f.name), f"{where}.{f.name}")
    elif isinstance(a, tuple) and isinstance(b, tuple):
        assert len(a) == len(b), where
        for k, (x, y) in enumerate(zip(a, b, strict=True)):
            same(x, y, f"{where}[{k}]")
    else:
        assert a == b, where


def full_clip(ground=Flat(0.1)) -> Clip:
    """A clip in which every field is set to something unusual."""
    rng = np.random.default_rng(0)
    names = ("Hüfte", "a b", "c:d")
    skeleton = Skeleton(names, np.array([-1, 0, 1]), rng.normal(size=(3, 3)), (EndSite(2, rng.normal(size=3), "tip"),),
                        rot.exp(rng.normal(size=(3, 3))), (("Xposition", "Zrotation"), (), ("Yrotation",)))  # fmt: skip
    other = Skeleton(("x", "y"), np.array([-1, 0]), rng.normal(size=(2, 3)))
    place = Placement(0.056444, rot.exp(rng.normal(size=3)), rng.normal(size=3))
    plain = puppet.puppet()
    binding = Binding(skeleton, np.array([-1, 0, 2, 1]), rot.exp(rng.normal(size=(3, 3))), place)
    character = dataclasses.replace(plain, binding=binding, notes=("made by hand", ""))
    q = np.tile(character.zero_pose(), (4, 1)) + 1e-3 * rng.normal(size=(4, character.model.nq))
    q[0, 0], q[1, 0] = -0.0, 5e-324
    recording = Recording(other, rot.exp(rng.normal(size=(6, 2, 3))), rng.normal(size=(6, 2, 3)), 1 / 3,
                          Source("n", "p/ä", "fbx", "l", ("one", "two")), 0.01, "z", True)  # fmt: skip
    source = Source("walk", "/x/walk.bvh", "bvh", "likely free", ("note",))
    cycle, labels, times = Cycle(0.1, rng.normal(size=3)), rng.random((4, 8)) < 0.5, np.array([0.0, 0.1, 0.25, 1 / 7])
    levelled = place.then(place.turn, place.shift)
    return Clip(character, q, 1 / 120, source, ground, cycle, labels, recording, levelled, times)


TREADS = Treads((Tread(0.1, 0.2, 0.3, 0.4, 0.5, 6.0), Tread(1, 2, 3, 4, 5)), -0.1)


@pytest.mark.parametrize("ground", [Flat(0.1), Slope(-5.5, 30.0), Stairs(0.15, 0.3, 0.5, 7, 10.0), TREADS])
def test_a_clip_comes_back_bit_for_bit(tmp_path: Path, ground) -> None:
    clip = full_clip(ground)
    npz.save(clip, tmp_path / "a.npz")
    back = npz.load(tmp_path / "a.npz")
    same(clip, back)
    npz.save(back, tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_a_bare_clip_and_a_shared_skeleton(tmp_path: Path) -> None:
    character = puppet.puppet()
    bare = Clip(character, np.tile(character.zero_pose(), (2, 1)), 0.01)
    npz.save(bare, tmp_path / "a.npz")
    same(bare, npz.load(tmp_path / "a.npz"))
    with pytest.raises(BadFile, match="came from no motion file"):
        formats.read(tmp_path / "a.npz")
    clip = full_clip()
    assert clip.character.binding is not None and clip.recording is not None
    skeleton = clip.character.binding.skeleton
    recording = dataclasses.replace(
        clip.recording, skeleton=skeleton, rotations=np.ones((6, 3, 4)), positions=np.ones((6, 3, 3))
    )
    npz.save(dataclasses.replace(clip, recording=recording), tmp_path / "b.npz")
    back = npz.load(tmp_path / "b.npz")
    same(recording, back.recording)
    assert back.recording is not None and back.character.binding is not None
    assert back.recording.skeleton is back.character.binding.skeleton
    same(recording, formats.read(tmp_path / "b.npz"))


def test_numpy_opens_it_without_pickle(tmp_path: Path) -> None:
    clip = full_clip()
    npz.save(clip, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as archive:
        assert np.array_equal(archive["q"], clip.q)


def test_a_ground_that_cannot_be_saved(tmp_path: Path) -> None:
    class Waves(Flat):
        pass

    with pytest.raises(BadValue, match="'Waves' cannot be saved; known are Flat, Slope"):
        npz.save(full_clip(Waves()), tmp_path / "a.npz")
    assert list(tmp_path.iterdir()) == []


def repack(path: Path, change) -> None:
    """Writes the archive again after `change` has worked on its members, name -> bytes."""
    with zipfile.ZipFile(path) as archive:
        members = {n: archive.read(n) for n in archive.namelist()}
    change(members)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def npy(array: np.ndarray, pickled: bool = False) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, allow_pickle=pickled)
    return stream.getvalue()


def facts(**changes):
    def change(members: dict[str, bytes]) -> None:
        known = json.loads(members["facts.json"])
        for key, value in changes.items():
            where = known
            *above, last = key.split("__")
            for part in above:
                where = where[part]
            where[last] = value
        members["facts.json"] = json.dumps(known).encode()

    return change


class Trap:
    """Unpickling this would raise."""

    def __reduce__(self):
        return (exec, ("raise SystemExit('unpickled')",))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: m.pop("q.npy"), "'q' is missing"),
        (lambda m: m.pop("facts.json"), "not a clip saved by poise; it holds q"),
        (lambda m: m.pop("recording.rotations.npy"), "'recording.rotations' is missing"),
        (lambda m: m.update({"q.npy": npy(np.zeros((4, 3)))}), "of shape"),
        (lambda m: m.update({"q.npy": npy(np.zeros((4, 21), np.float32))}), "type float32"),
        (lambda m: m.update({"q.npy": npy(np.full((4, 21), np.nan))}), "not finite"),
        (lambda m: m.update({"q.npy": npy(np.array([Trap()], object), pickled=True)}), "plain numbers"),
        (lambda m: m.update({"q.npy": pickle.dumps(Trap())}), "not an array"),
        (lambda m: m.update({"q.npy": b""}), "not an array"),
        (lambda m: m.update({"q.npy": b"\x93NUMPY\x01\x00v\x00" + b"(" * 118}), "not an array"),
        (lambda m: m.update({"q.npy": m["q.npy"][:-8]}), "other data"),
        (lambda m: m.update({"q.npy": m["q.npy"].replace(b"(4, ", b"(9999999999999, ")}), "not an array|other data"),
        (lambda m: m.update({"q.npy": b"\0" * 50_000_000}), "would unpack"),
        (lambda m: m.update({"labels.npy": npy(np.zeros((9, 8), bool))}), "labels have shape"),
        (lambda m: m.update({"binding.parents.npy": npy(np.array([-1, 5, 1]))}), "parent"),
        (lambda m: m.update({"binding.joints.npy": npy(np.array([-1, 0, 2, 9]))}), "joints that do not exist"),
        (lambda m: m.update({"points.bodies.npy": npy(np.arange(8) + 90)}), "do not fit its bodies"),
        (lambda m: m.update({"facts.json": b"[]"}), "not a JSON object"),
        (lambda m: m.update({"facts.json": b"{"}), "not a whole npz"),
        (lambda m: m.update({"facts.json": b"[" * 100_000}), "not a whole npz|not a JSON|would unpack"),
        (facts(version=99), "version 99"),
        (facts(format="other"), "not a clip saved by poise"),
        (facts(dt=-1.0), "must be positive"),
        (facts(dt="x"), "not a finite number"),
        (facts(dt=1e400), "not a finite number"),
        (facts(source=None), "not a sound clip"),
        (facts(ground={"kind": "Moon"}), "unknown kind"),
        (facts(ground={"kind": "Slope", "degrees": 89.0}), "slope must be"),
        (facts(ground={"kind": "Slope", "wrong": 1.0}), "not a sound clip"),
        (facts(character__xml="<mujoco><nonsense/></mujoco>"), "not a sound clip"),
        (facts(character__xml=""), "not a sound clip"),
        (facts(character__roles={"tail": "pelvis"}), "no role 'tail'"),
        (facts(character__points=["a"]), "of shape"),
        (facts(recording__up=3), "not a sound clip|up axis"),
    ],
)  # fmt: skip
def test_hostile_archives(tmp_path: Path, change, words: str) -> None:
    path = tmp_path / "a.npz"
    npz.save(full_clip(), path)
    repack(path, change)
    with pytest.raises(BadFile, match=words) as caught:
        npz.load(path)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 500


def test_archives_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    npz.save(full_clip(), path)
    whole = path.read_bytes()
    for data in (b"", whole[:100], whole[: len(whole) // 2], b"PK\x03\x04" + b"x" * 500, b"\0" * 1000):
        path.write_bytes(data)
        with pytest.raises(BadFile):
            npz.load(path)
    np.savez(path, poses=np.zeros((3, 156)), trans=np.zeros((3, 3)))
    with pytest.raises(BadFile, match="not a clip saved by poise; it holds poses, trans"):
        formats.read(path)

"""Hostile files, each named by what is wrong with it: how it is written, and as what it is then used."""

from __future__ import annotations

import io
import json
import math
import os
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import bvh_text
from character_files import mjcf, urdf

Maker = Callable[[Path], Path]
_BODY = '<body name="a"><freejoint/><geom size="0.1"/>{}</body>'
_MODEL = '<mujoco>{}<worldbody><body name="a"><freejoint/><geom size="0.1"/>{}</body></worldbody></mujoco>'


def _text(name: str, text: str) -> Maker:
    def make(folder: Path) -> Path:
        (folder / name).write_text(text)
        return folder / name

    return make


def model(top: str = "", inside: str = "") -> str:
    """MJCF of one ball, with more at the top and inside the body."""
    return _MODEL.format(top, inside)


def chain(links: int) -> str:
    """URDF of a chain of links, each on the one before."""
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    out = [f'<link name="l{k}">{mass}</link>' for k in range(links)]
    out += [f'<joint name="j{k}" type="revolute"><parent link="l{k - 1}"/><child link="l{k}"/>'
            '<origin xyz="0 0 0.1"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
            for k in range(1, links)]  # fmt: skip
    return f'<robot name="r">{"".join(out)}</robot>'


def nested(tag: str, depth: int) -> str:
    """A tag inside itself."""
    return f"<{tag}>" * depth + f"</{tag}>" * depth


def bvh_chain(joints: int) -> str:
    """A BVH whose joints hang one on another."""
    head = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    more = "".join(f"JOINT b{k}\n{{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n" for k in range(joints))
    rows = "\n".join(" ".join(["0"] * 3 * (joints + 1)) for _ in range(3))
    return f"{head}{more}{'}' * (joints + 1)}\nMOTION\nFrames: 3\nFrame Time: 0.01\n{rows}\n"


def bvh(names: str = "Spine", frame_time: str = "0.0083333") -> str:
    text = bvh_text.PLAIN + bvh_text.motion(bvh_text.numbers(bvh_text.PLAIN))
    return text.replace("Spine", names).replace("Frame Time: 0.0083333", f"Frame Time: {frame_time}")


def walk(folder: Path, kind: str = "clip") -> Path:
    """A quarter of a second of the built-in walk as an npz, as a clip or as a take."""
    import poise

    clip = poise.load_clip("stand").cut(0.0, 0.25)
    path = folder / f"whole-{kind}.npz"
    (clip if kind == "clip" else poise.perform(clip, "kinematic", seconds=0.1)).save(path)
    return path


def changed(path: Path, out: Path, facts: Callable[[Any], None] = lambda f: None,
            arrays: Callable[[dict[str, np.ndarray]], None] = lambda a: None) -> Path:  # fmt: skip
    """An npz of poise written again with other facts or arrays; nothing is checked."""
    with zipfile.ZipFile(path) as old:
        told = json.loads(old.read("facts.json"))
        table = {n.removesuffix(".npy"): np.lib.format.read_array(io.BytesIO(old.read(n)))
                 for n in old.namelist() if n.endswith(".npy")}  # fmt: skip
    facts(told)
    arrays(table)
    with zipfile.ZipFile(out, "w") as new:
        new.writestr("facts.json", json.dumps(told))
        for name, array in table.items():
            with new.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, array)
    return out


def _npz(kind: str, facts: Callable[[Any], None] = lambda f: None,
         arrays: Callable[[dict[str, np.ndarray]], None] = lambda a: None) -> Maker:  # fmt: skip
    def make(folder: Path) -> Path:
        whole = folder / f"whole-{kind}.npz"
        return changed(whole if whole.exists() else walk(folder, kind), folder / "hostile.npz", facts, arrays)

    return make


def _zero_quaternion(arrays: dict[str, np.ndarray]) -> None:
    arrays["q"][3, 3:7] = 0.0


def _zero_rest(arrays: dict[str, np.ndarray]) -> None:
    arrays["q"][:, 3:7] *= 1e-200


def _dt(value: float) -> Callable[[Any], None]:
    def change(facts: Any) -> None:
        facts.get("clip", facts)["dt"] = value

    return change


def _times(arrays: dict[str, np.ndarray]) -> None:
    arrays["time"] = np.arange(len(arrays["time"])) * 1e7


def _fact(name: str, value: float) -> Callable[[Any], None]:
    def change(facts: Any) -> None:
        facts[name] = value

    return change


def _stature(value: float) -> Callable[[Any], None]:
    def change(facts: Any) -> None:
        facts.get("clip", facts)["character"]["stature"] = value

    return change


def _character(text: str) -> Callable[[Any], None]:
    def change(facts: Any) -> None:
        facts.get("clip", facts)["character"]["xml"] = text

    return change


def _fifo(name: str) -> Maker:
    def make(folder: Path) -> Path:
        if not (folder / name).exists():
            os.mkfifo(folder / name)
        return folder / name

    return make


def _link(name: str, target: str) -> Maker:
    def make(folder: Path) -> Path:
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(target)
        return folder / name

    return make


def _beside(first: Maker, then: Maker) -> Maker:
    def make(folder: Path) -> Path:
        first(folder)
        return then(folder)

    return make


def _png(folder: Path) -> Path:
    """A small file that says to be a picture of 60000 x 60000."""
    import struct
    import zlib

    def part(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0)
    data = zlib.compress(b"\0" * 10_000_000)
    (folder / "big.png").write_bytes(
        b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", data) + part(b"IEND", b"")
    )
    return folder / "big.png"


_FIELD = '<asset><hfield name="h" nrow="60000" ncol="60000" size="1 1 1 1"/></asset>'
_TWICE = '<replicate count="1000" offset="0.1 0 0"><replicate count="1000" offset="0 0.1 0">{}</replicate></replicate>'
_BOMB = _TWICE.format('<geom size="0.01"/>')
_GRID = (
    '<body name="{}"><freejoint/><flexcomp name="f" type="grid" count="400 400 400" spacing="1 1 1" dim="3"/></body>'
)
_LAUGHS = '<!DOCTYPE m [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)) + "]>"  # fmt: skip

_MESH = model('<asset><mesh name="m" file="{0}"/></asset>', '<geom type="mesh" mesh="m"/>')
_PICTURE = model('<asset><texture name="t" type="2d" file="{0}"/></asset>')
_HEIGHTS = model('<asset><hfield name="t" file="{0}" size="1 1 1 1"/></asset>')
_FLAT = '<asset><texture name="t" type="2d" builtin="flat" width="60000" height="60000"/></asset>'
_CABLE = '<composite type="cable" count="2000000 1 1" size="1 0 0"><geom type="capsule" size="0.001"/></composite>'
_JOINTED = '<body><joint/><geom size="0.01"/></body>'
_FRAMES = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xposition\n" + "JOINT b\n{\nOFFSET 0 1 0\n" * 4000


def _motion(name: str, text: str) -> tuple[str, Maker]:
    return "motion", _text(name, text)


def _body(name: str, text: str, beside: Maker | None = None) -> tuple[str, Maker]:
    return "character", _text(name, text) if beside is None else _beside(beside, _text(name, text))


HOSTILE: dict[str, tuple[str, Maker]] = {
    "clip with a zero quaternion": ("motion", _npz("clip", arrays=_zero_quaternion)),
    "clip with a quaternion of 1e-200": ("motion", _npz("clip", arrays=_zero_rest)),
    "take with a zero quaternion": ("take", _npz("take", arrays=_zero_quaternion)),
    "clip with dt 1e300": ("motion", _npz("clip", _dt(1e300))),
    "clip with dt 1e-300": ("motion", _npz("clip", _dt(1e-300))),
    "clip with frames of 1e7 s": ("motion", _npz("clip", _dt(1e7))),
    "take with a clip of dt 1e300": ("take", _npz("take", _dt(1e300))),
    "take with frames of 1e7 s": ("take", _npz("take", arrays=_times)),
    "clip of somebody without height": ("motion", _npz("clip", _stature(0.0))),
    "take of somebody of less than no height": ("take", _npz("take", _stature(-1.0))),
    "clip of somebody of 1e7 m": ("motion", _npz("clip", _stature(1e7))),
    "take with an endless time step": ("take", _npz("take", _fact("step", math.inf))),
    "take with a time step of 1e300 s": ("take", _npz("take", _fact("step", 1e300))),
    "take with a negative time step": ("take", _npz("take", _fact("step", -1e-3))),
    "take that starts at no time": ("take", _npz("take", _fact("start", math.nan))),
    "take that was to last for ever": ("take", _npz("take", _fact("asked", math.inf))),
    "bvh with frames of 9000 s": _motion("slow.bvh", bvh(frame_time="9000")),
    "bvh of many frames without numbers": _motion(
        "many.bvh", f"{_FRAMES}{'}' * 4001}\nMOTION\nFrames: 100000\nFrame Time: 0.01\n" + "0\n" * 100_000
    ),
    "urdf chain of 900 links": _body("chain.urdf", chain(900)),
    "urdf chain of 4999 links": _body("chain.urdf", chain(4999)),
    "urdf with a shape 2e9 m away": _body("far.urdf", urdf().replace('"0.03 0 -0.04"', '"2147483648 0 -0.04"')),
    "mjcf with a ball of 1e6 m": _body("huge.xml", model("", '<geom size="1e6" mass="1"/>')),
    "urdf with nested unknown tags": _body("deep.urdf", urdf().replace("</robot>", nested("x", 5000) + "</robot>")),
    "mjcf with nested unknown tags": _body("deep.xml", model(nested("x", 100_000))),
    "mjcf with bodies inside each other": _body("deep.xml", model("", nested("body", 480))),
    "height field of 60000 x 60000": _body("field.xml", model(_FIELD)),
    "texture of 60000 x 60000": _body("texture.xml", model(_FLAT)),
    "picture of 60000 x 60000": _body("picture.xml", _PICTURE.format("big.png"), _png),
    "chain of 4999 joints": _motion("chain.bvh", bvh_chain(4998)),
    "chain of 4999 legs": _motion("chain.bvh", re.sub(r"b(\d+)\n", r"LeftUpLeg\1\n", bvh_chain(4998))),
    "chain of 400 joints": _motion("chain.bvh", bvh_chain(400)),
    "joint name of 1 MB": _motion("name.bvh", bvh("S" * 1_000_000)),
    "body name of 1 MB": _body("name.xml", mjcf().replace("pelvis", "p" * 1_000_000)),
    "link name of 1 MB": _body("name.urdf", urdf().replace("torso_link", "t" * 1_000_000)),
    "replicate bomb": _body("bomb.xml", model("", _BOMB)),
    "replicate of bodies": _body("bomb.xml", model("", _TWICE.format(_JOINTED))),
    "composite bomb": _body("bomb.xml", model("", _CABLE)),
    "flexcomp bomb": _body("bomb.xml", f"<mujoco><worldbody>{_GRID}</worldbody></mujoco>"),
    "entity bomb": _body("bomb.xml", f"{_LAUGHS}<mujoco model='&i;'/>"),
    "memory of 100 GB": _body("memory.xml", model('<size memory="100G"/>')),
    "pipe as a character": ("character", _fifo("pipe.xml")),
    "pipe as a urdf": ("character", _fifo("pipe.urdf")),
    "pipe as a motion": ("motion", _fifo("pipe.bvh")),
    "/dev/zero as a character": ("character", _link("zero.xml", "/dev/zero")),
    "/dev/zero as a take": ("take", _link("zero.npz", "/dev/zero")),
    "pipe as an include": _body("pipes.xml", model('<include file="part"/>'), _fifo("part")),
    "/dev/zero as an include": _body("zeros.xml", model('<include file="/dev/zero"/>')),
    "include of itself": _body("self.xml", model('<include file="self.xml"/>')),
    "pipe as a mesh": _body("pipes.xml", _MESH.format("pipe.stl"), _fifo("pipe.stl")),
    "/dev/zero as a mesh": _body("zeros.xml", _MESH.format("zero.stl"), _link("zero.stl", "/dev/zero")),
    "/dev/zero as a texture": _body("zeros.xml", _PICTURE.format("zero.png"), _link("zero.png", "/dev/zero")),
    "/dev/zero as a height field": _body("zeros.xml", _HEIGHTS.format("zero.png"), _link("zero.png", "/dev/zero")),
    "pipe as a mesh of a urdf": _body(
        "pipes.urdf", urdf().replace("package://robot/meshes/pelvis.STL", "pelvis.stl"), _fifo("pelvis.stl")
    ),
    "clip with a character of /dev/zero": ("motion", _npz("clip", _character(model('<include file="/dev/zero"/>')))),
    "clip whose character is a replicate bomb": ("motion", _npz("clip", _character(model("", _BOMB)))),
    "take whose character has a huge height field": ("take", _npz("take", _character(model(_FIELD)))),
}


UNUSUAL: dict[str, tuple[str, Maker]] = {
    "mjcf without gravity": _body("light.xml", mjcf().replace("<default>", '<option gravity="0 0 0"/><default>', 1)),
    "mjcf of next to no gravity": _body("light.xml", model('<option gravity="0 0 -1e-300"/>')),
    "mjcf without height": _body("flat.xml", model().replace('size="0.1"', 'type="box" size="0.1 0.1 1e-9" mass="1"')),
    "mjcf of a motor without limit": _body("strong.xml", mjcf().replace("-0.5 0.5", "-1e307 1e307")),
}
"""Odd, and yet to be used like any other."""


def star(bodies: int) -> str:
    """MJCF of a ball with many arms."""
    return model("", "".join(f'<body pos="{0.1 * k} 0 0"><joint/><geom size="0.04"/></body>' for k in range(bodies)))


def bvh_bush(branches: int, length: int) -> str:
    """A BVH whose root has many chains."""
    text = bvh_chain(length)
    head, rest = text.split("JOINT b0", 1)
    limb = ("JOINT b0" + rest).split("}", 1)[0]
    limbs = "".join(re.sub(r"b(\d+)\n", rf"x{n}y\1\n", limb) + "}" * length for n in range(branches))
    numbers = "\n".join(" ".join(["0"] * 3 * (branches * length + 1)) for _ in range(3))
    return f"{head}{limbs}}}\nMOTION\nFrames: 3\nFrame Time: 0.01\n{numbers}\n"


_COPIES = '<replicate count="{}" offset="0.01 0 0"><geom size="0.01"/></replicate>'
_PAVED = "<worldbody>" + '<geom size="0.1" pos="0 0 -1"/>' * 5_900

LARGEST: dict[str, tuple[str, Maker]] = {
    "chain of 150 links": _body("chain.urdf", chain(150)),
    "star of 390 bodies": _body("star.xml", star(390)),
    "2000 geoms": _body("geoms.xml", model("", '<geom size="0.1"/>' * 1999)),
    "replicate of 2000 geoms": _body("copies.xml", model("", _COPIES.format(1999))),
    "replicate of 5900 geoms": _body("copies.xml", model("", _COPIES.format(5_900))),
    "5900 geoms on the floor": _body("floor.xml", _MODEL.format("", "").replace("<worldbody>", _PAVED)),
    "skeleton of 751 joints in chains": _motion("bush.bvh", bvh_bush(15, 50)),
    "skeleton of 2981 joints in chains": _motion("bush.bvh", bvh_bush(20, 149)),
    "skeleton of 1991 joints": _motion("bush.bvh", bvh_bush(995, 2)),
    "chain of 150 joints": _motion("chain.bvh", bvh_chain(149)),
    "frames of 10 s": _motion("slow.bvh", bvh(frame_time="10")),
}

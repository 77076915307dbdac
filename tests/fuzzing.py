"""Mutations of whole MJCF and URDF files and of saved clips and takes, by a seed each."""

from __future__ import annotations

import copy
import io
import json
import random
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

import poise
from character_files import mjcf, urdf
from hostile_files import walk
from test_formats_fuzz import bases, mutate

NUMBERS = ["nan", "inf", "-inf", "1e300", "-1e300", "1e-300", "-1", "0", "1e9", "1e10", "-0.0", "9" * 400, "1e999",
           "2147483648", "-2147483649", "0x10", "", "abc", "1 2 3 4 5 6 7", "1e6", "1e-9", "0 0 0", "nan nan nan",
           "1 1", "true", "false", "auto", "0.5"]  # fmt: skip
NAMES = ["", "world", "a" * 300, "pelvis", "left_knee", "\x1b[2J", "a/b", "../../etc/passwd", "é\u202e", "root",
         "x" * 200]  # fmt: skip
PIECES = {
    "mjcf": [
        '<replicate count="{n}" offset="0.1 0 0" euler="0 0 10"><geom size="0.01"/></replicate>',
        '<replicate count="{n}" offset="0.1 0 0"><body><joint/><geom size="0.02"/></body></replicate>',
        '<geom type="box" size="{v} {v} {v}" mass="{v}"/>', '<geom type="mesh" mesh="no"/>', '<joint type="ball"/>',
        '<joint type="free"/>', "<freejoint/>", '<inertial pos="{v} 0 0" mass="{v}" diaginertia="{v} 1 1"/>',
        '<include file="{name}"/>', '<attach model="{name}" body="b" prefix="p"/>', "<frame><geom size='0.1'/></frame>",
        '<flexcomp name="f" type="grid" count="{n} 2 2" spacing=".1 .1 .1" dim="3"/>', '<body mocap="true"/>',
        '<site size="{v}"/>', '<camera fovy="{v}"/>', '<body name="{name}" pos="{v} {v} {v}" quat="{v} 0 0 0"/>',
        '<geom type="hfield" hfield="h"/>', '<geom type="plane" size="1 1 1"/>', '<geom type="sdf" mesh="m"/>',
        '<composite type="cable" count="{n} 1 1" size="1"/>', "<plugin plugin='mujoco.elasticity.cable'/>",
        '<geom type="capsule" fromto="0 0 0 0 0 {v}" size="{v}"/>', '<geom size="0.1" density="{v}" friction="{v}"/>',
    ],
    "top": [
        '<size memory="{n}G" njmax="{n}" nconmax="{n}" nuserdata="{n}" nkey="{n}"/>', '<size nuser_body="{n}"/>',
        '<option timestep="{v}" iterations="{n}" gravity="0 0 {v}" density="{v}" viscosity="{v}"/>',
        '<compiler angle="radian" boundmass="{v}" boundinertia="{v}" settotalmass="{v}" autolimits="false"/>',
        '<compiler inertiafromgeom="false" balanceinertia="{b}" fusestatic="{b}" discardvisual="{b}"/>',
        '<asset><hfield name="h" nrow="{n}" ncol="{n}" size="1 1 1 1"/></asset>',
        '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 {v}"/></asset>', '<default><geom size="{v}"/></default>',
        '<asset><mesh name="m" builtin="sphere" params="{n}"/></asset>',
        '<contact><pair geom1="a" geom2="b"/></contact>',
        '<asset><mesh name="m" vertex="{v} 0 0 1 0 0 0 1 0 0 0 1" face="0 1 9"/></asset>', '<worldbody/>',
        '<asset><texture name="t" type="cube" builtin="flat" width="{n}" height="{n}"/></asset>',
        '<equality><weld body1="pelvis" body2="torso"/></equality>', '<statistic extent="{v}" meansize="{v}"/>',
        '<equality><joint joint1="left_knee" polycoef="{v}"/></equality>', '<visual><map znear="{v}"/></visual>',
        '<custom><numeric name="n" size="{n}" data="{v}"/></custom>',
        '<extension><plugin plugin="{name}"/></extension>',
        '<deformable><skin name="s"/></deformable>', '<keyframe><key qpos="{v}"/></keyframe>',
        '<tendon><spatial><site site="a"/></spatial></tendon>',
        '<actuator><motor joint="left_knee" gear="{v}"/></actuator>',
        '<actuator><muscle joint="left_knee" lengthrange="{v} {v}"/></actuator>',
    ],
    "urdf": [
        '<joint name="{name}" type="fixed"><parent link="pelvis"/><child link="torso_link"/></joint>',
        '<joint name="{name}" type="planar"><parent link="torso_link"/><child link="{name}"/></joint>',
        '<link name="{name}"/>', '<visual><geometry><mesh filename="{name}" scale="{v} 1 1"/></geometry></visual>',
        '<inertial><mass value="{v}"/><inertia ixx="{v}" iyy="1" izz="1" ixy="0" ixz="0" iyz="{v}"/></inertial>',
        '<collision><geometry><cylinder radius="{v}" length="{v}"/></geometry></collision>', "<x/>",
        '<mujoco><compiler meshdir="{name}" inertiagrouprange="9 1"/></mujoco>',
        '<origin xyz="{v} 0 0" rpy="{v} 0 0"/>',
        '<limit lower="{v}" upper="{v}" effort="{v}" velocity="{v}"/>', '<dynamics damping="{v}" friction="{v}"/>',
        '<mimic joint="torso_joint" multiplier="{v}"/>', '<axis xyz="{v} {v} {v}"/>', '<transmission/>',
    ],
}  # fmt: skip


def _piece(kind: str, pick: random.Random) -> ET.Element:
    text = pick.choice(PIECES[kind]).format(
        n=pick.choice(["-1", "0", "1", "3", "30", "1000", "100000", "2000000000", "nan"]), name="NAME",
        v=pick.choice(["VALUE", "1", "0.1"]), b=pick.choice(["true", "false"]),
    )  # fmt: skip
    made = ET.fromstring(text)
    for part in made.iter():
        for key, value in part.attrib.items():
            value = value.replace("VALUE", pick.choice(NUMBERS)) if "VALUE" in value else value
            part.attrib[key] = value.replace("NAME", pick.choice(NAMES)) if "NAME" in value else value
    return made


def _copy(part: ET.Element) -> ET.Element:
    try:
        return copy.deepcopy(part)
    except RecursionError:  # nested by an earlier mutation
        return ET.Element(part.tag, part.attrib)


def mutated_model(kind: str, pick: random.Random) -> bytes:
    """A whole figure with some elements and attributes deleted, doubled, moved, nested, exchanged or made odd."""
    root = ET.fromstring(mjcf() if kind == "mjcf" else urdf())
    for _ in range(pick.choice([1, 1, 1, 2, 3, 6])):
        above = {child: parent for parent in root.iter() for child in parent}
        here = pick.choice(list(above) or [root])
        parent = above.get(here, root)
        attribute = pick.choice(list(here.attrib) or [""])
        how = pick.randrange(14)
        if how == 0:
            parent.remove(here) if here in list(parent) else None
        elif how == 1:
            parent.append(_copy(here))
        elif how == 2:  # somewhere else, also inside itself
            pick.choice(list(root.iter())).append(_copy(here))
        elif how in (3, 4, 5) and attribute:
            numbers = here.attrib[attribute].split()
            if numbers and pick.random() < 0.5:
                numbers[pick.randrange(len(numbers))] = pick.choice(NUMBERS)
                here.attrib[attribute] = " ".join(numbers)
            else:
                here.attrib[attribute] = pick.choice(NAMES if attribute in ("name", "link", "joint") else NUMBERS)
        elif how == 6 and attribute:
            del here.attrib[attribute]
        elif how == 7 and attribute:  # exchanged with another element's
            other = pick.choice(list(above) or [root])
            here.attrib[attribute] = other.attrib.get(attribute, pick.choice(NUMBERS))
        elif how == 8 and pick.random() < 0.3:
            here.tag = pick.choice(list(root.iter())).tag
        elif how == 9:
            inner = here
            tag = pick.choice(["body", "body", "x", here.tag])
            for _ in range(pick.choice([3, 40, 140, 300, 3000])):
                inner = ET.SubElement(inner, tag)
        elif how == 10 and attribute:
            here.attrib[attribute] = "n" * pick.choice([254, 256, 5000, 200_000])
        elif how == 11 and kind == "mjcf":
            root.append(_piece("top", pick))
        else:
            places = [e for e in root.iter() if e.tag in ("body", "worldbody", "link", "robot", "joint")]
            (pick.choice(places) if places and pick.random() < 0.8 else here).append(_piece(kind, pick))
    data = bytearray(_serialised(root))
    if pick.random() < 0.05:
        at = pick.randrange(len(data))
        data[at : at + pick.choice([1, 5, 500])] = bytes(pick.randrange(256) for _ in range(pick.randrange(4)))
    return bytes(data)


def _serialised(root: ET.Element) -> bytes:
    """The text of a tree of any depth."""
    from xml.sax.saxutils import quoteattr

    out: list[str] = []
    todo: list[ET.Element | str] = [root]
    while todo:
        part = todo.pop()
        if isinstance(part, str):
            out.append(part)
            continue
        attributes = "".join(f" {k}={quoteattr(v)}" for k, v in part.attrib.items())
        out.append(f"<{part.tag}{attributes}>")
        todo.append(f"</{part.tag}>")
        todo.extend(reversed(list(part)))
    return "".join(out).encode("utf-8", "replace")


def mutated_archive(data: bytes, pick: random.Random) -> bytes:
    """A saved clip or take with arrays or facts changed, or its bytes broken."""
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        facts = json.loads(old.read("facts.json"))
        arrays = {n: np.lib.format.read_array(io.BytesIO(old.read(n))) for n in old.namelist() if n.endswith(".npy")}
    for _ in range(pick.choice([1, 1, 2, 4])):
        if pick.random() < 0.5:
            _change_fact(facts, pick)
        else:
            _change_array(arrays, pick)
    out = io.BytesIO()
    packing = pick.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    with zipfile.ZipFile(out, "w", packing) as new:
        new.writestr("facts.json", json.dumps(facts))
        for name, array in arrays.items():
            with new.open(name, "w") as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
    made = bytearray(out.getvalue())
    if pick.random() < 0.05:
        for _ in range(pick.choice([1, 5])):
            made[pick.randrange(len(made))] = pick.randrange(256)
    return bytes(made[: pick.randrange(len(made))] if pick.random() < 0.03 else made)


VALUES: list[Any] = [None, True, 0, -1, 1e300, -1e300, 1e-300, 1e7, 10**30, "", "x", "a" * 300, "\x1b[2J\n", [], {},
                     [1], "flat", 0.0, -1.0, 1e9, 30.0,
                     float("nan"), float("inf"), 1.5, [[0.0, "a", "b"]], {"kind": "Slope", "degrees": 80.0},
                     {"kind": "Stairs", "rise": 1e-9, "run": 1e-9}, {"kind": "Flat", "z": "x"}, 7, 100_000]  # fmt: skip


def _change_fact(facts: Any, pick: random.Random) -> None:
    """Something inside the description deleted or replaced."""
    while isinstance(facts, dict | list) and facts:
        keys = list(facts) if isinstance(facts, dict) else list(range(len(facts)))
        key = pick.choice(keys)
        if isinstance(facts[key], dict | list) and facts[key] and pick.random() < 0.8:
            facts = facts[key]
        elif key == "xml" and pick.random() < 0.8:
            facts[key] = mutated_text(str(facts[key]), pick)
            return
        elif pick.random() < 0.25:
            del facts[key]
            return
        else:
            like = [v for v in VALUES if type(v) is type(facts[key])] if pick.random() < 0.7 else []
            facts[key] = copy.deepcopy(pick.choice(like or VALUES))
            return


def mutated_text(text: str, pick: random.Random) -> str:
    """The text of a character with a word replaced or a part put in."""
    words = text.split('"')
    if len(words) > 3 and pick.random() < 0.7:
        words[2 * pick.randrange(len(words) // 2) + 1] = pick.choice(NUMBERS + NAMES)
        return '"'.join(words).replace("\x1b", "?")
    piece = ET.tostring(_piece(pick.choice(["mjcf", "top"]), pick), encoding="unicode", method="xml")
    at = pick.choice([k for k, c in enumerate(text) if c == ">"])
    return text[: at + 1] + piece + text[at + 1 :]


def _change_array(arrays: dict[str, np.ndarray], pick: random.Random) -> None:
    name = pick.choice(list(arrays))
    array, how = arrays[name], pick.randrange(9)
    if how == 0:
        del arrays[name]
    elif how == 1:
        arrays[name] = array[: pick.randrange(len(array) + 1)] if array.ndim else array
    elif how == 2:
        arrays[name] = array.astype(pick.choice([np.float32, np.int64, np.bool_, np.complex128, np.float64]))
    elif how == 3:
        arrays[name] = array.reshape(-1) if array.ndim > 1 else array[None]
    elif how == 4:
        arrays[name] = np.zeros((0, *array.shape[1:]), array.dtype)
    elif how == 5:
        arrays[name] = np.repeat(array, pick.choice([2, 1000]), axis=0) if array.ndim and array.size < 10_000 else array
    elif array.size and array.dtype != bool:
        values = [np.nan, np.inf, 1e300, 1e11, -1.0, 0.0, 1e-200, 1e7] if array.dtype == np.float64 else [-1, 10**6, 7]
        flat = arrays[name] = array.copy()
        where = flat.reshape(-1)
        first = pick.randrange(flat.size)
        where[first : first + pick.choice([1, 1, 4, flat.size])] = pick.choice(values)


class Cases:
    """Whole files once, mutated ones by seed."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.motions = bases(folder)
        self.saved = {kind: [walk(folder, kind).read_bytes()] for kind in ("clip", "take")}
        poise.perform(poise.load_clip("stand"), "pd", seconds=0.1, save=folder / "pd.npz")  # with contacts and torques
        self.saved["take"].append((folder / "pd.npz").read_bytes())
        poise.load_clip("stand").cut(0.0, 0.3).save(folder / "walk.bvh")
        self.motions["walk.bvh"] = (folder / "walk.bvh").read_bytes()

    def make(self, kind: str, seed: int) -> tuple[Path, str]:
        """A mutated file of a kind (one of KINDS), and as what it is to be used."""
        pick = random.Random(f"{kind} {seed}")
        if kind in ("mjcf", "urdf"):
            path = self.folder / ("fuzz.xml" if kind == "mjcf" else "fuzz.urdf")
            path.write_bytes(mutated_model(kind, pick))
            return path, "character"
        if kind == "motion":
            name = pick.choice(["a.bvh", "02.asf", "02_01.amc", "a.txt", "walk.bvh"])
            for each, data in self.motions.items():
                (self.folder / each).write_bytes(mutate(data, pick) if each == name else data)
            return self.folder / name.replace("02.asf", "02_01.amc"), "motion"
        path = self.folder / f"fuzz-{kind}.npz"
        whole = self.saved[kind]
        path.write_bytes(mutated_archive(whole[seed % len(whole)], pick))
        return path, "motion" if kind == "clip" else "take"


KINDS = ("mjcf", "urdf", "clip", "take", "motion")

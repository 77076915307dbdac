"""Reading MJCF and URDF: the articulated body of a file alone, without floor, props, motors and files beside it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import NamedTuple

import mujoco
import numpy as np

from poise.character import quiet
from poise.errors import BadFile
from poise.maths import rotations as rot

_MOST_BYTES = 200_000_000  # a model with inline meshes stays far below; a disk image does not
_MOST_VERTICES = 2000  # a mesh with more is kept as its convex hull
_MESHES = (".stl", ".obj", ".msh")


class FileModel(NamedTuple):
    """A body ready for a character: its MJCF, what its file says of motors, and remarks for the user."""

    xml: str
    model: mujoco.MjModel
    torque: dict[str, float]  # joint name -> greatest torque [N m] of its motors
    notes: tuple[str, ...]


def read(path: Path) -> FileModel:
    """The largest tree of bodies in an MJCF or URDF file, with a free joint "root"."""
    text = _text(path)
    tag = _root_tag(path, text)
    notes: list[str] = []
    try:
        with quiet.gathered() as warnings:
            spec = _urdf(path, text, notes) if tag == "robot" else _mjcf(path, text)
            _name_everything(spec)
            whole = spec.compile()
            torque = _motor_torques(whole)
            _inline_assets(spec, whole)
            _strip(spec)
            _keep_one_tree(spec, path, notes)
            spec.compile()
            xml = spec.to_xml()
            model = mujoco.MjModel.from_xml_string(xml)
        notes += [f"MuJoCo: {_one_line(w)}." for w in warnings]
    except (ValueError, mujoco.FatalError, mujoco.UnexpectedError) as error:
        raise BadFile(path, f"MuJoCo cannot build this model ({_one_line(error)}).") from error
    return FileModel(xml, model, torque, tuple(notes))


def _one_line(error: object) -> str:
    return " ".join(str(error).split())[:200].rstrip(".")


def _text(path: Path) -> str:
    if not path.exists():
        raise BadFile(path, "there is no such file.")
    if path.is_dir():
        raise BadFile(path, "this is a folder, not a character file.")
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise BadFile(path, f"larger than {_MOST_BYTES // 1_000_000} MB, which no character file is.")
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadFile(path, "this is no text; expected an MJCF or URDF file (XML).") from error
    except OSError as error:
        raise BadFile(path, f"cannot be read ({error.strerror}).") from error


def _root_tag(path: Path, text: str) -> str:
    try:
        tag = ET.fromstring(text).tag
    except ET.ParseError as error:
        raise BadFile(path, f"this is no well-formed XML ({error}); expected an MJCF or URDF file.") from error
    if tag not in ("mujoco", "robot"):
        raise BadFile(path, f"the outermost element is <{tag}>; expected <mujoco> (MJCF) or <robot> (URDF).")
    return tag


def _mjcf(path: Path, text: str) -> mujoco.MjSpec:
    if path.suffix == ".xml":
        return mujoco.MjSpec.from_file(str(path))
    spec = mujoco.MjSpec.from_string(text)  # MuJoCo knows files by their ending, and only this one
    spec.modelfiledir = str(path.parent)
    return spec


def _urdf(path: Path, text: str, notes: list[str]) -> mujoco.MjSpec:
    """MuJoCo welds the first link of a URDF to the world and drops what it cannot load: give it a floating base."""
    robot = ET.fromstring(text)
    links = {link.get("name") for link in robot.findall("link")}
    held = {child.get("link") for child in robot.findall("joint/child")}
    bases = [name for name in links - held if name]
    if len(bases) != 1:
        raise BadFile(path, f"a URDF has one link that is no joint's child; this one has {len(bases)}.")
    base = bases[0]
    floats = any(j.get("type") == "floating" for j in robot.findall("joint"))
    if not floats and base != "world":
        joint = ET.SubElement(robot, "joint", name="root", type="floating")
        ET.SubElement(joint, "parent", link="world")
        ET.SubElement(joint, "child", link=base)
        ET.SubElement(robot, "link", name="world")
    for old in robot.findall("mujoco"):
        robot.remove(old)
    options = ET.SubElement(ET.SubElement(robot, "mujoco"), "compiler")
    options.attrib |= {"fusestatic": "false", "discardvisual": "false", "strippath": "false", "balanceinertia": "true"}
    lost = 0
    for link in robot.findall("link"):
        for kind in ("visual", "collision"):
            for part in link.findall(kind):
                mesh = part.find("geometry/mesh")
                if mesh is not None and not _resolve(mesh, path):
                    link.remove(part)
                    lost += 1
    if lost:
        notes.append(f"{lost} meshes of the URDF were not found or are not {', '.join(_MESHES)}: left out.")
    return mujoco.MjSpec.from_string(ET.tostring(robot, encoding="unicode"))


def _resolve(mesh: ET.Element, path: Path) -> bool:
    """Point a mesh element at its file beside or above the URDF, as package:// names mean; False without a file."""
    name = (mesh.get("filename") or "").removeprefix("file://")
    parts = Path(name.removeprefix("package://")).parts
    if Path(name).suffix.lower() not in _MESHES:
        return False
    for folder in (path.parent, *path.resolve().parents):
        for skip in range(len(parts)):
            candidate = folder.joinpath(*parts[skip:])
            if candidate.is_file():
                mesh.set("filename", str(candidate.resolve()))
                return True
    return False


def _name_everything(spec: mujoco.MjSpec) -> None:
    bodies = {b.name for b in spec.bodies}
    for k, body in enumerate(spec.bodies):
        if not body.name and k:
            body.name = _free_name(f"body_{k}", bodies)
    joints = {j.name for j in spec.joints}
    for k, joint in enumerate(spec.joints):
        if not joint.name:
            joint.name = _free_name(f"joint_{k}", joints)


def _free_name(wish: str, taken: set[str]) -> str:
    while wish in taken:
        wish += "_"
    taken.add(wish)
    return wish


def _motor_torques(model: mujoco.MjModel) -> dict[str, float]:
    """Greatest torque [N m] that the actuators or the joint itself allow, where they say so."""
    out: dict[str, float] = {}
    for a in range(model.nu):
        if model.actuator_trntype[a] != mujoco.mjtTrn.mjTRN_JOINT:
            continue
        gear = float(np.abs(model.actuator_gear[a]).max())
        if model.actuator_forcelimited[a]:
            most = gear * float(np.abs(model.actuator_forcerange[a]).max())
        elif model.actuator_ctrllimited[a] and model.actuator_biastype[a] == mujoco.mjtBias.mjBIAS_NONE:
            most = gear * abs(float(model.actuator_gainprm[a, 0])) * float(np.abs(model.actuator_ctrlrange[a]).max())
        else:
            continue
        name = model.joint(int(model.actuator_trnid[a, 0])).name
        out[name] = max(out.get(name, 0.0), most)
    for j in np.flatnonzero(model.jnt_actfrclimited):
        out[model.joint(int(j)).name] = float(np.abs(model.jnt_actfrcrange[j]).max())
    return {name: most for name, most in out.items() if most > 0}


def _inline_assets(spec: mujoco.MjSpec, model: mujoco.MjModel) -> None:
    """Meshes as numbers in the text, no textures: a character is one piece of text."""
    for mesh in spec.meshes:
        k = model.mesh(mesh.name).id
        first, count = int(model.mesh_vertadr[k]), int(model.mesh_vertnum[k])
        vertices = rot.rotate(model.mesh_quat[k], model.mesh_vert[first : first + count]) + model.mesh_pos[k]
        if count > _MOST_VERTICES:
            from scipy.spatial import ConvexHull

            vertices, faces = vertices[ConvexHull(vertices).vertices], np.zeros(0, int)
        else:
            start, number = int(model.mesh_faceadr[k]), int(model.mesh_facenum[k])
            faces = model.mesh_face[start : start + number].ravel()
        mesh.file, mesh.scale, mesh.refpos, mesh.refquat = "", [1, 1, 1], [0, 0, 0], [1, 0, 0, 0]
        mesh.uservert, mesh.userface = vertices.ravel().tolist(), faces.tolist()
        mesh.usernormal, mesh.usertexcoord = [], []
    for material in spec.materials:
        material.textures = [""] * len(material.textures)
    for asset in [*spec.textures, *spec.skins]:
        spec.delete(asset)


def _strip(spec: mujoco.MjSpec) -> None:
    """Without floor, lights, cameras of the scene, motors, sensors and stored poses."""
    world = spec.worldbody
    scene = [*world.geoms, *world.lights, *world.cameras, *world.sites]
    for thing in [*spec.keys, *spec.sensors, *spec.actuators, *scene, *spec.hfields]:
        spec.delete(thing)


def _keep_one_tree(spec: mujoco.MjSpec, path: Path, notes: list[str]) -> None:
    """Drop all bodies that are not of the largest tree, and what ties them; float its root."""
    trees = {body.name: _size(body) for body in spec.worldbody.bodies}
    if not trees:
        raise BadFile(path, "this model has no bodies.")
    keep = max(trees, key=lambda name: trees[name])
    ties = [*spec.equalities, *spec.tendons, *spec.pairs, *spec.excludes] if len(trees) > 1 else []
    for thing in ties:
        spec.delete(thing)
    for name in trees:
        if name != keep:
            spec.delete(spec.body(name))
    if len(trees) > 1:
        notes.append(f"Kept the tree of bodies below {keep!r}; left out {', '.join(sorted(set(trees) - {keep}))}.")
    root = spec.body(keep)
    joints = list(root.joints)
    if len(joints) == 1 and joints[0].type == mujoco.mjtJoint.mjJNT_FREE:
        joints[0].name = "root"
        return
    for tie in [*spec.equalities, *spec.tendons] if joints else []:
        spec.delete(tie)  # they may name the joints that go
    for joint in joints:
        spec.delete(joint)
    root.add_joint(name="root", type=mujoco.mjtJoint.mjJNT_FREE)
    notes.append(f"The body {keep!r} got a free joint: the file ties it to the world.")


def _size(body) -> int:
    return 1 + sum(_size(child) for child in body.bodies)
